"""Gains from deviations from recommendations, against every deviation from every pure plan."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import infoset
from infoset.errors import GameTooLargeError, ParameterError, PolicyMismatchError
from infoset.evaluation import (
    EFCEEvaluator,
    evaluate_cce,
    evaluate_efce,
    expected_values,
    joint_distribution,
)
from infoset.evaluation.trigger_pairs import enumerate_trigger_pairs
from infoset.games import RandomGame, matrix_game
from infoset.interop import load_openspiel, policy_to_openspiel
from infoset.policy import TabularPolicy, mix, random_policy, uniform_policy
from infoset.tree import build_tree
from tests.support.cached_games import cached_tree
from tests.support.hypothesis_strategies import random_games

CHICKEN = matrix_game([[0, 7], [2, 6]], [[0, 2], [7, 6]])
SHAPLEY = matrix_game([[1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 1, 0], [0, 0, 1], [1, 0, 0]])


def form_of(game):
    tree = cached_tree(game) if isinstance(game, str) else build_tree(game)
    return tree.sequence_form


def policies_at_random(form, count, seed=0):
    rng = np.random.default_rng(seed)
    return [random_policy(form, rng) for _ in range(count)]


def sequences_above(plex, sequence):
    """Return a sequence and its predecessors, without the empty sequence."""
    found = []
    while sequence:
        found.append(sequence)
        sequence = int(plex.parent_sequence[plex.infostate_of_sequence[sequence]])
    return found


def infostates_below(plex, here):
    """Return an infostate and all infostates below it."""
    own = range(plex.first_sequence[here], plex.first_sequence[here] + plex.num_actions[here])
    return [here] + [
        below
        for below in range(plex.num_infostates)
        if set(own) & set(sequences_above(plex, int(plex.parent_sequence[below])))
    ]


def continuations(plex, here):
    """Yield every pure continuation from an infostate: the sequence taken at each one below."""
    below = infostates_below(plex, here)
    for choice in product(*(range(plex.num_actions[x]) for x in below)):
        yield {x: int(plex.first_sequence[x]) + a for x, a in zip(below, choice, strict=True)}


def gains_by_brute_force(policies, weights, player):
    """Return {trigger: gain} by applying every deviation to every tuple of pure plans."""
    table = joint_distribution(policies, weights)
    form = table.form
    plex = form.treeplexes[player]

    def earned(change=None):
        total = 0.0
        for probability, numbers in zip(table.probabilities, table.support, strict=True):
            plans = [own[n].astype(float) for own, n in zip(table.plans, numbers, strict=True)]
            policy = TabularPolicy.from_weights(form, plans)
            if change and plans[player][change[0]]:
                followed = policy.probabilities[player].copy()
                for here, taken in change[1].items():
                    first = plex.first_sequence[here]
                    followed[first : first + plex.num_actions[here]] = 0
                    followed[taken] = 1
                own = [*policy.probabilities]
                own[player] = followed
                policy = TabularPolicy(form, tuple(own))
            total += probability * expected_values(policy)[player]
        return total

    return {
        trigger: max(
            earned((trigger, change))
            for change in continuations(plex, int(plex.infostate_of_sequence[trigger]))
        )
        - earned()
        for trigger in range(1, plex.num_sequences)
    }


def best_of_sets(plex, gains):
    """Return the largest sum of gains over sets of triggers that do not precede each other."""
    above = {trigger: set(sequences_above(plex, trigger)) for trigger in gains}
    best = 0.0
    for size in range(1, len(gains) + 1):
        for chosen in combinations(gains, size):
            if all(a not in above[b] for a in chosen for b in chosen if a != b):
                best = max(best, sum(gains[trigger] for trigger in chosen))
    return best


SMALL = [CHICKEN, SHAPLEY, *(RandomGame(seed=s, max_histories=24) for s in (3, 7))]


@pytest.mark.parametrize("game", SMALL, ids=str)
def test_gains_are_those_of_the_best_of_all_deviations(game):
    form = form_of(game)
    policies, weights = policies_at_random(form, 3), [1.0, 0.5, 2.0]
    found = evaluate_efce(policies, weights)
    for player, plex in enumerate(form.treeplexes):
        gains = gains_by_brute_force(policies, weights, player)
        if gains:
            assert found.deviations[player].gain == pytest.approx(max(gains.values()), abs=1e-12)
            wanted = best_of_sets(plex, gains)
            assert found.total_gains[player] == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize("player", [0, 1])
def test_gains_in_kuhn_poker_are_those_of_the_best_of_all_deviations(player):
    form = form_of("kuhn_poker")
    policies = policies_at_random(form, 2, seed=5)
    gains = gains_by_brute_force(policies, [1.0, 3.0], player)
    found = evaluate_efce(policies, [1.0, 3.0])
    best = max(gains, key=gains.get)
    assert found.deviations[player].gain == pytest.approx(gains[best], abs=1e-12)
    assert found.total_gains[player] == pytest.approx(
        best_of_sets(form.treeplexes[player], gains), abs=1e-12
    )
    plex, tree = form.treeplexes[player], form.infostate_trees[player]
    here = int(plex.infostate_of_sequence[best])
    assert found.deviations[player].infostate == tree.acting_labels[here]
    action = tree.legal_actions(int(tree.acting[here]))[best - int(plex.first_sequence[here])]
    assert found.deviations[player].action == action


def correlated_gap(payoffs, joint):
    """Return the gap of a distribution over cells of a matrix game, by its definition."""
    gaps = [0.0]
    for player, payoff in enumerate(payoffs):
        rows = np.moveaxis(np.array(payoff, float), player, 0)
        mass = np.moveaxis(joint, player, 0)
        for told, instead in product(range(len(rows)), repeat=2):
            gaps.append(np.sum(mass[told] * (rows[instead] - rows[told])))
    return max(gaps)


@given(st.integers(0, 2**32), st.integers(1, 4), st.integers(2, 4))
def test_in_matrix_games_the_gap_is_that_of_correlated_equilibria(seed, count, size):
    rng = np.random.default_rng(seed)
    payoffs = rng.integers(-3, 4, (2, size, 3))
    form = form_of(matrix_game(*payoffs.tolist()))
    policies, weights = policies_at_random(form, count, seed), rng.uniform(0.1, 1, count)
    joint = sum(
        weight * np.multiply.outer(*(own[1:] for own in policy.probabilities))
        for weight, policy in zip(weights / weights.sum(), policies, strict=True)
    )
    found = evaluate_efce(policies, weights)
    assert found.efce_gap == pytest.approx(correlated_gap(payoffs, joint), abs=1e-12)
    for player in range(2):
        rows, mass = np.moveaxis(payoffs[player], player, 0), np.moveaxis(joint, player, 0)
        swap = sum(np.max(rows @ told) - own @ told for own, told in zip(rows, mass, strict=True))
        assert found.total_gains[player] == pytest.approx(swap, abs=1e-12)


def cells(form, *chosen):
    """Return pure policies of a matrix game."""
    return [
        TabularPolicy(
            form,
            tuple(
                np.eye(plex.num_sequences)[1 + action] + np.eye(plex.num_sequences)[0]
                for plex, action in zip(form.treeplexes, cell, strict=True)
            ),
        )
        for cell in chosen
    ]


def test_traffic_lights():
    form = form_of(CHICKEN)
    light = cells(form, (0, 1), (1, 0), (1, 1))
    assert evaluate_efce(light).efce_gap == 0
    assert evaluate_efce(light).values == (5, 5)
    assert evaluate_efce(light[:2]).efce_gap == 0
    # A player who is told to stop gains by going, because the other usually stops too.
    assert evaluate_efce(light, [1, 1, 8]).efce_gap == pytest.approx(0.1 * (0 - 2) + 0.8)
    crash = cells(form, (0, 0))
    assert evaluate_efce(crash).efce_gap == 2


def test_shapley_in_a_circle_is_correlated_and_half_of_it_is_not():
    form = form_of(SHAPLEY)
    circle = [(0, 0), (0, 1), (1, 1), (1, 2), (2, 2), (2, 0)]
    assert evaluate_efce(cells(form, *circle)).efce_gap == 0
    half = evaluate_efce(cells(form, *circle), [0, 1, 0, 1, 0, 1])
    assert half.efce_gap == pytest.approx(1 / 3)


@pytest.mark.parametrize("game", ["kuhn_poker", "leduc_poker"])
def test_an_equilibrium_alone_has_no_gap(game):
    policy = infoset.solve(game, method="lp").policy
    assert evaluate_efce([policy]).efce_gap < 1e-9
    assert max(evaluate_efce([policy]).total_gains) < 1e-8
    worse = mix([policy, uniform_policy(policy.form)], [1, 1])
    assert evaluate_efce([worse]).efce_gap > 1e-3


@given(random_games(max_histories=80), st.integers(0, 2**32), st.integers(1, 4))
def test_not_to_follow_wherever_it_pays_is_worth_what_both_other_gaps_are(game, seed, count):
    """Deviating before the draw equals deviating at every first infostate in the same way."""
    form = form_of(game)
    policies = policies_at_random(form, count, seed)
    found, coarse = evaluate_efce(policies), evaluate_cce(policies)
    assert found.values == pytest.approx(coarse.values, abs=1e-12)
    for player, plex in enumerate(form.treeplexes):
        total, trigger = found.total_gains[player], found.deviations[player]
        roots = plex.parent_sequence == 0
        assert coarse.gains[player] <= total + 1e-12
        assert coarse.gains[player] <= plex.num_actions[roots].sum() * found.efce_gap + 1e-12
        assert trigger is None or trigger.gain <= total + 1e-12
        assert total <= (plex.num_sequences - 1) * found.efce_gap + 1e-12


def test_one_trigger_may_be_worth_less_than_leaving_before_the_draw():
    form = form_of(matrix_game([[0, 0], [0, 0], [3, 3]], [[0, 0], [0, 0], [0, 0]]))
    found, coarse = (
        evaluate_efce([uniform_policy(form)]),
        evaluate_cce([uniform_policy(form)]),
    )
    assert found.efce_gap == pytest.approx(1)
    assert coarse.cce_gap == found.total_gains[0] == pytest.approx(2)


@pytest.mark.parametrize("seed", [1])
def test_total_gains_are_between_the_gains_of_openspiel_for_cce_and_for_ce(seed):
    """The bounds are the gains without recommendations and with a complete plan recommended."""
    pyspiel = pytest.importorskip("pyspiel")
    policies_module = pytest.importorskip("open_spiel.python.policy")
    tree = build_tree(load_openspiel("kuhn_poker"))
    policies = policies_at_random(tree.sequence_form, 2, seed)
    table = joint_distribution(policies)
    device = []
    for probability, numbers in zip(table.probabilities, table.support, strict=True):
        plans = [own[n].astype(float) for own, n in zip(table.plans, numbers, strict=True)]
        pure = TabularPolicy.from_weights(tree.sequence_form, plans)
        theirs = policies_module.python_policy_to_pyspiel_policy(policy_to_openspiel(pure, tree))
        device.append((float(probability), theirs))
    game, found = tree.game.pyspiel_game, evaluate_efce(policies)
    less = pyspiel.cce_dist(game, device).deviation_incentives
    more = pyspiel.ce_dist(game, device).deviation_incentives
    for player, total in enumerate(found.total_gains):
        assert less[player] - 1e-9 <= total <= more[player] + 1e-9


def test_weights_are_relative_and_policies_of_weight_zero_do_not_count():
    form = form_of("kuhn_poker")
    first, second, third = policies_at_random(form, 3)
    found = evaluate_efce([first, second, third], [2, 6, 0])
    again = evaluate_efce([first, second], [0.5, 1.5])
    assert found.efce_gap == pytest.approx(again.efce_gap, abs=1e-14)
    assert found.values == pytest.approx(again.values, abs=1e-14)


def test_recommendations_reveal_which_policy_was_drawn():
    """Recommendations of two distinguishable policies reveal more than those of their average."""
    form = form_of("matrix_mp")
    agree = cells(form, (0, 0), (1, 1))
    assert evaluate_efce(agree).efce_gap == 1
    assert evaluate_efce([mix(agree, [1, 1])]).efce_gap == 0


def test_pairs_are_counted_by_hand():
    plex = form_of("kuhn_poker").treeplexes[0]
    arrays = plex.parent_sequence, plex.first_sequence, plex.num_actions
    pairs, size = enumerate_trigger_pairs(*arrays, plex.num_sequences, "Kuhn")
    # Three cards: two actions first, with four sequences at and below; two later, with two.
    assert size == 3 * (2 * 4 + 2 * 2)
    seen = set()
    for trigger in range(1, plex.num_sequences):
        below = infostates_below(plex, int(plex.infostate_of_sequence[trigger]))
        for sequence in range(1, plex.num_sequences):
            if plex.infostate_of_sequence[sequence] in below:
                seen.add(int(pairs.start[trigger] + pairs.rank[sequence]))
    assert seen == set(range(size))


def test_a_game_with_too_many_pairs_is_refused_with_their_number(monkeypatch):
    monkeypatch.setattr("infoset.evaluation.trigger_pairs.MAX_PAIRS", 35)
    with pytest.raises(GameTooLargeError, match="36 pairs") as caught:
        EFCEEvaluator(form_of("kuhn_poker"))
    assert caught.value.counts == {"sequences": 13, "pairs": 36}


def test_invalid_arguments():
    form = form_of("kuhn_poker")
    policy, other = uniform_policy(form), uniform_policy(form_of("matrix_rps"))
    with pytest.raises(ParameterError, match="got 1 policies and weights"):
        evaluate_efce([policy], [1, 2])
    with pytest.raises(ParameterError, match="mixture is empty"):
        EFCEEvaluator(form).evaluate()
    with pytest.raises(PolicyMismatchError, match="for the same game"):
        evaluate_efce([policy, other])
