"""The function `info`: the size of a game, before or after it is built."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from infoset.efg import (
    ExtensiveForm,
    find_action_mismatch,
    find_hidden_reward,
    find_recall_violations,
    rewards_are_observable,
)
from infoset.errors import ExplorationLimitError, GameTooLargeError
from infoset.forms import SequenceForm, common_sum
from infoset.front.game_sources import (
    GameLike,
    PublicForecast,
    forecast_public_form,
    resolve_game,
)
from infoset.game import Game
from infoset.game.player_names import own_names
from infoset.search.models import large_model_type, search_model_type
from infoset.tree import (
    BuildProgress,
    GameCounts,
    GameTree,
    HistoryEstimate,
    PublicCounts,
    WorldGraph,
    count_histories,
    count_world_form,
    forecast_contraction,
    public_rules_of,
    unroll,
)
from infoset.tree.build_watch import SIZE_LIMITS, BuildWatch
from infoset.tree.exploration import explore_game
from infoset.tree.limits import allowed_memory, current_limits
from infoset.tree.public_counting import BYTES_PER_SEQUENCE
from infoset.utils.interrupts import interrupts_held


@dataclass(frozen=True)
class GameInfo:
    """Sizes and properties of a game; None where a value is unknown unless the game is built."""

    game: str
    """The game, as `load` reads it."""
    num_players: int
    world_states: int | None
    """None for an extensive form, which has no world states."""
    histories: int
    terminals: int
    """Histories include the root and the terminal histories. Each call of `transitions` adds one
    step, even when players move simultaneously."""
    infostates: tuple[int, ...] | None = None
    acting_infostates: tuple[int, ...] | None = None
    """Per player: all infostates, and those where the player acts."""
    public_states: int | None = None
    sequences: tuple[int, ...] | None = None
    """Per player, including the empty sequence; None without perfect recall."""
    two_player_zero_sum: bool | None = None
    """Whether two players' utilities sum to zero."""
    constant_sum: float | None = None
    """Sum of the utilities at every terminal history, if it is constant and known."""
    perfect_recall: bool = True
    """True for every game written as rules, whose infostates contain all observations and own
    actions."""
    observable_rewards: bool | None = None
    """Whether each player always knows the rewards it has received."""
    is_exact: bool = True
    """False if exploration of the world states was stopped, or there are more than 10**1000
    histories. World states, histories and terminals are then lower bounds."""
    forecast_bytes: int = 0
    """Peak memory of building the tree of histories."""
    fits: bool = True
    """Whether `forecast_bytes` is within the memory limit."""
    solving_bytes: int | None = None
    """Peak memory of building the sequence form without the tree of histories, excluding
    infostates. None if some world states were not visited, or the game is an extensive form."""
    solving_fits: bool | None = None
    """Whether `solving_bytes` is within the memory limit; None if it is unknown."""
    public_nodes: int | None = None
    """Number of public nodes of the public form, if the game has public rules; None otherwise. It
    is counted without building anything."""
    public_hands: tuple[int, int] | None = None
    """Number of hands of each player in the public form."""
    public_sequences: tuple[int, int] | None = None
    """Number of sequences of each player in the public form."""
    public_form_bytes: int | None = None
    """Peak memory of building the public form and solving it by CFR; None if it is unknown."""
    public_form_memory: dict[str, int] | None = field(default=None, hash=False)
    """The same by precision; `public_form_bytes` is the number for "float64"."""
    public_form_fits: bool | None = None
    """Whether `public_form_bytes` is within the memory limit; None without public rules, False if
    the public states are too many to count."""
    world_form_bytes: int | None = None
    """Peak memory of building the world form and measuring a policy; None unless the tree does not
    fit, or if world states were not visited."""
    world_form_fits: bool | None = None
    """Whether `world_form_bytes` is within the memory limit; None if it is unknown."""
    search_model: str | None = None
    """The search model of the game. `RulesModel` calls the rules in plain Python; all others are
    compiled and hundreds of times faster. None for an extensive form, and if `stop` is `public`."""
    stop: str | None = None
    """What stopped the exploration of the world states: `worlds` or `transitions` for a limit on
    their number, `memory`, `seconds`, `interrupted`, or `public` if the public form is much faster.
    A limit on time or an interruption may also have stopped the construction of the tree; the
    counts are then exact. None if nothing did."""
    estimate: HistoryEstimate | None = None
    """Estimated number of histories, if the limit on world states or transitions stopped the
    exploration; None otherwise."""
    player_names: tuple[str, ...] = ()
    """[N] names of the players, if the game names them."""
    notes: tuple[str, ...] = field(default=())
    """Remarks about loading the game, and about forms that do not fit."""

    def summary(self) -> dict[str, Any]:
        """Return the fields as JSON values."""
        values = {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in asdict(self).items()
        }
        return {**values, "estimate": self.estimate and self.estimate._asdict()}


