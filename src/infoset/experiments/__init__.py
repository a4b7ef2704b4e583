"""Runs: what solving leaves on disk, and how far it has to go."""

from infoset.experiments.comparison import COMPARISON_FILES, save_comparison
from infoset.experiments.folders import check_writable, run_slug
from infoset.experiments.forecast import iterations_per_second, seconds_to_target
from infoset.experiments.json_values import json_text, json_value
from infoset.experiments.learning_folder import learning_files, save_learning
from infoset.experiments.run_folder import RUN_FILES, save_run

__all__ = [
    "COMPARISON_FILES",
    "RUN_FILES",
    "check_writable",
    "iterations_per_second",
    "json_text",
    "json_value",
    "learning_files",
    "run_slug",
    "save_comparison",
    "save_learning",
    "save_run",
    "seconds_to_target",
]
