"""Walks of OpenSpiel's games by OpenSpiel only, and of ours by the protocol only."""

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from itertools import product

from infoset.game import initial_history
from infoset.typing import NOOP


@dataclass
class Walk:
    histories: int = 0
    terminals: int = 0
    outcomes: Counter = field(default_factory=Counter)
    """Probability of each vector of utilities when everybody plays uniformly."""


def spiel_moves(state, num_players):
    """Yield the next moves with their probabilities under uniform play."""
    if state.is_chance_node():
        yield from state.chance_outcomes()
    elif state.is_simultaneous_node():
        choices = [state.legal_actions(player) or [0] for player in range(num_players)]
        joint_actions = list(product(*choices))
        yield from ((joint_action, 1 / len(joint_actions)) for joint_action in joint_actions)
    else:
        legal = state.legal_actions()
        yield from ((action, 1 / len(legal)) for action in legal)


def spiel_child(state, move):
    child = state.clone()
    child.apply_actions(list(move)) if isinstance(move, tuple) else child.apply_action(move)
    return child


def spiel_state(pyspiel_game, world):
    state = pyspiel_game.new_initial_state()
    for move in world:
        state = spiel_child(state, move)
    return state


def walk_openspiel(pyspiel_game):
    walk, stack = Walk(), [(pyspiel_game.new_initial_state(), 1.0)]
    while stack:
        state, reach = stack.pop()
        walk.histories += 1
        if state.is_terminal():
            walk.terminals += 1
            walk.outcomes[rounded(state.returns())] += reach
            continue
        for move, probability in spiel_moves(state, pyspiel_game.num_players()):
            if probability > 0:
                stack.append((spiel_child(state, move), reach * probability))
    return walk


def all_histories(game):
    stack = [(initial_history(game), 1.0)]
    while stack:
        history, reach = stack.pop()
        yield history, reach
        choices = [history.legal_actions(player) or (NOOP,) for player in range(game.num_players)]
        joint_actions = list(product(*choices))
        for joint_action in joint_actions:
            for world, probability in game.transitions(history.world, joint_action):
                step = reach * float(probability) / len(joint_actions)
                stack.append((history.extend(joint_action, world), step))


def walk_ours(game):
    walk = Walk()
    for history, reach in all_histories(game):
        walk.histories += 1
        if history.is_terminal:
            walk.terminals += 1
            walk.outcomes[rounded(history.rewards_so_far)] += reach
    return walk


def rounded(utilities):
    return tuple(round(float(utility), 9) + 0.0 for utility in utilities)


def strings_and_infostates(game):
    """Return for each player the pairs of OpenSpiel's string and our infostate at its decisions."""
    pairs = defaultdict(set)
    for history, _ in all_histories(game):
        state = spiel_state(game.pyspiel_game, history.world)
        for player in history.actors:
            string = state.information_state_string(player)
            pairs[player].add((string, history.infostates[player]))
    return pairs
