"""The commands `games`, `info`, `evaluate` and `show`."""

from __future__ import annotations

import csv
import io
from functools import partial
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import infoset
import infoset.front
from infoset.cli.commands.info import describe, remarks
from infoset.cli.options import MaxWorldsOption
from infoset.front import GameInfo
from infoset.games import GAMES
from infoset.search import exploitability_lower_bound, search_model
from infoset.tree import world_contraction
from infoset.tree.limits import DEFAULT_LIMITS

INFO_KEYS = {
    "game",
    "num_players",
    "world_states",
    "histories",
    "terminals",
    "infostates",
    "acting_infostates",
    "public_states",
    "sequences",
    "two_player_zero_sum",
    "constant_sum",
    "perfect_recall",
}
ONE_CARD = Path(__file__).parents[1] / "efg" / "files" / "games" / "one_card_poker.efg"
HUGE = "liars_dice(numdice=20,dice_sides=1)"


def test_games_lists_every_game(command):
    shown = command("games")
    assert shown.code == 0
    for name in GAMES:
        assert f" {name} " in shown.out
    assert "num_ranks=-1*" in shown.out
    assert "openspiel:NAME(...)" in shown.out


def test_games_as_json(command):
    games = {entry["name"]: entry for entry in command("games", "--json").json["games"]}
    assert set(games) == set(GAMES)
    assert games["matrix_mp"]["aliases"] == ["matching_pennies"]
    players, *_ = games["kuhn_poker"]["parameters"]
    assert players == {
        "name": "players",
        "default": 2,
        "required": False,
        "allowed": "a whole number from 2 to 10",
        "meaning": "Number of players.",
        "addition": False,
    }
    required = {p["name"] for p in games["matrix_game"]["parameters"] if p["required"]}
    assert required == {"row_payoffs"}


def test_info_of_kuhn_poker(command):
    found = command("info", "kuhn_poker", "--json").json
    assert {key: found[key] for key in INFO_KEYS} == {
        "game": "kuhn_poker",
        "num_players": 2,
        "world_states": 55,
        "histories": 55,
        "terminals": 30,
        "infostates": [37, 37],
        "acting_infostates": [6, 6],
        "public_states": 25,
        "sequences": [13, 13],
        "two_player_zero_sum": True,
        "constant_sum": 0.0,
        "perfect_recall": True,
    }


def test_info_as_text(command):
    lines = command("info", "kuhn_poker").out.splitlines()
    assert lines[0] == "kuhn_poker"
    assert "  sequences             13 each" in lines
    assert "  two-player zero-sum   yes" in lines
    assert all(line == line.rstrip() for line in lines)


def test_info_says_what_a_game_lacks(command):
    found = command("info", "matrix_pd", "--json").json
    assert found["two_player_zero_sum"] is False
    assert found["constant_sum"] is None
    three = command("info", "kuhn_poker(players=3)", "--json").json
    assert three["two_player_zero_sum"] is False
    assert three["constant_sum"] == 0.0


@pytest.mark.parametrize(
    ("arguments", "histories", "sequences"),
    [
        ([HUGE], 2_199_023_255_552, [1_099_511_627_776] * 2),
        (["kuhn_poker", "--memory", "1"], 55, None),
    ],
)
def test_a_game_too_large_to_build_is_described_all_the_same(
    command, arguments, histories, sequences
):
    found = command("info", *arguments, "--json")
    assert found.code == 0
    assert found.json["histories"] == histories
    assert found.json["fits"] is False
    assert found.json["is_exact"] is True
    assert found.json["forecast_bytes"] > 28 * histories
    assert found.json["infostates"] is found.json["public_states"] is None
    # The world form knows its size without listing anything, if its sets of worlds fit.
    assert found.json["sequences"] == sequences
    assert (found.json["acting_infostates"] is None) == (sequences is None)
    assert found.json["world_form_fits"] is False
    assert set(found.json) >= INFO_KEYS
    shown = command("info", *arguments)
    assert shown.code == 0
    assert f"{histories:,}" in shown.out
    assert "memory to build" in shown.out
    assert "too large for the memory limit" in shown.out
    assert "≥" not in shown.out


