"""Gadget games: their theorems, their forms, and what they refuse."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import numpy as np
import pytest

from infoset.beliefs import GADGETS, PublicBeliefState, cut_tree, gadget_form
from infoset.errors import ParameterError, UnknownNameError, UnsupportedGameError
from infoset.evaluation import best_response, history_values, nash_conv, utility_gradient
from infoset.evaluation.best_responses import best_response_sweep
from infoset.policy import TabularPolicy, random_policy, uniform_policy
from infoset.regret import SCHEMES, RegretMinimizer
from infoset.runs import Budget
from infoset.search.resolving.opponent_values import best_response_values, mean_values
from infoset.solvers import solve_by_lp
from infoset.solvers.regret_family import average_policy
from infoset.tree import GameTree
from tests.support.cached_games import cached_tree

GOOFSPIEL = "goofspiel(num_cards=4,imp_info=True,points_order=descending)"


def second_rounds(tree: GameTree) -> list[int]:
    """Return the public states of Leduc poker right after the board card."""
    found, level = [], np.searchsorted(tree.level_offsets, np.arange(tree.num_histories), "right")
    by_chance = (tree.graph.joint_action[tree.edge[1:]] < 0).all(axis=1)
    for history in (1 + np.flatnonzero(by_chance & (level[1:] > 3))).tolist():
        found.append(int(tree.public_state[history]))
    return sorted(set(found))


def first_rounds(tree: GameTree) -> list[int]:
    """Return the public states after the first transition in which players act."""
    return [int(s) for s in np.flatnonzero(tree.public_tree.parent == 0)]


@cache
def cut_of(name):
    tree = cached_tree(name)
    return cut_tree(
        tree, public_states=second_rounds(tree) if "leduc" in name else first_rounds(tree)
    )


def solved(form, iterations=1000, scheme="cfr+"):
    minimizer = RegretMinimizer(form, SCHEMES[scheme])
    minimizer.run(iterations)
    return average_policy(minimizer)


@cache
def blueprint_of(name, iterations):
    return solved(cached_tree(name).sequence_form, iterations)


def resolved(name, blueprint, gadget, values):
    """Return a blueprint in which all subgames of a cut are solved again by both players."""
    cut = cut_of(name)
    whole = [probabilities.copy() for probabilities in blueprint.probabilities]
    exact = history_values(cut.tree, blueprint)
    for part in cut.subgames():
        belief = PublicBeliefState.from_policy(cut.tree, blueprint, part.root)
        for player, own_range in enumerate(belief.ranges):
            other = 1 - player
            if gadget == "none":
                given = belief.ranges[other]
            elif values == "profile":
                given = mean_values(belief, player, own_range, exact[belief.histories, other])
            else:
                own = blueprint.probabilities[player][part.sequences[player]]
                given = best_response_values(part, player, own_range, own)
            form = gadget_form(part, player, own_range, given, gadget=gadget)
            found = solved(form).probabilities[player]
            whole[player][part.sequences[player][1:]] = found[1:]
    return TabularPolicy(blueprint.sequence_form, tuple(whole))


@pytest.mark.parametrize("gadget", ["resolving", "max-margin"])
def test_an_equilibrium_stays_one_with_a_gadget(gadget):
    blueprint = blueprint_of("leduc_poker", 2000)
    assert nash_conv(blueprint) < 5e-4
    assert nash_conv(resolved("leduc_poker", blueprint, gadget, "profile")) < 5e-3


def test_without_a_gadget_an_equilibrium_becomes_exploitable():
    blueprint = blueprint_of("leduc_poker", 2000)
    assert nash_conv(resolved("leduc_poker", blueprint, "none", "profile")) > 0.1


@pytest.mark.parametrize("gadget", ["resolving", "max-margin"])
@pytest.mark.parametrize("number", range(5))
def test_with_values_of_best_responses_no_guarantee_falls(gadget, number):
    """Burch, Johanson, Bowling 2014, for blueprints of five kinds."""
    form = cached_tree("leduc_poker").sequence_form
    rng = np.random.default_rng(number)
    blueprint = [
        lambda: uniform_policy(form),
        lambda: random_policy(form, rng),
        lambda: solved(form, 5),
        lambda: solved(form, 30),
        lambda: solved(form, 200, "cfr"),
    ][number]()
    safe = resolved("leduc_poker", blueprint, gadget, "best response")
    for opponent in range(2):
        before, after = (best_response(policy, opponent).value for policy in (blueprint, safe))
        assert after <= before + 1e-3
    assert nash_conv(safe) < nash_conv(blueprint)


@pytest.mark.parametrize("name", ["leduc_poker", GOOFSPIEL])
@pytest.mark.parametrize("gadget", GADGETS)
def test_the_linear_program_and_regret_minimization_agree(name, gadget):
    """The zero-sum form has the value that the policy from the other form guarantees in it."""
    cut = cut_of(name)
    blueprint = random_policy(cut.tree.sequence_form, np.random.default_rng(3))
    exact = history_values(cut.tree, blueprint)
    for part in list(cut.subgames())[::9]:
        belief = PublicBeliefState.from_policy(cut.tree, blueprint, part.root)
        for player, own_range in enumerate(belief.ranges):
            other = 1 - player
            given = mean_values(belief, player, own_range, exact[belief.histories, other])
            given = belief.ranges[other] if gadget == "none" else given
            args = (part, player, own_range, given, None, gadget)
            weighted, plain = (gadget_form(*args, is_zero_sum=z) for z in (True, False))
            assert weighted.is_two_player_constant_sum
            value = solve_by_lp(weighted, Budget()).values[player]
            found = solved(plain, 3000)
            plans = found.realization_plans()
            gradient = utility_gradient(weighted, plans, other)
            plex = weighted.treeplexes[other]
            best_response_sweep(
                plex.parent_sequence, plex.first_sequence, plex.num_actions, gradient
            )
            guaranteed = weighted.constant_sum - gradient[0]
            width = float(np.abs(weighted.payoff).sum())
            assert value - 2e-3 * width <= guaranteed <= value + 1e-9 * width


def leaf_values(part, player, policies):
    values = history_values(part.tree, policies)[..., player]
    return values[part.leaf_histories]


def test_another_continuation_never_helps_the_searcher():
    """Specification 15.15: the value of the depth-limited game, by linear programs."""
    tree = cached_tree("leduc_poker")
    trunk = cut_of("leduc_poker").trunk
    rng = np.random.default_rng(5)
    policies = [random_policy(tree.sequence_form, rng) for _ in range(4)]
    found = []
    for number in range(1, 5):
        values = leaf_values(trunk, 0, policies[:number])
        form = gadget_form(trunk, 0, np.ones(1), np.ones(1), values, is_zero_sum=True)
        found.append(solve_by_lp(form, Budget()).values[0])
    assert all(after <= before + 1e-9 for before, after in pairwise(found))
    assert found[-1] < found[0] - 0.01


@pytest.mark.parametrize("gadget", GADGETS)
def test_the_scale_of_ranges_changes_nothing(gadget):
    """Specification 15.18."""
    part = next(cut_of("leduc_poker").subgames())
    belief = PublicBeliefState.from_policy(
        part.tree, random_policy(part.tree.sequence_form, np.random.default_rng(1)), part.root
    )
    given = np.ones(len(belief.ranges[1]))
    forms = [
        gadget_form(part, 0, scale * belief.ranges[0], given, None, gadget) for scale in (1, 4)
    ]
    one, other = (solved(form, 200).probabilities[0] for form in forms)
    np.testing.assert_allclose(one, other, atol=1e-9)


def test_infostates_of_range_zero_get_a_policy():
    part = next(cut_of("leduc_poker").subgames())
    sizes = [
        len(numbers) for numbers in PublicBeliefState.with_unit_ranges(part.tree, part.root).ranges
    ]
    own_range = np.ones(sizes[0])
    own_range[:2] = 0
    policy = solved(gadget_form(part, 0, own_range, np.zeros(sizes[1])), 500)
    full = solved(gadget_form(part, 0, np.ones(sizes[0]), np.zeros(sizes[1])), 500)
    assert np.isfinite(policy.probabilities[0]).all()
    # They do not all play uniformly, as they would without payoffs.
    acting = part.infostate_trees[0]
    first = acting.first_sequence[acting.acting[0]]
    assert policy.probabilities[0][first] != pytest.approx(0.5, abs=1e-3)
    assert full.probabilities[0].shape == policy.probabilities[0].shape


def test_what_a_gadget_refuses():
    part = next(cut_of("leduc_poker").subgames())
    sizes = [len(r) for r in PublicBeliefState.with_unit_ranges(part.tree, part.root).ranges]
    ones, values = np.ones(sizes[0]), np.zeros(sizes[1])
    with pytest.raises(UnknownNameError, match="max-margin"):
        gadget_form(part, 0, ones, values, gadget="max-margni")
    with pytest.raises(ParameterError, match="own_range has shape"):
        gadget_form(part, 0, np.ones(2), values)
    with pytest.raises(ParameterError, match="is zero wherever"):
        gadget_form(part, 0, 0 * ones, values)
    with pytest.raises(ParameterError, match="negative"):
        gadget_form(part, 0, -ones, values)
    with pytest.raises(ParameterError, match="opponent has an entry that is NaN"):
        gadget_form(part, 0, ones, values + np.nan)
    trunk = cut_of("leduc_poker").trunk
    with pytest.raises(ParameterError, match="leaf histories; give leaf_values"):
        gadget_form(trunk, 0, np.ones(1), np.ones(1))
    with pytest.raises(ParameterError, match="leaf_values have shape"):
        gadget_form(trunk, 0, np.ones(1), np.ones(1), np.zeros((3, 2)))
    bad = np.full((len(trunk.leaf_histories), 1), np.inf)
    with pytest.raises(ParameterError, match="leaf_values has an entry"):
        gadget_form(trunk, 0, np.ones(1), np.ones(1), bad)
    three = cut_tree(cached_tree("kuhn_poker(players=3)"), depth=2).trunk
    with pytest.raises(UnsupportedGameError, match="two-player"):
        gadget_form(three, 0, np.ones(1), np.ones(1))
