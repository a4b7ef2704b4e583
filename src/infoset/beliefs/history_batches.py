"""Batches of histories of equal length, found by the rules, and the transitions between them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import islice
from sys import maxsize
from typing import NamedTuple, TypeAlias, overload

import numpy as np

from infoset.game import Game, History, Infostate, Observation, Step, initial_history
from infoset.game.answer_checks import check_form, check_outcomes, no_transitions_error
from infoset.game.broken_rules import rules_at
from infoset.game.checked_rules import (
    checked_actors,
    checked_initial_world,
    checked_legal_actions,
    checked_rewards,
)
from infoset.game.hooks import Moves
from infoset.game.outcome_lists import ended
from infoset.typing import (
    NOOP,
    Action,
    FloatArray,
    IntArray,
    JointAction,
    LongArray,
    Player,
    World,
)

Extension: TypeAlias = tuple[int, Action, Hashable, Hashable]
"""Index of the previous infostate, then the player's action, private observation, and public
observation of a step."""


class ObservedStep(NamedTuple):
    """The observation of one transition by a player, or by the public if `player` is None."""

    player: Player | None
    step: Step
    """For the public, the action is `NOOP` and the private observation is None."""

    def agrees(self, observation: Observation) -> bool:
        """Return whether an observation of the game agrees with this step."""
        if observation.public != self.step.public:
            return False
        return self.player is None or observation.seen_by(self.player) == self.step.private


class Successor(NamedTuple):
    """One transition out of a history of a batch."""

    origin: int
    """Position of the history in its batch."""
    joint_action: JointAction
    next_world: World
    probability: float
    """Chance probability, given the joint action."""
    seen: Observation


class TooManyWorldsError(Exception):
    """A transition has more next world states than may be enumerated. Internal to the package."""


Outcomes: TypeAlias = Callable[[Game, World, JointAction], Iterable[tuple[World, float]]]
"""A function that returns the next world states of a joint action, with probabilities, without
duplicates."""

USUAL = (int, float, Fraction)
"""Types of probabilities that need no closer look."""


def enumerated_outcomes(
    game: Game, world: World, joint_action: JointAction, limit: int = maxsize
) -> Iterable[tuple[World, float]]:
    """Return the next world states of positive probability.

    Raises
    ------
    TooManyWorldsError
        If there are more than `limit`.
    """
    with rules_at(game, world):
        answer = game.transitions(world, joint_action)
        check_form("transitions", answer, world, joint_action)
        # One more than the limit shows that there are too many, even if they never end.
        pairs = list(islice(ended(answer, world, joint_action), min(limit + 1, maxsize)))
        if len(pairs) <= limit:
            # Most transitions are moves, for which the checks would take longer than the rules.
            is_move = len(pairs) == 1 and type(pairs[0][1]) in USUAL and pairs[0][1] == 1
            if not is_move:
                check_outcomes(tuple(pairs), world, joint_action, len(pairs))
            if not pairs and any(action is not NOOP for action in joint_action):
                raise no_transitions_error(world, joint_action)
            if len(pairs) == 1:
                [(next_world, probability)] = pairs
                return [(next_world, float(probability))]
            merged: dict[World, float] = {}
            for next_world, probability in pairs:
                if probability:
                    merged[next_world] = merged.get(next_world, 0.0) + float(probability)
            return merged.items()
    # Outside the block, which would look for the broken rule behind an error.
    raise TooManyWorldsError


class InfostateIndex:
    """Numbering of the infostates of one player in a batch, in order of first appearance.

    An infostate is identified by the index of its predecessor and its last step, so that whole
    sequences of steps need not be compared.
    """

    def __init__(self, player: Player, previous: InfostateIndex | None = None) -> None:
        self.player = player
        self.previous = previous
        """The numbering of the previous batch; None at the root, which has one infostate."""
        self._numbers: dict[Extension, int] = {}
        self._extensions: list[Extension] = []
        self._legal: dict[int, tuple[Action, ...]] = {}
        self._values: dict[int, Infostate] = {}

    def __len__(self) -> int:
        return len(self._extensions)

    def number(self, extension: Extension) -> int:
        """Return the number of an infostate, which is added if it is new."""
        found = self._numbers.setdefault(extension, len(self._extensions))
        if found == len(self._extensions):
            self._extensions.append(extension)
        return found

    def action(self, number: int) -> Action:
        """Return the last action of the player; `NOOP` if it did not act."""
        return self._extensions[number][1]

    def public(self, number: int) -> Hashable:
        """Return the last public observation of an infostate."""
        return self._extensions[number][3]

    def infostate_at(self, number: int) -> Infostate:
        """Return the `Infostate` with a number."""
        if self.previous is None:
            return Infostate(self.player)
        if number not in self._values:
            before, *step = self._extensions[number]
            self._values[number] = self.previous.infostate_at(before).extend(Step(*step))
        return self._values[number]

    def find(self, steps: Sequence[Step]) -> int:
        """Return the number of the infostate with these steps; -1 if it is not in the batch."""
        if self.previous is None:
            return 0
        # The number of the steps before is a part of the key; -1, if they are missing, is in none.
        return self._numbers.get((self.previous.find(steps[:-1]), *steps[-1]), -1)

    def legal_actions(self, number: int) -> tuple[Action, ...]:
        """Return the legal actions at an infostate that has successors in a further batch."""
        return self._legal[number]

    def choices(self, number: int, game: Game, world: World) -> tuple[Action, ...]:
        """Return the legal actions at an infostate; `(NOOP,)` if the player does not act.

        Legal actions are a function of the infostate, so that one of its world states is enough.
        """
        found = self._legal.get(number)
        if found is None:
            found = (NOOP,)
            if self.player in checked_actors(game, world):
                found = checked_legal_actions(game, world, self.player)
            self._legal[number] = found
        return found

    def own_moves(self, number: int) -> Iterator[tuple[InfostateIndex, int, int]]:
        """Yield the player's actions that lead to an infostate, last first.

        An action comes with the index and number of the infostate at which it was taken, and is the
        position in the legal actions there.
        """
        index = self
        while index.previous is not None:
            # The number becomes that of the predecessor, in the numbering of the previous batch.
            number, action, *_ = index._extensions[number]
            index = index.previous
            if action is not NOOP:
                yield index, number, index._legal[number].index(action)


def last_joint_action(indexes: Sequence[InfostateIndex], infostate: IntArray) -> JointAction:
    """Return the last joint action of a history, given [N] the infostate of each player."""
    return tuple(
        index.action(number) for index, number in zip(indexes, infostate.tolist(), strict=True)
    )


@dataclass(frozen=True, eq=False)
class HistoryBatch(Sequence[History]):
    """Histories of equal length as arrays; `History` objects are created on access."""

    game: Game
    worlds: Sequence[World]
    """[K] last world state of each history."""
    weight: FloatArray
    """[K] chance reach of each history. In a sample, the weights are unbiased: sampled histories
    also represent those that were left out."""
    infostate: IntArray
    """[K, N] index of the infostate of each player, in `infostate_indexes`."""
    infostate_indexes: tuple[InfostateIndex, ...]
    """One per player."""
    parent: HistoryBatch | None
    """The batch of the histories one transition shorter; None at the root."""
    origin: IntArray
    """[K] position in the parent of the history one transition shorter."""
    method: str = "enumeration"
    """`enumeration` if the batch is complete, else `samples` or `rejection`."""
    moves: Moves | None = None
    """[K, T, N] the histories as the game listed them, in lexicographic order."""
    inclusion: FloatArray | None = None
    """[K] the chance reach of each sampled history as a fraction of its weight, NaN where it is
    unknown; None for ones."""
    _histories: dict[int, History] = field(default_factory=dict, init=False, repr=False)

    @classmethod
    def root(cls, game: Game) -> HistoryBatch:
        """Return the batch of the initial history."""
        return cls(
            game=game,
            worlds=(checked_initial_world(game),),
            weight=np.ones(1),
            infostate=np.zeros((1, game.num_players), np.int32),
            infostate_indexes=tuple(map(InfostateIndex, range(game.num_players))),
            parent=None,
            origin=np.zeros(1, np.int32),
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
                after = before.extend(self.joint_action(position), self.worlds[position])
                self._histories[position] = after
        return self._histories[position]

    def remember(self, histories: Mapping[int, History]) -> None:
        """Use the given `History` objects at their positions, instead of creating new ones."""
        self._histories.update(histories)

    def choices(self, position: int) -> list[tuple[Action, ...]]:
        """Return each player's legal actions after a history; `(NOOP,)` if it does not act."""
        world, numbers = self.worlds[position], self.infostate[position].tolist()
        pairs = zip(self.infostate_indexes, numbers, strict=True)
        return [index.choices(number, self.game, world) for index, number in pairs]

    def joint_action(self, position: int) -> JointAction:
        """Return the last joint action of a history, which is not the initial one."""
        return last_joint_action(self.infostate_indexes, self.infostate[position])

    @property
    def listed(self) -> Sequence[History]:
        """[K] the histories, which are those of this sequence."""
        return self

    def infostate_at(self, player: Player, number: int) -> Infostate:
        """Return the infostate of a player with a number."""
        return self.infostate_indexes[player].infostate_at(number)

    def number_of(self, infostate: Infostate) -> int:
        """Return the number of an infostate of this depth; -1 if no history has it."""
        return self.infostate_indexes[infostate.player].find(infostate.steps)

    def positions_at(self, infostate: Infostate) -> LongArray:
        """Return [R] the positions of the histories of an infostate of this depth."""
        return np.flatnonzero(self.infostate[:, infostate.player] == self.number_of(infostate))

    def within(self, infostate: Infostate) -> tuple[HistoryBatch, LongArray]:
        """Return the histories of an infostate, and [R] their positions here."""
        positions = self.positions_at(infostate)
        return self.select(positions), positions

    def rewards_at(self, positions: LongArray) -> FloatArray:
        """Return [R, N] the sum of the rewards of each player at some of the histories."""
        before = self.parent
        if before is None:
            return np.zeros((len(positions), self.infostate.shape[1]))
        rewards = [
            checked_rewards(
                self.game, before.worlds[origin], self.joint_action(place), self.worlds[place]
            )
            for place, origin in zip(
                positions.tolist(), self.origin[positions].tolist(), strict=True
            )
        ]
        # Histories share beginnings, so that the rewards of each beginning are summed once.
        origins, above = np.unique(self.origin[positions], return_inverse=True)
        last = np.array(rewards, np.float64).reshape(len(positions), -1)
        found: FloatArray = before.rewards_at(origins.astype(np.int64))[above] + last
        return found

    @cached_property
    def rewards_so_far(self) -> FloatArray:
        """[K, N] sum of the rewards of each player."""
        return self.rewards_at(np.arange(len(self)))

    @property
    def depth(self) -> int:
        """Number of transitions of each history."""
        return 0 if self.parent is None else self.parent.depth + 1

    def as_samples(self) -> HistoryBatch:
        """Return a copy of the batch that is marked as a sample."""
        return replace(self, method="samples") if self.method == "enumeration" else self

    def extend(self, found: Iterable[Successor]) -> HistoryBatch:
        """Return the batch of histories after some transitions from this batch."""
        indexes = tuple(InfostateIndex(index.player, index) for index in self.infostate_indexes)
        before = self.infostate.tolist()
        origin, probability, numbers = [], [], []
        worlds = []
        for position, joint_action, next_world, chance, seen in found:
            origin.append(position)
            probability.append(chance)
            worlds.append(next_world)
            for index, above, action in zip(indexes, before[position], joint_action, strict=True):
                own = seen.seen_by(index.player)
                numbers.append(index.number((above, action, own, seen.public)))
        return replace(
            self,
            worlds=worlds,
            weight=self.weight[origin] * probability,
            infostate=np.array(numbers, np.int32).reshape(-1, len(indexes)),
            infostate_indexes=indexes,
            parent=self,
            origin=np.array(origin, np.int32),
            moves=None,
            inclusion=None if self.inclusion is None else self.inclusion[origin],
        )

    def select(self, positions: LongArray) -> HistoryBatch:
        """Return the batch of some of the histories."""
        return replace(
            self,
            worlds=[self.worlds[place] for place in positions.tolist()],
            weight=self.weight[positions],
            infostate=self.infostate[positions],
            origin=self.origin[positions],
            moves=None,
            inclusion=None if self.inclusion is None else self.inclusion[positions],
        )
