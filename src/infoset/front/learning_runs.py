"""The function `learn`, which learns policies from play."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from concurrent.futures import Executor
from functools import partial
from pathlib import Path
from typing import TypeVar

from infoset.efg import ExtensiveForm, as_game, find_recall_violation
from infoset.efg.information_sets import check_property
from infoset.errors import GameTooLargeError, ParameterError
from infoset.forms import Form
from infoset.front.game_sources import (
    CompiledGame,
    FormLike,
    resolve_game,
    to_compiled,
    to_public_form,
)
from infoset.front.python_files import is_python_file, load_from_python_file
from infoset.front.seed_runs import (
    DEFAULT_EPISODES,
    LearnerRun,
    SeedCallback,
    SeedWork,
    run_on_executor,
    run_on_threads,
)
from infoset.front.solution import checkpointing
from infoset.game import Game
from infoset.learning import (
    DEFAULT_LEARNER,
    LEARNERS,
    AutoLearner,
    LearnerSpec,
    LearnResult,
    Simulator,
    StepSizeRule,
    get_learner,
    learns_on_forms,
    make_simulator,
)
from infoset.runs import (
    DEFAULT_CHECKPOINT_SECONDS,
    Budget,
    Checkpointing,
    Seeds,
    check_seeds,
    check_workers,
)
from infoset.tree import BuildProgress, GameTree, build_tree, public_rules_of
from infoset.utils.arguments import check_callable, check_count, check_number
from infoset.utils.clocks import compiling_seconds, working_seconds

Measured = TypeVar("Measured")


def learn(
    game: FormLike,
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
    executor: Executor | None = None,
    memory: int | None = None,
    progress: BuildProgress | None = None,
) -> LearnResult:
    """Learn a game from self-play, in which all players use the same method.

    Parameters
    ----------
    game : str, Game, GameTree, ExtensiveForm or PublicForm
        The game, by name, as rules, or as a tree; or a public form for `cs-mccfr` and `es-mccfr`.
        If a game is too large for a tree, these two methods learn on its public form if it has
        one.
    method
        A name of `infoset.learning.LEARNERS`, in upper or lower case; `path/to/file.py:NAME`; or
        your own learner, such as a library learner changed by `dataclasses.replace`. `auto` is the
        learner that our measurements recommend.
    episodes
        Episodes of each run. Step sizes that depend on a horizon use this number.
    seeds : int or Sequence[int]
        Number of runs, with seeds 0, 1, …; or the seed of each run.
    preset
        Settings of the method by name, such as `theory` or `tuned`; by default as published.
    step_sizes : pair or StepSizeRule, optional
        Learning rate and implicit exploration, or a rule that computes them.
    seconds
        Time limit of each run. Step sizes that depend on a horizon are then planned for the
        episodes that fit, if these are fewer than `episodes`, at the rate that a short trial run
        measures. With a checkpoint they are planned for `episodes`, which later sessions complete.
    callback : callable, optional
        Called with the seed and a `TracePoint` at every measurement; returning true stops the
        run. With several runs it is called from several threads; with an executor, after each run
        with its measurements, and the returned value is ignored.
    checkpoint
        File in which the run is saved, as in `solve`. Each of several runs has its own file, with
        `.SEED` appended to the name.
    checkpoint_seconds
        Seconds between saves, which bound the work that is lost if the process is killed.
    workers
        Number of simultaneous runs; by default the number of cores. The result of a seed does not
        depend on this number.
    executor
        Where to run instead: any `concurrent.futures.Executor`, also of other machines, such as
        `Client(address).get_executor()` of Dask. It cannot be combined with `workers` or
        `checkpoint`. The result of a seed does not depend on it.
    memory, progress
        As in `solve`.

    Returns
    -------
    LearnResult
        After Ctrl-C, the results so far; with an executor, those of the seeds that are done. With
        more than two players, or payoffs that are not constant-sum, average policies need not
        converge to an equilibrium. `correlated_policies` then contains the empirical joint
        distribution of play, and `cce_gap` measures how far it is from a coarse correlated
        equilibrium. Learners of extensive-form correlated equilibria report these in every game,
        and also `efce_gap`, which they minimize.

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
    check_workers(workers, executor)
    if executor is not None and checkpoint is not None:
        raise ParameterError(
            f"checkpoint={checkpoint} and an executor are both given, but workers write no files: "
            "leave one of them out"
        )
    files = _files(checkpoint, checkpoint_seconds, numbers)
    compiled_before, began = compiling_seconds(), working_seconds()
    source, simulator = build_simulator(game, [row], memory, progress)
    form = simulator if isinstance(simulator, Form) else simulator.form
    build_seconds = working_seconds() - began
    row, reason = (
        row.choose(has_tree=source is not None) if isinstance(row, AutoLearner) else (row, None)
    )
    if executor is not None and source is None:
        raise ParameterError(
            f"an executor is given, but its workers build trees, and {form.name} is learned on a "
            f"{form.kind} form: leave the executor out"
        )
    if executor is None or source is None:
        _try_out(row, simulator, episodes)
        budgets = [
            _budget(episodes, seconds, callback, seed, file)
            for seed, file in zip(numbers, files, strict=True)
        ]
        runs = [
            LearnerRun(row, simulator, episodes, seed, budget)
            for seed, budget in zip(numbers, budgets, strict=True)
        ]
        began = working_seconds()
        found = run_on_threads(runs, min(workers or os.cpu_count() or 1, len(runs)))
    else:
        began = working_seconds()
        work = SeedWork(source, _simulate, row, episodes, seconds)
        done = run_on_executor(work, numbers, form, executor, callback)
        numbers, found = tuple(done), list(done.values())
    return LearnResult(
        game=form.name,
        method=row.name,
        seeds=numbers,
        runs=tuple(run.result for run in found),
        # Runs are side by side, so that of their earlier sessions the longest counts.
        seconds=working_seconds() - began + max(run.seconds_before for run in found),
        reason=reason or next((run.result.reason for run in found if run.result.reason), None),
        joint_play=_of_all(run.joint_play for run in found),
        recommended_play=_of_all(run.recommended_play for run in found),
        correlated_policies=_of_all(run.correlated_policy for run in found),
        build_seconds=build_seconds,
        compile_seconds=compiling_seconds() - compiled_before,
    )


