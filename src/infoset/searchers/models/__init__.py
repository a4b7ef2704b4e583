"""Games as searches read them, compiled or by their rules."""

from infoset.searchers.models._kernels import (
    CHANCE_MOVE,
    END,
    Position,
    empty_position,
    implement,
    inlined,
    play_out,
)
from infoset.searchers.models.choosing import model_kind, register_model, search_model
from infoset.searchers.models.dice import DiceModel
from infoset.searchers.models.graph import GraphModel
from infoset.searchers.models.model import Roots, SearchModel
from infoset.searchers.models.rules import RulesModel
from infoset.searchers.models.tricks import TricksModel

__all__ = [
    "CHANCE_MOVE",
    "END",
    "DiceModel",
    "GraphModel",
    "Position",
    "Roots",
    "RulesModel",
    "SearchModel",
    "TricksModel",
    "empty_position",
    "implement",
    "inlined",
    "model_kind",
    "play_out",
    "register_model",
    "search_model",
]
