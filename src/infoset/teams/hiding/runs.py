"""Many runs of one scheme, by their seeds, on several threads: random restarts."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from infoset.errors import ParameterError
from infoset.teams.hiding.progressive import ProgressiveHiding
from infoset.teams.hiding.relaxed_form import RelaxedForm
from infoset.teams.hiding.scheme import HidingScheme
from infoset.teams.hiding.state import FixedPolicies, HidingTrace
from infoset.typing import FloatArray
from infoset.utils.arguments import check_count, check_type

__all__ = ["HidingRun", "best_run", "run_seeds"]


@dataclass(frozen=True)
class HidingRun:
    """What a run of progressive hiding came to.

    Attributes
    ----------
    seed : int
    trace : HidingTrace
        [I, T] of each iteration and team.
    policy : FloatArray
        [C] the last projection.
    best_policy : FloatArray
        [C] the projection that earned most; see `ProgressiveHiding.best_policy`.
    best_payoff : float
        What it earns, in the game's units.
    """

    seed: int
    trace: HidingTrace
    policy: FloatArray
    best_policy: FloatArray
    best_payoff: float


def run_seeds(
    relaxed_form: RelaxedForm,
    scheme: HidingScheme | None = None,
    *,
    iterations: int,
    seeds: Sequence[int],
    fixed: FixedPolicies | None = None,
    num_threads: int = 1,
) -> tuple[HidingRun, ...]:
    """Run a scheme once for each seed, and return the runs in their order.

    Runs are the same to the bit on any number of threads.

    Parameters
    ----------
    relaxed_form : RelaxedForm
    scheme : HidingScheme, optional
    iterations : int
        Of each run.
    seeds : Sequence[int]
    fixed : FixedPolicies, optional
    num_threads : int
        How many runs go on at a time.

    Raises
    ------
    ParameterError
        If there are no seeds, or something is no whole number; as `ProgressiveHiding` does.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.teams import perfect_recall_closure, product_form, reveal_private
    >>> from infoset.teams.hiding import relax
    >>> form = product_form(load_game("trade_comm(num_items=2)"))
    >>> relaxed = perfect_recall_closure(reveal_private(form.information, (0, 1)), (0, 1))
    >>> runs = run_seeds(relax(form, relaxed), iterations=100, seeds=range(3))
    >>> round(best_run(runs).best_payoff, 6)
    1.0
    """
    check_count("num_threads", num_threads, minimum=1)
    check_type("seeds", seeds, Sequence, "whole numbers, such as range(10)")
    if not seeds:
        raise ParameterError("there are no seeds to run; give some, such as seeds=range(10)")

    def run(seed: int) -> HidingRun:
        hiding = ProgressiveHiding(relaxed_form, scheme, seed=seed, fixed=fixed)
        trace = hiding.run(iterations)
        best = hiding.best_policy()
        return HidingRun(seed, trace, hiding.policy(), best, hiding.best_payoff)

    first = run(seeds[0])  # compiles what the others share, and fills what is cached
    with ThreadPoolExecutor(num_threads) as pool:
        return first, *pool.map(run, seeds[1:])


def best_run(runs: Sequence[HidingRun]) -> HidingRun:
    """Return the run whose best policy earns most, the first of equals: random restarts.

    Raises
    ------
    ParameterError
        If there are no runs.
    """
    if not runs:
        raise ParameterError("there is no best of no runs; give those of run_seeds")
    return max(runs, key=lambda run: run.best_payoff)
