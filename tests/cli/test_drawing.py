"""`infoset draw`: files, messages, and errors in one line."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize("suffix", ["svg", "png"])
def test_a_file_is_written_and_named(command, suffix):
    shown = command("draw", "matrix_mp", "--out", f"pennies.{suffix}")
    assert shown.code == 0
    assert shown.out.splitlines() == [
        "matrix_mp: histories, infosets of every player, public states",
        f"saved in pennies.{suffix}",
    ]
    assert Path(f"pennies.{suffix}").stat().st_size > 1000


def test_views_and_player(command):
    view = ["--view", "infostate", "--player", "1"]
    shown = command("draw", "kuhn_poker", *view, "--out", "a.svg")
    assert shown.out.splitlines()[0] == "kuhn_poker: infostates of player 1"
    assert "infostates of player 1" in Path("a.svg").read_text("utf-8")
    assert (
        len(command("draw", "kuhn_poker", "--view", "all", "--out", "a.svg").out.splitlines()) == 4
    )


def test_a_large_game_is_cut_and_not_an_error(command):
    shown = command("draw", "liars_dice(numdice=20,dice_sides=1)", "--depth", "2", "--out", "a.svg")
    assert shown.code == 0
    assert "more histories below depth 2" in shown.out
    assert "more histories below depth 2" in Path("a.svg").read_text("utf-8")


def test_as_json(command):
    arguments = ["--view", "all", "--max-nodes", "40", "--json", "--out", "a.svg"]
    found = command("draw", "leduc_poker", *arguments).json
    assert (found["game"], found["view"], found["file"]) == ("leduc_poker", "all", "a.svg")
    assert [picture["view"] for picture in found["pictures"]] == ["public", "infostate", "history"]
    assert found["pictures"][2]["nodes"] == 31
    assert found["pictures"][2]["omitted"] == "… 9,420 more histories below depth 1"


def test_a_policy_from_a_file(command):
    command("solve", "kuhn_poker", "--method", "lp", "--out", "run")
    shown = command("draw", "kuhn_poker", "--policy", "run/policy.parquet", "--out", "a.svg")
    assert shown.code == 0
    assert "pass  0.67" in Path("a.svg").read_text("utf-8")
    other = command("draw", "leduc_poker", "--policy", "run/policy.parquet", "--out", "b.svg")
    assert "holds a policy for kuhn_poker" in other.complaint
    assert not Path("b.svg").exists()


def test_a_policy_is_a_view(command):
    command("solve", "kuhn_poker", "--method", "lp", "--out", "run")
    shown = command("draw", "kuhn_poker", "--view", "policy", "--policy", "run", "--out", "a.svg")
    assert shown.out.splitlines() == ["saved in a.svg"]
    text = Path("a.svg").read_text("utf-8")
    assert all(f">{word}<" in text for word in ("player 0", "J", "pass / bet", "bet"))
    rows = ["--policy", "uniform", "--max-nodes", "1", "--out", "b.svg"]
    command("draw", "kuhn_poker", "--view", "policy", *rows)
    assert ">player 0 (1 of 2 public states)<" in Path("b.svg").read_text("utf-8")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--out", "a.svg", "--view", "policy"],
            "give policy= (--policy POLICY)",
        ),
        (["--out", "a.gif"], "'a.gif'; use a name that ends in .svg or .png or .pdf"),
        (["--out", "nowhere/a.svg"], "no folder nowhere"),
        (["--out", "a.svg", "--player", "2"], "no player 2"),
        (["--out", "a.svg", "--view", "publik"], "did you mean public?"),
        (["--out", "a.svg", "--depth", "-1"], "depth=-1"),
        (["--out", "a.svg", "--max-nodes", "0"], "max_nodes=0"),
        (["--out", "a.svg", "--policy", "none.parquet"], "none.parquet"),
    ],
)
def test_errors_are_one_line(command, arguments, message):
    assert message in command("draw", "kuhn_poker", *arguments).complaint
    assert not Path("a.svg").exists()


def test_without_the_extra_the_error_names_the_fix(command, monkeypatch):
    monkeypatch.setitem(sys.modules, "pygraphviz", None)
    complaint = command("draw", "kuhn_poker", "--out", "a.svg").complaint
    assert "pip install 'infoset[draw]'" in complaint


def test_a_payoff_table_is_saved(command):
    ran = command(
        "draw", "matrix_rps", "--view", "payoffs", "--policy", "uniform", "--out", "a.svg"
    )
    assert ran.out == "saved in a.svg\n"
