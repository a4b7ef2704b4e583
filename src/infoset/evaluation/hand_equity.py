"""Equity: the probability of each hand to win at the showdown, if all betting stopped."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from infoset.errors import UnsupportedGameError
from infoset.forms import (
    Equities,
    Fold,
    Operator,
    PublicForm,
    PublicTerminals,
    Showdown,
    chance_reach_of_nodes,
    check_node,
    check_public_form,
    checked_ranges,
    class_means,
    unblocked_reach,
    values_at_terminals,
)
from infoset.typing import BoolArray, FloatArray, IntArray, LongArray, Player

DIGITS = 10
"""Digits to which the chance reach of showdowns after different betting is compared."""

OUTCOMES = ((0.0, 1.0), (0.5, 0.5), (1.0, 0.0))
"""What both players get for a weaker, an equal and a stronger hand of player 0."""

WHOLE_OUTCOMES = OUTCOMES[::2]
"""The shares of both players if player 0 loses or wins the pot; given equities weight them."""


_FINDERS: WeakKeyDictionary[PublicForm, _ShowdownFinder] = WeakKeyDictionary()


class _Showdown(NamedTuple):
    """What one outcome of the remaining public chance moves leads to.

    Showdowns are equal if they have the same number of strengths, hands and chance reach.
    """

    strengths: int
    hand_set: int
    chance_reach: float
    terminal: int

    @property
    def key(self) -> tuple[int, int, float]:
        """What equal showdowns have in common."""
        return self.strengths, self.hand_set, self.chance_reach


def equity_at(
    form: PublicForm, node: int, ranges: tuple[FloatArray, FloatArray]
) -> tuple[FloatArray, FloatArray]:
    """Return per player [hands] the equity of each hand at a public node.

    The equity is the probability to win plus half of that to tie against the opponent's range, if
    all betting stopped: if the remaining public cards were dealt, and the hands compared. It is a
    mean over these cards and over the opponent's hands, weighted by the range, the prior, and the
    probability of the cards given both hands:

        E(h) = Σ_h' p(h') Σ_c P(c | h, h') [h beats h' + ½ (h equals h')] / Σ_h' p(h')

    where p(h') is the weight of h' in the prior times its range, or 0 if it shares a card with h.

    It is defined where all showdowns after the node compare the same strengths for the same cards,
    or have the same equities, whatever the betting is, as in poker. Folds do not count.

    Parameters
    ----------
    ranges
        Per player, [hands] the reach of each hand at the node, which need not sum to 1. Removed
        hands count as 0.

    Returns
    -------
    tuple[FloatArray, FloatArray]
        Per player, [hands] from 0 to 1; NaN where no hand of the opponent's range can be met.

    Raises
    ------
    UnsupportedGameError
        If no showdown follows the node, or showdowns compare different strengths, as the challenges
        of liar's dice do.

    Examples
    --------
    In Leduc poker a king ties with the other king, and wins 3 of 4 times against other cards:

    >>> from infoset.games import load_game
    >>> from infoset.tree import build_public_form
    >>> form = build_public_form(load_game("leduc_poker"))
    >>> first, second = equity_at(form, 0, (np.ones(6), np.ones(6)))
    >>> dict(zip(form.hands[0], first.round(3).tolist()))["Ks"]
    0.7
    """
    check_public_form(form)
    check_node(form, node)
    reach = checked_ranges(form, node, ranges)
    ends = _showdowns_after(form, node)
    chance, found = chance_reach_of_nodes(form)[node], list[FloatArray]()
    for player in range(2):
        other = 1 - player
        # The other player's only sequences are its forced moves: its plan is its range.
        plan = np.append(1.0, reach[other])
        won = values_at_terminals(_showdown_form(form, ends, other), player, plan).sum(axis=0)
        won = class_means(form, player, np.array([node]), won[None])[0]
        met = unblocked_reach(form.prior, player, reach[other])
        met[~form.possible_hands(node, player)] = 0.0
        # Terminals hold the chance reach from the root, of which `chance` comes before the node.
        equity = np.divide(won, met * chance, out=np.full(len(met), np.nan), where=met > 0)
        found.append(np.clip(equity, 0.0, 1.0))
    return found[0], found[1]


def _showdowns_after(form: PublicForm, node: int) -> tuple[_Showdown, ...]:
    """Return the showdowns after a node, one for each outcome of chance; see `equity_at`."""
    if form not in _FINDERS:
        _FINDERS[form] = _ShowdownFinder(form)
    found = _FINDERS[form].after(node)
    line = form.label(node)
    if found is None:
        raise UnsupportedGameError(
            f"{form.name} has no equity at {line!r}: no showdown of strengths follows, because "
            "every end is a fold; give a node from which hands can be compared"
        )
    if found == UNDEFINED:
        raise UnsupportedGameError(
            f"{form.name} has no equity at {line!r}: the strengths that are compared depend on the "
            "actions. Equity is defined where all showdowns compare the same strengths, as in "
            "poker; use PublicValues.values instead"
        )
    return found


class _ShowdownFinder:
    """Finds the showdowns after each node of a form, each once.

    The answer for a node is None if only folds follow, or `UNDEFINED` if showdowns differ.
    """

    def __init__(self, form: PublicForm) -> None:
        self._ends = form.terminals
        self._strengths = _canonical_strengths(form.operators, form.hand_sets)
        self._is_fold = [isinstance(operator, Fold) for operator in form.operators]
        self._children = _by_action(form.parent[1:], form.action[1:], np.arange(1, form.num_nodes))
        self._ended = _by_action(self._ends.node, self._ends.action, np.arange(len(self._ends)))
        self._known: dict[int, tuple[_Showdown, ...] | None] = {}

    def after(self, node: int) -> tuple[_Showdown, ...] | None:
        """Return the showdowns after a node, by strengths and hands."""
        if node not in self._known:
            self._known[node] = self._find(node)
        return self._known[node]

    def _find(self, node: int) -> tuple[_Showdown, ...] | None:
        children, ended = self._children.get(node, {}), self._ended.get(node, {})
        found: tuple[_Showdown, ...] | None = None
        for action in children.keys() | ended.keys():
            after = self._after_action(children.get(action, []), ended.get(action, []))
            if after is None:
                continue
            is_other = found is not None and [a.key for a in after] != [b.key for b in found]
            if after == UNDEFINED or is_other:
                return UNDEFINED
            found = after
        return found

    def _after_action(self, nodes: list[int], terminals: list[int]) -> tuple[_Showdown, ...] | None:
        """Return the showdowns after an action, or after chance: those of all outcomes together."""
        parts = [self._at_end(terminal) for terminal in terminals]
        for node in nodes:
            parts.append(self.after(node))
            if parts[-1] == UNDEFINED:
                return UNDEFINED
        if all(part is None for part in parts):
            return None
        if any(part is None or part == UNDEFINED for part in parts):
            return UNDEFINED
        return tuple(sorted(showdown for part in parts for showdown in part or ()))

    def _at_end(self, terminal: int) -> tuple[_Showdown, ...] | None:
        operator = int(self._ends.operator[terminal])
        if self._is_fold[operator]:
            return None
        hand_set = int(self._ends.hand_set[terminal])
        strengths = self._strengths(operator, hand_set)
        if strengths < 0:
            return UNDEFINED
        # Products of the same factors in another order differ in their last digits.
        reach = float(f"{self._ends.chance_reach[terminal]:.{DIGITS}g}")
        return (_Showdown(strengths, hand_set, reach, terminal),)


UNDEFINED: tuple[_Showdown, ...] = ()
"""Showdowns that differ."""


def _by_action(
    node: IntArray, action: IntArray, numbers: LongArray
) -> dict[int, dict[int, list[int]]]:
    """Return numbers by node and by action."""
    found: dict[int, dict[int, list[int]]] = {}
    for at, taken, number in zip(node.tolist(), action.tolist(), numbers.tolist(), strict=True):
        found.setdefault(at, {}).setdefault(taken, []).append(number)
    return found


def _canonical_strengths(
    operators: tuple[Operator, ...], hand_sets: tuple[BoolArray, BoolArray]
) -> Callable[[int, int], int]:
    """Return a function of operator and set of hands that numbers the orders of strength.

    Operators that order the remaining hands in the same way have the same number; operators that
    are not showdowns have -1.
    """
    known: dict[bytes, int] = {}

    @cache
    def number(operator: int, hand_set: int) -> int:
        own = operators[operator]
        if isinstance(own, Equities):
            return known.setdefault(own.weights[1].tobytes(), len(known))
        if not isinstance(own, Showdown):
            return -1
        alive = [sets[hand_set] for sets in hand_sets]
        # Only ranks among the hands that are left count, whatever the strengths are.
        left = [s[a] for s, a in zip(own.strengths, alive, strict=True)]
        rank = np.unique(np.concatenate(left), return_inverse=True)[1]
        return known.setdefault(rank.astype(np.int32).tobytes(), len(known))

    return number


def _showdown_form(form: PublicForm, ends: tuple[_Showdown, ...], other: Player) -> PublicForm:
    """Return a form in which `other` has one forced move, and the showdowns follow."""
    terminal = np.array([end.terminal for end in ends])
    operators = [form.operators[number] for number in form.terminals.operator[terminal]]
    paid = [WHOLE_OUTCOMES if isinstance(own, Equities) else OUTCOMES for own in operators]
    first = np.full(1, -1, np.int32)
    zeros = np.zeros(1, np.int32)
    return replace(
        form,
        player=np.full(1, other, np.int32),
        parent=first,
        action=first.copy(),
        observation=first.copy(),
        action_set=zeros,
        action_sets=((None,),),
        hand_set=zeros.copy(),
        terminals=PublicTerminals(
            node=np.zeros(len(ends), np.int32),
            action=np.zeros(len(ends), np.int32),
            chance_reach=form.terminals.chance_reach[terminal],
            hand_set=form.terminals.hand_set[terminal],
            operator=form.terminals.operator[terminal],
            payoff_set=np.arange(len(ends), dtype=np.int32),
            first_payoff=np.cumsum([0, *map(len, paid)]),
            payoff=np.concatenate(paid),
        ),
        symmetry=None,
        tree_infostates=None,
    )
