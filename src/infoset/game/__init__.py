"""The model: what the author of a game writes, and how a game is played."""

from infoset.game.history import History, initial_history, play_out
from infoset.game.infostate import Infostate, PublicState, Step, step_text
from infoset.game.protocol import Game, Observation, Probability

__all__ = [
    "Game",
    "History",
    "Infostate",
    "Observation",
    "Probability",
    "PublicState",
    "Step",
    "initial_history",
    "play_out",
    "step_text",
]
