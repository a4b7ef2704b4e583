"""`infoset solve GAME --lock FILE`: fix some probabilities, and solve for the others."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

import infoset
from infoset.policy import random_policy, save_policy_csv
from tests.support.cached_games import cached_tree

RIVER = 'nolimit_endgame(board=Ks9d8h4s2c,pot=100,stack=100,ranges="AA,QQ,JTs")'


def test_a_json_file_locks_kuhn_poker(command, tmp_path):
    (tmp_path / "jacks.json").write_text('{"0": {"[J]": {"bet": 1}}}')
    ran = command("solve", "kuhn_poker", "--lock", "jacks.json", "--out", "run", "--json").json
    assert ran["game"] == "locked(kuhn_poker)"
    assert ran["files"]["lock"] == "lock.json"
    assert ran["values"] == pytest.approx([-5 / 18, 5 / 18], abs=1e-9)
    assert ran["exploitability"] == pytest.approx(0, abs=1e-9)
    assert json.loads((tmp_path / "run/lock.json").read_text()) == {"0": {"[J]": {"bet": 1}}}
    policy = infoset.load_policy(tmp_path / "run/policy.parquet")
    assert policy["[J]", 0] == {"pass": 0.0, "bet": 1.0}
    # In the full game, player 0 gains by deviating from it.
    assert command("evaluate", "run", "--json").json["gains"][0] > 0.2


@pytest.mark.parametrize("form", ["sequence", "public"])
def test_a_csv_file_locks_leduc_poker(command, tmp_path, form):
    """All lines of player 1 are locked, so player 0 plays a best response."""
    tree = cached_tree("leduc_poker")
    fixed = random_policy(tree.sequence_form, np.random.default_rng(3))
    save_policy_csv(fixed, tmp_path / "all.csv")
    lines = (tmp_path / "all.csv").read_text().splitlines(keepends=True)
    column = lines[0].strip().split(",").index("player")
    kept = [line for line in lines if line.split(",")[column].strip() in ("player", "1")]
    (tmp_path / "lock.csv").write_text("".join(kept))
    settings = ("--form", form, "--method", "cfr+", "--iterations", 200, "--out", "run", "--json")
    ran = command("solve", "leduc_poker", "--lock", "lock.csv", *settings)
    measured = infoset.evaluate(fixed)
    assert ran.json["values"][0] == pytest.approx(measured.values[0] + measured.gains[0], abs=1e-2)
    assert (tmp_path / "run/lock.csv").read_text() == "".join(kept)


def test_lines_of_a_river_lock_all_hands(command, tmp_path):
    """A player who folds to every bet loses its half of the pot."""
    (tmp_path / "folds.json").write_text('{"bet 50": {"fold": 1}, "all-in": {"fold": 1}}')
    settings = ("--method", "cfr+", "--iterations", 300, "--out", "run", "--json")
    ran = command("solve", RIVER, "--form", "public", "--lock", "folds.json", *settings).json
    assert ran["values"] == pytest.approx([50, -50], abs=0.05)
    assert ran["nash_conv"] < 0.05
    policy = infoset.load_policy(tmp_path / "run/policy.parquet")
    assert policy["AdAc", "all-in"] == {"fold": 1.0, "call": 0.0}


def test_text_locks_in_proportion_to_the_solution(command, tmp_path):
    """The game is solved without locks first; the policy is a file as any other."""
    limits = ("--method", "cfr+", "--iterations", 100, "--json")
    before = command("solve", RIVER, "--form", "public", "--out", "free", *limits).json
    locks = ("--lock", "check: bet 40%", "--lock", "[AA] / bet 50: call 100%")
    ran = command("solve", RIVER, *locks, "--out", "run", *limits).json
    assert ran["form"] == "public"
    assert ran["locks"] == ["check: bet 40%", "[AA] / bet 50: call 100%"]
    assert ran["before_locks"]["values"] == before["values"]
    assert ran["before_locks"]["exploitability"] == before["exploitability"]
    # Player 0 gains by the mistakes of player 1, who would gain by not making them.
    assert ran["values"][0] > before["values"][0] + 0.5
    whole = ran["whole_game"]
    assert ran["exploitability"] < 0.5 < 1 < whole["gains"][1]
    assert command("evaluate", "run", "--json").json["gains"] == whole["gains"]
    record = json.loads((tmp_path / "run/result.json").read_text())
    assert record["whole_game"] == whole
    based = command("solve", RIVER, *locks, "--base", "free", "--out", "based", *limits).json
    again = command("solve", RIVER, "--form", "public", "--lock", "run/lock.json", *limits).json
    assert based["before_locks"] is None
    assert based["values"] == ran["values"] == again["values"]
    assert infoset.load_policy("run")["AsAh", "bet 50"]["call"] == 1
    nodes = command("show", "run", "--by-node", "--json").json["nodes"]
    assert any(node["node"] == "check" for node in nodes)
    shown = command("solve", RIVER, *locks, "--base", "free", *limits[:-1])
    for row in (
        "locked at check",
        "exploitability in the whole game",
        "gain of player 1 in the",
    ):
        assert row in shown.out
    assert re.search(r"locked at \[AA\] / bet 50 +call 1\.000$", shown.out, re.M)
    assert "before locks" not in shown.out
    free = command("solve", RIVER, *locks, *limits[:-1]).out
    share = f"{before['exploitability']:.6g}"
    assert re.search(rf"exploitability before locks +{share} \(", free)
    played = command("play", RIVER, "--against", "run", "--seed", "1", stdin="q\n")
    assert played.code == 0


def test_options_of_locks(command, tmp_path):
    (tmp_path / "lock.json").write_text('{"check": {"check": 1}}')
    both = ("--lock", "lock.json", "--lock", "[AA] / check: bet 100%", "--form", "public")
    assert "lock.json and '[AA] / check: bet 100%' lock" in command("solve", RIVER, *both).complaint
    alone = command("solve", RIVER, "--base", "uniform").complaint
    assert "--base needs --lock" in alone
    saved = ("--lock", "check: bet 40%", "--checkpoint", "saved")
    assert "pass the folder of that run as --base" in command("solve", RIVER, *saved).complaint
    # Nothing is solved before all locks have been read.
    text = ("--lock", "check: bet 40%", "--lock", "chek: bet 40%", "--seconds", 1000)
    assert "did you mean check" in command("solve", RIVER, *text).complaint
    tree = ("--form", "sequence", "--lock", "pass: bet 40%")
    line = command("solve", "kuhn_poker", *tree).complaint
    assert "only on a public form" in line
    kuhn = ("--lock", "[J]: bet 100%", "--method", "lp", "--json")
    assert command("solve", "kuhn_poker", *kuhn).json["values"][0] == pytest.approx(-5 / 18)
    assert "omit the option" in command(
        "solve", "kuhn_poker", "--lock", "[J]: bet 1", "--method", "progressive-hiding"
    ).complaint  # fmt: skip


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"[J]": {"bet": 1}', "cannot be read as JSON"),
        ("{}", "lock.json locks no infostate: give the probabilities at the infostates to lock"),
        ('{"0": {}}', "locks no infostate"),
        ('{"[J]": {}}', "sum to 1"),
        ('{"[X]": {"bet": 1}}', "[X]"),
        ('{"[J]": {"raise": 1}}', "raise"),
        ('{"[J]": {"bet": 0.5}}', "sum to 1"),
    ],
)
def test_likely_mistakes(command, tmp_path, content, message):
    (tmp_path / "lock.json").write_text(content)
    complaint = command("solve", "kuhn_poker", "--lock", "lock.json").complaint
    assert message in complaint
    (tmp_path / "lock.csv").write_text("player,infostate,action,probability\n")
    empty = command("solve", "kuhn_poker", "--lock", "lock.csv").complaint
    assert "lock.csv locks no infostate" in empty
    missing = command("solve", "kuhn_poker", "--lock", "none.json").complaint
    assert "there is no file none.json" in missing


def test_the_stored_policy_is_measured_with_the_locks(command, tmp_path):
    """In the full game, one could gain a lot by not checking always."""
    (tmp_path / "lock.json").write_text('{"(start)": {"check": 1.0}}')
    settings = ("--form", "public", "--method", "cfr+", "--iterations", 100, "--out", "run")
    ran = command("solve", RIVER, "--lock", "lock.json", "--storage", "uint8", *settings)
    [error, whole, as_stored] = [
        float(re.search(r"\d\S*", line)[0])
        for line in ran.out.splitlines()
        if line.strip().startswith("exploitability")
    ]
    assert as_stored == pytest.approx(error, abs=1.0)
    measured = command("evaluate", "run", "--json").json["exploitability"]
    assert measured == pytest.approx(whole, abs=1.0)
    assert whole > 10.0
