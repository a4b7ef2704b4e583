"""Reference implementation of regret minimization in plain NumPy."""

from __future__ import annotations

from dataclasses import replace

import numpy as np


def generic(form, seed):
    """Return the game with payoffs in general position.

    If actions are equally good, rounding alone decides whether a regret is zero, and this changes
    the policy.
    """
    noise = np.random.default_rng(seed).standard_normal(form.payoff.shape)
    if form.is_zero_sum:
        noise[:, -1] = -noise[:, :-1].sum(axis=1)
    return replace(form, payoff=form.payoff + noise, centered_payoffs=None)


def infostates(plex):
    """Return for each acting infostate its parent sequence and its sequences as a slice."""
    rows = zip(plex.parent_sequence, plex.first_sequence, plex.num_actions, strict=True)
    for parent, first, actions in ((int(a), int(b), int(c)) for a, b, c in rows):
        yield parent, slice(first, first + actions)


def uniform(plex):
    """Return [Q] the uniform behavior."""
    policy = np.ones(plex.num_sequences)
    policy[1:] = 1 / np.repeat(plex.num_actions, plex.num_actions)
    return policy


def plan_of(plex, policy):
    """Return [Q] the realization plan of a behavior."""
    plan = np.ones(plex.num_sequences)
    for parent, own in infostates(plex):
        plan[own] = plan[parent] * policy[own]
    return plan


def gradient_of(form, player, plans):
    """Return [Q] the gradient of a player's utility against the plans of the others."""
    weight = form.payoff[:, player].copy()
    for other, plan in enumerate(plans):
        if other != player:
            weight *= plan[form.terminal_sequence[:, other]]
    size = form.treeplexes[player].num_sequences
    return np.bincount(form.terminal_sequence[:, player], weights=weight, minlength=size)


def best_behavior(form, player, plans):
    """Return [Q] a pure best response to the plans of the others, with ties to the first action."""
    plex = form.treeplexes[player]
    value = gradient_of(form, player, plans)
    behavior = np.zeros(plex.num_sequences)
    behavior[0] = 1
    for parent, own in reversed([*infostates(plex)]):
        best = own.start + np.argmax(value[own])
        behavior[best] = 1
        value[parent] += value[best]
    return behavior


class ReferenceMinimizer:
    """The same algorithm as the kernel's, infostate by infostate."""

    def __init__(self, form, alternating, averages_next=False, adaptive_limit=None):
        self.form = form
        self.alternating = alternating
        self.averages_next = averages_next
        self.adaptive_limit = adaptive_limit
        sizes = [plex.num_sequences for plex in form.treeplexes]
        self.regrets = [np.zeros(size) for size in sizes]
        self.policies = [uniform(plex) for plex in form.treeplexes]
        self.averages = [np.zeros(size) for size in sizes]
        self.previous = [np.zeros(size) for size in sizes]
        self.changes = [np.zeros((plex.num_infostates, 2)) for plex in form.treeplexes]

    def plan(self, player):
        return plan_of(self.form.treeplexes[player], self.policies[player])

    def gradient(self, player, plans):
        return gradient_of(self.form, player, plans)

    def update(self, player, row, gradient):
        weight, keep_positive, keep_negative, floor, keep_predicted, prediction = row[:6]
        regret, policy = self.regrets[player], self.policies[player]
        numbered = [*enumerate(infostates(self.form.treeplexes[player]))]
        for number, (parent, own) in reversed(numbered):
            value = policy[own] @ gradient[own]
            instant = weight * (gradient[own] - value)
            before = regret[own].copy()
            kept = np.where(before > 0, keep_positive, keep_negative) * before
            regret[own] = np.maximum(kept + instant, floor)
            if self.adaptive_limit is not None:
                change = instant - self.previous[player][own]
                self.changes[player][number] += (
                    change @ change,
                    np.sum((regret[own] - before) ** 2),
                )
                self.previous[player][own] = instant
                prediction = self.trust(*self.changes[player][number])
            positive = np.maximum(keep_predicted * regret[own] + prediction * instant, 0)
            total = positive.sum()
            policy[own] = positive / total if total > 0 else 1 / len(positive)
            gradient[parent] += value

    def trust(self, of_instant, of_cumulative):
        if of_cumulative == 0:
            return 1 / (1 + self.adaptive_limit)
        return 1 / (1 + min(np.sqrt(of_instant / of_cumulative), self.adaptive_limit))

    def step(self, row):
        players = range(self.form.num_players)
        plans = [self.plan(player) for player in players]
        fixed = [] if self.alternating else [self.gradient(player, plans) for player in players]
        for player in players:
            begun = plans[player]
            gradient = self.gradient(player, plans) if self.alternating else fixed[player]
            self.update(player, row, gradient)
            plans[player] = self.plan(player)
            taken = plans[player] if self.averages_next else begun
            self.averages[player] = row[6] * self.averages[player] + row[7] * taken
