"""Sequence layouts and block payoffs, against the plain list of terminals."""

from __future__ import annotations

from itertools import pairwise
from operator import attrgetter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infoset.forms import action_major_layout, block_gradient, block_payoffs
from infoset.regret import SCHEMES, RegretMinimizer
from infoset.tree import build_tree
from infoset.utils.simd import LANES
from tests.support.cached_games import cached_tree
from tests.support.hypothesis_strategies import random_games
from tests.support.reference_regret import ReferenceMinimizer, generic, gradient_of


def form_of(spec):
    return cached_tree(spec).sequence_form


def plain_layouts(form):
    return tuple(map(action_major_layout, form.treeplexes))


def assert_gradients_are_plain_sums(form, layouts, seed):
    rng = np.random.default_rng(seed)
    plans = [rng.uniform(-1, 1, plex.num_sequences) for plex in form.treeplexes]
    for player, layout in enumerate(layouts):
        pairs = block_payoffs(form.terminal_sequence, form.payoff[:, player], layouts, player)
        gradient = np.full(len(plans[player]), np.nan)
        other = layouts[1 - player].to_positions(plans[1 - player])
        block_gradient(pairs, other, gradient)
        expected = gradient_of(form, player, plans)
        assert np.allclose(layout.to_sequences(gradient), expected, rtol=0, atol=1e-12)


@given(random_games(), st.integers(0, 2**32), st.booleans())
def test_block_payoffs_give_the_gradients_of_random_games(game, seed, knows_public_states):
    form = build_tree(game).sequence_form
    if form.num_players == 2:
        layouts = form.layouts if knows_public_states else plain_layouts(form)
        assert_gradients_are_plain_sums(generic(form, seed), layouts, seed)


@pytest.mark.parametrize(
    "spec", ["leduc_poker", "liars_dice(dice_sides=4)", "goofspiel(num_cards=3)"]
)
@pytest.mark.parametrize("layouts_of", [attrgetter("layouts"), plain_layouts])
def test_block_payoffs_give_the_gradients_of_games_with_many_equal_rows(spec, layouts_of):
    form = form_of(spec)
    assert_gradients_are_plain_sums(form, layouts_of(form), 1)


@pytest.mark.parametrize("spec", ["leduc_poker", "liars_dice(dice_sides=4)"])
def test_each_row_of_payoffs_is_stored_once_and_is_not_empty(spec):
    form = form_of(spec)
    for player in range(2):
        pairs = block_payoffs(form.terminal_sequence, form.payoff[:, player], form.layouts, player)
        rows = pairs.payoff.reshape(-1, LANES)
        assert len(np.unique(rows, axis=0)) == len(rows)
        assert rows.any(axis=1).all()
        assert len(rows) < len(pairs.row) / 8
        assert np.count_nonzero(rows[pairs.where // LANES]) == form.num_payoffs


@given(random_games())
def test_blocks_separate_actions_and_public_states(game):
    form = build_tree(game).sequence_form
    for layout, plex, tree in zip(form.layouts, form.treeplexes, form.infostate_trees, strict=True):
        assert layout.blocks[0] == 0
        assert layout.blocks[-1] == plex.num_sequences
        assert layout.blocks[1] == 1
        for start, end in pairwise(layout.blocks[1:].tolist()):
            assert 0 < end - start <= LANES
            sequences = np.flatnonzero((layout.position >= start) & (layout.position < end))
            owners = plex.infostate_of_sequence[sequences]
            assert len({*tree.public_state[tree.acting][owners]}) == 1
            assert len({*(sequences - plex.first_sequence[owners])}) == 1


@pytest.mark.parametrize("spec", ["kuhn_poker", "leduc_poker", "liars_dice(dice_sides=4)"])
def test_one_iteration_computes_the_values_of_direct_sums(spec):
    form = form_of(spec)
    fast, slow = RegretMinimizer(form, SCHEMES["cfr"]), ReferenceMinimizer(form, alternating=True)
    fast.run(1)
    slow.step(SCHEMES["cfr"].schedule(1, 1)[0])
    for player in range(2):
        assert np.allclose(fast.regrets(player), slow.regrets[player], rtol=0, atol=1e-12)
