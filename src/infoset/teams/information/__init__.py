"""What agents of a product form know, as values."""

from infoset.teams.information.forgetting import forget_own_actions
from infoset.teams.information.information_map import InformationMap, check_information
from infoset.teams.information.recall import RecallViolation, last_own_edges
from infoset.teams.information.relaxations import RELAXATIONS, Relaxation, get_relaxation
from infoset.teams.information.relaxing import (
    perfect_recall_closure,
    reveal_everything,
    reveal_private,
)

__all__ = [
    "RELAXATIONS",
    "InformationMap",
    "RecallViolation",
    "Relaxation",
    "check_information",
    "forget_own_actions",
    "get_relaxation",
    "last_own_edges",
    "perfect_recall_closure",
    "reveal_everything",
    "reveal_private",
]
