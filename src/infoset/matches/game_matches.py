"""Matches that call the rules of a game, without a compiled tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from infoset.evaluation import CorrelatedPolicy
from infoset.evaluation.tree_reach import find_history
from infoset.game import Game, History, Infostate, initial_history, play_out
from infoset.game.answer_checks import check_in_range
from infoset.game.history import Chooser
from infoset.matches._tree_match_kernels import drawn_index
from infoset.matches.aivat import ValueFunction, play_with_correction
from infoset.matches.match_statistics import ColumnBounds, match_columns
from infoset.matches.repeated_search import SearchPolicy, SupportsSearch
from infoset.matches.seats import Seats
from infoset.policy import Policy, checked_probabilities
from infoset.tree import GameTree
from infoset.typing import Action, FloatArray, Player


@dataclass(frozen=True, eq=False)
class TerminalEstimates:
    """AIVAT estimates of the utility of the first policy at each terminal history."""

    tree: GameTree
    utility: FloatArray
    """[H, T] estimate at each terminal history, by the seat of the first policy."""


@dataclass(frozen=True, eq=False)
class RulesMatch:
    """A match played by the rules. Call it with a range of deals to play them."""

    game: Game
    policies: tuple[Policy | SupportsSearch | CorrelatedPolicy, ...]
    """The first and the second policy."""
    seed: int
    seats: Seats
    values: ValueFunction | TerminalEstimates | None
    """Source of the AIVAT corrections."""
    bounds: ColumnBounds
    """Bounds of the columns that a call returns."""

    deals_per_chunk = 16

    def __call__(self, deals: range) -> FloatArray:
        """Return [D, 2 + 2T] the columns of `match_columns` for some deals."""
        utility = np.empty((len(deals), len(self.seats)))
        wins = np.empty_like(utility)
        streams = _RandomStreams.of(self.game.num_players, self.seed)
        root = initial_history(self.game)
        for row, deal in enumerate(deals):
            # One draw for all plays of a deal: they share the policies as they share chance.
            streams.drawing.rewind(deal)
            number = streams.drawing.rng.random()
            first, second = (_drawn(policy, number) for policy in self.policies)
            for seat, own in enumerate(self.seats.players):
                streams.rewind(deal)
                players = [
                    streams.policy_at(first if player in own else second, player)
                    for player in range(self.game.num_players)
                ]
                utility[row, seat], wins[row, seat] = self._play(root, players, streams, seat)
        return match_columns(utility, wins)

    def _play(
        self, root: History, players: Sequence[Policy], streams: _RandomStreams, seat: int
    ) -> tuple[float, float]:
        """Play once; return the corrected utility and the win fraction of one seat."""
        own, chance = streams.own_generators, streams.chance.rng
        correction = 0.0
        if callable(self.values):
            end, corrections = play_with_correction(root, players, own, chance, self.values)
            correction = float(self.seats.utilities(corrections)[seat])
        else:
            end = play_out(root, [*map(make_chooser, players, own)], chance)
        rewards = np.array(end.rewards_so_far, np.float64)
        check_in_range(self.game, rewards)
        utility = float(self.seats.utilities(rewards)[seat])
        if isinstance(self.values, TerminalEstimates):
            utility = self.values.utility[find_history(self.values.tree, end), seat]
        return utility + correction, float(self.seats.wins(rewards)[seat])


@dataclass(frozen=True)
class _RandomStreams:
    """The random streams of a match: for chance, positions, correlated policies, and searches."""

    chance: DealStream
    own: tuple[DealStream, ...]
    drawing: DealStream
    searches: tuple[DealStream, ...]

    @classmethod
    def of(cls, num_players: int, seed: int) -> _RandomStreams:
        all_streams = [DealStream(seed, number) for number in range(2 + 2 * num_players)]
        own, drawn = slice(1, 1 + num_players), 1 + num_players
        return cls(
            all_streams[0],
            tuple(all_streams[own]),
            all_streams[drawn],
            tuple(all_streams[drawn + 1 :]),
        )

    @property
    def own_generators(self) -> list[np.random.Generator]:
        return [stream.rng for stream in self.own]

    def rewind(self, deal: int) -> None:
        """Reset the streams of a play to the start of a deal."""
        for stream in (self.chance, *self.own, *self.searches):
            stream.rewind(deal)

    def policy_at(self, policy: Policy | SupportsSearch, player: Player) -> Policy:
        """Return the policy at a position; a searcher uses the random stream of the position."""
        if isinstance(policy, SupportsSearch):
            return SearchPolicy(policy, self.searches[player].rng)
        return policy


def _drawn(
    policy: Policy | SupportsSearch | CorrelatedPolicy, number: float
) -> Policy | SupportsSearch:
    """Return the policy that a random number in [0, 1) selects from a correlated policy."""
    if isinstance(policy, CorrelatedPolicy):
        return policy.policies[int(policy.drawn_indices(np.array([number]))[0])]
    return policy


class DealStream:
    """A random generator that can be reset to the start of any deal.

    Philox is counter-based. Deal d starts at counter 2⁶⁴ d, so that deals share no numbers.
    """

    def __init__(self, seed: int, number: int) -> None:
        self._bits = np.random.Philox(np.random.SeedSequence(seed, spawn_key=(number,)))
        self._start = self._bits.state
        self.rng = np.random.Generator(self._bits)

    def rewind(self, deal: int) -> None:
        """Reset the generator to the start of a deal."""
        self._start["state"]["counter"][1] = deal
        self._bits.state = self._start


def make_chooser(policy: Policy, rng: np.random.Generator) -> Chooser:
    """Return a function for `play_out` that draws actions from a policy."""

    def choose(infostate: Infostate, legal_actions: Sequence[Action]) -> Action:
        probabilities = checked_probabilities(policy, infostate, legal_actions)
        return legal_actions[drawn_index(probabilities, rng.random())]

    return choose
