"""Run folders, estimates of the remaining time, and studies that consist of many runs (cells)."""

from infoset.experiments.board_report import report_boards
from infoset.experiments.cells import Cell, CellFolder, CellInterrupted, CellResult, run_cells
from infoset.experiments.folders import check_results, check_writable, run_slug
from infoset.experiments.forecast import iterations_per_second, seconds_to_target
from infoset.experiments.grids import log_log_slope, run_grid, run_points, spreads
from infoset.experiments.json_values import json_text, json_value, portable_integers
from infoset.experiments.parameter_search import Neighbor, Trial, TuningResult, tune
from infoset.experiments.reports import (
    Chart,
    Expected,
    FrequencyBars,
    HeatMap,
    Report,
    Spread,
    Table,
    compared,
    compared_columns,
)
from infoset.experiments.run_folder import (
    PICTURE_FORMATS,
    RUN_FILES,
    comparison_files,
    learning_files,
    run_files,
    save_comparison,
    save_learning,
    save_response,
    save_run,
    save_team,
)
from infoset.experiments.search_ranges import SearchRange, parse_range
from infoset.experiments.studies import (
    Experiment,
    Finished,
    RunCells,
    Study,
    get_study,
    installed_studies,
    run_study,
)
from infoset.experiments.training_folder import (
    CRITIC_FILES,
    save_critic_run,
    save_training,
    training_files,
)
from infoset.experiments.tuning_cells import TuningCell
from infoset.experiments.tuning_report import parameters_text, save_tuning, tuning_tables

__all__ = [
    "CRITIC_FILES",
    "PICTURE_FORMATS",
    "RUN_FILES",
    "Cell",
    "CellFolder",
    "CellInterrupted",
    "CellResult",
    "Chart",
    "Expected",
    "Experiment",
    "Finished",
    "FrequencyBars",
    "HeatMap",
    "Neighbor",
    "Report",
    "RunCells",
    "SearchRange",
    "Spread",
    "Study",
    "Table",
    "Trial",
    "TuningCell",
    "TuningResult",
    "check_results",
    "check_writable",
    "compared",
    "compared_columns",
    "comparison_files",
    "get_study",
    "installed_studies",
    "iterations_per_second",
    "json_text",
    "json_value",
    "learning_files",
    "log_log_slope",
    "parameters_text",
    "parse_range",
    "portable_integers",
    "report_boards",
    "run_cells",
    "run_files",
    "run_grid",
    "run_points",
    "run_slug",
    "run_study",
    "save_comparison",
    "save_critic_run",
    "save_learning",
    "save_response",
    "save_run",
    "save_team",
    "save_training",
    "save_tuning",
    "seconds_to_target",
    "spreads",
    "training_files",
    "tune",
    "tuning_tables",
]
