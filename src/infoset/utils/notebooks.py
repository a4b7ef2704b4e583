"""Pictures in notebooks; the plotting code is loaded only when something is shown."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

SVG, HTML = "image/svg+xml", "text/html"

SHOWN = (
    ("infoset.game.protocol", "Game", SVG, "game_svg"),
    ("infoset.tree.game_tree", "GameTree", SVG, "tree_svg"),
    ("infoset.efg.extensive_form", "ExtensiveForm", SVG, "tree_svg"),
    ("infoset.policy.tabular", "TabularPolicy", HTML, "policy_html"),
)
"""Module and name of a class, the format to show it in, and the function that returns it."""


def register_formatters(
    load: Callable[[], ModuleType], formatters: Mapping[str, Any] | None = None
) -> None:
    """Register formatters for games, trees and policies with IPython, as `import infoset` does.

    Parameters
    ----------
    load
        Imports the module with the functions of `SHOWN`; called when something is first shown.
    formatters : Mapping, optional
        IPython's formatters by MIME type; by default those of the running shell, if there is one.
    """
    if formatters is None:
        shell = _shell()
        formatters = {} if shell is None else shell.display_formatter.formatters
    for module, name, mime_type, function in SHOWN:
        if mime_type in formatters:
            formatters[mime_type].for_type_by_name(module, name, _shower(load, function))


def in_notebook() -> bool:
    """Return whether the code runs in the kernel of a notebook."""
    return getattr(_shell(), "kernel", None) is not None


def _shell() -> Any:
    """Return IPython's running shell; None outside IPython."""
    return sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None


def _shower(load: Callable[[], ModuleType], function: str) -> Callable[[object], str | None]:
    def show(thing: object) -> str | None:
        shown: str | None = getattr(load(), function)(thing)
        return shown

    return show
