"""Sampled iterations give learners unbiased gradients."""

from __future__ import annotations

import numpy as np
import pytest

from infoset.teams.hiding import HidingScheme, ProgressiveHiding, regret_matching
from tests.support.reference_mccfr import all_draws
from tests.teams.hiding.hiding_games import pennies, random_duel, trade
from tests.teams.hiding.reference_hiding import ReferenceHiding


def on_average(relaxed_form, scheme):
    """[S] the mean gradient of a second iteration over all draws, by the reference."""
    reference = ReferenceHiding(
        ProgressiveHiding(relaxed_form, HidingScheme(weighting=scheme.weighting))
    )
    reference.decide()
    reference.project()
    reference.scheme, weight = scheme, reference.all_weights()
    reference.all_weights = lambda: weight
    total, chance = 0.0, 0.0

    def observed(draws):
        reference.draws = draws
        return np.concatenate(reference.gradients(reference.visit()))

    for probability, vector in all_draws(observed):
        total = total + probability * vector
        chance += probability
    assert chance == pytest.approx(1)
    return total


@pytest.mark.parametrize(
    ("game", "weighting"),
    [
        (pennies, "posterior"),
        (pennies, "agent"),
        (lambda: trade(2, "private_revealed"), "posterior"),
        (lambda: random_duel(4), "counterfactual"),
        (lambda: random_duel(4), "agent"),
    ],
)
def test_sampled_gradients_are_unbiased(game, weighting):
    """The kernels agree with the reference draw by draw."""
    everything = on_average(game(), HidingScheme(weighting=weighting))
    for visits, exploration in (("outcome", 0.5), ("path", 0.4), ("path", 0.0)):
        scheme = HidingScheme(weighting=weighting, visits=visits, exploration=exploration)
        np.testing.assert_allclose(on_average(game(), scheme), everything, atol=1e-10)


def test_outcomes_are_sampled_with_their_probabilities():
    """With one cell per outcome, regrets change only at the outcome drawn."""
    game = pennies(miss=-2)
    hiding = ProgressiveHiding(game, HidingScheme(visits="outcome", learner=regret_matching()))
    moved = np.zeros(2)
    for _ in range(400):
        before = hiding.state()["regret"].copy()
        hiding.run(1)
        change = np.add.reduceat(np.abs(hiding.state()["regret"] - before), [0, 2])
        moved += change[:2] > 0
    assert abs(moved[0] - 200) < 60


def test_path_sampling_solves_pennies():
    scheme = HidingScheme(visits="path", penalty=0.5, weighting="counterfactual")
    ends = [
        ProgressiveHiding(pennies(), scheme, seed=seed).run(2000).implementable[-1, 0]
        for seed in range(10)
    ]
    assert np.mean(np.array(ends) > 0.95) >= 0.8
