"""Poker spots in the formats of other programs, and mistakes in them."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from threading import Thread

import numpy as np
import pytest

import infoset
from infoset.errors import GameFileError, ParameterError, RoundedSizesWarning, UnknownNameError
from infoset.evaluation import PublicValues
from infoset.games import NoLimitEndgame, parse_spot

COMMANDS = """\
set_pot 50
set_effective_stack 200
set_board Qs,Jh,2h,8c
set_range_ip AA,KK:0.5,AKs
set_range_oop QQ-99,AQs:0.75
set_bet_sizes oop,turn,bet,33,75
set_bet_sizes oop,turn,raise,60
set_bet_sizes oop,turn,allin
set_bet_sizes ip,turn,bet,50
set_bet_sizes oop,river,bet,50
set_bet_sizes oop,river,donk,20,40
set_bet_sizes ip,river,bet,50
set_bet_sizes ip,river,raise,45,100
set_bet_sizes ip,river,allin
set_allin_threshold 0.67
set_raise_limit 3
build_tree
set_thread_num 8
set_accuracy 0.5
set_max_iteration 200
set_print_interval 10
set_use_isomorphism 1
start_solve
set_dump_rounds 2
dump_result output.json
"""

SETTINGS = """\
#TreeBuilding#V2
#Range0#QQ-99,AQs:0.75
#Range1#AA,KK:0.5,AKs
#Board#Qs Jh 2h 8c
#Pot#50
#EffectiveStacks#200
#AllinThreshold#80
#AddAllinOnlyIfLessThanThisTimesThePot#500
#MinimumBetsize#0
#ForceIPBet#False
#RemovedLines#
#FlopConfig.BetSize#
#TurnConfig.BetSize#33, 75
#TurnConfig.RaiseSize#2.5x
#TurnConfig.AddAllin#True
#TurnConfig.DonkBetSize#
#RiverConfig.BetSize#20c e
#RiverConfig.DonkBetSize#20
#TurnConfigIP.BetSize#50
#TurnConfigIP.RaiseSize#3x
#TurnConfigIP.Dont3bet#True
#RiverConfigIP.BetSize#100
#Rake.Cap#8
#Rake.Fraction#0.05
#Rake.Enabled#True
"""

RIVER = {
    "board": ["Ks", "Th", "7s", "4d", "2s"],
    "pot": 1000,
    "stack": 9500,
    "bet_sizes": [0.5, 1.0],
    "include_all_in": True,
    "max_raises": 3,
    "players": [
        {"hands": ["AhAd", "QcQd"], "weights": [1.0, 0.25]},
        {"hands": ["KhKd"]},
    ],
}


def players(player):
    """Return the text of a river spot with a given player out of position."""
    return json.dumps({**RIVER, "players": [player, RIVER["players"][1]]})


def test_commands_of_texassolver():
    assert parse_spot(COMMANDS) == NoLimitEndgame(
        "QsJh2h8c",
        pot=50,
        stack=200,
        ranges=("QQ-99,AQs:0.75", "AA,KK:0.5,AKs"),
        bets="turn oop: 33%, 75%, a; turn ip: 50%; river oop: 50%; river oop donk: 20%, 40%; "
        "river ip: 50%, a",
        raises="turn oop: 60%, a; turn ip: none; river oop: none; river ip: 45%, 100%, a",
        max_raises=3,
        all_in=1,
        # 0.67 of 200, less the player's half of the pot
        all_in_above=109,
    )


def test_a_bet_above_the_threshold_of_texassolver_is_all_in():
    """As in its issue 146: with the half of the pot, a bet of 315 brings 945 into a pot of 1260."""
    lines = ["set_pot 1260", "set_effective_stack 985", "set_board 9s,3s,2d,6c,2c"]
    lines += ["set_range_oop AA", "set_range_ip KK", "set_bet_sizes oop,river,bet,25"]
    for threshold, sizes in ((0.67, ("check", "all-in")), (1, ("check", "bet 315"))):
        text = "\n".join([*lines, f"set_allin_threshold {threshold}"])
        rules = parse_spot(text).public_rules()
        assert rules.legal_actions(rules.initial_state()) == sizes


def test_the_spot_of_the_documentation_is_solved():
    page = (Path(__file__).parents[2] / "docs/solvers/solve_a_spot.md").read_text()
    game = parse_spot(page.partition("```text\n")[2].partition("```")[0])
    assert infoset.solve(game, target="0.3%pot").outcome == "converged"


def test_the_tree_of_piosolver():
    assert parse_spot(SETTINGS) == NoLimitEndgame(
        "QsJh2h8c",
        pot=50,
        stack=200,
        ranges=("QQ-99,AQs:0.75", "AA,KK:0.5,AKs"),
        bets="turn oop: 33%, 75%, a; turn ip: 50%; river oop: 20c, e; river oop donk: 20%; "
        "river ip: 100%",
        raises="turn oop: 2.5x, a; turn ip: 3x; turn ip reraise: none; river oop: none; "
        "river ip: none",
        max_raises=100,
        all_in=1,
        all_in_above=160,
        rake=0.05,
        rake_cap=8,
    )
    # The stacks are 4 times the pot.
    assert parse_spot(SETTINGS.replace("#500", "#400")) == parse_spot(SETTINGS)


def test_comments_of_texassolver_commands():
    lines = COMMANDS.splitlines()
    text = "\n".join(["# A turn, #1", "#", *lines[:5], "#bet sizes", "", *lines[5:], "# end"])
    assert parse_spot(text) == parse_spot(COMMANDS)


def test_unknown_settings_of_piosolver_that_change_nothing_are_ignored():
    settings = "#Type#NoLimit\n#ICM.Stacks#1\n#TurnConfig.New#False\n#RiverConfig.Other#\n"
    assert parse_spot(settings + SETTINGS) == parse_spot(SETTINGS)


def test_rounding_that_changes_sizes_is_reported():
    text = COMMANDS.replace("set_pot 50", "set_pot 5")
    with pytest.warns(RoundedSizesWarning) as caught:
        assert parse_spot(text, name="spot.txt").chip == 0
    assert str(caught[0].message) == (
        "spot.txt: bet sizes are rounded to multiples of 1: 33% of 5 becomes 2, 75% of 5 becomes "
        "4, 50% of 5 becomes 3; set chip=0.01 for finer sizes, or chip=1 to keep these without "
        "this warning"
    )
    # Pots of 50 change by less than 5%, and a chosen chip is not reported.
    parse_spot(COMMANDS)
    for chip, sizes in ((0.01, ("bet 1.65", "bet 3.75")), (1, ("bet 2", "bet 4"))):
        rules = parse_spot(text, parameters={"chip": chip}).public_rules()
        assert rules.legal_actions(rules.initial_state())[1:3] == sizes


def test_json():
    assert parse_spot(json.dumps(RIVER)) == NoLimitEndgame(
        "KsTh7s4d2s",
        pot=1000,
        stack=9500,
        bets="50%, 100%, a",
        raises="50%, 100%, a",
        max_raises=3,
        all_in=1,
        ranges=("AhAd,QdQc:0.25", "KhKd"),
    )
    own = {"board": "KsTh7s4d2s", "pot": 5.5, "bets": "33%; ip: none", "ranges": ["AA", "KK"]}
    assert parse_spot(json.dumps(own)) == NoLimitEndgame(**own)


def test_the_answer_to_a_polar_range_is_known(tmp_path):
    """AA and QQ bet the pot against KK: AA always, QQ half as often, and half of KK calls."""
    text = SETTINGS.replace("QQ-99,AQs:0.75", "AA,QQ").replace("AA,KK:0.5,AKs", "KK")
    text = text.replace("Qs Jh 2h 8c", "2s 2h 2d 3c 3d").replace("#Pot#50", "#Pot#100")
    text = text.replace("Stacks#200", "Stacks#100").replace("20c e", "100").replace("True", "False")
    (tmp_path / "polar.txt").write_text(text)
    form = infoset.build_public_form(str(tmp_path / "polar.txt"))
    policy = infoset.solve(form, target="0.01%pot").policy
    values = PublicValues(policy)
    assert float(values.values(0, 0).mean()) + 50 == pytest.approx(75, abs=0.1)
    is_ace = np.array([hand[0] == "A" for hand in form.hands[0]])
    bets = policy.at_node(0)[form.legal_actions(0).index("all-in")]
    assert bets[is_ace].mean() == pytest.approx(1, abs=0.01)
    assert bets[~is_ace].mean() == pytest.approx(0.5, abs=0.01)
    called = form.children[0, "all-in"]
    calls = values.action_frequencies(called)[form.legal_actions(called).index("call")]
    assert calls == pytest.approx(0.5, abs=0.01)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (COMMANDS.replace("set_pot 50\n", ""), "the command set_pot is missing"),
        (COMMANDS.replace("set_pot 50", "set_pot ten"), "pot is 'ten', which is not a number"),
        (COMMANDS.replace("river,raise", "river,3bet"), "line 13: '3bet' in set_bet_sizes is not"),
        (COMMANDS.replace("bet,33", "bet,1/0"), "line 6: a size is '1/0', which is not a number"),
        (
            COMMANDS.replace("build_tree", "grow_tree"),
            "line 17: 'grow_tree' is not a supported command",
        ),
        (
            COMMANDS.replace("set_bet_sizes oop,turn,allin", "set_bet_sizes"),
            "line 8: '' in",
        ),
        (COMMANDS.replace("8c", "Qs"), "has the card Qs twice"),
        (COMMANDS.replace("AA,KK", "AX,KK"), "'AX' does not name a hand"),
        (SETTINGS.replace("#Pot#50\n", ""), "the setting #Pot# is missing"),
        (
            SETTINGS.replace("ForceIPBet#False", "ForceIPBet#True"),
            "#ForceIPBet#True is a rule",
        ),
        (SETTINGS.replace("RemovedLines#", "RemovedLines#Check, Bet"), "nolimit_endgame does not"),
        (
            SETTINGS.replace("#500", "#300"),
            "stacks are more than 3 times the pot; write",
        ),
        (SETTINGS.replace("33, 75", "33, often"), "'often' is not a size"),
        (
            SETTINGS.replace("#Board#Qs", "Board=Qs"),
            "line 4: 'Board=Qs Jh 2h 8c' is not",
        ),
        (json.dumps({**RIVER, "oop_first_bets": []}), "'oop_first_bets' is not one of bet_sizes"),
        (json.dumps({**RIVER, "players": 3}), "players is not a list; list two, first the one out"),
        (json.dumps({**RIVER, "players": RIVER["players"][:1]}), "players has length 1; list two"),
        (json.dumps({**RIVER, "players": [3, 4]}), "a player is 3, which does not list hands"),
        (players({"hands": "AhAd"}), "a player is {'hands': 'AhAd'}, which does not list"),
        (players({"hands": ["AhAx"]}), "'AhAx' is not a hand of two different cards"),
        (players({"hands": ["AhXd"]}), "'AhXd' is not a hand of two different cards"),
        (players({"hands": ["AhAh"]}), "'AhAh' is not a hand of two different cards"),
        (players({"hands": [["Ah", "Ad"]]}), "is not a hand of two different cards"),
        (players({"hands": ["AhAd"], "weights": []}), "one number for each hand (1 in total)"),
        (players({"hands": ["AhAd"], "weights": 1}), "one number for each hand (1 in total)"),
        (players({"hands": ["AhAd"], "weights": [-1]}), "the weight of AhAd is -1; write"),
        (players({"hands": ["AhAd"], "weights": [1e400]}), "the weight of AhAd is inf; write"),
        (players({"hands": ["AhAd"], "weights": [0]}), "no hand with a weight above 0"),
        (json.dumps({**RIVER, "bet_sizes": [50]}), "bet_sizes has 50, but it lists shares of the"),
        (json.dumps({**RIVER, "bet_sizes": [50]}), "at most 10; write 0.5 for 50%"),
        (json.dumps({**RIVER, "bet_sizes": [0]}), "bet_sizes has 0, but"),
        (json.dumps({**RIVER, "bet_sizes": "50"}), "bet_sizes is '50'; write numbers, as in"),
        (json.dumps({**RIVER, "include_all_in": "no"}), "include_all_in is 'no'; write true or"),
        ('{"board": 5}', "the board is 5, which is not text; write"),
        ('{"board": null}', "the board is None, which is not text"),
        ('{"board": [1, 2, 3]}', "the board is [1, 2, 3], which is not text"),
        ('{"board": {"flop": "Ks9d8h"}}', "which is not text"),
        ('{"board": "Ks9d8h4s2c", "pot": 3, "pot": 4}', "'pot' is given twice"),
        ('{"board": "Ks9d8h4s2c", "pot": 1e400}', "pot must be a number of at least 0"),
        (f'{{"board": "Ks9d8h4s2c", "pot": 1{"0" * 400}}}', "pot is at most 1,000,000,000,000,000"),
        ('{"board": "Ks9d8h4s2c", "ante": 1}', "nolimit_endgame; use dead= for antes and blinds"),
        ('{"board": "Ks9d8h4s2c", "min_bet": 250}', "the minimum bet, 250, exceeds the stack of"),
        (
            COMMANDS.replace("set_pot 50", "set_pot 1e400"),
            "set_pot is '1e400', which is out of",
        ),
        (COMMANDS.replace("set_pot 50", "set_pot 1e999999999"), "write a number of at most 15"),
        (COMMANDS.replace("set_pot 50", "set_pot 1e-999999999"), "write a number of at most 15"),
        (COMMANDS.replace("set_pot 50", "set_pot inf"), "set_pot is 'inf', "),
        (COMMANDS.replace("set_pot 50", "set_pot nan"), "set_pot is 'nan', which is not a number"),
        (
            COMMANDS.replace("set_pot 50", "set_pot 60%"),
            "line 1: set_pot is '60%', but percentages are not allowed; write it as in 60",
        ),
        (COMMANDS + "set_pot 60\n", "line 26: set_pot is given twice, first on line 1; keep one"),
        (
            COMMANDS + "set_bet_sizes oop,river,bet,75\n",
            "set_bet_sizes oop,river,bet is given twice, first on line 10; list all its sizes",
        ),
        (COMMANDS.replace("0.67", "67"), "set_allin_threshold is 67, but it is a share of the"),
        (COMMANDS.replace("0.67", "67"), "from 0 to 1; write 0.67 for 67%"),
        (COMMANDS.replace("0.67", "67%"), "set_allin_threshold is 67%, but it is a share of the"),
        (COMMANDS.replace("0.67", "2"), "set_allin_threshold is 2, but it is a share of the stack"),
        (COMMANDS.replace("0.67", "-1"), "line 15: set_allin_threshold is -1, but it is a share"),
        (COMMANDS.replace("limit 3", "limit 2.5"), "set_raise_limit is 2.5, but it counts raises"),
        (COMMANDS.replace("limit 3", "limit -1"), "set_raise_limit is -1, but it counts raises"),
        (COMMANDS.replace("limit 3", "limit 3%"), "set_raise_limit is '3%', but percentages"),
        (COMMANDS.replace("build_tree", "#Pot#50"), "line 17: '#Pot#50' is a setting of PioSOLVER"),
        (COMMANDS.replace("bet,33", "bet,1000000"), "is above 100,000% of the pot: write 'a' for"),
        (
            SETTINGS.replace("#TreeBuilding", "#Type#PLO\n#TreeBuilding"),
            "#Type#PLO is not no-limit",
        ),
        (
            SETTINGS.replace("Threshold#80", "Threshold#0.8"),
            "in percent of the stack; write 80 for",
        ),
        (
            SETTINGS.replace("Threshold#80", "Threshold#101"),
            "out of range; write a percentage from",
        ),
        (
            SETTINGS.replace("Threshold#80", "Threshold#-1"),
            "out of range; write a percentage from",
        ),
        (
            SETTINGS.replace("#Pot#50", "#Pot#50%"),
            "#Pot# is '50%', but percentages",
        ),
        (SETTINGS + "#Pot#60", "line 26: #Pot# is given twice; keep one of the two lines"),
        (SETTINGS.replace("Betsize#0", "Betsize#220"), "the minimum bet, 220, exceeds the stack"),
        (
            SETTINGS.replace("n#0.05", "n#5%"),
            "percentages are not allowed; write it as in 0.05",
        ),
        (
            SETTINGS.replace("#RiverConfig.BetSize", "#RiverConfg.BetSize"),
            "line 17: #RiverConfg.BetSize# is not a known setting of a tree; did you mean River",
        ),
        (SETTINGS + "#MergeSimilarBets#True", "write #MergeSimilarBets#False and set merge"),
        ('{"board": "KsTh7s4d2s", "blinds": 1}', "'blinds' is not a parameter of nolimit_endgame"),
        ('{"board": "KsTh7s4d2s", "pott": 1}', "; did you mean pot?"),
        (COMMANDS.replace("set_board", "set_bord"), "did you mean set_board or set_pot?"),
        ('{"pot": 3}', "the board is missing"),
        ('{"board": ', "the text is not valid JSON"),
        ("hello", "is not a spot in a supported format"),
    ],
)
def test_mistakes_are_named(text, message):
    with pytest.raises((GameFileError, ParameterError)) as caught:
        parse_spot(text, name="spot.txt")
    assert message in str(caught.value)
    assert "spot.txt" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_files_are_recognized_by_their_content(tmp_path):
    path = tmp_path / "spot.dat"
    for text in (COMMANDS, SETTINGS, json.dumps(RIVER), "\n " + COMMANDS):
        for data in (text.encode(), b"\xef\xbb\xbf" + text.encode(), gzip.compress(text.encode())):
            path.write_bytes(data)
            assert infoset.load(str(path)) == parse_spot(text)
    expected = parse_spot("\n " + COMMANDS, parameters={"pot": 70, "bets": "33%"})
    assert infoset.load(f"{path}(pot=70,bets=33%)") == expected
    assert infoset.load(str(path), pot=70, bets="33%") == expected
    assert (expected.pot, expected.bets, expected.stack) == (70, "33%", 200)
    with pytest.raises(UnknownNameError, match="no parameter 'street'; known: add_all_in"):
        infoset.load(f"{path}(street=river)")
    path.write_bytes(b"set_pot \xff")
    with pytest.raises(GameFileError, match="not valid UTF-8"):
        infoset.load(str(path))
    with pytest.raises(GameFileError, match=r"poker spots \(TexasSolver, PioSOLVER or JSON"):
        infoset.load("missing/spot.txt")


def test_a_spot_is_read_from_a_pipe(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    writer = Thread(target=(tmp_path / "pipe").write_text, args=(COMMANDS,))
    writer.start()
    assert infoset.load(str(tmp_path / "pipe")) == parse_spot(COMMANDS)
    writer.join()
