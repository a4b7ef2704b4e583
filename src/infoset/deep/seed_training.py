"""Training with several seeds, each on a worker of an executor."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from dataclasses import asdict, dataclass, field
from threading import Lock
from typing import Any

from infoset.deep.network_spec import NetworkSpec
from infoset.deep.presets import get_preset
from infoset.deep.training_run import TrainingResult, train
from infoset.errors import ParameterError
from infoset.game import Game
from infoset.runs import Done, Interrupt, Seeds, check_seeds, check_workers, run_tasks, worker_pool
from infoset.tree import GameTree
from infoset.tree.limits import BuildLimits, build_limits, current_limits

DRIVER_ONLY = ("checkpoint", "checkpoint_seconds", "callback", "progress", "seed")

one_at_a_time = Lock()
"""Held while a network is trained: JAX uses all cores, and early versions of Python 3.11 fail if
two threads compile simultaneously."""


def train_seeds(
    game: str | Game | GameTree,
    preset: str | NetworkSpec = "rnad",
    *,
    seeds: Seeds = 1,
    executor: Executor | None = None,
    callback: Callable[[TrainingResult], object] | None = None,
    **options: Any,
) -> tuple[TrainingResult, ...]:
    """Train a policy network once with each of several seeds, as `train` does.

    Parameters
    ----------
    game
        A name or rules are sent to workers, which build the game.
    seeds : int or Sequence[int]
        Number of runs, with seeds 0, 1, …; or the seed of each run.
    executor
        Where to run: any `concurrent.futures.Executor`. By default one seed after the other, here.
        Threads of one process also train one network at a time, so give processes or machines.
    callback : callable, optional
        Called with each finished result.
    **options
        Options of `train`, except those about its progress and files: workers write no files.

    Returns
    -------
    tuple[TrainingResult, ...]
        In the order of the seeds. After Ctrl-C, the results of the seeds that are done.

    Raises
    ------
    InfosetError
        As raised by `train` and, on an executor, by `run_cells`.

    Examples
    --------
    >>> results = train_seeds("kuhn_poker", seeds=2, steps=100)  # doctest: +SKIP
    >>> [result.seed for result in results]  # doctest: +SKIP
    [0, 1]
    """
    numbers = check_seeds(seeds)
    check_workers(None, executor)
    get_preset(preset)
    for name in options:
        if name in DRIVER_ONLY:
            raise ParameterError(
                f"{name} is not an option of several seeds, which may run on other machines: "
                "leave it out, or call train for one seed"
            )
    work = _Training(game, preset, options)
    found: dict[int, TrainingResult] = {}

    def keep(done: Done) -> None:
        found[done.position] = done.result
        if callback is not None:
            callback(done.result)

    try:
        with worker_pool(1, executor) as pool:
            run_tasks(work, numbers, pool, keep)
    except KeyboardInterrupt:
        if not found:
            raise
    return tuple(found[position] for position in sorted(found))


@dataclass(frozen=True)
class _Training:
    """Training as work, of which the items are seeds."""

    game: str | Game | GameTree
    preset: str | NetworkSpec
    options: Mapping[str, Any]
    limits: BuildLimits = field(default_factory=current_limits)
    """Those of the caller: threads and other processes begin with the default ones."""

    def __call__(self, seed: int, interrupt: Interrupt) -> TrainingResult:
        """Train with a seed; an interrupt ends it at the next measurement."""
        with one_at_a_time:
            if interrupt.is_set():
                raise KeyboardInterrupt
            with build_limits(**asdict(self.limits)):
                return train(
                    self.game,
                    self.preset,
                    seed=seed,
                    callback=lambda _: interrupt.is_set(),
                    **self.options,
                )
