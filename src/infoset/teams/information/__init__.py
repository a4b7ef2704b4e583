"""What agents of a product form know, as values."""

from infoset.teams.information.information_map import InformationMap
from infoset.teams.information.relaxing import (
    perfect_recall_closure,
    reveal_everything,
    reveal_private,
)

__all__ = ["InformationMap", "perfect_recall_closure", "reveal_everything", "reveal_private"]
