"""Views of extensive forms, against evaluation and the arrays of the form."""

from __future__ import annotations

import numpy as np
import pytest

import infoset
from infoset.errors import ParameterError, PolicyMismatchError, UnsupportedGameError
from infoset.evaluation import evaluate_policy
from infoset.policy import random_policy, uniform_policy
from infoset.views import (
    FormValues,
    view_form_children,
    view_form_history,
    view_form_infostates,
)
from tests.support.cached_games import cached_tree

GAMES = ["one_card_poker", "not_timeable", "horse"]


def load(name: str):
    return infoset.load(f"tests/efg/files/games/{name}.efg")


@pytest.mark.parametrize("name", GAMES)
def test_values_of_histories_are_those_of_the_policy(name):
    form = load(name)
    policy = random_policy(form.sequence_form, np.random.default_rng(1))
    values = FormValues(form, policy)
    (root,) = view_form_history(values, 0).histories
    assert root.values == pytest.approx(evaluate_policy(policy).values)
    assert root.reach == 1
    for history in range(form.num_histories):
        path = view_form_history(values, history).histories
        assert path[-1].reach == pytest.approx(np.prod([step.probability for step in path]))
        children = view_form_children(values, history)
        assert [child.history for child in children.histories] == list(
            range(form.first_child[history], form.first_child[history + 1])
        )
        if children.total:
            assert sum(child.probability for child in children.histories) == pytest.approx(1)
            mean = sum(child.probability * np.array(child.values) for child in children.histories)
            assert mean == pytest.approx(np.array(path[-1].values))
        else:
            assert path[-1].is_end
            assert path[-1].values == pytest.approx(form.utility[history])


@pytest.mark.parametrize("name", GAMES)
def test_infostates_have_the_probabilities_of_the_policy(name):
    form = load(name)
    policy = random_policy(form.sequence_form, np.random.default_rng(1))
    values = FormValues(form, policy)
    for player in range(form.num_players):
        view = view_form_infostates(values, player)
        own = form.sequence_form.infostate_trees[player]
        assert view.total == own.num_acting == len(view.infostates)
        for entry in view.infostates:
            first = own.first_sequence[entry.infostate]
            found = [action.probability for action in entry.actions]
            assert found == policy.probabilities[player][first : first + len(found)].tolist()


def test_wrong_arguments():
    form = load("one_card_poker")
    values = FormValues(form, uniform_policy(form.sequence_form))
    with pytest.raises(ParameterError, match="histories 0 to"):
        view_form_history(values, form.num_histories)
    with pytest.raises(ParameterError, match="counted from 0"):
        view_form_children(values, 0, 99)
    with pytest.raises(ParameterError, match="player"):
        view_form_infostates(values, 2)
    with pytest.raises(PolicyMismatchError, match="kuhn_poker"):
        FormValues(form, uniform_policy(cached_tree("kuhn_poker").sequence_form))
    with pytest.raises(UnsupportedGameError, match="no sequence form"):
        load("forgotten_coin").sequence_form  # noqa: B018
