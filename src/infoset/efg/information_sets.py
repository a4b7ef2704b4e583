"""Checks of information sets and public sets, which return two histories for each violation."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from infoset.efg._history_kernels import find_thick_set
from infoset.efg.histories import HistoryTree
from infoset.errors import UnsupportedGameError
from infoset.tree.game_tree import GameTree
from infoset.typing import FloatArray, IntArray, LongArray, Player

REWARD_TOLERANCE = 1e-9

ABSENT_MINDED: Final = "is absent-minded"
FORGETS_MOVE: Final = "forgets its own move"
FORGETS_KNOWLEDGE: Final = "forgets what it knew"
RECALL_KINDS: Final = (ABSENT_MINDED, FORGETS_MOVE, FORGETS_KNOWLEDGE)
"""The kinds of imperfect recall: a path visits an information set twice; different moves of the
player at the same earlier sets lead to one set; or paths through different earlier sets do."""


@dataclass(frozen=True)
class Violation:
    """A property that an extensive form violates, with the histories that show it."""

    rule: str
    """The property, as a sentence."""
    histories: tuple[int, ...]
    """The histories that together violate the property."""
    found: str
    """How the histories violate the property."""
    player: Player | None = None
    """The player whose information violates the property; None for public information."""
    kind: str = ""
    """The kind of imperfect recall, such as "forgets its own move"; empty for other properties."""

    def __str__(self) -> str:
        return f"{self.found} (rule: {self.rule})"


def check_property(
    form: HistoryTree, find: Callable[[HistoryTree], Violation | None], problem: str
) -> None:
    """Raise `UnsupportedGameError` if a form violates a property, and so has the `problem`."""
    violation = find(form)
    if violation is not None:
        raise UnsupportedGameError(f"{form.name} {problem}: {violation}")


def find_action_mismatch(form: HistoryTree) -> Violation | None:
    """Find an information set whose histories differ in the acting player or the legal actions.

    Two lists of actions agree if they have the same labels in the same order.
    """
    for player in range(form.num_players):
        acting = form.actor == player
        kind = np.where(acting, 1 + _action_set(form), 0)
        pair = _first_difference(form.infoset[:, player], kind)
        if pair is not None:
            return Violation(
                rule="a player acts at all histories of an information set, with the same actions "
                "in the same order, or at none of them",
                histories=pair,
                found=f"{_where(form, player, pair)}, but the actions are "
                + " and ".join(_action_text(form, player, history) for history in pair),
                player=player,
            )
    return None


def find_recall_violation(form: HistoryTree) -> Violation | None:
    """Find two histories of an information set with different own pasts of the player.

    Perfect recall: all histories of an information set share the player's sequence of information
    sets and own actions. In a classical form only information sets where the player acts count.
    """
    for player in range(form.num_players):
        pair = _first_difference(*_sets_and_ways(form, player))
        if pair is not None:
            kinds = _kinds_of_imperfect_recall(form, player, pair)
            kind = next((kind for kind in RECALL_KINDS if kind in kinds), FORGETS_KNOWLEDGE)
            return _recall_violation(form, player, pair, kind)
    return None


def find_recall_violations(form: HistoryTree) -> tuple[Violation, ...]:
    """Find two histories for each player and each kind of imperfect recall of this player.

    Examples
    --------
    >>> from infoset.efg import decision, extensive_form_from_nodes, terminal
    >>> again = [
    ...     (move, decision(0, "again", {"x": terminal(1), "y": terminal(0)}))
    ...     for move in "ab"
    ... ]
    >>> form = extensive_form_from_nodes(decision(0, "first", again), players=1)
    >>> [violation.kind for violation in find_recall_violations(form)]
    ['forgets its own move']
    """
    found: list[Violation] = []
    for player in range(form.num_players):
        sets, ways = _sets_and_ways(form, player)
        pairs: dict[str, tuple[int, int]] = {}
        for wrong in np.unique(sets[_differing(sets, ways)]).tolist():
            members = np.flatnonzero(sets == wrong).tolist()
            pairs = _kinds_of_imperfect_recall(form, player, members) | pairs
        found += [
            _recall_violation(form, player, pairs[kind], kind)
            for kind in RECALL_KINDS
            if kind in pairs
        ]
    return tuple(found)


def _sets_and_ways(form: HistoryTree, player: Player) -> tuple[IntArray, IntArray | LongArray]:
    """Return [H] the sets of a player, and a code of its last step toward each history.

    With perfect recall, the code is the same throughout a set.
    """
    if form.is_augmented:
        return form.infoset[:, player], _previous_step(form, player)
    return form.acting_infoset[:, player], form.last_own_sequence(player)


def _kinds_of_imperfect_recall(
    form: HistoryTree, player: Player, histories: Sequence[int]
) -> dict[str, tuple[int, int]]:
    """Return two histories for each kind of imperfect recall at one information set.

    Earlier moves at the same set count as absent-mindedness only.
    """
    here = int(form.infoset[histories[0], player])
    found: dict[str, tuple[int, int]] = {}
    by_knowledge: dict[tuple[int, ...], tuple[int, tuple[int, ...]]] = {}
    for history in histories:
        knew: list[int] = []
        did: list[int] = []
        for before, move in _own_record(form, player, history):
            if move >= 0 and form.infoset[before, player] == here:
                found.setdefault(ABSENT_MINDED, (before, history))
                continue
            knew.append(int(form.infoset[before, player]))
            did.append(move)
        first, did_first = by_knowledge.setdefault(tuple(knew), (history, tuple(did)))
        if tuple(did) != did_first:
            found.setdefault(FORGETS_MOVE, (first, history))
    if len(by_knowledge) > 1:
        one, other, *_ = (history for history, _ in by_knowledge.values())
        found[FORGETS_KNOWLEDGE] = one, other
    return found


def _own_record(form: HistoryTree, player: Player, history: int) -> list[tuple[int, int]]:
    """Return the earlier histories that a player remembers, and its move there; -1 for waiting."""
    record: list[tuple[int, int]] = []
    while history:
        before = int(form.parent[history])
        acted = form.actor[before] == player
        if acted or form.is_augmented:
            record.append((before, int(form.position[history]) if acted else -1))
        history = before
    return record[::-1]


def _recall_violation(
    form: HistoryTree, player: Player, pair: tuple[int, int], kind: str
) -> Violation:
    text = previous_step_text if form.is_augmented else own_record_text
    first, second = (text(form, player, history) for history in pair)
    return Violation(
        rule="perfect recall: all histories of an information set share the player's past "
        "information sets and actions",
        histories=pair,
        found=f"player {player} {kind}: it {_apart(form, player, pair)}, but it reached the first "
        f"{first} and the second {second}",
        player=player,
        kind=kind,
    )


def find_absent_mindedness(form: HistoryTree) -> Violation | None:
    """Find an information set at which the player acts twice along one path."""
    return _find_thick(
        form,
        form.acting_infoset,
        "no absent-mindedness: a path visits an information set of the acting player at most once",
    )


def find_thick_infoset(form: HistoryTree) -> Violation | None:
    """Find an information set that contains a history and a strict extension of it."""
    return _find_thick(
        form,
        form.infoset,
        "no thick information sets: a path visits each set at most once",
    )


def find_thick_public_set(form: HistoryTree) -> Violation | None:
    """Find a public set that contains a history and a strict extension of it."""
    if form.public_set is None:
        return None
    first, second = find_thick_set(form.first_child, form.public_set)
    if first < 0:
        return None
    name = form.public_names[form.public_set[first]] or form.public_set[first]
    return Violation(
        rule="no thick public sets: a path visits each set at most once",
        histories=(int(first), int(second)),
        found=f"public set {str(name)!r} contains {form.history_label(first)!r} and its extension "
        f"{form.history_label(second)!r}",
    )


def find_public_mismatch(form: HistoryTree) -> Violation | None:
    """Find an information set that intersects two public sets."""
    if form.public_set is None:
        return None
    for player in range(form.num_players):
        pair = _first_difference(form.infoset[:, player], form.public_set)
        if pair is not None:
            names = [str(form.public_names[form.public_set[history]]) for history in pair]
            return Violation(
                rule="all players know the public set: each information set lies within one",
                histories=pair,
                found=f"{_where(form, player, pair)}, but they are in public sets {names[0]!r} "
                f"and {names[1]!r}",
                player=player,
            )
    return None


def find_hidden_reward(form: HistoryTree) -> Violation | None:
    """Find two histories that a player cannot distinguish although its payoffs so far differ.

    If there are none, rewards are observable, as Theorem 4.1 of Kovařík et al. (2022) requires.
    """
    for player in range(form.num_players):
        pair = first_unequal_reward(form.infoset[:, player], form.utility[:, player])
        if pair is not None:
            paid = [float(form.utility[history, player]) for history in pair]
            return Violation(
                rule="observable rewards: a player knows the sum of its payoffs so far",
                histories=pair,
                found=f"{_where(form, player, pair)}, but its payoffs so far are {paid[0]:g} and "
                f"{paid[1]:g}",
                player=player,
            )
    return None


def rewards_are_observable(tree: GameTree) -> bool:
    """Return whether every player's infostate determines its rewards so far.

    This is the assumption of Theorem 4.1 of Kovařík et al. (2022): CFR with future rewards on the
    game and CFR with utilities on its extensive form then agree at every iteration.
    """
    return all(
        first_unequal_reward(tree.infostate[:, player], tree.rewards_so_far[:, player]) is None
        for player in range(tree.num_players)
    )


def first_unequal_reward(sets: IntArray, paid: FloatArray) -> tuple[int, int] | None:
    """Return two histories of one of `sets` [H] whose rewards differ by more than rounding."""
    scale = max(1.0, float(np.abs(paid).max(initial=0.0)))
    return _first_difference(sets, np.rint(paid / (REWARD_TOLERANCE * scale)).astype(np.int64))


def own_record_text(form: HistoryTree, player: Player, history: int) -> str:
    """Return how a player reached a history by its own actions, as text."""
    steps: list[str] = []
    last = form.last_own_move(player)
    while last[history] >= 0:
        steps.append(own_move_text(form, player, int(last[history])))
        history = int(form.parent[last[history]])
    return f"by {', '.join(reversed(steps))}" if steps else "without acting"


def previous_step_text(form: HistoryTree, player: Player, history: int) -> str:
    """Return how a player reached a history from its last information set, as text."""
    before = int(form.parent[history])
    if before < 0:
        return "without a step (it is the root)"
    if form.actor[before] == player:
        return f"by {own_move_text(form, player, history)}"
    return f"by waiting at {form.infoset_name(player, int(form.infoset[before, player]))!r}"


def own_move_text(form: HistoryTree, player: Player, history: int) -> str:
    """Return the player's own move that leads to a history, as text."""
    before = int(form.parent[history])
    name = form.infoset_name(player, int(form.infoset[before, player]))
    return f"{form.moves[form.move[history]]!s} at {name!r}"


