"""Histories of one length that look the same to somebody, found by asking the rules."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple, overload

import numpy as np

from infoset.beliefs.rosters import InfostateIndex
from infoset.game import Game, History, Infostate, Observation, Step, initial_history
from infoset.typing import (
    BoolArray,
    FloatArray,
    IntArray,
    JointAction,
    LongArray,
    Player,
    World,
)

__all__ = ["HistoryBatch", "Sight", "Successor"]


class Sight(NamedTuple):
    """What a player, or everybody where `player` is None, noticed of one transition.

    Attributes
    ----------
    player : Player or None
    step : Step
        Own action and private part are `NOOP` and None for everybody.
    """

    player: Player | None
    step: Step

    def agrees(self, seen: Observation) -> bool:
        """Return whether an observation looks like this."""
        if seen.public != self.step.public:
            return False
        return self.player is None or seen.seen_by(self.player) == self.step.private


class Successor(NamedTuple):
    """One transition out of a history of a batch.

    Attributes
    ----------
    origin : int
        Position of the history in its batch.
    joint_action : JointAction
    next_world : World
    probability : float
        Nature's, given the joint action.
    seen : Observation
    """

    origin: int
    joint_action: JointAction
    next_world: World
    probability: float
    seen: Observation


@dataclass(frozen=True, eq=False)
class HistoryBatch(Sequence[History]):
    """Histories of one length that look the same to somebody, each made when it is asked for.

    Attributes
    ----------
    game : Game
    worlds : Sequence[World]
        [K] the world state each ends in.
    weight : FloatArray
        [K] nature's reach; where histories were left out at random, it is what stands for it,
        right on average.
    infostate : IntArray
        [K, N] number of the infostate of each player, in its infostate_index.
    infostate_indexes : tuple[InfostateIndex, ...]
        Per player.
    parent : HistoryBatch or None
        The batch before; None at the root.
    origin : IntArray
        [K] position of the history one transition shorter, in the parent.
    joint_actions : Sequence[JointAction]
        [K] the joint action that led here.
    method : str
        `enumeration` if all histories are here, else `samples` or `rejection`.
    """

    game: Game
    worlds: Sequence[World]
    weight: FloatArray
    infostate: IntArray
    infostate_indexes: tuple[InfostateIndex, ...]
    parent: HistoryBatch | None
    origin: IntArray
    joint_actions: Sequence[JointAction]
    method: str = "enumeration"
    _histories: dict[int, History] = field(default_factory=dict, init=False, repr=False)

    @classmethod
    def root(cls, game: Game) -> HistoryBatch:
        """Return the batch of the one history in which no one has moved yet."""
        return cls(
            game=game,
            worlds=(game.initial_world(),),
            weight=np.ones(1),
            infostate=np.zeros((1, game.num_players), np.int32),
            infostate_indexes=tuple(map(InfostateIndex, range(game.num_players))),
            parent=None,
            origin=np.zeros(1, np.int32),
            joint_actions=((),),
        )

    def __len__(self) -> int:
        return len(self.worlds)

    @overload
    def __getitem__(self, position: int) -> History: ...
    @overload
    def __getitem__(self, position: slice) -> Sequence[History]: ...
    def __getitem__(self, position: int | slice) -> History | Sequence[History]:
        if isinstance(position, slice):
            return [self._history(at) for at in range(len(self))[position]]
        return self._history(range(len(self))[position])

    def _history(self, position: int) -> History:
        if position not in self._histories:
            if self.parent is None:
                self._histories[position] = initial_history(self.game)
            else:
                before = self.parent._history(int(self.origin[position]))
                after = before.extend(self.joint_actions[position], self.worlds[position])
                self._histories[position] = after
        return self._histories[position]

    def is_at(self, infostate: Infostate) -> BoolArray:
        """Return [K] at which histories a player is at an infostate of this depth."""
        player = infostate.player
        number = self.infostate_indexes[player].find(infostate.steps)
        return np.equal(self.infostate[:, player], number)

    def looks(self, public: Hashable) -> BoolArray:
        """Return [K] at which histories everybody saw this last."""
        infostate_index = self.infostate_indexes[0]
        looks = np.array(
            [infostate_index.public(number) == public for number in range(len(infostate_index))]
        )
        return looks[self.infostate[:, 0]]

    @cached_property
    def rewards_so_far(self) -> FloatArray:
        """[K, N] sum of the rewards of each player."""
        if self.parent is None:
            return np.zeros(self.infostate.shape)
        game, before = self.game, self.parent
        rewards = [
            game.rewards(before.worlds[origin], joint_action, world)
            for origin, joint_action, world in zip(
                self.origin.tolist(), self.joint_actions, self.worlds, strict=True
            )
        ]
        return before.rewards_so_far[self.origin] + np.array(rewards, np.float64)

    @property
    def depth(self) -> int:
        """Number of transitions so far."""
        return 0 if self.parent is None else self.parent.depth + 1

    def as_samples(self) -> HistoryBatch:
        """Return the batch as one in which not all histories are."""
        return replace(self, method="samples") if self.method == "enumeration" else self

    def extend(self, found: Iterable[Successor]) -> HistoryBatch:
        """Return the batch of some transitions out of this one."""
        infostate_indexes = tuple(
            InfostateIndex(infostate_index.player, infostate_index)
            for infostate_index in self.infostate_indexes
        )
        before = self.infostate.tolist()
        origin, probability, numbers = [], [], []
        worlds, joint_actions = [], []
        for position, joint_action, next_world, chance, seen in found:
            origin.append(position)
            probability.append(chance)
            worlds.append(next_world)
            joint_actions.append(joint_action)
            for infostate_index, above, action in zip(
                infostate_indexes, before[position], joint_action, strict=True
            ):
                own = seen.seen_by(infostate_index.player)
                numbers.append(infostate_index.number((above, action, own, seen.public)))
        return replace(
            self,
            worlds=worlds,
            weight=self.weight[origin] * probability,
            infostate=np.array(numbers, np.int32).reshape(-1, len(infostate_indexes)),
            infostate_indexes=infostate_indexes,
            parent=self,
            origin=np.array(origin, np.int32),
            joint_actions=joint_actions,
        )

    def select(self, positions: LongArray) -> HistoryBatch:
        """Return the batch of some of the histories."""
        places = positions.tolist()
        return replace(
            self,
            worlds=[self.worlds[place] for place in places],
            weight=self.weight[positions],
            infostate=self.infostate[positions],
            origin=self.origin[positions],
            joint_actions=[self.joint_actions[place] for place in places],
        )