@pytest.mark.parametrize(
    ("game", "model", "said"),
    [
        ("kuhn_poker", "GraphModel", "compiled (GraphModel)"),
        ("liars_dice(numdice=2,dice_sides=2)", "DiceModel", "compiled (DiceModel)"),
        ("trick_taking(num_cards=6)", "TricksModel", "compiled (TricksModel)"),
        (ONE_CARD, None, "-"),
    ],
)
def test_how_a_game_is_searched(command, game, model, said):
    assert command("info", game, "--json").json["search_model"] == model
    (line,) = [line for line in command("info", game).out.splitlines() if "search model" in line]
    assert line.removeprefix("  search model").strip() == said
    if model is not None:
        assert type(search_model(infoset.load(game))).__name__ == model


def test_a_game_too_large_to_explore_is_searched_by_its_rules(monkeypatch):
    found = infoset.front.info("leduc_poker", max_worlds=300)
    assert found.search_model == "RulesModel"
    assert describe(found)["search model"] == "by the rules (slow)"
    selection = import_module("infoset.search.models.selection")
    monkeypatch.setattr(selection, "MAX_WORLDS", 300)
    assert infoset.front.info("leduc_poker").search_model == "RulesModel"
    assert type(search_model(infoset.load("leduc_poker"))).__name__ == "RulesModel"


def test_searchers_are_measured(command):
    ran = command("evaluate", "kuhn_poker", "pimc(num_worlds=None)", "--json")
    assert ran.err.startswith("note: the searcher was queried once")
    searcher = infoset.make_searcher("pimc(num_worlds=None)", infoset.load("kuhn_poker"))
    assert ran.json["gains"] == [*infoset.evaluate("kuhn_poker", searcher).gains]
    assert command("evaluate", ONE_CARD, "pimc(num_worlds=None)").code == 0
    assert (
        "public_weight is 2" in command("evaluate", "kuhn_poker", "pimc(public_weight=2)").complaint
    )


def test_exploitability_is_bounded_by_responses(command):
    bounded = ("evaluate", "kuhn_poker", "pimc(num_worlds=None)", "--lower-bound", "--deals", "100")
    responder = ("--responder", "ismcts(num_simulations=300)")
    ran = command(*bounded, *responder, "--seed", "4", "--json")
    assert ran.err.startswith("note: the searcher was queried once")
    game = infoset.load("kuhn_poker")
    found = exploitability_lower_bound(
        game,
        infoset.make_searcher("pimc(num_worlds=None)", game),
        responder="ismcts(num_simulations=300)",
        num_deals=100,
        seed=4,
    )
    assert 0 < found.exploitability_lower_bound < 1 / 6  # the exploitability
    assert ran.json["exploitability_lower_bound"] == found.exploitability_lower_bound
    assert ran.json["nash_conv_lower_bound"] == 2 * found.exploitability_lower_bound
    assert ran.json["gain"]["mean"] == found.gain.mean
    assert ran.json["responder"] == "ismcts(num_simulations=300)"
    shown = command(*bounded[:4], "--deals", "30", *responder).out
    assert shown.splitlines()[-1] == "30 deals, each in both positions; confidence 97.5%"
    assert "exploitability at least" in shown


@pytest.mark.parametrize("option", ["responder", "deals", "seed", "workers"])
def test_options_of_the_bound_need_the_bound(command, option):
    complaint = command("evaluate", "kuhn_poker", "uniform", f"--{option}", "30").complaint
    assert f"--{option} needs --lower-bound" in complaint


def test_a_bound_needs_a_two_player_constant_sum_game(command):
    for game in ("kuhn_poker(players=3)", "matrix_pd"):
        complaint = command("evaluate", game, "uniform", "--lower-bound").complaint
        assert "exploitability is defined only for two-player constant-sum games" in complaint


