"""The operators of public terminals, found from the reach and the utility of each pair of hands."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from infoset.forms import Dense, Fold, HandPrior, Operator, Showdown
from infoset.tree.hand_rankings import find_strengths, is_close
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
    num_pairs, num_terminals = sizes[0] * sizes[1], 1 + int(terminal.max(initial=-1))
    first = np.searchsorted(terminal[order], np.arange(num_terminals + 1))
    step = max(1, MAX_ENTRIES // num_pairs)
    for begin, end in pairwise([*range(0, num_terminals, step), num_terminals]):
        part = order[first[begin] : first[end]]
        entry = (terminal[part] - begin) * num_pairs + hands[0, part] * sizes[1] + hands[1, part]
        shape = (end - begin, *sizes)
        reach = np.bincount(entry, chance_reach[part], (end - begin) * num_pairs)
        found = np.zeros((len(reach), 2))
        found[entry] = utility[part]
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
        reach = self._weights(pairs.reach)
        weights, payoff = reach * np.moveaxis(pairs.utility, 2, 0), np.eye(2)
        if np.array_equal(weights[0], -weights[1]):
            weights, payoff = weights[:1], np.array([[1.0, -1.0]])
        return TerminalPayoffs(1.0, self._number(Dense(weights, reach)), payoff)

    def _chance_factor(self, reach: FloatArray, meets: BoolArray) -> float | None:
        """Return the factor by which reach differs from the prior, the same for all pairs.

        The prior here is zero for hands that meet no other hand. None if there is no such factor.
        """
        alive = np.logical_and.outer(meets.any(axis=1), meets.any(axis=0))
        expected = np.where(alive, self._joint, 0.0)
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
            outcome = np.array([*outcomes, *[NO_MEETING] * NO_MEETING])[rank]
            showdown = self._showdown(outcome)
            if showdown is not None:
                # An outcome that no pair has gets the mean utility.
                rows = np.repeat(payoff.mean(axis=0)[None, :], 3, axis=0)
                rows[np.array(outcomes) + 1] = payoff
                return TerminalPayoffs(factor, self._number(showdown), rows)
        weights = (rank == np.arange(len(payoff))[:, None, None]).astype(np.float64)
        return TerminalPayoffs(factor, self._number(Dense(weights)), payoff)

    def _showdown(self, outcome: LongArray) -> Showdown | None:
        """Return the strengths that explain outcomes, which are computed once."""
        key = outcome.tobytes()
        if key not in self._showdowns:
            self._showdowns[key] = find_strengths(outcome)
        return self._showdowns[key]

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
