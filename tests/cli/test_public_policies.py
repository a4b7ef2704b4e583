"""Commands with policies on public forms."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import infoset
from infoset.errors import GameTooLargeError
from infoset.front import form_choice, game_sources
from infoset.policy import TabularPolicy, save_policy, transfer_policy
from tests.support.cached_games import cached_random_policies, cached_tree

LARGE = "leduc_poker(num_ranks=50)"


@pytest.fixture
def small(command):
    """Solve Leduc poker on its public form, and return the command and the folder."""
    ran = command("solve", "leduc_poker", "--form", "public", "--iterations", 20, "--out", "run")
    assert ran.code == 0
    return command


def test_titles_shorten_long_ranges(command):
    pairs = ",".join(f"{rank}{rank}" for rank in "AKQJT98765432")
    game = f"nolimit_endgame(board=Ks9d8h4s2c,bets=a,ranges=['{pairs},T9s,98s,87s,76s,65s,54s';AA])"
    options = ("--method", "dcfr", "--form", "public", "--iterations", 2, "--out", "run")
    title, *_, last = command("solve", game, *options).out.splitlines()
    shown = f"nolimit_endgame(board=Ks9d8h4s2c,bets=a,ranges=['{pairs},T...';AA]), dcfr"
    assert title == shown
    assert last == (
        "to print the policy: infoset show run; "
        "add --by-node for action frequencies and EV at each node"
    )


@pytest.mark.broad
def test_solve_says_which_form_it_chose(command, tmp_path):
    ran = command("solve", LARGE, "--iterations", 2, "--out", "run", "--storage", "uint8")
    assert "form    " in ran.out
    assert "public form (3,011 public nodes, 100 × 100 hands" in " ".join(ran.out.split())
    assert "exploitability as stored" in ran.out
    written = json.loads((tmp_path / "run/result.json").read_text())
    assert written["form"] == "public"
    about = infoset.policy.read_metadata(tmp_path / "run/policy.parquet")
    assert (about["storage"], about["method"]) == ("uint8", "dcfr+")
    assert about["parameters"]["num_ranks"] == 50
    measured = command("evaluate", "run", "--json").json
    assert measured["exploitability"] == about["measured"]["exploitability"]
    assert measured["exploitability"] != written["exploitability"]


@pytest.mark.broad
def test_evaluate_says_which_form_it_chose(command):
    reason = command("evaluate", LARGE, "uniform", "--json").json["form_reason"]
    assert reason.startswith("public form (3,011 public nodes, 100 × 100 hands")
    shown = " ".join(command("evaluate", LARGE, "uniform").out.split())
    assert f"measured on the {reason}" in shown
    assert "measured on" not in command("evaluate", "kuhn_poker", "uniform").out


def test_numbers_are_given_with_the_pot(command):
    river = "nolimit_endgame(board=Ks9d8h4s2c,pot=80,dead=20,ranges=[QQ+;AK])"
    ran = command("solve", river, "--form", "public", "--target", "0.5%pot", "--out", "run")
    found = command("evaluate", "run", "--json").json
    assert found["exploitability"] <= 0.4
    assert found["initial_pot"] == {"size": 80.0, "contributions": [30.0, 30.0]}
    result = json.loads((Path("run") / "result.json").read_text())
    assert result["initial_pot"] == found["initial_pot"]
    share = f"({100 * found['exploitability'] / 80:.3g}% of the pot)"
    totals = [f"({value + 30:.6g} with the pot)" for value in found["values"]]
    assert sum(found["values"]) == pytest.approx(20)
    for shown in (ran.out, command("evaluate", "run").out):
        assert all(text in shown for text in (share, *totals))
    # Before the size of the game is counted.
    for name in ("solve", "compare"):
        refused = command(name, "goofspiel", "--target", "0.5%pot").complaint
        assert "goofspiel does not begin with a pot: give a percentage of the payoff" in refused
        assert "is not a number" in command(name, "goofspiel", "--target", "pot").complaint
    assert command("evaluate", "kuhn_poker", "uniform", "--json").json["initial_pot"] is None


def test_frequencies_are_shown_by_node(command):
    ran = command("solve", "leduc_poker", "--form", "public", "--iterations", 20, "--out", "run")
    rows = command("show", "run", "--by-node", "--json").json["nodes"]
    first = rows[0]
    assert (first["node"], first["player"]) == ("(start)", 0)
    assert first["probability"] == pytest.approx(1)
    assert sum(first["frequencies"]) == pytest.approx(1)
    pairs = zip(first["actions"], first["frequencies"], strict=True)
    texts = [f"{action} {share:.3f}" for action, share in pairs if share >= 0.0005]
    shown = "  ".join(texts)
    assert f"first decision               {shown}" in ran.out
    for row in rows:
        if row["node"] in ("call", "raise"):
            pairs = zip(row["actions"], row["frequencies"], strict=True)
            after = "  ".join(f"{name} {part:.3f}" for name, part in pairs if part >= 0.0005)
            assert f"after {row['node']:22} {after}" in ran.out
    assert shown in command("show", "run", "--by-node").out
    assert first["values"] == pytest.approx(command("evaluate", "run", "--json").json["values"])
    for row in rows:
        if None not in row["values"]:
            assert sum(row["values"]) == pytest.approx(0, abs=1e-12)
    # Half of the infostates are those of player 1: each node has six hands, or five.
    policy = infoset.load_policy("run")
    assert len(rows) == sum(map(len, policy.form.decisions))
    early = command("show", "run", "--by-node", "--depth", 1, "--player", 1, "--json").json["nodes"]
    assert [row["node"] for row in early] == ["call", "raise"]
    raised = command("show", "run", "--by-node", "--match", "raise / raise", "--json").json["nodes"]
    assert raised == [row for row in rows if "raise / raise" in row["node"]]
    top = command("show", "run", "--by-node", "--top", 3, "--json").json["nodes"]
    assert len(top) == 3
    none = command("show", "run", "--by-node", "--match", "zzz").out
    assert none.splitlines()[1:] == ["no public node agrees with the options"]
    assert min(row["probability"] for row in top) >= sorted(row["probability"] for row in rows)[-3]
    tree = command("show", "kuhn_poker", "uniform", "--by-node", "--json").json["nodes"]
    assert [row["frequencies"] for row in tree] == [[0.5, 0.5]] * 4
    for option in (["--csv"], ["--component", 0]):
        assert "--by-node cannot" in command("show", "run", "--by-node", *option).complaint
    refused = command("show", "goofspiel(num_cards=3)", "uniform", "--by-node").complaint
    assert "has no public form" in refused


def test_options_of_solve_that_do_not_fit(command):
    assert "unknown storage 'uint9'" in command("solve", LARGE, "--storage", "uint9").complaint
    assert "unknown storage 'int4'" in command("solve", LARGE, "--storage", "int4").complaint
    assert "unknown form 'tree'" in command("solve", LARGE, "--form", "tree").complaint
    refused = command("solve", LARGE, "--method", "lp").complaint
    assert "lp does not run on public forms" in refused
    assert "(--method sapdcfr+)" in refused
    refused = command("solve", "leduc_poker", "--method", "lp", "--form", "public").complaint
    assert "lp needs the matrix of payoffs by pairs of sequences" in refused
    refused = command("solve", "tiny_hanabi", "--method", "portfolio", "--form", "public")
    assert refused.code == 2


def test_evaluate_measures_one_policy_or_two(small):
    whole = small("evaluate", "run", "--json").json
    result = infoset.evaluate("leduc_poker", "run")
    assert whole["values"] == list(result.values)
    both = small("evaluate", "leduc_poker", "run", "uniform", "--json").json
    expected = infoset.evaluate("leduc_poker", ["run", "uniform"])
    assert both["values"] == list(expected.values)
    assert both["security_levels"] == list(expected.security_levels)
    assert small("evaluate", "run", "uniform", "--json").json == both
    shown = small("evaluate", "leduc_poker", "run", "uniform").out
    assert "leduc_poker: run, uniform" in shown
    assert shown.count("security level of player") == 2
    refused = small("evaluate", "leduc_poker", "run", "uniform", "uniform").complaint
    assert "got 3 policies; leduc_poker has 2 players" in refused
    refused = small("evaluate", "leduc_poker", "run", "uniform", "--lower-bound").complaint
    assert "--lower-bound cannot be combined with 2 policies" in refused
    refused = small("evaluate", "liars_dice(dice_sides=2)", "run").complaint
    assert "holds a policy for leduc_poker, not for liars_dice(dice_sides=2)" in refused


@pytest.mark.broad
def test_evaluate_prints_hands(small, tmp_path):
    found = small("evaluate", "run", "--by-hand", "--json").json["hands"]
    expected = infoset.evaluate_hands("leduc_poker", "run")
    for one, columns in zip(expected, found, strict=True):
        assert columns["hand"] == ["Js", "Jh", "Qs", "Qh", "Ks", "Kh"]
        assert columns["value"] == one.values.tolist()
        assert columns["gain"] == one.gains.tolist()
    shown = small("evaluate", "leduc_poker", "run", "uniform", "--by-hand").out
    assert shown.count("Kh") == 2
    assert "player 1" in shown
    shown = small("evaluate", LARGE, "uniform", "--by-hand").out
    assert shown.count("the 60 hands whose gains count most, of 100") == 2
    # Tabular policies of games with a public form have values by hand, too.
    save_policy(cached_random_policies("kuhn_poker")[0], tmp_path / "kuhn.parquet")
    assert small("evaluate", "kuhn.parquet", "--by-hand").out.count(" Q ") == 2
    assert "no public form" in small("evaluate", "matrix_mp", "uniform", "--by-hand").complaint


@pytest.mark.broad
def test_show_prints_hands_and_lines(small):
    whole = small("show", "run").out
    assert "player 0: 468 infostates" in whole
    some = small("show", "leduc_poker", "run", "--match", "[Ks] / raise", "--depth", 1)
    lines = [line for line in some.out.splitlines() if "[Ks]" in line]
    assert [line.split()[2:5] for line in lines] == [["[Ks]", "/", "raise"]]
    records = small("show", "run", "--json", "--top", 2).json["infostates"]
    assert len(records) == 4
    policy = infoset.load_policy("run")
    for record in records:
        hand, _, line = record["infostate"].partition(" / ")
        expected = policy[hand.strip("[]"), line or "(start)"]
        assert dict(zip(record["actions"], record["probabilities"], strict=True)) == expected
    lines = small("show", "run", "--csv").out.splitlines()
    assert lines[0] == "player,infostate,own_reach,action,probability"
    assert "[50s]" in small("show", LARGE, "uniform", "--match", "[50s]", "--depth", 1).out


@pytest.mark.broad
def test_respond_saves_a_best_response(small):
    found = small("respond", "run", "--player", 1, "--out", "best", "--json").json
    expected = infoset.evaluate("leduc_poker", "run")
    assert found["gain"] == pytest.approx(expected.gains[1], abs=1e-12)
    loaded = infoset.load_policy("best")
    assert isinstance(loaded, TabularPolicy)
    values = infoset.evaluate("leduc_poker", ["run", "best"]).values
    assert values[1] == pytest.approx(found["value"], abs=1e-12)
    assert small("respond", LARGE, "uniform", "--out", "large").code == 0


@pytest.mark.broad
def test_match_plays_without_the_tree(small):
    ran = small("match", "leduc_poker", "run", "uniform", "--deals", 200, "--json").json
    exact = small("match", "leduc_poker", "run", "uniform", "--exact", "--json").json
    low, high = ran["utility"]["interval"]
    assert low - 1 < exact["utility"]["mean"] < high + 1
    values = [
        infoset.evaluate("leduc_poker", ["run", "uniform"]).values[0],
        infoset.evaluate("leduc_poker", ["uniform", "run"]).values[1],
    ]
    assert exact["utility"]["mean"] == pytest.approx(sum(values) / 2, abs=1e-12)


@pytest.mark.broad
def test_play_against_a_policy_of_a_large_game(command):
    command("solve", LARGE, "--iterations", 2, "--out", "run")
    ran = command(
        "play", LARGE, "--against", "run", "--seed", 1, stdin="call\ncall\ncall\ncall\nq\n"
    )
    assert ran.code == 0
    assert "game over" in ran.out


def too_large(*arguments, **options):
    raise GameTooLargeError("the game does not fit", {})


def test_the_coach_knows_public_forms(small, monkeypatch):
    on_tree = transfer_policy(infoset.load_policy("run"), cached_tree("leduc_poker"))
    save_policy(on_tree, "tree.parquet")
    play = ["play", "leduc_poker", "--seed", 4, "--coach"]
    keys = {"stdin": "!\nraise\n!\ncall\ncall\ncall\nq\n"}
    wanted = small(*play, "tree.parquet", **keys)
    for module in (form_choice, game_sources):
        monkeypatch.setattr(module, "build_sequence_form", too_large)
    found = small(*play, "run", **keys)
    assert found.out == wanted.out
    assert "the coach plays" in found.out
    assert "your decisions cost" in found.out


def test_a_match_is_computed_on_the_public_form_if_no_tree_fits(small, monkeypatch):
    infoset.policy.save_policy_csv(infoset.load_policy("run"), "run.csv")
    match = ["match", "leduc_poker", "run.csv", "uniform", "--exact", "--json"]
    wanted = small(*match).json
    monkeypatch.setattr(infoset.tree, "build_tree", too_large)
    found = small(*match).json
    for name in ("utility", "win_rate"):
        assert found[name]["mean"] == pytest.approx(wanted[name]["mean"], abs=1e-12)
    same = small("match", "leduc_poker", "run", "run", "--exact").out
    assert same.splitlines()[3].split()[2:] == ["0", "50%"], "without rounding errors"
    refused = small("match", "matrix_mp", "uniform", "uniform", "--exact").complaint
    assert "the game does not fit" in refused


def test_files_of_both_forms_come_to_the_same(small):
    on_tree = transfer_policy(infoset.load_policy("run"), cached_tree("leduc_poker"))
    save_policy(on_tree, "tree.parquet")
    measured = [
        small("evaluate", "leduc_poker", *names, "--json").json["values"]
        for names in (["run"], ["tree.parquet"], ["run", "tree.parquet"])
    ]
    assert measured[1] == pytest.approx(measured[0], abs=1e-12)
    assert measured[2] == pytest.approx(measured[0], abs=1e-12)
    played = [
        small("match", "leduc_poker", *names, "--exact", "--json").json["utility"]["mean"]
        for names in (["run", "uniform"], ["tree.parquet", "uniform"])
    ]
    assert played[0] == pytest.approx(played[1], abs=1e-12)
