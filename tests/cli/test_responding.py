"""The command `respond`: a best response as a policy that other commands read."""

from __future__ import annotations

import numpy as np
import pytest

import infoset
from infoset.evaluation import best_response, expected_values
from infoset.experiments import check_results
from infoset.policy import tabulate
from infoset.search import make_searcher
from tests.support.cached_games import cached_tree


@pytest.mark.parametrize("player", [0, 1, 2])
def test_the_saved_policy_is_a_best_response(command, player):
    name = "kuhn_poker(players=3)"
    uniform = infoset.uniform_policy(cached_tree(name).sequence_form)
    expected = best_response(uniform, player)
    found = command("respond", name, "uniform", "--player", player, "--out", "own", "--json").json
    assert found["value"] == expected.value
    assert found["gain"] == expected.value - expected_values(uniform)[player]
    assert found["gain"] > 0.05
    saved = infoset.load_policy("own")
    for one, other in zip(saved.probabilities, expected.policy.probabilities, strict=True):
        np.testing.assert_array_equal(one, other)
    assert check_results("own")["value"] == expected.value
    gains = infoset.evaluate(saved).gains
    assert gains[player] < 1e-12
    assert max(gains) > 0.05


def test_a_file_and_a_searcher_are_responded_to(command):
    command("solve", "kuhn_poker", "--method", "lp", "--out", "run")
    assert abs(command("respond", "run", "--json").json["gain"]) < 1e-12
    assert command("respond", "run").out.splitlines()[-1] == (
        "to play against it: infoset play kuhn_poker --player 1 "
        "--against runs/kuhn_poker-response-0-2"
    )
    text = "pimc(num_worlds=5,seed=3)"
    ran = command("respond", "kuhn_poker", text, "--player", "1", "--json")
    tree = cached_tree("kuhn_poker")
    searcher = make_searcher(text, infoset.load("kuhn_poker"))
    table = tabulate(tree.sequence_form, [searcher, searcher])
    assert ran.json["value"] == best_response(table, 1).value
    assert "queried once at each infostate" in ran.err


def test_there_must_be_such_a_player_and_policy(command):
    assert (
        "there is no player 2"
        in command("respond", "kuhn_poker", "uniform", "--player", "2").complaint
    )
    assert "the policy is missing" in command("respond", "kuhn_poker").complaint


def test_the_command_to_play_names_the_file_of_an_own_game(command, tmp_path):
    (tmp_path / "own.py").write_text(
        "from infoset.games import KuhnPoker\n\n\nclass Own(KuhnPoker):\n    name = 'own'\n"
    )
    ran = command("respond", "own.py:Own", "uniform", "--player", "0")
    assert "infoset play own.py:Own --player 1 --against" in ran.out.splitlines()[-1]
