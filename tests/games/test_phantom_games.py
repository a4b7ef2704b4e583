"""Phantom tic-tac-toe and dark Hex: the rules by hand, and comparison with OpenSpiel."""

import pickle
from collections import defaultdict

import numpy as np
import pytest
from scipy.optimize import linprog

import infoset
from infoset.errors import ParameterError
from infoset.game import check_game, initial_history, transcript
from infoset.games import DarkHex, PhantomTicTacToe, load_game
from tests.games.game_walker import num_worlds, path_counts, walk
from tests.games.openspiel_lockstep import Lockstep


def line(game, *cells):
    """Play cells with the player who is to act, and pass the steps in which nobody acts."""
    history = initial_history(game)
    for cell in cells:
        history = rest(history)
        history = step(history, {history.actors[0]: cell})
    return history


def rest(history):
    """Pass the rest of a turn."""
    while history.world.is_placed:
        history = step(history, {})
    return history


def step(history, actions):
    joint = history.joint(actions)
    ((world, _),) = history.game.transitions(history.world, joint)
    return history.extend(joint, world)


# --- rules by hand -----------------------------------------------------------------------------


def test_a_failed_try_is_observed_and_the_player_tries_again():
    history = line(PhantomTicTacToe(), "b2", "b2")
    assert history.actors == (1,)
    assert history.world.views == ("....x....", "....x....")
    assert "b2" not in history.legal_actions(1)
    assert len(history.legal_actions(1)) == 8


def test_cells_with_unobserved_stones_are_legal():
    history = line(PhantomTicTacToe(obstype="reveal-numturns"), "b2", "a1")
    assert history.legal_actions(0) == ("a1", "b1", "c1", "a2", "c2", "a3", "b3", "c3")


def test_a_failed_try_ends_an_abrupt_turn():
    history = line(PhantomTicTacToe(gameversion="abrupt"), "b2", "b2")
    assert history.actors == (0,)
    assert history.world.board == "....x...."


@pytest.mark.parametrize(
    ("cells", "returns", "seen"),
    [
        ("a1 a2 b1 b2 c1", (1, -1), "player 0 wins"),
        ("a1 a2 b1 b2 c3 c2", (-1, 1), "player 1 wins"),
        ("c1 a1 b2 a2 a3", (1, -1), "player 0 wins"),
        ("a1 b1 b2 a2 c3", (1, -1), "player 0 wins"),
        ("a1 b1 c1 b2 b3 a2 c2 c3 a3", (0, 0), "draw"),
    ],
)
def test_three_in_line_win_and_a_full_board_is_a_draw(cells, returns, seen):
    history = line(PhantomTicTacToe(), *cells.split())
    assert history.is_terminal
    assert history.rewards_so_far == returns
    assert all(str(known).endswith(seen) for known in history.infostates)


def test_the_lines_of_a_board_by_hand():
    assert len(PhantomTicTacToe().lines) == 8
    # Two rows of three, and one diagonal pair each way in each of two squares for lines of two.
    assert PhantomTicTacToe(num_rows=2).lines == ((0, 1, 2), (3, 4, 5))
    assert len(PhantomTicTacToe(num_rows=2, line_length=2).lines) == 4 + 3 + 4


@pytest.mark.parametrize(
    ("rows", "columns", "cells", "winner"),
    [
        (2, 2, "b1 a1 a2", 0),  # b1 and a2 share an edge
        (2, 2, "a1 b1 b2 a2", 1),  # for player 1 as well
        (2, 2, "a1 a2 b2 b1", 1),  # a1 and b2 do not
        (3, 3, "a1 a2 a3 b2 b1 c2", 1),
        (2, 3, "a1 b1 a2", 0),
        (1, 4, "c1", 0),
        (4, 1, "a1 a2", 1),
        (1, 1, "a1", 0),
    ],
)
def test_chains_of_hex(rows, columns, cells, winner):
    *before, last = cells.split()
    game = DarkHex(num_rows=rows, num_cols=columns)
    history = line(game, *before)
    assert not history.is_terminal
    history = line(game, *before, last)
    assert history.is_terminal
    assert history.rewards_so_far == ((1, -1) if winner == 0 else (-1, 1))


