"""Regret minimization on treeplexes: the CFR family, local regret minimizers, and the prox."""

from infoset.regret._cfr_kernels import realize_below, update_regrets
from infoset.regret._decision_kernels import hedge, match_regrets
from infoset.regret._local_kernels import apply_min_probabilities
from infoset.regret._prox_kernels import ProxProblem, project_on_simplex, prox_sweep
from infoset.regret.local_minimizer import LocalMinimizer, LocalRule, Schedule, rule_of_scheme
from infoset.regret.minimizer import (
    PUBLIC_PRECISIONS,
    RegretMinimizer,
    check_warm_precision,
)
from infoset.regret.player_minimizer import PlayerMinimizer
from infoset.regret.prox import (
    Distance,
    ProxResponse,
    TreeplexProx,
    Weights,
    balanced_weights,
    check_distance,
    unit_weights,
)
from infoset.regret.scheme import Exponent, LinearSchedule, RegretScheme
from infoset.regret.schemes import SCHEMES
from infoset.regret.tolerances import regret_tolerances

__all__ = [
    "PUBLIC_PRECISIONS",
    "SCHEMES",
    "Distance",
    "Exponent",
    "LinearSchedule",
    "LocalMinimizer",
    "LocalRule",
    "PlayerMinimizer",
    "ProxProblem",
    "ProxResponse",
    "RegretMinimizer",
    "RegretScheme",
    "Schedule",
    "TreeplexProx",
    "Weights",
    "apply_min_probabilities",
    "balanced_weights",
    "check_distance",
    "check_warm_precision",
    "hedge",
    "match_regrets",
    "project_on_simplex",
    "prox_sweep",
    "realize_below",
    "regret_tolerances",
    "rule_of_scheme",
    "unit_weights",
    "update_regrets",
]
