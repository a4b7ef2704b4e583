"""The output folder of `solve`."""

from __future__ import annotations

import csv
import json
import os
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache
from math import nan

import pytest

import infoset
from infoset.errors import ParameterError, ResultFileError
from infoset.experiments import (
    RUN_FILES,
    check_results,
    check_writable,
    run_folder,
    run_slug,
    save_learning,
    save_run,
)
from infoset.games import MatrixGame, matrix_game
from infoset.policy import distance, load_policy, read_metadata
from infoset.runs import read_traces
from infoset.utils.checksums import with_checksum
from tests.support.empty_charts import PNG

pytestmark = pytest.mark.usefixtures("empty_charts")


@cache
def kuhn_solution():
    return infoset.solve("kuhn_poker(players=2)", "cfr+", iterations=30)


@cache
def pennies_solution():
    return infoset.solve("matrix_mp", "cfr+", iterations=2)


FILES = sorted(RUN_FILES.values())


@dataclass(frozen=True)
class Homemade(MatrixGame):
    """A game that is not registered, with parameters that JSON does not support."""

    name = "homemade"
    odds: object = nan
    shape: object = frozenset({1})


def read_json(path):
    def refuse(constant):
        raise AssertionError(f"{constant} is not JSON")

    return json.loads(path.read_text(), parse_constant=refuse)


def test_the_four_files(tmp_path, charts):
    folder = save_run(kuhn_solution(), tmp_path / "deep" / "run")
    assert folder == tmp_path / "deep" / "run"
    assert sorted(os.listdir(folder)) == FILES
    policy = load_policy(folder / "policy.parquet", kuhn_solution().policy.form)
    assert distance(policy, kuhn_solution().policy) == 0
    picture = (folder / "convergence.png").read_bytes()
    assert picture.startswith(PNG)
    assert len(picture) > 5000


def test_the_metadata_of_the_policy(tmp_path):
    folder = save_run(kuhn_solution(), tmp_path / "run")
    found = read_metadata(folder / "policy.parquet")
    assert found.pop("measured")["nash_conv"] == kuhn_solution().nash_conv
    assert found == {
        "game": "kuhn_poker",
        "parameters": {"players": 2, "num_cards": -1},
        "source": {"kind": "rules", "rules": "infoset.games.kuhn_poker.KuhnPoker"},
        "method": "cfr+",
        "seed": None,
        "version": infoset.__version__,
        "fingerprint": kuhn_solution().policy.form.fingerprint,
        "format": 3,
    }


def test_locked_probabilities_are_copied(tmp_path):
    lock = tmp_path / "mine.json"
    lock.write_text('{"[J]": {"bet": 1}}')
    folder = save_run(kuhn_solution(), tmp_path / "run", lock=lock)
    assert (folder / "lock.json").read_text() == lock.read_text()
    assert read_json(folder / "result.json")["files"]["lock"] == "lock.json"
    check_results(folder)


