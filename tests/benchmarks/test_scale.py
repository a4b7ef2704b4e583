"""The saved measurements of large games, as far as they do not depend on the machine."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from infoset.games import load_game
from infoset.tree import build_world_graph, contract_graph, count_histories

pytestmark = pytest.mark.benchmarks

ROOT = Path(__file__).parents[2]
STORED = json.loads((ROOT / "benchmarks" / "results" / "scale.json").read_text())
SMALL = [row for row in STORED["games"] if row["histories"] < 60_000]
SOLVED = {row["spec"]: row for row in STORED["solved"]}
PAGE = (ROOT / "docs" / "solvers" / "scale.md").read_text()

VALUE = -0.0271317829457
"""Of liar's dice with six sides, to player 0."""


@pytest.mark.parametrize("row", SMALL, ids=lambda row: row["spec"])
def test_sizes_are_those_of_the_games(row):
    graph = build_world_graph(load_game(row["spec"]))
    counts = count_histories(graph)
    form = contract_graph(graph)
    assert row["world_states"] == counts.world_states
    assert row["transitions"] == graph.num_edges
    assert row["histories"] == counts.histories
    assert row["terminals"] == counts.terminals
    assert row["infostates"] == sum(tree.num_infostates for tree in form.infostate_trees)
    assert row["sequences"] == sum(plex.num_sequences for plex in form.treeplexes)
    assert row["payoffs"] == form.num_payoffs


def test_games_that_were_solved_are_certified():
    for row in SOLVED.values():
        assert row["exploitability"] <= 1e-3
        assert sum(row["security_levels"]) == pytest.approx(-2 * row["exploitability"], rel=1e-6)
    first, second = SOLVED["liars_dice(dice_sides=6)"]["security_levels"]
    assert first <= VALUE <= -second


def test_the_largest_game_is_on_the_page():
    row = next(row for row in STORED["games"] if "dice_sides=10" in row["spec"])
    assert (row["histories"], row["terminals"]) == (209_715_101, 104_857_500)
    assert max(row["bytes_solving"], SOLVED[row["spec"]]["bytes"]) < 20e9
    assert f"{row['histories']:,}" in PAGE
