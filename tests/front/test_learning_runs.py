"""`learn`: seeds, limits, files, and errors."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest

import infoset
from infoset.efg import decision, extensive_form_from_nodes, terminal
from infoset.errors import (
    CheckpointMismatchError,
    ParameterError,
    UnknownNameError,
    UnsupportedGameError,
)
from infoset.evaluation import evaluate_efce
from infoset.front import learning_runs
from infoset.games import matrix_game
from infoset.learning import (
    ProductOfAveragesWarning,
    RegretTracker,
    get_learner,
    make_simulator,
)
from infoset.runs import read_checkpoint
from infoset.utils import clocks

pytestmark = pytest.mark.broad

EPISODES = 3000


def probabilities(result):
    return [np.concatenate(policy.probabilities) for policy in result.policies]


def test_a_seed_gives_the_same_bits_whoever_works_beside_it():
    together = infoset.learn("kuhn_poker", "ixomd", episodes=EPISODES, seeds=3, workers=2)
    alone = infoset.learn("kuhn_poker", "ixomd", episodes=EPISODES, seeds=[2])
    assert together.seeds == (0, 1, 2)
    assert (probabilities(together)[2] == probabilities(alone)[0]).all()
    assert (probabilities(together)[0] != probabilities(together)[1]).any()


def test_numbers_are_by_seed():
    result = infoset.learn("kuhn_poker", "balanced-omd", episodes=EPISODES, seeds=[7, 3])
    assert result.seeds == (7, 3)
    assert result.episodes == EPISODES
    assert result.nash_conv == tuple(2 * error for error in result.exploitability)
    measured = [infoset.nash_conv(policy) for policy in result.policies]
    assert result.nash_conv == pytest.approx(measured, abs=1e-12)
    last = [infoset.nash_conv(run.current_policy) for run in result.runs]
    assert result.last_nash_conv == pytest.approx(last, abs=1e-12)
    assert result.episodes_per_second * result.seconds == pytest.approx(2 * EPISODES)
    assert result.summary()["nash_conv"] == list(result.nash_conv)
    assert [run.iterations for run in result.runs] == [EPISODES] * 2
    for run in result.runs:
        assert all(one.iteration < two.iteration for one, two in pairwise(run.trace))


def test_auto_says_what_it_chose():
    result = infoset.learn("kuhn_poker", episodes=100)
    assert result.method != "auto"
    assert result.method in result.reason


def test_games_of_many_players_have_no_exploitability():
    result = infoset.learn("kuhn_poker(players=3)", "ixomd", episodes=500)
    assert result.exploitability is None
    assert result.nash_conv[0] > 0


SHAPLEY = matrix_game([[1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 1, 0], [0, 0, 1], [1, 0, 0]])


def test_learners_of_joint_play_report_its_gap():
    result = infoset.learn(SHAPLEY, "ixomd", episodes=900, seeds=2)
    for seed, joint in enumerate(result.joint_play):
        learners = get_learner("ixomd").self_play(simulator_of(SHAPLEY), horizon=900, seed=seed)
        play = RegretTracker(learners)
        play.run(900)
        assert joint == play.evaluate()
        kept = result.correlated_policies[seed]
        assert kept.evaluate().gains == pytest.approx(joint.gains, abs=1e-12)
    assert result.cce_gap == tuple(joint.cce_gap for joint in result.joint_play)
    assert result.summary()["cce_gap"] == list(result.cce_gap)
    assert result.summary()["values"] == [list(joint.values) for joint in result.joint_play]


@pytest.mark.parametrize("game", ["kuhn_poker", "kuhn_poker(players=3)"])
def test_learners_of_recommended_play_are_measured_as_it(game):
    result = infoset.learn(game, "balanced-efce-omd", episodes=700, seeds=2)
    for seed, told in enumerate(result.recommended_play):
        kept = result.correlated_policies[seed]
        assert len(kept.policies) == 700
        again = evaluate_efce(kept.policies)
        assert again.efce_gap == pytest.approx(told.efce_gap, abs=1e-12)
        assert told.values == pytest.approx(result.joint_play[seed].values, abs=1e-12)
        trace = result.runs[seed].trace
        assert trace[-1].efce_gap == told.efce_gap
        assert trace[-1].cce_gap == result.cce_gap[seed]
        assert list(trace[-1].errors)[:2] == ["EFCE gap", "CCE gap"]
        first = evaluate_efce(kept.policies[: trace[9].iteration])
        assert trace[9].efce_gap == pytest.approx(first.efce_gap, abs=1e-12)
    assert result.efce_gap == tuple(told.efce_gap for told in result.recommended_play)
    assert result.summary()["efce_gap"] == list(result.efce_gap)


def test_others_are_measured_as_what_they_promise():
    plain = infoset.learn("kuhn_poker", "ixomd", episodes=50)
    three = infoset.learn("kuhn_poker(players=3)", "ixomd", episodes=50)
    assert (plain.efce_gap, three.efce_gap) == (None, None)
    assert three.runs[0].trace[-1].cce_gap == three.cce_gap[0]
    assert list(plain.runs[0].trace[-1].errors) == ["exploitability", "NashConv"]


def test_compilation_and_construction_do_not_count_as_learning(monkeypatch):
    """In this test, compiling takes 100 seconds, and building the simulator ten minutes."""
    now, make_simulator = [0.0], learning_runs.make_simulator
    clock = SimpleNamespace(monotonic=lambda: now[0])
    monkeypatch.setattr(clocks, "time", clock)

    def compile_slowly(*_):
        with clocks.compiling():
            now[0] += 100

    def build_slowly(tree):
        now[0] += 600
        return make_simulator(tree)

    monkeypatch.setattr(learning_runs, "_try_out", compile_slowly)
    monkeypatch.setattr(learning_runs, "make_simulator", build_slowly)
    result = infoset.learn(SHAPLEY, "balanced-efce-omd", episodes=10)
    assert now[0] == 700
    assert (result.seconds, result.build_seconds, result.compile_seconds) == (0, 600, 100)
    assert result.summary()["build_seconds"] == 600
    assert [point.seconds for point in result.runs[0].trace] == [0.0] * len(result.runs[0].trace)


def test_an_interrupt_while_compiling_ends_all(monkeypatch):
    def broken(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("infoset.learning.online_mirror_descent.run_self_play", broken)
    with pytest.raises(KeyboardInterrupt):
        infoset.learn("kuhn_poker", "ixomd", episodes=10)


def simulator_of(game):
    return make_simulator(infoset.build_tree(infoset.load(game) if isinstance(game, str) else game))


def test_no_more_policies_are_counted_than_need_be():
    result = infoset.learn("kuhn_poker(players=3)", "ixomd", episodes=25_000)
    assert len(result.correlated_policies[0].policies) == 1000
    learners = get_learner("ixomd").self_play(
        simulator_of("kuhn_poker(players=3)"), horizon=25_000, seed=0
    )
    play = RegretTracker(learners, every=25)
    play.run(25_000)
    assert result.joint_play[0].cce_gap == pytest.approx(play.evaluate().cce_gap, rel=0.01)


def test_requests_for_averages_there_raise_a_warning():
    result = infoset.learn("kuhn_poker(players=3)", "ixomd", episodes=10)
    with pytest.warns(ProductOfAveragesWarning, match="correlated_policies"):
        averages = result.policies
    assert averages[0] is result.runs[0].policy


def test_nobody_is_warned_where_averages_are_what_is_learned():
    alone = extensive_form_from_nodes(
        decision(0, "root", {"l": terminal(0), "r": terminal(1)}), players=1
    )
    for game in ("kuhn_poker", alone):
        result = infoset.learn(game, "ixomd", episodes=10)
        assert len(result.policies) == 1
        assert result.cce_gap is None
        assert result.correlated_policies == ()


def test_extensive_forms_are_learned():
    form = infoset.efg.build_extensive_form(infoset.load("kuhn_poker"))
    given = infoset.learn(form, "ixomd", episodes=EPISODES)
    assert given.nash_conv[0] < infoset.learn(form, "ixomd", episodes=1).nash_conv[0]


def test_forgetful_games_are_refused():
    after = [decision(0, "x", {"l": terminal(gain), "r": terminal(0)}) for gain in (1, 2)]
    root = decision(0, "root", {"a": after[0], "b": after[1]})
    with pytest.raises(UnsupportedGameError, match="perfect recall"):
        infoset.learn(extensive_form_from_nodes(root, players=1), "ixomd")


def test_a_saved_run_resumes_with_the_same_bits(tmp_path):
    whole = infoset.learn("leduc_poker", "balanced-omd", episodes=EPISODES, seeds=2)
    kept = tmp_path / "run"
    options = {"seeds": 2, "checkpoint": kept, "checkpoint_seconds": 0}
    stopped = infoset.learn(
        "leduc_poker",
        "balanced-omd",
        episodes=EPISODES,
        callback=lambda seed, point: point.iteration > 500 + 700 * seed,
        **options,
    )
    assert [run.outcome for run in stopped.runs] == ["stopped"] * 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run.0", "run.1"]
    gone_on = infoset.learn("leduc_poker", "balanced-omd", episodes=EPISODES, **options)
    for one, other in zip(probabilities(whole), probabilities(gone_on), strict=True):
        assert (one == other).all()
    with pytest.raises(CheckpointMismatchError, match="another run"):
        infoset.learn("leduc_poker", "ixomd", episodes=EPISODES, **options)


CHILD = """
import sys
import infoset

