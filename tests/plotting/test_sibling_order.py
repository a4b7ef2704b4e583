"""Siblings in pictures have the order of the rules."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infoset.games import load_game
from infoset.plotting import draw
from infoset.plotting.sibling_order import merged_ranks
from infoset.policy import tabulate
from infoset.tree import build_tree


@given(st.lists(st.sets(st.integers(0, 9)), max_size=8), st.randoms())
def test_lists_with_a_common_order_keep_it(groups, random):
    order = list(range(10))
    random.shuffle(order)
    lists = [sorted(group, key=order.index) for group in groups]
    ranks = merged_ranks(lists)
    assert sorted(ranks.values()) == list(range(len(set().union(*groups))))
    for items in lists:
        assert [ranks[item] for item in items] == sorted(ranks[item] for item in items)


@given(st.lists(st.lists(st.integers(0, 5), unique=True), max_size=6))
def test_any_lists_are_ranked(lists):
    items = {item for each in lists for item in each}
    assert sorted(merged_ranks(lists).values()) == list(range(len(items)))
    assert set(merged_ranks(lists)) == items


def test_public_cards_have_the_order_of_the_deck():
    (picture,) = draw("leduc_poker", "public", depth=4).pictures
    calls = [n for n, node in enumerate(picture.nodes) if node.step.text == "Js"]
    assert calls
    for first in calls:
        parent = picture.nodes[first].parent
        siblings = [node for node in picture.nodes if node.parent == parent]
        names = [node.step.text for node in sorted(siblings, key=lambda node: node.rank)]
        assert names == ["Js", "Jh", "Qs", "Qh", "Ks", "Kh"]


class Fixed:
    """A policy with the same probabilities at all infostates."""

    def __init__(self, *probabilities):
        self.probabilities = np.array(probabilities)

    def action_probabilities(self, infostate, legal_actions):
        return self.probabilities


def test_own_actions_have_probabilities_where_the_others_do_not_lead():
    tree = build_tree(load_game("kuhn_poker"))
    policy = tabulate(tree.sequence_form, [Fixed(0.25, 0.75), Fixed(1.0, 0.0)])
    (picture,) = draw(tree, "infostate", player=0, policy=policy).pictures
    after = [
        node
        for node in picture.nodes
        if node.parent > 0 and picture.nodes[node.parent].step.probability == 0.0
    ]
    assert len(after) == 9  # three cards after a bet that player 1 never makes
    assert {node.step.probability for node in after} == {0.25, 0.75}


@pytest.mark.parametrize("view", ["history", "infostate"])
def test_titles_of_regions_are_whole(view):
    (picture,) = draw("goofspiel(num_cards=3,imp_info=True,points_order=descending)", view).pictures
    titles = [region.title for region in picture.regions]
    assert not any("…" in title for title in titles)
    assert ("player 0 wins; last prize 1: player 0 wins" in titles) == (view == "history")
