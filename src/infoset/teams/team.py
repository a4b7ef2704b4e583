"""Teams: agents with a common goal, and their payoffs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias

import numpy as np

from infoset.errors import ParameterError
from infoset.teams.product_form import ProductForm, Team, check_team, listed
from infoset.typing import FloatArray
from infoset.utils.arguments import check_choice

PayoffRule: TypeAlias = Literal["common", "sum"]
"""How a team is paid: the payoff that its agents share, or the sum of their payoffs."""


def check_teams(form: ProductForm, teams: Iterable[Iterable[int]]) -> tuple[Team, ...]:
    """Return a partition of the agents into teams, each with its agents in increasing order."""
    groups = listed(teams, "teams must be a list of groups of agents, such as [(0, 1)]")
    checked = tuple(check_team(form, team) for team in groups)
    counts = np.bincount([agent for team in checked for agent in team], minlength=form.num_agents)
    for agent, count in enumerate(counts.tolist()):
        if count != 1:
            where = "no team" if count == 0 else f"{count} teams"
            raise ParameterError(
                f"agent {agent} of {form} is in {where} of {list(checked)}; every agent must be in "
                f"exactly one team; an agent that plays alone is a team by itself, ({agent},)"
            )
    return checked


def team_payoff(form: ProductForm, team: Sequence[int], rule: PayoffRule = "common") -> FloatArray:
    """Return [Z] a team's payoff at each terminal with a nonzero payoff.

    Parameters
    ----------
    rule : {"common", "sum"}
        `common`: the payoff of one agent, which must equal that of all others in the team. `sum`:
        the sum of the payoffs of its agents.
    """
    agents = list(check_team(form, team))
    check_choice("rule", rule, ("common", "sum"))
    payoff = form.arrays.payoff[:, agents]
    if rule == "sum":
        return np.asarray(payoff.sum(axis=1))
    unequal = np.flatnonzero((payoff != payoff[:, :1]).any(axis=1))
    if len(unequal):
        raise ParameterError(
            f"the payoffs of agents {agents} of {form} differ (at one terminal they are "
            f"{payoff[unequal[0]]}); to maximize the sum of their payoffs, give "
            "rule='sum' (--rule sum)"
        )
    return payoff[:, 0].copy()
