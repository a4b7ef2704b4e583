"""Comparison of extensive forms field by field, and random extensive forms."""

from __future__ import annotations

from dataclasses import fields
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from infoset.efg import TERMINAL, ExtensiveForm, Node, Outcome, extensive_form_from_nodes
from infoset.typing import CHANCE
from infoset.utils.text import one_line

GAMES = Path(__file__).parent / "games"


def assert_same(one: ExtensiveForm, other: ExtensiveForm) -> None:
    """Compare all fields of two forms: arrays bit for bit, labels and numbers by value."""
    for field in fields(ExtensiveForm):
        left, right = getattr(one, field.name), getattr(other, field.name)
        if isinstance(left, np.ndarray):
            np.testing.assert_array_equal(left, right, field.name)
            assert left.dtype == right.dtype, field.name
        elif field.name == "infoset_names":
            assert [tuple(names) for names in left] == [tuple(names) for names in right]
        elif field.name == "name":
            assert one_line(left) == one_line(right)
        elif field.name in ("history_names", "public_names"):
            assert tuple(left) == tuple(right)
        else:
            assert left == right, field.name


class Named(NamedTuple):
    """An information set whose name need not be unique."""

    number: int
    name: str

    def __str__(self) -> str:
        return self.name


labels = st.one_of(
    st.sampled_from(["", "a", "b", 'the "nuts"', "\\", "\\\\", '\\"', "two\r\nlines", "♠", " x  "]),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=5),
)
exact = st.fractions(min_value=-(10**6), max_value=10**6)
weights = st.lists(st.integers(0, 30), min_size=1, max_size=3).filter(any)


@st.composite
def forms(draw: st.DrawFn) -> ExtensiveForm:
    """Return a random form with random labels, information sets, and payoffs at any history."""
    names = tuple(draw(st.lists(labels, min_size=1, max_size=3)))
    payoffs = st.tuples(*[exact] * len(names))
    paid = st.sampled_from([None, *draw(st.lists(st.builds(Outcome, payoffs, labels), max_size=3))])
    number = st.integers(0, 2)
    lists = st.lists(labels, min_size=1, max_size=3).map(tuple)
    infosets = [[(Named(index, draw(labels)), draw(lists)) for index in range(3)] for _ in names]

    def ends() -> st.SearchStrategy[Node]:
        return st.builds(
            lambda outcome, name: Node(TERMINAL, outcome=outcome, name=name), paid, labels
        )

    @st.composite
    def moves(draw: st.DrawFn, below: st.SearchStrategy[Node]) -> Node:
        actor = draw(st.integers(CHANCE, len(names) - 1))
        if actor == CHANCE:
            shares = draw(weights)
            chances = tuple(Fraction(share, sum(shares)) for share in shares)
            texts, sees = tuple(draw(labels) for _ in shares), {}
        else:
            key, texts = infosets[actor][draw(number)]
            chances, sees = (), {actor: key}
        children = tuple(draw(below) for _ in texts)
        return Node(actor, texts, children, chances, draw(paid), sees, None, draw(labels))

    root = draw(st.recursive(ends(), moves, max_leaves=12))
    return extensive_form_from_nodes(root, players=names, name=draw(labels))
