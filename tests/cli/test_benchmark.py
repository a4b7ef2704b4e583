"""`infoset benchmark`: score cards, gates, and entries of the leaderboard."""

from __future__ import annotations

from pathlib import Path

import pytest

SUBJECTS = Path(__file__).parents[1] / "benchmark" / "sample_subjects.py"
BOARD = Path(__file__).parents[2] / "docs" / "leaderboard"


@pytest.mark.broad
def test_a_score_card_is_printed_and_saved(command, tmp_path):
    options = ["--games", "matrix_rps", "--seconds", "0.05", "--out", str(tmp_path / "card")]
    ran = command("benchmark", f"{SUBJECTS}:by_cfr", *options)
    assert ran.code == 0
    assert "passed: the same seed gives the same policy (1 games)" in ran.out
    assert "processor time relative to cfr+" in ran.out
    assert (tmp_path / "card" / "card.md").exists()
    assert (tmp_path / "card" / "matrix_rps.svg").exists()
    policy = str(tmp_path / "card" / "matrix_rps.parquet")
    assert command("evaluate", policy, "--json").json["exploitability"] < 0.1


@pytest.mark.broad
def test_a_failed_gate_exits_with_code_1(command):
    options = ["--games", "matrix_rps", "--seconds", "0.05"]
    ran = command("benchmark", f"{SUBJECTS}:raises", *options, "--json")
    assert ran.code == 1
    assert not ran.json["passed"]
    assert ran.json["gates"][0]["found"] == "matrix_rps: ValueError: a mistake"
    leaky = command("benchmark", f"{SUBJECTS}:Leaky", "--games", "kuhn_poker", "--seconds", "0.05")
    assert leaky.code == 1
    assert "FAILED: no decision depends on hidden information" in leaky.out


@pytest.mark.broad
def test_wrong_subjects_and_options_are_named(command):
    assert "unknown subject 'pcfr++'" in command("benchmark", "pcfr++").complaint
    assert "either a SUBJECT" in command("benchmark").complaint
    assert "unknown pack" in command("benchmark", "cfr+", "--pack", "tiny").complaint
    ran = command("benchmark", f"{SUBJECTS}:number")
    assert (ran.code, ran.out) == (2, "")
    assert "\n  def rule(row, values, policy, state): ..." in f"\n{ran.err}"
    assert "error: " in ran.err.splitlines()[-1]
    assert "which are listed above" in ran.err.splitlines()[-1]


def test_an_entry_is_checked(command, tmp_path):
    ran = command("benchmark", "--check", str(BOARD / "leduc-dcfr"))
    assert ran.code == 0
    assert ran.out.endswith(": confirmed\n")
    folder = tmp_path / "entry"
    folder.mkdir()
    for name in ("claim.json", "policy.parquet"):
        (folder / name).write_bytes((BOARD / "leduc-dcfr" / name).read_bytes())
    claim = folder / "claim.json"
    claim.write_text(
        claim.read_text().replace('"exploitability": 0.000', '"exploitability": 0.0000')
    )
    ran = command("benchmark", "--check", str(folder), "--json")
    assert (ran.code, ran.json["is_confirmed"]) == (1, False)
    assert "there is no folder absent; give" in command("benchmark", "--check", "absent").complaint


@pytest.mark.broad
@pytest.mark.parametrize("name", ["Flat", "Small"])
def test_searchers_of_a_file_play_everywhere(command, name, monkeypatch):
    player = f"{SUBJECTS}:{name}"
    assert command("match", "kuhn_poker", player, "uniform", "--deals", "4").code == 0
    found = command("evaluate", "kuhn_poker", player, "--json").json
    assert found["exploitability"] > 0.1
    monkeypatch.setattr("builtins.input", lambda *_: "pass")
    assert "pass" in command("play", "kuhn_poker", "--against", player, "--seed", "1").out
