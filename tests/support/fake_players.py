"""Players that stand in for searchers; in a module of their own, so that processes find them."""

from __future__ import annotations

import os

import numpy as np


class SampledActionSearcher:
    """A searcher that is sure of one action, drawn from a table: its average is the table."""

    def __init__(self, policy):
        self.policy = policy

    def search(self, infostate, rng):
        form = self.policy.sequence_form
        tree = form.infostate_trees[infostate.player]
        legal_actions = tree.legal_actions(tree.index_of(infostate))
        answer = self.policy.action_probabilities(infostate, legal_actions)
        return np.eye(len(answer))[rng.choice(len(answer), p=answer)]


class NoisySearcher:
    """A searcher that adds noise to a table: its average is the table and the uniform policy."""

    def __init__(self, policy, noise):
        self.policy = policy
        self.noise = noise

    def search(self, infostate, rng):
        tree = self.policy.sequence_form.infostate_trees[infostate.player]
        legal_actions = tree.legal_actions(tree.index_of(infostate))
        answer = self.policy.action_probabilities(infostate, legal_actions)
        drawn = rng.standard_exponential(len(answer))
        return (1 - self.noise) * answer + self.noise * drawn / drawn.sum()


class FailingPolicy:
    """A policy that fails at one of the times it is asked."""

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
    """A policy that takes its process with it."""

    def action_probabilities(self, infostate, legal_actions):
        os._exit(1)
