"""What a kind of learner brings to a player that is driven from outside."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol, TypeVar, runtime_checkable

from infoset.learning.knowledge import Knowledge
from infoset.learning.simulation import Infostates, Paths
from infoset.learning.step_sizes import TreeSize
from infoset.typing import FloatArray, IntArray

__all__ = ["Exploration", "Feedback", "LearnerState", "OnlineLearnerSpec", "UpdateRule"]


class LearnerState(Protocol):
    """The arrays of a learner, a named tuple: these, and those that its kind needs besides.

    Where infostates are taken in as they are met, each array is over slots [S], over infostates
    [I] or empty, and grows with them.
    """

    @property
    def policy(self) -> FloatArray:
        """[S] the current policy."""

    @property
    def mass(self) -> FloatArray:
        """[S] the average, as far as it is counted; see `infoset.learning._kernels`."""

    @property
    def counted(self) -> FloatArray:
        """[I] the mass of the parent that is already in it."""


State = TypeVar("State", bound=LearnerState)


class Exploration(NamedTuple):
    """What a learner mixes into its policy at a decision, to learn from what comes of it.

    Attributes
    ----------
    policy : FloatArray
        [S]
    probability : float
        The probability with which it is followed instead of the current policy.
    """

    policy: FloatArray
    probability: float


class Feedback(NamedTuple):
    """What a learner is told in the end of an episode.

    Attributes
    ----------
    utility : float
        In the game's units.
    loss : float
        (greatest utility - utility) / range of utilities: in [0, 1].
    episode : int
        How many it has learnt from, this one included.
    """

    utility: float
    loss: float
    episode: int


class UpdateRule(Protocol[State]):
    """What a kind of learner does with the episodes of one player, wherever they are played.

    Infostates and slots are those of that player alone, which is player 0 of them.
    """

    @property
    def turn(self) -> int:
        """How many episodes it explores before its policy moves; 0 where it plays its policy."""

    def settings(self) -> dict[str, Any]:
        """Return the numbers that decide what is learnt, as JSON has them, by name."""

    def begin(self, infostates: Infostates, depth: IntArray, num_slots: int) -> State:
        """Return the arrays before the first episode; `depth` [I] counts own decisions above."""

    def first_policies(self, state: State) -> tuple[FloatArray, ...]:
        """Return the arrays [S] that begin as uniform policies where infostates are met in play."""

    def exploration(self, state: State, episode: int, step: int) -> Exploration | None:
        """Return what to mix in at a decision, None for nothing; both are counted from 0."""

    def learn(self, infostates: Infostates, paths: Paths, feedback: Feedback, state: State) -> None:
        """Count an episode in the average, and learn from it, `state` in place."""


@runtime_checkable
class OnlineLearnerSpec(Protocol):
    """A learner as data that can be driven from outside."""

    @property
    def name(self) -> str:
        """What results call it."""

    @property
    def knowledge(self) -> Knowledge:
        """What it is given of the game."""

    def update_rule(self, size: TreeSize | None, horizon: int) -> UpdateRule[Any]:
        """Return what one player of this kind does, for the size of its tree, if that is known."""
