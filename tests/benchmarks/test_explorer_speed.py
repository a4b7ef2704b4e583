"""Times of the explorer: the timed work."""

from __future__ import annotations

import explorer_speed
import pytest

from infoset.policy import uniform_policy
from infoset.views import Explorer
from tests.support.cached_games import cached_tree

pytestmark = pytest.mark.benchmarks


def test_the_questions_are_those_of_the_page():
    tree = cached_tree("kuhn_poker")
    explorer = Explorer(tree, {"uniform": uniform_policy(tree.sequence_form)})
    asked = [question["ask"] for question in explorer_speed.questions(explorer, 1)]
    assert asked == ["state", "children", "infostates", "infostates", "beliefs"]
    seconds, largest = explorer_speed.opened(explorer, 1)
    assert seconds >= 0
    assert 100 < largest < 10_000


def test_states_are_late_and_early_ones():
    tree = cached_tree("leduc_poker")
    states = explorer_speed.some_states(tree)
    assert len(states) == explorer_speed.NUM_STATES
    assert min(states) == 0 < max(states) < tree.public_tree.num_public_states


def test_a_row_has_all_cells():
    assert explorer_speed.row("leduc_poker")[:3] == ["leduc_poker", "9,451", "3,316"]
