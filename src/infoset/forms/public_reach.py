"""Reach in a public form: of chance at public nodes, and of the opponent's unblocked hands."""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from infoset.errors import UnsupportedGameError
from infoset.forms.public_form import PublicForm
from infoset.forms.public_operators import Dense, HandPrior
from infoset.typing import FloatArray, LongArray, Player

CANCELED = 1e-13
"""Sums over unblocked hands below this fraction of the sum over all hands are rounding errors."""

_CHANCE_REACH: WeakKeyDictionary[PublicForm, FloatArray] = WeakKeyDictionary()


def unblocked_reach(prior: HandPrior, player: Player, reach: FloatArray) -> FloatArray:
    """Return, for each hand of a player, the sum of the opponent's reach over hands it can meet.

        found[..., h] = sum over hands h' that share no card with h of weight(h') · reach[..., h']

    The weight is the opponent's in the prior, or a row of `prior.joint`. It is found by
    inclusion-exclusion over cards, in time linear in the number of hands.

    Parameters
    ----------
    player
        Whose hands the result has.
    reach
        [..., opponent's hands] nonnegative.

    Returns
    -------
    FloatArray
        [..., hands] exactly 0 where the hands that are not blocked have no reach.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.tree import build_public_form
    >>> prior = build_public_form(load_game("leduc_poker")).prior
    >>> unblocked_reach(prior, 0, np.ones(6)).round(9).tolist()[:2]
    [0.166666667, 0.166666667]
    """
    if prior.joint is not None:
        matrix = prior.joint if player == 1 else prior.joint.T
        joined: FloatArray = reach @ matrix
        return joined
    weighted = reach * prior.weights[1 - player]
    total = weighted.sum(axis=-1, keepdims=True)
    own = prior.cards[player]
    if not own.shape[1]:
        return np.broadcast_to(total, (*reach.shape[:-1], len(own))).copy()
    known = _BLOCKING.setdefault(prior, {})
    if player not in known:
        known[player] = _Blocking(_holdings(prior, 1 - player), *_twins(prior, player))
    blocking = known[player]
    of_card = weighted @ blocking.holds
    # A missing card, -1, refers to the last sum, which is zero.
    free = total - sum(of_card[..., own[:, place]] for place in range(own.shape[1]))
    free[..., blocking.paired] += weighted[..., blocking.twin]
    return np.where(free > CANCELED * total, free, 0.0)


class _Blocking(NamedTuple):
    """How the opponent's hands block those of a player.

    holds [opponent's hands, cards + 1] whether a hand has a card, with a last column of zeros;
    paired [P] the hands of two cards that the opponent may have, too, and twin [P] their places.
    """

    holds: FloatArray
    paired: LongArray
    twin: LongArray


_BLOCKING: WeakKeyDictionary[HandPrior, dict[Player, _Blocking]] = WeakKeyDictionary()


def _holdings(prior: HandPrior, player: Player) -> FloatArray:
    """Return [hands, cards + 1] 1 where a hand has a card; the last column is 0."""
    cards = prior.cards[player]
    num_cards = 1 + max(int(own.max(initial=-1)) for own in prior.cards)
    holds = np.zeros((len(cards), num_cards + 1))
    for place in range(cards.shape[1]):
        held = cards[:, place] >= 0
        holds[np.flatnonzero(held), cards[held, place]] = 1.0
    return holds


def _twins(prior: HandPrior, player: Player) -> tuple[LongArray, LongArray]:
    """Return the hands whose two cards the opponent may have, too, and the places of these."""
    own, other = (np.sort(prior.cards[p], axis=1).tolist() for p in (player, 1 - player))
    known = {tuple(hand): place for place, hand in enumerate(other)}
    # A hand with fewer than two cards was subtracted once, and is not added again.
    pairs = [
        (place, known[tuple(hand)])
        for place, hand in enumerate(own)
        if len(hand) == 2 and min(hand) >= 0 and tuple(hand) in known
    ]
    paired, twin = np.array(pairs, np.int64).reshape(len(pairs), 2).T
    return paired, twin


def chance_reach_of_nodes(form: PublicForm) -> FloatArray:
    """Return [V] the product of the public factors of chance before each public node.

    It follows from those of the terminals, because the probabilities of what may happen next sum to
    1. The probability of a pair of hands at a node is this factor times the prior, times the
    players' own probabilities. In a form with symmetry, it is that of all lines that the node
    represents.

    Raises
    ------
    UnsupportedGameError
        If the probability of a public chance move depends on the hands in any way other than that
        cards cannot be dealt twice.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.tree import build_public_form
    >>> form = build_public_form(load_game("leduc_poker"))
    >>> sorted(set(chance_reach_of_nodes(form).round(9).tolist()))
    [0.25, 1.0]
    """
    if form not in _CHANCE_REACH:
        found = _chance_reach(form)
        found.flags.writeable = False
        _CHANCE_REACH[form] = found
    return _CHANCE_REACH[form]


def _chance_reach(form: PublicForm) -> FloatArray:
    """Return [V] as above: from the last nodes to the first, by any action whose ends are known."""
    ends = form.terminals
    # node -> action -> (chance reach, set of hands) of what follows; NaN if unknown
    after: dict[int, dict[int, list[tuple[float, int]]]] = defaultdict(lambda: defaultdict(list))
    known = np.array([not isinstance(own, Dense) for own in form.operators])[ends.operator]
    reaches = np.where(known, ends.chance_reach, np.nan)
    rows = (ends.node, ends.action, reaches, ends.hand_set)
    for node, action, reach, hand_set in zip(*(row.tolist() for row in rows), strict=True):
        after[node][action].append((reach, hand_set))
    # How probable it is that chance has removed neither of two hands, by set of hands.
    dealt = np.array([_probability(form, number) for number in range(len(form.hand_sets[0]))])
    found = np.full(form.num_nodes, np.nan)
    for node in range(form.num_nodes - 1, -1, -1):
        here = dealt[form.hand_set[node]]
        for followed in after.pop(node, {}).values():
            total = sum(reach * dealt[hand_set] for reach, hand_set in followed)
            if not np.isnan(total):
                found[node] = total / here if here > 0 else 0.0
                break
        if node:
            parent, action = int(form.parent[node]), int(form.action[node])
            after[parent][action].append((float(found[node]), int(form.hand_set[node])))
    if np.isnan(found).any():
        node = int(np.flatnonzero(np.isnan(found))[0])
        raise UnsupportedGameError(
            f"in {form.name}, the probability of public chance moves at or after "
            f"{form.label(node)!r} depends on the hands, so that the reach of public "
            "nodes is not a product: values by hand need the tree of the game, see "
            "infoset.views.TreePlaces"
        )
    return found


def _probability(form: PublicForm, hand_set: int) -> float:
    """Return the probability that chance has removed neither of the two hands."""
    first, second = (own[hand_set].astype(np.float64) for own in form.hand_sets)
    dealt = 1.0 if form.prior.joint is not None else form.prior.weights[0]
    return float((dealt * first * unblocked_reach(form.prior, 0, second)).sum())