def _find_thick(form: HistoryTree, infoset: IntArray, rule: str) -> Violation | None:
    for player in range(form.num_players):
        sets = np.ascontiguousarray(infoset[:, player])
        first, second = find_thick_set(form.first_child, sets)
        if first >= 0:
            name = form.infoset_name(player, int(sets[first]))
            return Violation(
                rule=rule,
                histories=(int(first), int(second)),
                found=f"information set {name!r} of player {player} contains "
                f"{form.history_label(first)!r} and its extension {form.history_label(second)!r}",
                player=player,
            )
    return None


def _first_difference(sets: IntArray, value: IntArray | LongArray) -> tuple[int, int] | None:
    """Return two histories of the same set (`sets` [H]) with different `value` [H].

    Negative sets are ignored. The second history is the first one, in the order of the tree, that
    differs from the first history of its set.
    """
    wrong = _differing(sets, value)
    if not len(wrong):
        return None
    return int(np.flatnonzero(sets == sets[wrong[0]])[0]), int(wrong[0])


def _differing(sets: IntArray, value: IntArray | LongArray) -> LongArray:
    """Return the histories whose `value` [H] is not that of the first history of their set."""
    # Assigned backwards, so that the first history of each set is written last.
    backwards = np.arange(len(sets) - 1, -1, -1)
    first = np.zeros(int(sets.max(initial=-1)) + 2, np.int64)
    first[sets[backwards]] = backwards
    return np.flatnonzero((value != value[first[sets]]) & (sets >= 0))


