"""Any partition of agents into teams: each has its own payoff, penalty and gradient."""

from __future__ import annotations

import numpy as np
import pytest

from infoset.teams import (
    BASELINES,
    HidingScheme,
    ProgressiveHiding,
    adaptive_penalty,
    expected_payoffs,
    find_recall_violation,
    get_relaxation,
    perfect_recall_closure,
    regret_matching,
    relax,
    squared_distance,
    team_optimum,
)
from tests.support.random_product_forms import random_product_form
from tests.teams.hiding.reference_hiding import ReferenceHiding

PARTITIONS = (
    ((0, 2), (1, 3)),
    ((0, 3), (1,), (2,)),
    ((1, 2, 3), (0,)),
    ((0,), (1,), (2,), (3,)),
    ((0, 1, 2, 3),),
)
STEP = 1e-5
PENALTY = 0.7


def duel(seed, partition, relaxation="recall"):
    form = random_product_form(seed, num_agents=4, num_stages=4, num_outcomes=4, is_common=False)
    maps = [get_relaxation(relaxation).relax(form.information, team) for team in partition]
    return relax(form, maps, partition, rule="sum")


def team_sums(game, payoffs):
    return [payoffs[list(team)].sum() for team in game.teams]


@pytest.mark.parametrize("partition", PARTITIONS, ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_a_team_gets_the_sum_of_payoffs_and_penalties_at_its_own_cells(seed, partition):
    game = duel(seed, partition)
    hiding = ProgressiveHiding(game, HidingScheme(penalty=PENALTY), seed=seed)
    trace = hiding.run(5)
    earned = expected_payoffs(game.original, hiding.policy())
    assert trace.implementable[-1] == pytest.approx(team_sums(game, earned), abs=1e-12)
    earned = expected_payoffs(game.relaxed, hiding.relaxed_policy())
    assert trace.relaxed[-1] == pytest.approx(team_sums(game, earned), abs=1e-12)
    off = hiding.relaxed_policy() - game.lift(hiding.policy())
    reach = np.bincount(game.relaxed.cell, game.reach(hiding.relaxed_policy()))
    paid = reach * np.add.reduceat(off**2, game.relaxed.first_entry[:-1])
    of_team = [paid[np.isin(game.relaxed.agent, team)].sum() for team in partition]
    assert trace.squared_distance[-1] == pytest.approx(of_team, abs=1e-12)


@pytest.mark.parametrize("partition", PARTITIONS, ids=str)
def test_every_team_observes_the_gradient_of_its_objective(partition):
    for seed in range(3):
        game = duel(seed, partition)
        scheme = HidingScheme(regret_matching(), penalty=PENALTY, weighting="full", mixing=0.0)
        hiding = ProgressiveHiding(game, scheme, seed=seed)
        before = hiding.state()["regret"].copy()
        hiding.run(1)
        vector = hiding.state()["regret"] - before
        policy, projected = hiding.relaxed_policy(), hiding.policy()

        def objective(point, team, game=game, projected=projected):
            return (
                game.payoffs(point)[team] - PENALTY * squared_distance(game, point, projected)[team]
            )

        generator = np.random.default_rng(seed)
        for cell in range(game.relaxed.num_cells):
            entries = slice(*game.relaxed.first_entry[cell : cell + 2])
            step = generator.normal(size=entries.stop - entries.start)
            direction = np.zeros_like(policy)
            direction[entries] = step - step.mean()
            team = int(game.cell_team[cell])
            ahead, behind = (objective(policy + s * direction, team) for s in (STEP, -STEP))
            assert vector @ direction == pytest.approx((ahead - behind) / (2 * STEP), abs=1e-7)


@pytest.mark.parametrize("partition", PARTITIONS, ids=str)
def test_closures_and_best_responses_do_not_change_other_teams(partition):
    game = duel(4, partition, "none")
    hiding = ProgressiveHiding(game, BASELINES["two-agents"].scheme(), seed=0)
    hiding.run(20)
    policy = hiding.policy()
    earned = team_sums(game, expected_payoffs(game.original, policy))
    for number, team in enumerate(partition):
        own = np.isin(game.original.agent, team)
        closure = perfect_recall_closure(game.original, team)
        assert find_recall_violation(closure, team) is None
        others = ~np.isin(game.form.arrays.agent, team)
        pairs = np.column_stack([closure.cell, game.original.cell])[others]
        counts = [len(np.unique(values, axis=0)) for values in (pairs, pairs[:, 0], pairs[:, 1])]
        assert len(set(counts)) == 1
        best = team_optimum(game.original, team, others=policy, rule="sum")
        assert best.value >= earned[number] - 1e-12
        kept = np.repeat(~own, game.original.num_actions)
        assert (best.probability[kept] == policy[kept]).all()
        found = expected_payoffs(game.original, best.probability)[list(team)].sum()
        assert found == pytest.approx(best.value, abs=1e-12)


@pytest.mark.parametrize("partition", PARTITIONS[:3], ids=str)
def test_every_team_has_its_own_penalty(partition):
    """Penalties separate when one team is above the target and another below."""
    schedule = adaptive_penalty(0.0, 1.0, 0.5, low=0.1, high=10.0)
    num_apart = 0
    for seed in range(4):
        hiding = ProgressiveHiding(duel(seed, partition), HidingScheme(penalty=schedule), seed=seed)
        reference = ReferenceHiding(hiding)
        expected = [reference.step() for _ in range(6)]
        np.testing.assert_allclose(np.stack(hiding.run(6), axis=2), expected, atol=1e-10)
        np.testing.assert_allclose(
            hiding.state()["regret"], np.concatenate(reference.regret), atol=1e-9
        )
        num_apart += len(set(hiding.state()["penalty"].tolist())) > 1
    assert num_apart > 0


def test_with_several_teams_the_mean_policy_is_kept():
    """A team's payoff depends on the others, so earlier payoffs are not comparable."""
    num_worse = 0
    for seed in range(12):
        scheme = HidingScheme(regret_matching(), penalty=PENALTY)
        hiding = ProgressiveHiding(duel(seed, ((0, 2), (1, 3))), scheme, seed=seed)
        earned, total = [], np.zeros_like(hiding.policy())
        for iteration in range(1, 31):
            earned.append(hiding.run(1).implementable[0, 0])
            total += iteration * hiding.policy()
        num_worse += earned[-1] < max(earned) - 1e-6
        np.testing.assert_allclose(hiding.best_policy(), total / sum(range(31)), atol=1e-12)
        assert hiding.best_payoff == earned[-1]
    assert num_worse > 0
