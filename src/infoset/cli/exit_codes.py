"""Exit codes of the program."""

from typing import Final

__all__ = ["DONE", "FAILED", "INTERRUPTED", "USER_ERROR"]

DONE: Final = 0
"""The command finished, whatever the outcome."""
FAILED: Final = 1
"""A check that the command made has failed; the output says which."""
USER_ERROR: Final = 2
"""The command line or an input is wrong; a message is on standard error."""
INTERRUPTED: Final = 130
"""Interrupted by Ctrl-C; results so far are saved."""
