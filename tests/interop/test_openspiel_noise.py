"""Games whose utilities OpenSpiel draws at the first visit are those that OpenSpiel solves."""

import random

import pytest

import infoset
from infoset.interop import OpenSpielGame, load_openspiel
from infoset.interop.openspiel import noise
from infoset.interop.openspiel.noise import draw_noise
from tests.interop.test_openspiel_transforms import HARMLESS

pyspiel = pytest.importorskip("pyspiel")

NOISY = "add_noise(game=kuhn_poker(),epsilon=1.0,seed=7)"
BIDS = "add_noise(game=goofspiel(num_cards=3,imp_info=True),epsilon=0.5,seed=2)"


def uniform_value(state):
    """Return the value to player 0 if all play uniformly, visiting OpenSpiel's states in depth."""
    if state.is_terminal():
        return state.returns()[0]
    if state.is_chance_node():
        return sum(chance * uniform_value(state.child(a)) for a, chance in state.chance_outcomes())
    actions = state.legal_actions()
    return sum(uniform_value(state.child(action)) for action in actions) / len(actions)


def value_in_openspiel(spec):
    return uniform_value(pyspiel.load_game(spec).new_initial_state())


@pytest.mark.parametrize(
    "spec",
    [
        NOISY,
        f"misere(game={NOISY})",
        pytest.param(
            "add_noise(game=dark_hex(board_size=2),epsilon=1.0,seed=3)", marks=pytest.mark.broad
        ),
    ],
)
def test_the_utilities_are_those_of_a_visit_depth_first(spec):
    found = infoset.evaluate(f"openspiel:{spec}", "uniform").values[0]
    assert found == pytest.approx(value_in_openspiel(spec), abs=1e-12)
    base = value_in_openspiel(spec.replace("epsilon=1.0", "epsilon=0.0"))
    assert abs(found - base) > 1e-4, "there is noise"


def test_simultaneous_moves_have_the_noise_of_the_conversion_to_turns():
    found = infoset.evaluate(f"openspiel:{BIDS}", "uniform").values[0]
    turns = f"turn_based_simultaneous_game(game={BIDS})"
    assert found == pytest.approx(value_in_openspiel(turns), abs=1e-12)


@pytest.mark.parametrize(
    "spec",
    [
        NOISY,
        BIDS,
        *(pytest.param(spec, marks=pytest.mark.broad) for spec in HARMLESS),
    ],
)
def test_utilities_do_not_depend_on_the_order_in_which_they_are_asked_for(spec):
    games = [load_openspiel(spec), load_openspiel(spec)]
    plays = [random_play(games[0], random.Random(seed)) for seed in range(30)]
    found = [
        {play: games[0].state_at(play).returns() for play in plays},
        {play: games[1].state_at(play).returns() for play in reversed(plays)},
    ]
    assert found[0] == found[1]


def random_play(game, rng):
    """Return the world state at the end of a random play."""
    world = game.initial_world()
    while True:
        joint = [None] * game.num_players
        for player in game.actors(world):
            joint[player] = rng.choice(game.legal_actions(world, player))
        outcomes = game.transitions(world, tuple(joint))
        if not outcomes:
            return world
        world = rng.choice(outcomes)[0]


def test_a_game_that_openspiel_has_visited_keeps_its_noise():
    game = pyspiel.load_game(NOISY)
    state = game.new_initial_state()
    for action in (2, 1, 0, 1, 1):
        if not state.is_terminal():
            state.apply_action(action)
    before = state.returns()
    assert OpenSpielGame(game).state_at(tuple(state.history())).returns() == before


def test_a_game_with_too_many_ends_says_so(monkeypatch):
    usual = load_openspiel(NOISY).notes
    monkeypatch.setattr(noise, "MAX_POSITIONS", 50)
    assert not draw_noise(pyspiel.load_game(NOISY))
    note, *others = load_openspiel(NOISY).notes
    assert others == [*usual]
    assert note.startswith("OpenSpiel's add_noise draws the noise of an end at its first visit")


def test_other_games_are_not_visited(monkeypatch):
    monkeypatch.setattr(noise, "MAX_POSITIONS", 0)
    assert draw_noise(pyspiel.load_game("kuhn_poker"))
