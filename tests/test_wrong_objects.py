"""What is said to those who give text, or another object, where a function takes one kind."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import infoset
from infoset import evaluation, experiments, learning, policy, regret, runs, solvers
from infoset.errors import ParameterError, PolicyFileError, TrajectoryError, UnknownNameError

KUHN = infoset.build_tree(infoset.load("kuhn_poker"))
FORM = KUHN.sequence_form
UNIFORM = infoset.uniform_policy(FORM)
CFR = regret.SCHEMES["cfr"]
SIMULATOR = learning.make_simulator(KUHN)
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
    "evaluate_cce": lambda given: evaluation.evaluate_cce([UNIFORM, given]),
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


JOINT = {
    name: getattr(evaluation, name)
    for name in ("evaluate_cce", "evaluate_efce", "joint_distribution", "CorrelatedPolicy")
}


@pytest.mark.parametrize("name", JOINT)
@pytest.mark.parametrize("given", [5, "kuhn_poker", UNIFORM, KUHN])
def test_joint_play_is_of_lists_with_numbers(name, given):
    with pytest.raises(ParameterError, match=r"^policies.* give a list of policies, such as \["):
        JOINT[name](given, [1])
    with pytest.raises(ParameterError, match=r"^weights.* give a list of numbers, one per"):
        JOINT[name]([UNIFORM], given)
    with pytest.raises(ParameterError, match=r"^weight=None must be a finite number$"):
        JOINT[name]([UNIFORM], [None])


@pytest.mark.parametrize("name", learning.LEARNERS)
def test_learners_play_on_simulators(name):
    for given in ("kuhn_poker", KUHN, FORM, None):
        with pytest.raises(ParameterError, match=r"^simulator.* give infoset.learning.make_sim"):
            learning.LEARNERS[name].self_play(given, horizon=10)
    play = learning.LEARNERS[name].self_play(SIMULATOR, horizon=10)
    for episodes in (0.5, "10", None, -1):
        with pytest.raises(ParameterError, match=r"^episodes=.* must be a whole number, at least"):
            play.run(episodes)
    assert play.iteration == 0


def test_so_do_those_who_measure_them():
    play = learning.RegretTracker(learning.LEARNERS["ixomd"].self_play(SIMULATOR, horizon=10))
    against = learning.AdversarialPlay(
        "ixomd", SIMULATOR, learning.switch_between([UNIFORM]), horizon=10
    )
    for runner in (play, against):
        with pytest.raises(ParameterError, match=r"episodes=0\.5 must be a whole number"):
            runner.run(0.5)


@pytest.mark.parametrize("given", ["kuhn_poker", FORM, KUHN.game])
def test_simulators_are_made_of_trees_of_histories(given):
    with pytest.raises(ParameterError, match=r"^tree.* give a GameTree, such as infoset\.build"):
        learning.make_simulator(given)
    with pytest.raises(ParameterError, match=r"^simulator.* give what make_simulator returns"):
        learning.tree_size(given, 0)


@pytest.mark.parametrize("given", [5, "door", [5], [("door", "left")]])
def test_trees_are_written_down_as_decisions(given):
    with pytest.raises(ParameterError, match=r"decision.* give .*Decision\(\"high card\", \["):
        learning.make_own_tree(0, given)


@pytest.mark.parametrize("given", [5, "bet", 0.5])
def test_actions_are_a_list(given):
    with pytest.raises(ParameterError, match=r"actions of 'door'=.* give a list such as"):
        learning.make_own_tree(0, [learning.Decision("door", given)])
    row = learning.get_learner("ixomd", step_sizes=(0.1, 0.01))
    learner = learning.make_learner(row, player=0, utility_range=(-1, 1), horizon=10)
    with pytest.raises(TrajectoryError, match=r"legal_actions=.* no list of actions: give one"):
        learner.act("door", given)


@pytest.mark.parametrize("given", [5, None, "ixomd"])
def test_seats_are_a_list(given):
    with pytest.raises(ParameterError, match=r"^seats.* give a list of learners, policies or None"):
        learning.play_and_learn(infoset.load("kuhn_poker"), given, episodes=1)


TAKE_PATHS = {
    "save_policy": lambda given: policy.save_policy(UNIFORM, given),
    "load_policy": lambda given: policy.load_policy(given, FORM),
    "read_metadata": policy.read_metadata,
    "load_correlated_policy": lambda given: evaluation.load_correlated_policy(given, FORM),
    "read_checkpoint": runs.read_checkpoint,
    "check_writable": lambda given: experiments.check_writable(given),
    "save_run": lambda given: experiments.save_run(
        infoset.solve("matrix_mp", "cfr", iterations=1), given
    ),
}


@pytest.mark.parametrize("name", TAKE_PATHS)
@pytest.mark.parametrize("given", [5, ["runs"], 0.5])
def test_paths_are_text_or_paths(name, given):
    with pytest.raises(ParameterError, match=r"^(path|folder).* give a path"):
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
    with pytest.raises(ParameterError, match=r"result.* give what (solve|learn|compare)"):
        TAKE_RESULTS[name]("kuhn_poker")


def test_studies_have_names():
    with pytest.raises(ParameterError, match="study=5 is of type int; give one of: balanced"):
        experiments.get_study(5)


@pytest.mark.parametrize("function", [solvers.average_policy, solvers.current_policy])
def test_policies_are_those_of_minimizers(function):
    with pytest.raises(ParameterError, match=r"^minimizer=5 is of type int; give RegretMinimizer"):
        function(5)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"rule": 5}, "rule=5 is of type int, which cannot be called; give a function rule"),
        ({"name": 5}, "name=5 is of type int"),
        ({"schedule": 5}, "schedule=5 is of type int, which cannot be called"),
        ({"num_arrays": 0}, "num_arrays=0 must be a whole number, at least 1"),
        ({"average_exponent": "1"}, "average_exponent='1' must be a finite number"),
    ],
)
def test_a_method_of_ones_own_has_a_rule(fields, message):
    with pytest.raises(ParameterError, match=message):
        solvers.LocalMethod(**{"name": "mine", "rule": print, **fields})


@pytest.mark.parametrize(
    ("least", "message"),
    [
        (5, "min_probability=5 is more than 1, and .* give a small number such as 0.01"),
        ("0.1", "min_probability='0.1' must be a finite number"),
        (None, "min_probability=None must be a finite number"),
    ],
)
def test_hands_tremble_by_probabilities(least, message):
    with pytest.raises(ParameterError, match=message):
        solvers.PerturbedMethod(least)
    with pytest.raises(ParameterError, match=r"^method=5 is of type int; give a name such as"):
        solvers.PerturbedMethod(0.1, 5)


@pytest.mark.parametrize("verb", [infoset.solve, infoset.learn, infoset.build_tree])
def test_progress_is_told_to_a_function(verb):
    with pytest.raises(ParameterError, match="progress=5 is of type int, which cannot be called"):
        verb(infoset.load("matrix_mp"), progress=5)


def test_who_draws_has_a_generator():
    joint = evaluation.CorrelatedPolicy((UNIFORM,), (1.0,))
    with pytest.raises(
        ParameterError, match=r"^rng=5 is of type int; give np\.random\.default_rng"
    ):
        joint.draw(5)


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
        infoset.evaluation.behavior_values("kuhn_poker")


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
