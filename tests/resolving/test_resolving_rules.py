"""Re-solving by rules: the same answers as on the tree, samples, limits, and what it refuses."""

from __future__ import annotations

import warnings
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from infoset.beliefs import find_leak
from infoset.beliefs.history_sets import histories_around
from infoset.beliefs.history_sources import SamplingLimits
from infoset.errors import ParameterError, ShortSearchWarning, UnsupportedGameError
from infoset.evaluation import nash_conv, transformed_values
from infoset.game import initial_history
from infoset.games import load_game
from infoset.policy import (
    TRANSFORMATIONS,
    constant_transformations,
    random_policy,
    tabulate,
)
from infoset.regret import SCHEMES, RegretMinimizer
from infoset.resolving import (
    ContinualResolving,
    DepthLimitedSearch,
    ExactContinuationValues,
    part_limits,
)
from infoset.resolving.part_limits import LARGEST, PartLimits
from infoset.resolving.resolution import ResolvingSettings
from infoset.runs.searcher import SearchBudget
from infoset.search import make_searcher
from infoset.search.models import RulesModel
from infoset.solvers.regret_family import average_policy
from infoset.utils.clocks import working_seconds
from tests.support.cached_games import cached_tree

pytestmark = pytest.mark.broad

GOOFSPIEL = "goofspiel(num_cards=4,imp_info=True,points_order=descending)"
KUHN = constant_transformations(["pass", "bet"])


@cache
def blueprint_of(name):
    minimizer = RegretMinimizer(cached_tree(name).sequence_form, SCHEMES["cfr+"])
    minimizer.run(20)
    return average_policy(minimizer)


@cache
def values_of(name):
    rows = KUHN if name == "kuhn_poker" else TRANSFORMATIONS
    return transformed_values(cached_tree(name), blueprint_of(name), rows)


def by_rules(name, search=ContinualResolving, **options):
    model = RulesModel(cached_tree(name).game)
    return search(model, blueprint_of(name), ExactContinuationValues(values_of(name)), **options)


def on_tree(name, search=ContinualResolving, **options):
    return search(cached_tree(name), blueprint_of(name), values_of(name), **options)


def infostates_of(name, player):
    own = cached_tree(name).infostate_trees[player]
    return [(own.infostate_at(number), own.legal_actions(number)) for number in own.acting.tolist()]


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("kuhn_poker", {"depth": 1}),
        ("kuhn_poker", {"depth": 2, "opponent": "transformations"}),
        ("kuhn_poker", {"depth": None, "gadget": "none"}),
        ("kuhn_poker", {"depth": 1, "leaf_rule": "stateless"}),
        ("kuhn_poker", {"depth": 1, "gadget": "max-margin", "opponent": "profile"}),
        (GOOFSPIEL, {"depth": 1}),
        (GOOFSPIEL, {"depth": 1, "leaf_rule": "stateless"}),
        (GOOFSPIEL, {"depth": None, "gadget": "none"}),
        (GOOFSPIEL, {"depth": 1, "gadget": "max-margin", "opponent": "profile"}),
    ],
)
def test_by_rules_the_exploitability_is_that_on_the_tree(name, options):
    search = by_rules(name, iterations=200, **options)
    found = tabulate(cached_tree(name).sequence_form, [search, search])
    expected = on_tree(name, iterations=200, **options).search_policy()
    assert nash_conv(found) == pytest.approx(nash_conv(expected), abs=2e-3)
    assert "sample" not in search.methods


def test_by_rules_single_answers_are_those_on_the_tree():
    rules = by_rules("kuhn_poker", DepthLimitedSearch, iterations=100)
    tree = on_tree("kuhn_poker", DepthLimitedSearch, iterations=100)
    for player in range(2):
        for infostate, actions in infostates_of("kuhn_poker", player)[::-1]:
            np.testing.assert_allclose(
                rules.action_probabilities(infostate, actions),
                tree.action_probabilities(infostate, actions),
                atol=1e-9,
            )


def test_too_many_ends_lead_to_samples_and_then_to_the_blueprint():
    name = GOOFSPIEL
    infostate, actions = infostates_of(name, 0)[-1]
    first, _ = infostates_of(name, 0)[0]
    methods = {}
    for max_ends in (10_000, 24, 2):
        options = {"opponent": "transformations", "tolerance": None}
        search = by_rules(name, max_ends=max_ends, iterations=20, **options)
        answer = search.action_probabilities(infostate, actions)
        methods[max_ends] = search.last_search.method
        share = search.last_search.weight_share
        assert (share == 1) == (max_ends != 24)
        assert 0 < share <= 1
        assert search.last_search.num_ends <= max_ends
        assert answer.sum() == pytest.approx(1)
    assert methods == {10_000: "complete", 24: "sample", 2: "blueprint"}
    expected = blueprint_of(name).action_probabilities(infostate, actions)
    np.testing.assert_array_equal(answer, expected)
    assert first != infostate


