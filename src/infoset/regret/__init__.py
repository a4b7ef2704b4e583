"""Regret minimization on treeplexes: schemes as data, one kernel, the state they move."""

from infoset.regret._plan_kernels import realize_policy
from infoset.regret._regret_kernels import update_regrets
from infoset.regret._slot_kernels import hedge, match_regrets
from infoset.regret.layout import Layout, action_major_layout, game_layouts
from infoset.regret.local import LocalMinimizer, LocalRule, Schedule, rule_of_scheme
from infoset.regret.minimizer import RegretMinimizer
from infoset.regret.payoffs import (
    BlockPayoffs,
    block_gradient,
    block_payoffs,
    terminal_gradient,
)
from infoset.regret.player_minimizer import PlayerMinimizer
from infoset.regret.prox import (
    Distance,
    ProxResponse,
    TreeplexProx,
    balanced_weights,
    project_on_simplex,
    unit_weights,
)
from infoset.regret.scheme import Exponent, LinearSchedule, RegretScheme
from infoset.regret.schemes import SCHEMES

__all__ = [
    "SCHEMES",
    "BlockPayoffs",
    "Distance",
    "Exponent",
    "Layout",
    "LinearSchedule",
    "LocalMinimizer",
    "LocalRule",
    "PlayerMinimizer",
    "ProxResponse",
    "RegretMinimizer",
    "RegretScheme",
    "Schedule",
    "TreeplexProx",
    "action_major_layout",
    "balanced_weights",
    "block_gradient",
    "block_payoffs",
    "game_layouts",
    "hedge",
    "match_regrets",
    "project_on_simplex",
    "realize_policy",
    "rule_of_scheme",
    "terminal_gradient",
    "unit_weights",
    "update_regrets",
]
