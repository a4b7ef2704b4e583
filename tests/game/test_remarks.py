"""Remarks of `check_game` on games that break no rule, but are probably not as intended."""

from __future__ import annotations

from dataclasses import asdict
from fractions import Fraction
from typing import Any

import pytest

from infoset.game import Game, Observation, check_game
from infoset.game.remarks import REMARKS
from infoset.games import GAMES, load_game
from tests.support.function_game import FunctionGame

COINS = ("heads", "tails")


def guessing(num_players: int = 2, **rules: Any) -> FunctionGame:
    """A coin is flipped for player 0, who bets or passes; player 1 sees it and calls or folds."""

    def transitions(world: tuple[str, ...], joint: tuple[Any, ...]) -> list[Any]:
        if not world:
            return [((coin,), Fraction(1, 2)) for coin in COINS]
        return [((*world, joint[len(world) - 1]), 1)] if len(world) < 3 else []

    def rewards(world: Any, joint: Any, next_world: tuple[str, ...]) -> tuple[int, ...]:
        if len(next_world) < 3:
            return (0,) * num_players
        sign = 1 if next_world[0] == "heads" else -1
        value = sign * (next_world[1:] == ("up", "up"))
        return (value, -value, *range(num_players - 2))

    def observe(world: Any, joint: Any, next_world: tuple[str, ...]) -> Observation:
        if not world:
            return Observation(private={0: next_world[0]})
        return Observation(public=next_world[-1])

    usual = {
        "initial_world": tuple,
        "actors": lambda world: (len(world) - 1,) if 0 < len(world) < 3 else (),
        "legal_actions": lambda world, player: ("up", "down"),
        "transitions": transitions,
        "rewards": rewards,
        "observe": observe,
    }
    return FunctionGame(num_players, **{**usual, **rules})


def kinds(game: Game) -> list[str]:
    return [remark.kind for remark in check_game(game).remarks]


def paid_at_the_last_world(world: Any, joint: Any, next_world: Any) -> tuple[int, int]:
    return (1, -1) if len(world) == 3 else (0, 0)


def after_the_deal(**shown: Any) -> dict[str, Any]:
    """Return rules that show something at the deal, and the actions afterwards."""

    def observe(world: Any, joint: Any, next_world: Any) -> Observation:
        return Observation(public=next_world[-1]) if world else Observation(**shown)

    return {"observe": observe}


def observe_answers_only(world: Any, joint: Any, next_world: Any) -> Observation:
    if not world:
        return Observation(private={0: next_world[0]})
    return Observation(public=next_world[-1] if len(next_world) == 3 else "acted")


SUSPICIOUS = {
    "constant utilities": guessing(rewards=paid_at_the_last_world),
    "a player who never acts": guessing(3),
    "a player without a choice": guessing(
        legal_actions=lambda world, player: ("up", "down")[: 2 - player]
    ),
    "actions without effect": guessing(
        transitions=lambda world, joint: {
            0: [((coin,), Fraction(1, 2)) for coin in COINS],
            1: [((*world, joint[0]), 1)],
            2: [((*world, "up"), 1)],
            3: [],
        }[len(world)]
    ),
    "private observations without information": guessing(
        **after_the_deal(public="dealt", private=("a card", None))
    ),
    "private observations that are equal": guessing(
        observe=lambda world, joint, after: (
            Observation(public=after[-1]) if world else Observation(private=after * 2)
        )
    ),
    "actions that are not observed": guessing(observe=observe_answers_only),
    "chance that is not observed": guessing(**after_the_deal(public="dealt")),
}


def test_a_game_as_intended_gives_no_remark() -> None:
    report = check_game(guessing())
    assert (report.is_complete, report.remarks) == (True, ())
    assert "remark" not in str(report)


def test_every_kind_of_remark_has_an_example() -> None:
    assert list(SUSPICIOUS) == list(REMARKS)


@pytest.mark.parametrize(("kind", "game"), SUSPICIOUS.items(), ids=SUSPICIOUS)
def test_a_suspicious_game(kind: str, game: Game) -> None:
    also = {"private observations without information": ["chance that is not observed"]}
    assert kinds(game) == [kind, *also.get(kind, [])]


