"""The tree of a simulator in plain Python, used by reference implementations of learners."""

from __future__ import annotations

from functools import cached_property
from math import prod

import numpy as np

MASK = 2**64 - 1


class ReferenceStream:
    """SplitMix64 on Python integers."""

    def __init__(self, state):
        self.state = int(state)

    def uniform(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        mixed = self.state
        mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & MASK
        return ((mixed ^ (mixed >> 31)) >> 11) / 2**53

    def draw(self, policy):
        left = self.uniform()
        for action, probability in enumerate(policy[:-1]):
            left -= probability
            if left < 0:
                return action
        return len(policy) - 1


class ReferenceTree:
    """The infostates of a simulator as lists, with their parents and successors."""

    def __init__(self, simulator):
        self.simulator = simulator
        self.nodes = simulator.nodes
        rows = simulator.infostates
        self.player = [int(player) for player in rows.player]
        self.num_actions = [int(count) for count in rows.num_actions]
        owner = {
            int(first) + action: (here, action)
            for here, first in enumerate(rows.first_sequence)
            for action in range(self.num_actions[here])
        }
        self.owner = owner
        self.above = []
        for sequence in rows.parent_sequence:
            parent = owner.get(int(sequence))
            self.above.append([*self.above[parent[0]], parent] if parent else [])

    @property
    def num_infostates(self):
        return len(self.player)

    def layer(self, here):
        return len(self.above[here])

    @cached_property
    def num_layers(self):
        """Return the maximum number of decisions of each player."""
        most = [0] * self.simulator.num_players
        for here, player in enumerate(self.player):
            most[player] = max(most[player], self.layer(here) + 1)
        return most

    def children(self, here, action):
        return [x for x in range(self.num_infostates) if self.above[x][-1:] == [(here, action)]]

    def sequences_below(self, here, action, layer=None):
        """Return the number of sequences, of one or all layers, that contain (here, action)."""
        found = 0
        for below in range(self.num_infostates):
            if layer is not None and self.layer(below) != layer:
                continue
            if (here, action) in self.above[below]:
                found += self.num_actions[below]
            found += below == here
        return found

    def exploring(self, layer):
        """Return μ*ʰ of all infostates by counting."""
        policies = []
        for here, size in enumerate(self.num_actions):
            counts = [self.sequences_below(here, action, layer) for action in range(size)]
            total = sum(counts)
            policies.append(np.array(counts) / total if total else np.full(size, 1 / size))
        return policies

    def by_subtree(self):
        """Return b(a|x) of all infostates by counting."""
        sizes = [
            np.array([self.sequences_below(here, action) for action in range(size)], float)
            for here, size in enumerate(self.num_actions)
        ]
        return [size / size.sum() for size in sizes]

    def reach(self, policies, here):
        """Return the own reach of an infostate."""
        return prod(policies[above][action] for above, action in self.above[here])

    def flat(self, values):
        """Return [S] values of infostates; 1 at empty sequences."""
        sequences = np.ones(self.simulator.num_sequences)
        for sequence, (here, action) in self.owner.items():
            sequences[sequence] = values[here][action]
        return sequences

    def play(self, stream, policy_of):
        """Play an episode; return its terminal, and the decisions of each player in order.

        `policy_of(here, layer)` is what the actor follows.
        """
        paths = [[] for _ in range(self.simulator.num_players)]
        node = 0
        while self.nodes.num_children[node]:
            here, first = int(self.nodes.kind[node]), int(self.nodes.first[node])
            if here >= 0:
                path = paths[self.player[here]]
                action = stream.draw(policy_of(here, len(path)))
                path.append((here, action))
                node = first + action
            else:
                place = stream.uniform() * int(self.nodes.num_children[node])
                child = first + int(place)
                kept = place - int(place) < self.nodes.keep[child]
                node = child if kept else first + int(self.nodes.other[child])
        return int(self.nodes.first[node]), paths

    def trajectories(self, policy_of):
        """Yield every play with its probability, its terminal and the decisions of each player."""
        waiting = [(0, 1.0, [[] for _ in range(self.simulator.num_players)])]
        while waiting:
            node, probability, paths = waiting.pop()
            first, count = int(self.nodes.first[node]), int(self.nodes.num_children[node])
            here = int(self.nodes.kind[node])
            if not count:
                yield probability, first, paths
            elif here >= 0:
                player = self.player[here]
                for action, chance in enumerate(policy_of(here, len(paths[player]))):
                    further = [list(path) for path in paths]
                    further[player].append((here, action))
                    waiting.append((first + action, probability * chance, further))
            else:
                children = range(first, first + count)
                chance = np.array([self.nodes.keep[child] for child in children])
                for rank, child in enumerate(children):
                    chance[self.nodes.other[child]] += 1 - self.nodes.keep[first + rank]
                for rank, child in enumerate(children):
                    waiting.append((child, probability * chance[rank] / count, paths))


def losses_by_sequence(tree, policies, player):
    """Return l(x, a) of a player's infostates: terminal losses weighted by the reach of others."""
    losses = tree.simulator.losses()
    found = [np.zeros(size) for size in tree.num_actions]
    others = [
        np.full(size, 1 / size) if tree.player[here] == player else policies[here]
        for here, size in enumerate(tree.num_actions)
    ]
    for probability, end, paths in tree.trajectories(lambda here, step: others[here]):
        if paths[player]:
            own = np.prod([1 / tree.num_actions[here] for here, _ in paths[player]])
            here, action = paths[player][-1]
            found[here][action] += probability / own * losses[end, player]
    return found


def counterfactual_losses(tree, policies, losses):
    """Return L(x, a) = l(x, a) + Σ <policy, L> at the infostates that follow."""
    found = [loss.copy() for loss in losses]
    for here in reversed(range(tree.num_infostates)):
        for below in range(tree.num_infostates):
            if tree.above[below][-1:] and tree.above[below][-1][0] == here:
                action = tree.above[below][-1][1]
                found[here][action] += policies[below] @ found[below]
    return found
