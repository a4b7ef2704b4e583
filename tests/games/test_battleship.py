"""Battleship: rules, published sizes, and values by theorem."""

import pytest

import infoset
from infoset.errors import ParameterError
from infoset.evaluation import expected_values, nash_conv
from infoset.games import Battleship, load_game
from infoset.policy import uniform_policy
from infoset.tree import build_tree
from tests.games.game_walker import num_worlds, path_counts, play, walk


def moves(*labels):
    """Return the joint actions of alternating players."""
    return [(label, None) if turn % 2 == 0 else (None, label) for turn, label in enumerate(labels)]


def small(sizes, values=None, *, width=2, height=2, shots=-1, **parameters):
    """Return a game without repeated shots, in which ships have value 1 by default."""
    return Battleship(
        board_width=width,
        board_height=height,
        ship_sizes=sizes,
        ship_values=values or [1] * len(sizes),
        num_shots=shots,
        allow_repeated_shots=False,
        **parameters,
    )


def test_water_hit_and_sunk():
    history = play(small([1, 2]), *moves("h_0_0", "h_1_0", "h_1_0", "h_0_0", "1_0", "1_1", "0_1"))
    assert [str(infostate) for infostate in history.infostates] == [
        "!h_0_0 / . / !h_1_0 / . / !1_0 1_0,sunk / 1_1,hit / !0_1 0_1,hit",
        ". / !h_1_0 / . / !h_0_0 / 1_0,sunk / !1_1 1_1,hit / 0_1,hit",
    ]
    assert str(history.public_state) == ". / . / . / . / 1_0,sunk / 1_1,hit / 0_1,hit"
    missed = play(small([2]), *moves("h_0_0", "h_0_0", "1_1"))
    assert missed.public_state.observations[-1] == ("1_1", "water")


def test_the_game_ends_with_the_first_lost_fleet():
    line = ["h_0_0", "v_0_1", "0_1", "1_0", "1_1"]
    history = play(small([2]), *moves(*line))
    assert history.is_terminal
    assert history.rewards_so_far == (1, -1)
    assert not play(small([2]), *moves(*line[:-1])).is_terminal


def test_the_game_ends_with_the_last_shot():
    history = play(small([2], shots=1), *moves("h_0_0", "h_0_0", "0_0", "0_0"))
    assert history.is_terminal
    assert history.rewards_so_far == (0, 0)


@pytest.mark.parametrize(
    ("parameters", "rewards"),
    # Player 0 sinks the ship of 3, then player 1 that of 2; nobody loses all.
    [
        ({}, (1, -1)),
        ({"loss_multiplier": 2}, (-1, -4)),
        ({"loss_multiplier": -1.0}, (5, 5)),
        ({"payoff": "win_loss"}, (0, 0)),
    ],
)
def test_what_ships_are_worth(parameters, rewards):
    game = small([1, 2], [3, 2], shots=2, **parameters)
    line = moves("h_0_0", "h_0_0", "h_1_0", "h_1_0", "0_0", "1_0", "0_1", "1_1")
    history = play(game, *line)
    assert history.is_terminal
    assert history.rewards_so_far == rewards


@pytest.mark.parametrize(("multiplier", "rewards"), [(1, (1, -1)), (2, (1, -2))])
def test_a_whole_fleet_wins(multiplier, rewards):
    game = small([1, 2], [3, 2], payoff="win_loss", loss_multiplier=multiplier)
    line = moves("h_0_0", "h_0_0", "h_1_0", "h_1_0", "0_0", "0_0", "1_0", "1_0", "1_1")
    assert play(game, *line).rewards_so_far == rewards


def test_ships_do_not_overlap_and_leave_room_for_the_rest():
    assert play(small([1, 2], width=3, height=1)).legal_actions(0) == ("h_0_0", "h_0_2")
    placed = play(small([1, 2]), *moves("h_0_0", "h_0_0"))
    assert placed.legal_actions(0) == ("h_1_0", "v_0_1")


def test_a_cell_is_not_shot_twice_unless_repeats_are_allowed():
    line = moves("h_0_0", "h_0_0", "0_0", "0_1")
    assert play(small([2]), *line).legal_actions(0) == ("0_1", "1_0", "1_1")
    again = Battleship(2, 2, [2], [1], num_shots=3)
    assert play(again, *line).legal_actions(0) == ("0_0", "0_1", "1_0", "1_1")
    repeated = play(again, *line, ("0_0", None))
    assert repeated.public_state.observations[-1] == ("0_0", "hit")
    assert repeated.world.num_shots == 3


def test_placement_is_secret():
    one, other = (play(small([2]), *moves("h_0_0", spot)) for spot in ("h_0_0", "v_0_1"))
    assert one.infostates[0] == other.infostates[0]
    assert one.infostates[1] != other.infostates[1]
    assert one.public_state == other.public_state


@pytest.mark.parametrize(
    ("width", "height", "sizes", "shots", "infostates", "sequences", "terminals"),
    # The table of sizes in OpenSpiel's battleship.h, and one more row with 4 shots.
    [
        (2, 2, [1], 2, [53, 109], [165, 341], 1072),
        (2, 2, [1], 3, [341, 397], [741, 917], 2224),
        (2, 2, [1], 4, [917, 397], [1317, 917], 2224),
        (2, 2, [1, 2], 2, [397, 1189], [1197, 3597], 9216),
        pytest.param(
            *(2, 2, [1, 2], 3, [6541, 10405], [13485, 22029], 32256), marks=pytest.mark.long
        ),
        pytest.param(*(3, 2, [1], 2, [187, 751], [943, 3787], 19116), marks=pytest.mark.long),
    ],
)
def test_counts(width, height, sizes, shots, infostates, sequences, terminals):
    game = small(sizes, width=width, height=height, shots=shots)
    tree = build_tree(game)
    assert [len(own.acting) for own in tree.infostate_trees] == infostates
    assert [plex.num_sequences for plex in tree.sequence_form.treeplexes] == sequences
    assert path_counts(game) == (tree.num_histories, terminals)


