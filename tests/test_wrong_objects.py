"""Errors for arguments of the wrong type: their class, parameter and fix.

The tests check the first word (the parameter or the value) and the suggested call, not the wording
between.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

import infoset
from infoset import (
    benchmark,
    certificates,
    evaluation,
    experiments,
    learning,
    policy,
    regret,
    runs,
    solvers,
)
from infoset.errors import ParameterError, PolicyFileError, TrajectoryError, UnknownNameError

pytestmark = pytest.mark.broad


@cache
def kuhn_tree():
    return infoset.build_tree(infoset.load("kuhn_poker"))


@cache
def kuhn_form():
    return kuhn_tree().sequence_form


@cache
def uniform():
    return infoset.uniform_policy(kuhn_form())


CFR = regret.SCHEMES["cfr"]


@cache
def kuhn_simulator():
    return learning.make_simulator(kuhn_tree())


@pytest.fixture
def given(request):
    """Build the object that a parameter is a function for."""
    return request.param() if callable(request.param) else request.param


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
    "mix": lambda given: policy.mix([uniform(), given], [1, 1]),
    "distance": lambda given: policy.distance(given, uniform()),
    "evaluate_cce": lambda given: evaluation.evaluate_cce([uniform(), given]),
    "evaluate_efce": lambda given: evaluation.evaluate_efce([given]),
    "joint_distribution": lambda given: evaluation.joint_distribution([given]),
    "CorrelatedPolicy": lambda given: evaluation.CorrelatedPolicy((given,), (1.0,)),
    "switch_between": lambda given: learning.switch_between([given]),
}

TAKE_FORMS = {
    "uniform_policy": policy.uniform_policy,
    "random_policy": lambda given: policy.random_policy(given, np.random.default_rng(0)),
    "load_policy": lambda given: policy.load_policy("policy.parquet", given),
    "make_budget": lambda given: runs.make_budget(given, target=0.1),
    "RegretMinimizer": lambda given: regret.RegretMinimizer(given, CFR),
    "payoff_scale": solvers.payoff_scale,
    "CCEEvaluator": evaluation.CCEEvaluator,
    "EFCEEvaluator": evaluation.EFCEEvaluator,
    **{
        name: lambda given, name=name: solvers.METHODS[name].run(given, runs.Budget(iterations=1))
        for name in (
            "cfr+",
            "lp",
            "mmd",
            "egt",
            "cfr-br",
            "rtcfr+",
            "reg-cfr",
            "rnad",
            "xfp",
            "auto",
        )
    },
}


@pytest.mark.parametrize("name", TAKE_POLICIES)
@pytest.mark.parametrize("given", ["kuhn_poker", kuhn_tree, kuhn_form, None], indirect=True)
def test_functions_of_policies_name_the_fix(name, given):
    with pytest.raises(ParameterError, match=r"^policy.*TabularPolicy.*infoset\.solve"):
        TAKE_POLICIES[name](given)


@pytest.mark.parametrize("name", TAKE_FORMS)
@pytest.mark.parametrize("given", ["kuhn_poker", kuhn_tree, uniform], indirect=True)
def test_functions_of_forms_name_the_fix(name, given):
    with pytest.raises(
        ParameterError, match=r"^form.*(SequenceForm|give a form of a game).*infoset\.build"
    ):
        TAKE_FORMS[name](given)


JOINT = {
    name: getattr(evaluation, name)
    for name in ("evaluate_cce", "evaluate_efce", "joint_distribution", "CorrelatedPolicy")
}


@pytest.mark.parametrize("name", JOINT)
@pytest.mark.parametrize("given", [5, "kuhn_poker", uniform, kuhn_tree], indirect=True)
def test_correlated_policies_take_lists_of_policies_and_weights(name, given):
    with pytest.raises(ParameterError, match=r"^policies.*list"):
        JOINT[name](given, [1])
    with pytest.raises(ParameterError, match=r"^weights.*list"):
        JOINT[name]([uniform()], given)
    with pytest.raises(ParameterError, match=r"^weight=None.*finite number"):
        JOINT[name]([uniform()], [None])


@pytest.mark.parametrize("name", learning.LEARNERS)
def test_learners_take_simulators_and_numbers_of_episodes(name):
    for given in ("kuhn_poker", kuhn_tree(), kuhn_form(), None):
        with pytest.raises(ParameterError, match=r"^simulator.*make_simulator"):
            learning.LEARNERS[name].self_play(given, horizon=10)
    play = learning.LEARNERS[name].self_play(kuhn_simulator(), horizon=10)
    for episodes in (0.5, "10", None, -1):
        with pytest.raises(ParameterError, match=r"^episodes=.*whole number"):
            play.run(episodes)
    assert play.iteration == 0


def test_trackers_of_learners_check_numbers_of_episodes():
    play = learning.RegretTracker(
        learning.LEARNERS["ixomd"].self_play(kuhn_simulator(), horizon=10)
    )
    against = learning.AdversarialPlay(
        "ixomd", kuhn_simulator(), learning.switch_between([uniform()]), horizon=10
    )
    for runner in (play, against):
        with pytest.raises(ParameterError, match=r"episodes=0\.5.*whole number"):
            runner.run(0.5)


@pytest.mark.parametrize(
    "given", ["kuhn_poker", kuhn_form, lambda: kuhn_tree().game], indirect=True
)
def test_simulators_take_game_trees(given):
    with pytest.raises(ParameterError, match=r"^tree.*GameTree.*infoset\.build"):
        learning.make_simulator(given)
    with pytest.raises(ParameterError, match=r"^simulator.*make_simulator"):
        learning.tree_size(given, 0)


@pytest.mark.parametrize("given", [5, "door", [5], [("door", "left")]])
def test_own_trees_take_lists_of_decisions(given):
    with pytest.raises(ParameterError, match=r"decision.*Decision\("):
        learning.make_own_tree(0, given)


@pytest.mark.parametrize("given", [5, "bet", 0.5])
def test_actions_are_lists(given):
    with pytest.raises(ParameterError, match=r"actions of 'door'=.*list"):
        learning.make_own_tree(0, [learning.Decision("door", given)])
    row = learning.get_learner("ixomd", step_sizes=(0.1, 0.01))
    learner = learning.make_learner(row, player=0, utility_range=(-1, 1), horizon=10)
    with pytest.raises(TrajectoryError, match=r"legal_actions=.*list"):
        learner.act("door", given)


@pytest.mark.parametrize("given", [5, None, "ixomd"])
def test_players_are_a_list(given):
    with pytest.raises(ParameterError, match=r"^players.*list"):
        learning.play_and_learn(infoset.load("kuhn_poker"), given, episodes=1)


TAKE_PATHS = {
    "save_policy": lambda given: policy.save_policy(uniform(), given),
    "load_policy": lambda given: policy.load_policy(given, kuhn_form()),
    "read_metadata": policy.read_metadata,
    "load_correlated_policy": lambda given: evaluation.load_correlated_policy(given, kuhn_form()),
    "read_checkpoint": runs.read_checkpoint,
    "check_writable": lambda given: experiments.check_writable(given),
    "save_run": lambda given: experiments.save_run(
        infoset.solve("matrix_mp", "cfr", iterations=1), given
    ),
}


@pytest.mark.parametrize("name", TAKE_PATHS)
@pytest.mark.parametrize("given", [5, ["runs"], 0.5])
def test_paths_are_strings_or_path_objects(name, given):
    with pytest.raises(ParameterError, match=r"^(path|folder).*path"):
        TAKE_PATHS[name](given)


TAKE_RESULTS = {
    "save_run": experiments.save_run,
    "save_learning": experiments.save_learning,
    "learning_files": experiments.learning_files,
    "save_comparison": experiments.save_comparison,
    "a comparison of": lambda given: experiments.save_comparison([given]),
}


@pytest.mark.parametrize("name", TAKE_RESULTS)
def test_only_results_are_saved(name):
    with pytest.raises(ParameterError, match=r"result.*(solve|learn|compare)"):
        TAKE_RESULTS[name]("kuhn_poker")


def test_studies_are_looked_up_by_name():
    with pytest.raises(ParameterError, match=r"study=5.*balanced"):
        experiments.get_study(5)


@pytest.mark.parametrize("function", [solvers.average_policy, solvers.current_policy])
def test_policies_are_read_from_minimizers(function):
    with pytest.raises(ParameterError, match=r"^minimizer=5.*RegretMinimizer"):
        function(5)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"rule": 5}, "rule=5.*function"),
        ({"name": 5}, "name=5"),
        ({"schedule": 5}, "schedule=5.*call"),
        ({"num_arrays": 0}, "num_arrays=0.*at least 1"),
        ({"average_exponent": "1"}, "average_exponent='1'.*finite number"),
    ],
)
def test_custom_methods_check_their_fields(fields, message):
    with pytest.raises(ParameterError, match=message):
        solvers.LocalMethod(**{"name": "mine", "rule": print, **fields})


@pytest.mark.parametrize(
    ("minimum", "message"),
    [
        (5, r"min_probability=5.*1.*0\.01"),
        ("0.1", "min_probability='0.1'.*finite number"),
        (None, "min_probability=None.*finite number"),
    ],
)
def test_perturbed_methods_take_probabilities_and_methods(minimum, message):
    with pytest.raises(ParameterError, match=message):
        solvers.PerturbedMethod(minimum)
    with pytest.raises(ParameterError, match=r"^method=5.*name"):
        solvers.PerturbedMethod(0.1, 5)


@pytest.mark.parametrize("verb", [infoset.solve, infoset.learn, infoset.build_tree])
def test_progress_is_a_function(verb):
    with pytest.raises(ParameterError, match=r"progress=5.*call"):
        verb(infoset.load("matrix_mp"), progress=5)


def test_draws_take_a_generator():
    joint = evaluation.CorrelatedPolicy((uniform(),), (1.0,))
    with pytest.raises(ParameterError, match=r"^rng=5.*default_rng"):
        joint.draw(5)


@pytest.mark.parametrize("name", ["cfr+", "lp", "mmd", "xfp", "cfr-br"])
@pytest.mark.parametrize("given", [None, 1000])
def test_budgets_are_not_numbers(name, given):
    with pytest.raises(ParameterError, match=r"^budget=.*Budget\("):
        solvers.METHODS[name].run(kuhn_form(), given)


def test_payoff_ranges_beyond_floating_point_are_refused():
    vast = infoset.matrix_game([[1e308, -1e308], [-1e308, 1e308]])
    for method in ("cfr+", "lp"):
        with pytest.raises(ParameterError, match=r"-1e\+308.*1e\+308"):
            infoset.solve(vast, method)


@pytest.mark.parametrize("path", ["", ".", Path()])
def test_a_folder_is_not_a_policy(path):
    with pytest.raises(PolicyFileError, match=r"(no file|folder . has no policy).*policy file"):
        infoset.evaluate("kuhn_poker", path)


def test_behavior_values_take_extensive_forms():
    with pytest.raises(ParameterError, match=r"form='kuhn_poker'.*ExtensiveForm"):
        infoset.evaluation.behavior_values("kuhn_poker")


def test_minimizers_take_schemes_not_names():
    with pytest.raises(ParameterError, match=r"scheme='cfr'.*RegretScheme"):
        regret.RegretMinimizer(kuhn_form(), "cfr")


@pytest.mark.parametrize("player", [2, -1, "0", True, 0.5])
def test_unknown_players_are_refused(player):
    message = rf"player {player!r}.*0 to 1"
    with pytest.raises(ParameterError, match=message):
        infoset.best_response(uniform(), player)
    if player != "0":  # pictures take numbers as text, and names
        with pytest.raises(ParameterError, match=message):
            infoset.draw("kuhn_poker", player=player)


@pytest.mark.parametrize("given", [5, None, uniform], indirect=True)
def test_only_games_are_drawn(given):
    with pytest.raises(ParameterError, match="name"):
        infoset.draw(given)


def test_names_are_strings():
    with pytest.raises(UnknownNameError, match=r"precision 32.*float32"):
        infoset.solve("kuhn_poker", "cfr", precision=32)


@pytest.mark.parametrize("save", [policy.save_policy, policy.save_policy_csv])
def test_policies_that_cannot_be_written(save, tmp_path: Path):
    name = "policy.csv" if save is policy.save_policy_csv else "policy.parquet"
    with pytest.raises(PolicyFileError, match="cannot be written"):
        save(uniform(), tmp_path / "nowhere" / name)
    (tmp_path / "folder").mkdir()
    with pytest.raises(PolicyFileError, match="cannot be written"):
        save(uniform(), tmp_path / "folder")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


KNOWN_VALUES = {
    "verify_certificate": certificates.verify_certificate,
    "guaranteed_bounds": lambda given: certificates.guaranteed_bounds(given, []),
    "read_certificate": certificates.read_certificate,
    "save_certificate": lambda given: certificates.save_certificate(given, "c.json"),
    "verify_file": certificates.verify_file,
    "make_certificate": lambda given: evaluation.make_certificate(given, kuhn_tree()),
    "load_pack": infoset.games.load_pack,
    "get_pack_entry": infoset.games.get_pack_entry,
    "zoo_path": policy.zoo_path,
    "find_subject": benchmark.find_subject,
    "score_subject": lambda given: benchmark.score_subject("cfr+", games=given),
    "save_card": lambda given: benchmark.save_card(given, "card"),
    "check_board_entry": benchmark.check_board_entry,
    "read_board": benchmark.read_board,
}


@pytest.mark.parametrize("name", KNOWN_VALUES)
@pytest.mark.parametrize("given", [5, {"kuhn_poker": 1}])
def test_certificates_packs_and_benchmarks_name_the_fix(name, given):
    with pytest.raises(ParameterError, match="give"):
        KNOWN_VALUES[name](given)
