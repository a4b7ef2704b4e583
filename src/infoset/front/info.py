"""`info`: how large a game is, before or after building it."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from infoset.front.load import GameLike, to_game
from infoset.tree import (
    ExplorationProgress,
    GameTree,
    WorldGraph,
    allowed_memory,
    count_histories,
    explore,
    unroll,
)

__all__ = ["GameInfo", "info"]


@dataclass(frozen=True)
class GameInfo:
    """Sizes and kind of a game; None for what is not known without building it.

    Attributes
    ----------
    game : str
        The game, as `load` reads it.
    num_players : int
    world_states, histories, terminals : int
        Histories include the root and the terminal ones; a simultaneous move and a call of
        `transitions` are one step each.
    infostates, acting_infostates : tuple[int, ...] or None
        Per player, all and those where it acts.
    public_states : int or None
    sequences : tuple[int, ...] or None
        Per player, the empty one included.
    two_player_zero_sum : bool or None
        Whether two players' utilities sum to zero.
    constant_sum : float or None
        What the utilities sum to at every terminal history, if that is constant and known.
    perfect_recall : bool
        True: infostates folded from observations and own actions forget nothing.
    is_exact : bool
        False where exploration met its limit: world states, histories and terminals are lower
        bounds.
    forecast_bytes : int
        Memory that building takes, at peak.
    fits : bool
        Whether that is allowed.
    notes : tuple[str, ...]
        What the game's loader has to say.
    """

    game: str
    num_players: int
    world_states: int
    histories: int
    terminals: int
    infostates: tuple[int, ...] | None = None
    acting_infostates: tuple[int, ...] | None = None
    public_states: int | None = None
    sequences: tuple[int, ...] | None = None
    two_player_zero_sum: bool | None = None
    constant_sum: float | None = None
    perfect_recall: bool = True
    is_exact: bool = True
    forecast_bytes: int = 0
    fits: bool = True
    notes: tuple[str, ...] = field(default=())

    def summary(self) -> dict[str, Any]:
        """Return the fields as JSON values."""
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in asdict(self).items()
        }


def info(
    game: GameLike,
    *,
    memory: int | None = None,
    max_worlds: int = 1_000_000,
    max_seconds: float = 30.0,
    progress: ExplorationProgress | None = None,
) -> GameInfo:
    """Say how large a game is.

    Histories are counted without being built. A game that fits is built, and its infostates are
    counted too; one that does not is described all the same.

    Parameters
    ----------
    game : str, Game or GameTree
    memory : int, optional
        Bytes allowed for building; by default a share of what is free.
    max_worlds, max_seconds, progress
        Limits and progress of the exploration; past a limit the counts are lower bounds.

    Examples
    --------
    >>> info("kuhn_poker").sequences
    (13, 13)
    """
    if isinstance(game, GameTree):
        return _with_tree(_from_graph(game.graph, memory), game)
    graph = explore(
        to_game(game),
        max_worlds=max_worlds,
        max_seconds=max_seconds,
        partial=True,
        progress=progress,
    )
    known = _from_graph(graph, memory)
    return _with_tree(known, unroll(graph, memory=memory)) if known.fits else known


def _from_graph(graph: WorldGraph, memory: int | None) -> GameInfo:
    counts = count_histories(graph)
    sums_to_zero = graph.is_complete and not np.any(graph.rewards.sum(axis=1))
    return GameInfo(
        game=str(graph.game),
        num_players=graph.num_players,
        world_states=counts.world_states,
        histories=counts.histories,
        terminals=counts.terminals,
        two_player_zero_sum=graph.num_players == 2 if sums_to_zero else None,
        constant_sum=0.0 if sums_to_zero else None,
        is_exact=counts.is_exact,
        forecast_bytes=counts.bytes,
        fits=counts.is_exact and counts.fits(allowed_memory(memory)),
        notes=tuple(getattr(graph.game, "notes", ())),
    )


def _with_tree(known: GameInfo, tree: GameTree) -> GameInfo:
    form = tree.sequence_form
    return replace(
        known,
        infostates=tuple(t.num_infostates for t in tree.infostate_trees),
        acting_infostates=tuple(t.num_acting for t in tree.infostate_trees),
        public_states=tree.public_tree.num_public_states,
        sequences=tuple(t.num_sequences for t in tree.infostate_trees),
        two_player_zero_sum=form.num_players == 2 and form.is_zero_sum,
        constant_sum=form.constant_sum,
        fits=True,
    )
