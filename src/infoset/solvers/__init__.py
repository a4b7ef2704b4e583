"""Solvers: the CFR family, first-order methods, and linear programs."""

from infoset.solvers.auto import Auto
from infoset.solvers.cfr_br import CFRBR, CFRBRSolver
from infoset.solvers.coarse_correlated import (
    CoarseCorrelated,
    CoarseCorrelatedSolver,
    solve_coarse_correlated,
)
from infoset.solvers.exact import solve_exactly
from infoset.solvers.excessive_gap import ExcessiveGap, ExcessiveGapSolver
from infoset.solvers.fictitious_play import FictitiousPlay, FictitiousPlaySolver
from infoset.solvers.first_order import (
    FIRST_ORDER,
    FirstOrderScheme,
    FirstOrderSolver,
    Prediction,
)
from infoset.solvers.local_method import LocalMethod
from infoset.solvers.lp import LinearProgram, solve_by_lp
from infoset.solvers.methods import (
    DEFAULT_METHOD,
    METHODS,
    CustomMethod,
    MethodSpec,
    Run,
    check_supports_start,
    get_method,
    has_seed,
    run_method,
    runs_on,
    with_seed,
    with_start,
)
from infoset.solvers.perturbed_game import (
    MinProbabilities,
    PerturbedGame,
    PerturbedMethod,
    PerturbedSolver,
    perturb_game,
)
from infoset.solvers.quantal import quantal_distance, quantal_gap
from infoset.solvers.reg_cfr import RegCFR, RegCFRSolver
from infoset.solvers.regret_family import RegretMethod, average_policy, current_policy
from infoset.solvers.rnad import RNAD_PAPER, RNaD, RNaDSolver
from infoset.solvers.rtcfr import RTCFRPlus, RTCFRPlusSolver
from infoset.solvers.two_player import payoff_scale

__all__ = [
    "CFRBR",
    "DEFAULT_METHOD",
    "FIRST_ORDER",
    "METHODS",
    "RNAD_PAPER",
    "Auto",
    "CFRBRSolver",
    "CoarseCorrelated",
    "CoarseCorrelatedSolver",
    "CustomMethod",
    "ExcessiveGap",
    "ExcessiveGapSolver",
    "FictitiousPlay",
    "FictitiousPlaySolver",
    "FirstOrderScheme",
    "FirstOrderSolver",
    "LinearProgram",
    "LocalMethod",
    "MethodSpec",
    "MinProbabilities",
    "PerturbedGame",
    "PerturbedMethod",
    "PerturbedSolver",
    "Prediction",
    "RNaD",
    "RNaDSolver",
    "RTCFRPlus",
    "RTCFRPlusSolver",
    "RegCFR",
    "RegCFRSolver",
    "RegretMethod",
    "Run",
    "average_policy",
    "check_supports_start",
    "current_policy",
    "get_method",
    "has_seed",
    "payoff_scale",
    "perturb_game",
    "quantal_distance",
    "quantal_gap",
    "run_method",
    "runs_on",
    "solve_by_lp",
    "solve_coarse_correlated",
    "solve_exactly",
    "with_seed",
    "with_start",
]
