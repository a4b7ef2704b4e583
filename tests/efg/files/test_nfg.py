"""Games in strategic form: .nfg files, and strategic forms of trees."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from infoset import load, solve
from infoset.efg import (
    StrategicGame,
    build_extensive_form,
    format_nfg,
    load_nfg,
    parse_nfg,
    save_nfg,
    strategic_form,
)
from infoset.errors import GameFileError, GameTooLargeError, ParameterError
from infoset.evaluation import evaluate_policy
from infoset.game import check_game
from infoset.games import load_game, matrix_game
from infoset.policy import TabularPolicy
from infoset.tree import build_tree
from tests.support.hypothesis_strategies import random_games

pytestmark = pytest.mark.broad

BY_PAYOFF = """NFG 1 R "two by three" { "Ann" "Bob" } { 2 3 } "a comment"
1 10, 2 20
3 30 4 40
5 50 1/3 -0.25"""
"""Ann's strategy changes first."""

BY_OUTCOME = """NFG 1 D "two by three" { "Ann" "Bob" }
{ { "1" "2" } { "1" "2" "3" } }
{ { "" 1/3 -1/4 } { "a" 1 10 } { "b" 2, 20 } { "" 3 30 } { "" 4 40 } { "" 5 50 } { "no" 7 7 } }
2 3 4 5 6 1"""

EXPECTED = {
    ("1", "1"): (1, 10),
    ("2", "1"): (2, 20),
    ("1", "2"): (3, 30),
    ("2", "2"): (4, 40),
    ("1", "3"): (5, 50),
    ("2", "3"): (1 / 3, -0.25),
}


@pytest.mark.parametrize("text", [BY_PAYOFF, BY_OUTCOME])
def test_both_versions_of_the_format(text):
    game = parse_nfg(text)
    assert (str(game), game.player_names) == ("two by three", ("Ann", "Bob"))
    assert dict(game.payoff_of) == EXPECTED
    assert game.payoffs[-1] == (Fraction(1, 3), Fraction(-1, 4))


def test_three_players_and_no_outcome():
    """The first player's strategy changes first, the last player's last; outcome 0 pays nothing."""
    outcomes = " ".join(f'{{ "" {n} {10 * n} {100 * n} }}' for n in range(1, 8))
    game = parse_nfg(
        'NFG 1 R "cube" { "A" "B" "C" } { { "a" "b" } { "c" "d" } { "e" "f" } } '
        f"{{ {outcomes} }} 0 1 2 3 4 5 6 7"
    )
    for number, (third, second, first) in enumerate(np.ndindex(2, 2, 2)):
        chosen = "ab"[first], "cd"[second], "ef"[third]
        assert game.payoff_of[chosen] == (number, 10 * number, 100 * number)
    check_game(game)


GAMBIT_WRITES = """NFG 1 R "three" { "A" "B" "C" }

{ { "a" "b" }
{ "c" "d" "e" }
{ "f" "g" }
}
""

{
{ "_1" 0, 0, 0 }
{ "_2" 6, 36/7, -2 }
{ "_3" 2, 4/7, -2/3 }
{ "_4" 8, 64/7, -8/3 }
{ "_5" 4, 16/7, -4/3 }
{ "_6" 10, 100/7, -10/3 }
{ "_7" 1, 1/7, -1/3 }
{ "_8" 7, 7, -7/3 }
{ "_9" 3, 9/7, -1 }
{ "_10" 9, 81/7, -3 }
{ "_11" 5, 25/7, -5/3 }
{ "_12" 11, 121/7, -11/3 }
}
1 2 3 4 5 6 7 8 9 10 11 12
"""
"""What Gambit 16.7 writes after reading the game below from the text of `format_nfg`."""


def test_what_gambit_writes_of_it_is_the_same_game():
    rows = [(Fraction(i), Fraction(i * i, 7), Fraction(-i, 3)) for i in range(12)]
    strategies = ("a", "b"), ("c", "d", "e"), ("f", "g")
    game = StrategicGame("three", ("A", "B", "C"), strategies, tuple(rows))
    assert parse_nfg(GAMBIT_WRITES) == game
    assert game.payoff_of["b", "c", "g"] == pytest.approx((7, 7, -7 / 3))


def test_names_of_strategies_are_unique():
    game = parse_nfg('NFG 1 R "" { "A" } { { "x" "" "x" } } 1 2 3', name="here")
    assert (str(game), game.strategies) == ("here", (("x", "2", "x #2"),))


numbers = st.fractions(-50, 50, max_denominator=20)


@st.composite
def strategic_games(draw):
    sizes = draw(st.lists(st.integers(1, 3), min_size=1, max_size=4))
    names = [tuple(f"s{n}" for n in range(size)) for size in sizes]
    rows = st.tuples(*[numbers] * len(sizes))
    count = int(np.prod(sizes))
    payoffs = tuple(draw(st.lists(rows, min_size=count, max_size=count)))
    players = tuple(f"player {n}" for n in range(len(sizes)))
    return StrategicGame("random table", players, tuple(names), payoffs)


@given(strategic_games())
def test_what_is_written_is_read_as_the_same(game):
    assert parse_nfg(format_nfg(game)) == game
    unnamed = parse_nfg(format_nfg(game, names=False))
    assert unnamed.payoffs == game.payoffs
    assert unnamed.strategies == tuple(
        tuple(str(n + 1) for n in range(len(names))) for names in game.strategies
    )


@settings(max_examples=30)
@given(strategic_games().filter(lambda game: game.num_players > 1))
def test_openspiel_reads_files_without_names(game):
    pyspiel = pytest.importorskip("pyspiel")
    theirs = pyspiel.load_nfg_game(format_nfg(game, names=False))
    for profile in np.ndindex(*map(len, game.strategies)):
        state = theirs.new_initial_state()
        state.apply_actions(list(profile))
        chosen = tuple(names[n] for names, n in zip(game.strategies, profile, strict=True))
        assert state.returns() == pytest.approx(game.payoff_of[chosen], abs=1e-12)


