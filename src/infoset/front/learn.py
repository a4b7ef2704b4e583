"""`learn`: the verb for games that are learned from play."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import TypeAlias

from infoset.efg import ExtensiveForm, as_game, find_recall_violation
from infoset.errors import ParameterError, UnsupportedGameError
from infoset.evaluation import CCEEvaluation, CorrelatedPolicy, EFCEEvaluation
from infoset.front.load import GameLike, to_compiled
from infoset.front.solve import checkpointing
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
from infoset.tree import ExplorationProgress, GameTree, build_tree
from infoset.utils.arguments import check_callable, check_count, check_number, check_type
from infoset.utils.interrupts import interrupts_held

__all__ = ["DEFAULT_EPISODES", "Seeds", "learn"]

DEFAULT_EPISODES = 1_000_000

COUNTED = (1_000, 10_000)
"""At least and at most so many policies are counted in joint play."""

POLICIES_KEPT = 1_000
NUMBERS_KEPT = 10_000_000

Seeds: TypeAlias = int | Sequence[int]
"""How many runs, with seeds from 0, or the seed of each."""

OnMeasured: TypeAlias = Callable[[int, TracePoint], object]


def learn(
    game: GameLike,
    method: str | LearnerSpec = DEFAULT_LEARNER,
    *,
    episodes: int = DEFAULT_EPISODES,
    seeds: Seeds = 1,
    preset: str | None = None,
    step_sizes: tuple[float, float] | StepSizeRule | None = None,
    seconds: float | None = None,
    on_measured: OnMeasured | None = None,
    checkpoint: str | Path | None = None,
    checkpoint_seconds: float = DEFAULT_CHECKPOINT_SECONDS,
    workers: int | None = None,
    memory: int | None = None,
    progress: ExplorationProgress | None = None,
) -> LearnResult:
    """Learn a game from play: all players by the same method, against each other.

    Parameters
    ----------
    game : str, Game, GameTree or ExtensiveForm
        By name, as rules, or as a tree.
    method : str or LearnerSpec
        A name of `infoset.learning.LEARNERS`, in any case of letters, or a row of your own, such as
        a variant of one of the library's by `dataclasses.replace`. `auto` is what our
        measurements recommend.
    episodes : int
        Number of episodes of each run. Step sizes that need one are set for it.
    seeds : int or Sequence[int]
        How many runs, with seeds 0, 1, …; or the seed of each.
    preset : str, optional
        Settings of the method by name, such as `theory` or `tuned`; by default as published.
    step_sizes : pair or StepSizeRule, optional
        Learning rate and implicit exploration, or the rule for them.
    seconds : float, optional
        Time after which every run stops.
    on_measured : callable, optional
        Called with the seed and a `TracePoint` at every measurement; stops the run by returning
        true. With several runs it is called from several threads.
    checkpoint : str or Path, optional
        A file to keep the run in, as in `solve`; of several runs each has its own, with `.SEED`
        added to the name.
    checkpoint_seconds : float, optional
        How much of the work may be lost when the process is killed; by default 60 seconds.
    workers : int, optional
        How many runs go on at a time; by default as many as there are cores. The result of a
        seed does not depend on it.
    memory, progress
        As in `solve`.

    Returns
    -------
    LearnResult
        Also after Ctrl-C, with what is there. With more than two players, or payoffs that are not
        constant-sum, what is learned is joint play: its gap is in `cce_gap`, and it itself in
        `correlated_policies`. Of a learner of extensive-form correlated equilibria it is that in
        any game, and `efce_gap` is what it promises to be small.

    Raises
    ------
    InfosetError
        If the game or the method is unknown, the game is too large or lacks perfect recall, a
        number makes no sense, or a checkpoint is of another run.

    Examples
    --------
    >>> result = learn("kuhn_poker", "balanced-omd", episodes=20_000, seeds=2)
    >>> max(result.nash_conv) < 0.5
    True
    """
    row = get_learner(method, preset=preset, step_sizes=step_sizes)
    check_count("episodes", episodes, minimum=1)
    numbers = _seeds(seeds)
    if seconds is not None:
        check_number("seconds", seconds)
    if on_measured is not None:
        check_callable("on_measured", on_measured, "a function of a seed and a TracePoint")
    if workers is not None:
        check_count("workers", workers, minimum=1)
    files = _files(checkpoint, checkpoint_seconds, numbers)
    simulator = make_simulator(_tree(game, memory, progress))
    row, reason = row.choose() if isinstance(row, AutoLearner) else (row, None)
    _try_out(row, simulator, episodes)
    runs = [
        _Run(
            _measured(row.self_play(simulator, horizon=episodes, seed=seed), episodes),
            row.name,
            _budget(episodes, seconds, on_measured, seed, file),
        )
        for seed, file in zip(numbers, files, strict=True)
    ]
    began = time.monotonic()
    results = _all_done(runs, min(workers or os.cpu_count() or 1, len(runs)))
    seconds_taken = time.monotonic() - began + max(run.seconds_before for run in runs)
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
    )


def _seeds(seeds: Seeds) -> tuple[int, ...]:
    """Return the seed of each run."""
    check_type("seeds", seeds, (int, list, tuple, range), "a number of runs, or their seeds")
    if isinstance(seeds, int):
        check_count("seeds", seeds, minimum=1)
        return tuple(range(seeds))
    for seed in seeds:
        check_count("seed", seed)
    if not seeds or len(set(seeds)) < len(seeds):
        raise ParameterError(f"seeds={list(seeds)}: give at least one, each once")
    return tuple(map(int, seeds))


def _files(
    checkpoint: str | Path | None, seconds: float, seeds: Sequence[int]
) -> list[Checkpointing | None]:
    """Return where each run is kept."""
    if checkpoint is None:
        return [None] * len(seeds)
    kept = checkpointing(checkpoint, seconds)
    if len(seeds) == 1:
        return [kept]
    return [
        Checkpointing(kept.path.with_name(f"{kept.path.name}.{seed}"), seconds) for seed in seeds
    ]


def _tree(game: GameLike, memory: int | None, progress: ExplorationProgress | None) -> GameTree:
    """Return a game as a tree of histories."""
    compiled = to_compiled(game, memory=memory, progress=progress)
    if not isinstance(compiled, ExtensiveForm):
        return compiled
    violation = find_recall_violation(compiled)
    if violation is not None:
        raise UnsupportedGameError(
            f"{compiled.name} lacks perfect recall, and learners stand on what they did before: "
            f"{violation}"
        )
    return build_tree(as_game(compiled), memory=memory)


def _budget(
    episodes: int,
    seconds: float | None,
    on_measured: OnMeasured | None,
    seed: int,
    file: Checkpointing | None,
) -> Budget:
    callback = None if on_measured is None else (lambda point: on_measured(seed, point))
    return Budget(iterations=episodes, seconds=seconds, callback=callback, checkpoint=file)


def _measured(learners: SelfPlay, episodes: int) -> SelfPlay | RegretTracker:
    """Return learners, with their joint play where that is what they learn.

    Counting it takes about as long as playing, or a thousand of the policies if that is more.
    """
    form, pairs = learners.sequence_form, learners.num_pairs
    if not (pairs or learns_joint_play(form)):
        return learners
    fewest, most = (ceil(episodes / count) for count in COUNTED)
    every = max(most, min(fewest, counting_cost(form, pairs) // learners.cost_per_iteration))
    keep = max(1, min(POLICIES_KEPT, NUMBERS_KEPT // learners.simulator.num_sequences))
    return RegretTracker(learners, every=every, keep=keep, triggers=pairs > 0)


def _try_out(row: LearnerSpec, simulator: Simulator, episodes: int) -> None:
    """Learn and measure one episode, so that no compiling is in anybody's seconds."""
    learners = _measured(row.self_play(simulator, horizon=episodes), episodes)
    if _Run(learners, row.name, Budget(iterations=1))().outcome == "interrupted":
        raise KeyboardInterrupt


def _joint_play(
    runs: Sequence[_Run],
) -> tuple[tuple[CCEEvaluation, ...], tuple[EFCEEvaluation, ...], tuple[CorrelatedPolicy, ...]]:
    """Return joint play of the runs, as it is, told step by step, and as policies.

    If all of them have counted some.
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
    """One run: who learns, what it is called, and for how long."""

    learners: SelfPlay | RegretTracker
    name: str
    budget: Budget
    seconds_before: float = 0.0
    """Of earlier sittings, where it goes on from a file."""

    def __call__(self) -> SolveResult:
        self.budget.started = began = time.monotonic()
        joint = self.learners.gaps if isinstance(self.learners, RegretTracker) else JointGaps
        result = run_measured(self.learners, self.name, self.budget, joint=joint)
        self.seconds_before = began - self.budget.started
        return result


def _all_done(runs: Sequence[_Run], workers: int) -> tuple[SolveResult, ...]:
    """Return the results in order; Ctrl-C ends all runs, with what they have."""
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
            for run in runs:  # it tells nothing to those that are done
                run.budget.interrupt.set()
    return tuple(future.result() for future in futures)
