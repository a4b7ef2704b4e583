"""Public states of teams join nodes that share a cell now or later."""

from __future__ import annotations

import numpy as np

from infoset.games import load_game
from infoset.teams import build_product_form
from infoset.teams.exact.public_states import (
    find_components,
    list_public_states,
    number_within,
    sort_nodes,
)
from infoset.teams.exact.team_problem import (
    NO_CHOICE,
    TeamTree,
    arrange,
    merge_equivalent_roots,
    pad_stages,
    pose_problem,
    stages,
)
from infoset.teams.product_form.reduction import equivalent_nodes
from tests.support.random_team_games import random_team_game
from tests.teams.shared_forms import tiny_bridge_form


def tree_of(form):
    return pose_problem(form.information, None, None, "common").tree


def cells_from(tree, node):
    """Return the cells at a node and below it."""
    children = tree.child[tree.first_edge[node] : tree.first_edge[node + 1]]
    after = [cells_from(tree, child) for child in children if child >= 0]
    return {tree.cell[node]}.union(*after) - {NO_CHOICE}


def joined(sets):
    """Return the sets linked by common members, by naive merging."""
    groups = [({number}, set(members)) for number, members in enumerate(sets)]
    merged = []
    while groups:
        numbers, members = groups.pop()
        linked = [group for group in groups if group[1] & members]
        if linked:
            groups = [group for group in groups if not group[1] & members]
            groups.append(
                (numbers.union(*(g[0] for g in linked)), members.union(*(g[1] for g in linked)))
            )
        else:
            merged.append(frozenset(numbers))
    return set(merged)


def test_components_are_linked_by_later_cells():
    for seed in range(30):
        form = random_team_game(np.random.default_rng(seed), num_stages=4)
        tree, _ = pad_stages(tree_of(form))
        component = find_components(tree)
        for nodes in stages(tree):
            numbers = component[nodes]
            parts = {frozenset(np.flatnonzero(numbers == n).tolist()) for n in set(numbers)}
            sets = [cells_from(tree, node) for node in range(nodes.start, nodes.stop)]
            assert parts == joined(sets)


def test_matching_pennies_has_two_kinds_of_public_states():
    tree = tree_of(build_product_form(load_game("cooperative_matching_pennies")))
    component = find_components(tree)
    assert component.tolist() == [0, 0, 1, 2, 1, 2]
    order = sort_nodes(tree, component)
    sorted_tree = arrange(tree, order, tree.stage)
    states, state = list_public_states(sorted_tree, component[order], np.zeros(6))
    assert state.tolist() == [1, 0, 0]
    assert states.next_state.tolist() == [0, 0]
    assert np.diff(states.first_cell).tolist() == [1, 2]
    assert states.gain[:6].tolist() == [0.5, -1, 0, -1, 0.5, 0]


def test_equivalent_bridge_deals_are_merged():
    form = tiny_bridge_form()
    tree = tree_of(form)
    joint, kept = merge_equivalent_roots(tree, equivalent_nodes(form, form.information.cell))
    assert (len(tree.cell), len(joint.cell)) == (53_760, 12_928)
    assert np.isclose(joint.gain.sum(), tree.gain.sum())
    assert (joint.cell == tree.cell[kept]).all()
    assert len(np.flatnonzero(joint.parent_edge < 0)) == 101


def test_skipped_stages_are_padded():
    # Root 0 is followed by node 2 in stage 2; root 1 comes in stage 1.
    tree = TeamTree(
        first_node=np.array([0, 1, 2, 3]),
        cell=np.array([0, 1, 2]),
        first_edge=np.array([0, 2, 4, 6]),
        child=np.array([2, -1, -1, -1, -1, -1]),
        gain=np.array([0.0, 1, 2, 3, 4, 5]),
    )
    padded, owner = pad_stages(tree)
    assert padded.first_node.tolist() == [0, 2, 4, 5]
    assert owner.tolist() == [0, 1, 1, 2, 2]
    assert padded.cell.tolist() == [0, NO_CHOICE, 1, NO_CHOICE, 2]
    assert padded.first_edge.tolist() == [0, 2, 3, 5, 6, 8]
    assert padded.child.tolist() == [3, -1, 2, -1, -1, 4, -1, -1]
    assert padded.gain.tolist() == [0, 1, 0, 2, 3, 0, 4, 5]


def test_numbers_within_groups():
    group, value = np.array([0, 0, 0, 2, 2]), np.array([5, -1, 5, -1, 5])
    assert number_within(group, value).tolist() == [0, 1, 0, 0, 1]
