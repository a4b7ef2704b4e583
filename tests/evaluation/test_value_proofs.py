"""Values proved in fractions."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given

import infoset
from infoset.efg import build_extensive_form, forget_non_acting
from infoset.errors import ParameterError, PolicyMismatchError, UnsupportedGameError
from infoset.evaluation import ValueProof, prove_value
from infoset.evaluation.value_proofs import exact_payoffs, prove_bounds
from infoset.games import RandomGame, matrix_game
from infoset.policy import uniform_policy
from infoset.tree import build_tree
from tests.support.cached_games import cached_tree
from tests.support.hypothesis_strategies import random_games

PROVED = {
    "kuhn_poker": Fraction(-1, 18),
    "liars_dice(dice_sides=4)": Fraction(1, 16),
    "liars_dice(dice_sides=3)": Fraction(1, 9),
    "matrix_brps": Fraction(0),
    "battleship(board_width=2,board_height=2,ship_sizes=[1],ship_values=[1],num_shots=2,"
    "allow_repeated_shots=False)": Fraction(1, 8),
}


@pytest.mark.parametrize(
    "spec",
    [
        pytest.param(spec, marks=[pytest.mark.long] if "dice_sides=4" in spec else [])
        for spec in PROVED
    ],
)
def test_values_of_known_games_are_proved(spec):
    game = infoset.load(spec)
    tree = build_tree(game)
    form = forget_non_acting(build_extensive_form(game))
    for shape in (tree, form):
        proof = prove_value(shape, infoset.solve(shape, "lp").policy)
        assert proof.value == PROVED[spec]


@pytest.mark.long
def test_the_value_of_liars_dice_with_six_sides_is_proved():
    tree = cached_tree("liars_dice")
    assert prove_value(tree, infoset.solve(tree, "lp").policy).value == Fraction(-7, 258)


@pytest.mark.parametrize("size", [20, 21, 25, 60])
def test_more_actions_than_the_first_denominators(size):
    """In a guessing game, each of `size` numbers is played with probability 1 / `size`."""
    tree = build_tree(matrix_game(np.eye(size)))
    proof = prove_value(tree, uniform_policy(tree.sequence_form))
    assert proof.value == Fraction(1, size)
    assert proof.probabilities[0][1:] == (Fraction(1, size),) * size


@given(random_games(num_players=2, zero_sum=True, exact=True, max_histories=60))
def test_bounds_hold_and_are_tight_for_any_policy(game):
    tree = build_tree(game)
    exact = infoset.solve(tree, "lp")
    for policy in (exact.policy, uniform_policy(tree.sequence_form)):
        proof = prove_value(tree, policy)
        measured = infoset.evaluate(policy)
        assert proof.lower <= proof.upper
        assert float(proof.lower) <= exact.values[0] + 1e-6
        assert float(proof.upper) >= exact.values[0] - 1e-6
        gap = float(proof.upper - proof.lower)
        if policy is not exact.policy:
            assert gap == pytest.approx(measured.nash_conv, abs=1e-9)
        else:
            assert gap < 1e-6


def test_the_policies_of_a_proof_are_distributions():
    tree = cached_tree("kuhn_poker")
    proof = prove_value(tree, infoset.solve(tree, "lp").policy)
    for plex, own in zip(tree.sequence_form.treeplexes, proof.probabilities, strict=True):
        for first, count in zip(plex.first_sequence, plex.num_actions, strict=True):
            assert sum(own[first : first + count]) == 1


def test_a_policy_far_from_equilibrium_proves_bounds_only():
    tree = cached_tree("kuhn_poker")
    proof = prove_value(tree, uniform_policy(tree.sequence_form))
    assert proof.value is None
    assert proof.lower < Fraction(-1, 18) < proof.upper


def test_what_cannot_be_proved_is_refused():
    kuhn = cached_tree("kuhn_poker")
    three = cached_tree("kuhn_poker(players=3)")
    with pytest.raises(UnsupportedGameError, match="two-player"):
        prove_value(three, uniform_policy(three.sequence_form))
    with pytest.raises(PolicyMismatchError):
        prove_value(kuhn, uniform_policy(three.sequence_form))
    with pytest.raises(ParameterError, match="policy='uniform' is of type str"):
        prove_value(kuhn, "uniform")
    with pytest.raises(ParameterError, match=r"game='kuhn_poker' .* infoset.build_tree\("):
        prove_value("kuhn_poker", uniform_policy(kuhn.sequence_form))
    floating = build_tree(RandomGame(exact=False, zero_sum=True, chance_share=0.9, seed=3))
    with pytest.raises(UnsupportedGameError, match="Fraction"):
        prove_value(floating, uniform_policy(floating.sequence_form))


def forged(proof, **changes):
    """Return a proof with other facts, which only Python's internals can make."""
    changed = copy(proof)
    changed.__dict__.update(changes)
    return changed


