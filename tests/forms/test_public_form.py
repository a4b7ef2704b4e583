"""Public forms against sequence forms of the same games, and operators against matrices."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infoset.errors import (
    ParameterError,
    PolicyMismatchError,
    UnknownNameError,
    UnsupportedGameError,
)
from infoset.evaluation import evaluate_policy
from infoset.forms import (
    Dense,
    Fold,
    HandPrior,
    PublicForm,
    PublicTerminals,
    Showdown,
    public_gradient,
    public_payoffs,
)
from infoset.forms.public_payoff_terms import share_arrays
from infoset.games import load_game
from infoset.policy import TabularPolicy, random_policy, transfer_policy, uniform_policy
from infoset.tree import build_public_form, build_tree, derive_public_form
from infoset.tree.terminal_operators import factor_prior, find_strengths
from infoset.typing import CHANCE
from tests.support.cached_games import cached_tree
from tests.support.function_game import FunctionGame
from tests.support.random_public_games import VIOLATIONS, RandomPublicGame

GAMES = {
    "kuhn_poker": {"Showdown", "Fold"},
    "leduc_poker": {"Showdown", "Fold"},
    "leduc_poker(suit_isomorphism=true)": {"Dense", "Fold"},
    "liars_dice(dice_sides=4)": {"Showdown"},
    "liars_dice(numdice=2,dice_sides=2)": {"Showdown", "Fold"},
    "liars_dice(dice_sides=3,bidding_rule=reset-quantity)": {"Showdown"},
}
MANY = [50, pytest.param(200, marks=pytest.mark.long)]
"""Numbers of random games."""

CLOSE = 1e-12
"""Largest difference between the two forms, as a fraction of the payoff range."""


def forms(tree):
    return derive_public_form(tree), tree.sequence_form


def sequences_in_tree(form, sequence_form, player):
    """Return the sequences of both forms that correspond, infostate by infostate."""
    tree, plex = sequence_form.infostate_trees[player], form.treeplexes[player]
    own, in_tree = [0], [0]
    for place, infostate in enumerate(form.tree_infostates[player].tolist()):
        if infostate >= 0:
            step = np.arange(plex.num_actions[place])
            own += (plex.first_sequence[place] + step).tolist()
            in_tree += (tree.first_sequence[infostate] + step).tolist()
    assert sorted(in_tree) == list(range(tree.num_sequences))
    return own, in_tree


def assert_equal_games(form, sequence_form, seed):
    """Compare gradients, values, gains and guarantees at a random policy."""
    policy = random_policy(sequence_form, np.random.default_rng(seed))
    public = transfer_policy(policy, form)
    scale = sequence_form.payoff_width or 1.0
    assert form.payoff_range == sequence_form.payoff_range
    assert form.payoff_width == sequence_form.payoff_width
    assert form.constant_sum == sequence_form.constant_sum
    plans, in_tree = public.realization_plans(), policy.realization_plans()
    for player in range(2):
        own, other = sequences_in_tree(form, sequence_form, player)
        gradient = form.gradient(plans, player)
        expected = sequence_form.gradient(in_tree, player)
        assert np.abs(gradient[own] - expected[other]).max() <= CLOSE * scale
        removed = np.setdiff1d(np.arange(len(gradient)), own)
        assert not gradient[removed].any()
    ours, theirs = evaluate_policy(public), evaluate_policy(policy)
    assert ours.values == pytest.approx(theirs.values, abs=CLOSE * scale)
    assert ours.gains == pytest.approx(theirs.gains, abs=CLOSE * scale)
    assert abs(ours.nash_conv - theirs.nash_conv) <= ours.rounding + theirs.rounding
    if sequence_form.is_two_player_constant_sum:
        assert ours.security_levels == pytest.approx(theirs.security_levels, abs=CLOSE * scale)
    back = transfer_policy(public, sequence_form)
    for found, given_values in zip(back.probabilities, policy.probabilities, strict=True):
        assert np.allclose(found, given_values, rtol=1e-15, atol=0)


@pytest.mark.parametrize("spec", GAMES)
def test_games_have_the_same_gradients_values_and_guarantees(spec):
    form, sequence_form = forms(cached_tree(spec))
    assert {type(operator).__name__ for operator in form.operators} == GAMES[spec]
    assert_equal_games(form, sequence_form, 1)


@pytest.mark.parametrize("number", MANY)
def test_random_games_that_satisfy_the_conditions(number):
    found = Counter()
    for seed in range(number):
        form, sequence_form = forms(build_tree(RandomPublicGame(seed)))
        assert_equal_games(form, sequence_form, seed)
        found.update(type(form.operators[number]).__name__ for number in form.terminals.operator)
        found["joint"] += form.prior.joint is not None
        found["blocking"] += form.prior.joint is None and form.prior.cards[0].shape[1] == 1
        found["removed hands"] += len(form.hand_sets[0]) > 1
    assert min(found.values()) >= number // 10
    assert len(found) == 6


@pytest.mark.parametrize("number", MANY)
@pytest.mark.parametrize("violation", VIOLATIONS)
def test_random_games_that_do_not_are_refused_with_the_transition(violation, number):
    reasons = {
        "private": r"privately observes something .* in the transition from .*, \(\)\) by \('[ab]'",
        "hidden": r"does not determine the action, in the transition from .*\('\?',\)\)",
        "legal": r"do not determine the legal actions, in the transition from \(None, \(\)\)",
        "simultaneous": r"both players act in the world state \(\(",
        "turn": r"do not determine who acts next, in the transition from \(None, \(\)\)",
    }
    for seed in range(number // 5):
        tree = build_tree(RandomPublicGame(seed, violation))
        with pytest.raises(UnsupportedGameError, match=reasons[violation]):
            derive_public_form(tree)


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        ("kuhn_poker(players=3)", "3 players"),
        ("goofspiel(num_cards=3)", "both players act"),
        ("trade_comm(num_items=2)", "has no public form"),
    ],
)
def test_other_games_are_refused(spec, reason):
    with pytest.raises(UnsupportedGameError, match=reason):
        derive_public_form(cached_tree(spec))


def test_a_game_that_is_a_single_history_is_refused():
    empty = FunctionGame(2, transitions=lambda world, joint: [])
    with pytest.raises(UnsupportedGameError, match="before anything happens"):
        derive_public_form(build_tree(empty))


def test_chance_alone():
    game = FunctionGame(2, rewards=lambda w, a, x: (1, -1) if x == "heads" else (-2, 2))
    form = derive_public_form(build_tree(game))
    assert form.player.tolist() == [CHANCE]
    assert evaluate_policy(uniform_policy(form)).values == (-0.5, 0.5)


def test_public_deals_have_a_common_root():
    """Before the first decision, chance shows a public coin and deals a card."""
    deals = {(coin, hand): 0.25 for coin in "ht" for hand in "ab"}
    game = FunctionGame(
        2,
        actors=lambda w: (0,) if len(w) == 2 else (),
        transitions=lambda w, a: (
            [*deals.items()] if w == "start" else [((*w, a[0]), 1)] if len(w) == 2 else []
        ),
        rewards=lambda w, a, x: (0, 0) if len(x) == 2 else ((x[0] == "h") - (x[2] == "left"), 0),
        observe=lambda w, a, x: _coin_or_action(w, x),
    )
    form, sequence_form = forms(build_tree(game))
    assert form.player.tolist() == [CHANCE, 0, 0]
    assert form.parent.tolist() == [-1, 0, 0]
    assert form.num_hands == (4, 2)
    assert_equal_games(form, sequence_form, 3)


def _coin_or_action(world, next_world):
    from infoset.game import Observation

    if world == "start":
        return Observation(public=next_world[0], private=(next_world[1], None))
    return Observation(public=next_world[2])


def test_kuhn_poker():
    form = derive_public_form(cached_tree("kuhn_poker"))
    assert form.hands == (("J", "Q", "K"), ("J", "Q", "K"))
    lines = [form.label(node) for node in range(form.num_nodes)]
    assert form.player.tolist() == [0, 1, 1, 0]
    assert lines == ["(start)", "pass", "bet", "pass / bet"]
    assert form.prior.matrix() == pytest.approx((1 - np.eye(3)) / 6)
    assert form.terminal_sequence.tolist() == [[1, 1], [2, 3], [2, 4], [3, 2], [4, 2]]
    wins = np.sign(np.subtract.outer(range(3), range(3))) / 6
    both = [form.payoff_matrix(terminal, 0) for terminal in range(5)]
    assert both[0] == pytest.approx(wins)
    assert both[1] == pytest.approx((1 - np.eye(3)) / 6)
    assert both[2] == pytest.approx(2 * wins)
    assert both[3] == pytest.approx((np.eye(3) - 1) / 6)


def test_policies_are_looked_up_by_hand_and_line():
    form, sequence_form = forms(cached_tree("kuhn_poker"))
    policy = random_policy(sequence_form, np.random.default_rng(1))
    public = transfer_policy(policy, form)
    assert public["K", "pass / bet"] == pytest.approx(policy["[K] / pass / bet", 0])
    node = [form.label(node) for node in range(4)].index("bet")
    assert public.at_node(node)[:, 1] == pytest.approx([*policy["[Q] / bet", 1].values()])
    assert public.by_hand(1).shape == (4, 3)
    with pytest.raises(UnknownNameError, match="hand"):
        public["A", "bet"]
    with pytest.raises(UnknownNameError, match="line"):
        public["K", "raise"]
    with pytest.raises(ParameterError, match="a hand and a line"):
        public["K"]
    assert public.digest != uniform_policy(form).digest


def test_policies_of_another_game_are_refused():
    form = derive_public_form(cached_tree("kuhn_poker"))
    other = cached_tree("liars_dice(dice_sides=3)").sequence_form
    with pytest.raises(PolicyMismatchError, match="public form of kuhn_poker and"):
        transfer_policy(uniform_policy(form), other)
    with pytest.raises(ParameterError, match="sum to"):
        TabularPolicy(form, (np.ones(13), np.ones(13)))


def test_equal_games_have_equal_fingerprints():
    prints = {
        derive_public_form(build_tree(RandomPublicGame(seed))).fingerprint
        for seed in (0, 0, 1, 2, 3)
    }
    assert len(prints) == 4


def any_form(rng, num_cards, kind):
    """Return a form in which player 0 chooses among terminals of all kinds."""
    sizes = rng.integers(1, 7, 2)
    num_actions, num_outcomes = 12, {"fold": 1, "showdown": 3, "dense": 2}[kind]
    hands = np.array([*combinations(range(5), num_cards)], np.int32)
    sizes = np.minimum(sizes, len(hands)) if num_cards == 2 else sizes
    cards = [
        rng.permutation(hands)[:size] if num_cards == 2 else rng.choice(hands, size)
        for size in sizes
    ]
    for own in cards:
        own[rng.random(len(own)) < 0.2, 1:] = -1
    weights = tuple(rng.random(size) for size in sizes)
    sets = tuple(rng.random((3, size)) < 0.8 for size in sizes)
    operators = {
        "fold": [Fold()],
        "showdown": [
            Showdown(tuple(rng.integers(0, 4, size).astype(np.int32) for size in sizes))
            for _ in range(2)
        ],
        "dense": [Dense(rng.normal(size=(2, *sizes))) for _ in range(2)],
    }[kind]
    try:
        prior = HandPrior(weights, tuple(cards))
    except ParameterError:  # all hands block each other
        prior = HandPrior(weights, tuple(np.full_like(own, -1) for own in cards))
    return PublicForm(
        name="any",
        hands=tuple(tuple(range(size)) for size in sizes),
        prior=prior,
        player=np.zeros(1, np.int32),
        parent=np.array([-1], np.int32),
        action=np.array([-1], np.int32),
        observation=np.array([-1], np.int32),
        observations=(),
        action_set=np.zeros(1, np.int32),
        action_sets=(tuple(range(num_actions)),),
        hand_set=np.zeros(1, np.int32),
        hand_sets=sets,
        terminals=PublicTerminals(
            node=np.zeros(num_actions, np.int32),
            action=np.arange(num_actions, dtype=np.int32),
            chance_reach=rng.random(num_actions),
            hand_set=rng.integers(0, 3, num_actions).astype(np.int32),
            operator=rng.integers(0, len(operators), num_actions).astype(np.int32),
            payoff_set=np.arange(num_actions, dtype=np.int32),
            first_payoff=np.arange(num_actions + 1) * num_outcomes,
            payoff=rng.normal(size=(num_actions * num_outcomes, 2)),
        ),
        operators=tuple(operators),
        utility_limits=np.array([[-9.0, 9.0], [-9.0, 9.0]]),
        constant_sum=None,
        payoff_rounding=0.0,
    )


@pytest.mark.parametrize("kind", ["fold", "showdown", "dense"])
@given(st.integers(0, 2**32), st.integers(0, 2), st.booleans())
def test_operators_equal_matrices(kind, seed, num_cards, is_joint):
    rng = np.random.default_rng(seed)
    form = any_form(rng, num_cards, kind)
    if is_joint:
        joint = rng.random(form.num_hands)
        object.__setattr__(form, "prior", HandPrior(form.prior.weights, form.prior.cards, joint))
    plans = [rng.random(plex.num_sequences) for plex in form.treeplexes]
    plans[0][0] = plans[1][0] = 1.0
    for player in range(2):
        expected = np.zeros(form.treeplexes[player].num_sequences)
        for terminal, sequences in enumerate(form.terminal_sequence.tolist()):
            payoff = form.payoff_matrix(terminal, player)
            payoff = payoff if player == 0 else payoff.T
            own, other = (
                form.sequences[p].start[sequences[p]]
                + form.sequences[p].stride[sequences[p]] * np.arange(form.num_hands[p])
                for p in (player, 1 - player)
            )
            np.add.at(expected, own, payoff @ plans[1 - player][other])
        found = form.gradient(plans, player)
        assert found == pytest.approx(expected, abs=1e-13)
        single = np.zeros(len(expected), np.float32)
        payoffs = public_payoffs(form, player, precision="float32")
        public_gradient(payoffs, plans[1 - player].astype(np.float32), single)
        assert single == pytest.approx(expected, abs=1e-4)


@pytest.mark.broad
def test_orders_of_many_hands_have_32_bits(monkeypatch):
    form = build_public_form(load_game("leduc_poker"))
    rng = np.random.default_rng(0)
    first, second = (rng.random(plex.num_sequences) for plex in form.treeplexes)
    plans = first, second
    narrow = form.gradient(plans, 0)
    monkeypatch.setattr("infoset.forms.public_payoff_terms.MANY_HANDS", 2)
    wide = build_public_form(load_game("leduc_poker"))
    assert public_payoffs(wide, 0).weaker.dtype == np.uint32
    np.testing.assert_array_equal(wide.gradient(plans, 0), narrow)


def test_wrong_priors_are_refused():
    ones, none = (np.ones(2), np.ones(2)), (np.zeros((2, 0), np.int32),) * 2
    same = (np.zeros((2, 1), np.int32),) * 2
    pair = np.array([[0, 1], [1, 0]], np.int32)
    with pytest.raises(ParameterError, match="the same two cards"):
        HandPrior(ones, (pair, pair + 2))
    with pytest.raises(ParameterError, match="no pair of hands"):
        HandPrior(ones, same)
    with pytest.raises(ParameterError, match="at most 2"):
        HandPrior(ones, (np.zeros((2, 3), np.int32),) * 2)
    with pytest.raises(ParameterError, match="other numbers of hands"):
        HandPrior(ones, none, np.ones((2, 3)))


@given(st.integers(0, 2**32))
def test_strengths_are_found(seed):
    rng = np.random.default_rng(seed)
    first, second = (rng.integers(0, 4, size) for size in rng.integers(1, 6, 2))
    outcome = np.sign(np.subtract.outer(first, second))
    meets = rng.random(outcome.shape) < 0.7
    outcome[~meets] = 9
    found = find_strengths(outcome).outcomes(HandPrior(*_plain(outcome.shape))).argmax(axis=0) - 1
    assert np.array_equal(found[meets], outcome[meets])


def _plain(sizes):
    return tuple(map(np.ones, sizes)), tuple(np.zeros((size, 0), np.int32) for size in sizes)


def test_outcomes_without_an_order_have_no_strengths():
    assert find_strengths(np.array([[0, -1, 1], [1, 0, -1], [-1, 1, 0]])) is None
    # Equal to the same hand, but not to each other's opponents.
    assert find_strengths(np.array([[0, 1], [0, 0]])) is None


@given(st.integers(0, 2**32), st.sampled_from(["product", "blocking", "any"]))
def test_priors_are_factored(seed, kind):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 6, 2)
    joint = np.multiply.outer(*(rng.integers(1, 5, size) for size in sizes)) / 64.0
    cards = [rng.integers(0, 3, size) for size in sizes]
    if kind == "blocking":
        joint[np.equal.outer(*cards)] = 0
    elif kind == "any":
        joint *= rng.random(sizes)
    prior = factor_prior(joint) if joint.any() else None
    if prior is None:
        return
    assert prior.matrix() == pytest.approx(joint, rel=1e-13, abs=0)
    if kind != "any":
        assert prior.joint is None
    elif min(sizes) > 1:
        assert prior.joint is not None


@pytest.mark.parametrize("free", [0, 1])
def test_players_share_only_equal_arrays(free):
    form = build_public_form(load_game("leduc_poker"))
    payoff = form.terminals.payoff.copy()
    # The other player pays nothing where these payoffs are, so that its tables have other terms.
    payoff[free::2, 1] = 0.0
    uneven = replace(form, terminals=replace(form.terminals, payoff=payoff))
    for one in (form, uneven):
        first, second = (public_payoffs(one, player) for player in range(2))
        shared = share_arrays(second, first)
        for name in shared._fields:
            assert np.array_equal(getattr(shared, name), getattr(second, name)), name
    first, second = (public_payoffs(form, player) for player in range(2))
    shared = share_arrays(second, first)
    for name in ("start", "stride", "classes", "class", "weight", "order"):
        assert getattr(shared, f"own_{name}") is getattr(first, f"other_{name}")
        assert getattr(shared, f"other_{name}") is getattr(first, f"own_{name}")
