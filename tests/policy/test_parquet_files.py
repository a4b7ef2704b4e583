"""Policies as Parquet files: round trips and errors."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infoset import __version__
from infoset.errors import InfosetError, PolicyFileError, PolicyMismatchError
from infoset.games import load_game
from infoset.policy import distance, load_policy, random_policy, read_metadata, save_policy
from infoset.policy.policy_tables import write_table
from infoset.tree import build_tree
from tests.support.cached_games import cached_tree
from tests.support.hypothesis_strategies import random_games


@pytest.fixture(scope="module")
def form():
    return cached_tree("leduc_poker").sequence_form


@pytest.fixture
def file(form, tmp_path):
    path = tmp_path / "policy.parquet"
    save_policy(random_policy(form, np.random.default_rng(1)), path, {"method": "cfr+"})
    return path


@given(game=random_games(), seed=st.integers(0, 2**32))
def test_round_trip_to_the_bit(tmp_path_factory, game, seed):
    form = build_tree(game).sequence_form
    policy = random_policy(form, np.random.default_rng(seed))
    path = tmp_path_factory.mktemp("policy") / "p.parquet"
    save_policy(policy, path)
    loaded = load_policy(path, form)
    for before, after in zip(policy.probabilities, loaded.probabilities, strict=True):
        assert np.array_equal(before, after)


def test_the_metadata_of_a_file(file, form):
    about = read_metadata(file)
    assert about["game"] == "leduc_poker"
    assert about["method"] == "cfr+"
    assert about["version"] == __version__
    assert about["fingerprint"] == form.fingerprint


def test_other_tools_can_read_the_table(file, form):
    table = pq.read_table(file)
    assert table.column_names == ["player", "infostate", "action", "probability"]
    rows = list(random_policy(form, np.random.default_rng(1)).rows())
    first = table.slice(0, len(rows[0].actions)).to_pylist()
    assert [row["action"] for row in first] == list(rows[0].actions)
    assert [row["probability"] for row in first] == rows[0].probabilities.tolist()
    assert first[0]["infostate"] == rows[0].infostate


def test_saving_replaces_the_file_and_leaves_no_other(file, form):
    save_policy(random_policy(form, np.random.default_rng(2)), file)
    assert [path.name for path in file.parent.iterdir()] == [file.name]
    assert "method" not in read_metadata(file)


@pytest.mark.parametrize("share", [0, 0.1, 0.5, 0.99])
def test_a_truncated_file(file, form, share):
    data = file.read_bytes()
    file.write_bytes(data[: int(len(data) * share)])
    with pytest.raises(PolicyFileError, match=r"policy\.parquet cannot be read"):
        load_policy(file, form)


def test_a_missing_file(form, tmp_path):
    with pytest.raises(PolicyFileError, match="there is no file"):
        load_policy(tmp_path / "none.parquet", form)


def test_a_folder_is_not_a_policy(form, tmp_path):
    with pytest.raises(PolicyFileError):
        load_policy(tmp_path, form)


def test_another_parquet_table_is_refused(form, tmp_path):
    path = tmp_path / "other.parquet"
    pq.write_table(pa.table({"x": [1]}), path)
    with pytest.raises(PolicyFileError, match="no column 'probability'"):
        load_policy(path, form)
    pq.write_table(pa.table({"probability": [0.5]}), path)
    with pytest.raises(PolicyFileError, match="did not write it"):
        load_policy(path, form)


@pytest.mark.parametrize("other", ["kuhn_poker", "leduc_poker(num_ranks=4)"])
def test_a_policy_for_another_game_or_other_parameters(file, other):
    with pytest.raises(PolicyMismatchError) as caught:
        load_policy(file, build_tree(load_game(other)).sequence_form)
    assert "leduc_poker" in str(caught.value)
    assert other in str(caught.value)


def rewritten(file, change_table=lambda table: table):
    """Change a table, and make its digests anew."""
    table = pq.read_table(file)
    write_table(change_table(table), json.loads(table.schema.metadata[b"infoset"]), file)


def test_missing_rows_are_refused(file, form):
    rewritten(file, change_table=lambda table: table.slice(1))
    with pytest.raises(PolicyFileError, match="rows, but a policy for this game has"):
        load_policy(file, form)


def test_changed_probabilities_are_refused(file, form):
    def double(table):
        column = pa.array(table.column("probability").to_numpy() * 2)
        return table.set_column(3, "probability", column)

    rewritten(file, change_table=double)
    with pytest.raises(PolicyFileError, match="does not contain a policy"):
        load_policy(file, form)


def test_a_format_of_the_future(file, form):
    table = pq.read_table(file)
    about = json.loads(table.schema.metadata[b"infoset"])
    changed = json.dumps({**about, "format": 99}).encode()
    pq.write_table(table.replace_schema_metadata({b"infoset": changed}), file)
    with pytest.raises(PolicyFileError, match="format 99"):
        load_policy(file, form)


def test_metadata_may_have_any_keys(form, tmp_path):
    policy, path = random_policy(form, np.random.default_rng(1)), tmp_path / "p.parquet"
    about = {"sha256": "mine", "format": 1, "sha256_of_data": "mine"}
    save_policy(policy, path, about)
    assert distance(load_policy(path, form), policy) == 0
    assert read_metadata(path)["sha256_of_data"] == "mine"


def test_a_changed_number_or_label_is_found(tmp_path):
    """Whatever byte of the file changes, the policy is refused, or it and its metadata are same."""
    file, form = tmp_path / "policy.parquet", cached_tree("kuhn_poker").sequence_form
    save_policy(random_policy(form, np.random.default_rng(1)), file, {"method": "cfr+"})
    whole, policy, about = file.read_bytes(), load_policy(file, form), read_metadata(file)
    refused, places = 0, range(0, len(whole), 23)
    for place in places:
        file.write_bytes(whole[:place] + bytes([whole[place] ^ 0x04]) + whole[place + 1 :])
        try:
            found, found_about = load_policy(file, form), read_metadata(file)
        except InfosetError:
            refused += 1
        else:
            assert distance(found, policy) == 0
            assert found_about == about
    assert refused > len(places) / 2


def test_numbers_changed_by_other_tools_are_found(file, form):
    table = pq.read_table(file)
    numbers = table.column("probability").to_numpy().copy()
    numbers[:2] = 0.25, 0.75
    changed = table.set_column(3, "probability", pa.array(numbers))
    pq.write_table(changed.replace_schema_metadata(table.schema.metadata), file)
    for read in (read_metadata, lambda path: load_policy(path, form)):
        with pytest.raises(PolicyFileError, match="does not match its checksum"):
            read(file)
