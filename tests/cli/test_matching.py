"""The command `match`: its output, compared with the library's results, and its exit codes."""

from __future__ import annotations

import os
import re
from dataclasses import asdict
from pathlib import Path

import pytest
from rich.console import Console

import infoset
from infoset.cli.progress import Progress
from infoset.game import history
from infoset.matches.match_statistics import Estimate, MatchResult
from infoset.runs import parallel_map
from infoset.search import make_searcher
from tests.support.own_files import PENNIES

KUHN = infoset.load("kuhn_poker")
TOLL_ROAD = Path(__file__).parents[1] / "efg" / "files" / "games" / "toll_road.efg"
PIMC = "pimc(num_worlds=3)"
MATCH = ("match", "kuhn_poker", PIMC, "uniform")


def plain(result):
    """Return a result as JSON represents it."""
    return {
        name: [{**seat, "interval": [*seat["interval"]]} for seat in value]
        if isinstance(value, tuple)
        else {**value, "interval": [*value["interval"]]}
        if isinstance(value, dict)
        else value
        for name, value in asdict(result).items()
    }


def test_the_numbers_are_those_of_the_library(command):
    found = command(*MATCH, "--deals", "50", "--seed", "4", "--json").json
    result = infoset.play_matches(
        KUHN, make_searcher(PIMC, KUHN), infoset.uniform_policy(), num_deals=50, seed=4
    )
    about = {"game": "kuhn_poker", "first": PIMC, "second": "uniform", "outcome": "deals"}
    assert found == {**about, **plain(result)}


@pytest.mark.broad
def test_policies_on_world_forms_play_by_the_rules(command, tmp_path):
    result = infoset.solve("kuhn_poker", "cfr+", iterations=3, form="world")
    infoset.save_policy(result.policy, tmp_path / "w.parquet")
    found = command(
        *("match", "kuhn_poker", str(tmp_path / "w.parquet"), "uniform", "--deals", "50", "--json")
    ).json
    expected = infoset.play_matches(KUHN, result.policy, infoset.uniform_policy(), num_deals=50)
    assert plain(expected).items() <= found.items()


def test_what_is_printed(command):
    ran = command(*MATCH, "--deals", "50", "--seed", "4")
    assert (ran.code, ran.err) == (0, "")
    title, header, _, *rows, ending = ran.out.splitlines()
    assert title == f"kuhn_poker: {PIMC} against uniform"
    assert header.split() == ["utility", "95%", "interval", "wins", "95%", "interval"]
    assert ending == "50 deals, each in every position; all deals played"
    found = command(*MATCH, "--deals", "50", "--seed", "4", "--json").json
    estimates = [found["utility"], *found["position_utilities"]]
    for row, name, estimate in zip(
        rows, ["all positions", "as player 0", "as player 1"], estimates, strict=True
    ):
        low, high = estimate["interval"]
        assert row.strip().startswith(name)
        assert f" {estimate['mean']:.6g} " in row
        assert f" {low:.6g} to {high:.6g} " in row


def test_files_are_played_on_the_tree_and_exactly(command):
    command("solve", "kuhn_poker", "--method", "lp", "--out", "run")
    policy = "run/policy.parquet"
    tree = infoset.build_tree(KUHN)
    table = infoset.load_policy(policy, tree.sequence_form)
    found = command("match", "kuhn_poker", policy, "uniform", "--json").json
    assert found["num_deals"] == 10_000
    expected = plain(infoset.play_matches(tree, table, None))
    assert {name: found[name] for name in expected} == expected
    arguments = ("match", "kuhn_poker", policy, "uniform", "--json")
    assert command(*arguments, "--workers", "2").json == found
    exact = command("match", "kuhn_poker", policy, "uniform", "--exact", "--json").json
    assert exact["outcome"] == "exact"
    value = infoset.matches.exact_match(tree, table, None)
    assert exact["utility"]["mean"] == value.mean
    low, high = found["utility"]["interval"]
    assert low - 0.01 < value.mean < high + 0.01
    printed = command("match", "kuhn_poker", policy, "uniform", "--exact").out
    assert printed.endswith("computed exactly\n")
    assert " to " not in printed


