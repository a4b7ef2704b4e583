"""The table of studies that are known by name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from infoset.checks import check_kind
from infoset.errors import UnknownNameError
from infoset.experiments.balanced import BALANCED
from infoset.experiments.beliefs import BELIEFS
from infoset.experiments.hiding import HIDING
from infoset.experiments.studies import Study

__all__ = ["STUDIES", "find_study"]

STUDIES: Final[Mapping[str, Study]] = MappingProxyType(
    {study.name: study for study in (BALANCED, BELIEFS, HIDING)}
)
"""The studies by name."""


def find_study(name: str) -> Study:
    """Return the study of a name, in any case of letters.

    Raises
    ------
    UnknownNameError
        If there is none.
    ParameterError
        If it is no name.

    Examples
    --------
    >>> find_study("balanced").experiments[0].name
    'e1'
    """
    check_kind("study", name, str, f"one of: {', '.join(STUDIES)}")
    if name.lower() not in STUDIES:
        raise UnknownNameError.of("study", name, STUDIES)
    return STUDIES[name.lower()]
