"""The product form of a game is the game: counts, utilities, what is known."""

from __future__ import annotations

import numpy as np
import pytest

from infoset.games import load_game
from infoset.teams import perfect_recall_closure, product_form, reveal_private

TEAM = (0, 1)


def labels_by_stage(information):
    return np.bincount(information.stage).tolist()


@pytest.mark.parametrize(
    ("count", "nodes"), [(2, [4, 8, 16, 64]), (5, [25, 125, 625, 15625])], ids=["2,2", "5,5"]
)
def test_trade_comm_has_as_many_nodes_as_published(count, nodes):
    form = product_form(load_game(f"trade_comm(num_items={count})"))
    assert np.diff(form.arrays.first_node).tolist() == nodes
    assert len(form.arrays.payoff_edge) == nodes[2]
    recall = perfect_recall_closure(reveal_private(form.information, TEAM), TEAM)
    assert labels_by_stage(recall) == nodes


def test_tiny_bridge_has_as_many_labels_as_published():
    form = product_form(load_game("tiny_bridge_2p(abstracted=true)"))
    assert form.num_nodes == 53_760
    assert np.count_nonzero(form.arrays.child < 0) == 53_340
    assert labels_by_stage(form.information) == [12, 84, 252, 420, 420, 252, 84, 12]
    revealed = reveal_private(form.information, TEAM)
    assert labels_by_stage(revealed) == [101, 707, 2121, 3535, 3535, 2121, 707, 101]
