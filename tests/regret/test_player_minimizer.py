"""A single player's minimizer agrees with the minimizer of all players on the same gradients."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from infoset.regret import SCHEMES, PlayerMinimizer, RegretMinimizer
from tests.support.cached_games import cached_tree
from tests.support.reference_regret import ReferenceMinimizer

GAMES = ("kuhn_poker", "kuhn_poker(players=3)")


def form_of(spec):
    return cached_tree(spec).sequence_form


@pytest.mark.parametrize("name", ["cfr-simultaneous", "cfr+-simultaneous", "apcfr+", "hs-pdcfr+"])
@pytest.mark.parametrize("spec", GAMES)
@pytest.mark.parametrize("averages_next", [False, True])
def test_player_minimizers_together_agree_with_the_game_minimizer(spec, name, averages_next):
    form = form_of(spec)
    noise = np.random.default_rng(1).standard_normal(form.payoff.shape)
    form = replace(form, payoff=form.payoff + noise, centered_payoffs=None)
    scheme = replace(SCHEMES[name], alternating=False, averages_next=averages_next)
    whole = RegretMinimizer(form, scheme)
    players = [PlayerMinimizer(plex, scheme) for plex in form.treeplexes]
    slow = ReferenceMinimizer(form, alternating=False)
    for iteration in range(1, 13):
        plans = [own.plan() for own in players]
        for player, own in enumerate(players):
            own.observe(slow.gradient(player, plans))
        whole.run(1)
        for player, own in enumerate(players):
            assert own.iteration == iteration
            assert np.allclose(own.plan(), whole.current_plans()[player], atol=1e-10)
            wanted = whole.current_probabilities()[player]
            assert np.allclose(own.probabilities(), wanted, atol=1e-10)
            assert np.allclose(own.average_plan(), whole.average_plans()[player], atol=1e-10)


def test_the_first_policy_is_uniform_and_gradients_are_not_modified():
    (plex, _) = form_of("kuhn_poker").treeplexes
    own = PlayerMinimizer(plex, SCHEMES["cfr+"])
    assert own.average_plan().tolist() == own.plan().tolist()
    assert own.probabilities()[1:].tolist() == [0.5] * 12
    gradient = np.arange(13.0)
    own.observe(gradient)
    assert gradient.tolist() == np.arange(13.0).tolist()
