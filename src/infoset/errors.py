"""Every error that infoset raises on purpose.

A message says what is wrong with the value received, the rule it breaks, and what to do.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from difflib import get_close_matches
from typing import Any

__all__ = [
    "CheckpointFileError",
    "CheckpointMismatchError",
    "ComparisonError",
    "CyclicGameError",
    "ExplorationLimitError",
    "GameFileError",
    "GameRuleError",
    "GameTooLargeError",
    "InfosetError",
    "MissingExtraError",
    "NumericalError",
    "ParameterError",
    "PolicyFileError",
    "PolicyMismatchError",
    "TrajectoryError",
    "UnknownNameError",
    "UnsupportedGameError",
    "nearest_names",
]


MOST_NAMES_SHOWN = 24
NO_WORLD: Hashable = object()


class InfosetError(Exception):
    """The base of every error below: catch this one to catch them all."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel between processes by message and attributes, however it was made."""
        return _remade, (type(self), self.args, vars(self))


def _remade(kind: type[InfosetError], args: tuple[Any, ...], about: dict[str, Any]) -> InfosetError:
    error = kind.__new__(kind, *args)
    vars(error).update(about)
    return error


class UnknownNameError(InfosetError):
    """A game, parameter, method, infostate or action that is not known by the name given."""

    @classmethod
    def of(cls, kind: str, name: object, known: Iterable[str]) -> UnknownNameError:
        """Make the error for an unknown `name`, with the nearest known ones."""
        return cls(f"unknown {kind} {name!r}; {nearest_names(str(name), known)}")


class ParameterError(InfosetError):
    """A parameter whose value is of the wrong type or out of range."""


class GameRuleError(InfosetError):
    """A game breaks a rule that every factored-observation stochastic game keeps.

    Attributes
    ----------
    rule : str
        The rule, as a sentence.
    world : Hashable
        A world state at which it is broken; None where it is broken everywhere.
    player : int or None
        The player concerned, where there is one.
    """

    def __init__(
        self, rule: str, *, found: str, world: Hashable = NO_WORLD, player: int | None = None
    ) -> None:
        where = [] if world is NO_WORLD else [f"at world state {world!r}"]
        where += [] if player is None else [f"player {player}"]
        at = f" ({', '.join(where)})" if where else ""
        super().__init__(f"{found}{at}. The rule: {rule}.")
        self.rule = rule
        self.world = None if world is NO_WORLD else world
        self.player = player


class CyclicGameError(GameRuleError):
    """A world state can be reached from itself, so that histories never end.

    Attributes
    ----------
    cycle : tuple
        World states in order, each a successor of the one before, the first of the last.
    """

    def __init__(self, cycle: Iterable[Hashable]) -> None:
        self.cycle = tuple(cycle)
        shown = [repr(world) for world in self.cycle[:6]]
        if len(self.cycle) > 6:
            shown.append(f"... ({len(self.cycle)} world states in all)")
        path = " -> ".join([*shown, shown[0]])
        super().__init__(
            "no world state is reachable from itself; put a step counter in the world state",
            found=f"the game never ends: world states form the cycle {path}",
            world=self.cycle[0],
        )


class GameTooLargeError(InfosetError):
    """A game does not fit in the memory allowed; nothing was allocated.

    Attributes
    ----------
    counts : Mapping[str, int]
        The numbers it was refused by, such as `histories` and `bytes`.
    """

    def __init__(self, message: str, counts: Mapping[str, int]) -> None:
        super().__init__(message)
        self.counts = dict(counts)


class ExplorationLimitError(GameTooLargeError):
    """Exploration met its limit of world states or seconds; the counts are lower bounds."""


class UnsupportedGameError(InfosetError):
    """A method or measure asks for something that this game is not, such as two-player zero-sum."""


class NumericalError(InfosetError):
    """A method whose numbers have grown or shrunk beyond what floating point holds."""


class MissingExtraError(InfosetError):
    """An optional dependency is not installed."""

    def __init__(self, extra: str, purpose: str) -> None:
        super().__init__(
            f"{purpose} needs the optional extra {extra!r}: pip install 'infoset[{extra}]'"
        )
        self.extra = extra


class GameFileError(InfosetError):
    """A file that cannot be read as a game.

    Attributes
    ----------
    line, column : int or None
        Where it is wrong, both counted from 1; None where there is no text to point at.
    """

    def __init__(self, message: str, *, line: int | None = None, column: int | None = None) -> None:
        super().__init__(message)
        self.line = line
        self.column = column


class PolicyFileError(InfosetError):
    """A file that cannot be read as a policy."""


class PolicyMismatchError(InfosetError):
    """A policy made for another game than the one it is used with."""


class TrajectoryError(InfosetError):
    """What a learner is told of an episode contradicts itself, or what it was told before."""


class CheckpointFileError(InfosetError):
    """A file that cannot be read, or not be written, as a checkpoint."""


class CheckpointMismatchError(InfosetError):
    """A checkpoint of another run than the one that is to go on from it."""


class ComparisonError(InfosetError):
    """A method failed after others of the same comparison were done.

    Attributes
    ----------
    results : tuple[SolveResult, ...]
        Of the methods that were done.
    """

    def __init__(self, method: str, error: Exception, results: tuple[Any, ...]) -> None:
        done = ", ".join(result.method for result in results)
        super().__init__(
            f"{method} failed: {error}; leave it out, or mend it. What was done before it is kept: "
            f"{done}"
        )
        self.results = results


def nearest_names(name: str, known: Iterable[str]) -> str:
    """Say which of the `known` names are nearest to `name`, or list them all.

    Examples
    --------
    >>> nearest_names("goofspeil", ["kuhn_poker", "leduc_poker", "goofspiel"])
    'did you mean goofspiel?'
    """
    names = sorted(known)
    folded = {known.lower(): known for known in names}
    near = [known for known in names if name and known.lower().startswith(name.lower())][:3]
    if not near:
        matches = get_close_matches(name.lower(), folded, n=3, cutoff=0.6)
        near = [folded[match] for match in matches]
    if near:
        return f"did you mean {' or '.join(near)}?"
    if not names:
        return "none is known"
    rest = f", ... ({len(names)} in all)" if len(names) > MOST_NAMES_SHOWN else ""
    return f"known: {', '.join(names[:MOST_NAMES_SHOWN])}{rest}"
