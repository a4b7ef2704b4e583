"""Critics: networks that estimate the values of histories under transformed policies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import get_type_hints

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from infoset.beliefs import HistorySet
from infoset.deep.blueprints import Blueprint, NetworkBlueprint, TableBlueprint
from infoset.deep.critic_learning import (
    CriticSpec,
    CriticState,
    CriticTask,
    critic_steps,
    initial_critic,
)
from infoset.deep.critic_transformations import TRANSFORMATION_SETS, chosen_transformations
from infoset.deep.device_games import DeviceGame, device_fingerprint
from infoset.deep.device_play import device_source
from infoset.deep.learner_loop import check_limits, run_learner_steps
from infoset.deep.network_inputs import DeviceInput
from infoset.deep.network_policy import NetworkPolicy
from infoset.deep.networks import Perceptron
from infoset.deep.perceptron_files import FileKind, read_perceptron, write_perceptron
from infoset.deep.rules import device_game
from infoset.deep.tree_rules import TreeRules
from infoset.errors import (
    InfosetError,
    ParameterError,
    PolicyMismatchError,
    UnknownNameError,
    UnsupportedGameError,
)
from infoset.evaluation import TransformedValues
from infoset.evaluation.tree_reach import acting_histories
from infoset.game import Game, Infostate
from infoset.games import load_game
from infoset.policy import (
    Transformation,
    hash_transformations,
)
from infoset.resolving.blueprints import GivenBlueprint, tabular_blueprint
from infoset.runs import Outcome
from infoset.tree import GameTree, build_tree
from infoset.typing import FloatArray, IntArray, Player
from infoset.utils.arguments import check_number, check_type
from infoset.utils.clocks import compiling
from infoset.utils.json_fields import typed_fields

KIND = FileKind("critic", format=3, source="save_critic")
FIELDS = {
    "device": str,
    "is_tree": bool,
    "unit": float,
    "transformations": str,
    "names": tuple[str, ...],
    "blueprints": tuple[str, ...],
    "settings": dict,
    "steps": int,
    "seconds": float,
}
"""Types of the header."""

EARLIER_SETTINGS = {"is_shared": False}
"""Settings that files of version 0.1.0 do not have."""

ROWS = 65_536
"""Histories that are evaluated at once."""

CRITICS: dict[str, CriticSpec] = {
    spec.name: spec
    for spec in (
        CriticSpec(),
        CriticSpec(
            name="v-trace",
            description="V-trace on episodes with exploration",
            is_expected=False,
            target_rate=0.01,
        ),
        CriticSpec(
            name="v-trace-shared",
            description="V-trace on the learning network's episodes, or the blueprint's",
            is_expected=False,
            is_shared=True,
            exploration=0.0,
            batch_size=128,
            target_rate=0.01,
        ),
        CriticSpec(
            name="v-trace-paper",
            description="v-trace-shared with the paper's numbers (Kubíček, Burch, Lisý 2023)",
            is_expected=False,
            is_shared=True,
            exploration=0.0,
            learning_rate=3e-4,
            halving_steps=float("inf"),
            batch_size=128,
            hidden=(512, 512),
            target_rate=0.001,
        ),
    )
}
"""Methods by which critics learn, by name."""


@dataclass(frozen=True, eq=False)
class Critic:
    """A network that estimates the values of histories under M = 2n - 1 transformed profiles.

    The profiles are those of `infoset.evaluation.TransformedValues`.
    """

    network: Perceptron
    """The target network of training."""
    device: DeviceGame
    """The game, whose observations are the inputs of the network."""
    unit: float
    """The outputs are multiplied by this number."""
    transformations: tuple[Transformation, ...]
    """The n transformations; the first one is the identity."""
    blueprints: tuple[str, ...]
    """Digests of the policy that is transformed: as a table, as a network, or both."""
    settings: CriticSpec
    """How the critic was trained."""
    steps: int
    """Learner steps done."""
    seconds: float
    """Time they took, without compilation."""
    outcome: Outcome
    """Why training ended: `iterations`, `seconds`, `stopped` or `interrupted`."""

    def values(self, histories: Sequence[Sequence[Infostate]]) -> FloatArray:
        """Return [L, M] player 0's expected rewards after each of L histories.

        Parameters
        ----------
        histories
            Each history as the infostates of all players.

        Raises
        ------
        ParameterError
            If a history does not have one infostate for each player.
        """
        num_players = self.device.num_players
        for infostates in histories:
            if [infostate.player for infostate in infostates] != list(range(num_players)):
                raise ParameterError(
                    f"a history must be given as the infostates of players 0 to {num_players - 1}, "
                    f"in this order; got {infostates}"
                )
        rows = self.device.encode_many([infostate for line in histories for infostate in line])
        # The rows of all players of a history are consecutive, so they join to one.
        return self._outputs(rows.reshape(len(histories), -1))

    def continuation_values(self, histories: HistorySet, player: Player) -> FloatArray:
        """Return [K, n] the reward that a player expects after each history, for re-solving.

        In column 0, both players play the blueprint; in the others, the opponent plays a
        transformation of it.

        Parameters
        ----------
        histories
            Histories at which a player acts.
        """
        tables = map(self.device.encode_many, histories.infostates)
        columns = zip(tables, histories.position.T, strict=True)
        values = self._outputs(np.hstack([table[place] for table, place in columns]))
        size = len(self.transformations)
        if player == 0:
            return values[:, :size]
        # Player 1 earns the opposite. In columns 1 to n - 1 it is player 1 that plays otherwise.
        return -np.delete(values, range(1, size), axis=1)

    def tabulate(self, tree: GameTree) -> TransformedValues:
        """Return the estimated values of all histories of a tree.

        Raises
        ------
        PolicyMismatchError
            If the tree is that of another game.
        """
        check_type("tree", tree, GameTree, "a GameTree, as from build_tree")
        acting = acting_histories(tree)
        values = np.zeros((tree.num_histories, 2 * len(self.transformations) - 1))
        values[tree.terminals] = tree.rewards_so_far[tree.terminals, :1]
        rows = self._encoded(tree, tree.infostate[acting])
        for begin in range(0, len(acting), ROWS):
            part = acting[begin : begin + ROWS]
            columns = zip(rows, tree.infostate[part].T, strict=True)
            values[part] = self._outputs(np.hstack([table[place] for table, place in columns]))
        values[acting] += tree.rewards_so_far[acting, :1]
        # A critic does not learn the values of histories at which chance moves.
        is_known = np.zeros(tree.num_histories, bool)
        is_known[acting] = is_known[tree.terminals] = True
        # Backward: children have larger numbers, so their values are known.
        for history in np.flatnonzero(~is_known)[::-1].tolist():
            children = slice(*tree.first_child[history : history + 2].tolist())
            values[history] = tree.graph.probability[tree.edge[children]] @ values[children]
        return TransformedValues(tree, self.transformations, self.blueprints, values)

    def _encoded(self, tree: GameTree, infostate: IntArray) -> list[NDArray[np.float32]]:
        """Return by player [S, F] the encodings of the infostates that occur in [L, N]."""
        tables = []
        try:
            for own, numbers in zip(tree.infostate_trees, infostate.T, strict=True):
                table = np.zeros((own.num_infostates, self.device.num_features), np.float32)
                known = np.unique(numbers)
                there = [own.infostate_at(number) for number in known.tolist()]
                table[known] = self.device.encode_many(there)
                tables.append(table)
        except (UnknownNameError, ParameterError, ValueError, LookupError) as error:
            raise PolicyMismatchError(
                f"the critic is for a different game, not {tree}; train one for this game"
            ) from error
        return tables

    def _outputs(self, features: NDArray[np.float32]) -> FloatArray:
        # Sizes are rounded up to powers of two, because each new size is compiled.
        size = 1 << max(len(features) - 1, 0).bit_length()
        padded = jnp.asarray(np.pad(features, ((0, size - len(features)), (0, 0))))
        outputs = np.asarray(self.network.outputs(padded), np.float64)[: len(features)]
        found: FloatArray = outputs * self.unit
        return found


def train_critic(
    game: str | Game | GameTree | DeviceGame,
    blueprint: GivenBlueprint,
    transformations: Sequence[Transformation] | str | None = None,
    method: str | CriticSpec = "expected-backup",
    *,
    steps: int | None = None,
    seconds: float | None = None,
    seed: int = 0,
    callback: Callable[[int, float], object] | None = None,
) -> Critic:
    """Train a critic for a policy, the blueprint, which does not change.

    Parameters
    ----------
    game
        A two-player constant-sum game.
    blueprint
        As in `ContinualResolving`. Networks other than those trained by rules in JAX need a game
        that can be built.
    transformations
        Transformations, the first of which is the identity, or a name of `TRANSFORMATION_SETS`. By
        default those of `default_transformations`: constants where no infostate has more than
        three actions, as in poker.
    method
        A name from `CRITICS`, or parameters.
    steps
        Learner steps after which to stop; 10,000 if neither `steps` nor `seconds` is given.
    seconds
        Time after which to stop, without compilation.
    seed
        Seed of the network's weights and of the episodes. The same seed, steps, machine and version
        of JAX give the same bits.
    callback : callable, optional
        Called with the number of steps and the last loss after every 50 steps; a true return value
        stops training, as Ctrl-C does.

    Raises
    ------
    UnsupportedGameError
        If the game is not two-player constant-sum, or a table is given without a tree.
    PolicyMismatchError
        If the blueprint belongs to another game.
    NumericalError
        If a loss is not finite.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.policy import constant_transformations, uniform_policy
    >>> from infoset.tree import build_tree
    >>> tree = build_tree(load_game("kuhn_poker"))
    >>> rows = constant_transformations(["pass", "bet"])
    >>> blueprint = uniform_policy(tree.sequence_form)
    >>> critic = train_critic(tree, blueprint, rows, steps=100)  # doctest: +SKIP
    >>> critic.tabulate(tree).values.shape  # doctest: +SKIP
    (55, 5)
    """
    # A fixed policy is not training, so it has no episodes to share.
    spec = replace(_spec(method), is_shared=False)
    check_limits(steps, seconds, seed)
    device, policy, digests = blueprint_on_device(game, blueprint)
    with compiling():
        task = critic_task(device, transformations, spec)
    state, outcome, taken = run_learner_steps(
        f"the critic {spec.name}",
        lambda: initial_critic(task, seed),
        lambda state, number: critic_steps(task, policy, state, number),
        steps=steps,
        seconds=seconds,
        callback=callback,
    )
    return critic_of(task, state, digests, taken, outcome)


def critic_task(
    device: DeviceGame,
    transformations: Sequence[Transformation] | str | None,
    method: str | CriticSpec,
) -> CriticTask:
    """Return what a critic learns; its unit of utility is as in `device_source`.

    Raises
    ------
    ParameterError, UnknownNameError, UnsupportedGameError
        As in `train_critic`.
    """
    rows = chosen_transformations(transformations, device)
    spec = _spec(method)
    source = device_source(device, is_relative=True, name=f"the critic {spec.name}")
    return CriticTask(device, source.unit, rows, spec)


def critic_of(
    task: CriticTask,
    state: CriticState,
    blueprints: Sequence[str],
    seconds: float,
    outcome: Outcome,
) -> Critic:
    """Return the critic that training has led to."""
    return Critic(
        network=state.target,
        device=task.device,
        unit=float(task.unit),
        transformations=task.transformations,
        blueprints=tuple(blueprints),
        settings=task.spec,
        steps=int(state.step),
        seconds=seconds,
        outcome=outcome,
    )


def _spec(method: str | CriticSpec) -> CriticSpec:
    if isinstance(method, CriticSpec):
        return method
    if not isinstance(method, str):
        raise ParameterError(
            f'method={method!r} must be a name, such as "v-trace", or a CriticSpec, such as '
            "CriticSpec(batch_size=128)"
        )
    if method not in CRITICS:
        raise UnknownNameError.of("method of a critic", method, CRITICS)
    return CRITICS[method]


def blueprint_on_device(
    game: str | Game | GameTree | DeviceGame, blueprint: GivenBlueprint
) -> tuple[DeviceGame, Blueprint, tuple[str, ...]]:
    """Return the game and the blueprint on the device, and the digests of the blueprint."""
    if (
        not isinstance(game, GameTree)
        and isinstance(blueprint, NetworkPolicy)
        and isinstance(blueprint.inputs, DeviceInput)
    ):
        device = game if isinstance(game, DeviceGame) else device_game(game)
        if device_fingerprint(blueprint.inputs.device) != device_fingerprint(device):
            raise PolicyMismatchError(
                "the network was trained on another device game; give the one it was trained on"
            )
        return device, NetworkBlueprint(blueprint.network), (blueprint.digest,)
    if isinstance(game, DeviceGame):
        raise UnsupportedGameError(
            "a table, or a network that was trained with a tree, needs a game that can be built: "
            "give its name, its rules in Python, or its tree"
        )
    tree = game if isinstance(game, GameTree) else build_tree(_game(game))
    digests: tuple[str, ...] = ()
    if isinstance(blueprint, NetworkPolicy):
        digests = (blueprint.digest,)
    table = tabular_blueprint(tree.sequence_form, blueprint)
    rules = TreeRules.of(tree)
    return rules, TableBlueprint.of(rules, table), (table.digest, *digests)


def _game(game: str | Game) -> Game:
    return load_game(game) if isinstance(game, str) else game


def save_critic(critic: Critic, path: str | Path) -> None:
    """Write a critic to a file, which replaces an existing one atomically.

    Raises
    ------
    PolicyFileError
        If the file cannot be written.
    """
    check_type("critic", critic, Critic, "the result of train_critic")
    header = {
        "device": device_fingerprint(critic.device),
        "is_tree": isinstance(critic.device, TreeRules),
        "unit": critic.unit,
        "transformations": hash_transformations(critic.transformations),
        "names": [row.name for row in critic.transformations],
        "blueprints": critic.blueprints,
        "settings": asdict(critic.settings),
        "steps": critic.steps,
        "seconds": critic.seconds,
        "outcome": critic.outcome,
    }
    write_perceptron(path, KIND, critic.network, header, {})


def load_critic(
    path: str | Path,
    game: str | Game | GameTree | DeviceGame,
    transformations: Sequence[Transformation] | str | None = None,
) -> Critic:
    """Read a critic that `save_critic` wrote.

    Parameters
    ----------
    game
        The game of the critic.
    transformations
        The transformations of the critic; needed only for others than those of
        `TRANSFORMATION_SETS`.

    Raises
    ------
    PolicyFileError
        If the file is missing, damaged, or does not contain a critic.
    PolicyMismatchError
        If the critic belongs to another game or to other transformations.
    """
    file = read_perceptron(path, KIND)
    fields = file.fields(FIELDS)
    outcome: Outcome = "iterations"
    if "outcome" in file.header:  # which older files do not have
        outcome = file.fields({"outcome": Outcome})["outcome"]
    device = _device(game, is_tree=fields["is_tree"])
    if device_fingerprint(device) != fields["device"]:
        raise PolicyMismatchError(f"{path} has a critic for another game; give its own game")
    rows = _transformations_of(fields["transformations"], device, transformations)
    if rows is None:
        raise PolicyMismatchError(
            f"{path} has a critic for other transformations: {', '.join(fields['names'])}; give "
            "these"
        )
    try:
        settings = EARLIER_SETTINGS | fields["settings"]
        spec = CriticSpec(**typed_fields(settings, get_type_hints(CriticSpec)))
        for name in ("unit", "steps", "seconds"):
            check_number(name, fields[name])
    except (ValueError, InfosetError) as error:
        raise file.error(f"{error} in its header") from error
    weights, biases = file.layers()
    sizes = [*map(len, weights), len(biases[-1])]
    num_features = device.num_players * device.num_features
    if sizes != [num_features, *spec.hidden, 2 * len(rows) - 1]:
        raise file.error(f"its layers have sizes {sizes}, which are not those of its header")
    blank = Perceptron(sizes[0], tuple(sizes[1:-1]), sizes[-1], jax.random.key(0), spec.precision)
    return Critic(
        network=blank.filled(weights, biases),
        device=device,
        unit=fields["unit"],
        transformations=rows,
        blueprints=fields["blueprints"],
        settings=spec,
        steps=fields["steps"],
        seconds=fields["seconds"],
        outcome=outcome,
    )


def _transformations_of(
    digest: str,
    device: DeviceGame,
    chosen: Sequence[Transformation] | str | None,
) -> tuple[Transformation, ...] | None:
    """Return the transformations of a file if they are the chosen ones, or a set with a name."""
    choices = TRANSFORMATION_SETS if chosen is None else [chosen]
    known = {
        hash_transformations(rows): rows
        for rows in (chosen_transformations(choice, device) for choice in choices)
    }
    return known.get(digest)


def _device(game: str | Game | GameTree | DeviceGame, *, is_tree: bool) -> DeviceGame:
    if isinstance(game, DeviceGame):
        return game
    if isinstance(game, GameTree):
        return TreeRules.of(game)
    return TreeRules.of(build_tree(_game(game))) if is_tree else device_game(game)
