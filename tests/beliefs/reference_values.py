"""Reference reaches and counterfactual values, by the definitions on a list of all histories."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from infoset.game import Game
from infoset.policy import TabularPolicy
from tests.support.reference_histories import Visit, enumerate_histories, policy_reach


@dataclass(frozen=True)
class ReferenceValues:
    """All histories of a game with their values under a policy."""

    visits: list[Visit]
    policy: TabularPolicy

    @classmethod
    def of(cls, game: Game, policy: TabularPolicy) -> ReferenceValues:
        return cls(enumerate_histories(game), policy)

    @cached_property
    def num_players(self) -> int:
        return self.visits[0].history.game.num_players

    @cached_property
    def edge_probability(self) -> np.ndarray:
        """[H, N + 1] probability of the last transition, by player, with chance last."""
        factors = np.ones((len(self.visits), self.num_players + 1))
        for position, visit in enumerate(self.visits[1:], start=1):
            before = self.visits[visit.parent]
            factors[position, -1] = visit.chance_reach / before.chance_reach
            for player in before.history.actors:
                legal = before.history.legal_actions(player)
                known = before.history.infostates[player]
                shares = self.policy.action_probabilities(known, legal)
                factors[position, player] = shares[legal.index(visit.history.joint_action[player])]
        return factors

    @cached_property
    def reach(self) -> np.ndarray:
        """[H, N + 1] reach of every history, by player, with chance last."""
        reach = np.ones((len(self.visits), self.num_players + 1))
        for position, visit in enumerate(self.visits[1:], start=1):
            reach[position] = reach[visit.parent] * self.edge_probability[position]
        assert np.allclose(reach.prod(axis=1), policy_reach(self.visits, self.policy))
        return reach

    @cached_property
    def future(self) -> np.ndarray:
        """[H, N] expected future rewards."""
        values = np.zeros((len(self.visits), self.num_players))
        for position in range(len(self.visits) - 1, 0, -1):
            visit = self.visits[position]
            before = self.visits[visit.parent].history.rewards_so_far
            reward = np.subtract(visit.history.rewards_so_far, before).astype(float)
            share = self.edge_probability[position].prod()
            values[visit.parent] += share * (reward + values[position])
        return values

    def counterfactual_reach(self, position: int, player: int) -> float:
        return float(np.delete(self.reach[position], player).prod())

    def by_infostate(self, positions, player, value) -> dict[object, float]:
        """Sum value(position) over the positions of each infostate, in order of appearance."""
        sums: dict[object, float] = {}
        for position in positions:
            known = self.visits[position].history.infostates[player]
            sums[known] = sums.get(known, 0.0) + value(position)
        return sums

    def counterfactual_values(self, positions, player) -> list[float]:
        """Return v_cf of each infostate among the histories at `positions`."""

        def weighted(position):
            reach = self.counterfactual_reach(position, player)
            return reach * self.future[position, player]

        return list(self.by_infostate(positions, player, weighted).values())
