"""Equilibria in fractions, and the equations behind them."""

from __future__ import annotations

from fractions import Fraction
from zlib import crc32

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import infoset
from infoset.efg import build_extensive_form, forget_non_acting
from infoset.errors import ParameterError, UnsupportedGameError
from infoset.evaluation.value_proofs import exact_payoffs, prove_bounds
from infoset.games import RandomGame
from infoset.policy import TabularPolicy
from infoset.solvers import _exact_pivots, exact, solve_exactly
from infoset.solvers._exact_pivots import optimal_plans
from infoset.solvers.exact import Equations, solve_in_fractions
from infoset.tree import build_tree
from tests.support.cached_games import cached_tree
from tests.support.function_game import FunctionGame
from tests.support.hypothesis_strategies import random_games

LEDUC = Fraction(-1454920850547486749701863871533, 16995463438839962469905132501930)
"""The value of Leduc poker as `solve_exactly` proves it; -0.0856064240780 by the linear program."""

VALUES = {
    "kuhn_poker": Fraction(-1, 18),
    "liars_dice(dice_sides=3)": Fraction(1, 9),
    "matrix_brps": Fraction(0),
    "goofspiel(num_cards=3)": Fraction(0),
    "leduc_poker": LEDUC,
}


@pytest.mark.parametrize(
    "spec",
    [
        pytest.param(spec, marks=[pytest.mark.long] if spec == "leduc_poker" else [])
        for spec in VALUES
    ],
)
def test_known_values(spec):
    assert solve_exactly(build_tree(infoset.load(spec))).value == VALUES[spec]


def test_extensive_forms_and_constant_sums_other_than_zero():
    form = forget_non_acting(build_extensive_form(infoset.load("kuhn_poker")))
    assert solve_exactly(form).value == Fraction(-1, 18)
    uneven = infoset.matrix_game([[3, 0], [1, 2]], [[1, 4], [3, 2]])
    assert solve_exactly(build_tree(uneven)).value == Fraction(3, 2)


@settings(max_examples=15)
@given(random_games(num_players=2, zero_sum=True, exact=True, max_histories=60))
def test_the_policies_are_an_equilibrium_of_that_value(game):
    tree = build_tree(game)
    form = tree.sequence_form
    proof = solve_exactly(tree)
    assert proof.value is not None
    assert float(proof.value) == pytest.approx(infoset.solve(tree, "lp").values[0], abs=1e-9)
    for plex, own in zip(form.treeplexes, proof.probabilities, strict=True):
        for first, count in zip(plex.first_sequence, plex.num_actions, strict=True):
            assert sum(own[first : first + count]) == 1
    as_floats = tuple(np.array(own, dtype=float) for own in proof.probabilities)
    assert infoset.evaluate(TabularPolicy(form, as_floats)).nash_conv < 1e-12


@pytest.mark.parametrize("spec", ["kuhn_poker", "matrix_brps", "liars_dice(dice_sides=3)"])
def test_pivots_find_the_value_if_equations_cannot_be_solved(spec, monkeypatch):
    monkeypatch.setattr(exact, "solve_in_fractions", lambda equations: None)
    assert solve_exactly(cached_tree(spec)).value == VALUES[spec]


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_pivots_find_the_value_from_any_basis(share):
    """The initial basis is arbitrary: infeasible, incomplete or singular."""
    tree = cached_tree("kuhn_poker")
    plexes, payoffs = tree.sequence_form.treeplexes, exact_payoffs(tree)
    for seed in range(5):
        rng = np.random.default_rng(seed)
        basic, tight = (np.flatnonzero(rng.random(20) < share).tolist() for _ in range(2))
        plans = optimal_plans(plexes, payoffs, basic, tight)
        behaviors = [exact.behavior_of_plan(*pair) for pair in zip(plexes, plans, strict=True)]
        assert prove_bounds(plexes, payoffs, behaviors).value == Fraction(-1, 18)


MIXED = [0, 1e-9, 1e-6, 3.3e-6, 1 / 3, 1, 1e5, 712345.6789]
EXAMPLE = [[1e-6, 0, -712345.6789], [-1e-6, -1e-6, 3.3e-6], [-712345.6789, 3.3e-6, -1e-6]]


def mixed_games(number):
    rng = np.random.default_rng(17)
    for _ in range(number):
        shape = rng.integers(2, 6, 2)
        yield (rng.choice(MIXED, shape) * rng.choice([-1, 1], shape)).tolist()


def test_values_of_badly_scaled_games_are_proved():
    """In floating point, the small entries beside the large ones are lost."""
    for payoffs in [EXAMPLE, *mixed_games(40)]:
        tree = build_tree(infoset.matrix_game(payoffs))
        proof = solve_exactly(tree)
        assert proof.value is not None
        proof.verify(tree)


