"""Worker for LiteEFG's learners from sampled episodes, on a game read from a file."""

from __future__ import annotations

import time

import LiteEFG
from serve import serve


class Worker:
    """A game with one type of learner for both players."""

    def build(self, game: str, learner: str) -> dict[str, float]:
        """Read a game in LiteEFG's format, and attach the learner to it."""
        LiteEFG.set_threads(1)
        self.environment = LiteEFG.FileEnv(game, traverse_type="Outcome")
        self.graph = getattr(LiteEFG.baselines, learner).graph()
        self.environment.set_graph(self.graph)
        return {}

    def run(self, iterations: int) -> dict[str, float]:
        """Run iterations with average updates; return the processor seconds."""
        started = time.process_time()
        for _ in range(iterations):
            self.graph.update_graph(self.environment)
            self.environment.update_strategy(self.graph.current_strategy())
        return {"seconds": time.process_time() - started}


if __name__ == "__main__":
    serve(Worker())
