"""What a page shows first: the game, and the lists whose positions it sends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from infoset.views.styles import ActionStyle

SubjectKind = Literal["tree", "public", "form", "rules"]
"""What an explorer shows: a tree, a public form, an extensive form, or rules alone."""


@dataclass(frozen=True)
class PolicyView:
    """A policy of the page, with its measures."""

    name: str
    values: tuple[float, ...]
    """[N] expected utilities if everybody follows the policy."""
    nash_conv: float
    exploitability: float | None
    """None where it is undefined."""


@dataclass(frozen=True)
class MethodView:
    """A method that can be watched."""

    name: str
    kind: str
    about: str


@dataclass(frozen=True)
class PotView:
    """The initial pot of a game."""

    size: float
    contributions: tuple[float, ...]
    """[N] each player's contribution; added to the utility, the player's part of the final pot."""


@dataclass(frozen=True)
class GameView:
    """The game of a page, with its policies, opponents and methods."""

    game: str
    kind: SubjectKind
    num_players: int
    player_names: tuple[str, ...]
    """[N] as `player_name` returns them."""
    pot: PotView | None
    """None in most games; see `Game.initial_pot`."""
    sizes: dict[str, int]
    """Counts by what is counted, such as `histories`."""
    actions: tuple[ActionStyle, ...]
    """All actions, in the order in which they are shown; empty if the game is not built."""
    start: int
    """The public state that is shown first: the first decision, on the most probable line."""
    policies: tuple[PolicyView, ...]
    opponents: tuple[str, ...]
    methods: tuple[MethodView, ...]
    terms: dict[str, str]
    """Words of the field with their meanings."""
