"""Compiling: from the rules of a game to arrays, once."""

from infoset.tree.counting import GameCounts, allowed_memory, check_fits, count_histories, size_text
from infoset.tree.exploration import ExplorationProgress, explore
from infoset.tree.forms.conversions import augment, extensive_form, forget_non_acting
from infoset.tree.forms.extensive_form import TERMINAL, ExtensiveForm, Outcome
from infoset.tree.forms.form_game import as_game, form_of
from infoset.tree.forms.information import (
    Violation,
    find_absent_mindedness,
    find_action_mismatch,
    find_hidden_reward,
    find_public_mismatch,
    find_recall_violation,
    find_thick_infoset,
    find_thick_public_set,
    rewards_are_observable,
)
from infoset.tree.forms.knowledge import closure, common_knowledge_sets
from infoset.tree.forms.making import make_form
from infoset.tree.forms.nodes import Node, chance, decision, terminal
from infoset.tree.forms.padding import pad_timing, padded_numbers
from infoset.tree.forms.report import FORM_CHECKS, FormReport, check_form
from infoset.tree.forms.timing import find_timing_cycle, find_uneven_timing, timing
from infoset.tree.game_tree import GameTree, build_tree, unroll
from infoset.tree.infostate_tree import InfostateTree, PublicTree
from infoset.tree.kinds import check_sequence_form, check_tree
from infoset.tree.levels.stream import build_sequence_form, contract_graph, forecast_contraction
from infoset.tree.merging import stable_order
from infoset.tree.sequence_form import SequenceForm, Treeplex, common_sum, sequence_form
from infoset.tree.world_graph import WorldGraph

__all__ = [
    "FORM_CHECKS",
    "TERMINAL",
    "ExplorationProgress",
    "ExtensiveForm",
    "FormReport",
    "GameCounts",
    "GameTree",
    "InfostateTree",
    "Node",
    "Outcome",
    "PublicTree",
    "SequenceForm",
    "Treeplex",
    "Violation",
    "WorldGraph",
    "allowed_memory",
    "as_game",
    "augment",
    "build_sequence_form",
    "build_tree",
    "chance",
    "check_fits",
    "check_form",
    "check_sequence_form",
    "check_tree",
    "closure",
    "common_knowledge_sets",
    "common_sum",
    "contract_graph",
    "count_histories",
    "decision",
    "explore",
    "extensive_form",
    "find_absent_mindedness",
    "find_action_mismatch",
    "find_hidden_reward",
    "find_public_mismatch",
    "find_recall_violation",
    "find_thick_infoset",
    "find_thick_public_set",
    "find_timing_cycle",
    "find_uneven_timing",
    "forecast_contraction",
    "forget_non_acting",
    "form_of",
    "make_form",
    "pad_timing",
    "padded_numbers",
    "rewards_are_observable",
    "sequence_form",
    "size_text",
    "stable_order",
    "terminal",
    "timing",
    "unroll",
]
