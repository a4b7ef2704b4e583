"""Values, ranges and equity by hand: against dense matrices, and against trees."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from infoset.errors import ParameterError, UnknownNameError, UnsupportedGameError
from infoset.evaluation import (
    PublicValues,
    decision_values,
    equity_at,
    evaluate_hands,
    evaluate_policy,
)
from infoset.evaluation.infostate_statuses import infostate_reach
from infoset.forms import Fold, chance_reach_of_nodes, lock, unblocked_reach, with_ranges
from infoset.games import load_game
from infoset.policy import (
    TabularPolicy,
    complete_policy,
    random_policy,
    restrict_policy,
    transfer_policy,
)
from infoset.tree import build_public_form, build_tree, derive_public_form
from infoset.views import TreePlaces
from tests.support.cached_games import cached_tree
from tests.support.random_public_games import RandomPublicGame
from tests.support.small_holdem import SmallHoldem, small_holdem

SPECS = ("kuhn_poker", "leduc_poker", "liars_dice(dice_sides=3)")


def random_public_policy(form, seed):
    rng = np.random.default_rng(seed)
    weights = [rng.uniform(0.05, 1, plex.num_sequences) for plex in form.treeplexes]
    return TabularPolicy.from_weights(form, weights)


def reach_at(form, policy, player, node, action=-1):
    """Return [hands] a player's own reach of a node, or after its action there."""
    sequences = form.sequences[player]
    acts = action >= 0 and form.player[node] == player
    sequence = sequences.first[node] + action if acts else sequences.last[node]
    return policy.realization_plans()[player][form.places(player, np.array([sequence]))[0]]


def is_below(form, node, other):
    while other > node:
        other = int(form.parent[other])
    return other == node


def dense_values(form, policy, node, player):
    """Return [hands] the values at a node by matrices of all pairs, as conditional means.

    The probability of a pair at the node is the sum of those of the terminals below.
    """
    ends, won, met = form.terminals, 0.0, 0.0
    for terminal in range(len(ends)):
        at, action = int(ends.node[terminal]), int(ends.action[terminal])
        if is_below(form, node, at):
            played = np.multiply.outer(*(reach_at(form, policy, p, at, action) for p in range(2)))
            operator = form.operators[ends.operator[terminal]]
            mass = operator.outcomes(form.prior).sum(axis=0) * ends.chance_reach[terminal]
            won = won + played * form.payoff_matrix(terminal, player)
            met = met + played * mass * form.reached(int(ends.hand_set[terminal]))
    own = reach_at(form, policy, player, node)
    axis = 1 - player
    reach = met.sum(axis=axis)
    return np.divide(won.sum(axis=axis), reach, np.full(len(own), np.nan), where=reach > 0)


@pytest.mark.parametrize("spec", ["kuhn_poker", "leduc_poker", "small_holdem"])
def test_values_are_conditional_means_over_all_pairs(spec):
    form = small_holdem() if spec == "small_holdem" else derive_public_form(cached_tree(spec))
    policy = random_public_policy(form, 1)
    values = PublicValues(policy)
    rng = np.random.default_rng(2)
    nodes = rng.choice(form.num_nodes, min(form.num_nodes, 6), replace=False).tolist()
    for node in nodes:
        for player in range(2):
            expected = dense_values(form, policy, node, player)
            assert np.allclose(values.values(node, player), expected, atol=1e-12, equal_nan=True)


@pytest.mark.parametrize("spec", SPECS)
def test_values_of_actions_hands_and_nodes_are_those_of_the_tree(spec):
    tree = cached_tree(spec)
    form, policy = derive_public_form(tree), random_policy(tree.sequence_form, _rng(3))
    values, in_tree = (
        PublicValues(transfer_policy(policy, form)),
        TreePlaces(tree, policy),
    )
    for player in range(2):
        expected = decision_values(policy, player)
        infostates = form.tree_infostates[player].reshape(-1, form.num_hands[player])
        own = tree.infostate_trees[player]
        for node, here in zip(form.decisions[player].tolist(), infostates, strict=True):
            alive = here >= 0
            found = values.action_values(node)
            assert np.isnan(found[:, ~alive]).all()
            first = own.first_sequence[here[alive]]
            for action, row in enumerate(found):
                assert row[alive] == pytest.approx(expected[first + action], abs=1e-12)
            assert values.values(node, player)[alive] == pytest.approx(
                in_tree.infostate_values[player][here[alive]], abs=1e-12
            )
            assert values.own_reach(node, player)[alive] == pytest.approx(
                in_tree.own_reach[player][here[alive]], abs=1e-14
            )
            state = int(own.public_state[here[alive][0]])
            assert values.probability(node) == pytest.approx(in_tree.state_reach[state], abs=1e-14)
            assert values.belief(node, player)[alive] == pytest.approx(
                in_tree.infostate_reach[player][here[alive]] / in_tree.state_reach[state], abs=1e-12
            )


