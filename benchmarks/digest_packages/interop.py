"""Interoperation: OpenSpiel games and policies, encoded infostates, PettingZoo environments."""

from __future__ import annotations

from functools import cache, partial
from typing import Any

import numpy as np

from digest_packages.common import (
    Cells,
    evaluation_numbers,
    form_numbers,
    game_of,
    graph_numbers,
    graph_of,
    policy_numbers,
    random_policies,
    tree_numbers,
    tree_of,
)
from infoset import evaluate, solve
from infoset.interop import (
    find_recall_witness,
    find_timing_witness,
    load_openspiel,
    policy_from_openspiel,
    policy_to_openspiel,
    to_openspiel,
    to_pettingzoo,
)
from infoset.policy import random_policy
from infoset.tree import InfostateEncoder, build_tree

__all__ = ["cells"]

# Adapters

OPENSPIEL = {
    "kuhn_poker": "kuhn_poker",
    "leduc_poker": "leduc_poker(suit_isomorphism=True)",
    "goofspiel": "goofspiel(imp_info=True,num_cards=3)",
    "liars_dice": "liars_dice(dice_sides=3)",
    "sheriff": "sheriff(max_items=2,max_bribe=2,num_rounds=2)",
    "matrix": "matrix_mp",
}


@cache
def imported(name: str) -> Any:
    """Return the tree of an OpenSpiel game."""
    return build_tree(load_openspiel(OPENSPIEL[name]))


def imported_numbers(name: str) -> object:
    """Return the arrays of an OpenSpiel game."""
    tree = imported(name)
    return graph_numbers(tree.graph), tree_numbers(tree), form_numbers(tree.sequence_form)


def imported_solution(name: str) -> object:
    """Return a solution of an OpenSpiel game and its evaluation."""
    found = solve(imported(name), "cfr+", iterations=40)
    return policy_numbers(found.policy), evaluation_numbers(found.measured)


def policies(name: str) -> object:
    """Return a policy of an OpenSpiel game after a round trip."""
    tree = imported(name)
    policy = random_policy(tree.sequence_form, np.random.default_rng(5))
    table = policy_to_openspiel(policy, tree)
    back = policy_from_openspiel(table, tree)
    return np.asarray(table.action_probability_array), policy_numbers(back)


def own_policies(name: str) -> object:
    """Return a policy of a library game after a round trip through OpenSpiel."""
    tree, policy = tree_of(name), random_policies(name, 1)[0]
    table = policy_to_openspiel(policy, tree)
    back = policy_from_openspiel(table, tree)
    measured = evaluation_numbers(evaluate(back))
    return np.asarray(table.action_probability_array), policy_numbers(back), measured


def exported(name: str) -> object:
    """Return plays of a library game through the OpenSpiel interface."""
    game, rng, found = to_openspiel(tree_of(name)), np.random.default_rng(9), []
    for _ in range(6):
        state, taken = game.new_initial_state(), []
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes = state.chance_outcomes()
                taken.append([float(probability) for _, probability in outcomes])
                state.apply_action(outcomes[int(rng.integers(len(outcomes)))][0])
            elif state.is_simultaneous_node():
                players = range(game.num_players())
                legal = [state.legal_actions(player) for player in players]
                chosen = [actions[int(rng.integers(len(actions)))] for actions in legal]
                taken.append(chosen)
                state.apply_actions(chosen)
            else:
                legal = state.legal_actions()
                taken.append([state.current_player(), *legal])
                state.apply_action(legal[int(rng.integers(len(legal)))])
        found.append((taken, list(state.returns())))
    return found


def witnesses(name: str) -> object:
    """Return whether an OpenSpiel game has perfect recall and exact timing."""
    game = load_openspiel(OPENSPIEL[name])
    return find_recall_witness(game) is None, find_timing_witness(game) is None


def encoded(name: str) -> object:
    """Return encoded infostates."""
    encoder = InfostateEncoder.from_graph(graph_of(name))
    trees = tree_of(name).infostate_trees
    return [
        encoder(tree.infostate_at(number)) for tree in trees for number in tree.acting.tolist()[::7]
    ]


def environment(name: str) -> object:
    """Return plays of a game as a PettingZoo environment."""
    found, rng = [], np.random.default_rng(4)
    env = to_pettingzoo(game_of(name))
    for seed in range(4):
        env.reset(seed=seed)
        for agent in env.agent_iter():
            seen, reward, ended, cut, _ = env.last()
            mask = seen["action_mask"]
            action = None
            if not (ended or cut):
                action = int(rng.choice(np.flatnonzero(mask)))
            found.append((seen["observation"], mask, float(reward), ended, action))
            env.step(action)
            del agent
    return found


# The table

SERIAL = ("kuhn_poker", "leduc_poker", "liars_dice_3")


def cells() -> Cells:
    """Yield the digests of the package."""
    for name in OPENSPIEL:
        yield f"openspiel/tree/{name}", partial(imported_numbers, name)
        yield f"openspiel/solved/{name}", partial(imported_solution, name)
        yield f"openspiel/policy/{name}", partial(policies, name)
        yield f"openspiel/witnesses/{name}", partial(witnesses, name)
    for name in (*SERIAL, "goofspiel_3", "kuhn_poker_3"):
        yield f"openspiel/own-policy/{name}", partial(own_policies, name)
        yield f"openspiel/exported/{name}", partial(exported, name)
        yield f"encoded/{name}", partial(encoded, name)
    for name in SERIAL:
        yield f"pettingzoo/{name}", partial(environment, name)
