"""Where the histories of a belief come from: a compiled tree, or the rules of a game."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from infoset.beliefs.assumed_policies import AssumedReach
from infoset.beliefs.belief import TreeHistories
from infoset.beliefs.history_batches import HistoryBatch
from infoset.beliefs.history_filter import HistoryFilter, Information, get_history_filter
from infoset.beliefs.history_sampling import SamplingLimits, drawn_histories, sampled_histories
from infoset.beliefs.public_belief_state import (
    check_public_state,
    find_public_state,
    histories_at,
)
from infoset.errors import ParameterError, UnknownNameError
from infoset.game import Game, Infostate, PublicState
from infoset.game.broken_rules import rules_at
from infoset.game.hooks import public_observations
from infoset.game.protocol import has_hook
from infoset.tree import GameTree


@dataclass(frozen=True)
class TreeSource:
    """Histories of public states of a compiled tree. They are listed completely."""

    tree: GameTree

    def histories(self, information: Information | int, noise: float = 0.0) -> TreeHistories:
        """Return the histories of a public state; outside an infostate, they have weight 0."""
        if isinstance(information, Infostate):
            found, _ = self.histories(self.public_state(information)).within(information)
            return found
        if isinstance(information, PublicState):
            information = find_public_state(self.tree, information)
        check_public_state(self.tree, information)
        index = histories_at(self.tree, information)
        return TreeHistories(self.tree, index, np.take(self.tree.chance_reach, index))

    def public_state(self, infostate: Infostate) -> int:
        """Return the index of the public state of an infostate."""
        own = self.tree.infostate_trees[infostate.player]
        try:
            return int(own.public_state[own.index_of(infostate)])
        except UnknownNameError:
            # The filter raises a better error, which names the first step that no history agrees
            # with.
            HistoryFilter(self.tree.game, self.tree.num_histories).enumerated(infostate)
            raise


@dataclass(frozen=True)
class RulesSource:
    """Histories found by the rules of a game. There may be too many to list."""

    game: Game
    limits: SamplingLimits
    reach: AssumedReach
    """Weights histories of which a part is sampled."""

    def public_state(self, infostate: Infostate) -> PublicState:
        """Return the public state of an infostate."""
        return infostate.public_state

    def histories(self, information: Information | int, noise: float = 0.0) -> HistoryBatch:
        """Return the histories that agree with some information: all of them, or a sample.

        noise : weight of uniform play in the policies by which histories are sampled.
        """
        assert not isinstance(information, int)
        limits = self.limits
        with rules_at(self.game):  # comparing observations calls code of the game
            histories = get_history_filter(self.game, limits.max_worlds)
            # 1. The list of the game itself, or one found before.
            whole = histories.listed(information)
            if whole is not None:
                return whole
            # 2. A game that can list histories has not done so, because they are too many: it may
            # draw them. In other games, enumeration shows first whether they are too many.
            lists = has_hook(self.game, "histories_as_seen")
            drawn = drawn_histories(histories.root, information, limits) if lists else None
            if drawn is not None:
                return drawn
            # 3. Enumeration, step by step.
            batch, length = histories.enumerated(information)
            if length == len(public_observations(information)):
                return batch
            drawn = None if lists else drawn_histories(histories.root, information, limits)
            if drawn is not None:
                return drawn
        if limits.rng is None:
            raise ParameterError(
                f"more than max_worlds={limits.max_worlds} histories of {self.game} agree with the "
                f"first {length + 1} observed steps, so they must be sampled; give a random "
                f"generator, such as rng=np.random.default_rng(0), or raise max_worlds"
            )
        # 4. A particle filter, from the last step at which all histories could be listed.
        return sampled_histories(batch, information, self.reach, limits, limits.rng, noise=noise)


HistorySource: TypeAlias = TreeSource | RulesSource
"""Lists or draws the histories that agree with what a player or the public knows. All beliefs are
computed from these histories, their weights, and the numbers of their infostates."""
