"""Reports of an endgame over many boards."""

import csv

import numpy as np
import pytest

import infoset
from infoset.errors import ParameterError, UnknownNameError
from infoset.experiments import board_report, report_boards
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


@pytest.fixture
def made(tmp_path):
    return report_boards(
        GAME,
        "rivers",
        tmp_path / "report",
        sample=["Ks9d8h4s2c", "Ks9d8h4sQd", "Ks9d8h4sAd"],
        lines=["(start)", "check / bet 40"],
        target="0.1%pot",
        workers=1,
    )


def test_a_row_is_the_solution_of_its_board(made):
    (table,) = made.report.tables
    for row, one in zip(table.rows, made.boards, strict=False):
        values = dict(zip(table.columns, row, strict=True))
        result = infoset.solve(str(with_board(GAME, one.board)), form="public", target="0.1%pot")
        assert (values["board"], values["probability"]) == (one.board, one.probability)
        assert values["exploitability, % of pot"] == pytest.approx(100 * result.exploitability / 80)
        with_pot = [values[f"EV with the pot, {who}"] for who in ("oop", "ip")]
        assert with_pot == pytest.approx([value + 30 for value in result.values])
        assert sum(with_pot) == pytest.approx(80)
        assert values["equity, oop"] + values["equity, ip"] == pytest.approx(1)
        node = result.policy.form.find_line("check / bet 40")[0]
        exact = infoset.evaluation.PublicValues(result.policy).action_frequencies(node)
        shown = [values[f"check / bet 40: {action}"] for action in ("fold", "call")]
        assert shown == pytest.approx(exact[:2].tolist())


def test_means_are_weighted_by_what_happens(made):
    (table,) = made.report.tables
    *rows, mean = table.rows
    weights = np.array([row[1] for row in rows])
    assert (mean[0], mean[1]) == ("mean", pytest.approx(1))
    numbers = np.array([row[2:] for row in rows], float)
    start = table.columns.index("(start): check") - 2
    # The start is reached on every board, the other line more often on some.
    for column in range(start + 3):
        assert mean[2 + column] == pytest.approx(float(weights @ numbers[:, column]))
    reach = weights * [result["lines"][1]["probability"] for result in made.results]
    column = table.columns.index("check / bet 40: call")
    expected = float(reach @ numbers[:, column - 2] / reach.sum())
    assert mean[column] == pytest.approx(expected)


def test_files_of_a_report_and_resuming(made, tmp_path, monkeypatch):
    folder = tmp_path / "report"
    assert {*made.files} <= {path.name for path in folder.iterdir()}
    with (folder / "report.csv").open() as file:
        assert [row["board"] for row in csv.DictReader(file)][-1] == "mean"
    assert "check / bet 40" in (folder / "report-1.svg").read_text()

    def fails(*_):
        raise AssertionError("solved again")

    monkeypatch.setattr(board_report, "solve", fails)
    given = [one.board for one in made.boards]
    lines, done = ["(start)", "check / bet 40"], []
    again = report_boards(
        GAME,
        "rivers",
        folder,
        sample=given,
        lines=lines,
        target="0.1%pot",
        workers=1,
        callback=lambda *counts: done.append(counts),
    )
    assert again.report == made.report
    assert done == [(1, 3), (2, 3), (3, 3)]


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
