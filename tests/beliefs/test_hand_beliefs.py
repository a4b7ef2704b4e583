"""Beliefs about hands against beliefs over histories, and against forms that merge nothing."""

from __future__ import annotations

import numpy as np
import pytest

from infoset.beliefs import hand_belief, private_belief
from infoset.errors import PolicyMismatchError, UnknownNameError, UnsupportedGameError
from infoset.game import Infostate, Step
from infoset.policy import TabularPolicy, random_policy, transfer_policy, uniform_policy
from infoset.tree import derive_public_form
from tests.support.cached_games import cached_tree
from tests.support.small_holdem import small_holdem


def of_tree(tree, infostate, policy, **options):
    """Return the probability of each hand of the opponent, by the histories of a tree."""
    belief = private_belief(tree, infostate, policies=policy, **options)
    found = belief.infostate_probabilities(1 - infostate.player)
    hands = {}
    for other, probability in found.items():
        hands[other.steps[0].private] = hands.get(other.steps[0].private, 0) + probability
    return hands


@pytest.mark.parametrize("game", ["kuhn_poker", "leduc_poker"])
@pytest.mark.parametrize("assumed", [False, True])
def test_they_are_those_of_the_histories(game, assumed):
    tree = cached_tree(game)
    form = derive_public_form(tree)
    policy = random_policy(tree.sequence_form, np.random.default_rng(1)) if assumed else None
    by_hand = transfer_policy(policy, form) if assumed else None
    for player in range(2):
        for number in range(0, form.treeplexes[player].num_infostates, 7):
            infostate = form.infostate_at(player, number)
            try:
                wanted = of_tree(tree, infostate, policy)
            except UnknownNameError:
                continue  # a hand that chance has removed
            assert hand_belief(form, infostate, by_hand) == pytest.approx(wanted, abs=1e-12)
            assert hand_belief(form, infostate, policy) == pytest.approx(wanted, abs=1e-12)


def test_a_policy_that_never_leads_there_is_mixed_with_uniform_play():
    tree = cached_tree("kuhn_poker")
    form = derive_public_form(tree)
    never_bets = uniform_policy(tree.sequence_form).probabilities[0].copy()
    own = tree.infostate_trees[0]
    for first in own.first_sequence[own.acting].tolist():
        never_bets[first : first + 2] = (1.0, 0.0)
    policy = TabularPolicy(
        tree.sequence_form, (never_bets, uniform_policy(tree.sequence_form).probabilities[1])
    )
    queen = Infostate(1, (Step(None, "Q", None), Step(None, None, "bet")))
    wanted = of_tree(tree, queen, policy)
    assert hand_belief(form, queen, policy) == pytest.approx(wanted, abs=1e-12)
    with pytest.raises(UnsupportedGameError, match="probability zero"):
        hand_belief(form, queen, policy, model_noise=0)


def test_merged_suits_give_the_hands_that_were_held():
    whole, merged = small_holdem(), small_holdem(True)
    policy = random_policy(merged, np.random.default_rng(3))
    # Both suits of the public card: one of the lines is that of the form, the other is its image.
    for card in ("Kh", "Kd"):
        for hand in ("AhQd", "AdQh", "JhJd"):
            steps = (Step(None, None, event) for event in ("k", "b", "k", card))
            infostate = Infostate(0, (Step(None, hand, None), *steps))
            found = hand_belief(merged, infostate, policy)
            weights = {other: bet_probability(policy, other) for other in found}
            total = sum(weights.values())
            for other, probability in found.items():
                assert not {other[:2], other[2:]} & {hand[:2], hand[2:], card}
                assert probability == pytest.approx(weights[other] / total)
            assert sum(found.values()) == pytest.approx(1)
            nothing = hand_belief(whole, infostate)
            assert hand_belief(merged, infostate) == pytest.approx(nothing)
            assert {*nothing} == {*found}


def bet_probability(policy, hand):
    """Return the probability that player 1 bets after a check, with a hand."""
    infostate = Infostate(1, (Step(None, hand, None), Step(None, None, "k")))
    return policy.action_probabilities(infostate, ("k", "b"))[1]


def test_what_does_not_fit_is_refused():
    form = small_holdem()
    infostate = Infostate(0, (Step(None, "AhQd", None),))
    with pytest.raises(PolicyMismatchError):
        hand_belief(form, infostate, uniform_policy(cached_tree("kuhn_poker").sequence_form))
    with pytest.raises(UnknownNameError, match="hand"):
        hand_belief(form, Infostate(0, (Step(None, "Xh", None),)))
