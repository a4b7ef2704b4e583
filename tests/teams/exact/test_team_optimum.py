"""The optimum of a team against enumeration, formulas and published numbers."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from infoset.errors import GameTooLargeError, InfosetError, ParameterError
from infoset.evaluation import best_response, expected_values
from infoset.games import load_game
from infoset.policy import uniform_policy
from infoset.teams import (
    build_product_form,
    expected_payoffs,
    find_recall_violation,
    forget_own_actions,
    from_tabular,
    perfect_recall_closure,
    random_probabilities,
    reveal_private,
    to_tabular,
)
from infoset.teams.exact import (
    frames,
    iterated_best_response,
    recall_bound,
    search,
    team_optimum,
)
from infoset.tree import build_tree
from infoset.utils import clocks
from tests.support import random_product_forms
from tests.support.random_team_games import num_profiles, random_team_game, values_of_pure_policies
from tests.teams.shared_forms import tiny_bridge_form

pytestmark = pytest.mark.broad

MOST_PROFILES = 5_000
BRIDGE = 2647 / 126


@cache
def form_of(name):
    return build_product_form(load_game(name))


@pytest.fixture(scope="module")
def bridge():
    return tiny_bridge_form()


@pytest.fixture(scope="module")
def optimum(bridge):
    return team_optimum(bridge.information)


class Ticking:
    """A clock that advances by a second at each reading."""

    now = 0.0

    def monotonic(self):
        self.now += 1
        return self.now


def random_games(seeds, **options):
    """Yield random forms with few pure policies, and the generator of each."""
    for seed in seeds:
        rng = np.random.default_rng(seed)
        sizes = rng.integers([1, 1, 1], [4, 5, 7])
        names = ("num_agents", "num_stages", "num_outcomes")
        form = random_team_game(rng, **dict(zip(names, sizes.tolist(), strict=True)) | options)
        if num_profiles(form.information, range(form.num_agents)) <= MOST_PROFILES:
            yield form, rng


# --- against all pure policies -----------------------------------------------------------------


def test_optimum_agrees_with_enumeration():
    num_games = num_gaps = 0
    for form, _ in random_games(range(60)):
        team = tuple(range(form.num_agents))
        best = values_of_pure_policies(form.information, team).max()
        optimum = team_optimum(form.information)
        assert optimum.outcome == "optimal"
        assert optimum.value == pytest.approx(best, abs=1e-10)
        assert optimum.upper_bound == pytest.approx(best, abs=1e-10)
        assert expected_payoffs(form.information, optimum.probability) == pytest.approx(best)
        num_games += 1
        num_gaps += recall_bound(form.information) > best + 1e-6
    assert num_games > 40
    assert num_gaps > 5  # some of these games need more than their bound


def games_of_many_cells(count):
    """Return random forms in which some public states have four cells or more."""
    sizes = {"num_stages": 2, "num_outcomes": 8, "max_actions": 3, "num_signals": 4}
    forms = [random_product_forms.random_product_form(seed, **sizes) for seed in range(count)]
    return [form for form in forms if np.bincount(form.information.stage).max() >= 4]


def test_optimum_agrees_with_enumeration_for_many_cells():
    num_games = 0
    for form in games_of_many_cells(30):
        if num_profiles(form.information, (0, 1)) > MOST_PROFILES:
            continue
        best = values_of_pure_policies(form.information, (0, 1)).max()
        assert team_optimum(form.information).value == pytest.approx(best, abs=1e-10)
        num_games += recall_bound(form.information) > best + 1e-6
    assert num_games > 4


def repaid(form, factor, more):
    """Return the form with every payoff multiplied by a factor and shifted."""
    arrays = form.arrays
    ends = np.flatnonzero(arrays.child < 0)
    payoff = np.full((form.num_edges, form.num_agents), float(more))
    payoff[arrays.payoff_edge] += factor * arrays.payoff
    return replace(form, arrays=arrays._replace(payoff_edge=ends, payoff=payoff[ends]))


@pytest.mark.parametrize(("factor", "more"), [(1, -10), (1e-3, 0)])
def test_scaled_and_shifted_payoffs(factor, more):
    for form in games_of_many_cells(20):
        wanted = factor * team_optimum(form.information).value + more
        found = team_optimum(repaid(form, factor, more).information)
        assert found.outcome == "optimal"
        assert found.value == pytest.approx(wanted, abs=1e-9 * factor)
        assert found.upper_bound == pytest.approx(wanted, abs=1e-9 * factor)


def test_optimum_of_a_team_against_others_agrees_with_enumeration():
    num_games = 0
    for form, rng in random_games(range(200, 240), num_agents=3, is_common=False):
        team = [(0, 2), (1,)][num_games % 2]
        others = random_probabilities(form.information, rng)
        best = values_of_pure_policies(form.information, team, others, "sum").max()
        optimum = team_optimum(form.information, team, others=others, rule="sum")
        assert optimum.value == pytest.approx(best, abs=1e-10)
        assert optimum.upper_bound == pytest.approx(best, abs=1e-10)
        kept = ~np.isin(form.information.agent, team)
        entries = np.repeat(kept, form.information.num_actions)
        assert (optimum.probability[entries] == others[entries]).all()
        num_games += 1
    assert num_games > 20


def test_optimum_of_a_closure_is_the_recall_bound():
    for form, _ in random_games(range(300, 340)):
        team = tuple(range(form.num_agents))
        closure = perfect_recall_closure(form.information, team)
        bound = recall_bound(form.information)
        assert team_optimum(closure).value == pytest.approx(bound, abs=1e-10)
        if num_profiles(closure, team) <= MOST_PROFILES:
            best = values_of_pure_policies(closure, team).max()
            assert bound == pytest.approx(best, abs=1e-10)


@pytest.mark.parametrize(
    ("name", "player"), [("kuhn_poker", 0), ("kuhn_poker", 1), ("leduc_poker", 1)]
)
def test_a_team_of_one_finds_its_best_response(name, player):
    tree = build_tree(load_game(name))
    form = build_product_form(tree)
    policy = uniform_policy(tree.sequence_form)
    optimum = team_optimum(
        form.information, (player,), others=from_tabular(form.information, policy)
    )
    assert optimum.value == pytest.approx(best_response(policy, player).value, abs=1e-12)


# --- published numbers -------------------------------------------------------------------------


def test_abstracted_tiny_bridge(bridge, optimum):
    assert optimum.outcome == "optimal"
    assert optimum.value == pytest.approx(BRIDGE, abs=1e-9)
    assert optimum.upper_bound == pytest.approx(BRIDGE, abs=1e-9)
    played = expected_values(to_tabular(bridge.information, optimum.probability))
    assert played == pytest.approx([BRIDGE, BRIDGE], abs=1e-9)


def test_abstracted_tiny_bridge_with_open_hands(bridge):
    opened = reveal_private(bridge.information, (0, 1))
    assert team_optimum(opened).value == pytest.approx(1343 / 63, abs=1e-9)  # 21.3174603
    assert recall_bound(bridge.information) == pytest.approx(1343 / 63, abs=1e-9)


@pytest.mark.parametrize(
    ("kinds", "words"),
    [
        (1, 1),
        (2, 1),
        (2, 2),
        (3, 2),
        (3, 3),
        (4, 3),
        pytest.param(4, 4, marks=pytest.mark.long),
        pytest.param(5, 5, marks=pytest.mark.long),
    ],
)
def test_trade_comm_agrees_with_its_formula(kinds, words):
    form = form_of(f"trade_comm(num_items={kinds},num_messages={words})")
    rest = kinds % words
    best = 1 if words >= kinds else (rest * kinds + (words - rest) * (kinds - rest)) / kinds**2
    assert team_optimum(form.information).value == pytest.approx(best, abs=1e-12)
    assert recall_bound(form.information) == pytest.approx(1, abs=1e-12)


def test_trade_comm_without_own_messages_has_the_same_optimum():
    information = forget_own_actions(form_of("trade_comm(num_items=3)"))
    assert find_recall_violation(information, (0,)) is not None
    assert team_optimum(information).value == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("rewards", [(1, -2, 0), (1, -10, 0), (1, 0, 0.9)])
def test_cooperative_matching_pennies(rewards):
    names = ("win_reward", "miss_reward", "pass_reward")
    given = ",".join(f"{name}={value}" for name, value in zip(names, rewards, strict=True))
    form = form_of(f"cooperative_matching_pennies({given})")
    assert team_optimum(form.information).value == 1


@pytest.mark.parametrize(
    ("parameters", "best"),
    # By an integer program, in the tests of the game.
    [
        ("colors=1,ranks=2,hand_size=1,max_information_tokens=0,max_life_tokens=1", 1 / 2),
        ("colors=1,ranks=2,hand_size=2,max_information_tokens=1,max_life_tokens=1", 3 / 2),
        ("colors=1,ranks=3,hand_size=3,max_information_tokens=2,max_life_tokens=1", 6 / 5),
        # The maximum possible payoff: three players, and two players in a game with 10,000 nodes.
        ("players=3,colors=1,ranks=2,hand_size=1,max_information_tokens=1,max_life_tokens=1", 2),
        ("colors=2,ranks=1,hand_size=1,max_information_tokens=1,max_life_tokens=1", 2),
        # Less than the payoff of a team with common memory.
        pytest.param(
            "colors=1,ranks=3,hand_size=2,max_information_tokens=1,max_life_tokens=1",
            161 / 60,
            marks=pytest.mark.long,
        ),
    ],
)
def test_hanabi(parameters, best):
    form = form_of(f"hanabi({parameters})")
    assert team_optimum(form.information).value == pytest.approx(best, abs=1e-12)


# --- searches that end early -------------------------------------------------------------------


@cache
def ended_early(max_states):
    return team_optimum(tiny_bridge_form().information, max_states=max_states)


@pytest.mark.parametrize("max_states", [1, 7000])
def test_a_search_that_ends_early_has_bounds_and_a_policy(bridge, max_states):
    optimum = ended_early(max_states)
    assert optimum.outcome == "states"
    assert optimum.num_states == max_states
    assert 18 < optimum.value <= BRIDGE + 1e-9 <= optimum.upper_bound + 2e-9
    paid = expected_payoffs(bridge.information, optimum.probability)
    assert paid == pytest.approx([optimum.value] * 2, abs=1e-9)
    assert set(optimum.probability) == {0.0, 1.0}


def test_longer_searches_tighten_both_bounds():
    early, late = (ended_early(size) for size in (100, 7000))
    assert late.value > early.value + 0.1
    assert late.upper_bound < early.upper_bound - 0.1


def test_an_interrupt_keeps_bounds_and_policy(bridge, monkeypatch):
    run = search.search

    def interrupted(*arguments):
        run(*arguments[:-1], 100_000)
        raise KeyboardInterrupt

    monkeypatch.setattr(search, "search", interrupted)
    optimum = team_optimum(bridge.information)
    assert optimum.outcome == "interrupted"
    assert 18 < optimum.value <= BRIDGE + 1e-9 <= optimum.upper_bound + 2e-9


def test_zero_seconds_leave_the_first_bound_and_one_restart(bridge):
    optimum = team_optimum(bridge.information, seconds=0)
    assert (optimum.outcome, optimum.num_steps) == ("seconds", 0)
    assert optimum.upper_bound == pytest.approx(recall_bound(bridge.information), abs=1e-9)
    climbed = iterated_best_response(bridge.information, restarts=1)
    assert optimum.value == pytest.approx(climbed.value, abs=1e-9)


def test_the_time_limit_is_checked_between_chunks(bridge, monkeypatch):
    monkeypatch.setattr(clocks, "time", ticking := Ticking())
    monkeypatch.setattr(search, "STEPS_AT_ONCE", 1000)
    optimum = team_optimum(bridge.information, seconds=40)
    assert optimum.outcome == "seconds"
    assert optimum.num_steps == 29_000  # three quarters of the time, one step a second
    assert 18 < optimum.value <= BRIDGE + 1e-9 <= optimum.upper_bound
    assert ticking.now == 41  # the rest is for restarts; the clock first read 1


def test_a_time_limit_that_is_not_reached_changes_nothing(bridge, optimum):
    timed = team_optimum(bridge.information, seconds=1e6)
    assert timed.outcome == optimum.outcome == "optimal"
    assert (timed.probability == optimum.probability).all()


def test_table_growth_and_chunk_size_change_nothing(bridge, optimum, monkeypatch):
    monkeypatch.setattr(search, "MIN_ROWS", 4)
    monkeypatch.setattr(search, "STEPS_AT_ONCE", 1000)
    chunked = team_optimum(bridge.information)
    assert chunked.value == optimum.value
    assert (chunked.probability == optimum.probability).all()
    assert (chunked.num_states, chunked.num_steps) == (optimum.num_states, optimum.num_steps)


def test_a_restart_that_reaches_the_bound_needs_no_search():
    form = form_of("cooperative_matching_pennies")
    assert team_optimum(form.information, max_states=1).outcome == "optimal"


def test_searches_that_exceed_memory_are_refused(bridge, monkeypatch):
    monkeypatch.setattr(frames, "allowed_memory", lambda memory: 1000)
    with pytest.raises(GameTooLargeError, match="12 cells, 7 actions") as raised:
        team_optimum(bridge.information)
    assert raised.value.counts["bytes"] > 1000


# --- mistakes ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"team": (0,)}, r"leaves out agents .*as others=, an array of \d+"),
        ({"team": ()}, "at least one agent"),
        ({"max_states": 0}, "max_states"),
        ({"seconds": -1}, "seconds=-1 must be a finite number, at least 0"),
        ({"others": np.ones(3)}, "have shape"),
        ({"others": {}}, r"have shape \(\)"),
        ({"rule": "most"}, "unknown rule"),
    ],
)
def test_invalid_arguments(options, message):
    information = form_of("cooperative_matching_pennies").information
    with pytest.raises(InfosetError, match=message):
        team_optimum(information, **options)


def test_a_game_is_not_an_information_map():
    with pytest.raises(ParameterError, match="information"):
        team_optimum(load_game("cooperative_matching_pennies"))


def test_a_limit_on_steps_does_not_depend_on_the_clock(monkeypatch):
    monkeypatch.setattr("infoset.teams.exact.search.STEPS_AT_ONCE", 10)
    form = build_product_form(load_game("trade_comm(num_items=3,num_messages=2)"))
    found = team_optimum(form.information, max_steps=25)
    assert found.outcome == "steps"
    assert 25 <= found.num_steps < 35
    assert found.value <= 5 / 9 + 1e-12 < found.upper_bound
    with pytest.raises(ParameterError, match="max_steps"):
        team_optimum(form.information, max_steps=0)
