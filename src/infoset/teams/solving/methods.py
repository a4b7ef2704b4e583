"""The table of methods that `solve_team` knows by name."""

from __future__ import annotations

from dataclasses import fields, replace
from types import MappingProxyType
from typing import Final, Protocol, runtime_checkable

from infoset.errors import ParameterError
from infoset.teams.hiding import HidingScheme
from infoset.teams.solving.direct import DirectMethod, find_optimum, respond_by_turns
from infoset.teams.solving.learning import LearningMethod, hide_by, minorize
from infoset.teams.solving.result import TeamResult
from infoset.teams.solving.task import TeamOptions, TeamTask
from infoset.utils.registry import Registry

__all__ = [
    "DEFAULT_TEAM_METHOD",
    "TEAM_METHODS",
    "TeamMethod",
    "fill_options",
    "get_team_method",
]

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
