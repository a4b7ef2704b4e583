"""The trick-taking game, compiled: hands as bit sets."""

from infoset.search.models.tricks.model import TricksModel

__all__ = ["TricksModel"]
