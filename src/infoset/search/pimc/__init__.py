"""Searching as if from here on everybody saw everything."""

from infoset.search.pimc.epimc import EPIMC
from infoset.search.pimc.pimc import PIMC
from infoset.search.pimc.record import WorldSearchRecord
from infoset.search.pimc.tabulating import pimc_policy

__all__ = ["EPIMC", "PIMC", "WorldSearchRecord", "pimc_policy"]
