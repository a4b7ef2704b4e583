"""Players that search when it is their turn, in the worlds that they believe in."""

from infoset.search.closed_form import (
    BidResponse,
    BidTable,
    bid_response,
    bidding_reach,
    match_value,
    pimc_table,
)
from infoset.search.ismcts import IsMcts, TreeSearchRecord
from infoset.search.models import (
    DiceModel,
    GraphModel,
    Roots,
    RulesModel,
    SearchModel,
    TricksModel,
    register_model,
    search_model,
)
from infoset.search.pimc import Epimc, Pimc, WorldSearchRecord, tabulate_pimc
from infoset.search.searcher import Searcher
from infoset.search.table import SEARCHERS, SearcherRow, get_searcher, make_searcher

__all__ = [
    "SEARCHERS",
    "BidResponse",
    "BidTable",
    "DiceModel",
    "Epimc",
    "GraphModel",
    "IsMcts",
    "Pimc",
    "Roots",
    "RulesModel",
    "SearchModel",
    "Searcher",
    "SearcherRow",
    "TreeSearchRecord",
    "TricksModel",
    "WorldSearchRecord",
    "bid_response",
    "bidding_reach",
    "get_searcher",
    "make_searcher",
    "match_value",
    "pimc_table",
    "register_model",
    "search_model",
    "tabulate_pimc",
]
