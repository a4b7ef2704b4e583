"""Games: world graphs, trees of histories, infostate trees and sequence forms, and plays."""

from __future__ import annotations

from fractions import Fraction
from functools import cache, partial
from typing import Any

import numpy as np

import infoset
from digest_packages.common import (
    Cells,
    form_numbers,
    graph_numbers,
    infostate_tree_numbers,
    tree_numbers,
)
from infoset.efg import rewards_are_observable
from infoset.game import fold_chance_player, forget_factorization, initial_history, serialize
from infoset.games import GAMES
from infoset.tree import (
    build_tree,
    build_world_graph,
    contract_graph,
    count_histories,
    forecast_contraction,
    unroll,
)

__all__ = ["cells", "uncovered"]

# Adapters

SMALL = {
    "kuhn_poker": "kuhn_poker",
    "kuhn_poker/3": "kuhn_poker(players=3)",
    "kuhn_poker_long": "kuhn_poker_long",
    "leduc_poker": "leduc_poker",
    "leduc_poker/isomorphic": "leduc_poker(suit_isomorphism=true)",
    "leduc_poker/mapped": "leduc_poker(action_mapping=true,starting_player=1)",
    "leduc_poker/ranks-4": "leduc_poker(num_ranks=4,num_suits=1,num_raises=1)",
    "liars_dice/3": "liars_dice(dice_sides=3)",
    "liars_dice/2x2": "liars_dice(numdice=2,dice_sides=2)",
    "liars_dice/quantity": "liars_dice(dice_sides=3,bidding_rule=reset-quantity)",
    "goofspiel/3": "goofspiel(num_cards=3)",
    "goofspiel/4": "goofspiel(num_cards=4,imp_info=true,points_order=descending)",
    "goofspiel/random": "goofspiel(num_cards=3,imp_info=true,points_order=random)",
    "goofspiel/players-3": "goofspiel(num_cards=3,players=3,imp_info=true)",
    "goofspiel/points": "goofspiel(num_cards=3,points_order=ascending,returns_type=total_points)",
    "goofspiel/turns": "goofspiel(num_cards=4,num_turns=2,returns_type=point_difference)",
    "battleship": "battleship(board_width=2,board_height=2,ship_sizes=[1],ship_values=[1.0],"
    "num_shots=2)",
    "battleship/loss": "battleship(board_width=2,board_height=1,ship_sizes=[1],ship_values=[2.0],"
    "num_shots=2,allow_repeated_shots=false,loss_multiplier=2.0)",
    "trick_taking": "trick_taking(num_cards=6,hand_size=2)",
    "trick_taking/draw": "trick_taking(num_cards=6,hand_size=2,layout=filled,tie=draw)",
    "dark_hex/2": "dark_hex(board_size=2)",
    "dark_hex/abrupt": "dark_hex(board_size=2,gameversion=adh,obstype=reveal-numturns)",
    "phantom_ttt/2": "phantom_ttt(num_rows=2,num_cols=2,line_length=2)",
    "phantom_ttt/abrupt": "phantom_ttt(num_rows=2,num_cols=2,line_length=2,gameversion=abrupt)",
    "pennies": "cooperative_matching_pennies",
    "trade_comm/3": "trade_comm(num_items=3)",
    "trade_comm/messages": "trade_comm(num_items=2,num_messages=3)",
    "tiny_bridge_2p": "tiny_bridge_2p(abstracted=true)",
    "hanabi": "hanabi(colors=1,ranks=2,hand_size=2,max_life_tokens=1,max_information_tokens=2)",
    "hanabi/minimal": "hanabi(colors=1,ranks=2,hand_size=1,max_life_tokens=1,"
    "max_information_tokens=1,observation_type=minimal)",
    "bandit_tree": "bandit_tree",
    "bandit_tree/stop": "bandit_tree(depth=2,num_actions=3,branching=2,deals=3,can_stop=true)",
    "random_game": "random_game",
    "random_game/1": "random_game(seed=1,max_depth=4,max_histories=300)",
    "random_game/2": "random_game(seed=2,num_players=3,max_depth=3,max_histories=300)",
    "random_game/3": "random_game(seed=3,zero_sum=true,exact=true,chance_share=0.6)",
    "matrix_game": "matrix_game(row_payoffs=[[1,0],[0,2]],column_payoffs=[[1,0],[0,2]])",
    "matching_pennies": "matrix_mp",
    "rock_paper_scissors": "matrix_rps",
    "biased_rock_paper_scissors": "matrix_brps",
    "rock_paper_scissors_water": "matrix_rpsw",
    "shapley": "matrix_shapleys_game",
    "prisoners_dilemma": "matrix_pd",
    "stag_hunt": "matrix_sh",
    "coordination": "matrix_coordination",
    "chicken": "matrix_cd",
    "bach_or_stravinsky": "matrix_bos",
}
"""Texts of the games that are explored completely."""

