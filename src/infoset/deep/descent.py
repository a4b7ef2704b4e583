"""Gradient descent of a network and its average."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any, TypeVar

import jax
import jax.numpy as jnp
from jax import Array

from infoset.errors import ParameterError, UnknownNameError
from infoset.utils.arguments import check_count, check_number

PRECISIONS = ("float32", "bfloat16")

State = TypeVar("State", bound=tuple[Any, ...])


@dataclass(frozen=True, kw_only=True)
class DescentSpec:
    """The parameters of gradient descent of a network.

    Raises
    ------
    ParameterError, UnknownNameError
        If a number is out of range, or there is no such precision.
    """

    learning_rate: float = 1e-3
    """Learning rate of the first step."""
    halving_steps: float = 10_000.0
    """The learning rate after `t` steps is `learning_rate / (1 + t / halving_steps)`; inf for a
    constant one."""
    batch_size: int = 512
    """Episodes per learner step."""
    hidden: tuple[int, ...] = (64, 64)
    """Sizes of the hidden layers of the network."""
    target_rate: float = 0.003
    """Rate of the Polyak average of networks, which is the answer."""
    update_clip: float = 10_000.0
    """Largest absolute change of a weight in one step; after the learning rate is applied."""
    adam_decay: float = 0.999
    adam_epsilon: float = 1e-8
    """b2 and ε of Adam. Its b1 is 0."""
    precision: str = "float32"
    """Type of the numbers in which the network is evaluated: `float32`, or `bfloat16`, which is
    faster on GPUs. Weights, targets and gradient steps are always `float32`."""

    def __post_init__(self) -> None:
        self._check_positive("learning_rate", "update_clip", "adam_epsilon")
        if self.halving_steps != inf:
            self._check_positive("halving_steps")
        for name in ("target_rate", "adam_decay"):
            check_number(name, getattr(self, name), maximum=1)
        check_count("batch_size", self.batch_size, minimum=1)
        if not isinstance(self.hidden, tuple):
            raise ParameterError(f"hidden={self.hidden!r} must be a tuple, such as (64, 64)")
        for size in self.hidden:
            check_count("an entry of hidden", size, minimum=1)

        if self.precision not in PRECISIONS:
            raise UnknownNameError.of("precision", self.precision, PRECISIONS)

    def _check_positive(self, *names: str) -> None:
        for name in names:
            check_number(name, getattr(self, name))
            if getattr(self, name) == 0:
                raise ParameterError(f"{name}=0 must be a positive number, such as 0.1")


def descend(spec: DescentSpec, state: State, gradient: Any, count: Array | None = None) -> State:
    """Return the state after a gradient step of the network and its average.

    This is Adam with b1 = 0: there is no momentum, and the first moment is the gradient itself.

    Parameters
    ----------
    state : NamedTuple
        A state with the fields `step`, `network`, `target` and `second_moment`.
    gradient
        Pytree with the structure of the network.
    count
        Number of gradient steps so far, if a step of the state has several.
    """
    old: Any = state
    step, decay = old.step + 1, spec.adam_decay
    steps = step if count is None else count + 1
    # Adam's correction of the bias toward the zeros at the start.
    correction = 1.0 - decay ** steps.astype(jnp.float32)
    rate = spec.learning_rate / (1.0 + old.step / spec.halving_steps)
    second_moment = jax.tree.map(
        lambda square, slope: decay * square + (1.0 - decay) * slope**2, old.second_moment, gradient
    )

    def moved(weight: Array, slope: Array, square: Array) -> Array:
        change = -rate * slope / (jnp.sqrt(square / correction) + spec.adam_epsilon)
        return weight + jnp.clip(change, -spec.update_clip, spec.update_clip)

    network = jax.tree.map(moved, old.network, gradient, second_moment)
    target = jax.tree.map(
        lambda average, weight: average + spec.target_rate * (weight - average), old.target, network
    )
    after: State = old._replace(
        step=step, network=network, target=target, second_moment=second_moment
    )
    return after
