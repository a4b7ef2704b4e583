"""A learner of one player for a user's own loop."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import asdict, dataclass
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np

from infoset.errors import CheckpointFileError, TrajectoryError
from infoset.forms import midranges
from infoset.learning._simulator_kernels import draw_mixed
from infoset.learning.online.infostate_table import InfostateTable
from infoset.learning.online.learned_policy import LearnedPolicy, LearnerTables
from infoset.learning.online.trajectory import Episode, Trajectory
from infoset.learning.update_rule import Feedback, UpdateRule
from infoset.runs import Checkpoint, check_compatibility, read_checkpoint, write_checkpoint
from infoset.tree.decision_nodes import draw_action
from infoset.typing import Action, Player, StateArrays
from infoset.utils.arguments import SUM_TOLERANCE, check_type
from infoset.utils.splitmix import make_stream
from infoset.utils.state import IterativeState, check_arrays, copy_arrays


@dataclass(frozen=True)
class LearningTask:
    """A learning task: the game from one player's side."""

    player: Player
    """The player that learns."""
    utility_range: tuple[float, float]
    """Minimum and maximum utility, in the game's units."""
    horizon: int
    """Planned number of episodes, which determines the step sizes."""
    seed: int
    """Random seed of the learner's actions."""
    game: str
    """Name of the game."""


