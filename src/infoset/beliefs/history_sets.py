"""Sets of histories, as searches by rules need them: world states, infostates, and chance reach."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from infoset.beliefs.assumed_policies import ModelNoise
from infoset.beliefs.game_beliefs import GameBeliefs
from infoset.beliefs.history_batches import HistoryBatch
from infoset.beliefs.history_sampling import (
    SamplingLimits,
    inclusion_probabilities,
    systematic_sample,
)
from infoset.game import Game, Infostate
from infoset.policy import Policy
from infoset.tree.world_graph import freeze
from infoset.typing import FloatArray, LongArray, World

__all__ = ["HistorySet", "histories_around"]


@dataclass(frozen=True, eq=False)
class HistorySet:
    """K histories of a game, each given by its world state and the infostates of all players.

    Attributes
    ----------
    worlds : Sequence[World]
        [K] last world state of each history.
    infostates : tuple[tuple[Infostate, ...], ...]
        Per player the S_p different infostates.
    position : LongArray
        [K, N] the infostate of each player at each history, as an index of `infostates`.
    rewards_so_far : FloatArray
        [K, N]
    chance_reach : FloatArray
        [K] chance reach; in a sample an unbiased estimate, which also represents the histories
        that were left out.
    is_complete : bool
        Whether these are all histories of a public state.
    """

    worlds: Sequence[World]
    infostates: tuple[tuple[Infostate, ...], ...]
    position: LongArray
    rewards_so_far: FloatArray
    chance_reach: FloatArray
    is_complete: bool = True

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

    def select(self, rows: LongArray) -> HistorySet:
        """Return some of the histories; infostates that no longer occur are dropped."""
        infostates, columns = [], []
        for own, column in zip(self.infostates, self.position[rows].T, strict=True):
            numbers, place = np.unique(column, return_inverse=True)
            infostates.append(tuple(own[number] for number in numbers.tolist()))
            columns.append(place)
        return replace(
            self,
            worlds=[self.worlds[row] for row in rows.tolist()],
            infostates=tuple(infostates),
            position=np.stack(columns, axis=1),
            rewards_so_far=self.rewards_so_far[rows],
            chance_reach=self.chance_reach[rows],
            is_complete=False,
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
        num_histories : int
            Expected number of histories, at least 1.
        weight : FloatArray
            [K] weights; the probability of a history to be in the sample increases with its weight.
        infostate : Infostate
            At least half of the sample is from this infostate, if it has as many histories.
        rng : numpy.random.Generator
        """
        inside = self.position[:, infostate.player] == self.number_of(infostate)
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
) -> tuple[HistorySet, tuple[FloatArray, ...]]:
    """Return the histories of the public state of an infostate, and the range of every player.

    If there are too many, they are a sample of these and a sample of those at the infostate.

    Parameters
    ----------
    game : Game
    infostate : Infostate
    policies : Sequence[Policy or None]
        The policies of the ranges, which also weight samples; None for ones.
    limits : SamplingLimits

    Returns
    -------
    HistorySet
    tuple[FloatArray, ...]
        Per player [S_p] its own reach of each of its infostates.

    Raises
    ------
    ParameterError, UnknownNameError, UnsupportedGameError
        As in `private_belief`.
    """
    beliefs = GameBeliefs(game, policies, limits, ModelNoise(0.0))
    batch = beliefs.histories(infostate.public_state)
    if batch.method == "enumeration":
        return _joined([batch], policies, is_complete=True)
    others = batch.select(np.flatnonzero(~batch.is_at(infostate)))
    both = [beliefs.histories(infostate), others]
    return _joined([found for found in both if len(found)], policies, is_complete=False)


def _joined(
    batches: Sequence[HistoryBatch], policies: Sequence[Policy | None], is_complete: bool
) -> tuple[HistorySet, tuple[FloatArray, ...]]:
    """Return disjoint batches as one set, with the ranges."""
    num_players = batches[0].infostate.shape[1]
    numbers: list[dict[Infostate, int]] = [{} for _ in range(num_players)]
    ranges: list[list[float]] = [[] for _ in range(num_players)]
    positions = []
    for batch in batches:
        columns = []
        for player, (known, own_range) in enumerate(zip(numbers, ranges, strict=True)):
            index, policy = batch.infostate_indexes[player], policies[player]
            found, place = np.unique(batch.infostate[:, player], return_inverse=True)
            size = len(found)
            reach = np.ones(size) if policy is None else index.own_reaches(policy, found.tolist())
            of_batch = []
            for number, own_reach in zip(found.tolist(), reach.tolist(), strict=True):
                of_batch.append(known.setdefault(index.value(number), len(known)))
                if len(known) > len(own_range):
                    own_range.append(own_reach)
            columns.append(np.array(of_batch, np.int64)[place])
        positions.append(np.stack(columns, axis=1))
    histories = HistorySet(
        worlds=[world for batch in batches for world in batch.worlds],
        infostates=tuple(map(tuple, numbers)),
        position=np.concatenate(positions),
        rewards_so_far=np.concatenate([batch.rewards_so_far for batch in batches]),
        chance_reach=np.concatenate([batch.weight for batch in batches]),
        is_complete=is_complete,
    )
    return histories, tuple(map(np.array, ranges))