infoset.learn(
    "leduc_poker",
    "balanced-omd",
    episodes=10**7,
    step_sizes=(0.1, 0.005),
    checkpoint=sys.argv[1],
    checkpoint_seconds=0,
)
"""


@pytest.mark.skipif(os.name == "nt", reason="needs SIGKILL")
def test_a_killed_process_resumes_with_the_same_bits(tmp_path):
    """The process is killed by SIGKILL, most likely during a write."""
    path = tmp_path / "run"
    child = subprocess.Popen([sys.executable, "-c", CHILD, str(path)])
    until = time.monotonic() + 120
    while not (path.exists() and read_checkpoint(path).iteration > 100):
        assert child.poll() is None
        assert time.monotonic() < until
        time.sleep(0.002)
    os.kill(child.pid, signal.SIGKILL)
    assert child.wait() == -signal.SIGKILL
    kept = read_checkpoint(path).iteration
    options = {"episodes": kept + 500, "step_sizes": (0.1, 0.005)}
    gone_on = infoset.learn("leduc_poker", "balanced-omd", checkpoint=path, **options)
    whole = infoset.learn("leduc_poker", "balanced-omd", **options)
    assert (probabilities(gone_on)[0] == probabilities(whole)[0]).all()
    # A process that is killed while it writes leaves a hidden file, which later ones delete.
    assert [path.name for path in tmp_path.iterdir() if path.name[0] != "."] == ["run"]


ENDLESS = [("ixomd", "anytime"), ("balanced-cfr-hedge", "anytime"), ("vr-mccfr", None)]


@pytest.mark.parametrize(("method", "preset"), ENDLESS)
def test_runs_without_a_horizon_go_on_for_as_long_as_one_likes(method, preset, tmp_path):
    def run(episodes, **options):
        return infoset.learn("kuhn_poker", method, preset=preset, episodes=episodes, **options)

    run(700, checkpoint=tmp_path / "run")
    gone_on = run(2000, checkpoint=tmp_path / "run")
    assert (probabilities(gone_on)[0] == probabilities(run(2000))[0]).all()


def test_a_run_for_a_number_of_episodes_says_that_it_is_of_that_many(tmp_path):
    infoset.learn("kuhn_poker", "ixomd", episodes=70, checkpoint=tmp_path / "run")
    with pytest.raises(
        CheckpointMismatchError, match=r"run: horizon \(the number of iterations\) 70"
    ):
        infoset.learn("kuhn_poker", "ixomd", episodes=99, checkpoint=tmp_path / "run")


def test_interrupts_end_every_run_with_what_it_has():
    main = threading.main_thread().ident
    came = threading.Event()

    def interrupt(seed, point):
        if point.iteration > 1000 and not came.is_set():
            came.set()
            signal.pthread_kill(main, signal.SIGINT)

    result = infoset.learn(
        "kuhn_poker", "ixomd", episodes=10**12, seeds=3, workers=2, callback=interrupt
    )
    assert [run.outcome for run in result.runs] == ["interrupted"] * 3
    assert all(run.trace[-1].iteration == run.iterations for run in result.runs)


def test_a_run_that_fails_ends_the_others():
    def fail(seed, point):
        if seed == 1 and point.iteration > 1000:
            raise RuntimeError("the user's own")

    with pytest.raises(RuntimeError, match="the user's own"):
        infoset.learn("kuhn_poker", "ixomd", episodes=10**12, seeds=2, workers=2, callback=fail)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"episodes": 0}, ParameterError, "episodes=0"),
        ({"episodes": 1.5}, ParameterError, "whole number"),
        ({"seeds": 0}, ParameterError, "seeds=0"),
        ({"seeds": 10**400}, ParameterError, "at most"),
        ({"seeds": []}, ParameterError, "at least one"),
        ({"seeds": [1, 1]}, ParameterError, "all different"),
        ({"seeds": [-1]}, ParameterError, "seed=-1"),
        ({"seeds": "three"}, ParameterError, "the number of runs"),
        ({"workers": 0}, ParameterError, "workers=0"),
        ({"seconds": -1}, ParameterError, "seconds=-1"),
        ({"callback": 3}, ParameterError, "is not callable"),
        ({"method": "balanced-om"}, UnknownNameError, "balanced-omd"),
        ({"method": 3}, ParameterError, "a name such as"),
        ({"preset": "theorie"}, UnknownNameError, "theory"),
        ({"step_sizes": (-1.0, 0.1)}, ParameterError, "-1"),
        ({"step_sizes": (0.0, 0.1)}, ParameterError, "0"),
        ({"checkpoint": 3}, ParameterError, "path"),
    ],
)
def test_mistakes_are_reported_before_any_work(options, error, words):
    with pytest.raises(error, match=words):
        infoset.learn("no_such_game", **{"method": "ixomd", **options})
