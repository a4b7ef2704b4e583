"""Observations of transitions: by all players, by single players, and by groups of players."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple

from infoset.game.infostate import value_text
from infoset.typing import Player


class SharedView(NamedTuple):
    """The non-public observation of a player who belongs to groups with shared observations."""

    own: Hashable
    """The private part of the player's observation."""
    groups: tuple[tuple[tuple[Player, ...], Hashable], ...]
    """Pairs of a group and its observation, sorted by group."""

    def __str__(self) -> str:
        parts = [] if self.own is None else [value_text(self.own)]
        for group, seen in self.groups:
            others = f" with {'+'.join(map(str, group))}" if len(group) > 1 else ""
            parts.append(value_text(seen) + others)
        return ", ".join(parts)


class Observation(NamedTuple):
    """The observation of a transition, with public, private and shared parts.

    Attributes
    ----------
    public
        Seen by every player; `None` if players observe only that time passes.
    private
        Private observation of each player. A player without an entry observes nothing privately.
    shared
        Observation of each group, a tuple of players in increasing order. Exactly these players see
        it (Kovařík et al. 2022, footnote 11); in Hanabi, for example, everybody except the holder
        sees a hand.

    Examples
    --------
    >>> Observation(public="deal", private={0: "K", 1: "J"}).seen_by(0)
    'K'
    >>> print(Observation(shared={(0, 1): "red 3"}).seen_by(1))
    red 3 with 0+1
    """

    public: Hashable = None
    private: Mapping[Player, Hashable] | Sequence[Hashable] = ()
    shared: Mapping[tuple[Player, ...], Hashable] = {}

    def seen_by(self, player: Player) -> Hashable:
        """Return the non-public observation of `player`: its private part and its groups' parts."""
        own = self.private_part(player)
        if not self.shared:
            return own
        groups = tuple((group, self.shared[group]) for group in sorted(self.shared))
        mine = tuple((group, seen) for group, seen in groups if player in group)
        return SharedView(own, mine) if mine else own

    def seen_by_each(self, num_players: int) -> Sequence[Hashable]:
        """Return the non-public observation of each player, as `seen_by` does."""
        if self.shared:
            return [self.seen_by(player) for player in range(num_players)]
        private = self.private
        if not private:
            return (None,) * num_players
        # Plain dictionaries and tuples first: `isinstance` of an abstract class is slow.
        if type(private) is dict or isinstance(private, Mapping):
            return [private.get(player) for player in range(num_players)]
        return [private[player] for player in range(num_players)]

    def private_part(self, player: Player) -> Hashable:
        """Return the private part of `player`; None if the player has none."""
        if isinstance(self.private, Mapping):
            return self.private.get(player)
        return self.private[player] if self.private else None
