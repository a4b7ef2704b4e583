"""A game tree in OpenSpiel's terms, with numbered actions and separate chance moves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from infoset.errors import GameRuleError
from infoset.game import Infostate
from infoset.tree import GameTree, InfostateEncoder
from infoset.typing import Action, BoolArray, FloatArray, LongArray, Player

ActionNumber = int
"""OpenSpiel's number of an action."""


class Place(NamedTuple):
    """A position in a play.

    Attributes
    ----------
    history : int
        The last history of the game tree.
    first, last : int
        The children `first:last` among which chance chooses; both 0 if no chance move is pending.
    """

    history: int
    first: int = 0
    last: int = 0

    @property
    def is_chance(self) -> bool:
        """Whether a chance move is pending."""
        return self.first < self.last

    def __deepcopy__(self, memo: object) -> Place:
        """Return the place itself, because OpenSpiel often makes deep copies of states."""
        return self


class CompiledGame:
    """A game tree with OpenSpiel's numbers of actions.

    A transition to several world states becomes two moves: the players' move and a chance move. The
    actions of all players share one numbering, in the order of the world graph.
    """

    def __init__(self, tree: GameTree) -> None:
        self.tree = tree
        self.encoder = InfostateEncoder.from_graph(tree.graph)
        self.actions = self.encoder.actions
        self._number = {action: number for number, action in enumerate(self.actions)}

    def numbers(self, actions: Sequence[Action]) -> list[ActionNumber]:
        """Return the numbers of the given actions, in the same order."""
        return [self._number[action] for action in actions]

    def actors(self, history: int) -> list[Player]:
        """Return the players who act at a history."""
        sets = self.tree.graph.action_set[self.tree.world[history]]
        return [player for player, chosen in enumerate(sets.tolist()) if chosen >= 0]

    def legal_actions(self, history: int, player: Player) -> tuple[Action, ...]:
        """Return the actions of a player at a history, in the game's order."""
        graph = self.tree.graph
        chosen = graph.action_set[self.tree.world[history], player]
        return graph.action_sets[chosen] if chosen >= 0 else ()

    def arrive(self, history: int) -> Place:
        """Return the place of a play that has just reached a history."""
        if self.actors(history):
            return Place(history)
        first, last = self.tree.first_child[history : history + 2].tolist()
        return Place(history, first, last) if first < last else Place(history)

    def choose(self, place: Place, outcome: int) -> Place:
        """Return the place after a chance outcome."""
        return self.arrive(place.first + outcome)

    def move(self, place: Place, numbers: Mapping[Player, ActionNumber]) -> Place:
        """Return the place after the actors' actions; a chance move may be pending there."""
        graph, history = self.tree.graph, place.history
        joint = np.full(graph.num_players, -1)
        for player in self.actors(history):
            joint[player] = self._action_index(history, player, numbers[player])
        edges = slice(*graph.first_edge[self.tree.world[history] :][:2])
        taken = np.flatnonzero((graph.joint_action[edges] == joint).all(axis=1))
        first, last = (int(self.tree.first_child[history] + taken[end]) for end in (0, -1))
        return self.arrive(first) if first == last else Place(history, first, last + 1)

    def _action_index(self, history: int, player: Player, number: ActionNumber) -> int:
        legal = self.numbers(self.legal_actions(history, player))
        if number not in legal:
            raise GameRuleError(
                "every actor takes one of its legal actions",
                found=f"got action {number} of {self.tree.game}; legal actions are {sorted(legal)}",
                world=self.tree.graph.worlds[self.tree.world[history]],
                player=player,
            )
        return legal.index(number)

    def chances(self, place: Place) -> list[float]:
        """Return the probabilities of the chance outcomes."""
        edges = self.tree.edge[place.first : place.last]
        return [float(chance) for chance in self.tree.graph.probability[edges]]

    def moves_to(self, history: int) -> list[tuple[int, dict[Player, ActionNumber]]]:
        """Return the path to a history: each history and the actions that lead to it."""
        path, graph = [], self.tree.graph
        while history > 0:
            parent = int(self.tree.parent[history])
            taken = graph.joint_action[self.tree.edge[history]]
            actions = {
                player: self._number[self.legal_actions(parent, player)[taken[player]]]
                for player in self.actors(parent)
            }
            path.append((history, actions))
            history = parent
        return path[::-1]

    def is_between(self, place: Place) -> bool:
        """Return whether players have moved and the chance move after them is pending."""
        return place.is_chance and bool(self.actors(place.history))

    def returns(self, place: Place) -> FloatArray:
        """Return [N] the sum of rewards; before a chance move, the sum at the last decision.

        OpenSpiel's learners and its C++ code ignore rewards just before a chance move, so these
        rewards are paid after it.
        """
        waits = place.is_chance and not self.is_between(place)
        settled = self._decision_before(place.history) if waits else place.history
        paid: FloatArray = self.tree.rewards_so_far[settled]
        return paid

    def rewards(self, place: Place) -> FloatArray:
        """Return [N] the rewards since the last decision."""
        if place.is_chance:
            return np.zeros(self.tree.num_players)
        so_far = self.tree.rewards_so_far
        paid: FloatArray = so_far[place.history] - so_far[self._decision_before(place.history)]
        return paid

    def _decision_before(self, history: int) -> int:
        """Return the last history before this one at which a player acts, or else the root."""
        parents = self.tree.parent
        history = max(int(parents[history]), 0)
        while history > 0 and not self.actors(history):
            history = int(parents[history])
        return history

    def infostate(self, history: int, player: Player) -> Infostate:
        """Return a player's infostate at a history."""
        return self.tree.infostate_trees[player].infostate_at(
            int(self.tree.infostate[history, player])
        )

    def infostate_text(self, history: int, player: Player) -> str:
        """Return a unique text for a player's infostate at a history."""
        tree = self.tree.infostate_trees[player]
        number = int(self.tree.infostate[history, player])
        if tree.num_actions[number]:
            return f"{player}: {self._acting_labels[player][number]}"
        return f"{player}: {tree.label(number)} #{number}"

    @cached_property
    def _acting_labels(self) -> list[dict[int, str]]:
        return [
            dict(zip(tree.acting.tolist(), tree.acting_labels, strict=True))
            for tree in self.tree.infostate_trees
        ]

    @property
    def has_joint_moves(self) -> bool:
        """Whether the game has simultaneous moves."""
        return bool(((self.tree.graph.action_set >= 0).sum(axis=1) > 1).any())

    @property
    def hides_nothing(self) -> bool:
        """Whether every player always knows the history."""
        num_histories = self.tree.num_histories
        return all(tree.num_infostates == num_histories for tree in self.tree.infostate_trees)

    @cached_property
    def draws(self) -> LongArray:
        """[E] number of chance outcomes after the edge's move; 0 if there is no chance."""
        graph = self.tree.graph
        source = np.repeat(np.arange(graph.num_worlds), np.diff(graph.first_edge))
        move = np.column_stack([source, graph.joint_action])
        begins = np.ones(len(move), dtype=bool)
        begins[1:] = (move[1:] != move[:-1]).any(axis=1)
        sizes = np.diff(np.append(np.flatnonzero(begins), len(move)))
        draws: LongArray = np.repeat(sizes, sizes)
        draws[(draws == 1) & self._decides[source]] = 0
        return draws

    @cached_property
    def _decides(self) -> BoolArray:
        """[W] whether a player acts."""
        return np.asarray((self.tree.graph.action_set >= 0).any(axis=1))

    @cached_property
    def longest(self) -> tuple[int, int]:
        """The maximum numbers of decisions and of chance moves on a path."""
        tree = self.tree
        counts = np.zeros((tree.num_histories, 2), np.int64)
        for first, last in pairwise(tree.level_offsets[1:].tolist()):
            parent, edge = tree.parent[first:last], tree.edge[first:last]
            added = self._decides[tree.world[parent]], self.draws[edge] > 0
            counts[first:last] = counts[parent] + np.column_stack(added)
        decisions, chances = counts.max(axis=0).tolist()
        return decisions, chances
