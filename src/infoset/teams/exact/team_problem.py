"""The decision problem of one team: the nodes as the team sees them, and the others' policy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from infoset.errors import ParameterError
from infoset.teams.policies import check_probabilities
from infoset.teams.product_form._product_form_kernels import reach_nodes
from infoset.teams.product_form.form import InformationMap, Team, check_information, check_team
from infoset.teams.team import PayoffRule, team_payoff
from infoset.typing import FloatArray, LongArray
from infoset.utils.ragged import edges_in_order

RELATIVE_TOLERANCE = 1e-13
NO_CHOICE = -1
"""Cell of the nodes at which the team has no choice; there the values of all edges are added."""


class TeamTree(NamedTuple):
    """The nodes of a product form as one team sees them: N nodes, E edges, L stages."""

    first_node: LongArray
    """[L + 1] the nodes of stage l are `first_node[l]:first_node[l + 1]`."""
    cell: LongArray
    """[N] information-set cell where the team has a choice; `NO_CHOICE` elsewhere."""
    first_edge: LongArray
    """[N + 1] the edges of each node."""
    child: LongArray
    """[E] the node that an edge leads to; -1 where play ends."""
    gain: FloatArray
    """[E] the team's payoff where an edge ends play, times the probability of chance and of the
    other agents; 0 at other edges."""

    @property
    def tolerance(self) -> float:
        """Difference of values up to which they count as equal, because of rounding."""
        return RELATIVE_TOLERANCE * float(np.abs(self.gain).sum())

    @property
    def node_of_edge(self) -> LongArray:
        """[E] the node at which an edge begins."""
        return np.repeat(np.arange(len(self.cell)), np.diff(self.first_edge))

    @property
    def parent_edge(self) -> LongArray:
        """[N] the edge that leads to a node; -1 at roots."""
        parent = np.full(len(self.cell), -1, np.int64)
        inner = np.flatnonzero(self.child >= 0)
        parent[self.child[inner]] = inner
        return parent

    @property
    def stage(self) -> LongArray:
        """[N] the stage of each node."""
        return np.repeat(np.arange(len(self.first_node) - 1), np.diff(self.first_node))


def stages(tree: TeamTree) -> Iterator[slice]:
    """Iterate over the stages, as slices of nodes."""
    ends = tree.first_node.tolist()
    return map(slice, ends[:-1], ends[1:])


def merge_equivalent_roots(tree: TeamTree, equivalent: LongArray) -> tuple[TeamTree, LongArray]:
    """Merge roots with identical continuations, and add their gains.

    Parameters
    ----------
    equivalent
        [N] the node, below the first equivalent root, that represents each node.

    Returns
    -------
    tuple[TeamTree, LongArray]
        The smaller tree, and for each of its nodes the node of `tree` that it represents.
    """
    node = tree.node_of_edge
    # The edge of the same action at the node that represents the edge's node.
    edge = np.arange(len(node)) + (tree.first_edge[equivalent] - tree.first_edge[:-1])[node]
    gain = np.zeros(len(edge))
    np.add.at(gain, edge, tree.gain)
    kept = np.flatnonzero(equivalent == np.arange(len(equivalent)))
    return arrange(tree._replace(gain=gain), kept, tree.stage), kept


def pad_stages(tree: TeamTree) -> tuple[TeamTree, LongArray]:
    """Insert waiting nodes, so that no play skips a stage before it ends.

    Returns
    -------
    tuple[TeamTree, LongArray]
        The padded tree, and for each of its nodes the corresponding node of `tree`: for a waiting
        node, the next node of the play.
    """
    num_nodes, stage, parent_edge = len(tree.cell), tree.stage, tree.parent_edge
    # The stage before each node; -1 at roots, which wait from stage 0 on.
    before = np.where(parent_edge < 0, -1, stage[tree.node_of_edge[parent_edge]])
    count = stage - before - 1
    owner = np.repeat(np.arange(num_nodes), count)
    # Waiting nodes are numbered after all others, those of one owner one after another.
    first = num_nodes + np.cumsum(count) - count
    waiting = np.arange(num_nodes, num_nodes + len(owner))
    # The slice is for trees without waiting nodes.
    is_last = np.append(owner[1:] != owner[:-1], True)[: len(owner)]
    inner = tree.child >= 0
    # Edges lead to the first waiting node, and each of these to the next; the last to the owner.
    child = np.where(inner & (count[tree.child] > 0), first[tree.child], tree.child)
    padded = TeamTree(
        first_node=tree.first_node,
        cell=np.concatenate([tree.cell, np.full(len(owner), NO_CHOICE)]),
        first_edge=np.concatenate([tree.first_edge, tree.first_edge[-1] + 1 + waiting - num_nodes]),
        child=np.concatenate([child, np.where(is_last, owner, waiting + 1)]),
        gain=np.concatenate([tree.gain, np.zeros(len(owner))]),
    )
    owner_of = np.concatenate([np.arange(num_nodes), owner])
    stage_of = np.concatenate([stage, before[owner] + 1 + waiting - first[owner]])
    # By stage, and then in the order of the nodes that are waited for.
    order = np.lexsort((owner_of, stage_of))
    return arrange(padded, order, stage_of), owner_of[order]


def arrange(tree: TeamTree, nodes: LongArray, stage: LongArray) -> TeamTree:
    """Return the tree of some nodes in the given order; `stage` [N] has the stages of all nodes."""
    edge, first_edge = edges_in_order(tree.first_edge, nodes)
    # The last place is for `child` = -1, where play ends.
    rank = np.full(len(tree.cell) + 1, -1, np.int64)
    rank[nodes] = np.arange(len(nodes))
    return TeamTree(
        first_node=np.searchsorted(stage[nodes], np.arange(len(tree.first_node))),
        cell=tree.cell[nodes],
        first_edge=first_edge,
        child=rank[tree.child[edge]],
        gain=tree.gain[edge],
    )


@dataclass(frozen=True)
class TeamProblem:
    """The optimization problem of one team: its information, and the policy of the other agents."""

    information: InformationMap
    team: Team
    others: FloatArray
    """[entries] policy of the agents outside the team; entries of the team are ignored."""
    tree: TeamTree
    """The nodes as the team sees them, with the policy of the others included in the gains."""

    def policy(self, pick: LongArray) -> FloatArray:
        """Return [entries] the policy in which the team takes one action at each cell.

        pick : [M] index of the action; cells of other agents are ignored.
        """
        information = self.information
        probability = self.others.copy()
        is_own = np.isin(information.agent, self.team)
        probability[np.repeat(is_own, information.num_actions)] = 0.0
        probability[(information.first_entry[:-1] + pick)[is_own]] = 1.0
        return probability

    def value(self, probability: FloatArray) -> float:
        """Return the team's expected payoff under a policy [entries]."""
        return float(_team_reach(self.information, self.team, probability) @ self.tree.gain)


