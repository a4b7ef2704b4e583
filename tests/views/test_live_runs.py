"""Runs that are watched."""

from __future__ import annotations

import pytest

import infoset
from infoset.errors import UnknownNameError
from infoset.evaluation import evaluate_policy
from infoset.policy import uniform_policy
from infoset.views import (
    LiveRun,
    Places,
    PublicPlaces,
    TreePlaces,
    live_runs,
    view_hand_grid,
    watched_methods,
)
from tests.support.cached_games import cached_tree

RIVER = "nolimit_endgame(board=Ks9d8h4s2c,ranges=['AA,KK,QJs', 'QQ,JJ,T9s'],bets=[1])"


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch):
    monkeypatch.setattr(live_runs, "SECONDS_BETWEEN_POINTS", 0.0)


def kuhn() -> Places:
    """Kuhn poker as a tree."""
    tree = cached_tree("kuhn_poker")
    return TreePlaces(tree, uniform_policy(tree.sequence_form))


def public(game: str) -> Places:
    """A game as a public form."""
    form = infoset.build_public_form(game)
    return PublicPlaces(form, uniform_policy(form))


def watched(method: str, iterations: int, state: int = 1, places: Places | None = None) -> LiveRun:
    """Run a method for a number of iterations."""
    run = LiveRun(places or kuhn(), method, state)
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
    tree = cached_tree("kuhn_poker")
    assert point.probabilities
    assert not point.hands
    for key, probabilities in point.probabilities.items():
        player, number = map(int, key.split("."))
        own = tree.infostate_trees[player]
        assert own.public_state[number] == 1
        first = own.first_sequence[number]
        expected = run.policy.probabilities[player][first : first + len(probabilities)]
        assert list(probabilities) == expected.tolist()


@pytest.mark.parametrize("method", ["dcfr+", "cs-mccfr", "egt"])
def test_runs_are_watched_on_public_forms_too(method):
    places = public("leduc_poker(num_ranks=2)")
    run = watched(method, 20, places=places)
    point, shown = run.newest(), places.with_policy(run.policy)
    assert (run.error, point.iteration) == ("", 20)
    assert point.nash_conv == pytest.approx(shown.evaluation.nash_conv)
    place = places.at(1)
    [actor] = place.actors
    assert [*point.probabilities] == [f"{actor}.{hand}" for hand in place.infostates(actor)]
    expected = [shown.at(1).policy(actor, at).tolist() for at in range(place.num_infostates[actor])]
    assert [*map(list, point.probabilities.values())] == expected
    assert expected != [[0.5, 0.5]] * len(expected)


def test_hands_of_two_cards_are_watched_as_a_grid():
    run = watched("dcfr+", 20, state=0, places=public(RIVER))
    point = run.newest()
    places = public(RIVER).with_policy(run.policy)
    assert not point.probabilities
    assert point.hands == (view_hand_grid(places, 0, 0),)
    aces = point.hands[0].cells[0][0]
    assert (aces.label, aces.num_hands) == ("AA", 6)
    run.state = run.num_states - 1  # a terminal, where no player acts
    assert (run.newest().hands, run.newest().probabilities) == ((), {})


def test_watching_does_not_change_the_result():
    run = watched("cfr+", 200)
    result = infoset.solve(cached_tree("kuhn_poker"), "cfr+", iterations=200)
    assert run.policy.digest == result.policy.digest


def test_exact_methods_have_one_point_at_their_end():
    point = watched("lp", 1).newest()
    assert point.nash_conv < 1e-12
    assert point.outcome


def test_memory_is_bounded_and_a_run_can_be_stopped():
    run = LiveRun(kuhn(), "cfr+")
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
        LiveRun(kuhn(), "nothing")
    tree = cached_tree("kuhn_poker(players=3)")
    run = LiveRun(TreePlaces(tree, uniform_policy(tree.sequence_form)), "lp")
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
    on_forms = {method.name for method in methods if "public" in method.subjects}
    assert {"cfr+", "egt", "cs-mccfr", "es-mccfr"} <= on_forms
    assert not on_forms & {"lp", "balanced-omd", "rnad network"}


@pytest.mark.networks
def test_a_policy_network_is_watched_while_it_is_trained():
    from infoset.deep import PRESETS

    networks = [one for one in watched_methods() if one.kind == "policy networks"]
    for one in networks:
        assert PRESETS[one.name.removesuffix(" network")].description == one.about
    tree = cached_tree("kuhn_poker")
    run = LiveRun(kuhn(), networks[0].make(tree), 1)
    run._budget.iterations = 30
    run.start()
    run.wait(120)
    point = run.newest()
    assert run.error == ""
    assert (point.method, point.iteration, point.outcome) == ("rnad network", 30, "iterations")
    assert point.nash_conv == pytest.approx(evaluate_policy(run.policy).nash_conv)
