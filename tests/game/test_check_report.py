"""The report of `check_game` about its coverage."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import count
from typing import Any

import pytest
from hypothesis import given

from infoset import play_matches
from infoset.errors import GameRuleError, ParameterError
from infoset.game import CheckReport, Game, Observation, check_game
from infoset.games.kuhn_poker import KuhnPoker
from tests.support.function_game import FunctionGame
from tests.support.hypothesis_strategies import random_games


def nothing_seen(*args: Any) -> Observation:
    return Observation()


def halving() -> FunctionGame:
    """World n ends the game or leads to n + 1, each with probability 1/2, without a limit."""

    def transitions(world: int | str, joint: Any) -> list[tuple[int | str, Fraction]]:
        half = Fraction(1, 2)
        return [("over", half), (world + 1, half)] if isinstance(world, int) else []

    return FunctionGame(1, initial_world=lambda: 0, transitions=transitions, observe=nothing_seen)


def test_the_coverage_is_the_probability_of_finished_plays() -> None:
    # root; over, 1; over, 2: the plays that end after one and two steps
    report = check_game(halving(), max_histories=5)
    assert report.num_histories == 5
    assert not report.is_complete
    assert report.coverage == 0.75
    assert report.num_plays > 0


def test_coverage_is_weighted_by_random_play() -> None:
    # player 0 ends the game (1 of 3 actions) or plays on to a fair coin; 4 histories are seen
    game = FunctionGame(
        1,
        actors=lambda world: (0,) if world == "start" else (),
        legal_actions=lambda world, player: ("stop", "on", "further"),
        transitions=lambda world, joint: {
            "start": [("over" if joint == ("stop",) else joint[0], 1)],
            "on": [("heads", 0.5), ("tails", 0.5)],
            "further": [("heads", 0.5), ("tails", 0.5)],
        }.get(world, []),
        observe=nothing_seen,
    )
    shares = [check_game(game, max_histories=limit).coverage for limit in range(1, 9)]
    assert shares == pytest.approx([0, 1 / 3, 1 / 3, 1 / 3, 1 / 2, 2 / 3, 5 / 6, 1])
    assert [check_game(game, max_histories=limit).is_complete for limit in (7, 8)] == [False, True]


def growing() -> FunctionGame:
    return FunctionGame(
        1,
        initial_world=lambda: 0,
        actors=lambda world: (0,),
        transitions=lambda world, joint: [(world + 1, 1)],
        observe=nothing_seen,
    )


def test_a_game_without_end_is_not_covered() -> None:
    report = check_game(growing(), max_histories=500)
    assert (report.num_histories, report.num_plays, report.coverage) == (500, 0, 0.0)
    assert not report.is_complete
    assert "does the game end?" in str(report)


def endless(*args: Any) -> Iterator[tuple[int, float]]:
    return ((number, 0.5**number) for number in count(1))


def test_endless_transitions_are_truncated() -> None:
    game = FunctionGame(
        1,
        initial_world=lambda: 0,
        transitions=lambda world, joint: endless() if world == 0 else [],
        observe=nothing_seen,
    )
    report = check_game(game, max_histories=20)
    assert (report.num_histories, report.is_complete) == (20, False)
    assert report.coverage == pytest.approx(1 - 0.5**19)


def test_too_many_joint_actions_are_truncated() -> None:
    game = FunctionGame(
        4,
        actors=lambda world: (0, 1, 2, 3) if world == "start" else (),
        legal_actions=lambda world, player: range(1000),
        transitions=lambda world, joint: [("end", 1)] if world == "start" else [],
        observe=nothing_seen,
    )
    report = check_game(game, max_histories=10)
    assert (report.num_histories, report.coverage) == (10, pytest.approx(9e-12))


def test_duplicate_next_worlds_are_merged() -> None:
    pairs = {"start": [("over", 0.25), ("on", 0.5), ("over", 0.25)], "on": [(1, 0.5), (2, 0.5)]}
    report = check_game(FunctionGame(1, transitions=lambda w, j: pairs.get(w, [])), max_histories=3)
    assert (report.num_histories, report.coverage) == (3, 0.5)
    game = FunctionGame(1, transitions=lambda w, joint: [("a", 0.5), ("a", 0.5)] * (w == "start"))
    assert check_game(game).num_histories == 2


def test_a_rule_broken_past_the_limit_is_found_by_a_random_play() -> None:
    wide = {(d, i): [((d + 1, j), 0.25) for j in range(4)] for d in range(6) for i in range(4)}

    def rewards(world: Any, joint: Any, next_world: Any) -> tuple[float]:
        return (float("nan"),) if next_world[0] == 6 else (0.0,)

    game = FunctionGame(
        1,
        initial_world=lambda: (0, 0),
        transitions=lambda world, joint: wide.get(world, []),
        rewards=rewards,
        observe=nothing_seen,
    )
    with pytest.raises(GameRuleError, match=r"finite number") as caught:
        check_game(game, max_histories=9)
    assert caught.value.world[0] == 5  # type: ignore[index]


def test_the_text_of_a_report() -> None:
    complete = CheckReport("kuhn_poker", 55, 55, True, 1.0, num_samples=1234)
    assert str(complete) == (
        "kuhn_poker: no rule violations found\n"
        "  checked all 55 histories, through 55 world states\n"
        "  compared 1,234 draws of sample_transition"
    )
    partial = CheckReport("liars_dice", 937, 10_000, False, 0.4753, num_plays=1872)
    assert str(partial) == (
        "liars_dice: no rule violations found\n"
        "  checked 10,000 histories, through 937 world states, and 1,872 random plays\n"
        "  incomplete: the game has more histories, and a random play stays among the checked ones "
        "with probability 0.475; check more with max_histories=100000 (--max-histories 100000)"
    )
    rare = CheckReport("liars_dice", 937, 10_000, False, 0.0004, num_plays=1872)
    assert "more histories, and a random play almost always leaves the checked ones; " in str(rare)


@given(random_games())
def test_random_games_keep_the_rules(game: Game) -> None:
    report = check_game(game)
    assert report.is_complete
    assert report.coverage == 1.0


@given(random_games(max_histories=60))
def test_a_larger_limit_covers_more(game: Game) -> None:
    whole = check_game(game)
    shares = [check_game(game, max_histories=limit).coverage for limit in (1, 5, 20, 60)]
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    part = check_game(game, max_histories=5)
    assert part.num_histories == min(5, whole.num_histories)
    assert part.is_complete == (whole.num_histories <= 5)


def test_the_same_seed_gives_the_same_report() -> None:
    reports = [check_game(halving(), max_histories=50, seed=seed) for seed in (1, 1, 3)]
    assert reports[0] == reports[1]
    assert reports[0] != reports[2]


def crowded(**rules):
    """Return a game in which nothing is small."""
    many = range(1_000_000)
    return FunctionGame(
        initial_world=lambda: 0,
        **{
            "actors": lambda w: (0,),
            "legal_actions": lambda w, p: many,
            "transitions": lambda w, a: [(w * 1_000_000 + (a[0] or 0) + 1, 1)],
            **rules,
        },
    )


EQUAL_OUTCOMES = [(number, 0.5**20) for number in range(2**20)]
LARGE = {
    "actions": {},
    "outcomes": {"actors": lambda w: (), "transitions": lambda w, a: EQUAL_OUTCOMES},
    "actions and outcomes": {"transitions": lambda w, a: EQUAL_OUTCOMES},
}


@pytest.mark.parametrize("rules", LARGE.values(), ids=LARGE)
def test_the_effort_is_limited_inside_one_world_state(rules):
    calls = Counter()

    def counted(name, rule):
        def call(*arguments):
            calls[name] += 1
            return rule(*arguments)

        return call

    game = crowded(**rules)
    game.rules = {name: counted(name, rule) for name, rule in game.rules.items()}
    report = check_game(game, max_histories=500)
    assert not report.is_complete
    assert calls["legal_actions"] + calls["transitions"] < 20_000
    assert calls["legal_actions"] < 20


def test_lists_without_end_are_reported():
    with pytest.raises(GameRuleError, match=r"returned a list of more than 1,000,000 items"):
        check_game(crowded(legal_actions=lambda w, p: range(2_000_000)))
    with pytest.raises(GameRuleError, match=r"sum to 5.* or more"):
        check_game(
            crowded(transitions=lambda w, a: ((n, 0.5) for n in count())),
            max_histories=10,
        )


def test_the_time_limit_holds_inside_a_method():
    def endless(world, joint_action):
        while True:
            pass

    report = check_game(FunctionGame(transitions=endless), max_seconds=0.05)
    assert (report.num_histories, report.is_complete, report.coverage) == (0, False, 0.0)
    with pytest.raises(ParameterError, match="max_seconds=-1"):
        check_game(FunctionGame(), max_seconds=-1)


def declaring(bounds):
    """Return Kuhn poker with another range of utilities."""
    return type("Declared", (KuhnPoker,), {"utility_range": bounds})()


WRONG_RANGES = ["ab", 5, (-3, 0, 3), ("a", "b"), (3, -3), (float("nan"), 3), lambda game: (-2, 2)]


@pytest.mark.parametrize("wrong", WRONG_RANGES)
def test_a_declared_range_is_two_numbers(wrong):
    with pytest.raises(GameRuleError, match="utility_range is None, or two finite numbers"):
        check_game(declaring(wrong))
    with pytest.raises(GameRuleError, match="utility_range is None, or two finite numbers"):
        play_matches(declaring(wrong), "uniform", "uniform", num_deals=2)


def test_utilities_beyond_the_declared_range_are_found():
    with pytest.raises(GameRuleError, match=r"its utility_range is \(-1, 1\)"):
        check_game(declaring((-1, 1)))
    check_game(declaring((-2, 3)))
