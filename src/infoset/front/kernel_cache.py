"""Compilation of the kernels of methods ahead of their first use."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from infoset.errors import UnknownNameError
from infoset.front.learning_runs import learn
from infoset.front.solution import solve
from infoset.front.team_solution import solve_team
from infoset.games import load_game
from infoset.learning import LEARNERS
from infoset.matches import play_matches
from infoset.policy import uniform_policy
from infoset.search import SEARCHERS, make_searcher
from infoset.solvers import METHODS
from infoset.teams import TEAM_METHODS
from infoset.tree import build_tree
from infoset.utils.interpretation import always_compiled

POKER = "kuhn_poker"
TEAM_GAME = "trade_comm(num_items=2)"


def compile_kernels(
    names: Sequence[str] | None = None, *, callback: Callable[[str], object] | None = None
) -> tuple[str, ...]:
    """Compile the kernels of methods, learners, searchers and team methods into the disk cache.

    Each of them runs for an instant on a small game. Later processes load the kernels from disk.
    Kernels that other kinds of games need (more than two players, `float32`, several threads) are
    compiled at their first use.

    Parameters
    ----------
    names
        Names from `METHODS`, `LEARNERS`, `SEARCHERS` and `TEAM_METHODS`; by default all of them.
    callback
        Called with each name before its kernels are compiled.

    Returns
    -------
    tuple[str, ...]
        The names, in the order of compilation.

    Raises
    ------
    UnknownNameError
        If a name is not in one of the four registries.

    Examples
    --------
    >>> compile_kernels(["lp"])
    ('lp',)
    """
    trials = _trials()
    chosen = tuple(trials) if names is None else tuple(names)
    for name in chosen:
        if name not in trials:
            raise UnknownNameError.of("method, learner or searcher", name, trials)
    with always_compiled():
        for name in chosen:
            if callback is not None:
                callback(name)
            for run in trials[name]:
                run()
    return chosen


def _trials() -> dict[str, list[Callable[[], object]]]:
    """Return short runs that use the kernels of each name."""
    runs: tuple[tuple[str, Callable[[], object]], ...] = (
        *((name, partial(solve, POKER, name, iterations=2)) for name in METHODS),
        *((name, partial(learn, POKER, name, episodes=10)) for name in LEARNERS),
        *((name, partial(_match, name)) for name in SEARCHERS),
        *((name, partial(solve_team, TEAM_GAME, name, seconds=0.0)) for name in TEAM_METHODS),
    )
    trials: dict[str, list[Callable[[], object]]] = {}
    for name, run in runs:  # a name such as auto is in two registries
        trials.setdefault(name, []).append(run)
    return trials


def _match(name: str) -> None:
    """Play a match against a searcher."""
    tree = build_tree(load_game(POKER))
    play_matches(tree, make_searcher(name, tree), uniform_policy(), num_deals=2)
