"""Games as searches read them, compiled or by their rules."""

from infoset.searchers.models.choosing import search_model
from infoset.searchers.models.graph import GraphModel
from infoset.searchers.models.model import Roots, SearchModel
from infoset.searchers.models.rules import RulesModel

__all__ = ["GraphModel", "Roots", "RulesModel", "SearchModel", "search_model"]