def _action_set(form: HistoryTree) -> IntArray:
    """Return [H] a number for each different list of moves."""
    numbers: dict[tuple[int, ...], int] = {}
    ends = form.first_child.tolist()
    moves = form.move.tolist()
    lists = (tuple(moves[start:end]) for start, end in itertools.pairwise(ends))
    return np.array([numbers.setdefault(one, len(numbers)) for one in lists], np.int32)


def _previous_step(form: HistoryTree, player: Player) -> LongArray:
    """Return [H] a code of the player's information set before the last move and its action."""
    widest = int(form.num_moves.max(initial=1)) + 1
    acted = form.actor[form.parent] == player
    position = np.where(acted, form.position, -1).astype(np.int64)
    # Positions begin at -1: shifted, each pair of set and position has its own code.
    codes = form.infoset[form.parent, player] * widest + position + 1
    codes[0] = -1
    return np.asarray(codes, np.int64)


def _action_text(form: HistoryTree, player: Player, history: int) -> str:
    if form.actor[history] != player:
        return "none (it does not act)"
    return str([str(action) for action in form.legal_actions(history)])


def _where(form: HistoryTree, player: Player, pair: tuple[int, int]) -> str:
    return f"player {player} {_apart(form, player, pair)}"


def _apart(form: HistoryTree, player: Player, pair: tuple[int, int]) -> str:
    name = form.infoset_name(player, int(form.infoset[pair[0], player]))
    first, second = (form.history_label(history) for history in pair)
    return f"cannot tell {first!r} from {second!r} (information set {name!r})"
