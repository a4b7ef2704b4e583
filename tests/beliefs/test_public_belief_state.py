"""Ranges and beliefs, against the paper's worked example and Bayes' rule on all histories."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infoset.beliefs import PublicBeliefState, find_public_state, ranges
from infoset.errors import ParameterError, UnknownNameError, UnsupportedGameError
from infoset.game import PublicState
from infoset.policy import TabularPolicy, random_policy, uniform_policy
from infoset.tree import build_tree
from tests.beliefs.reference_values import ReferenceValues
from tests.support.cached_games import cached_tree
from tests.support.hypothesis_strategies import random_games


@cache
def kuhn_tree():
    return cached_tree("kuhn_poker")


@cache
def after_bet():
    return find_public_state(kuhn_tree(), PublicState((None, "bet")))


def betting_policy(bets):
    """Return the uniform policy with other probabilities for the first bets of player 0."""
    values = [v.copy() for v in uniform_policy(kuhn_tree().sequence_form).probabilities]
    tree = kuhn_tree().infostate_trees[0]
    for label, bet in bets.items():
        first = tree.first_sequence[tree.acting[tree.acting_labels.index(label)]]
        values[0][first : first + 2] = 1 - bet, bet
    return TabularPolicy(kuhn_tree().sequence_form, tuple(values))


@cache
def paper_policy():
    return betting_policy({"[J]": 1 / 16, "[Q]": 3 / 16, "[K]": 1})


def by_label(player, values, public_state=None):
    public_state = after_bet() if public_state is None else public_state
    tree = kuhn_tree().infostate_trees[player]
    belief = PublicBeliefState.with_unit_ranges(kuhn_tree(), public_state)
    labels = [tree.label(number) for number in belief.infostates[player].tolist()]
    return dict(zip(labels, np.asarray(values).tolist(), strict=True))


def test_the_ranges_of_the_paper():
    own = by_label(0, ranges(paper_policy(), after_bet())[0])
    assert sorted(own.values()) == [1 / 16, 3 / 16, 1]
    assert own == {"[J] / bet": 1 / 16, "[Q] / bet": 3 / 16, "[K] / bet": 1}
    normalized = by_label(0, ranges(paper_policy(), after_bet(), normalized=True)[0])
    assert normalized == pytest.approx({"[J] / bet": 0.05, "[Q] / bet": 0.15, "[K] / bet": 0.8})
    assert ranges(paper_policy(), after_bet())[1].tolist() == [1, 1, 1]


def test_the_beliefs_of_the_paper():
    belief = PublicBeliefState.from_policy(kuhn_tree(), paper_policy(), after_bet())
    tree = kuhn_tree().infostate_trees[1]
    king = next(n for n in belief.infostates[1].tolist() if tree.label(n) == "[K] / bet")
    others, own = belief.infostate_beliefs(1, king)
    assert by_label(0, others) == pytest.approx(
        {"[J] / bet": 0.25, "[Q] / bet": 0.75, "[K] / bet": 0}
    )
    assert by_label(1, own) == {"[K] / bet": 1, "[J] / bet": 0, "[Q] / bet": 0}


def test_marginals_have_the_deal_in_them():
    # P(0 has K, bet) = 1/3; P(1 has J | bet): 0 has Q or K: (3/16 + 1) / 2 / (20/16).
    belief = PublicBeliefState.from_policy(kuhn_tree(), paper_policy(), after_bet())
    assert belief.probability == pytest.approx(20 / 16 / 3)
    seats = [by_label(player, values) for player, values in enumerate(belief.marginals)]
    assert seats[0] == pytest.approx({"[J] / bet": 0.05, "[Q] / bet": 0.15, "[K] / bet": 0.8})
    assert seats[1] == pytest.approx(
        {"[J] / bet": 19 / 40, "[Q] / bet": 17 / 40, "[K] / bet": 4 / 40}
    )


@settings(max_examples=10)
@given(random_games(max_histories=60), st.integers(0, 2**32))
def test_everything_equals_bayes_rule_on_listed_histories(game, seed):
    tree = build_tree(game)
    policy = random_policy(tree.sequence_form, np.random.default_rng(seed))
    slow = ReferenceValues.of(game, policy)
    for public_state in range(tree.public_tree.num_public_states):
        belief = PublicBeliefState.from_policy(tree, policy, public_state)
        positions = np.flatnonzero(tree.public_state == public_state)
        assert belief.histories.tolist() == positions.tolist()
        joint = slow.reach[positions].prod(axis=1)
        assert np.allclose(belief.reach, joint, rtol=1e-12, atol=0)
        assert belief.probability == pytest.approx(joint.sum(), rel=1e-12)
        for player in range(tree.num_players):
            check_player(belief, slow, player, positions)


def check_player(belief, slow, player, positions):
    total = slow.reach[positions].prod(axis=1).sum()
    marginal = slow.by_infostate(positions, player, lambda h: slow.reach[h].prod() / total)
    assert np.allclose(belief.marginals[player], list(marginal.values()), rtol=1e-10)
    reach = slow.by_infostate(positions, player, lambda h: slow.counterfactual_reach(h, player))
    assert np.allclose(belief.counterfactual_reach(player), list(reach.values()), rtol=1e-12)
    own = {slow.visits[h].history.infostates[player]: slow.reach[h, player] for h in positions}
    assert np.allclose(belief.ranges[player], list(own.values()), rtol=1e-12)
    for number, known in zip(belief.infostates[player].tolist(), own, strict=True):
        inside = [slow.visits[h].history.infostates[player] == known for h in positions]
        wanted = np.where(inside, slow.reach[positions].prod(axis=1), 0)
        bayes = wanted / wanted.sum()
        assert np.allclose(belief.history_beliefs(player, number), bayes, rtol=1e-10)
        for other, shares in enumerate(belief.infostate_beliefs(player, number)):
            index = dict(zip(positions, bayes, strict=True))
            wanted = slow.by_infostate(positions, other, index.__getitem__)
            assert np.allclose(shares, list(wanted.values()), rtol=1e-10)


@settings(max_examples=10)
@given(random_games(max_histories=60), st.integers(0, 2**32))
def test_the_unit_of_a_range_does_not_change_what_anybody_believes(game, seed):
    tree = build_tree(game)
    rng = np.random.default_rng(seed)
    policy = random_policy(tree.sequence_form, rng)
    public_state = int(rng.integers(tree.public_tree.num_public_states))
    belief = PublicBeliefState.from_policy(tree, policy, public_state)
    normal = belief.normalize()
    assert all(own.sum() == pytest.approx(1) for own in normal.ranges)
    assert all(map(np.allclose, normal.ranges, ranges(policy, public_state, normalized=True)))
    assert np.allclose(normal.history_distribution, belief.history_distribution)
    player = int(rng.integers(tree.num_players))
    number = int(rng.choice(belief.infostates[player]))
    assert np.allclose(
        normal.history_beliefs(player, number), belief.history_beliefs(player, number)
    )


def test_a_player_with_zero_reach_still_has_beliefs():
    never = betting_policy({"[J]": 0, "[Q]": 0, "[K]": 0})
    belief = PublicBeliefState.from_policy(kuhn_tree(), never, after_bet())
    number = int(belief.infostates[0][0])
    assert sorted(belief.infostate_beliefs(0, number)[1].tolist()) == [0, 0.5, 0.5]
    with pytest.raises(UnsupportedGameError, match="never lead to the infostate"):
        belief.infostate_beliefs(1, int(belief.infostates[1][0]))
    with pytest.raises(UnsupportedGameError, match="no history"):
        _ = belief.marginals
    with pytest.raises(ParameterError, match="cannot be normalized"):
        belief.normalize()
    with pytest.raises(ParameterError, match="cannot be normalized"):
        ranges(never, after_bet(), normalized=True)


def test_equal_is_the_same_game_public_state_and_ranges():
    belief = PublicBeliefState.from_policy(kuhn_tree(), paper_policy(), after_bet())
    again = PublicBeliefState(cached_tree("kuhn_poker"), after_bet(), belief.ranges)
    assert again == belief
    assert hash(again) == hash(belief)
    assert belief != belief.normalize()
    pair = [PublicBeliefState.with_unit_ranges(kuhn_tree(), number) for number in (2, 3)]
    assert pair[0] != pair[1]
    assert belief != "belief"
    assert repr(belief).startswith("<PublicBeliefState of kuhn_poker at '. / bet': [0.0625")
    with pytest.raises(ValueError, match="read-only"):
        belief.ranges[0][0] = 1


def test_ranges_are_copied():
    given = [np.ones(3), np.ones(3)]
    belief = PublicBeliefState(kuhn_tree(), after_bet(), tuple(given))
    given[0][0] = 5
    assert belief.ranges[0].tolist() == [1, 1, 1]


@pytest.mark.parametrize(
    ("public_state", "given", "message"),
    [
        (99, ([1], [1]), "kuhn_poker has public states 0 to .*, not 99"),
        (
            "after a bet",
            ([1, 1], [1, 1, 1]),
            r"shapes \[\(2,\), \(3,\)\].*have \[3, 3\] infostates",
        ),
        ("after a bet", ([1, 1, 1],), "shapes"),
        ("after a bet", ([1, 1, -1], [1, 1, 1]), "player 0 has an entry that is negative"),
        ("after a bet", ([1, 1, 1], [1, np.nan, 1]), "player 1 has an entry"),
    ],
)
def test_invalid_public_belief_states_are_refused(public_state, given, message):
    number = after_bet() if public_state == "after a bet" else public_state
    with pytest.raises(ParameterError, match=message):
        PublicBeliefState(kuhn_tree(), number, given)


def test_an_infostate_elsewhere_has_no_belief_here():
    belief = PublicBeliefState.with_unit_ranges(kuhn_tree(), after_bet())
    with pytest.raises(ParameterError, match="infostate 0 of player 1 is not at"):
        belief.history_beliefs(1, 0)


def test_public_states_are_found_by_what_was_seen():
    for number in range(kuhn_tree().public_tree.num_public_states):
        history = (
            ReferenceValues.of(kuhn_tree().game, paper_policy())
            .visits[int(np.flatnonzero(kuhn_tree().public_state == number)[0])]
            .history
        )
        assert find_public_state(kuhn_tree(), history.public_state) == number
    with pytest.raises(UnknownNameError, match=r"after '\.' are \['pass', 'bet'\]"):
        find_public_state(kuhn_tree(), PublicState((None, "raise")))
