"""`compare`: one game, several methods."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from infoset.errors import ComparisonError, ParameterError
from infoset.front.load import FormLike, to_form
from infoset.regret import RegretScheme
from infoset.runs import Budget, Callback, SolveResult, Target, TracePoint, make_budget
from infoset.solvers import MethodSpec, get_method
from infoset.tree import ExplorationProgress, SequenceForm
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
    on_measured: Callable[[str, TracePoint], object] | None = None,
    memory: int | None = None,
    progress: ExplorationProgress | None = None,
) -> tuple[SolveResult, ...]:
    """Solve a game by several methods, one after the other, each with the same limits.

    One iteration of each is tried first, outside the limits, so that a method that is not for
    this game is refused before any work is done.

    Parameters
    ----------
    game : str, Game, GameTree, ExtensiveForm or SequenceForm
    methods : Sequence[str, RegretScheme or MethodSpec]
        At least one; see `solve`.
    target, iterations, seconds
        As in `solve`, for each method; with none of them, 1,000 iterations.
    on_measured : callable, optional
        Called with the method's name and a `TracePoint` at every measurement; stops the method by
        returning true.
    memory, progress
        As in `solve`.

    Returns
    -------
    tuple[SolveResult, ...]
        In the order of the methods; `plot_comparison` draws them. After Ctrl-C, up to the one
        that it stopped.

    Raises
    ------
    InfosetError
        As `solve`; also if there are no methods.
    ComparisonError
        If a method fails after others are done, whose `results` it has.

    Examples
    --------
    >>> results = compare("kuhn_poker", ["cfr", "cfr+"], iterations=100)
    >>> results[0].exploitability > results[1].exploitability
    True
    """
    check_type("methods", methods, (list, tuple), "a list of methods")
    if not methods:
        raise ParameterError("methods is empty; give a list of at least one, such as ['cfr+']")
    if on_measured is not None:
        check_callable("on_measured", on_measured, "a function of a name and a TracePoint")
    rows = [get_method(method) for method in methods]
    form = to_form(game, memory=memory, progress=progress)
    budget = partial(comparison_budget, form, target=target, iterations=iterations, seconds=seconds)
    budget()
    _try_out(rows, form)
    results: list[SolveResult] = []
    for row in rows:
        callback = None if on_measured is None else partial(on_measured, row.name)
        try:
            results.append(row.run(form, budget(callback=callback)))
        except Exception as error:
            if not results:
                raise
            raise ComparisonError(row.name, error, tuple(results)) from error
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
    """Check the limits of each method of a comparison; 1,000 iterations where none is given.

    Raises
    ------
    ParameterError, UnsupportedGameError
        As `make_budget`.
    """
    if target is None and iterations is None and seconds is None:
        iterations = DEFAULT_ITERATIONS
    return make_budget(
        sequence_form, target=target, iterations=iterations, seconds=seconds, callback=callback
    )


def _try_out(rows: Sequence[MethodSpec], form: SequenceForm) -> None:
    """Run one iteration of each method, and none of the exact ones, which find no time left.

    Those that refuse the game do so before any work is done, and no compiling is in anybody's
    seconds.
    """
    for row in rows:
        if row.run(form, Budget(iterations=1, seconds=0)).outcome == "interrupted":
            raise KeyboardInterrupt
