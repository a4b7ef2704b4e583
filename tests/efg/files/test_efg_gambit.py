"""Compare infoset's reader with what Gambit 16.7 reads, as saved by `ask_gambit.py`."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from infoset.efg import find_recall_violation, parse_efg
from infoset.front import solve
from tests.efg.files.ask_gambit import ANSWERS, SOLVED, digest, texts
from tests.efg.files.efg_forms import assert_same


@cache
def current_texts():
    return texts()


ANSWER = json.loads(ANSWERS.read_text(encoding="utf-8"))
READ = [name for name, answer in ANSWER.items() if "nodes" in answer]
REWRITTEN = [name for name, answer in ANSWER.items() if "rewritten" in answer]


def test_the_saved_answers_are_about_the_current_output():
    assert {name: digest(text) for name, text in current_texts().items()} == {
        name: answer["sha256"] for name, answer in ANSWER.items()
    }, "run ask_gambit.py again; its docstring says how"


def test_gambit_reads_all_but_the_strange_labels():
    refused = {name for name, answer in ANSWER.items() if "refused" in answer}
    assert refused == {"strange_labels.efg", "strange_labels.efg, written"}
    assert "strange_labels.efg, plain" in READ


@pytest.mark.parametrize("name", READ)
def test_gambit_reads_the_same_game(name):
    form, answer = parse_efg(current_texts()[name]), ANSWER[name]
    assert form.name == answer["title"]
    assert list(form.player_names) == answer["players"]
    assert form.num_histories == answer["nodes"]
    assert [len(names) for names in form.infoset_names] == answer["infosets"]
    assert (find_recall_violation(form) is None) == answer["perfect_recall"]
    utility = form.utility[form.terminals]
    is_constant_sum = bool(np.ptp(utility.sum(axis=1)) < 1e-9)
    assert is_constant_sum == answer["constant_sum"]
    least, most = (float(Fraction(payoff)) for payoff in answer["payoffs"])
    np.testing.assert_allclose([utility.min(), utility.max()], [least, most])


@pytest.mark.parametrize("name", sorted(SOLVED))
def test_gambit_s_linear_program_finds_the_same_value(name):
    expected = [float(Fraction(value)) for value in ANSWER[name]["values"]]
    np.testing.assert_allclose(
        solve(parse_efg(current_texts()[name]), "lp").values, expected, atol=1e-9
    )


@pytest.mark.parametrize("name", REWRITTEN)
def test_what_gambit_writes_of_it_is_the_same_form(name):
    """The names that Gambit gives to unnamed outcomes, such as `_1`, are excepted."""
    form = parse_efg(current_texts()[name])
    rewritten = re.sub(r'"_\d+" {', '"" {', ANSWER[name]["rewritten"])
    assert_same(parse_efg(rewritten), form)


def test_many_are_compared():
    assert len(READ) > 20
    assert len(REWRITTEN) > 15
