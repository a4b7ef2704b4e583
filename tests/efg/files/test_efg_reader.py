"""Reading .efg files: contents of valid files, and errors for invalid files."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from infoset.efg import (
    Outcome,
    chance,
    decision,
    extensive_form_from_nodes,
    find_absent_mindedness,
    find_recall_violation,
    find_timing_cycle,
    load_efg,
    parse_efg,
    terminal,
)
from infoset.errors import GameFileError, GameTooLargeError
from tests.efg.files.efg_forms import GAMES, assert_same

HEAD = 'EFG 2 R "t" { "A" "B" }\n'
PLAIN = HEAD + 'p "" 1 1 "" { "a" "b" } 0\nt "" 1 "" { 1, 2 }\nt "" 1\n'


def test_a_game_as_it_would_be_written_by_hand():
    win, lose = Outcome((Fraction(9), Fraction(1)), "missed"), Outcome((4, 6), "both tails")
    guesses = [
        decision(
            1,
            "guess",
            {"heads": terminal(outcome=heads), "tails": terminal(outcome=tails)},
        )
        for heads, tails in ((Outcome((2, 8), "both heads"), win), (win, lose))
    ]
    root = decision(0, "hide", dict(zip(("heads", "tails"), guesses, strict=True)))
    expected = extensive_form_from_nodes(root, players=("Ann", "Bob"), name="Ten for two")
    found = load_efg(GAMES / "share_of_ten.efg")
    assert_same(found, expected)
    assert found.sequence_form.constant_sum == 10


def test_outcomes_on_the_way_events_of_probability_zero_and_bare_numbers():
    form = load_efg(GAMES / "toll_road.efg")
    assert form.num_histories == 12
    assert form.probabilities == (Fraction(5, 8), Fraction(3, 8), Fraction(0), Fraction(1))
    assert [outcome.name for outcome in form.outcomes] == ["breakfast", "toll", "arrived"]
    assert form.outcomes[0].payoffs == (Fraction(-1, 4), Fraction(1, 10))
    assert form.outcomes[2].payoffs == (10, Fraction(-1, 4))
    utility = dict(
        zip(map(form.history_label, form.terminals), form.utility[form.terminals], strict=True)
    )
    np.testing.assert_allclose(utility["north pay let pass"], [8.25, 1.35])
    np.testing.assert_allclose(utility["north turn back"], [-0.25, 0.1])
    np.testing.assert_allclose(utility["south pay let pass"], [-2.0, 1.7])
    np.testing.assert_allclose(utility["south turn back"], [-1.75, 1.6])
    np.testing.assert_allclose(utility["the end"], [9.75, -0.15])
    infoset = form.acting_infoset
    assert infoset[1, 0] == infoset[2, 0] == 0
    assert infoset[3, 0] == 1
    assert form.infoset_names == (("at the toll", ""), ("",))


def test_games_without_timing_recall_or_attention_are_read():
    not_timeable = load_efg(GAMES / "not_timeable.efg")
    assert find_timing_cycle(not_timeable) is not None
    assert find_recall_violation(not_timeable) is None
    driver = load_efg(GAMES / "absent_minded_driver.efg")
    assert find_absent_mindedness(driver) is not None
    coin = load_efg(GAMES / "forgotten_coin.efg")
    assert find_absent_mindedness(coin) is None
    violation = find_recall_violation(coin)
    assert violation is not None
    assert violation.player == 0


def test_labels_are_kept_as_they_are():
    form = load_efg(GAMES / "strange_labels.efg")
    assert form.name == 'The "strange" labels'
    assert form.player_names == ("Ann", "", "Ann")
    assert form.legal_actions(0) == ("", "", "")
    assert form.legal_actions(1) == ("bet", "bet")
    assert form.legal_actions(2) == ("C:\\new", "ends in \\")
    assert form.legal_actions(3) == ('a "b" c', "  spaces  ")
    assert form.infoset_names == (("same", "same"), (), ("",))
    assert tuple(form.history_names[:4]) == ("twice", "twice", "♠", "two\nlines")


def test_three_players():
    form = load_efg(GAMES / "horse.efg")
    assert form.num_players == 3
    third = np.flatnonzero(form.actor == 2)
    assert list(map(form.history_label, third)) == ["down", "across down"]
    assert form.infoset[third, 2].tolist() == [0, 0]
    assert [outcome.payoffs for outcome in form.outcomes[:2]] == [(1, 1, 1), (3, 3, 2)]


@pytest.mark.parametrize(
    "written",
    [
        'EFG2R"t"{"A""B"}p""1 1""{"a""b"}0t""1""{1 2}t""1',
        PLAIN.replace("R", "D"),
        PLAIN.replace("\n", "\r\n\f\v\t "),
        PLAIN.replace("}\n", '} "a comment with \\"quotes\\" and { }"\n', 1),
        PLAIN.replace('"" { 1, 2 }', "{ 1, 2 }"),
        PLAIN.replace('1 1 "" { "a"', '1 1 { "a"'),
        PLAIN.replace("1, 2", "1 2"),
        PLAIN.replace("1, 2", "1.0, 2.000,"),
        PLAIN.replace("1, 2", "+1 4/2"),
        PLAIN.replace("1, 2", "0.1e1 200E-2"),
        PLAIN.replace('t "" 1\n', 't "" 1 "" { 2/2, 2. }'),
        PLAIN.replace('t "" 1\n', 't "" 2 "" { 1, 2 }'),
        PLAIN.replace("1 1", "1 77"),
        PLAIN.replace("1 1", "1 0"),
    ],
)
def test_ways_to_write_the_same(written):
    assert_same(parse_efg(written), parse_efg(PLAIN))


def test_other_backslashes_stand_for_themselves():
    form = parse_efg(r'EFG 2 R "C:\new \\ \"x\" \." { "A" } t "" 0')
    assert form.name == r'C:\new \ "x" \.'


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ('"a" 1/3 "b" 2/3', (Fraction(1, 3), Fraction(2, 3))),
        ('"a" .1 "b" 0.9', (Fraction(1, 10), Fraction(9, 10))),
        (
            '"a" 0.3333333333333333 "b" 0.6666666666666667',
            (Fraction(3333333333333333, 10**16), Fraction(6666666666666667, 10**16)),
        ),
        ('"a" 0.3333333333333333 "b" 0.6666666666666666', (Fraction(1, 3), Fraction(2, 3))),
        ('"a" 0.1234567892 "b" 0.876543211', (Fraction("0.1234567892"), Fraction("0.8765432108"))),
    ],
)
def test_probabilities(given, kept):
    text = f'{HEAD} c "" 1 "" {{ {given} }} 0 t "" 0 t "" 0'
    assert parse_efg(text).probabilities == kept


def test_infosets_of_two_players_may_have_one_number():
    nodes = 'p "" 1 1 "x" { "a" } 0 p "" 2 1 "y" { "b" } 0 p "" 1 1 0 p "" 1 2 "x" { "c" } 0 t "" 0'
    form = parse_efg(HEAD + nodes)
    assert form.infoset[:4].tolist() == [[0, -1], [-1, 0], [0, -1], [1, -1]]
    assert form.infoset_names == (("x", "x"), ("y",))


WRONG = [
    ("", 1, 1, "read the end of the file, expected EFG"),
    ("NFG 1 R", 1, 1, "read NFG, expected EFG"),
    ('"EFG" 2 R "t" {"A"} t "" 0', 1, 1, 'read "EFG", expected EFG'),
    ("EFG 3 R", 1, 5, "read 3, expected 2, the version"),
    ("EFG 2 X", 1, 7, "read X, expected R or D"),
    ('EFG 2 R { "A" }', 1, 9, "read {, expected the title"),
    ('EFG 2 R "t" "A"', 1, 13, "expected { and the names of the players"),
    ('EFG 2 R "t" { }', 1, 15, "read }, expected the name of the first player"),
    ('EFG 2 R "t" { "A", "B" }', 1, 18, "read ,, expected the name of another player"),
    (HEAD, 2, 1, "read the end of the file, expected a node, c, p or t; at least 1"),
    (HEAD + "\n  junk", 3, 3, "read junk, expected a node"),
    (HEAD + "t 0", 2, 3, "read 0, expected the name of the node"),
    (HEAD + 't "x', 2, 3, "read a label without a closing quote"),
    (HEAD + 't "x\\" 0', 2, 3, "read a label without a closing quote"),
    (HEAD + 't "x" 0;', 2, 8, "read ';', expected a label in quotes"),
    (HEAD + 't "x" -1', 2, 7, "read -1, expected the number of an outcome, 0 for none"),
    (HEAD + 't "x" 9999999999999999999 "" { 1 2 }', 2, 7, "read 9999999999999999999, expected"),
    (HEAD + 't "x" 0.5', 2, 7, "read 0.5, expected the number of an outcome"),
    (HEAD + 't "x" 1', 2, 8, "expected a list in braces, because outcome 1"),
    (HEAD + 't "x" 1 "y"', 2, 12, "expected a list in braces"),
    (HEAD + 't "x" 0 "y" { 1 2 }', 2, 9, "the next node, because outcome 0 stands for no outcome"),
    (HEAD + 't "x" 0 { 1 2 }', 2, 9, "the next node, because outcome 0 stands for no outcome"),
    (HEAD + 't "x" 1 "" { 1 }', 2, 16, "read }, expected the payoff of player 2"),
    (HEAD + 't "x" 1 "" { 1 2 3 }', 2, 18, "read 3, expected } after the payoffs of 2 players"),
    (HEAD + 't "x" 1 "" { 1,, 2 }', 2, 16, "read ,, expected the payoff of player 2"),
    (HEAD + 't "x" 1 "" { 1 1/0 }', 2, 16, "read 1/0, expected the payoff of player 2, with a"),
    (HEAD + 't "x" 1 "" { 1e999999999 1 }', 2, 14, "read 1e999999999, expected the payoff"),
    (HEAD + 't "x" 1 "" { 1e309 1 }', 2, 14, "at most 1.8e308"),
    (HEAD + f't "x" 1 "" {{ {"9" * 9000} 1 }}', 2, 14, f"read {'9' * 40}..., expected"),
    (HEAD + 't "x" 1 "" { nan 1 }', 2, 14, "read nan, expected the payoff of player 1"),
    (HEAD + 't "x" 1 "" { 1_0 1 }', 2, 15, "read '_'"),
    (HEAD + 't "x" 1 "" { １ 1 }', 2, 14, "read '１'"),
    (HEAD + 't "" 0\nt "" 0', 3, 1, "read t, expected the end of the file: the tree is complete"),
    (HEAD + 'p "" 1 1 "" { "a" "b" } 0 t "" 0', 2, 33, "at least 1 more"),
    (HEAD + 'p "" 3 1 "" { "a" } 0', 2, 6, "read 3, expected the number of a player, from 1 to 2"),
    (HEAD + 'p "" 0 1 "" { "a" } 0', 2, 6, "read 0, expected the number of a player, from 1 to 2"),
    (HEAD + 'p "" 1 1 0', 2, 10, "player 1's information set 1 occurs here for the first time"),
    (HEAD + 'p "" 1 1 "" { } 0', 2, 15, "read }, expected the label of an action"),
    (HEAD + 'p "" 1 1 "" { "a" 1/2 } 0', 2, 19, "read 1/2, expected the label of an action"),
    (HEAD + 'c "" 1 "" { } 0', 2, 13, "read }, expected the label of a chance action"),
    (HEAD + 'c "" 1 "" { "a" } 0', 2, 17, "read }, expected the probability of a chance action"),
    (
        HEAD + 'c "" 1 "" { "a" 0.333 "b" 0.333 "c" 0.333 } 0',
        2,
        11,
        "the probabilities 333/1000, 333/1000, 333/1000 sum to 0.999; they must sum to exactly 1",
    ),
    (HEAD + 'c "" 1 "" { "a" -1 "b" 2 } 0', 2, 11, "-1 is not a probability"),
    (HEAD + 'c "" 1 "" { "a" 1e308 "b" 1e308 } 0', 2, 11, "is not a probability"),
    (
        HEAD + 'p "" 1 1 "x" { "a" } 0\np "" 1 1 "y" { "a" } 0',
        3,
        10,
        "read a different description of player 1's information set 1, expected the first one, "
        'named "x"',
    ),
    (HEAD + 'p "" 1 1 "x" { "a" } 0 p "" 1 1 "x" { "b" } 0', 2, 33, "different description"),
    (HEAD + 'p "" 1 1 "x" { "a" } 0 p "" 1 1 { "b" } 0', 2, 33, "different description"),
    (
        HEAD + 'p "" 1 1 "x" { "a" "b" } 0 t "" 1 "" { 1 2 } t "" 1 "" { 1 3 }',
        2,
        53,
        "different description of outcome 1",
    ),
    (
        HEAD + 'c "" 1 "" { "a" 1 } 0 c "" 1 "" { "b" 1 } 0',
        2,
        30,
        "different description of event 1",
    ),
]


@pytest.mark.parametrize(("text", "line", "column", "says"), WRONG)
def test_what_is_wrong_and_where(text, line, column, says):
    with pytest.raises(GameFileError) as caught:
        parse_efg(text, name="bad.efg")
    assert str(caught.value).startswith(f"bad.efg, line {line}, column {column}: ")
    assert says in str(caught.value)
    assert (caught.value.line, caught.value.column) == (line, column)


def test_without_a_name_an_error_begins_with_the_line():
    with pytest.raises(GameFileError, match=r"^line 1, column 1: "):
        parse_efg("?")


def test_a_file_is_named_by_its_title_or_by_its_path(tmp_path):
    path = tmp_path / "nameless.efg"
    path.write_bytes(b'\xef\xbb\xbfEFG 2 R "" { "\xc3\x84nn" }\r\nt "" 0')
    assert load_efg(path).name == str(path)
    assert load_efg(path).player_names == ("Änn",)
    assert load_efg(str(GAMES / "horse.efg")).name == "Selten's horse"


def test_a_title_is_one_line():
    """It is the name of the game, which messages and results contain."""
    assert parse_efg('EFG 2 R "a\r\nb\u2028c" { "A" } t "" 0').name == "a b c"


def test_files_that_are_no_text(tmp_path):
    with pytest.raises(GameFileError, match="there is no file or folder") as caught:
        load_efg(tmp_path / "none.efg")
    assert caught.value.line is None
    path = tmp_path / "latin.efg"
    path.write_bytes('EFG 2 R\n"café" { "A" } t "" 0'.encode("latin-1"))
    with pytest.raises(GameFileError, match="0xe9 is not valid UTF-8") as caught:
        load_efg(path)
    assert (caught.value.line, caught.value.column) == (2, 5)


def test_a_deep_tree_needs_no_deep_stack():
    depth = 20_000
    form = parse_efg(HEAD + 'p "" 1 1 "" { "on" } 0 ' + 'p "" 1 1 0 ' * (depth - 1) + 't "" 0')
    assert form.num_histories == depth + 1
    assert form.depth[-1] == depth


def test_many_actions_with_small_probabilities():
    count = 4000
    actions = " ".join(f'"{number}" 1/{count}' for number in range(count))
    text = f'{HEAD} c "" 1 "" {{ {actions} }} 0 ' + 't "" 1 "" { 1 2 } ' * count
    assert parse_efg(text).num_histories == count + 1


@pytest.mark.parametrize(
    "text",
    [
        HEAD + '"' * 30_001,
        HEAD + 't "' + "\\" * 60_000,
        HEAD + "{" * 60_000,
        HEAD + 'p "" 1 1 "" { "' + "x" * 100_000 + '" } 0 t "" 0',
        HEAD + 'c "" 1 "" { ' + '"" 1/10000 ' * 10_000 + "} 0 " + 'c "" 1 0 ' * 10_000,
        HEAD + 'p "" 1 1 "" { ' + '"" ' * 20_000 + "} 0 " + 'p "" 1 1 0 ' * 20_000,
        HEAD + 'c "" 1 "" { ' + " ".join(f'"" 1/{10**900 + number}' for number in range(300)),
        HEAD + 'c "" 1 "" { ' + " ".join(f'"" 1/{10**900 + number}' for number in range(300)) + "}",
    ],
)
def test_hostile_texts_are_refused(text):
    with pytest.raises(GameFileError):
        parse_efg(text)


def test_more_players_than_fit_are_refused(monkeypatch):
    monkeypatch.setattr("infoset.efg.efg_reader.allowed_memory", lambda memory: 10_000)
    text = f'EFG 2 R "crowd" {{ {chr(34) * 2000} }} t "" 0'
    with pytest.raises(GameTooLargeError, match="crowd has 1 histories and 1,000") as caught:
        parse_efg(text)
    assert caught.value.counts["players"] == 1000


def test_the_driver_earns_most_by_going_on_two_times_in_three():
    form = load_efg(GAMES / "absent_minded_driver.efg")

    def earned(going_on):
        share = {"leave": 1 - going_on, "go on": going_on}
        reach = np.ones(form.num_histories)
        for history in range(1, form.num_histories):
            move = form.moves[form.move[history]]
            reach[history] = reach[form.parent[history]] * share[move]
        return reach[form.terminals] @ form.utility[form.terminals, 0]

    assert earned(2 / 3) == pytest.approx(4 / 3)
    assert max(map(earned, np.linspace(0, 1, 31))) <= 4 / 3 + 1e-12


def test_chance_by_hand():
    third = Fraction(1, 3)
    root = chance(
        [
            ("heads", (third, terminal(outcome=Outcome((1, -1), "Ann wins")))),
            ("tails", (1 - third, terminal(outcome=Outcome((-1, 1), "Bob wins")))),
        ]
    )
    expected = extensive_form_from_nodes(root, players=("Ann", "Bob"), name="coin")
    found = parse_efg("""EFG 2 R "coin" { "Ann" "Bob" }
        c "" 1 "flip" { "heads" 1/3 "tails" 2/3 } 0
        t "" 1 "Ann wins" { 1, -1 }
        t "" 2 "Bob wins" { -1, 1 }""")
    assert_same(found, expected)
