"""`compare`: one game, several methods."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial

from infoset.errors import ParameterError, UnsupportedGameError
from infoset.front.load import GameLike, to_compiled
from infoset.front.solve import solve
from infoset.regret import RegretScheme
from infoset.solvers import MethodRow, SolveResult, Target, TracePoint, find_method
from infoset.tree import ExplorationProgress

__all__ = ["compare"]

DEFAULT_ITERATIONS = 1000


def compare(
    game: GameLike,
    methods: Sequence[str | RegretScheme | MethodRow],
    *,
    target: Target | None = None,
    iterations: int | None = None,
    seconds: float | None = None,
    on_measured: Callable[[str, TracePoint], object] | None = None,
    memory: int | None = None,
    progress: ExplorationProgress | None = None,
) -> tuple[SolveResult, ...]:
    """Solve a game by several methods, one after the other, each with the same limits.

    Parameters
    ----------
    game : str, Game, GameTree or ExtensiveForm
    methods : Sequence[str, RegretScheme or MethodRow]
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

    Examples
    --------
    >>> results = compare("kuhn_poker", ["cfr", "cfr+"], iterations=100)
    >>> results[0].exploitability > results[1].exploitability
    True
    """
    if isinstance(methods, str) or not methods:
        raise ParameterError(f"methods={methods!r} must be a list of methods, at least one")
    rows = [find_method(method) for method in methods]
    compiled = to_compiled(game, memory=memory, progress=progress)
    if target is None and iterations is None and seconds is None:
        iterations = DEFAULT_ITERATIONS
    _compile_kernels(rows, compiled.sequence_form.num_players)
    results: list[SolveResult] = []
    for row in rows:
        callback = None if on_measured is None else partial(on_measured, row.name)
        result = solve(
            compiled,
            row,
            target=target,
            iterations=iterations,
            seconds=seconds,
            callback=callback,
        )
        results.append(result)
        if result.outcome == "interrupted":
            break
    return tuple(results)


def _compile_kernels(rows: Sequence[MethodRow], num_players: int) -> None:
    """Run each method on a small game, so that no compiling is in anybody's seconds."""
    small = to_compiled(f"kuhn_poker(players={num_players})")
    for row in rows:
        with suppress(UnsupportedGameError):
            solve(small, row, iterations=1)
