"""Writing .efg files: reading and writing preserve a file, and numbers are exact."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given

from infoset.efg import (
    Node,
    Outcome,
    build_extensive_form,
    chance,
    decision,
    extensive_form_from_nodes,
    forget_non_acting,
    format_efg,
    load_efg,
    parse_efg,
    pay_at_end,
    plain_labels,
    save_efg,
    terminal,
)
from infoset.efg.exact_numbers import exact_chance, number_text, read_number, to_fraction
from infoset.errors import ParameterError, UnsupportedGameError
from infoset.front import solve
from infoset.games import load_game
from infoset.tree import build_tree
from infoset.typing import CHANCE
from tests.efg.files.efg_forms import GAMES, assert_same, forms

GAME_SPECS = [
    "kuhn_poker(players=3)",
    "liars_dice(dice_sides=2)",
    "matrix_pd",
    "random_game(seed=1)",
    "random_game(seed=3)",
    "kuhn_poker_long",
]


@given(forms())
def test_what_is_written_is_read_as_the_same(form):
    assert_same(parse_efg(format_efg(form)), form)


@pytest.mark.parametrize("path", sorted(GAMES.glob("*.efg")), ids=lambda path: path.stem)
def test_files_read_written_and_read(path, tmp_path):
    form = load_efg(path)
    save_efg(form, tmp_path / path.name)
    assert_same(load_efg(tmp_path / path.name), form)


def test_what_is_written():
    text = format_efg(load_efg(GAMES / "one_card_poker.efg"))
    assert text.splitlines() == [
        'EFG 2 R "One card for one of them" { "Fred" "Alice" }',
        'c "" 1 "" { "red" 1/2 "black" 1/2 } 0',
        'p "" 1 1 "holds red" { "raise" "fold" } 0',
        'p "" 2 1 "sees a raise" { "meet" "pass" } 0',
        't "" 3 "big win" { 2, -2 }',
        't "" 1 "win" { 1, -1 }',
        't "" 1 "win" { 1, -1 }',
        'p "" 1 2 "holds black" { "raise" "fold" } 0',
        'p "" 2 1 "sees a raise" { "meet" "pass" } 0',
        't "" 4 "big loss" { -2, 2 }',
        't "" 1 "win" { 1, -1 }',
        't "" 2 "loss" { -1, 1 }',
    ]


def test_every_terminal_history_has_payoffs():
    none, named = terminal(), terminal(outcome=Outcome((0, 0), "draw"))
    root = decision(0, "start", {"a": none, "b": terminal(1, -1), "c": named})
    text = format_efg(extensive_form_from_nodes(root))
    assert text.splitlines()[2:] == [
        't "" 3 "" { 0, 0 }',
        't "" 1 "" { 1, -1 }',
        't "" 2 "draw" { 0, 0 }',
    ]
    assert parse_efg(text).outcome.tolist() == [-1, -1, 0, 1]


def test_payoffs_at_the_end_are_sums_along_the_path():
    def tolled(payoff, moves):
        return decision(0, str(payoff), moves, outcome=Outcome((payoff,)))

    below = tolled(0.2, {"pay": terminal(-0.3), "win": terminal(outcome=Outcome((1,), "won"))})
    form = extensive_form_from_nodes(tolled(0.1, {"in": below, "out": terminal()}), players=1)
    paid = pay_at_end(form)
    assert paid.outcome.tolist() == [-1, -1, 0, -1, 1]
    assert paid.outcomes == (Outcome((Fraction(1, 10),)), Outcome((Fraction(13, 10),)))
    assert pay_at_end(paid) is paid


@pytest.mark.parametrize("spec", GAME_SPECS)
def test_a_game_is_written_as_its_classical_form(spec):
    game = load_game(spec)
    classical = forget_non_acting(build_extensive_form(game))
    found = parse_efg(format_efg(game))
    assert_same(found, parse_efg(format_efg(plain_labels(pay_at_end(classical)))))
    assert_same(found, parse_efg(format_efg(build_tree(game))))
    for name in ("parent", "actor", "infoset"):
        np.testing.assert_array_equal(getattr(found, name), getattr(classical, name))
    ends = classical.terminals
    np.testing.assert_array_equal(found.utility[ends], classical.utility[ends])
    np.testing.assert_allclose(found.chance_reach, classical.chance_reach, rtol=1e-15)
    names = [list(map(found.history_label, range(found.num_histories)))]
    assert names == [list(map(classical.history_label, range(found.num_histories)))]


def test_the_form_read_has_the_value_of_the_game():
    form = parse_efg(format_efg(load_game("kuhn_poker")))
    np.testing.assert_allclose(solve(form, "lp").values, [-1 / 18, 1 / 18])


def test_an_augmented_form_loses_what_the_format_cannot_hold():
    augmented = build_extensive_form(load_game("kuhn_poker"))
    assert augmented.is_augmented
    assert format_efg(augmented) == format_efg(forget_non_acting(augmented))


def test_floats_are_written_exactly():
    shares = {"a": 1 / 3, "b": 1 / 6, "c": 0.5}
    root = chance({label: (share, terminal(0.1, -1e-7)) for label, share in shares.items()})
    form = parse_efg(format_efg(extensive_form_from_nodes(root)))
    assert form.probabilities == (Fraction(1, 3), Fraction(1, 6), Fraction(1, 2))
    assert form.outcomes == (Outcome((Fraction(1, 10), Fraction(-1, 10**7))),)
    np.testing.assert_array_equal(form.payoff[1], [0.1, -1e-7])


@pytest.mark.parametrize(
    ("given", "exact"),
    [
        ([1], [1]),
        ([0.5, 0.5, 0], [Fraction(1, 2), Fraction(1, 2), 0]),
        ([0.1] * 10, [Fraction(1, 10)] * 10),
        ([1 / 3] * 3, [Fraction(1, 3)] * 3),
        ([1 / 49] * 49, [Fraction(1, 49)] * 49),
        ([1 / 3, 1 - 1 / 3], [Fraction(1, 3), Fraction(2, 3)]),
        ([1 / 2652] * 2652, [Fraction(1, 2652)] * 2652),
        ([np.float64(0.25), np.float64(0.75)], [Fraction(1, 4), Fraction(3, 4)]),
        ([0.123456789, 0.876543211], [Fraction("0.123456789"), Fraction("0.876543211")]),
        ([Fraction(1, 3), 2 / 3], [Fraction(1, 3), Fraction(2, 3)]),
        (
            [Fraction("0.3333333333333333"), Fraction("0.6666666666666667")],
            [Fraction("0.3333333333333333"), Fraction("0.6666666666666667")],
        ),
    ],
)
def test_exact_probabilities(given, exact):
    assert exact_chance(given) == tuple(exact)


def test_any_probabilities_sum_to_exactly_one_and_hardly_move():
    rng = np.random.default_rng(1)
    for _ in range(200):
        given = rng.dirichlet(np.full(rng.integers(1, 40), 0.3))
        exact = exact_chance(given.tolist())
        assert sum(exact) == 1
        assert min(exact) >= 0
        np.testing.assert_allclose([float(value) for value in exact], given, rtol=0, atol=1e-12)


@pytest.mark.parametrize("given", [[], [0.5, 0.4], [0.3333333] * 3, [Fraction(1, 3)] * 2])
def test_other_sums_are_refused(given):
    with pytest.raises(ParameterError, match="they must sum to exactly 1"):
        exact_chance(given)


@pytest.mark.parametrize("given", [[2, -1], [1.5, -0.5], [1e308, 1e308], [-1e-30, 1]])
def test_values_outside_0_and_1_are_refused(given):
    with pytest.raises(ParameterError, match="is not a probability"):
        exact_chance(given)


def test_numbers_as_text():
    assert [number_text(value) for value in (0.1, 2.0, -1e-3, Fraction(2, 6), 7)] == [
        "1/10", "2", "-1/1000", "1/3", "7",
    ]  # fmt: skip
    assert number_text(np.float64(2.5)) == "5/2"
    long = (12.3456789012, -0.00000000012, Fraction(10**12 + 1, 10**12), Fraction(1, 3 * 10**10))
    texts = ["12.3456789012", "-0.00000000012", "1.000000000001", "1/30000000000"]
    assert [number_text(value) for value in long] == texts
    assert [read_number(text) for text in texts] == [to_fraction(value) for value in long]


def test_actions_that_differ_within_an_infoset_are_refused():
    root = decision(
        0,
        "start",
        {"a": decision(1, "same", {"x": terminal()}), "b": decision(1, "same", {"y": terminal()})},
    )
    with pytest.raises(UnsupportedGameError, match=r"cannot be written as \.efg"):
        format_efg(extensive_form_from_nodes(root))


def test_bad_probabilities_are_refused():
    root = Node(CHANCE, ("a", "b"), (terminal(), terminal()), (0.5, 0.4))
    with pytest.raises(ParameterError, match=r"sum to 0\.9"):
        format_efg(extensive_form_from_nodes(root))


def test_plain_labels_are_different_and_printable():
    form = plain_labels(load_efg(GAMES / "strange_labels.efg"))
    assert form.player_names == ("Ann", "player 2", "Ann #2")
    assert form.legal_actions(0) == ("_", "_ #2", "_ #3")
    assert form.legal_actions(1) == ("bet", "bet #2")
    assert form.legal_actions(2) == ("C:&#92;new", "ends in &#92;")
    assert form.legal_actions(3) == ("a &#34;b&#34; c", "spaces")
    assert form.infoset_names == (("same", "same #2"), (), ("",))
    assert tuple(form.history_names[:4]) == ("twice", "twice #2", "&#9824;", "two lines")
    assert [outcome.name for outcome in form.outcomes] == ["outcome 1", "outcome 2"]
    assert_same(plain_labels(form), form)


def test_actions_of_a_game_need_not_be_texts():
    root = decision(0, (1, "x"), [(1, terminal(1)), ("1", terminal(2)), (None, terminal(3))])
    form = extensive_form_from_nodes(root, players=1)
    assert plain_labels(form).moves == ("1", "1 #2", "_")
    assert parse_efg(format_efg(form)).moves == ("1", "")


def test_a_file_is_replaced_atomically(tmp_path, monkeypatch):
    path = tmp_path / "game.efg"
    save_efg(load_game("kuhn_poker"), path)
    assert path.read_text(encoding="utf-8") == format_efg(load_game("kuhn_poker"))
    save_efg(load_game("matrix_pd"), path)
    assert load_efg(path).name == "matrix_pd"
    before = path.read_bytes()

    def full(source, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    with pytest.raises(ParameterError, match="No space"):
        save_efg(load_game("kuhn_poker"), path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_an_unpaired_surrogate_cannot_be_saved(tmp_path):
    form = extensive_form_from_nodes(terminal(1, name="\ud800"), players=1, name="half")
    with pytest.raises(ParameterError, match=r"half has a label with '.ud800'"):
        save_efg(form, tmp_path / "half.efg")
    assert not list(tmp_path.iterdir())