def _simulate(source: FormLike) -> Simulator:
    """Return the simulator of a game, on a worker."""
    return make_simulator(build_learning_tree(source, None, None))


def _of_all(measured: Iterable[Measured | None]) -> tuple[Measured, ...]:
    """Return what was measured of every run; nothing if it was not measured of all of them."""
    found = tuple(measured)
    known = tuple(one for one in found if one is not None)
    return known if len(known) == len(found) else ()


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
    if is_python_file(method):
        method = load_from_python_file(str(method), (LearnerSpec,), "learner")
    return get_learner(method, preset=preset, step_sizes=step_sizes)


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


def build_simulator(
    game: FormLike,
    learners: Sequence[LearnerSpec],
    memory: int | None,
    progress: BuildProgress | None,
    form: str = "auto",
) -> tuple[Game | CompiledGame | None, Simulator | Form]:
    """Return a game, and the simulator on which learners play it.

    The game is None if they learn on a form instead: because a form is given, or because the game
    is too large for a tree, they can all learn on its public form, and `form` is not "sequence".

    Raises
    ------
    GameTooLargeError, UnsupportedGameError
        As raised by `build_learning_tree` and `to_public_form`.
    """
    if isinstance(game, Form):
        return None, game
    source = resolve_game(game)
    try:
        return source, make_simulator(build_learning_tree(source, memory, progress))
    except GameTooLargeError as error:
        if form == "sequence" or not (isinstance(source, Game) and public_rules_of(source)):
            raise
        on_trees = [learner.name for learner in learners if not learns_on_forms(learner)]
        if on_trees:
            others = ", ".join(name for name, one in LEARNERS.items() if learns_on_forms(one))
            raise GameTooLargeError(
                f"{error}. Only these learners run on public forms: {others}. These need the tree: "
                f"{', '.join(on_trees)}",
                error.counts,
            ) from error
    return None, to_public_form(source, memory=memory, progress=progress)


def build_learning_tree(
    game: FormLike, memory: int | None, progress: BuildProgress | None
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
    check_property(compiled, find_recall_violation, "lacks perfect recall, which learners need")
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


def _try_out(row: LearnerSpec, simulator: Simulator | Form, episodes: int) -> None:
    """Learn and measure one episode, so that later times do not include compilation."""
    run = LearnerRun(row, simulator, episodes, 0, Budget(iterations=1))
    if run().result.outcome == "interrupted":
        raise KeyboardInterrupt
