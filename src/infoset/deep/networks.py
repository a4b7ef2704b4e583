"""Networks for the policies and values of both players."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import sqrt
from typing import Self

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from numpy.typing import NDArray

ILLEGAL = -1e30
"""Logit of illegal actions: finite, so that no difference of logits is NaN."""

HEAD_SCALE = 0.1
"""Relative scale of the initial weights of the head: early policies are close to uniform."""


class Perceptron(eqx.Module):
    """A multilayer perceptron with ReLUs."""

    weights: tuple[Array, ...]
    """Per layer, [inputs, outputs]."""
    biases: tuple[Array, ...]
    """Per layer, [outputs]."""
    precision: str = eqx.field(static=True)
    """Type of the numbers in which the layers are computed, `float32` or `bfloat16`; weights and
    outputs are always `float32`."""

    def __init__(
        self,
        num_features: int,
        hidden: tuple[int, ...],
        num_outputs: int,
        key: Array,
        precision: str = "float32",
    ):
        sizes = (num_features, *hidden, num_outputs)
        weights, biases = [], []
        for layer, (inputs, outputs) in enumerate(pairwise(sizes)):
            scale = HEAD_SCALE if layer == len(hidden) else sqrt(2.0)
            draws = jax.random.normal(jax.random.fold_in(key, layer), (inputs, outputs))
            weights.append((draws * scale / sqrt(inputs)).astype(jnp.float32))
            biases.append(jnp.zeros(outputs, jnp.float32))
        self.weights, self.biases, self.precision = tuple(weights), tuple(biases), precision

    def filled(
        self, weights: Sequence[NDArray[np.float32]], biases: Sequence[NDArray[np.float32]]
    ) -> Self:
        """Return the network with other weights and biases, one array per layer."""
        filled: Self = eqx.tree_at(
            lambda module: (module.weights, module.biases),
            self,
            (tuple(map(jnp.asarray, weights)), tuple(map(jnp.asarray, biases))),
        )
        return filled

    def outputs(self, features: Array) -> Array:
        """Return the outputs [R, O] for features [R, F]."""
        here = features.astype(self.precision)
        layers = list(zip(self.weights, self.biases, strict=True))
        for number, (weight, bias) in enumerate(layers, start=1):
            here = here @ weight.astype(self.precision) + bias.astype(self.precision)
            here = jax.nn.relu(here) if number < len(layers) else here
        return here.astype(jnp.float32)


class PolicyValueNetwork(Perceptron):
    """A network for the policies and values of both players.

    The input encodes the acting player's infostate, including the player. The output is one logit
    per action, and the value for the acting player.
    """

    def __init__(
        self,
        num_features: int,
        hidden: tuple[int, ...],
        num_actions: int,
        key: Array,
        precision: str = "float32",
    ):
        super().__init__(num_features, hidden, num_actions + 1, key, precision)

    def __call__(self, features: Array) -> tuple[Array, Array]:
        """Return logits [R, A] and values [R] for features [R, F]."""
        outputs = self.outputs(features)
        return outputs[:, :-1], outputs[:, -1]


def legal_log_softmax(logits: Array, legal: Array) -> Array:
    """Return [R, A] log probabilities of the legal actions; 0 for illegal ones.

    logits : [R, A]
    legal : [R, A] True for legal actions.
    """
    log_policy = jax.nn.log_softmax(jnp.where(legal, logits, ILLEGAL), axis=-1)
    # The zeros keep sums of policy times logarithm free of NaN, since the policy is 0 there.
    return jnp.where(legal, log_policy, 0.0)


def legal_exp(log_policy: Array, legal: Array) -> Array:
    """Return [R, A] probabilities from their logarithms; 0 for illegal actions."""
    return jnp.where(legal, jnp.exp(log_policy), 0.0)
