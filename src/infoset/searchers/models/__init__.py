"""Games as searches read them, compiled or by their rules."""

from infoset.searchers.models.choosing import search_model
from infoset.searchers.models.dice import DiceModel
from infoset.searchers.models.graph import GraphModel
from infoset.searchers.models.model import Roots, SearchModel
from infoset.searchers.models.rules import RulesModel
from infoset.searchers.models.tricks import TricksModel

__all__ = [
    "DiceModel",
    "GraphModel",
    "Roots",
    "RulesModel",
    "SearchModel",
    "TricksModel",
    "search_model",
]
