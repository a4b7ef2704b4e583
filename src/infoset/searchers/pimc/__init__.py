"""Searching as if from here on everybody saw everything."""

from infoset.searchers.pimc.epimc import Epimc
from infoset.searchers.pimc.pimc import Pimc
from infoset.searchers.pimc.record import WorldSearchRecord
from infoset.searchers.pimc.tabulating import tabulate_pimc

__all__ = ["Epimc", "Pimc", "WorldSearchRecord", "tabulate_pimc"]
