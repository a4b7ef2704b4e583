"""Messages of errors and their common base class."""

from __future__ import annotations

import pickle

import pytest

from infoset import errors
from infoset.errors import (
    ComparisonError,
    CyclicGameError,
    GameFileError,
    GameRuleError,
    GameTooLargeError,
    MissingExtraError,
    UnknownNameError,
    nearest_names,
)


def test_all_have_one_base():
    for name in errors.__all__:
        thing = getattr(errors, name)
        if isinstance(thing, type):
            assert issubclass(thing, errors.InfosetError | UserWarning)


def test_the_nearest_names_come_first():
    known = ["kuhn_poker", "leduc_poker", "goofspiel"]
    assert nearest_names("kuhn_pokr", known).startswith("did you mean kuhn_poker")
    assert nearest_names("Kuhn", known) == "did you mean kuhn_poker?"
    assert nearest_names("chess", known) == "known: goofspiel, kuhn_poker, leduc_poker"
    assert nearest_names("chess", []) == "there are none to choose from"


def test_a_long_list_is_cut():
    text = nearest_names("zzz", [f"game{i:03}" for i in range(200)])
    assert text.endswith("game023, ... (200 in all)")


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("method", "unknown method 'crf'; did you mean cfr"),
        ("method of lp at work", "lp at work has no method 'crf'; did you mean cfr"),
        ("method at 7 of hearts", "there is no method 'crf' at 7 of hearts; did you mean cfr"),
    ],
)
def test_unknown_names_say_what_kind_of_name(kind, message):
    with pytest.raises(UnknownNameError, match=message):
        raise UnknownNameError.of(kind, "crf", ["cfr", "lp"])


@pytest.mark.parametrize(
    "error",
    [
        UnknownNameError.of("method", "crf", ["cfr"]),
        GameRuleError("rewards are finite", found="got NaN", world="start", player=1),
        CyclicGameError(range(20)),
        GameTooLargeError("too large", {"histories": 7}),
        MissingExtraError("draw", "drawing", "pygraphviz >=2", "it is not installed"),
        GameFileError("odd", line=3),
        ComparisonError("lp", ValueError("odd"), ()),
    ],
)
def test_errors_come_back_whole_from_other_processes(error):
    back = pickle.loads(pickle.dumps(error))
    assert type(back) is type(error)
    assert str(back) == str(error)
    assert vars(back) == vars(error)


def test_a_long_cycle_is_shown_by_its_beginning():
    error = CyclicGameError(range(20))
    assert "(20 world states in all)" in str(error)
    assert error.cycle == tuple(range(20))


def test_long_inputs_are_cut_in_messages():
    long = "x" * 2_000_000
    for text in (long, f"{long} {long}", "a b " * 500_000):
        for error in (
            UnknownNameError.of("game", text, ["kuhn_poker"]),
            errors.PolicyFileError(f"{text} cannot be read; give another file"),
        ):
            assert 200 < len(str(error)) < 2000
    assert str(errors.PolicyFileError(long + "; give another")).endswith("give another")
    assert str(errors.InfosetError("x" * 900)) == "x" * 900