def test_a_searcher_measured_exactly_is_its_policy(command):
    text = "pimc(num_worlds=2,seed=5)"
    ran = command("match", "kuhn_poker", text, "uniform", "--exact", "--json")
    assert ran.err.startswith("note: the searcher was queried once")
    searcher = make_searcher(text, KUHN)
    exact = infoset.matches.exact_match(infoset.build_tree(KUHN), searcher, None)
    assert ran.json["position_utilities"] == plain(exact)["position_utilities"]


def test_a_policy_of_a_tree_file_is_played(command):
    command("solve", TOLL_ROAD, "--method", "cfr", "--iterations", "4", "--out", "run")
    arguments = ("match", TOLL_ROAD, "run/policy.parquet", "uniform", "--json")
    exact, played = command(*arguments, "--exact"), command(*arguments, "--deals", "2000")
    values = command("evaluate", TOLL_ROAD, "run/policy.parquet", "--json").json["values"]
    assert len(values) == 2
    low, high = played.json["utility"]["interval"]
    assert low < exact.json["utility"]["mean"] < high
    seat = ("play", TOLL_ROAD, "--against", "run/policy.parquet")
    assert command(*seat, stdin="p\n" * 9).code == 0


def in_this_process(work, workers, **options):
    """Take the place of `parallel_map`; what is reported depends on the option only."""
    return parallel_map(work, 1, **options)


def test_late_searches_are_reported(command, monkeypatch):
    text = "ismcts(milliseconds=5)"
    monkeypatch.setattr("infoset.runs.searcher.LATE", -1.0)
    ran = command("match", "kuhn_poker", text, "uniform", "--deals", "3", "--json")
    # On a busy machine, a warning of a search with few simulations comes before the note.
    assert re.search(
        r"^note: ismcts\(milliseconds=5\): (\d+) of \1 searches exceeded their time limit .*$",
        ran.err,
        re.MULTILINE,
    )
    seat = ("play", "kuhn_poker", "--against", text, "--seed", "1")
    assert f"note: {text}: " in command(*seat, stdin="p\n" * 5).err
    monkeypatch.setattr("infoset.matches.match.parallel_map", in_this_process)
    ran = command("match", "kuhn_poker", PIMC, text, "--deals", "3", "--workers", "2")
    assert f"note: {text} has a time budget; overruns are reported only with --workers 1\n" in (
        ran.err
    )


def test_it_stops_when_the_interval_is_narrow(command):
    arguments = ("match", "kuhn_poker", "uniform", "uniform", "--json")
    found = command(*arguments, "--half-width", "0.1").json
    assert (found["outcome"], found["num_deals"]) == ("converged", 1024)
    three = ("match", "kuhn_poker(players=3)", PIMC, "uniform", "--json", "--half-width", "0.001")
    found = command(*three, "--deals", "20").json
    assert (found["outcome"], found["num_deals"]) == ("deals", 20)
    assert len(found["position_utilities"]) == 3


def test_games_that_are_too_large_to_build(command):
    found = command("match", "liars_dice(numdice=5)", PIMC, "uniform", "--deals", "8", "--json")
    assert found.json["win_rate"]["mean"] > 0.5


def test_ctrl_c_saves_the_deals_and_the_match_can_be_resumed(command, monkeypatch, tmp_path):
    def interrupt(progress, result):
        if result.num_deals > 20:
            raise KeyboardInterrupt

    arguments = (*MATCH, "--deals", "60", "--json", "--checkpoint", "kept.json")
    with monkeypatch.context() as patched:
        patched.setattr(Progress, "played", interrupt)
        broken = command(*arguments)
    assert broken.code == 130
    assert broken.json["outcome"] == "interrupted"
    assert 20 < broken.json["num_deals"] < 60
    whole = command(*arguments)
    assert os.listdir(tmp_path) == ["kept.json"]
    os.remove(tmp_path / "kept.json")
    assert whole.json == command(*arguments).json
    assert whole.json["num_deals"] == 60