def test_a_proof_cannot_state_bounds_that_its_policies_do_not_certify():
    tree = cached_tree("kuhn_poker")
    proof = prove_value(tree, infoset.solve(tree, "lp").policy)
    assert ValueProof(tree, proof.probabilities) == proof
    third = Fraction(1, 3)
    with pytest.raises(TypeError):
        ValueProof(third, third, proof.probabilities)
    with pytest.raises(TypeError):
        replace(proof, lower=third, upper=third)
    uniform = prove_value(tree, uniform_policy(tree.sequence_form)).probabilities
    assert ValueProof(tree, (proof.probabilities[0], uniform[1])).lower == Fraction(-1, 18)
    with pytest.raises(ParameterError, match="player 0 has 13 probabilities; give one for each"):
        ValueProof(cached_tree("leduc_poker"), proof.probabilities)


def test_a_proof_verifies_itself():
    tree, other = cached_tree("kuhn_poker"), cached_tree("leduc_poker")
    policy = infoset.solve(tree, "lp").policy
    proof = prove_value(tree, policy)
    proof.verify(tree)
    prove_value(tree, uniform_policy(tree.sequence_form)).verify(tree)
    third = Fraction(1, 3)
    with pytest.raises(ParameterError, match=r"certify the bounds -1/18 and -1/18, not -1/3"):
        forged(proof, lower=-third).verify(tree)
    changed = (*proof.probabilities[0][:-2], 1 - third, third)
    with pytest.raises(ParameterError, match="the proof is not valid for kuhn_poker"):
        forged(proof, probabilities=(changed, proof.probabilities[1])).verify(tree)
    with pytest.raises(ParameterError, match="player 0 has 13 probabilities; give one for each"):
        proof.verify(other)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda own: [*own[:-1], own[-1] + Fraction(1, 9)],
            r"player 0 at decision \d+ sum to 10/9",
        ),
        (lambda own: [*own[:-2], 2, -1], "nonnegative fractions"),
        (lambda own: [*own[:-2], 0.5, 0.5], "nonnegative fractions; give exact ones"),
        (lambda own: own[:-1], "player 0 has 12 probabilities; give one for each of the 13"),
        (lambda own: [Fraction(1, 2), *own[1:]], "of which the first, the empty one, has 1"),
    ],
)
def test_bounds_need_probabilities_that_are_policies(change, message):
    tree = cached_tree("kuhn_poker")
    plexes, payoffs = tree.sequence_form.treeplexes, exact_payoffs(tree)
    uniform = prove_value(tree, uniform_policy(tree.sequence_form)).probabilities
    with pytest.raises(ParameterError, match=message):
        prove_bounds(plexes, payoffs, (change(list(uniform[0])), uniform[1]))
    with pytest.raises(ParameterError, match="probabilities for 1 players"):
        prove_bounds(plexes, payoffs, uniform[:1])
