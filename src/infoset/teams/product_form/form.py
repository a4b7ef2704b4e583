"""Games in product form and their information maps.

A form has an original information map, and an information map belongs to a form, so both classes
are in this module.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, TypeAlias, TypeVar

import numpy as np

from infoset.efg import ExtensiveForm, merge_intersecting
from infoset.errors import ParameterError
from infoset.teams.product_form._product_form_kernels import inherit_last
from infoset.teams.product_form.arrays import Description, ProductArrays, check_well_posed
from infoset.tree import GameTree
from infoset.typing import Action, BoolArray, IntArray, LongArray, World
from infoset.utils.arguments import check_callable, check_player, check_type
from infoset.utils.sorting import number_by_appearance

__all__ = [
    "InformationMap",
    "Prefix",
    "ProductForm",
    "RecallViolation",
    "Source",
    "Team",
    "check_cells",
    "check_form",
    "check_information",
    "check_team",
    "last_own_edges",
    "listed",
]

Team: TypeAlias = tuple[int, ...]
"""Agents with a common goal, in increasing order."""

Entry = TypeVar("Entry")


class Prefix(NamedTuple):
    """A node as functions of prefixes receive it.

    Attributes
    ----------
    outcome : Hashable
        The outcome of chance.
    actions : tuple[Action, ...]
        The actions taken since, in order, whoever took them.
    agent : int
        The agent who acts now.
    world : World
        The world state if the form was built from the rules of a game, otherwise None.
    """

    outcome: Hashable
    actions: tuple[Action, ...]
    agent: int
    world: World = None


class Source(NamedTuple):
    """The tree that a form was built from.

    Attributes
    ----------
    tree : GameTree or ExtensiveForm
    history : LongArray
        [N] the history in which each node acts.
    infostate : LongArray
        [N] the acting agent's infostate in the tree; -1 where an agent without a decision waits
        for chance to end the play.
    """

    tree: GameTree | ExtensiveForm
    history: LongArray
    infostate: LongArray


@dataclass(frozen=True, eq=False, repr=False)
class ProductForm:
    """A game in product form ⟨Ω, P, A, I, r⟩: chance moves once, then one agent acts per stage.

    Attributes
    ----------
    name : str
    agent_names : tuple[str, ...]
        [P]
    arrays : ProductArrays
        The N nodes, which are prefixes of plays, and the E edges.
    outcomes : Sequence[Hashable]
        The outcomes of chance. Outcomes that were merged into others have no nodes.
    outcome : LongArray
        [N] index into `outcomes`.
    action_sets : tuple[tuple[Action, ...], ...]
        The distinct lists of actions.
    action_set : IntArray
        [N] index into `action_sets`.
    original : IntArray
        [N] cell of the original information map, numbered by first appearance.
    private_signal : IntArray or None
        [N, P] number of the private information that each agent has received; None if unknown.
    source : Source or None
        The tree that the form was built from; None for a form written as functions.

    Raises
    ------
    GameRuleError
        If the arrays do not describe a game in product form.

    Source: B. Heymann, M. Lanctot, "Learning in games with progressive hiding", AAMAS 2025,
    Section 2. Differs from the paper: plays may have different lengths, and stages may be skipped.
    """

    name: str
    agent_names: tuple[str, ...]
    arrays: ProductArrays
    outcomes: Sequence[Hashable]
    outcome: LongArray
    action_sets: tuple[tuple[Action, ...], ...]
    action_set: IntArray
    original: IntArray
    private_signal: IntArray | None = None
    source: Source | None = None

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
        """Return the game in which agents know what another map of this form tells them.

        Raises
        ------
        ParameterError
            If `information` is not an information map of this form.
        """
        self.information.refines(information)
        return replace(self, original=information.cell)

    def legal_actions(self, node: int) -> tuple[Action, ...]:
        """Return the actions at a node, in the order of its edges."""
        return self.action_sets[self.action_set[node]]

    def path(self, node: int) -> tuple[tuple[int, Action], ...]:
        """Return the (agent, action) pairs on the way to a node."""
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
        """Return a node in words: the outcome of chance and the actions since.

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
    """Raise unless the value is a product form.

    Raises
    ------
    ParameterError
        If it is something else, such as the rules of a game; the message says how to build one.
    """
    check_type(
        "form",
        form,
        ProductForm,
        'a ProductForm, such as infoset.teams.build_product_form(infoset.load("trade_comm"))',
    )


def check_team(form: ProductForm, team: Iterable[int]) -> Team:
    """Return a team with its agents in increasing order.

    Raises
    ------
    ParameterError
        If the team is empty, or names an agent twice or one that the form does not have.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.teams import build_product_form
    >>> check_team(build_product_form(load_game("trade_comm(num_items=2)")), [1, 0])
    (0, 1)
    """
    check_form(form)
    agents = listed(team, "a team is a sequence of agents, such as (0, 1)")
    if not agents:
        raise ParameterError("the team is empty; a team has at least one agent, such as (0, 1)")
    for agent in agents:
        check_player(agent, form.num_agents, str(form))
    if len(set(agents)) < len(agents):
        raise ParameterError(f"the team {agents} names an agent twice; name each agent once")
    return tuple(sorted(map(int, agents)))


