"""Long runs of iterative methods: budget, loop, checkpoint, result and trace."""

from infoset.runs.budget import Budget, Target, make_budget
from infoset.runs.checkpoint import (
    DEFAULT_CHECKPOINT_SECONDS,
    Checkpoint,
    Checkpointing,
    read_checkpoint,
    write_checkpoint,
)
from infoset.runs.loop import IterativeSolver, run_measured
from infoset.runs.result import Callback, JointGaps, Outcome, SolveResult, TracePoint
from infoset.runs.resuming import Resumable, settings_of

__all__ = [
    "DEFAULT_CHECKPOINT_SECONDS",
    "Budget",
    "Callback",
    "Checkpoint",
    "Checkpointing",
    "IterativeSolver",
    "JointGaps",
    "Outcome",
    "Resumable",
    "SolveResult",
    "Target",
    "TracePoint",
    "make_budget",
    "read_checkpoint",
    "run_measured",
    "settings_of",
    "write_checkpoint",
]