@pytest.mark.parametrize(
    ("board", "won", "other"),
    [
        ("oo.......", PhantomTicTacToe(line_length=2), PhantomTicTacToe()),
        ("oo....", DarkHex(num_rows=3, num_cols=2), DarkHex(num_rows=2)),
    ],
)
def test_games_with_equal_boards_have_different_winners(board, won, other):
    for game, is_won in [(won, True), (other, False), (won, True)]:
        assert game.is_won(board, "o") == is_won
        assert not game.is_won(board, "x")
        assert pickle.loads(pickle.dumps(game)) == game


def test_board_size_is_the_default_of_rows_and_columns():
    assert DarkHex(board_size=4, num_cols=2).shape == (4, 2)
    assert DarkHex(num_rows=2).shape == (2, 3)
    assert len(DarkHex(board_size=5).cells) == 25


# --- who knows the time ------------------------------------------------------------------------


@pytest.mark.parametrize("game", [PhantomTicTacToe(), DarkHex()])
def test_a_hidden_turn_takes_as_long_as_any_other(game):
    at_once = line(game, "b2", "a1", "c1", "c2", "b1")
    in_vain = line(game, "b2", "b2", "a1", "c1", "c1", "c2", "b1")
    at_once, in_vain = rest(at_once), rest(in_vain)
    assert at_once.actors == in_vain.actors == (1,)
    assert len(at_once.infostates[0].steps) == len(in_vain.infostates[0].steps) == 1 + 2 + 2 + 3 + 3
    assert at_once.infostates[0] == in_vain.infostates[0]
    assert at_once.infostates[1] != in_vain.infostates[1]
    assert at_once.public_state == in_vain.public_state


@pytest.mark.parametrize("kind", [PhantomTicTacToe, DarkHex])
def test_failed_tries_are_observed_only_under_reveal_numturns(kind):
    plays = ("b2 b2 a1 c1 c2", "b2 a1 c1 c1 c2")
    first, second = (line(kind(obstype="reveal-numturns"), *cells.split()) for cells in plays)
    assert first.actors == second.actors == (0,)
    assert len(first.infostates[0].steps) == len(second.infostates[0].steps)
    assert first.infostates[0] != second.infostates[0]
    first, second = (rest(line(kind(), *cells.split())) for cells in plays)
    assert first.infostates[0] == second.infostates[0]


def test_obstype_has_no_effect_in_the_abrupt_version():
    one = walk(load_game("dark_hex(board_size=2,gameversion=adh)"))
    other = walk(load_game("dark_hex(board_size=2,gameversion=adh,obstype=reveal-numturns)"))
    assert one == other


# --- beside OpenSpiel --------------------------------------------------------------------------


class PhantomLockstep(Lockstep):
    """The same tries in both games; ours has additional steps without actions."""

    hides_number = False

    def check(self, history, state):
        if not history.world.is_placed:
            super().check(history, state)

    def match(self, player, history, string):
        super().match(player, history, without_number(string) if self.hides_number else string)

    def action(self, player, action):
        return self.ours.cells.index(action)


def without_number(string):
    """Return a string of dark Hex without its second to last line, the number of tries."""
    *view, _, tries = string.split("\n")
    return "\n".join([*view, tries])


SMALL = {
    "dark_hex(board_size=2)": [17, 53],
    "dark_hex(board_size=2,obstype=reveal-numturns)": [33, 101],
    "dark_hex(board_size=2,gameversion=adh)": [59, 35],
    "dark_hex(board_size=2,gameversion=adh,obstype=reveal-numturns)": [59, 35],
}


@pytest.mark.parametrize("spec", SMALL)
def test_every_history_and_infostate_agrees(spec):
    both = PhantomLockstep(spec)
    both.hides_number = both.ours.hides_tries
    both.walk()
    assert both.num_acting() == SMALL[spec]
    assert len(both.string_of) == len(both.infostate_of)


