"""Games as PettingZoo environments: the optional extra `pettingzoo`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from types import ModuleType
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from infoset.efg import rules_of
from infoset.errors import (
    ExplorationLimitError,
    ParameterError,
    UnsupportedGameError,
)
from infoset.game import Game, Infostate
from infoset.game.broken_rules import check_num_players
from infoset.tree import GameTree, InfostateEncoder, WorldGraph, build_world_graph
from infoset.typing import Action
from infoset.utils.extras import import_extra

Encode: TypeAlias = Callable[[Infostate], NDArray[Any]]
"""Function that encodes an infostate as an array."""


def to_pettingzoo(
    game: Game | GameTree,
    *,
    encode: Encode | None = None,
    space: Any = None,
    actions: Sequence[Action] | None = None,
    render_mode: str | None = None,
) -> Any:
    """Convert a game to a PettingZoo AEC environment, in which agents act one by one.

    Agents are `player_0`, `player_1`, and so on. An observation is a dictionary of `observation`,
    the encoded infostate of the agent, and `action_mask`, 1 for legal actions. The mask is also in
    `infos`; it is all 0 for an agent that does not act. Agents that act simultaneously choose one
    after another, and do not see each other's actions before all have chosen. The seed of `reset`
    determines the chance moves. Rewards before the first decision are paid at the first step.

    PettingZoo allows no environment that is over after `reset`. If chance ends the play before
    anyone acts, `player_0` has no legal action, and its first step ends the play, whatever the
    action.

    Parameters
    ----------
    game
        The game. Its world graph is built to number the actions and for the default encoding.
    encode : callable, optional
        Function from an `Infostate` to an array; by default an `InfostateEncoder`, which gives
        different infostates different arrays.
    space : gymnasium.spaces.Space, optional
        The space of the values of `encode`; required with `encode`.
    actions
        Labels of all actions in the order of their numbers. With `encode`, `space` and `actions`
        no world graph is built, and the game may have any size.
    render_mode
        With `"ansi"`, `render()` returns the full transcript of the play. With `"human"`, the
        transcript is printed during the play, and `render()` prints it again.

    Returns
    -------
    pettingzoo.AECEnv
        The environment. Its attribute `history` is the current history, and `actions` are the
        labels of the actions. See `to_pettingzoo_parallel` for the parallel API.

    Raises
    ------
    MissingExtraError
        If PettingZoo is not installed.
    ExplorationLimitError
        If the world graph exceeds its limits.
    UnsupportedGameError
        If no player ever acts.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> env = to_pettingzoo(load_game("kuhn_poker"))
    >>> env.reset(seed=1)
    >>> (
    ...     env.agent_selection,
    ...     env.actions,
    ...     env.observe("player_0")["action_mask"].tolist(),
    ... )
    ('player_0', ('pass', 'bet'), [1, 1])
    >>> env.step(1)
    >>> env.step(0)
    >>> env.rewards, env.terminations["player_0"]
    ({'player_0': 1.0, 'player_1': -1.0}, True)
    """
    environment, rules = import_environments().GameEnvironment, rules_of(game)
    check_num_players(rules)
    if (encode is None) != (space is None):
        raise ParameterError("only one of encode and space is given; pass both or neither")
    if render_mode not in (None, "ansi", "human"):
        raise ParameterError(f"render_mode={render_mode!r} is unknown; use 'ansi', 'human' or None")
    graph = None
    if encode is None or actions is None:
        graph = game.graph if isinstance(game, GameTree) else explored(rules)
        encoder = InfostateEncoder.from_graph(graph)
        actions = encoder.actions if actions is None else actions
        if encode is None:
            encode, space = encoder, box(encoder.size)
    if not actions:
        raise UnsupportedGameError(
            f"no player ever acts in {rules}; an environment needs at least one agent that acts"
        )
    return environment(
        rules,
        encode=encode,
        space=space,
        actions=tuple(actions),
        is_parallelizable=graph is not None and all_act_at_once(graph),
        render_mode=render_mode,
    )


def to_pettingzoo_parallel(
    game: Game | GameTree,
    *,
    encode: Encode | None = None,
    space: Any = None,
    actions: Sequence[Action] | None = None,
    render_mode: str | None = None,
) -> Any:
    """Convert a game to a PettingZoo parallel environment, in which all agents act at every step.

    Each step is one transition of the game after a decision, with the chance moves that follow.
    Agents who do not act have an `action_mask` of zeros, and their actions are ignored or may be
    omitted; so games in which players take turns can be played as well. Agents, observations,
    rewards and seeds are those of `to_pettingzoo`.

    Parameters
    ----------
    game, encode, space, actions, render_mode
        As in `to_pettingzoo`.

    Returns
    -------
    pettingzoo.ParallelEnv
        The environment, with the attributes `history` and `actions`.

    Raises
    ------
    MissingExtraError, ExplorationLimitError, ParameterError, UnsupportedGameError
        As `to_pettingzoo`.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> env = to_pettingzoo_parallel(load_game("matrix_rps"))
    >>> observations, infos = env.reset(seed=1)
    >>> _, rewards, terminations, _, _ = env.step({"player_0": 1, "player_1": 0})
    >>> rewards, terminations["player_0"]
    ({'player_0': 1.0, 'player_1': -1.0}, True)
    """
    environment = to_pettingzoo(
        game, encode=encode, space=space, actions=actions, render_mode=render_mode
    )
    return import_environments().ParallelGameEnvironment(environment)


def import_environments() -> ModuleType:
    """Import PettingZoo and return the module of the environments."""
    import_extra("pettingzoo", "playing a game in PettingZoo")
    return import_module("infoset.interop.pettingzoo_environment")


def explored(game: Game) -> WorldGraph:
    """Return the world graph; if the game is too large, the error suggests an alternative."""
    try:
        return build_world_graph(game)
    except ExplorationLimitError as error:
        raise ExplorationLimitError(
            f"{error}; or pass encode, space and actions, which need no world graph",
            error.counts,
        ) from error


def box(size: int) -> Any:
    """Return the space of arrays with entries in [0, 1]."""
    return import_module("gymnasium.spaces").Box(0.0, 1.0, (size,), np.float32)


def all_act_at_once(graph: WorldGraph) -> bool:
    """Return whether all players act whenever one of them acts."""
    acts = graph.action_set >= 0
    return bool((acts.all(axis=1) == acts.any(axis=1)).all())