class Learner(IterativeState):
    """A learner of one player, which learns from its own episodes, wherever they are played.

    In every episode, call `act` at each decision of the player, and `observe` at the end. The
    learner observes only the player's own infostates, actions and utilities. `make_learner` makes
    learners.

    Parameters
    ----------
    name
        Name of the learner's spec.
    rule : UpdateRule
        The update rule.
    infostates
        The known infostates.
    task
        The learning task.

    Examples
    --------
    A bandit with two arms, the second of which pays more:

    >>> from infoset.learning import Trajectory, get_learner, make_learner
    >>> spec = get_learner("ixomd", step_sizes=(0.1, 0.01))
    >>> learner = make_learner(spec, player=0, utility_range=(0, 1), horizon=500)
    >>> for _ in range(500):
    ...     arm = learner.act("the arms", ("left", "right"))
    ...     learner.observe(
    ...         Trajectory([("the arms", arm)], 0.9 if arm == "right" else 0.2)
    ...     )
    >>> learner.current_policy["the arms"]["right"] > 0.9
    True
    """

    def __init__(
        self, name: str, rule: UpdateRule[Any], infostates: InfostateTable, task: LearningTask
    ) -> None:
        super().__init__()
        self.name = name
        self.task = task
        self._rule = rule
        self._tables = LearnerTables(rule, infostates)
        self._episodes = np.zeros(1, np.int64)
        self._stream = make_stream(task.seed, task.player)
        self._begin_episode()

    def _begin_episode(self) -> None:
        self._episode = Episode()
        self._learns = True
        self._stream_before = self._stream.copy()

    @property
    def player(self) -> Player:
        """The player that learns."""
        return self.task.player

    @property
    def episodes(self) -> int:
        """Number of observed episodes; `iteration` counts only those learned from."""
        return int(self._episodes[0])

    @property
    def num_infostates(self) -> int:
        """Number of known infostates."""
        return self._tables.infostates.num_known

    @property
    def explores(self) -> bool:
        """Whether the learner explores off-policy in the episodes that it learns from.

        In these episodes, other learners should `follow` their policies.
        """
        return self.turn > 0

    @property
    def turn(self) -> int:
        """Number of own episodes with exploration before the policy changes; 0 without exploration.

        Other learners should not learn during these episodes.
        """
        return self._rule.turn

    @property
    def steps(self) -> tuple[tuple[Hashable, Action], ...]:
        """The player's infostates and actions so far in the current episode."""
        return tuple(self._episode.steps)

    @property
    def current_policy(self) -> LearnedPolicy:
        """The current policy."""
        return LearnedPolicy(self._tables, self._tables.current)

    @property
    def average_policy(self) -> LearnedPolicy:
        """The average of the policies so far, weighted by own reach."""
        return LearnedPolicy(self._tables, self._tables.average)

    def follow(self) -> None:
        """Play the next episode by the current policy, without learning from it.

        Call it before episodes in which another learner explores, and before measurements. In all
        other episodes, the learner explores if its algorithm does, and learns.

        Raises
        ------
        TrajectoryError
            If an episode is under way.
        """
        self._check_between_episodes("call follow() before the next one begins")
        self._learns = False

    def act(self, infostate: Hashable, legal_actions: Sequence[Action] | None = None) -> Action:
        """Return the player's action at an infostate of the current episode.

        Parameters
        ----------
        infostate
            The player's information: an `Infostate`, or any hashable key that identifies it.
        legal_actions
            Required if the infostate is new.

        Raises
        ------
        TrajectoryError
            If the infostate had other actions, or another history of own actions, before.
        UnknownNameError
            If the learner was given a tree that does not contain the infostate.
        """
        here = self._tables.visit(infostate, legal_actions, self._episode.last_sequence)
        sequences = self._tables.infostates.sequences(here)
        index = self._draw(sequences.start, sequences.stop - sequences.start)
        action = self._tables.infostates.legal_actions(here)[index]
        self._episode.add(infostate, action, here, sequences.start + index)
        return action

    def _draw(self, first_sequence: int, num_actions: int) -> int:
        """Draw the index of an action."""
        state, explored = self._tables.state, None
        if self._learns:
            explored = self._rule.exploration(state, self.iteration, len(self._episode.steps))
        if explored is None:
            return draw_action(state.policy, first_sequence, num_actions, self._stream)
        return draw_mixed(
            state.policy,
            explored.policy,
            explored.probability,
            first_sequence,
            num_actions,
            self._stream,
        )

    def check(self, trajectory: Trajectory) -> None:
        """Check that a trajectory matches the current episode.

        Raises
        ------
        TrajectoryError
            If the steps are not the actions that `act` returned, in order, or if the utility is
            outside the declared range.
        """
        check_type("trajectory", trajectory, Trajectory, "Trajectory(steps, utility)")
        self._episode.check(trajectory.steps)
        minimum, maximum = self.task.utility_range
        slack = SUM_TOLERANCE * (maximum - minimum)
        utility = trajectory.utility
        check_type("utility", utility, Real, "a number")
        if not minimum - slack <= utility <= maximum + slack:
            raise TrajectoryError(
                f"the utility {utility} is outside the declared range from {minimum:g} to "
                f"{maximum:g}: make the learner with a utility_range that covers all utilities"
            )

    def observe(self, trajectory: Trajectory) -> None:
        """End the current episode and learn from it.

        Parameters
        ----------
        trajectory
            The player's own steps, with the actions that `act` returned, and its utility.

        Raises
        ------
        TrajectoryError, ParameterError
            See `check`. The episode then remains in progress.
        """
        self.check(trajectory)
        if self._learns:
            # Checked above, so that from here on nothing fails halfway.
            feedback = self._feedback(trajectory.utility)
            infostates = self._tables.infostates.infostates
            self._rule.learn(infostates, self._episode.paths, feedback, self._tables.state)
            self._done[0] = feedback.episode
        self._episodes[0] += 1
        self._begin_episode()

    def _feedback(self, utility: float) -> Feedback:
        """Return the feedback of an episode, in terms of the declared range of utilities."""
        minimum, maximum = self.task.utility_range
        # The same power of two divides both, because a difference of utilities may overflow.
        loss = (maximum / 2 - utility / 2) / (maximum / 2 - minimum / 2)
        middle = float(midranges(np.array([[minimum], [maximum]]))[0])
        return Feedback(utility, loss, self.iteration + 1, utility - middle)

    def abandon(self) -> None:
        """Discard the current episode, if there is one, as if it had never begun.

        The next episode draws the same random numbers. Infostates discovered in it remain known.
        """
        self._stream[:] = self._stream_before
        self._begin_episode()

    def settings(self) -> dict[str, Any]:
        """Return the settings that, together with the game, determine what is learned."""
        task = asdict(self.task)
        del task["game"]
        return {**task, **self._rule.settings()}

    def _state_arrays(self) -> StateArrays:
        return {"episodes": self._episodes, "stream": self._stream, **self._tables.arrays()}

    def set_state(self, state: StateArrays) -> None:
        """Copy values from the `state` of a learner with the same settings.

        Raises
        ------
        ValueError
            If it is not such a state; nothing has changed then.
        """
        counts = {"done": self._done, "episodes": self._episodes, "stream": self._stream}
        check_arrays(counts, state)
        self._tables.set_arrays(state)
        copy_arrays(counts, state)
        self._begin_episode()

    def save(self, path: str | Path) -> None:
        """Write a checkpoint to a file atomically; an existing file is replaced.

        Raises
        ------
        TrajectoryError
            If an episode is under way.
        ParameterError
            If an infostate or action has a type that cannot be written.
        CheckpointFileError
            If the file cannot be written.
        """
        self._check_between_episodes("call save() between episodes")
        write_checkpoint(self._checkpoint(self.state()), path)

    def load(self, path: str | Path) -> None:
        """Resume, bit for bit, from a checkpoint of a learner with the same settings.

        Raises
        ------
        TrajectoryError
            If an episode is under way.
        CheckpointFileError
            If the file cannot be read.
        CheckpointMismatchError
            If the checkpoint is from another learner or game. The learner then does not change.
        """
        self._check_between_episodes("call load() between episodes")
        saved = read_checkpoint(path)
        check_compatibility(saved, self._checkpoint(saved.state), Path(path))
        try:
            self.set_state(saved.state)
        except (ValueError, TrajectoryError) as error:
            raise CheckpointFileError(
                f"{path} does not have the state of such a learner ({error}); give a file that "
                "save() wrote"
            ) from error

    def _checkpoint(self, state: StateArrays) -> Checkpoint:
        settings = self.settings()
        return Checkpoint(
            game=self.task.game,
            fingerprint=self._tables.infostates.fingerprint,
            method=self.name,
            settings={**settings, "utility_range": list(self.task.utility_range)},
            iteration=self.iteration,
            seconds=0.0,
            trace=(),
            state=state,
        )

    def _check_between_episodes(self, rule: str) -> None:
        if self._episode.steps:
            raise TrajectoryError(
                f"an episode is under way: {rule}, after observe(trajectory) or abandon()"
            )
