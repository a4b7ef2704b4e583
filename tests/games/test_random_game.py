"""Random games are determined by their parameters, within their limits, and varied."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given

from infoset.errors import ParameterError
from infoset.game import check_game, transcript
from infoset.games.random_game import RandomGame
from tests.support.hypothesis_strategies import random_games
from tests.support.reference_histories import enumerate_histories

FEATURES = (
    "simultaneous",
    "alone",
    "chance",
    "chance first",
    "chance with players",
    "early end",
    "late end",
    "inner reward",
    "merged ways",
    "public",
    "private",
    "shared",
    "hidden actions",
    "single action",
    "unknown world",
)


def rules(game: RandomGame) -> list[Any]:
    """Return all that a game returns along its histories."""
    return [
        (
            visit.history.world,
            visit.history.joint_action,
            tuple(visit.history.legal_actions(p) for p in range(game.num_players)),
            visit.history.observation,
            visit.history.rewards_so_far,
            visit.chance_reach,
        )
        for visit in enumerate_histories(game)
    ]


@pytest.mark.parametrize("seed", range(42))
def test_random_games_keep_the_rules(seed: int) -> None:
    game = RandomGame(
        seed=seed,
        num_players=2 + seed % 3,
        max_histories=150,
        zero_sum=seed % 2 == 0,
        exact=seed % 5 != 0,
        fractional_rewards=seed % 7 == 0,
    )
    assert check_game(game).is_complete


def test_the_same_parameters_give_the_same_game() -> None:
    assert RandomGame(seed=5) == RandomGame(seed=5) != RandomGame(seed=6)
    assert hash(RandomGame(seed=5)) == hash(RandomGame(seed=5))
    assert rules(RandomGame(seed=5)) == rules(RandomGame(seed=5))
    assert rules(RandomGame(seed=5)) != rules(RandomGame(seed=6))


def test_a_seed_means_the_same_game_everywhere() -> None:
    """Golden values: if they change, every recorded seed denotes another game."""
    visits = enumerate_histories(RandomGame(1, num_players=3, max_depth=4, max_histories=300))
    assert len(visits) == 143
    assert (
        transcript(visits[-1].history)
        == """\
random_game(seed=1,num_players=3,max_depth=4,max_histories=300)
1. chance                   | player 0 sees bcd | player 2 sees bc
2. player 0: d, player 2: c | all see -,-,- | player 1 and player 2 see 0 | player 0 sees 0 | \
player 1 sees 1 | player 2 sees 1 | player 0 gets +1, player 1 gets -2, player 2 gets +1
3. chance                   | player 0 sees 1 | player 1 sees 0 | player 2 sees 0
4. chance                   | all see -,-,- | chance moves to 17 | \
player 0 gets +3, player 1 gets -1, player 2 gets -2
end: player 0 gets +4, player 1 gets -3, player 2 gets -1"""
    )


def test_games_are_written_as_they_are_loaded() -> None:
    assert str(RandomGame()) == "random_game"
    assert str(RandomGame(seed=3, zero_sum=False)) == "random_game(seed=3,zero_sum=False)"


@given(random_games())
def test_games_keep_their_limits(game: RandomGame) -> None:
    visits = [visit.history for visit in enumerate_histories(game)]
    assert len(visits) <= game.max_histories
    assert max(history.depth for history in visits) <= game.max_depth
    for history in visits:
        for player in range(game.num_players):
            assert len(history.legal_actions(player)) <= game.max_actions
        for world, probability in history.chance_outcomes:
            assert isinstance(probability, Fraction if game.exact else float)
            assert isinstance(world, int)
        if game.zero_sum:
            assert sum(history.rewards_so_far) == 0
        if not game.fractional_rewards:
            assert all(reward == int(reward) for reward in history.rewards_so_far)


def test_levels_are_as_wide_as_allowed() -> None:
    for seed in range(20):
        game = RandomGame(seed=seed, worlds_per_level=2)
        levels: dict[int, set[Any]] = {}
        for visit in enumerate_histories(game):
            levels.setdefault(visit.history.depth, set()).add(visit.history.world)
        assert max(map(len, levels.values())) <= 2


def test_random_games_have_everything_a_game_can_have() -> None:
    seen = dict.fromkeys(FEATURES, 0)
    for seed in range(20):
        visits = [v.history for v in enumerate_histories(RandomGame(seed, 3, max_histories=200))]
        depth = max(history.depth for history in visits)
        worlds: dict[Any, set[Any]] = {}
        knowing: dict[Any, set[Any]] = {}
        for history in visits:
            worlds.setdefault((history.depth, history.world), set()).add(history)
            knowing.setdefault(history.infostates[0], set()).add(history.world)
            num_legal = [len(history.legal_actions(player)) for player in range(3)]
            outcomes = history.chance_outcomes
            observation = history.observation
            seen["simultaneous"] += len(history.actors) > 1
            seen["alone"] += len(history.actors) == 1
            seen["chance"] += len(outcomes) > 1
            seen["chance first"] += len(outcomes) > 1 and history.depth == 0
            seen["early end"] += history.is_terminal and history.depth < depth
            seen["late end"] += history.is_terminal and history.depth == depth
            seen["inner reward"] += any(history.rewards_so_far) and not history.is_terminal
            seen["public"] += observation.public is not None
            seen["private"] += bool(observation.private)
            seen["shared"] += bool(observation.shared)
            seen["single action"] += 1 in num_legal
            seen["hidden actions"] += bool(history.actors) and "," not in str(observation.public)
        seen["merged ways"] += any(len(ways) > 1 for ways in worlds.values())
        seen["unknown world"] += any(len(ones) > 1 for ones in knowing.values())
        seen["chance with players"] += any(
            len(list(h.game.transitions(h.world, joint))) > 1
            for h in visits
            for joint in [after.joint_action for after in visits if after.parent is h]
            if h.actors
        )
    assert {name for name, number in seen.items() if not number} == set()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"num_players": 5}, "num_players=5 is not allowed; num_players must be a whole number"),
        ({"num_players": 1}, "from 2 to 4"),
        ({"seed": -1}, "seed must be a whole number of at least 0"),
        ({"max_depth": 0}, "max_depth=0"),
        ({"exact": 1}, "exact must be True or False"),
        ({"chance_share": 1.5}, "chance_share=1.5 is not allowed; chance_share must be a number"),
        ({"end_share": float("nan")}, "end_share=nan"),
        ({"simultaneous_share": "half"}, "from 0 to 1"),
    ],
)
def test_parameters_out_of_range(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message.replace("(", r"\(")):
        RandomGame(**wrong)
