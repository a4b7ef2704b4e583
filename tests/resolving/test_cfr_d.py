"""CFR-D: the trunk of whole-game CFR if subgames keep their regrets, and a good one otherwise."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infoset.beliefs import (
    PublicBeliefState,
    counterfactual_form,
    counterfactual_values,
    cut_tree,
)
from infoset.errors import (
    ParameterError,
    PolicyMismatchError,
    UnknownNameError,
    UnsupportedGameError,
)
from infoset.evaluation import (
    evaluate_policy,
    nash_conv,
)
from infoset.forms import best_response_sweep, lock
from infoset.policy import TabularPolicy, uniform_policy
from infoset.regret import SCHEMES, PlayerMinimizer, RegretMinimizer
from infoset.resolving import (
    DecompositionSolver,
    SubgameRegret,
    resolve_subgames,
    solve_by_decomposition,
    solve_subgames,
)
from infoset.runs import Budget
from infoset.solvers import average_policy, current_policy, get_method, run_method
from infoset.tree import build_tree
from tests.support.cached_games import cached_tree
from tests.support.hypothesis_strategies import random_games

pytestmark = pytest.mark.broad


def generic(tree, rng):
    """Return the tree with rewards in general position, in which no regret is zero."""
    return replace(tree, rewards_so_far=rng.standard_normal(tree.rewards_so_far.shape))


def random_trunk(tree, rng):
    """Return a cut above public states none of which extends another."""
    count = tree.public_tree.num_public_states
    chosen, covered = [], np.zeros(count, dtype=bool)
    for public_state in range(1, count):
        covered[public_state] = covered[tree.public_tree.parent[public_state]]
        if not covered[public_state] and rng.random() < 0.4:
            covered[public_state] = True
            chosen.append(public_state)
    return cut_tree(tree, public_states=chosen)


class InStep:
    """One iteration per query with persistent regrets, as in whole-game CFR below a trunk."""

    def __init__(self, scheme):
        self.scheme = scheme
        self.states = {}
        self.asked = {}

    def __call__(self, part, belief):
        form = counterfactual_form(part, belief)
        fresh = [PlayerMinimizer(plex, self.scheme) for plex in form.treeplexes]
        own = self.states.setdefault(part.root, fresh)
        policy = TabularPolicy(form, tuple(state.probabilities() for state in own))
        gradients = [self.gradient(form, policy, player) for player in range(form.num_players)]
        for player in self.turn(part.root, form.num_players):
            own[player].observe(gradients[player])
        return policy

    def turn(self, root, num_players):
        if not self.scheme.alternating:
            return range(num_players)
        self.asked[root] = self.asked.get(root, -1) + 1
        return [self.asked[root] % num_players]

    @staticmethod
    def gradient(form, policy, player):
        weight = form.payoff[:, player].copy()
        for other, plan in enumerate(policy.realization_plans()):
            if other != player:
                weight *= plan[form.terminal_sequence[:, other]]
        size = form.treeplexes[player].num_sequences
        return np.bincount(form.terminal_sequence[:, player], weights=weight, minlength=size)


def assert_in_step(cut, scheme, iterations):
    form = cut.tree.sequence_form
    whole = RegretMinimizer(form, scheme)
    solver = DecompositionSolver(cut, scheme, InStep(scheme))
    for _ in range(iterations):
        whole.run(1)
        solver.run(1)
        trunk_form = solver.trunk_policy().form
        for found, wanted in (
            (solver.current_trunk_policy(), current_policy(whole)),
            (solver.trunk_policy(), average_policy(whole)),
        ):
            inside = cut.trunk.restrict_policy(wanted, trunk_form)
            for own, other in zip(found.probabilities, inside.probabilities, strict=True):
                assert np.allclose(own, other, atol=1e-9, rtol=0)
    assert solver.iteration == iterations


@settings(max_examples=10)
@given(
    random_games(max_histories=60),
    st.integers(0, 2**32),
    st.sampled_from(["cfr", "cfr-simultaneous", "cfr+", "dcfr", "pcfr+", "apcfr+"]),
)
def test_with_subgames_iterated_in_step_the_trunk_equals_cfr_on_the_whole_game(game, seed, name):
    rng = np.random.default_rng(seed)
    tree = generic(build_tree(game), rng)
    assert_in_step(random_trunk(tree, rng), SCHEMES[name], 6)


@pytest.mark.parametrize(
    ("spec", "depth", "iterations", "name"),
    [
        ("kuhn_poker", 2, 20, "cfr"),
        ("kuhn_poker", 2, 10, "cfr-simultaneous"),
        ("kuhn_poker(players=3)", 3, 4, "cfr"),
        ("kuhn_poker(players=3)", 3, 8, "cfr-simultaneous"),
        ("leduc_poker(num_ranks=2)", 3, 8, "cfr+"),
    ],
)
def test_in_step_on_poker(spec, depth, iterations, name):
    tree = generic(cached_tree(spec), np.random.default_rng(1))
    assert_in_step(cut_tree(tree, depth=depth), SCHEMES[name], iterations)


def test_averages_of_the_next_plans_agree_in_step_too():
    tree = generic(cached_tree("kuhn_poker"), np.random.default_rng(2))
    assert_in_step(cut_tree(tree, depth=2), replace(SCHEMES["cfr+"], averages_next=True), 20)


@pytest.mark.parametrize("exponent", [0.0, 2.0])
def test_root_values_are_averages_of_those_of_the_whole_game(exponent):
    scheme = replace(SCHEMES["cfr-simultaneous"], average_exponent=exponent)
    tree = generic(cached_tree("kuhn_poker"), np.random.default_rng(3))
    cut = cut_tree(tree, depth=2)
    whole = RegretMinimizer(tree.sequence_form, scheme)
    solver = DecompositionSolver(cut, scheme, InStep(scheme))
    weights = np.arange(1, 11) ** exponent
    wanted = 0.0
    for weight in weights / weights.sum():
        policy = current_policy(whole)
        wanted += weight * np.concatenate(values_at(cut, policy))
        whole.run(1)
    solver.run(10)
    found = [values for root in cut.roots[1:].tolist() for values in solver.root_values()[root]]
    assert np.allclose(np.concatenate(found), wanted, atol=1e-12)


def values_at(cut, policy):
    """Return the counterfactual values at all roots, by root and player."""
    found = []
    for part in cut.subgames():
        belief = PublicBeliefState.from_policy(cut.tree, policy, part.root)
        inside = part.restrict_policy(policy, counterfactual_form(part, belief))
        found += counterfactual_values(part, belief, inside)
    return found


@cache
def values_of(tree):
    """Return the values of a game."""
    return np.array(get_method("lp").run(tree.sequence_form, Budget()).values)


def trunk_exploitability(cut, trunk_policy):
    """Return the exploitability of the trunk, if play below the trunk is optimal.

    For each player, linear programs give the value of the game with and without the locked trunk.
    """
    form, lp = cut.tree.sequence_form, get_method("lp")
    lost = values_of(cut.tree).copy()
    for player in range(2):
        behavior = {
            (row.infostate, player): dict(zip(row.actions, row.probabilities, strict=True))
            for row in trunk_policy.rows()
            if row.player == player
        }
        lost[player] -= run_method(lp, lock(form, behavior), Budget()).values[player]
    return lost.mean()


@pytest.mark.parametrize("name", [pytest.param("cfr", marks=pytest.mark.long), "cfr+"])
def test_the_trunk_of_kuhn_poker_converges_to_equilibrium(name):
    cut = cut_tree(cached_tree("kuhn_poker"), depth=2)
    solver = DecompositionSolver(cut, SCHEMES[name], SubgameRegret())
    gaps = []
    for iterations in (1, 9, 90):
        solver.run(iterations)
        gaps.append(trunk_exploitability(cut, solver.trunk_policy()))
    assert gaps[0] > 2 * gaps[1]
    assert gaps[1] > 2 * gaps[2]
    assert gaps[2] < 8e-3
    # In equilibrium player 0 never bets a queen, bets a jack at most a third of the time, and a
    # king three times as often as a jack (Kuhn 1950).
    jack, queen, king = (solver.trunk_policy()[f"[{card}]", 0]["bet"] for card in "JQK")
    assert queen < 0.07
    assert jack < 0.36
    assert king == pytest.approx(3 * jack, abs=0.25)


def test_the_trunk_of_leduc_poker_converges_if_subgames_are_solved_well():
    cut = cut_tree(cached_tree("leduc_poker(num_ranks=2)"), depth=3)
    gaps = {}
    for inner in (3, 60):
        solver = DecompositionSolver(cut, SCHEMES["cfr+"], SubgameRegret(iterations=inner))
        solver.run(12)
        gaps[inner] = trunk_exploitability(cut, solver.trunk_policy())
    assert gaps[60] < 0.06
    assert gaps[3] > 1.6 * gaps[60]


@cache
def cut_kuhn():
    return cut_tree(cached_tree("kuhn_poker"), depth=2)


def test_the_result_is_measured_and_has_the_values_for_re_solving():
    solved = solve_by_decomposition(cut_kuhn(), budget=Budget(iterations=30))
    result = solved.result
    assert (result.method, result.outcome, result.iterations) == ("cfr-d(cfr+)", "iterations", 30)
    assert evaluate_policy(result.policy).exploitability == result.exploitability
    assert result.current_policy is None
    inside = cut_kuhn().trunk.restrict_policy(result.policy, solved.trunk_policy.form)
    assert all(map(np.array_equal, inside.probabilities, solved.trunk_policy.probabilities))
    for root in cut_kuhn().roots[1:].tolist():
        belief = solved.belief(root)
        wanted = PublicBeliefState.from_policy(cut_kuhn().tree, result.policy, root)
        assert all(map(np.allclose, belief.ranges, wanted.ranges))
        shapes = [values.shape for values in solved.root_values[root]]
        assert shapes == [entries.shape for entries in belief.ranges]


def test_unsafe_re_solving_of_subgames_is_exploitable():
    """The trunk is near equilibrium, but the policy below is not: the reason for gadgets."""
    unsafe, safe = (
        solve_by_decomposition(cut_kuhn(), budget=Budget(iterations=100), gadget=gadget)
        for gadget in ("none", None)
    )
    assert trunk_exploitability(cut_kuhn(), unsafe.trunk_policy) < 8e-3
    assert all(map(np.array_equal, *(s.trunk_policy.probabilities for s in (unsafe, safe))))
    assert unsafe.result.exploitability > 0.05
    assert safe.result.exploitability < 8e-3


GOOFSPIEL = "goofspiel(num_cards=4,imp_info=True,points_order=descending)"


@cache
def cut_of(name):
    """Return a game cut at the board card, if there is one, or where both players have cards."""
    if name == "random rewards":
        tree = cached_tree("kuhn_poker")
        first = np.random.default_rng(7).standard_normal(tree.rewards_so_far.shape)[:, 0]
        return cut_tree(replace(tree, rewards_so_far=np.stack([first, -first], 1)), depth=2)
    tree = cached_tree(name)
    if "leduc" not in name:
        return cut_tree(tree, depth=2)
    level = np.searchsorted(tree.level_offsets, np.arange(tree.num_histories), "right") - 1
    by_chance = np.append(False, (tree.graph.joint_action[tree.edge[1:]] < 0).all(axis=1))
    return cut_tree(tree, public_states=set(tree.public_state[by_chance & (level > 2)].tolist()))


def promised_nash_conv(solver):
    """Return the NashConv of the trunk if each subgame pays what it paid on average."""
    trunk, policy = solver.trunk, solver.trunk_policy()
    start, values = PublicBeliefState.with_unit_ranges(trunk.tree), solver.root_values()
    total = -trunk.tree.sequence_form.constant_sum
    for player, plex in enumerate(policy.form.treeplexes):
        gradient = policy.form.gradient(policy.realization_plans(), player)
        for leaf in trunk.leaves.tolist():
            paid = trunk.leaf_belief(leaf, start, policy).counterfactual_rewards(player)
            last = trunk.leaf_sequences(leaf)[player]
            np.add.at(gradient, last, values[leaf][player] + paid)
        best_response_sweep(plex.parent_sequence, plex.first_sequence, plex.num_actions, gradient)
        total += gradient[0]
    return total


@pytest.mark.parametrize(
    ("name", "scheme", "counts", "inner", "ratio"),
    [
        ("kuhn_poker", "cfr+", (10, 100), 300, 10),
        ("kuhn_poker", "cfr-simultaneous", (10, 100), 100, 8),
        ("random rewards", "cfr+", (10, 100), 100, 2),
        (GOOFSPIEL, "cfr+", (3, 30), 100, 2),
        ("leduc_poker(num_ranks=2)", "cfr+", (3, 20), 100, 0.8),
        pytest.param("leduc_poker", "cfr+", (10, 400), 400, 2, marks=pytest.mark.long),
    ],
)
def test_the_whole_policy_is_as_good_as_the_subgames_promise(name, scheme, counts, inner, ratio):
    """Burch, Johanson, Bowling 2014: its NashConv is at most that of the trunk and its promises.

    The tolerance is for the errors of the solutions of the subgames. `ratio` is a lower bound for
    how much more exploitable the unsafe policy is.
    """
    solve = SubgameRegret(iterations=inner)
    solver = DecompositionSolver(cut_of(name), SCHEMES[scheme], solve)
    gaps = {}
    for count in counts:
        solver.run(count - solver.iteration)
        args = (solver.cut, solver.trunk_policy(), solver.root_values(), solve)
        for gadget in ("resolving", "max-margin"):
            gaps[gadget, count] = nash_conv(resolve_subgames(*args, gadget))
            assert gaps[gadget, count] < promised_nash_conv(solver) + 0.03
    unsafe = nash_conv(solve_subgames(*args[:2], solve))
    for gadget in ("resolving", "max-margin"):
        assert gaps[gadget, counts[1]] < 0.35 * gaps[gadget, counts[0]]
        assert unsafe > ratio * gaps[gadget, counts[1]]


def test_policies_are_safe_by_default_where_gadgets_exist():
    solve, other = SubgameRegret(iterations=30), lambda *args: SubgameRegret()(*args)
    for chosen, used in ((solve, solve), (other, SubgameRegret())):
        solved = solve_by_decomposition(cut_kuhn(), "cfr", Budget(iterations=3), chosen)
        args = (solved.cut, solved.trunk_policy, solved.root_values, used)
        wanted = resolve_subgames(*args).probabilities
        assert all(map(np.array_equal, solved.result.policy.probabilities, wanted))
    three = cut_tree(cached_tree("kuhn_poker(players=3)"), depth=3)
    solved = solve_by_decomposition(three, "cfr", Budget(iterations=1), solve)
    wanted = solve_subgames(three, solved.trunk_policy, solve).probabilities
    assert all(map(np.array_equal, solved.result.policy.probabilities, wanted))
    with pytest.raises(UnsupportedGameError, match="two-player constant-sum"):
        solve_by_decomposition(three, gadget="resolving")


def test_a_subgame_that_own_play_never_reaches_gets_a_policy():
    cut, form = cut_kuhn(), DecompositionSolver(cut_kuhn(), SCHEMES["cfr"], None)._form
    always_bet = uniform_policy(form).probabilities[0].copy()
    first = form.treeplexes[0].first_sequence
    always_bet[first], always_bet[first + 1] = 0, 1
    trunk = TabularPolicy(form, (always_bet, uniform_policy(form).probabilities[1]))
    zeros = {part.root: [np.zeros(3), np.zeros(3)] for part in cut.subgames()}
    policy = resolve_subgames(cut, trunk, zeros)
    assert all(np.isfinite(values).all() for values in policy.probabilities)
    assert policy["[J] / pass / bet", 0]["bet"] == 0.5


def test_subgames_may_be_terminal_and_the_trunk_the_whole_game():
    tree = cached_tree("kuhn_poker")
    for cut in (cut_tree(tree, depth=4), cut_tree(tree, public_states=[0])):
        solved = solve_by_decomposition(cut, SCHEMES["cfr"], Budget(iterations=20))
        whole = RegretMinimizer(tree.sequence_form, SCHEMES["cfr"])
        whole.run(20)
        for found, wanted in zip(
            solved.result.policy.probabilities, average_policy(whole).probabilities, strict=True
        ):
            assert np.allclose(found, wanted, atol=1e-9)


def test_an_interrupted_iteration_leaves_the_state_unchanged():
    calls = []

    def interrupted(part, belief):
        calls.append(part.root)
        if len(calls) == 15:  # in the second turn of iteration 4, of two subgames and two turns
            raise KeyboardInterrupt
        return SubgameRegret(iterations=5)(part, belief)

    solver = DecompositionSolver(cut_kuhn(), SCHEMES["cfr"], interrupted)
    with pytest.raises(KeyboardInterrupt):
        solver.run(10)
    same = DecompositionSolver(cut_kuhn(), SCHEMES["cfr"], SubgameRegret(iterations=5))
    same.run(3)
    assert solver.iteration == 3
    for method in ("trunk_policy", "current_trunk_policy"):
        found, wanted = (getattr(s, method)().probabilities for s in (solver, same))
        assert all(map(np.array_equal, found, wanted))
    for root, values in same.root_values().items():
        assert all(map(np.array_equal, solver.root_values()[root], values))
    for one in (solver, same):
        one.run(2)
    found, wanted = (s.trunk_policy().probabilities for s in (solver, same))
    assert all(map(np.array_equal, found, wanted))


def test_iterations_copy_only_the_state():
    solver = DecompositionSolver(cut_kuhn(), SCHEMES["cfr+"], SubgameRegret(iterations=3))
    solver.run(3)
    plexes = solver.trunk_policy().form.treeplexes
    for own, plex in zip(solver._minimizers, plexes, strict=True):
        assert own.treeplex is plex
        assert own.iteration == 3


def test_schedules_extend_over_the_iterations_of_the_budget():
    short = solve_by_decomposition(cut_kuhn(), SCHEMES["hs-dcfr"], Budget(iterations=10))
    solver = DecompositionSolver(
        cut_kuhn(), replace(SCHEMES["hs-dcfr"], horizon=10), SubgameRegret()
    )
    solver.run(10)
    wanted = solver.trunk_policy().probabilities
    assert all(map(np.array_equal, short.trunk_policy.probabilities, wanted))


def test_invalid_cuts_and_schemes_are_refused():
    tree = cut_kuhn().tree
    with pytest.raises(ParameterError, match="cut is of type GameTree; give a TreeCut"):
        solve_by_decomposition(tree)
    with pytest.raises(UnknownNameError, match="unknown scheme 'lp'"):
        solve_by_decomposition(cut_kuhn(), "lp")
    with pytest.raises(UnknownNameError, match="max-margin"):
        solve_by_decomposition(cut_kuhn(), gadget="max-margni")
    nested = cut_tree(tree, public_states=[1, 2])
    with pytest.raises(ParameterError, match=r"subgames at \[1\] are cut again"):
        solve_by_decomposition(nested)
    with pytest.raises(PolicyMismatchError, match="restrict_policy"):
        solve_subgames(cut_kuhn(), uniform_policy(tree.sequence_form), SubgameRegret())
    with pytest.raises(ParameterError, match="not a leaf"):
        solve_by_decomposition(cut_kuhn(), budget=Budget(iterations=1)).belief(5)
