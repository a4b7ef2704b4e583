"""Training of a policy network on a game."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from infoset.deep.critic import Critic, critic_of, critic_task
from infoset.deep.critic_learning import CriticSpec
from infoset.deep.critic_reports import CriticReport, report_critic
from infoset.deep.device_games import DeviceGame
from infoset.deep.device_matches import ResponseBound, response_bound
from infoset.deep.device_runs import MatchPoint, run_matched
from infoset.deep.learners import DeviceLearner, TreeLearner
from infoset.deep.network_policy import NetworkPolicy
from infoset.deep.network_spec import NetworkSpec
from infoset.deep.presets import get_preset
from infoset.deep.rules import device_game, has_rules
from infoset.errors import ExplorationLimitError, GameTooLargeError, NumericalError, ParameterError
from infoset.forms import SequenceForm
from infoset.game import Game
from infoset.games import load_game
from infoset.policy import TabularPolicy, Transformation
from infoset.runs import (
    DEFAULT_CHECKPOINT_SECONDS,
    Budget,
    Checkpointing,
    Outcome,
    SolveResult,
    TracePoint,
    json_settings,
    run_measured,
)
from infoset.runs.checkpointer import RunCheckpointer
from infoset.tree import BuildProgress, GameTree, build_limits, build_tree
from infoset.utils.arguments import check_count, check_type
from infoset.utils.clocks import compiling, compiling_seconds
from infoset.utils.short_repr import Facts, ShortRepr

DEFAULT_STEPS = 10_000
RESPONSE_STEPS = 500

TRAINING_SHARE = 0.8
"""Share of a time limit for training, if a response is learned after it within the rest."""


@dataclass(frozen=True, repr=False)
class TrainingResult(ShortRepr):
    """A trained network, and what was measured."""

    game: str
    method: str
    policy: NetworkPolicy
    """The policy of the target network."""
    outcome: Outcome
    """Why training ended."""
    seed: int
    settings: Mapping[str, Any]
    """The parameters of the method, as JSON values."""
    steps: int
    """Learner steps done."""
    episodes: int
    """Episodes played; 0 if the preset uses expectations."""
    seconds: float
    """Time taken, without construction and compilation."""
    compile_seconds: float
    trace: tuple[TracePoint, ...] | tuple[MatchPoint, ...]
    """The measurements by learner step: exact ones if the game was built, otherwise matches against
    uniform play."""
    run: SolveResult | None
    """The policy as a table, and its exact evaluation. None if the game was not built."""
    response: ResponseBound | None
    """A lower bound on exploitability by a learned response, if the game was not built."""
    critic: Critic | None
    """The critic that was trained with the network."""
    critic_report: CriticReport | None
    """What search with the critic makes of the network. None if training was interrupted."""

    def _facts(self) -> Facts:
        measured: dict[str, Any] = {"outcome": self.outcome, "steps": self.steps}
        if self.run is not None:
            measured["exploitability"] = self.run.exploitability
        elif self.response is not None:
            measured["exploitability, at least"] = self.response.exploitability_lower_bound
        return Facts(f"{self.game} by {self.method}", measured, "see .policy, .trace, .run")

    def summary(self) -> dict[str, Any]:
        """Return the result as JSON values, without the network and the trace."""
        about: dict[str, Any] = {
            "game": self.game,
            "method": self.method,
            "outcome": self.outcome,
            "steps": self.steps,
            "episodes": self.episodes,
            "seconds": self.seconds,
            "compile_seconds": self.compile_seconds,
        }
        if self.critic_report is not None:
            about["critic"] = self.critic_report.summary()
        if self.run is not None:
            return {
                **about,
                "nash_conv": self.run.nash_conv,
                "values": list(self.run.values),
                "exploitability": self.run.exploitability,
                "payoff_width": self.run.policy.form.payoff_width,
            }
        for last in self.trace[-1:]:
            assert isinstance(last, MatchPoint)
            about["score_against_uniform"] = last.score
            about["standard_error"] = last.standard_error
        if self.response is not None:
            about["exploitability_lower_bound"] = self.response.exploitability_lower_bound
            about["response_steps"] = self.response.steps
            about["response_outcome"] = self.response.outcome
        return about


def train(
    game: str | Game | GameTree | DeviceGame,
    preset: str | NetworkSpec = "rnad",
    *,
    steps: int | None = None,
    seconds: float | None = None,
    seed: int = 0,
    build: bool | None = None,
    critic: str | CriticSpec | None = None,
    transformations: Sequence[Transformation] | str | None = None,
    response_steps: int = RESPONSE_STEPS,
    checkpoint: str | Path | None = None,
    checkpoint_seconds: float = DEFAULT_CHECKPOINT_SECONDS,
    callback: Callable[[Any], object] | None = None,
    stage_callback: Callable[[str], object] | None = None,
    memory: int | None = None,
    progress: BuildProgress | None = None,
) -> TrainingResult:
    """Train a policy network on a two-player constant-sum game.

    If the game is built, the network is evaluated at all infostates at once, and measurements are
    exact. A larger game needs rules in JAX, see `device_game`; it is measured by matches.

    Parameters
    ----------
    preset
        A name from `PRESETS`, or parameters.
    steps
        Learner steps after which to stop; 10,000 if neither `steps` nor `seconds` is given.
    seconds
        Time after which to stop, without construction and compilation. If the game is not built,
        a fifth of it is for the response, see `response_steps`. With 0, no training step is run,
        and the policy is that of the initial network.
    seed
        Seed of the network's weights and of the episodes. Runs with the same seed, parameters,
        machine and version of JAX return the same bits, if `seconds` does not end them.
    build
        Whether to build the game's tree. By default it is built unless it is too large and there
        are rules in JAX.
    critic
        A name from `CRITICS`, or parameters: a critic does a learner step after each one of the
        network, see `train_critic`.
    transformations
        The transformations of the critic; by default as in `train_critic`.
    response_steps
        If the game is not built, learner steps of the response that gives a lower bound on
        exploitability; 0 for no bound. With `seconds` it may have fewer, which it reports.
    checkpoint
        File in which the run is saved. If it exists, the run is resumed from it, bit for bit.
    checkpoint_seconds
        Time between saves.
    callback : callable, optional
        Called with a `TracePoint` or `MatchPoint` at every measurement; a true return value stops
        the run.
    stage_callback : callable, optional
        Called after training with a text that says what is measured, and how far; a true return
        value ends the learning of a response.
    memory, progress
        As in `solve`.

    Raises
    ------
    UnsupportedGameError
        If the game is not two-player constant-sum.
    GameTooLargeError, ExplorationLimitError
        If the game is too large to be built, and there are no rules in JAX.
    NumericalError
        If a loss is not finite. The message names the step, and the checkpoint contains the last
        state with finite policies.
    CheckpointMismatchError
        If the checkpoint belongs to another game, preset, seed or version.

    Examples
    --------
    >>> result = train("kuhn_poker", steps=2000, seed=1)  # doctest: +SKIP
    >>> result.run.nash_conv < 0.2  # doctest: +SKIP
    True
    """
    spec = get_preset(preset)
    check_count("seed", seed)
    check_count("response_steps", response_steps)
    if steps is not None:
        check_count("steps", steps, minimum=1)
    compiled_before = compiling_seconds()
    with build_limits(memory=memory):
        source = training_source(game, build, progress)
    learner = _learner(game, source, spec, seed, critic, transformations)
    to = None if checkpoint is None else Checkpointing(Path(checkpoint), checkpoint_seconds)
    if steps is None and seconds is None:
        steps = DEFAULT_STEPS
    share = TRAINING_SHARE if isinstance(learner, DeviceLearner) and response_steps else 1.0
    limit = None if seconds is None else share * seconds
    budget = Budget(iterations=steps, seconds=limit, callback=callback, checkpoint=to)
    run = response = None
    trace: tuple[TracePoint, ...] | tuple[MatchPoint, ...]
    if isinstance(learner, TreeLearner):
        run = _run(learner, budget)
        outcome, trace, taken = run.outcome, run.trace, run.seconds
    else:
        outcome, trace = run_matched(learner, budget, seed)
        taken = budget.elapsed
        if outcome != "interrupted" and response_steps:
            left = None if seconds is None else seconds - taken
            response = _response(learner, response_steps, left, seed, stage_callback)
            if response.outcome == "interrupted":
                outcome = "interrupted"
    policy = learner.network_policy()
    trained = report = None
    if learner.task is not None and learner.critic is not None:
        # A critic knows its blueprint as the table and as the network from which it comes.
        table = () if run is None else (run.policy.digest,)
        digests = (*table, policy.digest)
        trained = critic_of(learner.task, learner.critic, digests, taken, outcome)
        if outcome != "interrupted":
            blueprint = policy if run is None else run.policy
            report = _report(trained, source, blueprint, seed, stage_callback)
    return TrainingResult(
        game=learner.name,
        method=spec.name,
        policy=policy,
        outcome=outcome,
        seed=seed,
        settings=json_settings(learner.settings()),
        steps=learner.iteration,
        episodes=learner.iteration * spec.batch_size * spec.is_sampled,
        seconds=taken,
        compile_seconds=compiling_seconds() - compiled_before,
        trace=trace,
        run=run,
        response=response,
        critic=trained,
        critic_report=report,
    )


def _learner(
    game: str | Game | GameTree | DeviceGame,
    source: GameTree | DeviceGame,
    spec: NetworkSpec,
    seed: int,
    critic: str | CriticSpec | None,
    transformations: Sequence[Transformation] | str | None,
) -> TreeLearner | DeviceLearner:
    """Return the learner on the tree or the rules in JAX of a game, with a critic or without."""
    task = None
    if critic is not None:
        with compiling():
            device = device_game(source) if isinstance(source, GameTree) else source
            task = critic_task(device, transformations, critic)
    if isinstance(source, GameTree):
        return TreeLearner(source, spec, seed, task)
    return DeviceLearner(source, spec, seed, _name(game), task)


def _response(
    learner: DeviceLearner,
    steps: int,
    seconds: float | None,
    seed: int,
    stage_callback: Callable[[str], object] | None,
) -> ResponseBound:
    """Return what a response earns that is learned within the time left."""

    def report(step: int, taken: float) -> bool:
        text = f"learning a response: step {step:,} of {steps:,}"
        return stage_callback is not None and bool(stage_callback(text))

    return response_bound(
        learner.source,
        learner.network,
        learner.spec,
        steps=steps,
        seconds=seconds,
        seed=seed,
        cost_per_step=2 * learner.cost_per_iteration,  # of two networks
        callback=report,
    )


def _report(
    critic: Critic,
    source: GameTree | DeviceGame,
    blueprint: TabularPolicy | NetworkPolicy,
    seed: int,
    stage_callback: Callable[[str], object] | None,
) -> CriticReport | None:
    """Measure how search with a critic changes the play of its network; None after Ctrl-C."""
    try:
        return report_critic(critic, source, blueprint, seed=seed, callback=stage_callback)
    except KeyboardInterrupt:
        return None


@dataclass(frozen=True)
class NetworkMethod:
    """The training of a network as a method of `solve` and `compare`; iterations are learner steps.

    Examples
    --------
    >>> import infoset
    >>> method = NetworkMethod(infoset.build_tree("kuhn_poker"), "rnad")
    >>> infoset.solve(method.tree, method, iterations=100).method
    'rnad network'
    """

    tree: GameTree
    """A two-player constant-sum game."""
    preset: str | NetworkSpec = "rnad"
    """A name from `PRESETS`, or parameters."""
    seed: int = 0

    def __post_init__(self) -> None:
        get_preset(self.preset)

    @property
    def name(self) -> str:
        """Name of the preset; there is a table-based method called `rnad`, too."""
        return f"{get_preset(self.preset).name} network"

    @property
    def description(self) -> str:
        """The preset in one line."""
        return get_preset(self.preset).description

    def run(self, form: SequenceForm, budget: Budget) -> SolveResult:
        """Train until the budget is used up; the policy is a table.

        Raises
        ------
        ParameterError
            If the sequence form is that of another tree.
        UnsupportedGameError, NumericalError
            As raised by `train`.
        """
        if form is not self.tree.sequence_form:
            raise ParameterError(
                f"{self.name} trains on {self.tree}; give its tree, not {form.name}"
            )
        learner = TreeLearner(self.tree, get_preset(self.preset), self.seed)
        return run_measured(learner, self.name, budget, extra_cost=learner.policy_cost)


def training_source(
    game: str | Game | GameTree | DeviceGame,
    build: bool | None,
    progress: BuildProgress | None,
) -> GameTree | DeviceGame:
    """Return the tree of a game, or its rules in JAX.

    Raises
    ------
    ParameterError
        If the game cannot be played as `build` asks.
    GameTooLargeError, ExplorationLimitError
        If the game is too large to be built, and there are no rules in JAX.
    """
    if isinstance(game, GameTree):
        return device_game(game) if build is False else game
    if isinstance(game, DeviceGame):
        if build:
            raise ParameterError("build=True needs the rules in Python; give the game by its name")
        return game
    check_type("game", game, (str, Game), 'a name such as "leduc_poker", rules, or a DeviceGame')
    rules = load_game(game) if isinstance(game, str) else game
    if build is False:
        return device_game(rules)
    try:
        return build_tree(rules, progress=progress)
    except (GameTooLargeError, ExplorationLimitError):
        if build or not has_rules(rules):
            raise
        return device_game(rules)


def _name(game: str | Game | GameTree | DeviceGame) -> str:
    if isinstance(game, str):
        return str(load_game(game))
    return type(game).__name__ if isinstance(game, DeviceGame) else str(game)


def _run(learner: TreeLearner, budget: Budget) -> SolveResult:
    """Train with exact measurements; save the last finite state if training breaks down."""
    try:
        return run_measured(
            learner,
            learner.spec.name,
            budget,
            extra_cost=learner.policy_cost,
            min_iterations=0,
        )
    except NumericalError:
        if budget.checkpoint is not None:
            RunCheckpointer(learner, learner.spec.name, budget, budget.checkpoint).save()
        raise
