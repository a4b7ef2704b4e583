"""Gadget games as forms, against those built explicitly on trees."""

from __future__ import annotations

import re

import numpy as np
import pytest

import infoset
from infoset.beliefs import part_between
from infoset.errors import ParameterError, UnsupportedGameError
from infoset.evaluation import evaluate_policy
from infoset.forms import GADGET_KINDS, add_gadget, entered_public_form
from infoset.policy import TabularPolicy, random_policy
from infoset.resolving import entered_form, gadget_form, public_subgame
from infoset.tree import derive_public_form
from tests.support.cached_games import cached_tree
from tests.support.measured import assert_same_values
from tests.support.small_holdem import small_holdem


@pytest.mark.parametrize("spec", ["kuhn_poker", "leduc_poker"])
@pytest.mark.parametrize("gadget", GADGET_KINDS)
def test_gadgets_on_trees_are_the_explicit_ones(spec, gadget):
    tree, rng = cached_tree(spec), np.random.default_rng(0)
    for root in (1, 4 if spec == "leduc_poker" else 2):
        part = part_between(tree, root)
        entered = entered_form(part)
        sizes = [int((plex.parent_sequence == 0).sum()) for plex in entered.treeplexes]
        for player in range(2):
            own, opponent = rng.random(sizes[player]), rng.random(sizes[1 - player])
            own[0] = 0.0
            for is_zero_sum in (False, True):
                theirs = gadget_form(
                    part, player, own, opponent, gadget=gadget, is_zero_sum=is_zero_sum
                )
                ours = add_gadget(entered, player, own, opponent, gadget, is_zero_sum=is_zero_sum)
                policy = random_policy(theirs, rng)
                same = TabularPolicy(ours, policy.probabilities)
                assert_same_values(evaluate_policy(same), evaluate_policy(policy))


@pytest.mark.parametrize("gadget", GADGET_KINDS)
def test_gadgets_on_public_forms_are_those_on_trees(gadget):
    """After the first action of Leduc poker; the tree has another order of hands."""
    tree = cached_tree("leduc_poker")
    form = derive_public_form(tree)
    node = int(form.decisions[1][0])
    label = form.label(node)
    acting = tree.infostate_trees[1]
    state = next(
        int(acting.public_state[number])
        for number, text in zip(acting.acting, acting.acting_labels, strict=True)
        if text.endswith(f"/ {label}")
    )
    trees = entered_form(part_between(tree, state))
    public = entered_public_form(form, node)
    rng = np.random.default_rng(1)
    own, opponent = rng.random(6), rng.random(6)
    hands = [re.search(r"\[\[(..)\]", text)[1] for text in trees.infostate_labels(1)[:6]]
    order = [[*map(str, form.hands[1])].index(hand) for hand in hands]
    for is_zero_sum in (False, True):
        measured = [
            evaluate_policy(
                infoset.uniform_policy(
                    add_gadget(part, 0, own, values, gadget, is_zero_sum=is_zero_sum)
                )
            )
            for part, values in ((trees, opponent[order]), (public, opponent))
        ]
        assert_same_values(*measured)


def test_gadgets_refuse_other_games():
    three = cached_tree("kuhn_poker(players=3)").sequence_form
    with pytest.raises(UnsupportedGameError, match="two-player"):
        add_gadget(three, 0, np.ones(3), np.ones(3))
    form = small_holdem()
    with pytest.raises(ParameterError, match="does not begin with a forced move"):
        add_gadget(form, 0, np.ones(28), np.ones(28))
    part = entered_public_form(form, 1)
    with pytest.raises(ParameterError, match="own_range has shape"):
        add_gadget(part, 0, np.ones(3), np.ones(28))
    with pytest.raises(ParameterError, match="range of player 0 is zero"):
        add_gadget(part, 0, np.zeros(28), np.ones(28))
    assert public_subgame(form, 1, (np.ones(28), np.ones(28))).form.num_nodes + 2 == part.num_nodes