def test_counts_by_the_plain_walk():
    found = walk(small([1], shots=3))
    assert (found.num_histories, found.num_terminals) == (3877, 2224)
    assert found.num_acting == [341, 397]
    assert num_worlds(small([1], shots=3)) == 1109


@pytest.mark.parametrize(
    ("width", "height", "shots"),
    [
        (2, 2, 1),
        (2, 2, 4),
        (3, 1, 2),
        pytest.param(2, 2, 3, marks=pytest.mark.long),
        pytest.param(3, 2, 2, marks=pytest.mark.long),
    ],
)
def test_one_ship_of_one_cell_is_worth_shots_over_cells_squared(width, height, shots):
    # If a ship is hidden uniformly, each shot hits with the same probability in any order. If shots
    # are in uniform order, the time of the hit does not depend on the position. Uniform play is
    # therefore an equilibrium. Player 0's k-th shot finds first with (n - k + 1) / n², player 1's
    # with (n - k) / n².
    for payoff in ("ship_values", "win_loss"):
        game = small([1], width=width, height=height, shots=shots, payoff=payoff)
        policy = uniform_policy(build_tree(game).sequence_form)
        value = shots / (width * height) ** 2
        assert expected_values(policy) == pytest.approx((value, -value), abs=1e-12)
        assert nash_conv(policy) < 1e-12


@pytest.mark.parametrize(
    ("game", "value"),
    [
        (small([1], shots=4), 1 / 4),
        (small([1, 2], shots=2), 0),
        (small([1, 2], shots=2, payoff="win_loss"), 0),
        pytest.param(small([1, 2], shots=3), 15 / 64, marks=pytest.mark.long),
        pytest.param(small([1, 2], shots=3, payoff="win_loss"), 9 / 64, marks=pytest.mark.long),
    ],
)
def test_values_by_the_linear_program(game, value):
    result = infoset.solve(game, "lp")
    assert result.values == pytest.approx((value, -value), abs=1e-12)
    assert result.exploitability < 1e-12


def test_unlimited_shots_are_as_many_as_cells():
    board = {"width": 2, "height": 1}
    unlimited, counted = small([1], **board), small([1], shots=2, **board)
    assert path_counts(unlimited) == path_counts(counted)
    row = {"width": 3, "height": 1}
    assert walk(small([2], **row)).returns == walk(small([2], shots=3, **row)).returns
    assert walk(small([2], payoff="win_loss", **row)).returns.keys() == {(1, -1), (-1, 1)}


@pytest.mark.parametrize(
    ("size", "sizes", "counts"),
    # Placements of one player after each ship, by the size table of the SePoT material.
    [(3, [2, 2], [12, 88]), (5, [3, 2, 2], [30, 956, 25_596])],
)
def test_numbers_of_placements(size, sizes, counts):
    game = small(sizes, width=size, height=size)
    fleets = [()]
    for count in counts:
        after = []
        for fleet in fleets:
            world = game.initial_world()._replace(fleets=(fleet, fleet))
            for spot in game.legal_actions(world, 0):
                ((placed, _),) = game.transitions(world, (spot, None))
                after.append(placed.fleets[0])
        assert len(after) == count
        fleets = after


def test_a_text_is_read_by_openspiel_too():
    pyspiel = pytest.importorskip("pyspiel")
    game = small([2, 1], [1, 2.5], width=3, loss_multiplier=2, shots=5)
    assert str(game) == (
        "battleship(board_width=3,board_height=2,ship_sizes=[2;1],ship_values=[1.0;2.5],"
        "num_shots=5,allow_repeated_shots=False,loss_multiplier=2.0)"
    )
    assert load_game(str(game)) == game
    assert pyspiel.load_game(str(game)).max_utility() == 3.5


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"board_width": 11}, "board_width must be a whole number from 1 to 10"),
        ({"ship_sizes": []}, "ship_sizes must be a list of whole numbers from 1 to 10"),
        ({"ship_sizes": [0]}, r"for example battleship\(ship_sizes=\[2;3;3;4;5\]\)"),
        ({"ship_values": [1, -1]}, "ship_values must be a list of numbers of at least 0"),
        ({"ship_sizes": [2]}, r"one value for each of the 1 ships, .*\(ship_values=\[1.0\]\)"),
        (
            {"board_width": 2, "board_height": 2, "ship_sizes": [3], "ship_values": [1]},
            "ship_sizes must fit on a board 2 wide and 2 high",
        ),
        (
            {"board_width": 3, "board_height": 1, "ship_sizes": [2, 2], "ship_values": [1, 1]},
            "ship_sizes must fit on a board 3 wide and 1 high",
        ),
        ({"ship_sizes": [1] * 101, "ship_values": [1] * 101}, "ship_sizes must fit on a board"),
        ({"num_shots": -1}, r"num_shots can be -1 \(no limit\) only if shots cannot be repeated"),
        ({"num_shots": 101, "allow_repeated_shots": False}, "num_shots must be at most 100"),
        ({"loss_multiplier": float("nan")}, "loss_multiplier must be a number"),
        ({"payoff": "ships"}, "payoff must be one of ship_values, win_loss"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(ParameterError, match=message):
        Battleship(**parameters)
