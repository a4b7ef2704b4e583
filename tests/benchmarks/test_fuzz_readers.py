"""No damaged file is read as another value, or ends in an error that is not the library's."""

from __future__ import annotations

import csv

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


def test_the_tables_in_the_documentation_equal_the_results():
    for path, mark in fuzz_readers.MARKS.items():
        with path.open(encoding="utf-8") as file:
            header, *lines = csv.reader(file)
        names = [line[0] for line in lines]
        if path == fuzz_readers.RESULTS:
            assert header == list(fuzz_readers.COLUMNS)
            assert names == [*NAMES, *NETWORKS]
        else:
            assert header == list(fuzz_readers.FORGERY_COLUMNS)
            assert names == [*NAMES[:3], *NETWORKS]
            assert all(line[-2] == "0" for line in lines)
        assert all(line[-1] == "0" for line in lines)
        text = fuzz_readers.PAGE.read_text("utf-8")
        assert replace_part(text, mark, fuzz_readers.markdown(header, lines)) == text
