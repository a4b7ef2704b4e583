"""All errors that infoset raises on purpose, and all its warnings.

A message says what is wrong with the value received, the rule it breaks, and what to do.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping
from difflib import get_close_matches
from typing import Any

__all__ = [
    "AssumedRangesWarning",
    "BoardEntryError",
    "CertificateError",
    "CheckpointFileError",
    "CheckpointMismatchError",
    "CodeExitError",
    "ComparisonError",
    "CyclicGameError",
    "DifferingMachinesWarning",
    "ExplorationLimitError",
    "GameFileError",
    "GameRuleError",
    "GameTooLargeError",
    "InfosetError",
    "LimitError",
    "LostWorkersError",
    "MissingExtraError",
    "NumericalError",
    "ParameterError",
    "PolicyFileError",
    "PolicyMismatchError",
    "ResultFileError",
    "RoundedSizesWarning",
    "ScoreCardError",
    "SpentTimeWarning",
    "SubjectShapeError",
    "TrajectoryError",
    "UnknownNameError",
    "UnsavedWarning",
    "UnsupportedGameError",
    "UserFunctionError",
    "WorkerVersionError",
    "as_error",
    "describe_exception",
    "nearest_names",
    "pass_stops",
    "show",
]


MAX_NAMES_SHOWN = 24
MAX_LENGTH_SHOWN = 200
MAX_MESSAGE = 1000
MAX_INPUT = 200
LONG_WORD = re.compile(rf"\S{{{MAX_INPUT + 1},}}")
LONG_QUOTATION = re.compile(rf"'[^']{{{MAX_INPUT + 1},}}'|\"[^\"]{{{MAX_INPUT + 1},}}\"")
NO_WORLD: Hashable = object()


class InfosetError(Exception):
    """Base class of all errors of the library.

    Messages show at most 200 characters of a long input, such as a damaged file or a wrong name.
    """

    def __init__(self, message: str = "") -> None:
        super().__init__(cut_long_inputs(message))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle by message and attributes, whatever the signature of `__init__`."""
        return _restored, (type(self), self.args, vars(self))


def _restored(
    kind: type[InfosetError], args: tuple[Any, ...], about: dict[str, Any]
) -> InfosetError:
    error = kind.__new__(kind, *args)
    vars(error).update(about)
    return error


class UnknownNameError(InfosetError):
    """The name of an unknown game, parameter, method, infostate or action."""

    @classmethod
    def of(cls, kind: str, name: object, known: Iterable[str]) -> UnknownNameError:
        """Return the error for an unknown `name`, with the nearest known ones.

        The `kind` is a noun, such as `game`, or a noun with a place, such as `parameter of
        kuhn_poker` or `action at [J]`.
        """
        noun, of, owner = kind.partition(" of ")
        what, at, place = kind.partition(" at ")
        if at and len(what) < len(noun):  # A place may contain an "of".
            text = f"there is no {what} {name!r} at {place}"
        elif of:
            text = f"{owner} has no {noun} {name!r}"
        else:
            text = f"unknown {kind} {name!r}"
        return cls(f"{text}; {nearest_names(str(name), known)}")


class ParameterError(InfosetError):
    """A parameter whose value is of the wrong type or out of range."""


class SubjectShapeError(ParameterError):
    """An object that a benchmark cannot measure; the message shows the shapes that it can."""


class GameRuleError(InfosetError):
    """A game that breaks a rule of factored-observation stochastic games.

    Attributes
    ----------
    rule : str
        The rule, as a sentence.
    world : Hashable
        A world state at which it is broken; None if it is broken everywhere.
    player : int or None
        The player concerned; None if the rule is not about one player.
    """

    def __init__(
        self, rule: str, *, found: str, world: Hashable = NO_WORLD, player: int | None = None
    ) -> None:
        where = [] if world is NO_WORLD else [f"at world state {show(world)}"]
        where += [] if player is None else [f"player {player}"]
        at = f" ({', '.join(where)})" if where else ""
        super().__init__(f"{found}{at}. The rule: {rule}.")
        self.rule = rule
        self.world = None if world is NO_WORLD else world
        self.player = player


class CyclicGameError(GameRuleError):
    """A game in which a world state is reachable from itself, so that histories never end.

    Attributes
    ----------
    cycle : tuple
        World states, each a successor of the one before; the first is a successor of the last.
    """

    def __init__(self, cycle: Iterable[Hashable]) -> None:
        self.cycle = tuple(cycle)
        shown = [show(world) for world in self.cycle[:6]]
        if len(self.cycle) > 6:
            shown.append(f"... ({len(self.cycle)} world states in all)")
        path = " -> ".join([*shown, shown[0]])
        super().__init__(
            "no world state is reachable from itself; put a step counter in the world state",
            found=f"the game never ends: world states form the cycle {path}",
            world=self.cycle[0],
        )


