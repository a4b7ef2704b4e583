"""Searching as if from here on everybody saw everything."""

from infoset.search.pimc.epimc import Epimc
from infoset.search.pimc.pimc import Pimc
from infoset.search.pimc.record import WorldSearchRecord
from infoset.search.pimc.tabulating import tabulate_pimc

__all__ = ["Epimc", "Pimc", "WorldSearchRecord", "tabulate_pimc"]
