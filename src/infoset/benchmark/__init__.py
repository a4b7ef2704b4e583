"""Benchmarks: score cards, checks of the packs and the zoo, and leaderboard entries."""

from infoset.benchmark.board_entries import (
    BoardEntry,
    CheckedEntry,
    board_markdown,
    check_board_entry,
    read_board,
    read_board_entry,
    save_board_entry,
)
from infoset.benchmark.card_checks import CheckedCard, check_card, is_card
from infoset.benchmark.card_files import CARD_FILES, card_markdown, plot_card, save_card
from infoset.benchmark.child_process import ChildLimits
from infoset.benchmark.pack_checks import check_pack_entry, measure_pack_entry, pack_table
from infoset.benchmark.races import TARGETS, Entrant, Race, RaceRun, run_race
from infoset.benchmark.score_cards import (
    GameRow,
    Gate,
    Ratio,
    ScoreCard,
    card_facts,
    score_subject,
)
from infoset.benchmark.subjects import SHAPES, Subject, find_subject
from infoset.benchmark.trials import Trial, TrialResult, run_trial
from infoset.benchmark.zoo_recipes import (
    ZooPolicy,
    make_zoo_policy,
    save_zoo_policy,
    verify_policy_file,
)

__all__ = [
    "CARD_FILES",
    "SHAPES",
    "TARGETS",
    "BoardEntry",
    "CheckedCard",
    "CheckedEntry",
    "ChildLimits",
    "Entrant",
    "GameRow",
    "Gate",
    "Race",
    "RaceRun",
    "Ratio",
    "ScoreCard",
    "Subject",
    "Trial",
    "TrialResult",
    "ZooPolicy",
    "board_markdown",
    "card_facts",
    "card_markdown",
    "check_board_entry",
    "check_card",
    "check_pack_entry",
    "find_subject",
    "is_card",
    "make_zoo_policy",
    "measure_pack_entry",
    "pack_table",
    "plot_card",
    "read_board",
    "read_board_entry",
    "run_race",
    "run_trial",
    "save_board_entry",
    "save_card",
    "save_zoo_policy",
    "score_subject",
    "verify_policy_file",
]