@pytest.mark.long
def test_values_of_150_badly_scaled_games_are_proved():
    for payoffs in mixed_games(150):
        tree = build_tree(infoset.matrix_game(payoffs))
        assert solve_exactly(tree).value is not None


def rescaled(game, factors):
    """Return a game whose rewards are multiplied by factors that depend on the next world state."""

    def rewards(world, joint_action, next_world):
        factor = factors[crc32(repr(next_world).encode()) % len(factors)]
        first = float(game.rewards(world, joint_action, next_world)[0]) * factor
        return first, -first

    rules = ("initial_world", "actors", "legal_actions", "transitions", "observe")
    kept = {name: getattr(game, name) for name in rules}
    return FunctionGame(game.num_players, **kept, rewards=rewards)


def test_pivots_keep_what_is_feasible(monkeypatch):
    """By least indices alone, this takes 354 exchanges."""
    exchanged, pivot = [], _exact_pivots._Dictionary._pivot

    def pivot_and_count(dictionary, *names):
        exchanged.append(names)
        pivot(dictionary, *names)

    monkeypatch.setattr(_exact_pivots._Dictionary, "_pivot", pivot_and_count)
    tree = cached_tree("goofspiel(num_cards=3)")
    plexes, payoffs = tree.sequence_form.treeplexes, exact_payoffs(tree)
    plans = optimal_plans(plexes, payoffs, [], [])
    behaviors = [exact.behavior_of_plan(*pair) for pair in zip(plexes, plans, strict=True)]
    assert prove_bounds(plexes, payoffs, behaviors).value == 0
    assert len(exchanged) < 250


def test_equations_without_variables():
    nothing = np.zeros(0, dtype=np.int32)
    assert not solve_in_fractions(Equations(nothing, nothing, [], []))


@settings(max_examples=8)
@given(
    random_games(num_players=2, zero_sum=True, exact=True, max_histories=60),
    st.lists(st.sampled_from([1e-6, 3.3e-6, 712345.6789]), min_size=7, max_size=7),
)
def test_trees_with_badly_scaled_rewards_are_proved(game, factors):
    tree = build_tree(rescaled(game, factors))
    proof = solve_exactly(tree)
    assert proof.value is not None
    proof.verify(tree)


def test_unsupported_games_are_refused():
    with pytest.raises(UnsupportedGameError, match="two-player"):
        solve_exactly(cached_tree("kuhn_poker(players=3)"))
    floating = build_tree(RandomGame(exact=False, zero_sum=True, chance_share=0.9, seed=3))
    with pytest.raises(UnsupportedGameError, match="Fraction"):
        solve_exactly(floating)


def equations_of(matrix, right):
    rows, columns = map(np.ravel, np.indices(np.shape(matrix)))
    return Equations(rows, columns, [value for row in matrix for value in row], right)


fractions = st.fractions(min_value=-50, max_value=50, max_denominator=30)


@settings(max_examples=10)
@given(st.data(), st.integers(1, 6))
def test_equations_are_solved_exactly_or_not_at_all(data, size):
    matrix = data.draw(
        st.lists(st.lists(fractions, min_size=size, max_size=size), min_size=size, max_size=size)
    )
    right = data.draw(st.lists(fractions, min_size=size, max_size=size))
    found = solve_in_fractions(equations_of(matrix, right))
    if found is None:
        assert abs(np.linalg.det(np.array(matrix, dtype=float))) < 1e-6
    else:
        assert [sum(a * x for a, x in zip(row, found, strict=True)) for row in matrix] == right


def test_a_hilbert_matrix_needs_many_bits():
    """The matrix is so ill-conditioned that no digit is right in floating point alone."""
    size = 12
    matrix = [[Fraction(1, 1 + row + column) for column in range(size)] for row in range(size)]
    wanted = [Fraction(3, 7 + number) for number in range(size)]
    right = [sum((a * x for a, x in zip(row, wanted, strict=True)), Fraction()) for row in matrix]
    assert solve_in_fractions(equations_of(matrix, right)) in (wanted, None)
    assert solve_in_fractions(equations_of([row[:8] for row in matrix[:8]], right[:8])) is not None


def test_equations_without_a_unique_solution():
    one = [Fraction(1), Fraction(2)]
    assert solve_in_fractions(equations_of([one, one], one)) is None


@pytest.mark.parametrize("game", ["kuhn_poker", infoset.load("kuhn_poker"), None])
def test_a_tree_is_needed(game):
    with pytest.raises(ParameterError, match=r"game(=| is ).*such as infoset\.build_tree\("):
        solve_exactly(game)
