"""The command line: a command per module of `infoset.cli.commands`."""

from infoset.cli.app import main

__all__ = ["main"]
