"""Random plays refuse games that are much too large, and never one that fits."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import count, product
from math import comb, exp, inf

import numpy as np
import pytest

import infoset
from infoset.errors import ExplorationLimitError
from infoset.games import GAMES, load_game
from infoset.games.random_game import RandomGame
from infoset.tree import build_world_graph
from infoset.tree.limits import DEFAULT_LIMITS
from infoset.tree.world_samples import (
    MIN_LIMIT,
    first_check,
    has_more_extensions,
    has_more_meetings,
    has_more_worlds,
    log_chance_of_count,
    log_chance_of_repeats,
)
from tests.search.test_no_leaks import SMALL
from tests.support.function_game import FunctionGame

REGISTERED = [
    pytest.param(SMALL.get(name, name), marks=[] if name == "kuhn_poker" else [pytest.mark.broad])
    for name in GAMES
    if name not in ("phantom_ttt", "matrix_game")
]


def is_refused(game, limit, fraction):
    """Return whether a game is refused at a limit, once a fraction of it has been found."""
    graph = build_world_graph(game, max_worlds=max(1, int(fraction * limit)), partial=True)
    found = graph.worlds[graph.num_expanded :]
    rules = (has_more_extensions, has_more_meetings)  # without catching exceptions
    return bool(found) and any(rule(game, found, limit) for rule in rules)


def unrolled(game):
    """Return a game whose world states are the tuples of world states so far."""
    return FunctionGame(
        game.num_players,
        initial_world=lambda: (game.initial_world(),),
        actors=lambda w: game.actors(w[-1]),
        legal_actions=lambda w, p: game.legal_actions(w[-1], p),
        transitions=lambda w, a: [((*w, after), p) for after, p in game.transitions(w[-1], a)],
    )


def deal_of(size):
    """Return a game that is one deal: the root, and equally probable world states."""
    deal = [(number, Fraction(1, size - 1)) for number in range(1, size)]
    return FunctionGame(initial_world=lambda: 0, transitions=lambda w, a: [] if w else deal)


def growing(sizes, choose):
    """Return a game of tuples: `choose` gives the number of moves after a tuple of some length."""
    return FunctionGame(
        initial_world=lambda: (),
        actors=lambda w: (0,) if len(w) < sizes else (),
        legal_actions=lambda w, p: range(choose(w)),
        transitions=lambda w, a: [((*w, a[0]), 1)] if len(w) < sizes else [],
    )


@pytest.mark.parametrize("name", REGISTERED)
def test_no_registered_game_that_fits_is_refused(name):
    game = load_game(name)
    limit = build_world_graph(game).num_worlds
    assert not any(is_refused(game, limit, fraction) for fraction in (0.02, 0.2, 0.5, 0.9))


@pytest.mark.parametrize(
    "seed", [*range(10), *(pytest.param(seed, marks=pytest.mark.broad) for seed in range(10, 300))]
)
def test_no_random_game_that_fits_is_refused(seed):
    game = RandomGame(seed, 2 + seed % 3, worlds_per_level=4 + 3 * (seed % 7), max_histories=500)
    for rules in (game, unrolled(game)):
        limit = build_world_graph(rules).num_worlds
        assert not any(is_refused(rules, limit, fraction) for fraction in (0.02, 0.3, 0.8))


@pytest.mark.parametrize("size", [100, 1_000, 20_000])
def test_a_deal_decides_by_its_size(size):
    game = deal_of(size)
    assert not is_refused(game, size, 0.5)
    assert not is_refused(game, size // 2, 0.5)
    assert has_more_meetings(game, [0], size // 100)


def test_outcomes_where_all_plays_begin_are_listed_once():
    asked, listed = Counter(), [(number, Fraction(1, 20_000)) for number in range(1, 20_001)]

    def transitions(world, joint):
        asked[world] += 1
        return [] if world else listed

    game = FunctionGame(initial_world=lambda: 0, transitions=transitions)
    assert has_more_meetings(game, [0], 200)
    assert asked[0] == 1


def test_plays_of_few_long_branches_count_no_more_than_there_are():
    """One move in fifty leads to nearly all world states: estimates vary by this factor."""
    game = growing(12, lambda w: 50 if not w else 2 if w[0] == 0 else 1)
    size = build_world_graph(game).num_worlds
    assert size == 1 + 50 + sum(49 + 2**depth for depth in range(1, 12))
    assert not any(is_refused(game, size, fraction) for fraction in (0.01, 0.02, 0.1, 0.5))
    assert has_more_extensions(growing(12, lambda w: 3), [(number,) for number in range(3)], 5_000)


def test_world_states_that_are_reached_in_two_ways_count_once():
    """The tuples are sorted, so that most are reached by many paths."""
    size = sum(comb(length + 4, 4) for length in range(9))
    game = FunctionGame(
        initial_world=lambda: (),
        actors=lambda w: (0,) if len(w) < 8 else (),
        legal_actions=lambda w, p: range(5),
        transitions=lambda w, a: [(tuple(sorted((*w, a[0]))), 1)] if len(w) < 8 else [],
    )
    assert build_world_graph(game).num_worlds == size
    assert not any(is_refused(game, size, fraction) for fraction in (0.02, 0.2, 0.5))


def test_extensions_of_extensions_count_once():
    game = growing(40, lambda w: 1)
    assert not has_more_extensions(game, build_world_graph(game).worlds, 41)


def test_moves_that_lead_to_one_world_state_count_once():
    game = FunctionGame(
        initial_world=lambda: (),
        actors=lambda w: (0,),
        legal_actions=lambda w, p: range(9),
        transitions=lambda w, a: [((*w, "x"), 1)] if len(w) < 30 else [],
    )
    assert not has_more_worlds(game, [()], 31)


def test_outcomes_of_probability_zero_do_not_count():
    deal = [(number, 0.0) for number in range(1, 10_000)] + [(10_000, 1.0)]
    game = FunctionGame(initial_world=lambda: 0, transitions=lambda w, a: [] if w else deal)
    assert not has_more_meetings(game, [0], 100)
    pairs = [((number,), 0.0) for number in range(1_000)]
    game = FunctionGame(initial_world=lambda: (), transitions=lambda w, a: [] if w else pairs)
    assert not has_more_extensions(game, [()], 2)


def test_broken_and_endless_rules_show_nothing():
    broken = FunctionGame(transitions=lambda w, a: [("start", 1 / 0)])
    endless = FunctionGame(transitions=lambda w, a: ((number, 0.1) for number in count()))
    assert not has_more_worlds(broken, ["start"], MIN_LIMIT)
    assert not has_more_worlds(endless, ["start"], MIN_LIMIT)


def chances_of_repeats(probabilities, draws):
    """Return the probabilities of 0, 1, 2, … repetitions, from all sequences of draws."""
    found = Counter()
    for values in product(range(len(probabilities)), repeat=draws):
        found[draws - len(set(values))] += np.prod([probabilities[value] for value in values])
    return [found[repeats] for repeats in range(draws)]


@pytest.mark.parametrize("seed", range(5))
def test_few_repetitions_are_no_more_probable_than_the_bound(seed):
    values, draws = 4, 6
    rng = np.random.default_rng(seed)
    uniform = np.cumsum(chances_of_repeats([1 / values] * values, draws))
    other = np.cumsum(chances_of_repeats(rng.dirichlet(np.ones(values)), draws))
    assert (other <= uniform + 1e-12).all()
    bounds = [exp(log_chance_of_repeats(repeats, draws, values)) for repeats in range(draws)]
    assert (uniform <= np.array(bounds) + 1e-12).all()


@pytest.mark.parametrize(("draws", "limit"), [(60, 200), (200, 1_000), (500, 20_000)])
def test_the_bound_of_repetitions_holds_for_larger_samples(draws, limit):
    chance = np.zeros(draws)  # of each number of repetitions so far
    chance[0] = 1.0
    for drawn in range(draws):
        hit = np.maximum(drawn - np.arange(draws), 0) / limit
        chance = chance * (1 - hit) + np.append(0.0, (chance * hit)[:-1])
    assert sum(chance) == pytest.approx(1)
    for repeats, exact in enumerate(np.cumsum(chance)):
        assert exact <= exp(log_chance_of_repeats(repeats, draws, limit)) * (1 + 1e-9)


def test_the_bound_of_counts_holds():
    for draws, probability in ((20, 0.1), (300, 1 / 16)):
        chances = [
            comb(draws, hits) * probability**hits * (1 - probability) ** (draws - hits)
            for hits in range(draws + 1)
        ]
        tails = np.cumsum(chances[::-1])[::-1]
        for hits, tail in enumerate(tails):
            assert tail <= exp(log_chance_of_count(hits, draws, probability)) * (1 + 1e-9)


LARGE = growing(20, lambda w: 3)


@pytest.fixture
def small_limit(monkeypatch):
    """Return a limit at which random plays begin, though it is small."""
    monkeypatch.setattr("infoset.tree.world_samples.MIN_LIMIT", 5_000)
    monkeypatch.setattr("infoset.tree.build_watch.ESTIMATE_SECONDS", inf)
    return 5_000


def test_a_game_that_is_much_too_large_is_refused_early(small_limit):
    with pytest.raises(ExplorationLimitError) as raised:
        infoset.build_tree(LARGE, max_worlds=small_limit)
    text = str(raised.value)
    assert text.startswith("random plays show that FunctionGame has more than 5,000 world states")
    assert "It has about 5.2e+09 histories" in text
    assert "raise max_worlds (--max-worlds)" in text
    assert raised.value.counts["world_states"] == first_check(small_limit) + 1
    found = infoset.info(LARGE, max_worlds=small_limit)
    assert (found.stop, found.world_states) == ("worlds", first_check(small_limit) + 1)
    assert found.estimate.histories == pytest.approx(3**21 / 2, rel=1e-6)


def test_a_partial_graph_has_as_many_world_states_as_it_may_have(small_limit):
    assert build_world_graph(LARGE, max_worlds=small_limit, partial=True).num_worlds > small_limit


def test_small_limits_are_explored_without_plays():
    assert first_check(MIN_LIMIT - 1) == MIN_LIMIT - 1
    with pytest.raises(ExplorationLimitError, match="at least 1,001 world states; exploring them"):
        infoset.build_tree(LARGE, max_worlds=1_000)


@pytest.mark.broad
@pytest.mark.parametrize("name", ["hanabi", "repeated_leduc_poker", "social_deduction"])
def test_large_games_of_openspiel_are_refused_early(name):
    pytest.importorskip("pyspiel")
    with pytest.raises(ExplorationLimitError, match="random plays show that openspiel:") as raised:
        build_world_graph(infoset.load(f"openspiel:{name}"))
    begin = first_check(DEFAULT_LIMITS.max_worlds)
    assert raised.value.counts["world_states"] <= begin + 1
