"""The team methods that `solve_team` accepts by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from types import MappingProxyType
from typing import Final, Protocol, runtime_checkable

import numpy as np

from infoset.errors import ParameterError, UnsupportedGameError
from infoset.runs import NullCheckpointer
from infoset.teams.exact import hill_climb, iterated_best_response, team_optimum
from infoset.teams.hiding import (
    HidingScheme,
    MinorizeMaximize,
    PenaltySchedule,
    ProgressiveHiding,
    RegretRestarts,
    RelaxedForm,
    entropic_ftrl,
    geometric_penalty,
)
from infoset.teams.solving.learning_runs import (
    Learner,
    LearningRuns,
    Start,
    TeamCheckpointer,
    make_checkpointer,
)
from infoset.teams.solving.result import TeamOutcome, TeamPoint, TeamResult
from infoset.teams.solving.task import TeamOptions, TeamTask, reaches
from infoset.utils.registry import Registry

__all__ = [
    "DEFAULT_TEAM_METHOD",
    "TEAM_METHODS",
    "DirectMethod",
    "LearningMethod",
    "TeamMethod",
    "default_scheme",
    "fill_options",
    "find_optimum",
    "get_team_method",
    "hide_by",
    "minorize",
    "run_best_responses",
]


PENALTY = 0.3
RATE_AGAINST = 2.0
LEARNING_RATE = 16.0
FIRST_PENALTY, LAST_PENALTY = 1 / 15, 8 / 3
REGRET_RESTARTS = RegretRestarts(iterations=100, retain=0.001, noise=0.5)


@dataclass(frozen=True)
class LearningMethod:
    """A method that learns with relaxed information; the answer is the best of several runs.

    Attributes
    ----------
    name : str
    description : str
    defaults : TeamOptions
    start : callable
        Function of a relaxed form, a penalty and a seed that returns a learner.
    """

    name: str
    description: str
    defaults: TeamOptions
    start: Start

    @property
    def takes(self) -> frozenset[str]:
        """Names of the options that the method accepts: all options."""
        return frozenset(entry.name for entry in fields(TeamOptions))

    def solve(self, task: TeamTask) -> TeamResult:
        """Solve a game of one team, or of several teams that all learn.

        At the end, the best policy of a single team is improved by iterated best response.
        """
        bound, runs = task.upper_bound(), LearningRuns(self.start, task)
        outcome = _learn(runs, bound, make_checkpointer(runs, self.name))
        answer = runs.best.probability
        if len(task.teams) == 1:
            answer = hill_climb(task.information, answer, task.teams[0], rule=task.rule)
        return task.finish(
            self.name,
            outcome,
            answer,
            upper_bound=bound,
            last_probability=runs.best.last_probability,
            run=runs.best.run,
        )


def default_scheme(relaxed_form: RelaxedForm) -> HidingScheme:
    """Return the default scheme, with rates and penalties in proportion to the payoff range.

    The learned policies therefore do not depend on the units of payoffs. A single team learns with
    regret restarts and a rising penalty. For several teams the answer is the last policy, not the
    best, so they learn without restarts. Among the values tried, these were the best on trade and
    communication and on tiny bridge.
    """
    payoff_range = _payoff_range(relaxed_form)
    if len(relaxed_form.teams) > 1:
        learner = entropic_ftrl(RATE_AGAINST / payoff_range)
        return HidingScheme(learner=learner, penalty=PENALTY * payoff_range, projector="previous")
    penalty = geometric_penalty(
        FIRST_PENALTY * payoff_range, LAST_PENALTY * payoff_range, REGRET_RESTARTS.iterations
    )
    learner = entropic_ftrl(LEARNING_RATE / payoff_range)
    return HidingScheme(
        learner=learner, penalty=penalty, projector="previous", regret_restarts=REGRET_RESTARTS
    )


def hide_by(scheme: HidingScheme | None = None) -> Start:
    """Return a function that starts progressive hiding, by default with `default_scheme`."""

    def start(
        relaxed_form: RelaxedForm, penalty: PenaltySchedule | float | None, seed: int
    ) -> Learner:
        chosen = default_scheme(relaxed_form) if scheme is None else scheme
        if penalty is not None:
            chosen = replace(chosen, penalty=penalty)
        return ProgressiveHiding(relaxed_form, chosen, seed=seed)

    return start


def minorize(
    relaxed_form: RelaxedForm, penalty: PenaltySchedule | float | None, seed: int
) -> Learner:
    """Start Algorithm 1, by default with a penalty in proportion to the payoff range.

    Raises
    ------
    ParameterError
        If the penalty is a schedule, or in the cases that `MinorizeMaximize` lists.
    """
    if isinstance(penalty, PenaltySchedule):
        raise ParameterError(
            f"minorize-maximize needs a constant penalty, but {penalty.name!r} is a schedule; "
            "give a number, such as 0.3"
        )
    penalty = PENALTY * _payoff_range(relaxed_form) if penalty is None else penalty
    return MinorizeMaximize(relaxed_form, penalty, seed=seed)


def _payoff_range(relaxed_form: RelaxedForm) -> float:
    """Return the difference between maximum and minimum payoff, or 1 if all payoffs are equal."""
    arrays, payoff = relaxed_form.form.arrays, relaxed_form.payoff
    pays_nothing = (arrays.child < 0).sum() > payoff.shape[1]
    paid = np.column_stack([payoff, np.zeros(len(payoff))]) if pays_nothing else payoff
    return float(np.ptp(paid, axis=1).max()) or 1.0


def _learn(
    runs: LearningRuns, bound: float | None, checkpointer: TeamCheckpointer | NullCheckpointer
) -> TeamOutcome:
    """Do one run after another, and return why they ended.

    Raises
    ------
    KeyboardInterrupt
        If Ctrl-C is pressed before the first measurement.
    """
    outcome: TeamOutcome | None = None
    try:
        while outcome is None and not reaches(bound, runs.best.payoff):
            if runs.is_run_over and runs.run + 1 >= (runs.task.options.restarts or 1):
                outcome = "iterations"
                continue
            with checkpointer.without_interrupts():
                if runs.is_run_over:
                    runs.next_run()
                outcome = runs.advance()
            checkpointer.save_if_due()
    except KeyboardInterrupt:
        if not runs.task.trace:
            raise
        outcome = "interrupted"
    checkpointer.save()
    return outcome or "optimal"


@dataclass(frozen=True)
class DirectMethod:
    """A method that computes an answer for one team, without information relaxation.

    Attributes
    ----------
    name : str
    description : str
    defaults : TeamOptions
    takes : frozenset[str]
        Names of the options that the method accepts.
    find : callable
        Function of the name of the method and the task that returns the result.
    """

    name: str
    description: str
    defaults: TeamOptions
    takes: frozenset[str]
    find: Callable[[str, TeamTask], TeamResult]

    def solve(self, task: TeamTask) -> TeamResult:
        """Solve a game of one team.

        Raises
        ------
        UnsupportedGameError
            If there are several teams.
        """
        if len(task.teams) > 1:
            raise UnsupportedGameError(
                f"{self.name} supports one team, but there are {len(task.teams)}: "
                f"{list(task.teams)}; use method='progressive-hiding'"
            )
        return self.find(self.name, task)


def run_best_responses(name: str, task: TeamTask) -> TeamResult:
    """Run iterated best response from many random policies.

    After the time limit or Ctrl-C, the answer is the best policy so far.
    """
    found = iterated_best_response(
        task.information,
        task.teams[0],
        rule=task.rule,
        restarts=task.options.restarts or 1,
        seed=task.seed,
        seconds=task.options.seconds,
    )
    for run, value in enumerate(found.values.tolist()):
        task.record(_point(run, value, task.elapsed))
    outcome: TeamOutcome = "local" if found.outcome == "restarts" else found.outcome
    best, bound = int(found.values.argmax()), task.upper_bound()
    return task.finish(name, outcome, found.probability, upper_bound=bound, run=best)


def find_optimum(name: str, task: TeamTask) -> TeamResult:
    """Run the exact search until it is done or stopped, and return its policy and bound."""
    found = team_optimum(
        task.information, task.teams[0], rule=task.rule, seconds=task.options.seconds
    )
    task.record(_point(0, found.value, task.elapsed))
    return task.finish(name, found.outcome, found.probability, upper_bound=found.upper_bound)


def _point(run: int, value: float, seconds: float) -> TeamPoint:
    """Return the only measurement of a run without relaxation."""
    return TeamPoint(run, 1, seconds, (value,), (value,), (0.0,), (0.0,))


DEFAULT_TEAM_METHOD: Final = "progressive-hiding"
REFUSALS: Final = MappingProxyType(
    {
        (
            "iterated-best-response",
            "checkpoint",
        ): "its climbs are independent, so there is nothing "
        "to resume: run it again with another seed and take the better result",
        ("exact", "checkpoint"): "the state of its search may take gigabytes and is not saved: set "
        "seconds, a limit after which it returns its best policy and bound",
    }
)
"""Reasons why a method rejects an option."""


@runtime_checkable
class TeamMethod(Protocol):
    """A method of `solve_team`; every entry of `TEAM_METHODS` has these attributes."""

    @property
    def name(self) -> str:
        """Name of the method in the result."""

    @property
    def description(self) -> str:
        """The method in one line, with its source."""

    @property
    def defaults(self) -> TeamOptions:
        """Default values of the options."""

    @property
    def takes(self) -> frozenset[str]:
        """Names of the options that the method accepts."""

    def solve(self, task: TeamTask) -> TeamResult:
        """Solve a team game."""


_ROWS: Final = (
    LearningMethod(
        "progressive-hiding",
        "learning with relaxed information and a penalty (Heymann and Lanctot 2025, Alg. 2)",
        TeamOptions(relax="recall", iterations=1000, restarts=4),
        hide_by(),
    ),
    LearningMethod(
        "minorize-maximize",
        "alternating proximal steps, never worse (Heymann and Lanctot 2025, Alg. 1)",
        TeamOptions(relax="recall", iterations=100, restarts=10),
        minorize,
    ),
    DirectMethod(
        "iterated-best-response",
        "hill climbing by best responses from random policies (Nair et al. 2003)",
        TeamOptions(restarts=100),
        frozenset({"restarts", "seconds"}),
        run_best_responses,
    ),
    DirectMethod(
        "exact",
        "optimum of one team, by branch and bound over public states",
        TeamOptions(),
        frozenset({"seconds"}),
        find_optimum,
    ),
)
TEAM_METHODS: Final[Registry[TeamMethod]] = Registry(
    "team method",
    _ROWS,
    entry_type=TeamMethod,
    expected='a name such as "progressive-hiding", a HidingScheme, or a TeamMethod',
)
"""Methods by name."""


def get_team_method(method: str | HidingScheme | TeamMethod) -> TeamMethod:
    """Return a team method, given its name in any case, a `HidingScheme`, or the method itself.

    Raises
    ------
    UnknownNameError
        If no method has that name.
    ParameterError
        If `method` has another type.

    Examples
    --------
    >>> get_team_method("Exact").name
    'exact'
    """
    if isinstance(method, HidingScheme):
        return replace(_ROWS[0], start=hide_by(method))
    return TEAM_METHODS.resolve(method)


def fill_options(method: TeamMethod, given: TeamOptions, num_teams: int = 1) -> TeamOptions:
    """Return the given options, completed with the defaults of a method.

    With several teams the default is one run, because runs cannot be compared by a payoff.

    Raises
    ------
    ParameterError
        If the method does not accept one of the given options.
    """
    values = {entry.name: getattr(given, entry.name) for entry in fields(TeamOptions)}
    asked = {name: value for name, value in values.items() if value is not None}
    for name in asked:
        if name not in method.takes:
            raise ParameterError(_refusal(method.name, name))
    if num_teams > 1:
        asked.setdefault("restarts", 1)
    return replace(method.defaults, **asked)


def _refusal(method: str, option: str) -> str:
    """Return the message about an option that a method does not accept."""
    why = REFUSALS.get((method, option))
    because = "" if why is None else f": {why}"
    having = [row.name for row in TEAM_METHODS.values() if option in row.takes]
    return (
        f"{method} does not accept {option}{because}; leave it out, or choose a method that does: "
        f"{', '.join(having)}"
    )
