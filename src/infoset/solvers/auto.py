"""Choosing a method by the size and kind of a game."""

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
"""Numbers in a linear program up to which HiGHS took less than a second on every game tried."""

LARGEST_COARSE_PROGRAM = 10_000
"""The same, less than a tenth of one, for targets asked for that the CFR family reaches sooner."""

LARGEST_PRECISE_PROGRAM = 300_000
"""The same, less than half a minute, for targets that the CFR family takes as long to reach."""

PRECISE = 1e-6
"""Targets below this share of the payoff range are for the linear program where it can be."""

BEST = "sapdcfr+"
"""Of the CFR family the quickest over all two-player constant-sum games measured."""

ROBUST = "cfr+"


@dataclass(frozen=True)
class Auto:
    """The linear program where it is quick, else a member of the CFR family.

    What is chosen depends on the kind and size of the game, on the target, and on whether a
    number of iterations is asked for; never on a clock. `reason` in the result says why.
    """

    name: str = "auto"
    description: str = f"lp where the game is small enough, else {BEST} or {ROBUST}"

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
    """Run one of two solvers of a game, and say why; see `Auto`."""
    rejection = _why_not_lp(sequence_form, budget)
    if rejection is None:
        result = by_lp()
        if result.outcome != "failed":
            size, most = program_size(sequence_form), _largest_program(sequence_form, budget)
            reason = f"lp is exact, and quick here: {size:,} numbers, at most {most:,}"
            return replace(result, reason=reason)
        budget.trace.clear()
        rejection = "lp found no solution"
    if sequence_form.is_two_player_constant_sum:
        name, merit = BEST, "is the best of the others over all games measured"
    else:
        name, merit = ROBUST, "keeps regrets low in any game, equilibrium or not"
    return replace(by_regret(SCHEMES[name]), reason=f"{rejection}; {name} {merit}")


def _why_not_lp(sequence_form: SequenceForm, budget: Budget) -> str | None:
    """Return why the linear program is not for this, or None if it is."""
    if not sequence_form.is_two_player_constant_sum:
        return "lp solves two-player constant-sum games only"
    if budget.iterations is not None:
        return "lp has no iterations to limit"
    if budget.checkpoint is not None:
        return "lp has no state to keep in a checkpoint"
    size, most = program_size(sequence_form), _largest_program(sequence_form, budget)
    return f"lp is slow here: {size:,} numbers, more than {most:,}" if size > most else None


def _largest_program(sequence_form: SequenceForm, budget: Budget) -> int:
    """Return up to which size the linear program is worth its time, given the target."""
    if budget.target is None or budget.target_is_default:
        return LARGEST_PROGRAM
    low, high = sequence_form.payoff_range
    is_precise = budget.target < PRECISE * (high - low)
    return LARGEST_PRECISE_PROGRAM if is_precise else LARGEST_COARSE_PROGRAM


def program_size(sequence_form: SequenceForm) -> int:
    """Return how many coefficients the linear program has, to within the number of infostates."""
    sequences = sum(plex.num_sequences for plex in sequence_form.treeplexes)
    return sequence_form.num_payoffs + 2 * sequences
