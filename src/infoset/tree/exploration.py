"""Breadth-first exploration of a game's world states, the only stage that calls its rules."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from infoset.errors import LimitReached
from infoset.game import Game, Probability
from infoset.game.broken_rules import check_num_players
from infoset.tree.build_watch import BuildProgress, BuildWatch
from infoset.tree.explorer import Explorer, Row, row_number
from infoset.tree.repeated_answers import check_repeated_answers
from infoset.tree.saved_graphs import find_cache_entry
from infoset.tree.world_graph import WorldGraph
from infoset.utils.arguments import check_type
from infoset.utils.frozen_arrays import freeze
from infoset.utils.interrupts import interrupts_held


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

    If the limit on world states is 100,000 or more, random plays begin when a fiftieth of it has
    been found. If they show, with an error probability below 1e-9, that the game has more than the
    limit, it is refused.

    Parameters
    ----------
    memory
        Limit in bytes; by default that of `build_limits`, 70% of the free memory.
    max_worlds
        Limit on the number of world states; by default that of `build_limits`, two million. The
        limit on transitions is ten times this number, but at least a million.
    max_seconds
        Limit on the elapsed time, in seconds; by default that of `build_limits`, which is None: no
        limit.
    partial
        Return a partial graph at a limit or after Ctrl-C, instead of raising. There are no random
        plays.
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

    Examples
    --------
    >>> from infoset.games import load_game
    >>> build_world_graph(load_game("kuhn_poker")).num_worlds
    55
    """
    watch = BuildWatch(max_worlds, max_seconds, memory, progress)
    return explore_game(game, watch, partial, samples=not partial)


def explore_game(
    game: Game, watch: BuildWatch, partial: bool = False, *, samples: bool = True
) -> WorldGraph:
    """Return the world graph of a game, as `build_world_graph` does within the limits of `watch`.

    If `samples` is true, exploration stops early where random plays show that there are more world
    states than the limit.

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
    explorer = Explorer(game, watch, samples=samples)
    watch.stop = _explore(explorer, watch, partial)
    if watch.stop is not None and not (partial and explorer.worlds):
        raise watch.error(game, len(explorer.worlds), explorer.num_edges)
    try:
        with interrupts_held():  # the arrays are quick, and a partial graph is a result
            graph = _graph(explorer, watch.stop)
    except KeyboardInterrupt:
        if not partial:
            raise
        return replace(graph, stop=watch.stop or "interrupted")
    if watch.stop is None:
        # The graph is complete: at a limit, the check of a part of it is enough.
        with suppress(LimitReached, *([KeyboardInterrupt] if partial else [])):
            watch.rest().run(lambda: check_repeated_answers(graph))
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


def _graph(explorer: Explorer, stop: str | None) -> WorldGraph:
    """Return the read-only arrays, without the edges of a partly expanded world."""
    size = explorer.num_players
    # A limit may have stopped the loop between any two instructions.
    expanded = explorer.num_expanded
    first_edge = explorer.first_edge[: expanded + 1]
    edges = first_edge[-1]
    padding = len(explorer.worlds) - expanded
    nobody = row_number(explorer.set_rows, (-1,) * size)
    sets = explorer.sets[:expanded] + [nobody] * padding
    observation = _take(explorer.observation_rows, explorer.observation[:edges], 1 + size, np.int32)
    graph = WorldGraph(
        game=explorer.game,
        worlds=tuple(explorer.worlds),
        num_expanded=expanded,
        action_set=_take(explorer.set_rows, sets, size, np.int32),
        action_sets=tuple(explorer.action_sets),
        first_edge=np.array(first_edge + [edges] * padding, dtype=np.int32),
        joint_action=_take(explorer.joint_rows, explorer.joint_action[:edges], size, np.int32),
        probability=np.array(explorer.probability[:edges]),
        exact_probability=_fractions(explorer.exact_probability[:edges]),
        next_world=np.array(explorer.next_world[:edges], dtype=np.int32),
        rewards=_take(explorer.reward_rows, explorer.rewards[:edges], size, np.float64),
        public_observation=np.ascontiguousarray(observation[:, 0]),
        private_observation=np.ascontiguousarray(observation[:, 1:]),
        observations=tuple(explorer.observations),
        stop=stop,
    )
    freeze(graph)
    return graph


def _take(rows: dict[Any, Row], chosen: list[Row], size: int, kind: type) -> NDArray[Any]:
    """Return [len(chosen), size] the array of the chosen rows."""
    table: NDArray[Any] = np.array(list(rows), dtype=kind).reshape(-1, size)
    return table[np.array(chosen, dtype=np.int64)]


def _fractions(probabilities: list[Probability]) -> tuple[Fraction, ...] | None:
    """Return probabilities as fractions if all of them are exact, otherwise None."""
    if not all(issubclass(kind, Fraction | int) for kind in set(map(type, probabilities))):
        return None
    # Fractions are slow to make and to hash, and most probabilities are few objects.
    objects = dict(zip(map(id, probabilities), probabilities, strict=True))
    equal: dict[Fraction, Fraction] = {}
    exact = {}
    for number, probability in objects.items():
        fraction = Fraction(probability)
        exact[number] = equal.setdefault(fraction, fraction)
    return tuple([exact[number] for number in map(id, probabilities)])
