"""Exact best responses in games too large to compile, on reached histories only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any

import numpy as np

from infoset.errors import GameTooLargeError, ParameterError
from infoset.evaluation.tree_reach import sum_by
from infoset.game import Game, History, Infostate, initial_history
from infoset.game.broken_rules import check_num_players
from infoset.policy import Policy, checked_probabilities, uniform_policy
from infoset.typing import Action, FloatArray, LongArray, Player
from infoset.utils.arguments import check_count, check_player, check_type

NO_INDEX = -1
"""Index of a missing parent, and of the action if the responder does not act."""


@dataclass(frozen=True, eq=False)
class ResponsePolicy:
    """A policy that is pure at the infostates where it was computed and uniform elsewhere."""

    chosen: dict[Infostate, int]
    """Index of the action at each infostate."""

    def action_probabilities(
        self, infostate: Infostate, legal_actions: Sequence[Action]
    ) -> FloatArray:
        """Return the probability of each legal action, in order."""
        if infostate not in self.chosen:
            return np.full(len(legal_actions), 1.0 / len(legal_actions))
        answer = np.zeros(len(legal_actions))
        answer[self.chosen[infostate]] = 1.0
        return answer


@dataclass(frozen=True, eq=False)
class ReachedResponse:
    """A best response of one player on the histories that the other policies reach."""

    player: Player
    value: float
    """Expected utility of the best response, in the game's units."""
    policy: ResponsePolicy
    """The best response. Ties go to the first action."""
    num_histories: int
    """Number of histories generated."""


def reached_best_response(
    game: Game,
    policies: Policy | Sequence[Policy | None] | None,
    player: Player,
    *,
    max_histories: int = 1_000_000,
) -> ReachedResponse:
    """Return an exact best response of one player, computed from the rules of the game.

    The function generates only histories that chance and the other policies reach with positive
    probability, with every action of the player. Policies with small support, such as those of most
    searchers, reach few histories even in a game that is far too large to compile.

    Parameters
    ----------
    policies : Policy or Sequence
        One policy for all opponents, or one for each player, in which case the responder's policy
        is ignored. None is the uniform policy. Each policy is queried once per infostate.
    player
        The responder. Best responses require perfect recall, which every `Game` has.
    max_histories
        Limit on the number of histories. About ten thousand are generated per second.

    Returns
    -------
    ReachedResponse

    Raises
    ------
    ParameterError
        If `game` is not a `Game`, the player does not exist, or a policy does not return a
        distribution.
    GameTooLargeError
        If more than `max_histories` histories are reached.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> response = reached_best_response(load_game("kuhn_poker"), uniform_policy(), 0)
    >>> response.value, response.num_histories
    (0.5, 55)
    """
    check_type("game", game, Game, 'a Game, such as infoset.load("kuhn_poker")')
    check_num_players(game)
    check_player(player, game.num_players, str(game))
    check_count("max_histories", max_histories, minimum=1)
    expansion = _Expansion(game, _policy_of_each(policies, game), player, max_histories)
    value, chosen = expansion.respond()
    return ReachedResponse(player, value, ResponsePolicy(chosen), expansion.num_histories)


def _policy_of_each(policies: Policy | Sequence[Policy | None] | None, game: Game) -> list[Policy]:
    """Return the policy of each player."""
    given: list[Any] = [policies] * game.num_players
    if isinstance(policies, list | tuple):
        given = [*policies]
    if len(given) != game.num_players:
        raise ParameterError(
            f"got {len(given)} policies; {game} has {game.num_players} players; give one policy "
            f"for each player, or one for all"
        )
    return [uniform_policy() if policy is None else policy for policy in given]


@dataclass(frozen=True)
class _Level:
    """All reached histories of one length."""

    histories: list[History]
    parent: LongArray
    """[n] index of the history one step shorter in the previous level."""
    probability: FloatArray
    """[n] probability of the last step, without the factor of the responder."""
    reach: FloatArray
    """[n] product of the probabilities of all steps."""
    action: LongArray
    """[n] the responder's action in the last step; -1 if it did not act."""


