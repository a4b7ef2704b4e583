"""The seats of a match: the players that a policy controls together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from infoset.errors import ParameterError
from infoset.matches.match_statistics import win_fractions
from infoset.typing import FloatArray, IntArray, Player
from infoset.utils.arguments import check_player


@dataclass(frozen=True)
class Seats:
    """A partition of the players: each player has a seat by default, otherwise each team."""

    players: tuple[tuple[Player, ...], ...]
    """T seats."""

    def __len__(self) -> int:
        return len(self.players)

    @property
    def seat_of_player(self) -> IntArray:
        """[N] the seat of each player."""
        seat = np.empty(sum(map(len, self.players)), np.int32)
        for number, players in enumerate(self.players):
            seat[list(players)] = number
        return seat

    def utilities(self, rewards: FloatArray) -> FloatArray:
        """Return [..., T] the mean utility of each seat, from those of all players [..., N]."""
        means = [rewards[..., list(players)].mean(axis=-1) for players in self.players]
        return np.stack(means, axis=-1)

    def wins(self, rewards: FloatArray) -> FloatArray:
        """Return [..., T] the win fractions of the seats, by the sums of their utilities."""
        sums = [rewards[..., list(players)].sum(axis=-1) for players in self.players]
        return win_fractions(np.stack(sums, axis=-1))


def make_seats(num_players: int, teams: Sequence[Sequence[Player]] | None, game: str) -> Seats:
    """Return one seat for each team, or for each player if there are no teams.

    Raises
    ------
    ParameterError
        If the teams are not a partition of the players.
    """
    if teams is None:
        return Seats(tuple((player,) for player in range(num_players)))
    if not isinstance(teams, Sequence) or not all(isinstance(team, Sequence) for team in teams):
        raise ParameterError(f"teams={teams!r} is not a list of groups, such as [(0, 2), (1, 3)]")
    seats = tuple(tuple(team) for team in teams)
    for team in seats:
        for player in team:
            check_player(player, num_players, game)
    if sorted(player for team in seats for player in team) != list(range(num_players)) or not all(
        seats
    ):
        raise ParameterError(
            f"the teams {list(seats)} are not a partition of the {num_players} players of {game}; "
            "give each player exactly one team, such as (0,) for one that plays alone"
        )
    return Seats(seats)
