"""Grids of hands against sums over single hands."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

import infoset
from infoset.errors import ParameterError
from infoset.game import Game, Observation
from infoset.policy import TabularPolicy, random_policy
from infoset.views import TreePlaces, view_hand_grid, view_infostates
from tests.support.cached_games import cached_tree

DECK = [rank + suit for rank in "AKT" for suit in "hd"]
DEALS = [
    (first, second)
    for first in combinations(DECK, 2)
    for second in combinations(DECK, 2)
    if not {*first} & {*second}
]


@dataclass(frozen=True)
class TwoCards(Game):
    """Each player gets two of six cards; player 0 bets or checks, and the first hand wins."""

    num_players = 2

    def initial_world(self):
        return ()

    def actors(self, world):
        return (0,) if len(world) == 2 else ()

    def legal_actions(self, world, player):
        return ("check", "bet")

    def transitions(self, world, joint_action):
        if not world:
            return [(deal, Fraction(1, len(DEALS))) for deal in DEALS]
        return [((*world, joint_action[0]), 1)] if len(world) == 2 else []

    def rewards(self, world, joint_action, next_world):
        size = (2 if next_world[-1] == "bet" else 1) if len(next_world) == 3 else 0
        sign = 1 if next_world[0] < next_world[1] else -1
        return (size * sign, -size * sign)

    def observe(self, world, joint_action, next_world):
        return Observation(private=next_world) if not world else Observation(public=next_world[2])


@pytest.fixture(scope="module")
def tree():
    return infoset.build_tree(TwoCards())


@pytest.fixture(scope="module")
def values(tree):
    return TreePlaces(tree, random_policy(tree.sequence_form, np.random.default_rng(3)))


def flat(grid):
    return [cell for row in grid.cells for cell in row]


def test_cells_are_sums_over_their_hands(values):
    grid = view_hand_grid(values, 1, 0)
    assert grid.action_labels == ("check", "bet")
    assert [len(row) for row in grid.cells] == [13] * 13
    hands = view_infostates(values, 1, 0)
    assert hands.are_hands
    names = {"A": 0, "K": 1, "T": 4}
    for cell in flat(grid):
        held = []
        for row in hands.infostates:
            ranks = sorted((row.label[0], row.label[3]), key=names.get)
            one_suit = row.label[1] == row.label[4]
            kind = "" if ranks[0] == ranks[1] else "s" if one_suit else "o"
            if "".join(ranks) + kind == cell.label:
                held.append(row)
        assert cell.num_hands == len(held)
        assert cell.probability == pytest.approx(sum(row.probability for row in held))
        if held:
            for at in (0, 1):
                mixed = sum(row.probability * row.actions[at].probability for row in held)
                assert cell.actions[at] == pytest.approx(mixed / cell.probability)
    assert sum(cell.num_hands for cell in flat(grid)) == 15
    assert grid.cells[0][1].label == "AKs"
    assert grid.cells[1][0].label == "AKo"
    assert grid.cells[4][4].label == "TT"


def test_unreached_states_have_no_probability(tree):
    never_bets = tuple(np.tile([1.0, 0.0], own.num_acting + 1)[1:] for own in tree.infostate_trees)
    values = TreePlaces(tree, TabularPolicy.from_weights(tree.sequence_form, never_bets))
    public = tree.public_tree
    bet = next(s for s in range(public.num_public_states) if public.label(s).endswith("bet"))
    grid = view_hand_grid(values, bet, 1)
    assert {cell.probability for cell in flat(grid)} == {None}
    assert grid.action_labels == ()
    assert grid.cells[0][1].own_reach == 1


def test_other_hands_are_refused(values):
    kuhn = cached_tree("kuhn_poker")
    other = TreePlaces(kuhn, random_policy(kuhn.sequence_form, np.random.default_rng(0)))
    assert not view_infostates(other, 1, 0).are_hands
    with pytest.raises(ParameterError, match="holds J at public state 1"):
        view_hand_grid(other, 1, 0)
