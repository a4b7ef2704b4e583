"""Worker for LiteEFG's CFR+ on a game read from a file."""

from __future__ import annotations

from typing import Any

import LiteEFG
import numpy as np
from serve import serve, timed

AVERAGE = "linear-avg-iterate"


class Worker:
    """A game and its solver."""

    def build(self, game: str) -> dict[str, float]:
        """Read a game and set up its graph."""
        LiteEFG.set_threads(1)
        return {"seconds": timed(self.set_up, game)[1]}

    def set_up(self, game: str) -> None:
        """Read a game in LiteEFG's format, and attach CFR+ to it."""
        self.environment = LiteEFG.FileEnv(game, traverse_type="Enumerate")
        self.graph = LiteEFG.baselines.CFRplus.graph()
        self.environment.set_graph(self.graph)

    def run(self, iterations: int) -> dict[str, float]:
        """Run some iterations."""
        return {"seconds": timed(self.iterate, iterations)[1]}

    def iterate(self, iterations: int) -> None:
        """Update both players, one after the other, and the average policy."""
        for _ in range(iterations):
            self.graph.update_graph(self.environment)
            self.environment.update_strategy(self.graph.current_strategy())

    def policy(self, path: str) -> dict[str, Any]:
        """Write the average policy as one array per player that starts with the empty sequence."""
        np.savez(path, *(self.weights(player) for player in (1, 2)))
        return {}

    def weights(self, player: int) -> np.ndarray:
        """Return the average policy of a player, ordered by the numbers of the infosets."""
        strategy = self.graph.current_strategy()
        rows = self.environment.get_strategy(player, strategy, AVERAGE)
        rows = sorted((int(name.rpartition(":")[2]), values) for name, values in rows)
        return np.concatenate([[1.0], *(values for _, values in rows)])


if __name__ == "__main__":
    serve(Worker())
