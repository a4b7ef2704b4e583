"""Checks of the optional methods that list histories or actions, against the rules."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from itertools import islice, pairwise
from operator import contains, getitem
from typing import Final, NamedTuple, TypeAlias, TypeVar

import numpy as np

from infoset.errors import NO_WORLD, GameRuleError, show
from infoset.game._world_checks import Edge, WorldFacts
from infoset.game.broken_rules import rules_at
from infoset.game.history import History, initial_history, play_out
from infoset.game.hooks import (
    actions_as_seen,
    histories_as_seen,
    public_observations,
    sample_histories_as_seen,
)
from infoset.game.infostate import Infostate, PublicState
from infoset.game.protocol import Game, has_hook
from infoset.typing import NOOP, Action, JointAction, Player, World

HOOKS: Final = ("histories_as_seen", "sample_histories_as_seen", "actions_as_seen")

LISTED_RULE: Final = (
    "histories_as_seen lists exactly the histories that agree with the information, or returns "
    "None, also if there are more than max_histories"
)
DRAWN_RULE: Final = (
    "sample_histories_as_seen draws histories that agree with the information; the sum of their "
    "weights has as its expectation the number of these histories, or for History objects their "
    "total chance reach"
)
HIDDEN_RULE: Final = (
    "where histories_as_seen lists histories, only actions are hidden: nothing is observed "
    "privately, and histories with equal public observations have different actions and equal "
    "chance reach"
)
ACTIONS_RULE: Final = (
    "actions_as_seen returns all actions of the player with which the public observation is "
    "possible, or None"
)

NUM_LISTS: Final = 60
"""Maximum number of public states, and of infostates, whose lists are compared after a number of
transitions."""

NUM_SAMPLED: Final = 5
"""Maximum number of those from which histories are drawn, to compare the sum of weights."""

NUM_REPETITIONS: Final = 20
"""Number of samples whose weights are added, at each of them."""

NUM_DRAWS: Final = 50
"""Number of histories in each of these samples."""

MAX_DEVIATION: Final = 20
"""Maximum deviation of the mean of these sums from its expectation, in standard errors."""

NUM_PLAYS: Final = 4
"""Number of random plays along which lists are checked if not all histories were compared."""

NUM_PLACES: Final = 8
"""Maximum number of histories of each play at which lists are checked."""

MAX_LISTED: Final = 1000
"""Maximum number of histories in a list that is checked along a play."""

NUM_ROWS: Final = 3
"""Number of listed, and of drawn histories that are replayed there."""

MAX_OUTCOMES: Final = 1000
"""Maximum number of outcomes among which the next world state of a drawn history is looked for."""

ROUNDING: Final = 1e-9

NO_ACTION: Final = -1
"""In place of the position of an action, for a player who does not act."""

Moves: TypeAlias = tuple[tuple[int, ...], ...]
"""Per transition, the position of each player's action among its legal actions, or -1."""

Worlds: TypeAlias = tuple[World, ...]
"""The world states of a history."""

Information: TypeAlias = Infostate | PublicState
Item = TypeVar("Item")


class Past(NamedTuple):
    """A history, as the optional methods describe it."""

    worlds: Worlds
    moves: Moves
    infostates: tuple[Infostate, ...]
    chance_reach: float

    @property
    def world(self) -> World:
        """The last world state."""
        return self.worlds[-1]

    @property
    def information(self) -> Iterator[Information]:
        """The public state and the infostates of all players."""
        yield self.infostates[0].public_state
        yield from self.infostates

    @property
    def text(self) -> str:
        """The joint actions, as text."""
        return show([*self.actions])

    @property
    def actions(self) -> tuple[JointAction, ...]:
        """The joint actions."""
        steps = zip(*(infostate.steps for infostate in self.infostates), strict=True)
        return tuple(tuple(step.action for step in together) for together in steps)