def test_openspiels_strings_of_dark_hex_reveal_the_number_of_tries():
    both = PhantomLockstep("dark_hex(board_size=2)")
    with pytest.raises(AssertionError):
        both.walk()


@pytest.mark.parametrize(
    ("spec", "num_plays"),
    [
        ("phantom_ttt", 50),
        ("phantom_ttt(obstype=reveal-numturns)", 50),
        ("phantom_ttt(gameversion=abrupt)", 50),
        ("phantom_ttt(gameversion=abrupt,obstype=reveal-numturns)", 50),
        ("dark_hex", 50),
        ("dark_hex(obstype=reveal-numturns)", 50),
        ("dark_hex(gameversion=adh)", 50),
        ("dark_hex(num_rows=2)", 40),
        ("dark_hex(num_cols=2,gameversion=adh)", 40),
        ("dark_hex(board_size=5,num_rows=4)", 20),
        ("dark_hex(board_size=6,gameversion=adh,obstype=reveal-numturns)", 20),
    ],
)
def test_random_plays_agree(spec, num_plays):
    both = PhantomLockstep(spec)
    both.hides_number = both.ours.hides_tries and isinstance(both.ours, DarkHex)
    both.sample(num_plays)
    assert len(both.string_of) == len(both.infostate_of)


# --- counts and values -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "histories", "terminals", "worlds", "acting"),
    [
        ("dark_hex(board_size=2)", 477, 216, 270, [17, 53]),
        ("dark_hex(board_size=2,obstype=reveal-numturns)", 441, 216, 177, [33, 101]),
        ("dark_hex(board_size=2,gameversion=adh)", 471, 234, 205, [59, 35]),
        ("phantom_ttt(num_rows=2,num_cols=2,line_length=2)", 165, 96, 141, [17, 5]),
    ],
)
def test_counts(spec, histories, terminals, worlds, acting):
    # Without hidden time, histories are OpenSpiel's: 441 and 471 by its own walk.
    game = load_game(spec)
    found = walk(game)
    assert (found.num_histories, found.num_terminals) == (histories, terminals)
    assert path_counts(game) == (histories, terminals)
    assert num_worlds(game) == worlds
    assert found.num_acting == acting


def openspiel_value(spec, key):
    """Solve a game by linear programming over OpenSpiel's states, distinguished by `key`.

    The maximizing player chooses a realization plan x. The values q of the other player bound the
    payoff of x at and below each of its sequences (von Stengel 1996).
    """
    pyspiel = pytest.importorskip("pyspiel")
    sequences, parents, payoffs = ({(): 0}, {(): 0}), ({}, {}), defaultdict(float)
    stack = [(pyspiel.load_game(spec).new_initial_state(), ((), ()))]
    while stack:
        state, last = stack.pop()
        if state.is_terminal():
            payoffs[last] += state.returns()[0]
            continue
        player = state.current_player()
        infostate = key(state.information_state_string(player))
        assert parents[player].setdefault(infostate, last[player]) == last[player]
        for action in state.legal_actions():
            sequence = (infostate, action)
            sequences[player].setdefault(sequence, len(sequences[player]))
            after = (sequence, last[1]) if player == 0 else (last[0], sequence)
            stack.append((state.child(action), after))
    num_x, infostates = len(sequences[0]), [(), *parents[1]]
    column = {infostate: num_x + index for index, infostate in enumerate(infostates)}
    flow = np.zeros((1 + len(parents[0]), num_x + len(column)))
    bound = np.zeros((len(sequences[1]), flow.shape[1]))
    flow[0, 0] = 1
    for row, (infostate, parent) in enumerate(parents[0].items(), start=1):
        flow[row, sequences[0][parent]] = -1
        for sequence, index in sequences[0].items():
            if sequence and sequence[0] == infostate:
                flow[row, index] = 1
    for sequence, row in sequences[1].items():
        bound[row, column[sequence[0] if sequence else ()]] += 1
    for infostate, parent in parents[1].items():
        bound[sequences[1][parent], column[infostate]] -= 1
    for (mine, theirs), payoff in payoffs.items():
        bound[sequences[1][theirs], sequences[0][mine]] -= payoff
    gain = np.zeros(flow.shape[1])
    gain[column[()]] = -1
    limits = [(0, None)] * num_x + [(None, None)] * len(column)
    starts = np.eye(len(flow))[0]
    answer = linprog(
        gain, A_ub=bound, b_ub=np.zeros(len(bound)), A_eq=flow, b_eq=starts, bounds=limits
    )
    return -answer.fun


