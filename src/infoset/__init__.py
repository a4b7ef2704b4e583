"""Games with hidden information: write the rules once, solve, play and measure exactly.

The front of the library is the list of names in `__init__.pyi`; each is loaded when it is first
used, so that `import infoset` is quick. What they are made of is in the subpackages.
"""

from lazy_loader import attach_stub as _attach_stub

from infoset._notebooks import register_formatters as _register_formatters
from infoset._version import __version__  # noqa: F401

__getattr__, __dir__, __all__ = _attach_stub(__name__, __file__)

_register_formatters()
