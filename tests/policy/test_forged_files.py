"""Policy files whose content was changed and whose digests were made anew: readers agree.

The changes are those of `benchmarks/policy_forgeries.py`: labels, types, columns, header fields and
numbers, in the format of today and in that of version 0.1.0.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import policy_forgeries
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

import infoset
from infoset.benchmark import save_board_entry
from infoset.cli.app import app
from infoset.errors import InfosetError, PolicyFileError
from infoset.game import step_text
from infoset.game.infostate import label_text
from infoset.policy import load_policy, read_metadata, save_policy, zoo_path
from infoset.policy.policy_tables import KEY, write_table
from infoset.policy.table_digests import table_digest
from tests.support.cached_games import cached_tree

NAMES = ("policy", "correlated policy", "policy on a public form")


@pytest.fixture
def readings(tmp_path):
    found = policy_forgeries.table_readings(tmp_path)
    assert tuple(found) == NAMES
    return found


def check(reading, every=1):
    answers, wrong = policy_forgeries.count(reading, every)
    assert wrong == []
    assert answers["refused"] > 200 / every
    assert answers["unchanged"]
    assert answers["another policy"] or every > 1


@pytest.mark.parametrize("name", NAMES)
def test_all_readers_of_a_file_agree_or_refuse_it(readings, name):
    check(replace(readings[name], verify=None), every=10)


@pytest.mark.parametrize(
    "every", [pytest.param(4, marks=pytest.mark.broad), pytest.param(1, marks=pytest.mark.long)]
)
@pytest.mark.parametrize("name", NAMES)
def test_whatever_is_changed_readers_agree_and_nothing_else_is_verified(readings, name, every):
    check(readings[name], every)


@pytest.fixture
def forged(tmp_path):
    """The optimal policy for Leduc poker, with its certificate, and equal blocks exchanged."""
    table = pq.read_table(zoo_path("zoo:leduc_poker"))
    keys = [(row["player"], row["infostate"]) for row in table.to_pylist()]
    order = policy_forgeries.exchanged_blocks(keys)
    path = tmp_path / "forged.parquet"
    about = json.loads(table.schema.metadata[KEY])
    write = {
        "3": lambda: write_table(table.take(pa.array(order)), about, path),
        "2": lambda: policy_forgeries.write_old(table.take(pa.array(order)), about, path),
    }
    return path, write


@pytest.mark.parametrize("version", ["2", "3"])
def test_a_certificate_does_not_vouch_for_rows_in_another_order(forged, tmp_path, version):
    """Version 0.1.0 verified such a file, whose policy has exploitability 3.32."""
    path, write = forged
    write[version]()
    found = r"row 0 of .* is for player 0, infostate '\[.*\]', action 'call'.*'\[Js\]'.*read by row"
    with pytest.raises(PolicyFileError, match=found):
        infoset.load_policy(path)
    with pytest.raises(PolicyFileError, match="rows were moved or renamed"):
        save_board_entry(tmp_path / "entry", path, name="n", authors="a", source="s")
    for command in (["verify"], ["evaluate", "leduc_poker"], ["show", "leduc_poker"]):
        found = CliRunner().invoke(app, [*command, str(path)])
        assert found.exit_code != 0
        assert isinstance(found.exception, InfosetError)


@pytest.mark.parametrize("name", ["table.csv", "digests.json"])
def test_an_entry_is_a_parquet_file_that_names_its_game(tmp_path, name):
    path = Path(__file__).parents[1] / "files_0_1_0" / "first_formats" / name
    with pytest.raises(PolicyFileError):
        save_board_entry(tmp_path / "entry", path, name="n", authors="a", source="s")


def test_the_first_row_that_differs_is_named(tmp_path):
    form, path = cached_tree("kuhn_poker").sequence_form, tmp_path / "p.parquet"
    save_policy(infoset.uniform_policy(form), path)
    table, about = pq.read_table(path), read_metadata(path)
    actions = table.column("action").to_pylist()
    actions[5] = "\x1b[31mbet"
    write_table(table.set_column(2, "action", pa.array(actions)), about, path)
    with pytest.raises(PolicyFileError, match=r"row 5 of .*'\\x1b\[31mbet', but row 5 .* 'bet'"):
        load_policy(path, form)


def test_the_digest_covers_labels_types_order_and_gaps():
    table = pa.table({"a": pa.array(["x", "yz"]), "b": pa.array([0.5, None])})
    others = [
        pa.table({"a": ["xy", "z"], "b": table["b"]}),
        pa.table({"a": table["a"], "c": table["b"]}),
        pa.table({"b": table["b"], "a": table["a"]}),
        pa.table({"a": table["a"], "b": pa.array([None, 0.5])}),
        pa.table({"a": table["a"], "b": pa.array([0.5, None], pa.float32())}),
        table.take([1, 0]),
        table.slice(0, 1),
    ]
    digests = {table_digest(one) for one in (table, *others)}
    assert len(digests) == len(others) + 1
    encoded = pa.table({"a": table["a"].dictionary_encode(), "b": table["b"]})
    assert table_digest(encoded) == table_digest(table)


@pytest.mark.parametrize("kind", [pa.int64(), pa.float32(), pa.string(), pa.list_(pa.float64())])
def test_columns_of_other_types_are_refused_by_name(tmp_path, kind):
    """The digest of version 0.1.0 was empty for them, and a file could state the empty digest."""
    form, path = cached_tree("matrix_mp").sequence_form, tmp_path / "p.parquet"
    save_policy(infoset.uniform_policy(form), path)
    table = pq.read_table(path)
    about = json.loads(table.schema.metadata[KEY])
    value = {pa.string(): "1", pa.list_(pa.float64()): [1.0]}.get(kind, 1)
    changed = table.set_column(3, "probability", pa.array([value] * 4, kind))
    for write in (write_table, policy_forgeries.write_old):
        write(changed, about, path)
        with pytest.raises(PolicyFileError, match=r"column .probability. of .* has type .* double"):
            load_policy(path, form)


def test_labels_with_sets_are_the_same_in_every_process():
    """The order of a set of texts differs between processes, and labels are compared."""
    letters = frozenset("abcdefgh")
    assert label_text(letters) == "{a,b,c,d,e,f,g,h}"
    assert step_text((letters, 1), None, None) == "!{a,b,c,d,e,f,g,h},1"
    assert label_text((letters, 1)) == "({a,b,c,d,e,f,g,h},1)"
    assert label_text(("a", 1)) == "('a', 1)"
