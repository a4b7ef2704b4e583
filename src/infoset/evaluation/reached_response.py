"""Best responses to policies of games too large to build, in the part that the policies reach."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any

import numpy as np

from infoset.errors import GameTooLargeError, ParameterError
from infoset.evaluation.tree_plays import sum_by
from infoset.game import Game, History, Infostate, initial_history
from infoset.policy import Policy, UniformPolicy, checked_probabilities
from infoset.typing import Action, FloatArray, LongArray, Player
from infoset.utils.arguments import check_count, check_player, check_type

__all__ = ["ReachedResponse", "ResponsePolicy", "reached_best_response"]

NOWHERE = -1


@dataclass(frozen=True, eq=False)
class ResponsePolicy:
    """A pure policy at the infostates where it was worked out; uniform elsewhere.

    Attributes
    ----------
    chosen : dict[Infostate, int]
        Index of the action at each infostate.
    """

    chosen: dict[Infostate, int]

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
    """The best that one player can do against policies, where they lead.

    Attributes
    ----------
    player : Player
    value : float
        Its expected utility, in the game's units.
    policy : ResponsePolicy
        Among equally good actions the first.
    num_histories : int
        How many histories were looked at.
    """

    player: Player
    value: float
    policy: ResponsePolicy
    num_histories: int


def reached_best_response(
    game: Game,
    policies: Policy | Sequence[Policy | None] | None,
    player: Player,
    *,
    max_histories: int = 1_000_000,
) -> ReachedResponse:
    """Return the best response of one player, exactly, by the rules of the game alone.

    Of all histories only those are made that nature and the others' policies reach, whatever the
    player does. Policies that take few actions, as most searchers do, leave few even of a game
    far too large to build.

    Parameters
    ----------
    game : Game
    policies : Policy or Sequence
        Of everybody else, or one for each player, the player's own not looked at; None is
        uniform. Each is asked once at an infostate.
    player : Player
        Who responds; it must not forget what it knew or did, which holds in every game by rules.
    max_histories : int
        Most histories to make; some ten thousand a second.

    Returns
    -------
    ReachedResponse

    Raises
    ------
    ParameterError
        If it is no game, there is no such player, or a policy answers with no distribution.
    GameTooLargeError
        If there are more histories.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> response = reached_best_response(load_game("kuhn_poker"), UniformPolicy(), 0)
    >>> response.value, response.num_histories
    (0.5, 55)
    """
    check_type("game", game, Game, "a Game, such as infoset.load makes of a name")
    check_player(player, game.num_players, str(game))
    check_count("max_histories", max_histories, minimum=1)
    expansion = _Expansion(game, _seated(policies, game), player, max_histories)
    value, chosen = expansion.respond()
    return ReachedResponse(player, value, ResponsePolicy(chosen), expansion.num_histories)


def _seated(policies: Policy | Sequence[Policy | None] | None, game: Game) -> list[Policy]:
    """Return the policy of each player."""
    given: list[Any] = [policies] * game.num_players
    if isinstance(policies, list | tuple):
        given = [*policies]
    if len(given) != game.num_players:
        raise ParameterError(
            f"got {len(given)} policies; {game} has {game.num_players} players: give one for "
            "each, or one for all"
        )
    return [UniformPolicy() if policy is None else policy for policy in given]


@dataclass(frozen=True)
class _Level:
    """Histories of one length, with where they come from and who decides.

    Attributes
    ----------
    histories : list[History]
    parent : LongArray
        [n] in the level before.
    probability : FloatArray
        [n] of the last step, the responder's part left out.
    reach : FloatArray
        [n] product of the probabilities.
    action : LongArray
        [n] the responder's action in the last step; -1 where it did not act.
    """

    histories: list[History]
    parent: LongArray
    probability: FloatArray
    reach: FloatArray
    action: LongArray


class _Expansion:
    """The histories that policies reach, level by level, and a best response in them."""

    def __init__(
        self, game: Game, policies: Sequence[Policy], player: Player, max_histories: int
    ) -> None:
        self.game, self.policies, self.player = game, policies, player
        self.max_histories = max_histories
        self.num_histories = 0
        self._answers: dict[Infostate, FloatArray] = {}

    def respond(self) -> tuple[float, dict[Infostate, int]]:
        """Return the value of the game to the responder, and what it does."""
        levels = self._levels()
        values = np.zeros(0)
        chosen: dict[Infostate, int] = {}
        for depth in range(len(levels) - 1, -1, -1):
            below = levels[depth + 1] if depth + 1 < len(levels) else None
            values = self._values(levels[depth], below, values, chosen)
        return float(values[0]), chosen

    def _levels(self) -> list[_Level]:
        root = initial_history(self.game)
        one, nowhere = np.ones(1), np.full(1, NOWHERE)
        levels = [_Level([root], nowhere, one, one, nowhere)]
        self.num_histories = 1
        while levels[-1].histories:
            levels.append(self._next(levels[-1]))
        return levels[:-1]

    def _next(self, level: _Level) -> _Level:
        """Return the histories one step longer."""
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
                    f"{self.game}: drop actions of small probability (AveragePolicy has "
                    "min_probability for that), or raise max_histories",
                    {"histories": self.num_histories + len(histories)},
                )
        self.num_histories += len(histories)
        above, chances = np.array(parent, np.int64), np.array(probability, np.float64)
        reach = level.reach[above] * chances
        return _Level(histories, above, chances, reach, np.array(action, np.int64))

    def _steps(self, history: History) -> list[tuple[float, int, History]]:
        """Return the steps of positive probability: that, the responder's action, the history."""
        options = [self._options(history, player) for player in history.actors]
        found = []
        for steps in product(*options):
            joint_action = history.joint({player: action for player, action, _, _ in steps})
            share = prod(chance for _, _, chance, _ in steps)
            taken = max((number for _, _, _, number in steps), default=NOWHERE)
            for world, chance in self.game.transitions(history.world, joint_action):
                found.append((share * float(chance), taken, history.extend(joint_action, world)))
        return found

    def _options(self, history: History, player: Player) -> list[tuple[Player, Action, float, int]]:
        """Return what a player may do: itself, action, chance, and index where it responds."""
        legal_actions = history.legal_actions(player)
        if player == self.player:
            return [(player, action, 1.0, k) for k, action in enumerate(legal_actions)]
        infostate = history.infostates[player]
        if infostate not in self._answers:
            answer = checked_probabilities(self.policies[player], infostate, legal_actions)
            self._answers[infostate] = answer
        return [
            (player, action, chance, NOWHERE)
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
        """Return [n] the responder's values of a level, by those [m] of the level below."""
        utility = [history.rewards_so_far[self.player] for history in level.histories]
        found = np.array(utility, np.float64)
        if below is None:
            return found
        size = len(level.histories)
        states: dict[Infostate, int] = {}
        state = np.full(size, NOWHERE, np.int64)
        for parent in np.unique(below.parent[below.action >= 0]).tolist():
            infostate = level.histories[parent].infostates[self.player]
            state[parent] = states.setdefault(infostate, len(states))
        best = _best_actions(state[below.parent], below.action, below.reach * values, len(states))
        chosen.update(zip(states, best.tolist(), strict=True))
        taken = below.action == np.append(best, NOWHERE)[state[below.parent]]
        parents = below.parent[taken]
        going_on = sum_by(parents, (below.probability * values)[taken], size)
        found[parents] = going_on[parents]
        return found


def _best_actions(
    state: LongArray, action: LongArray, worth: FloatArray, num_states: int
) -> LongArray:
    """Return [num_states] the action whose steps [m] are worth most, by the state they are from."""
    own = state >= 0
    num_actions = int(action.max(initial=0)) + 1
    totals = np.full((num_states, num_actions), -np.inf)
    totals[state[own], action[own]] = 0.0
    np.add.at(totals, (state[own], action[own]), worth[own])
    best: LongArray = totals.argmax(axis=1)
    return best
