"""Policy files that are written and read by blocks have the content of a table made as a whole."""

from __future__ import annotations

import json
from hashlib import sha256

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import infoset
from infoset.errors import InfosetError, PolicyFileError
from infoset.forms import lock
from infoset.game.infostate import label_text
from infoset.policy import (
    STORAGES,
    TabularPolicy,
    load_policy,
    parquet_files,
    read_metadata,
    rounded_policy,
    save_policy,
    table_digests,
    uniform_policy,
)
from infoset.policy.stored_policy import StoredPolicy
from tests.policy.test_public_policy_files import merged_form, random_public_policy, uneven_form
from tests.support.cached_games import cached_tree

FORMS = {
    "hands": lambda: infoset.build_public_form("leduc_poker(num_ranks=2)"),
    "different numbers of hands": uneven_form,
    "merged hands": merged_form,
    "infostates": lambda: cached_tree("kuhn_poker").sequence_form,
}


@pytest.fixture(scope="module")
def forms():
    return {name: make() for name, make in FORMS.items()}


def set_blocks(monkeypatch, num_bytes, computed, decoded):
    monkeypatch.setattr(parquet_files, "ROW_GROUP_BYTES", num_bytes)
    monkeypatch.setattr(parquet_files, "PROBABILITIES_PER_BLOCK", computed)
    monkeypatch.setattr(table_digests, "NUMBERS_PER_BLOCK", decoded)
    monkeypatch.setattr(table_digests, "ROWS_PER_PIECE", 7)


def whole_numbers(probabilities, whole):
    """Return [A] integers by largest remainders, of which the first are rounded up in a tie."""
    exact = [number * whole for number in probabilities.tolist()]
    found = [int(number) for number in exact]
    order = sorted(range(len(exact)), key=lambda action: found[action] - exact[action])
    for action in order[: whole - sum(found)]:
        found[action] += 1
    return found


def columns_at_once(policy, storage):
    """Return the columns of a policy from all its probabilities."""
    form, players, places, actions, columns = policy.form, [], [], [], []
    for player, plex in enumerate(form.treeplexes):
        values = policy.probabilities[player].astype(storage if storage[0] == "f" else "float64")
        whole = {"uint16": 65_535, "uint8": 255}.get(storage)
        if whole is not None:
            for first, count in zip(plex.first_sequence, plex.num_actions, strict=True):
                values[first : first + count] = whole_numbers(values[first : first + count], whole)
        if form.num_hands is None:
            columns.append(values[1:, None].astype(storage))
            decisions = enumerate(form.infostate_labels(player))
            rows = [(text, form.actions_at(player, number)) for number, text in decisions]
        else:
            columns.append(form.by_hand(player, values).astype(storage))
            nodes = form.decisions[player].tolist()
            rows = [(form.labels[node], form.legal_actions(node)) for node in nodes]
        for text, legal in rows:
            players += [player] * len(legal)
            places += [text] * len(legal)
            actions += map(label_text, legal)
    place = "infostate" if form.num_hands is None else "line"
    found = {"player": pa.array(players, pa.int32()), place: places, "action": actions}
    width = max(own.shape[1] for own in columns)
    for hand in range(width):
        numbers = [
            number
            for own in columns
            for number in (own[:, hand].tolist() if hand < own.shape[1] else [None] * len(own))
        ]
        name = "probability" if form.num_hands is None else f"hand_{hand}"
        found[name] = pa.array(numbers, pa.from_numpy_dtype(np.dtype(storage)))
    return pa.table(found)


def digest_at_once(table):
    """Return the digest of format 3."""
    digest = sha256()
    for name, column in zip(table.column_names, table.columns, strict=True):
        values = column.to_pylist()
        missing = [value is None for value in values]
        digest.update(json.dumps([name, str(column.type), len(values), sum(missing)]).encode())
        if any(missing):
            digest.update(np.array(missing).tobytes())
        if column.type == pa.string():
            digest.update(np.array([len(text.encode()) for text in values], "<i8").tobytes())
            digest.update("".join(values).encode())
        else:
            kind = np.dtype(column.type.to_pandas_dtype()).newbyteorder("<")
            digest.update(np.array([v for v in values if v is not None], kind).tobytes())
    return digest.hexdigest()


