"""Batches of histories that a game lists as arrays of moves; world states are created on access."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from sys import maxsize
from typing import Any, Final, overload

import numpy as np

from infoset.beliefs.enumerated_outcomes import EnumeratedOutcomes
from infoset.beliefs.history_batches import HistoryBatch, InfostateIndex, last_joint_action
from infoset.errors import GameRuleError, show
from infoset.game import Game
from infoset.game.broken_rules import rules_at
from infoset.game.hooks import Moves
from infoset.typing import NOOP, Action, FloatArray, IntArray, JointAction, Player, World
from infoset.utils.sorting import number_by_appearance

RULE: Final = (
    "histories_as_seen lists the histories that agree with the information, in a game in which "
    "only actions are hidden"
)

ONLY_NOOP: Final = (NOOP,)
"""In place of the legal actions of a player who does not act."""

ALL_OUTCOMES: Final = EnumeratedOutcomes(maxsize)

UNKNOWN: Final = object()
"""In place of a world state that has not been created yet."""


def listed_batch(
    start: HistoryBatch, moves: Moves, public: Sequence[Hashable], weight: FloatArray | None = None
) -> HistoryBatch:
    """Return the batch of listed histories, in lexicographic order, which is that of the filter.

    Parameters
    ----------
    start
        The batch of the initial history, or another listed batch that contains the beginning of
        each history, so that their world states are not created again.
    moves
        [K, T, N] the histories, at least one, as `Game.histories_as_seen` lists them.
    public
        [T] public observations.
    weight
        [K] weights of drawn histories, of which equal ones are merged; None for a complete list.

    Raises
    ------
    GameRuleError
        If a complete list contains a history twice, the beginning of a history is not in `start`, a
        position is not that of a legal action, or a history that was replayed does not agree with
        the observations.
    """
    order = np.lexsort(moves.reshape(len(moves), -1).T[::-1])
    moves = moves[order].astype(np.int32)
    differs = (moves[1:] != moves[:-1]).any(axis=2)
    # [T, K] whether a row is the first with its moves up to each transition
    is_first = np.ones((len(public), len(moves)), bool)
    is_first[:, 1:] = np.logical_or.accumulate(differs, axis=1).T
    if weight is None and not is_first[-1].all():
        twice = int(np.argmin(is_first[-1]))
        raise GameRuleError(RULE, found=f"it lists the history {show(moves[twice].tolist())} twice")
    batch, position = start, _positions(start, moves)
    for depth in range(start.depth, len(public)):
        first = is_first[depth]
        batch = _further(batch, moves[first, depth], position[first], public[depth])
        position = np.cumsum(first, dtype=np.int32) - 1
    if weight is not None:
        total = np.bincount(position, weights=weight[order])
        weight = batch.weight * total
        return replace(batch, weight=weight, method="samples", inclusion=1 / total)
    return replace(batch, moves=moves)


def _positions(start: HistoryBatch, moves: Moves) -> IntArray:
    """Return [K] the position in a listed batch of the beginning of each history."""
    if start.moves is None or not start.depth:
        return np.zeros(len(moves), np.int32)
    place = {row.tobytes(): position for position, row in enumerate(start.moves)}
    found = [place.get(row.tobytes(), -1) for row in moves[:, : start.depth]]
    if min(found) < 0:
        row = moves[found.index(-1), : start.depth].tolist()
        raise GameRuleError(RULE, found=f"it listed the beginning {show(row)} only later")
    return np.array(found, np.int32)


def _further(
    batch: HistoryBatch, chosen: Moves, origin: IntArray, public: Hashable
) -> HistoryBatch:
    """Return the batch of histories one transition longer.

    chosen [K, N] positions of actions, origin [K] positions in `batch`.
    """
    indexes = tuple(InfostateIndex(index.player, index) for index in batch.infostate_indexes)
    infostate = np.empty(chosen.shape, np.int32)
    for index, column in zip(indexes, chosen.T, strict=True):
        infostate[:, index.player] = _add_infostates(index, batch, column, origin, public)
    worlds = ReplayedWorlds(batch, origin, infostate, indexes, public)
    # All histories of a public state have the same chance reach.
    _, probability = worlds.last_transition(0)
    return HistoryBatch(
        game=batch.game,
        worlds=worlds,
        weight=batch.weight[origin] * probability,
        infostate=infostate,
        infostate_indexes=indexes,
        parent=batch,
        origin=origin,
    )


def _add_infostates(
    index: InfostateIndex, batch: HistoryBatch, chosen: Moves, origin: IntArray, public: Hashable
) -> IntArray:
    """Add the infostates after a transition, and return [K] the number of each history's.

    chosen [K] positions of the player's actions, origin [K] positions in `batch`.
    """
    above = batch.infostate[origin, index.player]
    width = int(chosen.max()) + 2
    codes = above.astype(np.int64) * width + chosen + 1
    numbers = number_by_appearance(codes)
    values = np.empty(int(numbers.max()) + 1, np.int64)
    values[numbers] = codes
    # If the player acts nowhere, one infostate is compared with the rules, to save time.
    legal = _legal_actions(batch, index.player, origin if width > 1 else origin[:1])
    for code in values.tolist():
        before, position = divmod(code, width)
        action = _action(legal.get(before, ONLY_NOOP), position - 1, index, before)
        index.number((before, action, None, public))
    return numbers


def _legal_actions(
    batch: HistoryBatch, player: Player, positions: IntArray
) -> dict[int, tuple[Action, ...]]:
    """Return the legal actions at the player's infostates at some positions of a batch."""
    index = batch.infostate_indexes[player]
    known, first = np.unique(batch.infostate[positions, player], return_index=True)
    return {
        number: index.choices(number, batch.game, batch.worlds[position])
        for number, position in zip(known.tolist(), positions[first].tolist(), strict=True)
    }


