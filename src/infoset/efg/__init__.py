"""Extensive forms: games given as trees, their checks and conversions, and Gambit's .efg format."""

from infoset.efg.conversions import augment, build_extensive_form, forget_non_acting
from infoset.efg.form import TERMINAL, ExtensiveForm, Outcome, check_tree
from infoset.efg.form_game import as_game, find_source_form
from infoset.efg.information import (
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
from infoset.efg.knowledge import closure, common_knowledge_sets
from infoset.efg.labels import plain_labels
from infoset.efg.making import extensive_form_from_nodes
from infoset.efg.nodes import Node, chance, decision, terminal
from infoset.efg.padding import pad_timing, world_of_history
from infoset.efg.reader import load_efg, parse_efg
from infoset.efg.report import FORM_CHECKS, FormReport, check_form
from infoset.efg.timing import exact_timing, find_timing_cycle, find_uneven_timing
from infoset.efg.writer import format_efg, save_efg

__all__ = [
    "FORM_CHECKS",
    "TERMINAL",
    "ExtensiveForm",
    "FormReport",
    "Node",
    "Outcome",
    "Violation",
    "as_game",
    "augment",
    "build_extensive_form",
    "chance",
    "check_form",
    "check_tree",
    "closure",
    "common_knowledge_sets",
    "decision",
    "exact_timing",
    "extensive_form_from_nodes",
    "find_absent_mindedness",
    "find_action_mismatch",
    "find_hidden_reward",
    "find_public_mismatch",
    "find_recall_violation",
    "find_source_form",
    "find_thick_infoset",
    "find_thick_public_set",
    "find_timing_cycle",
    "find_uneven_timing",
    "forget_non_acting",
    "format_efg",
    "load_efg",
    "pad_timing",
    "parse_efg",
    "plain_labels",
    "rewards_are_observable",
    "save_efg",
    "terminal",
    "world_of_history",
]
