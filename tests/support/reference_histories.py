"""Reference enumeration of the histories of a game, through the `Game` protocol only."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

from infoset.game import Game, History, initial_history
from infoset.policy import TabularPolicy


@dataclass(frozen=True)
class Visit:
    """A history with its chance reach and the position of its parent in the list."""

    history: History
    chance_reach: float
    parent: int


def enumerate_histories(game: Game) -> list[Visit]:
    """List all histories breadth first, with children ordered by joint action and transition."""
    visits = [Visit(initial_history(game), 1.0, -1)]
    for position, visit in enumerate(visits):  # grows during the loop
        history = visit.history
        if history.is_terminal:
            continue
        choices = [history.legal_actions(p) or (None,) for p in range(game.num_players)]
        for joint in product(*choices):
            merged: dict[object, float] = {}
            for world, probability in game.transitions(history.world, joint):
                merged[world] = merged.get(world, 0) + probability
            for world, probability in merged.items():
                if probability > 0:
                    reach = visit.chance_reach * float(probability)
                    visits.append(Visit(history.extend(joint, world), reach, position))
    return visits


def policy_reach(visits: list[Visit], policy: TabularPolicy) -> np.ndarray:
    """Return [H] the reach of each history under a policy, including chance."""
    reach = np.zeros(len(visits))
    reach[0] = 1.0
    for position, visit in enumerate(visits[1:], start=1):
        before = visits[visit.parent]
        factor = visit.chance_reach / before.chance_reach
        for player in before.history.actors:
            legal = before.history.legal_actions(player)
            values = policy.action_probabilities(before.history.infostates[player], legal)
            factor *= values[legal.index(visit.history.joint_action[player])]
        reach[position] = reach[visit.parent] * factor
    return reach


def expected_utilities(visits: list[Visit], policy: TabularPolicy) -> np.ndarray:
    """Return [N] the expected utilities under a policy, by enumeration."""
    reach = policy_reach(visits, policy)
    return sum(
        reach[position] * np.array(visit.history.rewards_so_far, dtype=float)
        for position, visit in enumerate(visits)
        if visit.history.is_terminal
    )
