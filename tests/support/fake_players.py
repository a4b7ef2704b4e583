"""Fake searchers and policies for tests of matches, importable by worker processes."""

from __future__ import annotations

import os

import numpy as np


class SampledActionSearcher:
    """A searcher that returns one action sampled from a policy; its average is that policy."""

    def __init__(self, policy):
        self.policy = policy

    def search(self, infostate, rng):
        form = self.policy.form
        tree = form.infostate_trees[infostate.player]
        legal_actions = tree.legal_actions(tree.index_of(infostate))
        answer = self.policy.action_probabilities(infostate, legal_actions)
        return np.eye(len(answer))[rng.choice(len(answer), p=answer)]


class NoisySearcher:
    """A searcher that mixes random noise into a policy; its average mixes in the uniform policy."""

    def __init__(self, policy, noise):
        self.policy = policy
        self.noise = noise

    def search(self, infostate, rng):
        tree = self.policy.form.infostate_trees[infostate.player]
        legal_actions = tree.legal_actions(tree.index_of(infostate))
        answer = self.policy.action_probabilities(infostate, legal_actions)
        drawn = rng.standard_exponential(len(answer))
        return (1 - self.noise) * answer + self.noise * drawn / drawn.sum()


class FailingPolicy:
    """A policy that raises KeyboardInterrupt at a given query."""

    def __init__(self, policy, time):
        self.policy = policy
        self.left = time

    def action_probabilities(self, infostate, legal_actions):
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt
        return self.policy.action_probabilities(infostate, legal_actions)

    def __repr__(self):
        return "FailingPolicy"


class CrashingPolicy:
    """A policy that ends its process when queried."""

    def action_probabilities(self, infostate, legal_actions):
        os._exit(1)