class _Expansion:
    """Generates the reached histories level by level, then solves backwards."""

    def __init__(
        self, game: Game, policies: Sequence[Policy], player: Player, max_histories: int
    ) -> None:
        self.game, self.policies, self.player = game, policies, player
        self.max_histories = max_histories
        self.num_histories = 0
        self._answers: dict[Infostate, FloatArray] = {}

    def respond(self) -> tuple[float, dict[Infostate, int]]:
        """Return the value of the responder, and its action at each infostate."""
        levels = self._levels()
        values = np.zeros(0)
        chosen: dict[Infostate, int] = {}
        for depth in range(len(levels) - 1, -1, -1):
            below = levels[depth + 1] if depth + 1 < len(levels) else None
            values = self._values(levels[depth], below, values, chosen)
        return float(values[0]), chosen

    def _levels(self) -> list[_Level]:
        root = initial_history(self.game)
        one, no_index = np.ones(1), np.full(1, NO_INDEX)
        levels = [_Level([root], no_index, one, one, no_index)]
        self.num_histories = 1
        while levels[-1].histories:
            levels.append(self._next(levels[-1]))
        return levels[:-1]

    def _next(self, level: _Level) -> _Level:
        """Return the reached histories that are one step longer."""
        histories, parent, probability, action = [], [], [], []
        for number, history in enumerate(level.histories):
            for chance, taken, following in self._steps(history):
                histories.append(following)
                parent.append(number)
                probability.append(chance)
                action.append(taken)
            if self.num_histories + len(histories) > self.max_histories:
                raise GameTooLargeError(
                    f"these policies reach more than {self.max_histories:,} histories of "
                    f"{self.game}; drop actions of small probability, as with "
                    f"AveragePolicy(min_probability=...), or raise max_histories",
                    {"histories": self.num_histories + len(histories)},
                )
        self.num_histories += len(histories)
        above, chances = np.array(parent, np.int64), np.array(probability, np.float64)
        reach = level.reach[above] * chances
        return _Level(histories, above, chances, reach, np.array(action, np.int64))

    def _steps(self, history: History) -> list[tuple[float, int, History]]:
        """Return (probability, action of the responder, history) of each possible step."""
        options = [self._options(history, player) for player in history.actors]
        found = []
        for steps in product(*options):
            joint_action = history.joint({player: action for player, action, _, _ in steps})
            probability = prod(chance for _, _, chance, _ in steps)
            # The numbers of all players but the responder are -1.
            taken = max((number for _, _, _, number in steps), default=NO_INDEX)
            for world, chance in history.outcomes(joint_action):
                extended = history.extend(joint_action, world)
                found.append((probability * float(chance), taken, extended))
        return found

    def _options(self, history: History, player: Player) -> list[tuple[Player, Action, float, int]]:
        """Return (player, action, probability, index if it is the responder) for a player."""
        legal_actions = history.legal_actions(player)
        if player == self.player:
            return [(player, action, 1.0, k) for k, action in enumerate(legal_actions)]
        infostate = history.infostates[player]
        if infostate not in self._answers:
            answer = checked_probabilities(self.policies[player], infostate, legal_actions)
            self._answers[infostate] = answer
        return [
            (player, action, chance, NO_INDEX)
            for action, chance in zip(legal_actions, self._answers[infostate].tolist(), strict=True)
            if chance > 0
        ]

    def _values(
        self,
        level: _Level,
        below: _Level | None,
        values: FloatArray,
        chosen: dict[Infostate, int],
    ) -> FloatArray:
        """Return [n] the responder's values of a level, given the values [m] of the level below."""
        utility = [history.rewards_so_far[self.player] for history in level.histories]
        found = np.array(utility, np.float64)
        if below is None:
            return found
        size = len(level.histories)
        states: dict[Infostate, int] = {}
        state = np.full(size, NO_INDEX, np.int64)
        for parent in np.unique(below.parent[below.action >= 0]).tolist():
            infostate = level.histories[parent].infostates[self.player]
            state[parent] = states.setdefault(infostate, len(states))
        # Reach has no factor of the responder, so these sums are counterfactual values.
        best = _best_actions(state[below.parent], below.action, below.reach * values, len(states))
        chosen.update(zip(states, best.tolist(), strict=True))
        # State -1 selects the appended -1: where the responder does not act, every step counts.
        taken = below.action == np.append(best, NO_INDEX)[state[below.parent]]
        parents = below.parent[taken]
        expected = sum_by(parents, (below.probability * values)[taken], size)
        found[parents] = expected[parents]
        return found


def _best_actions(
    state: LongArray, action: LongArray, weighted: FloatArray, num_states: int
) -> LongArray:
    """Return [num_states] the action with the largest sum of weighted values [m] at each state."""
    own = state >= 0
    num_actions = int(action.max(initial=0)) + 1
    totals = np.full((num_states, num_actions), -np.inf)
    totals[state[own], action[own]] = 0.0  # all others stay at -inf: they are not legal
    np.add.at(totals, (state[own], action[own]), weighted[own])
    best: LongArray = totals.argmax(axis=1)
    return best
