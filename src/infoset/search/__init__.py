"""Searchers: policies computed one infostate at a time, over worlds drawn from a belief."""

from infoset.runs.searcher import Searcher
from infoset.search.alpha_mu import AlphaMu
from infoset.search.determinization import WorldSearchRecord
from infoset.search.epimc import EPIMC
from infoset.search.ismcts import ISMCTS, TreeSearchRecord
from infoset.search.leaf_values import LeafFunction, LeafValue, Rollouts
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
from infoset.search.pimc import PIMC
from infoset.search.response_bounds import (
    RESPONDER,
    ExploitabilityBound,
    exploitability_lower_bound,
)
from infoset.search.response_game import ResponseGame
from infoset.search.searcher_specs import SEARCHERS, SearcherSpec, get_searcher, make_searcher
from infoset.search.tabular_pimc import pimc_policy

__all__ = [
    "EPIMC",
    "ISMCTS",
    "PIMC",
    "RESPONDER",
    "SEARCHERS",
    "AlphaMu",
    "DiceModel",
    "ExploitabilityBound",
    "GraphModel",
    "LeafFunction",
    "LeafValue",
    "ResponseGame",
    "Rollouts",
    "RootPositions",
    "RulesModel",
    "SearchModel",
    "Searcher",
    "SearcherSpec",
    "TreeSearchRecord",
    "TricksModel",
    "WorldSearchRecord",
    "exploitability_lower_bound",
    "get_searcher",
    "make_searcher",
    "pimc_policy",
    "register_model",
    "search_model",
]
