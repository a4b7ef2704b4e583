"""`learn` and `compare` on executors give the bits of one process."""

from __future__ import annotations

import pickle
import threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import pytest

import infoset
from infoset.errors import ComparisonError, ExplorationLimitError, ParameterError
from infoset.front.seed_runs import SeedWork
from infoset.learning import get_learner
from infoset.runs.task_messages import packed
from infoset.solvers import METHODS
from infoset.tree import build_limits
from tests.runs.test_tasks import LocalExecutor

pytestmark = pytest.mark.broad

EPISODES = 2000


@pytest.fixture(scope="module")
def processes():
    with ProcessPoolExecutor(2, get_context("spawn")) as executor:
        yield executor


def bits(result):
    """Return all numbers of a result, except times."""
    runs = [
        (
            run.outcome,
            [(point.iteration, point.nash_conv, point.values) for point in run.trace],
            [values.tobytes() for values in run.policy.probabilities],
            [values.tobytes() for values in run.current_policy.probabilities],
        )
        for run in result.runs
    ]
    joint = result.cce_gap, result.efce_gap, [p.weights for p in result.correlated_policies]
    return result.game, result.method, result.seeds, runs, joint


@pytest.mark.parametrize(
    ("game", "method"),
    [("kuhn_poker", "balanced-omd"), ("kuhn_poker(players=3)", "ixomd"), ("kuhn_poker", "auto")],
)
def test_learning_on_an_executor_gives_the_same_bits(game, method):
    here = infoset.learn(game, method, episodes=EPISODES, seeds=3, workers=1)
    for executor in (LocalExecutor(), ThreadPoolExecutor(2)):
        there = infoset.learn(game, method, episodes=EPISODES, seeds=3, executor=executor)
        assert bits(there) == bits(here)
        forms = {id(run.policy.form) for run in there.runs}
        assert len(forms) == 1


def test_learning_on_processes(processes):
    options = dict(episodes=EPISODES, seeds=[4, 2])
    here = infoset.learn("leduc_poker", "es-mccfr", **options, workers=1)
    seen = []
    tree = infoset.build_tree("leduc_poker")
    for game in ("leduc_poker", tree):
        there = infoset.learn(
            game,
            "es-mccfr",
            **options,
            executor=processes,
            callback=lambda seed, point: seen.append((seed, point.iteration)),
        )
        assert bits(there) == bits(here)
    wanted = [(s, p.iteration) for s, r in zip((4, 2), here.runs, strict=True) for p in r.trace]
    assert sorted(seen) == sorted(2 * wanted)


def test_registered_games_travel_by_name_and_parameters():
    work = SeedWork(infoset.load("leduc_poker"), len, get_learner("ixomd"), 10, None)
    assert len(packed(work)) < 2000
    assert len(packed(infoset.build_tree("leduc_poker"))) > 1_000_000


def built(game):
    return infoset.build_tree(game)


def test_games_are_built_within_the_limits_of_the_caller():
    """Threads and other processes begin with the default limits."""
    with build_limits(max_worlds=5):
        game, learner = infoset.load("kuhn_poker"), get_learner("ixomd")
        work = SeedWork(game, built, learner, 1, None)
    for here in (work, pickle.loads(pickle.dumps(work))):
        with pytest.raises(ExplorationLimitError):
            here(0, threading.Event())


def test_mistakes_of_learning(tmp_path):
    executor = LocalExecutor()
    with pytest.raises(ParameterError, match="both given, but workers write no files"):
        infoset.learn("kuhn_poker", executor=executor, checkpoint=tmp_path / "run")
    with pytest.raises(ParameterError, match="workers=2 and an executor"):
        infoset.learn("kuhn_poker", executor=executor, workers=2)
    file = tmp_path / "mine.py"
    file.write_text(
        "from infoset.games import KuhnPoker\nclass Mine(KuhnPoker):\n    pass\n", "utf-8"
    )
    with pytest.raises(ParameterError, match=r"Mine comes from the file mine\.py"):
        infoset.learn(f"{file}:Mine", "ixomd", episodes=100, executor=executor)
    assert executor.calls == 0


def same(one, other):
    assert (one.method, one.seed, one.outcome, one.iterations) == (
        other.method,
        other.seed,
        other.outcome,
        other.iterations,
    )
    assert [p.nash_conv for p in one.trace] == [p.nash_conv for p in other.trace]
    for mine, theirs in zip(one.policy.probabilities, other.policy.probabilities, strict=True):
        assert mine.tobytes() == theirs.tobytes()


def test_comparing_on_an_executor_gives_the_same_bits(processes):
    methods = ["cfr", "pcfr+", "es-mccfr"]
    here = infoset.compare("kuhn_poker", methods, iterations=300, seeds=2)
    seen = []
    for executor in (LocalExecutor(), ThreadPoolExecutor(2), processes):
        there = infoset.compare(
            "kuhn_poker",
            methods,
            iterations=300,
            seeds=2,
            executor=executor,
            callback=lambda name, point: seen.append(name),
        )
        assert len(there) == len(here) == 4
        for one, other in zip(here, there, strict=True):
            same(one, other)
        assert len({id(result.policy.form) for result in there}) == 1
    assert len(seen) == 3 * sum(len(result.trace) for result in here)


def test_every_method_can_be_sent():
    names = [name for name in METHODS if name not in ("auto", "cfr-br")]
    here = infoset.compare("kuhn_poker", names, iterations=3)
    there = infoset.compare("kuhn_poker", names, iterations=3, executor=LocalExecutor())
    for one, other in zip(here, there, strict=True):
        same(one, other)


class FailsLater:
    """A method that fails in its second call, after the trial."""

    name, description = "fails", "fails"

    def run(self, form, budget):
        if budget.iterations > 1:
            raise ValueError("no luck")
        return METHODS["cfr"].run(form, budget)


def test_a_method_that_fails_there_leaves_the_others():
    with pytest.raises(ComparisonError, match="fails failed: no luck") as caught:
        infoset.compare("kuhn_poker", ["cfr", FailsLater()], iterations=3, executor=LocalExecutor())
    assert [result.method for result in caught.value.results] == ["cfr"]


def test_a_match_on_an_executor(processes):
    game = infoset.load("kuhn_poker")
    search = infoset.make_searcher("pimc", game)
    here = infoset.play_matches(game, search, None, num_deals=60, seed=3)
    for executor in (LocalExecutor(), ThreadPoolExecutor(2), processes):
        assert infoset.play_matches(
            game, search, None, num_deals=60, seed=3, executor=executor
        ) == (here)
    tree = infoset.build_tree("leduc_poker")
    policies = infoset.uniform_policy(tree.sequence_form), None
    here = infoset.play_matches(tree, *policies, num_deals=3000, seed=1)
    for executor in (LocalExecutor(), ThreadPoolExecutor(2), processes):
        there = infoset.play_matches(tree, *policies, num_deals=3000, seed=1, executor=executor)
        assert there == here


def test_public_forms_are_compared_on_an_executor():
    options = dict(iterations=20, form="public")
    here = infoset.compare("kuhn_poker", ["cfr", "cfr+"], **options)
    there = infoset.compare("kuhn_poker", ["cfr", "cfr+"], executor=LocalExecutor(), **options)
    for one, other in zip(here, there, strict=True):
        assert (one.method, one.iterations, one.values) == (
            other.method,
            other.iterations,
            other.values,
        )
        assert [p.exploitability for p in one.trace] == [p.exploitability for p in other.trace]
