"""Differences of two policies against a loop over their tables."""

from __future__ import annotations

import numpy as np
import pytest

import infoset
from infoset.errors import ParameterError, PolicyMismatchError
from infoset.policy import uniform_policy
from infoset.views import TreePlaces, view_differences, view_match
from tests.support.cached_games import cached_tree


@pytest.fixture(scope="module")
def pair():
    tree = cached_tree("leduc_poker")
    solved = infoset.solve(tree, "cfr+", iterations=50).policy
    return TreePlaces(tree, uniform_policy(tree.sequence_form)), TreePlaces(tree, solved)


def test_differences_are_sorted_by_gain(pair):
    first, second = pair
    expected = {}
    for player, own in enumerate(first.tree.infostate_trees):
        for infostate in own.acting.tolist():
            begin, count = own.first_sequence[infostate], own.num_actions[infostate]
            p, q = (v.policy.probabilities[player][begin : begin + count] for v in pair)
            at = first.tree.infostate[:, player] == infostate
            reach = (first.reach[at].sum() + second.reach[at].sum()) / 2
            expected[player, infostate] = reach * np.abs(p - q).sum() / 2
    found = view_differences(first, second)
    assert found.total == sum(weight > 0 for weight in expected.values())
    rows = [
        row
        for start in range(0, found.total, 50)
        for row in view_differences(first, second, start).differences
    ]
    order = [(abs(row.gain), row.reach * row.distance) for row in rows]
    assert order == sorted(order, reverse=True)
    assert any(row.gain > 0 for row in rows)
    assert any(row.gain < 0 for row in rows)
    for player, position in enumerate(view_match(first.policy, second.policy).positions):
        gained = sum(row.gain for row in rows if row.player == player)
        more = position.values[player] - second.evaluation.values[player]
        assert gained == pytest.approx(more, abs=1e-10)
    for row in rows:
        assert row.reach * row.distance == pytest.approx(expected[row.player, row.infostate])
        assert row.state == first.tree.infostate_trees[row.player].public_state[row.infostate]
        shown = {second.policy[row.label, row.player][action] for action in row.actions}
        assert shown == set(row.probabilities[1])


def test_pages_join(pair):
    whole = view_differences(*pair)
    assert len(whole.differences) == 50 < whole.total
    parts = [view_differences(*pair, start, 20).differences for start in (0, 20, 40)]
    assert sum(parts, ())[:50] == whole.differences
    assert view_differences(*pair, whole.total).differences == ()


def test_a_policy_does_not_differ_from_itself(pair):
    assert view_differences(pair[0], pair[0]).total == 0


def test_two_trees_are_refused(pair):
    kuhn = cached_tree("kuhn_poker")
    other = TreePlaces(kuhn, uniform_policy(kuhn.sequence_form))
    with pytest.raises(PolicyMismatchError, match="kuhn_poker and leduc_poker"):
        view_differences(other, pair[0])
    with pytest.raises(ParameterError, match="start=-1"):
        view_differences(*pair, -1)