def test_ctrl_c_before_anything_is_played(command, monkeypatch):
    def interrupt(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(infoset.matches, "play_matches", interrupt)
    ran = command(*MATCH)
    assert (ran.code, ran.out) == (130, "")
    assert ran.err == "interrupted before there were results to save\n"


def test_a_saved_match_belongs_to_one_searcher(command):
    kept = ("--deals", "20", "--checkpoint", "kept.json")
    assert command(*MATCH, *kept).code == 0
    complaint = command("match", "kuhn_poker", "pimc(num_worlds=4)", "uniform", *kept).complaint
    assert "num_worlds=3" in complaint
    assert "num_worlds=4" in complaint


def so_far(num_deals, half_width):
    """Return the result after some deals."""
    utility = Estimate(0.25, half_width / 2, (0.25 - half_width, 0.25 + half_width))
    wins = Estimate(0.5, 0.0, (0.5, 0.5))
    return MatchResult(utility, wins, (utility,) * 2, (wins,) * 2, num_deals, 0)


def test_the_fraction_done_is_that_of_the_nearest_limit():
    progress = Progress("kuhn_poker")
    progress.playing("pimc against uniform", 1000, None)
    assert progress.fraction_done is None
    progress.played(so_far(250, 0.4))
    assert progress.fraction_done == 0.25
    progress.playing("pimc against uniform", 1000, 0.2)
    progress.played(so_far(250, 0.4))
    assert progress.fraction_done == 0.25
    progress.played(so_far(300, 0.25))
    assert progress.fraction_done == pytest.approx(0.64)
    progress.played(so_far(900, 0.0))
    assert progress.fraction_done == 1.0


def test_what_is_shown_meanwhile():
    console = Console(width=90, file=open(os.devnull, "w"), record=True)  # noqa: SIM115
    progress = Progress("kuhn_poker")
    progress.playing("pimc against uniform", 1000, None)
    console.print(progress)
    progress.played(so_far(1250, 0.125))
    console.print(progress)
    console.file.close()
    text = console.export_text()
    assert "kuhn_poker, pimc against uniform" in text
    assert {"1,250", "0.25", "0.12", "50%"} <= set(text.split())


ENDLESS = """
from infoset.game import Game, Observation


class Endless(Game):
    num_players = 2

    def initial_world(self):
        return 0

    def actors(self, world):
        return (1,)

    def legal_actions(self, world, player):
        return ("a", "b")

    def transitions(self, world, joint_action):
        return [(world + 1, 1)]

    def rewards(self, world, joint_action, next_world):
        return (0, 0)

    def observe(self, world, joint_action, next_world):
        return Observation()
"""


CONSTANT_PLAYERS = """
class First:
    def action_probabilities(self, infostate, legal_actions):
        return [1.0, 0.0]

class Last:
    def action_probabilities(self, infostate, legal_actions):
        return [0.0, 1.0]
"""


def test_an_interval_that_nothing_bounds_is_unknown(command, tmp_path):
    (tmp_path / "own.py").write_text(PENNIES + CONSTANT_PLAYERS)
    arguments = ["match", "own.py:Pennies", "own.py:First", "own.py:Last", "--deals", "5"]
    ran = command(*arguments)
    row = next(line for line in ran.out.splitlines() if "as player 0" in line)
    assert row.split()[:5] == ["as", "player", "0", "-1", "unknown"]
    found = command(*arguments, "--json").json
    assert found["position_utilities"][0]["interval"] == [None, None]


@pytest.mark.parametrize(
    "arguments", [["match", "uniform", "uniform"], ["play", "--player", "0"]], ids=["match", "play"]
)
def test_plays_without_end_stop_at_the_time_limit(command, arguments, tmp_path, monkeypatch):
    # No machine makes so many transitions in that time.
    monkeypatch.setattr(history, "MAX_STEPS", 10**9)
    (tmp_path / "endless.py").write_text(ENDLESS)
    verb, *rest = arguments
    ran = command(verb, f"{tmp_path}/endless.py:Endless", *rest, "--seconds", "0.1")
    assert ran.code == 2
    assert "Endless stopped at the time limit of 0.1 s" in ran.err
    assert "--seconds or --memory" in ran.err


def test_a_match_reports_the_deals_until_its_time_limit(command):
    ran = command(
        "match", "kuhn_poker", "uniform", "uniform", "--deals", "10000000", "--seconds", "1"
    )
    assert ran.code == 0
    assert "time limit reached; results of the deals played so far" in ran.out


def test_the_command_names_the_teams(command):
    game = "kuhn_poker(players=4)"
    shown = command("match", game, "uniform", "uniform", "--teams", "0,2/1,3", "--exact").out
    assert "as players 0, 2" in shown
    assert "as players 1, 3" in shown
    complaint = command("match", game, "uniform", "uniform", "--teams", "0,2/1", "--exact").err
    assert "not a partition of the 4 players" in complaint
