"""The table of PIMC against the searches that it tabulates, on games that are hard to tabulate."""

from __future__ import annotations

import pytest

from infoset.evaluation import transformed_values
from infoset.game import Observation, initial_history
from infoset.policy import TRANSFORMATIONS, distance, tabulate, uniform_policy
from infoset.search import PIMC, SEARCHERS, GraphModel, make_searcher, pimc_policy
from infoset.tree import build_tree
from tests.support.function_game import FunctionGame
from tests.support.random_hidden_actions import HiddenActionsGame

PAYOFFS = {"a": 3, "b": 0, "c": 4}


def game_with_two_outcomes_of_c():
    """Return a game where c, with two outcomes, is legal with one of two hands only."""

    def paid(after):
        won = PAYOFFS[after[1]] if len(after) > 1 else 0
        return (won, -won)

    def transitions(world, joint_action):
        if not world:
            return [((0,), 0.5), ((1,), 0.5)]
        if len(world) > 1:
            return []
        outcomes = (0, 1) if joint_action[0] == "c" else (0,)
        return [((*world, joint_action[0], k), 1 / len(outcomes)) for k in outcomes]

    return FunctionGame(
        2,
        initial_world=lambda: (),
        actors=lambda w: (0,) if len(w) == 1 else (),
        legal_actions=lambda w, p: ("a", "c") if w[0] else ("a", "b"),
        transitions=transitions,
        rewards=lambda w, joint, after: paid(after),
        observe=lambda w, joint, after: (
            Observation(public=joint[0]) if w else Observation(private=(after[0], None))
        ),
    )


@pytest.mark.parametrize("public_weight", [0.0, 0.5, 1.0])
def test_outcomes_of_an_action_are_not_counted_as_histories(public_weight):
    """c earns 4 wherever it is legal, and a earns 3."""
    game = game_with_two_outcomes_of_c()
    known = initial_history(game).extend((None, None), (1,)).infostates[0]
    table = pimc_policy(build_tree(game), public_weight)
    assert table.action_probabilities(known, ("a", "c")).tolist() == [0.0, 1.0]


@pytest.mark.broad
@pytest.mark.parametrize("public_weight", [0.45, 1.0])
def test_actions_that_are_legal_in_some_worlds_with_several_outcomes(public_weight):
    for seed in range(35):
        model = GraphModel(build_tree(HiddenActionsGame(seed)))
        searcher = PIMC(model, belief=public_weight, num_worlds=None)
        found = tabulate(model.tree.sequence_form, [searcher] * 2)
        assert distance(found, pimc_policy(model, public_weight)) == 0.0, seed


def where_only(actors):
    """Return a game in which the given players act once, after a fair coin or at the start."""
    return FunctionGame(
        2,
        actors=lambda w: actors if w == "start" else (),
        transitions=lambda w, joint: [("heads", 0.5), ("tails", 0.5)] if w == "start" else [],
        rewards=lambda w, joint, after: (1, -1) if "left" in joint else (0, 0),
        observe=lambda w, joint, after: Observation(public=(after, joint)),
    )


@pytest.mark.parametrize("opponents", ["max-n", "paranoid"])
@pytest.mark.parametrize("public_weight", [0.0, 0.5, 1.0])
def test_where_nobody_acts_the_table_is_empty(public_weight, opponents):
    tree = build_tree(where_only(()))
    table = pimc_policy(tree, public_weight, opponents=opponents)
    assert [own.tolist() for own in table.probabilities] == [[1.0], [1.0]]
    assert list(table.rows()) == []


@pytest.mark.parametrize("actors", [(), (1,)])
def test_searchers_where_a_player_never_acts(actors):
    tree = build_tree(where_only(actors))
    for name in SEARCHERS:
        found = tabulate(tree.sequence_form, [make_searcher(name, GraphModel(tree))] * 2)
        assert all(row.probabilities[1] > 0.9 for row in found.rows()), name


@pytest.mark.parametrize("actors", [(), (1,)])
def test_transformed_policies_where_a_player_never_acts(actors):
    tree = build_tree(where_only(actors))
    uniform = uniform_policy(tree.sequence_form)
    values = transformed_values(tree, uniform, TRANSFORMATIONS[:3])
    assert values.values[0] == pytest.approx(0.5 if actors else 0.0)
