"""Game trees built once per test process, and random policies for them."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np

from infoset.games import load_game
from infoset.policy import random_policy
from infoset.tree import build_tree


@cache
def cached_tree(spec):
    """Return the tree of a game."""
    return build_tree(load_game(spec))


@cache
def cached_random_policies(spec, number=1, seed=3):
    """Return random policies, drawn one after another with a seed."""
    rng = np.random.default_rng(seed)
    return [random_policy(cached_tree(spec).sequence_form, rng) for _ in range(number)]


@cache
def cached_tree_without_ties(spec):
    """Return the tree of a zero-sum game for two whose payoffs are changed by fixed numbers.

    At a tie, rounding decides which action is better, and it differs between forms of a game.
    """
    tree = cached_tree(spec)
    noise = 0.3 * np.random.default_rng(5).normal(size=len(tree.rewards_so_far))
    return replace(tree, rewards_so_far=tree.rewards_so_far + np.stack([noise, -noise], axis=1))
