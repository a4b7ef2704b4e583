"""Files that version 0.1.0 wrote, without a digest of labels and types: they are still read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import infoset
from infoset.evaluation import load_correlated_policy
from infoset.games import load_game
from infoset.policy import (
    STORAGES,
    load_policy,
    load_policy_csv,
    load_public_policy,
    read_metadata,
)
from infoset.tree import build_public_form
from tests.support.cached_games import cached_tree

FILES = Path(__file__).parents[1] / "files_0_1_0" / "first_formats"
DIGESTS = json.loads((FILES / "digests.json").read_text())


def test_tables():
    form = cached_tree("kuhn_poker").sequence_form
    assert load_policy(FILES / "table.parquet", form).digest == DIGESTS["table"]
    assert load_policy_csv(FILES / "table.csv", form).digest == DIGESTS["table"]
    assert infoset.load_policy(FILES / "table.parquet").digest == DIGESTS["table"]
    correlated = load_correlated_policy(FILES / "correlated.parquet", form)
    assert [one.digest for one in correlated.policies] == [DIGESTS["table"], DIGESTS["second"]]
    assert correlated.weights == (0.25, 0.75)


@pytest.mark.parametrize("storage", STORAGES)
def test_public_forms(storage):
    form = build_public_form(load_game("leduc_poker(num_ranks=2)"))
    policy = load_public_policy(FILES / f"public_{storage}.parquet", form)
    assert policy.digest == DIGESTS[storage]


def test_what_a_file_states_is_not_what_it_is_worth():
    """The file states exploitability 0, and its policy is a random one."""
    path = FILES / "table.parquet"
    assert read_metadata(path)["exploitability"] == 0
    assert infoset.evaluate("kuhn_poker", path).exploitability > 0.1
