"""Functions of other packages that take a game, which here may also be given by name."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

from infoset import efg, game, interop, matches, tree
from infoset.front.game_sources import load

Source = TypeVar("Source")
Rest = ParamSpec("Rest")
Answer = TypeVar("Answer")


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
save_efg = _accepts_names(efg.save_efg)
to_openspiel = _accepts_names(interop.to_openspiel)
to_pettingzoo = _accepts_names(interop.to_pettingzoo)
to_pettingzoo_parallel = _accepts_names(interop.to_pettingzoo_parallel)
