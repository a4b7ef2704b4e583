"""Values and losses of single decisions, against forced deviations and plain enumeration."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infoset import solve
from infoset.errors import ParameterError
from infoset.evaluation import decision_losses, decision_values, expected_values
from infoset.policy import TabularPolicy, random_policy, uniform_policy
from infoset.tree import build_tree
from tests.support.cached_games import cached_tree
from tests.support.hypothesis_strategies import random_games


def reaches(tree, policy):
    """Return [H, N] the product of each player's own probabilities on the way to each history."""
    found = np.ones((tree.num_histories, tree.num_players))
    for player in range(tree.num_players):
        plan = policy.realization_plan(player)
        found[:, player] = plan[tree.sequence[:, player]]
    return found


def plain_values(tree, policy, player):
    """Return [Q] as `decision_values`, from the mean utility of terminal histories."""
    own = tree.infostate_trees[player]
    reach, plan = reaches(tree, policy), policy.realization_plan(player)
    others = np.prod(np.delete(reach, player, axis=1), axis=1) * tree.chance_reach
    found = np.full(own.num_sequences, np.nan)
    for z in tree.terminals.tolist():
        # The own decisions on the way to z, each with the sequence that was taken.
        infostate = int(tree.infostate[z, player])
        while infostate > 0:
            above, action = int(own.parent[infostate]), int(own.action[infostate])
            if action >= 0:
                taken = int(own.first_sequence[above]) + action
                here = tree.infostate[:, player] == above
                after = others[z] * reach[z, player] / plan[taken] / others[here].sum()
                found[taken] = np.nan_to_num(found[taken]) + after * tree.rewards_so_far[z, player]
            infostate = above
    return found


@given(game=random_games(max_histories=60), seed=st.integers(0, 2**32 - 1))
@settings(max_examples=20, deadline=None)
def test_values_are_means_over_terminal_histories(game, seed):
    tree = build_tree(game)
    policy = random_policy(tree.sequence_form, np.random.default_rng(seed))
    for player in range(tree.num_players):
        values = decision_values(policy, player)
        assert values[0] == pytest.approx(expected_values(policy)[player], abs=1e-12)
        np.testing.assert_allclose(
            values[1:], plain_values(tree, policy, player)[1:], rtol=1e-9, atol=1e-9
        )


@pytest.mark.parametrize(
    "name", ["kuhn_poker", "kuhn_poker(players=3)", "leduc_poker(num_ranks=2)"]
)
def test_a_forced_action_changes_the_value_of_the_policy_by_its_loss(name):
    tree = cached_tree(name)
    form = tree.sequence_form
    policy = random_policy(form, np.random.default_rng(1))
    reach = np.prod(reaches(tree, policy), axis=1) * tree.chance_reach
    for player in range(tree.num_players):
        own, before = form.infostate_trees[player], expected_values(policy)[player]
        values, losses = decision_values(policy, player), decision_losses(policy, player)
        for infostate in own.acting[::3].tolist():
            first, size = int(own.first_sequence[infostate]), int(own.num_actions[infostate])
            here = slice(first, first + size)
            assert losses[here].min() == 0
            forced = [*policy.probabilities]
            forced[player] = forced[player].copy()
            best = first + int(np.argmin(losses[here]))
            forced[player][here] = np.arange(first, first + size) == best
            gain = expected_values(TabularPolicy(form, tuple(forced)))[player] - before
            mass = reach[tree.infostate[:, player] == infostate].sum()
            mean_loss = float(policy.probabilities[player][here] @ losses[here])
            assert gain == pytest.approx(mass * mean_loss, abs=1e-12)
            assert values[best] - losses[best] == values[here].max()


def test_actions_of_an_equilibrium_that_are_played_cost_nothing():
    tree = cached_tree("kuhn_poker")
    form, policy = tree.sequence_form, solve(tree, "lp").policy
    for player in (0, 1):
        own = form.infostate_trees[player]
        losses = decision_losses(policy, player)
        for infostate in own.acting.tolist():
            first, size = int(own.first_sequence[infostate]), int(own.num_actions[infostate])
            played = policy.realization_plan(player)[first : first + size] > 1e-9
            costs = losses[first : first + size][played]
            assert (np.isnan(costs) | (costs < 1e-9)).all()
        assert np.nanmax(losses) > 0.3


def test_where_the_others_never_lead_nothing_is_known():
    form = cached_tree("kuhn_poker").sequence_form
    never_bets = [np.array(own) for own in uniform_policy(form).probabilities]
    tree = form.infostate_trees[0]
    for infostate in tree.acting.tolist():
        first = int(tree.first_sequence[infostate])
        never_bets[0][first : first + 2] = (1.0, 0.0)  # pass, bet
    values = decision_values(TabularPolicy(form, tuple(never_bets)), 1)
    other = form.infostate_trees[1]
    for infostate, label in zip(other.acting.tolist(), other.acting_labels, strict=True):
        first = int(other.first_sequence[infostate])
        assert np.isnan(values[first : first + 2]).all() == label.endswith("/ bet")


def test_there_must_be_such_a_player():
    policy = uniform_policy(cached_tree("kuhn_poker").sequence_form)
    with pytest.raises(ParameterError, match="there is no player 2"):
        decision_losses(policy, 2)
