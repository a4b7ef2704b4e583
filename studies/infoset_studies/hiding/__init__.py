"""The study of progressive hiding: the paper's three games, and extensions."""

from infoset.experiments.studies import Study
from infoset_studies.hiding.bridge import BRIDGE
from infoset_studies.hiding.extensions import EXTENSIONS
from infoset_studies.hiding.matching_pennies import MATCHING_PENNIES
from infoset_studies.hiding.trade import TRADE

__all__ = ["HIDING"]

HIDING = Study(
    "hiding",
    "Progressive hiding",
    (MATCHING_PENNIES, TRADE, BRIDGE, EXTENSIONS),
    aliases={"cmp": "matching-pennies", "beyond": "extensions"},
)
