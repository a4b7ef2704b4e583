"""The search model of an explored game, played on the nodes of its world graph."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from infoset.beliefs import Belief, PublicPrivateBelief
from infoset.errors import ParameterError
from infoset.game import Infostate
from infoset.search.models._graph_kernels import GraphNodes
from infoset.search.models.model import (
    RootPositions,
    SearchModel,
    action_indices_in,
)
from infoset.tree import GameTree, WorldGraph
from infoset.tree.counting import utility_range, world_order
from infoset.tree.decision_nodes import CHANCE_NODE, DecisionGraph, decision_graph
from infoset.tree.state_numbering import StepTable
from infoset.typing import Action, FloatArray, LongArray, World
from infoset.utils.arguments import check_type

SUM_TOLERANCE = 1e-9


class GraphModel(SearchModel):
    """The search model of an explored game.

    Parameters
    ----------
    source
        With a tree, beliefs are looked up in the tree. With a world graph alone, they are computed
        from the rules.

    Raises
    ------
    CyclicGameError
        If a world state can be reached from itself.
    """

    state_size = 1

    def __init__(self, source: GameTree | WorldGraph) -> None:
        check_type(
            "source",
            source,
            (GameTree, WorldGraph),
            "a GameTree, such as build_tree(game), or a WorldGraph",
        )
        self.tree = source if isinstance(source, GameTree) else None
        self.graph = source.graph if isinstance(source, GameTree) else source
        if not self.graph.is_complete:
            raise ParameterError(
                "the world graph is incomplete; build it with build_world_graph(game), which "
                "explores the whole game"
            )
        if self.tree is None:
            world_order(self.graph)  # a play of a game with a cycle need not end
        self.game = self.graph.game
        self.arrays = graph_nodes(self.graph)

    @cached_property
    def known_range(self) -> tuple[float, float]:
        """The smallest and the largest utility at the end of a play."""
        return utility_range(self.graph)

    @cached_property
    def is_zero_sum(self) -> bool:
        """Whether there are two players and their rewards sum to zero at every transition."""
        sums = self.graph.rewards.sum(axis=1)
        return self.num_players == 2 and bool((abs(sums) <= SUM_TOLERANCE).all())

    def legal_actions(self, infostate: Infostate) -> tuple[Action, ...]:
        """Return the legal actions at an infostate; empty if its player does not act there."""
        world = self._belief(infostate, PublicPrivateBelief(0.0)).worlds[0]
        player = infostate.player
        action_set = self.graph.action_set[self._number[world], player]
        return self.graph.action_sets[action_set] if action_set >= 0 else ()

    def roots(
        self, infostate: Infostate, belief: PublicPrivateBelief, rng: np.random.Generator
    ) -> RootPositions:
        """Return the positions of a belief. All are listed, so `rng` is not used."""
        held = self._belief(infostate, belief)
        if self.tree is None:
            worlds = np.array([self._number[world] for world in held.worlds])
        else:
            worlds = self.tree.world[np.asarray(held.histories)]
        return RootPositions(
            worlds.astype(np.int64)[:, None],
            held.rewards_so_far.copy(),  # searches write to theirs
            held.infostate_numbers(infostate),
            held.probability,
            held.model_noise,
        )

    def action_indices(self, infostate: Infostate, roots: RootPositions) -> LongArray:
        """Return [K, A] the index, at each root, of each legal action of an infostate."""
        action_set = self.graph.action_set[roots.states[:, 0], infostate.player]
        sets, place = np.unique(action_set, return_inverse=True)
        offered = [self.graph.action_sets[number] if number >= 0 else () for number in sets]
        return action_indices_in(offered, self.legal_actions(infostate))[place]

    def _belief(self, infostate: Infostate, belief: PublicPrivateBelief) -> Belief:
        return belief.at(self.tree or self.game, infostate)

    @cached_property
    def _number(self) -> dict[World, int]:
        return {world: number for number, world in enumerate(self.graph.worlds)}


def graph_nodes(graph: WorldGraph) -> GraphNodes:
    """Return the nodes of a complete world graph; simultaneous actors act one after another."""
    nodes = decision_graph(graph)
    steps = [StepTable.of_player(graph, player).of_edge for player in range(graph.num_players)]
    # The children are the transitions, in the order of the graph's edges, then the actions.
    num_choices = len(nodes.next_node) - graph.num_edges
    cumulative = _cumulative_probabilities(graph, nodes)
    return GraphNodes(
        *nodes,
        probability=np.pad(graph.probability, (0, num_choices), constant_values=1.0),
        cumulative=np.pad(cumulative, (0, num_choices), constant_values=np.inf),
        rewards=np.pad(graph.rewards, ((0, num_choices), (0, 0))),
        observations=np.pad(np.stack(steps, axis=1), ((0, num_choices), (0, 0))),
    )


def _cumulative_probabilities(graph: WorldGraph, nodes: DecisionGraph) -> FloatArray:
    """Return [E] the `cumulative` of the transitions.

    Probabilities are summed one by one in order, so that rounding is the same as in
    `draw_by_inversion`.
    """
    is_chance = nodes.actor == CHANCE_NODE
    first, counts = nodes.first_child[is_chance], nodes.num_children[is_chance]
    cumulative = graph.probability.copy()
    for rank in range(1, int(counts.max(initial=0))):
        here = first[counts > rank] + rank
        cumulative[here] += cumulative[here - 1]
    cumulative[first + counts - 1] = np.inf
    return cumulative
