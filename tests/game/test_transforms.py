"""Chance as a player and chance in the transitions are the same game (Remark 2.1)."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infoset import solve
from infoset.errors import GameRuleError, ParameterError
from infoset.game import Game, Observation, check_game, fold_chance_player
from infoset.game.transforms import AfterChance
from infoset.games import KuhnPoker
from infoset.typing import NOOP
from tests.support.function_game import FunctionGame
from tests.support.hypothesis_strategies import random_games
from tests.support.reference_histories import enumerate_histories

DEALER = 2
HALF = Fraction(1, 2)


class KuhnWithDealer(KuhnPoker):
    """Kuhn poker whose third player is chance, and deals."""

    public_actions = False
    utility_range = None  # the dealer wins and loses more than the players

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "num_players", 3)

    def actors(self, world: Any) -> Any:
        return super().actors(world) if world.cards else (DEALER,)

    def legal_actions(self, world: Any, player: int) -> Any:
        deals = [world.cards for world, _ in super().transitions(self.initial_world(), ())]
        return deals if player == DEALER else super().legal_actions(world, player)

    def transitions(self, world: Any, joint: Any) -> Any:
        if not world.cards:
            return [(world._replace(cards=joint[DEALER]), 1)]
        return super().transitions(world, joint[:2])

    def rewards(self, world: Any, joint: Any, next_world: Any) -> Any:
        return (*super().rewards(world, joint[:2], next_world), 99)

    def observe(self, world: Any, joint: Any, next_world: Any) -> Any:
        seen = super().observe(world, joint[:2], next_world)
        return seen._replace(private={p: seen.private_part(p) for p in (0, 1)})

    def sample_transition(self, world: Any, joint: Any, rng: Any) -> Any:
        return Game.sample_transition(self, world, joint, rng)


def fair_deal(world: Any) -> Iterator[tuple[Any, Fraction]]:
    return ((deal, Fraction(1, 6)) for deal in KuhnWithDealer().legal_actions(world, DEALER))


def all_known(game: Game) -> list[tuple[Any, ...]]:
    """Return the chance reach of each combination of infostates and rewards."""
    return sorted(
        (
            tuple(map(str, visit.history.infostates)),
            visit.history.rewards_so_far,
            round(visit.chance_reach, 9),
        )
        for visit in enumerate_histories(game)
    )


def test_kuhn_poker_with_a_dealer_is_kuhn_poker() -> None:
    dealt = KuhnWithDealer()
    check_game(dealt)
    folded = fold_chance_player(dealt, fair_deal)
    report = check_game(folded)
    assert (report.num_worlds, report.num_histories) == (55, 55)
    assert all_known(folded) == all_known(KuhnPoker())
    assert solve(folded, method="lp").values[0] == pytest.approx(-1 / 18)


def test_the_folded_game_has_the_name_and_parameters_of_the_original() -> None:
    folded = fold_chance_player(KuhnWithDealer(), fair_deal)
    assert (str(folded), folded.parameters()) == ("kuhn_poker", KuhnPoker().parameters())


def weather(observe: Any = None, rewards: Any = None) -> FunctionGame:
    """Player 0 guesses while chance draws rain, snow or sun; all lead to the same world."""
    return FunctionGame(
        2,
        actors=lambda world: (0, 1) if world == "start" else (),
        legal_actions=lambda world, player: ("rain", "snow", "sun") if player else ("wet", "dry"),
        transitions=lambda world, joint: [("over", 1)] if world == "start" else [],
        rewards=rewards or (lambda *transition: (0, 0)),
        observe=observe or (lambda *transition: Observation()),
    )


def forecast(world: Any) -> list[tuple[str, Fraction]]:
    return [("rain", HALF), ("snow", Fraction(1, 4)), ("sun", Fraction(1, 4))]


def test_equivalent_chance_actions_are_one_transition() -> None:
    folded = fold_chance_player(weather(), forecast)
    assert list(folded.transitions("start", ("wet",))) == [("over", 1)]


def test_chance_actions_with_different_observations_stay_separate() -> None:
    def observe(world: Any, joint: Any, next_world: Any) -> Observation:
        return Observation(private={0: "drops" if joint[1] != "sun" else "light", 1: joint[1]})

    folded = fold_chance_player(weather(observe), forecast)
    outcomes = dict(folded.transitions("start", ("wet",)))
    wet, dry = AfterChance("over", 1, "rain"), AfterChance("over", 1, "sun")
    assert outcomes == {wet: Fraction(3, 4), dry: Fraction(1, 4)}
    assert folded.observe("start", ("wet",), wet) == Observation(private={0: "drops"})
    assert folded.observe("start", ("wet",), dry) == Observation(private={0: "light"})
    assert list(folded.transitions(wet, (NOOP,))) == []
    assert check_game(folded).num_histories == 5


def test_chance_actions_with_different_rewards_stay_separate() -> None:
    folded = fold_chance_player(
        weather(rewards=lambda world, joint, over: (joint == ("wet", "rain"), 7)), forecast
    )
    wet = dict(folded.transitions("start", ("wet",)))
    assert sorted(wet.values()) == [HALF, HALF]
    assert {folded.rewards("start", ("wet",), world) for world in wet} == {(1,), (0,)}
    assert list(folded.transitions("start", ("dry",))) == [("over", 1)]


def test_chance_acts_with_others_and_in_transitions() -> None:
    """A coin of the chance player and a coin in the transitions: two of four paths meet."""
    game = FunctionGame(
        2,
        actors=lambda world: (0, 1) if world == "start" else (),
        legal_actions=lambda world, player: ("heads", "tails"),
        transitions=lambda world, joint: (
            [(joint, HALF), ("lost", HALF)] if world == "start" else []
        ),
        observe=lambda *transition: Observation(),
    )
    folded = fold_chance_player(game, lambda world: [("heads", HALF), ("tails", HALF)])
    quarter = Fraction(1, 4)
    assert dict(folded.transitions("start", ("heads",))) == {
        ("heads", "heads"): quarter,
        ("heads", "tails"): quarter,
        "lost": HALF,
    }


def test_groups_lose_the_chance_player() -> None:
    shared = {(0, 1, 2): "all", (0, 1): "both", (0, 2): "first", (2,): "chance's", (1, 2): "x"}
    game = FunctionGame(
        3,
        actors=lambda world: (2,) if world == "start" else (),
        transitions=lambda world, joint: [("end", 1)] if world == "start" else [],
        observe=lambda *transition: Observation("seen", ("a", None, "c"), shared),
    )
    folded = fold_chance_player(game, lambda world: [("left", 1)])
    assert folded.observe("start", (NOOP, NOOP), "end") == Observation(
        "seen", {0: "a"}, {(0, 1): ("both", "all"), (0,): "first", (1,): "x"}
    )
    check_game(folded)


def test_an_action_of_probability_zero_is_left_out() -> None:
    folded = fold_chance_player(weather(), lambda world: [("sun", 1), ("rain", 0)])
    assert list(folded.transitions("start", ("wet",))) == [("over", 1)]


def test_an_action_that_is_not_legal() -> None:
    folded = fold_chance_player(weather(), lambda world: [("hail", 1)])
    with pytest.raises(GameRuleError, match=r"legal actions are \['rain', 'snow', 'sun'\]") as e:
        list(folded.transitions("start", ("wet",)))
    assert (e.value.world, e.value.player) == ("start", 1)


def test_a_policy_that_does_not_sum_to_one_is_seen_by_the_check() -> None:
    with pytest.raises(GameRuleError, match="sum to 3/4"):
        check_game(fold_chance_player(weather(), lambda world: forecast(world)[:2]))


def test_a_game_of_one_player_cannot_be_folded() -> None:
    with pytest.raises(ParameterError, match="only one player"):
        fold_chance_player(FunctionGame(1), forecast)


def test_two_chance_players_may_have_actions_of_the_same_name() -> None:
    """The second chance player is observed only if the first one mixes; otherwise the first is."""
    names: dict[int, tuple[str, ...]] = {
        0: ("look",),
        1: ("mix", "rain", "dry"),
        2: ("rain", "sun"),
    }
    game = FunctionGame(
        3,
        actors=lambda world: (0, 1, 2) if world == "start" else (),
        legal_actions=lambda world, player: names[player],
        transitions=lambda world, joint: [("over", 1)] if world == "start" else [],
        observe=lambda world, joint, over: Observation(
            joint[1:] if joint[1] == "mix" else joint[1]
        ),
    )
    once = fold_chance_player(game, lambda world: [("rain", HALF), ("sun", HALF)])
    twice = fold_chance_player(once, lambda world: [(name, Fraction(1, 3)) for name in names[1]])
    outcomes = list(twice.transitions("start", ("look",)))
    assert sorted(probability for _, probability in outcomes) == [
        Fraction(1, 6),
        Fraction(1, 6),
        Fraction(1, 3),
        Fraction(1, 3),
    ]
    assert len({world for world, _ in outcomes}) == 4


def uniform(game: Game, player: int) -> Any:
    def policy(world: Any) -> list[tuple[Any, Fraction]]:
        legal = game.legal_actions(world, player)
        return [(action, Fraction(1, len(legal))) for action in legal]

    return policy


def projected(game: Game, num_players: int, fixed: int) -> dict[Any, float]:
    """Return the reach of each combination of infostates and rewards, with the others uniform."""
    reach: dict[Any, float] = {}
    for visit in enumerate_histories(game):
        probability = visit.chance_reach
        for before, after in pairwise(visit.history.path()):
            for player in range(fixed, game.num_players):
                if after.joint_action[player] is not NOOP:
                    probability /= len(before.legal_actions(player))
        steps = tuple(
            tuple(
                (step.action, known(stop.observation, player, num_players), step.public)
                for step, stop in zip(
                    visit.history.infostates[player].steps, visit.history.path()[1:], strict=True
                )
            )
            for player in range(num_players)
        )
        key = (steps, visit.history.rewards_so_far[:num_players])
        reach[key] = reach.get(key, 0) + probability
    return reach


def known(seen: Observation, player: int, num_players: int) -> Any:
    groups = {}
    for group, part in sorted(seen.shared.items()):
        rest = tuple(p for p in group if p < num_players)
        if player in rest:
            groups[rest] = part
    return seen.private_part(player), tuple(sorted(groups.items()))


@given(random_games(num_players=st.integers(2, 3), max_histories=60, max_depth=st.integers(1, 3)))
def test_folding_keeps_infostates_and_rewards_of_the_others(game: Game) -> None:
    last = game.num_players - 1
    folded = fold_chance_player(game, uniform(game, last))
    assert check_game(folded).is_complete
    assert projected(folded, last, last) == pytest.approx(projected(game, last, last))


@given(random_games(num_players=3, max_histories=60, max_depth=st.integers(1, 3)))
def test_two_chance_players_can_be_folded(game: Game) -> None:
    once = fold_chance_player(game, uniform(game, 2))
    twice = fold_chance_player(once, uniform(once, 1))
    assert check_game(twice).is_complete
    assert projected(twice, 1, 1) == pytest.approx(projected(game, 1, 1))
