"""Times of episodes: counting of rounds, and completeness of the page."""

from __future__ import annotations

import pytest

pytest.importorskip("pyspiel")

import learning_speed
from report import DOCS

from infoset.games import load_game
from infoset.learning import LEARNERS, AutoLearner, make_simulator
from infoset.tree import build_tree

pytestmark = pytest.mark.benchmarks

OURS = {name for name, row in LEARNERS.items() if not isinstance(row, AutoLearner)}


def test_a_turn_is_as_many_episodes_as_its_time_takes():
    asked = []

    def run(count):
        asked.append(count)
        return count * 1e-3

    assert learning_speed.warm(run) == 100
    assert asked == [2, 4, 8, 16, 32, 64, 128]


def test_peers_are_asked_for_as_many_episodes_as_ours():
    asked = []

    class Talk:
        def ask(self, method, limit, iterations):
            asked.append(iterations)
            return {"seconds": 1}

    run = learning_speed.liteefg_side(Talk(), 2)
    assert [run(7), run(8)] == [1.0, 1.0]
    assert asked == [4, 4]


def test_all_learners_are_timed():
    sides = learning_speed.our_sides(make_simulator(build_tree(load_game("kuhn_poker"))))
    assert set(sides) == OURS
    assert sides["os-mccfr"](10) >= 0.0


def test_tables_have_speeds_and_ratios():
    found = {
        "kuhn_poker": {"os-mccfr": 1e-7, "OpenSpiel os-mccfr": 2e-6},
        "leduc_poker": {"os-mccfr": 4e-6, "OpenSpiel os-mccfr": 8.64e-4},
        "liars_dice": {"os-mccfr": 4e-6},
    }
    speeds, ratios = learning_speed.tables(found).split("\n\n")
    assert speeds.splitlines()[-1] == "| `os-mccfr` | 10 million | 250,000 | 250,000 |"
    assert ratios.splitlines()[-1] == (
        "| OpenSpiel os-mccfr | 500,000: ours 20 times as fast "
        "| 1,157: ours 220 times as fast | - |"
    )


def test_the_page_names_learners_that_are_there():
    page = (DOCS / "learning" / "speed.md").read_text(encoding="utf-8")
    listed = {line.split("`")[1] for line in page.splitlines() if line.startswith("| `")}
    assert listed <= OURS
    assert {"os-mccfr", "es-mccfr", "ixomd"} <= listed
