"""Games with hidden information: write the rules once, solve, play and measure exactly.

The front of the library is the list of names in `__init__.pyi`. Each is loaded on first use, so
that `import infoset` is quick. Everything else is in the rooms, such as `infoset.evaluation`, which
are loaded on first use too.
"""

from importlib import import_module as _import_module
from pkgutil import iter_modules as _iter_modules
from types import ModuleType as _ModuleType

from lazy_loader import attach_stub as _attach_stub

from infoset._version import __version__  # noqa: F401
from infoset.utils.notebooks import register_formatters as _register_formatters

_front_name, __dir__, __all__ = _attach_stub(__name__, __file__)
_ROOMS = frozenset(module.name for module in _iter_modules(__path__))


def __getattr__(name: str) -> object:
    """Load a front name or a room on first use."""
    if name in _ROOMS:
        room: _ModuleType = _import_module(f"{__name__}.{name}")
        return room
    return _front_name(name)


_register_formatters()
