"""A game in product form: chance once, then stages, and what agents know as cells of prefixes."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from infoset.efg import ExtensiveForm
from infoset.teams.product_form.arrays import ProductArrays
from infoset.teams.product_form.well_posed import check_well_posed
from infoset.tree import GameTree
from infoset.typing import Action, IntArray, LongArray, World
from infoset.utils.arguments import check_type

if TYPE_CHECKING:
    from infoset.teams.information.information_map import InformationMap

__all__ = ["Prefix", "ProductForm", "Source", "check_form"]


class Prefix(NamedTuple):
    """A node, as functions on prefixes are told of it.

    Attributes
    ----------
    outcome : Hashable
        The outcome of chance.
    actions : tuple[Action, ...]
        What was chosen since, by whoever acted, in order.
    agent : int
        Who acts now.
    world : World
        The world state, where the form was made of the rules of a game; None elsewhere.
    """

    outcome: Hashable
    actions: tuple[Action, ...]
    agent: int
    world: World = None


class Source(NamedTuple):
    """What a form was made of.

    Attributes
    ----------
    tree : GameTree or ExtensiveForm
    history : LongArray
        [N] the history in which each node acts.
    infostate : LongArray
        [N] what its agent knows there, as numbered by the tree; -1 where it does not act, and only
        waits for chance to end the play.
    """

    tree: GameTree | ExtensiveForm
    history: LongArray
    infostate: LongArray


@dataclass(frozen=True, eq=False, repr=False)
class ProductForm:
    """A game in product form ⟨Ω, P, A, I, r⟩: chance once, then one agent at each stage.

    Attributes
    ----------
    name : str
    agent_names : tuple[str, ...]
        [P]
    arrays : ProductArrays
        Its N nodes, which are prefixes, and E edges.
    outcomes : Sequence[Hashable]
        The outcomes of chance; some of them may have no nodes, where others stand for them.
    outcome : LongArray
        [N] index into `outcomes`.
    action_sets : tuple[tuple[Action, ...], ...]
        The different lists of actions.
    action_set : IntArray
        [N] index into `action_sets`.
    original : IntArray
        [N] cell of what the agent who acts knows, numbered by first appearance.
    shown : IntArray or None
        [N, P] number of what chance has shown to each agent alone; None where that is not told.
    source : Source or None
        What it was made of; None for a form that was written down.

    Raises
    ------
    GameRuleError
        If the arrays are no game in product form.

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
    shown: IntArray | None = None
    source: Source | None = None

    def __post_init__(self) -> None:
        check_well_posed(self)
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
        """What agents know: the original information map."""
        from infoset.teams.information.information_map import InformationMap

        return InformationMap(self, self.original, "original")

    @cached_property
    def stage(self) -> IntArray:
        """[N] the stage of each node, from 0."""
        sizes = np.diff(self.arrays.first_node)
        return np.repeat(np.arange(self.num_stages, dtype=np.int32), sizes)

    @cached_property
    def num_actions(self) -> LongArray:
        """[N] number of actions at each node."""
        return np.diff(self.arrays.first_edge)

    @cached_property
    def node_of_edge(self) -> IntArray:
        """[E] the node that an edge begins at."""
        return np.repeat(np.arange(self.num_nodes, dtype=np.int32), self.num_actions)

    def with_original(self, information: InformationMap) -> ProductForm:
        """Return the form with another original map: another game, in which agents know that.

        Raises
        ------
        ParameterError
            If what is given is no information map of this form.
        """
        self.information.refines(information)
        return replace(self, original=information.cell)

    def legal_actions(self, node: int) -> tuple[Action, ...]:
        """Return the actions at a node, in order of its edges."""
        return self.action_sets[self.action_set[node]]

    def path(self, node: int) -> tuple[tuple[int, Action], ...]:
        """Return who chose what on the way to a node."""
        steps = []
        edge = int(self.arrays.parent_edge[node])
        while edge >= 0:
            above = int(self.node_of_edge[edge])
            action = self.legal_actions(above)[edge - int(self.arrays.first_edge[above])]
            steps.append((int(self.arrays.agent[above]), action))
            edge = int(self.arrays.parent_edge[above])
        return tuple(reversed(steps))

    def prefix(self, node: int) -> Prefix:
        """Return a node as functions on prefixes are told of it."""
        actions = tuple(action for _, action in self.path(node))
        outcome = self.outcomes[self.outcome[node]]
        return Prefix(outcome, actions, int(self.arrays.agent[node]), self._world(node))

    def prefix_text(self, node: int) -> str:
        """Return a node in words: chance's outcome, and who chose what since.

        Examples
        --------
        >>> from infoset.games import load_game
        >>> from infoset.teams import product_form
        >>> product_form(load_game("cooperative_matching_pennies")).prefix_text(2)
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
    """Raise unless a product form is given.

    Raises
    ------
    ParameterError
        If something else is, such as rules; the message says how to make one.
    """
    check_type(
        "form",
        form,
        ProductForm,
        'a ProductForm, such as infoset.teams.product_form(infoset.load("trade_comm"))',
    )
