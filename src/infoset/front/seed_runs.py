"""Runs of a learner, one for each seed: on threads of this process, or on an executor."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import asdict, dataclass, replace
from functools import partial
from math import ceil
from threading import Lock
from typing import Any, TypeAlias

from infoset.efg import ExtensiveForm
from infoset.evaluation import CCEEvaluation, CorrelatedPolicy, EFCEEvaluation
from infoset.forms import Form
from infoset.game import Game
from infoset.learning import (
    LearnerSpec,
    PublicChanceSampling,
    RegretTracker,
    SelfPlay,
    Simulator,
    counting_cost,
    learns_joint_play,
    start_self_play,
)
from infoset.runs import (
    Budget,
    Done,
    Interrupt,
    SolveResult,
    TracePoint,
    run_measured,
    run_tasks,
    worker_pool,
)
from infoset.runs.task_messages import packed_without, unpacked_with
from infoset.tree import GameTree
from infoset.tree.limits import BuildLimits, build_limits, current_limits
from infoset.utils.clocks import working_seconds

DEFAULT_EPISODES = 1_000_000

COUNTED = (1_000, 10_000)
"""Minimum and maximum number of policies in the empirical joint distribution of play."""

POLICIES_KEPT = 1_000
NUMBERS_KEPT = 10_000_000

TRIAL_FRACTION = 0.05
"""Part of a time limit after which a trial run has measured the rate of episodes."""

SeedCallback: TypeAlias = Callable[[int, TracePoint], object]


@dataclass(frozen=True)
class FinishedRun:
    """The result of one run of a learner."""

    result: SolveResult
    joint_play: CCEEvaluation | None = None
    recommended_play: EFCEEvaluation | None = None
    correlated_policy: CorrelatedPolicy | None = None
    """What was measured of its joint play; None if the average policies are the result, or no
    policy was counted yet."""
    seconds_before: float = 0.0
    """Time of earlier sessions, if the run was resumed from a file."""


class LearnerRun:
    """One run of a learner, which begins when it is called.

    Parameters
    ----------
    simulator
        The game to learn; a form for learners that run without a tree.
    episodes
        Number of episodes for which step sizes are planned. If the budget also limits the time, and
        the run is not saved in a checkpoint, they are planned for the episodes that fit into it, at
        the rate that a trial run measures.
    """

    def __init__(
        self,
        learner: LearnerSpec,
        simulator: Simulator | Form,
        episodes: int,
        seed: int,
        budget: Budget,
    ) -> None:
        self._start = partial(start_self_play, learner, simulator, seed=seed)
        self._episodes = episodes
        play = self._start(horizon=episodes)
        self._depends_on_horizon = play.settings().get("horizon") is not None
        self.learners = _tracked(play, episodes)
        self.name = learner.name
        self.budget = budget

    def __call__(self) -> FinishedRun:
        """Learn until the budget is used up."""
        self.budget.started = began = working_seconds()
        reason = self._plan_by_clock()
        play = self.learners
        if isinstance(play, RegretTracker):
            cost = counting_cost(play.form, play.learners.num_pairs)
            result = run_measured(play, self.name, self.budget, joint=play.gaps, extra_cost=cost)
        else:
            result = run_measured(play, self.name, self.budget)
        result = replace(result, reason=reason)
        before = began - self.budget.started
        if not isinstance(play, RegretTracker) or not play.num_counted:
            return FinishedRun(result, seconds_before=before)
        return FinishedRun(
            result,
            play.evaluate(),
            play.evaluate_efce() if play.learners.num_pairs else None,
            play.correlated_policy(),
            before,
        )

    def _plan_by_clock(self) -> str | None:
        """Plan step sizes for the episodes that fit into the time, and say so; None if all fit."""
        seconds = self.budget.seconds
        if not seconds or self.budget.checkpoint is not None or not self._depends_on_horizon:
            return None
        trial = self._start(horizon=self._episodes)
        while trial.iteration < self._episodes and self.budget.elapsed < TRIAL_FRACTION * seconds:
            trial.run(max(1, trial.iteration))  # doubles, so that looking at the clock is cheap
        spent = self.budget.elapsed
        fitting = round(trial.iteration * (seconds - spent) / spent) if spent > 0 else None
        if fitting is None or fitting >= self._episodes:
            return None
        fitting = max(1, fitting)
        self.learners = _tracked(self._start(horizon=fitting), fitting)
        return (
            f"step sizes planned for {fitting:,} episodes by the measured rate, so that the result "
            "depends on the clock"
        )


def _tracked(
    learners: SelfPlay | PublicChanceSampling, episodes: int
) -> SelfPlay | PublicChanceSampling | RegretTracker:
    """Return learners, which track their joint distribution of play if only that converges.

    Policies are added to the distribution at intervals that make this about as costly as playing,
    but within the limits on the number of policies.
    """
    form, pairs = learners.form, learners.num_pairs
    if isinstance(learners, PublicChanceSampling) or not (pairs or learns_joint_play(form)):
        return learners
    fewest, most = (ceil(episodes / count) for count in COUNTED)
    # Counting a policy costs as much as `counting_cost / cost_per_iteration` episodes of play.
    every = max(most, min(fewest, counting_cost(form, pairs) // learners.cost_per_iteration))
    keep = max(1, min(POLICIES_KEPT, NUMBERS_KEPT // learners.simulator.num_sequences))
    return RegretTracker(learners, every=every, keep=keep, triggers=pairs > 0)


@dataclass(frozen=True)
class LearnerMethod:
    """A learner as a method of `compare`; its iterations are episodes."""

    learner: LearnerSpec
    simulator: Simulator | Form
    """The game to learn; a form for learners that run without a tree."""
    seed: int = 0
    """Random seed of the run."""

    @property
    def name(self) -> str:
        """Name of the learner."""
        return self.learner.name

    @property
    def description(self) -> str:
        """Description of the learner in one line."""
        return self.learner.description

    def run(self, form: Form, budget: Budget) -> SolveResult:
        """Learn until the budget is used up; step sizes are planned for all its iterations."""
        episodes = budget.iterations or DEFAULT_EPISODES
        budget.can_stall = False
        return LearnerRun(self.learner, self.simulator, episodes, self.seed, budget)().result


def run_on_threads(runs: Sequence[LearnerRun], workers: int) -> list[FinishedRun]:
    """Return the results in order; after Ctrl-C all runs end with their results so far."""
    if len(runs) == 1:
        return [runs[0]()]
    found: dict[int, FinishedRun] = {}
    with worker_pool(workers) as pool:
        for run in runs:
            run.budget.interrupt = pool.interrupt
        try:
            run_tasks(_call, runs, pool, lambda done: _keep(found, done))
        except KeyboardInterrupt:
            pool.interrupt.set()
    return [found[position] if position in found else run() for position, run in enumerate(runs)]


def _call(run: LearnerRun, _: Interrupt) -> FinishedRun:
    return run()


def _keep(found: dict[int, FinishedRun], done: Done) -> None:
    found[done.position] = done.result


class SeedWork:
    """The runs of a learner as work for the workers of an executor, of which each item is a seed.

    Parameters
    ----------
    game
        Registered games travel by name and parameters, other rules as an object of their module.
    simulate : callable
        Makes the simulator of the game, once on each worker.
    limits
        Limits on building the game there, by default those of the caller.
    """

    def __init__(
        self,
        game: Game | GameTree | ExtensiveForm,
        simulate: Callable[[Any], Simulator],
        learner: LearnerSpec,
        episodes: int,
        seconds: float | None,
        limits: BuildLimits | None = None,
    ) -> None:
        self._made = game, simulate, learner, episodes, seconds, limits or current_limits()
        self._simulator: Simulator | None = None
        self._lock = Lock()

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle without the simulator."""
        return SeedWork, self._made

    def __call__(self, seed: int, interrupt: Interrupt) -> bytes:
        """Return the packed `FinishedRun` of a seed, without the sequence form."""
        game, simulate, learner, episodes, seconds, limits = self._made
        with self._lock, build_limits(**asdict(limits)):
            if self._simulator is None:
                self._simulator = simulate(game)
        budget = Budget(iterations=episodes, seconds=seconds, interrupt=interrupt)
        run = LearnerRun(learner, self._simulator, episodes, seed, budget)
        return packed_without(run(), self._simulator.form)


def run_on_executor(
    work: SeedWork,
    seeds: Sequence[int],
    form: Form,
    executor: Executor,
    callback: SeedCallback | None,
) -> dict[int, FinishedRun]:
    """Return the results by seed; after Ctrl-C those of the seeds that are done.

    The callback is called with the measurements of a run when the run is done.

    Raises
    ------
    KeyboardInterrupt
        If Ctrl-C comes before any seed is done.
    """
    found: dict[int, FinishedRun] = {}

    def keep(done: Done) -> None:
        seed = seeds[done.position]
        found[seed] = unpacked_with(done.result, form)
        if callback is not None:
            for point in found[seed].result.trace:
                callback(seed, point)

    try:
        with worker_pool(1, executor) as pool:
            run_tasks(work, seeds, pool, keep)
    except KeyboardInterrupt:
        if not found:
            raise
    return {seed: found[seed] for seed in seeds if seed in found}
