"""Checks of the values that the methods of a game return, one function per method."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence, Set
from math import fsum, isfinite
from numbers import Rational, Real
from typing import Any, NamedTuple

import numpy as np

from infoset.errors import GameRuleError, describe_exception, pass_stops, show
from infoset.game.infostate import value_text
from infoset.game.kinds import KindTable
from infoset.game.observation import Observation
from infoset.game.protocol import Game, Probability
from infoset.typing import NOOP, Action, JointAction, Player, World
from infoset.utils.arguments import SUM_TOLERANCE

SHAPES = {
    "initial_world": "initial_world returns a world state",
    "actors": "actors returns a sequence of players, such as a tuple, at every world state",
    "legal_actions": "legal_actions returns a sequence of actions, such as a tuple, for each actor",
    "transitions": "transitions returns a list of pairs of next world and probability for every "
    "joint action of legal actions, and an empty list where the game is over",
    "rewards": "rewards returns a sequence with one number per player for every transition",
    "observe": "observe returns an Observation for every transition",
    "sample_transition": "sample_transition draws a next world for every joint action of legal "
    "actions",
    "sample_observed_transition": "sample_observed_transition returns a next world and a "
    "probability, or None",
    "histories_as_seen": "histories_as_seen returns an integer array [K, T, N] of positions in "
    "lists of legal actions (-1 for a player who does not act) for K <= max_histories different "
    "histories of T transitions and N players, or None",
    "sample_histories_as_seen": "sample_histories_as_seen returns K histories, and an array [K] of "
    "positive weights, or None; the histories are an integer array [K, T, N] of positions in lists "
    "of legal actions (-1 for a player who does not act), or a list of K `History` objects with T "
    "transitions",
    "actions_as_seen": "actions_as_seen returns a sequence of actions, such as a tuple, or None",
}
"""The rule for each method, for the error if it raises."""

DETERMINISTIC = (
    "methods are deterministic: equal arguments give equal answers; chance belongs in the "
    "probabilities of transitions"
)
"""The rule for an answer that differs from an earlier one."""

FORMS: Mapping[str, tuple[type, ...]] = {
    "actors": (Sequence,),
    "legal_actions": (Sequence,),
    "transitions": (Iterable,),
    "rewards": (Sequence, np.ndarray),
}
"""Types of the answers that are lists. Only transitions may be drawn from a generator, since other
answers are read several times."""

MAX_LABEL = 100_000
"""Maximum length of the text of an action or observation, in bytes."""

USUAL = (tuple, list)
"""Types of answers that need no closer look; checks of abstract classes are slow."""

UNORDERED = {
    Set: "sets have no order of their own, and it can change from run to run; make it a tuple",
    Mapping: "it is a mapping; make it a tuple or a list",
}


class Transition(NamedTuple):
    """A world state, the joint action taken there, and the world state it led to."""

    world: World
    joint_action: JointAction
    next_world: World

    def __str__(self) -> str:
        return f"joint action {show(self.joint_action)} to {show(self.next_world)}"


class ObservationParts(NamedTuple):
    """The public part of an observation and each player's non-public part."""

    public: Hashable
    private: tuple[Hashable, ...]


def is_player(value: object, num_players: int) -> bool:
    """Return whether `value` is a player."""
    return (type(value) is int or is_whole(value)) and value in range(num_players)


