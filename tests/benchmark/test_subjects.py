"""What a subject is follows from its shape."""

from __future__ import annotations

from pathlib import Path

import pytest

from infoset.benchmark import find_subject
from infoset.errors import ParameterError, SubjectShapeError, UnknownNameError
from infoset.games import load_game
from infoset.search import PIMC
from infoset.solvers import CustomMethod, LocalMethod, has_seed

FILE = str(Path(__file__).with_name("sample_subjects.py"))


@pytest.mark.parametrize(
    ("text", "kind", "name"),
    [
        ("CFR+", "method", "cfr+"),
        ("es-mccfr", "learner", "es-mccfr"),
        ("pimc(num_worlds=9)", "searcher", "pimc(num_worlds=9)"),
        (f"{FILE}:milder", "method", "milder"),
        (f"{FILE}:hedge", "method", "hedge"),
        (f"{FILE}:by_cfr", "method", "by_cfr"),
        (f"{FILE}:ByExponent", "method", "ByExponent"),
        (f"{FILE}:ByExponent(exponent=2.0)", "method", "ByExponent(exponent=2.0)"),
        (f"{FILE}:learner", "learner", "my-mccfr"),
        (f"{FILE}:Flat", "searcher", "Flat"),
        (f"{FILE}:Small", "searcher", "Small"),
    ],
)
def test_the_kind_of_each_shape(text, kind, name):
    subject = find_subject(text)
    assert (subject.kind, subject.name) == (kind, name)


def test_functions_and_classes_become_methods():
    assert isinstance(find_subject(f"{FILE}:hedge").spec, LocalMethod)
    seeded = find_subject(f"{FILE}:ByExponent").spec
    assert isinstance(seeded, CustomMethod)
    assert has_seed(seeded)
    assert not has_seed(find_subject(f"{FILE}:by_cfr").spec)


def test_searchers_are_made_for_a_game():
    game = load_game("kuhn_poker")
    assert isinstance(find_subject(f"{FILE}:Small").searcher(game), PIMC)
    assert find_subject("pimc(num_worlds=9)").searcher(game).settings()["num_worlds"] == 9


def test_other_shapes_are_refused_with_those_that_are_known():
    with pytest.raises(SubjectShapeError, match=r"is a int, which.*\n.*def solve\(form, budget\)"):
        find_subject(f"{FILE}:number")
    with pytest.raises(ParameterError, match=r"add the name of the object in it: \S*:milder or"):
        find_subject(FILE)
    with pytest.raises(UnknownNameError, match="no object 'mild'; did you mean milder"):
        find_subject(f"{FILE}:mild")
    with pytest.raises(ParameterError, match="'dcfr', which is the name of a method of the lib"):
        find_subject(f"{FILE}:renamed")
    with pytest.raises(ParameterError, match="takes no parameters"):
        find_subject(f"{FILE}:milder(x=1)")
    with pytest.raises(UnknownNameError, match="unknown subject 'pcfr\\+\\+'; did you mean"):
        find_subject("pcfr++")
    with pytest.raises(ParameterError, match="there is no file"):
        find_subject("absent.py:Mine")
