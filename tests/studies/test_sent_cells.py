"""Cells of all studies can be sent to workers: they come back equal, with the same file name."""

from __future__ import annotations

from contextlib import suppress

import pytest

from infoset.experiments import CellFolder, installed_studies
from infoset.runs.task_messages import packed
from tests.studies.conftest import check_sent

MAX_BYTES = 2_000
"""Cells describe their work; what is large is made where they run."""


class Asked(Exception):
    """Ends an experiment at its first cells."""


def first_cells(experiment, setting):
    asked = []

    def run(cells):
        asked.extend(cells)
        raise Asked

    with suppress(Asked):
        experiment.report(run, setting)
    return asked


@pytest.mark.parametrize("study", installed_studies().values(), ids=lambda study: study.name)
def test_the_first_cells_of_every_experiment(study, tmp_path):
    folder = CellFolder(tmp_path / "study", study.name)
    for experiment in study.experiments:
        for setting in (experiment.quick, experiment.full):
            cells = first_cells(experiment, setting)
            assert cells or experiment.name == "recommended"  # which has no first cells
            check_sent(cells, folder)
            assert max((len(packed(cell)) for cell in cells), default=0) < MAX_BYTES