def info(
    game: GameLike,
    *,
    memory: int | None = None,
    max_worlds: int | None = None,
    max_seconds: float | None = None,
    progress: BuildProgress | None = None,
) -> GameInfo:
    """Report the size and properties of a game.

    Histories are counted without being built. If the game fits in memory, it is built, and its
    infostates are counted too. If its public rules show that it has more world states than
    `max_worlds`, or, without this limit, that the public form is much faster, all numbers are
    counted from these rules, without visiting world states. If random plays show that there are
    more than `max_worlds`, as in `build_world_graph`, the visit stops early.

    Parameters
    ----------
    game : str, Game, GameTree or ExtensiveForm
    memory
        Bytes allowed for building; by default 70% of the free memory.
    max_worlds, max_seconds, progress
        Limits and progress callback of `build_tree`. If a limit is reached while the world states
        are visited, or Ctrl-C is pressed, the counts are lower bounds. Later they are exact, and
        values that need the tree are unknown.

    Examples
    --------
    >>> info("kuhn_poker").sequences
    (13, 13)
    """
    game = resolve_game(game)
    if isinstance(game, ExtensiveForm):
        return _of_form(game)
    limits = current_limits().updated(max_worlds, max_seconds, memory)
    if isinstance(game, GameTree):
        return _with_tree(_from_graph(game.graph, forecast_public_form(game.game, memory)), game)
    try:
        public = forecast_public_form(game, memory)
    except KeyboardInterrupt:
        return _interrupted(game, allowed_memory(memory))
    if public.counts is not None:
        is_faster = public.counts.is_much_faster() and public.fits_in("float64")
        if (is_faster and max_worlds is None) or public.counts.world_states > limits.max_worlds:
            return _from_public_rules(public, public.counts, limits.max_worlds)
    watch = BuildWatch(max_worlds, max_seconds, memory, progress)
    graph = explore_game(game, watch, partial=True)
    left = watch.memory_left()
    try:
        # Ctrl-C waits until `known` exists, so that there is something to report.
        with interrupts_held():
            known = _from_graph(graph, public._replace(allowed=left))
        if graph.stop in SIZE_LIMITS:
            known = replace(known, estimate=watch.estimate(game))
    except KeyboardInterrupt:
        return replace(known, stop="interrupted")
    if not known.fits or graph.stop == "interrupted":
        return _with_world_form(known, graph, left) if graph.is_complete else known
    try:
        return watch.finish(
            lambda graph, _, report: _with_tree(known, unroll(graph, left, report), watch.check),
            graph,
        )
    except ExplorationLimitError:
        return replace(known, stop="seconds")
    except KeyboardInterrupt:
        return replace(known, stop="interrupted")


def _with_world_form(known: GameInfo, graph: WorldGraph, allowed: int) -> GameInfo:
    """Add the size of the world form, which has the infostates of the tree."""
    try:
        size = count_world_form(graph, allowed)
    except GameTooLargeError:
        return replace(known, world_form_fits=False)
    except KeyboardInterrupt:
        return replace(known, stop="interrupted")
    return replace(
        known,
        acting_infostates=size.acting_infostates,
        sequences=size.sequences,
        world_form_bytes=size.bytes,
        world_form_fits=size.bytes <= allowed,
    )


def _interrupted(game: Game, allowed: int) -> GameInfo:
    """Return what is known before any world state but the initial one is visited."""
    graph = explore_game(game, BuildWatch(max_worlds=1), partial=True)
    return _from_graph(replace(graph, stop="interrupted"), PublicForecast(game, allowed, None))