def is_whole(value: object) -> bool:
    """Return whether `value` is a whole number; a boolean does not count as one."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def check_world(answer: World, found_by: str, at: World) -> World:
    """Return `answer` if it is a hashable world state; otherwise raise."""
    try:
        hash(answer)
    except BaseException as error:
        pass_stops(error)
        reason = describe_exception(error)
        raise GameRuleError(
            "world states are immutable and hashable: use tuples, frozensets or frozen dataclasses",
            found=f"{found_by} is {show(answer)}, which cannot be hashed ({reason})",
            world=at,
        ) from error
    return answer


def check_actors(answer: tuple[Any, ...], world: World, num_players: int) -> tuple[Player, ...]:
    """Return the actors if they are valid, distinct players; otherwise raise."""
    for actor in answer:
        rule = None
        if not is_player(actor, num_players):
            rule = f"actors are players, from 0 to {num_players - 1}; chance is not a player"
        elif answer.count(actor) > 1:
            rule = "each actor is listed only once"
        if rule is not None:
            found = f"actors are {show(list(answer))}"
            raise GameRuleError(rule, found=found, world=world, player=actor)
    return answer


def check_legal_actions(
    answer: tuple[Any, ...], world: World, player: Player
) -> tuple[Action, ...]:
    """Return the legal actions if they are nonempty, hashable, distinct and not `NOOP`."""
    rule = None
    try:
        if len(set(answer)) < len(answer):
            rule = "each legal action is listed only once"
    except BaseException as error:
        pass_stops(error)
        raise GameRuleError(
            "actions are hashable and comparable: use strings, numbers or tuples",
            found=f"legal actions are {show(list(answer))} ({describe_exception(error)})",
            world=world,
            player=player,
        ) from error
    if not answer:
        rule = "an actor has at least one legal action; actors must not list a player without one"
    elif any(action is NOOP for action in answer):
        rule = "None is not an action; it means that a player does not act"
    if rule is not None:
        found = f"legal actions are {show(list(answer))}"
        raise GameRuleError(rule, found=found, world=world, player=player)
    for action in answer:
        check_text(action, "an action", world, player)
    return answer


def check_text(label: Hashable, what: str, world: World, player: Player | None = None) -> None:
    """Raise if an action or observation cannot be written as text, for files and messages."""
    length = 0
    try:
        if label is not None:
            length = len(value_text(label).encode())
    except BaseException as error:
        pass_stops(error)
        raise GameRuleError(
            "actions and observations can be written as text, in UTF-8",
            found=f"{what} is {show(label)}, whose text raises {describe_exception(error)}",
            world=world,
            player=player,
        ) from error
    if length > MAX_LABEL:
        raise GameRuleError(
            f"the text of an action or observation has at most {MAX_LABEL:,} bytes, because the "
            "text of an infostate joins those of a play",
            found=f"{what} has {length:,} bytes: {show(label)}",
            world=world,
            player=player,
        )


def check_outcomes(
    answer: tuple[Any, ...], world: World, joint_action: JointAction, limit: int
) -> dict[World, Probability]:
    """Return the next worlds of positive probability, with duplicates merged.

    A list of more than `limit` pairs may be incomplete, so its sum is only checked not to exceed 1.
    """
    for pair in answer:
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise GameRuleError(
                "transitions are pairs of next world and probability",
                found=f"the list of transitions of joint action {show(joint_action)} contains "
                f"{show(pair)}",
                world=world,
            )
        check_world(pair[0], f"a next world of joint action {show(joint_action)}", world)
        if not _is_finite(pair[1]) or pair[1] < 0:
            raise GameRuleError(
                "a probability is a finite, nonnegative number",
                found=f"a probability of joint action {show(joint_action)} is {show(pair[1])}",
                world=world,
            )
    if answer:
        probabilities = [probability for _, probability in answer]
        _check_sum(probabilities, world, joint_action, is_whole=len(answer) <= limit)
    merged: dict[World, Probability] = {}
    kinds = KindTable()
    for next_world, probability in answer:
        if probability > 0:
            # Before merging: 1 and True would count as one next world.
            kinds.check("the next world", next_world, world)
            merged[next_world] = merged.get(next_world, 0) + probability
    return merged


def _is_finite(value: Any) -> bool:
    """Return whether a value is a real number that fits in a float."""
    try:
        return (type(value) in (int, float) or isinstance(value, Real)) and isfinite(value)
    except OverflowError:
        return False


def _check_sum(
    probabilities: Sequence[Any], world: World, joint_action: JointAction, *, is_whole: bool
) -> None:
    # Sums of whole numbers and fractions are exact, so no tolerance hides a wrong one.
    is_exact = all(isinstance(probability, Rational) for probability in probabilities)
    total = sum(probabilities) if is_exact else fsum(probabilities)
    excess = abs(total - 1) if is_whole else total - 1
    if excess > (0 if is_exact else SUM_TOLERANCE):
        raise GameRuleError(
            "the transition probabilities of a joint action sum to 1",
            found=f"the probabilities of joint action {show(joint_action)} sum to "
            f"{total}{'' if is_whole else ' or more'}",
            world=world,
        )


def check_rewards(
    answer: tuple[Any, ...], transition: Transition, num_players: int
) -> tuple[float, ...]:
    """Return the rewards if they are one finite number per player; otherwise raise."""
    if len(answer) != num_players:
        rule = f"a transition has {num_players} rewards, one per player"
        raise _bad_answer("rewards", answer, transition, rule)
    for player, reward in enumerate(answer):
        if not _is_finite(reward):
            rule = "a reward is a finite number"
            raise _bad_answer("rewards", answer, transition, rule, player)
    return answer


def check_observation(answer: Any, transition: Transition, num_players: int) -> ObservationParts:
    """Return the parts of an observation if it is well formed; otherwise raise."""
    if not isinstance(answer, Observation):
        rule = "observe returns an Observation"
        raise _bad_answer("observation", answer, transition, rule)
    _check_private(answer, transition, num_players)
    # Usual types come first in these checks: `isinstance` of an abstract class is slow.
    if type(answer.shared) is not dict or answer.shared:
        _check_shared(answer, transition, num_players)
    seen = ObservationParts(answer.public, tuple(answer.seen_by_each(num_players)))
    _check_hashable("public observation", seen.public, transition, None)
    for player, part in enumerate(seen.private):
        _check_hashable("private observation", part, transition, player)
    return seen


def _check_private(answer: Observation, transition: Transition, num_players: int) -> None:
    private = answer.private
    if type(private) is tuple and len(private) in (0, num_players):
        return
    if type(private) is dict or isinstance(private, Mapping):
        for player in private:
            if not is_player(player, num_players):
                rule = f"the keys of private observations are players, from 0 to {num_players - 1}"
                raise _bad_answer("observation", answer, transition, rule, player)
        return
    is_list = isinstance(private, Sequence) and not isinstance(private, str | bytes)
    if not is_list or len(private) not in (0, num_players):
        rule = (
            f"private observations are a mapping by player, or a sequence of {num_players} parts, "
            "one for each player, or empty"
        )
        raise _bad_answer("observation", answer, transition, rule)


def _check_shared(answer: Observation, transition: Transition, num_players: int) -> None:
    rule = (
        "`shared` must map groups to observations; a group is a tuple of players in increasing "
        "order"
    )
    if not isinstance(answer.shared, Mapping):
        raise _bad_answer("observation", answer, transition, rule)
    for group in answer.shared:
        is_group = isinstance(group, tuple) and all(is_player(p, num_players) for p in group)
        if not is_group or not group or list(group) != sorted(set(group)):
            raise _bad_answer(
                "observation", answer, transition, f"{rule}, and {show(group)} is not"
            )


def _check_hashable(name: str, part: Any, transition: Transition, player: Player | None) -> None:
    try:
        hash(part)
    except BaseException as error:
        pass_stops(error)
        rule = "observations are hashable: use strings, numbers, tuples or frozensets"
        raise _bad_answer(name, part, transition, rule, player) from error
    check_text(part, f"the {name}", transition.world, player)


def _bad_answer(
    name: str, answer: object, transition: Transition, rule: str, player: Player | None = None
) -> GameRuleError:
    verb = "are" if name.endswith("s") else "is"
    return GameRuleError(
        rule,
        found=f"the {name} of {transition} {verb} {show(answer)}",
        world=transition.world,
        player=player,
    )


def check_form(method: str, answer: Any, *arguments: Any) -> None:
    """Raise unless the answer of a method to `arguments` has the type that the method promises.

    The methods are those that return lists: `actors`, `legal_actions`, `transitions`, `rewards`.
    """
    problem = None if type(answer) in USUAL else wrong_form(method, answer)
    if problem is not None:
        raise form_error(method, problem, arguments)


def form_error(method: str, problem: str, arguments: Sequence[Any]) -> GameRuleError:
    """Return the error for an answer of the wrong type."""
    return GameRuleError(
        SHAPES[method],
        found=f"{call_text(method, arguments)} returned {problem}",
        world=arguments[0],
        player=player_argument(method, arguments),
    )


def wrong_form(method: str, answer: Any) -> str | None:
    """Return what is wrong with the type of an answer that should be a list; None if nothing is."""
    if method not in FORMS:
        return None
    for kind, problem in UNORDERED.items():
        if isinstance(answer, kind):
            return f"{show(answer)}: {problem}"
    is_text = isinstance(answer, str | bytes) and method != "legal_actions"
    if is_text or not isinstance(answer, FORMS[method]):
        return f"{show(answer)}, of type {type(answer).__name__}"
    return None


def player_argument(method: str, arguments: Sequence[Any]) -> Player | None:
    """Return the player that is an argument of a method call, if any."""
    return arguments[1] if method == "legal_actions" else None


def call_text(method: str, arguments: Sequence[Any]) -> str:
    """Return a call of a method as text."""
    shown = (show(value) for value in arguments if not isinstance(value, np.random.Generator))
    return f"{method}({', '.join(shown)})"


def no_transitions_error(world: World, joint_action: JointAction) -> GameRuleError:
    """Return the error for a joint action of actors after which nothing follows."""
    return GameRuleError(
        "every joint action of legal actions has transitions; in a terminal world state nobody "
        "acts",
        found=f"joint action {show(joint_action)} has no transitions",
        world=world,
    )


def advice_on_information(first: Sequence[Action], second: Sequence[Action]) -> str:
    """Return advice on two different lists of legal actions at an infostate."""
    advice = "make observe show the difference"
    if first and second:
        return advice
    return (
        f"{advice}, if the player may know it; if not, because others may take several transitions "
        "of which it sees nothing, infoset.game.hide_clock(game, limit) makes all turns equally "
        "long"
    )


RANGE_RULE = (
    "utility_range is None, or two finite numbers: bounds on the utility of every player, the "
    "smaller one first"
)
RANGE_TOLERANCE = 1e-9
"""Rounding of utilities, relative to the range."""


def checked_range(game: Game) -> tuple[float, float] | None:
    """Return the bounds on utilities that a game declares; None if it declares none.

    Raises
    ------
    GameRuleError
        If the declared value is not a pair of bounds.
    """
    declared: Any = game.utility_range
    if declared is None:
        return None
    try:
        low, high = map(float, declared)
        is_range = isfinite(low) and isfinite(high) and low <= high
    except (TypeError, ValueError, OverflowError):
        is_range = False
    if isinstance(declared, str) or not is_range:
        hint = "; declare it as a property or an attribute" if callable(declared) else ""
        raise GameRuleError(RANGE_RULE, found=f"it is {show(declared)} in {game}{hint}")
    return low, high


def check_in_range(game: Game, utilities: Iterable[float]) -> None:
    """Raise if the utilities [N] of a play are outside of the range that its game declares.

    Raises
    ------
    GameRuleError
        The message has the utilities and the range.
    """
    declared = checked_range(game)
    if declared is None:
        return
    low, high = declared
    margin = RANGE_TOLERANCE * max(abs(low), abs(high))
    found = [*map(float, utilities)]
    if min(found) < low - margin or max(found) > high + margin:
        raise GameRuleError(
            "utility_range has bounds on the utility of every player; correct it, or leave it out",
            found=f"a play of {game} ends with the utilities {found}, but its "
            f"utility_range is {game.utility_range}",
        )
