"""Reference implementations of balanced CFR and LocalOMD in plain Python.

They draw the same random numbers and visit the same nodes as the kernels, and share nothing else
with them: estimates carry their importance weights, the policies of all iterations are stored, and
adaptive variants use the closed form of follow-the-regularized-leader.
"""

from __future__ import annotations

import numpy as np

from tests.support.reference_tree import ReferenceStream, ReferenceTree


class ReferenceAverage:
    """The average by its definition: the own reach of every sequence, policy by policy."""

    def __init__(self, tree):
        self.tree = tree
        self.cumulative_plan = [np.zeros(size) for size in tree.num_actions]

    def add(self, policies, player):
        for here, own in enumerate(self.tree.player):
            if own == player:
                self.cumulative_plan[here] += self.tree.reach(policies, here) * policies[here]

    def policies(self):
        return [
            cumulative_plan / cumulative_plan.sum()
            if cumulative_plan.sum() > 0
            else np.full(len(cumulative_plan), 1 / len(cumulative_plan))
            for cumulative_plan in self.cumulative_plan
        ]


class ReferenceBaselines:
    """Means of earlier values over a window, for all actions together or for each action."""

    def __init__(self, tree, row, baseline_per_action):
        self.window, self.baseline_per_action = row.baseline_window, baseline_per_action
        self.values = [np.full(size, row.center) for size in tree.num_actions]
        self.visits = [np.zeros(size) for size in tree.num_actions]

    def follow(self, here, action, cost):
        moved = [action] if self.baseline_per_action else slice(None)
        self.visits[here][moved] += 1
        if self.window:
            share = 1 / np.minimum(self.visits[here][moved], self.window)
            self.values[here][moved] = (1 - share) * self.values[here][moved] + share * cost


class ReferenceBalancedCFR:
    """Balanced CFR with estimates and steps that have their balanced weights."""

    def __init__(self, simulator, row, rates, seed_state, losses):
        self.tree = ReferenceTree(simulator)
        self.row, self.rates, self.losses = row, rates, losses
        self.stream = ReferenceStream(seed_state)
        self.policies = [np.full(size, 1 / size) for size in self.tree.num_actions]
        self.regrets = [np.zeros(size) for size in self.tree.num_actions]
        self.sums = [np.zeros(size) for size in self.tree.num_actions]
        self.iteration = 0
        self.baselines = ReferenceBaselines(self.tree, row, baseline_per_action=False)
        self.average = ReferenceAverage(self.tree)
        self.exploring = [self.tree.exploring(h) for h in range(max(self.tree.num_layers))]

    def weight(self, layer, here):
        """Return μ*ʰ₁:ₕ(x, a)."""
        exploring = self.exploring[layer]
        return self.tree.reach(exploring, here) / self.tree.num_actions[here]

    def iterate(self):
        """Run one iteration: first the estimates, then the updates of the minimizers."""
        self.iteration += 1
        for player in range(len(self.tree.num_layers)):
            self.average.add(self.policies, player)
        estimates = [
            self.episode(player, layer)
            for player, count in enumerate(self.tree.num_layers)
            for layer in range(count)
        ]
        for here, estimate, weight in filter(None, estimates):
            self.update(here, estimate, weight)

    def episode(self, player, layer):
        exploring = self.exploring[layer]
        end, paths = self.tree.play(
            self.stream,
            lambda here, step: (
                exploring[here]
                if self.tree.player[here] == player and step <= layer
                else self.policies[here]
            ),
        )
        if len(paths[player]) <= layer:
            return None
        here, action = paths[player][layer]
        weight = self.weight(layer, here)
        loss = self.losses[end, player]
        estimate = np.zeros(self.tree.num_actions[here])
        estimate[action] = (loss - self.baselines.values[here][action]) / weight
        self.baselines.follow(here, action, loss)
        return here, estimate, weight

    def update(self, here, estimate, weight):
        policy, rate = self.policies[here], self.rates[self.tree.player[here]]
        if rate:
            self.sums[here] = self.sums[here] + weight * estimate
            rate = rate / np.sqrt(self.iteration) if self.row.anytime else rate
            policy = np.exp(-rate * (self.sums[here] - self.sums[here].min()))
        else:
            self.regrets[here] = self.regrets[here] + policy @ estimate - estimate
            if self.row.clip_regrets:
                self.regrets[here] = np.maximum(self.regrets[here], 0)
            policy = np.maximum(self.regrets[here], 0)
        total = policy.sum()
        self.policies[here] = policy / total if total > 0 else np.full(len(policy), 1 / len(policy))


class ReferenceLocalOMD:
    """LocalOMD by the closed form: the sum of all estimates, regularized at the current rate."""

    def __init__(self, simulator, row, rates, seed_state, losses):
        self.tree = ReferenceTree(simulator)
        self.row, self.rates, self.losses = row, rates, losses
        self.stream = ReferenceStream(seed_state)
        self.sampling = self.tree.by_subtree()
        self.policies = [policy.copy() for policy in self.sampling]
        self.sums = [np.zeros(size) for size in self.tree.num_actions]
        self.squares = [0.0] * self.tree.num_infostates
        self.own_episodes = [0] * len(self.tree.num_layers)
        self.met_at = [1] * self.tree.num_infostates
        self.baselines = ReferenceBaselines(self.tree, row, row.baseline_per_action)
        self.average = ReferenceAverage(self.tree)
        self.player = 0

    def rate(self, here):
        rate = self.rates[self.tree.player[here]]
        if self.row.adaptive:
            return rate / np.sqrt(1 + self.squares[here])
        if self.row.anytime:
            rate = rate / np.sqrt(self.met_at[here])
        size = self.tree.num_actions[here]
        return rate / sum(self.tree.sequences_below(here, action) for action in range(size))

    def potential(self, here):
        """Return max over p of -<p, sums> - KL(p || b) / η."""
        rate = self.rate(here)
        return np.log(self.sampling[here] @ np.exp(-rate * self.sums[here])) / rate

    def mixed(self):
        """Return the sampling policy of the updating player."""
        share = self.row.exploration
        pairs = zip(self.sampling, self.policies, strict=True)
        return [share * fixed + (1 - share) * policy for fixed, policy in pairs]

    def episode(self):
        player, mixed = self.player, self.mixed()
        end, paths = self.tree.play(
            self.stream,
            lambda here, step: (mixed if self.tree.player[here] == player else self.policies)[here],
        )
        self.average.add(self.policies, player)
        self.own_episodes[player] += 1
        cost = self.losses[end, player]
        for here, action in reversed(paths[player]):
            weight = self.tree.reach(self.sampling, here) / self.tree.reach(mixed, here)
            cost = self.update(here, action, cost, mixed[here][action], weight)
        self.player = (player + 1) % len(self.tree.num_layers)

    def update(self, here, action, cost, probability, weight):
        """Learn the cost of an action at an infostate; return the value for its parent."""
        before, baseline = self.potential(here), self.baselines.values[here]
        estimate = baseline.copy()
        estimate[action] += (cost - baseline[action]) / probability
        centered = estimate - self.policies[here] @ baseline
        self.met_at[here] = self.own_episodes[self.tree.player[here]]
        self.squares[here] += np.abs(weight * centered).max() ** 2
        self.sums[here] += weight * estimate
        weights = self.sampling[here] * np.exp(-self.rate(here) * self.sums[here])
        self.policies[here] = weights / weights.sum()
        self.baselines.follow(here, action, cost)
        return (before - self.potential(here)) / weight
