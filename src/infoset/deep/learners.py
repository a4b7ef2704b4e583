"""Learners: a method on one game, whose state can be saved and set."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import asdict
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from infoset.deep.critic_learning import CriticState, CriticTask
from infoset.deep.device_games import DeviceGame
from infoset.deep.device_play import device_source
from infoset.deep.episodes import EpisodeSource
from infoset.deep.network_inputs import DeviceInput, NetworkInput
from infoset.deep.network_policy import NetworkPolicy
from infoset.deep.network_spec import NetworkSpec, initial_state, learner_steps
from infoset.deep.networks import PolicyValueNetwork
from infoset.deep.tree_game import TreeGame, make_tree_game, tabular_policy
from infoset.errors import NumericalError, UnsupportedGameError
from infoset.forms import SequenceForm
from infoset.policy import TabularPolicy, hash_transformations
from infoset.solvers.rnad import uniform_deviation
from infoset.solvers.two_player import TwoPlayerGame
from infoset.tree import GameTree
from infoset.typing import StateArrays
from infoset.utils.arguments import check_count
from infoset.utils.clocks import compiling


class Learner(ABC):
    """A network that learns one game.

    Attributes
    ----------
    spec : NetworkSpec
        The parameters of the method.
    inputs : NetworkInput
        How infostates and actions correspond to the network's inputs and outputs.
    task : CriticTask or None
        What the critic that is trained with the network learns.
    """

    def __init__(
        self,
        source: EpisodeSource,
        inputs: NetworkInput,
        spec: NetworkSpec,
        seed: int,
        task: CriticTask | None,
    ) -> None:
        if task is not None and task.spec.is_shared and not spec.is_sampled:
            raise UnsupportedGameError(
                f"the critic {task.spec.name} learns from the episodes of the network, and "
                f"{spec.name} does not sample any: choose a preset that samples episodes, such as "
                "rnad, or a critic that plays separate episodes, such as expected-backup"
            )
        self.spec, self.inputs, self.task = spec, inputs, task
        self._source, self._seed = source, seed
        with compiling():
            self._state = initial_state(source, spec, seed, task)
        self._is_compiled = False

    @property
    @abstractmethod
    def name(self) -> str:
        """Name of the game."""

    @property
    def iteration(self) -> int:
        """Number of learner steps done."""
        return int(self._state.step)

    @property
    @abstractmethod
    def cost_per_iteration(self) -> int:
        """How many numbers one learner step reads, roughly."""

    @property
    def width(self) -> int:
        """Number of inputs and outputs of all layers of the network."""
        return self._source.num_features + sum(self.spec.hidden) + self._source.num_actions

    def run(self, iterations: int) -> None:
        """Do more learner steps, inside one compiled call.

        Raises
        ------
        NumericalError
            If a loss is not finite. The state remains that before this call.
        """
        self._compile()
        after = learner_steps(self._source, self.spec, self._state, iterations, self.task)
        # A step with a finite loss may still lead to weights whose outputs overflow.
        if not (
            np.isfinite(after.loss) and all(map(self._is_finite, (after.network, after.target)))
        ):
            raise NumericalError(
                f"{self.spec.name} broke down at learner step {int(after.step)}: the loss is "
                f"{float(after.loss)}, or the policy after it is NaN. The state after step "
                f"{self.iteration} remains. Train with a lower learning_rate, or scale the payoffs "
                f"of {self.name} to a magnitude of about 1"
            )
        self._state = after

    @abstractmethod
    def _is_finite(self, network: PolicyValueNetwork) -> bool:
        """Return whether a network's policy is finite."""

    def _compile(self) -> None:
        """Compile by a call of no steps, so that time limits do not include it."""
        if not self._is_compiled:
            with compiling():
                self._state = learner_steps(self._source, self.spec, self._state, 0, self.task)
            self._is_compiled = True

    @property
    def critic(self) -> CriticState | None:
        """The state of the critic, if there is one."""
        found: CriticState | None = self._state.critic
        return found

    @property
    def network(self) -> PolicyValueNetwork:
        """The target network, whose policy is the answer."""
        target: PolicyValueNetwork = self._state.target
        return target

    def network_policy(self) -> NetworkPolicy:
        """Return the policy of the target network, as a network."""
        return NetworkPolicy(self.network, self.inputs)

    def settings(self) -> Mapping[str, Any]:
        """Return the settings that, with the game, determine every learner step."""
        numbers = asdict(self.spec)
        del numbers["name"], numbers["description"]
        schedule = numbers.pop("schedule", {})
        found = {**numbers, **schedule, "seed": self._seed, "jax": jax.__version__}
        if self.task is not None:
            found["critic"] = asdict(self.task.spec)
            found["transformations"] = hash_transformations(self.task.transformations)
        return found

    def state(self) -> StateArrays:
        """Return the arrays that learner steps change, by their path in the state."""
        named = {}
        for path, leaf in jax.tree_util.tree_leaves_with_path(self._state):
            name = jax.tree_util.keystr(path).strip(".")
            if name != "loss":
                named[name] = np.asarray(leaf)
        return named

    def set_state(self, state: StateArrays) -> None:
        """Set the state from arrays with the names, types and shapes of `state()`."""
        leaves = [jnp.asarray(state[name]) for name in self.state()]
        # The loss is the last leaf; a resumed run has none yet.
        leaves.append(jnp.zeros((), jnp.float32))
        self._state = jax.tree.unflatten(jax.tree.structure(self._state), leaves)


