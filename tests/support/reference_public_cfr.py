"""Reference CFR on the public tree with ranges, independent of the library's kernels.

At a public state each player has a range: a vector with its own reach of each of its infostates.
Ranges are passed down the tree, and counterfactual values of infostates are passed up. At terminal
public states the values come from matrices of payoffs, weighted by chance probabilities, for pairs
of infostates.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np


class Side:
    """One player's infostates in the public tree, and its regrets and averages."""

    def __init__(self, tree, player):
        own, public = tree.infostate_trees[player], tree.public_tree
        first = public.first_infostate[player]
        self.own = own
        self.members = np.split(public.infostates[player], first[1:-1])
        self.place = np.zeros(own.num_infostates, int)
        for members in self.members:
            self.place[members] = np.arange(len(members))
        sequence = np.where(own.action >= 0, own.first_sequence[own.parent] + own.action, 0)
        self.above = [self.place[own.parent[members]] for members in self.members]
        self.sequences = [sequence[members] for members in self.members]
        self.acting = [np.flatnonzero(own.num_actions[members]) for members in self.members]
        self.behavior = np.ones(own.num_sequences)
        for here in map(self.sequences_at, own.acting):
            self.behavior[here] = 1 / (here.stop - here.start)
        self.regret, self.average, self.worth = np.zeros((3, own.num_sequences))

    def sequences_at(self, infostate):
        first = self.own.first_sequence[infostate]
        return slice(first, first + self.own.num_actions[infostate])

    def range_at(self, state, above):
        """Return the range at a public state, given the range at its parent."""
        return above[self.above[state]] * self.behavior[self.sequences[state]]

    def take(self, state, found, values):
        """Add the values at a public state to the actions or infostates before it."""
        acted = self.sequences[state] > 0
        if acted.any():
            np.add.at(self.worth, self.sequences[state], found * acted)
        if not acted.all():
            np.add.at(values, self.above[state], found * ~acted)

    def learn(self, infostate, reach, weight, plus):
        """Update the average and the regrets; return the values of the policy."""
        here = self.sequences_at(infostate)
        played, worth = self.behavior[here].copy(), self.worth[here].copy()
        self.worth[here] = 0
        value = played @ worth
        self.average[here] += weight * reach * played
        self.regret[here] += worth - value
        positive = np.maximum(self.regret[here], 0)
        if plus:
            self.regret[here] = positive
        total = positive.sum()
        self.behavior[here] = positive / total if total > 0 else 1 / len(positive)
        return value


class PublicCFR:
    """CFR or CFR+ for two players, who alternate.

    With `plus`, negative regrets are replaced by zero, and iteration t has weight t.
    """

    def __init__(self, tree, plus):
        self.plus = plus
        self.iteration = 0
        self.sides = [Side(tree, player) for player in (0, 1)]
        self.children = defaultdict(list)
        for state, parent in enumerate(tree.public_tree.parent.tolist()):
            self.children[parent].append(state)
        self.payoffs = {}
        for history in tree.terminals.tolist():
            self.add_payoff(tree, history)

    def add_payoff(self, tree, history):
        state = int(tree.public_state[history])
        if state not in self.payoffs:
            shape = [len(side.members[state]) for side in self.sides]
            self.payoffs[state] = np.zeros((2, *shape))
        both = zip(self.sides, tree.infostate[history], strict=True)
        first, second = (side.place[infostate] for side, infostate in both)
        paid = tree.chance_reach[history] * tree.rewards_so_far[history]
        self.payoffs[state][:, first, second] += paid

    def step(self):
        """Run one iteration: both players, one after the other."""
        self.iteration += 1
        for learner in (0, 1):
            self.walk(0, [np.ones(1), np.ones(1)], learner)

    def walk(self, state, ranges, learner):
        """Return the counterfactual values of the learner's infostates at a public state."""
        side = self.sides[learner]
        values = np.zeros(len(ranges[learner]))
        if state in self.payoffs:
            earned = self.payoffs[state][learner]
            values += (earned if learner == 0 else earned.T) @ ranges[1 - learner]
        for child in self.children[state]:
            pairs = zip(self.sides, ranges, strict=True)
            below = [own.range_at(child, above) for own, above in pairs]
            side.take(child, self.walk(child, below, learner), values)
        weight = self.iteration if self.plus else 1
        for place in side.acting[state]:
            infostate, reach = side.members[state][place], ranges[learner][place]
            values[place] += side.learn(infostate, reach, weight, self.plus)
        return values

    def average_plan(self, player):
        """Return [Q] the average realization plan."""
        count = self.iteration
        plan = self.sides[player].average / (count * (count + 1) / 2 if self.plus else count)
        plan[0] = 1
        return plan
