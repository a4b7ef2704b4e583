"""Perfect-information values by search, for games that are too large to explore."""

from __future__ import annotations

import numpy as np

from infoset.search.models import SearchModel
from infoset.search.models._kernels import empty_position
from infoset.search.pimc._alpha_beta_kernels import AlphaBeta, alpha_beta
from infoset.search.pimc._max_n_kernels import MaxN, max_n
from infoset.search.pimc._walk_kernels import (
    AT_ONCE,
    NODES,
    PROBLEM,
    TOO_DEEP,
    Line,
    Table,
)
from infoset.search.pimc.values import (
    MAX_N,
    PARANOID,
    PerfectInformation,
    choose_at_once,
    on_model,
)
from infoset.typing import FloatArray, LongArray, Player

__all__ = ["SearchedValues"]

FIRST_DEPTH = 64
TABLE_SIZE = 1 << 18


class SearchedValues(PerfectInformation):
    """Perfect-information values by search: alpha-beta where it is one against all, else max^n.

    What is found of a position is kept for the rest of a search, in a table of 2^18 places. A
    model that knows the values of actions, one against all, is asked for them.
    """

    def __init__(self, model: SearchModel, opponents: str = MAX_N) -> None:
        super().__init__(model, opponents)
        self._prunes = opponents == PARANOID or model.is_zero_sum
        self._depth = FIRST_DEPTH
        self._work: AlphaBeta | MaxN | None = None
        self._searches = 1

    def forget(self) -> None:
        """Begin a new search, with nothing found yet."""
        self._searches += 1

    def action_values(
        self, states: LongArray, rewards_so_far: FloatArray, actor: Player, player: Player
    ) -> FloatArray:
        """Return [K, A] what a player gets of each action of who acts there; nan for none."""
        known = self.model.perfect_information_values(states, player) if self._prunes else None
        if known is None:
            return super().action_values(states, rewards_so_far, actor, player)
        self.num_nodes += len(states)
        return rewards_so_far[:, player, None] + known

    def values(self, states: LongArray, rewards_so_far: FloatArray, player: Player) -> FloatArray:
        """Return [K] what a player gets in the end."""
        found = np.empty(len(states))
        problem = self._search(states, rewards_so_far, player, found)
        while problem == TOO_DEEP:
            self._depth *= 2
            self._work = None
            problem = self._search(states, rewards_so_far, player, found)
        if problem == AT_ONCE:
            raise choose_at_once(self.model)
        return found

    def _search(
        self, states: LongArray, rewards_so_far: FloatArray, player: Player, found: FloatArray
    ) -> int:
        account = np.zeros(2, np.int64)
        arrays, work = self.model.arrays, self._work or self._new_work()
        self._work = work
        if isinstance(work, AlphaBeta):
            payoffs = np.array(self.model.utility_range, np.float64)
            search = self._searches * self.model.num_players + player
            run = on_model(alpha_beta, self.model)
            run(arrays, states, rewards_so_far, player, payoffs, search, work, account, found)
        else:
            run = on_model(max_n, self.model)
            run(arrays, states, rewards_so_far, player, self._searches, work, account, found)
        self.num_nodes += int(account[NODES])
        return int(account[PROBLEM])

    def _new_work(self) -> AlphaBeta | MaxN:
        depth, num_players = self._depth, self.model.num_players
        line, table = self._new_line(), self._new_table()
        if self._prunes:
            low, high, first_low, first_high, best = np.zeros((5, depth))
            return AlphaBeta(line, low, high, first_low, first_high, best, table)
        best, num_best = np.zeros(depth), np.zeros(depth, np.int64)
        return MaxN(line, best, num_best, np.zeros((depth, num_players)), table)

    def _new_line(self) -> Line:
        depth, num_players = self._depth, self.model.num_players
        return Line(
            empty_position(self.model.state_size, num_players),
            np.zeros((depth, self.model.state_size), np.int64),
            np.zeros((depth, num_players)),
            *(np.zeros(depth, np.int64) for _ in range(3)),
        )

    def _new_table(self) -> Table:
        return Table(
            np.zeros((TABLE_SIZE, self.model.state_size), np.int64),
            np.zeros(TABLE_SIZE, np.int64),
            np.zeros((TABLE_SIZE, 2 if self._prunes else self.model.num_players)),
        )
