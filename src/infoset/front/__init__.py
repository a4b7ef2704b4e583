"""The main functions: load, info, solve, solve_team, learn, compare, evaluate."""

from infoset.front.comparison import compare, comparison_budget
from infoset.front.game_info import GameInfo, info
from infoset.front.game_sources import (
    CompiledGame,
    FormLike,
    GameLike,
    load,
    resolve_game,
    to_compiled,
    to_form,
    to_game,
)
from infoset.front.kernel_cache import compile_kernels
from infoset.front.learning_runs import learn, resolve_learner
from infoset.front.players import is_policy_file, is_searcher, resolve_players
from infoset.front.registration import (
    register_learner,
    register_method,
    register_searcher,
)
from infoset.front.solution import (
    evaluate,
    is_network,
    load_network_file,
    read_policy_metadata,
    resolve_method,
    resolve_policy,
    solve,
)
from infoset.front.team_solution import solve_team

__all__ = [
    "CompiledGame",
    "FormLike",
    "GameInfo",
    "GameLike",
    "compare",
    "comparison_budget",
    "compile_kernels",
    "evaluate",
    "info",
    "is_network",
    "is_policy_file",
    "is_searcher",
    "learn",
    "load",
    "load_network_file",
    "read_policy_metadata",
    "register_learner",
    "register_method",
    "register_searcher",
    "resolve_game",
    "resolve_learner",
    "resolve_method",
    "resolve_players",
    "resolve_policy",
    "solve",
    "solve_team",
    "to_compiled",
    "to_form",
    "to_game",
]
