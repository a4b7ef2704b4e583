"""Values, equity, locks and parts of forms that merge suits, against those of all lines."""

from __future__ import annotations

import numpy as np
import pytest

import infoset
from infoset.errors import ParameterError
from infoset.evaluation import PublicContinuation, PublicValues, equity_at, evaluate_policy
from infoset.forms import cut, lock, with_ranges
from infoset.policy import TabularPolicy, restrict_policy
from infoset.resolving import public_subgame, resolve_public_subgame
from infoset.runs import Budget
from infoset.typing import CHANCE
from tests.support.small_holdem import small_holdem


def both_policies(seed):
    """Return a random policy on the merged form, and the same on the form with all lines."""
    merged, whole = small_holdem(True), small_holdem()
    rng = np.random.default_rng(seed)
    weights = [rng.uniform(0.05, 1, plex.num_sequences) for plex in merged.treeplexes]
    policy = TabularPolicy.from_weights(merged, weights)
    filled = [np.ones(plex.num_sequences) for plex in whole.treeplexes]
    for player in range(2):
        for node in whole.decisions[player].tolist():
            line, first = whole.label(node), int(whole.sequences[player].first[node])
            actions = np.arange(first, first + int(whole.num_actions[node]))
            for hand, place in zip(
                whole.hands[player], whole.places(player, actions).T, strict=True
            ):
                filled[player][place] = [*policy[hand, line].values()]
    return policy, TabularPolicy(whole, (filled[0], filled[1]))


def pairs_of_nodes(merged, whole):
    """Return nodes of both forms with the same line."""
    labels = {whole.label(node): node for node in range(whole.num_nodes)}
    return [(node, labels[merged.label(node)]) for node in range(merged.num_nodes)]


def test_values_ranges_and_equity_do_not_depend_on_merging():
    policy, expanded = both_policies(1)
    merged, whole = policy.form, expanded.form
    assert merged.num_nodes < 0.6 * whole.num_nodes
    ours, theirs = PublicValues(policy), PublicValues(expanded)
    assert evaluate_policy(policy).gains == pytest.approx(
        evaluate_policy(expanded).gains, abs=1e-12
    )
    for node, other in pairs_of_nodes(merged, whole)[::3]:
        for player in range(2):
            for mine, wanted in (
                (ours.values(node, player), theirs.values(other, player)),
                (ours.response_values(node, player), theirs.response_values(other, player)),
                (ours.own_reach(node, player), theirs.own_reach(other, player)),
                (ours.belief(node, player), theirs.belief(other, player)),
                (ours.equity(node)[player], theirs.equity(other)[player]),
            ):
                assert np.allclose(mine, wanted, atol=1e-12, equal_nan=True)
        if merged.player[node] != CHANCE:
            assert np.allclose(
                ours.action_values(node), theirs.action_values(other), atol=1e-12, equal_nan=True
            )
        # A line with a card stands for that with the other suit, too.
        has_card = any(len(event) == 2 for event in merged.label(node).split(" / "))
        ratio = ours.probability(node) / theirs.probability(other)
        assert ratio == pytest.approx(2 if has_card else 1)


def test_continuations_subgames_and_cuts_do_not_depend_on_merging():
    policy, expanded = both_policies(2)
    merged, whole = policy.form, expanded.form
    node = merged.children[0, "k"]
    other = whole.children[0, "k"]
    values = PublicValues(policy)
    ranges = (values.own_reach(node, 0), values.own_reach(node, 1))
    found, expected = PublicContinuation(policy), PublicContinuation(expanded)
    for mine, wanted in zip(found(node, ranges), expected(other, ranges), strict=True):
        assert np.allclose(mine, wanted, atol=1e-12, equal_nan=True)
    ours, theirs = public_subgame(merged, node, ranges), public_subgame(whole, other, ranges)
    mine, wanted = ours.restrict(policy), theirs.restrict(expanded)
    assert evaluate_policy(mine).values == pytest.approx(evaluate_policy(wanted).values, abs=1e-12)
    assert evaluate_policy(mine).gains == pytest.approx(evaluate_policy(wanted).gains, abs=1e-12)
    line = "k / Kd"  # omitted in the merged form, which has K of hearts
    assert mine["AhJd", line] == pytest.approx(wanted["AhJd", line])
    for depth in (1, 2, 3):
        cuts = (
            cut(merged, found, depth=depth),
            cut(whole, expected, depth=depth),
        )
        measured = [
            evaluate_policy(TabularPolicy.from_weights(game, trunk_weights(game, own)))
            for game, own in zip(cuts, (policy, expanded), strict=True)
        ]
        assert measured[0].values == pytest.approx(measured[1].values, abs=1e-12)
        assert measured[0].gains == pytest.approx(measured[1].gains, abs=1e-12)
        assert measured[0].values == pytest.approx(evaluate_policy(policy).values, abs=1e-12)


