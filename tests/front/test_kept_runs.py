"""Checkpoints of `solve`."""

from __future__ import annotations

import pytest

import infoset
from infoset.errors import CheckpointMismatchError, ParameterError
from infoset.runs import read_checkpoint


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)


def solve(iterations, game="leduc_poker", method="pcfr+", **options):
    return infoset.solve(game, method, iterations=iterations, checkpoint="run.ckpt", **options)


def test_the_same_call_goes_on():
    def interrupt(point):
        if point.iteration == 33:
            raise KeyboardInterrupt

    assert solve(50, callback=interrupt).outcome == "interrupted"
    assert read_checkpoint("run.ckpt").iteration == 33
    seen = []
    again, whole = (
        solve(50, callback=seen.append),
        infoset.solve("leduc_poker", "pcfr+", iterations=50),
    )
    assert [point.iteration for point in seen] == [33, 36, 39, 42, 46, 50]
    assert [point.iteration for point in again.trace] == [p.iteration for p in whole.trace]
    for mine, theirs in zip(again.policy.probabilities, whole.policy.probabilities, strict=True):
        assert mine.tobytes() == theirs.tobytes()


def test_another_call_is_refused():
    solve(5)
    with pytest.raises(CheckpointMismatchError, match="game leduc_poker there and kuhn_poker here"):
        solve(5, "kuhn_poker")
    with pytest.raises(CheckpointMismatchError, match=r"method pcfr\+ there and cfr\+ here"):
        solve(5, method="cfr+")


def test_what_cannot_be_kept_is_refused_before_the_game_is_built():
    with pytest.raises(ParameterError, match="checkpoint_seconds=-1 must be a finite number"):
        solve(5, "no_such_game", checkpoint_seconds=-1)
