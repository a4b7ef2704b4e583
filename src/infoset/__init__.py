"""Games with hidden information: write the rules once, solve, play and measure exactly.

The names below are the front of the library; each is loaded when it is first used, so that
`import infoset` is quick. What they are made of is in the subpackages.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from infoset._notebooks import register_formatters as _register_formatters
from infoset._version import __version__

if TYPE_CHECKING:
    from infoset.beliefs import (
        Belief,
        PublicBeliefState,
        PublicPrivateBelief,
        cut_tree,
        find_leak,
        private_belief,
        public_belief,
        ranges,
        value_subgame,
    )
    from infoset.errors import InfosetError
    from infoset.evaluation import (
        BestResponse,
        Evaluation,
        MatchResult,
        ValueProof,
        average_search,
        behavior_values,
        best_response,
        exact_match,
        expected_values,
        exploitability,
        nash_conv,
        play_matches,
        prove_value,
        true_state_ratios,
    )
    from infoset.front import GameInfo, compare, evaluate, info, learn, load, solve
    from infoset.game import (
        Game,
        History,
        Infostate,
        Observation,
        PublicState,
        check_game,
        fold_chance_player,
        forget_factorization,
        initial_history,
        play_out,
        serialize,
        transcript,
    )
    from infoset.games import GAMES, RandomGame, matrix_game
    from infoset.interop import (
        save_efg,
        to_openspiel,
        to_pettingzoo,
    )
    from infoset.learning import (
        LEARNERS,
        Learner,
        LearnResult,
        Trajectory,
        make_learner,
        play_and_learn,
    )
    from infoset.plotting import (
        draw,
    )
    from infoset.policy import (
        Policy,
        TabularPolicy,
        UniformPolicy,
        distance,
        load_policy,
        load_policy_csv,
        mix,
        random_policy,
        save_policy,
        save_policy_csv,
        uniform_policy,
    )
    from infoset.regret import RegretScheme
    from infoset.searchers import (
        SEARCHERS,
        Epimc,
        IsMcts,
        Pimc,
        Searcher,
        make_searcher,
        search_model,
    )
    from infoset.solvers import METHODS, SolveResult, TracePoint, solve_exactly
    from infoset.tree import (
        ExtensiveForm,
        GameTree,
        SequenceForm,
        WorldGraph,
        as_game,
        augment,
        build_sequence_form,
        build_tree,
        check_form,
        explore,
        extensive_form,
        forget_non_acting,
        make_form,
        pad_timing,
        unroll,
    )
    from infoset.typing import CHANCE, NOOP

_ROOMS = {
    "errors": ("InfosetError",),
    "typing": ("CHANCE", "NOOP"),
    "game": (
        "Game",
        "History",
        "Infostate",
        "Observation",
        "PublicState",
        "check_game",
        "fold_chance_player",
        "forget_factorization",
        "initial_history",
        "play_out",
        "serialize",
        "transcript",
    ),
    "games": ("GAMES", "RandomGame", "matrix_game"),
    "tree": (
        "ExtensiveForm",
        "GameTree",
        "SequenceForm",
        "WorldGraph",
        "as_game",
        "augment",
        "build_sequence_form",
        "build_tree",
        "check_form",
        "explore",
        "extensive_form",
        "forget_non_acting",
        "make_form",
        "pad_timing",
        "unroll",
    ),
    "beliefs": (
        "Belief",
        "PublicBeliefState",
        "PublicPrivateBelief",
        "cut_tree",
        "find_leak",
        "private_belief",
        "public_belief",
        "ranges",
        "value_subgame",
    ),
    "policy": (
        "Policy",
        "TabularPolicy",
        "UniformPolicy",
        "distance",
        "load_policy",
        "load_policy_csv",
        "mix",
        "random_policy",
        "save_policy",
        "save_policy_csv",
        "uniform_policy",
    ),
    "regret": ("RegretScheme",),
    "evaluation": (
        "BestResponse",
        "Evaluation",
        "MatchResult",
        "ValueProof",
        "average_search",
        "behavior_values",
        "best_response",
        "exact_match",
        "expected_values",
        "exploitability",
        "nash_conv",
        "play_matches",
        "prove_value",
        "true_state_ratios",
    ),
    "solvers": ("METHODS", "SolveResult", "TracePoint", "solve_exactly"),
    "interop": (
        "save_efg",
        "to_openspiel",
        "to_pettingzoo",
    ),
    "learning": (
        "LEARNERS",
        "LearnResult",
        "Learner",
        "Trajectory",
        "make_learner",
        "play_and_learn",
    ),
    "searchers": (
        "SEARCHERS",
        "Epimc",
        "IsMcts",
        "Pimc",
        "Searcher",
        "make_searcher",
        "search_model",
    ),
    "plotting": ("draw",),
    "front": ("GameInfo", "compare", "evaluate", "info", "learn", "load", "solve"),
}
_ROOM_OF = {name: room for room, names in _ROOMS.items() for name in names}

__all__ = [
    "CHANCE",
    "GAMES",
    "LEARNERS",
    "METHODS",
    "NOOP",
    "SEARCHERS",
    "Belief",
    "BestResponse",
    "Epimc",
    "Evaluation",
    "ExtensiveForm",
    "Game",
    "GameInfo",
    "GameTree",
    "History",
    "InfosetError",
    "Infostate",
    "IsMcts",
    "LearnResult",
    "Learner",
    "MatchResult",
    "Observation",
    "Pimc",
    "Policy",
    "PublicBeliefState",
    "PublicPrivateBelief",
    "PublicState",
    "RandomGame",
    "RegretScheme",
    "Searcher",
    "SequenceForm",
    "SolveResult",
    "TabularPolicy",
    "TracePoint",
    "Trajectory",
    "UniformPolicy",
    "ValueProof",
    "WorldGraph",
    "__version__",
    "as_game",
    "augment",
    "average_search",
    "behavior_values",
    "best_response",
    "build_sequence_form",
    "build_tree",
    "check_form",
    "check_game",
    "compare",
    "cut_tree",
    "distance",
    "draw",
    "evaluate",
    "exact_match",
    "expected_values",
    "exploitability",
    "explore",
    "extensive_form",
    "find_leak",
    "fold_chance_player",
    "forget_factorization",
    "forget_non_acting",
    "info",
    "initial_history",
    "learn",
    "load",
    "load_policy",
    "load_policy_csv",
    "make_form",
    "make_learner",
    "make_searcher",
    "matrix_game",
    "mix",
    "nash_conv",
    "pad_timing",
    "play_and_learn",
    "play_matches",
    "play_out",
    "private_belief",
    "prove_value",
    "public_belief",
    "random_policy",
    "ranges",
    "save_efg",
    "save_policy",
    "save_policy_csv",
    "search_model",
    "serialize",
    "solve",
    "solve_exactly",
    "to_openspiel",
    "to_pettingzoo",
    "transcript",
    "true_state_ratios",
    "uniform_policy",
    "unroll",
    "value_subgame",
]


def __getattr__(name: str) -> Any:
    if name not in _ROOM_OF:
        raise AttributeError(f"module 'infoset' has no attribute {name!r}")
    return getattr(import_module(f"infoset.{_ROOM_OF[name]}"), name)


def __dir__() -> list[str]:
    return __all__


_register_formatters()
