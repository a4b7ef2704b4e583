"""Teams: agents who want the same, and what they are paid together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias, TypeVar

import numpy as np

from infoset.errors import ParameterError
from infoset.teams.product_form import ProductForm, check_form
from infoset.typing import FloatArray
from infoset.utils.arguments import check_player

__all__ = ["PayoffRule", "Team", "check_team", "check_teams", "team_payoff"]

Team: TypeAlias = tuple[int, ...]
"""Agents of one will, in increasing order."""

Entry = TypeVar("Entry")

PayoffRule: TypeAlias = Literal["common", "sum"]


def check_team(form: ProductForm, team: Iterable[int]) -> Team:
    """Return a team with its agents in order.

    Raises
    ------
    ParameterError
        If it is empty, has an agent twice, or one that the form does not have.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.teams import product_form
    >>> check_team(product_form(load_game("trade_comm(num_items=2)")), [1, 0])
    (0, 1)
    """
    check_form(form)
    agents = _listed(team, "a team is agents, such as (0, 1)")
    if not agents:
        raise ParameterError("a team has at least one agent; this one is empty")
    for agent in agents:
        check_player(agent, form.num_agents, str(form))
    if len(set(agents)) < len(agents):
        raise ParameterError(f"the team {agents} has an agent twice; name each once")
    return tuple(sorted(map(int, agents)))


def check_teams(form: ProductForm, teams: Iterable[Iterable[int]]) -> tuple[Team, ...]:
    """Return teams that have every agent once, each with its agents in order.

    Raises
    ------
    ParameterError
        If one is no team, or an agent is in two teams, or in none.
    """
    listed = _listed(teams, "teams are groups of agents, such as [(0, 1)]")
    checked = tuple(check_team(form, team) for team in listed)
    counts = np.bincount([agent for team in checked for agent in team], minlength=form.num_agents)
    for agent, count in enumerate(counts.tolist()):
        if count != 1:
            where = "no team" if count == 0 else f"{count} teams"
            raise ParameterError(
                f"agent {agent} of {form} is in {where} of {list(checked)}; every agent is in one: "
                f"an agent that plays for itself is a team, ({agent},)"
            )
    return checked


def _listed(values: Iterable[Entry], rule: str) -> tuple[Entry, ...]:
    try:
        return tuple(values)
    except TypeError as error:
        raise ParameterError(f"{rule}, not {values!r}") from error


def team_payoff(form: ProductForm, team: Sequence[int], rule: PayoffRule = "common") -> FloatArray:
    """Return [Z] what a team gets at each terminal that pays somebody.

    Parameters
    ----------
    form : ProductForm
    team : Sequence[int]
    rule : {"common", "sum"}
        What each of its agents gets, which must be the same for all of them; or the sum.

    Raises
    ------
    ParameterError
        If that is no team, or its agents are paid differently and the rule is `common`.
    """
    agents = list(check_team(form, team))
    if rule not in ("common", "sum"):
        raise ParameterError(f"rule={rule!r} must be 'common' or 'sum'")
    payoff = form.arrays.payoff[:, agents]
    if rule == "sum":
        return np.asarray(payoff.sum(axis=1))
    unequal = np.flatnonzero((payoff != payoff[:, :1]).any(axis=1))
    if len(unequal):
        raise ParameterError(
            f"agents {agents} of {form} are not always paid the same (once, {payoff[unequal[0]]}); "
            "for a team that wants most in total give rule='sum' (--rule sum)"
        )
    return payoff[:, 0].copy()
