"""LiteEFG's learners from single episodes, on a game read from a file."""

from __future__ import annotations

import time

import LiteEFG
from serve import serve


class Worker:
    """One game, and one learner in both seats."""

    def build(self, game: str, learner: str) -> dict[str, float]:
        """Read a game in the library's own format, and attach the learner to it."""
        LiteEFG.set_threads(1)
        self.environment = LiteEFG.FileEnv(game, traverse_type="Outcome")
        self.graph = getattr(LiteEFG.baselines, learner).graph()
        self.environment.set_graph(self.graph)
        return {}

    def run(self, iterations: int) -> dict[str, float]:
        """Do iterations, with the average policy; return the seconds of the processor."""
        started = time.process_time()
        for _ in range(iterations):
            self.graph.update_graph(self.environment)
            self.environment.update_strategy(self.graph.current_strategy())
        return {"seconds": time.process_time() - started}


if __name__ == "__main__":
    serve(Worker())
