"""The command `export`, and the other commands on an .efg file."""

from __future__ import annotations

from pathlib import Path

import pytest

import infoset
from infoset.efg import format_efg, format_liteefg, format_nfg
from infoset.games import load_game
from infoset.policy import save_policy, uniform_policy

GAMES = Path(__file__).parents[1] / "efg" / "files" / "games"
POKER = GAMES / "one_card_poker.efg"


def test_export_writes_the_game(command, tmp_path):
    done = command("export", "kuhn_poker", "--out", "kuhn.efg")
    assert done.code == 0
    assert done.out == "saved kuhn_poker in kuhn.efg (2.0 kB)\n"
    assert (tmp_path / "kuhn.efg").read_text() == format_efg(load_game("kuhn_poker"))


def test_export_as_json_replaces_a_file(command, tmp_path):
    (tmp_path / "game.EFG").write_text("old")
    done = command("export", str(POKER), "--out", "game.EFG", "--json")
    size = (tmp_path / "game.EFG").stat().st_size
    assert done.json == {"game": "One card for one of them", "file": "game.EFG", "bytes": size}
    assert [path.name for path in tmp_path.iterdir()] == ["game.EFG"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (
            ["kuhn_poker", "--out", "kuhn.txt"],
            "unknown file format '.txt'; known: .efg, .game, .nfg",
        ),
        (["kuhn_poker", "--out", "kuhn"], "unknown file format ''; known: .efg, .game, .nfg"),
        (["kuhn_poker", "--out", "nowhere/kuhn.efg"], "there is no folder nowhere for kuhn.efg"),
        (["kuhn_pokr", "--out", "kuhn.efg"], "did you mean kuhn_poker"),
        (["kuhn_poker"], "--out"),
    ],
)
def test_what_cannot_be_exported_leaves_nothing(command, tmp_path, arguments, says):
    assert says in command("export", *arguments).complaint
    assert not list(tmp_path.iterdir())


@pytest.mark.broad
def test_a_game_exported_is_the_same_game(command):
    command("export", "leduc_poker(num_ranks=2)", "--out", "small.efg")
    there, back = (
        command("info", game, "--json").json for game in ("leduc_poker(num_ranks=2)", "small.efg")
    )
    same = ["game", "num_players", "histories", "terminals", "acting_infostates", "sequences"]
    assert [there[key] for key in same] == [back[key] for key in same]
    values = [
        command("solve", game, "--method", "lp", "--json").json["values"]
        for game in ("leduc_poker(num_ranks=2)", "small.efg")
    ]
    assert values[0] == pytest.approx(values[1])


@pytest.mark.parametrize(
    ("name", "expected"), [("pd.nfg", format_nfg), ("pd.game", format_liteefg)]
)
def test_the_extension_selects_the_format(command, tmp_path, name, expected):
    assert command("export", "matrix_pd", "--out", name).code == 0
    assert (tmp_path / name).read_text() == expected(load_game("matrix_pd"))


def test_a_table_is_exported_and_solved(command):
    command("export", "matrix_brps", "--out", "game.nfg")
    solved = command("solve", "game.nfg", "--method", "lp", "--out", "run", "--json").json
    assert solved["values"] == pytest.approx([0, 0])
    (row, _) = command("show", "game.nfg", "run/policy.parquet", "--json").json["infostates"]
    assert row["probabilities"] == pytest.approx([1 / 16, 10 / 16, 5 / 16])
    assert (
        "at most 1,000,000 payoffs"
        in command("export", "leduc_poker", "--out", "leduc.nfg").complaint
    )


def test_solve_show_and_evaluate_a_file(command):
    solved = command("solve", POKER, "--method", "lp", "--out", "run", "--json").json
    assert solved["values"] == pytest.approx([1 / 3, -1 / 3])
    shown = command("show", POKER, "run/policy.parquet", "--json").json
    shares = {row["infostate"]: row["probabilities"][0] for row in shown["infostates"]}
    assert shares == pytest.approx({"holds red": 1, "holds black": 1 / 3, "sees a raise": 2 / 3})
    found = command("evaluate", POKER, "run/policy.parquet", "--json").json
    assert found["values"] == pytest.approx([1 / 3, -1 / 3])
    assert found["exploitability"] == pytest.approx(0, abs=1e-9)


def test_games_without_recall_are_described_and_not_solved(command):
    kinds = {
        "absent_minded_driver.efg": (
            "player 0 is absent-minded: it cannot tell 'first exit' from 'second exit'"
        ),
        "forgotten_coin.efg": (
            "player 0 forgets its own move: it cannot tell 'heads look' from 'tails look'"
        ),
    }
    for name, found in kinds.items():
        described = command("info", GAMES / name, "--json").json
        assert described["perfect_recall"] is False
        assert [note.partition(" (inf")[0] for note in described["notes"]] == [
            f"imperfect recall: {found}"
        ]
        assert found in command("solve", GAMES / name).complaint
        assert found in command("learn", GAMES / name, "--episodes", "1").complaint
        assert found in command("check", GAMES / name).complaint


def test_a_policy_of_unknown_origin_is_shown_without_a_method(command):
    form = infoset.build_tree("kuhn_poker").sequence_form
    save_policy(uniform_policy(form), "plain.parquet")
    assert command("show", "plain.parquet").out.splitlines()[0] == "kuhn_poker: plain.parquet"


@pytest.mark.broad
def test_teams_in_a_file_learn_without_private_signals(command):
    command("export", "kuhn_poker(players=3)", "--out", "three.efg")
    teams = ["--teams", "0,1/2", "--rule", "sum", "--iterations", "3"]
    ran = command("solve", "three.efg", *teams, "--json")
    closure = command("solve", "three.efg", *teams, "--relax", "closure", "--json")
    assert (ran.code, closure.code) == (0, 0)
    assert ran.json["payoffs"] == closure.json["payoffs"]
    refused = command("solve", "three.efg", *teams, "--relax", "recall").complaint
    assert "records no private signals; use relax='closure'" in refused


def test_a_file_that_is_wrong(command, tmp_path):
    (tmp_path / "bad.efg").write_text('EFG 2 R "bad" { "A" }\np "" 1 1 "" { } 0')
    says = command("info", "bad.efg").complaint
    assert says == (
        "error: bad.efg, line 2, column 15: read }, expected the label of an action, in quotes\n"
    )
    assert "there is no file or folder none.efg" in command("solve", "none.efg").complaint
