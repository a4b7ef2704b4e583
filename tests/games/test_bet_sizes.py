"""Sizes of bets as text: reading, printing, and the actions that follow, by hand."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import infoset
from infoset.errors import ParameterError
from infoset.games import NoLimitEndgame
from infoset.games.bet_sizes import (
    EXCEPTIONS,
    POSITIONS,
    STREETS,
    Situation,
    chosen_sizes,
    parse_sizes,
    sizes_text,
)

PAGE = Path(__file__).parents[2] / "docs" / "solvers" / "bet_sizes.md"
BOARDS = {"flop": "Ks9d8h", "turn": "Ks9d8h4s", "river": "Ks9d8h4s2c"}


def legal(street, actions=(), **parameters):
    """Return the sizes that are legal after some actions, on later streets after any card."""
    rules = NoLimitEndgame(BOARDS[street], **parameters).public_rules()
    state = rules.initial_state()
    for action in actions:
        if action == "card":
            state = rules.deals(state)[0].next_state
        else:
            state = rules.next_state(state, action)
    found = rules.legal_actions(state)
    return [action for action in found if action not in ("fold", "check", "call")]


# --- text --------------------------------------------------------------------------------------


def sizes_of(kind):
    numbers = st.decimals("0.01", "999", places=2).map(lambda number: f"{number.normalize():f}")
    units = st.sampled_from(["%", "c"])
    sized = st.builds("{}{}".format, numbers, units)
    others = ["a", "e", "2e"] + (["2.5x", "3x"] if kind == "raises" else [])
    return st.lists(sized | st.sampled_from(others), max_size=4, unique=True)


@st.composite
def texts(draw, kind):
    """Draw rules in random order, general ones first so that each has an effect."""
    first = draw(sizes_of(kind))
    rules = [", ".join(first) or "none"]
    for street in draw(st.permutations(STREETS))[: draw(st.integers(0, 3))]:
        words = [street, draw(st.sampled_from(["", *POSITIONS]))]
        words += draw(st.sampled_from([[], [EXCEPTIONS[kind]]])) if words[1] != "ip" else []
        sizes = ", ".join(draw(sizes_of(kind))) or "none"
        spaced = draw(st.sampled_from([" ", "  "])).join(draw(st.permutations(words)))
        rules.append(f"{spaced.upper()} : {sizes}")
    return draw(st.sampled_from(["; ", ";"])).join(rules)


def test_the_grammar_of_the_page_has_all_words_and_units():
    rules = dict(re.findall(r"^    (\w+) +::= (.*)$", PAGE.read_text("utf-8"), re.MULTILINE))
    tokens = {name: set(re.findall(r'"([^"]+)"', rule)) for name, rule in rules.items()}
    assert tokens["word"] == {*STREETS, *POSITIONS, *EXCEPTIONS.values()}
    assert tokens["size"] == {"%", "x", "c", "e", "a", "all-in", "allin"}
    listed = ", ".join(
        unit if unit in ("a", "all-in", "allin") else f"2{unit}" for unit in tokens["size"]
    )
    (rule,) = parse_sizes(f"{listed}, e, .5%, 3.%", "raises")
    assert {size.unit for size in rule.sizes} == {"%", "x", "c", "e", "a"}


@pytest.mark.parametrize("kind", ["bets", "raises"])
@given(data=st.data())
def test_what_is_printed_is_read_back(kind, data):
    rules = parse_sizes(data.draw(texts(kind)), kind)
    printed = sizes_text(rules)
    assert parse_sizes(printed, kind) == rules
    assert sizes_text(parse_sizes(printed, kind)) == printed
    game = NoLimitEndgame(BOARDS["flop"], **{kind: printed})
    assert infoset.load(str(game)) == game


def test_the_last_rule_that_applies_counts():
    rules = parse_sizes("33%; turn river: 50%; ip river: 75%; donk: none", "bets")

    def sizes(street, player, is_donk=False):
        found = chosen_sizes(rules, Situation(street, player, is_donk))
        return ", ".join(map(str, found))

    assert [sizes("flop", 0), sizes("turn", 1), sizes("river", 0)] == ["33%", "50%", "50%"]
    assert sizes("river", 1) == "75%"
    assert [sizes(street, 0, True) for street in STREETS] == [""] * 3


def test_sizes_without_a_rule_are_missing():
    rules = parse_sizes("river: 50%", "bets")
    assert chosen_sizes(rules, Situation("turn", 0, False)) is None


def test_an_error_names_the_item():
    with pytest.raises(ParameterError) as caught:
        parse_sizes("33%; turn: 75", "bets")
    assert str(caught.value) == (
        "cannot read bets='33%; turn: 75': '75' has no unit: write 75% of the pot, or 75c for "
        "chips; for example, bets='33%, 75%; river: 75%, 150%, a'"
    )


# --- actions -----------------------------------------------------------------------------------


def test_units_of_bets():
    found = legal("river", pot=100, stack=400, bets="33%, 150c, e, 2e, a")
    # For two equal shares the pot is multiplied by 3 twice: by a bet of 100, and one of 300.
    assert found == ["bet 33", "bet 100", "bet 150", "all-in"]
    # Three shares: 9 ** (1/3) = 2.080; (2.080 - 1) / 2 = 0.540.
    assert legal("flop", pot=100, stack=400, bets="e") == ["bet 54"]
    assert legal("turn", pot=100, stack=400, bets="e") == ["bet 100"]
    assert legal("river", pot=100, stack=400, bets="e") == ["all-in"]
    assert legal("river", pot=100, stack=400, bets="none") == []


def test_geometric_bets_end_all_in():
    sizes = dict(pot=100, stack=1300, bets="e", raises="none")
    assert legal("flop", **sizes) == ["bet 100"]
    street = ["bet 100", "call", "card"]
    assert legal("flop", street, **sizes) == ["bet 300"]
    street += ["bet 300", "call", "card"]
    assert legal("flop", street, **sizes) == ["all-in"]


def test_units_of_raises():
    sizes = dict(pot=100, stack=2000, bets="50%", raises="50%, 2.5x, 200c, 2e, a", all_in=1)
    # After a call the pot is 200 and 1,950 are left: a growth of 20.5 ** 0.5 on each street.
    assert legal("river", ["bet 50"], **sizes) == [
        "raise 125",
        "raise 150",
        "raise 200",
        f"raise {50 + round(200 * (20.5**0.5 - 1) / 2)}",
        "all-in",
    ]


def test_reraises_and_donk_bets_have_sizes_of_their_own():
    sizes = dict(
        pot=100,
        stack=5000,
        bets="50%; ip: 100%; donk: 25%; river donk: none",
        raises="3x; reraise: a",
    )
    assert legal("flop", **sizes) == ["bet 50"]
    assert legal("flop", ["check"], **sizes) == ["bet 100"]
    assert legal("flop", ["check", "bet 100"], **sizes) == ["raise 300"]
    assert legal("flop", ["check", "bet 100", "raise 300"], **sizes) == ["all-in"]
    # Player 1 has bet on the street before: a donk bet.
    called = ["check", "bet 100", "call", "card"]
    assert legal("flop", called, **sizes) == ["bet 75"]
    assert legal("flop", [*called, "check", "check", "card"], **sizes) == ["bet 150"]
    again = [*called, "check", "bet 300", "call", "card"]
    assert legal("flop", again, **sizes) == []
    assert legal("flop", [*again, "check"], **sizes) == ["bet 900"]
    # Player 0 has raised, and leads again.
    raised = ["check", "bet 100", "raise 300", "call", "card"]
    assert legal("flop", raised, **sizes) == ["bet 350"]


def test_limits_by_street():
    sizes = dict(pot=100, stack=5000, bets="1%", raises="1%", max_raises=[1, 2], min_bet=[10, 40])
    assert legal("turn", **sizes) == ["bet 10"]
    assert legal("turn", ["bet 10"], **sizes) == []
    river = ["check", "check", "card"]
    assert legal("turn", river, **sizes) == ["bet 40"]
    assert legal("turn", [*river, "bet 40"], **sizes) == ["raise 80"]


def test_chips_with_decimals():
    sizes = dict(pot=5.5, stack=97.5, bets="33%, 75%", raises="2.5x")
    assert legal("river", **sizes) == ["bet 1.82", "bet 4.13"]  # 1.815 and 4.125, halves up
    assert legal("river", ["bet 4.13"], **sizes) == ["raise 10.33"]
    assert legal("river", **sizes, chip=0.5) == ["bet 2", "bet 4"]
    assert legal("river", pot=6, stack=97, bets="33%", chip=0.1) == ["bet 2"]


def test_the_smaller_stack_counts():
    sizes = dict(pot=100, bets="50%, a", raises="a")
    for stack in ([80, 1000], [1000, 80], 80):
        assert legal("river", stack=stack, **sizes) == ["bet 50", "all-in"]
    rules = NoLimitEndgame(BOARDS["river"], stack=[80, 1000], **sizes).public_rules()
    state = rules.next_state(rules.next_state(rules.initial_state(), "all-in"), "call")
    assert rules.end(state).utilities == ((-130, 130), (0, 0), (130, -130))


def test_all_in_is_added_and_replaces_sizes():
    # After a bet of 60, 30 are left behind a pot of 220.
    sizes = dict(pot=100, stack=90, bets="60%", all_in=1)
    assert legal("river", **sizes) == ["bet 60"]
    assert legal("river", **sizes, all_in_pot=0.14) == ["all-in"]
    assert legal("river", **sizes, all_in_pot=0.13) == ["bet 60"]
    # 90 are 0.9 of the pot; after a bet of 60 and a call, 30 are 0.14 of it.
    assert legal("river", **sizes, add_all_in=0.89) == ["bet 60"]
    assert legal("river", **sizes, add_all_in=0.9) == ["bet 60", "all-in"]
    assert legal("river", ["bet 60"], **sizes, raises="none", add_all_in=1) == []
    assert legal("river", **sizes, all_in_above=60) == ["bet 60"]
    assert legal("river", **sizes, all_in_above=59.9) == ["all-in"]
    # Added before close sizes are left out: 190 is the largest, and 160 is 0.84 of it.
    assert legal("river", **sizes, add_all_in=1, merge=0.15) == ["bet 60", "all-in"]
    assert legal("river", **sizes, add_all_in=1, merge=0.16) == ["all-in"]


def test_close_sizes_are_left_out_from_the_largest_down():
    # With the pot: 150, 160, 175, 200. 175 is 0.875 of 200, 160 is 0.914 of 175 and 0.8 of 200.
    sizes = dict(pot=100, stack=5000, bets="50%, 60%, 75%, 100%")
    assert legal("river", **sizes, merge=0.12) == ["bet 50", "bet 75", "bet 100"]
    assert legal("river", **sizes, merge=0.13) == ["bet 60", "bet 100"]
    assert legal("river", **sizes, merge=0.2) == ["bet 50", "bet 100"]


def test_a_list_of_numbers_is_short_for_percentages_and_all_in():
    for numbers, text in (([0.5, 1.1], "50%, 110%, a"), ([1 / 3], "33.33333333333333%, a")):
        forms = [
            infoset.build_public_form(
                infoset.load("nolimit_endgame", board=BOARDS["river"], bets=bets, ranges="QQ+")
            )
            for bets in (numbers, text)
        ]
        assert forms[0].fingerprint == forms[1].fingerprint


@pytest.mark.parametrize("rake", [0, 0.1])
def test_dead_money_is_won_with_the_pot(rake):
    """Each player has put in 40; the loser loses them, and the winner wins 20 more."""
    rules = NoLimitEndgame(
        BOARDS["river"], pot=100, dead=20, stack=60, bets="50%", rake=rake, rake_cap=3
    ).public_rules()
    paid = 3 if rake else 0
    state = rules.next_state(rules.initial_state(), "bet 50")
    assert rules.end(rules.next_state(state, "fold")).utilities == ((60 - paid, -40),)
    assert rules.end(rules.next_state(state, "call")).utilities == (
        (-90, 110 - paid),
        (10 - paid / 2, 10 - paid / 2),
        (110 - paid, -90),
    )


@pytest.mark.broad
def test_values_of_a_game_with_all_of_it_are_those_of_its_tree():
    game = infoset.load(
        "nolimit_endgame(board=Ks9d8h4s2c,pot=5.5,dead=1.5,stack=[9.25;7.5],min_bet=0.5,rake=0.04,"
        "rake_cap=0.3,bets='40%, 1.1c; ip: e',raises='2.5x; reraise: a',ranges=['KQ,JTs';'QQ,T9s'])"
    )
    form = infoset.build_public_form(game)
    policy = infoset.solve(form, "cfr+", iterations=30).policy
    on_tree = infoset.evaluate(infoset.build_tree(game), policy)
    found = infoset.evaluate(form, policy)
    assert found.values == pytest.approx(on_tree.values, abs=1e-12)
    assert found.gains == pytest.approx(on_tree.gains, abs=1e-12)
    plain = infoset.evaluate(form, "uniform")
    assert plain.values == pytest.approx(infoset.evaluate(game, "uniform").values, abs=1e-12)
