"""Worker for Gambit's linear program in floating point."""

from __future__ import annotations

from typing import Any

import numpy as np
import pygambit
from serve import serve, timed


class Worker:
    """A game and its equilibrium."""

    def build(self, game: str) -> dict[str, float]:
        """Read a game."""
        self.game, seconds = timed(pygambit.read_efg, game)
        return {"seconds": seconds}

    def run(self, iterations: int) -> dict[str, float]:
        """Solve; there are no iterations to count."""
        result, seconds = timed(lambda: pygambit.nash.lp_solve(self.game, rational=False))
        self.profile = result.equilibria[0]
        return {"seconds": seconds}

    def policy(self, path: str) -> dict[str, Any]:
        """Write the equilibrium as one array per player that starts with the empty sequence."""
        np.savez(path, *map(self.weights, self.game.players))
        return {}

    def weights(self, player: Any) -> np.ndarray:
        """Return the policy of a player, in the order of the numbers in the labels of infosets."""
        infosets = {int(one.label.rpartition(":")[2]): one for one in player.infosets}
        chosen = [float(self.profile[a]) for i in sorted(infosets) for a in infosets[i].actions]
        return np.array([1.0, *chosen])


if __name__ == "__main__":
    serve(Worker())
