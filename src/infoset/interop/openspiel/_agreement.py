"""Whether what a game's observations tell players is what OpenSpiel's own strings tell them."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import TYPE_CHECKING

from infoset.interop.openspiel._nodes import Watch
from infoset.interop.openspiel._visits import Visited, visit

if TYPE_CHECKING:
    from infoset.interop.openspiel.game import OpenSpielGame

MAX_HISTORIES = 1000
"""Looked at when a game is loaded; the first of the game, half of them in breadth."""


def observations_agree(
    game: OpenSpielGame, public: Watch | None, max_histories: int = MAX_HISTORIES
) -> bool:
    """Return whether a game's infostates are those that OpenSpiel's own strings make.

    They are to tell players if they act, and how; to tell apart neither less nor more than the
    strings seen and actions taken so far do, lengths aside; and what the public observer shows one
    player is to follow from what it shows another, as it does if both see the same.
    """
    table: dict[Hashable, Hashable] = {}
    return all(
        table.setdefault(key, value) == value
        for here in visit(game, max_histories)
        for key, value in (*own_facts(here), *public_facts(game, here, public))
    )


def own_facts(here: Visited) -> Iterator[tuple[Hashable, Hashable]]:
    """Yield what follows from what, for each player by itself."""
    for player, infostate in enumerate(here.history.infostates):
        yield ("legal", infostate), here.history.legal_actions(player)
        if player in here.strings:
            known = (here.strings[player], here.memories[player], len(here.world))
            yield ("told", infostate), known
            yield (player, known), infostate


def public_facts(
    game: OpenSpielGame, here: Visited, public: Watch | None
) -> Iterator[tuple[Hashable, Hashable]]:
    """Yield what follows from what between the players' views of what is public."""
    if public is None:
        return
    first, *others = game.views(here.world, public)
    for player, view in enumerate(others, start=1):
        yield ("other", player, first), view
        yield ("first", player, view), first
