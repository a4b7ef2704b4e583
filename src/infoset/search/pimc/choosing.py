"""How perfect-information values of a game are found."""

from __future__ import annotations

from infoset.search.models import GraphModel, SearchModel
from infoset.search.pimc.graph_values import GraphValues
from infoset.search.pimc.searched_values import SearchedValues
from infoset.search.pimc.values import MAX_N, PerfectInformation

__all__ = ["perfect_information"]


def perfect_information(model: SearchModel, opponents: str = MAX_N) -> PerfectInformation:
    """Return what finds the perfect-information values of a game.

    On a game that was explored, they are found for all world states in one pass, and looked up.
    A model that knows them is asked, where one plays against all. Otherwise they are searched.

    Raises
    ------
    UnknownNameError
        If there are no such opponents.
    """
    if isinstance(model, GraphModel):
        return GraphValues(model, opponents)
    return SearchedValues(model, opponents)
