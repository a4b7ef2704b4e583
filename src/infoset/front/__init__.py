"""The main functions: load, info, solve, solve_team, learn, compare, evaluate."""

from infoset.front.comparison import (
    ComparedMethod,
    applicable_methods,
    compare,
    comparison_budget,
    prepare_comparison,
)
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
from infoset.front.named_games import (
    build_public_form,
    build_sequence_form,
    build_tree,
    build_world_graph,
    check_game,
    initial_history,
    play_matches,
    save_efg,
    to_openspiel,
    to_pettingzoo,
    to_pettingzoo_parallel,
)
from infoset.front.players import is_searcher, resolve_players, resolve_searcher
from infoset.front.policy_files import (
    game_of_policy,
    is_correlated,
    is_network,
    is_policy_file,
    load_correlated_policy_file,
    load_network_file,
    load_policy,
    read_policy_metadata,
)
from infoset.front.registration import (
    register_learner,
    register_method,
    register_searcher,
)
from infoset.front.solution import (
    evaluate,
    resolve_average,
    resolve_method,
    resolve_policy,
    solve,
)
from infoset.front.team_solution import TeamEvaluation, evaluate_teams, solve_team

__all__ = [
    "ComparedMethod",
    "CompiledGame",
    "FormLike",
    "GameInfo",
    "GameLike",
    "TeamEvaluation",
    "applicable_methods",
    "build_public_form",
    "build_sequence_form",
    "build_tree",
    "build_world_graph",
    "check_game",
    "compare",
    "comparison_budget",
    "compile_kernels",
    "evaluate",
    "evaluate_teams",
    "game_of_policy",
    "info",
    "initial_history",
    "is_correlated",
    "is_network",
    "is_policy_file",
    "is_searcher",
    "learn",
    "load",
    "load_correlated_policy_file",
    "load_network_file",
    "load_policy",
    "play_matches",
    "prepare_comparison",
    "read_policy_metadata",
    "register_learner",
    "register_method",
    "register_searcher",
    "resolve_average",
    "resolve_game",
    "resolve_learner",
    "resolve_method",
    "resolve_players",
    "resolve_policy",
    "resolve_searcher",
    "save_efg",
    "solve",
    "solve_team",
    "to_compiled",
    "to_form",
    "to_game",
    "to_openspiel",
    "to_pettingzoo",
    "to_pettingzoo_parallel",
]
