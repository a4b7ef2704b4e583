"""Regret minimisation on treeplexes: schemes as data, one kernel, the state they move."""

from infoset.regret._plan_kernels import realize_policy
from infoset.regret._regret_kernels import update_regrets
from infoset.regret.layout import Layout, action_major_layout, game_layouts
from infoset.regret.local import LocalMinimizer, LocalRule, Schedule, rule_of_scheme
from infoset.regret.minimizer import RegretMinimizer
from infoset.regret.payoffs import (
    PairPayoffs,
    pair_gradient,
    pair_payoffs,
    terminal_gradient,
)
from infoset.regret.player_minimizer import PlayerMinimizer
from infoset.regret.prox import (
    Distance,
    ProxResponse,
    TreeplexProx,
    balanced_weights,
    plain_weights,
)
from infoset.regret.scheme import Drift, Exponent, RegretScheme
from infoset.regret.schemes import SCHEMES
from infoset.regret.state import IterativeState, StateArrays, name_by_player

__all__ = [
    "SCHEMES",
    "Distance",
    "Drift",
    "Exponent",
    "IterativeState",
    "Layout",
    "LocalMinimizer",
    "LocalRule",
    "PairPayoffs",
    "PlayerMinimizer",
    "ProxResponse",
    "RegretMinimizer",
    "RegretScheme",
    "Schedule",
    "StateArrays",
    "TreeplexProx",
    "action_major_layout",
    "balanced_weights",
    "game_layouts",
    "name_by_player",
    "pair_gradient",
    "pair_payoffs",
    "plain_weights",
    "realize_policy",
    "rule_of_scheme",
    "terminal_gradient",
    "update_regrets",
]