class TreeLearner(Learner):
    """A method on a game whose tree is built: an iterative solver with learner steps as iterations.

    Parameters
    ----------
    tree
        A two-player constant-sum game.
    spec
        The parameters of the method.
    task
        Of a critic that is trained with the network; its device game is that of the tree.

    Raises
    ------
    UnsupportedGameError
        If the game is not two-player constant-sum.
    """

    def __init__(
        self, tree: GameTree, spec: NetworkSpec, seed: int, task: CriticTask | None = None
    ) -> None:
        check_count("seed", seed)
        game = TwoPlayerGame(tree.sequence_form, spec.name)
        unit = uniform_deviation(game) * game.unit if spec.is_relative else 1.0
        self._game, inputs, self._simulator = make_tree_game(tree, unit)
        super().__init__(self._game, inputs, spec, seed, task)

    @property
    def name(self) -> str:
        """Name of the game."""
        return self.form.name

    @property
    def form(self) -> SequenceForm:
        """The game."""
        return self._simulator.form

    @property
    def cost_per_iteration(self) -> int:
        """How many numbers one learner step reads, roughly."""
        decisions = self.spec.batch_size * self._game.horizon
        return 4 * self._game.num_rows * self.width + 20 * decisions * self._game.num_actions

    @property
    def policy_cost(self) -> int:
        """How many numbers are read to compute the policy at all infostates, roughly."""
        return self._game.num_rows * self.width

    def policy(self) -> TabularPolicy:
        """Return the policy of the target network."""
        return self._tabular(self._state.target)

    def current_policy(self) -> TabularPolicy:
        """Return the policy of the network that is trained."""
        return self._tabular(self._state.network)

    def _tabular(self, network: PolicyValueNetwork) -> TabularPolicy:
        policy = np.exp(np.asarray(_log_policies(self._game, network), np.float64))
        return tabular_policy(self._game, self._simulator, policy)

    def _is_finite(self, network: PolicyValueNetwork) -> bool:
        return bool(np.isfinite(_log_policies(self._game, network)).all())


@jax.jit
def _log_policies(game: TreeGame, network: PolicyValueNetwork) -> Any:
    return game.store(network)


class DeviceLearner(Learner):
    """A method on a device game, whose tree need not be built.

    Parameters
    ----------
    device
        A two-player constant-sum game.
    spec
        The parameters of the method.
    name
        Name of the game.
    task
        Of a critic that is trained with the network.

    Raises
    ------
    UnsupportedGameError
        If the game is not two-player constant-sum.
    """

    def __init__(
        self,
        device: DeviceGame,
        spec: NetworkSpec,
        seed: int,
        name: str,
        task: CriticTask | None = None,
    ) -> None:
        check_count("seed", seed)
        if not spec.is_sampled:
            raise UnsupportedGameError(
                f"{spec.name} uses expectations over the whole tree, which needs a game that is "
                "built: choose a preset that samples episodes, such as rnad"
            )
        self.device, self._name = device, name
        with compiling():
            self.source = device_source(device, is_relative=spec.is_relative, name=spec.name)
        super().__init__(self.source, DeviceInput(device), spec, seed, task)

    @property
    def name(self) -> str:
        """Name of the game."""
        return self._name

    @property
    def cost_per_iteration(self) -> int:
        """How many numbers one learner step reads, roughly."""
        return 10 * self.spec.batch_size * self.device.horizon * self.width

    def mean_decisions(self) -> float:
        """Return the mean number of decisions of an episode, in a batch that the network plays."""
        key = jax.random.wrap_key_data(self._state.key)
        number = _num_decisions(self.source, self._state.network, key, self.spec.batch_size)
        return int(number) / self.spec.batch_size

    def _is_finite(self, network: PolicyValueNetwork) -> bool:
        return all(np.isfinite(leaf).all() for leaf in jax.tree.leaves(network))


@partial(jax.jit, static_argnames="batch_size")
def _num_decisions(
    source: EpisodeSource, network: PolicyValueNetwork, key: Array, batch_size: int
) -> Array:
    _, episodes = source.play(network, key, batch_size)
    return episodes.valid.sum()
