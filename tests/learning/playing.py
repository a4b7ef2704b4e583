"""Helpers for self-play of any learner."""

from __future__ import annotations

from functools import cache

import numpy as np

from infoset.evaluation import evaluate_policy
from infoset.games import RandomGame, load_game
from infoset.learning import make_simulator
from infoset.tree import build_tree

UNEVEN = RandomGame(seed=3, max_depth=6, max_actions=4, max_histories=300)
"""With layers of many sizes, in which actions lead to subtrees of many sizes."""


@cache
def simulator_of(game):
    return make_simulator(build_tree(load_game(game) if isinstance(game, str) else game))


def learner_of(row, game="kuhn_poker", horizon=1000, seed=0):
    return row.self_play(simulator_of(game), horizon=horizon, seed=seed)


def nash_conv(row, episodes, seed, game="kuhn_poker"):
    learner = learner_of(row, game, episodes, seed)
    learner.run(episodes)
    return evaluate_policy(learner.policy()).nash_conv


def assert_same_bits(first, second):
    for name, array in first.state().items():
        np.testing.assert_array_equal(array, second.state()[name], err_msg=name)
