"""Monte Carlo tree search over what players know."""

from infoset.search.ismcts.record import TreeSearchRecord
from infoset.search.ismcts.searcher import BONUSES, ISMCTS

__all__ = ["BONUSES", "ISMCTS", "TreeSearchRecord"]