def listed(values: Iterable[Entry], rule: str) -> tuple[Entry, ...]:
    """Return values as a tuple.

    Raises
    ------
    ParameterError
        If they cannot be iterated over; the message begins with `rule`.
    """
    try:
        return tuple(values)
    except TypeError as error:
        raise ParameterError(f"{rule}, not {values!r}") from error


@dataclass(frozen=True, eq=False, repr=False)
class InformationMap:
    """What the acting agent knows at each node: it cannot tell apart the nodes of one cell.

    Attributes
    ----------
    form : ProductForm
    cell : IntArray
        [N] information-set cell of each node, from 0 to M - 1 by first appearance, and therefore
        in order of stages. The nodes of a cell have the same stage, agent and actions.
    name : str

    Raises
    ------
    ParameterError
        If the cells break these rules; the message shows two prefixes.

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
    name: str

    def __post_init__(self) -> None:
        check_cells(self.form, self.cell, self.name)
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

        Agents always know the stage and who acts, so nodes that differ in these never share a cell.

        Parameters
        ----------
        form : ProductForm
        values : Sequence[Hashable]
            [N] one value per node.
        name : str

        Raises
        ------
        ParameterError
            If the number of values is wrong, or agents would not know their legal actions.
        """
        check_form(form)
        if len(values) != form.num_nodes:
            raise ParameterError(
                f"the information map {name!r} got {len(values)} values, and {form} has "
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
        form : ProductForm
        function : callable
            From a `Prefix` to any hashable value. Agents also know the stage and who acts.
        name : str
        team : Sequence[int], optional
            The agents whose information the function gives, by default all. Other agents keep the
            original map.

        Raises
        ------
        ParameterError
            If the function reads actions after the prefix, its value is not hashable, or agents
            would not know their legal actions.

        Examples
        --------
        Everyone knows both items, and nobody remembers any message:

        >>> from infoset.games import load_game
        >>> from infoset.teams import build_product_form
        >>> form = build_product_form(load_game("trade_comm(num_items=2)"))
        >>> items = InformationMap.from_function(form, lambda prefix: prefix.world.items, "items")
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
        """[M] the acting agent."""
        return self.form.arrays.agent[self.first_node]

    @cached_property
    def stage(self) -> IntArray:
        """[M] the stage, from 0."""
        return self.form.stage[self.first_node]

    @cached_property
    def num_actions(self) -> LongArray:
        """[M] number of actions."""
        return self.form.num_actions[self.first_node]

    @cached_property
    def first_entry(self) -> LongArray:
        """[M + 1] position of each cell's first action in a flat array of probabilities."""
        return np.concatenate([[0], np.cumsum(self.num_actions)])

    @property
    def num_entries(self) -> int:
        """Number of action entries of all cells together."""
        return int(self.first_entry[-1])

    def refines(self, other: InformationMap) -> bool:
        """Return whether every cell lies in a cell of `other`.

        Raises
        ------
        ParameterError
            If `other` is not an information map, or belongs to another form.
        """
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
                "use the join of both, map.join(other)"
            )
        return other.cell[self.first_node]

    def join(self, other: InformationMap) -> InformationMap:
        """Return the coarsest map that refines both: agents know what either map tells them.

        Raises
        ------
        ParameterError
            As `refines`.
        """
        self._check_same_form(other)
        codes = self.cell.astype(np.int64) * other.num_cells + other.cell
        name = f"{self.name} and {other.name}"
        return InformationMap(self.form, number_by_appearance(codes), name)

    def meet(self, other: InformationMap) -> InformationMap:
        """Return the finest map that both refine: agents know what both maps tell them.

        Raises
        ------
        ParameterError
            As `refines`.
        """
        self._check_same_form(other)
        merged = merge_intersecting(np.stack([self.cell, other.cell], axis=1))
        return InformationMap(self.form, merged, f"common to {self.name} and {other.name}")

    def recall_violation(self, team: Sequence[int]) -> RecallViolation | None:
        """Find two prefixes which show that a team, treated as one player, lacks perfect recall.

        Only the last own action and the cell at which it was taken are compared: earlier ones are
        compared at the nodes in between.

        Parameters
        ----------
        team : Sequence[int]
            One agent tests that agent's own recall.

        Returns
        -------
        RecallViolation or None
            None if the team has perfect recall.

        Raises
        ------
        ParameterError
            If the team is invalid.
        """
        form, agents = self.form, check_team(self.form, team)
        is_own = np.isin(form.arrays.agent, agents)
        edge = last_own_edges(form, is_own)
        before = np.where(edge < 0, -1, form.node_of_edge[edge])
        knew = np.where(edge < 0, -1, self.cell[before])
        did = np.where(edge < 0, -1, edge - form.arrays.first_edge[before])
        first = self.first_node[self.cell]
        for value, rule in ((knew, CONDITION_2), (did, CONDITION_3)):
            wrong = np.flatnonzero(is_own & (value != value[first]))
            if len(wrong):
                pair = int(first[wrong[0]]), int(wrong[0])
                found = _forgotten(form, agents, pair, before[list(pair)])
                return RecallViolation(rule, pair, found)
        return None

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
                f"({other.form}) than {self.name!r} ({self.form}); build both from one form"
            )


