"""Worker for OpenSpiel's CFR+ in C++, called from Python."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyspiel
from serve import serve, timed


class Decision(NamedTuple):
    """An information set with the player's last sequence before it and the legal actions."""

    parent_sequence: int
    first_sequence: int
    actions: list[int]


class Sequences:
    """Sequence form of one of OpenSpiel's games, found by a walk through all histories."""

    def __init__(self, game: pyspiel.Game) -> None:
        self.num_players = game.num_players()
        self.decisions: list[dict[str, Decision]] = [{} for _ in range(self.num_players)]
        self.num_sequences = [1] * self.num_players
        self.payoffs: dict[tuple[int, ...], np.ndarray] = {}
        waiting = [(game.new_initial_state(), (0,) * self.num_players, 1.0)]
        while waiting:
            waiting.extend(self.visit(*waiting.pop()))

    def visit(self, state: pyspiel.State, last: tuple[int, ...], reach: float) -> list[tuple]:
        """Record a history with the last sequence of each player; return its successors."""
        if state.is_terminal():
            paid = reach * np.array(state.returns())
            self.payoffs[last] = self.payoffs.get(last, 0.0) + paid
            return []
        if state.is_chance_node():
            return [(state.child(move), last, reach * p) for move, p in state.chance_outcomes()]
        player = state.current_player()
        first = self.decision(state, player, last[player]).first_sequence
        return [
            (state.child(move), (*last[:player], first + index, *last[player + 1 :]), reach)
            for index, move in enumerate(state.legal_actions())
        ]

    def decision(self, state: pyspiel.State, player: int, parent: int) -> Decision:
        """Return the information set of the acting player, creating it if it is new."""
        met, key = self.decisions[player], state.information_state_string(player)
        if key not in met:
            actions = state.legal_actions()
            met[key] = Decision(parent, self.num_sequences[player], actions)
            self.num_sequences[player] += len(actions)
        return met[key]

    def arrays(self) -> dict[str, np.ndarray]:
        """Return the parent sequences and numbers of actions per player, and the payoffs."""
        kept = {key: paid for key, paid in self.payoffs.items() if paid.any()}
        arrays = {
            "terminal_sequence": np.array(list(kept), np.int32),
            "payoff": np.array(list(kept.values())),
        }
        for player, met in enumerate(self.decisions):
            rows = list(met.values())
            arrays[f"parent_{player}"] = np.array([row.parent_sequence for row in rows], np.int32)
            arrays[f"actions_{player}"] = np.array([len(row.actions) for row in rows], np.int32)
        return arrays


def load(game: str) -> pyspiel.Game:
    """Load a game by name or from a Gambit file, in turn-based form."""
    if game.endswith(".efg"):
        return pyspiel.load_efg_game(Path(game).read_text(encoding="utf-8"))
    loaded = pyspiel.load_game(game)
    if loaded.get_type().dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS:
        return pyspiel.convert_to_turn_based(loaded)
    return loaded


class Worker:
    """A game and its solver."""

    def build(self, game: str) -> dict[str, float]:
        """Load a game and make a solver."""
        self.game, loading = timed(load, game)
        self.solver, making = timed(pyspiel.CFRPlusSolver, self.game)
        return {"seconds": loading + making}

    def form(self, path: str) -> dict[str, Any]:
        """Write the sequence form, in the order in which policies are written."""
        self.sequences = Sequences(self.game)
        np.savez(path, **self.sequences.arrays())
        return {}

    def run(self, iterations: int) -> dict[str, float]:
        """Run some iterations."""
        return {"seconds": timed(self.iterate, iterations)[1]}

    def iterate(self, iterations: int) -> None:
        """Update all players, one after the other, and the average policy."""
        for _ in range(iterations):
            self.solver.evaluate_and_update_policy()

    def policy(self, path: str) -> dict[str, Any]:
        """Write the average policy as one array per player that starts with the empty sequence."""
        rows = self.solver.tabular_average_policy().policy_table()
        weights = []
        for met in self.sequences.decisions:
            parts = [
                [dict(rows[key]).get(action, 0.0) for action in decision.actions]
                for key, decision in met.items()
            ]
            weights.append(np.concatenate([[1.0], *parts]))
        np.savez(path, *weights)
        return {}


if __name__ == "__main__":
    serve(Worker())
