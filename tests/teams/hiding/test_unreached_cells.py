"""The projection at cells of probability 0 is the unweighted mean of their nodes."""

from __future__ import annotations

import numpy as np

from infoset.games import load_game
from infoset.teams import (
    InformationMap,
    build_product_form,
    forget_own_actions,
    project,
    random_probabilities,
    relax,
)


def test_unreached_cells_are_weighted_by_their_nodes():
    form = build_product_form(load_game("trade_comm(num_items=3)"))
    form = form.with_original(forget_own_actions(form))

    def one_or_the_rest(prefix):
        return prefix.world.items == (0, 0)

    told = form.information.join(InformationMap.from_function(form, one_or_the_rest, "told"))
    relaxation = relax(form, told)
    policy = random_probabilities(told, np.random.default_rng(0))
    weight = np.zeros(form.num_nodes)
    weight[form.stage < 2] = 1.0
    projected = project(relaxation, policy, weight)
    sizes = np.bincount(told.cell)
    differ = 0
    for cell in range(form.information.num_cells):
        nodes = np.flatnonzero(form.information.cell == cell)
        first = told.first_entry[told.cell[nodes]]
        rows = [policy[entry : entry + form.num_actions[nodes[0]]] for entry in first]
        start = form.information.first_entry[cell]
        np.testing.assert_allclose(
            projected[start : start + len(rows[0])], np.mean(rows, axis=0), atol=1e-12
        )
        differ += len(set(sizes[told.cell[nodes]].tolist())) > 1
    assert differ > 5
