"""Batches of histories that a game gives itself: listed as arrays of moves, or drawn.

Each is replayed by the rules. World states of arrays of moves are created on access.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any, Final, overload

import numpy as np

from infoset.beliefs.history_batches import (
    HistoryBatch,
    InfostateIndex,
    ObservedStep,
    Successor,
    enumerated_outcomes,
    last_joint_action,
)
from infoset.errors import GameRuleError, show
from infoset.game import Game, History
from infoset.game.broken_rules import rules_at
from infoset.game.hooks import Moves
from infoset.typing import NOOP, Action, FloatArray, IntArray, JointAction, World
from infoset.utils.sorting import number_by_appearance

LISTING_RULE: Final = (
    "histories_as_seen lists the histories that agree with the information, in a game in which "
    "only actions are hidden"
)

DRAWING_RULE: Final = "sample_histories_as_seen draws histories that agree with the information"

ONLY_NOOP: Final = (NOOP,)
"""In place of the legal actions of a player who does not act."""

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
    # 1. In lexicographic order, histories with a common beginning are next to each other. (The last
    # key of lexsort is the primary one, so that the columns are reversed.)
    order = np.lexsort(moves.reshape(len(moves), -1).T[::-1])
    moves = moves[order].astype(np.int32)
    # 2. [T, K] whether a row is the first with its moves up to each transition: it is, once it has
    # differed from the row before.
    differs = (moves[1:] != moves[:-1]).any(axis=2)
    is_first = np.ones((len(public), len(moves)), bool)
    is_first[:, 1:] = np.logical_or.accumulate(differs, axis=1).T
    if weight is None and not is_first[-1].all():
        twice = int(np.argmin(is_first[-1]))
        found = f"it lists the history {show(moves[twice].tolist())} twice"
        raise GameRuleError(LISTING_RULE, found=found)
    # 3. One batch for each transition that `start` does not have. `position` [K] is where the
    # beginning of each row stands in it: the number of first rows up to it, less one.
    batch, position = start, _positions(start, moves)
    for depth in range(start.depth, len(public)):
        first = is_first[depth]
        batch = _further(batch, moves[first, depth], position[first], public[depth])
        position = np.cumsum(first, dtype=np.int32) - 1
    if weight is None:
        return replace(batch, moves=moves)
    # The weights of drawn rows estimate 1 for each history, so that chance reach is unbiased.
    total = np.bincount(position, weights=weight[order])
    return replace(batch, weight=batch.weight * total, method="samples", inclusion=1 / total)


def _positions(start: HistoryBatch, moves: Moves) -> IntArray:
    """Return [K] the position in a listed batch of the beginning of each history."""
    if start.moves is None or not start.depth:
        return np.zeros(len(moves), np.int32)
    place = {row.tobytes(): position for position, row in enumerate(start.moves)}
    found = [place.get(row.tobytes(), -1) for row in moves[:, : start.depth]]
    if min(found) < 0:
        row = moves[found.index(-1), : start.depth].tolist()
        raise GameRuleError(LISTING_RULE, found=f"it listed the beginning {show(row)} only later")
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
    # A code stands for a pair: the infostate before, and one more than the action's position.
    width = int(chosen.max()) + 2
    codes = above.astype(np.int64) * width + chosen + 1
    numbers = number_by_appearance(codes)
    values = np.empty(int(numbers.max()) + 1, np.int64)
    values[numbers] = codes
    # If the player acts nowhere, one infostate is compared with the rules, to save time.
    checked = origin if width > 1 else origin[:1]
    known, first = np.unique(batch.infostate[checked, index.player], return_index=True)
    legal = {
        number: batch.infostate_indexes[index.player].choices(
            number, batch.game, batch.worlds[position]
        )
        for number, position in zip(known.tolist(), checked[first].tolist(), strict=True)
    }
    for code in values.tolist():
        before, position = divmod(code, width)
        action = _action(legal.get(before, ONLY_NOOP), position - 1, index, before)
        index.number((before, action, None, public))
    return numbers


def _action(legal: tuple[Action, ...], position: int, index: InfostateIndex, before: int) -> Action:
    """Return the legal action at a position; `NOOP`, at position -1, if the player does not act."""
    acts = legal != ONLY_NOOP
    if not acts and position == -1:
        return NOOP
    if acts and 0 <= position < len(legal):
        return legal[position]
    assert index.previous is not None
    known = index.previous.infostate_at(before)
    raise GameRuleError(
        LISTING_RULE,
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
    found, problem = [], None
    for next_world, probability in enumerated_outcomes(game, world, joint_action):
        with rules_at(game, world):
            seen = game.observe(world, joint_action, next_world)
            agrees = seen.public == public
            is_private = any(part is not None for part in seen.seen_by_each(game.num_players))
        if is_private:
            problem = "players have private observations"
            break
        if agrees:
            found.append((next_world, probability))
    # Only actions are hidden in such a game: the moves and what is public determine the world.
    if len(found) != 1 and problem is None:
        problem = f"{len(found) or 'no'} next world states agree"
    if problem is not None:
        raise GameRuleError(
            LISTING_RULE,
            found=f"in a listed history, joint action {show(joint_action)} is followed by the "
            f"public observation {show(public)}, but {problem}",
            world=world,
        )
    return found[0]


def path_batch(
    root: HistoryBatch,
    histories: Sequence[History],
    weight: FloatArray,
    steps: Sequence[ObservedStep],
) -> HistoryBatch:
    """Return the batch of drawn histories, in the order of their first draws.

    Parameters
    ----------
    root
        The batch of the initial history.
    histories
        [K] the histories, at least one.
    weight
        [K] their weights; those of equal histories are added.
    steps
        [T] the observations.

    Raises
    ------
    GameRuleError
        If a history does not begin in the initial world state, contains an illegal action, or does
        not agree with an observation.
    """
    paths = [history.path() for history in histories]
    for path in paths:
        if path[0].world != root.worlds[0]:
            found = "a drawn history begins in another world state than initial_world()"
            raise GameRuleError(DRAWING_RULE, found=found, world=path[0].world)
    batch, position = root, [0] * len(paths)
    for depth, observed in enumerate(steps, start=1):
        # Histories with a common beginning share its last transition, which is checked once.
        numbers: dict[tuple[int, JointAction, World], int] = {}
        successors: list[Successor] = []
        for place, path in enumerate(paths):
            origin, after = position[place], path[depth]
            key = origin, after.joint_action, after.world
            if key not in numbers:
                successors.append(_checked_successor(batch, origin, after, observed))
            position[place] = numbers.setdefault(key, len(numbers))
        batch = batch.extend(successors)
    total = np.bincount(position, weights=weight).astype(np.float64)
    unknown = np.full(len(total), np.nan)  # what the game divided the chance reach by
    batch = replace(batch, weight=total, method="samples", inclusion=unknown)
    batch.remember(dict(zip(position, histories, strict=True)))
    return batch


def _checked_successor(
    batch: HistoryBatch, origin: int, after: History, observed: ObservedStep
) -> Successor:
    """Return the last transition of a history, if it is legal and agrees with the observation."""
    world, joint_action = batch.worlds[origin], after.joint_action
    legal = zip(joint_action, batch.choices(origin), strict=True)
    problem = None
    if not all(action in actions for action, actions in legal):
        problem = "which is illegal"
    elif observed.player is not None and joint_action[observed.player] != observed.step.action:
        problem = f"but player {observed.player} took the action {show(observed.step.action)}"
    elif not observed.agrees(after.observation):
        who = "the public" if observed.player is None else f"player {observed.player}"
        seen = observed.step._replace(action=NOOP)
        problem = f"but {who} did not observe {show(after.observation)}; it observed {show(seen)}"
    if problem is not None:
        found = f"a drawn history continues with joint action {show(joint_action)}, {problem}"
        raise GameRuleError(DRAWING_RULE, found=found, world=world, player=observed.player)
    return Successor(origin, joint_action, after.world, 1.0, after.observation)
