"""Compiling: from the rules of a game to arrays, once."""

from infoset.tree.counting import GameCounts, allowed_memory, check_fits, count_histories
from infoset.tree.exploration import ExplorationProgress, build_world_graph
from infoset.tree.game_tree import GameTree, build_tree, unroll
from infoset.tree.infostate_tree import InfostateTree, PublicTree
from infoset.tree.levels.stream import build_sequence_form, contract_graph, forecast_contraction
from infoset.tree.sequence_form import (
    SequenceForm,
    Treeplex,
    check_sequence_form,
    common_sum,
    contract_terminals,
)
from infoset.tree.world_graph import WorldGraph

__all__ = [
    "ExplorationProgress",
    "GameCounts",
    "GameTree",
    "InfostateTree",
    "PublicTree",
    "SequenceForm",
    "Treeplex",
    "WorldGraph",
    "allowed_memory",
    "build_sequence_form",
    "build_tree",
    "build_world_graph",
    "check_fits",
    "check_sequence_form",
    "common_sum",
    "contract_graph",
    "contract_terminals",
    "count_histories",
    "forecast_contraction",
    "unroll",
]
