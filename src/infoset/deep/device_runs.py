"""Training on device games: the loop, which measures by matches, and its checkpoints."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import dropwhile, takewhile

import jax

from infoset.deep.device_games import device_fingerprint
from infoset.deep.device_matches import match_score
from infoset.deep.learners import DeviceLearner
from infoset.errors import CheckpointMismatchError
from infoset.runs import (
    COST_BETWEEN_CLOCK_CHECKS,
    Budget,
    Checkpoint,
    Checkpointer,
    NullCheckpointer,
    Outcome,
    json_settings,
)
from infoset.utils.clocks import compiling

MIN_STEPS_BETWEEN = 64
"""A measurement costs about as much as this many steps, so that early ones are not frequent."""

NUM_EPISODES = 4096
"""Episodes in each seat of a measurement."""


@dataclass(frozen=True)
class MatchPoint:
    """One measurement of training on a device game."""

    iteration: int
    """Learner steps done."""
    seconds: float
    """Time since the run began, including measurements."""
    score: float
    """What the network earned on average against uniform play, over both seats."""
    standard_error: float
    """Standard error of the score."""

    @property
    def errors(self) -> dict[str, float]:
        """Distances from equilibrium: none is known."""
        return {}

    @property
    def scores(self) -> dict[str, float]:
        """What is measured instead, by name."""
        return {"won against uniform": self.score}


class _DeviceCheckpointer(Checkpointer):
    """Saves a run on a device game to a file."""

    def __init__(self, learner: DeviceLearner, budget: Budget, trace: list[MatchPoint]) -> None:
        assert budget.checkpoint is not None
        super().__init__(budget.checkpoint)
        self._learner, self._budget, self._trace = learner, budget, trace

    def resume(self) -> None:
        """Set the learner, the trace and the clock from the file.

        Raises
        ------
        CheckpointFileError, CheckpointMismatchError
            As raised by `open_checkpointer`.
        """
        saved = self.read(MatchPoint, self._budget.seconds)
        planned = self._budget.iterations
        if planned is not None and saved.iteration > planned:
            raise CheckpointMismatchError(
                f"{self._to.path} contains a run of {saved.iteration} steps, more than "
                f"steps={planned}: give at least steps={saved.iteration}, or another file"
            )
        self._learner.set_state(saved.state)
        self._trace.extend(saved.trace)
        self._budget.started -= saved.seconds

    def checkpoint(self) -> Checkpoint:
        """Return the current state of the run."""
        return Checkpoint(
            game=self._learner.name,
            fingerprint=device_fingerprint(self._learner.device),
            method=self._learner.spec.name,
            settings=json_settings(self._learner.settings()),
            iteration=self._learner.iteration,
            seconds=self._budget.elapsed,
            trace=tuple(self._trace),
            state=self._learner.state(),
        )


def run_matched(
    learner: DeviceLearner, budget: Budget, seed: int
) -> tuple[Outcome, tuple[MatchPoint, ...]]:
    """Train until the budget is used up; measure by matches against uniform play.

    It measures each time the number of steps has grown by a quarter, and Ctrl-C ends it between
    calls of the compiled steps. The measurements play separate episodes, so that they do not change
    the training.

    Returns
    -------
    outcome : Outcome
        `iterations`, `seconds`, `stopped` by the callback, or `interrupted`.
    trace : tuple[MatchPoint, ...]
    """
    trace: list[MatchPoint] = []
    keeper: _DeviceCheckpointer | NullCheckpointer = NullCheckpointer()
    if budget.checkpoint is not None:
        keeper = _DeviceCheckpointer(learner, budget, trace)
        if budget.checkpoint.path.exists():
            keeper.resume()
    cost, last, done = learner.cost_per_iteration, budget.iterations, learner.iteration
    stride = max(1, COST_BETWEEN_CLOCK_CHECKS // cost)
    # Unplanned measurements, as at an interrupt, are dropped: a resumed run has the same trace.
    passed = set(takewhile(lambda planned: planned < done, _planned()))
    trace[:] = [point for point in trace if point.iteration in passed]
    planned = dropwhile(lambda planned: planned < done, _planned())
    key = jax.random.fold_in(jax.random.key(seed), 1)

    def measure() -> bool:
        """Record a measurement; return whether the callback wants to stop."""
        # By the step, so that a resumed run measures with the same episodes.
        of_point = jax.random.fold_in(key, learner.iteration)
        score = match_score(learner.device, learner.network, NUM_EPISODES, of_point)
        point = MatchPoint(learner.iteration, budget.elapsed, *score)
        trace.append(point)
        return budget.callback is not None and bool(budget.callback(point))  # type: ignore[arg-type]

    outcome: Outcome | None = None
    try:
        with compiling():
            match_score(learner.device, learner.network, NUM_EPISODES, key)
        while outcome is None:
            target = next(planned) if last is None else min(next(planned), last)
            while learner.iteration < target and not budget.is_over:
                with keeper.without_interrupts():
                    learner.run(min(stride, target - learner.iteration))
                keeper.save_if_due()
            wants_stop = measure()
            if last is not None and learner.iteration >= last:
                outcome = "iterations"
            elif budget.is_over:
                outcome = "interrupted" if budget.interrupt.is_set() else "seconds"
            elif wants_stop:
                outcome = "stopped"
    except KeyboardInterrupt:
        outcome = "interrupted"
    finally:
        keeper.save()
    return outcome, tuple(trace)


def _planned() -> Iterator[int]:
    """Yield the steps after which to measure; they do not depend on the machine."""
    step = MIN_STEPS_BETWEEN
    while True:
        yield step
        step += max(MIN_STEPS_BETWEEN, step // 4)
