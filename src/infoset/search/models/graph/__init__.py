"""Games whose world states are all known."""

from infoset.search.models.graph.model import GraphModel

__all__ = ["GraphModel"]
