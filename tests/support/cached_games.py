"""Games compiled once for all tests of a process, and policies of them at random."""

from __future__ import annotations

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
    """Return policies drawn one after another by a seed."""
    rng = np.random.default_rng(seed)
    return [random_policy(cached_tree(spec).sequence_form, rng) for _ in range(number)]
