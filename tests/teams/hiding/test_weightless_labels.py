"""The shadow where nobody comes: all nodes of a label count alike, however they are told apart."""

from __future__ import annotations

import numpy as np

from infoset.games import load_game
from infoset.teams import (
    InformationMap,
    forget_own_actions,
    product_form,
    project,
    random_probabilities,
    relax,
)


def test_labels_of_different_sizes_count_by_their_nodes():
    form = product_form(load_game("trade_comm(num_items=3)"))
    form = form.with_original(forget_own_actions(form))

    def one_or_the_rest(prefix):
        return prefix.world.items == (0, 0)

    told = form.information.join(InformationMap.from_function(form, one_or_the_rest, "told"))
    lent = relax(form, told)
    policy = random_probabilities(told, np.random.default_rng(0))
    weight = np.zeros(form.num_nodes)
    weight[form.stage < 2] = 1.0
    shadow = project(lent, policy, weight)
    sizes = np.bincount(told.label)
    differ = 0
    for label in range(form.information.num_labels):
        nodes = np.flatnonzero(form.information.label == label)
        first = told.first_slot[told.label[nodes]]
        rows = [policy[slot : slot + form.num_actions[nodes[0]]] for slot in first]
        start = form.information.first_slot[label]
        np.testing.assert_allclose(
            shadow[start : start + len(rows[0])], np.mean(rows, axis=0), atol=1e-12
        )
        differ += len(set(sizes[told.label[nodes]].tolist())) > 1
    assert differ > 5