@pytest.mark.parametrize("spec", SPECS)
def test_frequencies_of_actions_are_means_over_the_infostates_of_the_tree(spec):
    tree = cached_tree(spec)
    form = derive_public_form(tree)
    policy = random_public_policy(form, 3)
    on_tree = transfer_policy(policy, tree)
    reach, totals, played = infostate_reach(on_tree), Counter(), {}
    for row in on_tree.sorted_rows():
        node = row.infostate.partition(" / ")[2] or "(start)"
        here = float(reach[row.player][row.number])
        totals[row.player, node] += here
        played[row.player, node] = played.get((row.player, node), 0.0) + here * row.probabilities
    values = PublicValues(policy)
    nodes = [int(node) for own in form.decisions for node in own]
    assert len(nodes) == len(totals)
    for node in nodes:
        key = int(form.player[node]), form.label(node)
        assert values.probability(node) == pytest.approx(totals[key])
        assert values.action_frequencies(node) == pytest.approx(played[key] / totals[key])


def test_frequencies_where_play_never_leads_are_unknown():
    form = build_public_form(load_game("kuhn_poker"))
    passes = [np.where(np.arange(plex.num_sequences) % 2, 1.0, 0.0) for plex in form.treeplexes]
    values = PublicValues(TabularPolicy.from_weights(form, passes))
    node = next(int(node) for node in form.decisions[1] if form.label(int(node)) == "bet")
    assert np.isnan(values.action_frequencies(node)).all()
    chance = PublicValues(random_public_policy(build_public_form(load_game("leduc_poker")), 0))
    with pytest.raises(ParameterError, match="acts"):
        chance.action_frequencies(int(np.flatnonzero(chance.public_form.player < 0)[0]))


@pytest.mark.parametrize("goal", [{"bet": 0.2}, {"bet": 0.9}, {"pass": 0.35}, {"bet": 0.0}])
def test_frequencies_are_changed_in_proportion(goal):
    form = build_public_form(load_game("kuhn_poker"))
    values = PublicValues(random_public_policy(form, 5))
    node = next(int(node) for node in form.decisions[1] if form.label(int(node)) == "pass")
    before, after = values.policy.at_node(node), values.with_frequencies(node, goal)
    names = form.legal_actions(node)
    (action,) = goal
    belief = values.belief(node, 1)
    assert after.sum(axis=0) == pytest.approx(np.ones(3))
    assert float(after[names.index(action)] @ belief) == pytest.approx(goal[action], abs=1e-11)
    if min(goal.values()) > 0:
        odds = (after[0] / after[1]) / (before[0] / before[1])
        assert odds == pytest.approx(np.full(3, odds[0]))


def test_several_frequencies_at_once_and_a_lock_with_them():
    form = build_public_form(load_game("leduc_poker"))
    policy = random_public_policy(form, 6)
    values = PublicValues(policy)
    node = next(n for n in form.decisions[1].tolist() if len(form.legal_actions(n)) == 3)
    goal = {"fold": 0.5, "raise": 0.1}
    line = form.label(node)
    fixed = lock(form, {line: values.with_frequencies(node, goal)})
    found = PublicValues(complete_policy(restrict_policy(fixed, policy)))
    frequencies = dict(zip(form.legal_actions(node), found.action_frequencies(node), strict=True))
    assert frequencies == pytest.approx({"fold": 0.5, "call": 0.4, "raise": 0.1})


@pytest.mark.parametrize(
    ("goal", "message"),
    [
        ({"bet": 1.2}, "are invalid"),
        ({"bet": -0.1}, "are invalid"),
        ({"bet": 0.6, "pass": 0.6}, "are invalid"),
        ({"bet": 0.5, "pass": 0.3}, "out of reach"),
        ({"raise": 0.5}, "unknown action 'raise'"),
        ({"pass": 0.9}, "out of reach"),
    ],
)
def test_frequencies_that_cannot_be_reached(goal, message):
    """Only the jack passes, and it is a third of the hands."""
    form = build_public_form(load_game("kuhn_poker"))
    weights = [np.ones(plex.num_sequences) for plex in form.treeplexes]
    policy = TabularPolicy.from_weights(form, weights)
    first = lock(form, {("Q", "(start)"): {"bet": 1}, ("K", "(start)"): {"bet": 1}})
    policy = complete_policy(restrict_policy(first, policy))
    with pytest.raises((ParameterError, UnknownNameError), match=message):
        PublicValues(policy).with_frequencies(0, goal)


