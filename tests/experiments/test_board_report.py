"""Reports of an endgame over many boards."""

import csv
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

import infoset
from infoset.errors import (
    CheckpointFileError,
    CheckpointMismatchError,
    GameTooLargeError,
    InfosetError,
    UnknownNameError,
    UnsavedWarning,
)
from infoset.evaluation import PublicValues
from infoset.experiments import board_report, report_boards, studies
from infoset.games import NoLimitEndgame, boards_over, with_board
from infoset.tree import build_limits

pytestmark = pytest.mark.broad

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
    text = (folder / "report.md").read_text()
    assert text.startswith(
        "# 3 rivers of nolimit_endgame\n\n"
        f"- Spot: `{GAME}`\n"
        "- Boards: 3 rivers, as given\n"
        f"- Lines: `(start)`, `{LINE}`\n"
        "- Method: auto, float64, target 0.1%pot\n\n"
    )
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


def test_an_interrupted_report_solves_only_the_remaining_boards(made, tmp_path, monkeypatch):
    def stop(*_):
        raise KeyboardInterrupt

    folder = tmp_path / "stopped"
    with pytest.raises(KeyboardInterrupt):
        report_boards(*REPORT, folder, **OPTIONS, callback=stop)
    saved = len([*(folder / "cells").iterdir()])
    solved = []

    def recording(*given, **options):
        solved.append(given)
        return infoset.solve(*given, **options)

    monkeypatch.setattr(board_report, "solve", recording)
    report = report_boards(*REPORT, folder, **OPTIONS).report
    assert report == made.report
    assert saved >= 1
    assert len(solved) == 3 - saved


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


def test_a_sample_is_drawn_by_the_probabilities():
    every = dict(boards_over(GAME, "rivers"))
    drawn = board_report._chosen(GAME, "rivers", 4_000, 1)
    assert sum(drawn.values()) == pytest.approx(1)
    for one, weight in drawn.items():
        assert one.probability == every[one.board]
        assert abs(weight - every[one.board]) < 5 * (every[one.board] / 4_000) ** 0.5
    assert board_report._chosen(GAME, "rivers", 4_000, 1) == drawn
    assert board_report._chosen(GAME, "rivers", 4_000, 2) != drawn


def test_means_of_a_sample_have_standard_errors(tmp_path):
    options = {**OPTIONS, "sample": 12, "seed": 3, "iterations": 20}
    (table,) = report_boards(*REPORT, tmp_path / "r", **options).report.tables
    *rows, mean, error = table.rows
    every = dict(boards_over(GAME, "rivers"))
    assert all(row[2] == every[row[0]] for row in rows)
    assert mean[:3] == ("sample mean", None, pytest.approx(sum(row[2] for row in rows)))
    assert error[:3] == ("standard error", None, None)
    assert "means of a sample of 12 with standard errors" in table.title
    weights = [board_report._chosen(GAME, "rivers", 12, 3)[tuple(row[0:3:2])] for row in rows]
    # One row for each draw: the textbook's error of a mean, and the jackknife's of a ratio.
    numbers = np.repeat(
        np.array([row[3:] for row in rows], float), [round(12 * w) for w in weights], axis=0
    )
    assert len(numbers) == 12
    plain = numbers[:, :5].std(axis=0, ddof=1) / 12**0.5
    assert error[3:8] == pytest.approx(plain.tolist())
    place = table.columns.index(f"{LINE}: reached") - 3
    reach, share = numbers[:, place], numbers[:, place + 1]
    without = [(np.delete(reach * share, k).sum() / np.delete(reach, k).sum()) for k in range(12)]
    jackknife = (11 / 12 * np.square(without - np.mean(without)).sum()) ** 0.5
    assert 0 < error[4 + place] == pytest.approx(jackknife, rel=0.2)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"over": "river"}, "did you mean rivers"),
        ({"sample": 0}, "sample"),
        ({"lines": ["bet 41"]}, "unknown line 'bet 41'; did you mean bet 40"),
        ({"lines": ["check / check"]}, "unknown line 'check / check'; did you mean check / bet 40"),
        ({"target": "0.5pot"}, "is not a number"),
        ({"target": "-1"}, "out of range"),
        ({"method": "foo"}, "method"),
        ({"method": "lp"}, "lp does not run on public forms"),
        ({"method": "foo.py:BAR"}, "foo.py"),
        ({"precision": "int8"}, "precision"),
        ({"precision": "float32", "method": "lp"}, "precision"),
        ({"iterations": 0}, "iterations"),
        ({"threads": 0}, "threads"),
        ({"workers": 0}, "workers"),
        ({"sample": ["Ks9d8h2c3c"]}, "must have 5 cards"),
    ],
)
def test_mistakes_are_named_before_anything_is_written(tmp_path, changed, message):
    given = {"game": GAME, "over": "rivers", "folder": tmp_path / "r", "workers": 1, "sample": 1}
    with pytest.raises(InfosetError, match=message):
        report_boards(**{**given, **changed})
    assert not (tmp_path / "r").exists()


