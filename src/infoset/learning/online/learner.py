"""A learner of one player, driven from outside: asked for actions, and told what came of them."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np

from infoset.errors import TrajectoryError
from infoset.learning._simulator_kernels import draw_action, draw_mixed
from infoset.learning.online.episode import Episode, Trajectory
from infoset.learning.online.infostates import InfostateTable
from infoset.learning.online.policy import LearnedPolicy
from infoset.learning.online.tables import LearnerTables
from infoset.learning.online.terms import Terms
from infoset.learning.update_rule import Feedback, UpdateRule
from infoset.runs import Checkpoint, check_compatibility, read_checkpoint, write_checkpoint
from infoset.typing import Action, Player, StateArrays
from infoset.utils.arguments import SUM_TOLERANCE, check_type
from infoset.utils.splitmix import make_stream
from infoset.utils.state import IterativeState

__all__ = ["Learner"]


class Learner(IterativeState):
    """One player that learns from its own episodes, wherever they are played.

    In every episode it is asked for an action wherever the player is to act, and told in the end
    what it got. Its own infostates, actions and utilities are all that goes in. `make_learner`
    makes one.

    Parameters
    ----------
    name : str
        Of its kind.
    rule : UpdateRule
        What its kind does with an episode.
    infostates : InfostateTable
        Those it knows.
    terms : Terms

    Examples
    --------
    Two arms, of which the second pays more:

    >>> from infoset.learning import Trajectory, get_learner, make_learner
    >>> row = get_learner("ixomd", step_sizes=(0.1, 0.01))
    >>> learner = make_learner(row, player=0, utility_range=(0, 1), horizon=500)
    >>> for _ in range(500):
    ...     arm = learner.act("the arms", ("left", "right"))
    ...     learner.observe(Trajectory([("the arms", arm)], 0.9 if arm == "right" else 0.2))
    >>> learner.current_policy["the arms"]["right"] > 0.9
    True
    """

    def __init__(
        self, name: str, rule: UpdateRule[Any], infostates: InfostateTable, terms: Terms
    ) -> None:
        super().__init__()
        self.name = name
        self.terms = terms
        self._rule = rule
        self._tables = LearnerTables(rule, infostates)
        self._episodes = np.zeros(1, np.int64)
        self._stream = make_stream(terms.seed, terms.player)
        self._begin_episode()

    def _begin_episode(self) -> None:
        self._episode = Episode()
        self._learns = True
        self._stream_before = self._stream.copy()

    @property
    def player(self) -> Player:
        """Its seat."""
        return self.terms.player

    @property
    def episodes(self) -> int:
        """Number of episodes observed; `iteration` is the number of those it has learnt from."""
        return int(self._episodes[0])

    @property
    def num_infostates(self) -> int:
        """Number of infostates it knows."""
        return self._tables.infostates.num_known

    @property
    def explores(self) -> bool:
        """Whether it plays otherwise than by its policy in the episodes that it learns from.

        Others should then follow their policies meanwhile: see `follow`.
        """
        return self.turn > 0

    @property
    def turn(self) -> int:
        """How many episodes of its own it explores before its policy moves; 0 for none.

        Others should not learn in between.
        """
        return self._rule.turn

    @property
    def steps(self) -> tuple[tuple[Hashable, Action], ...]:
        """Its infostates and actions so far in the episode under way."""
        return tuple(self._episode.steps)

    @property
    def current_policy(self) -> LearnedPolicy:
        """The policy that it has come to."""
        return LearnedPolicy(self._tables, self._tables.current)

    @property
    def average_policy(self) -> LearnedPolicy:
        """The average of its policies so far, weighted by own reach."""
        return LearnedPolicy(self._tables, self._tables.average)

    def follow(self) -> None:
        """Play the episode that begins now by the current policy, and learn nothing from it.

        For episodes that another learner explores, and for measuring. Without it, an episode is
        the learner's own: it explores as its kind does, and learns.

        Raises
        ------
        TrajectoryError
            If an episode is under way.
        """
        self._check_between_episodes("follow() is for the episode that begins next")
        self._learns = False

    def act(self, infostate: Hashable, legal_actions: Sequence[Action] | None = None) -> Action:
        """Return what the player does at an infostate that the episode under way has come to.

        Parameters
        ----------
        infostate : Hashable
            All that the player knows: an `Infostate`, or any key for it.
        legal_actions : Sequence[Action], optional
            Needed where the infostate is new.

        Raises
        ------
        TrajectoryError
            If the infostate has had other actions, or another own history.
        UnknownNameError
            If the learner was given its tree, and the infostate is not in it.
        """
        here = self._tables.visit(infostate, legal_actions, self._episode.last_sequence)
        sequences = self._tables.infostates.sequences(here)
        index = self._draw(sequences.start, sequences.stop - sequences.start)
        action = self._tables.infostates.legal_actions(here)[index]
        self._episode.add(infostate, action, here, sequences.start + index)
        return action

    def _draw(self, first_sequence: int, num_actions: int) -> int:
        """Draw the index of an action."""
        state, mixed = self._tables.state, None
        if self._learns:
            mixed = self._rule.exploration(state, self.iteration, len(self._episode.steps))
        if mixed is None:
            return draw_action(state.policy, first_sequence, num_actions, self._stream)
        return draw_mixed(
            state.policy, mixed.policy, mixed.probability, first_sequence, num_actions, self._stream
        )

    def check(self, trajectory: Trajectory) -> None:
        """Raise unless a trajectory is that of the episode under way.

        Raises
        ------
        TrajectoryError
            If its steps are not those that `act` has taken, in order, or the utility is not in
            the range declared.
        ParameterError
            If it is no trajectory, or the utility no number.
        """
        check_type("trajectory", trajectory, Trajectory, "Trajectory(steps, utility)")
        self._episode.check(trajectory.steps)
        least, greatest = self.terms.utility_range
        slack = SUM_TOLERANCE * (greatest - least)
        utility = trajectory.utility
        check_type("utility", utility, Real, "a number")
        if not least - slack <= utility <= greatest + slack:
            raise TrajectoryError(
                f"the utility {utility} is outside the range from {least:g} to {greatest:g} that "
                "was declared: make the learner with a utility_range that has all there can be"
            )

    def observe(self, trajectory: Trajectory) -> None:
        """End the episode under way, and learn from it.

        Parameters
        ----------
        trajectory : Trajectory
            The player's own steps, as `act` has taken them, and what it got in the end.

        Raises
        ------
        TrajectoryError, ParameterError
            As `check`; the episode is then still under way.
        """
        self.check(trajectory)
        if self._learns:
            least, greatest = self.terms.utility_range
            loss = (greatest - trajectory.utility) / (greatest - least)
            feedback = Feedback(trajectory.utility, loss, self.iteration + 1)
            infostates = self._tables.infostates.infostates
            self._rule.learn(infostates, self._episode.paths, feedback, self._tables.state)
            self._done[0] = feedback.episode
        self._episodes[0] += 1
        self._begin_episode()

    def abandon(self) -> None:
        """Forget the episode under way, if there is one, as if it had never begun.

        The next one draws the same numbers. Infostates that it met stay known.
        """
        self._stream[:] = self._stream_before
        self._begin_episode()

    def settings(self) -> dict[str, Any]:
        """Return what, with the game, decides all that is learnt, by name."""
        terms = {name: value for name, value in vars(self.terms).items() if name != "game"}
        return {**terms, **self._rule.settings()}

    def _state_arrays(self) -> StateArrays:
        return {"episodes": self._episodes, "stream": self._stream, **self._tables.arrays()}

    def set_state(self, state: StateArrays) -> None:
        """Take the values of what `state` has returned, of a learner that was made alike."""
        self._tables.set_arrays(state)
        for name, array in (
            ("done", self._done),
            ("episodes", self._episodes),
            ("stream", self._stream),
        ):
            array[...] = state[name]
        self._begin_episode()

    def save(self, path: str | Path) -> None:
        """Write a checkpoint to a file, all or nothing; an existing file is replaced.

        Raises
        ------
        TrajectoryError
            If an episode is under way.
        ParameterError
            If infostates or actions are of a type that cannot be written.
        CheckpointFileError
            If the file cannot be written.
        """
        self._check_between_episodes("a learner is saved between episodes")
        write_checkpoint(self._checkpoint(self.state()), path)

    def load(self, path: str | Path) -> None:
        """Go on from a checkpoint that a learner made alike has saved, with the same bits.

        Raises
        ------
        TrajectoryError
            If an episode is under way.
        CheckpointFileError
            If the file cannot be read.
        CheckpointMismatchError
            If it is of another learner or game; nothing has changed then.
        """
        self._check_between_episodes("a learner goes on from a file between episodes")
        kept = read_checkpoint(path)
        check_compatibility(kept, self._checkpoint(kept.state), Path(path))
        self.set_state(kept.state)

    def _checkpoint(self, state: StateArrays) -> Checkpoint:
        settings = self.settings()
        return Checkpoint(
            game=self.terms.game,
            fingerprint=self._tables.infostates.fingerprint,
            method=self.name,
            settings={**settings, "utility_range": list(self.terms.utility_range)},
            iteration=self.iteration,
            seconds=0.0,
            trace=(),
            state=state,
        )

    def _check_between_episodes(self, rule: str) -> None:
        if self._episode.steps:
            raise TrajectoryError(
                f"an episode is under way, and {rule}: observe how it ends, or abandon() it"
            )
