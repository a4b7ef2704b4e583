"""What the program ends with."""

from typing import Final

__all__ = ["DONE", "INTERRUPTED", "USER_ERROR"]

DONE: Final = 0
"""The command did what it could, whatever the outcome."""
USER_ERROR: Final = 2
"""The user erred; a line on standard error says how."""
INTERRUPTED: Final = 130
"""Ctrl-C came; what was done by then is saved."""
