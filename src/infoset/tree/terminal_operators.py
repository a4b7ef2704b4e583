"""The operators of public terminals and the prior, found from what each pair of hands gets."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from infoset.forms import Dense, Fold, HandPrior, Operator, Showdown
from infoset.typing import BoolArray, FloatArray, IntArray, LongArray

MAX_ENTRIES = 1 << 22
"""Number of pairs of hands, over several terminals, whose payoffs are in memory together."""

NO_MEETING = 9
"""Outcome of pairs of hands that do not reach a terminal."""

RANKED = ((), (1,), (-1, 1), (-1, 0, 1))
"""Outcomes of a showdown, from the worst for player 0 to the best, by the number of utilities."""

ALMOST_RANKED = ((-1, 0), (0, 1))
"""What two utilities can also be: no hand of player 0 is stronger, or none is weaker."""

FOLD = Fold()

FACTOR_TOLERANCE = 1e-14
"""Relative difference between a product and a number up to which the number is that product."""


class PairPayoffs(NamedTuple):
    """The payoffs of each pair of hands at one public terminal."""

    reach: FloatArray
    """[hands of player 0, hands of player 1] prior times chance reach; 0 for pairs that do not meet
    at the terminal."""
    utility: FloatArray
    """[hands of player 0, hands of player 1, 2] expected utilities of the pairs that meet."""


class TerminalPayoffs(NamedTuple):
    """The operator and the payoffs of one public terminal; see `PublicTerminals`."""

    chance_reach: float
    operator: int
    payoff: FloatArray


def pair_payoffs(
    terminal: LongArray,
    hands: IntArray,
    sizes: tuple[int, int],
    chance_reach: FloatArray,
    utility: FloatArray,
) -> Iterator[PairPayoffs]:
    """Yield the payoffs of each public terminal, in order.

    Parameters
    ----------
    terminal
        [Z] public terminal of each terminal history; all numbers up to the largest occur.
    hands
        [2, Z] each player's hand.
    sizes
        Number of hands of each player.
    chance_reach, utility
        [Z] and [Z, 2]
    """
    order = np.argsort(terminal, kind="stable")
    # Histories by terminal, a bounded number of terminals at a time, as entries of one array.
    num_pairs, num_terminals = sizes[0] * sizes[1], 1 + int(terminal.max(initial=-1))
    first = np.searchsorted(terminal[order], np.arange(num_terminals + 1))
    step = max(1, MAX_ENTRIES // num_pairs)
    for begin, end in pairwise([*range(0, num_terminals, step), num_terminals]):
        part = order[first[begin] : first[end]]
        entry = (terminal[part] - begin) * num_pairs + hands[0, part] * sizes[1] + hands[1, part]
        shape = (end - begin, *sizes)
        reach = np.bincount(entry, chance_reach[part], (end - begin) * num_pairs)
        found = np.zeros((len(reach), 2))
        found[entry] = utility[part]  # of several histories with an entry, the last one
        mixed = np.unique(entry[(found[entry] != utility[part]).any(axis=1)])
        if len(mixed):
            # Chance that nobody observes: pairs earn what they earn on average.
            for player in range(2):
                paid = np.bincount(entry, chance_reach[part] * utility[part, player], len(reach))
                found[mixed, player] = paid[mixed] / reach[mixed]
        yield from map(PairPayoffs, reach.reshape(shape), found.reshape(*shape, 2))


class OperatorFinder:
    """Finds the operators of public terminals; equal operators are found once.

    Attributes
    ----------
    operators : list[Operator]
        The distinct operators found so far.
    """

    def __init__(self, prior: HandPrior) -> None:
        self.operators: list[Operator] = []
        self._joint = prior.matrix()
        self._known: dict[bytes, int] = {}
        self._showdowns: dict[bytes, Showdown | None] = {}

    def find(self, pairs: PairPayoffs) -> TerminalPayoffs:
        """Return operator and payoffs of a terminal: the simplest kind that describes the pairs."""
        meets = pairs.reach > 0
        factor = self._chance_factor(pairs.reach, meets)
        payoff, of_pair = np.unique(pairs.utility[meets], axis=0, return_inverse=True)
        if len(payoff) < len(RANKED):
            rank = np.full(meets.shape, NO_MEETING)
            rank[meets] = of_pair.reshape(-1)
            if factor is not None:
                return self._ranked(rank, payoff, factor)
            weights = self._weights(pairs.reach) * (rank == np.arange(len(payoff))[:, None, None])
            return TerminalPayoffs(1.0, self._number(Dense(weights)), payoff)
        # Too many utilities to rank: they are weights, of an outcome for each player that pays 1.
        reach = self._weights(pairs.reach)
        weights, payoff = reach * np.moveaxis(pairs.utility, 2, 0), np.eye(2)
        # In zero-sum games one matrix serves both.
        if np.array_equal(weights[0], -weights[1]):
            weights, payoff = weights[:1], np.array([[1.0, -1.0]])
        return TerminalPayoffs(1.0, self._number(Dense(weights, reach)), payoff)

    def _chance_factor(self, reach: FloatArray, meets: BoolArray) -> float | None:
        """Return the factor by which reach differs from the prior, the same for all pairs.

        The prior here is zero for hands that meet no other hand. None if there is no such factor.
        """
        alive = np.logical_and.outer(meets.any(axis=1), meets.any(axis=0))
        expected = np.where(alive, self._joint, 0.0)
        # Any pair that meets gives the factor; it must then hold for all of them.
        largest = np.unravel_index(expected.argmax(), expected.shape)
        factor = float(reach[largest] / expected[largest])
        return factor if is_close(factor * expected, reach) else None

    def _weights(self, reach: FloatArray) -> FloatArray:
        """Return the chance reach of each pair given the pair; 0 for pairs that are not dealt."""
        return np.divide(reach, self._joint, out=np.zeros_like(reach), where=self._joint > 0)

    def _ranked(self, rank: LongArray, payoff: FloatArray, factor: float) -> TerminalPayoffs:
        """Return a fold, a showdown or, if no strengths explain the outcomes, matrices.

        rank: the place of each pair's utility in payoff [1 to 3, 2], in increasing order for
        player 0; `NO_MEETING` for pairs that do not meet.
        """
        if len(payoff) == 1:
            return TerminalPayoffs(factor, self._number(FOLD), payoff)
        tried = [RANKED[len(payoff)], *(ALMOST_RANKED if len(payoff) == 2 else ())]
        for outcomes in tried:
            # `NO_MEETING` as an index reads itself, because it is beyond the outcomes.
            outcome = np.array([*outcomes, *[NO_MEETING] * NO_MEETING])[rank]
            key = outcome.tobytes()
            if key not in self._showdowns:
                self._showdowns[key] = find_strengths(outcome)
            if (showdown := self._showdowns[key]) is not None:
                # An outcome that no pair has gets the mean utility.
                rows = np.repeat(payoff.mean(axis=0)[None, :], 3, axis=0)
                rows[np.array(outcomes) + 1] = payoff
                return TerminalPayoffs(factor, self._number(showdown), rows)
        weights = (rank == np.arange(len(payoff))[:, None, None]).astype(np.float64)
        return TerminalPayoffs(factor, self._number(Dense(weights)), payoff)

    def _number(self, operator: Operator) -> int:
        """Return the number of an operator, adding it if it is new."""
        number = self._known.setdefault(_key(operator), len(self.operators))
        if number == len(self.operators):
            self.operators.append(operator)
        return number


def _key(operator: Operator) -> bytes:
    """Return bytes that are equal for equal operators."""
    if isinstance(operator, Showdown):
        return b"showdown" + b"".join(own.tobytes() for own in operator.strengths)
    if isinstance(operator, Fold):
        return b"fold"
    reach = b"" if operator.reach is None else operator.reach.tobytes()
    return b"dense" + operator.weights.tobytes() + reach


def find_strengths(outcome: LongArray) -> Showdown | None:
    """Return strengths that explain the outcome of every pair of hands; None if there are none.

    Parameters
    ----------
    outcome
        [hands of player 0, hands of player 1] -1, 0 or 1 if the hand of player 0 is weaker, equal
        or stronger; any other number for pairs that do not meet.
    """
    group = _equal_hands(outcome == 0)
    first, second = np.split(group, [len(outcome)])
    # A hand gets its strength once all hands that it beats have theirs. The strengths are the
    # rounds of this: hands that nothing weaker waits for, then those that only beat these, etc.
    beaten_by_first, beaten_by_second = outcome == 1, (outcome == -1).T
    left_first, left_second = np.ones(len(first), bool), np.ones(len(second), bool)
    strength = np.zeros(len(group), np.int32)
    level = 0
    while left_first.any() or left_second.any():
        waits = np.zeros(len(group), bool)
        waits[first[left_first & beaten_by_first[:, left_second].any(axis=1)]] = True
        waits[second[left_second & beaten_by_second[:, left_first].any(axis=1)]] = True
        now_first, now_second = left_first & ~waits[first], left_second & ~waits[second]
        if not now_first.any() and not now_second.any():
            return None  # a cycle: some hand beats, in the end, itself
        strength[: len(first)][now_first] = level
        strength[len(first) :][now_second] = level
        left_first &= ~now_first
        left_second &= ~now_second
        level += 1
    return Showdown((strength[: len(first)], strength[len(first) :]))


def _equal_hands(equal: BoolArray) -> IntArray:
    """Return a number for each hand of player 0, then of player 1, shared by equal hands."""
    # Imported here because they load slowly, and few games need them.
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    rows, columns = np.nonzero(equal)
    size = sum(equal.shape)
    # Hands of player 1 are numbered after those of player 0. Hands of one player never meet, so
    # that a chain of pairs connects them.
    edges = csr_array((np.ones(len(rows)), (rows, columns + len(equal))), shape=(size, size))
    group: IntArray = connected_components(edges, directed=False)[1]
    return group


def factor_prior(joint: FloatArray) -> HandPrior:
    """Return a prior as a product of weights times blocking by one card each, if it is one.

    Hands block each other if they never meet. If the hands of both players can be divided such that
    those of a part block exactly the hands of one part of the other player, each part is a card.

    Parameters
    ----------
    joint
        [hands of player 0, hands of player 1] the probability of each pair.
    """
    # Hands of both players that block each other, directly or over others, are one card.
    blocked = joint == 0.0
    card = _equal_hands(blocked)
    first, second = np.split(card, [len(joint)])
    cards = _shared_cards(blocked, first, second)
    weights = _product_weights(joint)
    prior = None if cards is None else HandPrior(weights, cards)
    if prior is not None and is_close(prior.matrix(), joint):
        return prior
    none = np.zeros((len(first), 0), np.int32), np.zeros((len(second), 0), np.int32)
    ones = np.ones(len(first)), np.ones(len(second))
    return HandPrior(ones, none, joint)


def _shared_cards(
    blocked: BoolArray, first: IntArray, second: IntArray
) -> tuple[IntArray, IntArray] | None:
    """Return the card of each hand, given connected parts; None if parts do not block fully."""
    if not blocked.any():
        return np.zeros((len(first), 0), np.int32), np.zeros((len(second), 0), np.int32)
    same = first[:, None] == second[None, :]
    if not np.array_equal(same, blocked):
        return None
    return first[:, None].astype(np.int32), second[:, None].astype(np.int32)


def _product_weights(joint: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return weights whose products are the nonzero entries, if there are such weights."""
    first, second = np.zeros(joint.shape[0]), np.zeros(joint.shape[1])
    meets = joint > 0
    while not first.all():
        # Each round fixes the weights of the hands that meet a hand whose weight is known.
        new = meets & (first == 0)[:, None] & (second > 0)[None, :]
        rows = np.flatnonzero(new.any(axis=1))
        if len(rows):
            columns = new[rows].argmax(axis=1)
            first[rows] = joint[rows, columns] / second[columns]
        else:  # no hand of known weight is met: the scale of what is left is free
            first[np.flatnonzero(first == 0)[0]] = 1.0
        new = meets & (second == 0)[None, :] & (first > 0)[:, None]
        columns = np.flatnonzero(new.any(axis=0))
        rows = new[:, columns].argmax(axis=0)
        second[columns] = joint[rows, columns] / first[rows]
    return first, second


def is_close(product: FloatArray, numbers: FloatArray) -> bool:
    """Return whether products are the given numbers, except for rounding, and zero where these are.

    Both are arrays of the same shape.
    """
    return bool((np.abs(product - numbers) <= FACTOR_TOLERANCE * numbers).all())
