"""Security levels: the payoff that a team is guaranteed, whatever the other agents do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from infoset.errors import ParameterError
from infoset.teams.exact.optimum import bound_optimum
from infoset.teams.exact.team_problem import pose_problem
from infoset.teams.product_form.form import InformationMap, check_information, check_team
from infoset.teams.team import PayoffRule, team_payoff
from infoset.typing import FloatArray
from infoset.utils.arguments import check_number

MAX_STEPS = 5_000_000
"""Steps of the search for the worst responses, a second or a few."""


class SecurityLevel(NamedTuple):
    """Bounds on the least expected payoff of a team, over all policies of the other agents."""

    lower: float
    """A payoff that the team is guaranteed."""
    upper: float
    """Some responses give the team this much; equal to `lower`, up to rounding, if the search
    proved them to be the worst."""


def security_level(
    information: InformationMap,
    team: Sequence[int],
    policy: FloatArray,
    *,
    rule: PayoffRule = "common",
    max_steps: int = MAX_STEPS,
    seconds: float | None = None,
) -> SecurityLevel:
    """Return the security level of a team: the payoff that its part of a policy guarantees.

    All other agents together respond with the joint plan that is worst for the team. They know the
    team's policy, but not its random draws. The search is that of `team_optimum`. It is exact
    within `max_steps`; always for a single responder with perfect recall, whose best response is
    the initial bound.

    Parameters
    ----------
    information
        The information of the agents.
    team
        Some of the agents, but not all.
    policy
        [entries] a policy of all agents, of which the part of the team counts.
    rule : {"common", "sum"}
        The payoff of the team: the common payoff of its agents, or the sum of their payoffs.
    max_steps
        Limit on the steps of the search, checked after every 65,536 steps.
    seconds
        Time limit of the search. If it is reached, the bounds may differ. A few passes over the
        plays are not subject to it.

    Examples
    --------
    >>> import numpy as np
    >>> from infoset.games import load_game
    >>> from infoset.teams import build_product_form
    >>> information = build_product_form(load_game("kuhn_poker(players=3)")).information
    >>> uniform = np.repeat(1 / information.num_actions, information.num_actions)
    >>> level = security_level(information, (0, 1), uniform, rule="sum")
    >>> round(level.lower, 6), round(level.upper, 6)
    (-0.635417, -0.635417)
    """
    check_information(information)
    form = information.form
    own = check_team(form, team)
    rest = [agent for agent in range(form.num_agents) if agent not in own]
    if not rest:
        raise ParameterError(f"the team {own} has all agents of {form}: nobody is left to respond")
    loss = -team_payoff(form, own, rule)
    if seconds is not None:
        check_number("seconds", seconds)
    problem = pose_problem(information, rest, policy, loss)
    least, most = bound_optimum(problem, max_steps=max_steps, seconds=seconds)
    # Negation exchanges the bounds; `max` in case rounding has put the lower one above.
    return SecurityLevel(-max(least, most), -least)