class HookChecks:
    """Compares lists of histories and actions with the rules.

    Parameters
    ----------
    facts_of : callable
        Function that returns the checked facts at a world state.
    """

    def __init__(
        self, game: Game, num_players: int, root: World, facts_of: Callable[[World], WorldFacts]
    ) -> None:
        self.game = game
        self._root = Past((root,), (), tuple(map(Infostate, range(num_players))), 1.0)
        self._facts_of = facts_of
        self._actions: dict[tuple[Player, Hashable], Sequence[Hashable] | None] = {}

    def check(self, max_histories: int, rng: np.random.Generator) -> None:
        """Check the first histories, by number of transitions, and random plays.

        Raises
        ------
        GameRuleError
            If an optional method contradicts the rules.
        """
        if not any(has_hook(self.game, name) for name in HOOKS):
            return
        # A list has every history of its information: levels are compared whole or not at all.
        level: list[Past] | None = [self._root]
        room = max_histories
        while level:
            room -= len(level)
            level = self._level_after(level, room)
            if level:
                self._check_level(level, rng)
        if level is None:  # too many: replaying each listed history needs no complete level
            for _ in range(NUM_PLAYS):
                self._check_play(rng)

    def _level_after(self, level: Sequence[Past], room: int) -> list[Past] | None:
        """Return the histories one transition longer; None if they are too many."""
        after: list[Past] = []
        for past in level:
            facts = self._facts_of(past.world)
            if facts.is_cut or len(after) + len(facts.edges) > room:
                return None
            after += [self._after(past, facts, edge) for edge in facts.edges]
        return after

    def _after(self, past: Past, facts: WorldFacts, edge: Edge) -> Past:
        self._check_actions(past.world, edge)
        moves = tuple(
            legal.index(action) if legal else NO_ACTION
            for legal, action in zip(facts.legal, edge.joint_action, strict=True)
        )
        infostates = tuple(map(Infostate.extend, past.infostates, edge.steps))
        reach = past.chance_reach * edge.probability
        return Past((*past.worlds, edge.next_world), (*past.moves, moves), infostates, reach)

    def _check_actions(self, world: World, edge: Edge) -> None:
        """Raise if `actions_as_seen` omits an action that led to a public observation."""
        public = edge.steps[0].public
        for player, action in enumerate(edge.joint_action):
            if (player, public) not in self._actions:
                self._actions[player, public] = actions_as_seen(self.game, player, public)
            agreeing = self._actions[player, public]
            if action is not NOOP and agreeing is not None and action not in agreeing:
                raise GameRuleError(
                    ACTIONS_RULE,
                    found=f"it returned {show(agreeing)} for the public observation "
                    f"{show(public)}, which follows action {show(action)}",
                    world=world,
                    player=player,
                )

    def _check_level(self, level: Sequence[Past], rng: np.random.Generator) -> None:
        """Check lists at all or some of the infostates and public states of a level."""
        together: dict[Information, list[Past]] = {}
        for past in level:
            for information in past.information:
                together.setdefault(information, []).append(past)
        for kind in (PublicState, Infostate):
            groups = [group for group in together.items() if isinstance(group[0], kind)]
            for information, pasts in _spread(groups, NUM_LISTS):
                self._check_list(information, pasts)
            for information, pasts in _spread(groups, NUM_SAMPLED):
                self._check_weights(information, pasts, rng)

    def _check_list(self, information: Information, pasts: Sequence[Past]) -> None:
        listed = histories_as_seen(self.game, information, len(pasts))
        if listed is None:
            return
        _check_hidden(pasts)
        rows = {_as_moves(row): None for row in listed.tolist()}
        _check_invented(LISTED_RULE, information, rows, pasts)
        missing = [past for past in pasts if past.moves not in rows]
        if missing:
            problem = f"it omits joint actions {missing[0].text}"
            raise _error(LISTED_RULE, information, problem, missing[0].world)
        if len(listed) > len(rows):
            raise _error(LISTED_RULE, information, "it lists a history twice")
        # With one history less allowed, the answer must be None and not a part of the list.
        if len(pasts) > 1 and histories_as_seen(self.game, information, len(pasts) - 1) is not None:
            problem = f"it returned a list with max_histories={len(pasts) - 1}, of {len(pasts)}"
            raise _error(LISTED_RULE, information, problem)

    def _check_weights(
        self, information: Information, pasts: Sequence[Past], rng: np.random.Generator
    ) -> None:
        totals, expected = [], float(len(pasts))
        for _ in range(NUM_REPETITIONS):
            drawn = sample_histories_as_seen(self.game, information, NUM_DRAWS, rng)
            if drawn is None:
                return
            histories, weight = drawn
            if isinstance(histories, np.ndarray):
                rows = map(_as_moves, histories.tolist())
                _check_invented(DRAWN_RULE, information, rows, pasts)
            else:
                _check_drawn(information, histories, pasts)
                # Arrays carry no chance events, so all rows count 1; histories count their reach.
                expected = sum(past.chance_reach for past in pasts)
            totals.append(float(weight.sum()))
        # Weights can be exact, with standard error 0: rounding is allowed on top of it.
        mean, error = float(np.mean(totals)), float(np.std(totals)) / NUM_REPETITIONS**0.5
        if abs(mean - expected) > MAX_DEVIATION * error + ROUNDING * expected:
            problem = f"the mean sum of weights is {mean:.6g}, not about {expected:.6g}"
            raise _error(DRAWN_RULE, information, f"{problem}, of {len(pasts)} histories")

    def _check_play(self, rng: np.random.Generator) -> None:
        """Check lists along a random play: they contain the play, and other histories agree."""

        def choose(_: Infostate, legal_actions: Sequence[Action]) -> Action:
            return legal_actions[int(rng.integers(len(legal_actions)))]

        choosers = [choose] * self.game.num_players
        path = play_out(initial_history(self.game), choosers, rng).path()
        moves = _moves_along(path)
        for history in _spread(path[1:], NUM_PLACES):
            known: tuple[Information, ...] = (history.public_state, *history.infostates)
            for information in known:
                listed = histories_as_seen(self.game, information, MAX_LISTED)
                if listed is not None:
                    rows = [_as_moves(row) for row in listed.tolist()]
                    if moves[: history.depth] not in rows:
                        problem = f"it omits positions {moves[: history.depth]}"
                        raise _error(LISTED_RULE, information, problem, history.world)
                    self._check_agreement(LISTED_RULE, information, _spread(rows, NUM_ROWS))
                drawn = sample_histories_as_seen(self.game, information, NUM_ROWS, rng)
                if drawn is not None and isinstance(drawn[0], np.ndarray):
                    rows = [_as_moves(row) for row in drawn[0].tolist()]
                    self._check_agreement(DRAWN_RULE, information, rows)
                elif drawn is not None:
                    for one in drawn[0]:
                        self._check_replayed(information, one)

    def _check_agreement(self, rule: str, information: Information, rows: Sequence[Moves]) -> None:
        """Raise if a history does not agree with the information, by replaying it."""
        for row in rows:
            # A row does not say what chance did, so several histories may follow it.
            ends = [initial_history(self.game)]
            for positions, public in zip(row, public_observations(information), strict=True):
                after = [one for history in ends for one in _extended(history, positions)]
                ends = [one for one in after if one.observation.public == public]
            if not any(information in (end.public_state, *end.infostates) for end in ends):
                raise _error(rule, information, f"it lists {row}, which does not agree")

    def _check_replayed(self, information: Information, history: History) -> None:
        """Raise if a drawn history is impossible or does not agree with the information."""
        end = initial_history(self.game)
        for after in history.path():
            if after.parent is None:
                is_possible = after.world == end.world
            elif is_possible := self._is_possible(end, after):
                end = end.extend(after.joint_action, after.world)
            if not is_possible:
                problem = (
                    f"it draws a history with the impossible transition to {show(after.world)}"
                )
                raise _error(DRAWN_RULE, information, problem, end.world)
        if information not in (end.public_state, *end.infostates):
            problem = f"it draws {show(_actions_along(history))}, which does not agree"
            raise _error(DRAWN_RULE, information, problem, end.world)

    def _is_possible(self, before: History, after: History) -> bool:
        """Return whether a transition is possible; chance is checked if it has few outcomes."""
        legal = [before.legal_actions(player) or (NOOP,) for player in range(self.game.num_players)]
        if not all(map(contains, legal, after.joint_action)):
            return False
        with rules_at(self.game, before.world):
            listed = self.game.transitions(before.world, after.joint_action)
            outcomes = list(islice(listed, MAX_OUTCOMES + 1))
        is_listed = any(world == after.world and chance for world, chance in outcomes)
        return is_listed or len(outcomes) > MAX_OUTCOMES


