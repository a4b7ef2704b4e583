"""Games with hidden information: write the rules once, solve, play and measure exactly.

The most used names are listed in `__init__.pyi`, and each is loaded on first use, so that
`import infoset` is fast. All other names are in packages such as `infoset.evaluation`, which are
also loaded on first use.
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
    """Load a name of `__init__.pyi` or a package on first use."""
    if name in _ROOMS:
        package: _ModuleType = _import_module(f"{__name__}.{name}")
        return package
    return _front_name(name)


_register_formatters(lambda: _import_module(f"{__name__}.plotting.notebooks"))
