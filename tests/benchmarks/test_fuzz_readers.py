"""No damaged file is read as another value, or ends in an error that is not the library's."""

from __future__ import annotations

import fuzz_readers
import pytest
from report import replace_part


@pytest.fixture(scope="module")
def readers():
    with fuzz_readers.prepared() as found:
        yield found


NAMES = (
    *("policy", "correlated policy", "policy on a public form", "policy as CSV", "Gambit file"),
    *("match", "folder of results", "checkpoint", "cell of a study", "saved world graph"),
)


def test_every_reader_is_tested(readers):
    assert tuple(readers) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_damaged_files_are_refused_or_read_unchanged(readers, name):
    reader = readers[name]
    answers = fuzz_readers.count(name, reader, inputs=60, seed=1)
    assert answers["other errors"] == 0
    assert answers["refused"] > 30
    assert not (reader.has_checksum and answers["another value"])


NETWORKS = ("network for a tree", "network for rules in JAX", "critic")


def test_the_stored_results_are_as_they_should_be_and_on_the_page():
    damaged = fuzz_readers.stored(fuzz_readers.RESULTS)
    forged = fuzz_readers.stored(fuzz_readers.FORGERIES)
    assert tuple(damaged[0]) == fuzz_readers.COLUMNS
    assert tuple(forged[0]) == fuzz_readers.FORGERY_COLUMNS
    assert [row["reader"] for row in damaged] == [*NAMES, *NETWORKS]
    assert [row["reader"] for row in forged] == [*NAMES[:3], *NETWORKS]
    assert all(row["other errors"] == "0" for row in [*damaged, *forged])
    assert all(row["another value"] == "0" for row in damaged if row["checksum"] == "yes")
    assert all(row["readers differ"] == "0" for row in forged)
    text = fuzz_readers.PAGE.read_text("utf-8")
    assert replace_part(text, "fuzz_readers.py", fuzz_readers.summary()) == text
