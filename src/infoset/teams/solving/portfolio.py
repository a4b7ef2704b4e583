"""The default team method: capped exact search, CFR+, learning, and best responses."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf
from typing import Final

from infoset.errors import GameTooLargeError
from infoset.runs import NullCheckpointer
from infoset.teams.exact import iterated_best_response, team_optimum
from infoset.teams.solving.candidates import Candidates, offer_plain_policy
from infoset.teams.solving.direct_methods import point_of
from infoset.teams.solving.learning_methods import HIDING_DEFAULTS, hide_by, learn_in_runs
from infoset.teams.solving.learning_runs import LearningRuns
from infoset.teams.solving.result import TeamOutcome, TeamResult
from infoset.teams.solving.task import TeamTask, reaches
from infoset.typing import FloatArray

EXACT_STATES: Final = 200_000
EXACT_STEPS: Final = 1 << 22
"""Caps on the exact search: numbers, not seconds, so that answers do not depend on the machine."""

EXACT_FRACTION = 0.5
LEARNING_FRACTION = 0.9
"""With a time limit, the fractions of it after which the exact search and learning end."""

CLIMBS = 100


def solve_in_stages(name: str, task: TeamTask) -> TeamResult:
    """Search for the optimum; if that proves nothing, also try CFR+, learn and climb.

    The answer is the best of the policies, each improved by iterated best response.

    Every stage ends the method if its policy reaches the upper bound. The bound is that of the
    exact search, even if the search was stopped by its cap. If the time limit, the callback or
    Ctrl-C stops the method, the answer is the best policy so far.
    """
    stages = _Stages(task)
    outcome = stages.run()
    answer = stages.candidates.answer()
    return task.finish(
        name,
        "interrupted" if stages.candidates.is_interrupted else outcome,
        answer.probability,
        upper_bound=stages.upper_bound,
        run=stages.runs.get(answer.chosen[0], 0),
        candidates=stages.candidates.found,
        chosen=answer.chosen,
    )


@dataclass
class _Stages:
    """The candidates and the upper bound so far; each stage returns a reason to stop, or None."""

    task: TeamTask
    upper_bound: float = inf

    def __post_init__(self) -> None:
        self.candidates = Candidates(self.task)
        self.runs: dict[str, int] = {}

    def run(self) -> TeamOutcome:
        """Run the stages until one of them ends the method.

        Raises
        ------
        KeyboardInterrupt
            If Ctrl-C is pressed before there is a policy.
        """
        try:
            for stage in (self._search, self._play_plainly, self._learn, self._climb):
                outcome = stage()
                if reaches(self.upper_bound, self.candidates.payoff):
                    return "optimal"
                if outcome is not None:
                    return outcome
        except KeyboardInterrupt:
            if not self.task.trace:
                raise
            return "interrupted"
        return "local"

    def _search(self) -> TeamOutcome | None:
        task, began = self.task, self.task.clock.elapsed
        try:
            found = team_optimum(
                task.information,
                task.teams[0],
                rule=task.rule,
                max_states=EXACT_STATES,
                max_steps=EXACT_STEPS,
                seconds=self._seconds_until(EXACT_FRACTION),
            )
        except GameTooLargeError:
            # The bound from which the exact search would have started.
            self.upper_bound = task.recall_bound()
            return None
        task.clock.changed_course |= found.outcome == "seconds"
        self.upper_bound = found.upper_bound
        self._offer("exact", found.probability, 0, iterations=1, began=began)
        stopped = task.record(point_of(0, found.value, task.clock.elapsed))
        return found.outcome if found.outcome in ("optimal", "interrupted") else stopped

    def _play_plainly(self) -> TeamOutcome | None:
        offer_plain_policy(self.candidates, self.task)
        return "interrupted" if self.candidates.is_interrupted and self.task.trace else None

    def _learn(self) -> TeamOutcome | None:
        task, began, limit = self.task, self.task.clock.elapsed, self.task.options.seconds
        options = replace(HIDING_DEFAULTS, seconds=limit)
        task.clock.reserved_seconds = (1 - LEARNING_FRACTION) * (limit or 0.0)
        runs = LearningRuns(hide_by(), replace(task, options=options))
        outcome = learn_in_runs(
            runs,
            self.upper_bound,
            NullCheckpointer(),
            known=self.candidates.payoff,
            is_interrupted=self.candidates.is_interrupted,
        )
        # The end of learning is not the end of the method, unless the whole limit is used up.
        task.clock.reserved_seconds = 0.0
        ended: TeamOutcome | None = "seconds" if task.seconds_left == 0 else None
        self._offer(
            "progressive-hiding",
            runs.best.probability,
            runs.first_run + runs.best.run,
            iterations=runs.iteration,
            began=began,
        )
        return outcome if outcome in ("interrupted", "stopped") else ended

    def _climb(self) -> TeamOutcome | None:
        task, first, began = self.task, self.task.num_runs, self.task.clock.elapsed
        found = iterated_best_response(
            task.information,
            task.teams[0],
            rule=task.rule,
            restarts=CLIMBS,
            seed=task.seed,
            seconds=self._seconds_until(1.0),
        )
        num_climbs, best = len(found.values), first + int(found.values.argmax())
        self._offer(
            "iterated-best-response", found.probability, best, iterations=num_climbs, began=began
        )
        for run, value in enumerate(found.values.tolist()):
            stopped = task.record(point_of(first + run, value, task.clock.elapsed))
            if stopped == "stopped":
                return stopped
        return None if found.outcome == "restarts" else found.outcome

    def _offer(
        self, name: str, probability: FloatArray, run: int, *, iterations: int, began: float
    ) -> None:
        self.runs[name] = run
        seconds = self.task.clock.elapsed - began
        self.candidates.offer(name, probability, iterations=iterations, seconds=seconds)

    def _seconds_until(self, fraction: float) -> float | None:
        """Return the seconds left until a fraction of the time limit; None without a limit."""
        limit = self.task.options.seconds
        return None if limit is None else max(0.0, fraction * limit - self.task.clock.elapsed)
