"""Which histories agree with what was seen, step by step from the rules."""

from __future__ import annotations

from collections import OrderedDict
from functools import cached_property, lru_cache
from itertools import islice
from typing import TypeAlias

import numpy as np

from infoset.beliefs.layers import HistoryBatch, Sight
from infoset.beliefs.transitions import Listing, TooManyWorlds, successors
from infoset.errors import UnknownNameError
from infoset.game import Game, Infostate, PublicState, Step, step_text
from infoset.game.infostate import join_steps
from infoset.typing import NOOP, LongArray

__all__ = ["HistoryFilter", "Known", "history_filter", "nothing_left", "sights_of"]

Known: TypeAlias = Infostate | PublicState
"""What a player, or everybody, knows."""

MOST_KEPT = 2_000_000
"""How many histories the batches that are kept may have in all."""

MOST_SHOWN = 12
"""How many of the things that could be seen an error lists."""

MOST_TRIED = 100_000
"""How many transitions are looked at to find them."""


class HistoryFilter:
    """Finds the histories that agree with what was seen, and keeps the batches it met.

    A batch is a function of what was seen alone, so that what is kept cannot show in an answer.

    Parameters
    ----------
    game : Game
    max_worlds : int
        How many histories a batch has at most.
    """

    def __init__(self, game: Game, max_worlds: int) -> None:
        self.root = HistoryBatch.root(game)
        self.max_worlds = max_worlds
        self._kept: OrderedDict[Known, HistoryBatch | None] = OrderedDict()
        self._size = 0

    def listed(self, known: Known) -> tuple[HistoryBatch, int]:
        """Return the last batch that can be listed in full, and how many steps it is from the root.

        These are fewer than the steps of what is known where a batch has more histories than
        `max_worlds`.

        Raises
        ------
        UnknownNameError
            If no history agrees with what is known.
        """
        sights = sights_of(known)
        whole = self._recall(known)
        if whole is not None:
            return whole, len(sights)
        batch = self.root
        for length, sight in enumerate(sights):
            further = self._further(batch, sight, _begin(known, length + 1))
            if further is None:
                return batch, length
            batch = further
        return batch, len(sights)

    def _further(self, batch: HistoryBatch, sight: Sight, known: Known) -> HistoryBatch | None:
        """Return the batch one step further; None where it cannot be listed."""
        if known in self._kept:
            return self._recall(known)
        try:
            further = self._extend(batch, sight)
        except TooManyWorlds:
            further = None
        if further is not None and not len(further):
            raise nothing_left(batch, sight, known)
        self._keep(known, further)
        return further

    def _extend(self, batch: HistoryBatch, sight: Sight) -> HistoryBatch:
        """Return the histories one step longer that look as seen.

        Raises
        ------
        TooManyWorlds
            If they, or what nature can do in one place, are more than are to be listed.
        """
        if batch.parent is not None:
            return self._list(batch, sight)
        if self._opening is None:
            raise TooManyWorlds
        return self._opening.select(_positions(self._opening, sight))

    def _list(self, batch: HistoryBatch, sight: Sight | None) -> HistoryBatch:
        found = successors(batch, sight, Listing(self.max_worlds))
        further = batch.extend(islice(found, self.max_worlds + 1))
        if len(further) > self.max_worlds:
            raise TooManyWorlds
        return further

    @cached_property
    def _opening(self) -> HistoryBatch | None:
        """All histories of one step, such as all deals, listed once for whoever sees them."""
        try:
            return self._list(self.root, None)
        except TooManyWorlds:
            return None

    def _recall(self, known: Known) -> HistoryBatch | None:
        if known in self._kept:
            self._kept.move_to_end(known)
        return self._kept.get(known)

    def _keep(self, known: Known, batch: HistoryBatch | None) -> None:
        self._kept[known] = batch
        self._size += 0 if batch is None else len(batch)
        while self._size > MOST_KEPT and len(self._kept) > 1:
            _, oldest = self._kept.popitem(last=False)
            self._size -= 0 if oldest is None else len(oldest)


def _positions(opening: HistoryBatch, sight: Sight) -> LongArray:
    """Return the histories of one step that look as seen."""
    if sight.player is None:
        return np.flatnonzero(opening.looks(sight.step.public))
    return np.flatnonzero(opening.is_at(Infostate(sight.player, (sight.step,))))


@lru_cache(maxsize=8)
def _shared_filter(game: Game, max_worlds: int) -> HistoryFilter:
    return HistoryFilter(game, max_worlds)


def history_filter(game: Game, max_worlds: int) -> HistoryFilter:
    """Return the filter of a game; games that are equal share it, if they can be hashed."""
    try:
        hash(game)
    except TypeError:
        return HistoryFilter(game, max_worlds)
    return _shared_filter(game, max_worlds)


def sights_of(known: Known) -> list[Sight]:
    """Return what was noticed of each transition, by a player or by everybody."""
    if isinstance(known, Infostate):
        return [Sight(known.player, step) for step in known.steps]
    return [Sight(None, Step(NOOP, None, seen)) for seen in known.observations]


def _begin(known: Known, length: int) -> Known:
    """Return what was known after some steps."""
    if isinstance(known, Infostate):
        return Infostate(known.player, known.steps[:length])
    return PublicState(known.observations[:length])


def nothing_left(batch: HistoryBatch, sight: Sight, known: Known) -> UnknownNameError:
    """Return the error for the first step at which no history agrees, with what could be seen."""
    length = len(sights_of(known))
    who = "everybody" if sight.player is None else f"player {sight.player}"
    possible = _what_can_be_seen(batch, sight.player)
    could = f"{who} could see {possible}" if possible else "the game is over"
    before = join_steps(step_text(*each.step) for each in sights_of(known)[:-1])
    return UnknownNameError(
        f"no history of {batch.game} agrees with step {length} of {known}: after {before!r} {could}"
    )


def _what_can_be_seen(batch: HistoryBatch, player: int | None) -> list[str]:
    """Return the next steps that are possible for a player, or everybody, as text."""
    texts: dict[str, None] = {}
    for one in islice(successors(batch, None, Listing(MOST_TRIED)), MOST_TRIED):
        action = NOOP if player is None else one.joint_action[player]
        private = None if player is None else one.seen.seen_by(player)
        texts[step_text(action, private, one.seen.public)] = None
        if len(texts) > MOST_SHOWN:
            return [*list(texts)[:MOST_SHOWN], "..."]
    return list(texts)
