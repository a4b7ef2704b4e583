"""Options of all commands that build a game: limits on its world states."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import Parameter, signature
from typing import Any, Final

from infoset.cli.options import BuildSecondsOption, MaxWorldsOption, OnlyBuildSecondsOption

__all__ = ["with_build_limits"]

WITH_OTHER_CLOCKS: Final = frozenset({"solve", "learn", "compare", "match", "play"})
"""Commands in which `--seconds` would not, or not only, be the time for building."""


def with_build_limits(name: str, run: Callable[..., Any]) -> Callable[..., Any]:
    """Return a command with options for the limits on building, if it has a memory limit.

    The limits apply to everything that the command builds.

    Parameters
    ----------
    name : str
        Name of the command.
    run : callable
        The function of the command.
    """
    if "memory" not in signature(run).parameters:
        return run
    known = signature(run, eval_str=True)
    seconds = BuildSecondsOption if name in WITH_OTHER_CLOCKS else OnlyBuildSecondsOption
    limits = {"max_worlds": MaxWorldsOption, "build_seconds": seconds}

    @wraps(run)
    def limited(
        *arguments: Any, max_worlds: int | None, build_seconds: float | None, **options: Any
    ) -> Any:
        from infoset.tree import build_limits

        with build_limits(max_worlds=max_worlds, max_seconds=build_seconds):
            return run(*arguments, **options)

    parameters = []
    for parameter in known.parameters.values():
        parameters.append(parameter)
        if parameter.name == "memory":
            parameters += [
                Parameter(option, parameter.kind, default=None, annotation=kind)
                for option, kind in limits.items()
            ]
    # The parser reads annotations from here, and everything else from the signature.
    limited.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    vars(limited)["__signature__"] = known.replace(parameters=parameters)
    return limited
