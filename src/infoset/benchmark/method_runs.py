"""What the child process does with methods, learners and networks: races on one game."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from math import isclose
from typing import Any, Final, TypeAlias

from infoset.benchmark.child_messages import Messenger
from infoset.benchmark.handed_policies import pack_policy
from infoset.benchmark.subjects import Subject, find_subject
from infoset.benchmark.turns import SLICES, Turn, TurnBudget, alternate
from infoset.errors import InfosetError, ParameterError, UnsupportedGameError, describe_exception
from infoset.evaluation import evaluate_policy
from infoset.forms import SequenceForm
from infoset.front.seed_runs import LearnerMethod
from infoset.games import load_game
from infoset.learning import make_simulator
from infoset.policy import TabularPolicy
from infoset.runs import Budget, Outcome, SolveResult
from infoset.solvers import CustomMethod, MethodSpec, has_seed, run_method, with_seed
from infoset.tree import GameTree, build_sequence_form, build_tree

HandOver: TypeAlias = Callable[[int, TabularPolicy], object]

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


class RaceGame:
    """A game, built once for all runs of a process."""

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
    hands_over: bool = True
    """Whether the method hands policies over on the way; otherwise it is called with growing
    budgets."""


def run_races(job: Mapping[str, Any], messenger: Messenger) -> None:
    """Run all rows of a job on its game alternately, and send their policies.

    Parameters
    ----------
    job
        `game`, `needs_tree`, `seconds`, `episodes`, `rows` (each with `number`, `text` and `seed`),
        and `repeats`: numbers of the rows that are run twice for a comparison.
    """
    messenger.send("stage", stage="build", run=None)
    game = RaceGame(job["game"], job["needs_tree"])
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
        works, slice_seconds, lambda turn: messenger.ask("stage", stage="turn", run=numbers[turn])
    )


def _prepared(row: Mapping[str, Any], game: RaceGame, messenger: Messenger) -> _Run | None:
    """Return a run after one iteration, in which its kernels are compiled; None if it fails."""
    made: list[_Run] = []

    def prepare() -> None:
        handed: list[TabularPolicy] = []
        method = game.method(find_subject(row["text"]), row["seed"])
        budget = TurnBudget(iterations=1, seconds=0, hand_over=lambda _, one: handed.append(one))
        _checked(run_method(method, game.form, budget), game)
        # A function that returns only a policy, and has recorded none, draws no curve itself.
        hands_over = bool(handed) or _is_of_library(method)
        if hands_over:
            # More kernels may be needed after some iterations.
            run_method(method, game.form, Budget(iterations=WARM_ITERATIONS, seconds=WARM_SECONDS))
        made.append(_Run(row["number"], row["text"], row["seed"], method, hands_over))

    _reported(row["number"], prepare, messenger)
    return made[0] if made else None


def _is_of_library(method: MethodSpec) -> bool:
    """Return whether a method hands policies over, or is exact and has only one answer."""
    is_function = isinstance(method, CustomMethod)
    return type(method).__module__.partition(".")[0] == "infoset" and not is_function


def _checked(result: SolveResult, game: RaceGame) -> SolveResult:
    """Return a result whose policy is one of the game, and is measured here.

    Raises
    ------
    ParameterError
        If it is a policy of another game, or its stated exploitability is not the measured one.
    """
    policy = result.policy
    if not isinstance(policy, TabularPolicy):
        raise ParameterError(f"the result has a {type(policy).__name__}, not a TabularPolicy")
    if policy.form.fingerprint != game.form.fingerprint:
        raise ParameterError(f"it returned a policy of {policy.form.name}, not of {game.form.name}")
    measured = evaluate_policy(policy)
    said, found = result.measured.exploitability, measured.exploitability
    if said is None or found is None or not isclose(said, found, rel_tol=0.01, abs_tol=1e-9):
        raise ParameterError(f"it states exploitability {said}, but its policy has {found}")
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


def _repeat(run: _Run, game: RaceGame, seconds: float, messenger: Messenger) -> None:
    """Compare two short runs with the same seed, bit for bit; a longer run is inconclusive.

    The clock decides where such a run ends, and so what it returns.
    """

    def twice() -> None:
        results = []
        for _ in range(2):
            method = game.method(find_subject(run.text), run.seed)
            budget = Budget(iterations=REPEATED_ITERATIONS, seconds=max(seconds, REPEAT_SECONDS))
            results.append(run_method(method, game.form, budget))
        if all(result.outcome != "seconds" for result in results):
            policies = [pack_policy(result.policy) for result in results]
            messenger.send("repeated", run=run.number, policies=policies)

    _reported(run.number, twice, messenger)


def _race(
    run: _Run, game: RaceGame, job: Mapping[str, Any], messenger: Messenger, turn: Turn
) -> None:
    """Run a method in its turns until its seconds are used up."""

    def hand_over(iteration: int, policy: TabularPolicy) -> None:
        data = pack_policy(policy)
        messenger.ask("policy", run=run.number, iteration=iteration, data=data)

    def work() -> None:
        solve = _in_one_run if run.hands_over else _in_growing_runs
        outcome = solve(run, game, job, turn, hand_over)
        messenger.send("done", run=run.number, outcome=outcome, message="")

    _reported(run.number, work, messenger)


def _in_one_run(
    run: _Run, game: RaceGame, job: Mapping[str, Any], turn: Turn, hand_over: HandOver
) -> Outcome:
    """Run a method once, and send the policy that it returns; return why it ended."""
    episodes = job["episodes"] if isinstance(run.method, LearnerMethod) else None
    budget = TurnBudget(iterations=episodes, seconds=job["seconds"], turn=turn, hand_over=hand_over)
    result = _checked(run_method(run.method, game.form, budget), game)
    hand_over(result.iterations, result.policy)
    return result.outcome


def _in_growing_runs(
    run: _Run, game: RaceGame, job: Mapping[str, Any], turn: Turn, hand_over: HandOver
) -> Outcome:
    """Call a function with 1, 2, 4, … iterations, and send the policies that it returns."""
    iterations, digest = 1, ""
    while True:
        budget = TurnBudget(iterations=iterations, seconds=job["seconds"], turn=turn)
        result = _checked(run_method(run.method, game.form, budget), game)
        hand_over(iterations, result.policy)
        # Twice the iterations gave the same policy: the function has no more to offer.
        if result.policy.digest == digest:
            return "optimal"
        if turn.seconds >= job["seconds"] or iterations >= MAX_ITERATIONS:
            return "seconds"
        iterations, digest = 2 * iterations, result.policy.digest
        turn.offer()
