"""Packs and the zoo: what they state is recomputed, and wrong files are refused."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pyarrow.parquet as pq
import pytest

import infoset
from infoset.benchmark import (
    check_pack_entry,
    make_zoo_policy,
    save_zoo_policy,
    verify_policy_file,
)
from infoset.errors import (
    CertificateError,
    ParameterError,
    PolicyFileError,
    UnknownNameError,
)
from infoset.games import PACK_SIZES, get_pack_entry, load_game, load_pack
from infoset.policy import is_zoo_name, save_policy, zoo_path

ENTRIES = [entry for pack in PACK_SIZES for entry in load_pack(pack)]
KUHN = get_pack_entry("kuhn_poker")


@pytest.mark.broad
@pytest.mark.parametrize("entry", load_pack("small"), ids=lambda entry: entry.name)
def test_everything_that_the_small_pack_states_is_recomputed(entry):
    assert check_pack_entry(entry) == []


def test_names_games_and_bounds_of_all_packs_are_consistent():
    assert len({entry.name for entry in ENTRIES}) == len({entry.game for entry in ENTRIES})
    for entry in ENTRIES:
        assert str(load_game(entry.game)) == entry.game
        assert entry.lower <= entry.upper
        assert float(entry.upper - entry.lower) <= 2 * entry.exploitability + 1e-9
        assert (entry.proof == "certificate") == (entry.value is not None)
        assert not entry.in_wheel or zoo_path(f"zoo:{entry.name}").is_file()


def test_published_values():
    assert get_pack_entry("kuhn_poker").value == Fraction(-1, 18)
    assert get_pack_entry("liars_dice_1x6").value == Fraction(-7, 258)
    assert float(get_pack_entry("leduc_poker").lower) == pytest.approx(-0.085606424, abs=1e-9)
    assert {get_pack_entry(name).value for name in ("goofspiel_3", "goofspiel_4")} == {0}


def test_the_zoo_is_small_enough_for_the_wheel():
    folder = zoo_path("zoo:kuhn_poker").parent
    files = list(folder.iterdir())
    assert {path.stem for path in files} == {entry.name for entry in ENTRIES if entry.in_wheel}
    assert sum(path.stat().st_size for path in files) <= 5_000_000


@pytest.mark.broad
def test_wrong_statements_about_a_game_are_found():
    changes = {
        "infostates": (6, 5),
        "payoffs": 29,
        "fingerprint": "0",
        "digest": "0",
        "upper": Fraction(-1, 17),
        "exploitability": 0.1,
    }
    for name, value in changes.items():
        (found,) = check_pack_entry(replace(KUHN, **{name: value}))
        assert "but the pack says" in found
        assert "kuhn_poker" in found


def test_zoo_policies_are_policies_everywhere():
    policy = infoset.load_policy("zoo:kuhn_poker")
    assert policy.digest == KUHN.digest
    assert infoset.evaluate("kuhn_poker", "zoo:kuhn_poker").exploitability < 1e-15
    assert is_zoo_name("zoo:kuhn_poker")
    assert not is_zoo_name("kuhn_poker")
    with pytest.raises(UnknownNameError, match=r"the zoo has no game 'leduc'.*leduc_poker"):
        infoset.load_policy("zoo:leduc")
    with pytest.raises(PolicyFileError, match="infoset zoo make liars_dice_1x6"):
        infoset.load_policy("zoo:liars_dice_1x6")


def test_zoo_files_are_plain_tables_with_their_certificate():
    rows = pq.read_table(zoo_path("zoo:kuhn_poker")).to_pylist()
    assert rows[0] == {"player": 0, "infostate": "[J]", "action": "pass", "probability": 1.0}
    certificate, about = verify_policy_file("zoo:kuhn_poker")
    assert certificate.value == KUHN.value
    assert (about["exploitability"], about["digest"]) == (KUHN.exploitability, KUHN.digest)


def test_a_recipe_makes_a_policy_and_keeps_its_promise(tmp_path):
    entry = replace(KUHN, recipe="pcfr+ 100", exploitability=1e-3)
    path = tmp_path / "made.parquet"
    made = save_zoo_policy(entry, path)
    assert made.certificate is None
    assert infoset.load_policy(path).digest == made.policy.digest
    with pytest.raises(CertificateError, match="without a certificate"):
        verify_policy_file(path)
    worse = tmp_path / "worse.parquet"
    with pytest.raises(ParameterError, match="nothing was saved"):
        save_zoo_policy(replace(entry, exploitability=1e-9), worse)
    assert not worse.exists()
    with pytest.raises(ParameterError, match="a method and its iterations"):
        make_zoo_policy("kuhn_poker", "pcfr+")
    with pytest.raises(UnknownNameError, match=r"unknown method 'pcfr\+\+'"):
        make_zoo_policy("kuhn_poker", "pcfr++ 10")


def test_a_policy_that_is_not_that_of_its_certificate_is_refused(tmp_path):
    path = tmp_path / "other.parquet"
    about = dict(verify_policy_file("zoo:kuhn_poker")[1])
    save_policy(infoset.uniform_policy(infoset.build_sequence_form("kuhn_poker")), path, about)
    with pytest.raises(CertificateError, match=r"probability of 'pass' at '\[J\]' of player 0"):
        verify_policy_file(path)
    form = infoset.build_sequence_form("kuhn_poker_long")
    save_policy(infoset.uniform_policy(form), path, about)
    with pytest.raises(CertificateError, match="is a policy for kuhn_poker_long, with"):
        verify_policy_file(path)


@pytest.mark.parametrize("field", ["exploitability", "digest"])
def test_what_a_file_states_is_measured_again(tmp_path, field):
    path = tmp_path / "boast.parquet"
    about = dict(verify_policy_file("zoo:kuhn_poker")[1])
    for value in (-1.0, 0.5, "0", None, 10**400):
        save_policy(infoset.load_policy("zoo:kuhn_poker"), path, {**about, field: value})
        with pytest.raises(CertificateError, match=field):
            verify_policy_file(path)


def test_an_unknown_pack():
    with pytest.raises(UnknownNameError, match="unknown pack 'tiny'"):
        load_pack("tiny")
