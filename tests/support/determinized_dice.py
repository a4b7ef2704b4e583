"""Closed form of PIMC in liar's dice: a reference without a searcher.

In a world, let M be the highest true bid. The bid a wins if a = M, and the call of liar wins if the
last bid is false. Under a belief, the scores are therefore P(M = a) and P(the last bid is false).
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations_with_replacement, product
from math import factorial, prod

import numpy as np


class DeterminizedDice:
    """PIMC in the limit of many worlds, with equal probabilities of equally good actions.

    With probability `public_weight`, the belief is the public one, in which the player's
    own dice also vary.
    """

    def __init__(self, numdice, sides, public_weight=0.0):
        hands = list(combinations_with_replacement(range(1, sides + 1), numdice))
        orders = [factorial(numdice) // prod(map(factorial, Counter(h).values())) for h in hands]
        bids = list(product(range(1, 2 * numdice + 1), range(1, sides + 1)))
        self.hands, self.bids, self.public_weight = hands, bids, public_weight
        self.prior = np.array(orders) / sides**numdice
        self.holds = np.array(
            [
                [
                    [self.count(one + other, face, sides) >= count for count, face in bids]
                    for other in hands
                ]
                for one in hands
            ]
        )  # [K, K, B]
        self.highest = self.holds.shape[2] - 1 - self.holds[..., ::-1].argmax(axis=2)

    @staticmethod
    def count(dice, face, sides):
        return sum(die in (face, sides) for die in dice)

    def worlds(self, hand):
        """Return [K, K] the belief over both hands of a player with a given hand."""
        private = np.zeros_like(self.prior)
        private[hand] = 1
        own = (1 - self.public_weight) * private + self.public_weight * self.prior
        return np.outer(own, self.prior)

    def scores(self, worlds, last):
        """Return [A] the probability that each legal action wins, after a bid or the start (-1)."""
        wins = np.bincount(self.highest.ravel(), worlds.ravel(), len(self.bids))[last + 1 :]
        return wins if last < 0 else np.append(wins, (worlds * ~self.holds[..., last]).sum())

    def answer(self, worlds, last):
        """Return [A] the policy in worlds."""
        scores = self.scores(worlds, last)
        best = np.isclose(scores, scores.max(), rtol=0, atol=1e-12)
        return best / best.sum()

    def seen(self, infostate):
        """Return the indices of the hand and of the last bid."""
        calls = [step.public for step in infostate.steps[1:]]
        bids = [f"{count}-{face}" for count, face in self.bids]
        return self.hands.index(infostate.steps[0].private), bids.index(calls[-1]) if calls else -1

    def action_probabilities(self, infostate, legal_actions):
        hand, last = self.seen(infostate)
        return self.answer(self.worlds(hand), last)


class SampledDice(DeterminizedDice):
    """PIMC with a number of worlds that are sampled in every search."""

    def __init__(self, numdice, sides, public_weight, num_worlds):
        super().__init__(numdice, sides, public_weight)
        self.num_worlds = num_worlds

    def draw(self, hand, rng):
        """Return [K, K] the number of sampled worlds with each pair of hands."""
        worlds = self.worlds(hand)
        return rng.multinomial(self.num_worlds, worlds.ravel()).reshape(worlds.shape)

    def search(self, infostate, rng):
        hand, last = self.seen(infostate)
        return self.answer(self.draw(hand, rng), last)
