"""What is said to those who give text, or another object, where a function takes one kind."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import infoset
from infoset import evaluation, policy, regret, solvers
from infoset.errors import ParameterError, PolicyFileError, UnknownNameError

KUHN = infoset.build_tree(infoset.load("kuhn_poker"))
FORM = KUHN.sequence_form
UNIFORM = infoset.uniform_policy(FORM)
CFR = regret.SCHEMES["cfr"]
TEMPERATURE = 0.1

TAKE_POLICIES = {
    "best_response": lambda given: evaluation.best_response(given, 0),
    "evaluate_policy": evaluation.evaluate_policy,
    "expected_values": evaluation.expected_values,
    "exploitability": evaluation.exploitability,
    "nash_conv": evaluation.nash_conv,
    "quantal_gap": lambda given: solvers.quantal_gap(given, TEMPERATURE),
    "save_policy": lambda given: policy.save_policy(given, "policy.parquet"),
    "save_policy_csv": lambda given: policy.save_policy_csv(given, "policy.csv"),
    "mix": lambda given: policy.mix([UNIFORM, given], [1, 1]),
    "distance": lambda given: policy.distance(given, UNIFORM),
}

TAKE_FORMS = {
    "uniform_policy": policy.uniform_policy,
    "random_policy": lambda given: policy.random_policy(given, np.random.default_rng(0)),
    "load_policy": lambda given: policy.load_policy("policy.parquet", given),
    "make_budget": lambda given: solvers.make_budget(given, target=0.1),
    "RegretMinimizer": lambda given: regret.RegretMinimizer(given, CFR),
    **{
        name: lambda given, name=name: solvers.METHODS[name].run(
            given, solvers.Budget(iterations=1)
        )
        for name in ("cfr+", "lp", "mmd", "egt", "cfr-br", "rtcfr+", "reg-cfr", "xfp", "auto")
    },
}


@pytest.mark.parametrize("name", TAKE_POLICIES)
@pytest.mark.parametrize("given", ["kuhn_poker", KUHN, FORM, None])
def test_what_takes_policies_says_how_to_make_one(name, given):
    with pytest.raises(
        ParameterError, match=r"^policy.* give a TabularPolicy, such as infoset\.so"
    ):
        TAKE_POLICIES[name](given)


@pytest.mark.parametrize("name", TAKE_FORMS)
@pytest.mark.parametrize("given", ["kuhn_poker", KUHN, UNIFORM])
def test_what_takes_sequence_forms_says_how_to_make_one(name, given):
    with pytest.raises(ParameterError, match=r"^form.* give a SequenceForm, such as infoset\.bui"):
        TAKE_FORMS[name](given)


@pytest.mark.parametrize("name", ["cfr+", "lp", "mmd", "xfp", "cfr-br"])
@pytest.mark.parametrize("given", [None, 1000])
def test_budgets_are_no_numbers(name, given):
    with pytest.raises(ParameterError, match=r"^budget=.* give a Budget, such as Budget\(iter"):
        solvers.METHODS[name].run(FORM, given)


def test_a_share_of_payoffs_beyond_floating_point():
    vast = infoset.matrix_game([[1e308, -1e308], [-1e308, 1e308]])
    for method in ("cfr+", "lp"):
        with pytest.raises(ParameterError, match=r"go from -1e\+308 to 1e\+308, a range beyond"):
            infoset.solve(vast, method)


@pytest.mark.parametrize("path", ["", ".", Path()])
def test_a_folder_is_no_policy(path):
    with pytest.raises(PolicyFileError, match="is a folder; give the name of a file"):
        infoset.evaluate("kuhn_poker", path)


def test_behaviour_is_of_extensive_forms():
    with pytest.raises(ParameterError, match="form='kuhn_poker' is of type str; give an Extensive"):
        infoset.behavior_values("kuhn_poker")


def test_a_scheme_by_name_is_none():
    with pytest.raises(ParameterError, match=r"scheme='cfr' is of type str; give a RegretScheme"):
        regret.RegretMinimizer(FORM, "cfr")


@pytest.mark.parametrize("player", [2, -1, "0", True, 0.5])
def test_players_there_are_not(player):
    message = rf"there is no player {player!r}; kuhn_poker has players 0 to 1"
    with pytest.raises(ParameterError, match=message):
        infoset.best_response(UNIFORM, player)
    with pytest.raises(ParameterError, match=message):
        infoset.draw("kuhn_poker", player=player)


@pytest.mark.parametrize("given", [5, None, UNIFORM])
def test_only_games_are_drawn(given):
    with pytest.raises(ParameterError, match="give a name such as"):
        infoset.draw(given)


def test_a_name_that_is_no_text():
    with pytest.raises(UnknownNameError, match="unknown precision 32; known: float32, float64"):
        infoset.solve("kuhn_poker", "cfr", precision=32)


@pytest.mark.parametrize("save", [policy.save_policy, policy.save_policy_csv])
def test_policies_that_cannot_be_written(save, tmp_path: Path):
    with pytest.raises(PolicyFileError, match="cannot be written: No such file or directory; give"):
        save(UNIFORM, tmp_path / "nowhere" / "policy.csv")
    (tmp_path / "folder").mkdir()
    with pytest.raises(PolicyFileError, match="cannot be written: Is a directory; give"):
        save(UNIFORM, tmp_path / "folder")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]