class GameTooLargeError(InfosetError):
    """A game that does not fit into the memory allowed; nothing was allocated.

    Attributes
    ----------
    counts : Mapping[str, int]
        The sizes that are too large, such as `histories` and `bytes`.
    """

    def __init__(self, message: str, counts: Mapping[str, int]) -> None:
        super().__init__(message)
        self.counts = dict(counts)


class ExplorationLimitError(GameTooLargeError):
    """Building reached a limit on world states, memory or seconds; counts are lower bounds."""


class LimitError(InfosetError):
    """A command that reached its limit on time or memory before it had a result."""


class UnsupportedGameError(InfosetError):
    """A game without a property that a method or measure requires, such as being zero-sum."""


class NumericalError(InfosetError):
    """Numbers of a method that overflow or underflow in floating point."""


class MissingExtraError(InfosetError):
    """An optional dependency is missing, or its version is not supported.

    Attributes
    ----------
    extra : str
        The extra that installs the dependency.
    """

    def __init__(self, extra: str, purpose: str, supported: str, found: str) -> None:
        super().__init__(
            f"{purpose} needs {supported}, but {found}: pip install 'infoset[{extra}]'; in a "
            f"clone of the repository, pip install '.[{extra}]'"
        )
        self.extra = extra


class GameFileError(InfosetError):
    """A file that cannot be read as a game.

    Attributes
    ----------
    line, column : int or None
        Position of the error, both counted from 1; None if it has no position in the text.
    """

    def __init__(self, message: str, *, line: int | None = None, column: int | None = None) -> None:
        super().__init__(message)
        self.line = line
        self.column = column


class BoardEntryError(InfosetError):
    """An entry of the leaderboard that is damaged, or is there twice."""


class ScoreCardError(InfosetError):
    """A file of a score card that cannot be read, or is not about the games of its pack."""


class CertificateError(InfosetError):
    """A damaged or wrong certificate of the value of a game."""


class LostWorkersError(InfosetError):
    """Workers that ended or could not be reached, so that tasks remain undone."""


class WorkerVersionError(InfosetError):
    """A worker with another version of the library, which therefore ran no task."""


class PolicyFileError(InfosetError):
    """A file that cannot be read as a policy."""


class PolicyMismatchError(InfosetError):
    """A policy used with a game that it was not made for."""


class UserFunctionError(InfosetError):
    """A function or policy of the user raised an exception, which is the cause of this error."""

    @classmethod
    def check(cls, error: Exception, function: object, what: str, where: str) -> None:
        """Raise this error from an exception, if it is that of code outside the library.

        Errors of the library, and exceptions in its own classes, are left to the caller.

        Parameters
        ----------
        function
            The function, or an object with the method, that was called.
        what, where
            What it is, before its name, and where it was called, such as at which infostate.
        """
        is_own = str(getattr(function, "__module__", "")).partition(".")[0] == "infoset"
        if not (is_own or isinstance(error, InfosetError | MemoryError)):
            name = getattr(function, "__qualname__", type(function).__name__)
            raise cls(f"{what} {name} raised {describe_exception(error)} {where}") from error


class TrajectoryError(InfosetError):
    """Feedback to a learner that contradicts itself or earlier feedback."""


class CheckpointFileError(InfosetError):
    """A checkpoint file that cannot be read or written."""


class CheckpointMismatchError(InfosetError):
    """A checkpoint that belongs to a different run than the one to be resumed."""


class ResultFileError(InfosetError):
    """A folder of results that is incomplete or damaged."""


class GraphFileError(InfosetError):
    """A saved world graph that does not belong to the rules of its game."""


class GraphCacheWarning(UserWarning):
    """A saved graph or world form cannot be used, or a new one cannot be saved."""


class AssumedRangesWarning(UserWarning):
    """A hand history was loaded without ranges, so both players may have any hand."""


class RoundedSizesWarning(UserWarning):
    """Rounding to chips changes bet sizes of a spot by more than 5%."""


class DifferingMachinesWarning(UserWarning):
    """Results of one study that were computed on machines of different kinds."""


class UnsavedWarning(UserWarning):
    """A checkpoint or study result that could not be written; the run continues without it."""


class ShortSearchWarning(UserWarning):
    """A limit that leaves a search too few simulations, worlds or samples for a useful answer."""


class SpentTimeWarning(UserWarning):
    """A time limit that earlier sessions of a resumed run have used up."""


