"""Functions of other packages that take a game, which here may also be given by name.

All conversions of games and policies for other programs are here, and hence at the top level.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

from infoset import efg, game, interop, matches, tree
from infoset.front.game_sources import load

First = TypeVar("First")
Source = TypeVar("Source")
Rest = ParamSpec("Rest")
Answer = TypeVar("Answer")


def _of_policy(
    function: Callable[[First, Source], Answer],
) -> Callable[[First, Source | str], Answer]:
    """Return a function of a policy and of its game, which may also be a name for `load`."""

    @wraps(function)
    def named(policy: First, tree: Source | str) -> Answer:
        return function(policy, cast(Source, load(tree) if isinstance(tree, str) else tree))

    return named


def _accepts_names(
    function: Callable[Concatenate[Source, Rest], Answer],
) -> Callable[Concatenate[Source | str, Rest], Answer]:
    """Return a function whose first argument, a game, may also be a name for `load`."""

    @wraps(function)
    def named(*arguments: Any, **options: Any) -> Any:
        if arguments and isinstance(arguments[0], str):
            arguments = (load(arguments[0]), *arguments[1:])
        elif isinstance(options.get("game"), str):
            options["game"] = load(options["game"])
        return function(*arguments, **options)

    return cast(Callable[Concatenate[Source | str, Rest], Answer], named)


build_public_form = _accepts_names(tree.build_public_form)
build_sequence_form = _accepts_names(tree.build_sequence_form)
build_tree = _accepts_names(tree.build_tree)
build_world_graph = _accepts_names(tree.build_world_graph)
check_game = _accepts_names(game.check_game)
initial_history = _accepts_names(game.initial_history)
play_matches = _accepts_names(matches.play_matches)
policy_from_openspiel = _of_policy(interop.policy_from_openspiel)
policy_to_openspiel = _of_policy(interop.policy_to_openspiel)
save_efg = _accepts_names(efg.save_efg)
save_liteefg = _accepts_names(efg.save_liteefg)
save_nfg = _accepts_names(efg.save_nfg)
to_openspiel = _accepts_names(interop.to_openspiel)
to_pettingzoo = _accepts_names(interop.to_pettingzoo)
to_pettingzoo_parallel = _accepts_names(interop.to_pettingzoo_parallel)
