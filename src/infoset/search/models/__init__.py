"""Search models: games in the form that searches use, compiled or through their rules."""

from infoset.search.models._dice_kernels import Dice
from infoset.search.models._model_kernels import (
    CHANCE_MOVE,
    END,
    Position,
    empty_position,
    implement,
    inlined,
    play_out,
    value_leaf,
)
from infoset.search.models.dice import DiceModel
from infoset.search.models.graph import GraphModel
from infoset.search.models.histories import HistoriesModel
from infoset.search.models.model import RootPositions, SearchModel
from infoset.search.models.rules import RulesModel
from infoset.search.models.selection import (
    large_model_type,
    register_model,
    search_model,
    search_model_type,
)
from infoset.search.models.tricks import TricksModel

__all__ = [
    "CHANCE_MOVE",
    "END",
    "Dice",
    "DiceModel",
    "GraphModel",
    "HistoriesModel",
    "Position",
    "RootPositions",
    "RulesModel",
    "SearchModel",
    "TricksModel",
    "empty_position",
    "implement",
    "inlined",
    "large_model_type",
    "play_out",
    "register_model",
    "search_model",
    "search_model_type",
    "value_leaf",
]
