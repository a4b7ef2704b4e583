"""PIMC in liar's dice in closed form: a reference that uses no searcher.

In a world, let M be the highest bid that holds. Bidding a wins if a is M, and liar wins if the last
bid does not hold; so that under a belief the scores are P(M = a) and P(the last bid is false).
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations_with_replacement, product
from math import factorial, prod

import numpy as np


class DeterminizedDice:
    """The limit of many worlds, ties split evenly.

    A public weight of the belief is public: own dice are rolled again in it.
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
        """Return [K, K] the belief over both hands, of who holds one."""
        private = np.zeros_like(self.prior)
        private[hand] = 1
        own = (1 - self.public_weight) * private + self.public_weight * self.prior
        return np.outer(own, self.prior)

    def scores(self, worlds, last):
        """Return [A] the chance to win of each legal action in worlds, after a bid or at -1."""
        wins = np.bincount(self.highest.ravel(), worlds.ravel(), len(self.bids))[last + 1 :]
        return wins if last < 0 else np.append(wins, (worlds * ~self.holds[..., last]).sum())

    def answer(self, worlds, last):
        """Return [A] the policy in worlds."""
        scores = self.scores(worlds, last)
        best = np.isclose(scores, scores.max(), rtol=0, atol=1e-12)
        return best / best.sum()

    def seen(self, infostate):
        """Return the position of the hand, and that of the last bid."""
        calls = [step.public for step in infostate.steps[1:]]
        bids = [f"{count}-{face}" for count, face in self.bids]
        return self.hands.index(infostate.steps[0].private), bids.index(calls[-1]) if calls else -1

    def action_probabilities(self, infostate, legal_actions):
        hand, last = self.seen(infostate)
        return self.answer(self.worlds(hand), last)


class SampledDice(DeterminizedDice):
    """The same in a number of worlds, which are drawn anew in every search."""

    def __init__(self, numdice, sides, public_weight, num_worlds):
        super().__init__(numdice, sides, public_weight)
        self.num_worlds = num_worlds

    def draw(self, hand, rng):
        """Return [K, K] how many of the worlds drawn are which."""
        worlds = self.worlds(hand)
        return rng.multinomial(self.num_worlds, worlds.ravel()).reshape(worlds.shape)

    def search(self, infostate, rng):
        hand, last = self.seen(infostate)
        return self.answer(self.draw(hand, rng), last)
