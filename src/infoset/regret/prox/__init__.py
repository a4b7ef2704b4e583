"""The prox on treeplexes: dilated distances as data, one sweep for the closed form."""

from infoset.regret.prox._kernels import ProxProblem, project_on_simplex, prox_sweep
from infoset.regret.prox.distance import (
    Distance,
    Weights,
    balanced_weights,
    check_distance,
    unit_weights,
)
from infoset.regret.prox.treeplex_prox import ProxResponse, TreeplexProx

__all__ = [
    "Distance",
    "ProxProblem",
    "ProxResponse",
    "TreeplexProx",
    "Weights",
    "balanced_weights",
    "check_distance",
    "project_on_simplex",
    "prox_sweep",
    "unit_weights",
]
