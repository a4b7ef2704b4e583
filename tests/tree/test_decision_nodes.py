"""Decision nodes: one decision or chance move per node, against the histories of the game tree."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from infoset.games import load_game
from infoset.tree import build_tree
from infoset.tree.decision_nodes import (
    CHANCE_NODE,
    TERMINAL_NODE,
    decision_graph,
    infostate_depths,
    infostate_sequences,
    number_infostates,
    unfold_tree,
    uniform_probabilities,
)
from tests.support.hypothesis_strategies import random_games


def chance_probabilities(nodes, node):
    """Return the outcome probabilities of a chance node from its alias table."""
    first, count = nodes.first[node], nodes.num_children[node]
    probability = np.zeros(count)
    for rank in range(count):
        keep = nodes.keep[first + rank]
        probability[rank] += keep / count
        probability[nodes.other[first + rank]] += (1 - keep) / count
    return probability


def walk(tree, nodes, infostates):
    """Yield for each terminal its chance reach and the sequences [N] of the players."""
    waiting = [(0, 1.0, infostates.root_sequence.copy())]
    while waiting:
        node, reach, sequence = waiting.pop()
        kind, first = nodes.kind[node], nodes.first[node]
        if kind == TERMINAL_NODE:
            yield first, reach, sequence - infostates.root_sequence
            continue
        for rank in range(nodes.num_children[node]):
            after, below = sequence.copy(), reach
            if kind == CHANCE_NODE:
                below *= chance_probabilities(nodes, node)[rank]
            else:
                player = infostates.player[kind]
                assert sequence[player] == infostates.parent_sequence[kind]
                after[player] = infostates.first_sequence[kind] + rank
            waiting.append((first + rank, below, after))


def assert_equals_the_tree(tree):
    nodes, history = unfold_tree(tree)
    infostates = number_infostates(tree.sequence_form.treeplexes)
    ends = history[nodes.num_children == 0]
    assert sorted(ends) == sorted(tree.terminals)
    found = 0
    for end, reach, sequence in walk(tree, nodes, infostates):
        assert reach == pytest.approx(tree.chance_reach[ends[end]], rel=1e-12)
        np.testing.assert_array_equal(sequence, tree.sequence[ends[end]])
        found += 1
    assert found == len(tree.terminals)


@given(random_games())
def test_terminals_have_the_reach_and_sequences_of_the_tree(game):
    assert_equals_the_tree(build_tree(game))


@pytest.mark.parametrize(
    "spec",
    ["kuhn_poker", "goofspiel(num_cards=3,players=3,points_order=descending)", "matrix_rps"],
)
def test_known_games_have_the_reach_and_sequences_of_the_tree(spec):
    assert_equals_the_tree(build_tree(load_game(spec)))


def test_simultaneous_actors_choose_one_after_another():
    graph = decision_graph(build_tree(load_game("matrix_mp")).graph)
    # The world states are the start and the end. Then come player 1 after Heads and after Tails,
    # and four joint actions, each a chance node with a single transition.
    assert graph.actor.tolist() == [0, TERMINAL_NODE, 1, 1, *[CHANCE_NODE] * 4]
    assert graph.num_children.tolist() == [2, 0, 2, 2, 1, 1, 1, 1]
    assert graph.next_node.tolist() == [1, 1, 1, 1, 2, 3, 4, 5, 6, 7]
    assert graph.first_child.tolist() == [4, 0, 6, 8, 0, 1, 2, 3]


def test_infostates_of_all_players_have_one_numbering():
    tree = build_tree(load_game("kuhn_poker"))
    infostates = number_infostates(tree.sequence_form.treeplexes)
    assert infostates.root_sequence.tolist() == [0, 13]
    assert infostates.player.tolist() == [0] * 6 + [1] * 6
    assert infostate_depths(infostates).tolist() == [0, 0, 0, 1, 1, 1] + [0] * 6
    depths = [plex.own_depth for plex in tree.sequence_form.treeplexes]
    assert infostate_depths(infostates).tolist() == np.concatenate(depths).tolist()
    assert len(infostate_sequences(infostates)) == 24
    uniform = uniform_probabilities(infostates, 26)
    assert uniform[[0, 13]].tolist() == [1.0, 1.0]
    assert np.delete(uniform, [0, 13]).tolist() == [0.5] * 24
