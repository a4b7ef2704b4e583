"""Every cell that runs in the tests of the studies is also one that can be sent to workers."""

from __future__ import annotations

import pickle

import pytest

from infoset.experiments import studies
from infoset.runs.task_messages import packed


def check_sent(cells, folder):
    """Check that cells come back equal from a worker, with the same file names."""
    for cell in cells:
        there = pickle.loads(packed(cell))
        assert there == cell
        assert type(there) is type(cell)
        assert folder.file_of(there) == folder.file_of(cell)


@pytest.fixture(autouse=True, scope="session")
def _cells_can_be_sent():
    run_cells_on = studies.run_cells_on

    def checked(pool, cells, folder, on_done=None):
        check_sent(cells, folder)
        return run_cells_on(pool, cells, folder, on_done)

    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(studies, "run_cells_on", checked)
        yield