def _action(legal: tuple[Action, ...], position: int, index: InfostateIndex, before: int) -> Action:
    """Return the legal action at a position; `NOOP`, at position -1, if the player does not act."""
    acts = legal != ONLY_NOOP
    if not acts and position == -1:
        return NOOP
    if acts and 0 <= position < len(legal):
        return legal[position]
    assert index.previous is not None
    known = index.previous.value(before)
    raise GameRuleError(
        RULE,
        found=f"it lists the action at position {position} at the infostate {str(known)!r}, where "
        f"the legal actions are {show(list(legal) if acts else [])}; -1 is for not acting",
        player=index.player,
    )


class ReplayedWorlds(Sequence[World]):
    """The last world states of histories, each replayed by the rules when it is first read.

    Parameters
    ----------
    before
        The histories one transition shorter.
    origin
        [K] position in `before` of each history.
    infostate
        [K, N] number of each player's infostate in `indexes`, which determines its last action.
    public
        The last public observation.
    """

    def __init__(
        self,
        before: HistoryBatch,
        origin: IntArray,
        infostate: IntArray,
        indexes: tuple[InfostateIndex, ...],
        public: Hashable,
    ) -> None:
        self._before = before
        self._origin = origin
        self._infostate = infostate
        self._indexes = indexes
        self._public = public
        self._worlds: list[Any] = [UNKNOWN] * len(origin)
        self._transitions: dict[tuple[World, JointAction], tuple[World, float]] = {}

    def __len__(self) -> int:
        return len(self._worlds)

    @overload
    def __getitem__(self, position: int) -> World: ...
    @overload
    def __getitem__(self, position: slice) -> Sequence[World]: ...
    def __getitem__(self, position: int | slice) -> World | Sequence[World]:
        if isinstance(position, slice):
            return [self[at] for at in range(len(self))[position]]
        if self._worlds[position] is UNKNOWN:
            self._worlds[position], _ = self.last_transition(position)
        world: World = self._worlds[position]
        return world

    def last_transition(self, position: int) -> tuple[World, float]:
        """Return the last world state of a history, and the probability of its last transition."""
        world = self._before.worlds[int(self._origin[position])]
        joint_action = last_joint_action(self._indexes, self._infostate[position])
        key = world, joint_action
        if key not in self._transitions:
            game = self._before.game
            self._transitions[key] = _replay(game, world, joint_action, self._public)
        return self._transitions[key]


def _replay(
    game: Game, world: World, joint_action: JointAction, public: Hashable
) -> tuple[World, float]:
    """Return the next world that agrees with the public observation, and its probability."""
    found = []
    for next_world, probability in ALL_OUTCOMES(game, world, joint_action):
        with rules_at(game, world):
            seen = game.observe(world, joint_action, next_world)
            agrees = seen.public == public
            is_private = any(part is not None for part in seen.seen_by_each(game.num_players))
        if is_private:
            problem = "players have private observations"
            raise _disagreement(problem, world, joint_action, public)
        if agrees:
            found.append((next_world, probability))
    if len(found) != 1:
        problem = f"{len(found) or 'no'} next world states agree"
        raise _disagreement(problem, world, joint_action, public)
    return found[0]


def _disagreement(
    problem: str, world: World, joint_action: JointAction, public: Hashable
) -> GameRuleError:
    return GameRuleError(
        RULE,
        found=f"in a listed history, joint action {show(joint_action)} is followed by the public "
        f"observation {show(public)}, but {problem}",
        world=world,
    )
