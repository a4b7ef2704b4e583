"""Payoff tables: their numbers, best responses, and the errors for other games."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from infoset.errors import UnsupportedGameError
from infoset.games import load_game, matrix_game
from infoset.plotting import draw, payoff_table


def test_numbers_are_those_of_the_matrix():
    rows, columns = [[3.0, -1.5], [0.0, 2.0], [1.0, 1.0]], [[1.0, 2.0], [5.0, 0.0], [0.0, 0.0]]
    table = payoff_table(matrix_game(rows, columns))
    assert table.payoffs[..., 0].tolist() == rows
    assert table.payoffs[..., 1].tolist() == columns


def test_best_responses_and_equilibria_are_those_of_an_enumeration():
    rng = np.random.default_rng(0)
    for _ in range(20):
        payoffs = rng.integers(-2, 3, size=(2, 3, 4)).astype(float)
        table = payoff_table(matrix_game(payoffs[0].tolist(), payoffs[1].tolist()))
        first, second = table.is_best(0), table.is_best(1)
        for row, column in product(range(3), range(4)):
            assert first[row, column] == (payoffs[0, row, column] == payoffs[0, :, column].max())
            assert second[row, column] == (payoffs[1, row, column] == payoffs[1, row, :].max())


def test_a_game_of_several_moves_has_its_strategic_form():
    table = payoff_table(load_game("random_game(seed=3,num_players=2,max_histories=12)"))
    assert table.payoffs.shape[:2] == tuple(map(len, table.strategies))


def test_texts_are_names_payoffs_and_probabilities():
    svg = draw("matrix_pd", "payoffs", policy="uniform").svg()
    for text in ("Cooperate", "Defect  0.50", "+10", "player 0", "matrix_pd"):
        assert text in svg
    assert "Defect  0.50" not in draw("matrix_pd", "payoffs").svg()


def test_other_games_are_refused():
    with pytest.raises(UnsupportedGameError, match="27 times 64 pairs of strategies"):
        draw("kuhn_poker", "payoffs")
    with pytest.raises(UnsupportedGameError, match="3 players; a payoff table has two"):
        draw("kuhn_poker(players=3)", "payoffs")
    with pytest.raises(UnsupportedGameError, match="decide more than once"):
        draw("random_game(seed=3,num_players=2,max_histories=12)", "payoffs", policy="uniform")
