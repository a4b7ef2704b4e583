"""Tiny games that violate each rule of `check_game`."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from infoset.errors import CyclicGameError, GameRuleError, ParameterError
from infoset.game import Game, Observation, check_game
from tests.support.broken_games import (
    BROKEN_AT_START,
    HALF,
    always,
    failing,
    meeting,
)
from tests.support.function_game import FunctionGame


def test_the_unbroken_game_passes() -> None:
    report = check_game(meeting())
    assert (report.num_histories, report.num_worlds, report.is_complete) == (5, 2, True)


def test_public_actions_are_public() -> None:
    open_hands = meeting()
    open_hands.public_actions = True
    assert check_game(open_hands).is_complete
    hidden = meeting(observe=lambda world, joint, next_world: Observation(public=joint[0]))
    assert check_game(hidden).is_complete
    hidden.public_actions = True
    with pytest.raises(GameRuleError, match="is 'left' after joint action") as caught:
        check_game(hidden)
    assert caught.value.world == "start"


@pytest.mark.parametrize(("game", "player", "rule", "found"), BROKEN_AT_START)
def test_a_broken_rule_is_named_with_world_and_player(
    game: FunctionGame, player: int | None, rule: str, found: tuple[str, ...]
) -> None:
    with pytest.raises(GameRuleError) as caught:
        check_game(game)
    message = str(caught.value)
    where = "at world state 'start'" + ("" if player is None else f", player {player}")
    for part in (where, rule, *found):
        assert part in message
    assert (caught.value.world, caught.value.player) == ("start", player)
    assert rule in caught.value.rule


@pytest.mark.parametrize("method", ["actors", "legal_actions", "transitions", "rewards", "observe"])
def test_an_exception_of_a_method_is_the_cause(method: str) -> None:
    error = LookupError("author")
    with pytest.raises(GameRuleError) as caught:
        check_game(meeting(**{method: failing(error)}))
    assert caught.value.__cause__ is error


@pytest.mark.parametrize("number", [0, -1, 2.5, True, None])
def test_number_of_players(number: Any) -> None:
    with pytest.raises(
        GameRuleError, match=f"num_players of FunctionGame is {number!r}.*from 1 to 1000"
    ):
        check_game(meeting(number))


def test_an_unhashable_initial_world() -> None:
    with pytest.raises(GameRuleError, match=r"initial_world\(\) is \['start'\].*hashable"):
        check_game(meeting(initial_world=always(["start"])))


def test_an_initial_world_that_fails() -> None:
    with pytest.raises(GameRuleError, match=r"initial_world\(\) raised OSError: no file"):
        check_game(meeting(initial_world=failing(OSError("no file"))))


def test_worlds_compared_by_identity_are_refused() -> None:
    with pytest.raises(GameRuleError, match="methods are deterministic"):
        check_game(meeting(initial_world=object))


@pytest.mark.parametrize("wrong", ["kuhn_poker", None, Game])
def test_other_objects_are_refused(wrong: Any) -> None:
    with pytest.raises(ParameterError, match="give a Game"):
        check_game(wrong)


def test_a_limit_of_zero_is_refused() -> None:
    with pytest.raises(ParameterError, match=r"max_histories=0 .* at least 1"):
        check_game(meeting(), max_histories=0)


class Slate:
    """A mutable world state with a hash."""

    def __init__(self) -> None:
        self.marks = 0

    def __hash__(self) -> int:
        return 7


class ShownSlate(Slate):
    def __repr__(self) -> str:
        return f"<{self.marks} marks>"


@pytest.mark.parametrize("kind", [Slate, ShownSlate])
@pytest.mark.parametrize("method", ["actors", "rewards", "observe", "transitions"])
def test_a_world_changed_by_a_call(kind: type[Slate], method: str) -> None:
    first, last = kind(), kind()
    answers = {
        "actors": lambda world: (0, 1) if world is first else (),
        "transitions": lambda world, joint: [(last, 1)] if world is first else [],
        "rewards": always((0, 0)),
        "observe": always(Observation()),
    }

    def marking(*args: Any) -> Any:
        args[-1 if method in ("rewards", "observe") else 0].marks += 1
        return answers[method](*args)

    game = meeting(**{**answers, "initial_world": always(first), method: marking})
    with pytest.raises(GameRuleError, match="make them immutable") as caught:
        check_game(game)
    assert caught.value.world is first


class Card(FunctionGame):
    """Chance deals J or Q to player 0 without an observation; player 1 acts, and the game ends."""

    def __init__(self, **rules: Callable[..., Any]) -> None:
        defaults: dict[str, Callable[..., Any]] = {
            "actors": lambda world: (1,) if world in ("J", "Q") else (),
            "transitions": lambda world, joint: {
                "start": [("J", Fraction(1, 2)), ("Q", Fraction(1, 2))],
                "J": [("end", 1)],
                "Q": [("end", 1)],
            }.get(world, []),
            "observe": lambda world, joint, next_world: Observation(
                public="deal" if world == "start" else None,
                private={0: next_world} if world == "start" else {},
            ),
        }
        super().__init__(2, **{**defaults, **rules})


@pytest.mark.parametrize(
    ("rules", "found", "rule"),
    [
        (
            {"legal_actions": lambda world, player: ("bet",) if world == "J" else ("bet", "pass")},
            "has legal actions ['bet', 'pass'] here, but at world state 'J' the player has legal "
            "actions ['bet']",
            "make observe show the difference",
        ),
        (
            {"legal_actions": lambda w, p: ("bet", "pass") if w == "J" else ("pass", "bet")},
            "has legal actions ['pass', 'bet'] here",
            "list them in the same order",
        ),
        (
            {"actors": lambda world: (1,) if world == "Q" else ()},
            "has legal actions ['left', 'right'] here, but at world state 'J' the player does "
            "not act",
            "make observe show the difference",
        ),
        (
            {"actors": lambda world: {"J": (1,), "Q": (0,)}.get(world, ())},
            "does not act here, but at world state 'J' the player has legal actions",
            "make observe show the difference",
        ),
    ],
    ids=["legal actions", "their order", "acting at all", "who acts"],
)
def test_legal_actions_are_a_function_of_the_infostate(
    rules: dict[str, Callable[..., Any]], found: str, rule: str
) -> None:
    with pytest.raises(GameRuleError) as caught:
        check_game(Card(**rules))
    assert found in str(caught.value)
    assert "at world state 'Q', player 1" in str(caught.value)
    assert "its infostate at both is 'deal'" in str(caught.value)
    assert rule in caught.value.rule


def test_the_message_has_the_infostate_in_order() -> None:
    ways = {
        "start": [("J", HALF), ("Q", HALF)],
        "J": [("J later", 1)],
        "Q": [("Q later", 1)],
        "J later": [("end", 1)],
    }
    game = FunctionGame(
        1,
        actors=lambda world: (0,) if world == "J later" else (),
        transitions=lambda world, joint: ways.get(world, []),
        observe=lambda world, joint, next_world: Observation("deal" if world == "start" else None),
    )
    with pytest.raises(GameRuleError, match=r"its infostate at both is 'deal / \.'"):
        check_game(game)


def test_acting_may_depend_on_private_observations() -> None:
    assert check_game(Card(actors=lambda world: (0,) if world == "Q" else ())).is_complete


def steps(*links: tuple[Any, Any]) -> FunctionGame:
    """A game of chance moves along the links, with equal probabilities."""

    def transitions(world: Any, joint: Any) -> list[tuple[Any, Fraction]]:
        targets = [target for source, target in links if source == world]
        return [(target, Fraction(1, len(targets))) for target in targets]

    return FunctionGame(1, transitions=transitions, observe=always(Observation()))


@pytest.mark.parametrize(
    ("links", "cycle"),
    [
        ([("start", "start")], ("start",)),
        ([("start", "a"), ("a", "b"), ("b", "a"), ("b", "end")], ("a", "b")),
        ([("start", "a"), ("start", "b"), ("a", "c"), ("b", "c"), ("c", "b")], ("c", "b")),
        ([("start", "a"), ("a", "b"), ("b", "c"), ("c", "start")], ("start", "a", "b", "c")),
        ([("start", "a"), ("a", None), (None, "a")], ("a", None)),
    ],
)
def test_a_cycle_is_found_and_printed(links: Any, cycle: tuple[str, ...]) -> None:
    with pytest.raises(CyclicGameError) as caught:
        check_game(steps(*links))
    assert caught.value.cycle == cycle
    assert " -> ".join(map(repr, [*cycle, cycle[0]])) in str(caught.value)


def test_a_deep_cycle_is_found_by_a_random_play() -> None:
    wide = [((d, i), (d + 1, j)) for d in range(8) for i in range(9) for j in range(9)]
    first = [("start", (0, i)) for i in range(9)]
    last = [((8, i), "a") for i in range(9)]
    report = check_game(steps(*first, *wide, *last), max_histories=30)
    assert (report.is_complete, report.num_plays) == (False, 2)  # 11 histories each
    with pytest.raises(CyclicGameError) as caught:
        check_game(steps(*first, *wide, *last, ("a", "b"), ("b", "a")), max_histories=30)
    assert caught.value.cycle == ("a", "b")


def test_a_cycle_is_reported_before_its_consequences() -> None:
    game = Card(
        transitions=lambda world, joint: {
            "start": [("J", HALF), ("Q", HALF)],
            "Q": [("J", 1)],
            "J": [("start", 1)],
        }[world],
        legal_actions=lambda world, player: ("bet",) if world == "J" else ("bet", "pass"),
    )
    with pytest.raises(CyclicGameError):
        check_game(game)


def test_a_way_back_of_probability_zero_is_not_a_cycle() -> None:
    ways = {"start": [("a", 1)], "a": [("end", 1), ("start", 0)]}
    report = check_game(
        FunctionGame(1, transitions=lambda w, joint: ways.get(w, []), observe=always(Observation()))
    )
    assert (report.num_histories, report.is_complete) == (3, True)


def test_two_ways_to_one_world_are_not_a_cycle() -> None:
    report = check_game(steps(("start", "a"), ("start", "b"), ("a", "c"), ("b", "c")))
    assert (report.num_worlds, report.num_histories) == (4, 5)
