"""No changed file is read as another value, or ends in an error that is not the library's."""

from __future__ import annotations

import json

import fuzz_readers
import pytest
from report import replace_part

pytestmark = pytest.mark.broad


@pytest.fixture(scope="module")
def readers():
    with fuzz_readers.prepared() as found:
        yield found


NAMES = (
    *("policy", "correlated policy", "policy on a public form", "policy as CSV"),
    *("probabilities to lock", "probabilities to lock as CSV", "Gambit tree", "Gambit table"),
    *("Gambit workbook", "LiteEFG tree", "compressed game", "range of hands", "match"),
    *("folder of results", "trace", "checkpoint", "checkpoint of a team", "learner"),
    *("cell of a study", "saved world graph", "saved world form", "certificate"),
    *("leaderboard entry", "score card"),
)


def test_every_reader_is_tested(readers):
    assert tuple(readers) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_changed_files_are_refused_or_read_as_they_should_be(readers, name):
    """Damaged bytes, and edits of the content with right checksums."""
    reader = readers[name]
    answers = fuzz_readers.count(name, reader, inputs=50, seed=1)
    assert answers["other errors"] == answers["another value"] == 0
    assert answers["refused"] > 10


NETWORKS = ("network for a tree", "network for rules in JAX", "critic")


def test_the_stored_results_are_as_they_should_be_and_on_the_page():
    damaged = fuzz_readers.stored(fuzz_readers.RESULTS)
    forged = fuzz_readers.stored(fuzz_readers.FORGERIES)
    assert tuple(damaged[0]) == fuzz_readers.COLUMNS
    assert tuple(forged[0]) == fuzz_readers.FORGERY_COLUMNS
    assert [row["reader"] for row in damaged] == [*NAMES, *NETWORKS]
    assert [row["reader"] for row in forged] == [*NAMES[:3], *NETWORKS]
    assert all(row["other errors"] == "0" for row in [*damaged, *forged])
    assert all(row["another value"] == "0" for row in damaged)
    assert all(row["readers differ"] == "0" for row in forged)
    text = fuzz_readers.PAGE.read_text("utf-8")
    assert replace_part(text, "fuzz_readers.py", fuzz_readers.summary()) == text


@pytest.mark.parametrize(
    ("is_content", "answer"), [(False, "another value"), (True, "edited"), (None, "unchanged")]
)
def test_only_edits_of_the_content_may_change_what_is_read(
    tmp_path, monkeypatch, is_content, answer
):
    path = tmp_path / "number"
    path.write_text("1")

    def edit(rng):
        path.write_text("1" if is_content is None else "2")
        return bool(is_content)

    reader = fuzz_readers.Reader((path,), path.read_text, edit=edit)
    # Half of the inputs are edited; damaged bytes need a checksum, which this reader lacks.
    monkeypatch.setattr(fuzz_readers, "damaged", lambda valid, rng: valid)
    answers = fuzz_readers.count("number", reader, inputs=20, seed=0)
    assert {*answers} == {answer, "unchanged"}
    assert path.read_text() == "1"


def test_errors_of_other_kinds_are_counted(tmp_path):
    path = tmp_path / "record"
    path.write_text('{"first": 1}')
    reader = fuzz_readers.Reader((path,), lambda: json.loads(path.read_text())["first"])
    answers = fuzz_readers.count("record", reader, inputs=50, seed=0)
    assert answers["other errors"] > answers["refused"] == 0
    assert answers["another value"] > 0
