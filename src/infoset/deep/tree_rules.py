"""Any game whose tree can be built, as a device game."""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from numpy.typing import NDArray

from infoset.deep.device_games import OVER, DeviceGame, StepEncoder
from infoset.deep.device_nodes import DeviceNodes
from infoset.game import Infostate
from infoset.policy import ActionTable
from infoset.tree import GameTree, InfostateEncoder
from infoset.tree.decision_nodes import DecisionNodes, number_infostates, unfold_tree
from infoset.typing import Action, IntArray, Player


class TreeRules(DeviceGame):
    """A game as the arrays of its tree; a state is the number of a decision node.

    An observation is the encoding of an infostate by `InfostateEncoder`, followed by a one-hot
    encoding of the action that the player has chosen in a simultaneous move, which is zero whenever
    the player acts.
    """

    nodes: DeviceNodes
    """The K nodes of the tree."""
    player: Array
    """[I] player who acts at each infostate."""
    rank: Array
    """[I, A] position of a legal action among the children of a node; -1 for illegal actions."""
    rewards_so_far: Array
    """[K, N] rewards of each player before each node."""
    row: Array
    """[K, N] row in `features` of each player's infostate."""
    features: Array
    """[S, F] encodings of the infostates of all players."""
    chosen: Array
    """[K, N] action chosen in a simultaneous move, or -1."""
    encoder: InfostateEncoder = eqx.field(static=True)
    numbers: tuple[tuple[int, ...], ...] = eqx.field(static=True)
    sizes: tuple[tuple[int, ...], ...] = eqx.field(static=True)
    """`action_numbers` and `phase_sizes`."""

    @classmethod
    def of(cls, tree: GameTree) -> TreeRules:
        """Return the rules of the game of a tree."""
        nodes, history = unfold_tree(tree)
        encoder = InfostateEncoder.from_graph(tree.graph)
        rank, features = _encode(tree, encoder)
        sizes = [own.num_infostates for own in tree.infostate_trees]
        # Infostates of all players in one table, player after player.
        row = tree.infostate[history] + np.cumsum([0, *sizes[:-1]])
        player = number_infostates(tree.sequence_form.treeplexes).player
        return cls(
            nodes=DeviceNodes.of(nodes),
            player=jnp.asarray(player, jnp.int32),
            rank=jnp.asarray(rank),
            rewards_so_far=jnp.asarray(tree.rewards_so_far[history], jnp.float32),
            row=jnp.asarray(row, jnp.int32),
            features=jnp.asarray(features),
            chosen=jnp.asarray(_chosen(nodes, history, player, rank, tree.num_players)),
            encoder=encoder,
            numbers=_by_action(tree, encoder, "number"),
            sizes=_by_action(tree, encoder, "size"),
        )

    @property
    def num_players(self) -> int:
        """Number of players."""
        return self.encoder.num_players

    @property
    def actions(self) -> tuple[Action, ...]:
        """All actions of the game."""
        return self.encoder.actions

    @property
    def action_numbers(self) -> IntArray:
        """[N, A] number of each player's actions within their phase; 0 for those of others."""
        return np.array(self.numbers, np.int32)

    @property
    def phase_sizes(self) -> IntArray:
        """[N, A] number of actions in the phase of each player's actions; 0 for those of others."""
        return np.array(self.sizes, np.int32)

    @property
    def always_legal(self) -> tuple[Action, ...]:
        """Actions that are legal at all infostates at which a player acts."""
        everywhere = (np.asarray(self.rank) >= 0).all(axis=0)
        return tuple(self.actions[column] for column in np.flatnonzero(everywhere).tolist())

    @property
    def horizon(self) -> int:
        """Maximum number of decisions."""
        return self.nodes.num_decisions

    @property
    def num_features(self) -> int:
        """Number of entries of an observation."""
        return self.encoder.size + self.num_actions

    def init(self, key: Array) -> Array:
        """Return the node after the first chance moves."""
        return self._after_chance(jnp.zeros((), jnp.int32), key)

    def actor(self, state: Array) -> Array:
        """Return the player who acts at a node."""
        return jnp.where(self.nodes.kind[state] >= 0, self.player[self.infostate(state)], OVER)

    def legal(self, state: Array) -> Array:
        """Return the actions with a child."""
        return self.rank[self.infostate(state)] >= 0

    def observe_all(self, state: Array) -> Array:
        """Return the encodings of all players' infostates."""
        choices = self.chosen[state][:, None] == jnp.arange(self.num_actions)
        return jnp.concatenate([self.features[self.row[state]], choices], axis=1, dtype=jnp.float32)

    def step(self, state: Array, action: Array, key: Array) -> tuple[Array, Array]:
        """Go to a child, and through the chance nodes after it."""
        child = self.nodes.first[state] + self.rank[self.infostate(state), action]
        after = self._after_chance(child, key)
        return after, self.rewards_so_far[after] - self.rewards_so_far[state]

    def step_encoder(self, player: Player) -> StepEncoder:
        """Return the encoding by the number of steps; a choice that is not revealed is zero."""
        return StepEncoder(0, self.encoder.after_step)

    def decode(self, observation: NDArray[np.float32]) -> Infostate:
        """Return the infostate of an encoding."""
        return self.encoder.decode(observation[: self.encoder.size])

    def infostate(self, state: Array) -> Array:
        """Return the infostate of the player who acts at a node; any one if nobody acts."""
        return jnp.maximum(self.nodes.kind[state], 0)

    def _after_chance(self, node: Array, key: Array) -> Array:
        return self.nodes.after_chance(
            node, jax.random.uniform(key, (self.nodes.num_chance_moves,))
        )


