"""The command line: games, info, solve, evaluate, show, play."""

from infoset.cli.app import main

__all__ = ["main"]
