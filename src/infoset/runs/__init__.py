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
from infoset.runs.outside_results import make_result, make_trace
from infoset.runs.result import Callback, JointGaps, Outcome, SolveResult, TracePoint, form_of
from infoset.runs.trace_files import RunTrace, read_trace, read_traces, trace_rows

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
    "RunTrace",
    "SolveResult",
    "Target",
    "TracePoint",
    "check_budget",
    "check_compatibility",
    "form_of",
    "gradient_cost",
    "json_settings",
    "make_budget",
    "make_result",
    "make_trace",
    "open_checkpointer",
    "planned_measurements",
    "read_checkpoint",
    "read_trace",
    "read_traces",
    "refuse_checkpoint",
    "run_measured",
    "settings_of",
    "trace_rows",
    "write_checkpoint",
]
