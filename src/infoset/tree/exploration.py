"""Breadth-first exploration of a game's world states, the only stage that calls its rules."""

from __future__ import annotations

from infoset.game import Game
from infoset.game.broken_rules import check_num_players
from infoset.tree.build_progress import BuildProgress
from infoset.tree.explorer import Explorer
from infoset.tree.limits import BuildWatch
from infoset.tree.saved_graphs import find_cache_entry
from infoset.tree.world_graph import WorldGraph
from infoset.utils.arguments import check_type
from infoset.utils.watchdog import LimitReached

__all__ = ["build_world_graph", "explore_game"]


def build_world_graph(
    game: Game,
    *,
    memory: int | None = None,
    max_worlds: int | None = None,
    max_seconds: float | None = None,
    partial: bool = False,
    progress: BuildProgress | None = None,
) -> WorldGraph:
    """Visit every world state that is reachable from the initial one, breadth first.

    Parameters
    ----------
    game : Game
    memory : int, optional
        Limit in bytes; by default 70% of the free memory.
    max_worlds : int, optional
        Limit on the number of world states; by default that of `build_limits`, one million. The
        limit on transitions is ten times this number, but at least a million.
    max_seconds : float, optional
        Limit on the elapsed time, in seconds; by default that of `build_limits`, which is None: no
        limit.
    partial : bool
        Return a partial graph at a limit or after Ctrl-C, instead of raising.
    progress : callable, optional
        Called with a `BuildPoint` every few hundred world states.

    Returns
    -------
    WorldGraph

    Raises
    ------
    GameRuleError
        If a method of the game raises an exception, or the game breaks a rule of the model:
        probabilities that do not sum to one, rewards that are not finite, world states that cannot
        be hashed, actors without legal actions. The error is that of `infoset.check_game`, which
        checks more rules.
    ExplorationLimitError
        If a limit is exceeded and `partial` is False.
    ParameterError
        If `game` is not a `Game` (a name, for example), or a limit is out of range.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> build_world_graph(load_game("kuhn_poker")).num_worlds
    55
    """
    return explore_game(game, BuildWatch(max_worlds, max_seconds, memory, progress), partial)


def explore_game(game: Game, watch: BuildWatch, partial: bool = False) -> WorldGraph:
    """Return the world graph of a game, as `build_world_graph` does within the limits of `watch`.

    Raises
    ------
    GameRuleError, ExplorationLimitError, ParameterError
        As `build_world_graph`.
    """
    check_type("game", game, Game, 'a Game, such as infoset.load("kuhn_poker")')
    check_num_players(game)
    entry = find_cache_entry(game)
    saved = None if entry is None else entry.load()
    if saved is not None and watch.allows(saved.num_worlds, saved.num_edges):
        return saved
    explorer = Explorer(game, watch)
    watch.stop = _explore(explorer, watch, partial)
    if watch.stop is not None and not (partial and explorer.worlds):
        raise watch.error(game, len(explorer.worlds), explorer.num_edges)
    graph = explorer.graph(watch.stop)
    if entry is not None and saved is None and graph.is_complete:
        entry.save(graph)
    return graph


def _explore(explorer: Explorer, watch: BuildWatch, partial: bool) -> str | None:
    """Expand all world states; return what stopped it, or None if it is complete."""
    try:
        broken = watch.run(explorer.explore)
    except LimitReached:
        stop = watch.stop or watch.reached
        if stop is None:  # the limit of a watchdog around this one: the graph is not complete
            raise
        return stop
    except MemoryError:
        explorer.index.clear()
        return "memory"
    except KeyboardInterrupt:
        if not partial:
            raise
        return "interrupted"
    if broken is not None:
        raise broken from broken.__cause__
    return None
