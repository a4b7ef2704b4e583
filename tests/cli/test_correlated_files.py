"""Correlated policies as POLICY: the commands show, evaluate, match and play."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import infoset
from infoset.errors import PolicyFileError
from infoset.evaluation import CorrelatedPolicy, best_response, save_correlated_policy
from infoset.games import load_game
from infoset.policy import load_policy, mix, read_metadata, save_policy, tabulate
from infoset.tree import build_tree

pytestmark = pytest.mark.broad

GAME = "kuhn_poker(players=3)"


@pytest.fixture(scope="module")
def tree():
    return build_tree(load_game(GAME))


class Always:
    """A policy that always chooses the action with an index."""

    def __init__(self, action):
        self.action = action

    def action_probabilities(self, infostate, legal_actions):
        return np.eye(len(legal_actions))[self.action]


def pure(form, action):
    return tabulate(form, [Always(action)] * form.num_players)


@pytest.fixture
def joint(tree, tmp_path, command):
    """Save the mixture "all bet or all pass", and return it; weights 1 and 3."""
    form = tree.sequence_form
    found = CorrelatedPolicy((pure(form, 1), pure(form, 0)), (1.0, 3.0))
    (tmp_path / "run").mkdir()
    save_correlated_policy(found, "run/correlated_policy.parquet", {"method": "hand"})
    (tmp_path / "run" / "result.json").write_text("{}")
    return found


def probabilities(command, *arguments):
    rows = command("show", *arguments, "--json").json["infostates"]
    return [probability for row in rows for probability in row["probabilities"]]


def test_show_prints_the_average_or_a_component(command, joint):
    average = [p for row in mix(joint.policies, joint.weights).rows() for p in row.probabilities]
    assert probabilities(command, "run") == average
    assert 0.25 in average
    assert probabilities(command, "run", "--component", "1") == [
        p for row in joint.policies[1].rows() for p in row.probabilities
    ]
    first_line = command("show", GAME, "run").out.splitlines()[0]
    assert first_line == f"{GAME}: run, by hand; average of 2 policies"
    assert "has 2 policies" in command("show", "run", "--component", "2").err
    assert "not a correlated" in command("show", GAME, "uniform", "--component", "0").err


def test_evaluate_measures_the_cce_gap(command, joint):
    found = command("evaluate", "run", "--json").json
    expected = joint.evaluate()
    assert found["cce_gap"] == expected.cce_gap
    assert found["values"] == list(expected.values)
    assert found["num_policies"] == 2
    text = command("evaluate", "run").out
    assert "CCE gap" in text
    assert "one of 2 policies is drawn" in text


def test_match_draws_one_policy_for_all(command, joint):
    found = command("match", GAME, "run", "run", "--exact", "--json").json
    # All bet or all pass: nobody folds, so the cards alone decide. Independent draws would differ.
    assert np.allclose(found["utility"]["mean"], sum(joint.evaluate().values) / 3)
    means = [position["mean"] for position in found["position_utilities"]]
    assert np.allclose(means, joint.evaluate().values)


@pytest.mark.parametrize("seed", range(6))
def test_play_draws_a_policy_for_each_hand(command, joint, seed):
    ran = command(
        "play",
        GAME,
        "--player",
        "2",
        "--against",
        "run",
        "--seed",
        seed,
        "--json",
        stdin="pass\n\n" * 8,
    )
    for hand in ran.json["hands"]:
        others = {
            line.split(": ")[1].split(" ")[0]
            for line in hand["transcript"]
            if ". player 0:" in line or ". player 1:" in line
        }
        assert len(others) <= 1
    hands = [hand["transcript"] for hand in ran.json["hands"] if hand["finished"]]
    assert len(hands) >= 3


def test_readers_of_single_policies_refuse_it(command, joint, tree):
    with pytest.raises(PolicyFileError, match="load_correlated_policy"):
        infoset.load_policy("run")
    with pytest.raises(PolicyFileError, match="load_correlated_policy"):
        load_policy("run/correlated_policy.parquet", tree.sequence_form)
    assert read_metadata("run/correlated_policy.parquet")["method"] == "hand"


def test_the_average_stands_for_it_where_a_single_policy_is_needed(command, joint, tree):
    average = joint.average()
    save_policy(average, "average.parquet")
    note = "note: run is a correlated policy; its average stands for it"
    ran = command("respond", GAME, "run", "--player", "1")
    assert note in ran.err
    (folder,) = Path("runs").iterdir()
    mine = infoset.load_policy(folder).probabilities
    response = best_response(average, 1).policy.probabilities
    assert all(map(np.array_equal, mine, response))
    assert note in command("draw", GAME, "--policy", "run", "--out", "mixed.svg").err
    command("draw", GAME, "--policy", "average.parquet", "--out", "same.svg")
    assert Path("mixed.svg").read_bytes() == Path("same.svg").read_bytes()
    coached = [
        command("play", GAME, "--coach", policy, "--seed", "3", stdin="!\n1\n1\n1\n")
        for policy in ("run", "average.parquet")
    ]
    assert coached[0].out == coached[1].out
    assert note in coached[0].err


def test_learned_runs_are_shown_by_their_folder(command):
    ran = command("learn", GAME, "--method", "balanced-omd", "--episodes", "20", "--out", "made")
    line = ran.out.splitlines()[-1]
    assert line == "to print the policy: infoset show made/correlated_policy.parquet"
    assert command("show", "made").out.splitlines()[0].endswith("average of 20 policies")
