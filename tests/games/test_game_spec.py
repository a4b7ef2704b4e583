import pytest
from hypothesis import given
from hypothesis import strategies as st

from infoset.errors import ParameterError
from infoset.games import parse_spec


@pytest.mark.parametrize(
    ("spec", "name", "parameters"),
    [
        ("kuhn_poker", "kuhn_poker", {}),
        ("kuhn_poker()", "kuhn_poker", {}),
        ("  g ( a = 1 , b = two )  ", "g", {"a": 1, "b": "two"}),
        ("g(a=True,b=true,c=False,d=false)", "g", {"a": True, "b": True, "c": False, "d": False}),
        ("g(a=-1,b=+2,c=2.5,d=1e-3)", "g", {"a": -1, "b": 2, "c": 2.5, "d": 0.001}),
        ("g(a=reset-face,b=win_loss)", "g", {"a": "reset-face", "b": "win_loss"}),
        ("g(a=[1,[x,'y, z)']],b=(1,2))", "g", {"a": (1, ("x", "y, z)")), "b": (1, 2)}),
        (
            "g(a=[2;3.5],b=[ 1 ; [x;'y;z'] ],c=[7])",
            "g",
            {"a": (2, 3.5), "b": (1, ("x", "y;z")), "c": (7,)},
        ),
        ("g(a=None,b=none,c=[None])", "g", {"a": None, "b": "none", "c": (None,)}),
        ("g(a=1;2)", "g", {"a": "1;2"}),
        ("g(a=[],b=\"it's\",c='1')", "g", {"a": (), "b": "it's", "c": "1"}),
    ],
)
def test_specs_are_parsed(spec, name, parameters):
    assert parse_spec(spec) == (name, parameters)
    types = [type(value) for value in parse_spec(spec)[1].values()]
    assert types == [type(value) for value in parameters.values()]


@pytest.mark.parametrize(
    ("spec", "problem"),
    [
        ("", "it is not a name"),
        ("kuhn poker", "it is not a name"),
        ("g(a=1", "it is not a name"),
        ("g a=1)", "it is not a name"),
        ("g(a=1))", "no opening bracket"),
        ("g(a=1)(b=2)", "no opening bracket"),
        ("g(a)", "'a' is not of the form parameter=value"),
        ("g(a=b,c)", "'c' is not of the form parameter=value; put values with commas in quotes"),
        ("g(a=)", "'a=' is not of the form"),
        ("g(=1)", "'=1' is not of the form"),
        ("g(a b=1)", "'a b=1' is not of the form"),
        ("g(a=1,)", "before or after a comma"),
        ("g(,a=1)", "before or after a comma"),
        ("g(a=[1;])", "before or after a comma or semicolon"),
        ("g(a=[1;2)", "']' is missing"),
        ("g(a=1,a=2)", "a is given twice"),
        ("g(a=[1)", "']' is missing"),
        ("g(a=[1]2)", "is not a list"),
        ("g(a='x)", 'a "\'" is missing'),
        ("g(a='x'y)", "has no closing quote"),
        ("g(a=" + "[" * 5000 + "]" * 5000 + ")", "nested more than 20 deep"),
    ],
)
def test_malformed_specs_are_refused(spec, problem):
    with pytest.raises(ParameterError) as caught:
        parse_spec(spec)
    assert problem in str(caught.value)
    assert "leduc_poker(players=2,num_ranks=4)" in str(caught.value)


@given(st.text("ab=,;()[]'\" 1.-_", max_size=20))
def test_any_text_is_parsed_or_refused(text):
    try:
        name, parameters = parse_spec(text)
    except ParameterError:
        return
    assert name.strip() == name != ""
    assert all(key.isidentifier() for key in parameters)
