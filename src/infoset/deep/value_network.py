"""Value networks: values of infostates by range, distilled from the values of histories."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from infoset.deep.critic import Critic
from infoset.deep.learner_loop import check_limits, run_learner_steps
from infoset.deep.value_network_learning import (
    RangeNetwork,
    ValueNetworkSpec,
    infostate_features,
    initial_state,
    learner_steps,
    public_tables,
    utility_midranges,
)
from infoset.errors import PolicyMismatchError
from infoset.evaluation import TransformedValues
from infoset.resolving.range_values import LeafHistories, RangeFunction, Ranges, ResponseValues
from infoset.runs import Outcome
from infoset.tree import GameTree
from infoset.typing import FloatArray, IntArray, Player
from infoset.utils.arguments import check_type


@dataclass(frozen=True, eq=False)
class ValueNetwork:
    """Values of infostates by range, estimated by a network; a `RangeValues` for re-solving."""

    network: RangeNetwork
    """The average network of training."""
    values: TransformedValues
    """The values of histories from which it was distilled."""
    unit: float
    """Scale of the network's outputs, in the game's units; each player's midrange is added."""
    features: tuple[NDArray[np.float32], NDArray[np.float32]]
    """Per player, [S, F] the encodings of its infostates."""
    settings: ValueNetworkSpec
    """How the network was trained."""
    steps: int
    """Number of learner steps done."""
    seconds: float
    """Duration of these steps, without compilation."""
    outcome: Outcome
    """Why training ended: `iterations`, `seconds`, `stopped` or `interrupted`."""
    loss: float
    """Mean squared error of the last learner step, in squares of `unit`; NaN before the first."""

    @property
    def blueprints(self) -> tuple[str, ...]:
        """Digests of the policy to which the values belong; see `TransformedValues`."""
        return self.values.blueprints

    @property
    def name(self) -> str:
        """The text that stands for the values among the settings of a search."""
        return f"value_network(steps={self.steps})"

    def tabulate(self, tree: GameTree) -> TransformedValues:
        """Return the values of histories from which the network was distilled.

        Raises
        ------
        PolicyMismatchError
            If they are for another tree.
        """
        return ResponseValues(self.values).tabulate(tree)

    @cached_property
    def _embedded(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Per player, [S, E] the embeddings of its infostates."""
        first, second = (
            np.asarray(self.network.embedded(jnp.asarray(own))) for own in self.features
        )
        return first, second

    def at_leaves(self, player: Player, leaves: IntArray) -> RangeFunction:
        """Return the estimated values at some public states, for searches of a player."""
        tree, middle = self.values.tree, utility_midranges(self.values.tree)
        there = LeafHistories.of(tree, leaves)
        shape = (len(there.infostates[0]), len(there.infostates[1]))
        chance = tree.chance_reach[there.histories].astype(np.float32)
        joint = csr_array((chance, (there.position[:, 0], there.position[:, 1])), shape)
        seen_by = joint, joint.T.tocsr()
        # Embeddings and their part of the first layer do not depend on ranges.
        embedded = [self._embedded[p][there.infostates[p]] for p in range(2)]
        weights, biases = (
            [np.asarray(layer) for layer in layers]
            for layers in (self.network.body.weights, self.network.body.biases)
        )
        # Only the output for searches of this player is needed.
        weights[-1], biases[-1] = weights[-1][:, [player]], biases[-1][[player]]
        alone, of_own, of_other = np.split(weights[0], 3)
        fixed = [own @ alone + biases[0] for own in embedded]
        leaf = [np.repeat(np.arange(len(leaves)), own) for own in there.num_infostates.T]
        members = [
            csr_array((np.ones(len(own), np.float32), (own, np.arange(len(own))))) for own in leaf
        ]

        def values_at(ranges: Ranges, owner: Player) -> FloatArray:
            other = 1 - owner
            own = means_by(members[owner], ranges[owner], embedded[owner])
            seen = means_by(seen_by[owner], ranges[other], embedded[other])
            here = fixed[owner] + (own @ of_own)[leaf[owner]] + seen @ of_other
            for weight, bias in zip(weights[1:], biases[1:], strict=True):
                here = np.maximum(here, 0.0) @ weight + bias
            found: FloatArray = here[:, 0].astype(np.float64) * self.unit + middle[owner]
            return found

        return values_at


def means_by(
    weights: csr_array, given_range: FloatArray, embedded: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Return [K, E] means of embeddings [S, E], weighted by [K, S] and a range [S]; 0 if empty."""
    # Ranges may be too small for single precision.
    largest = given_range.max(initial=0.0)
    scaled = (given_range / largest if largest > 0 else given_range).astype(np.float32)
    total, sums = weights @ scaled, weights @ (scaled[:, None] * embedded)
    found: NDArray[np.float32] = np.divide(
        sums, total[:, None], out=np.zeros_like(sums), where=total[:, None] > 0
    )
    return found


def train_value_network(
    values: TransformedValues | Critic,
    tree: GameTree | None = None,
    *,
    spec: ValueNetworkSpec | None = None,
    steps: int | None = None,
    seconds: float | None = None,
    seed: int = 0,
    callback: Callable[[int, float], object] | None = None,
) -> ValueNetwork:
    """Train a network that estimates the values of infostates at a public state by range.

    Its targets are the values of `ResponseValues` at random ranges: at each of its infostates, the
    opponent best responds with one of its continuations.

    Parameters
    ----------
    values : TransformedValues or Critic
        The values of histories, exact or estimated.
    tree
        The game's tree; needed for a critic.
    spec
        Parameters of learning and the network.
    steps
        Learner steps after which to stop; 10,000 if neither `steps` nor `seconds` is given.
    seconds
        Time limit in seconds, without compilation.
    seed
        Seed of the network's weights and of the ranges. The same seed, steps, machine and version
        of JAX give the same bits.
    callback : callable, optional
        Called with the number of steps and the last loss after every 50 steps; a true return value
        stops training, as Ctrl-C does.

    Raises
    ------
    UnsupportedGameError
        If the public states have too many histories.
    PolicyMismatchError
        If the values are for another tree.
    NumericalError
        If a loss is not finite.

    Notes
    -----
    Source: Kubíček, Burch, Lisý, arXiv 2312.15220 (2023), Section 4.3, which proposes to sample
    ranges, to compute counterfactual values from the critic, and to train on them. The distribution
    of ranges and the network are ours.

    Examples
    --------
    >>> from infoset.evaluation import transformed_values
    >>> from infoset.games import load_game
    >>> from infoset.policy import TRANSFORMATIONS, uniform_policy
    >>> from infoset.resolving import ContinualResolving
    >>> from infoset.tree import build_tree
    >>> tree = build_tree(load_game("kuhn_poker"))
    >>> blueprint = uniform_policy(tree.sequence_form)
    >>> exact = transformed_values(tree, blueprint, TRANSFORMATIONS)
    >>> network = train_value_network(exact, steps=100)  # doctest: +SKIP
    >>> search = ContinualResolving(tree, blueprint, network)  # doctest: +SKIP
    """
    check_type("values", values, (TransformedValues, Critic), "transformed_values, or a critic")
    if isinstance(values, Critic):
        check_type("tree", tree, GameTree, "the tree of the critic's game, from build_tree")
        assert tree is not None
        values = values.tabulate(tree)
    if tree is not None and tree is not values.tree:
        raise PolicyMismatchError(
            "the values belong to another tree; give that tree, or omit the argument tree"
        )
    spec = ValueNetworkSpec() if spec is None else spec
    check_type("spec", spec, ValueNetworkSpec, "a ValueNetworkSpec, such as ValueNetworkSpec()")
    check_limits(steps, seconds, seed)
    features = infostate_features(values.tree)
    tables, unit = public_tables(values, features)
    key = jax.random.key(seed)
    state, outcome, taken = run_learner_steps(
        "the value network",
        lambda: initial_state(spec, tables, key),
        lambda state, number: learner_steps(spec, tables, key, state, jnp.asarray(number)),
        steps=steps,
        seconds=seconds,
        callback=callback,
    )
    return ValueNetwork(
        network=state.target,
        values=values,
        unit=unit,
        features=features,
        settings=spec,
        steps=int(state.step),
        seconds=taken,
        outcome=outcome,
        loss=float(state.loss) if int(state.step) else np.nan,
    )