@pytest.mark.parametrize("limits", [{"max_ends": 24}, {"max_histories": 3}])
@pytest.mark.parametrize("time_limit", [None, 60_000])
def test_without_samples_a_search_has_all_histories_or_none(limits, time_limit):
    infostate, actions = infostates_of(GOOFSPIEL, 0)[-1]
    common = {"num_samples": 0, "iterations": 20, "tolerance": None, "milliseconds": time_limit}
    whole, limited_one = by_rules(GOOFSPIEL, **common), by_rules(GOOFSPIEL, **common, **limits)
    expected = by_rules(GOOFSPIEL, iterations=20, tolerance=None)
    np.testing.assert_array_equal(
        whole.action_probabilities(infostate, actions),
        expected.action_probabilities(infostate, actions),
    )
    assert whole.last_search.method == expected.last_search.method == "complete"
    answer = limited_one.action_probabilities(infostate, actions)
    assert limited_one.last_search.method == "blueprint"
    blueprint = blueprint_of(GOOFSPIEL).action_probabilities(infostate, actions)
    np.testing.assert_array_equal(answer, blueprint)
    # The root of the game has one history, which is never too many.
    first = infostates_of(GOOFSPIEL, 0)[0]
    limited_one.action_probabilities(*first)
    assert limited_one.last_search.method == "complete"


@pytest.mark.parametrize(("max_histories", "last"), [(500, 500), (None, LARGEST)])
def test_without_samples_each_listing_is_longer_than_the_last_one(max_histories, last):
    budget = SearchBudget("iterations", 20, 60_000)
    settings = ResolvingSettings(budget=budget, num_samples=0, max_histories=max_histories)
    limits = list(PartLimits(settings).drawing(working_seconds()))
    listed = [number for number, _, _ in limits]
    assert listed == sorted(set(listed))
    assert listed[-1] == last
    assert {num_samples for _, num_samples, _ in limits} == {0}


@pytest.mark.parametrize("max_ends", [20_000, 24])
def test_answers_do_not_leak_and_do_not_depend_on_the_order(max_ends):
    name = GOOFSPIEL
    make = lambda: by_rules(name, max_ends=max_ends, iterations=10, seed=4)  # noqa: E731
    there = infostates_of(name, 0)[::5]
    forward, backward = make(), make()
    answers = {key: forward.action_probabilities(key, actions) for key, actions in there}
    for key, actions in there[::-1]:
        np.testing.assert_array_equal(backward.action_probabilities(key, actions), answers[key])
    kuhn = by_rules("kuhn_poker", iterations=10)
    assert find_leak(cached_tree("kuhn_poker").game, kuhn.search, seed=1) is None


def test_a_function_gives_leaf_values():
    """With the exact values as a function, the answers are those of the exact values."""
    exact = ExactContinuationValues(values_of("kuhn_poker"))
    model = RulesModel(cached_tree("kuhn_poker").game)
    blueprint = blueprint_of("kuhn_poker")
    given = ContinualResolving(model, blueprint, lambda rows, p: exact.continuation_values(rows, p))
    expected = ContinualResolving(model, blueprint, exact, tolerance=None)
    for infostate, actions in infostates_of("kuhn_poker", 1):
        np.testing.assert_array_equal(
            given.action_probabilities(infostate, actions),
            expected.action_probabilities(infostate, actions),
        )


def test_values_are_not_needed_where_a_search_reaches_the_end_of_the_game():
    def never(histories, player):
        raise AssertionError

    model = RulesModel(cached_tree("kuhn_poker").game)
    search = ContinualResolving(model, values=never, depth=3)
    for infostate, actions in infostates_of("kuhn_poker", 0):
        assert search.action_probabilities(infostate, actions).sum() == pytest.approx(1)


def test_leaf_values_must_be_finite_and_have_one_row_for_each_history():
    model = RulesModel(cached_tree("kuhn_poker").game)
    infostate, actions = infostates_of("kuhn_poker", 0)[0]
    wrong = {
        "NaN": lambda rows, player: np.full((len(rows), 2), np.nan),
        "shape": lambda rows, player: np.zeros(len(rows)),
        "continuation": lambda rows, player: np.zeros((len(rows), 0)),
    }
    for word, function in wrong.items():
        with pytest.raises(ParameterError, match=word):
            ContinualResolving(model, values=function).action_probabilities(infostate, actions)


