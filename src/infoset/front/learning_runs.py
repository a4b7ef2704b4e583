"""The function `learn`, which learns policies from play."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import partial
from math import ceil
from pathlib import Path
from typing import TypeAlias

from infoset.efg import ExtensiveForm, as_game, find_recall_violation
from infoset.errors import ParameterError, UnsupportedGameError, show
from infoset.evaluation import CCEEvaluation, CorrelatedPolicy, EFCEEvaluation
from infoset.front.game_sources import GameLike, to_compiled
from infoset.front.python_files import check_has_name, is_python_file, load_from_python_file
from infoset.front.solution import checkpointing
from infoset.learning import (
    DEFAULT_LEARNER,
    AutoLearner,
    LearnerSpec,
    LearnResult,
    RegretTracker,
    SelfPlay,
    Simulator,
    StepSizeRule,
    counting_cost,
    get_learner,
    learns_joint_play,
    make_simulator,
)
from infoset.runs import (
    DEFAULT_CHECKPOINT_SECONDS,
    Budget,
    Checkpointing,
    JointGaps,
    SolveResult,
    TracePoint,
    run_measured,
)
from infoset.tree import BuildProgress, GameTree, SequenceForm, build_tree
from infoset.utils.arguments import check_callable, check_count, check_number, check_type
from infoset.utils.clocks import compiling_seconds, working_seconds
from infoset.utils.interrupts import interrupts_held

__all__ = [
    "DEFAULT_EPISODES",
    "LearnerMethod",
    "Seeds",
    "build_learning_tree",
    "check_seeds",
    "learn",
    "resolve_learner",
]

DEFAULT_EPISODES = 1_000_000

COUNTED = (1_000, 10_000)
"""Minimum and maximum number of policies in the empirical joint distribution of play."""

MAX_RUNS = 1_000_000
POLICIES_KEPT = 1_000
NUMBERS_KEPT = 10_000_000

Seeds: TypeAlias = int | Sequence[int]
"""Number of runs, with seeds 0, 1, …; or the seed of each run."""

SeedCallback: TypeAlias = Callable[[int, TracePoint], object]


def learn(
    game: GameLike,
    method: str | LearnerSpec = DEFAULT_LEARNER,
    *,
    episodes: int = DEFAULT_EPISODES,
    seeds: Seeds = 1,
    preset: str | None = None,
    step_sizes: tuple[float, float] | StepSizeRule | None = None,
    seconds: float | None = None,
    callback: SeedCallback | None = None,
    checkpoint: str | Path | None = None,
    checkpoint_seconds: float = DEFAULT_CHECKPOINT_SECONDS,
    workers: int | None = None,
    memory: int | None = None,
    progress: BuildProgress | None = None,
) -> LearnResult:
    """Learn a game from self-play, in which all players use the same method.

    Parameters
    ----------
    game : str, Game, GameTree or ExtensiveForm
        By name, as rules, or as a tree.
    method : str or LearnerSpec
        A name of `infoset.learning.LEARNERS`, in upper or lower case; `path/to/file.py:NAME`; or
        your own learner, such as a library learner changed by `dataclasses.replace`. `auto` is the
        learner that our measurements recommend.
    episodes : int
        Episodes of each run. Step sizes that depend on a horizon use this number.
    seeds : int or Sequence[int]
        Number of runs, with seeds 0, 1, …; or the seed of each run.
    preset : str, optional
        Settings of the method by name, such as `theory` or `tuned`; by default as published.
    step_sizes : pair or StepSizeRule, optional
        Learning rate and implicit exploration, or a rule that computes them.
    seconds : float, optional
        Time limit of each run.
    callback : callable, optional
        Called with the seed and a `TracePoint` at every measurement; returning true stops the
        run. With several runs it is called from several threads.
    checkpoint : str or Path, optional
        File in which the run is saved, as in `solve`. Each of several runs has its own file, with
        `.SEED` appended to the name.
    checkpoint_seconds : float, optional
        Seconds between saves, which bound the work that is lost if the process is killed.
    workers : int, optional
        Number of simultaneous runs; by default the number of cores. The result of a seed does not
        depend on this number.
    memory, progress
        As in `solve`.

    Returns
    -------
    LearnResult
        After Ctrl-C, the results so far. With more than two players, or payoffs that are not
        constant-sum, average policies need not converge to an equilibrium. `correlated_policies`
        then contains the empirical joint distribution of play, and `cce_gap` measures how far it is
        from a coarse correlated equilibrium. Learners of extensive-form correlated equilibria
        report these in every game, and also `efce_gap`, which they minimize.

    Raises
    ------
    InfosetError
        If the game or method is unknown, the game is too large or lacks perfect recall, a number is
        out of range, or a checkpoint belongs to another run.

    Examples
    --------
    >>> result = learn("kuhn_poker", "balanced-omd", episodes=20_000, seeds=2)
    >>> max(result.nash_conv) < 0.5
    True
    """
    row = resolve_learner(method, preset=preset, step_sizes=step_sizes)
    check_count("episodes", episodes, minimum=1)
    numbers = check_seeds(seeds)
    if seconds is not None:
        check_number("seconds", seconds)
    if callback is not None:
        check_callable("callback", callback, "a function of a seed and a TracePoint")
    if workers is not None:
        check_count("workers", workers, minimum=1)
    files = _files(checkpoint, checkpoint_seconds, numbers)
    compiled_before, began = compiling_seconds(), working_seconds()
    simulator = make_simulator(build_learning_tree(game, memory, progress))
    build_seconds = working_seconds() - began
    row, reason = row.choose() if isinstance(row, AutoLearner) else (row, None)
    _try_out(row, simulator, episodes)
    runs = [
        _Run(
            _measured(row.self_play(simulator, horizon=episodes, seed=seed), episodes),
            row.name,
            _budget(episodes, seconds, callback, seed, file),
        )
        for seed, file in zip(numbers, files, strict=True)
    ]
    began = working_seconds()
    results = _all_done(runs, min(workers or os.cpu_count() or 1, len(runs)))
    seconds_taken = working_seconds() - began + max(run.seconds_before for run in runs)
    joint_play, recommended_play, correlated_policies = _joint_play(runs)
    return LearnResult(
        game=simulator.sequence_form.name,
        method=row.name,
        seeds=numbers,
        runs=results,
        seconds=seconds_taken,
        reason=reason,
        joint_play=joint_play,
        recommended_play=recommended_play,
        correlated_policies=correlated_policies,
        build_seconds=build_seconds,
        compile_seconds=compiling_seconds() - compiled_before,
    )


def resolve_learner(
    method: str | LearnerSpec,
    *,
    preset: str | None = None,
    step_sizes: tuple[float, float] | StepSizeRule | None = None,
) -> LearnerSpec:
    """Return a learner that is given by name, as an object, or as `path/to/file.py:NAME`.

    Raises
    ------
    UnknownNameError, ParameterError
        As raised by `get_learner` and `load_from_python_file`.
    """
    check_has_name(method, (LearnerSpec,), "learner")
    if is_python_file(method):
        method = load_from_python_file(str(method), (LearnerSpec,), "learner")
    return get_learner(method, preset=preset, step_sizes=step_sizes)


def check_seeds(seeds: Seeds) -> tuple[int, ...]:
    """Return the seed of each run.

    Raises
    ------
    ParameterError
        If a seed is not a whole number, or is repeated, or there are none.
    """
    check_type(
        "seeds", seeds, (int, list, tuple, range), "the number of runs, or a list of their seeds"
    )
    if isinstance(seeds, int):
        check_count("seeds", seeds, minimum=1)
        if seeds > MAX_RUNS:
            raise ParameterError(f"seeds={show(seeds)} runs; there can be at most {MAX_RUNS}")
        return tuple(range(seeds))
    for seed in seeds:
        check_count("seed", seed)
    if not seeds or len(set(seeds)) < len(seeds):
        raise ParameterError(
            f"seeds={list(seeds)} is empty or repeats a seed; give at least one seed, all different"
        )
    return tuple(map(int, seeds))


def _files(
    checkpoint: str | Path | None, seconds: float, seeds: Sequence[int]
) -> list[Checkpointing | None]:
    """Return the checkpoint file of each run."""
    if checkpoint is None:
        return [None] * len(seeds)
    kept = checkpointing(checkpoint, seconds)
    if len(seeds) == 1:
        return [kept]
    return [
        Checkpointing(kept.path.with_name(f"{kept.path.name}.{seed}"), seconds) for seed in seeds
    ]


def build_learning_tree(
    game: GameLike, memory: int | None, progress: BuildProgress | None
) -> GameTree:
    """Return a game as a tree of histories, on which learners play.

    Raises
    ------
    UnsupportedGameError
        If the game lacks perfect recall.
    """
    compiled = to_compiled(game, memory=memory, progress=progress)
    if not isinstance(compiled, ExtensiveForm):
        return compiled
    violation = find_recall_violation(compiled)
    if violation is not None:
        raise UnsupportedGameError(
            f"{compiled.name} lacks perfect recall, which learners need: {violation}"
        )
    return build_tree(as_game(compiled), memory=memory)


def _budget(
    episodes: int,
    seconds: float | None,
    callback: SeedCallback | None,
    seed: int,
    file: Checkpointing | None,
) -> Budget:
    watch = None if callback is None else partial(callback, seed)
    return Budget(iterations=episodes, seconds=seconds, callback=watch, checkpoint=file)


def _measured(learners: SelfPlay, episodes: int) -> SelfPlay | RegretTracker:
    """Return learners, which track their joint distribution of play if only that converges.

    Policies are added to the distribution at intervals that make this about as costly as playing,
    but within the limits on the number of policies.
    """
    form, pairs = learners.sequence_form, learners.num_pairs
    if not (pairs or learns_joint_play(form)):
        return learners
    fewest, most = (ceil(episodes / count) for count in COUNTED)
    every = max(most, min(fewest, counting_cost(form, pairs) // learners.cost_per_iteration))
    keep = max(1, min(POLICIES_KEPT, NUMBERS_KEPT // learners.simulator.num_sequences))
    return RegretTracker(learners, every=every, keep=keep, triggers=pairs > 0)


def _try_out(row: LearnerSpec, simulator: Simulator, episodes: int) -> None:
    """Learn and measure one episode, so that later times do not include compilation."""
    learners = _measured(row.self_play(simulator, horizon=episodes), episodes)
    if _Run(learners, row.name, Budget(iterations=1))().outcome == "interrupted":
        raise KeyboardInterrupt


def _joint_play(
    runs: Sequence[_Run],
) -> tuple[tuple[CCEEvaluation, ...], tuple[EFCEEvaluation, ...], tuple[CorrelatedPolicy, ...]]:
    """Return CCE and EFCE evaluations and correlated policies of the runs.

    They are empty unless every run has added policies to its joint distribution.
    """
    plays = [run.learners for run in runs if isinstance(run.learners, RegretTracker)]
    if not all(play.num_counted for play in plays):
        return (), (), ()
    return (
        tuple(play.evaluate() for play in plays),
        tuple(play.evaluate_efce() for play in plays if play.learners.num_pairs),
        tuple(play.correlated_policy() for play in plays),
    )


@dataclass
class _Run:
    """One run: the learners, the name of the method, and the limits."""

    learners: SelfPlay | RegretTracker
    name: str
    budget: Budget
    seconds_before: float = 0.0
    """Time of earlier sessions, if the run resumes from a file."""

    def __call__(self) -> SolveResult:
        self.budget.started = began = working_seconds()
        joint = self.learners.gaps if isinstance(self.learners, RegretTracker) else JointGaps
        result = run_measured(self.learners, self.name, self.budget, joint=joint)
        self.seconds_before = began - self.budget.started
        return result


@dataclass(frozen=True)
class LearnerMethod:
    """A learner as a method of `compare`; its iterations are episodes.

    Attributes
    ----------
    learner : LearnerSpec
    simulator : Simulator
        The game that it plays.
    seed : int
        Random seed of the run.
    """

    learner: LearnerSpec
    simulator: Simulator
    seed: int = 0

    @property
    def name(self) -> str:
        """Name of the learner."""
        return self.learner.name

    @property
    def description(self) -> str:
        """Description of the learner in one line."""
        return self.learner.description

    def run(self, sequence_form: SequenceForm, budget: Budget) -> SolveResult:
        """Learn until the budget is used up; step sizes are planned for all its iterations."""
        episodes = budget.iterations or DEFAULT_EPISODES
        play = self.learner.self_play(self.simulator, horizon=episodes, seed=self.seed)
        budget.can_stall = False
        return _Run(_measured(play, episodes), self.name, budget)()


def _all_done(runs: Sequence[_Run], workers: int) -> tuple[SolveResult, ...]:
    """Return the results in order; after Ctrl-C all runs end with their results so far."""
    if len(runs) == 1:
        return (runs[0](),)
    with ThreadPoolExecutor(workers) as pool:
        try:
            with interrupts_held():
                futures = [pool.submit(run) for run in runs]
            wait(futures, return_when=FIRST_EXCEPTION)
        except KeyboardInterrupt:
            pass
        finally:
            for run in runs:  # no effect on finished runs
                run.budget.interrupt.set()
    return tuple(future.result() for future in futures)
