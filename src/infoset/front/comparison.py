"""The function `compare`, which runs several methods on one game."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from functools import partial
from typing import TypeAlias

from infoset.errors import (
    InfosetError,
    ParameterError,
    PolicyMismatchError,
    UnknownNameError,
)
from infoset.forms import Form
from infoset.front.compared_runs import (
    ComparedRuns,
    MethodCallback,
    run_in_turn,
    run_on_executor,
)
from infoset.front.form_choice import ChosenForm, choose_form
from infoset.front.game_sources import FormLike, check_target, load
from infoset.front.learning_runs import (
    build_simulator,
    resolve_learner,
)
from infoset.front.python_files import is_python_file, load_from_python_file
from infoset.front.seed_runs import LearnerMethod
from infoset.front.solution import METHOD_KINDS, resolve_method
from infoset.learning import (
    LEARNERS,
    AutoLearner,
    LearnerSpec,
    Simulator,
)
from infoset.policy import transfer_policy
from infoset.regret import RegretScheme
from infoset.runs import (
    Budget,
    Callback,
    Seeds,
    SolveResult,
    Target,
    check_seeds,
    check_workers,
    make_budget,
)
from infoset.solvers import (
    METHODS,
    MethodSpec,
    Run,
    has_seed,
    run_method,
    runs_on,
    with_seed,
)
from infoset.tree import BuildProgress
from infoset.utils.arguments import check_callable, check_type

DEFAULT_ITERATIONS = 1000

ComparedMethod: TypeAlias = str | RegretScheme | MethodSpec | LearnerSpec | Run | SolveResult
"""A method, a learner, or a finished result, as `compare` accepts them."""


def compare(
    game: FormLike,
    methods: Sequence[ComparedMethod],
    *,
    form: str = "auto",
    target: Target | None = None,
    iterations: int | None = None,
    seconds: float | None = None,
    seeds: Seeds | None = None,
    executor: Executor | None = None,
    callback: MethodCallback | None = None,
    memory: int | None = None,
    progress: BuildProgress | None = None,
) -> tuple[SolveResult, ...]:
    """Solve a game with several methods in turn, each with the same limits.

    Each method first runs one iteration outside the limits, so that a method that does not apply
    to the game is rejected before any work is done.

    Parameters
    ----------
    game : str, Game, GameTree, ExtensiveForm, SequenceForm or PublicForm
        On a public form, `cs-mccfr` and `es-mccfr` are the only learners that run; on a sequence
        form, no learner does.
    methods : Sequence[str, RegretScheme, MethodSpec, LearnerSpec, function or SolveResult]
        At least one. Methods as in `solve`; learners as in `learn`, whose iterations are episodes;
        and finished results, such as one from `make_result`, which are returned unchanged in their
        places.
    form
        As in `solve`, the same for all methods. Learners other than `cs-mccfr` and `es-mccfr` need
        the tree.
    target, iterations, seconds
        As in `solve`, for each method; without any, 1,000 iterations.
    seeds : int or Sequence[int], optional
        Number of runs, with seeds 0, 1, …, or the seed of each run. It applies to learners, and to
        your own methods with a field or parameter `seed`; other methods run once.
    executor
        Where to run the methods, several at a time: any `concurrent.futures.Executor`, also of
        other machines. Everything except times is the same; times of methods that run side by side,
        or on different machines, cannot be compared.
    callback : callable, optional
        Called with the method's name and a `TracePoint` at every measurement; returning true
        stops that method. With an executor it is called after each run with its measurements, and
        the returned value is ignored.
    memory, progress
        As in `solve`.

    Returns
    -------
    tuple[SolveResult, ...]
        One result for each method and seed, in order, as input of `plot_comparison`. After Ctrl-C,
        the results up to and including that of the interrupted method; with an executor, those
        that are done.

    Raises
    ------
    InfosetError
        For the reasons that `solve` and `learn` list, or if `methods` is empty, a result is of
        another game, or `seeds` is given and no method uses a seed.
    ComparisonError
        If a method fails after others have finished; its `results` are those of the others.

    Examples
    --------
    >>> results = compare("kuhn_poker", ["cfr", "cfr+"], iterations=100)
    >>> results[0].exploitability > results[1].exploitability
    True
    >>> seeded = compare("kuhn_poker", ["cfr+", "es-mccfr"], iterations=100, seeds=2)
    >>> [(result.method, result.seed) for result in seeded]
    [('cfr+', None), ('es-mccfr', 0), ('es-mccfr', 1)]
    """
    if callback is not None:
        check_callable("callback", callback, "a function of the method's name and a TracePoint")
    check_workers(None, executor)
    given = load(game) if isinstance(game, str) else game
    check_target(given, target)
    (found, _), entries = prepare_comparison(
        given, methods, seeds, form=form, memory=memory, progress=progress
    )
    budget = partial(
        comparison_budget, found, target=target, iterations=iterations, seconds=seconds
    )
    budget()  # checks the limits before anything runs
    _try_out(entries, found)
    runs = ComparedRuns(found, tuple(entries), budget)
    if executor is None:
        return run_in_turn(runs, callback)
    return run_on_executor(runs, executor, callback)


def prepare_comparison(
    game: FormLike,
    methods: Sequence[ComparedMethod],
    seeds: Seeds | None = None,
    *,
    form: str = "auto",
    memory: int | None = None,
    progress: BuildProgress | None = None,
) -> tuple[ChosenForm, list[MethodSpec | SolveResult]]:
    """Build a game, and return its form with one method for each run of a comparison.

    The parameters are those of `compare`, which also accepts the form and the methods.

    Raises
    ------
    InfosetError
        As raised by `compare` before it runs a method.
    """
    check_type("methods", methods, (list, tuple), "a list of methods")
    if not methods:
        raise ParameterError(
            "methods is empty; give a list of at least one method, such as ['cfr+']"
        )
    found = [_resolve(method) for method in methods]
    _check_names(found)
    numbers = None if seeds is None else check_seeds(seeds)
    chosen, simulator = _build(game, found, form, memory, progress)
    entries: list[MethodSpec | SolveResult] = []
    for one in found:
        if isinstance(one, SolveResult):
            _check_game(one, chosen.form)
            entries.append(one)
        elif isinstance(one, LearnerSpec):
            learner = one
            if isinstance(one, AutoLearner):
                learner = one.choose(has_tree=not isinstance(simulator, Form))[0]
            entries.append(LearnerMethod(learner, simulator))
        else:
            entries.append(one)
    return chosen, entries if numbers is None else _seeded(entries, numbers)


def _check_names(found: Sequence[MethodSpec | LearnerSpec | SolveResult]) -> None:
    """Raise if different methods have one name: charts would take them for seeds of one method."""
    named: dict[str, MethodSpec | LearnerSpec] = {}
    for one in found:
        # Methods with their own seeds may share a name: they are runs of one method.
        if isinstance(one, SolveResult) or getattr(one, "seed", None) is not None:
            continue
        if named.setdefault(one.name, one) != one:
            raise ParameterError(
                f"two different methods are called {one.name!r}; give one of them another name, "
                "such as dataclasses.replace(scheme, name='mine')"
            )


def _resolve(method: ComparedMethod) -> MethodSpec | LearnerSpec | SolveResult:
    """Return a method or learner by name, from a Python file, or as an object."""
    kinds = (*METHOD_KINDS, LearnerSpec)
    if is_python_file(method):
        method = load_from_python_file(str(method), kinds, "method")
    if isinstance(method, SolveResult | LearnerSpec):
        return method
    if isinstance(method, str) and not METHODS.knows(method):
        if LEARNERS.knows(method):
            return resolve_learner(method)
        known = (*METHODS.known_names, *LEARNERS.known_names)
        raise UnknownNameError.of("method", method, known)
    return resolve_method(method)


def _build(
    game: FormLike,
    found: Sequence[MethodSpec | LearnerSpec | SolveResult],
    form: str,
    memory: int | None,
    progress: BuildProgress | None,
) -> tuple[ChosenForm, Simulator | Form]:
    """Return the form of a game, and the simulator or form on which learners run."""
    learners = [one for one in found if isinstance(one, LearnerSpec)]
    if learners and form != "public":
        _, simulator = build_simulator(game, learners, memory, progress, form)
        chosen = simulator if isinstance(simulator, Form) else simulator.form
        return ChosenForm(chosen), simulator
    methods = [one for one in found if not isinstance(one, SolveResult | LearnerSpec)]
    others = [method for method in methods if not runs_on(method, "public")]
    other = others[0] if others else None
    built = choose_form(game, form, other, memory=memory, progress=progress)
    return built, built.form


def _check_game(result: SolveResult, form: Form) -> None:
    """Raise unless a result is of the game, on any of its forms."""
    try:
        transfer_policy(result.policy, form)
    except PolicyMismatchError as error:
        raise PolicyMismatchError(
            f"the result of {result.method} is of {result.game}, not of {form.name}: {error}"
        ) from error


def _seeded(
    entries: Sequence[MethodSpec | SolveResult], seeds: Sequence[int]
) -> list[MethodSpec | SolveResult]:
    """Repeat the methods that use a seed, once with each seed."""
    if not any(has_seed(entry) for entry in entries if not isinstance(entry, SolveResult)):
        names = ", ".join(e.method if isinstance(e, SolveResult) else e.name for e in entries)
        raise ParameterError(
            f"seeds={list(seeds)}, but no method uses a seed ({names}): leave seeds out, or give "
            "your own method a field or parameter named seed"
        )
    repeated: list[MethodSpec | SolveResult] = []
    for entry in entries:
        if isinstance(entry, SolveResult) or not has_seed(entry):
            repeated.append(entry)
        else:
            repeated += [with_seed(entry, seed) for seed in seeds]
    return repeated


class _SetUpError(Exception):
    """Raised by methods that would begin to iterate."""


class _SetUp(Budget):
    """A budget that ends a method before its first iteration, which may need compilation."""

    def begin(self) -> None:
        raise _SetUpError


def applicable_methods(
    game: FormLike, *, memory: int | None = None, progress: BuildProgress | None = None
) -> dict[str, str]:
    """Return the names and descriptions of the methods of the library that apply to a game.

    Methods and learners are set up, and end before they solve or play anything.

    Raises
    ------
    InfosetError
        If the game is unknown, breaks a rule or is too large.
    """
    names = [*METHODS, *(name for name in LEARNERS if name not in METHODS)]
    (form, _), entries = prepare_comparison(game, names, memory=memory, progress=progress)
    found = {}
    for entry in entries:
        assert not isinstance(entry, SolveResult)
        try:
            run_method(entry, form, _SetUp(iterations=1, seconds=0))
        except InfosetError:
            continue
        except _SetUpError:
            pass  # Methods refuse a game before they begin.
        found[entry.name] = entry.description
    return found


def comparison_budget(
    game_form: Form,
    *,
    target: Target | None = None,
    iterations: int | None = None,
    seconds: float | None = None,
    callback: Callback | None = None,
) -> Budget:
    """Check the limits of each method of a comparison; 1,000 iterations by default.

    Raises
    ------
    ParameterError, UnsupportedGameError
        As raised by `make_budget`.
    """
    if target is None and iterations is None and seconds is None:
        iterations = DEFAULT_ITERATIONS
    return make_budget(
        game_form, target=target, iterations=iterations, seconds=seconds, callback=callback
    )


def _try_out(entries: Sequence[MethodSpec | SolveResult], form: Form) -> None:
    """Run one iteration of each method; exact methods get a time limit of 0 and stop immediately.

    A method that does not apply to the game fails here. Compilation happens here too, so that the
    measured times do not include it. Of several seeds of a method, one is tried.
    """
    tried: set[str] = set()
    for entry in entries:
        if isinstance(entry, SolveResult) or (has_seed(entry) and entry.name in tried):
            continue
        tried.add(entry.name)
        outcome = run_method(entry, form, Budget(iterations=1, seconds=0)).outcome
        if outcome == "interrupted":
            raise KeyboardInterrupt
