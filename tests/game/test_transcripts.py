"""Transcripts of plays, as shown to each player."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given

from infoset.errors import ParameterError
from infoset.game import Game, History, Observation, initial_history, transcript
from infoset.games import KuhnPoker, load_game
from infoset.typing import NOOP
from tests.support.function_game import FunctionGame
from tests.support.hypothesis_strategies import random_games
from tests.support.reference_histories import enumerate_histories

pytestmark = pytest.mark.broad


def kuhn(*moves: str, cards: tuple[str, ...] = ("K", "J")) -> History:
    history = initial_history(KuhnPoker())
    history = history.extend((NOOP, NOOP), history.world._replace(cards=cards))
    for move in moves:
        joint = history.joint({history.actors[0]: move})
        [(world, _)] = history.game.transitions(history.world, joint)
        history = history.extend(joint, world)
    return history


def test_the_transcript_of_a_whole_play() -> None:
    assert (
        transcript(kuhn("pass", "bet", "bet"))
        == """\
kuhn_poker
1. chance         | player 0 sees K | player 1 sees J
2. player 0: pass | all see pass
3. player 1: bet  | all see bet
4. player 0: bet  | all see bet,K,J
end: player 0 gets +2, player 1 gets -2"""
    )


def test_the_transcript_for_one_player() -> None:
    assert (
        transcript(kuhn("pass", "bet", "pass"), viewer=1)
        == """\
kuhn_poker, seen by player 1
1. chance         | you see J
2. player 0: pass | all see pass
3. you: bet       | all see bet
4. player 0: pass | all see pass
end: you get +1"""
    )


def test_a_play_that_is_not_over_has_no_end() -> None:
    assert transcript(kuhn("bet"), viewer=0).splitlines()[-1] == "2. you: bet | all see bet"


def test_the_transcript_of_the_initial_history() -> None:
    assert transcript(initial_history(KuhnPoker())) == "kuhn_poker"
    assert transcript(initial_history(KuhnPoker()), 1) == "kuhn_poker, seen by player 1"


@pytest.mark.parametrize("viewer", [2, -1, "0"])
def test_a_viewer_who_does_not_play(viewer: Any) -> None:
    with pytest.raises(ParameterError, match=f"viewer={viewer!r} is not .* 0 to 1"):
        transcript(kuhn(), viewer)


def one_move(observation: Observation, rewards: tuple[float, ...] = (0, 0, 0)) -> History:
    """Players 0 and 2 of three act simultaneously, with observations given by the test."""
    game = FunctionGame(
        3,
        actors=lambda world: (2, 0) if world == "start" else (),
        transitions=lambda world, joint: [("end", 1)] if world == "start" else [],
        rewards=lambda *transition: rewards,
        observe=lambda *transition: observation,
    )
    return initial_history(game).extend(("left", NOOP, "right"), "end")


def test_simultaneous_moves_and_groups() -> None:
    play = one_move(Observation("go", {0: "a", 2: ("c", 3)}, {(0, 2): "red", (1,): 5}))
    assert transcript(play).splitlines()[1] == (
        "1. player 0: left, player 2: right | all see go | player 0 and player 2 see red | "
        "player 1 sees 5 | player 0 sees a | player 2 sees c,3"
    )
    assert transcript(play, 0).splitlines()[1] == (
        "1. you: left | all see go | you and player 2 see red | you see a"
    )
    assert transcript(play, 2).splitlines()[1] == (
        "1. you: right | all see go | you and player 0 see red | you see c,3"
    )
    assert transcript(play, 1).splitlines()[1] == (
        "1. player 0 and player 2 act | all see go | you see 5"
    )


@pytest.mark.parametrize(
    ("reward", "text"), [(0.5, "+0.5"), (Fraction(-3, 4), "-0.75"), (0.0, "0"), (12, "+12")]
)
def test_rewards_as_text(reward: float, text: str) -> None:
    play = one_move(Observation(), (reward, 0, 0))
    assert transcript(play).splitlines()[-1].startswith(f"end: player 0 gets {text}, ")
    assert transcript(play, viewer=0).splitlines()[-1] == f"end: you get {text}"


def test_rewards_are_shown_at_their_transition() -> None:
    pays = {"a": (3, 0), "b": (0, 0), "c": (-1, 1)}
    game = FunctionGame(
        2,
        initial_world=lambda: "",
        transitions=lambda world, joint: [(world + "abc"[len(world)], 1)] if world != "abc" else [],
        rewards=lambda world, joint, next_world: pays[next_world[-1]],
        observe=lambda *transition: Observation(),
    )
    play = initial_history(game)
    for world in ("a", "ab", "abc"):
        play = play.extend((NOOP, NOOP), world)
    assert (
        transcript(play)
        == """\