def test_solving_needs_less_memory_than_the_tree(command):
    found = command("info", "liars_dice(dice_sides=4)", "--json").json
    assert 0 < found["solving_bytes"] < found["forecast_bytes"]
    assert found["solving_fits"] is True
    memory = str((found["solving_bytes"] + found["forecast_bytes"]) // 2)
    tight = command("info", "liars_dice(dice_sides=4)", "--memory", memory)
    assert "infoset solve does not build the tree" in tight.out
    tight = command("info", "liars_dice(dice_sides=4)", "--memory", memory, "--json").json
    assert (tight["fits"], tight["solving_fits"]) == (False, True)
    least = str(found["solving_bytes"] - 1)
    least = command("info", "liars_dice(dice_sides=4)", "--memory", least, "--json").json
    assert least["solving_fits"] is False


def test_a_game_too_large_to_explore_has_lower_bounds(command, monkeypatch):
    game = "goofspiel(num_cards=4)"
    whole = infoset.front.info(game)
    monkeypatch.setattr(infoset.front, "info", partial(infoset.front.info, max_worlds=300))
    shown = command("info", game)
    assert shown.code == 0
    assert shown.out.count("≥ ") >= 4
    assert "lower bounds" in shown.out
    found = command("info", game, "--json")
    assert found.code == 0
    assert found.json["is_exact"] is False
    assert 300 < found.json["histories"] < whole.histories
    assert found.json["two_player_zero_sum"] is None


def test_a_game_too_large_to_explore_is_not_solved(command, monkeypatch):
    monkeypatch.setattr(
        import_module("infoset.front.form_choice"),
        "build_sequence_or_world_form",
        partial(infoset.tree.build_sequence_or_world_form, max_worlds=300),
    )
    assert "world states" in command("solve", "goofspiel(num_cards=4)").complaint


def test_what_stopped_the_visit_is_said(command):
    shown = command("info", "goofspiel(num_cards=4)", "--max-worlds", "300")
    assert shown.code == 0
    assert (
        "there are more world states than the limit (--max-worlds): ≥ marks lower bounds"
        in shown.out
    )
    assert "infoset match GAME 'ismcts(milliseconds=50)' uniform --deals 2" in shown.out
    asked = command("info", "goofspiel(num_cards=4)", "--max-worlds", "300", "--json")
    assert asked.json["stop"] == "worlds"
    large = command("info", "goofspiel(num_cards=30)", "--seconds", "0.01", "--json").json
    assert (large["stop"], large["is_exact"]) == ("seconds", False)


def test_json_has_numbers_of_many_digits_as_text(command, tmp_path):
    (tmp_path / "long.py").write_text(LONG)
    shown = command("info", "long.py:Long", "--json").json
    assert (shown["world_states"], shown["histories"]) == (101, str(2**101 - 1))
    assert shown["terminals"] == str(2**100)


LONG = """
from infoset import Game, Observation

class Long(Game):
    num_players = 1
    def initial_world(self): return 0
    def actors(self, w): return (0,) if w < 100 else ()
    def legal_actions(self, w, p): return ("a", "b")
    def transitions(self, w, a): return [(w + 1, 1)] if w < 100 else []
    def rewards(self, w, a, n): return (0,)
    def observe(self, w, a, n): return Observation()
"""


def test_after_ctrl_c_info_prints_lower_bounds(command, monkeypatch):
    import infoset.games.leduc_poker as leduc

    def interrupt(game, betting, action):
        raise KeyboardInterrupt

    monkeypatch.setattr(leduc.LeducPoker, "_next_betting", interrupt)
    shown = command("info", "leduc_poker")
    assert shown.code == 130
    assert "interrupted: ≥ marks lower bounds" in shown.out


@pytest.mark.parametrize("verb", ["solve", "evaluate", "show", "prove", "compare", "learn"])
def test_every_verb_that_builds_has_the_limits(command, verb):
    policy = ["uniform"] if verb in ("evaluate", "show") else []
    complaint = command(verb, "goofspiel(num_cards=4)", *policy, "--max-worlds", "300").complaint
    assert "at least 301 world states" in complaint
    assert "raise max_worlds (--max-worlds)" in complaint
    large = [verb, "goofspiel(num_cards=30)", *policy, "--build-seconds", "0.01"]
    assert "raise max_seconds (--build-seconds)" in command(*large).complaint


def test_the_limit_on_world_states_that_help_shows_is_the_default():
    # Help does not import the library, which takes a second.
    (option,) = MaxWorldsOption.__metadata__
    assert option.show_default == str(DEFAULT_LIMITS.max_worlds)


def test_texts_of_numbers_of_any_size():
    found = GameInfo(
        game="g",
        num_players=3,
        world_states=10**6,
        histories=10**400,
        terminals=1,
        infostates=(5, 6, 7),
        public_states=12345,
        is_exact=False,
        forecast_bytes=10**402,
        fits=False,
        notes=("the loader has this to say",),
    )
    texts = describe(found)
    assert texts["world states"] == "≥ 1,000,000"
    assert texts["infostates"] == "5, 6, 7"
    assert texts["histories"] == "≥ 1.00e+400"
    assert texts["memory to build"] == "≥ 1.00e+390 TB"
    assert remarks(found)[0] == "the loader has this to say"


def test_a_saved_world_graph_gives_the_same_numbers_and_is_replaced_if_damaged(command):
    first = command("info", "leduc_poker", "--cache", "graphs", "--json")
    (path,) = Path("graphs").glob("leduc_poker-*.graph")
    written = path.stat().st_mtime_ns
    again = command("info", "leduc_poker", "--cache", "graphs", "--json")
    assert again.json == first.json
    assert not again.err
    assert path.stat().st_mtime_ns == written
    path.write_bytes(b"no graph")
    damaged = command("info", "leduc_poker", "--cache", "graphs", "--json")
    assert damaged.json == first.json
    assert damaged.err.startswith(f"warning: {path} is not used and will be replaced: not an")
    assert path.stat().st_mtime_ns != written


def test_a_saved_world_form_gives_the_same_numbers_and_is_replaced_if_damaged(command, monkeypatch):
    monkeypatch.setattr(world_contraction, "MANY_HISTORIES", 100)
    game = "dark_hex(num_rows=2,num_cols=2)"
    evaluate = ("evaluate", game, "uniform", "--cache", "graphs", "--json")
    first = command(*evaluate)
    assert "world form" in first.json["form_reason"]
    (path,) = Path("graphs").glob("dark_hex-*.form")
    written = path.stat().st_mtime_ns
    again = command(*evaluate)
    assert again.json == first.json
    assert not again.err
    assert path.stat().st_mtime_ns == written
    path.write_bytes(b"no form")
    damaged = command(*evaluate)
    assert damaged.json == first.json
    assert damaged.err.startswith(f"warning: {path} is not used and will be replaced: not an")


def test_evaluate_uniform(command):
    found = command("evaluate", "kuhn_poker", "uniform", "--json").json
    assert found["game"] == "kuhn_poker"
    assert found["values"] == pytest.approx([0.125, -0.125])
    assert found["gains"] == pytest.approx([0.375, 13 / 24])
    assert found["nash_conv"] == pytest.approx(11 / 12)
    assert found["exploitability"] == pytest.approx(11 / 24)
    shown = command("evaluate", "kuhn_poker", "uniform").out
    assert "0.916667" in shown
    assert "0.458333" in shown


@pytest.mark.parametrize("game", ["matrix_pd", "kuhn_poker(players=3)"])
def test_exploitability_is_null_where_it_is_not_defined(command, game):
    found = command("evaluate", game, "uniform", "--json").json
    assert found["exploitability"] is None
    assert found["nash_conv"] > 0
    *_, largest, words = command("evaluate", game, "uniform").out.splitlines()
    assert words.startswith(f"a Nash equilibrium up to {largest.split()[-1]}: ")
    assert float(largest.split()[-1]) == pytest.approx(max(found["gains"]), rel=1e-5)


def test_evaluate_marks_rounding_as_solve_does(command):
    solved = command("solve", "matrix_rps", "--method", "lp", "--out", "run").out
    assert "which may be rounding" in solved
    assert command("evaluate", "matrix_rps", "run").out.count("which may be rounding") == 4


@pytest.mark.broad
def test_evaluate_says_what_teams_are_sure_of(command):
    game = "kuhn_poker(players=3)"
    options = ["--teams", "0,1/2", "--rule", "sum"]
    solved = command("solve", game, *options, "--iterations", "50", "--out", "run", "--json").json
    ran = command("evaluate", game, "run", *options, "--json").json
    for key in ("teams", "payoffs", "security_levels"):
        assert np.allclose(np.hstack(ran[key]), np.hstack(solved[key])), key
    lines = command("evaluate", game, "run", *options).out.splitlines()
    assert lines[1].split() == ["team", "payoff", "security", "level"]
    assert [line.split("  ")[1] for line in lines[-2:]] == ["0, 1", "2"]
    assert "--rule sum" in command("evaluate", game, "run", *options[:2]).complaint
    one = command("evaluate", game, "run", "--teams", "0,1,2", "--rule", "sum")
    assert "give at least two" in one.complaint
    assert "--rule needs --teams" in command("evaluate", game, "run", *options[2:]).err


def test_evaluate_a_file(command):
    solved = command("solve", "kuhn_poker", "--iterations", "50", "--out", "run", "--json").json
    found = command("evaluate", "kuhn_poker", "run/policy.parquet", "--json").json
    for key in ("values", "nash_conv", "exploitability"):
        assert found[key] == pytest.approx(solved[key], rel=1e-12)


def test_show_as_text(command):
    lines = command("show", "kuhn_poker", "uniform").out.splitlines()
    assert lines[0] == "kuhn_poker: uniform"
    assert "player 0: 6 infostates" in lines
    assert "    1.000  reached  [J]               pass 0.500  bet 0.500" in lines
    assert "    0.500  reached  [K] / pass / bet  pass 0.500  bet 0.500" in lines


def test_show_as_csv_has_every_action_with_all_digits(command):
    command("solve", "kuhn_poker", "--iterations", "50", "--out", "run")
    shown = command("show", "kuhn_poker", "run/policy.parquet", "--csv")
    rows = list(csv.DictReader(io.StringIO(shown.out)))
    assert len(rows) == 24
    assert list(rows[0]) == ["player", "infostate", "own_reach", "action", "probability"]
    result = infoset.solve("kuhn_poker", iterations=50)
    for row in rows:
        expected = result.policy[row["infostate"], int(row["player"])][row["action"]]
        assert float(row["probability"]) == expected


def test_show_as_json(command):
    command("solve", "kuhn_poker", "--iterations", "50", "--method", "cfr", "--out", "run")
    found = command("show", "kuhn_poker", "run/policy.parquet", "--json").json
    assert found["game"] == "kuhn_poker"
    assert found["metadata"]["method"] == "cfr"
    assert len(found["infostates"]) == 12
    for row in found["infostates"]:
        names = {"player", "infostate", "own_reach", "status", "actions", "probabilities"}
        assert set(row) == names
        assert row["actions"] == ["pass", "bet"]
        assert sum(row["probabilities"]) == pytest.approx(1)
    assert command("show", "kuhn_poker", "uniform", "--json").json["metadata"] is None


def test_show_omits_rare_infostates_and_reports_this(command):
    command("solve", "matrix_pd", "--out", "run")
    lines = command("show", "matrix_pd", "run/policy.parquet").out.splitlines()
    assert lines[0] == "matrix_pd: run/policy.parquet, by auto"
    assert "below 0.0005 are omitted" in lines[-1]


def test_what_show_prints_as_csv_can_be_evaluated(command, tmp_path):
    solved = command("solve", "kuhn_poker", "--iterations", "50", "--out", "run", "--json").json
    shown = command("show", "kuhn_poker", "run/policy.parquet", "--csv")
    (tmp_path / "mine.csv").write_text(shown.out, encoding="utf-8")
    found = command("evaluate", "kuhn_poker", "mine.csv", "--json").json
    assert found["exploitability"] == pytest.approx(solved["exploitability"], rel=1e-12)
    assert command("show", "kuhn_poker", "mine.csv", "--csv").out == shown.out
    assert command("show", "kuhn_poker", "mine.csv", "--json").json["metadata"] is None
    assert command("show", "kuhn_poker", "mine.csv").out.startswith("kuhn_poker: mine.csv\n")


def test_a_csv_that_is_wrong_is_refused_with_its_place(command, tmp_path):
    (tmp_path / "mine.CSV").write_text("player,infostate,action,probability\n0,[J],fold,1\n")
    complaint = command("evaluate", "kuhn_poker", "mine.CSV").complaint
    assert "mine.CSV, line 2, column action: 'fold' is not legal" in complaint


def test_leaks_of_a_policy(command):
    lines = command("evaluate", "kuhn_poker", "uniform", "--leaks", "--top", 2).out.splitlines()
    assert lines[0] == "kuhn_poker: uniform"
    assert lines[2].split()[:8] == ["0.25", "27.3%", "1", "[K]", "/", "bet", "1.5", "bet"]
    assert lines[-1] == "2 of 11 suboptimal decisions, 40.9% of NashConv 0.916667"
    found = command("evaluate", "kuhn_poker", "uniform", "--leaks", "--json").json
    assert len(found["leaks"]) == 11
    assert sum(leak["cost"] for leak in found["leaks"]) == pytest.approx(found["nash_conv"])
    assert found["leaks"][0]["best"] == "bet"
    for by, count in (("line", 4), ("hand", 6), ("action", 4)):
        groups = command("evaluate", "kuhn_poker", "uniform", "--leaks", "--by", by, "--json").json
        assert groups["by"] == by
        assert len(groups["leaks"]) == count
        assert sum(one["cost"] for one in groups["leaks"]) == pytest.approx(found["nash_conv"])
    shown = command("evaluate", "kuhn_poker", "uniform", "--leaks", "--by", "line", "--top", 1).out
    assert shown.splitlines()[-1] == "1 of 4 groups by line, 45.5% of NashConv 0.916667"
    best = ("uniform", "uniform", "--leaks", "--json")
    assert command("evaluate", "kuhn_poker", *best).json["nash_conv"] == found["nash_conv"]


def test_leaks_of_hands_are_added_up_by_class(command):
    river = "nolimit_endgame(board=Ks9d8h4s2c,bets=a,ranges=['AA,AKs';'QQ'])"
    rows = command("evaluate", river, "uniform", "--leaks", "--by", "hand", "--json").json["leaks"]
    assert {(row["player"], row["text"]) for row in rows} == {(0, "AA"), (0, "AKs"), (1, "QQ")}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--top", 3), "--top needs --leaks"),
        (("--by", "hand"), "--by needs --leaks"),
        (("--leaks", "--by", "card"), "unknown by 'card'"),
        (("--leaks", "--by-hand"), "--leaks cannot be combined with --by-hand"),
        (("--leaks", "--lower-bound"), "--lower-bound cannot be combined with --leaks"),
        (("--leaks", "--teams", "0/1"), "--teams cannot be combined with --leaks"),
    ],
)
def test_options_of_leaks_that_do_not_fit(command, options, message):
    assert message in command("evaluate", "kuhn_poker", "uniform", *options).complaint