@pytest.mark.parametrize(
    ("spec", "value"),
    [
        ("dark_hex(board_size=2)", 1),
        ("dark_hex(board_size=2,obstype=reveal-numturns)", 1),
        ("dark_hex(board_size=2,gameversion=adh)", 1 / 2),
    ],
)
def test_values_are_those_of_openspiels_information_states(spec, value):
    assert infoset.solve(spec, "lp").values[0] == pytest.approx(value, abs=1e-9)
    for key in (str, without_number):
        assert openspiel_value(spec, key) == pytest.approx(value, abs=1e-9)


@pytest.mark.parametrize(
    ("spec", "value"),
    [
        ("phantom_ttt(num_rows=1,num_cols=5)", 0),
        ("phantom_ttt(num_rows=2,num_cols=2,line_length=2)", 1),
        pytest.param("phantom_ttt(num_rows=2,gameversion=abrupt)", 17 / 72, marks=pytest.mark.long),
        ("dark_hex(num_rows=2)", 1),
    ],
)
def test_values_by_linear_programming(spec, value):
    result = infoset.solve(spec, "lp")
    assert result.exploitability < 1e-9
    assert result.values[0] == pytest.approx(value, abs=1e-9)


@pytest.mark.parametrize(
    ("spec", "value"),
    [
        ("dark_hex(num_rows=2,gameversion=adh)", 9 / 11),
        pytest.param("dark_hex(num_cols=2,gameversion=adh)", -1 / 8, marks=pytest.mark.long),
    ],
)
def test_values_of_abrupt_boards_of_six_cells_by_regret(spec, value):
    result = infoset.solve(spec, target=1e-3)
    assert result.outcome == "converged"
    assert result.values[0] == pytest.approx(value, abs=2e-3)


# --- the model ---------------------------------------------------------------------------------


def test_golden_transcript():
    history = line(DarkHex(board_size=2), "b1", "b1", "a1", "a1", "b2")
    assert (
        transcript(history)
        == """\
dark_hex(board_size=2)
1. player 0: b1 | player 0 sees placed
2. player 1: b1 | player 1 sees taken
3. player 1: a1 | player 1 sees placed
4. player 0: a1 | player 0 sees taken
5. player 0: b2 | all see player 0 wins
end: player 0 gets +1, player 1 gets -1"""
    )


@pytest.mark.parametrize(
    ("spec", "is_complete"),
    [
        *((spec, True) for spec in SMALL),
        ("phantom_ttt(num_rows=1,num_cols=4,line_length=2)", True),
        ("phantom_ttt", False),
        ("phantom_ttt(gameversion=abrupt)", False),
        ("dark_hex(obstype=reveal-numturns)", False),
    ],
)
def test_no_rule_of_the_model_is_broken(spec, is_complete):
    report = check_game(load_game(spec), max_histories=500 if is_complete else 100)
    assert report.is_complete is is_complete


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("phantom_ttt(num_rows=2,num_cols=2)", r"line_length=3 .* at most 2 on a 2 x 2 board"),
        ("phantom_ttt(gameversion=cdh)", "gameversion must be one of classical, abrupt"),
        ("dark_hex(gameversion=classical)", "gameversion must be one of cdh, adh"),
        ("dark_hex(obstype=reveal)", "obstype must be one of reveal-nothing, reveal-numturns"),
        ("dark_hex(num_cols=0)", "num_cols must be -1 or a whole number from 1 to 26"),
    ],
)
def test_bad_parameters(spec, message):
    with pytest.raises(ParameterError, match=message):
        load_game(spec)
