import numpy as np
import pytest

from infoset.errors import ParameterError
from infoset.games import MATRIX_GAMES, load_game, matrix_game
from tests.games.game_walker import path_counts, play, walk


def test_both_choose_simultaneously_and_observe_both_choices():
    game = load_game("matching_pennies")
    history = play(game, ("Heads", "Tails"))
    assert [str(infostate) for infostate in history.infostates] == [
        "!Heads Heads,Tails",
        "!Tails Heads,Tails",
    ]
    assert history.rewards_so_far == (-1, 1)
    assert path_counts(game) == (5, 4)
    assert walk(game).num_acting == [1, 1]


def test_one_matrix_is_zero_sum():
    game = matrix_game([[3, -1.5]], row_actions=["stay"], column_actions=["l", "r"])
    assert game.payoffs == {("stay", "l"): (3, -3), ("stay", "r"): (-1.5, 1.5)}


def test_two_matrices_are_general_sum():
    game = matrix_game(np.array([[5, 0], [10, 1]]), np.array([[5.0, 10.0], [0.0, 1.0]]))
    assert game.payoffs["row 2", "column 1"] == (10, 0)
    assert play(game, ("row 1", "column 2")).rewards_so_far == (0, 10)


def test_the_negative_matrix_given_is_the_game_of_one_matrix():
    assert matrix_game([[1, 2]], [[-1, -2]]) == matrix_game([[1, 2]])


@pytest.mark.parametrize("name", MATRIX_GAMES)
def test_named_games_print_their_names(name):
    game = MATRIX_GAMES[name]
    assert str(game) == name
    assert load_game(name) == game


def test_a_game_equal_to_a_named_one_has_its_name():
    pennies = matrix_game([[1, -1], [-1, 1]], None, ["Heads", "Tails"], ["Heads", "Tails"])
    assert str(pennies) == "matrix_mp"


@pytest.mark.parametrize(
    ("game", "text"),
    [
        (matrix_game([[1, -1], [-1, 1]]), "matrix_game(row_payoffs=[[1,-1],[-1,1]])"),
        (
            matrix_game([[0.5]], [[2]], ["go on"], ["1"]),
            "matrix_game(row_payoffs=[[0.5]],column_payoffs=[[2]],"
            "row_actions=['go on'],column_actions=['1'])",
        ),
        (
            matrix_game([[1], [2]], row_actions=["a,b", "True"]),
            "matrix_game(row_payoffs=[[1],[2]],row_actions=['a,b',True])",
        ),
    ],
)
def test_any_matrix_game_is_read_back_from_its_text(game, text):
    assert str(game) == text
    assert load_game(text) == game


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([[1, 2], [3]],), r"rows of row_payoffs have lengths \[2, 1\]"),
        (([],), r"rows of row_payoffs have lengths \[\]"),
        (([[]],), r"rows of row_payoffs have lengths \[0\]"),
        ((3,), "row_payoffs must be a list of rows of finite numbers"),
        (([1, 2],), "row_payoffs must be a list of rows of finite numbers"),
        (([["a"]],), "got the payoff 'a'"),
        (([[float("nan")]],), "got the payoff nan"),
        (([[1]], [[1, 2]]), r"row_payoffs is \(1, 1\) and column_payoffs \(1, 2\)"),
        (([[1], [2]], None, ["a", "a"]), r"row_actions is \['a', 'a'\]; it must contain 2"),
        (([[1, 2]], None, None, ["a"]), "column_actions is .* it must contain 2 different names"),
        (([[1]], None, ['say "go"']), "without quotes or backslashes"),
    ],
)
def test_bad_matrices(arguments, message):
    with pytest.raises(ParameterError, match=message):
        matrix_game(*arguments)
