"""Mixtures of private and public beliefs: a worked example, both extremes and linearity."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from infoset.beliefs import PublicPrivateBelief, private_belief, public_belief
from infoset.errors import ParameterError
from infoset.game import Infostate, PublicState, Step
from infoset.games import load_game
from infoset.policy import random_policy
from infoset.tree import build_tree
from tests.support.cached_games import cached_tree
from tests.support.hypothesis_strategies import random_games

DICE = load_game("liars_dice(dice_sides=2)")
PUBLIC_WEIGHTS = st.floats(0, 1)


@cache
def dice_tree():
    return build_tree(DICE)


def rolled(player, *dice):
    return Infostate(player, (Step(None, dice, None),))


def by_hands(belief):
    return dict(
        zip([world.hands for world in belief.worlds], belief.probability.tolist(), strict=True)
    )


@pytest.mark.parametrize("is_compiled", [False, True])
def test_the_worked_example_of_the_paper(is_compiled):
    source = dice_tree() if is_compiled else DICE
    belief = PublicPrivateBelief(0.5).at(source, rolled(0, 1))
    assert by_hands(belief) == pytest.approx(
        {((1,), (1,)): 0.375, ((1,), (2,)): 0.375, ((2,), (1,)): 0.125, ((2,), (2,)): 0.125}
    )
    own, other = (belief.infostate_probabilities(player) for player in (0, 1))
    assert own == pytest.approx({rolled(0, 1): 0.75, rolled(0, 2): 0.25})
    assert other == pytest.approx({rolled(1, 1): 0.5, rolled(1, 2): 0.5})
    drawn = belief.sample(np.random.default_rng(0), 4000)
    counts = np.bincount(drawn, minlength=4)
    assert chisquare(counts, 4000 * belief.probability).pvalue > 0.01


def test_without_public_weight_only_the_own_hand_is_believed():
    for hand in ((1,), (2,)):
        belief = PublicPrivateBelief(0).at(DICE, rolled(1, *hand))
        assert set(belief.infostates(1)) == {rolled(1, *hand)}
        assert by_hands(belief) == by_hands(private_belief(DICE, rolled(1, *hand)))


def test_with_public_weight_alone_every_hand_believes_the_same():
    beliefs = [PublicPrivateBelief(1).at(DICE, rolled(1, face)) for face in (1, 2)]
    assert by_hands(beliefs[0]) == by_hands(beliefs[1])
    assert by_hands(beliefs[0]) == by_hands(public_belief(DICE, PublicState((None,))))


@given(random_games(max_histories=60), st.integers(0, 2**32), PUBLIC_WEIGHTS, st.booleans())
def test_beliefs_are_affine_in_the_public_weight(game, seed, public_weight, is_compiled):
    """B(public_weight) = (1 - public_weight) B(0) + public_weight B(1), history by history."""
    tree, rng = build_tree(game), np.random.default_rng(seed)
    policies = random_policy(tree.sequence_form, rng) if seed % 2 else None
    infostates = tree.infostate_trees[int(rng.integers(game.num_players))]
    known = infostates.infostate_at(int(rng.integers(infostates.num_infostates)))
    mixed, private, public = (
        as_dict(
            PublicPrivateBelief(part, policies=policies).at(tree if is_compiled else game, known)
        )
        for part in (public_weight, 0, 1)
    )
    assert set(private) <= set(public)
    wanted = {
        h: (1 - public_weight) * private.get(h, 0) + public_weight * p for h, p in public.items()
    }
    assert mixed == pytest.approx({h: p for h, p in wanted.items() if p}, rel=1e-9, abs=1e-12)


def as_dict(belief):
    histories = belief.histories
    keys = histories.tolist() if isinstance(histories, np.ndarray) else histories
    return dict(zip(keys, belief.probability.tolist(), strict=True))


@given(st.integers(0, 2**32), PUBLIC_WEIGHTS)
def test_no_card_is_dealt_twice(seed, public_weight):
    game = load_game("leduc_poker")
    rng = np.random.default_rng(seed)
    tree = leduc_tree()
    own = tree.infostate_trees[0]
    known = own.infostate_at(int(rng.choice(own.acting)))
    for world in PublicPrivateBelief(public_weight).at(game, known).worlds:
        seen = [card for card in (*world.cards, world.board) if card]
        assert len(set(seen)) == len(seen)


@cache
def leduc_tree():
    return cached_tree("leduc_poker")


def test_a_jack_in_hand_leaves_one_jack_of_five_cards():
    game = load_game("leduc_poker")
    tree = leduc_tree()
    first = next(
        tree.infostate_trees[0].infostate_at(number)
        for number in tree.infostate_trees[0].acting.tolist()
        if "J" in tree.infostate_trees[0].label(number)
    )
    posterior = private_belief(game, first).infostate_probabilities(1)
    by_rank = {"J": 0.0, "Q": 0.0, "K": 0.0}
    for known, probability in posterior.items():
        by_rank[str(known.steps[0].private)[0]] += probability
    assert by_rank == pytest.approx({"J": 1 / 5, "Q": 2 / 5, "K": 2 / 5})


def test_the_public_weight_may_change_with_the_own_move():
    belief = PublicPrivateBelief([0.6, 0.0])
    first = rolled(0, 1)
    second = first.extend(Step("1-1", None, "1-1")).extend(Step(None, None, "1-2"))
    third = second.extend(Step("2-1", None, "2-1"))
    assert [belief.public_weight_at(known) for known in (first, second, third)] == [0.6, 0.0, 0.0]
    assert len(belief.at(DICE, first)) == 4
    assert len(belief.at(DICE, second)) == 2


def test_the_public_weight_may_change_with_the_public_state():
    after_bid = PublicState((None, "1-1"))
    belief = PublicPrivateBelief({after_bid: 1}, default=0.25)
    known = rolled(1, 2).extend(Step(None, None, "1-1"))
    assert belief.public_weight_at(known) == 1
    assert belief.public_weight_at(rolled(0, 1)) == 0.25
    assert PublicPrivateBelief({after_bid: 1}).public_weight_at(rolled(0, 1)) == 0


def test_policies_weigh_both_parts():
    """If 1-1 is always bid with a one and never with a two, the bid reveals the die."""

    class OnesBid:
        def action_probabilities(self, infostate, legal_actions):
            has_one = infostate.steps[0].private == (1,)
            answer = np.zeros(len(legal_actions))
            answer[0 if has_one else 1] = 1
            return answer

    known = rolled(1, 2).extend(Step(None, None, "1-1"))
    belief = PublicPrivateBelief(0.5, policies=OnesBid()).at(DICE, known)
    assert by_hands(belief) == pytest.approx({((1,), (1,)): 0.25, ((1,), (2,)): 0.75})


@pytest.mark.parametrize("public_weight", [-0.1, 1.1, np.nan, "0.5", None, True, np.inf])
def test_a_public_weight_is_a_number_from_0_to_1(public_weight):
    with pytest.raises(ParameterError, match="it must be a number from 0"):
        PublicPrivateBelief(public_weight)
    with pytest.raises(ParameterError, match="public_weight of own move 1 is"):
        PublicPrivateBelief((0.5, public_weight))
    with pytest.raises(ParameterError, match="public_weight at 1-1 is"):
        PublicPrivateBelief({PublicState(("1-1",)): public_weight})
    with pytest.raises(ParameterError, match="default is"):
        PublicPrivateBelief({}, default=public_weight)


def test_public_weights_are_given_for_something():
    with pytest.raises(ParameterError, match="is empty"):
        PublicPrivateBelief(())
    with pytest.raises(ParameterError, match="has the key '1-1'; its keys must be public states"):
        PublicPrivateBelief({"1-1": 0.5})
    with pytest.raises(ParameterError, match="max_worlds=0"):
        PublicPrivateBelief(0.5, max_worlds=0)
