"""Notes about OpenSpiel's games, and the pairs of histories that prove them."""

import pytest

from infoset.interop import find_recall_witness, find_timing_witness, load_openspiel
from infoset.interop.openspiel.witnesses import MAX_LETTERS, shown
from tests.interop.openspiel_walk import spiel_state

pyspiel = pytest.importorskip("pyspiel")


def own_past(pyspiel_game, world, player):
    """Return a player's strings and actions before `world`, by OpenSpiel only."""
    past = []
    for length, move in enumerate(world):
        state = spiel_state(pyspiel_game, world[:length])
        if state.current_player() == player:
            past.append((state.information_state_string(), state.action_to_string(player, move)))
    return tuple(past)


@pytest.mark.parametrize(
    "spec",
    [
        "liars_dice_ir(dice_sides=3)",
        "dark_hex_ir(board_size=2)",
        pytest.param("dark_hex(num_rows=3,num_cols=2)", marks=pytest.mark.long),
        pytest.param("leduc_poker(action_mapping=True)", marks=pytest.mark.long),
        pytest.param("repeated_leduc_poker", marks=pytest.mark.long),
    ],
)
def test_broken_recall_is_found_and_the_witness_holds(spec):
    game = load_openspiel(spec)
    witness = find_recall_witness(game)
    states = [spiel_state(game.pyspiel_game, w) for w in (witness.world_a, witness.world_b)]
    for state in states:
        assert state.current_player() == witness.player
        assert state.information_state_string() == witness.infostate_string
    pasts = [
        own_past(game.pyspiel_game, world, witness.player)
        for world in (witness.world_a, witness.world_b)
    ]
    assert pasts == [witness.memory_a, witness.memory_b]
    assert witness.memory_a != witness.memory_b
    assert any("violate perfect recall" in note for note in game.notes)


@pytest.mark.parametrize(
    "spec", [pytest.param("phantom_ttt", marks=pytest.mark.long), "dark_hex_ir(board_size=2)"]
)
def test_hidden_time_is_found_and_the_witness_holds(spec):
    game = load_openspiel(spec)
    witness = find_timing_witness(game)
    worlds = (witness.world_a, witness.world_b)
    states = [spiel_state(game.pyspiel_game, world) for world in worlds]
    assert {state.information_state_string(witness.player) for state in states} == {
        witness.infostate_string
    }
    assert len(worlds[0]) != len(worlds[1])
    pasts = {own_past(game.pyspiel_game, world, witness.player) for world in worlds}
    assert len(pasts) == 1
    assert any("hide the number of moves" in note for note in game.notes)


@pytest.mark.parametrize(
    "spec", ["kuhn_poker", "liars_dice(dice_sides=3)", "tiny_hanabi", "hanabi"]
)
def test_games_that_recall_have_no_witness(spec):
    game = load_openspiel(spec)
    assert find_recall_witness(game, max_histories=500) is None
    assert find_timing_witness(game, max_histories=500) is None


def test_the_search_stops_at_its_limit():
    game = load_openspiel("liars_dice_ir(dice_sides=3)")
    assert find_recall_witness(game, max_histories=10) is None
    assert find_recall_witness(game) is not None


def test_a_witness_reads_as_a_sentence():
    text = str(find_timing_witness(load_openspiel("phantom_ttt")))
    assert text.endswith(
        "player 0 sees '...; ...; ..x; 0,8' after [player 0: x(2,2); player 1: o(0,0)] and "
        "after [player 0: x(2,2); player 1: o(2,2); player 1: o(2,1)]"
    )
    text = str(find_recall_witness(load_openspiel("dark_hex_ir(board_size=2)")))
    assert text.endswith(
        "although before the first it had taken 'b2' when it saw 'P1 o.; ..' and before the "
        "second it had taken 'a2' when it saw 'P1 o.; ..'"
    )


def test_long_strings_are_cut_to_where_they_differ():
    common = "x" * 500
    assert "A" in shown(common + "A" + common, common + "B" + common)
    assert len(shown(common + "A" + common, common + "B")) < MAX_LETTERS + 12
    assert shown("two\nlines") == "'two; lines'"


@pytest.mark.parametrize("spec", ["kuhn_poker", "tic_tac_toe", "matrix_mp"])
def test_most_games_need_no_notes(spec):
    assert load_openspiel(spec).notes == ()


def test_missing_public_observations_are_noted():
    assert load_openspiel("liars_dice(dice_sides=2)").notes == (
        "OpenSpiel offers no public observations of liars_dice: public states contain only the "
        "number of moves",
        "A player sees OpenSpiel's information-state string where it is to act and at the end of "
        "the game",
    )


def test_moves_are_described_in_words():
    assert load_openspiel("kuhn_poker").moves((0, 1, 1)) == (
        "chance: Deal:0",
        "chance: Deal:1",
        "player 0: Bet",
    )
    assert load_openspiel("matrix_mp").moves(((0, 1),)) == ("player 0: Heads, player 1: Tails",)
