"""Linear programs, handed to HiGHS."""

from __future__ import annotations

import time
from collections.abc import Sequence
from threading import Event, Thread
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from infoset.runs import Outcome
from infoset.typing import BoolArray, FloatArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["Algorithm", "LinearModel", "LinearSolution", "maximize", "maximize_at_vertex"]

Algorithm: TypeAlias = Literal["simplex", "ipm", "ipm+crossover"]

SECONDS_BETWEEN_LOOKS = 0.05
LEAST_SIMPLEX_ITERATIONS = 10_000
ROWS_PER_SIMPLEX_ITERATION = 3


class LinearModel(NamedTuple):
    """Maximize cost · x under row_lower ≤ matrix x ≤ row_upper and lower ≤ x ≤ upper."""

    matrix: csr_array
    cost: FloatArray
    lower: FloatArray
    upper: FloatArray
    row_lower: FloatArray
    row_upper: FloatArray


class LinearSolution(NamedTuple):
    """What HiGHS made of a model; zeros where it made nothing.

    Attributes
    ----------
    outcome : Outcome
        'optimal', also where an interior point is not precise enough for HiGHS to say so;
        'iterations' where the simplex was taking too many.
    values, reduced_costs : FloatArray
        [columns]
    duals : FloatArray
        [rows]
    iterations : int
    basic_columns, basic_rows : BoolArray
        Which are in the basis; none where HiGHS has no basis.
    """

    outcome: Outcome
    values: FloatArray
    reduced_costs: FloatArray
    duals: FloatArray
    iterations: int
    basic_columns: BoolArray
    basic_rows: BoolArray


def maximize(model: LinearModel, algorithm: Algorithm, seconds: float | None) -> LinearSolution:
    """Solve a linear program; Ctrl-C ends it, and is an outcome.

    The simplex gets a number of iterations in proportion to the rows, so that where it fails is
    decided by the game and not by the machine. It needed at most one per row on the games it
    solves (one per four rows on the large ones), and got nowhere in one per row on battleship.
    """
    import highspy

    highs: Any = highspy.Highs()  # type: ignore[no-untyped-call]
    rows, _ = model.matrix.shape
    options: dict[str, bool | str | int | float] = {
        "output_flag": False,
        "solver": "simplex" if algorithm == "simplex" else "ipm",
        "run_crossover": "on" if algorithm == "ipm+crossover" else "off",
    }
    if algorithm == "simplex":
        limit = max(LEAST_SIMPLEX_ITERATIONS, rows // ROWS_PER_SIMPLEX_ITERATION)
        options["simplex_iteration_limit"] = limit
    if seconds is not None:
        options["time_limit"] = max(float(seconds), 0.0)
    for option, value in options.items():
        highs.setOptionValue(option, value)
    highs.passModel(_highs_model(model))
    interrupted = _solve_interruptibly(highs)
    outcome = "interrupted" if interrupted else _outcome(highs.getModelStatus(), algorithm)
    return _solution(highs, model, outcome)


def maximize_at_vertex(model: LinearModel, seconds: float | None) -> LinearSolution:
    """Solve a linear program to a vertex: by the simplex, or else by crossing over to one."""
    started = time.monotonic()
    solution = maximize(model, "simplex", seconds)
    if solution.outcome not in ("failed", "iterations"):
        return solution
    left = None if seconds is None else seconds - (time.monotonic() - started)
    crossed = maximize(model, "ipm+crossover", left)
    return crossed._replace(iterations=solution.iterations + crossed.iterations)


def _highs_model(model: LinearModel) -> Any:
    import highspy

    made = highspy.HighsLp()
    made.num_row_, made.num_col_ = model.matrix.shape
    made.sense_ = highspy.ObjSense.kMaximize
    made.col_cost_ = model.cost
    made.col_lower_, made.col_upper_ = model.lower, model.upper
    made.row_lower_, made.row_upper_ = model.row_lower, model.row_upper
    made.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    made.a_matrix_.start_ = model.matrix.indptr
    made.a_matrix_.index_ = model.matrix.indices
    made.a_matrix_.value_ = model.matrix.data
    return made


def _outcome(status: Any, algorithm: Algorithm) -> Outcome:
    import highspy

    endings: dict[Any, Outcome] = {
        highspy.HighsModelStatus.kOptimal: "optimal",
        highspy.HighsModelStatus.kTimeLimit: "seconds",
        highspy.HighsModelStatus.kIterationLimit: "iterations",
        highspy.HighsModelStatus.kInterrupt: "interrupted",
    }
    if algorithm == "ipm":
        endings[highspy.HighsModelStatus.kUnknown] = "optimal"
    return endings.get(status, "failed")


def _solution(highs: Any, model: LinearModel, outcome: Outcome) -> LinearSolution:
    rows, columns = model.matrix.shape
    solution, info = highs.getSolution(), highs.getInfo()
    counts = info.simplex_iteration_count, info.ipm_iteration_count, info.crossover_iteration_count
    return LinearSolution(
        outcome,
        _vector(solution.col_value, columns),
        _vector(solution.col_dual, columns),
        _vector(solution.row_dual, rows),
        sum(max(int(count), 0) for count in counts),
        _basic(highs.getBasis().col_status, columns),
        _basic(highs.getBasis().row_status, rows),
    )


def _vector(given: Sequence[float], size: int) -> FloatArray:
    """Return what HiGHS has as an array; zeros where it has nothing."""
    return np.asarray(given, dtype=np.float64) if len(given) == size else np.zeros(size)


def _basic(statuses: Sequence[Any], size: int) -> BoolArray:
    import highspy

    if len(statuses) != size:
        return np.zeros(size, dtype=bool)
    return np.array([status == highspy.HighsBasisStatus.kBasic for status in statuses], dtype=bool)


def _solve_interruptibly(highs: Any) -> bool:
    """Run HiGHS in a thread of its own, so that Ctrl-C can stop it; return whether it did.

    That thread also ends HiGHS's own. It must be over before the process is, which an interrupted
    `Thread.join` cannot tell (it takes the thread for stopped); an event can.
    """
    is_over = Event()

    def work() -> None:
        try:
            highs.run()
            highs.resetGlobalScheduler(True)
        finally:
            is_over.set()

    highs.HandleUserInterrupt = True
    worker = Thread(target=work)
    worker.start()
    interrupted = False
    while not is_over.is_set():
        try:
            is_over.wait(SECONDS_BETWEEN_LOOKS)
        except KeyboardInterrupt:
            highs.cancelSolve()
            interrupted = True
    worker.join()
    return interrupted
