"""Games and results shared by several packages, as arrays and numbers.

After a rename in the library, only this module and the section `Adapters` of each package need to
change. Ids of digests never change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, TypeAlias

import numpy as np

import infoset
from infoset.forms import SequenceForm
from infoset.game import Game
from infoset.policy import TabularPolicy, random_policy
from infoset.tree import GameTree, WorldGraph, build_tree, build_world_graph

__all__ = [
    "GAMES",
    "Cell",
    "Cells",
    "evaluation_numbers",
    "form_numbers",
    "form_of",
    "form_of_policy",
    "game_of",
    "graph_numbers",
    "graph_of",
    "infostate_tree_numbers",
    "policy_numbers",
    "random_policies",
    "result_numbers",
    "trace_numbers",
    "tree_numbers",
    "tree_of",
]

Cell: TypeAlias = Callable[[], object]
"""Computes the value to hash."""

Cells: TypeAlias = Iterator[tuple[str, Cell]]
"""Ids of digests, without the package, and their cells."""

GAMES = {
    "kuhn_poker": "kuhn_poker",
    "kuhn_poker_3": "kuhn_poker(players=3)",
    "leduc_poker": "leduc_poker",
    "goofspiel_3": "goofspiel(num_cards=3)",
    "goofspiel_4": "goofspiel(num_cards=4,imp_info=true)",
    "goofspiel_random": "goofspiel(num_cards=3,imp_info=true,points_order=random)",
    "liars_dice_3": "liars_dice(dice_sides=3)",
    "rock_paper_scissors": "matrix_brps",
    "shapley": "matrix_game(row_payoffs=[[1,0,0],[0,1,0],[0,0,1.1]],"
    "column_payoffs=[[0,1,0],[0,0,1],[1,0,0]])",
    "chicken": "matrix_cd",
    "bandit_tree": "bandit_tree",
    "trick_taking_6": "trick_taking(num_cards=6,hand_size=2)",
    "liars_dice_6": "liars_dice",
    "random_3": "random_game(seed=11,num_players=3,max_depth=6,simultaneous_share=0.0)",
    "random_2": "random_game(seed=4,num_players=2,max_depth=6,simultaneous_share=0.0)",
}
"""Texts of games by their names in ids."""


# Adapters


def game_of(name: str) -> Game:
    """Return a game by its name in ids."""
    return infoset.load(GAMES[name])


@cache
def graph_of(name: str) -> WorldGraph:
    """Return the world graph of a game."""
    return build_world_graph(game_of(name))


@cache
def tree_of(name: str) -> GameTree:
    """Return the tree of histories of a game."""
    return build_tree(game_of(name))


def form_of(name: str) -> SequenceForm:
    """Return the sequence form of a game."""
    return tree_of(name).sequence_form


def form_of_policy(policy: TabularPolicy) -> SequenceForm:
    """Return the form of a policy."""
    return policy.form


@cache
def random_policies(name: str, count: int) -> tuple[TabularPolicy, ...]:
    """Return random policies of a game, seeded by their numbers."""
    form = form_of(name)
    return tuple(random_policy(form, np.random.default_rng(n)) for n in range(count))


def policy_numbers(policy: TabularPolicy | None) -> object:
    """Return the probabilities of a policy."""
    return None if policy is None else policy.probabilities


def evaluation_numbers(measured: Any) -> object:
    """Return the numbers of an evaluation."""
    return (
        measured.values,
        measured.gains,
        measured.nash_conv,
        measured.exploitability,
        measured.security_levels,
        measured.rounding,
    )


def trace_numbers(trace: Any) -> object:
    """Return the measurements of a run, without seconds."""
    return [
        (
            point.iteration,
            point.values,
            point.nash_conv,
            point.exploitability,
            point.cce_gap,
            point.efce_gap,
        )
        for point in trace
    ]


def result_numbers(result: Any) -> object:
    """Return all numbers of a solver's result except seconds."""
    return (
        policy_numbers(result.policy),
        policy_numbers(result.current_policy),
        evaluation_numbers(result.measured),
        result.iterations,
        trace_numbers(result.trace),
        list(result.gaps.values()),
    )


def graph_numbers(graph: WorldGraph) -> object:
    """Return the arrays of a world graph."""
    return (
        graph.num_worlds,
        graph.num_expanded,
        graph.action_set,
        [len(actions) for actions in graph.action_sets],
        graph.first_edge,
        graph.joint_action,
        graph.probability,
        graph.exact_probability,
        graph.next_world,
        graph.rewards,
        graph.public_observation,
        graph.private_observation,
    )


def tree_numbers(tree: GameTree) -> object:
    """Return the arrays of a tree of histories."""
    return (
        tree.world,
        tree.parent,
        tree.edge,
        tree.first_child,
        tree.infostate,
        tree.public_state,
        tree.chance_reach,
        tree.rewards_so_far,
        tree.terminals,
        tree.level_offsets,
        tree.sequence,
    )


def infostate_tree_numbers(tree: Any) -> object:
    """Return the arrays of a player's infostate tree."""
    return (
        tree.parent,
        tree.action,
        tree.private_observation,
        tree.public_observation,
        tree.public_state,
        tree.action_set,
        tree.num_actions,
        tree.acting,
        tree.last_sequence,
        tree.first_sequence,
    )


def form_numbers(form: SequenceForm) -> object:
    """Return the arrays of a sequence form."""
    return (
        [
            (plex.parent_sequence, plex.first_sequence, plex.num_actions, plex.num_sequences)
            for plex in form.treeplexes
        ],
        form.terminal_sequence,
        form.payoff,
        form.payoff_range,
        form.constant_sum,
        form.payoff_rounding,
        form.rounding,
    )
