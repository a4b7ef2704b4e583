"""Reference implementations of learners with a model, by recursion over the tree."""

from __future__ import annotations

from math import cos, log, pi, sqrt

import numpy as np

from infoset.tree.decision_nodes import CHANCE_NODE, TERMINAL_NODE
from tests.support.reference_mccfr import ReferenceMCCFR


class Estimate:
    """An estimated game: probabilities of chance, bonuses, and rewards, by node."""

    def __init__(self, probability, bonus, reward):
        self.probability, self.bonus, self.reward = probability, bonus, reward


class ReferenceModelBased(ReferenceMCCFR):
    """Counts of all histories, and CFR in an estimated game."""

    def __init__(self, simulator, row):
        super().__init__(simulator, row)
        self.visits = np.zeros(len(self.nodes.kind))
        self.rewards = -simulator.losses()

    def children(self, node):
        first = self.nodes.first[node]
        return range(first, first + self.nodes.num_children[node])

    def play(self, policies, draws):
        """Play an episode in which player i follows policies[i], and count its nodes."""
        node = 0
        while True:
            self.visits[node] += 1
            here = self.nodes.kind[node]
            if here == TERMINAL_NODE:
                return
            if here == CHANCE_NODE:
                node = self.nodes.first[node] + draws.outcome(self.nodes, node)
            else:
                own = policies[self.infostates.player[here]][self.sequences(here)]
                node = self.nodes.first[node] + draws.choose(own)

    def value(self, node, player, policy, model, reach, regret):
        """Return the value of a node, and add the counterfactual regrets below it."""
        here = self.nodes.kind[node]
        if here == TERMINAL_NODE:
            return model.reward[node][player]
        if here == CHANCE_NODE:
            rest = (player, policy, model)
            return model.bonus[node] + sum(
                model.probability[c] * self.value(c, *rest, reach * model.probability[c], regret)
                for c in self.children(node)
            )
        own = policy[self.sequences(here)]
        is_own = self.infostates.player[here] == player
        reaches = [reach if is_own else reach * share for share in own]
        values = np.array(
            [
                self.value(c, player, policy, model, below, regret)
                for c, below in zip(self.children(node), reaches, strict=True)
            ]
        )
        if is_own:
            regret[self.sequences(here)] += reach * (values - own @ values)
        return own @ values

    def learn_from(self, model, policy):
        for player in range(self.simulator.num_players):
            self.value(0, player, policy, model, 1.0, self.regret)

    def utility(self, player, policy, model):
        """Return the expected reward of a player in an estimated game."""
        return self.value(0, player, policy, model, 1.0, np.zeros_like(policy))


class ReferenceCertified(ReferenceModelBased):
    """Frequencies with bonuses from the formula, after every episode."""

    def episode(self, draws):
        policy = self.policy()
        self.cumulative_plan += self.plan(policy)
        self.play([policy] * self.simulator.num_players, draws)
        self.learn_from(self.estimate(), policy)

    def estimate(self):
        kind, size = self.nodes.kind, len(self.nodes.kind)
        probability, bonus, reward = np.ones(size), np.zeros(size), {}
        num_chance = (kind == CHANCE_NODE).sum()
        for node in range(size):
            seen, below = self.visits[node], list(self.children(node))
            if kind[node] == TERMINAL_NODE:
                rank = self.nodes.first[node]
                reward[node] = self.rewards[rank] if seen else np.zeros(self.rewards.shape[1])
            elif kind[node] == CHANCE_NODE:
                probability[below] = self.visits[below] / seen if seen else 1 / len(below)
                if seen:
                    events = 2 ** len(below) * num_chance * seen * (seen + 1)
                    radius = sqrt(log(events / self.row.failure_probability) / (2 * seen))
                    bonus[node] = min(1.0, self.row.bonus * radius)
        return Estimate(probability, bonus, reward)


class ReferencePosterior(ReferenceModelBased):
    """Posterior draws, and the sum over all rounds that exploring policies maximize."""

    def __init__(self, simulator, row):
        super().__init__(simulator, row)
        self.rounds = []

    def begin_round(self, draws):
        """Learn from a drawn game; return the current policy, and another game to explore."""
        policy, model = self.policy(), self.draw(draws)
        self.rounds.append((policy, model))
        self.regret, before = self.regret.copy(), self.regret
        self.learn_from(model, policy)
        other = self.draw(draws)
        # The policy of the round is that before the update.
        self.gained, self.regret = self.regret - before, before
        return policy, other

    def end_round(self):
        self.regret = self.regret + self.gained

    def difference(self, player, own, other):
        """Return what a player's policy earns in the other game in excess of those so far."""
        total = 0.0
        mine = self.simulator.infostates.root_sequence[player]
        ends = [*self.simulator.infostates.root_sequence[1:], len(own)]
        for policy, model in self.rounds:
            joint = policy.copy()
            joint[mine : ends[player]] = own[mine : ends[player]]
            total += self.utility(player, joint, other) - self.utility(player, joint, model)
        return total

    def draw(self, draws):
        kind, size = self.nodes.kind, len(self.nodes.kind)
        probability, reward = np.ones(size), {}
        for node in range(size):
            if kind[node] == CHANCE_NODE:
                below = list(self.children(node))
                shares = np.array([gamma(1.0 + self.visits[child], draws) for child in below])
                probability[below] = shares / shares.sum()
        is_constant_sum = self.simulator.form.is_two_player_constant_sum
        for node in np.flatnonzero(kind == TERMINAL_NODE):
            if self.visits[node]:
                reward[node] = self.rewards[self.nodes.first[node]]
            elif is_constant_sum:
                first = draws.uniform() - 1
                reward[node] = (first, -1 - first)
            else:
                reward[node] = [draws.uniform() - 1 for _ in range(self.simulator.num_players)]
        return Estimate(probability, np.zeros(size), reward)


def gamma(shape, draws):
    """Draw from a gamma distribution by the method of Marsaglia and Tsang."""
    d = shape - 1 / 3
    while True:
        radius, angle = sqrt(-2 * log(1 - draws.uniform())), 2 * pi * draws.uniform()
        x, u = radius * cos(angle), 1 - draws.uniform()
        v = (1 + x / sqrt(9 * d)) ** 3
        if v > 0 and log(u) < x * x / 2 + d - d * v + d * log(v):
            return d * v
