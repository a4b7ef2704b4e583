"""The model: the protocol that a game implements, histories, infostates, checks and transforms."""

from infoset.game._answer_checks import (
    Transition,
    check_legal_actions,
    check_observation,
    check_rewards,
)
from infoset.game._world_checks import check_form
from infoset.game.broken_rules import check_num_players, names_broken_rules, to_rule_error
from infoset.game.check import CheckReport, check_game
from infoset.game.history import History, initial_history, play_out
from infoset.game.infostate import Infostate, PublicState, Step, step_text
from infoset.game.kinds import find_mixed_kinds, is_text_only, mixed_kinds_error
from infoset.game.protocol import Game, Observation, Probability, parameter_text
from infoset.game.serialization import serialize
from infoset.game.source import GameSource
from infoset.game.transcripts import transcript
from infoset.game.transforms import fold_chance_player, forget_factorization

__all__ = [
    "CheckReport",
    "Game",
    "GameSource",
    "History",
    "Infostate",
    "Observation",
    "Probability",
    "PublicState",
    "Step",
    "Transition",
    "check_form",
    "check_game",
    "check_legal_actions",
    "check_num_players",
    "check_observation",
    "check_rewards",
    "find_mixed_kinds",
    "fold_chance_player",
    "forget_factorization",
    "initial_history",
    "is_text_only",
    "mixed_kinds_error",
    "names_broken_rules",
    "parameter_text",
    "play_out",
    "serialize",
    "step_text",
    "to_rule_error",
    "transcript",
]