class ComparisonError(InfosetError):
    """A method that failed in a comparison after other methods had finished.

    Attributes
    ----------
    results : tuple[SolveResult, ...]
        Results of the methods that had finished.
    """

    def __init__(self, method: str, error: Exception, results: tuple[Any, ...]) -> None:
        done = ", ".join(result.method for result in results)
        super().__init__(
            f"{method} failed: {error}; leave it out, or correct it. The results so far are saved: "
            f"{done}"
        )
        self.results = results


class CodeExitError(InfosetError):
    """User code raised `SystemExit`, or another exception that would end the program."""


class LimitReached(BaseException):
    """Raised inside watched code when a limit is reached.

    It is not an `Exception`, so that rules which catch exceptions do not swallow it.
    """


def pass_stops(error: BaseException) -> None:
    """Raise an exception again if it is Ctrl-C or a limit, which stop user code from outside.

    Whatever else user code raises is an error of this code, also `SystemExit`, which would end the
    program without a message.
    """
    if isinstance(error, KeyboardInterrupt | LimitReached):
        raise error


def as_error(error: BaseException) -> Exception:
    """Return an exception of user code, or a `CodeExitError` for one that is not an `Exception`.

    Raises
    ------
    KeyboardInterrupt, LimitReached
        If it is one of these.

    Examples
    --------
    >>> as_error(SystemExit(4))
    CodeExitError('SystemExit: 4 was raised, which ends only the code that raised it')
    """
    pass_stops(error)
    if isinstance(error, Exception):
        return error
    found = CodeExitError(
        f"{describe_exception(error)} was raised, which ends only the code that raised it"
    )
    found.__cause__ = error
    return found


def show(value: object) -> str:
    """Return the `repr` of a value for a message, at most 200 characters of it.

    Values come from users: a `repr` that raises is replaced by the type of the value.

    Examples
    --------
    >>> show("K"), len(show("K" * 1000))
    ("'K'", 203)
    """
    try:
        text = repr(value)
        text.encode()
    except BaseException as error:
        pass_stops(error)
        return f"<{type(value).__name__}, whose repr raises {type(error).__name__}>"
    return text if len(text) <= MAX_LENGTH_SHOWN else f"{text[:MAX_LENGTH_SHOWN]}..."


def describe_exception(error: BaseException) -> str:
    """Return the type and the message of an exception as text.

    Examples
    --------
    >>> describe_exception(ValueError("no such card"))
    'ValueError: no such card'
    """
    try:
        text = str(error)
        text.encode()
    except BaseException as failure:
        pass_stops(failure)
        text = "its message cannot be shown"
    return f"{type(error).__name__}: {text[:MAX_LENGTH_SHOWN]}"


def cut_long_inputs(message: str) -> str:
    """Return a message in which words and quotations of more than 200 characters are cut.

    A message of usual length is returned as it is, whatever it quotes.

    Examples
    --------
    >>> len(cut_long_inputs(f"unknown game {'x' * 2_000_000!r}; known: kuhn_poker"))
    255
    """
    if len(message) <= MAX_MESSAGE:
        return message
    for pattern in (LONG_WORD, LONG_QUOTATION):
        message = pattern.sub(lambda found: _cut(found[0], MAX_INPUT), message)
    if len(message) <= 2 * MAX_MESSAGE:
        return message
    return f"{_cut(message, MAX_MESSAGE)} {message[-MAX_INPUT:]}"


def _cut(text: str, length: int) -> str:
    return f"{text[:length]}... ({len(text)} characters)"


def nearest_names(name: str, known: Iterable[str]) -> str:
    """Return a hint with the `known` names nearest to `name`, or with all of them.

    Examples
    --------
    >>> nearest_names("goofspeil", ["kuhn_poker", "leduc_poker", "goofspiel"])
    'did you mean goofspiel?'
    """
    # Of two spellings such as alpha_mu and alpha-mu, the second one is enough.
    spellings = {known.replace("_", "-"): known for known in sorted(known, reverse=True)}
    names, name = sorted(spellings.values()), name[:MAX_INPUT]
    folded = {known.lower(): known for known in names}
    near = [known for known in names if name and known.lower().startswith(name.lower())][:3]
    if not near:
        matches = get_close_matches(name.lower(), folded, n=3, cutoff=0.6)
        near = [folded[match] for match in matches]
    if near:
        return f"did you mean {' or '.join(near)}?"
    if not names:
        return "there are none to choose from"
    rest = f", ... ({len(names)} in all)" if len(names) > MAX_NAMES_SHOWN else ""
    return f"known: {', '.join(names[:MAX_NAMES_SHOWN])}{rest}"
