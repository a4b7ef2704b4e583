"""Common knowledge of who acted, and how, compared with the enumeration of all histories."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import pytest
from hypothesis import given

from infoset.errors import LimitReached
from infoset.game import Game, History, Observation, initial_history, transcript
from infoset.game import public_moves as module
from infoset.games import load_game
from infoset.typing import NOOP
from tests.support.function_game import FunctionGame
from tests.support.hypothesis_strategies import random_games
from tests.support.reference_histories import enumerate_histories


def bargaining(**rules: Any) -> FunctionGame:
    """A card is dealt; player 0 names a price, then player 1 answers. Both are public."""
    usual = {
        "initial_world": tuple,
        "actors": lambda world: (len(world) - 1,) if 0 < len(world) < 3 else (),
        "legal_actions": lambda world, player: ("accept", "refuse") if player else (1, 2),
        "transitions": lambda world, joint: (
            [((card,), 0.5) for card in "KQ"]
            if not world
            else [((*world, joint[len(world) - 1]), 1)]
            if len(world) < 3
            else []
        ),
        "observe": lambda world, joint, after: (
            Observation(public=after[-1]) if world else Observation(private={0: after[0]})
        ),
    }
    return FunctionGame(2, **{**usual, **rules})


def play(game: Game, *actions: Any) -> History:
    history = initial_history(game)
    history = history.extend((NOOP, NOOP), ("K",))
    for action in actions:
        joint = history.joint({history.actors[0]: action})
        history = history.extend(joint, history.outcomes(joint)[0][0])
    return history


def test_an_own_game_says_who_acted() -> None:
    lines = transcript(play(bargaining(), 2, "accept"), viewer=0).splitlines()
    assert lines[1:4] == [
        "1. chance           | you see K",
        "2. you: 2           | all see 2",
        "3. player 1: accept | all see accept",
    ]


def test_a_hidden_action_of_a_known_player_stays_hidden() -> None:
    def observe(world: Any, joint: Any, after: Any) -> Observation:
        return Observation(public="done") if world else Observation(private={0: after[0]})

    lines = transcript(play(bargaining(observe=observe), 2, "accept"), viewer=1).splitlines()
    assert lines[2] == "2. player 0 acts | all see done"


def test_an_actor_who_depends_on_hidden_cards_is_unknown() -> None:
    # With the king player 0 acts twice, with the queen both act once; all see only the time.
    game = bargaining(
        actors=lambda world: (
            () if len(world) in (0, 3) else (0,) if world[0] == "K" else (len(world) - 1,)
        ),
        legal_actions=lambda world, player: (1, 2),
        transitions=lambda world, joint: (
            [((card,), 0.5) for card in "KQ"]
            if not world
            else [((*world, joint[0] or joint[1]), 1)] * (len(world) < 3)
        ),
    )
    history = play(game, 2, 1)
    assert history.public_move == (None, {})
    assert transcript(history, viewer=1).splitlines()[3] == "3. -           | all see 1"
    assert transcript(history, viewer=0).splitlines()[3] == "3. you: 1 | all see 1"


def test_an_outcome_of_probability_zero_hides_nothing() -> None:
    # After the queen, which is never dealt, player 1 would act first.
    game = bargaining(
        actors=lambda world: () if len(world) in (0, 3) else (int(world[0] == "Q"),),
        legal_actions=lambda world, player: (1, 2),
        transitions=lambda world, joint: (
            [(("K",), 1), (("Q",), 0)]
            if not world
            else [((*world, joint[0] or joint[1]), 1)] * (len(world) < 3)
        ),
    )
    assert play(game, 2).public_move == ((0,), {0: 2})


@given(random_games())
def test_a_move_is_known_exactly_if_all_histories_with_the_public_state_agree(game: Game) -> None:
    visits = [visit.history for visit in enumerate_histories(game)][1:]
    moves = defaultdict(set)
    for history in visits:
        moves[history.public_state].add(history.joint_action)
    for history in visits:
        joints = moves[history.public_state]
        actors = {
            tuple(p for p, action in enumerate(joint) if action is not None) for joint in joints
        }
        known = {
            player: action
            for player, action in enumerate(history.joint_action)
            if action is not None and {joint[player] for joint in joints} == {action}
        }
        assert history.public_move.actions == known
        assert history.public_move.actors == (actors.pop() if len(actors) == 1 else None)


def test_a_limit_hides_later_moves_only(monkeypatch: pytest.MonkeyPatch) -> None:
    # The deal has two transitions, and the price four.
    shown = []
    for limit in (0, 2, 6, 20):
        monkeypatch.setattr(module, "MAX_TRANSITIONS", limit)
        history = play(bargaining(), 2, "accept")
        shown.append([stop.public_move.actors for stop in history.path()[1:]])
    assert shown == [
        [None, None, None],
        [(), None, None],
        [(), (0,), None],
        [(), (0,), (1,)],
    ]


def test_rules_that_fail_at_another_world_state_leave_the_move_unknown() -> None:
    def actors(world: Any) -> tuple[int, ...]:
        if world == ("Q", 2):
            raise LookupError("a mistake elsewhere")
        return (len(world) - 1,) if 0 < len(world) < 3 else ()

    history = play(bargaining(actors=actors), 2, "accept")
    assert history.parent is not None
    assert history.parent.public_move.actors == (0,)
    assert history.public_move == (None, {})


def test_a_time_limit_is_not_caught() -> None:
    def observe(world: Any, joint: Any, after: Any) -> Observation:
        if after == ("Q",):
            raise LimitReached("out of time")
        return Observation()

    with pytest.raises(LimitReached):
        _ = play(bargaining(observe=observe)).public_move


def test_declared_actions_are_known_without_calling_the_rules() -> None:
    history = initial_history(load_game("leduc_poker"))
    [deal, *_] = history.chance_outcomes
    history = history.extend((NOOP, NOOP), deal[0])
    calls: list[Any] = []

    class Watched(type(history.game)):  # type: ignore[misc]
        def transitions(self, world: Any, joint_action: Any) -> Any:
            calls.append(world)
            return super().transitions(world, joint_action)

    object.__setattr__(history, "game", Watched())
    assert history.public_move.actors == ()
    assert calls == []


def test_a_long_play_needs_no_deep_recursion() -> None:
    game = FunctionGame(
        1, initial_world=lambda: 0, transitions=lambda w, j: [(w + 1, 1)] if w < 1500 else []
    )
    history = initial_history(game)
    for world in range(1, 1501):
        history = history.extend((NOOP,), world)
    assert history.public_move.actors == ()