def _by_action(tree: GameTree, encoder: InfostateEncoder, what: str) -> tuple[tuple[int, ...], ...]:
    """Return by player and action its number within its phase, or the size of the phase."""
    rows = []
    for player in range(tree.num_players):
        table = ActionTable.of(tree.sequence_form, player)
        columns = np.array([encoder.actions.index(action) for action in table.actions])
        sizes = np.broadcast_to(table.phase_size[:, None], table.column.shape)
        row = np.zeros(len(encoder.actions), int)
        found = table.number if what == "number" else sizes
        row[columns[table.column[table.legal]]] = found[table.legal]
        rows.append(tuple(row.tolist()))
    return tuple(rows)


def _encode(tree: GameTree, encoder: InfostateEncoder) -> tuple[IntArray, NDArray[np.float32]]:
    """Return the ranks of actions [I, A], and the encodings of all infostates [S, F]."""
    column_of = {action: column for column, action in enumerate(encoder.actions)}
    total = sum(own.num_acting for own in tree.infostate_trees)
    rank = np.full((total, len(encoder.actions)), -1, np.int32)
    rows, infostate = [], 0
    for own in tree.infostate_trees:
        for number in own.acting.tolist():
            for place, action in enumerate(own.legal_actions(number)):
                rank[infostate, column_of[action]] = place
            infostate += 1
        rows.append(encoder.infostates(own))
    return rank, np.concatenate(rows)


def _chosen(
    nodes: DecisionNodes, history: IntArray, player: IntArray, rank: IntArray, num_players: int
) -> IntArray:
    """Return [K, N] the action that each player has chosen at a node's history, or -1."""
    chosen = np.full((len(history), num_players), -1, np.int32)
    # Children come after their parents.
    for node in np.flatnonzero(nodes.kind >= 0).tolist():
        infostate, first = nodes.kind[node], nodes.first[node]
        children = np.arange(first, first + nodes.num_children[node])
        # A child with the same history: the others have not chosen yet in a simultaneous move.
        waiting = children[history[children] == history[node]]
        chosen[waiting] = chosen[node]
        # Legal actions in the order of children; illegal ones are sorted to the end.
        actions = np.argsort(np.where(rank[infostate] >= 0, rank[infostate], rank.shape[1]))
        chosen[waiting, player[infostate]] = actions[waiting - first]
    return chosen
