"""What a critic is worth: default transformations, NashConv with search, and advice."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

from infoset.deep import CriticReport, default_transformations, device_game, report_critic
from infoset.deep.critic_reports import MAX_COST, search_cost
from infoset.deep.critic_transformations import chosen_transformations
from infoset.deep.tree_rules import TreeRules
from infoset.errors import UnknownNameError
from infoset.evaluation import TransformedValues, nash_conv, transformed_values
from infoset.policy import TRANSFORMATIONS, constant_transformations
from infoset.regret import SCHEMES, RegretMinimizer
from infoset.resolving import ContinualResolving
from infoset.solvers.regret_family import average_policy
from tests.support.cached_games import cached_tree

pytestmark = pytest.mark.networks

LEDUC_ROWS = constant_transformations(["fold", "call", "raise"], "call")


@dataclass
class GivenValues:
    """A critic whose values are given."""

    values: TransformedValues

    def tabulate(self, tree):
        return self.values


@pytest.fixture(scope="module")
def blueprint():
    minimizer = RegretMinimizer(cached_tree("kuhn_poker").sequence_form, SCHEMES["cfr+"])
    minimizer.run(5)
    return average_policy(minimizer)


@pytest.fixture(scope="module")
def exact(blueprint):
    return transformed_values(
        cached_tree("kuhn_poker"), blueprint, constant_transformations(["pass", "bet"])
    )


def test_poker_has_constants_by_default_and_games_with_more_actions_all_transformations():
    assert default_transformations(device_game("leduc_poker")) == LEDUC_ROWS
    of_tree = default_transformations(TreeRules.of(cached_tree("leduc_poker")))
    assert set(of_tree) == set(LEDUC_ROWS)
    for rules in (device_game("kuhn_poker"), TreeRules.of(cached_tree("kuhn_poker"))):
        assert default_transformations(rules) == constant_transformations(["pass", "bet"])
    for name in (
        "goofspiel(num_cards=4,imp_info=True)",
        "goofspiel(num_cards=13,imp_info=True)",
        "battleship(board_width=3,board_height=3,ship_sizes=[2],ship_values=[1])",
        "liars_dice(dice_sides=3)",
    ):
        assert default_transformations(device_game(name)) == TRANSFORMATIONS


@pytest.mark.parametrize(
    ("num_actions", "phase", "expected"), [(20, 3, 21), (21, 3, 22), (4, 4, 22), (6, 2, 7)]
)
def test_constants_are_not_more_than_the_others(num_actions, phase, expected):
    class Rules:
        actions = tuple(map(str, range(num_actions)))
        phase_sizes = np.full((2, num_actions), phase)
        always_legal = ()

    Rules.num_actions = num_actions
    assert len(default_transformations(Rules())) == expected


def test_sets_of_transformations_have_names():
    rules = device_game("leduc_poker")
    assert chosen_transformations("constants", rules) == LEDUC_ROWS
    assert chosen_transformations("all", rules) == TRANSFORMATIONS
    assert chosen_transformations(LEDUC_ROWS[:2], rules) == LEDUC_ROWS[:2]
    with pytest.raises(UnknownNameError, match="did you mean constants"):
        chosen_transformations("constant", rules)


def test_a_critic_that_helps_is_reported_without_advice(blueprint, exact):
    tree = cached_tree("kuhn_poker")
    said = []
    report = report_critic(GivenValues(exact), tree, blueprint, callback=said.append)
    assert report.nash_conv == nash_conv(blueprint)
    for depth in (1, 2):
        searched = ContinualResolving(tree, blueprint, exact, depth=depth).search_policy()
        assert report.search_nash_conv[depth] == nash_conv(searched) < report.nash_conv
    assert (report.helpful_depths, report.is_harmful) == ((1, 2), False)
    assert "do not use" not in report.verdict
    assert said == [f"search with the critic at depth {depth}" for depth in (1, 2)]
    assert report.summary()["search_nash_conv"].keys() == {"1", "2"}


def test_a_critic_that_hurts_is_advised_against():
    tree = cached_tree("kuhn_poker")
    minimizer = RegretMinimizer(tree.sequence_form, SCHEMES["cfr+"])
    minimizer.run(300)
    blueprint = average_policy(minimizer)
    exact = transformed_values(tree, blueprint, constant_transformations(["pass", "bet"]))
    report = report_critic(GivenValues(replace(exact, values=-exact.values)), tree, blueprint)
    # At depth 2 the search reaches the end of the game, and needs no critic.
    assert report.search_nash_conv[1] > 0.1 > report.nash_conv
    assert report.helpful_depths == (2,)
    assert "do not use this critic at depth 1, where it makes play worse" in report.verdict


@pytest.mark.parametrize(
    ("found", "helpful", "is_harmful", "says"),
    [
        ({1: 0.1, 2: 0.05}, (1, 2), False, "with this critic 0.1 at depth 1, 0.05 at depth 2"),
        ({1: 0.2004, 2: 0.05}, (1, 2), False, "0.05 at depth 2"),
        ({1: 0.62, 2: 0.05}, (2,), False, "do not use this critic at depth 1, where it"),
        ({1: 0.62, 2: 0.3}, (), True, "do not use this critic, which makes play worse"),
    ],
)
def test_the_verdict_compares_each_depth_with_the_blueprint(found, helpful, is_harmful, says):
    report = CriticReport(0.2, found, tolerance=0.0005)
    assert (report.helpful_depths, report.is_harmful) == (helpful, is_harmful)
    assert report.verdict.startswith("NashConv 0.2 without search")
    assert says in report.verdict
    assert ("do not use" in report.verdict) == (len(helpful) < 2)


def test_searches_are_counted_before_they_are_done(blueprint, exact):
    tree = cached_tree("kuhn_poker")
    enough = search_cost(tree, 1)
    report = report_critic(GivenValues(exact), tree, blueprint, max_cost=enough)
    assert report.search_nash_conv.keys() == {1}
    leduc = cached_tree("leduc_poker")
    assert search_cost(leduc, 1) + search_cost(leduc, 2) < MAX_COST
