"""Games in product form and their information maps.

Both classes are in this module because they refer to each other: a form has an original information
map, and an information map belongs to a form.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, TypeAlias, TypeVar

import numpy as np

from infoset.efg import ExtensiveForm, merge_intersecting
from infoset.errors import ParameterError
from infoset.teams.product_form.arrays import Description, ProductArrays, check_well_posed
from infoset.teams.product_form.cell_checks import check_cells
from infoset.tree import GameTree
from infoset.typing import Action, IntArray, LongArray, World
from infoset.utils.arguments import check_callable, check_player, check_type
from infoset.utils.sorting import number_by_appearance

Team: TypeAlias = tuple[int, ...]
"""Agents with a common goal, in increasing order."""

Entry = TypeVar("Entry")


class Prefix(NamedTuple):
    """A prefix of a play: the argument of functions that define information maps."""

    outcome: Hashable
    """The outcome of chance."""
    actions: tuple[Action, ...]
    """The actions of all agents since then, in order."""
    agent: int
    """The agent who acts next."""
    world: World = None
    """The world state if the form was built from the rules of a game, otherwise None."""


class Source(NamedTuple):
    """The tree that a form was built from."""

    tree: GameTree | ExtensiveForm
    history: LongArray
    """[N] the history of each node in the tree."""
    infostate: LongArray
    """[N] the acting agent's infostate in the tree; -1 at nodes that were added because chance ends
    the play before anybody acts."""


@dataclass(frozen=True, eq=False, repr=False)
class ProductForm:
    """A game in product form ⟨Ω, P, A, I, r⟩: chance moves once, then one agent acts per stage.

    Ω is the set of outcomes of chance, P the agents, A their actions, I the original information
    map, and r the payoffs.

    Raises
    ------
    GameRuleError
        If the arrays do not describe a game in product form.

    Source: B. Heymann, M. Lanctot, "Learning in games with progressive hiding", AAMAS 2025,
    Section 2. Differs from the paper: plays may have different lengths, and stages may be skipped.
    """

    name: str
    agent_names: tuple[str, ...]
    """[P]"""
    arrays: ProductArrays
    """The N nodes, each a prefix of a play, and the E edges."""
    outcomes: Sequence[Hashable]
    """The outcomes of chance. Outcomes that were merged into others have no nodes."""
    outcome: LongArray
    """[N] index into `outcomes`."""
    action_sets: tuple[tuple[Action, ...], ...]
    """The distinct lists of legal actions."""
    action_set: IntArray
    """[N] index into `action_sets`."""
    original: IntArray
    """[N] cell of the original information map, numbered by first appearance."""
    private_signal: IntArray | None = None
    """[N, P] a number that identifies the private information each agent has received so far; None
    if unknown."""
    source: Source | None = None
    """The tree that the form was built from; None for a form written as functions."""

    def __post_init__(self) -> None:
        check_well_posed(
            self.name,
            Description(
                self.arrays,
                self.num_agents,
                self.outcomes,
                self.outcome,
                self.action_sets,
                self.action_set,
                self.original,
            ),
        )
        for array in (*self.arrays, *vars(self).values()):
            if isinstance(array, np.ndarray):
                array.flags.writeable = False

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        about = f"{self.num_nodes} nodes in {self.num_stages} stages, {self.num_agents} agents"
        return f"<ProductForm {self.name}: {about}>"

    @property
    def player_names(self) -> tuple[str, ...]:
        """The names of the agents, who are the players of the game."""
        return self.agent_names

    @property
    def num_agents(self) -> int:
        """Number P of agents."""
        return len(self.agent_names)

    @property
    def num_nodes(self) -> int:
        """Number N of nodes."""
        return len(self.arrays.agent)

    @property
    def num_edges(self) -> int:
        """Number E of edges."""
        return len(self.arrays.child)

    @property
    def num_stages(self) -> int:
        """Number L of stages."""
        return len(self.arrays.first_node) - 1

    @cached_property
    def information(self) -> InformationMap:
        """The original information map I: what agents know in the game."""
        return InformationMap(self, self.original, "original")

    @cached_property
    def stage(self) -> IntArray:
        """[N] the stage of each node, from 0."""
        return self.arrays.stage

    @cached_property
    def num_actions(self) -> LongArray:
        """[N] number of actions at each node."""
        return self.arrays.num_actions

    @cached_property
    def node_of_edge(self) -> IntArray:
        """[E] the node at which an edge begins."""
        return self.arrays.node_of_edge

    def with_original(self, information: InformationMap) -> ProductForm:
        """Return the same game with another map of this form as its original information map."""
        self.information.refines(information)
        return replace(self, original=information.cell)

    def legal_actions(self, node: int) -> tuple[Action, ...]:
        """Return the actions at a node, in the order of its edges."""
        return self.action_sets[self.action_set[node]]

    def path(self, node: int) -> tuple[tuple[int, Action], ...]:
        """Return the (agent, action) pairs on the path from the root to a node."""
        steps = []
        edge = int(self.arrays.parent_edge[node])
        while edge >= 0:
            above = int(self.node_of_edge[edge])
            action = self.legal_actions(above)[edge - int(self.arrays.first_edge[above])]
            steps.append((int(self.arrays.agent[above]), action))
            edge = int(self.arrays.parent_edge[above])
        return tuple(reversed(steps))

    def prefix(self, node: int) -> Prefix:
        """Return a node as a `Prefix`."""
        actions = tuple(action for _, action in self.path(node))
        outcome = self.outcomes[self.outcome[node]]
        return Prefix(outcome, actions, int(self.arrays.agent[node]), self._world(node))

    def prefix_text(self, node: int) -> str:
        """Describe a node in words: the outcome of chance and the actions since.

        Examples
        --------
        >>> from infoset.games import load_game
        >>> from infoset.teams import build_product_form
        >>> build_product_form(load_game("cooperative_matching_pennies")).prefix_text(2)
        'outcome heads, then player 0: heads'
        """
        steps = [f"{self.agent_names[agent]}: {action}" for agent, action in self.path(node)]
        chance = f"outcome {self.outcomes[self.outcome[node]]}"
        return f"{chance}, then {', '.join(steps)}" if steps else chance

    def _world(self, node: int) -> World:
        if self.source is None or not isinstance(self.source.tree, GameTree):
            return None
        tree = self.source.tree
        world: World = tree.graph.worlds[tree.world[self.source.history[node]]]
        return world


def check_form(form: object) -> None:
    """Raise unless the value is a product form."""
    check_type(
        "form",
        form,
        ProductForm,
        'a ProductForm, such as infoset.teams.build_product_form(infoset.load("trade_comm"))',
    )


def check_team(form: ProductForm, team: Iterable[int]) -> Team:
    """Return a team with its agents in increasing order.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.teams import build_product_form
    >>> check_team(build_product_form(load_game("trade_comm(num_items=2)")), [1, 0])
    (0, 1)
    """
    check_form(form)
    agents = listed(team, "a team must be a sequence of agents, such as (0, 1)")
    if not agents:
        raise ParameterError("the team is empty; a team has at least one agent, such as (0, 1)")
    for agent in agents:
        check_player(agent, form.num_agents, str(form))
    if len(set(agents)) < len(agents):
        raise ParameterError(f"the team {agents} contains an agent twice; give each agent once")
    return tuple(sorted(map(int, agents)))


def listed(values: Iterable[Entry], rule: str) -> tuple[Entry, ...]:
    """Return values as a tuple.

    Raises
    ------
    ParameterError
        If `values` is not iterable; the message begins with `rule`.
    """
    try:
        return tuple(values)
    except TypeError as error:
        raise ParameterError(f"{rule}, not {values!r}") from error


@dataclass(frozen=True, eq=False, repr=False)
class InformationMap:
    """What the acting agent knows at each node: it cannot tell apart the nodes of one cell.

    Raises
    ------
    ParameterError
        If the cells violate these rules; the message shows two prefixes.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.teams import build_product_form
    >>> form = build_product_form(load_game("cooperative_matching_pennies"))
    >>> form.information
    <InformationMap 'original': 4 cells on 6 nodes of cooperative_matching_pennies>
    >>> form.information.cell.tolist()
    [0, 1, 2, 3, 2, 3]
    """

    form: ProductForm
    cell: IntArray
    """[N] information-set cell of each node, numbered from 0 to M - 1 by first appearance, and
    therefore in order of stages. The nodes of a cell have the same stage, agent and actions."""
    name: str

    def __post_init__(self) -> None:
        check_form(self.form)
        form = self.form
        check_cells(self.cell, self.name, form.arrays, form.action_set, form.prefix_text)
        self.cell.flags.writeable = False

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        about = f"{self.num_cells} cells on {self.form.num_nodes} nodes of {self.form}"
        return f"<InformationMap {self.name!r}: {about}>"

    @classmethod
    def from_values(
        cls, form: ProductForm, values: Sequence[Hashable], name: str
    ) -> InformationMap:
        """Return the map whose cells are the nodes with equal values.

        Agents always know the stage and who acts, so nodes that differ in one of these are in
        different cells.

        Parameters
        ----------
        values
            [N] one value per node.

        Raises
        ------
        ParameterError
            If the number of values is wrong, or agents would not know their legal actions.
        """
        check_form(form)
        if len(values) != form.num_nodes:
            raise ParameterError(
                f"the information map {name!r} has {len(values)} values, and {form} has "
                f"{form.num_nodes} nodes; give one value per node"
            )
        numbers: dict[Hashable, int] = {}
        keys = zip(form.stage.tolist(), form.arrays.agent.tolist(), values, strict=True)
        cell = [numbers.setdefault(key, len(numbers)) for key in keys]
        return cls(form, np.array(cell, np.int32), name)

    @classmethod
    def from_function(
        cls,
        form: ProductForm,
        function: Callable[[Prefix], Hashable],
        name: str,
        team: Sequence[int] | None = None,
    ) -> InformationMap:
        """Return the map whose cells are the prefixes with equal values of a function.

        Parameters
        ----------
        function : callable
            Function of a `Prefix` that returns any hashable value. Agents also know the stage and
            who acts.
        team
            The agents whose information the function defines, by default all. The information of
            other agents is that of the original map.

        Raises
        ------
        ParameterError
            If the function reads actions that are not in the prefix, returns a value that is not
            hashable, or leaves agents without knowledge of their legal actions.

        Examples
        --------
        All agents know both items, and nobody remembers any message:

        >>> from infoset.games import load_game
        >>> from infoset.teams import build_product_form
        >>> form = build_product_form(load_game("trade_comm(num_items=2)"))
        >>> items = InformationMap.from_function(
        ...     form, lambda prefix: prefix.world.items, "items"
        ... )
        >>> np.bincount(items.stage).tolist()
        [4, 4, 4, 4]
        """
        check_form(form)
        check_callable("function", function, "a function of a Prefix")
        own = range(form.num_agents) if team is None else team
        is_own = np.isin(form.arrays.agent, check_team(form, own))
        values: list[Hashable] = form.original.tolist()
        for node in np.flatnonzero(is_own).tolist():
            values[node] = _value_at(function, form, node, name)
        return cls.from_values(form, values, name)

    @property
    def num_cells(self) -> int:
        """Number M of cells."""
        return len(self.first_node)

    @cached_property
    def first_node(self) -> LongArray:
        """[M] the first node of each cell."""
        return np.unique(self.cell, return_index=True)[1]

    @cached_property
    def agent(self) -> IntArray:
        """[M] the acting agent at each cell."""
        return self.form.arrays.agent[self.first_node]

    @cached_property
    def stage(self) -> IntArray:
        """[M] the stage of each cell, from 0."""
        return self.form.stage[self.first_node]

    @cached_property
    def num_actions(self) -> LongArray:
        """[M] number of actions at each cell."""
        return self.form.num_actions[self.first_node]

    @cached_property
    def first_entry(self) -> LongArray:
        """[M + 1] the entry of each cell's first action in a flat array of probabilities."""
        return np.concatenate([[0], np.cumsum(self.num_actions)])

    @property
    def num_entries(self) -> int:
        """Number of entries: the actions of all cells."""
        return int(self.first_entry[-1])

    def refines(self, other: InformationMap) -> bool:
        """Return whether every cell is part of one cell of `other`."""
        return self._first_unequal(other) is None

    def coarsened_to(self, other: InformationMap) -> IntArray:
        """Return [M] the cell of `other` that contains each cell.

        Raises
        ------
        ParameterError
            If this map does not refine `other`; the message shows two prefixes.
        """
        pair = self._first_unequal(other)
        if pair is not None:
            first, second = map(self.form.prefix_text, pair)
            raise ParameterError(
                f"the information map {self.name!r} does not refine {other.name!r}: it has one "
                f"cell for {first!r} and {second!r}, which {other.name!r} tells apart. A "
                "relaxation must tell apart everything that the original map does: "
                "use the join of both maps, map.join(other)"
            )
        return other.cell[self.first_node]

    def join(self, other: InformationMap) -> InformationMap:
        """Return the coarsest map that refines both: agents know what either map reveals.

        Raises
        ------
        ParameterError
            In the cases that `refines` lists.
        """
        self._check_same_form(other)
        # One number for each pair of cells.
        codes = self.cell.astype(np.int64) * other.num_cells + other.cell
        name = f"{self.name} and {other.name}"
        return InformationMap(self.form, number_by_appearance(codes), name)

    def meet(self, other: InformationMap) -> InformationMap:
        """Return the finest map that both refine: agents know only what both maps reveal.

        Raises
        ------
        ParameterError
            In the cases that `refines` lists.
        """
        self._check_same_form(other)
        merged = merge_intersecting(np.stack([self.cell, other.cell], axis=1))
        return InformationMap(self.form, merged, f"common to {self.name} and {other.name}")

    def _first_unequal(self, other: InformationMap) -> tuple[int, int] | None:
        """Return two nodes in one cell here and in different cells of `other`."""
        self._check_same_form(other)
        first = self.first_node[self.cell]
        wrong = np.flatnonzero(other.cell != other.cell[first])
        return (int(first[wrong[0]]), int(wrong[0])) if len(wrong) else None

    def _check_same_form(self, other: InformationMap) -> None:
        check_information(other)
        if other.form.arrays is not self.form.arrays:
            raise ParameterError(
                f"the information map {other.name!r} belongs to another product form "
                f"({other.form}) and cannot be combined with {self.name!r} ({self.form}); build "
                "both from one form"
            )


def check_information(information: object) -> None:
    """Raise unless the value is an information map."""
    check_type(
        "information", information, InformationMap, "an InformationMap, such as form.information"
    )


def _value_at(
    function: Callable[[Prefix], Hashable], form: ProductForm, node: int, name: str
) -> Hashable:
    """Return the value of a function of prefixes at a node."""
    prefix = form.prefix(node)
    try:
        value = function(prefix)
    except IndexError as error:
        raise ParameterError(
            f"the information map {name!r} depends on the future: at stage "
            f"{form.stage[node] + 1}, for the prefix {form.prefix_text(node)!r}, the function "
            "reads an action that has not been taken yet; use only the outcome and the actions "
            "of the prefix"
        ) from error
    try:
        hash(value)
    except TypeError as error:
        raise ParameterError(
            f"the information map {name!r} gives no hashable value for the prefix "
            f"{form.prefix_text(node)!r} ({error}); return text, numbers, or tuples of these"
        ) from error
    return value
