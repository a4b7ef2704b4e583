"""Iterations by several threads, each of which works on parts of the game of its own."""

from infoset.regret.threads.iteration import PlayerState, ThreadedIteration
from infoset.regret.threads.parts import Parts, parts_of

__all__ = ["Parts", "PlayerState", "ThreadedIteration", "parts_of"]
