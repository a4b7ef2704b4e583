"""Exceptions in functions and policies of users that searches call: the errors name the place."""

from __future__ import annotations

import numpy as np
import pytest

from infoset.beliefs import PublicPrivateBelief
from infoset.errors import ParameterError, UserFunctionError
from infoset.forms import cut
from infoset.front import solve
from infoset.game import Infostate, Step, initial_history
from infoset.games import load_game
from infoset.matches import play_matches
from infoset.policy import FunctionPolicy, probabilities_at, uniform_policy
from infoset.resolving import ContinualResolving, resolve_public_subgame
from infoset.search import ISMCTS, PIMC, Rollouts, search_model
from infoset.search.models import RulesModel
from infoset.tree import derive_public_form
from tests.support.cached_games import cached_tree

KUHN = load_game("kuhn_poker")
GOOFSPIEL = load_game("goofspiel(num_cards=4,imp_info=True)")
QUEEN_AFTER_BET = Infostate(1, (Step(None, "Q", None), Step(None, None, "bet")))


def broken(*arguments):
    return 1 / 0


class BrokenPolicy:
    def action_probabilities(self, infostate, legal_actions):
        raise KeyError("no such hand")


class BrokenValues:
    def continuation_values(self, histories, player):
        raise RuntimeError("out of memory on the device")


@pytest.mark.parametrize(
    ("values", "name", "cause"),
    [(broken, "broken", ZeroDivisionError), (BrokenValues(), "BrokenValues", RuntimeError)],
)
def test_values_that_raise_name_the_infostates_of_the_search(values, name, cause):
    start = initial_history(GOOFSPIEL).infostates[0]
    search = ContinualResolving(RulesModel(GOOFSPIEL), values=values)
    with pytest.raises(UserFunctionError, match=f"the values {name} raised") as raised:
        search.action_probabilities(start, range(1, 5))
    assert isinstance(raised.value.__cause__, cause)
    assert "in a search of player 0, for " in str(raised.value)
    assert str(raised.value).endswith(f"searching at {start}")
    assert "prize 1 / " in str(raised.value)
    assert "of player 1" in str(raised.value)


@pytest.mark.parametrize("answer", [np.zeros(3), [[np.nan]]])
def test_values_of_another_kind_name_the_place(answer):
    search = ContinualResolving(RulesModel(GOOFSPIEL), values=lambda histories, player: answer)
    with pytest.raises(ParameterError, match=r"continuation values .*in a search of player 0"):
        search.action_probabilities(initial_history(GOOFSPIEL).infostates[0], range(1, 5))


def test_leaf_functions_that_raise_name_the_infostate_and_the_public_node():
    form = derive_public_form(cached_tree("leduc_poker"))
    number = form.find(Infostate(0, (Step(None, "Js", None),)))
    infostate, actions = form.infostate_at(0, number), form.actions_at(0, number)
    search = ContinualResolving(form, values=broken, depth=1)
    says = r"the leaf function broken raised Zero.* after 'call / raise', searching at \[Js\]"
    with pytest.raises(UserFunctionError, match=says) as raised:
        search.action_probabilities(infostate, actions)
    assert isinstance(raised.value.__cause__, ZeroDivisionError)
    with pytest.raises(UserFunctionError, match=r"the leaf function broken raised Zero.* after 'c"):
        solve(cut(form, broken, depth=1), iterations=2)
    with pytest.raises(UserFunctionError, match=r"the leaf function broken raised Zero.* after 'c"):
        resolve_public_subgame(uniform_policy(form), 0, 0, depth=1, leaf_values=broken)


def test_values_of_a_match_that_raise_name_the_history():
    with pytest.raises(UserFunctionError, match=r"the values broken raised Zero.*at <History of k"):
        play_matches(KUHN, None, None, num_deals=2, values=broken)


def test_a_blueprint_that_raises_is_named_with_its_infostate():
    start, rng = initial_history(GOOFSPIEL), np.random.default_rng(0)
    dealt = start.sample(start.joint({}), rng)
    later = dealt.sample(dealt.joint({0: 1, 1: 2}), rng).infostates[0]
    search = ContinualResolving(
        RulesModel(GOOFSPIEL), BrokenPolicy(), lambda histories, _: np.zeros((len(histories), 1))
    )
    with pytest.raises(UserFunctionError, match="policy BrokenPolicy raised KeyError") as raised:
        search.action_probabilities(later, (2, 3, 4))
    assert "at the infostate prize " in str(raised.value)
    assert isinstance(raised.value.__cause__, KeyError)


def test_an_opponent_model_that_raises_is_named_with_its_infostate():
    belief = PublicPrivateBelief(0.0, policies=FunctionPolicy(broken))
    searcher = PIMC(search_model(KUHN), belief=belief)
    with pytest.raises(UserFunctionError, match=r"the policy broken raised ZeroDivisionError.*\[J"):
        searcher.search(QUEEN_AFTER_BET, np.random.default_rng(0))


@pytest.mark.parametrize(
    ("leaf_value", "says"),
    [
        (broken, "the leaf value broken raised ZeroDivisionError"),
        (Rollouts(BrokenPolicy()), r"the policy BrokenPolicy raised KeyError.*at the infostate \["),
    ],
)
@pytest.mark.parametrize("searcher", [PIMC, ISMCTS])
def test_a_leaf_value_that_raises_is_named(searcher, leaf_value, says):
    limits = {"depth": 1} if searcher is PIMC else {"num_simulations": 20}
    made = searcher(search_model(KUHN), leaf_value=leaf_value, **limits)
    with pytest.raises(UserFunctionError, match=says):
        made.search(Infostate(0, (Step(None, "Q", None),)), np.random.default_rng(0))


def test_errors_of_the_library_and_in_its_own_classes_keep_their_type():
    def wrong(infostate, legal_actions):
        raise ParameterError("a parameter of the policy is wrong")

    class Batch:
        def many_action_probabilities(self, infostates, legal_actions):
            raise ValueError("no such row")

        action_probabilities = broken

    there = [QUEEN_AFTER_BET, QUEEN_AFTER_BET]
    with pytest.raises(ParameterError, match="is wrong"):
        probabilities_at(FunctionPolicy(wrong), there, [("pass", "bet")] * 2)
    with pytest.raises(UserFunctionError, match=r"at the infostate .* or one of 1 others"):
        probabilities_at(Batch(), there, [("pass", "bet")] * 2)
    Batch.__module__ = "infoset.deep.network_policy"
    with pytest.raises(ValueError, match="no such row"):
        probabilities_at(Batch(), there, [("pass", "bet")] * 2)
