"""Delayed averages: which plans they omit, and the answer before they begin."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import infoset
from infoset.regret import (
    SCHEMES,
    LocalMinimizer,
    PlayerMinimizer,
    RegretMinimizer,
    rule_of_scheme,
)
from tests.support.cached_games import cached_tree


@cache
def kuhn_form():
    return cached_tree("kuhn_poker").sequence_form


LATE = replace(SCHEMES["cfr+"], name="late", average_delay=4)


def by_rule(scheme):
    rule, schedule, num_arrays = rule_of_scheme(scheme)
    return LocalMinimizer(kuhn_form(), rule, scheme, num_arrays=num_arrays, schedule=schedule)


@pytest.mark.parametrize("make", [lambda scheme: RegretMinimizer(kuhn_form(), scheme), by_rule])
@pytest.mark.parametrize("averages_next", [False, True])
def test_the_average_leaves_out_the_plans_before_the_delay(make, averages_next):
    """By definition plan t has weight t - 4, and there is no average before that."""
    minimizer = make(replace(LATE, averages_next=averages_next))
    averaged = [np.zeros(plex.num_sequences) for plex in kuhn_form().treeplexes]
    for t in range(1, 12):
        before = plans_of(minimizer)
        minimizer.run(1)
        after = plans_of(minimizer)
        for player in (0, 1):
            taken = after if averages_next else before
            averaged[player] += max(t - 4, 0) * taken[player]
            wanted = averaged[player] / averaged[player][0] if t > 4 else after[player]
            assert np.allclose(minimizer.average_plans()[player], wanted, atol=1e-13)


def plans_of(minimizer):
    """Return the plans that the next iteration begins with."""
    form = minimizer.form
    policy = infoset.TabularPolicy(form, minimizer.current_probabilities())
    return policy.realization_plans()


def test_a_player_minimizer_agrees_with_the_game_minimizer():
    whole = RegretMinimizer(kuhn_form(), replace(LATE, alternating=False))
    own = [PlayerMinimizer(plex, LATE) for plex in kuhn_form().treeplexes]
    for _ in range(8):
        gradients = [gradient(player, own[1 - player].plan()) for player in (0, 1)]
        for player in (0, 1):
            own[player].observe(gradients[player])
        whole.run(1)
        for player in (0, 1):
            found = own[player].average_plan()
            assert np.allclose(found, whole.average_plans()[player], atol=1e-12)


def gradient(player, opponent_plan):
    """Return the gradient of a player's utility, one payoff at a time."""
    found = np.zeros(kuhn_form().treeplexes[player].num_sequences)
    for sequences, payoff in zip(kuhn_form().terminal_sequence, kuhn_form().payoff, strict=True):
        found[sequences[player]] += payoff[player] * opponent_plan[sequences[1 - player]]
    return found


@pytest.mark.parametrize("precision", ["float64", "float32"])
def test_a_run_shorter_than_the_delay_returns_its_last_plan(precision):
    """The answer is neither an average without delay nor the previous plan."""
    result = infoset.solve("kuhn_poker", LATE, iterations=3, precision=precision)
    for found, last in zip(
        result.policy.realization_plans(), result.current_policy.realization_plans(), strict=True
    ):
        assert np.array_equal(found, last)
    assert all(np.isfinite(point.nash_conv) for point in result.trace)
