"""Exit codes of the program."""

from typing import Final

DONE: Final = 0
"""The command finished, whatever the outcome."""
FAILED: Final = 1
"""A check that the command made has failed; the output says which."""
USER_ERROR: Final = 2
"""The command line or an input is wrong; a message is on standard error."""
INTERRUPTED: Final = 130
"""Interrupted by Ctrl-C; results so far are saved. After another signal, it is `ended_by`."""


def ended_by(number: int) -> int:
    """Return the exit code of a program that a signal ends: 143 for SIGTERM, 129 for SIGHUP."""
    return 128 + number
