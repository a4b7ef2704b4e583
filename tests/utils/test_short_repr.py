"""Objects with large arrays have short representations, in text and in notebooks."""

from dataclasses import dataclass
from html.parser import HTMLParser

import numpy as np
import pytest

import infoset
from infoset.beliefs import cut_tree
from infoset.evaluation import best_response
from infoset.utils.short_repr import ShortRepr
from tests.support.cached_games import cached_tree

MAX_CHARACTERS = 200


def large_objects():
    tree = cached_tree("leduc_poker")
    form = tree.sequence_form
    uniform = infoset.uniform_policy(form)
    kuhn = infoset.load("kuhn_poker")
    solved = infoset.solve("kuhn_poker", "cfr+", iterations=10)
    return [
        tree,
        tree.graph,
        tree.public_tree,
        tree.infostate_trees[1],
        form,
        form.treeplexes[0],
        uniform,
        best_response(uniform, 0),
        infoset.evaluate(uniform),
        cut_tree(tree, depth=2),
        cut_tree(tree, depth=2).trunk,
        solved,
        infoset.learn("kuhn_poker", "ixomd", episodes=100, seeds=2),
        infoset.play_matches(kuhn, solved.policy, solved.policy, num_deals=10),
        infoset.solve_team("trade_comm(num_items=2)", "progressive-hiding", seconds=0.1),
    ]


class Visible(HTMLParser):
    """Collects the text of a page."""

    def __init__(self, page):
        super().__init__()
        self.text = ""
        self.feed(page)

    def handle_data(self, data):
        self.text += data


def test_representations_are_short_and_name_the_class():
    for thing in large_objects():
        text = repr(thing)
        assert text.startswith(f"<{type(thing).__name__}"), text
        assert "\n" not in text
        assert len(text) <= MAX_CHARACTERS, text
        assert Visible(thing._repr_html_()).text.startswith(type(thing).__name__)


def test_the_numbers_of_a_result():
    result = infoset.solve("kuhn_poker", "cfr+", iterations=100)
    text = repr(result)
    assert "kuhn_poker by cfr+" in text
    assert f"exploitability {result.exploitability:.4g}" in text
    assert "outcome iterations" in text
    assert ".policy" in text


@dataclass(frozen=True, eq=False, repr=False)
class Mixed(ShortRepr):
    array: object
    count: int
    name: str
    items: tuple
    is_exact: bool
    missing: object = None


@pytest.mark.parametrize(
    ("items", "shown"), [((1, 2), "(1, 2)"), (tuple(range(1000)), "tuple of 1,000")]
)
def test_fields_by_default(items, shown):
    mixed = Mixed(np.zeros((2, 3), np.float32), 12_345, "<b>" * 100, items, True)
    name = "<b>" * 20 + "... (300 characters)"
    assert repr(mixed) == (
        f"<Mixed: array float32[2, 3], count 12,345, name {name}, items {shown}, is_exact True, "
        "missing None>"
    )
    assert "<b>" not in mixed._repr_html_().replace("<b>Mixed</b>", "")