def test_lines_with_cards_are_followed_by_the_rules():
    turn = with_board(GAME, "Ks9d8h4s")
    for line in ("(start)", "all-in", "check / check / 2c", "check / check / ah / bet 40"):
        board_report._check_line(turn, line)
    for line in ("all-in / call", "check / check / Ks", "check / check / 2c / call"):
        with pytest.raises(UnknownNameError, match="unknown line"):
            board_report._check_line(turn, line)


@pytest.mark.parametrize(
    "changed",
    [
        {"game": replace(GAME, stack=61)},
        {"sample": GIVEN[:2]},
        {"target": "0.2%pot"},
        {"iterations": 7},
        {"lines": ["(start)"]},
        {"method": "cfr+"},
        {"precision": "float32"},
    ],
)
def test_another_report_does_not_overwrite_the_first(made, tmp_path, changed):
    folder = tmp_path / "report"
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    given = {"game": GAME, "over": "rivers", "folder": folder, **OPTIONS, **changed}
    with pytest.raises(CheckpointMismatchError, match="is the folder of the study 'report-rivers-"):
        report_boards(**given)
    assert before == {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_damaged_cell_is_named_with_the_remedy(made, tmp_path):
    cell = next((tmp_path / "report" / "cells").iterdir())
    whole = cell.read_text()
    cell.write_text(whole[:-9])
    with pytest.raises(CheckpointFileError, match="delete this file, and run the same command"):
        report_boards(*REPORT, tmp_path / "report", **OPTIONS)
    cell.unlink()
    again = report_boards(*REPORT, tmp_path / "report", **OPTIONS)
    assert again.report == made.report


def test_precision_and_threads_reach_the_solver(made, tmp_path, monkeypatch):
    asked = []

    def recording(*given, **options):
        asked.append((options["precision"], options["threads"]))
        return infoset.solve(*given, **options)

    monkeypatch.setattr(board_report, "solve", recording)
    # Threads do not change results, so they do not make another report.
    again = report_boards(*REPORT, tmp_path / "report", **OPTIONS, threads=2)
    assert (again.report, asked) == (made.report, [])
    options = {**OPTIONS, "sample": GIVEN[:1], "threads": 2, "precision": "int16"}
    report_boards(*REPORT, tmp_path / "other", **options)
    assert asked == [("int16", 2)]


def test_boards_solved_simultaneously_share_the_memory(tmp_path):
    with build_limits(memory=12_000):
        assert board_report._memory(4, None, 100) == 3_000
        assert board_report._memory(4, None, 2) == 6_000
        assert board_report._memory(1, None, 100) is None
        with ThreadPoolExecutor(3) as executor:
            assert board_report._memory(None, executor, 100) == 4_000
        assert board_report._memory(None, Executor(), 100) is None
        options = {**OPTIONS, "workers": 2}
        with pytest.raises(GameTooLargeError, match="share the memory: try workers=1"):
            report_boards(*REPORT, tmp_path / "r", **options)


def test_noise_is_not_shown(made):
    (table,) = made.report.tables
    noisy = replace(table, rows=((*table.rows[0][:3], 4.81e-06, 1.2345678, *table.rows[0][5:]),))
    assert " | 0 | 1.235 | " in str(noisy)
    assert "e-" not in str(noisy)


def test_of_many_boards_some_are_drawn():
    shares = [[k / 99, 1 - k / 99] for k in range(100)]
    rows = [{"lines": [{"actions": ["x", "y"], "frequencies": own}]} for own in shares]
    boards = [board_report.WeightedBoard(f"b{k}", 0.01) for k in range(100)]
    picture = board_report._picture(boards, rows, 0, "(start)", ["x", "y"])
    assert (len(picture.labels), picture.labels[0], picture.labels[-1]) == (60, "b99", "b0")
    assert picture.title == "(start): frequencies by board, 60 of 100"
    assert len(picture.figure().axes[0].patches) == 120
