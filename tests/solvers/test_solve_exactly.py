"""Equilibria in fractions, and the equations behind them."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import infoset
from infoset.efg import build_extensive_form, forget_non_acting
from infoset.errors import ParameterError, UnsupportedGameError
from infoset.games import RandomGame
from infoset.policy import TabularPolicy
from infoset.solvers import exact, solve_exactly
from infoset.solvers.exact import Equations, solve_in_fractions
from infoset.tree import build_tree
from tests.support.cached_games import cached_tree
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


@pytest.mark.parametrize("spec", VALUES)
def test_known_values(spec):
    assert solve_exactly(build_tree(infoset.load(spec))).value == VALUES[spec]


def test_extensive_forms_and_constant_sums_other_than_zero():
    form = forget_non_acting(build_extensive_form(infoset.load("kuhn_poker")))
    assert solve_exactly(form).value == Fraction(-1, 18)
    uneven = infoset.matrix_game([[3, 0], [1, 2]], [[1, 4], [3, 2]])
    assert solve_exactly(build_tree(uneven)).value == Fraction(3, 2)


@settings(max_examples=30)
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


def test_without_equations_the_answer_has_the_bounds_of_rounding(monkeypatch):
    monkeypatch.setattr(exact, "solve_in_fractions", lambda equations: None)
    assert solve_exactly(cached_tree("kuhn_poker")).value == Fraction(-1, 18)


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


@settings(max_examples=20)
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
