"""Progressive hiding: learning with relaxed information and a penalty for relying on it."""

from infoset.teams.hiding.local_learners import (
    LocalLearner,
    entropic_ftrl,
    hedge,
    regret_matching,
    regret_matching_plus,
)
from infoset.teams.hiding.minorize_maximize import MinorizeMaximize
from infoset.teams.hiding.objective import project, relaxed_objective, squared_distance
from infoset.teams.hiding.progressive_hedging import ProgressiveHedging
from infoset.teams.hiding.progressive_hiding import (
    HidingRun,
    ProgressiveHiding,
    best_run,
    run_seeds,
)
from infoset.teams.hiding.relaxed_form import RelaxedForm, relax
from infoset.teams.hiding.schedules import (
    PenaltySchedule,
    adaptive_penalty,
    constant_penalty,
    geometric_penalty,
    linear_penalty,
)
from infoset.teams.hiding.scheme import (
    PROJECTORS,
    WEIGHTINGS,
    HidingScheme,
    Projector,
    RegretRestarts,
    Weighting,
)
from infoset.teams.hiding.state import HidingTrace

__all__ = [
    "PROJECTORS",
    "WEIGHTINGS",
    "HidingRun",
    "HidingScheme",
    "HidingTrace",
    "LocalLearner",
    "MinorizeMaximize",
    "PenaltySchedule",
    "ProgressiveHedging",
    "ProgressiveHiding",
    "Projector",
    "RegretRestarts",
    "RelaxedForm",
    "Weighting",
    "adaptive_penalty",
    "best_run",
    "constant_penalty",
    "entropic_ftrl",
    "geometric_penalty",
    "hedge",
    "linear_penalty",
    "project",
    "regret_matching",
    "regret_matching_plus",
    "relax",
    "relaxed_objective",
    "run_seeds",
    "squared_distance",
]
