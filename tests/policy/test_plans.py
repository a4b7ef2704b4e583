"""Realization plans as mixtures of pure ones."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infoset.errors import ParameterError
from infoset.games import load_game
from infoset.policy import TabularPolicy, decompose_plan, random_policy, uniform_policy
from infoset.tree import build_tree
from strategies import random_games

KUHN = build_tree(load_game("kuhn_poker")).sequence_form


def leaves(plex):
    """Return the number of sequences that no infostate follows."""
    return plex.num_sequences - len(set(plex.parent_sequence.tolist()))


def is_reduced_plan(plex, taken):
    """Whether exactly one action is taken where the plan comes, and none elsewhere."""
    counts = [
        taken[first : first + count].sum()
        for first, count in zip(plex.first_sequence, plex.num_actions, strict=True)
    ]
    return (
        taken[0]
        and np.array_equal(np.array(counts, bool), taken[plex.parent_sequence])
        and max(counts, default=0) <= 1
    )


@given(random_games(max_histories=200), st.integers(0, 2**32), st.sampled_from([0.0, 0.5]))
def test_the_mixture_is_the_plan_and_small(game, seed, share_of_zeros):
    form = build_tree(game).sequence_form
    rng = np.random.default_rng(seed)
    weights = [
        rng.standard_exponential(plex.num_sequences)
        * (rng.random(plex.num_sequences) > share_of_zeros)
        for plex in form.treeplexes
    ]
    policy = TabularPolicy.from_weights(form, weights)
    for player, plex in enumerate(form.treeplexes):
        plan = policy.realization_plan(player)
        pure, shares = decompose_plan(plex, plan)
        assert shares.sum() == pytest.approx(1, abs=1e-14)
        assert (shares > 0).all()
        assert np.abs(shares @ pure - plan).max() < 1e-12
        assert len(shares) <= max(1, leaves(plex))
        assert all(is_reduced_plan(plex, taken) for taken in pure)
        assert len({taken.tobytes() for taken in pure}) == len(pure)
        assert (np.diff(shares) <= 1e-15).all()


def test_a_mixture_by_hand():
    """Bet 1/3 with J, never with Q, always with K; after pass and bet, call half the time."""
    plex = KUHN.treeplexes[0]
    policy = uniform_policy(KUHN)
    own = policy.probabilities[0].copy()
    tree = KUHN.infostate_trees[0]
    for label, bet in {"[J]": 1 / 3, "[Q]": 0.0, "[K]": 1.0}.items():
        first = int(tree.first_sequence[tree.acting[tree.acting_labels.index(label)]])
        own[first : first + 2] = 1 - bet, bet
    pure, shares = decompose_plan(
        plex, TabularPolicy(KUHN, (own, policy.probabilities[1])).realization_plan(0)
    )
    assert shares == pytest.approx([1 / 3, 1 / 3, 1 / 6, 1 / 6])
    assert pure.sum(axis=1).tolist() == [6, 6, 5, 5]


def test_a_pure_plan_is_itself():
    plan = np.zeros(KUHN.treeplexes[0].num_sequences)
    plan[0] = 1
    for parent, first in zip(
        KUHN.treeplexes[0].parent_sequence, KUHN.treeplexes[0].first_sequence, strict=True
    ):
        plan[first] = plan[parent]
    pure, shares = decompose_plan(KUHN.treeplexes[0], plan)
    assert np.array_equal(pure, [plan > 0])
    assert shares.tolist() == [1.0]


def test_what_is_refused():
    plex = KUHN.treeplexes[0]
    behavior = random_policy(KUHN, np.random.default_rng(1)).probabilities[0]
    with pytest.raises(ParameterError, match="realization_plan"):
        decompose_plan(plex, np.ones(plex.num_sequences))
    with pytest.raises(ParameterError, match=r"acting infostate \d+ sums to"):
        decompose_plan(plex, behavior)
    for wrong in (behavior[:-1], -behavior, 2 * behavior, behavior * np.nan):
        with pytest.raises(ParameterError, match="none negative"):
            decompose_plan(plex, wrong)
