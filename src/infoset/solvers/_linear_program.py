"""Linear programs in sequence form: the model, its solution by HiGHS, and the evaluation."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from threading import Event, Thread
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from infoset.evaluation import Evaluation
from infoset.forms import Form, Treeplex, listed_payoffs
from infoset.policy import TabularPolicy
from infoset.runs import Budget, Outcome, SolveResult
from infoset.solvers._incumbent import SECONDS_BETWEEN_CHECKS, Incumbent, Measure
from infoset.typing import BoolArray, FloatArray, Player
from infoset.utils.clocks import compiling

if TYPE_CHECKING:
    from scipy.sparse import csr_array


Algorithm: TypeAlias = Literal["simplex", "ipm", "ipm+crossover"]

MIN_SIMPLEX_ITERATIONS = 10_000
ROWS_PER_SIMPLEX_ITERATION = 3


Meanwhile: TypeAlias = Callable[[Event], object]
"""What the main thread does while HiGHS runs: it returns soon after the event is set."""


def wait_a_moment(is_over: Event) -> None:
    """Wait for an event, for a short time only, so that Ctrl-C is noticed."""
    is_over.wait(SECONDS_BETWEEN_CHECKS)


class LinearModel(NamedTuple):
    """Maximize cost · x under row_lower ≤ matrix x ≤ row_upper and lower ≤ x ≤ upper."""

    matrix: csr_array
    cost: FloatArray
    lower: FloatArray
    upper: FloatArray
    row_lower: FloatArray
    row_upper: FloatArray


class LinearSolution(NamedTuple):
    """The solution of a model by HiGHS; arrays that HiGHS does not provide are zero."""

    outcome: Outcome
    """Why HiGHS ended. It is 'optimal' also for an interior point whose accuracy HiGHS reports as
    insufficient, and 'iterations' if the simplex method reached its iteration limit."""
    values: FloatArray
    reduced_costs: FloatArray
    """[columns]"""
    duals: FloatArray
    """[rows]"""
    iterations: int
    basic_columns: BoolArray
    basic_rows: BoolArray
    """[columns] and [rows] whether each is in the basis; all False if HiGHS has no basis."""


def maximize(
    model: LinearModel,
    algorithm: Algorithm,
    seconds: float | None,
    meanwhile: Meanwhile = wait_a_moment,
) -> LinearSolution:
    """Solve a linear program; Ctrl-C ends it with the outcome 'interrupted'.

    HiGHS runs in another thread. Meanwhile this thread calls `meanwhile(event)` until HiGHS sets
    the event.

    The iteration limit of the simplex method is proportional to the number of rows, so that a
    failure depends on the game and not on the machine. The games that it solved took at most one
    iteration per row, and large games about one for every four rows. On battleship it had made no
    progress after as many iterations as rows.
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
        limit = max(MIN_SIMPLEX_ITERATIONS, rows // ROWS_PER_SIMPLEX_ITERATION)
        options["simplex_iteration_limit"] = limit
    if seconds is not None:
        options["time_limit"] = max(float(seconds), 0.0)
    for option, value in options.items():
        highs.setOptionValue(option, value)
    highs.passModel(_highs_model(model))
    interrupted = _solve_interruptibly(highs, meanwhile)
    outcome = "interrupted" if interrupted else _outcome(highs.getModelStatus(), algorithm)
    return _solution(highs, model, outcome)


def maximize_at_vertex(model: LinearModel, seconds: float | None) -> LinearSolution:
    """Find an optimal vertex: by the simplex method or, if that fails, by crossover."""
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
    """Return a vector of HiGHS as an array, or zeros if HiGHS does not provide it."""
    return np.asarray(given, dtype=np.float64) if len(given) == size else np.zeros(size)


def _basic(statuses: Sequence[Any], size: int) -> BoolArray:
    import highspy

    if len(statuses) != size:
        return np.zeros(size, dtype=bool)
    return np.array([status == highspy.HighsBasisStatus.kBasic for status in statuses], dtype=bool)


def _solve_interruptibly(highs: Any, meanwhile: Meanwhile) -> bool:
    """Run HiGHS in a separate thread, so that Ctrl-C can stop it; return whether it was stopped.

    The thread also shuts down the threads of HiGHS, and must end before the process does. It
    signals its end by an event, because `Thread.join` would mark it as stopped if Ctrl-C interrupts
    the waiting.
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
            meanwhile(is_over)
        except KeyboardInterrupt:
            meanwhile = wait_a_moment
            highs.cancelSolve()
            interrupted = True
    worker.join()
    return interrupted


def plan_model(form: Form, player: Player, outliers: float = 1.0) -> LinearModel:
    """Return the program that maximizes the security level of a player's plan.

    The columns are the plan x [Q of the player], followed by the values q [1 + I of the opponent].
    The rows are the flow constraints E x = e [1 + I of the player], followed by Aᵀx − Fᵀq ≥ 0 [Q of
    the opponent], whose dual variables are the opponent's plan. Payoffs are divided by a power of
    two, which is exact. The tolerances of a solver are absolute, so give it the centered form: a
    large constant in all payoffs would hide the differences between them.
    """
    # The libraries are loaded here, where it does not count as time, not while the clock runs.
    with compiling():
        import highspy  # noqa: F401
        from scipy.sparse import block_array

    own, other = (form.treeplexes[number] for number in (player, 1 - player))
    flow, other_flow = _flow_matrix(own), _flow_matrix(other)
    payoffs = _payoff_matrix(form, player, outliers)
    matrix = block_array([[flow, None], [payoffs, -other_flow.T]], format="csr")
    num_rows, num_columns = matrix.shape
    num_plan, num_flow = own.num_sequences, 1 + own.num_infostates
    # Flow rows are equations with the right-hand side (1, 0, 0, …); the others are bounded below
    # by 0.
    row_upper = np.full(num_rows, np.inf)
    row_upper[:num_flow] = 0.0
    row_lower = np.zeros(num_rows)
    row_lower[0] = row_upper[0] = 1.0
    # x ≥ 0, q is free, and the objective is q₀, the value at the opponent's empty sequence.
    lower = np.zeros(num_columns)
    lower[num_plan:] = -np.inf
    cost = np.zeros(num_columns)
    cost[num_plan] = 1.0
    return LinearModel(matrix, cost, lower, np.full(num_columns, np.inf), row_lower, row_upper)


def policy_of_solution(form: Form, solution: LinearSolution) -> TabularPolicy:
    """Return the policies of both players, given a solution of player 0's program."""
    first, second = form.treeplexes
    plan = solution.values[: first.num_sequences]
    # HiGHS reports dual variables as derivatives of the objective. They are the opponent's plan or
    # its negative, depending on the sign convention for maximization.
    dual = solution.duals[-second.num_sequences :]
    dual = -dual if dual.sum() < 0 else dual
    weights = [np.clip(plan, 0, None), np.clip(dual, 0, None)]
    return TabularPolicy.from_weights(form, weights)


def _flow_matrix(treeplex: Treeplex) -> csr_array:
    """Return the flow matrix [1 + I, Q], whose product with any plan is (1, 0, 0, …)."""
    from scipy.sparse import coo_array

    # Row 0 is the empty sequence; row 1 + I the sequences at infostate I minus the one before it.
    infostates = np.arange(1, treeplex.num_infostates + 1)
    sequences = np.arange(1, treeplex.num_sequences)
    rows = np.concatenate([[0], infostates, np.repeat(infostates, treeplex.num_actions)])
    columns = np.concatenate([[0], treeplex.parent_sequence, sequences])
    values = np.concatenate([[1.0], -np.ones(len(infostates)), np.ones(len(sequences))])
    shape = (1 + treeplex.num_infostates, treeplex.num_sequences)
    return coo_array((values, (rows, columns)), shape=shape).tocsr()


def centered_model(form: Form, player: Player) -> LinearModel:
    """Return `plan_model`, scaled so that absolute tolerances of a solver do least harm."""
    if form.usual_width == form.payoff_width:
        return plan_model(form.centered, player)
    # One extreme payoff would move the center away from all others.
    return plan_model(form, player, form.payoff_width / form.usual_width)


def _payoff_matrix(form: Form, player: Player, outliers: float) -> csr_array:
    """Return [Q of the opponent, Q of the player] the player's payoffs, scaled to at most 1.

    Extreme payoffs do not count for the scale, so that they do not make the others tiny.
    """
    from scipy.sparse import coo_array

    sequences, payoffs = listed_payoffs(form)
    payoff: FloatArray = payoffs[:, player]
    largest = float(np.abs(payoff).max(initial=0.0)) / outliers
    # At most the largest power of two, for payoffs up to twice as large.
    scale = float(2.0 ** min(np.ceil(np.log2(largest)), 1023.0)) if largest > 0 else 1.0
    columns, rows = sequences[:, player], sequences[:, 1 - player]
    shape = tuple(form.treeplexes[p].num_sequences for p in (1 - player, player))
    return coo_array((payoff / scale, (rows, columns)), shape=shape).tocsr()


CERTIFIED = 1e-6
"""Exploitability, as a fraction of the payoff range without extreme payoffs, above which an answer
is rejected."""


class Answer(NamedTuple):
    """A policy, its evaluation, why the solver ended, and the origin of any other policy."""

    policy: TabularPolicy
    measured: Evaluation
    outcome: Outcome
    iterations: int
    reason: str | None = None

    def to_result(self, method: str, budget: Budget) -> SolveResult:
        """Record the answer in the budget, and return it as a result."""
        budget.record(self.iterations, self.measured)
        return SolveResult(
            game=self.policy.form.name,
            method=method,
            policy=self.policy,
            current_policy=None,
            measured=self.measured,
            outcome=self.outcome,
            iterations=self.iterations,
            seconds=budget.elapsed,
            trace=tuple(budget.trace),
            reason=self.reason,
        )


def solve_program(
    model: LinearModel,
    algorithms: Iterable[Algorithm],
    policy_of: Callable[[LinearSolution], TabularPolicy],
    measure: Measure,
    budget: Budget,
    incumbent: Incumbent,
) -> Answer:
    """Try algorithms in order until best responses confirm the answer of one.

    If a limit ends them, or none is confirmed, the answer is the better of their last policy and
    that of the incumbent.
    """
    iterations = 0
    for algorithm in algorithms:
        solution = maximize(model, algorithm, seconds_left(budget), incumbent.improve)
        iterations += solution.iterations
        answer = measured_answer(policy_of(solution), measure, solution.outcome, iterations)
        if answer.outcome == "optimal":
            return answer
        if answer.outcome not in ("failed", "iterations"):
            return _best_answer(answer, incumbent, budget)
    # In a result 'iterations' refers to the budget, but here it is the limit of the simplex method.
    return _best_answer(answer._replace(outcome="failed"), incumbent, budget)


ENDED_BY: dict[Outcome, str] = {
    "seconds": "the time limit ended the linear program",
    "interrupted": "Ctrl-C ended the linear program",
    "failed": "the linear program found no confirmed solution",
}


def _best_answer(answer: Answer, incumbent: Incumbent, budget: Budget) -> Answer:
    """Return the better of an unconfirmed answer and the incumbent; it may reach the target."""
    if answer.outcome == "seconds" and budget.seconds is not None:
        incumbent.use_time_left()
    best, origin = incumbent.best(), "its policy so far"
    if best.measured.nash_conv < answer.measured.nash_conv:
        origin = best.origin
        answer = answer._replace(policy=best.policy, measured=best.measured)
    answer = answer._replace(reason=f"{ENDED_BY[answer.outcome]}: this is {origin}")
    error = answer.measured.nash_conv / 2
    if answer.outcome == "seconds" and budget.target is not None and error <= budget.target:
        answer = answer._replace(outcome="converged")
    return answer


def measured_answer(
    policy: TabularPolicy, measure: Measure, outcome: Outcome, iterations: int
) -> Answer:
    """Return an evaluated answer, with 'failed' for 'optimal' if best responses gain too much."""
    measured = measure(policy)
    allowed = max(CERTIFIED * policy.form.usual_width, policy.form.rounding, 1e-300)
    certified = measured.nash_conv / 2 <= allowed
    confirmed: Outcome = outcome if outcome != "optimal" or certified else "failed"
    return Answer(policy, measured, confirmed, iterations)


def seconds_left(budget: Budget) -> float | None:
    """Return the remaining seconds, or None if there is no time limit."""
    return None if budget.seconds is None else budget.seconds - budget.elapsed