def _rng(seed):
    return np.random.default_rng(seed)


@pytest.mark.broad
def test_values_on_random_games():
    """With the values at the root, weighted by the deal, both roads give the same total."""
    found = Counter()
    for seed in range(40):
        form = derive_public_form(build_tree(RandomPublicGame(seed)))
        policy = random_public_policy(form, seed)
        try:
            values = PublicValues(policy)
        except UnsupportedGameError:
            found["refused"] += 1
            continue
        found["product"] += 1
        scale = max(1.0, *map(abs, form.payoff_range))
        measured = evaluate_policy(policy)
        matrix = form.prior.matrix()
        for player in range(2):
            dealt = (
                np.asarray(matrix.sum(axis=1 - player)) * (form.hand_sets[player][form.hand_set[0]])
            )
            for node_values, total in (
                (values.values(0, player), measured.values[player]),
                (
                    values.response_values(0, player),
                    measured.values[player] + measured.gains[player],
                ),
            ):
                assert np.nansum(dealt * node_values) == pytest.approx(total, abs=1e-12 * scale)
            for node in form.decisions[player].tolist():
                mixed = (policy.at_node(node) * values.action_values(node)).sum(axis=0)
                assert np.allclose(mixed, values.values(node, player), atol=1e-11, equal_nan=True)
                best = values.response_values(node, player)
                known = ~np.isnan(best)
                assert (best[known] >= values.values(node, player)[known] - 1e-12 * scale).all()
    assert found["product"] >= 20
    assert found["refused"] >= 2


def test_values_at_the_start_are_those_of_another_sweep():
    form = small_holdem()
    policy = random_public_policy(form, 5)
    values = PublicValues(policy)
    for player, expected in enumerate(evaluate_hands(policy)):
        assert values.values(0, player) == pytest.approx(expected.values, abs=1e-12)
        best = expected.best_response_values
        assert values.response_values(0, player) == pytest.approx(best, abs=1e-12)
        assert values.belief(0, player) == pytest.approx(expected.probabilities, abs=1e-14)


def test_reach_of_chance_is_that_of_the_tree():
    form = derive_public_form(cached_tree("leduc_poker"))
    reach = chance_reach_of_nodes(form)
    assert set(reach.round(12)) == {1.0, 0.25}
    holdem = small_holdem()
    has_card = np.array(
        ["h" in holdem.label(v) or "d" in holdem.label(v) for v in range(holdem.num_nodes)]
    )
    assert chance_reach_of_nodes(holdem) == pytest.approx(np.where(has_card, 0.25, 1.0))


def test_unblocked_reach_is_a_product_with_the_matrix_of_all_pairs():
    prior = small_holdem().prior
    reach = _rng(1).random((3, 28))
    reach[0, 1:] = 0  # one hand only: all hands with one of its cards meet nothing
    for player in range(2):
        expected = reach @ (prior.matrix() if player == 1 else prior.matrix().T)
        found = unblocked_reach(prior, player, reach) * prior.weights[player]
        assert found == pytest.approx(expected, abs=1e-16)
        assert np.array_equal(found == 0, expected == 0)


def test_hands_without_an_opponent_have_no_value():
    form = small_holdem()
    ranges = [np.ones(28), np.zeros(28)]
    ranges[1][0] = 1.0  # AhAd
    narrow = with_ranges(form, tuple(ranges))
    values = PublicValues(random_public_policy(narrow, 4))
    blocked = np.array(["Ah" in hand or "Ad" in hand for hand in form.hands[0]])
    assert np.array_equal(np.isnan(values.values(0, 0)), blocked)
    assert np.array_equal(np.isnan(values.equity(0)[0]), blocked)
    # Means leave out hands that are not there.
    assert values.mean(0, 0, np.where(blocked, np.nan, 2.0)) == pytest.approx(2.0, abs=1e-15)
    assert values.mean_value(0, 0) == pytest.approx(values.values(0, 0)[~blocked].mean(), abs=1e-12)
    # A hand of weight 0 has values, because they are given the hand.
    assert not np.isnan(values.values(0, 1)).any()
    assert values.belief(0, 1)[0] == 1.0


def dense_equity(form, node, ranges, player):
    """Return [hands] the equity by matrices of the showdowns after checks only."""
    ends, won, met = form.terminals, 0.0, 0.0
    line = form.label(node)
    reached = np.multiply.outer(*ranges)
    for terminal in range(len(ends)):
        operator = form.operators[ends.operator[terminal]]
        if isinstance(operator, Fold) or not is_below(form, node, int(ends.node[terminal])):
            continue
        after = form.label(int(ends.node[terminal])).removeprefix(line)
        if "b" in after or form.legal_actions(int(ends.node[terminal])) != ("k", "b"):
            continue
        pairs = form.reached(int(ends.hand_set[terminal])) * ends.chance_reach[terminal] * reached
        lose, tie, win = operator.outcomes(form.prior)
        won = won + pairs * ((win if player == 0 else lose) + tie / 2)
        met = met + pairs
    axis = 1 - player
    total = met.sum(axis=axis)
    return np.divide(won.sum(axis=axis), total, np.full(len(total), np.nan), where=total > 0)


