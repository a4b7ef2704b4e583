"""The table of methods that `solve_team` knows by name."""

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
    keep_runs,
)
from infoset.teams.solving.result import TeamOutcome, TeamPoint, TeamResult
from infoset.teams.solving.task import TeamOptions, TeamTask, comes_to
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
    "respond_by_turns",
]


PENALTY = 0.3
RATE_AGAINST = 2.0
LEARNING_RATE = 16.0
FIRST_PENALTY, LAST_PENALTY = 1 / 15, 8 / 3
ROUNDS = RegretRestarts(iterations=100, retain=0.001, noise=0.5)


@dataclass(frozen=True)
class LearningMethod:
    """Agents learn with what they are lent, in several runs; the best is the answer.

    Attributes
    ----------
    name : str
    description : str
    defaults : TeamOptions
    start : callable
        From a form, a penalty and a seed to the beginning of a run.
    """

    name: str
    description: str
    defaults: TeamOptions
    start: Start

    @property
    def takes(self) -> frozenset[str]:
        """Which options it has a use for: all."""
        return frozenset(entry.name for entry in fields(TeamOptions))

    def solve(self, task: TeamTask) -> TeamResult:
        """Solve a game of one team, or of several that all learn.

        In the end the agents of one team respond by turns to the best policy, until none gains.
        """
        bound, runs = task.upper_bound(), LearningRuns(self.start, task)
        outcome = _learn(runs, bound, keep_runs(runs, self.name))
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
    """Return the scheme by default: rates and penalties in proportion to what is at stake.

    Policies then do not depend on the units of payoffs. One team learns in rounds, at a rising
    penalty; where several do the last policies count, not the best, and all learn in one. The
    numbers did best over trade and communication and tiny bridge.
    """
    stake = _stake(relaxed_form)
    if len(relaxed_form.teams) > 1:
        learner = entropic_ftrl(RATE_AGAINST / stake)
        return HidingScheme(learner=learner, penalty=PENALTY * stake, projector="previous")
    penalty = geometric_penalty(FIRST_PENALTY * stake, LAST_PENALTY * stake, ROUNDS.iterations)
    learner = entropic_ftrl(LEARNING_RATE / stake)
    return HidingScheme(
        learner=learner, penalty=penalty, projector="previous", regret_restarts=ROUNDS
    )


def hide_by(scheme: HidingScheme | None = None) -> Start:
    """Return how progressive hiding begins by a scheme, or by the one that suits the game."""

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
    """Begin Algorithm 1, by default with a penalty in proportion to what is at stake.

    Raises
    ------
    ParameterError
        As `MinorizeMaximize`; also if the penalty is a schedule.
    """
    if isinstance(penalty, PenaltySchedule):
        raise ParameterError(
            f"minorize-maximize has one penalty, and {penalty.name!r} is a schedule of many; give "
            "a number, such as 0.3"
        )
    penalty = PENALTY * _stake(relaxed_form) if penalty is None else penalty
    return MinorizeMaximize(relaxed_form, penalty, seed=seed)


def _stake(relaxed_form: RelaxedForm) -> float:
    """Return how wide the range of payoffs is, or 1 where all pay the same."""
    arrays, payoff = relaxed_form.form.arrays, relaxed_form.payoff
    pays_nothing = (arrays.child < 0).sum() > payoff.shape[1]
    paid = np.column_stack([payoff, np.zeros(len(payoff))]) if pays_nothing else payoff
    return float(np.ptp(paid, axis=1).max()) or 1.0


def _learn(
    runs: LearningRuns, bound: float | None, keeper: TeamCheckpointer | NullCheckpointer
) -> TeamOutcome:
    """Learn in one run after the other; return why all ended.

    Raises
    ------
    KeyboardInterrupt
        After Ctrl-C, if there is nothing yet.
    """
    outcome: TeamOutcome | None = None
    try:
        while outcome is None and not comes_to(bound, runs.best.payoff):
            if runs.is_run_over and runs.run + 1 >= (runs.task.options.restarts or 1):
                outcome = "iterations"
                continue
            with keeper.without_interrupts():
                if runs.is_run_over:
                    runs.next_run()
                outcome = runs.go_on()
            keeper.save_if_due()
    except KeyboardInterrupt:
        if not runs.task.trace:
            raise
        outcome = "interrupted"
    keeper.save()
    return outcome or "optimal"


