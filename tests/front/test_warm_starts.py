"""`solve(start=...)`: runs that start from a policy of the game or of a similar one."""

from __future__ import annotations

import re

import numpy as np
import pytest

import infoset
from infoset.errors import (
    CheckpointMismatchError,
    ParameterError,
    PolicyFileError,
    PolicyMismatchError,
)
from infoset.forms import lock
from infoset.policy import random_policy
from infoset.regret import SCHEMES
from infoset.runs import loop, read_checkpoint
from infoset.solvers import METHODS

RIVER = "nolimit_endgame(board=Ks9d8h4s{},pot=100,stack=100,ranges=['AA,QQ,JTs,54s';'22+,AK'])"


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="module")
def river():
    return infoset.build_public_form(RIVER.format("2c"))


@pytest.fixture(scope="module")
def solved(river):
    return infoset.solve(river, "cfr+", target="0.05%pot")


def test_a_solution_is_continued(river, solved):
    cold = infoset.solve(river, "dcfr", target="0.1%pot")
    for start in (solved, solved.policy):
        warm = infoset.solve(river, "dcfr", target="0.1%pot", start=start)
        assert warm.outcome == "converged"
        assert warm.iterations == 1 < cold.iterations
        assert warm.start == (river.name, solved.policy.digest, 1.0)
        assert warm.summary()["start"]["share"] == 1.0
    assert cold.start is None
    assert cold.summary()["start"] is None


def test_large_games_are_measured_early(river, solved, monkeypatch):
    """Without a target or a start, measurements begin when the iterations have paid for one."""
    monkeypatch.setattr(loop, "START_COST", 0)
    cold, warm = (
        infoset.solve(river, "dcfr", target="1%pot", start=start) for start in (None, solved)
    )
    assert cold.trace[0].iteration == 1 < cold.iterations
    assert warm.iterations == 1
    assert len(infoset.solve(river, "dcfr", iterations=cold.iterations).trace) == 1


def test_files_of_the_game_and_of_a_similar_one(river, solved):
    infoset.save_policy(solved.policy, "river.parquet")
    warm = infoset.solve(RIVER.format("2c"), target="0.1%pot", form="public", start="river.parquet")
    assert warm.start == ("river.parquet", solved.policy.digest, 1.0)
    other = infoset.build_public_form(RIVER.format("3c"))
    cold, warm = (
        infoset.solve(other, "cfr+", target="0.3%pot", start=start)
        for start in (None, "river.parquet")
    )
    assert 0.9 < warm.start.share < 1
    assert warm.outcome == "converged"
    assert warm.iterations < cold.iterations


def test_the_start_of_a_locked_game_is_the_solution_without_locks(river, solved):
    locked = lock(river, {"check": {"check": 0.5, "bet 50": 0.5}})
    cold, warm = (
        infoset.solve(locked, "cfr+", target="0.3%pot", start=start) for start in (None, solved)
    )
    assert warm.start.share == 1
    assert warm.iterations < cold.iterations
    assert warm.policy["AdAc", "check"]["bet 50"] == 0.5
    assert warm.values == pytest.approx(cold.values, abs=0.6)


def test_auto_is_never_worse_than_the_start(river, solved):
    """The first iterations may lead away from a solution."""
    result = infoset.solve(river, iterations=20, start=solved)
    assert result.reason.startswith("lp does not support warm starts; ")
    assert result.exploitability <= solved.exploitability
    tree = infoset.build_tree("leduc_poker")
    exact = infoset.solve(tree, "lp")
    result = infoset.solve(tree, iterations=3, start=exact)
    assert result.exploitability < 1e-9


def test_games_that_auto_would_reduce():
    """A warm start needs all infostates: nothing is decided in advance."""
    game = infoset.load("matrix_pd")
    result = infoset.solve(game, iterations=50, start="uniform")
    assert result.start.source == "uniform"
    assert result.reason.startswith("lp does not support warm starts")
    assert result.policy["(start)", 0]["Defect"] > 0.9


def test_a_searcher_or_a_function_may_be_the_start():
    def bet(infostate, legal_actions):
        return {"bet": 1}

    result = infoset.solve("kuhn_poker", "cfr+", iterations=1, start=bet)
    assert result.policy["[J]", 0]["bet"] == 1


def interrupt(point):
    if point.iteration == 33:
        raise KeyboardInterrupt


@pytest.mark.parametrize("precision", ["float64", "float32"])
@pytest.mark.parametrize("method", ["dcfr+", "hs-pcfr+"])
def test_a_checkpoint_is_of_one_start(method, precision):
    form = infoset.build_public_form("leduc_poker")
    start, other = (random_policy(form, np.random.default_rng(seed)) for seed in (1, 2))

    def solve(start, callback=None, checkpoint="run.ckpt"):
        limits = {"iterations": 50, "precision": precision, "checkpoint": checkpoint}
        return infoset.solve(form, method, start=start, callback=callback, **limits)

    assert solve(start, interrupt).outcome == "interrupted"
    assert read_checkpoint("run.ckpt").iteration == 33
    for wrong in (other, None):
        with pytest.raises(CheckpointMismatchError, match=f"start {start.digest} there and"):
            solve(wrong)
    resumed, whole = solve(start), solve(start, checkpoint=None)
    assert resumed.policy.digest == whole.policy.digest
    assert resumed.trace[-1].exploitability == whole.trace[-1].exploitability
    assert solve(None, checkpoint=None).policy.digest != whole.policy.digest


@pytest.mark.parametrize("method", sorted({*METHODS.known_names} - {"auto", *SCHEMES}))
def test_other_methods_have_no_warm_start(method):
    message = rf"^{re.escape(method)} does not support warm starts: omit start"
    with pytest.raises(ParameterError, match=message):
        infoset.solve("no_such_game", method, start="uniform")


def test_likely_mistakes(river, solved):
    with pytest.raises(PolicyFileError, match=r"there is no file or folder no_such"):
        infoset.solve("no_such_game", start="no_such")
    with pytest.raises(ParameterError, match=r"^precision='int16' does not support warm starts"):
        infoset.solve("no_such_game", "dcfr", precision="int16", start="uniform")
    with pytest.raises(PolicyMismatchError, match=r"has no infostate with the same label"):
        infoset.solve("leduc_poker", "cfr+", start=solved)
    with pytest.raises(ParameterError, match=r"is not a policy; give a policy such as"):
        infoset.solve(river, start=3)
