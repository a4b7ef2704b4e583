"""The output folder of `solve` on a team game."""

from __future__ import annotations

import json

import pytest

import infoset
from infoset.errors import ParameterError
from infoset.experiments import RUN_FILES, run_files, save_team
from infoset.policy import distance, load_policy, read_metadata
from infoset.teams import build_product_form
from tests.support.random_product_forms import random_product_form

TRADE = "trade_comm(num_items=2)"


def test_the_files_agree_with_the_result(tmp_path):
    result = infoset.solve_team(TRADE, seed=4, restarts=2, iterations=3)
    folder = save_team(result, tmp_path / "run")
    assert {path.name for path in folder.iterdir()} == set(RUN_FILES.values())
    policy = load_policy(folder / RUN_FILES["policy"], result.policy.form)
    assert distance(policy, result.policy) == 0
    about = read_metadata(folder / RUN_FILES["policy"])
    assert (about["method"], about["seed"]) == ("progressive-hiding", 4)
    record = json.loads((folder / RUN_FILES["result"]).read_text())
    assert record["payoffs"] == list(result.payoffs)
    assert record["parameters"] == {"num_items": 2, "num_messages": -1}
    assert (folder / RUN_FILES["trace"]).read_text().count("\n") == len(result.trace) + 1


def test_what_was_measured_once_has_a_picture_of_its_policy(tmp_path):
    result = infoset.solve_team(TRADE, "exact")
    assert len(result.trace) == 1
    folder = save_team(result, tmp_path / "run")
    files = {**RUN_FILES, "picture": "policy.png"}
    assert run_files(result) == files
    assert {path.name for path in folder.iterdir()} == set(files.values())


def test_a_form_that_was_written_down_has_no_policy_to_save(tmp_path):
    result = infoset.solve_team(random_product_form(1), restarts=1, iterations=2)
    with pytest.raises(ParameterError, match="polic"):
        save_team(result, tmp_path / "run")
    assert list(tmp_path.iterdir()) == []


def test_only_results_are_saved(tmp_path):
    with pytest.raises(ParameterError, match="solve_team"):
        save_team(build_product_form(infoset.load(TRADE)), tmp_path / "run")
