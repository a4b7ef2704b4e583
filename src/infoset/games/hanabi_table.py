"""The world state of Hanabi, and operations on its cards."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, TypeAlias, TypeVar

from infoset.typing import Player

__all__ = ["Table", "replaced", "score", "with_card", "without"]

T = TypeVar("T")
Hands: TypeAlias = tuple[tuple[str, ...], ...]


class Table(NamedTuple):
    """The hands by player (empty before the deal), and the rest of the world state.

    `deck` has the remaining cards, sorted; `fireworks` the height of each firework, by color;
    `information` and `lives` the remaining tokens. `turns` counts down once the deck is empty.
    """

    hands: Hands = ()
    deck: tuple[str, ...] = ()
    fireworks: tuple[int, ...] = ()
    information: int = 0
    lives: int = 0
    player: Player = 0
    turns: int = 0


def score(world: Table) -> int:
    """Return the number of cards on the fireworks; 0 if no life is left."""
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
