"""Custom local regret minimizers, against the kernel and the regret bound of Hedge."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numba
import numpy as np
import pytest

from infoset.errors import ParameterError
from infoset.regret import SCHEMES, LocalMinimizer, RegretMinimizer, rule_of_scheme
from tests.support.cached_games import cached_tree
from tests.support.reference_regret import generic, gradient_of, infostates, plan_of, uniform


@cache
def kuhn_form():
    return cached_tree("kuhn_poker").sequence_form


@cache
def kuhn_form_for_three():
    return cached_tree("kuhn_poker(players=3)").sequence_form


CFR_PLUS = SCHEMES["cfr+"]


def match_regrets_plus(row, values, policy, state):
    """Regret matching+ on arrays."""
    regret = state[0]
    regret += values - (policy * values).sum(axis=0)
    np.maximum(regret, 0, out=regret)
    total = regret.sum(axis=0)
    policy[:] = np.where(total > 0, regret / np.where(total > 0, total, 1), 1 / len(regret))


@numba.njit(cache=True, error_model="numpy")
def match_regrets_plus_fast(row, values, policy, state):
    """Regret matching+ by loops."""
    num_actions, count = values.shape
    regret = state[0]
    for i in range(count):
        value = 0.0
        for action in range(num_actions):
            value += policy[action, i] * values[action, i]
        total = 0.0
        for action in range(num_actions):
            regret[action, i] = max(regret[action, i] + values[action, i] - value, 0.0)
            total += regret[action, i]
        for action in range(num_actions):
            policy[action, i] = regret[action, i] / total if total > 0 else 1 / num_actions


def hedge(row, values, policy, state):
    """Multiplicative weights with the rate in the schedule."""
    state[0] += values
    weights = np.exp(row[0] * (state[0] - state[0].max(axis=0)))
    policy[:] = weights / weights.sum(axis=0)


def apart(first, second):
    """Return the distances of the averages and of the next policies of two minimizers."""
    pairs = [
        *zip(first.average_plans(), second.average_plans(), strict=True),
        *zip(first.current_probabilities(), second.current_probabilities(), strict=True),
    ]
    return max(float(np.abs(a - b).max()) for a, b in pairs)


@pytest.mark.parametrize("rule", [match_regrets_plus, match_regrets_plus_fast])
@pytest.mark.parametrize(
    "make_form",
    [kuhn_form, pytest.param(kuhn_form_for_three, marks=pytest.mark.broad)],
    ids=["two", "three"],
)
@pytest.mark.parametrize("changes", [{}, {"alternating": False, "averages_next": True}])
def test_regret_matching_plus_as_a_rule_is_cfr_plus(rule, make_form, changes):
    # In general position, because the rule leaves ties to rounding.
    form, scheme = generic(make_form(), seed=2), replace(CFR_PLUS, **changes)
    own, kernel = LocalMinimizer(form, rule, scheme), RegretMinimizer(form, scheme)
    for iterations in (1, 29, 20):
        own.run(iterations)
        kernel.run(iterations)
    assert own.iteration == 50
    assert apart(own, kernel) < 1e-12


@pytest.mark.parametrize("scheme", SCHEMES.values(), ids=SCHEMES)
def test_every_scheme_as_a_local_rule_gives_the_same_policies(scheme):
    form = generic(kuhn_form(), seed=6)
    rule, schedule, num_arrays = rule_of_scheme(scheme)
    own = LocalMinimizer(form, rule, scheme, schedule=schedule, num_arrays=num_arrays)
    slow = LocalMinimizer(form, rule.py_func, scheme, schedule=schedule, num_arrays=num_arrays)
    kernel = RegretMinimizer(form, scheme)
    for minimizer in (own, slow, kernel):
        minimizer.run(3)
        minimizer.run(17)
    assert apart(own, kernel) < 1e-9
    assert apart(own, slow) < 1e-9


def test_hedge_meets_its_regret_bound_at_one_infostate():
    rng = np.random.default_rng(4)
    rounds, num_actions = 400, 5
    rate = np.sqrt(8 * np.log(num_actions) / rounds)
    bound = np.sqrt(rounds * np.log(num_actions) / 2)
    state, policy = np.zeros((1, num_actions, 3)), np.full((num_actions, 3), 1 / num_actions)
    earned, total = 0, 0
    for number in range(rounds):
        drawn = rng.random((num_actions, 3))
        values = np.stack([drawn[:, 0], drawn[:, 1] > 0.5, drawn[:, 2] > number / rounds], axis=1)
        earned += (policy * values).sum(axis=0)
        total += values
        hedge(np.array([rate]), values, policy, state)
    regret = total.max(axis=0) - earned
    assert (regret <= bound).all()
    assert regret[1] > bound / 3  # fair coins are the worst case in the limit


@pytest.mark.parametrize("iterations", [100, 1600])
def test_hedge_at_every_infostate_meets_the_sum_of_the_bounds(iterations):
    # Counterfactual values span at most 4 units of utility times the reach 1/3 of a card.
    span, num_infostates = 4 / 3, 6
    rate = np.sqrt(8 * np.log(2) / iterations) / span
    averaging = SCHEMES["cfr-simultaneous"]
    own = LocalMinimizer(kuhn_form(), hedge, averaging, schedule=lambda t: np.full(len(t), rate))
    own.run(iterations)
    first, second = own.average_plans()
    payoff = np.zeros((13, 13))
    payoff[tuple(kuhn_form().terminal_sequence.T)] = kuhn_form().payoff[:, 0]
    bound = num_infostates * span * np.sqrt(iterations * np.log(2) / 2) / iterations
    gains = best(kuhn_form(), 0, payoff @ second) + best(kuhn_form(), 1, -payoff.T @ first)
    assert 0 < gains <= 2 * bound


def best(form, player, gradient):
    """Return the value of a best response to a gradient."""
    plex = form.treeplexes[player]
    value = gradient.copy()
    for infostate in reversed(range(plex.num_infostates)):
        first = plex.first_sequence[infostate]
        value[plex.parent_sequence[infostate]] += value[first : first + 2].max()
    return value[0]


def test_rules_receive_iterations_or_the_rows_of_the_schedule():
    seen = []

    def watch(row, values, policy, state):
        assert values.shape == policy.shape
        assert state.shape == (2, *values.shape)
        seen.append(row.tolist())

    LocalMinimizer(kuhn_form(), watch, CFR_PLUS, num_arrays=2).run(2)
    assert set(map(tuple, seen)) == {(1.0,), (2.0,)}
    seen.clear()
    squares = LocalMinimizer(
        kuhn_form(), watch, CFR_PLUS, num_arrays=2, schedule=lambda t: np.stack([t, t**2], axis=1)
    )
    squares.run(2)
    squares.run(1)
    assert set(map(tuple, seen)) == {(1, 1), (2, 4), (3, 9)}


@pytest.mark.parametrize("value", [0.4, np.nan])
def test_a_rule_that_leaves_no_policy_is_refused(value):
    def careless(row, values, policy, state):
        policy[0] = value

    with pytest.raises(ParameterError, match=r"the rule left .* write into policy"):
        LocalMinimizer(kuhn_form(), careless, CFR_PLUS).run(1)


def test_negative_probabilities_are_refused():
    def careless(row, values, policy, state):
        policy[:] = np.array([[1.5], [-0.5]])

    with pytest.raises(ParameterError, match=r"left \[1.5, -0.5\]"):
        LocalMinimizer(kuhn_form(), careless, CFR_PLUS).run(1)


def least_of(form, rng):
    """Return random minimum probabilities, some of them zero."""
    drawn = [rng.random(plex.num_sequences) * 0.3 for plex in form.treeplexes]
    return tuple(np.where(own < 0.05, 0, own) for own in drawn)


@pytest.mark.parametrize("make_form", [kuhn_form, kuhn_form_for_three], ids=["two", "three"])
def test_minimum_probabilities_scale_the_regrets_of_the_perturbed_simplex(make_form):
    """Compare with plain NumPy, whose regrets are those of the played policy without a factor."""
    form = generic(make_form(), seed=2)
    least = least_of(form, np.random.default_rng(3))
    own = LocalMinimizer(form, match_regrets_plus_fast, CFR_PLUS, min_probabilities=least)
    own.run(30)
    slow = ReferencePerturbedPlay(form, least)
    for number in range(30):
        slow.step(number + 1)
    for made, expected in zip(own.current_probabilities(), slow.played, strict=True):
        assert np.abs(made - expected).max() < 1e-9
    for made, expected in zip(own.average_plans(), slow.averages, strict=True):
        assert np.abs(made - expected / expected[0]).max() < 1e-9


class ReferencePerturbedPlay:
    """Alternating regret matching+ over perturbed simplices, infostate by infostate."""

    def __init__(self, form, least):
        self.form, self.min_probabilities = form, least
        self.regrets = [np.zeros(plex.num_sequences) for plex in form.treeplexes]
        self.averages = [np.zeros(plex.num_sequences) for plex in form.treeplexes]
        self.played = [uniform(plex) for plex in form.treeplexes]
        for plex, own, least_own in zip(form.treeplexes, self.played, least, strict=True):
            for _, here in infostates(plex):
                own[here] = (1 - least_own[here].sum()) * own[here] + least_own[here]

    def step(self, weight):
        for player, plex in enumerate(self.form.treeplexes):
            plans = [*map(plan_of, self.form.treeplexes, self.played)]
            self.averages[player] += weight * plans[player]
            value = gradient_of(self.form, player, plans)
            played, least = self.played[player], self.min_probabilities[player]
            for parent, here in reversed([*infostates(plex)]):
                share = 1 - least[here].sum()
                chosen = (played[here] - least[here]) / share
                vertices = share * np.eye(len(chosen)) + least[here]  # of the perturbed simplex
                instant = vertices @ value[here] - played[here] @ value[here]
                assert np.isclose(chosen @ instant, 0)
                value[parent] += played[here] @ value[here]
                self.regrets[player][here] = np.maximum(self.regrets[player][here] + instant, 0)
                total = self.regrets[player][here].sum()
                matched = self.regrets[player][here] / total if total > 0 else 1 / len(chosen)
                played[here] = share * matched + least[here]


def test_a_rule_that_returns_the_policy_is_refused_with_the_fix():
    def functional(row, values, policy, state):
        return np.full_like(policy, 0.5)

    with pytest.raises(ParameterError, match=r"use `policy\[:\] = ...`"):
        LocalMinimizer(kuhn_form(), functional, CFR_PLUS).run(1)
    with pytest.raises(ParameterError, match="no return value"):
        LocalMinimizer(kuhn_form(), numba.njit(functional), CFR_PLUS)


def test_a_compiled_rule_that_does_not_compile_or_takes_other_arguments_is_refused():
    def short(row, values):
        values[:] = 0

    def flat(row, values, policy, state):
        policy[0, 0, 0] = 1

    with pytest.raises(ParameterError, match=r"takes \(row, values\), but is called as rule\(row"):
        LocalMinimizer(kuhn_form(), numba.njit(short), CFR_PLUS)
    with pytest.raises(ParameterError, match=r"does not compile as rule\(row, values, policy"):
        LocalMinimizer(kuhn_form(), numba.njit(flat), CFR_PLUS)


@pytest.mark.parametrize("rule", [hedge, match_regrets_plus_fast])
@pytest.mark.parametrize("trembles", [False, True])
def test_a_run_resumes_from_its_state(rule, trembles):
    least = least_of(kuhn_form(), np.random.default_rng(3)) if trembles else None
    whole, begun, resumed = (
        LocalMinimizer(kuhn_form(), rule, CFR_PLUS, min_probabilities=least) for _ in range(3)
    )
    whole.run(20)
    begun.run(7)
    resumed.set_state(begun.state())
    resumed.run(13)
    assert resumed.iteration == 20
    assert apart(whole, resumed) == 0


def test_settings_differ_between_runs():
    def minimizer(rule=hedge, scheme=CFR_PLUS, **options):
        return LocalMinimizer(kuhn_form(), rule, scheme, **options).settings()

    def other(row, values, policy, state):
        state[0] += 2 * values

    least = least_of(kuhn_form(), np.random.default_rng(3))
    assert minimizer() == minimizer()
    different = [
        minimizer(),
        minimizer(rule=other),
        minimizer(rule=match_regrets_plus_fast),
        minimizer(scheme=SCHEMES["cfr"]),
        minimizer(schedule=lambda t: t**2),
        minimizer(min_probabilities=least),
    ]
    assert all(a != b for i, a in enumerate(different) for b in different[:i])
