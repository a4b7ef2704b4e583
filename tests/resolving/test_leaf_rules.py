"""Leaf rules: who chooses a continuation at the depth limit, and how."""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np
import pytest
from scipy.optimize import linprog

from infoset.beliefs import PublicBeliefState, part_between
from infoset.errors import ParameterError, UnknownNameError, UnsupportedGameError
from infoset.evaluation import best_response, history_values, nash_conv, transformed_values
from infoset.policy import (
    IDENTITY,
    TabularPolicy,
    constant_transformations,
    random_policy,
    transform_policy,
)
from infoset.regret import SCHEMES, RegretMinimizer
from infoset.resolving import (
    LEAF_RULES,
    ContinualResolving,
    ExactContinuationValues,
    Lookahead,
    gadget_form,
)
from infoset.resolving.opponent_values import best_response_values
from infoset.resolving.resolution import ResolvingSettings, resolve_part
from infoset.resolving.searched_part import ValuedTreePart
from infoset.runs import Budget
from infoset.runs.searcher import SearchBudget
from infoset.search.models import RulesModel
from infoset.solvers import solve_by_lp
from infoset.solvers.regret_family import average_policy
from infoset.tree import derive_public_form
from infoset.utils.clocks import working_seconds
from tests.support.cached_games import cached_tree

LEDUC = "leduc_poker"
GOOFSPIEL = "goofspiel(num_cards=3,imp_info=True,points_order=descending)"
CONSTANT = constant_transformations(["fold", "call", "raise"], "call")
PURE = constant_transformations(["pass", "bet"])


@cache
def blueprint_of(name, iterations):
    minimizer = RegretMinimizer(cached_tree(name).sequence_form, SCHEMES["cfr+"])
    minimizer.run(iterations)
    return average_policy(minimizer)


@cache
def values_of(name, iterations, rows):
    return transformed_values(cached_tree(name), blueprint_of(name, iterations), rows, pairs=True)


def part_of(name, root=0, depth=1):
    """Return the part that a search from a public state solves."""
    tree = cached_tree(name)
    return part_between(tree, root, Lookahead.on_tree(tree, depth).leaves(root))


def stateless_minimizer(part, form, player):
    chooses = part.leaf_decisions(form, player)
    assert [own.any() for own in chooses] == [player == 1, player == 0]
    responding = tuple(own & (number != player) for number, own in enumerate(chooses))
    return RegretMinimizer(form, SCHEMES["cfr+"], responding=responding), chooses[1 - player]


@pytest.mark.parametrize(("player", "root"), [(0, 0), (1, 0), (1, 1), (0, 2)])
def test_the_stateless_choice_is_that_of_the_equation(player, root):
    """Kubíček, Burch, Lisý (2023), eq. 3: argmin_τ Σ_h r_i(s_i(h)) r_c(h) v_i^τ(h)."""
    part = part_of(LEDUC, root)
    tree, other, rng = part.tree, 1 - player, np.random.default_rng(root)
    values = values_of(LEDUC, 20, CONSTANT).against(player)[part.leaf_histories]
    valued = ValuedTreePart(part, values)
    sizes = [len(own) for own in PublicBeliefState.with_unit_ranges(tree, root).ranges]
    own_range = rng.random(sizes[player])
    form = valued.gadget_form(player, own_range, rng.random(sizes[other]), "resolving", None)
    minimizer, chooses = stateless_minimizer(valued, form, player)
    before = minimizer.current_plans()
    for _ in range(4):
        plans = minimizer.current_plans()
        # Player 0 acts first in an iteration, and responds to the last plan of player 1.
        plan = (plans if other == 1 else before)[player]
        sums = {}
        ends = len(part.terminals) + np.arange(len(values))
        for end, infostate, row in zip(ends, part.leaf_infostates(other), values, strict=True):
            reach = plan[part.ends.sequence[end, player]] * part.ends.chance_reach[end]
            reach *= own_range[part.ends.entry[end, player]] if root else 1.0
            sums[infostate] = sums.get(infostate, 0.0) + reach * row
        best = [int((sums[key] < sums[key].min() + 1e-11).argmax()) for key in sorted(sums)]
        of_leaf = np.append(False, np.repeat(chooses, form.treeplexes[other].num_actions))
        chosen = minimizer.current_probabilities()[other][of_leaf].reshape(-1, values.shape[1])
        np.testing.assert_array_equal(chosen, np.eye(values.shape[1])[best])
        before = plans
        minimizer.run(1)