def plain_table(path):
    """Return the table in a file, with texts in the place of their numbers in a dictionary."""
    table = pq.read_table(path)
    columns = {
        name: pa.array(column.to_pylist(), getattr(column.type, "value_type", column.type))
        for name, column in zip(table.column_names, table.columns, strict=True)
    }
    return pa.table(columns)


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("storage", STORAGES)
@settings(max_examples=5)
@given(
    num_bytes=st.integers(1, 3000),
    computed=st.integers(1, 200),
    decoded=st.integers(1, 3000),
    seed=st.integers(0, 99),
)
def test_blocks_of_any_size(
    tmp_path_factory, forms, name, storage, num_bytes, computed, decoded, seed
):
    form, path = forms[name], tmp_path_factory.mktemp("blocks") / "p.parquet"
    policy = random_public_policy(form, seed)
    with pytest.MonkeyPatch.context() as monkeypatch:
        set_blocks(monkeypatch, num_bytes, computed, decoded)
        save_policy(policy, path, storage=storage)
        loaded = load_policy(path, form)
    expected = columns_at_once(policy, storage)
    assert plain_table(path).equals(expected)
    about = json.loads(pq.read_schema(path).metadata[b"infoset"])
    assert about["sha256_of_table"] == digest_at_once(expected)
    bytes_of_row = (expected.num_columns - 3) * np.dtype(storage).itemsize
    row_group_size = max(1, num_bytes // bytes_of_row)
    assert pq.read_metadata(path).num_row_groups == -(-len(expected) // row_group_size)
    # Whatever the sizes, others read the same.
    assert loaded.digest == load_policy(path, form).digest == rounded_policy(policy, storage).digest


DIGESTS = {
    "float64": "d7cb84ec7c37c42e248c2109b840ddff",
    "float32": "4f989435baa4aaf41dfd46025412a31a",
    "uint16": "fdb81364a1049726c7d7e0cf51a8751b",
    "uint8": "3c7454212f9d0f00c41300f7c981224c",
}
"""The first half of digests in files of versions that made the whole table at once."""


@pytest.mark.parametrize("storage", STORAGES)
def test_digests_are_those_of_earlier_versions(tmp_path, forms, storage):
    form = forms["hands"]
    weights = [1.0 + np.arange(plex.num_sequences) % 7 for plex in form.treeplexes]
    save_policy(TabularPolicy.from_weights(form, weights), tmp_path / "p.parquet", storage=storage)
    about = json.loads(pq.read_schema(tmp_path / "p.parquet").metadata[b"infoset"])
    assert about["format"] == 3
    assert about["sha256_of_table"][:32] == DIGESTS[storage]


def test_texts_are_digested_in_any_encoding(monkeypatch):
    monkeypatch.setattr(table_digests, "ROWS_PER_PIECE", 7)
    texts = [f"line {number % 5} ü" for number in range(40)]
    plain = pa.table({"line": texts})
    encoded = pa.table({"line": pa.array(texts).dictionary_encode()})
    chunked = pa.table({"line": pa.chunked_array([texts[:11], texts[11:]])})
    for table in (plain, encoded, chunked):
        assert table_digests.table_digest(table) == digest_at_once(plain)


def test_probabilities_are_computed_a_few_at_a_time(tmp_path, forms, monkeypatch):
    form, sizes = forms["hands"], []
    compute = StoredPolicy.at_sequences

    def count(self, player, sequences):
        sizes.append(sequences.size)
        return compute(self, player, sequences)

    monkeypatch.setattr(StoredPolicy, "at_sequences", count)
    set_blocks(monkeypatch, 2000, 60, 2000)
    policy = StoredPolicy.uniform(form)
    save_policy(policy, tmp_path / "p.parquet")
    largest = max(form.num_hands) * int(form.num_actions.max())
    assert max(sizes) <= 60 + largest
    # Once for the digest, and once for the file.
    numbers = sum(own.shape[0] * own.shape[1] for own in form.table().sequences)
    assert 2 * numbers <= sum(sizes) <= 3 * numbers
    assert "probabilities" not in vars(policy)


@pytest.mark.parametrize("error", [OSError("disk full"), KeyboardInterrupt(), ValueError("bug")])
def test_an_interrupted_save_leaves_the_old_file(tmp_path, forms, monkeypatch, error):
    path, policy = tmp_path / "p.parquet", random_public_policy(forms["hands"])
    set_blocks(monkeypatch, 2000, 60, 2000)
    save_policy(policy, path)
    before, write, written = path.read_bytes(), pq.ParquetWriter.write_table, []

    def write_two(self, *args):
        if len(written) == 2:
            raise error
        written.append(args)
        write(self, *args)

    monkeypatch.setattr(pq.ParquetWriter, "write_table", write_two)
    expected = PolicyFileError if isinstance(error, OSError) else type(error)
    with pytest.raises(expected):
        save_policy(random_public_policy(forms["hands"], 1), path)
    assert len(written) == 2
    assert path.read_bytes() == before
    assert [*tmp_path.iterdir()] == [path]


def test_damage_in_any_row_group_is_noticed(tmp_path, forms, monkeypatch):
    path, policy = tmp_path / "p.parquet", random_public_policy(forms["hands"])
    set_blocks(monkeypatch, 5000, 60, 2000)
    save_policy(policy, path)
    data, refused = path.read_bytes(), 0
    for place in range(0, len(data), len(data) // 40):
        path.write_bytes(data[:place] + bytes([data[place] ^ 0x10]) + data[place + 1 :])
        try:
            loaded = load_policy(path, policy.form)
            read_metadata(path)
        except InfosetError:
            refused += 1
        else:
            assert loaded.digest == policy.digest
    assert refused > 20


def test_a_table_without_rows(tmp_path):
    kuhn, path = cached_tree("kuhn_poker").sequence_form, tmp_path / "p.parquet"
    everything = {(row.infostate, row.player): {"pass": 1.0} for row in uniform_policy(kuhn).rows()}
    form = lock(kuhn, everything)
    save_policy(uniform_policy(form), path)
    assert len(pq.read_table(path)) == 0
    assert [own.tolist() for own in load_policy(path, form).probabilities] == [[1.0], [1.0]]
