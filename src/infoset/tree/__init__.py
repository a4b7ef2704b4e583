"""World graph, game tree and sequence form: arrays that are derived once from a game's rules."""

from infoset.tree.build_progress import BuildPoint, BuildProgress
from infoset.tree.counting import GameCounts, allowed_memory, check_fits, count_histories
from infoset.tree.encodings import ENCODING_VERSION, InfostateEncoder
from infoset.tree.estimates import HistoryEstimate, estimate_histories
from infoset.tree.exploration import build_world_graph
from infoset.tree.game_tree import GameTree, build_tree, unroll
from infoset.tree.graph_contraction import build_sequence_form, contract_graph, forecast_contraction
from infoset.tree.infostate_tree import InfostateTree, PublicTree
from infoset.tree.limits import BuildLimits, build_limits
from infoset.tree.saved_graphs import graph_cache
from infoset.tree.sequence_form import (
    CenteredPayoffs,
    SequenceForm,
    TerminalReach,
    Treeplex,
    check_sequence_form,
)
from infoset.tree.state_numbering import StepTable
from infoset.tree.terminal_contraction import common_sum, contract_terminals, merge_reach
from infoset.tree.world_graph import WorldGraph

__all__ = [
    "ENCODING_VERSION",
    "BuildLimits",
    "BuildPoint",
    "BuildProgress",
    "CenteredPayoffs",
    "GameCounts",
    "GameTree",
    "HistoryEstimate",
    "InfostateEncoder",
    "InfostateTree",
    "PublicTree",
    "SequenceForm",
    "StepTable",
    "TerminalReach",
    "Treeplex",
    "WorldGraph",
    "allowed_memory",
    "build_limits",
    "build_sequence_form",
    "build_tree",
    "build_world_graph",
    "check_fits",
    "check_sequence_form",
    "common_sum",
    "contract_graph",
    "contract_terminals",
    "count_histories",
    "estimate_histories",
    "forecast_contraction",
    "graph_cache",
    "merge_reach",
    "unroll",
]