def matrix_game_value(payoff):
    """Return the value of a matrix game to the row player."""
    rows, columns = payoff.shape
    found = linprog(
        np.append(np.zeros(rows), -1.0),
        A_ub=np.column_stack([-payoff.T, np.ones(columns)]),
        b_ub=np.zeros(columns),
        A_eq=[np.append(np.ones(rows), 0.0)],
        b_eq=[1.0],
        bounds=[(0, None)] * rows + [(None, None)],
    )
    return -found.fun


def test_choices_of_both_have_the_value_of_their_normal_form():
    """In goofspiel with 3 cards, both bid, see who won, and choose a continuation."""
    part, rng = part_of(GOOFSPIEL), np.random.default_rng(0)
    values = rng.standard_normal((9, 2, 3))
    bids = part.ends.sequence
    infostates = [part.leaf_infostates(player).tolist() for player in range(2)]

    def pure(player, size):
        for bid in sorted(set(bids[:, player].tolist())):
            own = sorted({infostates[player][k] for k in range(9) if bids[k, player] == bid})
            for choices in product(range(size), repeat=len(own)):
                yield bid, dict(zip(own, choices, strict=True))

    leaf_of = {tuple(bids[k].tolist()): k for k in range(9)}

    def payoff(one, two):
        k = leaf_of[one[0], two[0]]
        return values[k, one[1][infostates[0][k]], two[1][infostates[1][k]]]

    table = np.array([[payoff(one, two) for two in pure(1, 3)] for one in pure(0, 2)])
    expected = matrix_game_value(table)
    form = gadget_form(part, 0, np.ones(1), np.ones(1), values, is_zero_sum=True)
    assert solve_by_lp(form, Budget()).values[0] == pytest.approx(expected, abs=1e-7)
    minimizer = RegretMinimizer(form, SCHEMES["cfr+"])
    minimizer.run(500)
    average = average_policy(minimizer)
    assert best_response(average, 1).value == pytest.approx(-expected, abs=0.01)
    # The other player's own choices come first, too.
    swapped = gadget_form(part, 1, np.ones(1), np.ones(1), -values.transpose(0, 2, 1))
    assert solve_by_lp(swapped, Budget()).values[0] == pytest.approx(expected, abs=1e-7)


def test_values_of_pairs_are_those_of_both_transformations():
    tree, blueprint, rows = cached_tree("kuhn_poker"), blueprint_of("kuhn_poker", 5), PURE
    values = transformed_values(tree, blueprint, rows, pairs=True)
    alone = transformed_values(tree, blueprint, rows)
    for player in range(2):
        by_pair = values.by_pair(player)
        assert by_pair.shape == (tree.num_histories, 3, 3)
        for own, theirs in product(range(3), range(3)):
            changed = transform_policy(blueprint, player, rows[own])
            profile = transform_policy(changed, 1 - player, rows[theirs])
            expected = history_values(tree, profile)[:, player]
            np.testing.assert_allclose(by_pair[:, own, theirs], expected, atol=1e-12)
        np.testing.assert_allclose(values.against(player), alone.against(player), atol=1e-12)
    assert [one.has_pairs for one in (values, alone)] == [True, False]
    with pytest.raises(ParameterError, match="pairs=True"):
        alone.by_pair(0)


def game_value(part, player, values):
    form = gadget_form(part, player, np.ones(1), np.ones(1), values, is_zero_sum=True)
    return solve_by_lp(form, Budget()).values[player]


def test_own_choices_never_cost_and_an_equilibrium_leaves_them_no_gain():
    part = part_of("kuhn_poker")
    whole = solve_by_lp(part.tree.sequence_form, Budget()).values
    for iterations in (3, 20_000):
        values = values_of("kuhn_poker", iterations, PURE)
        for player in range(2):
            pairs = values.by_pair(player)[part.leaf_histories]
            alone, both = (game_value(part, player, found) for found in (pairs[:, 0], pairs))
            assert alone <= both + 1e-9
            if iterations == 3:
                # With all pure continuations, the choices of both are those of the whole game.
                assert both == pytest.approx(whole[player], abs=1e-7)
                assert alone < both - 0.005 or player == 1  # who acts last before the leaves
            else:
                assert alone == pytest.approx(both, abs=1e-3)


