"""Observations of players in OpenSpiel's games."""

import pytest

from infoset.errors import UnsupportedGameError
from infoset.game import Observation, initial_history
from infoset.interop import load_openspiel
from infoset.interop.openspiel import observations
from infoset.interop.openspiel.states import OneLine

pytest.importorskip("pyspiel")


def after(game, world):
    """Return the history that ends in `world`."""
    history = initial_history(game)
    for length, move in enumerate(world):
        numbers = move if isinstance(move, tuple) else (move,) * game.num_players
        state = game._states[world[:length]]
        actions = {
            player: next(label for label, number in labels.items() if number == numbers[player])
            for player, labels in state.actions.items()
        }
        history = history.extend(history.joint(actions), world[: length + 1])
    return history


def test_observers_give_public_and_private_parts():
    history = after(load_openspiel("kuhn_poker"), (2, 0, 1, 0))
    assert str(history.public_state) == "Deal to player 0 / Deal to player 1 / Bet / Pass"
    assert str(history.infostates[0]) == (
        "Deal to player 0 [Received card 2] / Deal to player 1 / Bet / Pass"
    )
    assert str(history.infostates[1]) == (
        "Deal to player 0 / Deal to player 1 [Received card 0] / Bet / Pass"
    )


def test_a_private_state_is_shown_when_it_changes():
    history = after(load_openspiel("leduc_poker"), (3, 1, 1))
    private = [step.private for step in history.infostates[0].steps]
    assert private == ["[Observer: 0][Private: 3]", None, None]


def test_strings_are_shown_on_the_own_turn_and_at_the_end():
    history = after(load_openspiel("liars_dice(dice_sides=3)"), (1, 2, 0, 6))
    assert [step.private for step in history.infostates[0].steps] == [
        None, "2", None, ("end", "2 1-1 Liar"),
    ]  # fmt: skip
    assert [step.private for step in history.infostates[1].steps] == [
        None, None, "3 1-1", ("end", "3 1-1 Liar"),
    ]  # fmt: skip
    assert str(history.public_state) == ". / . / . / ."


def test_a_string_that_looks_as_if_the_game_went_on_is_marked_as_the_end():
    game = load_openspiel("dark_hex(board_size=2)")
    going_on, over = after(game, (0, 1, 2)), after(game, (0, 1, 3))
    if over.is_terminal is False:
        going_on, over = over, going_on
    assert going_on.actors == (1,)
    assert over.is_terminal
    strings = [game.infostate_string(history.world, 1) for history in (going_on, over)]
    assert strings[0] == strings[1]
    assert going_on.infostates[1] != over.infostates[1]


def test_under_perfect_information_moves_are_public():
    history = after(load_openspiel("tic_tac_toe"), (4, 0))
    assert str(history.public_state) == "x(1,1) / o(0,0)"
    assert history.observation == Observation("o(0,0)")


def test_joint_actions_and_chance_are_public_under_perfect_information():
    history = after(load_openspiel("goofspiel(num_cards=3)"), (1, (0, 2)))
    assert history.public_state.observations == ("Deal 2", ("[P0]Bid: 1", "[P1]Bid: 3"))


def test_observation_strings_are_shown_when_they_change():
    game = load_openspiel("deep_sea(size=3)")
    assert str(after(game, (0, 1)).infostates[0]).count("[") == 2
    assert "OpenSpiel offers no information-state strings" in game.notes[1]


def test_strings_equal_openspiels_and_print_on_one_line():
    text = OneLine("P0 hand: 1 2\n\nWin sequence: 0 \n")
    assert text == "P0 hand: 1 2\n\nWin sequence: 0 \n"
    assert str(text) == f"{text}" == "P0 hand: 1 2; Win sequence: 0"


def test_observers_that_hide_a_player_its_card_are_not_used():
    game = load_openspiel("python_liars_poker(hand_length=1,num_digits=2)")
    assert game.notes[0].startswith("OpenSpiel's observers of python_liars_poker contradict")
    assert after(game, (0, 1)).infostates[0].steps[-1].private == game.infostate_string((0, 1), 0)


@pytest.mark.parametrize(
    ("public", "private"),
    [
        (lambda state, player: "", lambda state, player: ""),
        (lambda state, player: str(state.history()[2:]), lambda state, player: ""),
        (lambda state, player: str(state), lambda state, player: ""),
        (lambda state, player: str(player) + state.information_state_string(player),) * 2,
    ],
    ids=["hides all", "hides the cards", "shows all", "shows everybody what player 0 sees"],
)
def test_bad_observers_are_found_out(monkeypatch, public, private):
    monkeypatch.setattr(observations, "observers", lambda game: (public, private))
    game = load_openspiel("kuhn_poker")
    assert "contradict its strings" in game.notes[0]
    assert after(game, (2, 0, 1)).infostates[0].steps[1].private == "2"


def test_a_public_observer_that_shows_what_one_player_sees_is_found_out(monkeypatch):
    leak = (lambda state, player: state.observation_string(player),) * 2
    monkeypatch.setattr(observations, "observers", lambda game: leak)
    game = load_openspiel(
        "hanabi(colors=1,ranks=2,hand_size=2,max_life_tokens=1,max_information_tokens=2)"
    )
    assert "contradict its strings" in game.notes[0]


def test_a_game_that_does_not_tell_players_their_actions_is_refused(monkeypatch):
    monkeypatch.setattr(observations, "observation_string", lambda state, player: "")
    with pytest.raises(UnsupportedGameError, match="hides information"):
        load_openspiel("phantom_go(board_size=2)")