@pytest.mark.parametrize("line", ["(start)", "k", "b / k / Kh", "k / k / Qd / k"])
def test_equity_is_a_mean_over_public_cards_and_hands(line):
    form = small_holdem()
    node = next(v for v in range(form.num_nodes) if form.label(v) == line)
    ranges = (_rng(5).random(28), _rng(6).random(28))
    found = equity_at(form, node, ranges)
    for player in range(2):
        expected = dense_equity(form, node, ranges, player)
        assert np.allclose(found[player], expected, atol=1e-13, equal_nan=True)
    # What one player wins, the other loses: equities of both ranges sum to 1.
    reached = form.reached(int(form.hand_set[node])) * np.multiply.outer(*ranges)
    total = sum(np.nansum(reached.sum(axis=1 - p) * found[p]) for p in range(2))
    assert total == pytest.approx(reached.sum())


def test_equity_by_hand():
    """Without an ace or a king in the deck, aces always beat kings."""
    form = small_holdem()
    only = [np.array([hand == name for hand in form.hands[0]], float) for name in ("AhAd", "KhKd")]
    first, second = equity_at(form, 0, tuple(only))
    aces, kings = (form.hands[0].index(name) for name in ("AhAd", "KhKd"))
    assert first[aces] == 1.0  # no ace and no king is left
    assert second[kings] == 0.0
    rules = SmallHoldem()
    assert rules.strength(("Ah", "Ad"), "Kh") > rules.strength(("Kd", "Qh"), "Kh")
    leduc = build_public_form(load_game("leduc_poker"))
    held = dict(zip(leduc.hands[0], equity_at(leduc, 0, (np.ones(6), np.ones(6)))[0], strict=True))
    # A king ties with the other king, and loses to another card only if that is paired, 1 in 4.
    assert held["Ks"] == pytest.approx(0.2 * 0.5 + 0.8 * 0.75)
    assert held["Js"] == pytest.approx(0.2 * 0.5 + 0.8 * 0.25)


def test_likely_mistakes_name_the_fix():
    dice = build_public_form(load_game("liars_dice(dice_sides=3)"))
    with pytest.raises(UnsupportedGameError, match="depend on the actions"):
        equity_at(dice, 0, (np.ones(3), np.ones(3)))
    form = small_holdem()
    values = PublicValues(random_public_policy(form, 1))
    chance = int(np.flatnonzero(form.player < 0)[0])
    with pytest.raises(ParameterError, match="chance acts at the public node"):
        values.action_values(chance)
    with pytest.raises(ParameterError, match="has the public nodes 0 to"):
        values.values(form.num_nodes, 0)
    with pytest.raises(ParameterError, match="no player 2"):
        values.belief(0, 2)
    with pytest.raises(ParameterError, match="28 hands"):
        equity_at(form, 0, (np.ones(27), np.ones(28)))
    with pytest.raises(ParameterError, match="a pair of arrays"):
        with_ranges(form, None)
    with pytest.raises(ParameterError, match="got 1 ranges"):
        equity_at(form, 0, (np.ones(28),))
    with pytest.raises(ParameterError, match="negative or not finite"):
        with_ranges(form, (np.ones(28), -np.ones(28)))
    with pytest.raises(ParameterError, match="no pair of hands"):
        with_ranges(form, (np.ones(28), np.zeros(28)))
    with pytest.raises(ParameterError, match="TabularPolicy"):
        PublicValues(form)


def test_ranges_replace_the_deal():
    form = small_holdem()
    ranges = (_rng(7).random(28), _rng(8).random(28))
    changed = with_ranges(form, ranges)
    expected = form.prior.matrix() * np.multiply.outer(*ranges)
    assert changed.prior.matrix() == pytest.approx(expected / expected.sum())
    joint = derive_public_form(
        next(
            tree
            for seed in range(100)
            if derive_public_form(tree := build_tree(RandomPublicGame(seed))).prior.joint
            is not None
        )
    )
    ranges = tuple(_rng(p).random(size) for p, size in enumerate(joint.num_hands))
    expected = joint.prior.matrix() * np.multiply.outer(*ranges)
    assert with_ranges(joint, ranges).prior.matrix() == pytest.approx(expected / expected.sum())
