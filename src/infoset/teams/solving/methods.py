"""The team methods that `solve_team` accepts by name."""

from __future__ import annotations

from dataclasses import fields, replace
from types import MappingProxyType
from typing import Final, Protocol, runtime_checkable

from infoset.errors import ParameterError
from infoset.teams.hiding import HidingScheme, MinorizeMaximize, ProgressiveHedging
from infoset.teams.relaxations import DEFAULT_RELAXATION
from infoset.teams.solving.direct_methods import DirectMethod, find_optimum, run_best_responses
from infoset.teams.solving.learning_methods import (
    HEDGING_PENALTY,
    HIDING_DEFAULTS,
    PENALTY,
    LearningMethod,
    hide_by,
    proximal_steps,
)
from infoset.teams.solving.portfolio import solve_in_stages
from infoset.teams.solving.result import TeamResult
from infoset.teams.solving.task import TeamOptions, TeamTask
from infoset.utils.registry import Registry

DEFAULT_TEAM_METHOD: Final = "portfolio"
LEARNING_OPTIONS = ("relax", "penalty", "iterations", "restarts", "checkpoint")
REFUSALS: Final = MappingProxyType(
    {
        ("portfolio", "checkpoint"): "the state of its exact search is not saved",
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


_HIDING: Final = LearningMethod(
    "progressive-hiding",
    "learning with relaxed information and a penalty (Heymann and Lanctot 2025, Alg. 2)",
    HIDING_DEFAULTS,
    hide_by(),
)
_ROWS: Final = (
    DirectMethod(
        DEFAULT_TEAM_METHOD,
        "exact under a cap; without a proof also progressive-hiding and iterated-best-response",
        TeamOptions(),
        frozenset({"seconds"}),
        solve_in_stages,
    ),
    _HIDING,
    LearningMethod(
        "minorize-maximize",
        "alternating proximal steps, never worse (Heymann and Lanctot 2025, Alg. 1)",
        TeamOptions(relax=DEFAULT_RELAXATION, iterations=100, restarts=10),
        proximal_steps("minorize-maximize", MinorizeMaximize, PENALTY),
    ),
    LearningMethod(
        "progressive-hedging",
        "scenarios solved separately, with multipliers (Rockafellar and Wets 1991)",
        TeamOptions(relax=DEFAULT_RELAXATION, iterations=300, restarts=10),
        proximal_steps("progressive-hedging", ProgressiveHedging, HEDGING_PENALTY),
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

    Examples
    --------
    >>> get_team_method("Exact").name
    'exact'
    """
    if isinstance(method, HidingScheme):
        return replace(_HIDING, start=hide_by(method))
    return TEAM_METHODS.resolve(method)


def default_team_method(given: TeamOptions, num_teams: int = 1) -> TeamMethod:
    """Return the default method: `portfolio`, or `progressive-hiding` where only that applies.

    It does with several teams, and with an option that concerns learning.

    Examples
    --------
    >>> (
    ...     default_team_method(TeamOptions()).name,
    ...     default_team_method(TeamOptions(restarts=2)).name,
    ... )
    ('portfolio', 'progressive-hiding')
    """
    is_learned = any(getattr(given, option) is not None for option in LEARNING_OPTIONS)
    return _HIDING if is_learned or num_teams > 1 else TEAM_METHODS[DEFAULT_TEAM_METHOD]


def fill_options(method: TeamMethod, given: TeamOptions, num_teams: int = 1) -> TeamOptions:
    """Return the given options, completed with the defaults of a method.

    With several teams the default is one run, because runs cannot be compared by a payoff; it has
    as many iterations as all runs of a single team together.

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
    if num_teams > 1 and "restarts" in method.takes:
        asked.setdefault("restarts", 1)
        # One long run instead: as many iterations as all runs of a single team.
        if method.defaults.iterations and method.defaults.restarts:
            asked.setdefault("iterations", method.defaults.iterations * method.defaults.restarts)
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
