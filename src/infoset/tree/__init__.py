"""World graph, game tree and sequence form: arrays that are derived once from a game's rules."""

from infoset.tree.build_watch import BuildPoint, BuildProgress, BuildStage
from infoset.tree.counting import GameCounts, check_fits, count_histories
from infoset.tree.encodings import ENCODING_VERSION, InfostateEncoder
from infoset.tree.estimates import HistoryEstimate, estimate_histories
from infoset.tree.exploration import build_world_graph
from infoset.tree.game_tree import GameTree, build_tree, unroll
from infoset.tree.graph_contraction import build_sequence_form, contract_graph, forecast_contraction
from infoset.tree.limits import BuildLimits, allowed_memory, build_limits
from infoset.tree.public_counting import (
    PublicCounts,
    check_public_form_fits,
    count_public_form,
)
from infoset.tree.public_derivation import derive_public_form
from infoset.tree.public_rules_check import PublicRulesReport, check_public_rules
from infoset.tree.public_rules_form import build_public_form, public_rules_of
from infoset.tree.saved_graphs import graph_cache
from infoset.tree.state_numbering import StepTable
from infoset.tree.world_contraction import (
    WorldFormSize,
    build_sequence_or_world_form,
    build_world_form,
    contract_worlds,
    count_world_form,
)
from infoset.tree.world_graph import WorldGraph

__all__ = [
    "ENCODING_VERSION",
    "BuildLimits",
    "BuildPoint",
    "BuildProgress",
    "BuildStage",
    "GameCounts",
    "GameTree",
    "HistoryEstimate",
    "InfostateEncoder",
    "PublicCounts",
    "PublicRulesReport",
    "StepTable",
    "WorldFormSize",
    "WorldGraph",
    "allowed_memory",
    "build_limits",
    "build_public_form",
    "build_sequence_form",
    "build_sequence_or_world_form",
    "build_tree",
    "build_world_form",
    "build_world_graph",
    "check_fits",
    "check_public_form_fits",
    "check_public_rules",
    "contract_graph",
    "contract_worlds",
    "count_histories",
    "count_public_form",
    "count_world_form",
    "derive_public_form",
    "estimate_histories",
    "forecast_contraction",
    "graph_cache",
    "public_rules_of",
    "unroll",
]
