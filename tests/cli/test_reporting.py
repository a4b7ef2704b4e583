"""The command `report`: its table, its files, resumed runs, and mistakes."""

from pathlib import Path

import pytest

SPOT = (
    "nolimit_endgame(board=Ks9d8h4s,pot=80,stack=60,bets='50%, a',raises=a,"
    "ranges=['AA,KQs,QQ';'KK,99,AhQh'])"
)
RUN = ("report", SPOT, "--over", "rivers", "--workers", 1)


def test_a_report_is_printed_and_saved(command):
    Path("boards.txt").write_text("Ks9d8h4s2c\n\nks 9d 8h 4s Qd\n")
    ran = command(*RUN, "--sample", "boards.txt", "--line", "check", "--out", "out")
    assert ran.code == 0
    assert "2 rivers" in ran.out
    assert "check: bet 40" in ran.out.replace("\n", " ")
    assert "saved in out: report.md, report.csv, report.svg" in ran.out
    again = command(
        *RUN, "--sample", "boards.txt", "--line", "check", "--out", "out", "--json"
    ).json
    assert [row["board"] for row in again["boards"]] == ["Ks9d8h4s2c", "Ks9d8h4sQd", "mean"]
    assert again["boards"][0]["probability"] + again["boards"][1]["probability"] == pytest.approx(1)


@pytest.mark.broad
def test_long_reports_are_shortened(command):
    ran = command(
        "report", SPOT.replace("4s", ""), "--over", "rivers", "--sample", 90, "--iterations", 1
    )
    assert ran.out.count("\n  Ks9d8h") == 60
    assert "\n  ..." in ran.out
    assert "\n  sample mean" in ran.out
    assert "\n  standard error" in ran.out


def test_by_default_each_report_has_its_own_folder(command):
    options = ("--iterations", 5, "--json")
    first = command(*RUN, "--sample", 1, *options).json
    assert first["folder"].startswith("runs/report-rivers-Ks9d8h4s-")
    text = Path(first["folder"], "report.csv").read_text()
    other = command("report", SPOT.replace("80", "90"), *RUN[2:], "--sample", 1, *options).json
    assert command(*RUN, "--sample", 2, *options).json["folder"] not in (
        first["folder"],
        other["folder"],
    )
    assert command(*RUN, "--sample", 1, "--threads", 2, *options).json == first
    assert Path(first["folder"], "report.csv").read_text() == text
    assert len([*Path("runs").iterdir()]) == 3


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("report", "kuhn_poker"), "report solves hold'em endgames, and kuhn_poker is another"),
        ((*RUN, "--over", "streets"), "unknown over 'streets'"),
        ((*RUN, "--sample", "missing.txt"), "is not a number, all, or a readable file"),
        ((*RUN, "--sample", "0"), "sample"),
        ((*RUN, "--sample", "-1"), "sample=-1 must be a whole number, at least 1"),
        ((*RUN, "--sample", "1", "--target", "1e-20"), "the rounding error of float64"),
        ((*RUN, "--line", "bet 7", "--sample", 1), "unknown line 'bet 7'"),
        ((*RUN, "--target", "0.5pot"), "is not a number"),
        ((*RUN, "--method", "lp"), "lp does not run on public forms"),
        ((*RUN, "--precision", "int8"), "precision"),
    ],
)
def test_mistakes_are_named(command, options, message):
    assert message in command(*options).complaint
    assert not [*Path().glob("runs/*")]


def test_mistakes_in_files_of_boards_are_named(command):
    Path("boards.txt").write_text("Ks9d8h4s2c\n\nset_pot 60\n")
    complaint = command(*RUN, "--sample", "boards.txt").complaint
    assert "--sample boards.txt, line 3: 'set_pot 60' has 'se' as card 1" in complaint
    assert "write one board per line" in complaint
