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
from infoset.forms import lock
from infoset.games import load_game
from infoset.matches import exact_match
from infoset.policy import (
    TabularPolicy,
    complete_policy,
    decompose_plan,
    distance,
    random_policy,
    transfer_by_labels,
    transfer_policy,
    uniform_policy,
)
from infoset.tree import build_public_form, build_tree
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


TURN = "nolimit_endgame(board=Ks9d8h4s,bets=[1],max_raises=1,ranges=['AK,QQ';'QQ,JTs,99'])"


def drawn(form):
    return random_policy(form, np.random.default_rng(5))


def test_transfer_to_another_board():
    """Lines and hands of both boards keep their probabilities; the others are uniform."""
    policy = drawn(build_public_form(load(TURN)))
    other = build_public_form(load(TURN.replace("8h4s", "8h4c")))
    found, share = transfer_by_labels(policy, other)
    for line in ("check", "check / check / 7d"):
        assert found["QdQh", line] == policy["QdQh", line]
    # The card of one board is a hand, or a river, on the other only.
    for hand, line in (("AsKh", "check / check / 4s"), ("QdQh", "check / check / 4s / check")):
        assert len(set(found[hand, line].values())) == 1
    uniform = uniform_policy(other)
    same, known = 0, 0
    for own, even, plex in zip(
        found.probabilities, uniform.probabilities, other.treeplexes, strict=True
    ):
        is_even = np.maximum.reduceat(np.abs(own - even)[1:], plex.first_sequence - 1) < 1e-12
        same += int((~is_even).sum())
        known += plex.num_infostates
    assert share == pytest.approx(same / known, abs=1e-3)
    assert 0.9 < share < 1
    back, _ = transfer_by_labels(found, policy.form)
    assert back["AhKd", "bet 100 / call / 2c"] == policy["AhKd", "bet 100 / call / 2c"]


@pytest.mark.parametrize("merges", [True, False])
def test_transfer_between_merged_and_listed_hands(merges):
    """A merged line corresponds to its representative, with hands permuted in the same way."""
    spec = "nolimit_endgame(board=Ks9s8s4s,bets=[1],max_raises=1,ranges=['AK,QQ';'QQ,JTs,99'])"
    one, other = (
        build_public_form(load(spec.replace("8s4s", card)), merge_symmetric=merges)
        for card in ("8s4s", "8s3s")
    )
    policy = drawn(one)
    found, share = transfer_by_labels(policy, other)
    assert 0.9 < share < 1
    for line in ("bet 100 / call / 2c", "bet 100 / call / 2d", "bet 100 / call / 2h"):
        for hand in ("QdQh", "QcQh", "AcKd"):
            assert found[hand, line] == policy[hand, line]


def test_transfer_where_actions_differ():
    """The size of the first bet is another; the line after a check is the same."""
    river = "nolimit_endgame(board=Ks9d8h4s2c,ranges=['AK,QQ';'QQ,JTs,99'],bets=['50c';'{}c'])"
    policy = drawn(build_public_form(load(river.format(100))))
    other = build_public_form(load(river.format(120)))
    found, share = transfer_by_labels(policy, other)
    assert found["QhQd", "bet 50"] == policy["QhQd", "bet 50"]
    assert len(set(found["AhKd", "(start)"].values())) == 1
    assert 0 < share < 0.6


@pytest.mark.parametrize("spec", ["leduc_poker", "kuhn_poker"])
def test_transfer_by_labels_within_a_game(spec):
    """It equals `transfer_policy`, and locks replace its probabilities on locked forms."""
    tree, public = cached_tree(spec).sequence_form, build_public_form(load(spec))
    policy, share = transfer_by_labels(drawn(tree), public)
    assert share == 1
    assert distance(transfer_by_labels(policy, tree).policy, drawn(tree)) < 1e-12
    assert transfer_by_labels(policy, public) == (policy, 1.0)
    line = "pass" if spec == "kuhn_poker" else "call"
    locked = lock(public, {line: policy.at_node(public.find_line(line)[0])})
    narrow, share = transfer_by_labels(policy, locked)
    assert share == 1
    assert distance(complete_policy(narrow), policy) < 1e-12
    assert distance(transfer_by_labels(narrow, public).policy, policy) < 1e-12


def test_transfer_between_trees():
    """Infostates are matched by their texts; one game has one more card or rank."""
    small, large = (build_tree(load(f"kuhn_poker(num_cards={n})")).sequence_form for n in (3, 4))
    policy = drawn(small)
    found, share = transfer_by_labels(policy, large)
    assert share == 0.75
    assert found["[K] / bet", 1] == policy["[K] / bet", 1]
    assert found["[A]", 0] == {"pass": 0.5, "bet": 0.5}
    assert transfer_by_labels(found, small).policy.digest == policy.digest


@pytest.mark.parametrize("spec", ["leduc_poker", "kuhn_poker(players=3)", "matrix_mp"])
def test_a_policy_without_common_labels_is_refused(spec):
    policy = drawn(cached_tree("kuhn_poker").sequence_form)
    with pytest.raises(PolicyMismatchError, match=r"is for kuhn_poker, which has no infostate"):
        transfer_by_labels(policy, cached_tree(spec).sequence_form)
