"""Optional dependencies: the versions that the library supports, and their import."""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import Any, Final, NamedTuple

from infoset.errors import MissingExtraError


class Dependency(NamedTuple):
    """A package of an extra, and the range of its versions."""

    package: str
    lowest: str
    below: str
    """The first version that is not supported."""
    module: str = ""
    """The module to import, if its name is not that of the package."""

    @property
    def supported(self) -> str:
        """The range of versions, as in `pyproject.toml`."""
        return f">={self.lowest},<{self.below}"

    def check_version(self, extra: str, purpose: str) -> str | None:
        """Return the installed version; None if it is unknown, as for a package built in place.

        Raises
        ------
        MissingExtraError
            If it is out of range.
        """
        installed = _installed_version(self.package)
        # Pre-releases count as the release, so that 17.0b2 is not below 17.
        if installed and not (_release(self.lowest) <= _release(installed) < _release(self.below)):
            raise MissingExtraError(
                extra, purpose, f"{self.package} {self.supported}", f"{installed} is installed"
            )
        return installed


EXTRAS: Final = {
    "deep": (Dependency("jax", "0.6", "1"), Dependency("equinox", "0.12", "1")),
    "draw": (Dependency("pygraphviz", "2", "3"),),
    "gambit": (Dependency("pygambit", "16.7", "17"),),
    "openspiel": (Dependency("open_spiel", "1.6", "3", "pyspiel"),),
    "pettingzoo": (Dependency("pettingzoo", "1.24", "2"),),
    "poker": (Dependency("phevaluator", "0.5.3", "1"),),
    "pokerkit": (Dependency("pokerkit", "0.5", "1"),),
    "notebook": (Dependency("anywidget", "0.9.18", "1"),),
    "dask": (Dependency("distributed", "2025.1", "2028"),),
    "ray": (Dependency("ray", "2.40", "3"),),
    "slurm": (Dependency("executorlib", "1.6", "2"),),
    "tune": (Dependency("optuna", "4", "6"),),
}
"""The packages of each extra that the library imports, as in `pyproject.toml`."""


def import_extra(extra: str, purpose: str) -> Any:
    """Import the packages of an optional extra, and return the first one.

    Parameters
    ----------
    extra
        A name in `EXTRAS`.
    purpose
        Activity that needs the extra, at the beginning of the error message.

    Raises
    ------
    MissingExtraError
        If a package is missing, is of a version that is not supported, or cannot be imported.
    """
    modules = []
    for needed in EXTRAS[extra]:
        installed = needed.check_version(extra, purpose)
        try:
            modules.append(import_module(needed.module or needed.package))
        except ImportError as error:
            found = (
                f"importing {installed} raised {type(error).__name__}: {error}"
                if installed
                else "it is not installed"
            )
            raise MissingExtraError(
                extra, purpose, f"{needed.package} {needed.supported}", found
            ) from error
    return modules[0]


def has_extra(extra: str) -> bool:
    """Return whether the packages of an extra are installed in supported versions."""
    try:
        for needed in EXTRAS[extra]:
            needed.check_version(extra, "")
    except MissingExtraError:
        return False
    return all(find_spec(needed.module or needed.package) for needed in EXTRAS[extra])


@cache
def _installed_version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _release(text: str) -> tuple[int, ...]:
    """Return the numbers of a release, without its suffix."""
    found = re.match(r"(?:\d+!)?v?(\d+(?:\.\d+)*)", text)
    return tuple(map(int, found[1].split("."))) if found else ()
