"""Tiny games that break one rule of the model at their first world state."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from infoset.game import Observation
from tests.support.function_game import FunctionGame

HALF = Fraction(1, 2)
LEFT_LEFT = ("left", "left")


def meeting(num_players: Any = 2, **rules: Callable[..., Any]) -> FunctionGame:
    """Both players simultaneously choose left or right at `start`; then the game ends."""
    defaults: dict[str, Callable[..., Any]] = {
        "actors": lambda world: (0, 1) if world == "start" else (),
        "transitions": lambda world, joint: [("end", 1)] if world == "start" else [],
        "observe": lambda world, joint, next_world: Observation(public=joint),
    }
    return FunctionGame(num_players, **{**defaults, **rules})


def failing(error: BaseException) -> Callable[..., Any]:
    def rule(*args: Any) -> Any:
        raise error

    return rule


def always(value: Any) -> Callable[..., Any]:
    return lambda *args: value


def changing(*values: Any) -> Callable[..., Any]:
    """Answer each call with the next value."""
    answers = iter(values * 100)
    return lambda *args: next(answers)


def leads_to(*pairs: Any) -> Callable[..., Any]:
    return lambda world, joint: list(pairs) if world == "start" else []


def recurse(world: Any) -> Any:
    return recurse(world)


class Mute:
    """A value that cannot be written as text."""

    def __repr__(self) -> str:
        return str(1 // 0)


def broken(name: str, game: FunctionGame, player: int | None, rule: str, *found: str) -> Any:
    return pytest.param(game, player, rule, found, id=name)


BROKEN_AT_START = [
    broken("an actor too many", meeting(actors=always((0, 2))), 2, "from 0 to 1", "[0, 2]"),
    broken("chance as actor", meeting(actors=always((-1,))), -1, "chance is not a player", "[-1]"),
    broken("truth as actor", meeting(actors=always((True,))), True, "from 0 to 1", "[True]"),
    broken("actor twice", meeting(actors=always((1, 0, 1))), 1, "listed only once", "[1, 0, 1]"),
    broken(
        "one actor and no list",
        meeting(actors=always(0)),
        None,
        "actors returns a sequence of players",
        "actors('start') returned 0, of type int",
    ),
    broken(
        "actors fails",
        meeting(actors=failing(ValueError("who?"))),
        None,
        "actors returns",
        "actors('start') raised ValueError: who?",
    ),
    broken(
        "actors by dice",
        meeting(actors=changing((0,), (1,))),
        None,
        "methods are deterministic",
        "actors('start') was (0,), then (1,)",
    ),
    broken(
        "no legal actions",
        meeting(legal_actions=lambda w, p: () if p else ("a",)),
        1,
        "at least one legal action",
        "legal actions are []",
    ),
    broken(
        "legal action twice",
        meeting(legal_actions=lambda w, p: ("a", "b", "a") if p else ("a",)),
        1,
        "listed only once",
        "['a', 'b', 'a']",
    ),
    broken(
        "unhashable action",
        meeting(legal_actions=always([["a"], ["b"]])),
        0,
        "actions are hashable",
        "[['a'], ['b']]",
        "unhashable type",
    ),
    broken(
        "None as action",
        meeting(legal_actions=lambda w, p: ("a", None) if p else ("a",)),
        1,
        "a player does not act",
        "['a', None]",
    ),
    broken(
        "legal_actions fails",
        meeting(legal_actions=failing(KeyError("hand"))),
        0,
        "legal_actions returns",
        "legal_actions('start', 0) raised KeyError: 'hand'",
    ),
    broken(
        "legal actions by dice",
        meeting(legal_actions=changing(("a",), ("b",))),
        0,
        "methods are deterministic",
        "legal_actions('start', 0) was ('a',), then ('b',)",
    ),
    broken(
        "a joint action without transitions",
        meeting(transitions=lambda w, joint: [("end", 1)] if joint == LEFT_LEFT else []),
        None,
        "every joint action",
        "joint action ('left', 'right') has no transitions",
    ),
    broken(
        "a joint action that fails",
        meeting(transitions=lambda w, joint: {LEFT_LEFT: [("end", 1)]}[joint]),
        None,
        "for every joint action",
        "transitions('start', ('left', 'right')) raised KeyError",
    ),
    broken(
        "probabilities sum to 0.99",
        meeting(transitions=leads_to(("a", 0.5), ("b", 0.49))),
        None,
        "sum to 1",
        "joint action ('left', 'left') sum to 0.99",
    ),
    broken(
        "fractions sum to 5/6",
        meeting(transitions=leads_to(("a", Fraction(1, 2)), ("b", Fraction(1, 3)))),
        None,
        "sum to 1",
        "sum to 5/6",
    ),
    broken(
        "fractions almost sum to 1",
        meeting(transitions=leads_to(("a", Fraction(10**12 - 1, 10**12)))),
        None,
        "sum to 1",
        "sum to 999999999999/1000000000000",
    ),
    broken(
        "only probability zero",
        meeting(transitions=leads_to(("a", 0))),
        None,
        "sum to 1",
        "sum to 0",
    ),
    *[
        broken(
            f"probability {probability}",
            meeting(transitions=leads_to(("a", probability), ("b", 1))),
            None,
            "finite, nonnegative number",
            f"a probability of joint action ('left', 'left') is {probability!r}",
        )
        for probability in (-0.5, float("nan"), float("inf"), "half", None)
    ],
    *[
        broken(
            f"certain probability of type {type(probability).__name__}",
            meeting(transitions=leads_to(("a", probability))),
            None,
            "finite, nonnegative number",
            f"a probability of joint action ('left', 'left') is {probability!r}",
        )
        for probability in (Decimal(1), 1 + 0j, np.array([1.0]))
    ],
    broken(
        "transitions without probability",
        meeting(transitions=leads_to("end")),
        None,
        "pairs of next world and probability",
        "contains 'end'",
    ),
    broken(
        "unhashable next world",
        meeting(transitions=leads_to((["end"], 1))),
        None,
        "hashable",
        "a next world of joint action ('left', 'left') is ['end']",
    ),
    broken(
        "transitions by dice",
        meeting(transitions=changing([("a", 1)], [("b", 1)])),
        None,
        "methods are deterministic",
        "was {'a': 1}, then {'b': 1}",
    ),
    broken(
        "a reward too few",
        meeting(rewards=always((1,))),
        None,
        "2 rewards, one per player",
        "rewards of joint action ('left', 'left') to 'end' are (1,)",
    ),
    *[
        broken(
            f"reward {reward}",
            meeting(rewards=always((0, reward))),
            1,
            "a reward is a finite number",
            f"are (0, {reward!r})",
        )
        for reward in (float("nan"), float("-inf"), None, "much")
    ],
    broken(
        "rewards fails",
        meeting(rewards=failing(ZeroDivisionError("by zero"))),
        None,
        "one number per player",
        "rewards('start', ('left', 'left'), 'end') raised ZeroDivisionError: by zero",
    ),
    broken(
        "rewards by dice",
        meeting(rewards=changing((0, 0), (0, 1))),
        None,
        "methods are deterministic",
        "was (0, 0), then (0, 1)",
    ),
    broken(
        "observe returns a text",
        meeting(observe=always("seen")),
        None,
        "observe returns an Observation",
        "'seen'",
    ),
    broken(
        "observe fails",
        meeting(observe=failing(KeyError("card"))),
        None,
        "observe returns an Observation for every transition",
        "observe('start', ('left', 'left'), 'end') raised KeyError: 'card'",
    ),
    broken(
        "observation by dice",
        meeting(observe=changing(Observation("a"), Observation("b"))),
        None,
        "methods are deterministic",
        "public='a'",
        "public='b'",
    ),
    broken(
        "private observation for a stranger",
        meeting(observe=always(Observation(private={2: "K"}))),
        2,
        "from 0 to 1",
        "{2: 'K'}",
    ),
    broken(
        "private observations too few",
        meeting(observe=always(Observation(private=("K",)))),
        None,
        "a sequence of 2",
        "('K',)",
    ),
    broken(
        "private observation is a word",
        meeting(observe=always(Observation(private="KQ"))),
        None,
        "a mapping by player",
        "'KQ'",
    ),
    broken(
        "unhashable public observation",
        meeting(observe=always(Observation(public=["bet"]))),
        None,
        "observations are hashable",
        "the public observation of joint action ('left', 'left') to 'end' is ['bet']",
    ),
    broken(
        "unhashable private observation",
        meeting(observe=always(Observation(private={1: {"K"}}))),
        1,
        "observations are hashable",
        "{'K'}",
    ),
    *[
        broken(
            f"group {group!r}",
            meeting(observe=always(Observation(shared={group: "K"}))),
            None,
            f"in increasing order, and {group!r} is not",
        )
        for group in [0, (), (1, 0), (0, 0), (0, 2), "01"]
    ],
    broken(
        "shared observations without groups",
        meeting(observe=always(Observation(shared=("K",)))),  # type: ignore[arg-type]
        None,
        "must map groups to observations",
        "('K',)",
    ),
    *[
        broken(f"{name} as actors", meeting(actors=always(answer)), None, "actors returns", found)
        for name, answer, found in [
            ("None", None, "actors('start') returned None, of type NoneType"),
            ("a set", {0, 1}, "actors('start') returned {0, 1}: sets have no order"),
            ("a dictionary", {0: "K"}, "actors('start') returned {0: 'K'}: it is a mapping"),
            ("an array", np.array([0, 1]), "returned array([0, 1]), of type ndarray"),
            ("a text", "01", "returned '01', of type str"),
        ]
    ],
    broken(
        "a generator as actors",
        meeting(actors=lambda w: (p for p in (0, 1))),
        None,
        "actors returns",
        "of type generator",
    ),
    *[
        broken(
            f"{name} as legal actions",
            meeting(legal_actions=always(answer)),
            0,
            "legal_actions returns a sequence",
            found,
        )
        for name, answer, found in [
            ("None", None, "legal_actions('start', 0) returned None, of type NoneType"),
            ("a set", {"a"}, "returned {'a'}: sets have no order"),
            ("a frozenset", frozenset({"a"}), "frozenset({'a'}): sets have no order"),
            ("keys", {"a": 1}.keys(), "sets have no order"),
            ("an array", np.array([1, 2]), "of type ndarray"),
        ]
    ],
    broken(
        "a surrogate as action",
        meeting(legal_actions=always(("a", "\ud800"))),
        0,
        "can be written as text, in UTF-8",
        "an action is '\\ud800', whose text raises UnicodeEncodeError",
    ),
    broken(
        "a very long action",
        meeting(legal_actions=always(("a", "b" * 100_001))),
        0,
        "the text of an action or observation has at most 100,000 bytes",
        "an action has 100,001 bytes: 'bbb",
    ),
    *[
        broken(
            f"{name} as transitions",
            meeting(transitions=always(answer)),
            None,
            "transitions returns a list of pairs",
            found,
        )
        for name, answer, found in [
            ("None", None, "returned None, of type NoneType"),
            ("a dictionary", {"end": 1}, "returned {'end': 1}: it is a mapping"),
            ("a set", {("end", 1)}, "sets have no order"),
            ("a text", "ab", "returned 'ab', of type str"),
        ]
    ],
    broken(
        "triples as transitions",
        meeting(transitions=leads_to(("end", 1, "why"))),
        None,
        "pairs of next world and probability",
        "contains ('end', 1, 'why')",
    ),
    broken(
        "a probability that no float holds",
        meeting(transitions=leads_to(("a", 10**400))),
        None,
        "finite, nonnegative number",
    ),
    broken(
        "recursion without end",
        meeting(transitions=lambda w, joint: recurse(w)),
        None,
        "transitions returns",
        "raised RecursionError",
    ),
    *[
        broken(
            f"{name} as rewards", meeting(rewards=always(answer)), None, "rewards returns", found
        )
        for name, answer, found in [
            ("None", None, "returned None, of type NoneType"),
            ("a dictionary", {0: 1, 1: -1}, "it is a mapping"),
            ("a text", "12", "returned '12', of type str"),
        ]
    ],
    *[
        broken(
            f"reward {name}", meeting(rewards=always((reward, 0))), 0, "a finite number", "are ("
        )
        for name, reward in [("complex", 1j), ("too large", 10**400), ("text", "1")]
    ],
    *[
        broken(f"{name} as observation", meeting(observe=always(answer)), None, "an Observation")
        for name, answer in [("None", None), ("an array", np.zeros(2)), ("a tuple", ("K", ()))]
    ],
    broken(
        "an array as public observation",
        meeting(observe=always(Observation(np.zeros(2)))),  # type: ignore[arg-type]
        None,
        "observations are hashable",
        "the public observation of joint action",
    ),
    broken(
        "a surrogate as observation",
        meeting(observe=always(Observation("\ud800"))),
        None,
        "in UTF-8",
        "the public observation is '\\ud800', whose text raises UnicodeEncodeError",
    ),
    broken(
        "a very long observation",
        meeting(observe=always(Observation(("é" * 50_000, 1)))),
        None,
        "has at most 100,000 bytes",
        "the public observation has 100,002 bytes",
    ),
    broken(
        "a surrogate within an observation",
        meeting(observe=always(Observation(("K", ("\ud800",))))),
        None,
        "in UTF-8",
        "whose text raises UnicodeEncodeError",
    ),
    broken(
        "an observation without text",
        meeting(observe=always(Observation(Mute()))),
        None,
        "can be written as text",
        "is <Mute, whose repr raises ZeroDivisionError>",
    ),
    *[
        broken(
            f"{type(value).__name__} as observation like int",
            meeting(
                observe=lambda w, joint, x, v=value: Observation(1 if joint == LEFT_LEFT else v)
            ),
            None,
            "equal observations and equal actions have the same type",
            f"1 (int) and {value!r} ({type(value).__name__})",
        )
        for value in (True, 1.0, np.int64(1), Fraction(1))
    ],
    broken(
        "an int and a bool within observations",
        meeting(observe=lambda w, joint, x: Observation(("K", joint == LEFT_LEFT or 1, 0))),
        None,
        "equal observations and equal actions have the same type",
        "the observation ('K', 1, 0)",
        "True (bool) and 1 (int)",
    ),
    broken(
        "an int and a bool as worlds",
        meeting(
            transitions=lambda w, joint: (
                [(1 if joint == LEFT_LEFT else True, 1)] if w == "start" else []
            )
        ),
        None,
        "equal world states",
        "1 (int) and True (bool)",
    ),
    broken(
        "an int and a bool as outcomes of one chance move",
        meeting(transitions=lambda w, joint: [(1, 0.5), (True, 0.5)] if w == "start" else []),
        None,
        "equal world states",
        "1 (int) and True (bool)",
    ),
]
