"""Extensive and strategic forms, their properties and conversions, and files for other programs."""

from infoset.efg.common_knowledge import closure, common_knowledge_sets, merge_intersecting
from infoset.efg.conversions import (
    as_game,
    build_extensive_form,
    chance_move_text,
    find_source_form,
    is_serial,
    rules_of,
    world_of_history,
)
from infoset.efg.efg_reader import load_efg, parse_efg
from infoset.efg.efg_writer import format_efg, plain_labels, save_efg
from infoset.efg.extensive_form import ExtensiveForm, check_tree
from infoset.efg.form_report import FORM_CHECKS, FormReport, check_form
from infoset.efg.game_files import READABLE, is_game_file_name, load_game_file, split_parameters
from infoset.efg.histories import TERMINAL, HistoryTree, Outcome
from infoset.efg.information_sets import (
    Violation,
    find_absent_mindedness,
    find_action_mismatch,
    find_hidden_reward,
    find_public_mismatch,
    find_recall_violation,
    find_recall_violations,
    find_thick_infoset,
    find_thick_public_set,
    rewards_are_observable,
)
from infoset.efg.liteefg_files import (
    format_liteefg,
    load_liteefg,
    parse_liteefg,
    save_liteefg,
)
from infoset.efg.nfg_files import format_nfg, load_nfg, parse_nfg, save_nfg
from infoset.efg.nodes import Node, chance, decision, extensive_form_from_nodes, terminal
from infoset.efg.strategic_games import StrategicGame, strategic_form
from infoset.efg.timing import exact_timing, find_timing_cycle, find_uneven_timing
from infoset.efg.transformations import augment, forget_non_acting, pad_timing, pay_at_end

__all__ = [
    "FORM_CHECKS",
    "READABLE",
    "TERMINAL",
    "ExtensiveForm",
    "FormReport",
    "HistoryTree",
    "Node",
    "Outcome",
    "StrategicGame",
    "Violation",
    "as_game",
    "augment",
    "build_extensive_form",
    "chance",
    "chance_move_text",
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
    "find_recall_violations",
    "find_source_form",
    "find_thick_infoset",
    "find_thick_public_set",
    "find_timing_cycle",
    "find_uneven_timing",
    "forget_non_acting",
    "format_efg",
    "format_liteefg",
    "format_nfg",
    "is_game_file_name",
    "is_serial",
    "load_efg",
    "load_game_file",
    "load_liteefg",
    "load_nfg",
    "merge_intersecting",
    "pad_timing",
    "parse_efg",
    "parse_liteefg",
    "parse_nfg",
    "pay_at_end",
    "plain_labels",
    "rewards_are_observable",
    "rules_of",
    "save_efg",
    "save_liteefg",
    "save_nfg",
    "split_parameters",
    "strategic_form",
    "terminal",
    "world_of_history",
]