@pytest.mark.parametrize("player", [0, 1])
def test_a_solved_part_has_the_choices_of_the_searching_player(player):
    """The opponent earns as much in it as in the game in which the player still chooses."""
    part = part_of(LEDUC, depth=2)
    values = values_of(LEDUC, 20, CONSTANT).by_pair(player)[part.leaf_histories]
    valued = ValuedTreePart(part, values)
    form = valued.gadget_form(player, np.ones(1), np.zeros(0), "resolving", None)
    probabilities = random_policy(form, np.random.default_rng(1)).probabilities
    policy, solved = valued.solution(form, player, probabilities[player])
    assert policy.shape == (part.infostate_trees[player].num_sequences,)
    [found] = solved.response_values(player, np.ones(1), [policy])
    expected = best_response(TabularPolicy(form, probabilities), 1 - player).value
    assert found[0] == pytest.approx(expected, abs=1e-12)
    identity = valued.with_blueprint(player)
    np.testing.assert_array_equal(identity.leaf_values, values[:, 0])


@pytest.mark.parametrize("rule", LEAF_RULES)
def test_with_one_continuation_all_rules_are_the_same(rule):
    tree, blueprint = cached_tree("kuhn_poker"), blueprint_of("kuhn_poker", 5)
    values = transformed_values(tree, blueprint, (IDENTITY,))
    found = [
        ContinualResolving(tree, blueprint, values, depth=1, leaf_rule=name).search_policy()
        for name in ("choice", rule)
    ]
    for own, expected in zip(*(policy.probabilities for policy in found), strict=True):
        assert own.tobytes() == expected.tobytes()


def resolve_from_the_root(part, player, settings):
    nothing = np.ones(1), np.zeros(0)
    start = working_seconds()
    return resolve_part(
        part, player, *nothing, settings, start, fallback=None, payoffs=(-13.0, 13.0)
    )


@pytest.mark.parametrize("root", [0, 5])
def test_the_stateless_choice_approaches_the_same_game_value(root):
    part = part_of(LEDUC, root)
    values = values_of(LEDUC, 20, CONSTANT).against(0)[part.leaf_histories]
    sizes = [len(own) for own in PublicBeliefState.with_unit_ranges(part.tree, part.root).ranges]
    valued, earned = ValuedTreePart(part, values), {}
    for rule in ("choice", "stateless"):
        settings = ResolvingSettings(
            leaf_rule=rule, gadget="max-margin", budget=SearchBudget("iterations", 2000, None)
        )
        arguments = np.ones(sizes[0]), np.zeros(sizes[1]), settings, working_seconds()
        found = resolve_part(valued, 0, *arguments, fallback=None, payoffs=(-13, 13))
        [responses] = found.part.response_values(0, np.ones(sizes[0]), [found.policy])
        earned[rule] = responses.max()  # what the gadget minimizes
    assert earned["stateless"] == pytest.approx(earned["choice"], abs=0.03)


@pytest.mark.broad
@pytest.mark.parametrize(
    ("rule", "short", "long"),
    [
        ("choice", (0.0, 0.003), (0.0, 0.001)),
        ("stateless", (0.05, 0.15), (0.01, 0.05)),
        ("matrix", (0.1, 0.3), (0.1, 0.2)),
    ],
)
def test_a_trunk_above_an_equilibrium_by_each_rule(rule, short, long):
    """A stateless choice approaches the trunk of an equilibrium, but slowly.

    Choices of both players do not: the trunk that they lead to is not safe above the blueprint.
    """
    blueprint, values = blueprint_of(LEDUC, 2000), values_of(LEDUC, 2000, CONSTANT)
    trunk = part_of(LEDUC)
    for iterations, (low, high) in ((300, short), (3000, long)):
        whole = [probabilities.copy() for probabilities in blueprint.probabilities]
        budget = SearchBudget("iterations", iterations, None)
        settings = ResolvingSettings(leaf_rule=rule, budget=budget)
        for player in range(2):
            leaves = values.by_pair(player)[trunk.leaf_histories]
            part = ValuedTreePart(trunk, leaves if rule == "matrix" else leaves[:, 0])
            solved = resolve_from_the_root(part, player, settings)
            whole[player][trunk.sequences[player]] = solved.policy
        assert low < nash_conv(TabularPolicy(blueprint.form, tuple(whole))) < high