def test_remarks_are_lines_of_the_report_and_json_values() -> None:
    report = check_game(SUSPICIOUS["constant utilities"])
    assert str(report).splitlines()[-1].startswith("  remark: every play ends with the utilities 0")
    [remark] = asdict(report)["remarks"]
    assert list(remark) == ["kind", "found", "advice"]
    assert "from next_world" in remark["advice"]


def test_a_part_of_a_game_gives_no_remarks() -> None:
    report = check_game(SUSPICIOUS["chance that is not observed"], max_histories=5)
    assert (report.is_complete, report.remarks) == (False, ())


def test_remarks_name_the_player_and_its_actions() -> None:
    def observe(world: Any, joint: Any, next_world: Any) -> Observation:
        # only the first action of player 0 is hidden for ever
        return Observation(private={0: next_world[0]} if not world else {}, public=len(next_world))

    game = guessing(observe=observe)
    [remark] = check_game(game).remarks
    assert remark.found == "player 1 never observes any earlier action of player 0"
    game.player_names = ("seller", "buyer")
    [remark] = check_game(game).remarks
    assert remark.found == "buyer never observes any earlier action of seller"


def test_one_choice_of_several_that_is_never_observed() -> None:
    def legal_actions(world: str, player: int) -> tuple[str, ...]:
        return ("a", "b") if len(world) < 1 else ("c", "d")

    game = FunctionGame(
        2,
        initial_world=lambda: "",
        actors=lambda world: (0,) if len(world) < 2 else (1,) if len(world) < 3 else (),
        legal_actions=legal_actions,
        transitions=lambda world, joint: (
            [(world + (joint[0] or joint[1]), 1)] if len(world) < 3 else []
        ),
        rewards=lambda world, joint, after: (
            (1, -1) if after in ("acc", "bdd") else (0, 0)  # needs all three letters
        ),
        observe=lambda world, joint, after: Observation(after[-1] if world else "acted"),
    )
    [remark] = check_game(game).remarks
    assert remark.found == "player 1 never observes which of a, b player 0 chose earlier"


def test_an_action_that_is_observed_later_is_observed() -> None:
    def observe(world: Any, joint: Any, next_world: Any) -> Observation:
        if not world:
            return Observation(private={0: next_world[0]})
        return Observation(public=next_world if len(next_world) == 3 else "acted")

    assert kinds(guessing(observe=observe)) == []


def test_an_action_that_changes_only_probabilities_is_observed() -> None:
    def transitions(world: Any, joint: Any) -> list[Any]:
        if world == "start":
            up = Fraction(3 if joint[0] == "up" else 1, 4)
            return [("high", up), ("low", 1 - up)]
        return [(world + joint[1], 1)] if world in ("high", "low") else []

    game = FunctionGame(
        2,
        actors=lambda world: {"start": (0,), "high": (1,), "low": (1,)}.get(world, ()),
        legal_actions=lambda world, player: ("up", "down"),
        transitions=transitions,
        rewards=lambda world, joint, after: (int(after == "highup"), -int(after == "highup")),
        observe=lambda world, joint, after: Observation(after if world == "start" else None),
    )
    assert kinds(game) == []


def test_simultaneous_actions_need_no_observation_and_may_matter_to_rewards_alone() -> None:
    game = FunctionGame(
        2,
        actors=lambda world: (0, 1) if world == "start" else (),
        transitions=lambda world, joint: [("end", 1)] * (world == "start"),
        rewards=lambda world, joint, after: (1, -1) if joint[0] == joint[1] else (-1, 1),
        observe=lambda world, joint, after: Observation(),
    )
    assert kinds(game) == []


