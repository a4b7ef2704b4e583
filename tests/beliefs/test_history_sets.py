"""Sets of histories around an infostate: complete ones, and samples."""

from __future__ import annotations

import numpy as np
import pytest

from infoset.beliefs import public_belief
from infoset.beliefs.history_sets import histories_around
from infoset.beliefs.history_sources import SamplingLimits
from infoset.game import Infostate, PublicState
from infoset.policy import random_policy
from tests.support.cached_games import cached_tree

GOOFSPIEL = "goofspiel(num_cards=4,imp_info=True,points_order=descending)"


def infostates_of(name, player):
    own = cached_tree(name).infostate_trees[player]
    return [(own.infostate_at(number), own.legal_actions(number)) for number in own.acting.tolist()]


def test_samples_represent_all_histories():
    """The mean over many samples of the sum of chance reach of each history is the exact one."""
    tree = cached_tree(GOOFSPIEL)
    infostate = infostates_of(GOOFSPIEL, 1)[-1][0]
    roots = histories_around(tree.game, infostate, (None, None), SamplingLimits(None))
    assert len(roots) > 6
    weight = np.random.default_rng(3).uniform(0.1, 1, len(roots))
    total = np.zeros(len(roots))
    pairs = {tuple(pair): row for row, pair in enumerate(map(tuple, roots.position.tolist()))}
    for seed in range(400):
        sample = roots.sample(4, weight, infostate, np.random.default_rng(seed))
        assert sample.number_of(infostate) >= 0
        assert not sample.is_complete
        for place, reach in zip(sample.position.tolist(), sample.chance_reach, strict=True):
            pair = tuple(
                roots.infostates[p].index(sample.infostates[p][n]) for p, n in enumerate(place)
            )
            total[pairs[pair]] += reach
    np.testing.assert_allclose(total / 400, roots.chance_reach, rtol=0.35)


def test_sampled_histories_include_those_of_the_infostate():
    tree = cached_tree(GOOFSPIEL)
    infostate = infostates_of(GOOFSPIEL, 0)[-1][0]
    limits = SamplingLimits(np.random.default_rng(1), 3, 4)
    roots = histories_around(tree.game, infostate, (None, None), limits)
    assert not roots.is_complete
    assert 0 < roots.has(infostate).sum() < len(roots)
    assert [len(own) for own in roots.ranges] == [len(own) for own in roots.infostates]
    assert all(len(set(own)) == len(own) for own in roots.infostates)


def test_the_histories_around_the_root_are_the_root():
    game = cached_tree("kuhn_poker").game
    roots = histories_around(game, Infostate(0, ()), (None, None), SamplingLimits(None))
    assert (len(roots), roots.whole().is_complete) == (1, True)
    assert [values.tolist() for values in roots.ranges] == [[1.0], [1.0]]
    assert roots.infostates[1][0].public_state == PublicState(())


@pytest.mark.parametrize("name", ["kuhn_poker", GOOFSPIEL])
def test_ranges_are_the_product_of_the_policy_along_each_infostate(name):
    tree = cached_tree(name)
    policy = random_policy(tree.sequence_form, np.random.default_rng(3))
    infostate = infostates_of(name, 1)[-1][0]
    found = histories_around(tree.game, infostate, (policy, policy), SamplingLimits(None))
    for player, own in enumerate(tree.infostate_trees):
        there = [own.index_of(known) for known in found.infostates[player]]
        expected = policy.realization_plan(player)[own.last_sequence[there]]
        np.testing.assert_allclose(found.ranges[player], expected, rtol=1e-14)


@pytest.mark.parametrize("name", ["leduc_poker", GOOFSPIEL])
def test_selected_histories_have_their_worlds_and_rewards(name):
    tree = cached_tree(name)
    infostate = infostates_of(name, 0)[-1][0]
    roots = histories_around(tree.game, infostate, (None, None), SamplingLimits(None))
    belief = public_belief(tree.game, infostate.public_state)
    rows = np.flatnonzero(np.arange(len(roots)) % 3 == 1)
    found = roots.select(rows)
    assert found.worlds == [belief.histories[row].world for row in rows.tolist()]
    expected = [belief.histories[row].rewards_so_far for row in rows.tolist()]
    np.testing.assert_allclose(found.rewards_so_far, expected)
    for row, place in zip(rows.tolist(), found.position.tolist(), strict=True):
        known = [found.infostates[player][number] for player, number in enumerate(place)]
        assert known == list(belief.histories[row].infostates)
