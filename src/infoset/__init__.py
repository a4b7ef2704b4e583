"""Games with hidden information: write the rules once, solve, play and measure exactly."""

from infoset._version import __version__

__all__ = ["__version__"]
