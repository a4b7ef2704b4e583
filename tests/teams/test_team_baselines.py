"""Baselines without relaxed information: their payoffs and their limits."""

from __future__ import annotations

import numpy as np
import pytest

from infoset.errors import UnknownNameError
from infoset.games import load_game
from infoset.teams import (
    BASELINES,
    HidingScheme,
    ProgressiveHiding,
    build_product_form,
    entropic_ftrl,
    get_baseline,
    merge_outcomes,
    perfect_recall_closure,
    recall_bound,
    regret_matching,
    relax,
    run_seeds,
    team_optimum,
)
from tests.support.random_team_games import random_team_game
from tests.teams.shared_forms import tiny_bridge_form


@pytest.fixture(scope="module")
def bridge():
    return merge_outcomes(tiny_bridge_form())


def last_payoffs(form, scheme, iterations, num_seeds):
    runs = run_seeds(relax(form), scheme, iterations=iterations, seeds=range(num_seeds))
    return np.array([run.trace.implementable[-1, 0] for run in runs])


@pytest.mark.parametrize(
    ("name", "mean", "spread"),
    # Results of another implementation; those for two agents are ours.
    [
        ("one-player", 16.33, 0.05),
        ("full-reach", 19.60, 0.5),
        ("two-agents", 20.28, 0.25),
        ("posterior", 20.62, 0.15),
    ],
)
def test_tiny_bridge(bridge, name, mean, spread):
    """Regret matching, 75 iterations; no payoff exceeds the optimum."""
    last = last_payoffs(bridge, BASELINES[name].scheme(), 75, 10)
    assert last.mean() == pytest.approx(mean, abs=spread)
    assert (last <= 2647 / 126).all()


@pytest.mark.parametrize("learner", [entropic_ftrl(2.0), regret_matching()])
def test_two_agents_solve_matching_pennies_and_one_player_does_not(learner):
    form = build_product_form(load_game("cooperative_matching_pennies"))
    solved = {
        name: np.mean(last_payoffs(form, row.scheme(learner, visits="outcome"), 400, 50) > 0.95)
        for name, row in BASELINES.items()
    }
    assert solved.pop("one-player") == 0
    assert all(share > 0.95 for share in solved.values())


def test_no_method_exceeds_the_optimum():
    for seed in range(15):
        form = random_team_game(np.random.default_rng(seed), num_stages=3)
        best = team_optimum(form.information).value
        for row in BASELINES.values():
            assert last_payoffs(form, row.scheme(), 50, 2).max() <= best + 1e-10


def test_cfr_on_the_closure_converges_to_the_bound(bridge):
    """With perfect recall and no penalty, CFR learns the value of the closure."""
    forms = [random_team_game(np.random.default_rng(seed), num_stages=3) for seed in range(15)]
    for form in (bridge, *forms):
        closure = perfect_recall_closure(form.information, range(form.num_agents))
        scheme = HidingScheme(regret_matching(), penalty=0.0)
        trace = ProgressiveHiding(relax(form, closure), scheme).run(400)
        assert trace.relaxed[-1, 0] == pytest.approx(recall_bound(form.information), abs=1e-2)


def test_names():
    assert get_baseline("one-player") is BASELINES["one-player"]
    with pytest.raises(UnknownNameError, match="did you mean one-player"):
        get_baseline("one-playr")
    assert get_baseline("one_player") is BASELINES["one-player"]
