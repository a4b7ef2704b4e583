"""Searching on a world graph, whether its histories fit in memory or not."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from infoset.beliefs import Belief, PublicPrivateBelief
from infoset.errors import ParameterError
from infoset.game import Infostate
from infoset.search.models._numbering import (
    number_actions,
    number_columns,
    number_infostates,
    reward_rows,
)
from infoset.search.models.graph.nodes import graph_nodes
from infoset.search.models.model import RootPositions, SearchModel
from infoset.tree import GameTree, WorldGraph
from infoset.typing import Action, LongArray, World
from infoset.utils.arguments import check_type

__all__ = ["GraphModel"]

SUM_TOLERANCE = 1e-9


class GraphModel(SearchModel):
    """A game that was explored, as searches read it.

    Parameters
    ----------
    source : GameTree or WorldGraph
        In a tree, beliefs are looked up; without one, they are found from the rules.

    Raises
    ------
    ParameterError
        If it is neither, or a world graph that is not complete.
    """

    state_size = 1

    def __init__(self, source: GameTree | WorldGraph) -> None:
        check_type(
            "source",
            source,
            (GameTree, WorldGraph),
            "a GameTree, as build_tree makes, or a WorldGraph",
        )
        self.tree = source if isinstance(source, GameTree) else None
        self.graph = source.graph if isinstance(source, GameTree) else source
        if not self.graph.is_complete:
            raise ParameterError("the world graph is partial; explore it without limits to search")
        self.game = self.graph.game
        self.arrays = graph_nodes(self.graph)

    @cached_property
    def is_zero_sum(self) -> bool:
        """Whether there are two players, and what one gets the other loses at every step."""
        sums = self.graph.rewards.sum(axis=1)
        return self.num_players == 2 and bool((abs(sums) <= SUM_TOLERANCE).all())

    def legal_actions(self, infostate: Infostate) -> tuple[Action, ...]:
        """Return the actions at an infostate."""
        world = self._belief(infostate, PublicPrivateBelief(0.0)).worlds[0]
        player = infostate.player
        chosen = self.graph.action_set[self._number[world], player]
        return self.graph.action_sets[chosen] if chosen >= 0 else ()

    def roots(
        self, infostate: Infostate, belief: PublicPrivateBelief, rng: np.random.Generator
    ) -> RootPositions:
        """Return the positions that a player believes in; `rng` is not asked."""
        held = self._belief(infostate, belief)
        if self.tree is None:
            worlds = np.array([self._number[world] for world in held.worlds])
            rewards_so_far = reward_rows(held)
            infostates = number_infostates(held, infostate)
        else:
            there = np.asarray(held.histories)
            worlds, rewards_so_far = self.tree.world[there], self.tree.rewards_so_far[there]
            own = self.tree.infostate_trees[infostate.player].index_of(infostate)
            infostates = number_columns(self.tree.infostate[there], infostate.player, own)
        states = worlds.astype(np.int64)[:, None]
        return RootPositions(
            states, np.ascontiguousarray(rewards_so_far), infostates, held.probability
        )

    def action_indices(self, infostate: Infostate, roots: RootPositions) -> LongArray:
        """Return [K, A] the number, at each root, of each action that is legal at an infostate."""
        chosen = self.graph.action_set[roots.states[:, 0], infostate.player]
        sets, place = np.unique(chosen, return_inverse=True)
        offered = [self.graph.action_sets[number] if number >= 0 else () for number in sets]
        return number_actions(offered, self.legal_actions(infostate))[place]

    def _belief(self, infostate: Infostate, belief: PublicPrivateBelief) -> Belief:
        return belief.at(self.tree or self.game, infostate)

    @cached_property
    def _number(self) -> dict[World, int]:
        return {world: number for number, world in enumerate(self.graph.worlds)}
