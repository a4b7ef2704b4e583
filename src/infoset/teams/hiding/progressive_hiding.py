"""Progressive hiding (Algorithm 2), and several runs of it."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from math import inf
from typing import Any

import numpy as np

from infoset.errors import ParameterError
from infoset.teams.hiding._progressive_hiding_kernels import hide
from infoset.teams.hiding.arrays import Numbers, Sampling
from infoset.teams.hiding.relaxed_form import RelaxedForm
from infoset.teams.hiding.scheme import HidingScheme, Weighting
from infoset.teams.hiding.state import (
    NOISE,
    FixedPolicies,
    HidingState,
    HidingTrace,
    visit_everything,
)
from infoset.typing import FloatArray, IndexArray, StateArrays
from infoset.utils.arguments import check_count, check_type

# Numbers of the current round between two restarts.
POSITION = 0
"""Steps of the penalty schedule that are done."""
PACE = 1
"""Steps of the penalty schedule per iteration."""
ROUND_END = 2
"""Iteration after which the round ends."""
RUN_END = 3
"""Last planned iteration; infinite without a plan."""


class ProgressiveHiding(HidingState):
    """The state of progressive hiding (Algorithm 2), and its iterations.

    In each iteration the local learners of all cells choose the relaxed policy π. Agents can play
    its projection π̂ with their own information. Each learner then observes

        v(a) = Q(a) - 2γ (π(a) - π̂(a))

    where Q is the action value for its team minus all later penalties γ‖π - π̂‖². Without
    relaxation there is no penalty, and the algorithm is CFR or FTRL with imperfect recall.

    Parameters
    ----------
    relaxed_form
        The game, its teams and the information relaxation; see `relax`.
    seed
        Seed of the initial policy and of all sampling; results are reproducible bit for bit.
    fixed
        Implementable policies [C] of teams that do not learn.

    Source: B. Heymann, M. Lanctot, "Learning in games with progressive hiding", AAMAS 2025,
    Algorithm 2. The formulas are derived; see the page on progressive hiding.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.teams import build_product_form, get_relaxation, relax
    >>> form = build_product_form(load_game("cooperative_matching_pennies"))
    >>> relaxed = relax(form, get_relaxation("recall").relax(form.information, (0, 1)))
    >>> hiding = ProgressiveHiding(relaxed, HidingScheme(penalty=0.5))
    >>> round(float(hiding.run(100).implementable[-1, 0]), 6)
    1.0
    """

    def __init__(
        self,
        relaxed_form: RelaxedForm,
        scheme: HidingScheme | None = None,
        *,
        seed: int = 0,
        fixed: FixedPolicies | None = None,
    ) -> None:
        self.scheme = HidingScheme() if scheme is None else scheme
        check_type("scheme", self.scheme, HidingScheme, "HidingScheme(penalty=0.3)")
        super().__init__(relaxed_form, self.scheme.schedule.first, seed, fixed or {})
        self._numbers = numbers_of(self.scheme, relaxed_form, len(self._game.teams))
        sampled = Sampling(self.scheme.visits == "path", float(self.scheme.exploration))
        # None without sampling: then no code for it is compiled.
        self._sampling = None if self.scheme.visits == "everything" else sampled
        self._visit = visit_everything(relaxed_form)
        regret = self._state.regret
        regret[:] = self.scheme.learner.first_regrets(len(regret), self._generator)
        self._round = np.array([0.0, 1.0, inf, inf])
        self._begin_round()

    def plan(self, iterations: int) -> None:
        """Fit the rounds of a planned scheme to `iterations` more iterations, after which it ends.

        The current round and those after it get about the length that the scheme gives them, and
        the last one ends with the run. The penalty schedule is stretched so that it reaches its end
        in the last iteration of each round. A plan may be replaced by another in the middle of a
        round. If more iterations follow than planned, the penalty stays where it is.
        """
        check_count("iterations", iterations, minimum=1)
        if self.scheme.is_planned and self.scheme.regret_restarts is not None:
            self._round[RUN_END] = self.iteration + iterations
            self._fit_round()

    def run(self, iterations: int) -> HidingTrace:
        """Run more iterations, with one compiled call per restart, and return their trace."""
        trace = self._trace_rows(iterations)
        first = 0
        while first < len(trace):
            if self._round[ROUND_END] <= self.iteration < self._round[RUN_END]:
                self._restart()
            end = self._round[ROUND_END]
            # No restart follows a round without an end, nor one that has passed it.
            left = int(end) - self.iteration if self.iteration < end < inf else None
            rows = trace[first:][:left]
            hide(
                self._game,
                self._paced_numbers(),
                self._sampling,
                self._visit,
                self._state,
                self._workspace,
                rows,
            )
            self._round[POSITION] += len(rows) * self._round[PACE]
            first += len(rows)
        return HidingTrace(*np.moveaxis(trace, 2, 0))

    def _paced_numbers(self) -> Numbers:
        """Return the numbers of the scheme, with a penalty schedule at the pace of the round."""
        numbers, pace = self._numbers, float(self._round[PACE])
        if pace == 1.0:
            return numbers
        return numbers._replace(
            up=numbers.up**pace, down=numbers.down**pace, step=numbers.step * pace
        )

    def _begin_round(self) -> None:
        """Set the first penalty and the length of a round."""
        self._round[POSITION] = 0.0
        rounds = self.scheme.regret_restarts
        if self._round[RUN_END] < inf:
            self._fit_round()
        elif rounds is not None:
            self._round[ROUND_END] = self.iteration + rounds.iterations

    def _fit_round(self) -> None:
        """Set the end of the current round, and the pace that completes the schedule there."""
        rounds = self.scheme.regret_restarts
        assert rounds is not None
        last_step, position = rounds.iterations - 1, self._round[POSITION]
        # The rest of this round, as a fraction of a whole one, and the whole rounds that follow it.
        fraction = max(0.0, 1.0 - position / rounds.iterations)
        left = int(self._round[RUN_END]) - self.iteration
        later = round((left - fraction * rounds.iterations) / rounds.iterations)
        # A round whose schedule is complete ends here; the next iteration restarts.
        length = max(1, round(left * fraction / (fraction + max(0, later)))) if fraction else 0
        self._round[ROUND_END] = self.iteration + length
        self._round[PACE] = max(0.0, last_step - position) / max(1, length - 1)

    def _restart(self) -> None:
        """Retain a fraction of the regrets, add noise, and restart the penalty schedule."""
        rounds = self.scheme.regret_restarts
        assert rounds is not None
        # A stream for each restart, so that resumed runs need not store a generator.
        drawn_by = np.random.SeedSequence(self.seed, spawn_key=(NOISE, self.iteration))
        learner, regret = replace(self.scheme.learner, noise=rounds.noise), self._state.regret
        noise = learner.first_regrets(len(regret), np.random.default_rng(drawn_by))
        regret[:] = rounds.retain * regret + noise
        self._state.penalty[:] = self.scheme.schedule.first
        self._begin_round()

    def _state_arrays(self) -> StateArrays:
        return {**super()._state_arrays(), "round": self._round}

    def settings(self) -> dict[str, Any]:
        """Return the settings that, with the game and its maps, determine every iteration."""
        return {**self.scheme.settings(), "seed": self.seed}


def numbers_of(scheme: HidingScheme, relaxed_form: RelaxedForm, num_learning: int) -> Numbers:
    """Return a scheme in the format of the kernels, given the number of learning teams."""
    learner, schedule, reference = scheme.learner, scheme.schedule, scheme.reference
    weights = scheme.weights(num_learning)
    group = _group(weights, relaxed_form)
    return Numbers(
        learning_rate=float(learner.learning_rate),
        decay_exponent=float(learner.decay_exponent),
        min_regret=float(learner.min_regret),
        of_current=float(reference.current),
        of_previous=float(reference.previous),
        of_uniform=float(reference.uniform),
        group=group,
        num_groups=0 if group is None else int(group.max()) + 1,
        conditional=weights.conditional,
        up=float(schedule.up),
        down=float(schedule.down),
        step=float(schedule.step),
        target=float(schedule.target),
        low=float(schedule.low),
        high=float(schedule.high),
        future=float(scheme.future_penalties),
    )


def _group(weights: Weighting, relaxed_form: RelaxedForm) -> IndexArray | None:
    """Return [N] for each node, the group whose choices the weighting excludes, if any."""
    if weights.leaves_out == "nobody":
        return None
    if weights.leaves_out == "agent":
        return relaxed_form.form.arrays.agent.astype(np.uint32)
    if weights.leaves_out == "team":
        return relaxed_form.nodes.team
    # Everybody: one group of all agents.
    return np.zeros(relaxed_form.form.num_nodes, np.uint32)


@dataclass(frozen=True)
class HidingRun:
    """The result of one run of progressive hiding."""

    seed: int
    trace: HidingTrace
    """[I, T] measurements of each iteration and team."""
    policy: FloatArray
    """[C] the last projected policy."""
    best_policy: FloatArray
    """[C] the best projected policy; see `ProgressiveHiding.best_policy`."""
    best_payoff: float
    """Payoff of `best_policy`, in the game's units."""


