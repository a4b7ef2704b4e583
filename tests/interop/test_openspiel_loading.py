"""Names and parameters of OpenSpiel's games, and errors of loading."""

import subprocess
import sys

import pytest

from infoset.errors import (
    MissingExtraError,
    ParameterError,
    UnknownNameError,
    UnsupportedGameError,
)
from infoset.interop import OpenSpielGame, load_openspiel
from infoset.interop.openspiel import _trial, trials
from tests.interop.openspiel_walk import walk_ours


@pytest.fixture
def pyspiel():
    return pytest.importorskip("pyspiel")


def test_a_missing_extra_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'infoset\[openspiel\]'"):
        load_openspiel("kuhn_poker")


def test_openspiel_is_not_imported_before_it_is_needed():
    code = "import sys, infoset.interop; sys.exit('pyspiel' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.usefixtures("pyspiel")
@pytest.mark.parametrize(
    ("spec", "text"),
    [
        ("kuhn_poker", "openspiel:kuhn_poker"),
        ("openspiel:kuhn_poker()", "openspiel:kuhn_poker"),
        ("kuhn_poker(players=2)", "openspiel:kuhn_poker"),
        (" leduc_poker( players = 3 ) ", "openspiel:leduc_poker(players=3)"),
        ("goofspiel(num_cards=3, imp_info=true)", "openspiel:goofspiel(num_cards=3,imp_info=True)"),
        ("misere(game=kuhn_poker)", "openspiel:misere(game=kuhn_poker)"),
        (
            "restricted_nash_response(p=1,game=kuhn_poker(players=2))",
            "openspiel:restricted_nash_response(p=1.0,game=kuhn_poker(players=2))",
        ),
        (
            "universal_poker(numRounds=1,blind=1 1,stack=2 2,firstPlayer=1,numSuits=1,numRanks=3,"
            "numBoardCards=0,bettingAbstraction=fullgame)",
            "openspiel:universal_poker(numRounds=1,blind=1 1,stack=2 2,firstPlayer=1,numSuits=1,"
            "numRanks=3,numBoardCards=0,bettingAbstraction=fullgame)",
        ),
    ],
)
def test_a_game_prints_as_it_loads(spec, text):
    game = load_openspiel(spec)
    assert str(game) == text
    again = load_openspiel(text)
    assert str(again) == text
    assert again.parameters() == game.parameters()


def test_parameters_include_defaults(pyspiel):
    assert load_openspiel("leduc_poker(players=3)").parameters() == {
        "action_mapping": False,
        "players": 3,
        "starting_player": 0,
        "suit_isomorphism": False,
    }


@pytest.mark.usefixtures("pyspiel")
@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("kuhn_pokr", "unknown OpenSpiel game 'kuhn_pokr'; did you mean kuhn_poker"),
        ("python_kuhn_pokr", "did you mean python_kuhn_poker"),
        ("kuhn_poker(player=3)", "OpenSpiel's kuhn_poker has no parameter 'player'; did you"),
        ("misere(game=kuhn_pokr)", "unknown OpenSpiel game 'kuhn_pokr'"),
        ("misere(game=kuhn_poker(player=3))", "OpenSpiel's kuhn_poker has no parameter 'player'"),
    ],
)
def test_unknown_names_get_the_nearest(spec, message):
    with pytest.raises(UnknownNameError, match=message):
        load_openspiel(spec)


@pytest.mark.usefixtures("pyspiel")
@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("kuhn_poker(players=three)", "players=three is not a whole number.*players=2"),
        ("kuhn_poker(players=2.5)", "players=2.5 is not a whole number"),
        ("goofspiel(imp_info=yes)", "imp_info=yes is not True or False"),
        ("kuhn_poker(players=3", "cannot read the game"),
        ("kuhn_poker(players)", "'players' is not of the form parameter=value"),
        ("kuhn_poker(players=2,players=3)", "players is given twice"),
        ("", "cannot read the game ''"),
        ("kuhn_poker(players=99)", r"OpenSpiel rejects kuhn_poker\(players=99\): num_players_ <="),
        ("misere", "OpenSpiel rejects misere: Missing parameter game"),
        ("goofspiel(num_cards=0)", "a nonterminal position without a move"),
        ("mnk(m=-1)", "OpenSpiel rejects mnk"),
    ],
)
def test_bad_parameters_are_refused(spec, message, capfd):
    with pytest.raises(ParameterError, match=message):
        load_openspiel(spec)
    assert capfd.readouterr() == ("", "")


@pytest.mark.usefixtures("pyspiel")
@pytest.mark.parametrize(
    ("spec", "advice"),
    [
        ("hanabi(players=20)", "choose parameters within"),
        ("universal_poker(numPlayers=50)", "choose parameters within"),
        ("coop_to_1p(game=lewis_signaling())", "it cannot transform every game"),
    ],
)
def test_parameters_that_crash_openspiel_do_not_crash_us(spec, advice):
    with pytest.raises(ParameterError, match=f"OpenSpiel crashes on .*; {advice}"):
        load_openspiel(spec)


class Spy:
    """A game or state of OpenSpiel that writes down which of its methods are called."""

    def __init__(self, inner, called):
        self.inner, self.called = inner, called

    def __getattr__(self, name):
        method = getattr(self.inner, name)

        def call(*arguments):
            self.called.add(name)
            found = method(*arguments)
            return Spy(found, self.called) if name in ("child", "clone") else found

        return call

    def new_initial_state(self):
        return Spy(self.inner.new_initial_state(), self.called)


@pytest.mark.parametrize(
    "spec", ["tiny_hanabi", "deep_sea(size=3)", "goofspiel(num_cards=3,imp_info=True)"]
)
def test_a_trial_asks_all_that_the_library_asks(pyspiel, spec):
    by_library, by_trial = set(), set()
    game = pyspiel.load_game(spec)
    walk_ours(OpenSpielGame(Spy(game, by_library), use_observers=False))
    _trial.play(Spy(game, by_trial), _trial.ask_strings)
    asked = {"action_to_string", "current_player", "legal_actions", "returns"}
    part_of_others = {"apply_action", "clone", "get_type"}  # of `child` and `load_game`
    assert asked <= by_library - part_of_others <= by_trial


@pytest.mark.usefixtures("pyspiel")
def test_a_game_that_does_not_begin_is_given_up(monkeypatch):
    monkeypatch.setattr(trials, "TRIAL_SECONDS", 0.001)
    with pytest.raises(ParameterError, match="takes more than"):
        load_openspiel("kuhn_poker(players=7)")


@pytest.mark.usefixtures("pyspiel")
def test_a_trial_that_cannot_be_held_refuses_nothing(monkeypatch):
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    assert load_openspiel("kuhn_poker(players=4)")._sources.public is not None
    nested = load_openspiel("restricted_nash_response(game=kuhn_poker(),p=0.125)")
    assert nested._sources.public is None
    assert "could not be tried" in nested.notes[0]


@pytest.mark.usefixtures("pyspiel")
@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("mfg_garnet", "mean-field"),
        ("negotiation", "samples its chance moves"),
        ("crossword", "cannot list its legal actions"),
    ],
)
def test_games_of_another_kind_are_refused(spec, message):
    with pytest.raises(UnsupportedGameError, match=message):
        load_openspiel(spec)
