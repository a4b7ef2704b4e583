"""Names of players: their sources, and the texts that show them."""

from __future__ import annotations

from typing import Any

import pytest

from infoset.efg import as_game, build_extensive_form, load_efg, strategic_form
from infoset.errors import GameRuleError, ParameterError, UnknownNameError
from infoset.game import (
    GameSource,
    check_game,
    fold_chance_player,
    forget_factorization,
    initial_history,
    player_name,
    serialize,
    transcript,
)
from infoset.game.player_names import find_player, name_players, own_names, short_name
from infoset.games import KuhnPoker, load_game
from infoset.teams import build_product_form
from infoset.tree import build_tree
from infoset.typing import NOOP
from tests.support.market import Market

KUHN = KuhnPoker()


def named(*names: str) -> GameSource:
    return GameSource(player_names=names)


def shown(source: GameSource) -> list[str]:
    return [player_name(source, player) for player in range(len(source.player_names))]


def test_names_are_those_of_the_game_or_numbers_from_zero() -> None:
    assert [player_name(Market(), player) for player in (0, 1)] == ["seller", "buyer"]
    assert [player_name(KUHN, player) for player in (0, 1)] == ["player 0", "player 1"]


def test_names_that_only_count_are_replaced() -> None:
    # Files count from 1, and leave names empty.
    assert shown(named("Player 1", "Player 2")) == ["player 0", "player 1"]
    assert shown(named("1", "player_2", "", "#4")) == [f"player {n}" for n in range(4)]
    assert shown(named("Ann", "", "player 7")) == ["Ann", "player 1", "player 2"]
    assert own_names(named("Player 1", "Player 2")) == ()
    assert own_names(named("Ann", "Player 2")) == ("Ann", "player 1")


def test_equal_names_differ_and_lines_stay_whole() -> None:
    assert shown(named("trader", "trader")) == ["trader", "trader #2"]
    assert shown(named("left\n  hand", "7 seas")) == ["left hand", "7 seas"]


def test_lists_of_players() -> None:
    assert name_players(KUHN, (1,)) == "player 1"
    assert name_players(KUHN, (0, 1)) == "players 0, 1"
    assert name_players(Market(), (0, 1)) == "seller, buyer"
    assert (short_name(KUHN, 1), short_name(Market(), 1)) == ("1", "buyer")


def test_every_form_of_a_game_has_its_names() -> None:
    tree = build_tree(Market())
    form = build_extensive_form(tree)
    games = [
        tree,
        tree.sequence_form,
        form,
        form.sequence_form,
        as_game(form),
        serialize(Market()),
        forget_factorization(Market()),
        strategic_form(tree),
        build_product_form(tree),
    ]
    assert [player_name(game, 1) for game in games] == ["buyer"] * len(games)
    folded = fold_chance_player(Market(), lambda world: [("accept", 1)])
    assert own_names(folded) == ("seller",)


def test_a_file_has_names(tmp_path: Any) -> None:
    path = tmp_path / "two.efg"
    text = 'EFG 2 R "two" {{ {} }}\np "" 1 1 "" {{ "a" "b" }} 0\n' + 't "" {} {{ 1 2 }}\n' * 2
    path.write_text(text.format('"Ann" "Bob"', 1, 2).replace('t "" {}', 't "" 1'))
    assert player_name(load_efg(path).sequence_form, 1) == "Bob"
    path.write_text(text.format('"Player 1" "Player 2"', 1, 2))
    assert player_name(load_efg(path).sequence_form, 1) == "player 1"


@pytest.mark.parametrize("names", ["seller", "ab", ("seller",), ("seller", 1), None, 5, {"a", "b"}])
def test_names_of_the_wrong_form(names: Any) -> None:
    class Misnamed(Market):
        player_names = names

    with pytest.raises(GameRuleError, match=r"player_names of Misnamed is .* one text per player"):
        check_game(Misnamed())
    with pytest.raises(GameRuleError, match="player_names of Misnamed is"):
        build_tree(Misnamed()).sequence_form  # noqa: B018


def test_players_are_found_by_number_or_name() -> None:
    assert [find_player(Market(), text) for text in ("0", 1, "buyer", " Seller ")] == [0, 1, 1, 0]
    assert find_player(KUHN, "player 1") == 1
    with pytest.raises(UnknownNameError, match="Market has no player 'byer'; did you mean buyer"):
        find_player(Market(), "byer")
    for number in ("2", "-1", 2):
        with pytest.raises(ParameterError, match=rf"no player '?{number}'?; .*players 0 to 1"):
            find_player(Market(), number)


def test_transcripts_show_names() -> None:
    game = Market()
    history = initial_history(game).extend((NOOP, NOOP), (1,))
    for player, action in ((0, 2), (1, "accept")):
        joint = history.joint({player: action})
        history = history.extend(joint, history.outcomes(joint)[0][0])
    assert transcript(history).splitlines() == [
        "Market",
        "1. chance        | seller sees cost 1",
        "2. seller: 2     | all see 2",
        "3. buyer: accept | all see accept",
        "end: seller gets +1, buyer gets -1",
    ]
    assert transcript(history, viewer=1).splitlines() == [
        "Market, seen by buyer",
        "1. chance      | you see nothing",
        "2. seller: 2   | all see 2",
        "3. you: accept | all see accept",
        "end: you get -1",
    ]


def test_a_form_belongs_to_the_game_of_the_same_names() -> None:
    assert GameSource.of_rules(Market()) == build_tree(Market()).sequence_form.source
    assert GameSource.of_rules(KUHN).player_names == ()
    assert load_game("kuhn_poker").player_names == ()
