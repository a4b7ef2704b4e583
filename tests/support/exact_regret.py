"""Reference implementation of regret minimization in exact fractions, or with 60 digits.

Payoffs are the fractions with small denominators that they are nearest to. With `Fraction`, nothing
is rounded. `Decimal` is for schemes that take roots, or for many iterations; numbers below 1e-40,
which is far above its rounding errors, count as 0.
"""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np

from tests.support.reference_regret import infostates

DIGITS = 60
ZERO = Decimal("1e-40")


def exact_average(form, scheme, iterations, number=Fraction):
    """Return per player [Q] the average policy, as floats; uniform where its own reach is 0."""
    with localcontext() as context:
        context.prec = DIGITS
        return ExactMinimizer(form, scheme, number).run(iterations)


class ExactMinimizer:
    """The algorithm of `ReferenceMinimizer` in numbers of one type."""

    def __init__(self, form, scheme, number):
        self.form, self.scheme, self.number = form, scheme, number
        self.payoff = [[self.exact(value) for value in row] for row in form.payoff.tolist()]
        sizes = [plex.num_sequences for plex in form.treeplexes]
        self.regrets, self.averages, self.previous = (
            [[number(0)] * size for size in sizes] for _ in range(3)
        )
        self.changes = [[number(0)] * (2 * size) for size in sizes]
        self.policies = [
            [number(1), *(number(1) / n for n in plex.num_actions.tolist() for _ in range(n))]
            for plex in form.treeplexes
        ]

    def exact(self, value):
        fraction = Fraction(value).limit_denominator(1_000_000)
        return self.number(fraction.numerator) / self.number(fraction.denominator)

    def positive(self, value):
        smallest = ZERO if self.number is Decimal else 0
        return value if value > smallest else self.number(0)

    def plan(self, player):
        plex, policy = self.form.treeplexes[player], self.policies[player]
        plan = [self.number(1)] * plex.num_sequences
        for parent, own in infostates(plex):
            for at in range(own.start, own.stop):
                plan[at] = plan[parent] * policy[at]
        return plan

    def gradient(self, player, plans):
        gradient = [self.number(0)] * self.form.treeplexes[player].num_sequences
        for sequences, row in zip(self.form.terminal_sequence.tolist(), self.payoff, strict=True):
            weight = row[player]
            for other, plan in enumerate(plans):
                if other != player:
                    weight *= plan[sequences[other]]
            gradient[sequences[player]] += weight
        return gradient

    def update(self, player, row, gradient):
        weight, keep_positive, keep_negative, floor, keep_predicted, prediction = row[:6]
        regret, policy = self.regrets[player], self.policies[player]
        numbered = [*enumerate(infostates(self.form.treeplexes[player]))]
        for index, (parent, own) in reversed(numbered):
            places = range(own.start, own.stop)
            value = sum(policy[at] * gradient[at] for at in places)
            instant = {at: weight * (gradient[at] - value) for at in places}
            trust = prediction
            if self.scheme.adaptive_limit is not None:
                trust = self.trust(player, index, row, instant)
            for at in places:
                kept = regret[at] * (keep_positive if regret[at] > 0 else keep_negative)
                regret[at] = kept + instant[at]
                if floor is not None:
                    regret[at] = max(regret[at], floor)
            wanted = [
                self.positive(keep_predicted * regret[at] + trust * instant[at]) for at in places
            ]
            total = sum(wanted)
            for at, own_wanted in zip(places, wanted, strict=True):
                policy[at] = own_wanted / total if total > 0 else self.number(1) / len(places)
            gradient[parent] += value

    def trust(self, player, index, row, instant):
        _, keep_positive, keep_negative, floor, *_ = row
        changes, previous = self.changes[player], self.previous[player]
        regret, limit = self.regrets[player], self.number(self.scheme.adaptive_limit)
        for at, change in instant.items():
            kept = regret[at] * (keep_positive if regret[at] > 0 else keep_negative)
            after = kept + change if floor is None else max(kept + change, floor)
            changes[2 * index] += (change - previous[at]) ** 2
            changes[2 * index + 1] += (after - regret[at]) ** 2
            previous[at] = change
        of_instant, of_cumulative = changes[2 * index : 2 * index + 2]
        if of_cumulative < ZERO**2:
            return 1 / (1 + limit)
        return 1 / (1 + min((of_instant / of_cumulative).sqrt(), limit))

    def run(self, iterations):
        players = range(self.form.num_players)
        for numbers in self.scheme.schedule(1, iterations).tolist():
            row = [None if np.isinf(value) else self.number(value) for value in numbers]
            plans = [self.plan(player) for player in players]
            alternating = self.scheme.alternating
            fixed = [] if alternating else [self.gradient(player, plans) for player in players]
            for player in players:
                begun = plans[player]
                gradient = self.gradient(player, plans) if alternating else fixed[player]
                self.update(player, row, gradient)
                plans[player] = self.plan(player)
                taken = plans[player] if self.scheme.averages_next else begun
                pairs = zip(self.averages[player], taken, strict=True)
                self.averages[player] = [row[6] * old + row[7] * new for old, new in pairs]
        return [self.behavior(player) for player in players]

    def behavior(self, player):
        plex, average = self.form.treeplexes[player], self.averages[player]
        behavior = np.ones(plex.num_sequences)
        for _, own in infostates(plex):
            weights = average[own]
            total = sum(weights)
            behavior[own] = [float(w / total) if total > 0 else 1 / len(weights) for w in weights]
        return behavior
