"""Options of all commands that build a game: limits on building it, and a cache."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from functools import wraps
from inspect import Parameter, signature
from pathlib import Path
from typing import Any, Final

from infoset.cli.options import (
    BuildSecondsOption,
    CacheOption,
    MaxWorldsOption,
    MemoryOption,
    OnlyBuildSecondsOption,
)

GRACE_SECONDS: Final = 0.5
"""Seconds after the time limit at which a command is stopped that does more than building. The
limits of building come first, because their errors say more."""

WITH_OTHER_CLOCKS: Final = frozenset(
    {"solve", "learn", "train", "critic", "compare", "match", "play"}
)
"""Commands in which `--seconds` would not, or not only, be the time for building."""

BUILDING: Final = WITH_OTHER_CLOCKS | {
    *("info", "evaluate", "respond", "show", "draw", "explore", "export", "prove")
}
"""Commands that build a game."""

STOPPED_BY_OTHERS: Final = WITH_OTHER_CLOCKS | {"info", "draw"}
"""Commands that do not end with an error at the limit: they report what they have until then."""


def with_build_limits(name: str, run: Callable[..., Any]) -> Callable[..., Any]:
    """Return a command with options for building games, before `--json`, if it builds any.

    The limits and the cache apply to everything that the command builds.

    Parameters
    ----------
    name
        Name of the command.
    run : callable
        The function of the command.
    """
    if name not in BUILDING:
        return run
    known = signature(run, eval_str=True)
    seconds = BuildSecondsOption if name in WITH_OTHER_CLOCKS else OnlyBuildSecondsOption
    added = {
        "memory": MemoryOption,
        "max_worlds": MaxWorldsOption,
        "build_seconds": seconds,
        "cache": CacheOption,
    }

    @wraps(run)
    def limited(
        *arguments: Any,
        memory: int | None,
        max_worlds: int | None,
        build_seconds: float | None,
        cache: Path | None,
        **options: Any,
    ) -> Any:
        from infoset.cli.command_watch import CommandWatch
        from infoset.tree import build_limits, graph_cache

        with (
            build_limits(max_worlds=max_worlds, max_seconds=build_seconds, memory=memory),
            nullcontext() if cache is None else graph_cache(cache),
        ):
            if build_seconds is None or name in STOPPED_BY_OTHERS:
                return run(*arguments, **options)
            watch = CommandWatch(
                f"infoset {name}", build_seconds, options="--seconds", grace=GRACE_SECONDS
            )
            return watch.end(lambda: run(*arguments, **options))

    parameters = [*known.parameters.values()]
    place = next((i for i, one in enumerate(parameters) if one.name == "as_json"), len(parameters))
    parameters[place:place] = [
        Parameter(option, Parameter.POSITIONAL_OR_KEYWORD, default=None, annotation=kind)
        for option, kind in added.items()
    ]
    # The parser reads annotations from here, and everything else from the signature.
    limited.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    vars(limited)["__signature__"] = known.replace(parameters=parameters)
    return limited