def _from_graph(graph: WorldGraph, forecast: PublicForecast) -> GameInfo:
    counts, allowed = count_histories(graph), forecast.allowed
    solving = forecast_contraction(graph, counts) if counts.is_exact else None
    public = {} if graph.stop == "interrupted" else _of_public_form(forecast)
    # Rewards that sum to zero at every step do so in every history; otherwise only the tree tells.
    sums_to_zero = graph.is_complete and not np.any(graph.rewards.sum(axis=1))
    return GameInfo(
        game=str(graph.game),
        num_players=graph.num_players,
        player_names=own_names(graph.game),
        world_states=counts.world_states,
        histories=counts.histories,
        terminals=counts.terminals,
        two_player_zero_sum=graph.num_players == 2 if sums_to_zero else None,
        constant_sum=0.0 if sums_to_zero else None,
        is_exact=counts.is_exact,
        forecast_bytes=counts.bytes,
        fits=counts.is_exact and counts.fits(allowed),
        solving_bytes=solving,
        solving_fits=None if solving is None else solving <= allowed,
        **public,
        search_model=search_model_type(graph).__name__,
        stop=graph.stop,
        notes=tuple(getattr(graph.game, "notes", ())),
    )


def _of_public_form(forecast: PublicForecast) -> dict[str, Any]:
    """Return the fields about the public form."""
    counts = forecast.counts
    if counts is None:
        return {"public_form_fits": None if public_rules_of(forecast.game) is None else False}
    return {
        "public_nodes": counts.nodes,
        "public_hands": counts.hands,
        "public_sequences": counts.sequences,
        "public_form_bytes": counts.bytes,
        "public_form_memory": {one: counts.bytes_in(one) for one in BYTES_PER_SEQUENCE},
        "public_form_fits": forecast.fits_in("float64"),
    }


def _from_public_rules(forecast: PublicForecast, counts: PublicCounts, max_worlds: int) -> GameInfo:
    """Describe a game from the counts of its public rules, without visiting world states."""
    game, is_large = forecast.game, counts.world_states > max_worlds
    tree = GameCounts(2, counts.world_states, counts.histories, counts.terminals, is_exact=True)
    notes = tuple(getattr(game, "notes", ()))
    if not forecast.fits_in("float64"):
        notes += (forecast.advice,)
    return GameInfo(
        game=str(game),
        num_players=2,
        player_names=own_names(game),
        world_states=counts.world_states,
        histories=counts.histories,
        terminals=counts.terminals,
        forecast_bytes=tree.bytes,
        fits=not is_large and tree.fits(forecast.allowed),
        solving_fits=False if is_large else None,
        **_of_public_form(forecast),
        search_model=large_model_type(game).__name__ if is_large else None,
        stop="worlds" if is_large else "public",
        notes=notes,
    )


def _with_tree(
    known: GameInfo, tree: GameTree, check: Callable[[], None] = lambda: None
) -> GameInfo:
    check()
    form = tree.sequence_form
    check()
    return replace(
        known,
        infostates=tuple(t.num_infostates for t in tree.infostate_trees),
        acting_infostates=tuple(t.num_acting for t in tree.infostate_trees),
        public_states=tree.public_tree.num_public_states,
        sequences=_sequences(form),
        two_player_zero_sum=form.num_players == 2 and form.is_zero_sum,
        constant_sum=form.constant_sum,
        observable_rewards=rewards_are_observable(tree),
        fits=True,
    )


def _sequences(form: SequenceForm) -> tuple[int, ...]:
    return tuple(plex.num_sequences for plex in form.treeplexes)


def _of_form(form: ExtensiveForm) -> GameInfo:
    """Describe an extensive form."""
    players = range(form.num_players)
    mismatch, forgotten = find_action_mismatch(form), find_recall_violations(form)
    constant_sum = common_sum(form.utility[form.terminals])
    return GameInfo(
        game=form.name,
        num_players=form.num_players,
        player_names=own_names(form),
        world_states=None,
        histories=form.num_histories,
        terminals=len(form.terminals),
        infostates=tuple(form.infoset.max(axis=0) + 1) if form.is_augmented else None,
        acting_infostates=tuple(len(form.infoset_numbers(player)) for player in players),
        public_states=None if form.public_set is None else int(form.public_set.max()) + 1,
        sequences=None if mismatch or forgotten else _sequences(form.sequence_form),
        two_player_zero_sum=form.num_players == 2 and constant_sum == 0,
        constant_sum=constant_sum,
        perfect_recall=not forgotten,
        observable_rewards=find_hidden_reward(form) is None if form.is_augmented else None,
        notes=(
            *([f"inconsistent: {mismatch}"] if mismatch else []),
            *(f"imperfect recall: {violation.found}" for violation in forgotten),
        ),
    )
