"""Heat maps of beliefs: each square shows the probability of its pair of infostates."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from infoset.beliefs import PublicPrivateBelief, private_belief, public_belief
from infoset.errors import ParameterError
from infoset.game import Infostate, PublicState, Step
from infoset.games import LiarsDice, load_game
from infoset.plotting import plot_beliefs
from infoset.search import pimc_policy
from infoset.tree import build_tree
from tests.plotting.svg_reader import NAME, Svg

SEARCH_DOCS = Path(__file__).parents[2] / "docs" / "search"
LEDUC = load_game("leduc_poker")
JACK = Infostate(0, (Step(None, "Js", None),))


def labels(axis):
    return [label.get_text() for label in axis.get_ticklabels()]


def test_a_square_for_each_pair_with_its_probability():
    belief = private_belief(LEDUC, JACK)
    (axes,) = plot_beliefs({"a jack": belief}).axes
    assert axes.get_title() == "a jack"
    assert labels(axes.yaxis) == ["Js\n(1)"]
    assert labels(axes.xaxis) == [f"{card}\n(0.2)" for card in ("Jh", "Kh", "Ks", "Qh", "Qs")]
    assert [text.get_text() for text in axes.texts] == ["0.2"] * 5
    turned = plot_beliefs({"a jack": belief}, players=(1, 0)).axes[0]
    assert labels(turned.xaxis) == ["Js\n(1)"]
    assert (turned.get_ylabel(), turned.get_xlabel()) == ("player 1", "player 0")


def test_panels_have_the_same_rows_and_columns_and_colors():
    public = public_belief(LEDUC, PublicState((None,)))
    first, second = plot_beliefs({"own": private_belief(LEDUC, JACK), "all": public}).axes
    pair = first.images[0], second.images[0]
    assert pair[0].get_array().shape == pair[1].get_array().shape == (6, 6)
    assert pair[0].get_clim() == pair[1].get_clim() == (0, 0.2)
    assert pair[0].get_array().sum() == pytest.approx(1)
    assert np.diag(pair[1].get_array()).tolist() == [0] * 6


def test_many_infostates_have_no_names():
    belief = public_belief(LiarsDice(numdice=2), PublicState((None,)))
    (axes,) = plot_beliefs({"dice": belief}).axes
    assert axes.images[0].get_array().shape == (21, 21)
    assert not axes.texts
    assert labels(axes.yaxis) == []


def test_infostates_with_equal_private_parts_have_full_names():
    game = load_game("goofspiel(num_cards=3,imp_info=True)")
    first = private_belief(game, Infostate(0)).histories[0]
    while not first.actors:
        first = first.extend((None, None), first.chance_outcomes[0][0])
    belief = public_belief(game, first.public_state)
    (axes,) = plot_beliefs({"start": belief}).axes
    assert labels(axes.yaxis) == [f"{first.infostates[0]}\n(1)"]


def test_the_picture_of_the_docs_is_what_the_code_draws_now():
    one = Infostate(0, (Step(None, (1,), None),))
    dice = LiarsDice(dice_sides=2)
    figure = plot_beliefs(
        {
            f"public weight {public_weight:g}": PublicPrivateBelief(public_weight).at(dice, one)
            for public_weight in (0.0, 0.5, 1.0)
        }
    )
    drawn = {text.get_text() for axes in figure.axes for text in axes.texts}
    assert drawn == {"0.375", "0.125", "0.25", "0.5", "0"}
    picture = Svg((SEARCH_DOCS / "two-sided-dice.svg").read_text("utf-8"))
    stored = ["".join(text.itertext()) for text in picture.root.iter(f"{NAME}text")]
    assert drawn <= set(stored)
    for axes in figure.axes:
        assert sum(text.startswith(f"{axes.get_title()}:") for text in stored) == 1


def test_the_picture_of_a_bid_is_up_to_date():
    tree, after_bid = build_tree(LiarsDice(dice_sides=2)), PublicState((None, "2-1"))
    beliefs = {
        f"public weight {public_weight:g}": public_belief(
            tree, after_bid, policies=pimc_policy(tree, public_weight)
        )
        for public_weight in (0.0, 0.5)
    }
    drawn = {text.get_text() for axes in plot_beliefs(beliefs).axes for text in axes.texts}
    assert drawn == {"0.333", "0.167", "0.25"}
    picture = Svg((SEARCH_DOCS / "two-sided-dice-read.svg").read_text("utf-8"))
    stored = ["".join(text.itertext()) for text in picture.root.iter(f"{NAME}text")]
    assert drawn <= set(stored)
    for title in beliefs:
        assert sum(text.endswith(f"with {title}") for text in stored) == 1


def test_something_else_is_not_drawn():
    belief = private_belief(LEDUC, JACK)
    with pytest.raises(ParameterError, match="beliefs is empty"):
        plot_beliefs({})
    with pytest.raises(ParameterError, match="give a dictionary of beliefs"):
        plot_beliefs(belief)
    with pytest.raises(ParameterError, match="a belief=3 is of type int"):
        plot_beliefs({"a": 3})
    with pytest.raises(ParameterError, match="no player 2"):
        plot_beliefs({"a": belief}, players=(0, 2))
    with pytest.raises(ParameterError, match="two different players"):
        plot_beliefs({"a": belief}, players=(1, 1))