def _moves_along(path: Sequence[History]) -> Moves:
    """Return the positions of the actions in a play, by transition and player."""
    return tuple(
        tuple(
            NO_ACTION if action is NOOP else before.legal_actions(player).index(action)
            for player, action in enumerate(after.joint_action)
        )
        for before, after in pairwise(path)
    )


def _extended(history: History, positions: Sequence[int]) -> Iterator[History]:
    """Yield the histories after the actions at some positions; none if there is no such action."""
    legal = [history.legal_actions(player) or (NOOP,) for player in range(len(positions))]
    # Position -1 of a player who does not act becomes place 0 of its only entry, NOOP.
    places = [
        position + 1 if actions == (NOOP,) else position
        for actions, position in zip(legal, positions, strict=True)
    ]
    if all(0 <= place < len(actions) for place, actions in zip(places, legal, strict=True)):
        joint_action = tuple(map(getitem, legal, places))
        for next_world, probability in history.outcomes(joint_action):
            if probability:
                yield history.extend(joint_action, next_world)


def _check_invented(
    rule: str, information: Information, rows: Iterable[Moves], pasts: Sequence[Past]
) -> None:
    """Raise if there is a history that does not agree with the information."""
    expected = {past.moves for past in pasts}
    for row in rows:
        if row not in expected:
            raise _error(rule, information, f"it lists {row}, which does not agree")


