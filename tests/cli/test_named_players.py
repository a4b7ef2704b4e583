"""Names of players in tables, pictures and plays, and as values of options."""

from __future__ import annotations

import shutil

import pytest

from tests.support import market

pytestmark = pytest.mark.broad

GAME = "market.py:Market"


@pytest.fixture
def solved(command, tmp_path, monkeypatch):
    """Solve the market in a new folder."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(market.__file__, "market.py")
    ran = command("solve", GAME, "--method", "lp", "--out", "run")
    assert ran.code == 0
    return ran


def test_tables_show_names_and_json_numbers(command, solved):
    assert "value of seller" in solved.out
    assert "value of buyer" in solved.out
    table = command("evaluate", GAME, "run").out
    assert [line.split()[0] for line in table.splitlines() if "er " in line] == [
        "player",
        "seller",
        "buyer",
    ]
    assert "as buyer" in command("match", GAME, "run", "uniform").out
    assert command("info", GAME).out.splitlines()[1].split(maxsplit=1)[1] == "2: seller, buyer"
    assert "value of seller: 0, about 0" in command("prove", GAME).out
    assert "security level of seller" not in command("evaluate", GAME, "run", "--json").out


@pytest.mark.parametrize("player", ["buyer", "Buyer", "1"])
def test_options_accept_names(command, solved, player):
    shown = command("show", GAME, "run", "--player", player)
    assert "buyer: 2 infostates" in shown.out
    assert "seller" not in shown.out
    assert (
        command("show", GAME, "run", "--player", player, "--json").json["infostates"][0]["player"]
        == 1
    )
    response = command("respond", GAME, "run", "--player", player, "--out", "response")
    assert "best response of buyer to run" in response.out
    assert "--player 0" in response.out
    found = command("draw", GAME, "--view", "infostate", "--player", player, "--out", "a.svg")
    assert "infostates of buyer" in found.out
    played = command("play", GAME, "--player", player, "--seed", "1", stdin="accept\nq\n")
    assert "you are buyer (player 1 of 2), against uniform" in played.out
    assert "2. seller: " in played.out
    assert "buyer: accept" in played.out


@pytest.mark.parametrize("verb", ["show", "respond"])
def test_an_unknown_name_is_answered_with_the_known_ones(command, solved, verb):
    ran = command(verb, GAME, "run", "--player", "byer")
    assert "Market has no player 'byer'; did you mean buyer?" in ran.complaint
    assert "there is no player 2; Market has players 0 to 1" in (
        command(verb, GAME, "run", "--player", "2").complaint
    )


def test_pictures_show_names(command, solved):
    command("draw", GAME, "--out", "tree.svg")
    with open("tree.svg", encoding="utf-8") as file:
        text = file.read()
    assert "private information of seller" in text
    assert "player 0" not in text
    command("draw", GAME, "--view", "policy", "--policy", "run", "--out", "policy.svg")
    with open("policy.svg", encoding="utf-8") as file:
        text = file.read()
    assert ">seller<" in text
    assert "cost 3" in text


def test_the_coach_names_who_holds_what(command, solved):
    played = command(
        "play", GAME, "--player", "buyer", "--coach", "run", "--seed", "1", stdin="!\nq\n"
    )
    assert "seller holds: " in played.out
