"""Runs that are watched."""

from __future__ import annotations

import pytest

import infoset
from infoset.errors import UnknownNameError
from infoset.evaluation import evaluate_policy
from infoset.views import LiveRun, live_runs, watched_methods
from tests.support.cached_games import cached_tree


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch):
    monkeypatch.setattr(live_runs, "SECONDS_BETWEEN_POINTS", 0.0)


def watched(method: str, iterations: int, state: int = 1) -> LiveRun:
    """Run a method for a number of iterations."""
    run = LiveRun(cached_tree("kuhn_poker"), method, state)
    run._budget.iterations = iterations
    run.start()
    run.wait(60)
    assert run.is_over
    return run


@pytest.mark.parametrize("method", ["cfr+", "dcfr", "balanced-omd"])
def test_the_last_point_is_of_the_policy(method):
    run = watched(method, 50)
    point = run.newest()
    assert run.error == ""
    assert (point.method, point.outcome, point.iteration) == (method, "iterations", 50)
    assert point.nash_conv == pytest.approx(evaluate_policy(run.policy).nash_conv)
    tree = run.tree
    assert point.probabilities
    for key, probabilities in point.probabilities.items():
        player, number = map(int, key.split("."))
        own = tree.infostate_trees[player]
        assert own.public_state[number] == 1
        first = own.first_sequence[number]
        expected = run.policy.probabilities[player][first : first + len(probabilities)]
        assert list(probabilities) == expected.tolist()


def test_watching_does_not_change_the_result():
    run = watched("cfr+", 200)
    result = infoset.solve(cached_tree("kuhn_poker"), "cfr+", iterations=200)
    assert run.policy.digest == result.policy.digest


def test_exact_methods_have_one_point_at_their_end():
    point = watched("lp", 1).newest()
    assert point.nash_conv < 1e-12
    assert point.outcome


def test_memory_is_bounded_and_a_run_can_be_stopped():
    run = LiveRun(cached_tree("kuhn_poker"), "cfr+")
    assert run.newest() is None
    run.start()
    while run.newest() is None or run.newest().iteration < 500:
        run.wait(0.001)
    assert len(run._budget.trace) <= 2
    run.stop()
    run.wait(60)
    assert run.newest().outcome == "interrupted"


def test_failures_are_reported():
    with pytest.raises(UnknownNameError, match="nothing"):
        LiveRun(cached_tree("kuhn_poker"), "nothing")
    run = LiveRun(cached_tree("kuhn_poker(players=3)"), "lp")
    run.start()
    run.wait(60)
    assert run.outcome == "failed"
    assert "two-player" in run.error


def test_every_kind_of_method_is_listed_once():
    methods = watched_methods()
    names = [method.name for method in methods]
    assert len(set(names)) == len(names)
    assert {"cfr+", "lp", "balanced-omd", "rnad network"} <= set(names)
    tree = cached_tree("kuhn_poker")
    assert all(m.make(tree) == m.name for m in methods if m.kind != "policy networks")


@pytest.mark.networks
def test_a_policy_network_is_watched_while_it_is_trained():
    from infoset.deep import PRESETS

    networks = [one for one in watched_methods() if one.kind == "policy networks"]
    for one in networks:
        assert PRESETS[one.name.removesuffix(" network")].description == one.about
    tree = cached_tree("kuhn_poker")
    run = LiveRun(tree, networks[0].make(tree), 1)
    run._budget.iterations = 30
    run.start()
    run.wait(120)
    point = run.newest()
    assert run.error == ""
    assert (point.method, point.iteration, point.outcome) == ("rnad network", 30, "iterations")
    assert point.nash_conv == pytest.approx(evaluate_policy(run.policy).nash_conv)
