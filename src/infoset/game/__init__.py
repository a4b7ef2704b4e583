"""The model: the protocol that a game implements, histories, infostates, checks and transforms."""

from infoset.game.check import CheckReport, check_game
from infoset.game.hidden_clock import hide_clock
from infoset.game.history import History, initial_history, play_out
from infoset.game.infostate import Infostate, PublicState, Step, step_text
from infoset.game.observation import Observation
from infoset.game.player_names import player_name
from infoset.game.protocol import Game, GameSource, InitialPot, Probability, parameter_text
from infoset.game.public_rules import PublicDeal, PublicEnd, PublicHand, PublicRules, scaled_hands
from infoset.game.public_rules_game import PublicRulesGame
from infoset.game.remarks import Remark
from infoset.game.serialization import serialize
from infoset.game.transcripts import transcript
from infoset.game.transforms import fold_chance_player, forget_factorization

__all__ = [
    "CheckReport",
    "Game",
    "GameSource",
    "History",
    "Infostate",
    "InitialPot",
    "Observation",
    "Probability",
    "PublicDeal",
    "PublicEnd",
    "PublicHand",
    "PublicRules",
    "PublicRulesGame",
    "PublicState",
    "Remark",
    "Step",
    "check_game",
    "fold_chance_player",
    "forget_factorization",
    "hide_clock",
    "initial_history",
    "parameter_text",
    "play_out",
    "player_name",
    "scaled_hands",
    "serialize",
    "step_text",
    "transcript",
]
