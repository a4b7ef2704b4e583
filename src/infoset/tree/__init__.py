"""Compiling: from the rules of a game to arrays, once."""

from infoset.tree.counting import GameCounts, allowed_memory, check_fits, count_histories, size_text
from infoset.tree.exploration import ExplorationProgress, explore
from infoset.tree.game_tree import GameTree, build_tree, unroll
from infoset.tree.infostate_tree import InfostateTree, PublicTree
from infoset.tree.sequence_form import SequenceForm, Treeplex, sequence_form
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
    "build_tree",
    "check_fits",
    "count_histories",
    "explore",
    "sequence_form",
    "size_text",
    "unroll",
]
