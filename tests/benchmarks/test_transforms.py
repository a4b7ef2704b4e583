"""The comparison of transforms: one row for each, with the ratio of its times."""

import csv

import pytest
import transforms

pytestmark = pytest.mark.benchmarks


def test_every_transform_has_a_row(monkeypatch, capsys):
    monkeypatch.setattr(transforms, "FORMS", {"kuhn_poker": 2})
    monkeypatch.setattr(transforms, "SAMPLES", 2)
    transforms.main()
    rows = list(csv.DictReader(capsys.readouterr().out.splitlines()))
    assert len(rows) == 8
    for row in rows:
        assert set(row) == {"form", "transform", "microseconds without", "microseconds", "ratio"}
        assert float(row["ratio"]) > 0
