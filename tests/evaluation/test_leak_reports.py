"""Leaks sum to the gains of best responses on all forms; each is what improving a decision adds."""

from __future__ import annotations

import numpy as np
import pytest

import infoset
from infoset.errors import ParameterError, UnknownNameError, UnsupportedGameError
from infoset.evaluation import (
    best_response,
    evaluate_policy,
    expected_values,
    leak_report,
    policy_differences,
)
from infoset.forms import world_form
from infoset.policy import TabularPolicy, transfer_policy, uniform_policy
from infoset.tree import build_world_form
from tests.evaluation.test_merged_hands import both_policies
from tests.support.cached_games import cached_random_policies, cached_tree
from tests.support.small_games import SMALL_GAMES

PUBLIC = ("kuhn_poker", "leduc_poker(num_ranks=2)", "liars_dice(dice_sides=3)")


def of_form(form, seed=0):
    """Return a random policy that never plays some actions."""
    rng = np.random.default_rng(seed)
    weights = [
        rng.uniform(0, 1, plex.num_sequences) * (rng.uniform(0, 1, plex.num_sequences) < 0.7)
        for plex in form.treeplexes
    ]
    return TabularPolicy.from_weights(form, [np.append(1.0, own[1:]) for own in weights])


def check_sums(policy):
    found, measured = leak_report(policy), evaluate_policy(policy)
    tolerance = 1e-12 + 4 * measured.rounding
    assert found.gains == pytest.approx(measured.gains, rel=1e-12, abs=tolerance)
    assert found.nash_conv == pytest.approx(measured.nash_conv, rel=1e-12, abs=tolerance)
    for player, costs in enumerate(found.costs):
        assert (costs >= 0).all()
        assert (found.action_costs(player) >= 0).all()
    return found


@pytest.mark.parametrize("game", SMALL_GAMES)
def test_leaks_sum_to_the_gains_of_best_responses(game):
    form = cached_tree(game).sequence_form
    for policy in (uniform_policy(form), of_form(form), cached_random_policies(game)[0]):
        found = check_sums(policy)
        actions = found.grouped("action")
        assert sum(one.cost for one in actions) == pytest.approx(found.nash_conv, rel=1e-9)


@pytest.mark.parametrize("game", PUBLIC)
def test_both_forms_have_the_same_leaks(game):
    sequence = of_form(cached_tree(game).sequence_form)
    public = infoset.build_public_form(game, merge_symmetric=False)
    found, same = check_sums(sequence), check_sums(transfer_policy(sequence, public))
    for player in range(2):
        labels = sequence.form.infostate_labels(player)
        costs = dict(zip(labels, found.costs[player].tolist(), strict=True))
        assert len(costs) == len(labels)
        for leak in same.leaks():
            if leak.player == player:
                number = sequence.form.look_up((leak.infostate, player))[1]
                assert leak.cost == pytest.approx(found.costs[player][number], abs=1e-12)
    assert same.num_leaks == found.num_leaks
    for by in ("line", "hand"):
        assert sum(one.cost for one in same.grouped(by)) == pytest.approx(found.nash_conv)


def test_leaks_do_not_depend_on_merging():
    merged, whole = map(check_sums, both_policies(2))
    assert merged.gains == pytest.approx(whole.gains, abs=1e-12)
    lines = {(one.player, one.text): one.cost for one in whole.grouped("line")}
    # A line of the merged form stands for those that exchanged suits lead to.
    for one in merged.grouped("line"):
        assert one.cost > lines[one.player, one.text] - 1e-12
    by_class = [
        report.grouped("hand", lambda hand: "".join(sorted(hand[::2])))
        for report in (merged, whole)
    ]
    costs, others = ({one[:2]: one.cost for one in groups} for groups in by_class)
    assert costs == pytest.approx(others, abs=1e-12)


def test_world_forms_have_leaks(monkeypatch):
    form = build_world_form(infoset.load("dark_hex(num_rows=2,num_cols=2)"))
    policy = of_form(form)
    found = check_sums(policy)
    worst = found.leaks(top=1)[0]
    assert worst.infostate == form.infostate_label(worst.player, worst.number)
    monkeypatch.setattr(world_form, "MAX_LISTED", 3)
    large = build_world_form(infoset.load("dark_hex(num_rows=2,num_cols=2)"))
    same = leak_report(TabularPolicy(large, policy.probabilities)).leaks(top=5)
    assert same == found.leaks(top=5)
    tree = cached_tree("dark_hex(num_rows=2,num_cols=2)").sequence_form
    assert check_sums(uniform_policy(tree)).num_leaks == check_sums(uniform_policy(form)).num_leaks


