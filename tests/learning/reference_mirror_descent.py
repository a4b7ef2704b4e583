"""Reference implementation of online mirror descent, with sums of losses and whole plans."""

from __future__ import annotations

import numpy as np

from infoset.tree.decision_nodes import CHANCE_NODE, TERMINAL_NODE

MASK = 2**64 - 1


class Draws:
    """SplitMix64 in Python integers."""

    def __init__(self, state):
        self.state = int(state)

    def __call__(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        mixed = self.state
        mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & MASK
        return ((mixed ^ (mixed >> 31)) >> 11) / 2**53


def own_sequences(simulator, here):
    """Return the sequences of an infostate, as a slice."""
    first = simulator.infostates.first_sequence[here]
    return slice(first, first + simulator.infostates.num_actions[here])


def play(simulator, policy, draw):
    """Return the rank of the terminal, and each player's infostates and sequences."""
    nodes, node = simulator.nodes, 0
    paths = [[] for _ in range(simulator.num_players)]
    while (here := nodes.kind[node]) != TERMINAL_NODE:
        if here == CHANCE_NODE:
            rank, rest = divmod(draw() * nodes.num_children[node], 1)
            child = nodes.first[node] + int(rank)
            node = child if rest < nodes.keep[child] else nodes.first[node] + nodes.other[child]
        else:
            own = own_sequences(simulator, here)
            below = np.cumsum(policy[own])[:-1]
            action = int(np.sum(draw() >= below))
            paths[simulator.infostates.player[here]].append((here, own.start + action))
            node = nodes.first[node] + action
    return nodes.first[node], paths


def plan_of(simulator, policy):
    """Return [S] the own reach of sequences."""
    plan = np.ones(simulator.num_sequences)
    for here, parent in enumerate(simulator.infostates.parent_sequence):
        own = own_sequences(simulator, here)
        plan[own] = plan[parent] * policy[own]
    return plan


class ReferenceLearners:
    """Follow-the-regularized-leader for all players, with a sum of losses at each infostate.

    The policy of an infostate is proportional to `initial · exp(-rate · losses)`. Its value, the
    minimum of loss plus regularization, is minus the logarithm of the sum of these terms, divided
    by the rate. Values are losses of the preceding decision. The average is that of all plans. If
    probabilities fall below a minimum, the losses are replaced by those of the clipped policy.
    """

    def __init__(
        self,
        simulator,
        steps,
        *,
        weight,
        initial,
        adaptivity_exponent,
        decay_exponent,
        center,
        baseline_window,
        min_probability,
        state,
    ):
        self.simulator, self.steps = simulator, steps
        self.weight, self.adaptivity_exponent, self.decay_exponent = (
            weight,
            adaptivity_exponent,
            decay_exponent,
        )
        self.initial, self.baseline_window, self.min_probability = (
            initial,
            baseline_window,
            min_probability,
        )
        self.baseline, self.visits = np.zeros_like(initial), np.zeros_like(initial)
        self.policy = initial.copy()
        self.losses = np.zeros_like(initial)
        self.values = np.zeros(len(weight))
        self.seen, self.taken = np.ones(len(weight)), np.ones_like(initial)
        self.terminal_losses = simulator.losses() - center
        self.draw = Draws(state)
        self.episode = 0
        self.plans = np.zeros_like(initial)

    def play_one(self):
        self.episode += 1
        plan = plan_of(self.simulator, self.policy)
        self.plans += plan
        end, paths = play(self.simulator, self.policy, self.draw)
        for player, path in enumerate(paths):
            self.learn(self.steps[player], path, self.terminal_losses[end, player], plan)

    def learn(self, steps, path, outcome, plan):
        time = self.episode**self.decay_exponent
        loss, passed = outcome, 0.0
        for here, taken in reversed(path):
            own = own_sequences(self.simulator, here)
            explored = (
                steps.implicit_exploration
                * time
                * self.weight[here]
                / self.taken[taken] ** self.adaptivity_exponent
            )
            visible = 1 / (plan[taken] + explored)
            if self.adaptivity_exponent:
                self.taken[taken] += visible
                self.seen[here] += visible / (own.stop - own.start)
            rate = (
                steps.learning_rate
                * time
                * self.weight[here]
                / self.seen[here] ** self.adaptivity_exponent
            )
            led = 1 / (plan[self.simulator.infostates.parent_sequence[here]] + explored)
            self.losses[own] += self.baseline[own] * led
            self.losses[taken] += (loss - self.baseline[taken]) * visible + passed
            if self.baseline_window:
                self.visits[taken] += 1
                share = 1 / min(self.visits[taken], self.baseline_window)
                self.baseline[taken] += (outcome - self.baseline[taken]) * share
            weights = self.initial[own] * np.exp(-rate * self.losses[own])
            value = -np.log(weights.sum()) / rate
            loss, passed, self.values[here] = 0.0, value - self.values[here], value
            self.policy[own] = weights / weights.sum()
            if self.min_probability:
                self.lift(here, own, rate)

    def lift(self, here, own, rate):
        least = min(self.min_probability * rate, 0.5 / (own.stop - own.start))
        lifted = np.maximum(self.policy[own], least)
        self.policy[own] = lifted / lifted.sum()
        self.losses[own] = np.log(self.initial[own] / self.policy[own]) / rate
        self.values[here] = 0.0

    def average(self):
        """Return [S] the behavior of the mean plan."""
        return behavior_of(self.simulator, self.plans)


def behavior_of(simulator, plan):
    """Return [S] the behavior policy of a plan; uniform where its reach is 0."""
    behavior = np.ones_like(plan)
    for here in range(len(simulator.depth)):
        own = own_sequences(simulator, here)
        total = plan[own].sum()
        behavior[own] = plan[own] / total if total > 0 else 1 / (own.stop - own.start)
    return behavior
