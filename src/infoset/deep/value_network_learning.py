"""Learner steps of a value network: random ranges, targets and the network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from numpy.typing import NDArray

from infoset.deep.descent import DescentSpec, descend
from infoset.deep.networks import Perceptron
from infoset.errors import UnsupportedGameError
from infoset.evaluation import TransformedValues
from infoset.forms import midranges
from infoset.resolving.lookahead import Lookahead
from infoset.resolving.range_values import LeafHistories
from infoset.tree import GameTree, InfostateEncoder
from infoset.typing import FloatArray
from infoset.utils.arguments import check_count

MAX_ENTRIES = 2**29
"""Maximum number of entries of a table in `PublicTables`: 2 GiB."""

POWERS = (0.25, 4.0)
"""Limits of the powers of uniform numbers in random ranges: entries are from nearly equal to a few
large ones."""

MISSING = 0.3
"""Probability that an infostate is missing in a range, in half of all ranges."""

EMPTY = 0.1
"""Fraction of ranges that are empty, as where a player of a search never plays to."""


@dataclass(frozen=True, kw_only=True)
class ValueNetworkSpec(DescentSpec):
    """The parameters by which a value network learns, besides those of `DescentSpec`.

    `batch_size` is the number of public states with random ranges in a learner step.
    """

    num_embedding: int = 64
    """Entries of the embedding of an infostate."""
    learning_rate: float = 3e-3
    halving_steps: float = 2000.0
    batch_size: int = 64
    hidden: tuple[int, ...] = (128, 128)
    target_rate: float = 0.01

    def __post_init__(self) -> None:
        super().__post_init__()
        check_count("num_embedding", self.num_embedding, minimum=1)


class RangeNetwork(eqx.Module):
    """A network for the values of the infostates of a public state, given the ranges there.

    An infostate is embedded, and a range is the mean of the embeddings, weighted by it. The value
    of an infostate depends on its embedding, on its player's range, and on the opponent's range as
    seen from the infostate: weighted by chance, too, which excludes hands with the same cards.
    """

    embedding: Perceptron
    """Maps the encoding of an infostate to its embedding."""
    body: Perceptron
    """Maps an embedding and two ranges to two values: one for the searches of each player."""

    def embedded(self, features: Array) -> Array:
        """Return the embeddings [..., E] of encodings [..., F]."""
        return jax.nn.relu(self.embedding.outputs(features))

    def __call__(self, features: Array, ranges: Array, joint: Array) -> Array:
        """Return [B, 2, S, 2] the values of infostates, by searching player.

        features : [B, 2, S, F] of the infostates of both players
        ranges : [B, 2, S] with sum 1, or empty; 0 for infostates that do not exist
        joint : [B, S, S] chance reach of each pair of infostates
        """
        embedded = self.embedded(features)
        own = jnp.einsum("bps,bpse->bpe", ranges, embedded)
        seen = jnp.stack(
            [
                _means(joint, ranges[:, 1], embedded[:, 1]),
                _means(joint.swapaxes(1, 2), ranges[:, 0], embedded[:, 0]),
            ],
            axis=1,
        )
        everywhere = jnp.broadcast_to(own[:, :, None], embedded.shape)
        return self.body.outputs(jnp.concatenate([embedded, everywhere, seen], axis=-1))


def _means(joint: Array, other_range: Array, embedded: Array) -> Array:
    """Return [B, S, E] the means of the opponent's embeddings [B, S, E], as seen from infostates.

    joint : [B, own, other] chance reach
    """
    total = jnp.einsum("bij,bj->bi", joint, other_range)
    sums = jnp.einsum("bij,bj,bje->bie", joint, other_range, embedded)
    is_met = total[..., None] > 0
    return jnp.where(is_met, sums / jnp.where(is_met, total[..., None], 1.0), 0.0)


class PublicTables(NamedTuple):
    """The P public states at which a player acts, padded to H histories and S infostates."""

    chance: Array
    """[P, H] chance reach; 0 for histories that do not exist."""
    position: Array
    """[P, 2, H] the infostate of each player at each history."""
    values: Array
    """[P, 2, H, n] expected utility of each player if the opponent plays each transformation, minus
    the player's midrange and divided by the unit."""
    features: Array
    """[P, 2, S, F] encodings of infostates."""
    exists: Array
    """[P, 2, S] whether there is an infostate."""
    joint: Array
    """[P, S, S] chance reach of each pair of infostates."""