LARGE = {
    "phantom_ttt": "phantom_ttt",
    "dark_hex": "dark_hex",
    "hanabi/full": "hanabi",
    "hanabi/seer": "hanabi(players=3,seed=5,observation_type=seer,random_start_player=true)",
    "battleship/full": "battleship",
    "trick_taking/20": "trick_taking(num_cards=20)",
    "goofspiel/13": "goofspiel",
    "liars_dice/5": "liars_dice(numdice=5)",
    "trade_comm/10": "trade_comm",
    "tiny_bridge_2p/full": "tiny_bridge_2p",
    "leduc_poker/6": "leduc_poker(players=6)",
}
"""Texts of the games that are only sampled."""

TRANSFORMED = ("kuhn_poker", "goofspiel/random", "rock_paper_scissors", "random_game/2")


def uncovered() -> list[str]:
    """Return games without a digest."""
    written = [text.split("(")[0] for text in (SMALL | LARGE).values()]
    return sorted(set(GAMES) - set(written))


def game_of(name: str) -> Any:
    """Return the rules of a game."""
    return infoset.load((SMALL | LARGE)[name])


@cache
def graph_of(name: str) -> Any:
    """Return the world graph of a game."""
    return build_world_graph(game_of(name))


@cache
def tree_of(name: str) -> Any:
    """Return the tree of histories of a game."""
    return unroll(graph_of(name))


def counts(name: str) -> object:
    """Return the counts of a game and the forecast of its contraction."""
    graph = graph_of(name)
    found = count_histories(graph)
    return (
        found.world_states,
        found.histories,
        found.terminals,
        found.is_exact,
        found.bytes,
        forecast_contraction(graph, found),
        rewards_are_observable(tree_of(name)),
    )


def infostate_trees(name: str) -> object:
    """Return the infostate trees and the public tree of a game."""
    public = tree_of(name).public_tree
    return (
        [infostate_tree_numbers(tree) for tree in tree_of(name).infostate_trees],
        (public.parent, public.observation, public.infostates, public.first_infostate),
    )


def plays(name: str, count: int) -> object:
    """Return random plays by the rules: chosen actions, lengths and rewards."""
    game, rng, found = game_of(name), np.random.default_rng(21), []
    for _ in range(count):
        history = initial_history(game)
        taken = []
        while not history.is_terminal:
            joint: list[Any] = [None] * game.num_players
            for player in history.actors:
                legal = tuple(history.legal_actions(player))
                number = int(rng.integers(len(legal)))
                taken.append((player, len(legal), number))
                joint[player] = legal[number]
            history = history.sample(tuple(joint), rng)
        paid = [float(reward) for reward in history.rewards_so_far]
        found.append((taken, history.depth, paid))
    return found


def transformed(name: str, transform: Any) -> object:
    """Return the arrays of a transformed game."""
    tree = build_tree(transform(game_of(name)))
    return graph_numbers(tree.graph), tree_numbers(tree), form_numbers(tree.sequence_form)


def folded(name: str) -> object:
    """Return the arrays of a game whose last player is replaced by uniform chance."""
    game = game_of(name)
    last = game.num_players - 1

    def chances(world: Any) -> Any:
        legal = game.legal_actions(world, last)
        return [(action, Fraction(1, len(legal))) for action in legal]

    tree = build_tree(fold_chance_player(game, chances))
    return graph_numbers(tree.graph), tree_numbers(tree), form_numbers(tree.sequence_form)


# The table


def cells() -> Cells:
    """Yield the digests of the package."""
    for name in SMALL:
        yield f"graph/{name}", lambda name=name: graph_numbers(graph_of(name))
        yield f"tree/{name}", lambda name=name: tree_numbers(tree_of(name))
        yield f"infostates/{name}", partial(infostate_trees, name)
        yield f"counts/{name}", partial(counts, name)
        yield f"form/{name}", lambda name=name: form_numbers(tree_of(name).sequence_form)
        yield f"contracted/{name}", lambda name=name: form_numbers(contract_graph(graph_of(name)))
        yield f"plays/{name}", partial(plays, name, 5)
    for name in LARGE:
        yield f"plays/{name}", partial(plays, name, 4)
    for name in TRANSFORMED:
        yield f"serialized/{name}", partial(transformed, name, serialize)
        yield f"forgotten/{name}", partial(transformed, name, forget_factorization)
    for name in ("kuhn_poker/3", "random_game/2"):
        yield f"folded/{name}", partial(folded, name)