def check_information(information: object) -> None:
    """Raise unless the value is an information map.

    Raises
    ------
    ParameterError
        If it is something else, such as a form; the message says how to get one.
    """
    check_type(
        "information", information, InformationMap, "an InformationMap, such as form.information"
    )


def check_cells(form: ProductForm, cell: IntArray, name: str) -> None:
    """Raise unless an array of cells, one per node, is an information map.

    Raises
    ------
    ParameterError
        If cells are skipped or out of order, or the nodes of one cell differ in stage, agent or
        actions; the message shows two prefixes.
    """
    check_form(form)
    is_integers = isinstance(cell, np.ndarray) and np.issubdtype(cell.dtype, np.integer)
    if not is_integers or cell.shape != (form.num_nodes,):
        raise ParameterError(
            f"cells of the information map {name!r} must be an array of {form.num_nodes} integers, "
            f"one for each node of {form}; InformationMap.from_values accepts any values"
        )
    numbers, first = np.unique(cell, return_index=True)
    _check_numbering(numbers, first, name)
    for value, what in (
        (form.stage, "the stage"),
        (form.arrays.agent, "the acting agent"),
        (form.action_set, "the set of legal actions"),
    ):
        _check_equal(form, first[cell], value, name, what)


def _check_numbering(numbers: IntArray, first: LongArray, name: str) -> None:
    if np.array_equal(numbers, np.arange(len(numbers))) and (np.diff(first) > 0).all():
        return
    missing = np.setdiff1d(np.arange(numbers[-1] + 1), numbers)
    found = f"cell {missing[0]} has no node" if len(missing) else "the order is another"
    raise ParameterError(
        f"cells of the information map {name!r} must be numbered from 0 in order of their first "
        f"nodes, and {found}; InformationMap.from_values numbers any values"
    )


def _check_equal(
    form: ProductForm, first: LongArray, value: IntArray, name: str, what: str
) -> None:
    """Raise unless each node has the value [N] of the first node [N] of its cell."""
    wrong = np.flatnonzero(value != value[first])
    if len(wrong):
        texts = [form.prefix_text(int(node)) for node in (first[wrong[0]], wrong[0])]
        raise ParameterError(
            f"the information map {name!r} has one cell for {texts[0]!r} and {texts[1]!r}, but "
            f"{what} differs between them; an agent always knows when it acts, who it is, and what "
            "its legal actions are: give these prefixes different values, for example by including "
            "prefix.actions"
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
            f"{form.prefix_text(node)!r} ({error}); return text, numbers, or tuples of them"
        ) from error
    return value


@dataclass(frozen=True)
class RecallViolation:
    """Two prefixes which show that a team does not have perfect recall.

    Attributes
    ----------
    rule : str
        The condition of perfect recall that is broken (eq. 2 or 3 of the paper).
    nodes : tuple[int, int]
    found : str
        The two prefixes in words, and what the team has forgotten.
    """

    rule: str
    nodes: tuple[int, int]
    found: str

    def __str__(self) -> str:
        return f"{self.found}. The rule: {self.rule}."


CONDITION_2 = "a team remembers what it knew whenever it acted before (condition 2)"
CONDITION_3 = "a team remembers what it did whenever it acted before (condition 3)"


def last_own_edges(form: ProductForm, is_own: BoolArray) -> LongArray:
    """Return [N] the last edge before each node that begins where `is_own` [N]; -1 if none."""
    return inherit_last(form.node_of_edge, form.arrays.parent_edge, is_own)


def _forgotten(form: ProductForm, team: Team, pair: tuple[int, int], before: LongArray) -> str:
    names = " and ".join(form.agent_names[agent] for agent in team)
    first, second = map(form.prefix_text, pair)
    ways = [_last_choice(form, *step) for step in zip(pair, before.tolist(), strict=True)]
    return (
        f"{names} cannot tell {first!r} from {second!r}, but reached the first by {ways[0]} and "
        f"the second by {ways[1]}"
    )


def _last_choice(form: ProductForm, node: int, before: int) -> str:
    """Return the last own action in words."""
    if before < 0:
        return "no action of its own"
    agent, action = form.path(node)[len(form.path(before))]
    return f"{form.agent_names[agent]}: {action} at {form.prefix_text(before)!r}"