def test_matrix_games_are_written_as_tables():
    game = matrix_game([[1, 0.5], [1 / 4, -2]], row_actions=["up", "down"])
    assert format_nfg(game).splitlines() == [
        'NFG 1 R "matrix_game(row_payoffs=[[1,0.5],[0.25,-2]],row_actions=[up,down])" '
        '{ "player 0" "player 1" }',
        '{ { "up" "down" }',
        '  { "column 1" "column 2" } }',
        "",
        "1 -1",
        "1/4 -1/4",
        "1/2 -1/2",
        "-2 2",
    ]


def plan_policy(tree, form, profile):
    """Return the pure policy of a tuple of strategies, read from their names."""
    weights = []
    for player, infostates in enumerate(tree.infostate_trees):
        chosen = form.strategies[player][profile[player]]
        parts = dict(part.rsplit(": ", 1) for part in chosen.split("; ")) if ": " in chosen else {}
        array = np.ones(infostates.num_sequences)
        for infostate, label in zip(infostates.acting, infostates.acting_labels, strict=True):
            actions = [str(action) for action in infostates.legal_actions(infostate)]
            wanted = parts.get(label, chosen if infostates.num_acting == 1 else actions[0])
            first = infostates.first_sequence[infostate]
            array[first : first + len(actions)] = [action == wanted for action in actions]
        weights.append(array)
    return TabularPolicy.from_weights(tree.sequence_form, weights)


@pytest.mark.parametrize("spec", ["kuhn_poker", "matrix_pd", "random_game(seed=2,max_depth=3)"])
def test_payoffs_of_strategies_are_values_of_pure_policies(spec):
    tree = build_tree(load_game(spec))
    form = strategic_form(tree)
    rng = np.random.default_rng(1)
    sizes = [len(names) for names in form.strategies]
    for _ in range(20):
        profile = tuple(int(rng.integers(size)) for size in sizes)
        chosen = tuple(names[n] for names, n in zip(form.strategies, profile, strict=True))
        values = evaluate_policy(plan_policy(tree, form, profile)).values
        assert form.payoff_of[chosen] == pytest.approx(values, abs=1e-12)


def test_kuhn_poker_has_27_by_64_strategies():
    """Player 0: per card bet, or pass and then pass or bet; player 1: four answers per card."""
    form = strategic_form(load_game("kuhn_poker"))
    assert [len(names) for names in form.strategies] == [27, 64]
    assert all(payoff.denominator in (1, 2, 3, 6) for row in form.payoffs for payoff in row)
    assert solve(form, "lp").values == pytest.approx((-1 / 18, 1 / 18))


@settings(max_examples=20)
@given(random_games(max_histories=30))
def test_the_strategic_form_has_the_value_of_the_game(game):
    tree = build_tree(game)
    assume(tree.sequence_form.is_zero_sum and tree.num_players == 2)
    assume(all(one.num_acting <= 5 for one in tree.infostate_trees))
    form = strategic_form(build_extensive_form(tree))
    assert solve(form, "lp").values == pytest.approx(solve(tree, "lp").values, abs=1e-9)


def test_files_load_by_path(tmp_path):
    path = tmp_path / "table.NFG"
    save_nfg(parse_nfg(BY_PAYOFF), path)
    assert load(str(path)) == load_nfg(path)
    assert load_nfg(path).payoff_of == parse_nfg(BY_PAYOFF).payoff_of


def test_large_games_are_refused():
    with pytest.raises(GameTooLargeError, match=r"strategic form of leduc_poker .* save_efg"):
        strategic_form(load_game("leduc_poker"))


def test_a_table_must_be_complete():
    with pytest.raises(
        ParameterError, match=r"payoffs for 1 tuples of strategies; .* have 2 tuples"
    ):
        StrategicGame("bad", ("A",), (("x", "y"),), ((Fraction(1),),))
    with pytest.raises(ParameterError, match="at least one player"):
        StrategicGame("bad", (), (), ())


HEAD = 'NFG 1 R "t" { "A" "B" } '


@pytest.mark.parametrize(
    ("text", "column", "says"),
    [
        ('EFG 2 R "t" { "A" }', 1, "read EFG, expected NFG at the beginning"),
        ('NFG 2 R "t" { "A" }', 5, "read 2, expected 1, the version"),
        ('NFG 1 R "t" { } { 1 } 1', 15, "the name of the first player"),
        (HEAD + "{ 2 } 1 1 1 1", 29, "the number of strategies of 'B'"),
        (HEAD + "{ 2 0 }", 29, "expected from 1 to 100,000 strategies"),
        (HEAD + "{ 99999999 1 }", 27, "expected from 1 to 100,000 strategies"),
        (HEAD + "{ 2 1 } 1 1 1", 38, "read the end of the file, expected the payoff of 'B'"),
        (HEAD + "{ 1 1 } 1 1 1", 37, "expected the end of the file: the table is complete"),
        (HEAD + '{ 1 1 } { { "" 1 } } 1', 42, "read }, expected the payoff of 'B'"),
        (HEAD + '{ 1 1 } { { "" 1 1 } } 2', 48, "the number of an outcome, from 0 (none) to 1"),
        (HEAD + "{ 1 1 } 1 x", 35, "read x, expected the payoff of 'B'"),
    ],
)
def test_mistakes_are_found(text, column, says):
    with pytest.raises(GameFileError) as caught:
        parse_nfg(text, name="file.nfg")
    assert says in str(caught.value)
    assert (caught.value.line, caught.value.column) == (1, column)
