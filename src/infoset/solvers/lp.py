"""The sequence-form linear program, solved by HiGHS."""

from __future__ import annotations

from threading import Event, Thread
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from infoset.errors import UnsupportedGameError
from infoset.evaluation import evaluate_policy
from infoset.policy import TabularPolicy
from infoset.solvers.budget import Budget
from infoset.solvers.result import Outcome, SolveResult
from infoset.solvers.resuming import refuse_checkpoint
from infoset.tree import SequenceForm, Treeplex
from infoset.typing import FloatArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["solve_by_lp"]

SECONDS_BETWEEN_LOOKS = 0.05
CERTIFIED = 1e-6
"""Exploitability, relative to the payoff range, above which an 'optimal' answer is not believed."""


class Program(NamedTuple):
    """Maximise q₀ over the plan x and the opponent's values q, under E x = e, Aᵀx − Fᵀq ≥ 0.

    Columns: x [Q_0], then q [1 + I_1]. Rows: E [1 + I_0], then one per sequence of player 1
    [Q_1], whose duals are player 1's plan.
    """

    matrix: csr_array
    num_plan: int
    num_flow: int
    scale: float


def solve_by_lp(sequence_form: SequenceForm, budget: Budget) -> SolveResult:
    """Solve a two-player constant-sum game exactly, up to rounding.

    Both policies come from one solve (von Stengel 1996): the first from the variables, the
    second from the duals. Neither is trusted: the exploitability returned is measured by best
    responses, and where it is not small the outcome is 'failed', whatever the status said.

    Raises
    ------
    UnsupportedGameError
        If the game is not two-player constant-sum.
    ParameterError
        If a checkpoint is asked for.
    """
    if not sequence_form.is_two_player_constant_sum:
        raise UnsupportedGameError(
            f"the linear program solves two-player constant-sum games; {sequence_form.name} is "
            "not one: use cfr+"
        )
    refuse_checkpoint(budget.checkpoint, "lp")
    program = _program(sequence_form)
    status, plans, iterations = _run_highs(program, budget.seconds)
    policy = TabularPolicy.from_weights(sequence_form, plans)
    measured = evaluate_policy(policy)
    budget.record(iterations, measured)
    low, high = sequence_form.payoff_range
    certified = measured.nash_conv / 2 <= CERTIFIED * max(high - low, 1e-300)
    outcome: Outcome = status if status != "optimal" or certified else "failed"
    return SolveResult(
        game=sequence_form.name,
        method="lp",
        policy=policy,
        current_policy=None,
        measured=measured,
        outcome=outcome,
        iterations=iterations,
        seconds=budget.elapsed,
        trace=tuple(budget.trace),
    )


def _flow_matrix(treeplex: Treeplex) -> csr_array:
    """Return the matrix [1 + I, Q] whose product with a plan is (1, 0, 0, …)."""
    from scipy.sparse import coo_array

    infostates = np.arange(1, treeplex.num_infostates + 1)
    sequences = np.arange(1, treeplex.num_sequences)
    rows = np.concatenate([[0], infostates, np.repeat(infostates, treeplex.num_actions)])
    columns = np.concatenate([[0], treeplex.parent_sequence, sequences])
    values = np.concatenate([[1.0], -np.ones(len(infostates)), np.ones(len(sequences))])
    shape = (1 + treeplex.num_infostates, treeplex.num_sequences)
    return coo_array((values, (rows, columns)), shape=shape).tocsr()


def _program(sequence_form: SequenceForm) -> Program:
    from scipy.sparse import block_array, coo_array

    first, second = sequence_form.treeplexes
    payoff = sequence_form.payoff[:, 0]
    largest = float(np.abs(payoff).max(initial=0.0))
    scale = float(2.0 ** np.ceil(np.log2(largest))) if largest > 0 else 1.0
    transposed = coo_array(
        (
            payoff / scale,
            (sequence_form.terminal_sequence[:, 1], sequence_form.terminal_sequence[:, 0]),
        ),
        shape=(second.num_sequences, first.num_sequences),
    )
    flow = _flow_matrix(first)
    opponent_flow = _flow_matrix(second)
    matrix = block_array([[flow, None], [transposed, -opponent_flow.T]], format="csr")
    return Program(matrix, first.num_sequences, flow.shape[0], scale)


def _highs_model(program: Program) -> Any:
    import highspy

    num_rows, num_columns = program.matrix.shape
    model = highspy.HighsLp()
    model.num_col_, model.num_row_ = num_columns, num_rows
    cost = np.zeros(num_columns)
    cost[program.num_plan] = 1.0
    model.col_cost_ = cost
    model.sense_ = highspy.ObjSense.kMaximize
    lower = np.full(num_columns, -highspy.kHighsInf)
    lower[: program.num_plan] = 0.0
    model.col_lower_, model.col_upper_ = lower, np.full(num_columns, highspy.kHighsInf)
    row_lower = np.zeros(num_rows)
    row_lower[0] = 1.0
    row_upper = np.zeros(num_rows)
    row_upper[0] = 1.0
    row_upper[program.num_flow :] = highspy.kHighsInf
    model.row_lower_, model.row_upper_ = row_lower, row_upper
    model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    model.a_matrix_.start_ = program.matrix.indptr
    model.a_matrix_.index_ = program.matrix.indices
    model.a_matrix_.value_ = program.matrix.data
    return model


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


def _run_highs(program: Program, seconds: float | None) -> tuple[Outcome, list[FloatArray], int]:
    """Return the outcome, the plans of both players (not yet normalised), and the iterations."""
    import highspy

    highs: Any = highspy.Highs()  # type: ignore[no-untyped-call]
    highs.setOptionValue("output_flag", False)
    if seconds is not None:
        highs.setOptionValue("time_limit", float(seconds))
    highs.passModel(_highs_model(program))
    interrupted = _solve_interruptibly(highs)
    endings: dict[Any, Outcome] = {
        highspy.HighsModelStatus.kOptimal: "optimal",
        highspy.HighsModelStatus.kTimeLimit: "seconds",
        highspy.HighsModelStatus.kInterrupt: "interrupted",
    }
    outcome = "interrupted" if interrupted else endings.get(highs.getModelStatus(), "failed")
    solution = highs.getSolution()
    plan = np.asarray(solution.col_value, dtype=np.float64)[: program.num_plan]
    dual = np.asarray(solution.row_dual, dtype=np.float64)[program.num_flow :]
    num_rows, _ = program.matrix.shape
    if len(plan) != program.num_plan or len(dual) != num_rows - program.num_flow:
        plan, dual = np.zeros(program.num_plan), np.zeros(num_rows - program.num_flow)
    dual = -dual if dual.sum() < 0 else dual
    iterations = int(highs.getInfo().simplex_iteration_count)
    return outcome, [np.clip(plan, 0, None), np.clip(dual, 0, None)], max(iterations, 0)
