"""Selection of the search model of a game."""

from __future__ import annotations

import pytest

from infoset.errors import ParameterError, UnsupportedGameError
from infoset.games import KuhnPoker, LiarsDice, TrickTaking
from infoset.search import (
    DiceModel,
    GraphModel,
    RulesModel,
    TricksModel,
    make_searcher,
    register_model,
    search_model,
)
from infoset.search.models import search_model_type, selection
from infoset.tree import build_tree, build_world_graph

OWN_SIZE = TrickTaking(num_cards=6, num_suits=2)
TOO_LONG_SUITS = TrickTaking(num_cards=30, num_suits=2)


class Cards(KuhnPoker):
    """Kuhn poker as another class."""


@pytest.fixture(autouse=True)
def models(monkeypatch):
    monkeypatch.setattr(selection, "_MODELS", dict(selection._MODELS))


@pytest.mark.broad
@pytest.mark.parametrize(
    ("game", "kind"),
    [
        (KuhnPoker(), GraphModel),
        (LiarsDice(), DiceModel),
        (OWN_SIZE, TricksModel),
        (TOO_LONG_SUITS, RulesModel),
    ],
)
def test_search_model_type_agrees_with_search_model(game, kind, monkeypatch):
    monkeypatch.setattr(selection, "MAX_WORLDS", 500)
    assert type(search_model(game)) is kind
    assert search_model_type(build_world_graph(game, max_worlds=600, partial=True)) is kind


def test_a_tree_is_searched_as_given():
    tree = build_tree(LiarsDice(dice_sides=2))
    assert search_model(tree).tree is tree


def test_a_registered_model_is_used_for_its_class():
    register_model(Cards, RulesModel)
    assert type(make_searcher("pimc", Cards()).model) is RulesModel
    assert search_model_type(build_world_graph(Cards())) is RulesModel
    assert type(search_model(KuhnPoker())) is GraphModel


def test_parameters_a_model_refuses_are_explored():
    def refuse(game):
        raise UnsupportedGameError("not this one")

    register_model(Cards, refuse)
    assert type(search_model(Cards())) is GraphModel


def test_invalid_arguments():
    with pytest.raises(ParameterError, match="give the class of a game, such as type"):
        register_model(KuhnPoker(), RulesModel)
    with pytest.raises(ParameterError, match=r"model is 3.*give a class derived from"):
        register_model(Cards, 3)
