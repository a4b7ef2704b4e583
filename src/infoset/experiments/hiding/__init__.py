"""The study of progressive hiding: the paper's three games, and what solves them."""

from infoset.experiments.hiding.beyond import BEYOND
from infoset.experiments.hiding.bridge import BRIDGE
from infoset.experiments.hiding.pennies import PENNIES
from infoset.experiments.hiding.trade import TRADE
from infoset.experiments.studies import Study

__all__ = ["HIDING"]

HIDING = Study("hiding", "Progressive hiding", (PENNIES, TRADE, BRIDGE, BEYOND))
