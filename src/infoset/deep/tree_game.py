"""Games as arrays on the device, on which batches of episodes are played without Python."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from numpy.typing import NDArray

from infoset.deep.device_nodes import DeviceNodes
from infoset.deep.episodes import Episodes, EpisodeSource, Rows
from infoset.deep.network_inputs import TreeInput
from infoset.deep.networks import PolicyValueNetwork, legal_exp, legal_log_softmax
from infoset.deep.tree_moves import TreeMoves
from infoset.learning import Simulator, make_simulator
from infoset.policy import TabularPolicy
from infoset.tree import GameTree, InfostateEncoder
from infoset.tree.decision_nodes import TERMINAL_NODE, infostate_sequences
from infoset.typing import BoolArray, FloatArray, IntArray

ALWAYS = 2.0
"""Cumulative probability from the last legal action on; larger than all uniform draws."""


class TreeGame(Rows, EpisodeSource):
    """A two-player zero-sum game as arrays on the device, made by `make_tree_game`.

    Its rows are the I infostates of both players at which they act.
    """

    nodes: DeviceNodes
    """The K nodes of the tree."""
    reward: Array
    """[K] utility of player 0 at terminal nodes, centered and in the learner's unit; else 0."""
    rewards_so_far: Array
    """[K] rewards of player 0 before each node, in the game's own unit."""
    rank: Array
    """[I, A] position of a legal action among the children of a node."""
    moves: TreeMoves
    """The moves to the nodes, for passes through the whole tree."""

    @property
    def horizon(self) -> int:
        """Maximum number T of decisions in an episode."""
        return self.nodes.num_decisions

    @property
    def num_features(self) -> int:
        """Number F of inputs of the network."""
        return int(self.features.shape[1])

    def play(
        self, network: PolicyValueNetwork, key: Array, batch_size: int
    ) -> tuple[TreeGame, Episodes]:
        """Return a batch of episodes; their rows are all infostates of the game."""
        policy = legal_exp(self.store(network), self.legal)
        return self, play_episodes(self, policy, key, batch_size)

    def store(self, network: PolicyValueNetwork) -> Array:
        """Return [I, A] the logarithms of a network's policy at all infostates."""
        return legal_log_softmax(network(self.features)[0], self.legal)

    def log_policy(self, stored: Array, rows: Rows) -> Array:
        """Return a stored policy, whose rows are those of the game."""
        return stored


def make_tree_game(tree: GameTree, unit: float = 1.0) -> tuple[TreeGame, TreeInput, Simulator]:
    """Return a game as device arrays, how to encode its infostates, and its simulator.

    Parameters
    ----------
    tree
        A two-player constant-sum game.
    unit
        Utilities are divided by this number, after the midrange of each player is subtracted.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.tree import build_tree
    >>> game, inputs, simulator = make_tree_game(build_tree(load_game("kuhn_poker")))
    >>> game.num_rows, inputs.actions, game.horizon
    (12, ('pass', 'bet'), 3)
    """
    simulator = make_simulator(tree)
    nodes = simulator.nodes
    encoder = InfostateEncoder.from_graph(tree.graph)
    features, legal, rank = _encode(tree, encoder)
    columns = np.flatnonzero(features.min(axis=0) != features.max(axis=0)).astype(np.int32)
    ends = nodes.kind == TERMINAL_NODE
    reward = np.zeros(len(nodes.kind), np.float32)
    reward[ends] = (simulator.centered_utility()[:, 0] / unit)[nodes.first[ends]]
    game = TreeGame(
        nodes=DeviceNodes.of(nodes),
        reward=jnp.asarray(reward),
        rewards_so_far=jnp.asarray(simulator.rewards_so_far[:, 0], jnp.float32),
        player=jnp.asarray(simulator.infostates.player, jnp.int32),
        features=jnp.asarray(features[:, columns]),
        legal=jnp.asarray(legal),
        rank=jnp.asarray(rank),
        moves=TreeMoves.of(nodes, simulator.infostates.player, legal, rank),
    )
    return game, TreeInput(encoder, columns), simulator


def _encode(
    tree: GameTree, encoder: InfostateEncoder
) -> tuple[NDArray[np.float32], BoolArray, IntArray]:
    """Return the encodings, legal actions and ranks of legal actions of all infostates."""
    column_of = {action: column for column, action in enumerate(encoder.actions)}
    total = sum(own.num_acting for own in tree.infostate_trees)
    features = np.zeros((total, encoder.size), np.float32)
    legal = np.zeros((total, len(encoder.actions)), bool)
    rank = np.zeros(legal.shape, np.int32)
    row = 0
    for own in tree.infostate_trees:
        for number in own.acting.tolist():
            features[row] = encoder(own.infostate_at(number))
            for place, action in enumerate(own.legal_actions(number)):
                legal[row, column_of[action]] = True
                rank[row, column_of[action]] = place
            row += 1
    return features, legal, rank


def play_episodes(game: TreeGame, policy: Array, key: Array, batch_size: int) -> Episodes:
    """Play a batch of episodes under a policy table [I, A].

    Every step of a `lax.scan` plays one decision of each episode, and the chance moves after it, by
    gathers from the arrays of the tree.
    """
    cumulative = jnp.cumsum(policy, axis=1)
    # From the last legal action on, the sum may be rounded to less than a draw.
    later = jnp.flip(jnp.cumsum(jnp.flip(game.legal, 1), axis=1), 1) - game.legal
    cumulative = jnp.where(later > 0, cumulative, ALWAYS)
    rounds, moves = game.horizon + 1, game.nodes.num_chance_moves + 1
    draws = jax.random.uniform(key, (rounds, moves, batch_size), jnp.float32)
    root = jnp.zeros(batch_size, jnp.int32)

    def decide(node: Array, draw: Array) -> tuple[Array, Episodes]:
        kind = game.nodes.kind[node]
        valid = kind >= 0
        infostate = jnp.maximum(kind, 0)
        # One draw for the action, the others for the chance moves after it.
        action = (draw[0][:, None] >= cumulative[infostate]).sum(axis=1, dtype=jnp.int32)
        child = game.nodes.first[node] + game.rank[infostate, action]
        child = game.nodes.after_chance(jnp.where(valid, child, node), draw[1:])
        # Only the last decision of an episode leads to a terminal, where all rewards arrive.
        reward = jnp.where(valid, game.reward[child], 0.0)
        earned = game.rewards_so_far[child] - game.rewards_so_far[node]
        return child, Episodes(infostate, action, valid, reward, node, earned)

    start = game.nodes.after_chance(root, draws[0, 1:])
    _, episodes = jax.lax.scan(decide, start, draws[1:])
    return episodes


def tabular_policy(
    game: TreeGame, simulator: Simulator, policy: Array | FloatArray
) -> TabularPolicy:
    """Return a policy table [I, A] as a tabular policy."""
    legal = np.asarray(game.legal)
    table = np.asarray(policy, np.float64)
    # Actions of the network are in another order than the children of nodes.
    order = np.argsort(np.where(legal, np.asarray(game.rank), legal.shape[1]), axis=1)
    sorted_table = np.take_along_axis(table, order, axis=1)
    is_action = np.arange(legal.shape[1]) < legal.sum(axis=1, keepdims=True)
    weights = np.ones(simulator.num_sequences)
    weights[infostate_sequences(simulator.infostates)] = sorted_table[is_action]
    return simulator.policy(weights)
