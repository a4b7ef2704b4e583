"""Self-play: learners in all positions of a compiled game play against each other."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

from infoset.forms import TREE_EXAMPLE, SequenceForm
from infoset.learning._update_kernels import count_rest
from infoset.learning.simulator import Simulator
from infoset.learning.update_rule import LearnerState
from infoset.policy import TabularPolicy
from infoset.typing import FloatArray, StateArrays
from infoset.utils.arguments import check_count, check_type
from infoset.utils.state import IterativeState


def check_play(simulator: object, horizon: object) -> None:
    """Check the arguments of `LearnerSpec.self_play`."""
    check_type(
        "simulator", simulator, Simulator, f"infoset.learning.make_simulator({TREE_EXAMPLE})"
    )
    check_count("horizon", horizon, minimum=1)


class SelfPlay(IterativeState):
    """Learners in all positions of a game, which learn from playing against each other.

    Subclasses provide the arrays of their algorithm and the compiled loop that updates them. An
    iteration is an episode.

    Parameters
    ----------
    simulator
        The game.
    seed
        Random seed; equal seeds give results that are equal bit for bit.
    settings : mapping
        The parameters that, together with game and seed, determine every episode, by name.
    state
        The arrays before the first episode.
    feedback
        [Z, N] loss or utility of each player at each terminal, from which it learns.
    """

    learned: ClassVar[tuple[str, ...]]
    """Names of the arrays that learning changes, besides the policy and its average."""

    _state: LearnerState

    def __init__(
        self,
        simulator: Simulator,
        seed: int,
        settings: Mapping[str, Any],
        state: LearnerState,
        feedback: FloatArray,
    ) -> None:
        super().__init__()
        self.simulator = simulator
        self.seed = seed
        self._settings = settings
        self._state = state
        self._play_state = simulator.play_state(feedback, self._done, seed)

    @property
    def form(self) -> SequenceForm:
        """The game's sequence form."""
        return self.simulator.form

    @property
    def cost_per_iteration(self) -> int:
        """Approximate number of array elements read in an episode."""
        return 8 * int(self.simulator.max_decisions.sum()) + 8

    @property
    def num_pairs(self) -> int:
        """Number of pairs of a trigger and a sequence at or below its infostate.

        Positive for learners of extensive-form correlated equilibria only; 0 for the others.
        """
        return 0

    def settings(self) -> dict[str, Any]:
        """Return the parameters that, together with the game, determine every episode, by name."""
        return {**self._settings, "seed": self.seed}

    def run(self, episodes: int) -> None:
        """Play `episodes` more episodes."""
        check_count("episodes", episodes)
        self._run(episodes)

    @abstractmethod
    def _run(self, episodes: int) -> None:
        """Play `episodes` more episodes in one compiled call."""

    def _state_arrays(self) -> StateArrays:
        names = ("policy", "cumulative_plan", "parent_counted", *self.learned)
        arrays = {name: getattr(self._state, name) for name in names}
        return {"stream": self._play_state.stream, **arrays}

    @property
    def current_probabilities(self) -> FloatArray:
        """[S] the policies of the next episode; not a copy, so the array changes with learning."""
        return self._state.policy

    def policy(self) -> TabularPolicy:
        """Return the average policy, weighted by own reach.

        It is uniform at infostates that no policy has reached. The learners do not change.
        With more than two players, or payoffs that are not constant-sum, the average need not
        approach an equilibrium; the empirical joint distribution of play does
        (`infoset.learning.RegretTracker`).
        """
        state = self._state
        cumulative_plan, parent_counted = state.cumulative_plan.copy(), state.parent_counted.copy()
        # Copies: counted early, the state would round differently from one that is not measured.
        count_rest(self.simulator.infostates, state.policy, cumulative_plan, parent_counted)
        return self.simulator.policy(cumulative_plan)

    def current_policy(self) -> TabularPolicy:
        """Return the policies of the next episode."""
        return self.simulator.policy(self._state.policy)
