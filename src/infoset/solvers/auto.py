"""The method `auto`: a linear program or the CFR family, depending on the game."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from infoset.evaluation import Evaluation, evaluate_policy
from infoset.forms import Form, ReducedForm, check_form, reduce_form
from infoset.policy import TabularPolicy, uniform_policy
from infoset.policy.stored_policy import StoredPolicy
from infoset.regret import SCHEMES, RegretScheme
from infoset.runs import Budget, SolveResult, TracePoint, check_budget, make_result
from infoset.solvers._incumbent import BEST, Measure, Substitute
from infoset.solvers.lp import LinearProgram, solve_by_lp
from infoset.solvers.regret_family import RegretMethod

LARGEST_PROGRAM = 65_000
"""Number of coefficients up to which HiGHS took less than a second on all games tried."""

LARGEST_COARSE_PROGRAM = 10_000
"""The limit if a target is given: HiGHS took less than 0.1 s, and CFR is fast, too."""

LARGEST_PRECISE_PROGRAM = 300_000
"""The limit for precise targets: HiGHS took less than 30 s, and CFR takes as long."""

SECONDS_PER_PROGRAM = 2.0
"""Time limit that a program of `LARGEST_PROGRAM` coefficients needs: twice what HiGHS took."""

PRECISE = 1e-6
"""Targets below this fraction of the payoff range are precise."""

ROBUST = "cfr+"

MANY_HANDS = 50
BEST_WITH_MANY_HANDS = "dcfr+"
"""The method that needs the fewest iterations in endgames of poker and in Leduc poker with at least
`MANY_HANDS` hands (docs/solvers/public_form.md)."""


@dataclass(frozen=True)
class Auto:
    """Backward induction, then the linear program if it is fast, otherwise the CFR family.

    Where information is perfect, backward induction decides, and in tables of payoffs strictly
    dominated actions are removed; see `reduce_form`. The rest is solved as a smaller game. The
    choice depends on the kind and size of the game and on the limits of the budget, never on a
    clock. `reason` in the result explains the choice. In two-player constant-sum games, the policy
    is never worse than the uniform policy. If a limit ends the linear program, the policy is that
    of `sapdcfr+`, which runs alongside it, unless the program has a better one.
    """

    name: str = "auto"
    description: str = f"backward induction, then lp if small enough, otherwise {BEST} or {ROBUST}"
    precision: str = "float64"
    """As in `RegretMethod`; any but "float64" rules out the linear program."""
    threads: int = 1
    """As in `RegretMethod`. The linear program uses one."""
    start: TabularPolicy | None = None
    """As in `RegretMethod`; it rules out the linear program, and no decisions are made without a
    solver. In two-player constant-sum games, the answer is never worse than the start."""

    def run(self, form: Form, budget: Budget) -> SolveResult:
        """Make the decisions that need no solver, choose a method for the rest and run it."""
        check_form(form)
        # Only forms that list their terminals can be reduced.
        is_listed = form.kind in LinearProgram.kinds
        reduced = reduce_form(form) if is_listed and self.start is None else None
        if reduced is None:
            return self._run(form, budget)
        return _solve_rest(reduced, budget, self.name, self._run)

    def _run(self, form: Form, budget: Budget) -> SolveResult:
        """Choose a method and run it."""
        # A large form has no room for another policy in double precision.
        is_listed = form.kind in LinearProgram.kinds
        uniform = uniform_policy if is_listed else StoredPolicy.uniform
        return run_best(
            self.start or uniform(form),
            budget,
            by_lp=lambda: solve_by_lp(form, budget),
            by_regret=lambda scheme: RegretMethod(
                scheme, self.precision, self.threads, self.start
            ).run(form, budget),
            precision=self.precision,
            is_warm=self.start is not None,
        )


def _solve_rest(
    reduced: ReducedForm, budget: Budget, name: str, run: Callable[[Form, Budget], SolveResult]
) -> SolveResult:
    """Solve the rest of a game, and return policies for the whole game, measured there."""

    def complete(policy: TabularPolicy) -> TabularPolicy:
        return TabularPolicy(reduced.base, reduced.complete(policy.probabilities))

    check_budget(budget)
    watch = budget.policy_callback
    decided = _what_is_decided(reduced)
    if not reduced.leaves_choices:
        budget.begin()
        policy = complete(uniform_policy(reduced.form))
        if watch is not None:
            watch(policy)
        budget.record(0, policy)
        result = make_result(policy, method=name, trace=budget.trace, seconds=budget.elapsed)
        return replace(result, outcome="optimal", reason=f"{decided}: nothing is left to solve")
    if watch is not None:
        budget.policy_callback = lambda policy: watch(complete(policy))
    result = run(reduced.form, budget)
    policy, current = complete(result.policy), result.current_policy
    measured = evaluate_policy(policy)
    return replace(
        result,
        policy=policy,
        current_policy=None if current is None else complete(current),
        measured=measured,
        # Both games have the same errors up to rounding.
        trace=(*result.trace[:-1], _measured_again(result.trace[-1], measured)),
        reason=f"{decided}; {result.reason}",
    )


def _what_is_decided(reduced: ReducedForm) -> str:
    """Describe the decisions that need no solver."""
    parts = []
    if reduced.num_decided:
        total = sum(int((plex.num_actions > 1).sum()) for plex in reduced.base.treeplexes)
        parts.append(
            f"backward induction decides at {reduced.num_decided:,} of {total:,} infostates, where "
            "information is perfect"
        )
    if reduced.num_dominated:
        parts.append(f"{reduced.num_dominated:,} strictly dominated actions are removed")
    return ", and ".join(parts)


def _measured_again(point: TracePoint, measured: Evaluation) -> TracePoint:
    """Return a measurement with the numbers of another evaluation."""
    return replace(
        point,
        values=measured.values,
        nash_conv=measured.nash_conv,
        exploitability=measured.exploitability,
    )


def run_best(
    before: TabularPolicy,
    budget: Budget,
    by_lp: Callable[[], SolveResult],
    by_regret: Callable[[RegretScheme], SolveResult],
    measure: Measure = evaluate_policy,
    precision: str = "float64",
    is_warm: bool = False,
) -> SolveResult:
    """Solve a game by the linear program or the CFR family, and explain the choice; see `Auto`.

    `before` is the policy before the first iteration: uniform, or that of a warm start.
    """
    form, origin = before.form, "the policy it started from" if is_warm else "the uniform policy"
    fallback = Substitute(before, measure(before), origin)
    rejection = (
        "lp does not support warm starts" if is_warm else _why_not_lp(form, budget, precision)
    )
    if rejection is None:
        result = by_lp()
        # A limit is an answer, too: only a program without a confirmed solution is replaced.
        if result.outcome != "failed":
            size, limit = program_size(form), _largest_program(form, budget)
            reason = f"lp is exact and fast at this size: {size:,} coefficients, limit {limit:,}"
            return replace(result, reason="; ".join(filter(None, [reason, result.reason])))
        budget.trace.clear()  # the answer is that of another run
        rejection = "lp found no solution"
        fallback = Substitute(result.policy, result.measured, "the best policy known before it")
    name, merit = best_scheme(form)
    result = replace(by_regret(SCHEMES[name]), reason=f"{rejection}; {name} {merit}")
    # In other games the theorem is about regret, and NashConv may favor a policy of high regret.
    is_better = fallback.measured.nash_conv < result.measured.nash_conv
    compares = form.is_two_player_constant_sum
    return _with(result, fallback) if compares and is_better else result


def best_scheme(form: Form) -> tuple[str, str]:
    """Return the member of the CFR family that suits a game best, and why."""
    if min(form.num_hands or (0,)) >= MANY_HANDS:
        return BEST_WITH_MANY_HANDS, "is the best iterative method with many hands"
    if form.is_two_player_constant_sum or form.num_hands is not None:
        return BEST, "is the best iterative method over all benchmark games"
    return ROBUST, "minimizes regret in any game, but need not reach an equilibrium"


def _with(result: SolveResult, better: Substitute) -> SolveResult:
    """Return a result with the policy of a substitute, measured at the end of the trace."""
    point = _measured_again(result.trace[-1], better.measured)
    return replace(
        result,
        policy=better.policy,
        measured=better.measured,
        trace=(*result.trace, point),
        reason=f"{result.reason}; its policy so far is worse than {better.origin}, returned here",
    )


def _why_not_lp(form: Form, budget: Budget, precision: str) -> str | None:
    """Return why the linear program is rejected; None if it is accepted."""
    if form.kind not in LinearProgram.kinds:
        return f"lp needs the matrix of payoffs, which {form.kind} forms do not list"
    if not form.is_two_player_constant_sum:
        return "lp solves two-player constant-sum games only"
    if precision != "float64":
        return f"lp does not compute in {precision}"
    if budget.iterations is not None:
        return "lp cannot be limited to a number of iterations"
    if budget.checkpoint is not None:
        return "lp cannot save checkpoints"
    size, limit = program_size(form), _largest_program(form, budget)
    if size > limit:
        return f"lp may take over a second: {size:,} coefficients, limit {limit:,} (--method lp)"
    needed = SECONDS_PER_PROGRAM * size / LARGEST_PROGRAM
    if budget.seconds is not None and budget.seconds < needed:
        return f"lp may take longer at this size: {size:,} coefficients, allow {needed:.2g} seconds"
    return None


def _largest_program(form: Form, budget: Budget) -> int:
    """Return the largest size for which the linear program is used, given the target."""
    if budget.target is None or budget.is_default:
        return LARGEST_PROGRAM
    is_precise = budget.target < PRECISE * form.payoff_width
    return LARGEST_PRECISE_PROGRAM if is_precise else LARGEST_COARSE_PROGRAM


def program_size(form: Form) -> int:
    """Return the approximate number of coefficients of the linear program."""
    sequences = sum(plex.num_sequences for plex in form.treeplexes)
    return form.gradient_cost // form.num_players + 2 * sequences
