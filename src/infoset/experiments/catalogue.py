"""The studies that are installed: those registered in the entry-point group `infoset.studies`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.metadata import entry_points
from types import MappingProxyType

from infoset.errors import UnknownNameError
from infoset.experiments.studies import Study
from infoset.utils.arguments import check_kind

__all__ = ["get_study", "installed_studies"]

ENTRY_POINT_GROUP = "infoset.studies"


@cache
def installed_studies() -> Mapping[str, Study]:
    """Return the installed studies by name, those of other packages included.

    A package registers a study by an entry point in the group `infoset.studies` whose value is a
    `Study`.

    Raises
    ------
    ParameterError
        If an entry point is not a `Study`.
    """
    studies = {}
    for entry in sorted(entry_points(group=ENTRY_POINT_GROUP), key=lambda entry: entry.name):
        study = entry.load()
        check_kind(f"the entry point {entry.value} of {entry.name}", study, Study, "a Study")
        studies[study.name] = study
    return MappingProxyType(studies)


def get_study(name: str) -> Study:
    """Return an installed study by its name, in upper or lower case.

    Raises
    ------
    UnknownNameError
        If no installed study has that name.
    ParameterError
        If `name` is not text.

    Examples
    --------
    >>> get_study("balanced").experiments[0].name
    'e1'
    """
    studies = installed_studies()
    check_kind("study", name, str, f"one of: {', '.join(studies)}")
    if name.lower() not in studies:
        raise UnknownNameError.of("study", name, studies)
    return studies[name.lower()]
