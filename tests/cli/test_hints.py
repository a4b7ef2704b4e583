"""Mistakes on the command line, and what the messages say to type instead."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from infoset.cli.app import SYNONYMS, _parser

OWN_FILE = """
from dataclasses import dataclass
import numpy as np
from infoset.games.kuhn_poker import KuhnPoker
from infoset.policy import random_policy

class Mine(KuhnPoker):
    pass

class Half(KuhnPoker):
    pass

def draw(form, budget, seed=0):
    return random_policy(form, np.random.default_rng(seed))

def redraw(form, budget):
    return draw(form, budget)
"""


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["learn", "kuhn_poker", "--iterations", "5"], "did you mean --episodes?"),
        (["train", "kuhn_poker", "--epochs", "5"], "did you mean --steps?"),
        (["solve", "kuhn_poker", "--episodes", "5"], "did you mean --iterations?"),
        (["show", "run", "--contains", "J"], "did you mean --match?"),
        (["prove", "kuhn_poker", "--save", "kuhn.json"], "did you mean --out?"),
        (["explore", "kuhn_poker", "--save", "kuhn.html"], "did you mean --out?"),
        (["play", "kuhn_poker", "--as", "1"], "did you mean --player?"),
        (["solve", "kuhn_poker", "--output", "here"], "did you mean --out?"),
        (["solve", "kuhn_poker", "cfr+"], "give a method as --method cfr+"),
        (["compare", "kuhn_poker", "cfr"], "give a method as --methods cfr"),
        (["play", "kuhn_poker", "pimc"], "give the other players as --against pimc"),
        (["explore", "kuhn_poker", "run"], "give a policy as --policy run"),
        (["compare", "kuhn_poker", "--methods", "cfr", "lp"], "commas, as in --methods cfr,lp\n"),
        (["compare", "kuhn_poker", "--methods", "cfr,", "lp"], "commas, as in --methods cfr,lp\n"),
        (["solve", "kuhn_poker", "--method", "lp", "cfr"], "unexpected extra argument(s) (cfr)\n"),
        (["solve", "kuhn_poker", "--lock", "[J]", "[Q]"], "write --lock before each value"),
        (["show"], "the policy is missing: give GAME POLICY, or a policy file"),
        (["evaluate"], "the policy is missing: give GAME POLICY, or a policy file"),
        (["solve", "kuhn_poker", "--teams", "0/1", "--method", "exact"], "leave out the method"),
        (["solve", "kuhn_poker", "--seed", "1"], "auto draws no random numbers"),
        (["solve", "kuhn_poker(players=3)", "--method", "lp"], "in Python, solve_coarse_corr"),
    ],
)
def test_the_option_that_was_meant_is_named(command, arguments, hint):
    ran = command(*arguments)
    assert ran.code == 2
    assert hint in ran.err


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        (["solve", "kuhn_poker", "--method"], "own.py:draw or own.py:redraw"),
        (["compare", "kuhn_poker", "--methods"], "own.py:draw or own.py:redraw"),
        (["info"], "own.py:Mine or own.py:Half"),
    ],
)
def test_a_file_without_a_name_lists_the_names_in_it(command, arguments, names):
    Path("own.py").write_text(OWN_FILE)
    ran = command(*arguments, "own.py")
    assert ran.code == 2
    assert ran.err.strip().endswith(f"in it: {names}")


def test_too_large_a_game_can_still_be_played(command):
    game = "liars_dice(numdice=20,dice_sides=1)"
    ran = command("solve", game)
    assert ran.code == 2
    assert "raise memory (--memory) or, without building the game" in ran.err
    found = " ".join(command("info", game).out.split())
    hint = found[found.index("infoset match GAME") :].replace("'", "").replace("=50", "=1")
    _, match, _, *players = hint.split()
    played = command(match, game, *players)
    assert played.code == 0
    assert "2 deals" in played.out


def test_an_option_without_a_counterpart_gets_no_guess(command):
    assert "did you mean" not in command("games", "--epochs", "5").err


def test_every_synonym_leads_to_an_option_of_some_command():
    commands = _parser().commands.values()
    known = {option for each in commands for entry in each.params for option in entry.opts}
    assert {option for meant in SYNONYMS.values() for option in meant} <= known


def test_a_comparison_has_no_policies_and_a_seed_is_recorded(command):
    command("compare", "kuhn_poker", "--methods", "cfr+", "--iterations", "2", "--out", "both")
    assert "both is the folder of a comparison" in command("evaluate", "both").err
    Path("own.py").write_text(OWN_FILE)
    for given, seed in ((["--seed", "3"], 3), ([], None)):
        ran = command("solve", "kuhn_poker", "--method", "own.py:draw", *given, "--json")
        assert json.loads(ran.out)["seed"] == seed
    exported = command("export", "kuhn_poker", "--out", "kuhn.efg")
    assert exported.code == 0
    command("solve", "kuhn_poker", "--method", "lp", "--out", "rules")
    ran = command("evaluate", "kuhn.efg", "rules")
    assert "one of the two is an exported file" in ran.err


def test_a_folder_that_is_not_a_run_lists_the_runs_in_it(command):
    command("solve", "kuhn_poker", "--method", "lp")
    ran = command("play", "kuhn_poker", "--against", "runs")
    assert "the folder runs has no policy; runs in it: runs/kuhn_poker-lp" in ran.complaint
    Path("empty").mkdir()
    ran = command("match", "kuhn_poker", "empty", "uniform")
    assert "the folder empty has no policy; give a policy file" in ran.complaint


def test_names_in_a_file_of_ones_own_are_suggested(command):
    Path("mine.py").write_text(OWN_FILE)
    wrong = command("solve", "mine.py:Mine(plyers=2)")
    assert "Mine of mine.py has no parameter 'plyers'; did you mean players?" in wrong.complaint


def test_a_method_of_ones_own_gets_the_seed(command):
    Path("mine.py").write_text(OWN_FILE)
    results = [
        command("solve", "kuhn_poker", "--method", "mine.py:draw", "--seed", seed, "--json").json
        for seed in ("1", "1", "2")
    ]
    values = [result["values"] for result in results]
    assert values[0] == values[1] != values[2]


def test_equal_payoffs_lead_to_team_methods(command):
    note = "note: all players get the same payoff; --method portfolio"
    assert note in command("solve", "cooperative_matching_pennies").err
    assert note not in command("solve", "kuhn_poker").err


def test_unknown_names_list_each_method_once(command):
    listed = command("compare", "kuhn_poker", "--methods", "nosuch").complaint
    names = listed.partition("known: ")[2].split(", ")
    assert len(names) == len(set(names)) > 20


def test_what_is_exact_has_no_interval(command):
    exact = command("match", "kuhn_poker", "uniform", "uniform", "--exact").out
    played = command("match", "kuhn_poker", "uniform", "uniform", "--deals", "50").out
    assert "interval" in played
    assert "interval" not in exact
    assert "  as player 0       0.125   56.25%" in exact.splitlines()


NO_SUCH = "there is no file or folder {}"
IS_GAME = "card.efg is a game, not a policy: infoset solve card.efg computes and saves a policy"
PLACES = [
    (["evaluate", "kuhn_poker", "{}"], True),
    (["respond", "kuhn_poker", "{}"], True),
    (["match", "kuhn_poker", "uniform", "{}"], True),
    (["play", "kuhn_poker", "--against", "{}"], True),
    (["explore", "kuhn_poker", "--out", "x.html", "--against", "{}"], True),
    (["explore", "kuhn_poker", "--out", "x.html", "--policy", "{}"], True),
    (["show", "kuhn_poker", "{}"], False),
    (["play", "kuhn_poker", "--coach", "{}"], False),
    (["draw", "kuhn_poker", "--out", "x.svg", "--policy", "{}"], False),
]
"""Commands with a place for a policy, and whether names such as pimc may stand there."""


@pytest.mark.parametrize(("arguments", "has_names"), PLACES)
def test_what_may_be_a_path_is_named_as_a_path(command, arguments, has_names):
    command("export", "kuhn_poker", "--out", "card.efg")
    Path("card.txt").write_text("EFG")
    Path("runs/first").mkdir(parents=True)
    Path("runs/first/result.json").touch()
    said = {
        **{name: NO_SUCH.format(name) for name in ("runs/frst", "a.efg", "b.parquet", "nofolder")},
        "card.efg": IS_GAME,
        "card.txt": "card.txt cannot be read as a policy: it is not a Parquet file",
        "runs": "the folder runs has no policy; runs in it: runs/first",
    }
    for name, words in said.items():
        complaint = command(*(text.format(name) for text in arguments)).complaint
        assert words in complaint
        assert ("known: " in complaint) == (has_names and name == "nofolder")


@pytest.mark.parametrize("name", ["show", "evaluate", "respond"])
def test_a_game_alone_is_told_from_a_policy(command, name):
    command("export", "kuhn_poker", "--out", "card.efg")
    for game in ("card.efg", "kuhn_poker", "'leduc_poker(num_ranks=4)'".strip("'")):
        complaint = command(name, game).complaint
        assert "the policy is missing: give GAME POLICY, such as" in complaint
        assert f"{game} is a game: 'infoset info' describes" in complaint
    assert (
        "there is no file or folder nofolder; the policy is" in command(name, "nofolder").complaint
    )
    assert "there is no file or folder a/b.parquet" in command(name, "a/b.parquet").complaint


def test_names_come_before_paths_where_they_are_similar(command):
    Path("uniform").mkdir()
    Path("pimc").mkdir()
    assert command("match", "kuhn_poker", "pimc", "uniform", "--deals", "2").code == 0
    assert "unknown player 'pmcts'; did you mean" in command("evaluate", "kuhn_poker", "pmcts").err


def test_subjects_of_a_benchmark_are_files_or_names(command):
    assert "there is no file or folder a/b.txt; give a name" in command("benchmark", "a/b.txt").err
