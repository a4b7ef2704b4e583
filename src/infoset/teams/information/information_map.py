"""What agents know, as a value: cells of the nodes of a product form."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from infoset.efg import merge_intersecting
from infoset.errors import ParameterError
from infoset.teams.information.checks import asked, check_cells
from infoset.teams.information.recall import RecallViolation, find_recall_violation
from infoset.teams.product_form import Prefix, ProductForm, check_form
from infoset.teams.team import check_team
from infoset.typing import IntArray, LongArray
from infoset.utils.arguments import check_callable, check_type
from infoset.utils.sorting import number_by_appearance

__all__ = ["InformationMap", "check_information"]


@dataclass(frozen=True, eq=False, repr=False)
class InformationMap:
    """What whoever acts knows at each node: prefixes of one cell are the same to it.

    Attributes
    ----------
    form : ProductForm
    cell : IntArray
        [N] cell of each node, from 0 to M - 1 by first appearance; so they go by stages. Nodes
        of one cell have the same stage, agent and actions.
    name : str

    Raises
    ------
    ParameterError
        If the cells are not of that kind; two prefixes show where.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.teams import product_form
    >>> form = product_form(load_game("cooperative_matching_pennies"))
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
        """Return the map by which nodes with equal values, [N], are the same to an agent.

        Stage and agent are always known: values tell nodes apart within them.

        Raises
        ------
        ParameterError
            If there are not as many values as nodes, or agents cannot know what they may do.
        """
        check_form(form)
        if len(values) != form.num_nodes:
            raise ParameterError(
                f"got {len(values)} values for the information map {name!r}; {form} has "
                f"{form.num_nodes} nodes: give one for each"
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
        """Return the map by which prefixes with equal values of a function are the same.

        Parameters
        ----------
        form : ProductForm
        function : callable
            From a `Prefix` to any hashable value. Stage and agent are always known.
        name : str
        team : Sequence[int], optional
            Whose map it is; other agents know what they know in the game. By default all.

        Raises
        ------
        ParameterError
            If the function depends on the future, its values cannot be compared, or agents
            cannot know what they may do.

        Examples
        --------
        Each is told the other's item, and has forgotten all words.

        >>> from infoset.games import load_game
        >>> from infoset.teams import product_form
        >>> form = product_form(load_game("trade_comm(num_items=2)"))
        >>> told = InformationMap.from_function(form, lambda prefix: prefix.world.items, "told")
        >>> np.bincount(told.stage).tolist()
        [4, 4, 4, 4]
        """
        check_form(form)
        check_callable("function", function, "a function of a Prefix")
        own = range(form.num_agents) if team is None else team
        is_own = np.isin(form.arrays.agent, check_team(form, own))
        values: list[Hashable] = form.original.tolist()
        for node in np.flatnonzero(is_own).tolist():
            values[node] = asked(function, form, node, name)
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
        """[M] who acts."""
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
        """[M + 1] where the actions of each cell begin in a flat array of probabilities."""
        return np.concatenate([[0], np.cumsum(self.num_actions)])

    @property
    def num_entries(self) -> int:
        """Number of actions of all cells together."""
        return int(self.first_entry[-1])

    def refines(self, other: InformationMap) -> bool:
        """Return whether who knows the cell here always knows that of `other`, too.

        Raises
        ------
        ParameterError
            If `other` is no information map, or one of another form.
        """
        return self._first_unequal(other) is None

    def coarsened_to(self, other: InformationMap) -> IntArray:
        """Return [M] the cell of `other` that each cell lies in.

        Raises
        ------
        ParameterError
            If this map does not refine `other`; two prefixes show it.
        """
        pair = self._first_unequal(other)
        if pair is not None:
            first, second = map(self.form.prefix_text, pair)
            raise ParameterError(
                f"the information map {self.name!r} does not refine {other.name!r}: it has one "
                f"cell for {first!r} and {second!r}, which {other.name!r} tells apart. A map that "
                "relaxes another tells apart all that the other does: give the join of both, "
                "map.join(other)"
            )
        return other.cell[self.first_node]

    def join(self, other: InformationMap) -> InformationMap:
        """Return the coarsest map that refines both: who acts knows what each of them tells.

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
        """Return the finest map that both refine: who acts knows what follows from either.

        Raises
        ------
        ParameterError
            As `refines`.
        """
        self._check_same_form(other)
        merged = merge_intersecting(np.stack([self.cell, other.cell], axis=1))
        return InformationMap(self.form, merged, f"common to {self.name} and {other.name}")

    def recall_violation(self, team: Sequence[int]) -> RecallViolation | None:
        """Find two prefixes that show that a team, taken for one, does not remember all.

        Parameters
        ----------
        team : Sequence[int]
            Agents; one alone for its own recall.

        Returns
        -------
        RecallViolation or None
            None where the team has perfect recall: whenever it acts, all that it knew and did
            before follows from what it knows.

        Raises
        ------
        ParameterError
            If that is no team.
        """
        return find_recall_violation(self.form, self.cell, check_team(self.form, team))

    def _first_unequal(self, other: InformationMap) -> tuple[int, int] | None:
        """Return two nodes of one cell here and different ones in `other`."""
        self._check_same_form(other)
        first = self.first_node[self.cell]
        wrong = np.flatnonzero(other.cell != other.cell[first])
        return (int(first[wrong[0]]), int(wrong[0])) if len(wrong) else None

    def _check_same_form(self, other: InformationMap) -> None:
        check_information(other)
        if other.form.arrays is not self.form.arrays:
            raise ParameterError(
                f"the information map {other.name!r} is of another product form ({other.form}) "
                f"than {self.name!r} ({self.form}); make both of one form"
            )


def check_information(information: object) -> None:
    """Raise unless an information map is given.

    Raises
    ------
    ParameterError
        If something else is, such as a form; the message says how to make one.
    """
    check_type(
        "information",
        information,
        InformationMap,
        "an InformationMap, such as form.information",
    )
