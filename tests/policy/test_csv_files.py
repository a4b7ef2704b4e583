"""Policies as CSV: round trips, and errors with their positions."""

from __future__ import annotations

import contextlib
import csv
import io
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import infoset
from infoset.errors import ParameterError, PolicyFileError
from infoset.games import load_game
from infoset.policy import (
    load_policy_csv,
    random_policy,
    save_policy_csv,
    transfer_policy,
    uniform_policy,
)
from infoset.policy import save_policy as save_parquet
from infoset.tree import build_tree, derive_public_form
from tests.support.cached_games import cached_random_policies, cached_tree
from tests.support.function_game import FunctionGame
from tests.support.hypothesis_strategies import random_games

AWKWARD = ["", ",", '"', 'say "yes"', "two\nlines", "\r", " padded ", "#1", "1", 1, "1 #1", "ß →"]


@cache
def kuhn_form():
    return cached_tree("kuhn_poker").sequence_form


def round_trip(policy, folder):
    path = folder / "policy.csv"
    save_policy_csv(policy, path)
    assert [file.name for file in folder.iterdir()] == [path.name]
    return load_policy_csv(path, policy.form)


def assert_same(before, after):
    for first, second in zip(before.probabilities, after.probabilities, strict=True):
        assert np.array_equal(first, second)


@given(game=random_games(), seed=st.integers(0, 2**32))
def test_round_trip_to_the_bit(tmp_path_factory, game, seed):
    form = build_tree(game).sequence_form
    policy = random_policy(form, np.random.default_rng(seed))
    assert_same(policy, round_trip(policy, tmp_path_factory.mktemp("policy")))


@pytest.mark.parametrize("name", ["leduc_poker", "goofspiel(num_cards=3,imp_info=True)"])
def test_round_trip_of_known_games(tmp_path, name):
    form = build_tree(load_game(name)).sequence_form
    policy = random_policy(form, np.random.default_rng(0))
    assert_same(policy, round_trip(policy, tmp_path))


def choice_of(labels):
    """One player sees one of the labels, then takes one of them."""
    return FunctionGame(
        actors=lambda world: (0,) if world != "start" and world[0] == "seen" else (),
        legal_actions=lambda world, player: labels,
        transitions=lambda world, joint: (
            [(("seen", label), 1 / len(labels)) for label in labels]
            if world == "start"
            else ([(("done", *joint), 1)] if world[0] == "seen" else [])
        ),
    )


def test_awkward_labels_come_back(tmp_path):
    form = build_tree(choice_of(AWKWARD)).sequence_form
    policy = random_policy(form, np.random.default_rng(0))
    assert form.treeplexes[0].num_infostates == len(AWKWARD)
    assert_same(policy, round_trip(policy, tmp_path))


def test_actions_with_equal_text_are_distinguished():
    form = build_tree(choice_of(["1", 1, "1 #1", "1 #2"])).sequence_form
    written = io.StringIO()
    save_policy_csv(uniform_policy(form), written)
    rows = list(csv.DictReader(io.StringIO(written.getvalue())))
    assert [row["action"] for row in rows[:4]] == ["1", "1 #1", "1 #1 #2", "1 #2"]


def kuhn_lines():
    written = io.StringIO()
    save_policy_csv(uniform_policy(kuhn_form()), written)
    return written.getvalue().splitlines()


def load_lines(lines, folder, encoding="utf-8"):
    path = folder / "p.csv"
    path.write_bytes("\n".join(lines).encode(encoding))
    return load_policy_csv(path, kuhn_form())


def test_the_written_text():
    lines = kuhn_lines()
    assert len(lines) == 1 + 24
    assert lines[0] == "player,infostate,own_reach,action,probability"
    assert lines[1] == "0,[J],1.0,pass,0.5"
    assert lines[7] == "0,[J] / pass / bet,0.5,pass,0.5"


def test_lines_and_columns_may_be_in_any_order(tmp_path):
    policy = random_policy(kuhn_form(), np.random.default_rng(4))
    written = io.StringIO()
    save_policy_csv(policy, written)
    rows = list(csv.DictReader(io.StringIO(written.getvalue())))[::-1]
    path = tmp_path / "p.csv"
    with path.open("w", newline="") as stream:
        columns = ["probability", "note", "action", "player", "infostate"]
        writer = csv.DictWriter(stream, columns, extrasaction="ignore")
        writer.writeheader()
        writer.writerows({**row, "note": "mine"} for row in rows)
    assert_same(policy, load_policy_csv(path, kuhn_form()))


def test_files_of_spreadsheets_are_read(tmp_path):
    lines = [line + "\r" for line in kuhn_lines()]
    assert_same(uniform_policy(kuhn_form()), load_lines([*lines, "\r", ""], tmp_path, "utf-8-sig"))


