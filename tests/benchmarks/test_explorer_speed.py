"""Times of the explorer: the timed work."""

from __future__ import annotations

import explorer_speed
import pytest
from report import environment

from tests.support.cached_games import cached_tree

pytestmark = pytest.mark.benchmarks


def test_the_questions_are_those_of_the_page():
    tree = cached_tree("leduc_poker")
    asked = [[one["ask"] for one in explorer_speed.questions(tree, state)] for state in (0, 1)]
    assert asked[0] == ["state", "children", "infostates", "infostates"]
    assert asked[1] == [*asked[0], "player_belief"]


def test_states_are_late_and_early_ones():
    tree = cached_tree("leduc_poker")
    states = explorer_speed.some_states(tree)
    assert len(states) == explorer_speed.NUM_STATES
    assert min(states) == 0 < max(states) < tree.public_tree.num_public_states


def test_a_row_is_measured_at_the_client():
    found = explorer_speed.row("leduc_poker")
    assert (found["histories"], found["public_states"]) == (9_451, 3_316)
    assert 0 < found["question"] < found["median"] <= found["late"]
    assert 100 < found["bytes"] < 10_000
    line = explorer_speed.page_part({"environment": environment(), "load": 1.0, "rows": [found]})
    assert line.splitlines()[-1].startswith("| leduc_poker | 9,451 | 3,316 |")
