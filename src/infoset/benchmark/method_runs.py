"""What the child process does with methods, learners and networks: races on one game."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from math import isclose
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, TypeAlias

from infoset.benchmark.child_messages import Messenger
from infoset.benchmark.subjects import Subject, find_subject
from infoset.benchmark.turns import SLICES, Turn, TurnBudget, alternate
from infoset.errors import InfosetError, ParameterError, UnsupportedGameError, describe_exception
from infoset.evaluation import evaluate_policy
from infoset.front.seed_runs import LearnerMethod
from infoset.games import load_game
from infoset.learning import make_simulator
from infoset.policy import TabularPolicy, save_policy
from infoset.runs import Budget, SolveResult
from infoset.solvers import CustomMethod, MethodSpec, has_seed, run_method, with_seed
from infoset.tree import GameTree, SequenceForm, build_sequence_form, build_tree

__all__ = ["run_races"]

NOT_APPLICABLE: Final = "not applicable"
FAILED: Final = "failed"

WARM_ITERATIONS: Final = 200
WARM_SECONDS: Final = 0.2
"""Limits on a run before the race, in which the remaining kernels are compiled or loaded."""

REPEATED_ITERATIONS: Final = 8
REPEAT_SECONDS: Final = 10.0
"""Iterations after which two runs with the same seed are compared, and the shortest limit on the
seconds of each."""

MAX_ITERATIONS: Final = 2**40
"""Limit on the iterations of a function that draws no curve itself."""


class _Game:
    """A game, built once for all runs."""

    def __init__(self, name: str, needs_tree: bool) -> None:
        self.rules = load_game(name)
        self.needs_tree = needs_tree

    @cached_property
    def tree(self) -> GameTree:
        """The tree, which learners and networks need."""
        return build_tree(self.rules)

    @cached_property
    def form(self) -> SequenceForm:
        """The sequence form, which is that of the tree if the tree is needed."""
        return self.tree.sequence_form if self.needs_tree else build_sequence_form(self.rules)

    def method(self, subject: Subject, seed: int | None) -> MethodSpec:
        """Return a subject as a method on this game."""
        method: MethodSpec
        if subject.kind == "learner":
            method = LearnerMethod(subject.spec, make_simulator(self.tree))
        elif subject.kind == "network":
            from infoset.deep import NetworkMethod

            method = NetworkMethod(self.tree, subject.spec)
        else:
            method = subject.spec
        return with_seed(method, seed) if seed is not None and has_seed(method) else method


@dataclass
class _Run:
    """One run of a race."""

    number: int
    text: str
    seed: int | None
    method: MethodSpec
    records: bool = True
    """Whether the method measures on the way; otherwise it is called with growing budgets."""


def run_races(job: Mapping[str, Any], messenger: Messenger) -> None:
    """Run all rows of a job on its game alternately, and report every measurement.

    Parameters
    ----------
    job : Mapping[str, Any]
        `game`, `needs_tree`, `seconds`, `episodes`, `rows` (each with `number`, `text` and `seed`),
        `repeats`: numbers of the rows that are run twice for a comparison, and `kept`: numbers of
        the rows whose policies are sent.
    messenger : Messenger
    """
    messenger.send("stage", stage="build", run=None)
    game = _Game(job["game"], job["needs_tree"])
    runs = []
    for row in job["rows"]:
        messenger.send("stage", stage="first call", run=row["number"])
        run = _prepared(row, game, messenger)
        if run is not None:
            runs.append(run)
            if row["number"] in job["repeats"]:
                _repeat(run, game, job["seconds"], messenger)
    works = [partial(_race, run, game, job, messenger) for run in runs]
    numbers = [run.number for run in runs]
    slice_seconds = job["seconds"] / SLICES
    alternate(
        works, slice_seconds, lambda turn: messenger.send("stage", stage="turn", run=numbers[turn])
    )


def _prepared(row: Mapping[str, Any], game: _Game, messenger: Messenger) -> _Run | None:
    """Return a run after one iteration, in which its kernels are compiled; None if it fails."""
    made: list[_Run] = []

    def prepare() -> None:
        method = game.method(find_subject(row["text"]), row["seed"])
        budget = Budget(iterations=1, seconds=0)
        _checked(run_method(method, game.form, budget), game)
        # A function that returns only a policy, and has recorded nothing, draws no curve itself.
        records = bool(budget.trace) or _is_of_library(method)
        if records:
            # More kernels may be needed after some iterations.
            run_method(method, game.form, Budget(iterations=WARM_ITERATIONS, seconds=WARM_SECONDS))
        made.append(_Run(row["number"], row["text"], row["seed"], method, records))

    _reported(row["number"], prepare, messenger)
    return made[0] if made else None


def _is_of_library(method: MethodSpec) -> bool:
    """Return whether a method measures on the way, or is exact and has only one answer."""
    is_function = isinstance(method, CustomMethod)
    return type(method).__module__.partition(".")[0] == "infoset" and not is_function


def _checked(result: SolveResult, game: _Game) -> SolveResult:
    """Return a result whose policy is one of the game, and is measured here.

    Raises
    ------
    ParameterError
        If it is a policy of another game, or its stated exploitability is not the measured one.
    """
    policy = result.policy
    if not isinstance(policy, TabularPolicy):
        raise ParameterError(f"the result has a {type(policy).__name__}, not a TabularPolicy")
    if policy.sequence_form.fingerprint != game.form.fingerprint:
        raise ParameterError(
            f"it returned a policy of {policy.sequence_form.name}, not of {game.form.name}"
        )
    measured = evaluate_policy(policy)
    said, found = result.measured.exploitability, measured.exploitability
    if said is None or found is None or not isclose(said, found, rel_tol=0.01, abs_tol=1e-9):
        raise ParameterError(f"it states exploitability {said}, and its policy has {found}")
    return replace(result, measured=measured)


def _reported(number: int, work: Callable[[], object], messenger: Messenger) -> None:
    """Do a part of a run, and report why it failed if it did."""
    try:
        work()
    except UnsupportedGameError as error:
        messenger.send("done", run=number, outcome=NOT_APPLICABLE, message=str(error))
    except InfosetError as error:
        messenger.send("done", run=number, outcome=FAILED, message=str(error))
    except BaseException as error:
        messenger.send("done", run=number, outcome=FAILED, message=describe_exception(error))


def _repeat(run: _Run, game: _Game, seconds: float, messenger: Messenger) -> None:
    """Compare two short runs with the same seed, bit for bit; one that needs longer tells nothing.

    The clock decides where such a run ends, and so what it returns.
    """

    def twice() -> None:
        results = []
        for _ in range(2):
            method = game.method(find_subject(run.text), run.seed)
            budget = Budget(iterations=REPEATED_ITERATIONS, seconds=max(seconds, REPEAT_SECONDS))
            results.append(run_method(method, game.form, budget))
        if all(result.outcome != "seconds" for result in results):
            first, second = (result.policy.digest for result in results)
            messenger.send("repeated", run=run.number, is_same=first == second)

    _reported(run.number, twice, messenger)


def _race(run: _Run, game: _Game, job: Mapping[str, Any], messenger: Messenger, turn: Turn) -> None:
    """Run a method in its turns until its seconds are used up."""

    def watch(iteration: int, seconds: float, exploitability: float | None) -> None:
        point = [iteration, seconds, exploitability]
        messenger.send("point", run=run.number, point=point)

    def work() -> None:
        solve = _in_one_run if run.records else _in_growing_runs
        result = solve(run, game, job, turn, watch)
        if run.number in job["kept"]:
            messenger.send("policy", run=run.number, data=_policy_file(run, result))
        messenger.send("done", run=run.number, outcome=result.outcome, message="")

    _reported(run.number, work, messenger)


def _policy_file(run: _Run, result: SolveResult) -> str:
    """Return the file of a policy as text."""
    about = {"method": run.text, "iterations": result.iterations, "seed": run.seed}
    with TemporaryDirectory() as folder:
        path = Path(folder) / "policy.parquet"
        save_policy(result.policy, path, about)
        return b64encode(path.read_bytes()).decode()


Watch: TypeAlias = Callable[[int, float, "float | None"], None]


def _in_one_run(
    run: _Run, game: _Game, job: Mapping[str, Any], turn: Turn, watch: Watch
) -> SolveResult:
    episodes = job["episodes"] if isinstance(run.method, LearnerMethod) else None
    budget = TurnBudget(iterations=episodes, seconds=job["seconds"], turn=turn, watch=watch)
    result = _checked(run_method(run.method, game.form, budget), game)
    watch(result.iterations, turn.seconds, result.exploitability)
    return result


def _in_growing_runs(
    run: _Run, game: _Game, job: Mapping[str, Any], turn: Turn, watch: Watch
) -> SolveResult:
    """Call a function with 1, 2, 4, … iterations; the time of a point is that of its call."""
    iterations, used, digest = 1, 0.0, ""
    while True:
        turn.restart()
        budget = TurnBudget(iterations=iterations, seconds=job["seconds"] - used, turn=turn)
        result = _checked(run_method(run.method, game.form, budget), game)
        watch(iterations, turn.seconds, result.exploitability)
        used += turn.seconds
        if result.policy.digest == digest:
            return replace(result, outcome="optimal")
        if used >= job["seconds"] or iterations >= MAX_ITERATIONS:
            return replace(result, outcome="seconds")
        iterations, digest = 2 * iterations, result.policy.digest
        turn.offer()