def _check_drawn(information: Information, drawn: Sequence[History], pasts: Sequence[Past]) -> None:
    """Raise if a history is drawn that does not agree with the information."""
    expected = {(past.worlds, past.actions) for past in pasts}
    for history in drawn:
        worlds = tuple(one.world for one in history.path())
        actions = _actions_along(history)
        if (worlds, actions) not in expected:
            problem = f"it draws {show(actions)}, which does not agree"
            raise _error(DRAWN_RULE, information, problem, history.world)


def _actions_along(history: History) -> tuple[JointAction, ...]:
    """Return the joint actions of a history."""
    return tuple(one.joint_action for one in history.path()[1:])


def _check_hidden(pasts: Sequence[Past]) -> None:
    """Raise if something besides actions is hidden among histories of equal information."""
    # Lists hold actions alone, so a second history with the same actions could not be listed.
    same: dict[Moves, Past] = {}
    for past in pasts:
        problem = None
        steps = (step for infostate in past.infostates for step in infostate.steps)
        if any(step.private is not None for step in steps):
            problem = "players have private observations"
        elif same.setdefault(past.moves, past) is not past:
            problem = f"two histories have joint actions {past.text}"
        elif abs(past.chance_reach - pasts[0].chance_reach) > ROUNDING * pasts[0].chance_reach:
            problem = f"histories have chance reach {pasts[0].chance_reach} and {past.chance_reach}"
        if problem is not None:
            raise GameRuleError(HIDDEN_RULE, found=problem, world=past.world)


def _error(
    rule: str, information: Information, problem: str, world: World = NO_WORLD
) -> GameRuleError:
    who = "everybody" if isinstance(information, PublicState) else f"player {information.player}"
    return GameRuleError(
        rule, found=f"for {str(information)!r} as seen by {who}, {problem}", world=world
    )


def _as_moves(row: Sequence[Sequence[int]]) -> Moves:
    return tuple(map(tuple, row))


def _spread(items: Sequence[Item], number: int) -> Sequence[Item]:
    """Return evenly spaced items, at most as many as given."""
    return items[:: max(1, -(-len(items) // number))]  # the quotient, rounded up