class LearnerState(NamedTuple):
    """All arrays that learner steps change; as in `descend`."""

    step: Array
    network: RangeNetwork
    target: RangeNetwork
    second_moment: RangeNetwork
    loss: Array


def infostate_features(tree: GameTree) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return per player [S, F] the encodings of its infostates, without constant entries."""
    encoder = InfostateEncoder.from_graph(tree.graph)
    tables = [np.asarray(encoder.infostates(own), np.float32) for own in tree.infostate_trees]
    varies = np.ptp(np.concatenate(tables), axis=0) > 0
    first, second = (table[:, varies] for table in tables)
    return first, second


def utility_midranges(tree: GameTree) -> FloatArray:
    """Return [2] the midrange of each player's utilities, which is subtracted before training.

    Otherwise, the network would mainly learn a constant of the utilities.
    """
    return midranges(tree.rewards_so_far[tree.terminals])


def public_tables(
    values: TransformedValues, features: Sequence[NDArray[np.float32]]
) -> tuple[PublicTables, float]:
    """Return the public states at which a player acts, and the unit of values: their deviation."""
    tree = values.tree
    acting = np.flatnonzero(Lookahead.on_tree(tree, None).acts.any(axis=1)).astype(np.int32)
    states = [LeafHistories.of(tree, acting[place : place + 1]) for place in range(len(acting))]
    size = max(len(one.histories) for one in states)
    width = max(len(own) for one in states for own in one.infostates)
    num_values, num_features = len(values.transformations), features[0].shape[1]
    # Of values, of encodings, and of the reach of pairs of infostates.
    largest = max(2 * size * num_values, 2 * width * num_features, width**2)
    if len(states) * largest > MAX_ENTRIES:
        raise UnsupportedGameError(
            f"{tree} has {len(states):,} public states with up to {size:,} histories and {width:,} "
            "infostates of a player, too many for a value network; give the values themselves to "
            "the search"
        )
    middle = utility_midranges(tree)
    own_values = [values.against(player) - middle[player] for player in range(2)]
    unit = float(np.std(own_values[0])) or 1.0
    chance = np.zeros((len(states), size), np.float32)
    position = np.zeros((len(states), 2, size), np.int32)
    rows = np.zeros((len(states), 2, size, num_values), np.float32)
    encoded = np.zeros((len(states), 2, width, num_features), np.float32)
    exists = np.zeros((len(states), 2, width), bool)
    joint = np.zeros((len(states), width, width), np.float32)
    for place, one in enumerate(states):
        number = len(one.histories)
        reach = tree.chance_reach[one.histories]
        chance[place, :number] = reach / reach.max()
        np.add.at(joint[place], tuple(one.position.T), chance[place, :number])
        for player, infostates in enumerate(one.infostates):
            position[place, player, :number] = one.position[:, player]
            rows[place, player, :number] = own_values[player][one.histories] / unit
            encoded[place, player, : len(infostates)] = features[player][infostates]
            exists[place, player, : len(infostates)] = True
    arrays = (chance, position, rows, encoded, exists, joint)
    return PublicTables(*map(jnp.asarray, arrays)), unit


def initial_state(spec: ValueNetworkSpec, tables: PublicTables, key: Array) -> LearnerState:
    """Return the state before the first learner step."""
    first, second = jax.random.split(jax.random.fold_in(key, 1))
    size = spec.num_embedding
    network = RangeNetwork(
        embedding=Perceptron(tables.features.shape[-1], (size,), size, first, spec.precision),
        body=Perceptron(3 * size, spec.hidden, 2, second, spec.precision),
    )
    zeros = jax.tree.map(jnp.zeros_like, network)
    return LearnerState(jnp.zeros((), jnp.int32), network, network, zeros, jnp.zeros(()))


@eqx.filter_jit
def learner_steps(
    spec: ValueNetworkSpec, tables: PublicTables, key: Array, state: LearnerState, number: Array
) -> LearnerState:
    """Return the state after a number of learner steps."""

    def step(_: Array, here: LearnerState) -> LearnerState:
        draws = jax.random.split(jax.random.fold_in(key, 2 + here.step))
        chosen = jax.random.randint(draws[0], (spec.batch_size,), 0, len(tables.chance))
        batch = PublicTables(*(table[chosen] for table in tables))
        ranges = random_ranges(batch.exists, draws[1])
        targets, counts = response_targets(batch, ranges)

        def loss(network: RangeNetwork) -> Array:
            errors = network(batch.features, ranges, batch.joint) - targets
            return jnp.sum(counts * errors**2) / jnp.maximum(jnp.sum(counts), 1)

        value, gradient = eqx.filter_value_and_grad(loss)(here.network)
        return descend(spec, here, gradient)._replace(loss=value)

    after: LearnerState = jax.lax.fori_loop(0, number, step, state)
    return after


def random_ranges(exists: Array, key: Array) -> Array:
    """Return [B, 2, S] random ranges of infostates that exist, with sum 1 or empty."""
    power_key, draw_key, half_key, miss_key, empty_key = jax.random.split(key, 5)
    low, high = map(np.log, POWERS)
    shape = (*exists.shape[:2], 1)
    power = jnp.exp(jax.random.uniform(power_key, shape, minval=low, maxval=high))
    draws = jax.random.uniform(draw_key, exists.shape, minval=1e-6) ** power * exists
    share = MISSING * (jax.random.uniform(half_key, shape) < 0.5)
    missing = jax.random.uniform(miss_key, exists.shape) < share
    # The largest entry stays, unless the range is empty.
    kept = jnp.where(missing & (draws < draws.max(axis=-1, keepdims=True)), 0.0, draws)
    is_empty = jax.random.uniform(empty_key, shape) < EMPTY
    return jnp.where(is_empty, 0.0, kept / kept.sum(axis=-1, keepdims=True))


def response_targets(batch: PublicTables, ranges: Array) -> tuple[Array, Array]:
    """Return [B, 2, S, 2] the values of `ResponseValues`, and whether each one is defined.

    The second axis is the player who is at the infostate, the last one the searching player.
    """
    columns, defined = [], []
    width = ranges.shape[-1]
    # [B, 2, H, S]
    member = jax.nn.one_hot(batch.position, width, dtype=jnp.float32)
    reach = jnp.take_along_axis(ranges, batch.position, axis=2) * batch.chance[:, None]
    for player in range(2):
        other, rows = 1 - player, batch.values[:, player]
        sums = jnp.einsum("bhs,bh,bhn->bsn", member[:, other], reach[:, player], rows)
        choice = jnp.take_along_axis(sums.argmin(axis=-1), batch.position[:, other], axis=1)
        taken = jnp.take_along_axis(rows, choice[..., None], axis=2)[..., 0]
        # In the first column, the values of both players have the constant sum.
        theirs = batch.values[:, 0, :, 0] + batch.values[:, 1, :, 0] - taken
        by_owner = {player: (reach[:, other], taken), other: (reach[:, player], theirs)}
        means, counts = [], []
        for owner in range(2):
            weight, value = by_owner[owner]
            total = jnp.einsum("bhs,bh->bs", member[:, owner], weight)
            mean = jnp.einsum("bhs,bh,bh->bs", member[:, owner], weight, value)
            means.append(jnp.where(total > 0, mean / jnp.where(total > 0, total, 1.0), 0.0))
            counts.append(total > 0)
        columns.append(jnp.stack(means, axis=1))
        defined.append(jnp.stack(counts, axis=1))
    return jnp.stack(columns, axis=-1), jnp.stack(defined, axis=-1)
