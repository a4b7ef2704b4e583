"""What is asked of a team: to win the most, with what it knows, against what others do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from infoset.errors import ParameterError
from infoset.teams.exact.team_tree import NOBODY, TeamTree
from infoset.teams.information import InformationMap, check_information
from infoset.teams.policies import check_probabilities
from infoset.teams.product_form._kernels import reach_nodes
from infoset.teams.team import PayoffRule, Team, check_team, team_payoff
from infoset.typing import FloatArray, LongArray

__all__ = ["TeamProblem", "pose_problem"]


@dataclass(frozen=True)
class TeamProblem:
    """A team, what it knows, and what others do.

    Attributes
    ----------
    information : InformationMap
    team : Team
    others : FloatArray
        [entries] what those not of the team do; for the team itself, anything.
    tree : TeamTree
        The nodes of the form as the team sees them; what others do is in its gains.
    """

    information: InformationMap
    team: Team
    others: FloatArray
    tree: TeamTree

    def policy(self, pick: LongArray) -> FloatArray:
        """Return [entries] the policy in which the team picks an action at each cell.

        `pick` [M] counts where the team acts.
        """
        information = self.information
        probability = self.others.copy()
        is_own = np.isin(information.agent, self.team)
        probability[np.repeat(is_own, information.num_actions)] = 0.0
        probability[(information.first_entry[:-1] + pick)[is_own]] = 1.0
        return probability

    def value(self, probability: FloatArray) -> float:
        """Return what the team wins with its part of a policy [entries]."""
        return float(_team_reach(self.information, self.team, probability) @ self.tree.gain)


def pose_problem(
    information: InformationMap,
    team: Sequence[int] | None,
    others: FloatArray | None,
    rule: PayoffRule,
) -> TeamProblem:
    """Return the problem of a team; by default, of all agents.

    Raises
    ------
    ParameterError
        If one of these is not what it should be, or there are others, of whom it is not told
        what they do.
    """
    check_information(information)
    form = information.form
    agents = check_team(form, range(form.num_agents) if team is None else team)
    if others is None:
        if len(agents) < form.num_agents:
            raise ParameterError(
                f"the team {agents} does not have all agents of {form}: give others=, an array "
                f"[{information.num_entries}] of probabilities, which tells what the others do"
            )
        others = np.repeat(1 / information.num_actions, information.num_actions)
    check_probabilities(information, others)
    others = np.asarray(others, np.float64)
    payoff = team_payoff(form, agents, rule)
    return TeamProblem(information, agents, others, _see(information, agents, others, payoff))


def _see(
    information: InformationMap, team: Team, others: FloatArray, payoff: FloatArray
) -> TeamTree:
    """Return the nodes of a form as a team sees them; `payoff` [Z] is the team's."""
    form, arrays = information.form, information.form.arrays
    rest = [agent for agent in range(form.num_agents) if agent not in team]
    paying = arrays.payoff_edge
    gain = np.zeros(form.num_edges)
    chance = arrays.chance[form.node_of_edge[paying]]
    gain[paying] = chance * _team_reach(information, rest, others)[paying] * payoff
    chooses = np.isin(arrays.agent, team) & (form.num_actions > 1)
    return TeamTree(
        first_node=arrays.first_node.copy(),
        cell=np.where(chooses, information.cell, NOBODY).astype(np.int64),
        first_edge=arrays.first_edge.copy(),
        child=arrays.child.astype(np.int64),
        gain=gain,
    )


def _team_reach(
    information: InformationMap, team: Sequence[int], probability: FloatArray
) -> FloatArray:
    """Return [E] how likely agents choose each edge and all above, by a policy [entries]."""
    form, arrays = information.form, information.form.arrays
    is_own = np.isin(arrays.agent, team)[form.node_of_edge]
    entry = information.first_entry[information.cell][form.node_of_edge]
    entry += np.arange(form.num_edges) - arrays.first_edge[form.node_of_edge]
    alone = arrays._replace(chance=np.ones(form.num_nodes))
    chosen = np.where(is_own, probability[entry], 1.0)
    return reach_nodes(alone, arrays.first_edge[:-1], chosen)[1]