def pose_problem(
    information: InformationMap,
    team: Sequence[int] | None,
    others: FloatArray | None,
    payoff: PayoffRule | FloatArray,
) -> TeamProblem:
    """Return the decision problem of a team, by default of all agents.

    payoff : the rule for the team's payoff, or [Z] what it maximizes, at each terminal with a
    nonzero payoff.

    Raises
    ------
    ParameterError
        If an argument is invalid, or if `others` is missing although there are agents outside the
        team.
    """
    check_information(information)
    form = information.form
    agents = check_team(form, range(form.num_agents) if team is None else team)
    if others is None:
        if len(agents) < form.num_agents:
            raise ParameterError(
                f"the team {agents} leaves out agents of {form}: give their policy "
                f"as others=, an array of {information.num_entries} probabilities"
            )
        others = np.repeat(1 / information.num_actions, information.num_actions)
    check_probabilities(information, others)
    others = np.asarray(others, np.float64)
    if isinstance(payoff, str):
        payoff = team_payoff(form, agents, payoff)
    return TeamProblem(information, agents, others, _see(information, agents, others, payoff))


def _see(
    information: InformationMap, team: Team, others: FloatArray, payoff: FloatArray
) -> TeamTree:
    """Return the nodes of a form as a team sees them.

    payoff : [Z] the team's payoff at each terminal.
    """
    form, arrays = information.form, information.form.arrays
    rest = [agent for agent in range(form.num_agents) if agent not in team]
    paying = arrays.payoff_edge
    gain = np.zeros(form.num_edges)
    chance = arrays.chance[form.node_of_edge[paying]]
    gain[paying] = chance * _team_reach(information, rest, others)[paying] * payoff
    # A node with a single action is not a decision, and costs the search nothing.
    chooses = np.isin(arrays.agent, team) & (form.num_actions > 1)
    return TeamTree(
        first_node=arrays.first_node.copy(),
        cell=np.where(chooses, information.cell, NO_CHOICE).astype(np.int64),
        first_edge=arrays.first_edge.copy(),
        child=arrays.child.astype(np.int64),
        gain=gain,
    )


def _team_reach(
    information: InformationMap, team: Sequence[int], probability: FloatArray
) -> FloatArray:
    """Return [E] the product of some agents' probabilities up to and including each edge."""
    form, arrays = information.form, information.form.arrays
    is_own = np.isin(arrays.agent, team)[form.node_of_edge]
    entry = information.first_entry[information.cell][form.node_of_edge]
    # The entry of a cell's first action, plus the number of the edge at its node.
    entry += np.arange(form.num_edges) - arrays.first_edge[form.node_of_edge]
    # Reach without chance; every edge has its own probability, so nodes have their own entries.
    alone = arrays._replace(chance=np.ones(form.num_nodes))
    chosen = np.where(is_own, probability[entry], 1.0)
    return reach_nodes(alone, arrays.first_edge[:-1], chosen)[1]