def trunk_weights(cut, policy):
    """Return the probabilities of a policy of the whole form at the trunk's sequences."""
    found = []
    for player in range(2):
        own = [np.ones(1)]
        for node in cut.trunk.form.decisions[player].tolist():
            rows = policy.at_node(int(cut.trunk.nodes[node]))
            classes = cut.trunk.form.hand_classes[player][cut.trunk.form.class_map[node]]
            own.append(rows[:, np.unique(classes, return_index=True)[1]].T.ravel())
        found.append(np.concatenate(own))
    return found


def test_locks_name_lines_and_hands_of_the_game():
    policy, expanded = both_policies(3)
    merged, whole = policy.form, expanded.form
    line = "k / k / Qd"  # represented by the line with the queen of hearts
    assert line in {whole.label(node) for node in range(whole.num_nodes)}
    assert line not in {merged.label(node) for node in range(merged.num_nodes)}
    behavior = {("AhKd", line): {"b": 1.0}, "b": expanded.at_node(whole.children[0, "b"])}
    ours = lock(merged, behavior)
    swapped = {("AdKh", "k / k / Qh"): {"b": 1.0}}
    theirs = lock(whole, behavior | swapped)
    measured = [
        evaluate_policy(restrict_policy(locked, own))
        for locked, own in ((ours, policy), (theirs, expanded))
    ]
    assert measured[0].values == pytest.approx(measured[1].values, abs=1e-12)
    assert measured[0].gains == pytest.approx(measured[1].gains, abs=1e-12)
    result = infoset.solve(ours, "dcfr", iterations=20)
    assert result.policy["AhKd", line] == {"k": 0.0, "b": 1.0}
    assert result.policy["AdKh", "k / k / Qh"] == {"k": 0.0, "b": 1.0}
    rows = np.full((2, 28), 0.5)
    rows[:, merged.hands[1].index("AhKd")] = [0.25, 0.75]
    with pytest.raises(ParameterError, match="merge_symmetric=False"):
        lock(merged, {"k": rows})


def test_ranges_must_not_distinguish_merged_hands():
    merged, ranges = small_holdem(True), np.ones(28)
    ranges[merged.hands[0].index("AhKd")] = 0.5
    for call in (
        lambda: with_ranges(merged, (ranges, np.ones(28))),
        lambda: public_subgame(merged, 1, (ranges, np.ones(28))),
        lambda: equity_at(merged, 0, (ranges, np.ones(28))),
    ):
        with pytest.raises(ParameterError, match=r"AhKd from hands .* merge_symmetric=False"):
            call()
    ranges[merged.hands[0].index("AdKh")] = 0.5
    assert with_ranges(merged, (ranges, np.ones(28))).prior.matrix().sum() == pytest.approx(1)


def test_resolving_on_merged_forms_is_safe():
    policy, _ = both_policies(4)
    merged = policy.form
    node = merged.children[0, "b"]
    found = resolve_public_subgame(policy, node, 1, budget=Budget(iterations=200))
    before, after = evaluate_policy(policy), evaluate_policy(found.policy)
    assert after.values[0] + after.gains[0] <= before.values[0] + before.gains[0] + 1e-3
    assert not np.array_equal(found.policy.at_node(node), policy.at_node(node))
