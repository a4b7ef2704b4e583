"""The table of relaxations: what a team may be told while it learns, by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from infoset.errors import UnknownNameError
from infoset.teams.information.information_map import InformationMap
from infoset.teams.information.relaxing import (
    perfect_recall_closure,
    reveal_everything,
    reveal_private,
)
from infoset.utils.registry import Registry

__all__ = ["RELAXATIONS", "Relaxation", "get_relaxation"]


@dataclass(frozen=True)
class Relaxation:
    """A row of the table.

    Attributes
    ----------
    name : str
    description : str
        In a few words.
    relax : callable
        From an information map and a team to a map that refines it.
    """

    name: str
    description: str
    relax: Callable[[InformationMap, Sequence[int]], InformationMap]


def _recall(information: InformationMap, team: Sequence[int]) -> InformationMap:
    return perfect_recall_closure(reveal_private(information, team), team)


def _nothing(information: InformationMap, team: Sequence[int]) -> InformationMap:
    return information


_ROWS = (
    Relaxation("none", "what the game tells", _nothing),
    Relaxation("closure", "all that the team knew and did before", perfect_recall_closure),
    Relaxation("private_revealed", "what any of the team was shown alone", reveal_private),
    Relaxation("recall", "both: what was shown alone, known and done", _recall),
    Relaxation("everything", "the whole prefix", reveal_everything),
)

RELAXATIONS: Final = Registry("relaxation", _ROWS, entry_type=Relaxation)
"""The relaxations by name."""


def get_relaxation(name: str) -> Relaxation:
    """Return a relaxation by name.

    Raises
    ------
    UnknownNameError
        If there is none of the name.

    Examples
    --------
    >>> get_relaxation("private_revealed").description
    'what any of the team was shown alone'
    """
    if name == "cheated":
        raise UnknownNameError(
            "the relaxation 'cheated' is now called 'private_revealed': relax='private_revealed'"
        )
    return RELAXATIONS.resolve(name)
