"""The table of Hanabi, and what is done with cards on it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, TypeAlias, TypeVar

from infoset.typing import Player

__all__ = ["Table", "replaced", "score", "with_card", "without"]

T = TypeVar("T")
Hands: TypeAlias = tuple[tuple[str, ...], ...]


class Table(NamedTuple):
    """The hands by player (none before the deal), and all else that the future depends on.

    `deck` is what is left of it, sorted; `fireworks` the height of each color's; `information`
    and `lives` the tokens left. `turns` counts down once the deck is empty.
    """

    hands: Hands = ()
    deck: tuple[str, ...] = ()
    fireworks: tuple[int, ...] = ()
    information: int = 0
    lives: int = 0
    player: Player = 0
    turns: int = 0


def score(world: Table) -> int:
    """Return the number of cards on the fireworks; 0 without a life left."""
    return sum(world.fireworks) if world.lives else 0


def with_card(world: Table, player: Player, drawn: tuple[str, ...]) -> Table:
    """Return the table after `player` drew a card."""
    hands = replaced(world.hands, player, world.hands[player] + drawn)
    return world._replace(hands=hands, deck=without(world.deck, drawn))


def without(deck: tuple[str, ...], cards: Iterable[str]) -> tuple[str, ...]:
    """Return a deck without some of its cards."""
    rest = list(deck)
    for card in cards:
        rest.remove(card)
    return tuple(rest)


def replaced(values: tuple[T, ...], position: int, value: T) -> tuple[T, ...]:
    """Return a tuple with one value replaced."""
    return (*values[:position], value, *values[position + 1 :])
