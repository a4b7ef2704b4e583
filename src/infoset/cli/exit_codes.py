"""Exit codes of the program."""

from typing import Final

__all__ = ["DONE", "INTERRUPTED", "USER_ERROR"]

DONE: Final = 0
"""The command finished, whatever the outcome."""
USER_ERROR: Final = 2
"""The command line or an input is wrong; a message is on standard error."""
INTERRUPTED: Final = 130
"""Interrupted by Ctrl-C; results so far are saved."""
