"""Infostates are reached, refined or arbitrary."""

from __future__ import annotations

import numpy as np
import pytest

import infoset
from infoset.efg import chance, decision, extensive_form_from_nodes, parse_efg, terminal
from infoset.errors import ParameterError
from infoset.evaluation import infostate_status
from infoset.policy import TabularPolicy, load_policy, save_policy, uniform_policy
from tests.support.cached_games import cached_tree
from tests.support.reference_perfect_information import TRUST


@pytest.mark.parametrize(
    ("pay", "deliver", "status"),
    [
        (0.0, 0.5, "arbitrary"),
        (0.0, 0.0, "refined"),
        (0.0, 1e-9, "arbitrary"),
        (1e-7, 0.0, "refined"),
        (1e-3, 0.5, "reached"),
    ],
)
def test_the_seller_is_reached_refined_or_arbitrary(pay, deliver, status):
    form = parse_efg(TRUST).sequence_form
    policy = TabularPolicy(form, (np.array([1, pay, 1 - pay]), np.array([1, deliver, 1 - deliver])))
    assert [own.tolist() for own in infostate_status(policy)] == [["reached"], [status]]


def test_off_path_infostates_of_kuhn_poker_are_arbitrary():
    """Player 0 passes every card, so nobody is where it has bet, or passes after a bet of it."""
    form = cached_tree("kuhn_poker").sequence_form
    passes = [np.ones(13), np.full(13, 0.5)]
    passes[0][1:] = [1, 0] * 6
    passes[1][0] = 1
    found = infostate_status(TabularPolicy(form, tuple(passes)))
    for player in (0, 1):
        for label, status in zip(form.infostate_labels(player), found[player], strict=True):
            assert status == ("arbitrary" if label.endswith("] / bet") else "reached")


def test_an_own_action_may_lead_away():
    form = cached_tree("kuhn_poker").sequence_form
    bets = [np.full(13, 0.5), np.full(13, 0.5)]
    bets[0][:] = [1, *[0, 1] * 6]
    bets[1][0] = 1
    first, second = infostate_status(TabularPolicy(form, tuple(bets)))
    assert first.tolist() == ["reached"] * 3 + ["arbitrary"] * 3
    assert (second == "arbitrary").sum() == 3  # after a pass


def test_what_chance_makes_rare_is_reached():
    rare = decision(0, "rare", {"a": terminal(1), "b": terminal(0)})
    root = chance({"often": (1 - 1e-9, terminal(0)), "once": (1e-9, rare)})
    form = extensive_form_from_nodes(root, players=1).sequence_form
    assert infostate_status(uniform_policy(form))[0].tolist() == ["reached"]


def test_public_forms_and_trees_agree():
    result = infoset.solve("kuhn_poker", "lp")
    public = infoset.build_public_form("kuhn_poker")
    carried = infoset.policy.transfer_policy(result.policy, public)
    counts = [
        sorted(np.concatenate(infostate_status(policy)).tolist())
        for policy in (result.policy, carried)
    ]
    assert counts[0] == counts[1]
    assert "arbitrary" in counts[0]


def test_forced_moves_off_the_path_are_not_arbitrary():
    text = TRUST.replace('{ "deliver" "keep" } 0', '{ "keep" } 0').replace(
        't "" 1 "" { 2, 2 }\n', ""
    )
    form = parse_efg(text).sequence_form
    assert [own.tolist() for own in infostate_status(infoset.solve(form).policy)] == [
        ["reached"],
        ["refined"],
    ]


def test_the_status_of_a_saved_policy_is_the_same(tmp_path):
    form = parse_efg(TRUST).sequence_form
    save_policy(infoset.solve(form).policy, tmp_path / "policy.parquet")
    loaded = load_policy(tmp_path / "policy.parquet", form)
    assert infostate_status(loaded)[1].tolist() == ["refined"]


def test_other_objects_are_refused():
    with pytest.raises(ParameterError, match="policy"):
        infostate_status("uniform")
