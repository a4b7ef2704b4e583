"""Reports of an endgame over many boards."""

import csv
from dataclasses import replace

import numpy as np
import pytest

import infoset
from infoset.errors import ParameterError, UnknownNameError, UnsavedWarning
from infoset.evaluation import PublicValues
from infoset.experiments import board_report, report_boards, studies
from infoset.games import NoLimitEndgame, boards_over, with_board

GAME = NoLimitEndgame(
    "Ks9d8h4s",
    pot=80,
    dead=20,
    stack=60,
    bets="50%, a",
    raises="a",
    ranges=["AA,KQs:0.5,QQ", "KK,99,AhQh"],
)


LINE = "check / bet 40"
GIVEN = ["Ks9d8h4s2c", "Ks9d8h4sQd", "Ks9d8h4sAd"]
REPORT = GAME, "rivers"
OPTIONS = {"sample": GIVEN, "lines": ["(start)", LINE], "target": "0.1%pot", "workers": 1}


@pytest.fixture
def made(tmp_path):
    return report_boards(*REPORT, tmp_path / "report", **OPTIONS)


def test_a_row_is_the_solution_of_its_board(made):
    (table,) = made.report.tables
    boards = dict(boards_over(GAME, "rivers", GIVEN))
    assert [row[0] for row in table.rows] == [*GIVEN, "mean"]
    for row in table.rows[:-1]:
        values = dict(zip(table.columns, row, strict=True))
        game = str(with_board(GAME, values["board"]))
        result = infoset.solve(game, form="public", target="0.1%pot")
        assert values["outcome"] == "converged"
        assert values["probability"] == boards[values["board"]]
        assert values["exploitability, % of pot"] == pytest.approx(100 * result.exploitability / 80)
        with_pot = [values[f"EV with the pot, {who}"] for who in ("oop", "ip")]
        assert with_pot == pytest.approx([value + 30 for value in result.values])
        assert sum(with_pot) == pytest.approx(80)
        assert values["equity, oop"] + values["equity, ip"] == pytest.approx(1)
        node = result.policy.form.find_line(LINE)[0]
        exact = PublicValues(result.policy)
        assert values[f"{LINE}: reached"] == pytest.approx(exact.probability(node))
        shown = [values[f"{LINE}: {action}"] for action in ("fold", "call")]
        assert shown == pytest.approx(exact.action_frequencies(node)[:2].tolist())


def test_means_are_weighted_by_what_happens(made):
    (table,) = made.report.tables
    *rows, mean = table.rows
    weights = np.array([row[2] for row in rows])
    assert mean[:3] == ("mean", None, pytest.approx(1))
    numbers = np.array([row[3:] for row in rows], float)
    # The start is reached on every board, the other line more often on some.
    other = table.columns.index(f"{LINE}: reached") - 3
    assert mean[3 : 4 + other] == pytest.approx((weights @ numbers[:, : 1 + other]).tolist())
    reach = weights * numbers[:, other]
    expected = reach @ numbers[:, other + 1 :] / reach.sum()
    assert mean[4 + other :] == pytest.approx(expected.tolist())


def test_files_of_a_report_and_resuming(made, tmp_path, monkeypatch):
    folder = tmp_path / "report"
    assert {*made.files} <= {path.name for path in folder.iterdir()}
    assert (folder / "report.md").read_text().startswith("# 3 rivers of nolimit_endgame\n")
    with (folder / "report.csv").open() as file:
        assert [row["board"] for row in csv.DictReader(file)][-1] == "mean"
    assert LINE in (folder / "report-1.svg").read_text()

    def fails(*_):
        raise AssertionError("solved again")

    monkeypatch.setattr(board_report, "solve", fails)
    done = []
    again = report_boards(*REPORT, folder, **OPTIONS, callback=lambda *counts: done.append(counts))
    assert again.report == made.report
    assert done == [("report", 1, 3), ("report", 2, 3), ("report", 3, 3)]


def test_a_full_disk_costs_the_files_and_not_the_report(made, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device", "report.csv")

    monkeypatch.setattr(studies, "save_report", full)
    with pytest.warns(UnsavedWarning, match=r"cannot write the report of report: report\.csv"):
        again = report_boards(*REPORT, tmp_path / "report", **OPTIONS)
    assert (again.report, again.files) == (made.report, ())


def test_labels_say_what_was_done(tmp_path):
    """With rake there is no exploitability, and one iteration does not reach the target."""
    raked = replace(GAME, rake=0.05)
    options = {**OPTIONS, "iterations": 1, "method": "cfr+"}
    (table,) = report_boards(raked, "rivers", tmp_path / "raked", **options).report.tables
    assert {row[1] for row in table.rows[:-1]} == {"iterations"}
    values = dict(zip(table.columns, table.rows[0], strict=True))
    result = infoset.solve(
        str(with_board(raked, GIVEN[0])), "cfr+", form="public", target="0.1%pot", iterations=1
    )
    largest = 100 * max(result.measured.gains) / 80
    assert values["largest gain, % of pot"] == pytest.approx(largest)
    assert sum(values[f"EV with the pot, {who}"] for who in ("oop", "ip")) < 80


def test_a_sample_is_drawn_by_the_probabilities(tmp_path):
    every = dict(boards_over(GAME, "rivers"))
    drawn = board_report._chosen(GAME, "rivers", 4_000, 1)
    assert sum(one.probability for one in drawn) == pytest.approx(1)
    for one in drawn:
        assert abs(one.probability - every[one.board]) < 5 * (every[one.board] / 4_000) ** 0.5
    assert board_report._chosen(GAME, "rivers", 4_000, 1) == drawn
    assert board_report._chosen(GAME, "rivers", 4_000, 2) != drawn
    with pytest.raises(ParameterError, match="sample"):
        report_boards(GAME, "rivers", tmp_path / "r", sample=0)


def test_mistakes_are_named(tmp_path):
    with pytest.raises(UnknownNameError, match="did you mean rivers"):
        report_boards(GAME, "river", tmp_path / "r")
    with pytest.raises(UnknownNameError, match="unknown line 'bet 41'"):
        report_boards(GAME, "rivers", tmp_path / "r", sample=1, lines=["bet 41"], workers=1)


def test_of_many_boards_some_are_drawn():
    shares = [[k / 99, 1 - k / 99] for k in range(100)]
    rows = [{"lines": [{"actions": ["x", "y"], "frequencies": own}]} for own in shares]
    boards = [board_report.WeightedBoard(f"b{k}", 0.01) for k in range(100)]
    picture = board_report._picture(boards, rows, 0, "(start)", ["x", "y"])
    assert (len(picture.labels), picture.labels[0], picture.labels[-1]) == (60, "b99", "b0")
    assert picture.title == "(start): frequencies by board, 60 of 100"
    assert len(picture.figure().axes[0].patches) == 120