def test_a_message_may_matter_to_observations_alone() -> None:
    worlds = ("start", "told", "end")
    game = FunctionGame(
        2,
        actors=lambda world: (worlds.index(world),) if world != "end" else (),
        transitions=lambda world, joint: (
            [(worlds[worlds.index(world) + 1], 1)] if world != "end" else []
        ),
        rewards=lambda world, joint, after: (1, -1) if joint[1] == "left" else (0, 0),
        observe=lambda world, joint, after: Observation(joint[0] or joint[1]),
    )
    assert kinds(game) == []


def test_a_private_copy_of_the_own_action_is_no_mistake() -> None:
    def observe(world: Any, joint: Any, after: Any) -> Observation:
        shown = {1: joint[1]} if joint[1] else {0: after[0]} if not world else {}
        return Observation(public=after[-1] if world else None, private=shown)

    assert kinds(guessing(observe=observe)) == []


def test_a_single_player_may_observe_privately() -> None:
    game = FunctionGame(
        1,
        actors=lambda world: (0,) if world in COINS else (),
        transitions=lambda world, joint: (
            [(coin, 0.5) for coin in COINS]
            if world == "start"
            else [("end", 1)]
            if world in COINS
            else []
        ),
        rewards=lambda world, joint, after: (int(joint[0] == "left" and world == "heads"),),
        observe=lambda world, joint, after: Observation(private=(after,)),
    )
    assert kinds(game) == []


def test_rounding_does_not_hide_constant_utilities() -> None:
    parts = {"a": 0.1, "b": 0.2, "": 0.3}
    game = FunctionGame(
        1,
        initial_world=lambda: "",
        actors=lambda world: (0,) if len(world) < 3 else (),
        legal_actions=lambda world, player: [one for one in "abc" if one not in world],
        transitions=lambda world, joint: [(world + joint[0], 1)] if len(world) < 3 else [],
        rewards=lambda world, joint, after: (parts.get(joint[0], 0.3),),
    )
    assert kinds(game) == ["constant utilities"]


def test_a_time_limit_is_named_in_the_report() -> None:
    def slow(world: Any, joint: Any) -> Any:
        while True:
            pass

    text = str(check_game(guessing(transitions=slow), max_seconds=0.05))
    assert "max_seconds (--seconds) ended the check; increase it" in text
    assert "does the game end?" not in text


REMARKED = {"phantom_ttt(num_rows=2,num_cols=2,line_length=2)"}
"""Player 0, who moves first, always wins; so it never learns anything from a refused move."""

SMALL = {
    "nolimit_endgame": "nolimit_endgame(board=Ks9d8h4s2c,bets=[1],max_raises=1,"
    "ranges=['AsAh,QdQc';'KdKc,JhJd'])",
    "nolimit_preflop": "nolimit_preflop(ranges=['AA,AKs,72o';'KK,AKo:0.5'])",
    "liars_dice": "liars_dice(dice_sides=3)",
    "battleship": "battleship(board_width=2,board_height=2,ship_sizes=[1],ship_values=[1.0],"
    "num_shots=2)",
    "dark_hex": "dark_hex(board_size=2)",
    "goofspiel": "goofspiel(num_cards=3,imp_info=True,points_order=random)",
    "hanabi": "hanabi(colors=1,ranks=2,hand_size=2,max_life_tokens=1,max_information_tokens=2)",
    "matrix_game": "matrix_game(row_payoffs=[[1;2];[3;0]])",
    "phantom_ttt": "phantom_ttt(num_rows=2,num_cols=3,line_length=2)",
    "trade_comm": "trade_comm(num_items=2)",
    "trick_taking": "trick_taking(num_cards=6,hand_size=2)",
}
TOO_LARGE = ("tiny_bridge_2p",)


@pytest.mark.broad
@pytest.mark.parametrize("name", [name for name in GAMES if name not in TOO_LARGE])
def test_the_games_of_the_library_give_no_remarks(name: str) -> None:
    report = check_game(load_game(SMALL.get(name, name)))
    assert (report.is_complete, report.remarks) == (True, ())


@pytest.mark.parametrize("spec", REMARKED)
def test_a_game_that_is_won_by_moving_first(spec: str) -> None:
    assert kinds(load_game(spec)) == [
        "constant utilities",
        "private observations without information",
    ]
