"""Where the arrays of a game came from, for the records of results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from infoset.game.protocol import Game

__all__ = ["GameSource"]


@dataclass(frozen=True)
class GameSource:
    """Where a game came from: rules in Python, or a tree such as that of a Gambit file.

    Results keep this record, because the name of a game says nothing about its origin: the title
    of a file is arbitrary text, which is never loaded as a game.

    Attributes
    ----------
    kind : str
        `rules` or `extensive form`.
    rules : str
        Module and class of the rules; empty for an extensive form.
    parameters : Mapping[str, Any] or None
        Parameters of the rules; None for an extensive form.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> GameSource.of_rules(load_game("kuhn_poker(players=3)")).parameters
    {'players': 3, 'num_cards': -1}
    """

    kind: Literal["rules", "extensive form"] = "extensive form"
    rules: str = ""
    parameters: Mapping[str, Any] | None = field(default=None)

    @classmethod
    def of_rules(cls, game: Game) -> GameSource:
        """Return the source of a game that was built from its rules."""
        kind = type(game)
        return cls("rules", f"{kind.__module__}.{kind.__qualname__}", game.parameters())
