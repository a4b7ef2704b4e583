"""Runs of iterative methods: budget, loop, checkpoints, result and trace."""

from infoset.runs.budget import DEFAULT_TARGET, Budget, Target, check_budget, make_budget
from infoset.runs.checkpoint import (
    DEFAULT_CHECKPOINT_SECONDS,
    Checkpoint,
    Checkpointing,
    check_compatibility,
    read_checkpoint,
    write_checkpoint,
)
from infoset.runs.checkpointer import (
    Checkpointer,
    NullCheckpointer,
    Resumable,
    json_settings,
    open_checkpointer,
    refuse_checkpoint,
    settings_of,
)
from infoset.runs.loop import (
    COST_BETWEEN_CLOCK_CHECKS,
    IterativeSolver,
    gradient_cost,
    planned_measurements,
    run_measured,
)
from infoset.runs.result import Callback, JointGaps, Outcome, SolveResult, TracePoint

__all__ = [
    "COST_BETWEEN_CLOCK_CHECKS",
    "DEFAULT_CHECKPOINT_SECONDS",
    "DEFAULT_TARGET",
    "Budget",
    "Callback",
    "Checkpoint",
    "Checkpointer",
    "Checkpointing",
    "IterativeSolver",
    "JointGaps",
    "NullCheckpointer",
    "Outcome",
    "Resumable",
    "SolveResult",
    "Target",
    "TracePoint",
    "check_budget",
    "check_compatibility",
    "gradient_cost",
    "json_settings",
    "make_budget",
    "open_checkpointer",
    "planned_measurements",
    "read_checkpoint",
    "refuse_checkpoint",
    "run_measured",
    "settings_of",
    "write_checkpoint",
]