def run_seeds(
    relaxed_form: RelaxedForm,
    scheme: HidingScheme | None = None,
    *,
    iterations: int,
    seeds: Sequence[int],
    fixed: FixedPolicies | None = None,
    threads: int = 1,
) -> tuple[HidingRun, ...]:
    """Run a scheme once per seed, on several threads, and return the runs in order of seeds.

    The number of threads does not change any bit of the results.

    Parameters
    ----------
    iterations
        Iterations of each run.

    Raises
    ------
    ParameterError
        If there are no seeds, or in the cases that `ProgressiveHiding` lists.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.teams import (
    ...     build_product_form,
    ...     perfect_recall_closure,
    ...     reveal_private,
    ... )
    >>> from infoset.teams.hiding import relax
    >>> form = build_product_form(load_game("trade_comm(num_items=2)"))
    >>> relaxed = perfect_recall_closure(
    ...     reveal_private(form.information, (0, 1)), (0, 1)
    ... )
    >>> runs = run_seeds(relax(form, relaxed), iterations=100, seeds=range(3))
    >>> round(best_run(runs).best_payoff, 6)
    1.0
    """
    check_count("threads", threads, minimum=1)
    check_type("seeds", seeds, Sequence, "whole numbers, such as range(10)")
    if not seeds:
        raise ParameterError("seeds is empty; give at least one, such as seeds=range(10)")

    def run(seed: int) -> HidingRun:
        hiding = ProgressiveHiding(relaxed_form, scheme, seed=seed, fixed=fixed)
        trace = hiding.run(iterations)
        best = hiding.best_policy()
        return HidingRun(seed, trace, hiding.policy(), best, hiding.best_payoff)

    first = run(seeds[0])  # compiles the kernels and caches arrays that all runs share
    with ThreadPoolExecutor(threads) as pool:
        return first, *pool.map(run, seeds[1:])


def best_run(runs: Sequence[HidingRun]) -> HidingRun:
    """Return the run with the highest best payoff, the first among equals.

    Raises
    ------
    ParameterError
        If there are no runs.
    """
    if not runs:
        raise ParameterError("runs is empty; give the result of run_seeds(...)")
    return max(runs, key=lambda run: run.best_payoff)
