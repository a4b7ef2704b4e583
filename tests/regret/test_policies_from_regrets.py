"""Large games: policies that follow from regrets are not stored."""

import signal

import numpy as np
import pytest

import infoset
from infoset.errors import ParameterError
from infoset.evaluation import evaluate_policy
from infoset.regret import SCHEMES, RegretMinimizer, minimizer
from infoset.regret.threads import ThreadedIteration
from infoset.solvers.regret_family import RegretSolver
from tests.support.changing_schemes import PREDICTING, UNEVEN

GAMES = (
    "leduc_poker",
    "nolimit_endgame(board=7s9s9cTc,bets=[1],max_raises=1,ranges=['TT+,AQ';'77+,AT+'])",
)


def name_of(scheme):
    return getattr(scheme, "name", scheme)


@pytest.fixture(scope="module", params=GAMES)
def form(request):
    return infoset.build_public_form(request.param)


@pytest.fixture
def made(monkeypatch, form):
    """Return a function that makes a solver whose policies are stored, or are not."""

    def make(scheme, stored, threads=1, precision="float32"):
        monkeypatch.setattr(minimizer, "MANY_SEQUENCES", 10**9 if stored else 0)
        solver = RegretSolver(form, SCHEMES.resolve(scheme), precision, threads)
        assert solver._matches is not stored
        return solver

    return make


def assert_equal_states(one, other):
    """Assert that states are equal; only one of them may contain policies."""
    first, second = one.state(), other.state()
    for name in first.keys() & second.keys():
        np.testing.assert_array_equal(first[name], second[name], name)
    for own, found in zip(one.current_weights(), other.current_weights(), strict=True):
        np.testing.assert_array_equal(own, found)
    assert {"regrets.0", "averages.1", "done"} <= first.keys() & second.keys()


@pytest.mark.parametrize(("threads", "precision"), [(1, "float32"), (2, "float32"), (1, "float64")])
@pytest.mark.parametrize(
    "scheme", ["cfr", "cfr+", "dcfr", "dcfr+", "hs-dcfr", UNEVEN, PREDICTING], ids=name_of
)
def test_iterations_have_the_bits_of_stored_policies(made, scheme, threads, precision):
    given = threads, precision
    stored, matched = made(scheme, True, *given), made(scheme, False, *given)
    assert_equal_states(stored, matched)
    for count in (1, 5, 12):
        stored.run(count)
        matched.run(count)
        assert matched.evaluate() == stored.evaluate() == evaluate_policy(matched.policy())
        assert_equal_states(stored, matched)
    pairs = zip(stored.current_probabilities(), matched.current_probabilities(), strict=True)
    for own, other in pairs:
        np.testing.assert_array_equal(own, other)
    policies = matched.policy(), matched.current_policy()
    matched.finish()
    assert matched.policy().digest == policies[0].digest
    assert matched.current_policy().digest == policies[1].digest == stored.current_policy().digest


@pytest.mark.parametrize("scheme", ["dcfr", "hs-dcfr", UNEVEN], ids=name_of)
def test_saved_states_are_resumed(made, scheme):
    stored, matched, resumed = (made(scheme, is_stored) for is_stored in (True, False, False))
    stored.run(7)
    matched.run(7)
    saved = {name: array.copy() for name, array in matched.state().items()}
    assert not {"policies.0", "policies.1"} & saved.keys()
    resumed.set_state(saved)
    assert resumed._matches
    for solver in (stored, matched, resumed):
        solver.run(6)
    assert_equal_states(stored, matched)
    assert_equal_states(stored, resumed)


@pytest.mark.parametrize("threads", [1, 2])
def test_policies_of_another_schedule_are_resumed(made, threads):
    """They match the regrets by the last row of the schedule in the session that saved them."""
    other = made(UNEVEN, False, threads)
    other.run(7)
    resumed = made("cfr+", False, threads)
    resumed.set_state({name: array.copy() for name, array in other.state().items()})
    assert resumed._matches
    assert_equal_states(other, resumed)
    before = made("cfr+", False, threads)
    before.set_state({**other.state(), "last_row": np.ones(9)})
    assert any(map(np.any, map(np.not_equal, before.current_weights(), other.current_weights())))


