"""A game tree in OpenSpiel's terms, with numbered actions and separate chance moves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import groupby, pairwise
from typing import NoReturn, TypeAlias

import numpy as np

from infoset.errors import GameRuleError
from infoset.game import Infostate
from infoset.interop.openspiel.states import CHANCE_MOVES, NOBODY_MOVES, PLAYERS_MOVE
from infoset.tree import GameTree, InfostateEncoder
from infoset.typing import Action, BoolArray, FloatArray, IntArray, LongArray, Player

ActionNumber: TypeAlias = int
"""OpenSpiel's number of an action."""

Position: TypeAlias = int
"""A position in a play.

Below the number of histories H, it is a history of the tree. H + c stands for the chance move that
leads to history c or one of its next siblings, after players have moved.
"""

Span: TypeAlias = tuple[int, int]
"""The first of some children of a history, counted from its first child, and the end."""


class CompiledGame:
    """A game tree with OpenSpiel's numbers of actions.

    A transition to several world states becomes two moves: the players' move and a chance move. The
    actions of all players share one numbering, in the order of the world graph.

    OpenSpiel's algorithms ask each state many small questions, so the answers are looked up by
    position or world state. Memory views return Python integers, several times as fast as arrays.

    Attributes
    ----------
    tree : GameTree
    encoder : InfostateEncoder
    actions : tuple[Action, ...]
        The actions by number.
    mover : memoryview
        [2 H] the acting player at each position, or OpenSpiel's constant for other positions.
    """

    def __init__(self, tree: GameTree) -> None:
        graph = tree.graph
        self.tree = tree
        self.encoder = InfostateEncoder.from_graph(graph)
        self.actions = self.encoder.actions
        self._number = {action: number for number, action in enumerate(self.actions)}
        self._legal = [sorted(self.numbers(actions)) for actions in graph.action_sets]
        self._num_histories = tree.num_histories
        self.mover = self._movers().data
        self._world = tree.world.data
        self._first_child = tree.first_child.data
        players = range(tree.num_players)
        self._action_set = [graph.action_set[:, p].copy().data for p in players]
        self._infostate = [np.ascontiguousarray(tree.infostate[:, p]).data for p in players]
        self._texts: list[dict[int, str]] = [{} for _ in players]
        self._spans: list[Mapping[object, Span] | None] = [None] * graph.num_worlds
        self._shared_spans: dict[bytes, Mapping[object, Span]] = {}

    def _movers(self) -> IntArray:
        """Return [2 H] the acting player, or OpenSpiel's constant for other positions."""
        graph = self.tree.graph
        acts = graph.action_set >= 0
        num_actors = acts.sum(axis=1)
        passive = np.where(np.diff(graph.first_edge) > 0, CHANCE_MOVES, NOBODY_MOVES)
        movers = np.where(num_actors > 0, acts.argmax(axis=1), passive)
        movers[num_actors > 1] = PLAYERS_MOVE
        # Behind the histories: the chance moves after players have moved; see `Position`.
        between = np.full(self._num_histories, CHANCE_MOVES)
        return np.concatenate([movers[self.tree.world], between]).astype(np.int32)

    def numbers(self, actions: Sequence[Action]) -> list[ActionNumber]:
        """Return the numbers of the given actions, in the same order."""
        return [self._number[action] for action in actions]

    def actors(self, history: int) -> list[Player]:
        """Return the players who act at a history."""
        sets = self.tree.graph.action_set[self.tree.world[history]]
        return [player for player, chosen in enumerate(sets.tolist()) if chosen >= 0]

    def legal_actions(self, history: int, player: Player) -> tuple[Action, ...]:
        """Return the actions of a player at a history, in the game's order."""
        return self.tree.graph.legal_actions(self.tree.world[history], player)

    def legal_numbers(self, position: Position, player: Player) -> list[ActionNumber]:
        """Return the numbers of a player's actions at a position, sorted."""
        chosen = self._action_set[player][self._world[position]]
        return self._legal[chosen] if chosen >= 0 else []

    def is_between(self, position: Position) -> bool:
        """Return whether players have moved and the chance move after them is pending."""
        return position >= self._num_histories

    def history(self, position: Position) -> int:
        """Return the last history of the tree that a play has reached."""
        if position < self._num_histories:
            return position
        return int(self.tree.parent[position - self._num_histories])

    def first_outcome(self, position: Position) -> int:
        """Return the history after the first outcome of a chance move."""
        if position < self._num_histories:
            return self._first_child[position]
        return position - self._num_histories

    def move(self, position: Position, action: ActionNumber | tuple[ActionNumber, ...]) -> Position:
        """Return the position after an action, or after the actions of all players."""
        world = self._world[position]
        spans = self._spans[world]
        if spans is None:
            spans = self._spans[world] = self._spans_at(world)
        span = spans.get(action)
        if span is None:  # OpenSpiel may give any number to players who do not act
            span = spans.get(self._without_idle(position, action))
        if span is None:
            self._refuse(position, action)
        first = self._first_child[position] + span[0]
        # Several children are the outcomes of a chance move after the action.
        return first if span[1] - span[0] == 1 else self._num_histories + first

    def _spans_at(self, world: int) -> Mapping[object, Span]:
        """Return the children after each action, or after each tuple of actions.

        Worlds with the same legal actions and numbers of outcomes share the result.
        """
        graph = self.tree.graph
        edges = slice(*graph.first_edge[world : world + 2].tolist())
        sets, moves = graph.action_set[world], graph.joint_action[edges]
        key = sets.tobytes() + moves.tobytes()
        if key not in self._shared_spans:
            self._shared_spans[key] = self._new_spans(sets.tolist(), moves.tolist())
        return self._shared_spans[key]

    def _new_spans(self, sets: list[int], moves: list[list[int]]) -> Mapping[object, Span]:
        legal = [self.tree.graph.action_sets[chosen] if chosen >= 0 else () for chosen in sets]
        spans: dict[object, Span] = {}
        # Edges are sorted by joint action, so that its outcomes are next to each other.
        for joint, group in groupby(enumerate(moves), key=lambda child: child[1]):
            offsets = [offset for offset, _ in group]
            taken = [
                self._number[actions[index]] if actions else 0
                for actions, index in zip(legal, joint, strict=True)
            ]
            actors = [player for player, actions in enumerate(legal) if actions]
            action = tuple(taken) if len(actors) > 1 else taken[actors[0]]
            spans[action] = offsets[0], offsets[-1] + 1
        return spans

    def _without_idle(self, position: Position, action: object) -> object:
        """Return a tuple of actions with 0 for the players who do not act."""
        if not isinstance(action, tuple):
            return action
        actors = self.actors(position)
        return tuple(number if p in actors else 0 for p, number in enumerate(action))

    def _refuse(
        self, position: Position, action: ActionNumber | tuple[ActionNumber, ...]
    ) -> NoReturn:
        """Raise the error for the first action that is not legal."""
        actors = self.actors(position)
        chosen = action if isinstance(action, tuple) else dict.fromkeys(actors, action)
        for player in actors:
            legal = self.legal_numbers(position, player)
            if chosen[player] not in legal:
                break
        raise GameRuleError(
            "every actor takes one of its legal actions",
            found=f"got action {chosen[player]} of {self.tree.game}; legal actions are {legal}",
            world=self.tree.graph.worlds[self.tree.world[position]],
            player=player,
        )

    def chances(self, position: Position) -> list[float]:
        """Return the probabilities of the chance outcomes."""
        graph, first = self.tree.graph, self.first_outcome(position)
        edge = int(self.tree.edge[first])
        chances: list[float] = graph.probability[edge : edge + int(self.draws[edge])].tolist()
        return chances

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

    def returns(self, position: Position) -> list[float]:
        """Return [N] the sum of rewards; before a chance move, the sum at the last decision.

        OpenSpiel's learners and its C++ code ignore rewards just before a chance move, so these
        rewards are paid after it.
        """
        history = self.history(position)
        if history == position and self.mover[position] == CHANCE_MOVES:
            history = self._decision_before(history)
        paid: list[float] = self.tree.rewards_so_far[history].tolist()
        return paid

    def rewards(self, position: Position) -> list[float]:
        """Return [N] the rewards since the last decision; zeros before a chance move."""
        if self.mover[position] == CHANCE_MOVES:
            return [0.0] * self.tree.num_players
        so_far = self.tree.rewards_so_far
        paid: FloatArray = so_far[position] - so_far[self._decision_before(position)]
        rewards: list[float] = paid.tolist()
        return rewards

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
        number = self._infostate[player][history]
        texts = self._texts[player]
        if number not in texts:
            texts[number] = self._infostate_text(player, number)
        return texts[number]

    def _infostate_text(self, player: Player, number: int) -> str:
        tree = self.tree.infostate_trees[player]
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
        # Runs of equal rows are the outcomes of one move.
        begins = np.ones(len(move), dtype=bool)
        begins[1:] = (move[1:] != move[:-1]).any(axis=1)
        sizes = np.diff(np.append(np.flatnonzero(begins), len(move)))
        draws: LongArray = np.repeat(sizes, sizes)
        # A single outcome is a chance move only where no player has moved.
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
