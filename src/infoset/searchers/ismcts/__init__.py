"""Monte Carlo tree search over what players know."""

from infoset.searchers.ismcts.record import TreeSearchRecord
from infoset.searchers.ismcts.searcher import BONUSES, IsMcts

__all__ = ["BONUSES", "IsMcts", "TreeSearchRecord"]
