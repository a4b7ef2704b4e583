"""Storage of the results of a command, in another folder if the given one is not writable."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from shlex import quote
from tempfile import mkdtemp
from types import MappingProxyType
from typing import Any, NamedTuple

from infoset.cli.interrupts import interrupts_ignored
from infoset.cli.screen import say, tell
from infoset.errors import (
    AssumedRangesWarning,
    DifferingMachinesWarning,
    GraphCacheWarning,
    ParameterError,
    PolicyFileError,
    RoundedSizesWarning,
    ShortSearchWarning,
    SpentTimeWarning,
    UnsavedWarning,
)
from infoset.utils.text import printable

REPORTED = (
    AssumedRangesWarning,
    DifferingMachinesWarning,
    GraphCacheWarning,
    RoundedSizesWarning,
    UnsavedWarning,
    SpentTimeWarning,
    ShortSearchWarning,
)


def save_results(save: Callable[[Path | None], Path], out: Path | None) -> Path:
    """Save results in a folder or, if it cannot be written, in one for temporary files.

    Results may have taken hours: a full disk or a folder that has vanished must not lose them.

    Parameters
    ----------
    save : callable
        Function of a folder that saves the results, and returns the folder made.
    out
        The folder; None for the default.

    Raises
    ------
    ParameterError
        If neither folder can be written.
    """
    with interrupts_ignored():
        try:
            return save(out)
        except ParameterError as error:
            if not isinstance(error.__cause__, OSError | PolicyFileError):
                raise
            try:
                folder = save(Path(mkdtemp(prefix="infoset-")) / "results")
            except (OSError, ParameterError):
                raise error from error.__cause__
            tell(f"warning: {error}. The results are saved in {folder} instead")
            return folder


class Saved(NamedTuple):
    """The folder of results, and its files by content; None and empty if they are not saved."""

    folder: Path | None = None
    files: Mapping[str, str] = MappingProxyType({})

    @property
    def record(self) -> dict[str, Any]:
        """Folder and files as JSON values."""
        return {"folder": self.folder and str(self.folder), "files": dict(self.files)}

    def say(self, game: str | None = None, policy: str = "", *, by_node: bool = False) -> None:
        """Print the folder and its files, if there is one.

        game : as given to the command that made a policy; print the one that prints the policy.
        policy : the file of the policy; not needed if the folder has only one.
        by_node : whether the policy can be printed by public nodes, too.
        """
        from infoset.games import is_registered

        if self.folder is None:
            return
        say(f"saved in {self.folder}: {', '.join(self.files.values())}")
        if game is not None:
            path = str(self.folder / policy)
            # The file of a policy names its game, if that is registered.
            arguments = [path] if is_registered(game) else [game, path]
            note = "; add --by-node for action frequencies and EV at each node" * by_node
            say(f"to print the policy: infoset show {' '.join(map(quote, arguments))}{note}")


def save_and_report(
    save: Callable[[Path | None], Path], out: Path | None, report: Callable[[Saved], None]
) -> None:
    """Save results with `save_results`, and print them even if they cannot be saved.

    If they cannot be printed, a message says where they are saved.

    Parameters
    ----------
    save, out
        As in `save_results`.
    report : callable
        Function that prints the results, given where they were saved.

    Raises
    ------
    ParameterError
        As raised by `save_results`, after the report.
    """
    from infoset.experiments.folders import saved_files

    try:
        folder = save_results(save, out)
    except Exception:
        report(Saved())
        raise
    try:
        report(Saved(folder, saved_files(folder)))
    except Exception:
        tell(f"results are saved in {folder}, but could not be printed")
        raise


@contextmanager
def warnings_reported() -> Iterator[None]:
    """Show warnings about ranges, saving, resuming and short searches as `warning: ...` lines."""
    with warnings.catch_warnings():
        for category in REPORTED:
            warnings.simplefilter("always", category)
        usual: Any = warnings.showwarning

        def show(
            message: Warning | str, category: type[Warning], *rest: Any, **options: Any
        ) -> None:
            if issubclass(category, REPORTED):
                tell(f"warning: {message}")
            else:
                usual(printable(str(message)), category, *rest, **options)

        warnings.showwarning = show
        yield
