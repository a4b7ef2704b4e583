"""The verbs: load, info, solve, compare, evaluate. They dispatch, and do no work of their own."""

from infoset.front.compare import compare, comparison_budget
from infoset.front.info import GameInfo, info
from infoset.front.learn import learn
from infoset.front.load import (
    CompiledGame,
    FormLike,
    GameLike,
    find_game,
    load,
    to_compiled,
    to_form,
    to_game,
)
from infoset.front.players import find_players, is_policy_file, is_searcher
from infoset.front.solve import evaluate, find_metadata, find_policy, solve
from infoset.front.solve_team import solve_team

__all__ = [
    "CompiledGame",
    "FormLike",
    "GameInfo",
    "GameLike",
    "compare",
    "comparison_budget",
    "evaluate",
    "find_game",
    "find_metadata",
    "find_players",
    "find_policy",
    "info",
    "is_policy_file",
    "is_searcher",
    "learn",
    "load",
    "solve",
    "solve_team",
    "to_compiled",
    "to_form",
    "to_game",
]
