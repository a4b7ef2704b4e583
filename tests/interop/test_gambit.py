"""Equilibria by Gambit: its answers, and the rejection of answers that are not equilibria."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infoset.efg import parse_efg
from infoset.errors import MissingExtraError, ParameterError, UnsupportedGameError
from infoset.evaluation import evaluate_policy
from infoset.games import load_game, matrix_game
from infoset.interop import gambit, gambit_equilibria
from infoset.policy import TabularPolicy, random_policy
from infoset.tree import build_tree
from tests.support.cached_games import cached_tree
from tests.support.hypothesis_strategies import random_games

BACH = ([[3, 0], [0, 2]], [[2, 0], [0, 3]])


def form_of(*matrices):
    return build_tree(matrix_game(*matrices)).sequence_form


@settings(max_examples=8)
@given(random_games(num_players=2, zero_sum=False, max_histories=60), st.integers(0, 2**32))
def test_gambit_receives_the_same_sequence_form(game, seed):
    """Infostates have their indices, and every policy has the same values in both."""
    form = build_tree(game).sequence_form
    asked = parse_efg(gambit._efg_text(form)).sequence_form
    policy = random_policy(form, np.random.default_rng(seed))
    moved = []
    for player, tree in enumerate(asked.infostate_trees):
        own = np.ones(asked.treeplexes[player].num_sequences)
        for number, label in zip(tree.acting.tolist(), tree.acting_labels, strict=True):
            old = int(form.treeplexes[player].first_sequence[int(label)])
            count = int(tree.num_actions[number])
            assert tree.legal_actions(number) == tuple(map(str, range(count)))
            first = int(tree.first_sequence[number])
            own[first : first + count] = policy.probabilities[player][old : old + count]
        moved.append(own)
    found, wanted = evaluate_policy(TabularPolicy(asked, tuple(moved))), evaluate_policy(policy)
    assert found.values == pytest.approx(wanted.values, abs=1e-9)
    assert found.gains == pytest.approx(wanted.gains, abs=1e-9)


def answering(monkeypatch, answers):
    """Replace Gambit with a function that returns given answers."""
    monkeypatch.setattr(gambit, "import_extra", lambda *about: None)
    monkeypatch.setattr(gambit, "_ask", lambda *asked: iter(answers))


def test_answers_that_are_no_equilibria_are_left_out(monkeypatch):
    form = form_of(*BACH)
    both = [np.array([1.0, 1, 0]), np.array([1.0, 1, 0])]
    apart = [np.array([1.0, 1, 0]), np.array([1.0, 0, 1])]
    answering(monkeypatch, [apart, both])
    (policy,) = gambit_equilibria(form)
    assert evaluate_policy(policy).values == (3, 2)
    answering(monkeypatch, [apart])
    with pytest.raises(UnsupportedGameError, match=r"can still gain 2.*enummixed"):
        gambit_equilibria(form)
    answering(monkeypatch, [])
    with pytest.raises(UnsupportedGameError, match=r"found none.*solve_coarse_correlated"):
        gambit_equilibria(form)


def test_what_is_refused(monkeypatch):
    with pytest.raises(ParameterError, match="use one of lcp, enummixed"):
        gambit_equilibria(form_of(*BACH), "lp")
    three = cached_tree("kuhn_poker(players=3)").sequence_form
    with pytest.raises(UnsupportedGameError, match=r"3 players.*solve_coarse_correlated"):
        gambit_equilibria(three)
    monkeypatch.setitem(sys.modules, "pygambit", None)
    with pytest.raises(MissingExtraError, match=r"infoset\[gambit\]"):
        gambit_equilibria(form_of(*BACH))


@pytest.fixture
def pygambit():
    return pytest.importorskip("pygambit")


@pytest.mark.usefixtures("pygambit")
class TestInstalled:
    """Tests that need an installed Gambit."""

    def test_all_equilibria_of_the_battle_of_the_sexes(self):
        values = {
            tuple(round(value, 9) for value in evaluate_policy(policy).values)
            for policy in gambit_equilibria(form_of(*BACH), "enummixed")
        }
        assert values == {(3, 2), (1.2, 1.2), (2, 3)}
        (one,) = gambit_equilibria(form_of(*BACH))
        assert evaluate_policy(one).nash_conv < 1e-12

    @pytest.mark.parametrize(
        ("spec", "values"),
        [("kuhn_poker", (-1 / 18, 1 / 18)), ("matrix_pd", None), ("trade_comm(num_items=2)", None)],
    )
    def test_known_games(self, spec, values):
        form = build_tree(load_game(spec)).sequence_form
        (policy,) = gambit_equilibria(form)
        measured = evaluate_policy(policy)
        assert measured.nash_conv < 1e-12
        if values is not None:
            assert measured.values == pytest.approx(values, abs=1e-12)

    @settings(max_examples=6)
    @given(random_games(num_players=2, zero_sum=False, max_histories=20))
    def test_games_of_any_payoffs(self, game):
        form = build_tree(game).sequence_form
        (policy,) = gambit_equilibria(form)
        assert evaluate_policy(policy).nash_conv < 1e-9

    def test_a_game_of_nothing(self):
        (policy,) = gambit_equilibria(form_of([[0, 0], [0, 0]], [[0, 0], [0, 0]]))
        assert evaluate_policy(policy).values == (0, 0)
