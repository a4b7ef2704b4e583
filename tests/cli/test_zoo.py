"""`infoset zoo`, and `verify` of its policies."""

from __future__ import annotations

from infoset.benchmark import pack_checks
from infoset.games import get_pack_entry


def test_the_list_names_games_values_and_recipes(command):
    shown = command("zoo", "list", "--pack", "small").out
    assert "kuhn_poker" in shown
    assert "-1/18" in shown
    games = command("zoo", "--json").json["games"]
    dice = next(game for game in games if game["name"] == "liars_dice_1x6")
    assert (dice["lower"], dice["upper"], dice["installed"]) == ("-7/258", "-7/258", False)


def test_make_and_verify_a_policy(command, tmp_path):
    path = tmp_path / "kuhn.parquet"
    found = command("zoo", "make", "kuhn_poker", "--out", str(path), "--json").json
    assert found["digest"] == found["expected_digest"]
    assert "value of player 0: -1/18" in command("verify", str(path)).out
    assert "value of player 0: 1/9" in command("verify", "zoo:liars_dice_1x3").out
    assert "the zoo has no game" in command("zoo", "make", "poker").complaint
    assert "infoset zoo make NAME" in command("zoo", "make").complaint
    assert "unknown pack" in command("zoo", "list", "--pack", "tiny").complaint


def test_a_wrong_statement_fails_the_check(command, monkeypatch):
    ran = command("zoo", "check", "kuhn_poker")
    assert (ran.code, ran.out) == (0, "kuhn_poker: as stated\n")
    assert get_pack_entry("kuhn_poker").payoffs == 30
    monkeypatch.setattr(pack_checks, "_wrong_numbers", lambda *_: ["another value"])
    ran = command("zoo", "check", "kuhn_poker")
    assert (ran.code, ran.out) == (1, "kuhn_poker: another value\n")
