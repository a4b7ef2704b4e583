"""Sets of histories, as searches by rules need them: world states, infostates, and chance reach."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from infoset.beliefs.assumed_policies import AssumedReach
from infoset.beliefs.history_batches import HistoryBatch
from infoset.beliefs.history_sources import RulesSource, SamplingLimits
from infoset.game import Game, Infostate
from infoset.policy import Policy
from infoset.typing import BoolArray, FloatArray, LongArray, World
from infoset.utils.frozen_arrays import freeze
from infoset.utils.subsampling import inclusion_probabilities, systematic_sample


@dataclass(frozen=True, eq=False)
class HistorySet:
    """K histories of a game, each given by its world state and the infostates of all players."""

    worlds: Sequence[World]
    """[K] last world state of each history."""
    infostates: tuple[tuple[Infostate, ...], ...]
    """Per player the S_p different infostates."""
    position: LongArray
    """[K, N] the infostate of each player at each history, as an index of `infostates`."""
    rewards_so_far: FloatArray
    """[K, N]"""
    chance_reach: FloatArray
    """[K] chance reach; in a sample an unbiased estimate, which also represents the histories that
    were left out."""
    is_complete: bool = True
    """Whether these are all histories of a public state."""
    weight_share: float = 1.0
    """Share of these histories in the weight of all of them: chance reach times the reach of all
    players. NaN if it is unknown. If not all were listed, it is an estimate."""

    def __post_init__(self) -> None:
        freeze(self)

    def __len__(self) -> int:
        return len(self.worlds)

    def number_of(self, infostate: Infostate) -> int:
        """Return the index of an infostate in `infostates`; -1 if it does not occur."""
        return self._numbers[infostate.player].get(infostate, -1)

    @cached_property
    def _numbers(self) -> tuple[dict[Infostate, int], ...]:
        return tuple({known: n for n, known in enumerate(own)} for own in self.infostates)


@dataclass(frozen=True, eq=False)
class PublicHistories:
    """Histories of a public state: all of them, or a sample.

    World states are created only for the histories that are selected.
    """

    pieces: tuple[tuple[HistoryBatch, LongArray], ...]
    """Batches, with the positions of the histories that belong to the set."""
    infostates: tuple[tuple[Infostate, ...], ...]
    position: LongArray
    chance_reach: FloatArray
    is_complete: bool
    """As in `HistorySet`."""
    ranges: tuple[FloatArray, ...]
    """Per player [S_p] its own reach of each of its infostates."""
    inclusion: FloatArray
    """[K] as in `HistoryBatch`."""

    def __len__(self) -> int:
        return len(self.position)

    def has(self, infostate: Infostate) -> BoolArray:
        """Return [K] whether a player is at an infostate."""
        is_here = np.array([known == infostate for known in self.infostates[infostate.player]])
        return is_here[self.position[:, infostate.player]]

    @property
    def reach(self) -> FloatArray:
        """[K] chance reach times the reach of both players."""
        found = self.chance_reach.copy()
        for own_range, place in zip(self.ranges, self.position.T, strict=True):
            found *= own_range[place]
        return found

    def range_at(self, infostates: Sequence[Infostate]) -> FloatArray:
        """Return [S] a player's own reach of some of its infostates."""
        player = infostates[0].player
        known = dict(zip(self.infostates[player], self.ranges[player].tolist(), strict=True))
        return np.array([known[infostate] for infostate in infostates])

    def whole(self) -> HistorySet:
        """Return all histories."""
        found = self.select(np.arange(len(self)))
        return replace(found, is_complete=True, weight_share=1.0) if self.is_complete else found

    def select(self, rows: LongArray) -> HistorySet:
        """Return some of the histories; `rows` are increasing positions."""
        # 1. The infostates that remain, numbered anew.
        infostates, columns = [], []
        for own, column in zip(self.infostates, self.position[rows].T, strict=True):
            numbers, place = np.unique(column, return_inverse=True)
            infostates.append(tuple(own[number] for number in numbers.tolist()))
            columns.append(place)
        # 2. World states and rewards, from the batch of each piece: its rows follow those before.
        worlds: list[World] = []
        rewards = []
        begin = 0
        for batch, places in self.pieces:
            inside = places[rows[(rows >= begin) & (rows < begin + len(places))] - begin]
            worlds += [batch.worlds[place] for place in inside.tolist()]
            rewards.append(batch.rewards_at(inside))
            begin += len(places)
        # 3. The share in the weight that the pieces stand for, not only in what they list.
        reach = self.reach
        total = reach.sum()
        share = float((reach * self.inclusion)[rows].sum() / total) if total > 0 else np.nan
        return HistorySet(
            worlds=worlds,
            infostates=tuple(infostates),
            position=np.stack(columns, axis=1),
            rewards_so_far=np.concatenate(rewards),
            chance_reach=self.chance_reach[rows],
            is_complete=False,
            weight_share=share,
        )

    def sample(
        self,
        num_histories: int,
        weight: FloatArray,
        infostate: Infostate,
        rng: np.random.Generator,
    ) -> HistorySet:
        """Return a sample that represents all histories, half of it from one infostate.

        Parameters
        ----------
        num_histories
            Expected number of histories, at least 1.
        weight
            [K] weights; the probability of a history to be in the sample increases with its weight.
        infostate
            At least half of the sample is from this infostate, if it has as many histories.
        """
        inside = self.has(infostate)
        half = min(-(-num_histories // 2), int(inside.sum()))
        probability = np.where(
            inside,
            _inclusion(np.where(inside, weight, 0.0), half),
            _inclusion(np.where(inside, 0.0, weight), num_histories - half),
        )
        rows = np.flatnonzero(systematic_sample(probability, rng))
        found = self.select(rows)
        # Dividing by the probability of inclusion keeps every sum unbiased.
        return replace(found, chance_reach=found.chance_reach / probability[rows])


def _inclusion(weight: FloatArray, number: int) -> FloatArray:
    """Return [K] probabilities of inclusion; 0 for a sample of no histories."""
    return inclusion_probabilities(weight, number) if number else np.zeros_like(weight)


def histories_around(
    game: Game,
    infostate: Infostate,
    policies: Sequence[Policy | None],
    limits: SamplingLimits,
) -> PublicHistories:
    """Return the histories of the public state of an infostate, with the range of every player.

    If there are too many, they are a sample of these and a sample of those at the infostate.

    Parameters
    ----------
    policies
        The policies of the ranges, which also weight samples; None for ones.

    Raises
    ------
    ParameterError, UnknownNameError, UnsupportedGameError
        As in `private_belief`.
    """
    reach = AssumedReach(policies)
    source = RulesSource(game, limits, reach)
    batch = source.histories(infostate.public_state)
    if batch.method == "enumeration":
        return _joined([(batch, np.arange(len(batch)))], reach, is_complete=True)
    # The sample of the public state may have few histories of the infostate, where the search
    # decides: a separate sample replaces them. Each of the two estimates sums over its part.
    own = source.histories(infostate)
    outside = np.setdiff1d(np.arange(len(batch)), batch.positions_at(infostate))
    pieces = [(own, np.arange(len(own))), (batch, outside)]
    return _joined([piece for piece in pieces if len(piece[1])], reach, is_complete=False)


def _joined(
    pieces: Sequence[tuple[HistoryBatch, LongArray]], reach: AssumedReach, is_complete: bool
) -> PublicHistories:
    """Return disjoint sets of histories as one, with the ranges."""
    # Each batch numbers the infostates separately; these numbers are for all batches together.
    numbers: list[dict[Infostate, int]] = [{} for _ in reach.policies]
    ranges: list[list[float]] = [[] for _ in reach.policies]
    positions = []
    for batch, rows in pieces:
        columns = []
        for player, (known, own_range) in enumerate(zip(numbers, ranges, strict=True)):
            found, place = np.unique(batch.infostate[rows, player], return_inverse=True)
            reaches = reach.ranges(batch, player, found.tolist()).tolist()
            of_batch = []
            for number, own_reach in zip(found.tolist(), reaches, strict=True):
                infostate = batch.infostate_at(player, number)
                of_batch.append(known.setdefault(infostate, len(known)))
                if len(known) > len(own_range):
                    own_range.append(own_reach)
            columns.append(np.array(of_batch, np.int64)[place])
        positions.append(np.stack(columns, axis=1))
    inclusion = [
        np.ones(len(rows)) if batch.inclusion is None else batch.inclusion[rows]
        for batch, rows in pieces
    ]
    return PublicHistories(
        pieces=tuple(pieces),
        infostates=tuple(map(tuple, numbers)),
        position=np.concatenate(positions),
        chance_reach=np.concatenate([batch.weight[rows] for batch, rows in pieces]),
        is_complete=is_complete,
        ranges=tuple(map(np.array, ranges)),
        inclusion=np.concatenate(inclusion),
    )
