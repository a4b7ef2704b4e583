"""The function `compare`, which solves one game with several methods."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from infoset.errors import ComparisonError, ParameterError
from infoset.front.game_sources import FormLike, to_form
from infoset.front.solution import resolve_method
from infoset.regret import RegretScheme
from infoset.runs import Budget, Callback, SolveResult, Target, TracePoint, make_budget
from infoset.solvers import MethodSpec
from infoset.tree import BuildProgress, SequenceForm
from infoset.utils.arguments import check_callable, check_type

__all__ = ["compare", "comparison_budget"]

DEFAULT_ITERATIONS = 1000


def compare(
    game: FormLike,
    methods: Sequence[str | RegretScheme | MethodSpec],
    *,
    target: Target | None = None,
    iterations: int | None = None,
    seconds: float | None = None,
    callback: Callable[[str, TracePoint], object] | None = None,
    memory: int | None = None,
    progress: BuildProgress | None = None,
) -> tuple[SolveResult, ...]:
    """Solve a game with several methods in turn, each with the same limits.

    Each method first runs one iteration outside the limits, so that a method that does not apply
    to the game is rejected before any work is done.

    Parameters
    ----------
    game : str, Game, GameTree, ExtensiveForm or SequenceForm
    methods : Sequence[str, RegretScheme or MethodSpec]
        At least one; see `solve`.
    target, iterations, seconds
        As in `solve`, for each method; without any, 1,000 iterations.
    callback : callable, optional
        Called with the method's name and a `TracePoint` at every measurement; returning true
        stops that method.
    memory, progress
        As in `solve`.

    Returns
    -------
    tuple[SolveResult, ...]
        One result for each method, in order, as input of `plot_comparison`. After Ctrl-C, the
        results up to and including that of the interrupted method.

    Raises
    ------
    InfosetError
        For the reasons that `solve` lists, or if `methods` is empty.
    ComparisonError
        If a method fails after others have finished; its `results` are those of the others.

    Examples
    --------
    >>> results = compare("kuhn_poker", ["cfr", "cfr+"], iterations=100)
    >>> results[0].exploitability > results[1].exploitability
    True
    """
    check_type("methods", methods, (list, tuple), "a list of methods")
    if not methods:
        raise ParameterError(
            "methods is empty; give a list of at least one method, such as ['cfr+']"
        )
    if callback is not None:
        check_callable("callback", callback, "a function of the method's name and a TracePoint")
    specs = [resolve_method(method) for method in methods]
    form = to_form(game, memory=memory, progress=progress)
    budget = partial(comparison_budget, form, target=target, iterations=iterations, seconds=seconds)
    budget()
    _try_out(specs, form)
    results: list[SolveResult] = []
    for spec in specs:
        watch = None if callback is None else partial(callback, spec.name)
        try:
            results.append(spec.run(form, budget(callback=watch)))
        except Exception as error:
            if not results:
                raise
            raise ComparisonError(spec.name, error, tuple(results)) from error
        if results[-1].outcome == "interrupted":
            break
    return tuple(results)


def comparison_budget(
    sequence_form: SequenceForm,
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
        sequence_form, target=target, iterations=iterations, seconds=seconds, callback=callback
    )


def _try_out(specs: Sequence[MethodSpec], form: SequenceForm) -> None:
    """Run one iteration of each method; exact methods get a time limit of 0 and stop immediately.

    A method that does not apply to the game fails here. Compilation happens here too, so that the
    measured times do not include it.
    """
    for spec in specs:
        if spec.run(form, Budget(iterations=1, seconds=0)).outcome == "interrupted":
            raise KeyboardInterrupt