def test_what_search_by_rules_refuses():
    model = RulesModel(cached_tree("kuhn_poker").game)
    with pytest.raises(ParameterError, match="give values"):
        ContinualResolving(model)
    with pytest.raises(ParameterError, match="max_ends=0"):
        by_rules("kuhn_poker", max_ends=0)
    with pytest.raises(ParameterError, match="num_samples=-1"):
        by_rules("kuhn_poker", num_samples=-1)
    with pytest.raises(ParameterError, match="not values"):
        ContinualResolving(model, values=3)
    with pytest.raises(ParameterError, match="not a policy"):
        ContinualResolving(model, 3)
    with pytest.raises(UnsupportedGameError, match="tree"):
        by_rules("kuhn_poker", opponent="best_response")
    with pytest.raises(UnsupportedGameError, match="tree"):
        by_rules("kuhn_poker", gadget="reach-max-margin")
    with pytest.raises(UnsupportedGameError, match="tree"):
        by_rules("kuhn_poker").search_policy()


def test_searchers_by_name_build_the_tree_of_a_small_game():
    game = cached_tree("kuhn_poker").game
    search = make_searcher("continual_resolving(depth=2,iterations=50)", game)
    assert search.tree is not None
    assert nash_conv(search.search_policy()) < 0.2
    with pytest.raises(ParameterError, match=r"or None \(with a capital N\)"):
        make_searcher("depth_limited(depth=none)", game)
    alone = make_searcher("depth_limited(depth=None)", game)
    assert alone.settings()["depth"] is None
    paper = make_searcher("sepot(preset=paper)", game, blueprint=blueprint_of("kuhn_poker"))
    assert (paper.settings()["opponent"], paper.settings()["iterations"]) == ("profile", 1500)


def test_a_time_limit_ends_iterations():
    search = by_rules("kuhn_poker", iterations=10**9, milliseconds=20.0)
    infostate, actions = infostates_of("kuhn_poker", 0)[0]
    with warnings.catch_warnings():  # a busy machine does a few iterations only
        warnings.simplefilter("ignore", ShortSearchWarning)
        search.action_probabilities(infostate, actions)
    assert 1 <= search.last_search.num_iterations < 10**9
    assert search.last_search.seconds > 0.01  # the time of the search is in its record


def test_a_time_limit_makes_samples_smaller():
    """However slow building has been, a search has a hundred ends, if there is time for any."""
    infostate, actions = infostates_of("leduc_poker", 0)[0]
    unlimited = by_rules("leduc_poker", iterations=3)
    unlimited.action_probabilities(infostate, actions)
    assert unlimited.last_search.num_ends > 300
    search = by_rules("leduc_poker", DepthLimitedSearch, milliseconds=1e6, iterations=3)
    search._resolvers[0]._limits.ends_per_second = 1e-9
    search.action_probabilities(infostate, actions)
    assert 0 < search.last_search.num_ends <= 100
    assert search.last_search.num_iterations == 3
    none = by_rules("leduc_poker", milliseconds=1e-3, iterations=3)
    none.action_probabilities(infostate, actions)
    assert (none.last_search.num_ends, none.last_search.method) == (0, "blueprint")


