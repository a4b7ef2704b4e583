"""Games whose world states are all known."""

from infoset.searchers.models.graph.model import GraphModel

__all__ = ["GraphModel"]
