"""Players that search when it is their turn, in the worlds that they believe in."""

from infoset.search.closed_form import (
    BidResponse,
    BidTable,
    bid_response,
    bidding_reach,
    match_value,
    pimc_table,
)
from infoset.search.ismcts import ISMCTS, TreeSearchRecord
from infoset.search.models import (
    DiceModel,
    GraphModel,
    RootPositions,
    RulesModel,
    SearchModel,
    TricksModel,
    register_model,
    search_model,
)
from infoset.search.pimc import EPIMC, PIMC, WorldSearchRecord, pimc_policy
from infoset.search.searcher import Searcher
from infoset.search.table import SEARCHERS, SearcherSpec, get_searcher, make_searcher

__all__ = [
    "EPIMC",
    "ISMCTS",
    "PIMC",
    "SEARCHERS",
    "BidResponse",
    "BidTable",
    "DiceModel",
    "GraphModel",
    "RootPositions",
    "RulesModel",
    "SearchModel",
    "Searcher",
    "SearcherSpec",
    "TreeSearchRecord",
    "TricksModel",
    "WorldSearchRecord",
    "bid_response",
    "bidding_reach",
    "get_searcher",
    "make_searcher",
    "match_value",
    "pimc_policy",
    "pimc_table",
    "register_model",
    "search_model",
]
