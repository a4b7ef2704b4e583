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


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"[J]": {"bet": 1}', "cannot be read as JSON"),
        ('{"[X]": {"bet": 1}}', "[X]"),
        ('{"[J]": {"raise": 1}}', "raise"),
        ('{"[J]": {"bet": 0.5}}', "sum to 1"),
    ],
)
def test_likely_mistakes(command, tmp_path, content, message):
    (tmp_path / "lock.json").write_text(content)
    complaint = command("solve", "kuhn_poker", "--lock", "lock.json").complaint
    assert message in complaint
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
