"""The kernel against CFR on the public tree with ranges."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from infoset.regret import SCHEMES, RegretMinimizer
from tests.support.cached_games import cached_tree
from tests.support.reference_public_cfr import PublicCFR


def in_general_position(spec):
    """Return a tree without equal payoffs, between which rounding would decide."""
    tree = cached_tree(spec)
    noise = np.random.default_rng(5).normal(size=tree.rewards_so_far.shape)
    return replace(tree, rewards_so_far=tree.rewards_so_far + noise)


TREES = {
    "kuhn": lambda: cached_tree("kuhn_poker"),
    "leduc": lambda: cached_tree("leduc_poker(num_ranks=2)"),
    "liar's dice": lambda: cached_tree("liars_dice(dice_sides=3)"),
    "goofspiel": lambda: in_general_position("goofspiel(num_cards=3)"),
    "random": lambda: in_general_position("random_game(seed=3)"),
}


def assert_equal(kernel, walker):
    for player in (0, 1):
        plan = kernel.average_plans()[player]
        assert np.abs(plan - walker.average_plan(player)).max() < 1e-9
        behavior = kernel.current_probabilities()[player]
        assert np.abs(behavior - walker.sides[player].behavior).max() < 1e-9


@pytest.mark.parametrize(
    ("game", "name"),
    [
        *((game, "cfr") for game in TREES if game != "leduc"),
        *((game, "cfr+") for game in TREES if game != "goofspiel"),
    ],
)
def test_iterations_1_2_and_10_agree_with_cfr_on_the_public_tree(game, name):
    tree = TREES[game]()
    kernel = RegretMinimizer(tree.sequence_form, SCHEMES[name])
    walker = PublicCFR(tree, plus=name == "cfr+")
    for iterations in (1, 2, 10):
        kernel.run(iterations - kernel.iteration)
        while walker.iteration < iterations:
            walker.step()
        assert_equal(kernel, walker)
