"""The installed studies, which are registered in the entry-point group `infoset.studies`."""

from __future__ import annotations

from functools import cache
from importlib.metadata import entry_points

from infoset.experiments.studies import Study
from infoset.utils.arguments import check_type
from infoset.utils.registry import Registry

__all__ = ["get_study", "installed_studies"]

ENTRY_POINT_GROUP = "infoset.studies"


@cache
def installed_studies() -> Registry[Study]:
    """Return the installed studies by name, including those of other packages.

    A package registers a study by an entry point in the group `infoset.studies` whose value is a
    `Study`.

    Raises
    ------
    ParameterError
        If an entry point is not a `Study`.
    """
    studies = []
    for entry in sorted(entry_points(group=ENTRY_POINT_GROUP), key=lambda entry: entry.name):
        study = entry.load()
        check_type(f"the entry point {entry.value} of {entry.name}", study, Study, "a Study")
        studies.append(study)
    return Registry("study", studies, entry_type=Study)


def get_study(name: str) -> Study:
    """Return an installed study by its name, which is case-insensitive.

    Raises
    ------
    UnknownNameError
        If no installed study has that name.
    ParameterError
        If `name` is not a string.

    Examples
    --------
    >>> get_study("balanced").experiments[0].name
    'kuhn-theory'
    """
    return installed_studies().resolve(name)
