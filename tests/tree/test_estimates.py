"""Estimated numbers of histories against exact counts."""

from __future__ import annotations

import signal
from math import inf, isnan

import pytest

import infoset
from infoset.errors import ExplorationLimitError
from infoset.tree import (
    build_limits,
    build_world_graph,
    count_histories,
    estimate_histories,
)
from infoset.tree.build_watch import BuildWatch
from tests.front.hostile_games import forever
from tests.support.function_game import FunctionGame


@pytest.fixture(autouse=True)
def _slow_machines_estimate_as_well(monkeypatch):
    monkeypatch.setattr("infoset.tree.build_watch.ESTIMATE_SECONDS", inf)


@pytest.mark.parametrize(
    "name", ["kuhn_poker", "leduc_poker", "tiny_bridge_2p", "kuhn_poker(players=3)"]
)
def test_estimates_are_unbiased(name):
    game = infoset.load(name)
    exact = count_histories(build_world_graph(game))
    found = [estimate_histories(game, seed=seed) for seed in range(5)]
    histories = sum(each.histories for each in found) / len(found)
    error = max(each.error for each in found) / len(found) ** 0.5
    assert 0 < error < 0.2 * exact.histories
    assert histories == pytest.approx(exact.histories, abs=4.5 * error)
    assert found[0].terminals == pytest.approx(exact.terminals, rel=0.3)
    assert found[0].bytes == pytest.approx(exact.bytes, rel=0.3)


def test_a_game_that_always_branches_alike_is_counted_exactly():
    found = estimate_histories(infoset.load("goofspiel(num_cards=4)"), plays=3)
    exact = count_histories(build_world_graph(infoset.load("goofspiel(num_cards=4)")))
    assert found[:4] == (exact.histories, exact.terminals, 0, 3)


def test_no_further_play_begins_beyond_the_limit_on_transitions():
    assert estimate_histories(infoset.load("leduc_poker"), max_transitions=40).plays == 1


def test_the_plays_that_ended_within_the_limits_count():
    """One of eight outcomes never ends, and the plays before reach another."""
    outcomes = [(number, 0.125) for number in range(8)]
    game = FunctionGame(
        transitions=lambda w, a: outcomes if w == "start" else [] if w else forever()
    )
    endless = FunctionGame(transitions=forever)
    with build_limits(max_seconds=0.05):
        found = estimate_histories(game)
        unknown = estimate_histories(endless)
    assert (unknown.histories, unknown.plays) == (inf, 0)
    assert str(unknown).startswith("an unknown number of histories, because no random play ended")
    assert (found.histories, found.terminals) == (9, 8)
    assert 1 <= found.plays < 1000


def test_the_deal_of_a_large_game_is_not_listed():
    found = estimate_histories(infoset.load("hanabi"), max_transitions=1000)
    assert (found.histories, found.terminals, found.bytes) == (inf, inf, None)
    assert isnan(found.error)
    assert str(found) == "too many histories to estimate their number"


def test_the_error_of_too_large_a_game_contains_the_estimate():
    sizes = r"It has about 9\.\de\+03 histories, 1\.\d MB as a tree, estimated from 1,000 random"
    with build_limits(max_worlds=100), pytest.raises(ExplorationLimitError, match=sizes):
        infoset.build_tree("leduc_poker")
    with build_limits(max_seconds=0), pytest.raises(ExplorationLimitError) as raised:
        infoset.build_tree("leduc_poker")
    assert "estimated" not in str(raised.value)


def test_info_has_the_estimate():
    found = infoset.info("leduc_poker(players=3)", max_worlds=100)
    assert found.estimate == estimate_histories(infoset.load("leduc_poker(players=3)"))
    assert found.summary()["estimate"]["plays"] == 1000
    assert infoset.info("leduc_poker").estimate is None


def test_ctrl_c_ends_an_estimate_but_not_what_is_known(monkeypatch):
    def interrupted(watch, game):
        signal.raise_signal(signal.SIGINT)
        return estimate_histories(game)

    monkeypatch.setattr(BuildWatch, "estimate", interrupted)
    found = infoset.info("leduc_poker(players=3)", max_worlds=100)
    assert (found.stop, found.estimate) == ("interrupted", None)
    assert found.world_states >= 100


def test_an_estimate_has_only_what_is_left_of_the_limits(monkeypatch):
    watch = BuildWatch(max_seconds=10.0)
    monkeypatch.setattr(watch, "started", watch.started - 20.0)
    assert watch.estimate(FunctionGame(transitions=forever)).plays == 0
