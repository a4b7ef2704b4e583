"""Learners of all seats that play a compiled game against each other."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

from infoset.learning._kernels import count_rest
from infoset.learning.simulation import Simulator
from infoset.learning.update_rule import LearnerState
from infoset.policy import TabularPolicy
from infoset.tree import SequenceForm
from infoset.tree.sequence_form import TREE_EXAMPLE
from infoset.typing import FloatArray, StateArrays
from infoset.utils.arguments import check_count, check_type
from infoset.utils.state import IterativeState

__all__ = ["SelfPlay", "check_play"]


def check_play(simulator: object, horizon: object) -> None:
    """Raise unless there is a simulator to play on, and a number of episodes is meant.

    Raises
    ------
    ParameterError
        If something else is given.
    """
    check_type(
        "simulator", simulator, Simulator, f"infoset.learning.make_simulator({TREE_EXAMPLE})"
    )
    check_count("horizon", horizon, minimum=1)


class SelfPlay(IterativeState):
    """All players of a game learning from the episodes they play with each other.

    Subclasses have the arrays that their learners move, and the compiled loop that moves them.
    An iteration is an episode.

    Parameters
    ----------
    simulator : Simulator
        The game.
    seed : int
        Of all that is drawn: the same seed gives the same bits.
    settings : mapping
        The numbers that, with game and seed, decide every episode, by name.
    state : LearnerState
        What the learners begin with.
    told : FloatArray
        [Z, N] what each player is told at a terminal node: its loss, or its utility.
    """

    learned: ClassVar[tuple[str, ...]]
    """By name, what of the state is moved, besides policy and average."""

    _state: LearnerState

    def __init__(
        self,
        simulator: Simulator,
        seed: int,
        settings: Mapping[str, Any],
        state: LearnerState,
        told: FloatArray,
    ) -> None:
        super().__init__()
        self.simulator = simulator
        self.seed = seed
        self._settings = settings
        self._state = state
        self._arena = simulator.arena(told, self._done, seed)

    @property
    def sequence_form(self) -> SequenceForm:
        """The game."""
        return self.simulator.sequence_form

    @property
    def cost_per_iteration(self) -> int:
        """Numbers read in an episode, about."""
        return 8 * int(self.simulator.most_decisions.sum()) + 8

    @property
    def num_pairs(self) -> int:
        """Number of pairs of a recommendation and a sequence that may be played instead, or after.

        Where what is promised is joint play that players are told step by step; 0 elsewhere.
        """
        return 0

    def settings(self) -> dict[str, Any]:
        """Return the numbers that, with the game, decide every episode, by name."""
        return {**self._settings, "seed": self.seed}

    def run(self, episodes: int) -> None:
        """Play `episodes` more episodes.

        Raises
        ------
        ParameterError
            If they are not a whole number.
        """
        check_count("episodes", episodes)
        self._run(episodes)

    @abstractmethod
    def _run(self, episodes: int) -> None:
        """Play `episodes` more episodes, inside one compiled call."""

    def _state_arrays(self) -> StateArrays:
        names = ("policy", "mass", "counted", *self.learned)
        arrays = {name: getattr(self._state, name) for name in names}
        return {"stream": self._arena.stream, **arrays}

    @property
    def current_probabilities(self) -> FloatArray:
        """[S] the policy that the next episode begins with: the array itself, which moves."""
        return self._state.policy

    def policy(self) -> TabularPolicy:
        """Return the average of the policies so far, weighted by own reach.

        Uniform where no policy so far leads. What is learned stays as it is, to the bit. With more
        than two players, or payoffs that are not constant-sum, it need not come close to any
        equilibrium; what does is joint play (`infoset.learning.RegretTracker`).
        """
        state = self._state
        mass, counted = state.mass.copy(), state.counted.copy()
        count_rest(self.simulator.infostates, state.policy, mass, counted)
        return self.simulator.policy(mass)

    def current_policy(self) -> TabularPolicy:
        """Return the policy that the next episode begins with."""
        return self.simulator.policy(self._state.policy)
