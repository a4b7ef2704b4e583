"""Mixtures, distances and decompositions of policies, and their transfer to other games."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infoset import load
from infoset.efg import (
    as_game,
    build_extensive_form,
    chance,
    decision,
    extensive_form_from_nodes,
    forget_non_acting,
    terminal,
    world_of_history,
)
from infoset.errors import ParameterError, PolicyMismatchError
from infoset.evaluation import evaluate_policy
from infoset.games import load_game
from infoset.matches import exact_match
from infoset.policy import (
    TabularPolicy,
    decompose_plan,
    random_policy,
    transfer_policy,
    uniform_policy,
)
from infoset.tree import build_tree
from tests.support.cached_games import cached_tree
from tests.support.hypothesis_strategies import random_games

FILES = Path(__file__).parents[1] / "efg" / "files" / "games"


def late_guess():
    """Return a padded form in which the guessing player does not observe the time."""
    guess = decision(1, "guess", {"left": terminal(1, -1), "right": terminal(-1, 1)})
    other = decision(1, "guess", {"left": terminal(-1, 1), "right": terminal(1, -1)})
    slow = decision(0, "once more", {"wait": other, "stop": terminal(2, 0)})
    return extensive_form_from_nodes(
        chance({"early": (0.25, guess), "late": (0.75, slow), "never": (0.0, guess)}), players=2
    )


FORMS = {
    "padded": late_guess,
    "paid at the root": lambda: load(str(FILES / "toll_road.efg")),
    "three players": lambda: load(str(FILES / "horse.efg")),
    "cards": lambda: load(str(FILES / "one_card_poker.efg")),
    "augmented": lambda: build_extensive_form(load_game("kuhn_poker")),
    "classical": lambda: forget_non_acting(
        build_extensive_form(load_game("liars_dice(dice_sides=2)"))
    ),
}


@pytest.mark.parametrize("name", FORMS)
def test_a_transferred_policy_plays_the_same(name):
    form = FORMS[name]()
    tree = build_tree(as_game(form))
    policy = random_policy(form.sequence_form, np.random.default_rng(0))
    moved = transfer_policy(policy, tree)
    assert moved.form is tree.sequence_form
    before, after = evaluate_policy(policy), evaluate_policy(moved)
    assert after.values == pytest.approx(before.values)
    assert after.gains == pytest.approx(before.gains)


def test_histories_are_matched_in_padded_forms():
    form = late_guess()
    tree = build_tree(as_game(form))
    never, waits = 3, 1
    assert tree.num_histories == form.num_histories - never + waits
    numbers = world_of_history(form)
    assert len(set(numbers.tolist())) == form.num_histories
    padded = tree.game.form
    assert (padded.actor[numbers] == form.actor).all()
    assert padded.utility[numbers][form.terminals].tolist() == (
        form.utility[form.terminals].tolist()
    )


def test_matches_accept_policies_of_the_form():
    form = FORMS["padded"]()
    tree = build_tree(as_game(form))
    policy = random_policy(form.sequence_form, np.random.default_rng(0))
    assert exact_match(tree, policy, None) == exact_match(tree, transfer_policy(policy, tree), None)


def test_a_policy_of_the_tree_itself_is_returned_as_is():
    tree = build_tree(as_game(late_guess()))
    policy = uniform_policy(tree.sequence_form)
    assert transfer_policy(policy, tree) is policy


@pytest.mark.parametrize("make", [lambda: as_game(late_guess()), lambda: load_game("leduc_poker")])
def test_a_policy_of_another_game_is_refused(make):
    kuhn = uniform_policy(build_extensive_form(load_game("kuhn_poker")).sequence_form)
    with pytest.raises(PolicyMismatchError, match=r"for kuhn_poker, not for .*; give a policy"):
        transfer_policy(kuhn, build_tree(make()))


@cache
def kuhn_form():
    return cached_tree("kuhn_poker").sequence_form


def leaves(plex):
    """Return the number of sequences that no infostate follows."""
    return plex.num_sequences - len(set(plex.parent_sequence.tolist()))


def is_reduced_plan(plex, taken):
    """Return whether a plan takes one action at reached infostates, and none elsewhere."""
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
def test_a_decomposition_is_small_and_sums_to_the_plan(game, seed, share_of_zeros):
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
    plex = kuhn_form().treeplexes[0]
    policy = uniform_policy(kuhn_form())
    own = policy.probabilities[0].copy()
    tree = kuhn_form().infostate_trees[0]
    for label, bet in {"[J]": 1 / 3, "[Q]": 0.0, "[K]": 1.0}.items():
        first = int(tree.first_sequence[tree.acting[tree.acting_labels.index(label)]])
        own[first : first + 2] = 1 - bet, bet
    pure, shares = decompose_plan(
        plex, TabularPolicy(kuhn_form(), (own, policy.probabilities[1])).realization_plan(0)
    )
    assert shares == pytest.approx([1 / 3, 1 / 3, 1 / 6, 1 / 6])
    assert pure.sum(axis=1).tolist() == [6, 6, 5, 5]


def test_a_pure_plan_is_its_own_decomposition():
    plan = np.zeros(kuhn_form().treeplexes[0].num_sequences)
    plan[0] = 1
    for parent, first in zip(
        kuhn_form().treeplexes[0].parent_sequence,
        kuhn_form().treeplexes[0].first_sequence,
        strict=True,
    ):
        plan[first] = plan[parent]
    pure, shares = decompose_plan(kuhn_form().treeplexes[0], plan)
    assert np.array_equal(pure, [plan > 0])
    assert shares.tolist() == [1.0]


def test_invalid_plans_are_refused():
    plex = kuhn_form().treeplexes[0]
    behavior = random_policy(kuhn_form(), np.random.default_rng(1)).probabilities[0]
    with pytest.raises(ParameterError, match="realization_plan"):
        decompose_plan(plex, np.ones(plex.num_sequences))
    with pytest.raises(ParameterError, match=r"acting infostate \d+ sums to"):
        decompose_plan(plex, behavior)
    for wrong in (behavior[:-1], -behavior, 2 * behavior, behavior * np.nan):
        with pytest.raises(ParameterError, match="none negative"):
            decompose_plan(plex, wrong)
