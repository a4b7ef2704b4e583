"""Teams, and players who forget: games in product form and information maps."""

from infoset.teams.information import (
    InformationMap,
    perfect_recall_closure,
    reveal_everything,
    reveal_private,
)
from infoset.teams.product_form import Prefix, ProductArrays, ProductForm, Source, product_form

__all__ = [
    "InformationMap",
    "Prefix",
    "ProductArrays",
    "ProductForm",
    "Source",
    "perfect_recall_closure",
    "product_form",
    "reveal_everything",
    "reveal_private",
]
