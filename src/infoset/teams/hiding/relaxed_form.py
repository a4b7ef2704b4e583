"""Product forms with an information relaxation: the original map and a finer one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from infoset.errors import ParameterError
from infoset.teams.hiding._projection_kernels import fill_payoffs, fill_reach
from infoset.teams.hiding.arrays import Nodes, Outcomes, View
from infoset.teams.product_form import ProductForm
from infoset.teams.product_form.form import InformationMap, Team
from infoset.teams.team import PayoffRule, check_teams, team_payoff
from infoset.typing import FloatArray, IndexArray, IntArray, LongArray
from infoset.utils.arguments import check_type
from infoset.utils.sorting import number_by_appearance


@dataclass(frozen=True, eq=False)
class RelaxedForm:
    """A product form with an information relaxation for its teams, as `relax` returns it."""

    form: ProductForm
    relaxed: InformationMap
    """The relaxed map Ĩ, with M cells and S entries. It refines the original map I, with K cells
    and C entries."""
    teams: tuple[Team, ...]
    """T teams."""
    payoff: FloatArray = field(repr=False)
    """[T, Z] payoff of each team at each terminal with a nonzero payoff."""
    known: IndexArray = field(repr=False)
    """[M] the cell of the original map that contains each relaxed cell."""

    @property
    def original(self) -> InformationMap:
        """The original information map."""
        return self.form.information

    @cached_property
    def nodes(self) -> Nodes:
        """The nodes, in the format of the kernels."""
        arrays = self.form.arrays
        node = self.form.node_of_edge[arrays.payoff_edge]
        own = np.arange(self.form.num_nodes)
        above = self.form.node_of_edge[arrays.parent_edge]
        return Nodes(
            chance=arrays.chance,
            # Unsigned indices have no -1: a root is its own parent.
            parent=_indices(np.where(arrays.parent_edge < 0, own, above)),
            team=_indices(self._team_of_agent[arrays.agent]),
            payoff_node=_indices(node),
            payoff=self.payoff,
        )

    @cached_property
    def fine(self) -> View:
        """The relaxed map, in the format of the kernels."""
        return view_of(self.relaxed)

    @cached_property
    def coarse(self) -> View:
        """The original map, in the format of the kernels."""
        return view_of(self.original)

    @cached_property
    def cell_team(self) -> LongArray:
        """[M] the acting team at each relaxed cell."""
        return self._team_of_agent[self.relaxed.agent]

    @cached_property
    def coarse_team(self) -> LongArray:
        """[K] the acting team at each cell of the original map."""
        return self._team_of_agent[self.original.agent]

    @cached_property
    def outcomes(self) -> Outcomes:
        """The nodes and terminals below each outcome of chance."""
        arrays = self.form.arrays
        outcome = np.unique(self.form.outcome, return_inverse=True)[1]
        terminal_outcome = outcome[self.form.node_of_edge[arrays.payoff_edge]]
        num_payoffs = len(arrays.payoff_edge)
        # Terminal z is coded as -1 - z; those with payoff zero share the number after the last one.
        child = np.where(arrays.child < 0, -1 - num_payoffs, arrays.child).astype(np.int64)
        child[arrays.payoff_edge] = -1 - np.arange(num_payoffs)
        bounds = np.arange(outcome.max() + 2)
        # Stable sorting keeps parents before children within an outcome.
        node, terminal = (np.argsort(of, kind="stable") for of in (outcome, terminal_outcome))
        return Outcomes(
            first_node=np.searchsorted(outcome[node], bounds),
            node=_indices(node),
            first_terminal=np.searchsorted(terminal_outcome[terminal], bounds),
            terminal=_indices(terminal),
            first_edge=arrays.first_edge,
            child=child,
        )

    @cached_property
    def uniform_reach(self) -> FloatArray:
        """[N] reach of each node under uniform play."""
        return self.reach(_uniform(self.relaxed))

    def uniform_policy(self) -> FloatArray:
        """Return [C] the uniform implementable policy."""
        return _uniform(self.original)

    def lift(self, policy: FloatArray) -> FloatArray:
        """Return [S] the relaxed policy equivalent to an implementable policy [C]."""
        # Cells of both maps list the same actions, so entries of a cell differ by a constant.
        start = self.original.first_entry[self.known] - self.relaxed.first_entry[:-1]
        step: LongArray = np.repeat(start, self.relaxed.num_actions)
        lifted: FloatArray = policy[np.arange(self.relaxed.num_entries) + step]
        return lifted

    def check_policy(self, policy: FloatArray) -> None:
        """Raise unless a relaxed policy has one probability per entry.

        Raises
        ------
        ParameterError
            If the shape is wrong.
        """
        if np.shape(policy) != (self.relaxed.num_entries,):
            raise ParameterError(
                f"a policy of shape {np.shape(policy)} is not a relaxed policy of {self.form}, "
                f"which has {self.relaxed.num_entries} entries; convert an implementable policy "
                "with lift(policy)"
            )

    def reach(self, policy: FloatArray) -> FloatArray:
        """Return [N] the reach of each node under a relaxed policy [S]."""
        reach = np.empty(self.form.num_nodes)
        fill_reach(self.nodes, self.fine, policy, reach)
        return reach

    def payoffs(self, policy: FloatArray) -> FloatArray:
        """Return [T] the expected payoff of each team under a relaxed policy [S]."""
        payoffs = np.empty(len(self.teams))
        fill_payoffs(self.nodes, self.fine, policy, self.reach(policy), payoffs)
        return payoffs

    @cached_property
    def _team_of_agent(self) -> LongArray:
        team_of_agent = np.zeros(self.form.num_agents, np.int64)
        for team, agents in enumerate(self.teams):
            team_of_agent[list(agents)] = team
        return team_of_agent


def relax(
    form: ProductForm,
    relaxed: InformationMap | Sequence[InformationMap] | None = None,
    teams: Sequence[Sequence[int]] | None = None,
    *,
    rule: PayoffRule = "common",
) -> RelaxedForm:
    """Return a product form with an information relaxation for its teams.

    Parameters
    ----------
    relaxed : InformationMap or one per team, optional
        The relaxed map of each team; by default the original map.
    teams : sequence of sequences of agents, optional
        By default all agents are one team.
    rule : {"common", "sum"}
        A team's payoff: the common payoff of its agents, or the sum of their payoffs; see
        `team_payoff`.
    """
    check_type("form", form, ProductForm, "infoset.teams.build_product_form(game)")
    everybody = (tuple(range(form.num_agents)),)
    partition = check_teams(form, everybody if teams is None else teams)
    payoffs = np.array([team_payoff(form, team, rule) for team in partition])
    information = _joined(form, relaxed, partition)
    known = _indices(information.coarsened_to(form.information))
    return RelaxedForm(form, information, partition, payoffs, known)


def view_of(information: InformationMap) -> View:
    """Return an information map in the format of the kernels."""
    form = information.form
    arrays = form.arrays
    node_entry = information.first_entry[information.cell]
    # First entry of the cell, plus the number of the edge at its node.
    edge_entry = node_entry[form.node_of_edge] + np.arange(form.num_edges)
    edge_entry -= arrays.first_edge[form.node_of_edge]
    into = np.where(arrays.parent_edge < 0, 0, edge_entry[arrays.parent_edge])
    return View(
        cell=_indices(information.cell),
        entry=_indices(into),
        payoff_entry=_indices(edge_entry[arrays.payoff_edge]),
        first_entry=_indices(information.first_entry),
    )


def _uniform(information: InformationMap) -> FloatArray:
    uniform: FloatArray = np.repeat(1.0 / information.num_actions, information.num_actions)
    return uniform


def _joined(
    form: ProductForm,
    relaxed: InformationMap | Sequence[InformationMap] | None,
    teams: Sequence[Team],
) -> InformationMap:
    """Return one map that gives each team the information of its own relaxed map."""
    if relaxed is None:
        return form.information
    maps = [relaxed] * len(teams) if isinstance(relaxed, InformationMap) else list(relaxed)
    for own in maps:
        check_type("relaxed", own, InformationMap, "an information map, such as the closure")
        if own.form.arrays is not form.arrays:
            raise ParameterError(
                f"the information map {own} belongs to another form, {own.form}; build it from "
                f"the form to relax, {form}"
            )
    if len(maps) != len(teams):
        raise ParameterError(
            f"there are {len(maps)} maps for {len(teams)} teams; give one map per team"
        )
    if isinstance(relaxed, InformationMap):
        return relaxed
    codes = np.empty(form.num_nodes, np.int64)
    for agents, own in zip(teams, maps, strict=True):
        acts = np.isin(form.arrays.agent, agents)
        # Shifted past the cells of the maps before, so that no two teams share a number.
        codes[acts] = own.cell[acts] + sum(other.num_cells for other in maps[: teams.index(agents)])
    return InformationMap(form, number_by_appearance(codes), "one map per team")


def _indices(numbers: LongArray | IntArray) -> IndexArray:
    return numbers.astype(np.uint32)
