"""Arrays that are not a valid product form are refused with the reason."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from infoset.errors import GameRuleError
from infoset.games import load_game
from infoset.teams import build_product_form


@pytest.fixture(scope="module")
def pennies():
    return build_product_form(load_game("cooperative_matching_pennies"))


def changed(array, index, value):
    copy = array.copy()
    copy[index] = value
    return copy


WRONG_ARRAYS = {
    "but other arrays have": lambda a: {"chance": a.chance[:-1]},
    "`child` has 3": lambda a: {"child": a.child[:3]},
    "payoff.shape=": lambda a: {"payoff": a.payoff[:, :1]},
    "sum to 1.25": lambda a: {"chance": a.chance * 1.25},
    "an outcome has probability 0": lambda a: {"chance": a.chance * 0},
    "an outcome has probability nan": lambda a: {"chance": a.chance * np.nan},
    "exactly the edges that lead to nodes": lambda a: {"child": changed(a.child, 0, -1)},
    "leads to another node": lambda a: {"child": changed(a.child, [0, 1], [3, 2])},
    "is not in a later stage": lambda a: {"first_node": np.array([0, 3, 6])},
    "has another outcome": lambda a: {"chance": changed(a.chance, 2, 0.25)},
    "has agent 2": lambda a: {"agent": changed(a.agent, 0, 2)},
    "has 1 edges and 2 actions": lambda a: {"first_edge": changed(a.first_edge, 1, 1)},
    "a payoff is inf": lambda a: {"payoff": a.payoff * np.inf},
    "out of order": lambda a: {"payoff_edge": a.payoff_edge[::-1].copy()},
    "edge 0 has a payoff but": lambda a: {"payoff_edge": changed(a.payoff_edge, 0, 0)},
}


@pytest.mark.parametrize("message", WRONG_ARRAYS)
def test_invalid_arrays_are_refused(pennies, message):
    arrays = pennies.arrays._replace(**WRONG_ARRAYS[message](pennies.arrays))
    with pytest.raises(GameRuleError, match=message):
        replace(pennies, arrays=arrays)


def test_every_outcome_has_one_root(pennies):
    with pytest.raises(GameRuleError, match="heads has more than one root"):
        replace(pennies, outcome=np.zeros(6, np.int64))
    with pytest.raises(GameRuleError, match="tails has no root"):
        replace(pennies, outcome=np.array([0, 0, 0, 0, 1, 1]), arrays=_one_root(pennies.arrays))


def _one_root(arrays):
    return arrays._replace(parent_edge=changed(arrays.parent_edge, 1, 2))


def test_arrays_are_read_only(pennies):
    for array in (*pennies.arrays, pennies.outcome, pennies.original, pennies.private_signal):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
