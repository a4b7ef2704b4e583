"""Matches by the rules of a game, which is never built."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from infoset.evaluation._kernels import drawn_index
from infoset.evaluation.correlated import CorrelatedPolicy
from infoset.evaluation.tree_plays import find_history
from infoset.game import Game, History, Infostate, initial_history, play_out
from infoset.game.history import Chooser
from infoset.matches.match_result import match_columns, shared_wins
from infoset.matches.path_corrections import ValueFunction, play_corrected
from infoset.matches.searching import SearchPolicy, SupportsSearch
from infoset.policy import Policy, checked_probabilities
from infoset.tree import GameTree
from infoset.typing import Action, FloatArray, Player

__all__ = ["DealStream", "EndWorth", "RulesMatch", "chooser"]


@dataclass(frozen=True, eq=False)
class EndWorth:
    """What plays are worth to the first policy, by how they end.

    Attributes
    ----------
    tree : GameTree
    worth : FloatArray
        [H, N] by the seat of the first policy.
    """

    tree: GameTree
    worth: FloatArray


@dataclass(frozen=True, eq=False)
class RulesMatch:
    """A match by the rules; called with the numbers of deals, it plays them.

    Attributes
    ----------
    game : Game
    policies : tuple
        The first and the second.
    seed : int
    values : callable, EndWorth or None
        What plays are corrected by.
    """

    game: Game
    policies: tuple[Policy | SupportsSearch | CorrelatedPolicy, ...]
    seed: int
    values: ValueFunction | EndWorth | None

    deals_at_once = 16

    def __call__(self, deals: range) -> FloatArray:
        """Return [D, 2 + 2N] what is tallied of deals."""
        utility = np.empty((len(deals), self.game.num_players))
        wins = np.empty_like(utility)
        table = _Table.of(self.game.num_players, self.seed)
        root = initial_history(self.game)
        for row, deal in enumerate(deals):
            table.drawing.rewind(deal)
            number = table.drawing.rng.random()
            first, second = (_drawn(policy, number) for policy in self.policies)
            for seat in range(self.game.num_players):
                table.rewind(deal)
                players = [
                    table.seated(first if player == seat else second, player)
                    for player in range(self.game.num_players)
                ]
                utility[row, seat], wins[row, seat] = self._play(root, players, table, seat)
        return match_columns(utility, wins)

    def _play(
        self, root: History, players: Sequence[Policy], table: _Table, seat: Player
    ) -> tuple[float, float]:
        """Play once; return the utility of a seat, corrected, and its share of the win."""
        own, nature = table.own_generators, table.nature.rng
        correction = 0.0
        if callable(self.values):
            end, corrections = play_corrected(root, players, own, nature, self.values)
            correction = float(corrections[seat])
        else:
            end = play_out(root, [*map(chooser, players, own)], nature)
        utility = float(end.rewards_so_far[seat])
        if isinstance(self.values, EndWorth):
            utility = self.values.worth[find_history(self.values.tree, end), seat]
        return utility + correction, shared_wins(np.array(end.rewards_so_far, np.float64))[seat]


@dataclass(frozen=True)
class _Table:
    """The random numbers of a match: nature's, every seat's own, its searches', the drawing's."""

    nature: DealStream
    own: tuple[DealStream, ...]
    drawing: DealStream
    searches: tuple[DealStream, ...]

    @classmethod
    def of(cls, num_players: int, seed: int) -> _Table:
        streams = [DealStream(seed, number) for number in range(2 + 2 * num_players)]
        own, drawn = slice(1, 1 + num_players), 1 + num_players
        return cls(streams[0], tuple(streams[own]), streams[drawn], tuple(streams[drawn + 1 :]))

    @property
    def own_generators(self) -> list[np.random.Generator]:
        return [stream.rng for stream in self.own]

    def rewind(self, deal: int) -> None:
        """Go to the beginning of a play of a deal."""
        for stream in (self.nature, *self.own, *self.searches):
            stream.rewind(deal)

    def seated(self, policy: Policy | SupportsSearch, player: Player) -> Policy:
        """Return what plays in a seat: of a searcher, new searches with numbers of the seat."""
        if isinstance(policy, SupportsSearch):
            return SearchPolicy(policy, self.searches[player].rng)
        return policy


def _drawn(
    policy: Policy | SupportsSearch | CorrelatedPolicy, number: float
) -> Policy | SupportsSearch:
    """Return the policy that is played where a number in [0, 1) draws it, if there is a choice."""
    if isinstance(policy, CorrelatedPolicy):
        return policy.policies[int(policy.drawn_by(np.array([number]))[0])]
    return policy


class DealStream:
    """A random generator that can be set to the beginning of any deal.

    It counts (Philox): deal d begins at 2⁶⁴ d, so that no two deals share a number.
    """

    def __init__(self, seed: int, number: int) -> None:
        self._bits = np.random.Philox(np.random.SeedSequence(seed, spawn_key=(number,)))
        self._start = self._bits.state
        self.rng = np.random.Generator(self._bits)

    def rewind(self, deal: int) -> None:
        """Go to the beginning of a deal."""
        self._start["state"]["counter"][1] = deal
        self._bits.state = self._start


def chooser(policy: Policy, rng: np.random.Generator) -> Chooser:
    """Return what `play_out` asks of a player: actions drawn from a policy by a generator."""

    def choose(infostate: Infostate, legal_actions: Sequence[Action]) -> Action:
        probabilities = checked_probabilities(policy, infostate, legal_actions)
        return legal_actions[drawn_index(probabilities, rng.random())]

    return choose
