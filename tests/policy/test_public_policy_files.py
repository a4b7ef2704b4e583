"""Files of policies on public forms: round trips, storage with fewer digits, and errors."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import infoset
from infoset import __version__
from infoset.errors import (
    InfosetError,
    ParameterError,
    PolicyFileError,
    PolicyMismatchError,
    UnknownNameError,
)
from infoset.game import PublicRulesGame
from infoset.games import load_game
from infoset.policy import (
    STORAGES,
    TabularPolicy,
    load_policy,
    load_policy_csv,
    read_metadata,
    rounded_policy,
    save_policy,
    save_policy_csv,
    table_digests,
    transfer_policy,
)
from infoset.policy.policy_tables import write_table
from infoset.tree import build_public_form, build_tree, derive_public_form
from infoset.utils.checksums import with_checksum
from tests.support.cached_games import cached_random_policies, cached_tree
from tests.support.random_public_games import RandomPublicGame
from tests.support.suited_rules import SuitedPoker


def random_public_policy(form, seed=0):
    rng = np.random.default_rng(seed)
    weights = [rng.standard_exponential(plex.num_sequences) for plex in form.treeplexes]
    return TabularPolicy.from_weights(form, weights)


@pytest.fixture(scope="module")
def form():
    return build_public_form(load_game("leduc_poker"))


@pytest.fixture
def file(form, tmp_path):
    path = tmp_path / "policy.parquet"
    save_policy(random_public_policy(form), path, {"method": "cfr+"})
    return path


@pytest.mark.parametrize("seed", range(6))
def test_round_trip_to_the_bit(tmp_path, seed):
    form = derive_public_form(build_tree(RandomPublicGame(seed)))
    policy = random_public_policy(form, seed)
    save_policy(policy, tmp_path / "p.parquet")
    loaded = load_policy(tmp_path / "p.parquet", form)
    for before, after in zip(policy.probabilities, loaded.probabilities, strict=True):
        assert before.tobytes() == after.tobytes()


@pytest.mark.parametrize("storage", STORAGES)
def test_merged_suits_are_written_for_each_hand(tmp_path, storage):
    game = PublicRulesGame(SuitedPoker(num_ranks=2, num_deals=1), "suited")
    form = build_public_form(game)
    policy = random_public_policy(form)
    save_policy(policy, tmp_path / "p.parquet", storage=storage)
    loaded = load_policy(tmp_path / "p.parquet", form)
    assert loaded.digest == rounded_policy(policy, storage).digest
    assert len(pq.read_table(tmp_path / "p.parquet").column_names) == 3 + len(form.hands[0])
    with pytest.raises(PolicyMismatchError, match="merge_symmetric=False"):
        load_policy(tmp_path / "p.parquet", build_public_form(game, merge_symmetric=False))


@pytest.mark.parametrize("storage", STORAGES)
def test_what_is_stored_is_the_rounded_policy(tmp_path, form, storage):
    policy = random_public_policy(form)
    save_policy(policy, tmp_path / "p.parquet", storage=storage)
    loaded = load_policy(tmp_path / "p.parquet", form)
    rounded = rounded_policy(policy, storage)
    assert loaded.digest == rounded.digest
    if storage != "float32":  # which is normalized again
        assert rounded_policy(rounded, storage).digest == rounded.digest
    steps = {"float64": 0, "float32": 2**-23, "uint16": 1 / 65_535, "uint8": 1 / 255}
    for exact, found in zip(policy.probabilities, loaded.probabilities, strict=True):
        assert np.abs(exact - found).max() <= steps[storage]
    about = read_metadata(tmp_path / "p.parquet")
    assert about["storage"] == storage


def test_whole_numbers_of_a_decision_sum_to_the_whole(tmp_path, form):
    save_policy(random_public_policy(form), tmp_path / "p.parquet", storage="uint8")
    sums = Counter()
    for row in pq.read_table(tmp_path / "p.parquet").to_pylist():
        for hand in range(6):
            sums[row["player"], row["line"], hand] += row[f"hand_{hand}"]
    assert set(sums.values()) == {255}


def test_other_tools_can_read_the_table(file, form):
    table, policy = pq.read_table(file), random_public_policy(form)
    assert table.column_names == ["player", "line", "action", *(f"hand_{h}" for h in range(6))]
    about = json.loads(table.schema.metadata[b"infoset"])
    assert about["hands"] == [["Js", "Jh", "Qs", "Qh", "Ks", "Kh"]] * 2
    assert np.array(about["hand_probabilities"]) == pytest.approx(np.full((2, 6), 1 / 6))
    column = f"hand_{about['hands'][1].index('Ks')}"
    rows = [row for row in table.to_pylist() if row["line"] == "raise"]
    assert {row["action"]: row[column] for row in rows} == policy["Ks", "raise"]
    assert {row["player"] for row in rows} == {1}


def uneven_form():
    """Return the form of the first random game in which the numbers of hands differ."""
    forms = (derive_public_form(build_tree(RandomPublicGame(seed))) for seed in range(99))
    return next(form for form in forms if form.num_hands[0] != form.num_hands[1])


def merged_form():
    return build_public_form(PublicRulesGame(SuitedPoker(num_ranks=2, num_deals=1), "suited"))


def test_players_with_different_numbers_of_hands(tmp_path):
    form = uneven_form()
    policy = random_public_policy(form)
    save_policy(policy, tmp_path / "p.parquet", storage="uint16")
    loaded = load_policy(tmp_path / "p.parquet", form)
    assert loaded.digest == rounded_policy(policy, "uint16").digest
    fewer = int(np.argmin(form.num_hands))
    rows = pq.read_table(tmp_path / "p.parquet").to_pylist()
    last = f"hand_{max(form.num_hands) - 1}"
    assert all((row[last] is None) == (row["player"] == fewer) for row in rows)


def test_the_metadata_of_a_file(file, form):
    about = read_metadata(file)
    assert (about["game"], about["method"], about["form"]) == ("leduc_poker", "cfr+", "public")
    assert (about["version"], about["fingerprint"]) == (__version__, form.fingerprint)


@pytest.mark.parametrize("storage", STORAGES)
def test_the_front_measures_what_is_stored(tmp_path, storage):
    result = infoset.solve("leduc_poker", "cfr+", form="public", iterations=50)
    path = tmp_path / "p.parquet"
    infoset.save_policy(result.policy, path, {"method": "cfr+"}, storage=storage)
    about, loaded = read_metadata(path), infoset.load_policy(path)
    assert isinstance(loaded, TabularPolicy)
    measured = infoset.evaluate(loaded)
    assert about["measured"]["exploitability"] == measured.exploitability
    assert tuple(about["measured"]["values"]) == measured.values
    assert (measured == result.measured) == (storage == "float64")
    assert measured.exploitability == pytest.approx(result.exploitability, rel=0.1)


@pytest.mark.parametrize("share", [0, 0.1, 0.5, 0.99])
def test_a_truncated_file(file, form, share):
    data = file.read_bytes()
    file.write_bytes(data[: int(len(data) * share)])
    with pytest.raises(PolicyFileError, match=r"policy\.parquet cannot be read"):
        load_policy(file, form)


def test_any_damaged_byte_is_noticed(file, form):
    data, rng = file.read_bytes(), np.random.default_rng(0)
    for place in rng.choice(len(data), 25, replace=False):
        changed = bytearray(data)
        changed[place] ^= 0x10
        file.write_bytes(changed)
        try:
            loaded = load_policy(file, form)
        except InfosetError:
            continue
        assert loaded.digest == random_public_policy(form).digest


def rewrite(file, change=lambda about: about, table=None):
    """Write the table again, with other metadata but a correct checksum."""
    table = pq.read_table(file) if table is None else table
    about = json.loads(pq.read_table(file).schema.metadata[b"infoset"])
    about = with_checksum(change({k: v for k, v in about.items() if k != "sha256"}))
    pq.write_table(table.replace_schema_metadata({b"infoset": json.dumps(about)}), file)


def test_changed_content_is_refused(file, form):
    rewrite(file, lambda about: {**about, "format": 99})
    with pytest.raises(PolicyFileError, match=r"has format 99; this version reads formats 2 and 3"):
        load_policy(file, form)
    rewrite(file, lambda about: {**about, "format": 3, "storage": "uint8"})
    with pytest.raises(PolicyFileError, match=r"'hand_0' of .* has type double, .* type uint8"):
        load_policy(file, form)
    rewrite(file, lambda about: {**about, "storage": "float16"})
    with pytest.raises(PolicyFileError, match="storage is 'float16'"):
        load_policy(file, form)
    table = pq.read_table(file)
    numbers = pa.array(np.full(len(table), 0.5))
    rewrite(
        file, lambda about: {**about, "storage": "float64"}, table.set_column(4, "hand_1", numbers)
    )
    with pytest.raises(PolicyFileError, match="does not match its checksum"):
        load_policy(file, form)


def test_rows_that_are_missing(file, form):
    table = pq.read_table(file)
    write_table(table.slice(0, len(table) - 3), read_metadata(file), file)
    with pytest.raises(PolicyFileError, match="rows, but a policy for this game has"):
        load_policy(file, form)


@pytest.mark.parametrize("at_once", [1, table_digests.NUMBERS_PER_BLOCK])
def test_hands_that_the_form_merges_have_equal_probabilities(tmp_path, monkeypatch, at_once):
    """Other numbers in the column of a merged hand were read by nobody but other tools."""
    monkeypatch.setattr(table_digests, "NUMBERS_PER_BLOCK", at_once)
    form, path = merged_form(), tmp_path / "p.parquet"
    save_policy(random_public_policy(form), path)
    table = pq.read_table(path)
    numbers = table["hand_0"].to_numpy().copy()
    assert numbers[:2].tolist() == table["hand_1"].to_numpy()[:2].tolist()
    numbers[:2] = numbers[1::-1]
    write_table(table.set_column(3, "hand_0", pa.array(numbers)), read_metadata(path), path)
    with pytest.raises(PolicyFileError, match="equivalent hands of player 0 have different prob"):
        load_policy(path, form)


def test_files_of_another_game_or_kind(file, form, tmp_path):
    other = build_public_form(load_game("liars_dice(dice_sides=2)"))
    with pytest.raises(PolicyMismatchError, match="a policy for leduc_poker, not for liars_dice"):
        load_policy(file, other)
    derived = derive_public_form(cached_tree("leduc_poker"))
    with pytest.raises(PolicyMismatchError, match="another form called leduc_poker"):
        load_policy(file, derived)
    with pytest.raises(PolicyFileError, match=r"on a public form: read it with infoset\.load_pol"):
        load_policy(file, cached_tree("leduc_poker").sequence_form)
    [tabular] = cached_random_policies("leduc_poker")
    save_policy(tabular, tmp_path / "t.parquet")
    with pytest.raises(PolicyFileError, match="is a single policy"):
        load_policy(tmp_path / "t.parquet", form)
    with pytest.raises(PolicyFileError, match="there is no file"):
        load_policy(tmp_path / "nothing.parquet", form)
    with pytest.raises(ParameterError, match="give a form of a game"):
        load_policy(file, "leduc_poker")
    with pytest.raises(ParameterError, match="a TabularPolicy"):
        save_policy(form, file)
    with pytest.raises(UnknownNameError, match="unknown storage 'int8'"):
        save_policy(random_public_policy(form), file, storage="int8")


@pytest.mark.parametrize("storage", STORAGES)
def test_tables_of_trees_are_stored_with_fewer_digits(storage, tmp_path):
    [policy] = cached_random_policies("leduc_poker")
    path = tmp_path / "t.parquet"
    infoset.save_policy(policy, path, storage=storage)
    again = infoset.load_policy(path)
    expected = rounded_policy(policy, storage)
    error = {"float64": 0.0, "float32": 1e-7, "uint16": 1 / 65_535, "uint8": 1 / 255}[storage]
    for player, mine in enumerate(again.probabilities):
        assert np.array_equal(mine, expected.probabilities[player])
        assert np.abs(mine - policy.probabilities[player]).max() <= error
    if storage != "float64":
        measured = read_metadata(path)["measured"]["nash_conv"]
        assert measured == infoset.evaluate("leduc_poker", path).nash_conv


def test_the_front_converts_between_the_forms(file, form, tmp_path):
    tree = cached_tree("leduc_poker")
    public = infoset.load_policy(file)
    measured = infoset.evaluate("leduc_poker", file)
    assert measured == infoset.evaluate(public)
    in_tree = infoset.evaluate(tree.sequence_form, transfer_policy(public, tree.sequence_form))
    assert in_tree.values == pytest.approx(measured.values, abs=1e-12)
    save_policy(transfer_policy(public, tree.sequence_form), tmp_path / "t.parquet")
    back = infoset.load_policy(tmp_path / "t.parquet", form)
    reached = [own.probabilities for own in (back, public)]
    assert infoset.evaluate(back).values == pytest.approx(measured.values, abs=1e-12)
    assert [len(a) for a in reached[0]] == [len(a) for a in reached[1]]


def test_comma_separated_values_are_those_of_the_tree(tmp_path, form):
    policy, sequence_form = random_public_policy(form), cached_tree("leduc_poker").sequence_form
    save_policy_csv(policy, tmp_path / "p.csv")
    loaded = load_policy_csv(tmp_path / "p.csv", sequence_form)
    assert loaded.digest == transfer_policy(policy, sequence_form).digest
    rows = {(row.player, row.infostate): row for row in policy.rows()}
    for expected in loaded.rows():
        found = rows.pop((expected.player, expected.infostate))
        assert found.actions == expected.actions
        assert found.own_reach == pytest.approx(expected.own_reach, abs=1e-15)
    assert not rows
