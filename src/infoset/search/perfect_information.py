"""Perfect-information values of positions: the leaf values of determinized searches."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial
from math import inf, isfinite
from typing import Any, Final
from weakref import WeakKeyDictionary

import numpy as np

from infoset.errors import UnsupportedGameError
from infoset.search._alpha_beta_kernels import AlphaBeta, alpha_beta
from infoset.search._depth_first_kernels import (
    DEPTH,
    NO_PROBLEM,
    NODE_LIMIT,
    NODES,
    PAUSED,
    PROBLEM,
    SIMULTANEOUS,
    TOO_DEEP,
    Stack,
    TranspositionTable,
)
from infoset.search._max_n_kernels import MaxN, max_n
from infoset.search._perfect_information_kernels import (
    after_actions,
    max_n_values,
    minimax_values,
    moves_are_sequential,
    topological_order,
)
from infoset.search.models import GraphModel, SearchModel, empty_position
from infoset.tree import count_histories
from infoset.typing import FloatArray, LongArray, Player
from infoset.utils.arguments import check_choice
from infoset.utils.clocks import OutOfTimeError, working_seconds

MAX_N: Final = "max_n"
PARANOID: Final = "paranoid"
OPPONENTS: Final = (MAX_N, PARANOID)
"""Objectives of the other players: their own utility (`max_n`), or the loss of the searching player
(`paranoid`)."""

NODES_PER_CHECK: Final = (10, 20_000)
"""Number of positions that a search with a deadline visits before it reads the clock: by the rules,
and compiled."""

FIRST_DEPTH = 64
TABLE_SIZE = 1 << 18


class PerfectInformationValues(ABC):
    """Values of positions when all players see everything, with expectations at chance moves.

    Parameters
    ----------
    opponents
        `max_n` or `paranoid`; in two-player constant-sum games both are minimax.

    Attributes
    ----------
    num_nodes : int
        Number of positions visited so far.
    deadline : float
        Time of the clock `working_seconds` after which a search raises `OutOfTimeError`.
    """

    def __init__(self, model: SearchModel, opponents: str = MAX_N) -> None:
        check_choice("kind of opponents", opponents, OPPONENTS)
        self.model = model
        self.opponents = opponents
        self.num_nodes = 0
        self.deadline = inf

    @property
    def is_random(self) -> bool:
        """Whether the values are random, so that each draw of a world needs its own."""
        return False

    def start_search(self, rng: np.random.Generator) -> None:
        """Discard results of earlier searches that could affect the next search.

        rng : seeds the values if they are random.
        """
        return

    def check_time(self) -> None:
        """Raise if the deadline has passed."""
        if working_seconds() > self.deadline:
            raise OutOfTimeError

    @abstractmethod
    def values(self, states: LongArray, rewards_so_far: FloatArray, player: Player) -> FloatArray:
        """Return [K] the expected utility of a player from positions [K, L].

        Parameters
        ----------
        states
            [K, L]
        rewards_so_far
            [K, N]

        Raises
        ------
        UnsupportedGameError
            If players choose simultaneously.
        """

    def after_actions(
        self, states: LongArray, rewards_so_far: FloatArray, actor: Player
    ) -> tuple[LongArray, LongArray, LongArray]:
        """Return the states after each action of `actor`, as the kernel `after_actions` does.

        Raises
        ------
        UnsupportedGameError
            If players choose simultaneously.
        """
        after, origin, action = run_on(self.model, after_actions)(
            self.model.arrays, states, rewards_so_far, actor
        )
        if (action < 0).any():
            raise simultaneous_error(self.model)
        return after, origin, action

    def action_values(
        self, states: LongArray, rewards_so_far: FloatArray, actor: Player, player: Player
    ) -> FloatArray:
        """Return [K, A] the value to `player` of each action of `actor`, padded with NaN.

        Raises
        ------
        UnsupportedGameError
            If players choose simultaneously.
        """
        after, origin, action = self.after_actions(states, rewards_so_far, actor)
        values = np.full((len(states), 1 + int(action.max(initial=-1))), np.nan)
        values[origin, action] = self.values(after, rewards_so_far[origin], player)
        return values

    def preferences(
        self, states: LongArray, rewards_so_far: FloatArray, actor: Player, player: Player
    ) -> FloatArray:
        """Return [K, A] the quantity that `actor` maximizes while `player` searches."""
        if self.opponents == MAX_N or actor == player:
            return self.action_values(states, rewards_so_far, actor, actor)
        return -self.action_values(states, rewards_so_far, actor, player)


def perfect_information_values(
    model: SearchModel, opponents: str = MAX_N
) -> PerfectInformationValues:
    """Return the object that evaluates the positions of a model.

    On an explored game, one backward induction computes the values of all positions. Otherwise
    values come from a depth-first search, unless the model has them in closed form.
    """
    if isinstance(model, GraphModel):
        return BackwardInduction(model, opponents)
    return DepthFirstSearch(model, opponents)


class BackwardInduction(PerfectInformationValues):
    """Values from one backward induction over a world graph."""

    model: GraphModel

    def values(self, states: LongArray, rewards_so_far: FloatArray, player: Player) -> FloatArray:
        """Return [K] the expected utility of a player."""
        self.num_nodes += len(states)
        later = values_of_nodes(self.model, self.opponents)
        values: FloatArray = rewards_so_far[:, player] + later[states[:, 0], player]
        return values


_VALUES_OF: WeakKeyDictionary[GraphModel, dict[str, FloatArray]] = WeakKeyDictionary()
"""Cached values of each model in use, by kind of opponents."""


def values_of_nodes(model: GraphModel, opponents: str) -> FloatArray:
    """Return [K, N] the expected later rewards of each player at each node of a graph model.

    The first rows are the world states, in order. The values are computed once per model.

    Raises
    ------
    UnsupportedGameError
        If players choose simultaneously.
    CyclicGameError
        If a world state can be reached from itself.
    """
    known = _VALUES_OF.setdefault(model, {})
    if opponents not in known:
        known[opponents] = _induced_values(model, opponents)
    return known[opponents]


def _induced_values(model: GraphModel, opponents: str) -> FloatArray:
    count_histories(model.graph)  # raises if the graph has a cycle
    order = topological_order(model.arrays)
    if not moves_are_sequential(model.arrays, order, np.empty(len(order), bool)):
        raise simultaneous_error(model)
    values = np.zeros((len(order), model.num_players))
    write_values = max_n_values if opponents == MAX_N else minimax_values
    write_values(model.arrays, order, values)
    return values


class DepthFirstSearch(PerfectInformationValues):
    """Values from depth-first search: alpha-beta for paranoid opponents, otherwise max^n.

    Results are cached by position during a search, in a table of 2^18 places. If the model has the
    values of actions in closed form, these are used instead.
    """

    def __init__(self, model: SearchModel, opponents: str = MAX_N) -> None:
        super().__init__(model, opponents)
        self._prunes = opponents == PARANOID or model.is_zero_sum
        self._depth = FIRST_DEPTH
        self._workspace: AlphaBeta | MaxN | None = None
        self._search_number = 1

    def start_search(self, rng: np.random.Generator) -> None:
        """Invalidate the table: its results carry the number of their search."""
        self._search_number += 1
        if isinstance(self._workspace, MaxN):
            self._workspace.largest[0] = 0.0

    def action_values(
        self, states: LongArray, rewards_so_far: FloatArray, actor: Player, player: Player
    ) -> FloatArray:
        """Return [K, A] the value to `player` of each action of `actor`, padded with NaN."""
        known = self.model.perfect_information_values(states, player) if self._prunes else None
        if known is None:
            return super().action_values(states, rewards_so_far, actor, player)
        self.num_nodes += len(states)
        return rewards_so_far[:, player, None] + known

    def values(self, states: LongArray, rewards_so_far: FloatArray, player: Player) -> FloatArray:
        """Return [K] the expected utility of a player."""
        values = np.empty(len(states))
        problem = self._search(states, rewards_so_far, player, values)
        while problem == TOO_DEEP:
            self._depth *= 2
            self._workspace = None
            problem = self._search(states, rewards_so_far, player, values)
        if problem == SIMULTANEOUS:
            raise simultaneous_error(self.model)
        return values

    def _search(
        self, states: LongArray, rewards_so_far: FloatArray, player: Player, values: FloatArray
    ) -> int:
        """Write the values, and return the problem that the kernel reports."""
        status = np.zeros(1 + DEPTH, np.int64)
        status[NODE_LIMIT] = np.iinfo(np.int64).max
        model, work = self.model, self._workspace or self._new_workspace()
        self._workspace = work
        positions = (model.arrays, states, rewards_so_far, player)
        if isinstance(work, AlphaBeta):
            utility_range = np.array(model.utility_range, np.float64)
            # Minimax values depend on the player: do not mix results of different players.
            number = self._search_number * model.num_players + player
            search = partial(run_on(model, alpha_beta), *positions, utility_range, number)
        else:
            search = partial(run_on(model, max_n), *positions, self._search_number)
        try:
            self._run(partial(search, work, status, values), status)
        finally:
            self.num_nodes += int(status[NODES])
        return int(status[PROBLEM])

    def _run(self, search: Callable[[], None], status: LongArray) -> None:
        """Run a search to its end; if there is a deadline, pause to read the clock."""
        status[PROBLEM] = PAUSED
        while status[PROBLEM] == PAUSED:
            if isfinite(self.deadline):
                self.check_time()
                status[NODE_LIMIT] = status[NODES] + NODES_PER_CHECK[self.model.is_compiled]
            status[PROBLEM] = NO_PROBLEM
            search()

    def _new_workspace(self) -> AlphaBeta | MaxN:
        depth, size, num_players = self._depth, self.model.state_size, self.model.num_players
        stack = Stack(
            empty_position(size, num_players),
            np.zeros((depth, size), np.int64),
            np.zeros((depth, num_players)),
            *(np.zeros(depth, np.int64) for _ in range(3)),
        )
        table = TranspositionTable(
            np.zeros((TABLE_SIZE, size), np.int64),
            np.zeros(TABLE_SIZE, np.int64),
            np.zeros((TABLE_SIZE, 2 if self._prunes else num_players)),
        )
        if self._prunes:
            alpha, beta, first_alpha, first_beta, best = np.zeros((5, depth))
            return AlphaBeta(stack, alpha, beta, first_alpha, first_beta, best, table)
        best, num_best = np.zeros(depth), np.zeros(depth, np.int64)
        total = np.zeros((depth, num_players))
        return MaxN(stack, best, num_best, total, np.zeros(1), table)


def run_on(model: SearchModel, kernel: Callable[..., Any]) -> Callable[..., Any]:
    """Return a kernel, or its Python function if the model is not compiled."""
    return kernel if model.is_compiled else getattr(kernel, "py_func", kernel)


def simultaneous_error(model: SearchModel) -> UnsupportedGameError:
    """Return the error for a game with simultaneous choices."""
    return UnsupportedGameError(
        f"players of {model.game} choose simultaneously, so its positions have no "
        "perfect-information value in pure strategies; search it with infoset.search.ISMCTS"
    )
