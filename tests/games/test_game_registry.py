"""The registry of games."""

from dataclasses import replace

import pytest

from infoset.errors import ParameterError, UnknownNameError, UnsupportedGameError
from infoset.game import GameSource
from infoset.games import (
    GAMES,
    GameEntry,
    Goofspiel,
    KuhnPoker,
    LeducPoker,
    LiarsDice,
    game_of_form,
    get_game_entry,
    load_game,
    register_game,
    registry,
)
from infoset.tree import build_public_form, build_tree
from infoset.utils.registry import Registry

NEED_PARAMETERS = ("matrix_game", "nolimit_endgame")


@pytest.mark.parametrize(
    "game",
    [
        KuhnPoker(),
        KuhnPoker(players=10),
        LeducPoker(action_mapping=True, suit_isomorphism=True, starting_player=1),
        LeducPoker(players=3, num_ranks=13, num_suits=4, num_raises=0),
        LiarsDice(numdice=2, dice_sides=3, bidding_rule="reset-quantity"),
        Goofspiel(),
        Goofspiel(True, True, 5, 4, 3, "descending", "point_difference"),
    ],
)
def test_a_game_is_read_back_from_its_text(game):
    assert load_game(str(game)) == game


@pytest.mark.parametrize(
    "spec",
    [
        "nolimit_endgame(board=Ks9d8h4s2c)",
        "nolimit_endgame(board=Ks9d8h,pot=500,stack=19750,bets=[0.33;0.75])",
        "nolimit_endgame(board=Ks9d8h,pot=5.5,stack=[97.5;120],bets='33%, e; river donk: none')",
        "nolimit_endgame(board=Ks9d8h4s,raises=2.5x,max_raises=[2;3],min_bet=2,dead=10,chip=0.5)",
        "nolimit_endgame(board=Ks9d8h4s2c,ranges=['AA,KQs:0.5';TT+])",
        "nolimit_endgame(board=Ks9d8h4s2c,ranges=['AA,KQs:0.5,QhJd';any])",
        "nolimit_preflop",
        "nolimit_preflop(stack=[20;25.5],raises='2.2x, a; bb: a; sb reraise: a',ante=[0;0.25])",
        "nolimit_preflop(dead=1,ranges=[AKs:0.5;any])",
    ],
)
def test_the_text_of_a_game_is_its_normal_form(spec):
    game = load_game(spec)
    assert str(game) == spec
    assert load_game(str(game)) == game


def test_the_text_has_only_parameters_that_differ_from_the_default():
    assert str(load_game("kuhn_poker(players=2)")) == "kuhn_poker"
    spec = "goofspiel(points_order=descending, num_cards=5, imp_info=True, players=2)"
    assert str(load_game(spec)) == "goofspiel(imp_info=True,num_cards=5,points_order=descending)"


@pytest.mark.parametrize("name", [name for name in GAMES if name not in NEED_PARAMETERS])
def test_every_row_loads_under_all_its_names(name):
    row = GAMES[name]
    game = load_game(name)
    assert all(load_game(alias) == game for alias in row.aliases)
    assert str(game) == name
    assert get_game_entry(name) is row
    assert row.summary


def test_plain_names_of_matrix_games():
    assert str(load_game("rock_paper_scissors")) == "matrix_rps"
    assert str(load_game("prisoners_dilemma()")) == "matrix_pd"


@pytest.mark.parametrize("row", GAMES.values(), ids=list(GAMES))
def test_every_parameter_is_explained(row):
    for parameter in row.parameters:
        assert parameter.meaning.endswith("."), parameter
        assert parameter.domain is None or parameter.default in parameter.domain


def test_additions_are_marked():
    added = {p.name for p in GAMES["leduc_poker"].parameters if p.is_addition}
    assert added == {"num_ranks", "num_suits", "num_raises"}


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("kuhn_pokr", "unknown game 'kuhn_pokr'; did you mean kuhn_poker"),
        ("rock_paper_scisors", "did you mean rock_paper_scissors"),
        ("kuhn_poker(player=3)", "kuhn_poker has no parameter 'player'; did you mean players"),
        ("matrix_mp(players=2)", "matrix_mp has no parameter 'players'; there are none"),
    ],
)
def test_unknown_names_come_with_the_nearest(spec, message):
    with pytest.raises(UnknownNameError) as caught:
        load_game(spec)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("liars_dice(numdice=0)", "numdice=0 is not allowed"),
        ("kuhn_poker(players=two)", "players='two' is not allowed"),
        ("kuhn_poker(players=2.0)", "players=2.0 is not allowed"),
        ("goofspiel(imp_info=1)", "imp_info=1 is not allowed; imp_info must be True or False"),
        ("matrix_game", "matrix_game needs row_payoffs"),
        ("matrix_game(row_payoffs=1)", "row_payoffs must be a list of rows"),
        ("kuhn_poker(players=3", "cannot read the game"),
    ],
)
def test_bad_values(spec, message):
    with pytest.raises(ParameterError) as caught:
        load_game(spec)
    assert message in str(caught.value)


@pytest.fixture
def own_registry(monkeypatch):
    """Keep the games that a test registers out of the library's registry."""
    games = Registry("game", GAMES.values(), entry_type=GameEntry)
    monkeypatch.setattr(registry, "GAMES", games)
    return games


def test_users_register_their_games(own_registry):
    def three_players(num_ranks=5):
        """Leduc poker for three."""
        return LeducPoker(players=3, num_ranks=num_ranks)

    entry = register_game("leduc_3", three_players, aliases=("three_leduc",))
    assert entry.summary == "Leduc poker for three."
    assert load_game("Three_Leduc(num_ranks=6)") == LeducPoker(players=3, num_ranks=6)
    assert "leduc_3" in own_registry
    with pytest.raises(UnknownNameError, match="did you mean num_ranks"):
        load_game("leduc_3(ranks=6)")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("kuhn_poker", KuhnPoker), "choose another name"),
        (("mine(players=2)", KuhnPoker), "is not a name"),
        (("mine", KuhnPoker()), "is not callable"),
    ],
)
def test_what_is_not_a_new_game_is_not_registered(own_registry, arguments, message):
    with pytest.raises(ParameterError, match=message):
        register_game(*arguments)
    assert "mine" not in own_registry


@pytest.mark.parametrize("spec", ["kuhn_poker", "leduc_poker(num_ranks=4)"])
def test_the_rules_of_a_form_are_those_that_its_name_loads(spec):
    game = load_game(spec)
    assert game_of_form(build_tree(game).sequence_form) == game
    assert game_of_form(build_public_form(game)) == game


def test_a_form_of_another_origin_has_no_rules():
    """A title or a name says nothing about the origin, and a transform is another game."""
    form = build_public_form(load_game("kuhn_poker"))
    others = [
        replace(form, source=GameSource()),
        replace(form, name="leduc_poker"),
        replace(form, name="locked(kuhn_poker)"),
    ]
    for other in others:
        with pytest.raises(UnsupportedGameError, match=r"form of .* give the game as rules"):
            game_of_form(other)