@pytest.mark.broad
@pytest.mark.parametrize("rule", LEAF_RULES)
def test_with_all_pure_continuations_an_equilibrium_of_kuhn_poker_stays_one(rule):
    options = {"depth": 1, "iterations": 20_000, "tolerance": None, "leaf_rule": rule}
    values = values_of("kuhn_poker", 20_000, PURE)
    search = ContinualResolving(
        cached_tree("kuhn_poker"), blueprint_of("kuhn_poker", 20_000), values, **options
    )
    assert search.settings()["leaf_rule"] == rule
    assert nash_conv(search.search_policy()) < 3e-4


@pytest.mark.broad
@pytest.mark.parametrize("rule", LEAF_RULES)
def test_checked_searches_by_each_rule_improve_a_weak_blueprint(rule):
    """With exact values, where the next searches start from what the last ones earn."""
    blueprint, values = blueprint_of(LEDUC, 20), values_of(LEDUC, 20, CONSTANT)
    search = ContinualResolving(cached_tree(LEDUC), blueprint, values, depth=2, leaf_rule=rule)
    assert nash_conv(search.search_policy()) < 0.4 * nash_conv(blueprint)


def test_what_leaf_rules_refuse():
    tree, blueprint = cached_tree("kuhn_poker"), blueprint_of("kuhn_poker", 5)
    values = transformed_values(tree, blueprint, PURE)
    with pytest.raises(UnknownNameError, match="did you mean matrix"):
        ContinualResolving(tree, leaf_rule="matrx")
    with pytest.raises(ParameterError, match="pairs=True"):
        ContinualResolving(tree, blueprint, values, leaf_rule="matrix")
    rules = RulesModel(tree.game)
    exact = ExactContinuationValues(values)
    with pytest.raises(UnsupportedGameError, match=r"build_tree\(game\)"):
        ContinualResolving(rules, blueprint, exact, leaf_rule="matrix")
    form = derive_public_form(tree)
    for rule in ("stateless", "matrix"):
        with pytest.raises(UnsupportedGameError, match="on a public form each hand has a value"):
            ContinualResolving(form, leaf_rule=rule)
    part = part_of("kuhn_poker")
    size = len(part.leaf_histories)
    for wrong in ((size, 2, 2, 1), (size, 0, 2), (size + 1, 2, 2)):
        with pytest.raises(ParameterError, match="if both players choose"):
            gadget_form(part, 0, np.ones(1), np.ones(1), np.ones(wrong))
    with pytest.raises(ParameterError, match="NaN"):
        gadget_form(part, 0, np.ones(1), np.ones(1), np.full((size, 2, 2), np.nan))
    policy = np.ones(part.infostate_trees[0].num_sequences)
    with pytest.raises(ParameterError, match=r"shape \[L, n\]"):
        best_response_values(part, 0, np.ones(1), policy, np.ones((size, 2, 2)))


def test_the_fallback_follows_the_blueprint_at_the_leaves():
    """The tolerance compares it with the solution and its choices there."""
    part, player = part_of("kuhn_poker"), 0
    values = values_of("kuhn_poker", 20_000, PURE).by_pair(player)[part.leaf_histories]
    blueprint = blueprint_of("kuhn_poker", 20_000).probabilities[player]
    fallback = blueprint[part.sequences[player]]
    from_the_root = ValuedTreePart(part, values), player, np.ones(1), np.zeros(0)

    def resolved(tolerance):
        budget = SearchBudget("iterations", 20, None)
        settings = ResolvingSettings(leaf_rule="matrix", budget=budget, tolerance=tolerance)
        start = working_seconds()
        options = {"fallback": fallback, "payoffs": (0.0, 1.0)}
        return resolve_part(*from_the_root, settings, start, **options)

    found = resolved(0.0)
    assert isinstance(found.part, ValuedTreePart)
    [earned], [limit] = (
        best_response_values(part, player, np.ones(1), policy, leaves)
        for policy, leaves in (
            (found.policy, found.part.leaf_values),
            (fallback, values[:, 0]),
        )
    )
    assert earned - limit > 1e-3
    assert [resolved(earned - limit + d).is_rejected for d in (-1e-6, 1e-6)] == [True, False]
