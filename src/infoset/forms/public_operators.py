"""The hands of a public form: their prior, and what each pair of hands earns at a terminal."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from infoset.errors import ParameterError
from infoset.typing import BoolArray, FloatArray, IntArray
from infoset.utils.frozen_arrays import freeze, freeze_arrays
from infoset.utils.short_repr import ShortRepr

MAX_CARDS = 2
"""Maximum number of cards of a hand; inclusion-exclusion over more cards is not implemented."""


@dataclass(frozen=True, eq=False, repr=False)
class HandPrior(ShortRepr):
    """The probability of each pair of hands: a product of weights times blocking, or a matrix.

    Without `joint`, the probability of hands h0 and h1 is `weights[0][h0] * weights[1][h1]`, or 0
    if the hands share a card.

    Raises
    ------
    ParameterError
        If shapes disagree, hands have more than two cards, two hands of a player have the same two
        cards, or no pair of hands has a positive probability.
    """

    weights: tuple[FloatArray, FloatArray]
    """Per player, [hands] the weight of each hand. Only the product of the two players' weights has
    a meaning."""
    cards: tuple[IntArray, IntArray]
    """Per player, [hands, cards of a hand] the cards of each hand, as numbers that both players
    share; -1 for none. No hand has a card twice."""
    joint: FloatArray | None = None
    """[hands of player 0, hands of player 1] the probabilities, if they are not such a product;
    `weights` and `cards` then have no meaning."""

    def __post_init__(self) -> None:
        num_cards = {cards.shape[1:] for cards in self.cards}
        if num_cards not in ({(size,)} for size in range(MAX_CARDS + 1)):
            raise ParameterError(
                "the cards of both players' hands must be arrays [hands, cards of a hand] with the "
                f"same number of cards, at most {MAX_CARDS}; give pairs that more cards exclude as "
                "the matrix joint"
            )
        sizes = tuple(map(len, self.weights))
        shape = sizes if self.joint is None else self.joint.shape
        if tuple(map(len, self.cards)) != sizes or shape != sizes:
            raise ParameterError(
                f"the prior has weights of {sizes} hands, but other numbers of hands in cards or "
                "joint: give one row of cards per hand, and one entry of joint per pair"
            )
        if self.joint is None and any(map(_repeats, self.cards)):
            raise ParameterError(
                "two hands of a player have the same two cards: give each pair of cards once, with "
                "the sum of the weights"
            )
        if not self.matrix().any():
            raise ParameterError(
                "no pair of hands has a positive probability: give weights whose hands do not all "
                "block each other"
            )
        freeze(self)
        freeze_arrays(*self.weights, *self.cards)

    def matrix(self) -> FloatArray:
        """Return [hands of player 0, hands of player 1] the probability of each pair."""
        if self.joint is not None:
            return self.joint
        return np.where(self.blocked(), 0.0, np.multiply.outer(*self.weights))

    def blocked(self) -> BoolArray:
        """Return [hands of player 0, hands of player 1] whether two hands share a card."""
        num_cards = 1 + max(int(cards.max(initial=-1)) for cards in self.cards)
        # [hands, cards] ones; in floats, because integer matrices are not multiplied by BLAS.
        first, second = (_held(cards, num_cards) for cards in self.cards)
        shared: BoolArray = (first @ second.T).astype(bool)
        return shared


def _held(cards: IntArray, num_cards: int) -> FloatArray:
    """Return [hands, cards] 1 for the cards of each hand."""
    held = np.zeros((len(cards), num_cards + 1))
    held[np.arange(len(cards))[:, None], cards] = 1  # the card -1 is the last column
    return held[:, :-1]


def _repeats(cards: IntArray) -> bool:
    """Return whether two rows are the same two cards."""
    pairs = np.sort(cards[(cards >= 0).sum(axis=1) == MAX_CARDS], axis=1)
    return len(np.unique(pairs, axis=0)) < len(pairs)


@dataclass(frozen=True)
class Fold:
    """One outcome, whatever the hands are: a player has folded."""

    num_outcomes = 1

    def outcomes(self, prior: HandPrior) -> FloatArray:
        """Return [1, hands of player 0, hands of player 1] ones."""
        return np.ones((1, *map(len, prior.weights)))

    def occurring(self, reached: BoolArray) -> BoolArray:
        """Return [1] whether any pair of hands is reached."""
        return np.array([reached.any()])


@dataclass(frozen=True, eq=False, repr=False)
class Showdown(ShortRepr):
    """Three outcomes, by strength: the hand of player 0 is weaker, equal, or stronger.

    A threshold is a showdown too: in liar's dice, a bid of q dice is met if the first player has at
    least q minus the number of dice that the other has.
    """

    strengths: tuple[IntArray, IntArray]
    """Per player, [hands] the strength of each hand."""
    num_outcomes = 3

    def __post_init__(self) -> None:
        freeze_arrays(*self.strengths)

    def outcomes(self, prior: HandPrior) -> FloatArray:
        """Return [3, hands of player 0, hands of player 1] 1 for the outcome of each pair."""
        difference = np.subtract.outer(*self.strengths)
        return np.stack([difference < 0, difference == 0, difference > 0]).astype(np.float64)

    def occurring(self, reached: BoolArray) -> BoolArray:
        """Return [3] whether each outcome is that of a pair of hands that is reached."""
        found = np.zeros(self.num_outcomes, bool)
        first, second = self.strengths
        for own, meets in zip(first, reached, strict=True):
            found[np.sign(own - second[meets]) + 1] = True  # -1, 0, 1: weaker, equal, stronger
            if found.all():
                break  # mostly after a few hands
        return found


@dataclass(frozen=True, eq=False, repr=False)
class Dense(ShortRepr):
    """Any outcomes, as a matrix each."""

    weights: FloatArray
    """[outcomes, hands of player 0, hands of player 1] the weight of each outcome given the pair:
    its probability, if chance decides, or any factor of the payoff."""
    reach: FloatArray | None = None
    """[hands of player 0, hands of player 1] the probability that chance leads to the terminal
    given the pair, if weights are factors of payoffs; None if the weights sum to it."""

    def __post_init__(self) -> None:
        freeze(self)

    @property
    def num_outcomes(self) -> int:
        """Number of outcomes."""
        return len(self.weights)

    def outcomes(self, prior: HandPrior) -> FloatArray:
        """Return `weights`."""
        return self.weights

    def occurring(self, reached: BoolArray) -> BoolArray:
        """Return [outcomes] whether each outcome has weight for a pair of hands that is reached."""
        found = [bool((weights[reached] > 0).any()) for weights in self.weights]
        return np.array(found)


@dataclass(frozen=True, eq=False, repr=False)
class Equities(Dense):
    """Two outcomes: player 0 loses or wins. Its equity is the weight of winning."""

    def extremes(self, reached: BoolArray) -> FloatArray:
        """Return [2, outcomes] the weights with the smallest and the largest equity.

        reached: [hands of player 0, hands of player 1] True for pairs to include.
        """
        equities = self.weights[1][reached]
        return np.array([[1 - one, one] for one in (equities.min(), equities.max())])


Operator: TypeAlias = Fold | Showdown | Dense
"""How the hands determine the outcome of a terminal."""


def with_outcome_of_reach(operator: Operator) -> Operator:
    """Return an operator whose last outcome has the weight `reach`, if there is one."""
    if not isinstance(operator, Dense) or operator.reach is None:
        return operator
    return replace(operator, weights=np.concatenate([operator.weights, operator.reach[None]]))


def reach_of_pairs(operator: Operator, prior: HandPrior) -> FloatArray:
    """Return [hands of player 0, hands of player 1] the probability of a terminal given the pair.

    It is the part of the probability that depends on the hands.
    """
    if isinstance(operator, Dense) and operator.reach is not None:
        return operator.reach
    reach: FloatArray = np.sum(operator.outcomes(prior), axis=0)
    return reach
