"""Small team games under the information maps of the paper, built once."""

from __future__ import annotations

from functools import cache

import numpy as np

from infoset.games import load_game
from infoset.teams import (
    build_product_form,
    forget_own_actions,
    merge_outcomes,
    perfect_recall_closure,
    reveal_private,
)
from infoset.teams.hiding import relax
from tests.teams.shared_forms import tiny_bridge_form

TEAM = (0, 1)


@cache
def form_of(name):
    """The product form of a game; in trade comm agents forget their own messages."""
    if name.startswith("tiny_bridge"):
        return merge_outcomes(tiny_bridge_form())
    form = build_product_form(load_game(name))
    return form.with_original(forget_own_actions(form)) if name.startswith("trade") else form


@cache
def team_game(name, relaxation="recall", **parameters):
    """A game of one team with no relaxation, private information revealed, or perfect recall."""
    form = form_of(name)
    revealed = reveal_private(form.information, TEAM)
    maps = {
        "nothing": None,
        "private_revealed": revealed,
        "recall": perfect_recall_closure(revealed, TEAM),
    }
    return relax(form, maps[relaxation], **parameters)


def trade(num, relaxation="recall"):
    return team_game(f"trade_comm(num_items={num})", relaxation)


def pennies(relaxation="recall", miss=-2):
    return team_game(f"cooperative_matching_pennies(miss_reward={miss})", relaxation)


def bridge(relaxation="recall"):
    return team_game("tiny_bridge_2p(abstracted=true)", relaxation)


@cache
def random_team(seed, relaxation="recall"):
    """A random game whose two players are one team that maximizes the total payoff."""
    name = f"random_game(seed={seed},zero_sum=false,max_histories=60,max_depth=5)"
    return team_game(name, relaxation, rule="sum")


@cache
def random_duel(seed):
    """A random game of three players; the first two are a team relaxed to perfect recall."""
    name = f"random_game(seed={seed},num_players=3,max_histories=60,max_depth=5)"
    form = build_product_form(load_game(name))
    relaxation = perfect_recall_closure(reveal_private(form.information, TEAM), TEAM)
    return relax(form, (relaxation, form.information), [TEAM, (2,)], rule="sum")


def random_policy(information, generator):
    """[S] a policy drawn uniformly from all policies."""
    drawn = generator.exponential(size=information.num_entries)
    sums = np.add.reduceat(drawn, information.first_entry[:-1])
    return drawn / np.repeat(sums, information.num_actions)


def by_cell(information, policy):
    """A flat policy as one array for each cell."""
    return np.split(policy, information.first_entry[1:-1])