@pytest.mark.parametrize("game", ["kuhn_poker", "kuhn_poker(players=3)", PUBLIC[1]])
def test_a_leak_is_what_improving_a_decision_adds_if_those_after_it_are_optimal(game):
    """An independent road: values of policies, of which one decision after another is improved."""
    policy = of_form(cached_tree(game).sequence_form, 4)
    form, found = policy.form, leak_report(policy)
    for player, plex in enumerate(form.treeplexes):
        improved = [own.copy() for own in policy.probabilities]
        best = best_response(policy, player).policy.probabilities[player]
        before = expected_values(policy)[player]
        for number in reversed(range(plex.num_infostates)):
            first = int(plex.first_sequence[number])
            own = slice(first, first + int(plex.num_actions[number]))
            improved[player][own] = best[own]
            now = TabularPolicy(form, tuple(part.copy() for part in improved))
            after = expected_values(now)[player]
            assert after - before == pytest.approx(found.costs[player][number], abs=1e-12)
            before = after


def test_what_a_leak_says_agrees():
    found = leak_report(of_form(infoset.build_public_form("leduc_poker(num_ranks=2)"), 3))
    leaks = found.leaks()
    assert [leak.cost for leak in leaks] == sorted((leak.cost for leak in leaks), reverse=True)
    for leak in leaks:
        mean = np.dot(leak.played, leak.values)
        assert leak.loss == pytest.approx(max(leak.values) - mean, abs=1e-12)
        assert leak.cost == pytest.approx(leak.probability * leak.loss)
        assert sum(leak.played) == pytest.approx(1)
        assert leak.values[leak.actions.index(leak.best)] == max(leak.values)
        key = leak.infostate, leak.player
        assert [*found.policy[key].values()] == pytest.approx(leak.played)
    for top in (1, 3, 7, len(leaks) + 5):
        assert found.leaks(top) == leaks[:top]


def test_equilibria_have_no_leaks():
    found = leak_report(infoset.solve("kuhn_poker", "lp").policy)
    assert found.num_leaks == 0
    assert found.nash_conv < 1e-12
    assert "leaks 0" in repr(found)


@pytest.mark.parametrize("game", ["leduc_poker(num_ranks=2)", "kuhn_poker(players=3)"])
def test_differences_of_policies_sum_to_the_difference_of_their_values(game):
    form = cached_tree(game).sequence_form
    policy, other = of_form(form, 1), of_form(form, 2)
    for player in range(form.num_players):
        terms = policy_differences(policy, other, player)
        assert len(terms) == form.treeplexes[player].num_infostates
        mixed = other.replace_player(player, policy)
        expected = expected_values(mixed)[player] - expected_values(other)[player]
        assert terms.sum() == pytest.approx(expected, abs=1e-12)
        assert not policy_differences(policy, policy, player).any()
        # If the other policy is a best response, the terms are leaks with the other sign.
        best = best_response(policy, player).policy
        costs = leak_report(policy).costs[player]
        assert policy_differences(policy, best, player) == pytest.approx(-costs, abs=1e-12)


def test_mistakes_are_named():
    policy = uniform_policy(cached_tree("kuhn_poker").sequence_form)
    found = leak_report(policy)
    with pytest.raises(UnsupportedGameError, match="build its public form"):
        found.grouped("hand")
    with pytest.raises(UnknownNameError, match="unknown by 'card'"):
        found.grouped("card")
    with pytest.raises(ParameterError, match="top=0"):
        found.leaks(top=0)
    with pytest.raises(ParameterError, match="player"):
        found.action_costs(2)
    with pytest.raises(ParameterError, match="policy='uniform'"):
        leak_report("uniform")
    leduc = uniform_policy(cached_tree(PUBLIC[1]).sequence_form)
    with pytest.raises(ParameterError, match="different forms, of kuhn_poker and leduc_poker"):
        policy_differences(policy, leduc, 0)


def test_leaks_of_games_and_policies_by_name():
    assert infoset.leak_report("kuhn_poker", "uniform").nash_conv == pytest.approx(11 / 12)
    by_hand = infoset.leak_report("kuhn_poker", "uniform", by_hand=True)
    assert by_hand.form.kind == "public"
    result = infoset.solve("kuhn_poker", "cfr", iterations=5)
    assert infoset.leak_report(result).nash_conv == pytest.approx(result.nash_conv)
    one_each = infoset.leak_report("kuhn_poker", ["uniform", result])
    assert one_each.gains == pytest.approx(
        infoset.evaluate("kuhn_poker", ["uniform", result]).gains
    )
