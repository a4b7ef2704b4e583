"""Loading games from files by their names."""

from __future__ import annotations

from pathlib import Path

import pytest

import infoset
from infoset.efg import ExtensiveForm, load_efg
from infoset.errors import GameFileError, ParameterError, UnknownNameError

HORSE = Path(__file__).parents[1] / "efg" / "files" / "games" / "horse.efg"


def test_a_file_of_gambit_is_an_extensive_form(tmp_path):
    copy = tmp_path / "HORSE.EFG"
    copy.write_bytes(HORSE.read_bytes())
    form = infoset.load(f" {copy} ")
    assert isinstance(form, ExtensiveForm)
    assert form.outcomes == load_efg(HORSE).outcomes


def test_a_file_that_is_not_there():
    with pytest.raises(GameFileError, match=r"there is no file or folder nowhere/game\.efg"):
        infoset.load("nowhere/game.efg")


def test_parameters_are_keywords_or_text():
    assert infoset.load("kuhn_poker", players=3) == infoset.load("kuhn_poker(players=3)")
    assert infoset.load("kuhn_poker(players=4)", players=3).num_players == 3
    with pytest.raises(UnknownNameError, match="no parameter 'player'"):
        infoset.load("kuhn_poker", player=3)
    with pytest.raises(ParameterError, match="takes no parameters, got players"):
        infoset.load(str(HORSE), players=3)


def test_functions_of_a_game_take_its_name(tmp_path):
    name = "kuhn_poker(players=3)"
    game = infoset.load(name)
    assert infoset.build_tree(name).num_histories == infoset.build_tree(game).num_histories
    assert (
        infoset.build_sequence_form(name).fingerprint
        == infoset.build_tree(game).sequence_form.fingerprint
    )
    assert infoset.build_world_graph(name).num_worlds == infoset.build_world_graph(game).num_worlds
    assert infoset.check_game(game=name) == infoset.check_game(game)
    assert infoset.initial_history(name) == infoset.initial_history(game)
    first, second = (infoset.play_matches(g, None, None, num_deals=9) for g in (name, game))
    assert first.mean == second.mean
    for save in (infoset.save_efg, infoset.save_nfg, infoset.save_liteefg):
        save("matrix_mp", tmp_path / "name")
        save(infoset.load("matrix_mp"), tmp_path / "game")
        assert (tmp_path / "name").read_bytes() == (tmp_path / "game").read_bytes()
    with pytest.raises(UnknownNameError, match="did you mean kuhn_poker"):
        infoset.build_tree("kuhn_pokr")


def test_environments_take_names():
    pytest.importorskip("pettingzoo")
    for make in (infoset.to_pettingzoo, infoset.to_pettingzoo_parallel):
        assert make("kuhn_poker(players=3)").possible_agents == ["player_0", "player_1", "player_2"]
