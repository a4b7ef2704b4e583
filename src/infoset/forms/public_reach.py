"""Reach in a public form: of chance at public nodes, of hands that are not blocked, and ranges."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from infoset.errors import ParameterError, UnsupportedGameError
from infoset.forms.public_form import PublicForm, check_public_form
from infoset.forms.public_operators import Dense, HandPrior
from infoset.forms.sequence_form import UNIT
from infoset.typing import FloatArray, IntArray, LongArray, Player
from infoset.utils.arguments import check_count, check_type

CANCELED = 1e-13
"""Sums over unblocked hands below this fraction of the sum over all hands are rounding errors."""

TOLERANCE = 1e-9
"""Largest difference between ranges of hands that a form merges, as a fraction of the largest."""

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
        # The matrix contains the weights of both hands, and zeros for pairs that block each other.
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
    # A hand with both cards was subtracted once for each of them.
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
    """Return [V] as above: from the last nodes to the first, by any action whose ends are known.

    With p(v) the probability that chance has removed neither hand before the node v, and the sum
    over what may follow one action there,

        reach(v) · p(v) = Σ reach(next) · p(next)
    """
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
    # Parents come before children, so all that follows a node is known when it is reached.
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


def with_ranges(form: PublicForm, ranges: tuple[FloatArray, FloatArray]) -> PublicForm:
    """Return a public form whose hands are dealt with other probabilities.

    A pair of hands has the probability prior(h0, h1) · ranges[0][h0] · ranges[1][h1], divided by
    the sum over all pairs. Blocking stays as it is, and so does everything after the deal. Where
    all hands have the same weight, as in poker, the ranges are the weights of the hands.

    Parameters
    ----------
    ranges
        Per player, [hands] nonnegative. Hands of range 0 are never dealt: a solver learns nothing
        about them, and their policy stays uniform.

    Raises
    ------
    ParameterError
        If a range has the wrong shape or a negative entry, or no pair of hands is left; or if the
        form merges hands of different ranges.

    Examples
    --------
    Kuhn poker against an opponent who never has a queen; player 0 then earns more:

    >>> from infoset.games import load_game
    >>> from infoset.tree import build_tree, derive_public_form
    >>> form = derive_public_form(build_tree(load_game("kuhn_poker")))
    >>> form.hands[1]
    ('J', 'Q', 'K')
    >>> polar = with_ranges(form, (np.ones(3), np.array([1.0, 0.0, 1.0])))
    >>> polar.prior.matrix().round(3).tolist()
    [[0.0, 0.0, 0.25], [0.25, 0.0, 0.25], [0.25, 0.0, 0.0]]
    """
    check_public_form(form)
    # Four roundings: two products, the sum and the division.
    rounding = 4 * UNIT * max(map(abs, form.payoff_range))
    return replace(
        form,
        name=f"ranges({form.name})",
        prior=prior_with_ranges(form, checked_ranges(form, 0, ranges)),
        payoff_rounding=form.payoff_rounding + rounding,
        tree_infostates=None,
    )


def prior_with_ranges(form: PublicForm, reach: tuple[FloatArray, FloatArray]) -> HandPrior:
    """Return the prior times the reach of each hand, divided by its sum.

    Raises
    ------
    ParameterError
        If no pair of hands is left.
    """
    prior = form.prior
    dealt = 1.0 if prior.joint is not None else prior.weights[0]
    total = float((dealt * reach[0] * unblocked_reach(prior, 0, reach[1])).sum())
    if not total > 0:
        raise ParameterError(
            f"the ranges leave no pair of hands of {form.name} that can meet; give positive "
            "entries for hands of both players that share no card"
        )
    if prior.joint is not None:
        return replace(prior, joint=prior.joint * np.multiply.outer(*reach) / total)
    # Only the product of the weights has a meaning, so one of them takes the divisor.
    first, second = (own * reach[p] for p, own in enumerate(prior.weights))
    return replace(prior, weights=(first, second / total))


def checked_ranges(
    form: PublicForm, node: int, ranges: tuple[FloatArray, FloatArray]
) -> tuple[FloatArray, FloatArray]:
    """Return per player [hands] ranges at a node, 0 for removed hands, checked.

    Raises
    ------
    ParameterError
        If there are not two, or one has the wrong shape or an entry that is negative or not finite,
        or distinguishes hands that the form merges.
    """
    check_type("ranges", ranges, (tuple, list), "a pair of arrays [hands], one for each player")
    if len(ranges) != 2:
        raise ParameterError(f"got {len(ranges)} ranges; give one for each of the two players")
    found = []
    for player, given in enumerate(ranges):
        reach = np.asarray(given, np.float64)
        if reach.shape != (form.num_hands[player],):
            raise ParameterError(
                f"the range of player {player} has shape {reach.shape}; give one number for each "
                f"of the {form.num_hands[player]} hands of {form.name}"
            )
        if not (np.isfinite(reach).all() and (reach >= 0).all()):
            raise ParameterError(
                f"the range of player {player} has an entry that is negative or not finite; give "
                "the reach of each hand"
            )
        found.append(np.where(form.possible_hands(node, player), reach, 0.0))
        check_symmetric_range(form, node, player, found[-1])
    return found[0], found[1]


def check_node(form: PublicForm, node: int) -> None:
    """Check that a public form has a node.

    Raises
    ------
    ParameterError
        If it does not.
    """
    check_count("node", node)
    if node >= form.num_nodes:
        raise ParameterError(
            f"node={node}: {form.name} has the public nodes 0 to {form.num_nodes - 1}, see "
            "public_form.label(node)"
        )


def class_means(
    form: PublicForm, player: Player, nodes: LongArray | IntArray, values: FloatArray
) -> FloatArray:
    """Return values by node and hand as means over the hands that are equivalent at each node.

    A form with symmetry contains only one of several equivalent outcomes of chance. Hands that are
    equivalent before this outcome can therefore have different values in the form. In the game, the
    value of each of them is the mean.

    Parameters
    ----------
    nodes
        [k] public nodes.
    values
        [k, hands] values of a player, given its hand.
    """
    if form.symmetry is None:
        return values
    found, rows = values.copy(), form.class_map[nodes]
    for row in np.unique(rows).tolist():
        classes = form.hand_classes[player][row]
        # Sorted by class, the hands of a class are consecutive, and `reduceat` sums them.
        order = np.argsort(classes, kind="stable")
        sizes = np.bincount(classes)
        if len(sizes) == len(classes):  # each hand is a class
            continue
        here = np.flatnonzero(rows == row)
        sums = np.add.reduceat(values[here][:, order], np.cumsum(sizes) - sizes, axis=1)
        found[here] = (sums / sizes)[:, classes]
    return found


def check_symmetric_range(form: PublicForm, node: int, player: Player, reach: FloatArray) -> None:
    """Check that a range [hands] is the same for hands that the form merges at a node.

    Raises
    ------
    ParameterError
        If it differs.
    """
    mean = class_means(form, player, np.array([node]), reach[None])[0]
    wrong = np.flatnonzero(np.abs(mean - reach) > TOLERANCE * reach.max(initial=0.0))
    if len(wrong):
        raise ParameterError(
            f"the range of player {player} distinguishes {form.hands[player][wrong[0]]!s} from "
            f"hands that {form.name} merges at {form.label(node)!r}: build the form by "
            "build_public_form(game, merge_symmetric=False)"
        )