@pytest.mark.parametrize(
    ("number", "line", "message"),
    [
        (1, "player;infostate;action;probability", r"line 1, column player: it is missing"),
        (1, "player,player,infostate,action,probability", "column player: it appears 2 times"),
        (1, "", "line 1, column player: it is missing"),
        (
            2,
            "0,[J],1.0,pass",
            r"line 2, column 5: the line has 4 columns, but the first line has 5",
        ),
        (3, "0,[J],1.0,pass,0.5,0.5", "line 3, column 6: the line has 6 columns"),
        (3, "2,[J],1.0,pass,0.5", "line 3, column player: '2' is not a player.* are 0 to 1"),
        (3, "0,[A],1.0,pass,0.5", r"line 3, column infostate: .*'\[A\]'; did you mean \[Q\]"),
        (3, "0,[J],1.0,fold,0.5", "line 3, column action: 'fold' is not legal.*'pass', 'bet'"),
        (3, "0,[J],1.0,pass,0.5", "line 3, column action: 'pass' of .* for the second time"),
        (3, "0,[J],1.0,bet,half", "line 3, column probability: got 'half'"),
        (3, "0,[J],1.0,bet,nan", "line 3, column probability: got 'nan'"),
        (3, "0,[J],1.0,bet,-0.5", "line 3, column probability: got '-0.5'"),
        (3, "0,[J],1.0,bet,1.5", "line 3, column probability: got '1.5'"),
        (3, "0,[J],1.0,bet,0.4", r"line 3, column probability: .* at '\[J\]' sum to 0.9"),
        (3, '0,"[J]"x,1.0,bet,0.5', "line 3: ',' expected after '\"'"),
        (25, '1,"[K] / bet,1.0,bet,0.5', "line 25: unexpected end of data"),
        (3, "", r"line 2, column action: no line of player 0 at '\[J\]' has 'bet'"),
    ],
)
def test_a_line_that_breaks_a_rule(tmp_path, number, line, message):
    lines = kuhn_lines()
    lines[number - 1] = line
    with pytest.raises(PolicyFileError, match=rf"p\.csv, {message}" if number > 1 else message):
        load_lines(lines, tmp_path)


def test_line_numbers_are_those_of_an_editor(tmp_path):
    lines = kuhn_lines()
    lines[0] += ',"a note\nof two lines"'
    lines[1:] = [line + ",x" for line in lines[1:]]
    lines[4] = "9" + lines[4][1:]
    with pytest.raises(PolicyFileError, match="line 6, column player: '9'"):
        load_lines(lines, tmp_path)


def test_an_infostate_that_is_missing(tmp_path):
    with pytest.raises(PolicyFileError, match=r"without a line for player 1 at '\[J\] / bet'"):
        load_lines(kuhn_lines()[:-2], tmp_path)


def test_binary_files_are_refused(tmp_path):
    with pytest.raises(PolicyFileError, match="there is no file"):
        load_policy_csv(tmp_path / "none.csv", kuhn_form())
    with pytest.raises(PolicyFileError, match="cannot be read"):
        load_policy_csv(tmp_path, kuhn_form())
    (tmp_path / "p.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(PolicyFileError, match="cannot be read as UTF-8 text"):
        load_policy_csv(tmp_path / "p.csv", kuhn_form())
    (tmp_path / "p.csv").write_bytes(b"player,infostate,action,probability\n0,\0,x,1\n")
    with pytest.raises(PolicyFileError, match="line 2"):
        load_policy_csv(tmp_path / "p.csv", kuhn_form())


@given(position=st.integers(0, 900), junk=st.binary(max_size=3), cut=st.integers(0, 3))
def test_a_damaged_file_is_a_policy_or_a_policy_file_error(tmp_path_factory, position, junk, cut):
    data = "\n".join(kuhn_lines()).encode()
    path = tmp_path_factory.mktemp("policy") / "p.csv"
    path.write_bytes(data[:position] + junk + data[position + cut :])
    with contextlib.suppress(PolicyFileError):
        assert load_policy_csv(path, kuhn_form()).form is kuhn_form()


def test_hands_that_chance_has_removed_have_no_lines(tmp_path):
    """A file of a tree is read on the public form, which has a column for every hand."""
    form = derive_public_form(cached_tree("leduc_poker"))
    (policy,) = cached_random_policies("leduc_poker")
    save_policy_csv(policy, tmp_path / "policy.csv")
    found = load_policy_csv(tmp_path / "policy.csv", form)
    wanted = transfer_policy(policy, form)
    for own, other in zip(found.probabilities, wanted.probabilities, strict=True):
        assert own == pytest.approx(other, abs=1e-12)


def test_the_ending_selects_the_format_also_in_saving(tmp_path):
    (policy,) = cached_random_policies("kuhn_poker")
    infoset.save_policy(policy, tmp_path / "p.CSV")
    found = infoset.load_policy(tmp_path / "p.CSV", "kuhn_poker")
    assert np.array_equal(found.probabilities[0], policy.probabilities[0])
    for options in ({"metadata": {"a": 1}}, {"storage": "uint8"}):
        with pytest.raises(ParameterError, match="stores probabilities in full and nothing else"):
            infoset.save_policy(policy, tmp_path / "q.csv", **options)
    for save, ending in ((infoset.save_policy, "npz"), (save_parquet, "csv")):
        with pytest.raises(ParameterError, match=r"give a path that ends in \.parquet"):
            save(policy, tmp_path / f"q.{ending}")
    assert [path.name for path in tmp_path.iterdir()] == ["p.CSV"]
