"""Players that search when it is their turn, in the worlds that they believe in."""

from infoset.searchers.closed_form import (
    BidResponse,
    BidTable,
    bid_response,
    match_value,
    pimc_table,
)
from infoset.searchers.ismcts import IsMcts, TreeSearchRecord
from infoset.searchers.models import (
    DiceModel,
    GraphModel,
    Roots,
    RulesModel,
    SearchModel,
    TricksModel,
    search_model,
)
from infoset.searchers.searcher import Searcher

__all__ = [
    "BidResponse",
    "BidTable",
    "DiceModel",
    "GraphModel",
    "IsMcts",
    "Roots",
    "RulesModel",
    "SearchModel",
    "Searcher",
    "TreeSearchRecord",
    "TricksModel",
    "bid_response",
    "match_value",
    "pimc_table",
    "search_model",
]
