"""Runs of iterative methods: budget, loop, checkpoints, result and trace."""

from infoset.runs.budget import (
    DEFAULT_TARGET,
    Budget,
    Target,
    check_budget,
    default_target,
    make_budget,
    parse_target,
)
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
    Resumable,
    json_settings,
    open_checkpointer,
    refuse_checkpoint,
    settings_of,
)
from infoset.runs.executor_kinds import open_executor
from infoset.runs.loop import (
    COST_BETWEEN_CLOCK_CHECKS,
    EARLY_MEASUREMENTS,
    IterativeSolver,
    NullCheckpointer,
    gradient_cost,
    measurement_cost,
    planned_measurements,
    run_measured,
)
from infoset.runs.machines import Machine, differing_machines, this_machine
from infoset.runs.outside_results import make_result, make_trace
from infoset.runs.result import (
    Callback,
    JointGaps,
    Outcome,
    SolveResult,
    TracePoint,
    WarmStart,
)
from infoset.runs.seeds import Seeds, check_seeds
from infoset.runs.task_messages import Interrupt
from infoset.runs.tasks import Done, WorkerPool, run_tasks
from infoset.runs.trace_files import RunTrace, read_trace, read_traces, trace_rows
from infoset.runs.workers import check_workers, parallel_map, worker_pool

__all__ = [
    "COST_BETWEEN_CLOCK_CHECKS",
    "DEFAULT_CHECKPOINT_SECONDS",
    "DEFAULT_TARGET",
    "EARLY_MEASUREMENTS",
    "Budget",
    "Callback",
    "Checkpoint",
    "Checkpointer",
    "Checkpointing",
    "Done",
    "Interrupt",
    "IterativeSolver",
    "JointGaps",
    "Machine",
    "NullCheckpointer",
    "Outcome",
    "Resumable",
    "RunTrace",
    "Seeds",
    "SolveResult",
    "Target",
    "TracePoint",
    "WarmStart",
    "WorkerPool",
    "check_budget",
    "check_compatibility",
    "check_seeds",
    "check_workers",
    "default_target",
    "differing_machines",
    "gradient_cost",
    "json_settings",
    "make_budget",
    "make_result",
    "make_trace",
    "measurement_cost",
    "open_checkpointer",
    "open_executor",
    "parallel_map",
    "parse_target",
    "planned_measurements",
    "read_checkpoint",
    "read_trace",
    "read_traces",
    "refuse_checkpoint",
    "run_measured",
    "run_tasks",
    "settings_of",
    "this_machine",
    "trace_rows",
    "worker_pool",
    "write_checkpoint",
]
