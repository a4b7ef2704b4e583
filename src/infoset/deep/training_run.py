"""Training of a policy network on a game that can be built."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from infoset.deep.network_policy import NetworkPolicy
from infoset.deep.networks import legal_log_softmax
from infoset.deep.rnad import NetworkRNaD, initial_state, learner_steps
from infoset.deep.rnad_presets import get_preset
from infoset.deep.tree_game import make_tree_game, tabular_policy
from infoset.errors import NumericalError
from infoset.game import Game
from infoset.games import load_game
from infoset.policy import TabularPolicy
from infoset.runs import Budget, Callback, Checkpointing, SolveResult, run_measured
from infoset.runs.checkpointer import RunCheckpointer
from infoset.solvers.rnad import uniform_deviation
from infoset.solvers.two_player import TwoPlayerGame
from infoset.tree import GameTree, SequenceForm, build_tree
from infoset.typing import StateArrays
from infoset.utils.arguments import check_count
from infoset.utils.clocks import compiling

__all__ = ["NetworkLearner", "TrainingResult", "train"]

DEFAULT_STEPS = 10_000


@dataclass(frozen=True)
class TrainingResult:
    """A trained network, and what was measured.

    Attributes
    ----------
    policy : NetworkPolicy
        The policy of the target network.
    run : SolveResult
        The policy as a table, its exact evaluation, and the measurements by learner step.
    """

    policy: NetworkPolicy
    run: SolveResult


class NetworkLearner:
    """R-NaD on one game: an iterative solver whose iterations are learner steps.

    Parameters
    ----------
    tree : GameTree
        A two-player constant-sum game.
    spec : NetworkRNaD
        The parameters of the method.
    seed : int

    Raises
    ------
    UnsupportedGameError
        If the game is not two-player constant-sum.
    """

    def __init__(self, tree: GameTree, spec: NetworkRNaD, seed: int) -> None:
        check_count("seed", seed)
        game = TwoPlayerGame(tree.sequence_form, spec.name)
        unit = uniform_deviation(game) * game.unit if spec.is_relative else 1.0
        self._spec, self._seed = spec, seed
        self._game, self.inputs, self._simulator = make_tree_game(tree, unit)
        with compiling():
            self._state = initial_state(self._game, spec, seed)
        self._is_compiled = False

    @property
    def sequence_form(self) -> SequenceForm:
        """The game."""
        return self._simulator.sequence_form

    @property
    def iteration(self) -> int:
        """Number of learner steps done."""
        return int(self._state.step)

    @property
    def cost_per_iteration(self) -> int:
        """How many numbers one learner step reads, roughly."""
        widths = self._game.features.shape[1] + sum(self._spec.hidden) + self._game.num_actions
        decisions = self._spec.batch_size * self._game.horizon
        return 4 * self._game.num_rows * widths + 20 * decisions * self._game.num_actions

    def run(self, iterations: int) -> None:
        """Do more learner steps, inside one compiled call.

        Raises
        ------
        NumericalError
            If a loss is not finite. The state remains that before this call.
        """
        self._compile()
        after = learner_steps(self._game, self._spec, self._state, iterations)
        last = float(after.loss)
        # A step with a finite loss may still lead to weights whose outputs overflow.
        outputs = [
            _log_policies(theta, self._game.features, self._game.legal)
            for theta in (after.network, after.target)
        ]
        if not (np.isfinite(last) and np.isfinite(outputs).all()):
            raise self._breakdown(int(after.step), last)
        self._state = after

    def _breakdown(self, step: int, last: float) -> NumericalError:
        return NumericalError(
            f"{self._spec.name} broke down at learner step {step}: the loss is {last}, or the "
            f"policy after it is NaN. The state after step {self.iteration} remains. Train with a "
            f"lower learning_rate, or scale the payoffs of {self.sequence_form.name} to a "
            "magnitude of about 1"
        )

    def _compile(self) -> None:
        """Compile by a call of no steps, so that time limits do not include it."""
        if not self._is_compiled:
            with compiling():
                self._state = learner_steps(self._game, self._spec, self._state, 0)
            self._is_compiled = True

    def policy(self) -> TabularPolicy:
        """Return the policy of the target network."""
        return self._tabular(self._state.target)

    def current_policy(self) -> TabularPolicy:
        """Return the policy of the network that is trained."""
        return self._tabular(self._state.network)

    def _tabular(self, network: Any) -> TabularPolicy:
        log_policy = _log_policies(network, self._game.features, self._game.legal)
        policy = np.exp(np.asarray(log_policy, np.float64))
        return tabular_policy(self._game, self._simulator, policy)

    def network_policy(self) -> NetworkPolicy:
        """Return the policy of the target network, as a network."""
        return NetworkPolicy(self._state.target, self.inputs)

    def settings(self) -> Mapping[str, Any]:
        """Return the settings that, with the game, determine every learner step."""
        fields = asdict(self._spec)
        numbers = {name: fields[name] for name in fields if name not in ("name", "description")}
        schedule = numbers.pop("schedule")
        return {**numbers, **schedule, "seed": self._seed, "jax": jax.__version__}

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


@jax.jit
def _log_policies(network: Any, features: Any, legal: Any) -> Any:
    return legal_log_softmax(network(features)[0], legal)


def train(
    game: str | Game | GameTree,
    preset: str | NetworkRNaD = "rnad",
    *,
    steps: int | None = None,
    seconds: float | None = None,
    seed: int = 0,
    checkpoint: str | Path | None = None,
    callback: Callback | None = None,
) -> TrainingResult:
    """Train a policy network on a two-player constant-sum game whose tree can be built.

    Parameters
    ----------
    game : str, Game or GameTree
    preset : str or NetworkRNaD
        A name from `PRESETS`, or parameters.
    steps : int, optional
        Learner steps after which to stop; 10,000 if neither `steps` nor `seconds` is given.
    seconds : float, optional
        Time after which to stop, without compilation.
    seed : int
        Seed of the network's weights and of the episodes. Runs with the same seed, parameters,
        machine and version of JAX return the same bits, if `seconds` does not end them.
    checkpoint : str or Path, optional
        File in which the run is saved. If it exists, the run is resumed from it, to the same bits.
    callback : callable, optional
        Called with a `TracePoint` at every measurement; a true return value stops the run.

    Raises
    ------
    UnsupportedGameError
        If the game is not two-player constant-sum.
    NumericalError
        If a loss is not finite. The message names the step, and the checkpoint contains the last
        state with finite policies.
    CheckpointMismatchError
        If the checkpoint belongs to another game, preset, seed or version.

    Examples
    --------
    >>> result = train("kuhn_poker", steps=2000, seed=1)
    >>> result.run.nash_conv < 0.2
    True
    """
    spec = get_preset(preset)
    tree = game if isinstance(game, GameTree) else build_tree(_rules(game))
    if steps is None and seconds is None:
        steps = DEFAULT_STEPS
    to = None if checkpoint is None else Checkpointing(Path(checkpoint))
    learner = NetworkLearner(tree, spec, seed)
    budget = Budget(iterations=steps, seconds=seconds, callback=callback, checkpoint=to)
    try:
        run = run_measured(learner, spec.name, budget)
    except NumericalError:
        if to is not None:
            RunCheckpointer(learner, spec.name, budget, to).save()
        raise
    return TrainingResult(learner.network_policy(), run)


def _rules(game: str | Game) -> Game:
    return load_game(game) if isinstance(game, str) else game