def test_the_result(tmp_path):
    folder = save_run(kuhn_solution(), tmp_path / "run")
    result = read_json(folder / "result.json")
    assert {key: result[key] for key in kuhn_solution().summary()} == kuhn_solution().summary()
    assert result["parameters"] == {"players": 2, "num_cards": -1}
    assert result["version"] == infoset.__version__
    assert result["files"] == dict(RUN_FILES)
    assert result["seed"] is None
    assert re.fullmatch(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00", result["finished"])


def test_the_trace_has_every_measurement_with_all_digits(tmp_path):
    folder = save_run(kuhn_solution(), tmp_path / "run")
    with (folder / "trace.csv").open(newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0] == [
        "iteration",
        "seconds",
        "value_0",
        "value_1",
        "nash_conv",
        "exploitability",
    ]
    assert len(rows) == 1 + len(kuhn_solution().trace)
    for row, point in zip(rows[1:], kuhn_solution().trace, strict=True):
        expected = [point.seconds, *point.values, point.nash_conv, point.exploitability]
        assert int(row[0]) == point.iteration
        assert [float(text) for text in row[1:]] == expected


def test_what_a_game_lacks_is_empty_or_null(tmp_path):
    result = infoset.solve("kuhn_poker(players=3)", iterations=2)
    folder = save_run(result, tmp_path / "run")
    lines = (folder / "trace.csv").read_text().splitlines()
    assert lines[0] == "iteration,seconds,value_0,value_1,value_2,nash_conv,exploitability"
    assert all(line.endswith(",") for line in lines[1:])
    assert read_json(folder / "result.json")["exploitability"] is None


def test_a_folder_is_never_overwritten(tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "mine.txt").write_text("keep")
    (tmp_path / "run-2").write_text("a file of that name")
    folder = save_run(pennies_solution(), tmp_path / "run")
    assert folder.name == "run-3"
    assert os.listdir(tmp_path / "run") == ["mine.txt"]
    assert (tmp_path / "run-2").read_text() == "a file of that name"


def test_concurrent_runs_get_different_folders(tmp_path, monkeypatch):
    monkeypatch.setattr(run_folder, "write_picture", lambda result, path: path.touch())
    with ThreadPoolExecutor(8) as pool:
        folders = list(
            pool.map(lambda _: save_run(pennies_solution(), tmp_path / "run"), range(16))
        )
    assert len(set(folders)) == 16
    assert {path.name for path in folders} == {"run", *(f"run-{n}" for n in range(2, 17))}
    assert all(sorted(os.listdir(path)) == FILES for path in folders)


def test_by_default_it_is_named_after_game_and_method_under_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert str(save_run(pennies_solution())) == os.path.join("runs", "matrix_mp-cfr-plus")
    assert str(save_run(pennies_solution())) == os.path.join("runs", "matrix_mp-cfr-plus-2")


@pytest.mark.parametrize(
    ("game", "method", "slug"),
    [
        ("kuhn_poker", "cfr", "kuhn_poker-cfr"),
        ("kuhn_poker", "CFR+", "kuhn_poker-CFR-plus"),
        ("leduc_poker(num_ranks=4,players=3)", "lp", "leduc_poker-num_ranks-4-players-3-lp"),
        ("openspiel:go(board_size=2)", "cfr+", "openspiel-go-board_size-2-cfr-plus"),
        ("../../etc/passwd", "cfr", "etc-passwd-cfr"),
        ("Pökér ♠", "cfr", "P-k-r-cfr"),
        ("♠", "cfr", "cfr"),
    ],
)
def test_slugs(game, method, slug):
    assert run_slug(game, method) == slug


def test_a_slug_is_never_too_long_for_a_file_name_and_keeps_the_method():
    slug = run_slug("matrix_game(" + "1," * 500 + ")", "cfr+")
    assert len(slug) <= 100
    assert slug.endswith("-cfr-plus")
    assert re.fullmatch(r"[A-Za-z0-9_-]+", slug)


def test_a_custom_game_gives_its_parameters(tmp_path):
    parts = matrix_game([[1, -1], [-1, 1]])
    game = Homemade(parts.row_payoffs, None, parts.row_actions, parts.column_actions)
    result = infoset.solve(game, iterations=1)
    told = save_run(result, tmp_path / "told", game=game)
    untold = save_run(result, tmp_path / "untold")
    parameters = read_metadata(told / "policy.parquet")["parameters"]
    assert parameters["row_payoffs"] == [[1, -1], [-1, 1]]
    assert parameters["odds"] is None
    assert parameters["shape"] == "frozenset({1})"
    assert read_json(told / "result.json")["parameters"] == parameters
    assert read_metadata(untold / "policy.parquet")["parameters"] == parameters


def test_numbers_that_json_lacks_are_null(tmp_path):
    measured = replace(pennies_solution().measured, nash_conv=nan)
    folder = save_run(replace(pennies_solution(), measured=measured), tmp_path / "run")
    assert read_json(folder / "result.json")["nash_conv"] is None


def test_a_failure_leaves_no_half_written_file(tmp_path, monkeypatch):
    def fail(result, path):
        path.write_bytes(PNG)
        raise OSError(28, "No space left on device", str(path))

    monkeypatch.setattr(run_folder, "write_picture", fail)
    with pytest.raises(ParameterError, match=r"convergence\.png to the folder .*run: No space"):
        save_run(pennies_solution(), tmp_path / "run")
    assert os.listdir(tmp_path) == []


def test_changed_files_are_found_by_their_checksums(tmp_path, charts):
    folder = save_run(pennies_solution(), tmp_path / "run")
    assert check_results(folder) == read_json(folder / "result.json")
    for name in FILES:
        whole = (folder / name).read_bytes()
        place = len(whole) // 2
        place += next(n for n, byte in enumerate(whole[place:]) if chr(byte).isdigit())
        changed = str((int(chr(whole[place])) + 1) % 10).encode()
        (folder / name).write_bytes(whole[:place] + changed + whole[place + 1 :])
        with pytest.raises(ResultFileError, match=rf"{name} in .* does not match its checksum"):
            check_results(folder)
        (folder / name).unlink()
        with pytest.raises(ResultFileError, match=r"damaged|has no file"):
            check_results(folder)
        (folder / name).write_bytes(whole)
    check_results(folder)
    (folder / "result.json").write_text('{"files": 3}')
    with pytest.raises(ResultFileError, match="checksums is missing"):
        check_results(folder)


@pytest.mark.parametrize("name", ["/dev/zero", "../outside", "", ".", "pipe"])
def test_only_files_of_the_folder_are_read(tmp_path, name):
    """A forged record could name a file that never ends."""
    folder = save_run(pennies_solution(), tmp_path / "run")
    os.mkfifo(folder / "pipe")
    record = read_json(folder / "result.json")
    del record["sha256"]
    record["checksums"][name] = "0"
    (folder / "result.json").write_text(json.dumps(with_checksum(record)))
    with pytest.raises(ResultFileError, match="not the name of a file in the folder"):
        check_results(folder)


@pytest.mark.parametrize("what", ["files", "checksums"])
def test_every_file_of_a_record_has_a_checksum(tmp_path, what):
    folder = save_run(pennies_solution(), tmp_path / "run")
    record = read_json(folder / "result.json")
    del record["sha256"]
    record[what] = {
        name: file for name, file in record[what].items() if "trace.csv" not in (name, file)
    }
    (folder / "result.json").write_text(json.dumps(with_checksum(record)))
    with pytest.raises(ResultFileError, match="the names in files differ from those in checksums"):
        check_results(folder)


def test_folders_of_every_kind_have_checksums(tmp_path):
    learned = infoset.learn("kuhn_poker", "ixomd", episodes=10, seeds=2)
    folders = [
        infoset.experiments.save_learning(learned, tmp_path / "learned"),
        infoset.experiments.save_comparison([kuhn_solution()], tmp_path / "compared"),
    ]
    for folder in folders:
        record = check_results(folder)
        assert len(record["checksums"]) == len(os.listdir(folder)) - 1


def test_paths_that_do_not_end_in_a_name(tmp_path, monkeypatch):
    (tmp_path / "here" / "below").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "here" / "below")
    assert save_run(pennies_solution(), ".") == tmp_path / "here" / "below-2"
    assert save_run(pennies_solution(), "..") == tmp_path / "here-2"
    with pytest.raises(ParameterError, match="inside it"):
        save_run(pennies_solution(), "/")


def test_where_nothing_can_be_written_is_said_before_and_after(tmp_path):
    (tmp_path / "file").write_text("")
    for act in (check_writable, lambda path: save_run(pennies_solution(), path)):
        with pytest.raises(ParameterError, match="choose another"):
            act(tmp_path / "file" / "run")
    check_writable(tmp_path / "not" / "there" / "yet")
    check_writable(None)
    assert os.listdir(tmp_path) == ["file"]


def test_a_read_only_folder_is_refused_before_any_work(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(ParameterError, match="read-only"):
        check_writable(tmp_path / "run")


def test_integers_that_other_programs_would_round_are_text(tmp_path):
    seed = 2**60 + 1
    result = infoset.learn("kuhn_poker", "ixomd", episodes=20, seeds=[seed])
    folder = save_learning(result, tmp_path / "run")
    assert json.loads((folder / "result.json").read_text())["seeds"] == [str(seed)]
    assert check_results(folder)["seeds"] == [str(seed)]
    assert [run.seed for run in read_traces(folder)] == [seed]
