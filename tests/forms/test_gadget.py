"""Gadget games as forms, compared with games built explicitly on trees."""

from __future__ import annotations

import re
from functools import cache

import numpy as np
import pytest

import infoset
from infoset.beliefs import PublicBeliefState, part_between
from infoset.errors import ParameterError, UnsupportedGameError
from infoset.evaluation import evaluate_policy, history_values
from infoset.forms import GADGET_KINDS, add_gadget, entered_public_form
from infoset.games import load_game
from infoset.policy import TabularPolicy, random_policy
from infoset.resolving import entered_form, public_subgame
from infoset.tree import build_tree, derive_public_form
from tests.support.affine_games import AffineGame
from tests.support.cached_games import cached_tree
from tests.support.measured import assert_same_values
from tests.support.small_holdem import small_holdem


@cache
def shifted(spec):
    """Return the tree of a game whose utilities sum to 0.75."""
    return build_tree(AffineGame(load_game(spec), shift=(0.5, 0.25)))


def values_by_definition(form, part, policy, own, opponent, is_zero_sum):
    """Return both players' values in a gadget game on a tree, from values of histories."""
    tree, player, other, constant = part.tree, form.player, 1 - form.player, 0.75
    inside, plans = [], policy.probabilities[other]
    for p, behavior in enumerate(form.complete(policy.probabilities)):
        inside.append(np.ones(tree.sequence_form.treeplexes[p].num_sequences))
        inside[p][part.sequences[p][1:]] = behavior[len(behavior) - len(part.sequences[p]) + 1 :]
    root = PublicBeliefState.with_unit_ranges(tree, part.root)
    values = history_values(tree, TabularPolicy.from_weights(tree.sequence_form, inside))
    values, place = values[root.histories], root.position
    weight, unit = (
        np.bincount(place[:, other], root.chance_reach * reach[place[:, player]], len(opponent))
        for reach in (own, np.ones_like(own))
    )
    follow, ends = np.ones(len(opponent)), np.zeros(2)
    if form.gadget == "none":
        follow = opponent
    elif form.gadget == "resolving":
        follow, takes = plans[1::2][: len(opponent)], plans[2::2][: len(opponent)]
        ends[other] = (weight * takes) @ opponent
        ends[player] = (weight * takes) @ (constant - opponent)
    else:
        follow, chosen = np.zeros(len(opponent)), np.flatnonzero(weight)
        follow[chosen] = plans[1 : 1 + len(chosen)] / weight[chosen]
        ends[other] = -(follow * weight) @ opponent
        ends[player] = (follow * (weight if is_zero_sum else unit)) @ (opponent - constant)
    reach = root.chance_reach * follow[place[:, other]]
    found = np.empty(2)
    found[other] = (reach * own[place[:, player]]) @ values[:, other]
    found[player] = (reach * (own[place[:, player]] if is_zero_sum else 1)) @ values[:, player]
    if form.gadget == "none" and not is_zero_sum:  # its own range is not used either
        found[other] = (root.chance_reach * own[place[:, player]]) @ values[:, other]
    return found + ends


@pytest.mark.parametrize("spec", ["kuhn_poker", "leduc_poker"])
@pytest.mark.parametrize("gadget", GADGET_KINDS)
@pytest.mark.parametrize("is_zero_sum", [False, True])
def test_gadgets_on_trees_have_the_values_of_their_definition(spec, gadget, is_zero_sum):
    tree, rng = shifted(spec), np.random.default_rng(0)
    for state in (1, 4 if spec == "leduc_poker" else 2):
        part = part_between(tree, state)
        entered = entered_form(part)
        sizes = [int((plex.parent_sequence == 0).sum()) for plex in entered.treeplexes]
        for player in range(2):
            own, opponent = rng.random(sizes[player]), rng.random(sizes[1 - player])
            own[0] = 0.0
            form = add_gadget(entered, player, own, opponent, gadget, is_zero_sum=is_zero_sum)
            assert (form.constant_sum is not None) == is_zero_sum
            for _ in range(2):
                policy = random_policy(form, rng)
                plans = policy.realization_plans()
                expected = values_by_definition(form, part, policy, own, opponent, is_zero_sum)
                assert evaluate_policy(policy).values == pytest.approx(expected, abs=1e-12)
                found = [form.gradient(plans, p) @ plans[p] for p in range(2)]
                assert found == pytest.approx(expected, abs=1e-12)
                if is_zero_sum:
                    assert sum(expected) == pytest.approx(form.constant_sum, abs=1e-12)


@pytest.mark.parametrize("gadget", GADGET_KINDS)
def test_gadgets_on_public_forms_are_those_on_trees(gadget):
    """After the first action of Leduc poker; the tree orders the hands differently."""
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
