"""Worker for noregret's CFR+ on our sequence form, with a loop that the package lacks."""

from __future__ import annotations

from typing import Any

import numpy as np
from noregret.regret_minimizers import CounterfactualRegretMinimizationPlus
from noregret.utilities import TreeFormSequentialDecisionProcess as Process
from scipy.sparse import coo_array
from serve import serve, timed


def process(parents: np.ndarray, num_actions: np.ndarray) -> tuple[Process, list[tuple]]:
    """Return a player's decisions in the package's format, and the name of each sequence."""
    kinds = Process.NodeType
    edges: list[tuple] = [()]
    for infoset, count in enumerate(num_actions.tolist()):
        edges += [(infoset, action) for action in range(count)]
    children: dict[int, list[int]] = {}
    for infoset, parent in enumerate(parents.tolist()):
        children.setdefault(parent, []).append(infoset)
    transitions, node_types = {}, {}
    for sequence, edge in enumerate(edges):
        below = f"after {sequence}"
        transitions[edge] = below
        is_last = sequence not in children
        node_types[below] = (
            kinds.END_OF_THE_DECISION_PROCESS if is_last else kinds.OBSERVATION_POINT
        )
        for infoset in children.get(sequence, ()):
            node_types[below] = kinds.OBSERVATION_POINT
            transitions[below, infoset] = infoset
            node_types[infoset] = kinds.DECISION_POINT
    return Process(transitions, node_types), edges


class Worker:
    """A two-player game and its regret minimizers."""

    def build(self, game: str) -> dict[str, float]:
        """Create the regret minimizers of a sequence form."""
        arrays = np.load(game)
        return {"seconds": timed(self.set_up, arrays)[1]}

    def set_up(self, arrays: Any) -> None:
        """Create the decisions of both players and the payoff matrices between them."""
        made = [process(arrays[f"parent_{p}"], arrays[f"actions_{p}"]) for p in (0, 1)]
        self.orders = [[one.sequences.index(edge) for edge in edges] for one, edges in made]
        rows, columns = (
            np.array(order)[arrays["terminal_sequence"][:, p]]
            for p, order in enumerate(self.orders)
        )
        shape = tuple(map(len, self.orders))
        first, second = (coo_array((u, (rows, columns)), shape) for u in arrays["payoff"].T)
        self.utilities = first.tocsr(), second.T.tocsr()
        self.players = [
            CounterfactualRegretMinimizationPlus(one, is_time_symmetric=True) for one, _ in made
        ]
        for player in self.players:
            for local in player.local_regret_minimizers.values():
                local.is_time_symmetric = True
        self.plans = [player.next_strategy() for player in self.players]

    def run(self, iterations: int) -> dict[str, float]:
        """Run some iterations."""
        return {"seconds": timed(self.iterate, iterations)[1]}

    def iterate(self, iterations: int) -> None:
        """Update both players, one after the other, and their averages."""
        for _ in range(iterations):
            for number, player in enumerate(self.players):
                player.observe_utility(self.utilities[number] @ self.plans[1 - number])
                self.plans[number] = player.next_strategy()

    def policy(self, path: str) -> dict[str, Any]:
        """Write the average realization plan of each player."""
        pairs = zip(self.players, self.orders, strict=True)
        np.savez(path, *(player.average_strategy[order] for player, order in pairs))
        return {}


if __name__ == "__main__":
    serve(Worker())