FunctionGame
1. chance | player 0 gets +3
2. chance
3. chance | player 0 gets -1, player 1 gets +1
end: player 0 gets +2, player 1 gets +1"""
    )
    hidden = [f"{number}. chance | you see nothing" for number in (1, 2, 3)]
    seen = ["FunctionGame, seen by player 1", *hidden, "end: you get +1"]
    assert transcript(play, 1).splitlines() == seen


def test_an_unobserved_chance_outcome_is_shown_as_its_world() -> None:
    hidden = FunctionGame(observe=lambda *transition: Observation("flip"))
    shown = FunctionGame()
    plays = [initial_history(game).extend((NOOP,), "heads") for game in (hidden, shown)]
    assert (
        transcript(plays[0]).splitlines()[1] == "1. chance | all see flip | chance moves to heads"
    )
    assert transcript(plays[1]).splitlines()[1] == "1. chance | all see heads"
    assert "heads" not in transcript(plays[0], viewer=0)


def test_an_outcome_of_probability_zero_hides_nothing() -> None:
    game = FunctionGame(
        transitions=lambda world, joint: [("heads", 1), ("tails", 0)],
        observe=lambda *transition: Observation("flip"),
    )
    play = initial_history(game).extend((NOOP,), "heads")
    assert transcript(play) == "FunctionGame\n1. chance | all see flip"


def test_long_plays_are_aligned() -> None:
    game = FunctionGame(
        1, initial_world=lambda: 0, transitions=lambda w, j: [(w + 1, 1)] if w < 10 else []
    )
    play = initial_history(game)
    for world in range(1, 11):
        play = play.extend((NOOP,), world)
    lines = transcript(play).splitlines()
    assert lines[1] == " 1. chance | all see 1"
    assert lines[10] == "10. chance | all see 10"


@given(random_games())
def test_the_transcript_for_a_player_is_a_function_of_its_infostate(game: Game) -> None:
    for player in range(game.num_players):
        shown_for: dict[Any, str] = {}
        for visit in enumerate_histories(game):
            known = visit.history.infostates[player]
            if visit.history.is_terminal:
                text = transcript(visit.history, player).splitlines()
                assert text.pop().startswith("end: you get ")
                shown = "\n".join(text)
            else:
                shown = transcript(visit.history, player)
            assert shown_for.setdefault(known, shown) == shown
        assert len(set(shown_for.values())) == len(shown_for)


@given(random_games())
def test_different_plays_have_different_transcripts(game: Game) -> None:
    plays = [visit.history for visit in enumerate_histories(game)]
    assert len({transcript(play) for play in plays}) == len(plays)


@given(random_games(max_histories=60))
def test_a_transcript_has_one_line_per_transition(game: Game) -> None:
    for visit in enumerate_histories(game):
        lines = transcript(visit.history).splitlines()
        assert len(lines) == 1 + visit.history.depth + visit.history.is_terminal
        assert not any(line.endswith(" ") for line in lines)


BOARD_GAMES = (
    "phantom_ttt(num_rows=2,num_cols=2,line_length=2)",
    "dark_hex(board_size=2)",
    "battleship(board_width=2,board_height=2,ship_sizes=[2],ship_values=[1],num_shots=2)",
)


@pytest.mark.parametrize("spec", BOARD_GAMES)
def test_boards_show_a_player_nothing_else_than_its_infostate(spec: str) -> None:
    for player in range(2):
        shown_for: dict[Any, str] = {}
        for visit in enumerate_histories(load_game(spec)):
            if not visit.history.is_terminal:
                known = visit.history.infostates[player]
                shown = transcript(visit.history, player, boards=True)
                assert shown_for.setdefault(known, shown) == shown
        assert any("\n     " in shown for shown in shown_for.values())


@pytest.mark.parametrize("spec", [*BOARD_GAMES, "kuhn_poker"])
def test_boards_are_added_to_the_lines_of_a_transcript(spec: str) -> None:
    for visit in enumerate_histories(load_game(spec)):
        for viewer in (None, 0, 1):
            lines = transcript(visit.history, viewer, boards=True).splitlines()
            plain = [line for line in lines if not line.startswith("     ")]
            assert plain == transcript(visit.history, viewer).splitlines()
    assert (len(lines) > len(plain)) == (spec != "kuhn_poker")


def test_a_board_that_has_not_changed_is_not_repeated() -> None:
    history = initial_history(load_game("phantom_ttt"))
    for cell in ("b2", "b2", "a1"):
        joint = history.joint({history.actors[0]: cell})
        [(world, _)] = history.game.transitions(history.world, joint)
        history = history.extend(joint, world)
    assert transcript(history, viewer=0, boards=True).count("a b c") == 1
    assert transcript(history, boards=True).count("a b c") == 3