@pytest.mark.parametrize("threads", [1, 2])
def test_stored_policies_are_resumed(made, threads):
    """Policies are stored after runs in which the schedule predicts."""
    whole, resumed = (made(PREDICTING, False, threads) for _ in range(2))
    for _ in range(3):
        whole.run(4)
    assert not whole._matches
    resumed.set_state({name: array.copy() for name, array in whole.state().items()})
    assert not resumed._matches
    for solver in (whole, resumed):
        solver.run(6)
    assert_equal_states(whole, resumed)


def test_a_start_is_restored_after_several_runs(made):
    fresh, restored = made("dcfr", False), made("dcfr", False)
    start = {name: array.copy() for name, array in restored.state().items()}
    restored.run(5)
    restored.run(1)
    restored.set_state(start)
    assert_equal_states(fresh, restored)
    for solver in (fresh, restored):
        solver.run(3)
    assert_equal_states(fresh, restored)


@pytest.mark.parametrize("stored", [True, False])
@pytest.mark.parametrize("iterations", [0, 4])
def test_finished_minimizers_have_policies_and_values_only(made, stored, iterations):
    solver = made("dcfr", stored)
    solver.run(iterations)
    kinds = ("average_plans", "current_plans", "current_probabilities", "average_weights")
    before = [[own.copy() for own in getattr(solver, kind)()] for kind in kinds]
    measured = solver.evaluate()
    for _ in range(2):
        solver.finish()
        assert solver.evaluate() == measured == evaluate_policy(solver.policy())
        for kind, arrays in zip(kinds, before, strict=True):
            for found, own in zip(getattr(solver, kind)(), arrays, strict=True):
                np.testing.assert_array_equal(found, own, kind)
    for call in (lambda: solver.run(1), solver.state, lambda: solver.regrets(0)):
        with pytest.raises(ParameterError, match="only its policies are left: create a new one"):
            call()


def test_an_interrupt_between_iterations_leaves_a_state_to_continue(made, monkeypatch):
    whole, interrupted = made(UNEVEN, False, 2), made(UNEVEN, False, 2)
    whole.run(7)
    update, calls = ThreadedIteration._update, []

    def interrupt(self, *arguments):
        calls.append(arguments)
        if len(calls) == 5:
            signal.raise_signal(signal.SIGINT)
        update(self, *arguments)

    monkeypatch.setattr(ThreadedIteration, "_update", interrupt)
    with pytest.raises(KeyboardInterrupt):
        interrupted.run(7)
    assert interrupted.iteration == 3
    saved = {name: array.copy() for name, array in interrupted.state().items()}
    interrupted.run(4)
    assert_equal_states(whole, interrupted)
    interrupted.set_state(saved)
    assert interrupted._matches


def test_an_interrupt_does_not_leave_a_minimizer_half_finished(made, monkeypatch):
    solver = made("dcfr", False)
    solver.run(3)
    before, match = solver.current_policy().digest, solver._match

    def interrupt(*arguments):
        signal.raise_signal(signal.SIGINT)
        return match(*arguments)

    monkeypatch.setattr(solver, "_match", interrupt)
    with pytest.raises(KeyboardInterrupt):
        solver.finish()
    assert solver.is_finished
    assert solver.current_policy().digest == before


def test_policies_of_small_games_are_stored(form, monkeypatch):
    size = sum(layout.num_sequences for layout in form.layouts)
    for limit in (size, size + 1):
        monkeypatch.setattr(minimizer, "MANY_SEQUENCES", limit)
        assert RegretMinimizer(form, SCHEMES["cfr"])._matches is (limit == size)


def test_policies_that_do_not_follow_from_regrets_are_stored(form, monkeypatch):
    monkeypatch.setattr(minimizer, "MANY_SEQUENCES", 0)
    assert not RegretMinimizer(form, SCHEMES["pcfr+"])._matches
    none = tuple(np.zeros(plex.num_infostates, bool) for plex in form.treeplexes)
    assert not RegretMinimizer(form, SCHEMES["cfr"], responding=none)._matches
