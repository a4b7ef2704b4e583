"""Games of infoset for learners that play in PettingZoo's environments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from infoset.efg import rules_of
from infoset.errors import (
    ExplorationLimitError,
    MissingExtraError,
    ParameterError,
    UnsupportedGameError,
)
from infoset.game import Game, Infostate
from infoset.tree import GameTree, InfostateEncoder, WorldGraph, build_world_graph
from infoset.typing import Action

__all__ = ["to_pettingzoo"]

Encode: TypeAlias = Callable[[Infostate], NDArray[Any]]
"""Writes what a player knows as an array."""


def to_pettingzoo(
    game: Game | GameTree,
    *,
    encode: Encode | None = None,
    space: Any = None,
    actions: Sequence[Action] | None = None,
    render_mode: str | None = None,
) -> Any:
    """Return a game as an AEC environment of PettingZoo's, in which agents act one by one.

    Agents are `player_0`, `player_1`, and so on. An observation is a dictionary: `observation`,
    the agent's infostate as numbers, and `action_mask`, 1 for the legal actions; the mask stands
    in `infos` as well, and is 0 throughout for an agent who is not to act. Agents who act at once
    are served one after another, and see nothing of each other before all have acted. Nature
    plays by the seed of `reset`. Rewards are the game's; what nature pays before anyone acts
    comes with the first step.

    Parameters
    ----------
    game : Game or GameTree
        The game is explored for the numbers of its actions and the default encoding.
    encode : callable, optional
        From an `Infostate` to an array; by default a `InfostateEncoder`, which loses nothing.
    space : gymnasium.spaces.Space, optional
        What `encode` returns is in; given together with it.
    actions : Sequence[Action], optional
        The labels of all actions, in the order of their numbers. With `encode`, `space` and
        `actions` nothing is explored, and the game may be of any size.
    render_mode : str, optional
        With `ansi`, `render()` returns the transcript of the play, in which nothing is hidden.

    Returns
    -------
    pettingzoo.AECEnv
        Its `history` is where the play stands, and its `actions` are the labels. If all players
        act whenever any does, PettingZoo's `aec_to_parallel` makes a parallel environment of it.

    Raises
    ------
    MissingExtraError
        If PettingZoo is not installed.
    ExplorationLimitError
        If the game is too large to explore.
    ParameterError
        If it is no game, only one of `encode` and `space` is given, or the render mode is unknown.
    UnsupportedGameError
        If nobody ever acts.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> env = to_pettingzoo(load_game("kuhn_poker"))
    >>> env.reset(seed=1)
    >>> env.agent_selection, env.actions, env.observe("player_0")["action_mask"].tolist()
    ('player_0', ('pass', 'bet'), [1, 1])
    >>> env.step(1)
    >>> env.step(0)
    >>> env.rewards, env.terminations["player_0"]
    ({'player_0': 1.0, 'player_1': -1.0}, True)
    """
    environment, rules = import_environment(), rules_of(game)
    if (encode is None) != (space is None):
        raise ParameterError(
            "an encoding and its space belong together; give both encode and space, or neither"
        )
    if render_mode not in (None, "ansi"):
        raise ParameterError(f"render_mode={render_mode!r} is unknown; use 'ansi' or None")
    graph = None
    if encode is None or actions is None:
        graph = game.graph if isinstance(game, GameTree) else explored(rules)
        encoder = InfostateEncoder.from_graph(graph)
        actions = encoder.actions if actions is None else actions
        if encode is None:
            encode, space = encoder, box(encoder.size)
    if not actions:
        raise UnsupportedGameError(
            f"nobody ever acts in {rules}, and an environment is for those who do"
        )
    return environment(
        rules,
        encode=encode,
        space=space,
        actions=tuple(actions),
        is_parallelizable=graph is not None and all_act_at_once(graph),
        render_mode=render_mode,
    )


def import_environment() -> type[Any]:
    """Return the class of the environments, PettingZoo imported at the first need."""
    try:
        import_module("pettingzoo")
    except ImportError as error:
        raise MissingExtraError("pettingzoo", "playing a game in PettingZoo") from error
    from infoset.interop.pettingzoo._aec import GameEnvironment

    return GameEnvironment


def explored(game: Game) -> WorldGraph:
    """Return the world graph; where the game is too large for that, say what does without."""
    try:
        return build_world_graph(game)
    except ExplorationLimitError as error:
        raise ExplorationLimitError(
            f"{error}; or give encode, space and actions, with which nothing is explored",
            error.counts,
        ) from error


def box(size: int) -> Any:
    """Return the space of arrays of numbers from 0 to 1."""
    return import_module("gymnasium.spaces").Box(0.0, 1.0, (size,), np.float32)


def all_act_at_once(graph: WorldGraph) -> bool:
    """Return whether every player acts wherever any does."""
    acts = graph.action_set >= 0
    return bool((acts.all(axis=1) == acts.any(axis=1)).all())
