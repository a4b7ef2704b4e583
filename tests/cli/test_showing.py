"""The commands `show` and `evaluate` with files and folders, and the infostates that are shown."""

from __future__ import annotations

from pathlib import Path
from shutil import copytree

import pytest

import infoset
from infoset.experiments import save_run

ONE_CARD = Path(__file__).parents[1] / "efg" / "files" / "games" / "one_card_poker.efg"


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """Solve Leduc poker, and save the run."""
    folder = tmp_path_factory.mktemp("saved") / "run"
    save_run(infoset.solve("leduc_poker(num_ranks=2)", "lp"), folder)
    return folder


@pytest.fixture(scope="module")
def policy(saved):
    """Load the policy, of which a test receives a copy of the files."""
    return infoset.load_policy(saved)


@pytest.fixture
def run(command, saved, policy):
    """Copy the run to the folder `run` of a test, and return the policy."""
    copytree(saved, "run")
    return policy


def test_the_command_that_shows_a_policy_is_named(command):
    ran = command("solve", "kuhn_poker", "--method", "lp", "--out", "run")
    assert ran.out.splitlines()[-1] == "to print the policy: infoset show run"


def shown(command, *options):
    """Return the infostates of each player that a command shows, as pairs with their own reach."""
    rows = command("show", "run", *options, "--json").json["infostates"]
    return [(row["player"], row["infostate"], row["own_reach"]) for row in rows]


def test_a_folder_and_its_file_are_the_same_policy(command, run):
    whole = shown(command)
    assert len(whole) == len(list(run.rows()))
    for arguments in (["run/policy.parquet"], ["leduc_poker(num_ranks=2)", "run"]):
        rows = command("show", *arguments, "--json").json["infostates"]
        assert [(r["player"], r["infostate"], r["own_reach"]) for r in rows] == whole
    numbers = [command("evaluate", *given, "--json").json["nash_conv"] for given in (["run"],)]
    assert numbers == [infoset.evaluate(run).nash_conv]
    assert command("match", "leduc_poker(num_ranks=2)", "run", "uniform", "--exact").code == 0


def test_infostates_are_chosen_by_player_text_and_reach(command, run):
    whole = shown(command)
    assert shown(command, "--player", "1") == [row for row in whole if row[0] == 1]
    assert shown(command, "--match", "[Ks]") == [row for row in whole if "[Ks]" in row[1]]
    reached = [row for row in whole if row[2] >= 0.0005]
    assert shown(command, "--reached") == reached
    assert 0 < len(reached) < len(whole)
    text = command("show", "run", "--reached", "--player", "0").out
    count = sum(row[0] == 0 for row in reached)
    assert f"player 0: {count:,} of {sum(row[0] == 0 for row in whole):,} infostates" in text


def test_depth_counts_own_decisions(command, run):
    first = shown(command, "--depth", "1")
    # Before the first decision, only the own card and actions of the opponent have been observed.
    assert {row[1].count("/") for row in first if row[0] == 0} == {0}
    assert {row[1].count("/") for row in first if row[0] == 1} == {1}
    assert all(row[2] == 1.0 for row in first)
    assert len(first) < len(shown(command, "--depth", "2")) < len(shown(command))
    assert shown(command, "--depth", "9") == shown(command)


def test_top_keeps_the_largest_reach_of_each_player(command, run):
    whole, top = shown(command), shown(command, "--top", "7")
    for player in (0, 1):
        reaches = sorted((row[2] for row in whole if row[0] == player), reverse=True)
        kept = [row for row in top if row[0] == player]
        assert sorted((row[2] for row in kept), reverse=True) == reaches[:7]
        assert kept == [row for row in whole if row in kept], "in the usual order"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["show", "kuhn_poker"], "the policy is missing: give GAME POLICY"),
        (["evaluate", "kuhn_poker"], "the policy is missing: give GAME POLICY"),
        (["show", "run", "--player", "2"], "there is no player 2"),
        (["show", "run", "--csv", "--top", "3"], "--csv prints everything"),
        (["show", "kuhn_poker", "run"], "not for kuhn_poker"),
        (["show", "nowhere.csv"], "there is no file or folder nowhere.csv"),
    ],
)
def test_errors_say_what_is_missing(command, run, arguments, says):
    assert says in command(*arguments).complaint


def test_the_file_of_an_unknown_game_needs_the_game(command):
    ran = command("solve", ONE_CARD, "--out", "card")
    assert ran.out.splitlines()[-1] == f"to print the policy: infoset show {ONE_CARD} card"
    complaint = command("show", "card").complaint
    assert "which is not known by name" in complaint
    assert "give the game before the policy" in complaint
    assert command("show", ONE_CARD, "card").code == 0


def test_a_folder_with_several_policies_asks_for_one(command):
    command("learn", "kuhn_poker", "--episodes", "1e2", "--seeds", "2", "--out", "two")
    assert "give one of: policy-0.parquet, policy-1.parquet" in command("show", "two").complaint
    assert command("show", "two/policy-1.parquet").code == 0


def test_a_folder_that_does_not_exist_is_named(command):
    assert "there is no file or folder runs/kuhn; give" in command("show", "runs/kuhn").err
    assert "the policy is missing" in command("show", "kuhn_poker").err


def test_a_hand_is_matched_in_any_order_and_case_of_its_cards(command):
    game = "nolimit_endgame(board=Ks9d8h4s2c,bets=[1],ranges=['AsAh,QdQc';'JdJc'])"
    for text in ("AhAs", "[AhAs]", "AsAh", "[AHas]", "a♥A♠"):
        shown = command("show", game, "uniform", "--match", text).out
        assert "[AsAh] " in shown
        assert "[QdQc] " not in shown


def test_no_match_is_said(command):
    assert "no infostate agrees" in command("show", "kuhn_poker", "uniform", "--match", "zzz").out