@pytest.mark.parametrize(("seconds", "expected"), [(1, 3_333), (10, 33_333), (1_000, 1_000_000)])
def test_time_buys_size(clock, seconds, expected):
    """A third of the time is enough for 300 iterations, and two thirds build the part."""
    budget = SearchBudget("iterations", None, 1000.0 * seconds)
    limits = PartLimits(ResolvingSettings(budget=budget), updates_per_second=1e9)
    clock.now = 50.0
    assert limits.max_ends(50.0) == pytest.approx(2 * expected, abs=2) or seconds == 1_000
    assert limits.max_ends(50.0) <= 1_000_000
    clock.now += seconds / 2
    assert limits.max_ends(50.0) == pytest.approx(expected, abs=2)
    limits.updates_per_second = 300 * 3.0  # three ends in each second of solving
    assert limits.max_ends(50.0) == max(100, seconds // 2)
    assert PartLimits(replace(limits.settings, max_ends=77)).max_ends(50.0) == 77
    assert PartLimits(ResolvingSettings()).max_ends(50.0) == 5_000


def test_a_part_that_took_too_long_is_followed_by_much_smaller_ones(clock):
    budget = SearchBudget("iterations", None, 10_000.0)
    limits = PartLimits(ResolvingSettings(budget=budget), updates_per_second=1e9)
    clock.now = 60.0
    limits.shrink(3_000, 50.0)
    assert limits.ends_per_second == pytest.approx(3_000 / 10 / 10)
    assert limits.max_ends(60.0) == pytest.approx(2 / 3 * 10 * 30, abs=1)


def test_drawing_histories_ends_with_its_part_of_the_time(monkeypatch):
    """A clock that jumps at its 100th look ends the listing of many histories."""
    looks = []

    def late():
        looks.append(1)
        return 0.0 if len(looks) < 100 else 1e9

    for module in ("utils.clocks", "resolving.part_limits"):
        monkeypatch.setattr(f"infoset.{module}.working_seconds", late)
    search = by_rules("leduc_poker", DepthLimitedSearch, milliseconds=1e3)
    [infostate, actions] = infostates_of("leduc_poker", 0)[-1]
    answer = search.action_probabilities(infostate, actions)
    assert search.last_search.method == "blueprint"
    expected = blueprint_of("leduc_poker").action_probabilities(infostate, actions)
    np.testing.assert_array_equal(answer, expected)
    assert len(looks) < 200


def test_a_sample_reports_its_share_of_the_weight():
    """A sample of listed histories knows it; drawn histories estimate it."""
    name = GOOFSPIEL
    game, policies = load_game(name), [None, None]
    infostate, _ = infostates_of(name, 0)[-1]
    rng = np.random.default_rng(3)
    all_of_them = histories_around(game, infostate, policies, SamplingLimits(rng, 10_000, 10))
    assert all_of_them.whole().weight_share == 1
    for number in (1, 5, len(all_of_them) - 1):
        sample = all_of_them.sample(number, all_of_them.reach, infostate, rng)
        assert sample.weight_share == pytest.approx(len(sample) / len(all_of_them))
    shares = []
    for _ in range(200):
        drawn = histories_around(game, infostate, policies, SamplingLimits(rng, 1, 4))
        assert not drawn.is_complete
        shares.append((drawn.whole().weight_share, len(drawn) / len(all_of_them)))
    estimated, true = np.array(shares).T
    assert estimated.mean() == pytest.approx(true.mean(), rel=0.1)


def limited(game, **options):
    """Return a search of goofspiel whose values are all zero."""
    model, zeros = RulesModel(load_game(game)), lambda rows, player: np.zeros((len(rows), 1))
    return DepthLimitedSearch(model, values=zeros, **options)


def test_a_time_limit_draws_as_many_histories_as_fit(monkeypatch):
    """Two samples take a quarter of a second; if none agrees, ten times as many are drawn."""
    asked = []

    def none_agrees(game, infostate, policies, limits):
        asked.append((limits.max_worlds, limits.num_samples))
        raise UnsupportedGameError("none agrees")

    monkeypatch.setattr(part_limits, "histories_around", none_agrees)
    start = infostates_of(GOOFSPIEL, 0)[0]
    for options in ({"milliseconds": 1e3}, {"milliseconds": 1e-3}, {}):
        search = limited(GOOFSPIEL, num_samples=200, max_histories=2_000, **options)
        search.action_probabilities(*start)
        assert search.last_search.method == "blueprint"
    # A limit of a microsecond is over after the first attempt.
    assert asked == [(1_250, 125), (2_000, 200), (100, 10), (2_000, 200)]


def test_a_slow_moment_does_not_end_all_later_searches(monkeypatch):
    """A measured speed that allows no part is forgotten after one decision of the blueprint."""
    game = "goofspiel(num_cards=13,imp_info=True,points_order=descending)"
    start = initial_history(load_game(game)).infostates[0], tuple(range(1, 14))
    search = limited(game, milliseconds=1e5, iterations=20, max_ends=500)
    [resolver, _] = search._resolvers
    resolver._limits.ends_per_second = 1e-3
    assert resolver.resolve(start[0]) is None  # 169 ends, of which 100 are allowed
    resolver._searches.clear()
    assert search.search(start[0], np.random.default_rng(0)).shape == (13,)
    assert search.last_search.num_ends == 169


def test_a_search_without_any_limit_is_refused():
    with pytest.raises(ParameterError, match="would never end"):
        limited(GOOFSPIEL, iterations=None)
    assert limited(GOOFSPIEL, iterations=None, milliseconds=5.0).settings()["iterations"] is None


def test_another_blueprint_needs_other_values():
    tree = cached_tree("kuhn_poker")
    other = random_policy(tree.sequence_form, np.random.default_rng(5))
    with pytest.raises(Exception, match="another blueprint"):
        ContinualResolving(
            RulesModel(tree.game), other, ExactContinuationValues(values_of("kuhn_poker"))
        )
