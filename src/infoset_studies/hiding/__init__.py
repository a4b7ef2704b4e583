"""The study of progressive hiding: the paper's three games, and what solves them."""

from infoset.experiments.studies import Study
from infoset_studies.hiding.beyond import BEYOND
from infoset_studies.hiding.bridge import BRIDGE
from infoset_studies.hiding.pennies import PENNIES
from infoset_studies.hiding.trade import TRADE

__all__ = ["HIDING"]

HIDING = Study("hiding", "Progressive hiding", (PENNIES, TRADE, BRIDGE, BEYOND))
