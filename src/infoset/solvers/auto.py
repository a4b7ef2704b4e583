"""The method `auto`: a linear program or the CFR family, depending on the game."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from infoset.regret import SCHEMES, RegretScheme
from infoset.runs import Budget, SolveResult
from infoset.solvers.lp import solve_by_lp
from infoset.solvers.regret_family import RegretMethod
from infoset.tree import SequenceForm, check_sequence_form

__all__ = ["Auto", "run_best"]

LARGEST_PROGRAM = 65_000
"""Number of coefficients up to which HiGHS took less than a second on all games tried."""

LARGEST_COARSE_PROGRAM = 10_000
"""The limit if a target is given: HiGHS took less than 0.1 s, and CFR is fast, too."""

LARGEST_PRECISE_PROGRAM = 300_000
"""The limit for precise targets: HiGHS took less than 30 s, and CFR takes as long."""

PRECISE = 1e-6
"""Targets below this fraction of the payoff range are precise."""

BEST = "sapdcfr+"
"""The fastest member of the CFR family over all two-player constant-sum benchmark games."""

ROBUST = "cfr+"


@dataclass(frozen=True)
class Auto:
    """The linear program if it is fast, otherwise a member of the CFR family.

    The choice depends on the kind and size of the game and on the limits of the budget, never on a
    clock. `reason` in the result explains the choice.
    """

    name: str = "auto"
    description: str = f"lp if the game is small enough, otherwise {BEST} or {ROBUST}"

    def run(self, sequence_form: SequenceForm, budget: Budget) -> SolveResult:
        """Choose a method and run it.

        Raises
        ------
        ParameterError
            If `sequence_form` is not a sequence form.
        """
        check_sequence_form(sequence_form)
        return run_best(
            sequence_form,
            budget,
            by_lp=lambda: solve_by_lp(sequence_form, budget),
            by_regret=lambda scheme: RegretMethod(scheme).run(sequence_form, budget),
        )


def run_best(
    sequence_form: SequenceForm,
    budget: Budget,
    by_lp: Callable[[], SolveResult],
    by_regret: Callable[[RegretScheme], SolveResult],
) -> SolveResult:
    """Solve a game by the linear program or the CFR family, and explain the choice; see `Auto`."""
    rejection = _why_not_lp(sequence_form, budget)
    if rejection is None:
        result = by_lp()
        if result.outcome != "failed":
            size, limit = program_size(sequence_form), _largest_program(sequence_form, budget)
            reason = f"lp is exact and fast at this size: {size:,} coefficients, limit {limit:,}"
            return replace(result, reason=reason)
        budget.trace.clear()
        rejection = "lp found no solution"
    if sequence_form.is_two_player_constant_sum:
        name, merit = BEST, "is the best iterative method over all benchmark games"
    else:
        name, merit = ROBUST, "minimizes regret in any game, but need not reach an equilibrium"
    return replace(by_regret(SCHEMES[name]), reason=f"{rejection}; {name} {merit}")


def _why_not_lp(sequence_form: SequenceForm, budget: Budget) -> str | None:
    """Return why the linear program is rejected; None if it is accepted."""
    if not sequence_form.is_two_player_constant_sum:
        return "lp solves two-player constant-sum games only"
    if budget.iterations is not None:
        return "lp cannot be limited to a number of iterations"
    if budget.checkpoint is not None:
        return "lp cannot save checkpoints"
    size, limit = program_size(sequence_form), _largest_program(sequence_form, budget)
    if size > limit:
        return f"lp is slow at this size: {size:,} coefficients, limit {limit:,}"
    return None


def _largest_program(sequence_form: SequenceForm, budget: Budget) -> int:
    """Return the largest size for which the linear program is used, given the target."""
    if budget.target is None or budget.target_is_default:
        return LARGEST_PROGRAM
    low, high = sequence_form.payoff_range
    is_precise = budget.target < PRECISE * (high - low)
    return LARGEST_PRECISE_PROGRAM if is_precise else LARGEST_COARSE_PROGRAM


def program_size(sequence_form: SequenceForm) -> int:
    """Return the approximate number of coefficients of the linear program."""
    sequences = sum(plex.num_sequences for plex in sequence_form.treeplexes)
    return sequence_form.num_payoffs + 2 * sequences