@dataclass(frozen=True)
class DirectMethod:
    """A function finds the answer, for one team.

    Attributes
    ----------
    name : str
    description : str
    defaults : TeamOptions
    takes : frozenset[str]
        Which options it has a use for.
    find : callable
        From the name of the method and the task to the result.
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
            If there are several.
        """
        if len(task.teams) > 1:
            raise UnsupportedGameError(
                f"{self.name} is for one team, and there are {len(task.teams)}: "
                f"{list(task.teams)}; let all learn by progressive-hiding"
            )
        return self.find(self.name, task)


def respond_by_turns(name: str, task: TeamTask) -> TeamResult:
    """Have agents respond to each other by turns, from many random policies.

    When the seconds are over, and after Ctrl-C, the best so far is the answer.
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
    """Search for the optimum; the outcome is what ends that, and the bound what it knows then."""
    found = team_optimum(
        task.information, task.teams[0], rule=task.rule, seconds=task.options.seconds
    )
    task.record(_point(0, found.value, task.elapsed))
    return task.finish(name, found.outcome, found.probability, upper_bound=found.upper_bound)


def _point(run: int, value: float, seconds: float) -> TeamPoint:
    """Return the one measurement of a run in which nothing is lent."""
    return TeamPoint(run, 1, seconds, (value,), (value,), (0.0,), (0.0,))


DEFAULT_TEAM_METHOD: Final = "progressive-hiding"
REFUSALS: Final = MappingProxyType(
    {
        (
            "iterated-best-response",
            "checkpoint",
        ): "its climbs do not build on each other, so that nothing "
        "has to be kept: go on with another seed, and take the better result",
        ("exact", "checkpoint"): "what its search knows may be gigabytes, and is not kept: give it "
        "seconds, after which it tells the best policy and the bound that it has",
    }
)
"""Why a method has no use for an option, where that is worth a word."""


@runtime_checkable
class TeamMethod(Protocol):
    """A method as data: what `solve_team` takes besides a name and a `HidingScheme`."""

    @property
    def name(self) -> str:
        """What the result calls it."""

    @property
    def description(self) -> str:
        """One line."""

    @property
    def defaults(self) -> TeamOptions:
        """What the options are where nobody says."""

    @property
    def takes(self) -> frozenset[str]:
        """Which options it has a use for."""

    def solve(self, task: TeamTask) -> TeamResult:
        """Solve a team game."""


_ROWS: Final = (
    LearningMethod(
        "progressive-hiding",
        "learn with what is lent, pay for what hangs on it (Heymann and Lanctot 2025, Alg. 2)",
        TeamOptions(relax="recall", iterations=1000, restarts=4),
        hide_by(),
    ),
    LearningMethod(
        "minorize-maximize",
        "two proximal steps in turn, which never go down (the same, Alg. 1)",
        TeamOptions(relax="recall", iterations=100, restarts=10),
        minorize,
    ),
    DirectMethod(
        "iterated-best-response",
        "agents respond by turns until none gains, from random policies (Nair et al. 2003)",
        TeamOptions(restarts=100),
        frozenset({"restarts", "seconds"}),
        respond_by_turns,
    ),
    DirectMethod(
        "exact",
        "the most that one team can win, by branch and bound over public states",
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
"""The methods by name."""


def get_team_method(method: str | HidingScheme | TeamMethod) -> TeamMethod:
    """Return the method of a name, in any case of letters, of a scheme, or of a row of your own.

    Raises
    ------
    UnknownNameError
        If there is none of that name.
    ParameterError
        If it is no method.

    Examples
    --------
    >>> get_team_method("Exact").name
    'exact'
    """
    if isinstance(method, HidingScheme):
        return replace(_ROWS[0], start=hide_by(method))
    return TEAM_METHODS.resolve(method)


def fill_options(method: TeamMethod, given: TeamOptions, num_teams: int = 1) -> TeamOptions:
    """Return the options given, with the method's own where nothing is.

    Where several teams learn there is one run, since none is better than another.

    Raises
    ------
    ParameterError
        If one is given that the method has no use for.
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
    """Return why an option is refused, and what to do."""
    why = REFUSALS.get((method, option))
    because = "" if why is None else f": {why}"
    having = [row.name for row in TEAM_METHODS.values() if option in row.takes]
    return (
        f"{method} has no use for {option}{because}; leave it out, or choose a method that has: "
        f"{', '.join(having)}"
    )
