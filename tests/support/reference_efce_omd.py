"""Reference implementation of balanced EFCE-OMD in plain Python, with dense matrices.


The log-partition function and the deviation are written as in the paper, and a fixed point is
computed by linear equations. Only the tree and the random numbers are shared with the library.
"""

from __future__ import annotations

import numpy as np

from tests.support.reference_tree import ReferenceStream, ReferenceTree


class ReferenceTriggers:
    """A player's sequences and triggers as lists, and the functions of M [Q, Q] on them.

    Column g of M belongs to trigger g; its rows are sequences.
    """

    def __init__(self, tree, player):
        self.tree = tree
        self.sequences = [owner for owner in tree.owner.values() if tree.player[owner[0]] == player]
        self.number = {sequence: n for n, sequence in enumerate(self.sequences)}
        self.exploring = [tree.exploring(layer) for layer in range(tree.num_layers[player])]

    def __len__(self):
        return len(self.sequences)

    def way(self, sequence):
        """Return the sequences on the path to a sequence, including itself."""
        return [*self.tree.above[sequence[0]], sequence]

    def follows(self, sequence, here):
        """Return whether a sequence is at an infostate or below it."""
        return here in [x for x, _ in self.way(sequence)]

    def weight(self, start, here):
        """Return μ*ʰ from an infostate to another, h the layer of the second."""
        product = 1 / self.tree.num_actions[here]
        for x, action in self.tree.above[here]:
            if self.tree.layer(x) >= self.tree.layer(start):
                product *= self.exploring[self.tree.layer(here)][x][action]
        return product

    def partition(self, matrix, trigger, here):
        """Return F*_{g,x}(M) and, by sequence, the policy that is its gradient."""
        weight, policies, logits = self.weight(trigger[0], here), {}, []
        for action in range(self.tree.num_actions[here]):
            logit = -matrix[self.number[here, action], self.number[trigger]]
            for child in self.tree.children(here, action):
                value, below = self.partition(matrix, trigger, child)
                logit += value
                policies |= below
            logits.append(logit)
        logits = np.array(logits)
        top = logits.max()
        shares = np.exp(weight * (logits - top))
        policies[here] = shares / shares.sum()
        return top + np.log(shares.sum()) / weight, policies

    def exponents(self, matrix):
        """Return [Q] the exponents in the log-partition function."""
        found = []
        for trigger in self.sequences:
            kept = [s for s in self.sequences if trigger not in self.way(s)]
            value, _ = self.partition(matrix, trigger, trigger[0])
            rest = sum(matrix[self.number[s], self.number[s]] for s in kept)
            found.append((value - rest) / len(self))
        return np.array(found)

    def log_partition(self, matrix):
        """Return F_bal(M) = XA log Σ exp(exponents)."""
        exponents = self.exponents(matrix)
        return len(self) * (exponents.max() + np.log(np.exp(exponents - exponents.max()).sum()))

    def plan_after(self, matrix, trigger):
        """Return [Q] the plan of m_g from x_g on; 0 elsewhere."""
        _, policies = self.partition(matrix, trigger, trigger[0])
        return plan_from(self, policies, trigger[0])

    def deviation(self, matrix):
        """Return φ [Q, Q] = Σ λ_g (I - E_g + m_g e_gᵀ)."""
        exponents = self.exponents(matrix)
        shares = np.exp(exponents - exponents.max())
        return assemble(
            self, shares / shares.sum(), [self.plan_after(matrix, g) for g in self.sequences]
        )

    def fixed_point(self, deviation):
        """Return [Q] the plan μ with φ μ = μ, by least squares on that and on flows."""
        rows, ends = [*(deviation - np.eye(len(self)))], [0.0] * len(self)
        for here in sorted({x for x, _ in self.sequences}):
            row = np.zeros(len(self))
            row[[self.number[s] for s in self.sequences if s[0] == here]] = 1
            if self.tree.above[here]:
                row[self.number[self.tree.above[here][-1]]] = -1
            rows.append(row)
            ends.append(0.0 if self.tree.above[here] else 1.0)
        plan, _, rank, _ = np.linalg.lstsq(np.array(rows), np.array(ends), rcond=None)
        assert rank == len(self)
        return plan


def plan_from(triggers, policies, start):
    """Return [Q] the product of policies from an infostate on; 0 elsewhere."""
    plan = np.zeros(len(triggers))
    for number, sequence in enumerate(triggers.sequences):
        if triggers.follows(sequence, start):
            plan[number] = np.prod(
                [
                    policies[x][action]
                    for x, action in triggers.way(sequence)
                    if triggers.tree.layer(x) >= triggers.tree.layer(start)
                ]
            )
    return plan


def assemble(triggers, shares, plans):
    """Return Σ λ_g (I - E_g + m_g e_gᵀ)."""
    deviation = np.zeros((len(triggers), len(triggers)))
    for number, (trigger, share, plan) in enumerate(
        zip(triggers.sequences, shares, plans, strict=True)
    ):
        for row, sequence in enumerate(triggers.sequences):
            if trigger not in triggers.way(sequence):
                deviation[row, row] += share
        deviation[:, number] += share * plan
    return deviation


class ReferenceEfce:
    """Balanced EFCE-OMD for all players."""

    def __init__(self, simulator, numbers, seed_state):
        self.tree = ReferenceTree(simulator)
        self.losses = simulator.losses()
        self.stream = ReferenceStream(seed_state)
        self.players = [ReferenceTriggers(self.tree, p) for p in range(simulator.num_players)]
        self.numbers = numbers
        self.matrices = [np.zeros((len(own), len(own))) for own in self.players]
        self.solve()

    def solve(self):
        """Set the plans of all players to the fixed points of their deviations."""
        self.plans, self.policies = [], [None] * self.tree.num_infostates
        for own, matrix, (rate, _) in zip(self.players, self.matrices, self.numbers, strict=True):
            plan = own.fixed_point(own.deviation(rate * matrix))
            self.plans.append(plan)
            for here in {x for x, _ in own.sequences}:
                cumulative_plan = np.array(
                    [plan[own.number[s]] for s in own.sequences if s[0] == here]
                )
                self.policies[here] = cumulative_plan / cumulative_plan.sum()

    def estimate(self, player, path, loss):
        """Return [Q, Q] the increment of M in an episode."""
        own, plan = self.players[player], self.plans[player]
        rate, exploration = self.numbers[player]
        added = np.zeros((len(own), len(own)))
        if path:
            here, last = path[-1][0], own.number[path[-1]]
            covering = own.weight(path[0][0], here)
            for column, trigger in enumerate(own.sequences):
                if own.follows(path[-1], trigger[0]):
                    instead = own.plan_after(rate * self.matrices[player], trigger)[last]
                    bias = exploration * (covering + plan[column] * instead)
                    added[last, column] = plan[column] * loss / (plan[last] + bias)
        return added

    def episode(self):
        end, paths = self.tree.play(self.stream, lambda here, step: self.policies[here])
        added = [self.estimate(p, path, self.losses[end, p]) for p, path in enumerate(paths)]
        self.matrices = [matrix + more for matrix, more in zip(self.matrices, added, strict=True)]
        self.solve()
