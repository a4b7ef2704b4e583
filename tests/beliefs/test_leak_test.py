"""The leak check detects searchers that use hidden information, and no others."""

from __future__ import annotations

import numpy as np
import pytest

from infoset.beliefs import PublicPrivateBelief, find_leak, private_belief
from infoset.errors import ParameterError
from infoset.games import KuhnPoker, LeducPoker, LiarsDice, load_game

HONEST_GAMES = (
    "kuhn_poker",
    "leduc_poker",
    "liars_dice(dice_sides=3)",
    "goofspiel(num_cards=4,imp_info=True)",
    "trick_taking(num_cards=8,hand_size=3)",
    "random_game(num_players=3,seed=5)",
)


class Telltale(LiarsDice):
    """Liar's dice whose rules store the world state of the last query."""

    def legal_actions(self, world, player):
        object.__setattr__(self, "last", world)
        return super().legal_actions(world, player)


class TelltaleRoll(LiarsDice):
    """Liar's dice whose rules store the last roll."""

    def sample_transition(self, world, joint_action, rng):
        after = super().sample_transition(world, joint_action, rng)
        object.__setattr__(self, "last", after)
        return after


def num_actions(game, infostate):
    history = private_belief(game, infostate).histories[0]
    return len(history.legal_actions(infostate.player))


def sampler(game, public_weight=0.3):
    """Return a valid search that samples from the belief."""
    belief = PublicPrivateBelief(public_weight)

    def search(infostate, rng):
        drawn = belief.at(game, infostate, rng=rng)
        weights = rng.random(num_actions(game, infostate)) + drawn.sample(rng, 1)
        return weights / weights.sum()

    return search


def peeker(game):
    """Return a search that uses the dice of the other player."""

    def search(infostate, rng):
        other = game.last.hands[1 - infostate.player]
        answer = np.ones(num_actions(game, infostate))
        answer[0] += sum(other)
        return answer / answer.sum()

    return search


@pytest.mark.parametrize("name", HONEST_GAMES)
def test_a_search_that_samples_from_beliefs_does_not_leak(name):
    game = load_game(name)
    search = sampler(game)
    assert find_leak(game, search, seed=1, num_plays=3, make_search=lambda: sampler(game)) is None


def test_a_search_that_reads_the_world_from_the_rules_is_found():
    game = Telltale(dice_sides=4)
    leak = find_leak(game, peeker(game), seed=1)
    assert leak.difference == "world state"
    player = leak.infostate.player
    first, second = leak.worlds
    assert first.hands[player] == second.hands[player]
    assert first.hands[1 - player] != second.hands[1 - player]
    assert leak.answers[0].tolist() != leak.answers[1].tolist()
    assert f"player {player} at" in str(leak)
    assert "differ in the world state" in str(leak)
    assert repr(second) in str(leak)


def test_rules_that_are_equal_are_not_taken_for_those_that_are_searched():
    game = Telltale(dice_sides=5)
    find_leak(game, sampler(game), seed=1, num_plays=2)
    other = Telltale(dice_sides=5)
    leak = find_leak(other, peeker(other), seed=1, num_plays=1, num_worlds=5)
    assert leak.difference == "world state"


def test_a_belief_that_lists_the_true_world_first_is_detected():
    game = Telltale(dice_sides=3)

    def search(infostate, rng):
        truth = game.last
        worlds = list(private_belief(game, infostate).worlds)
        worlds.sort(key=lambda world: world != truth)
        drawn = worlds[int(rng.integers(len(worlds)))]
        return [float(sum(drawn.hands[1 - infostate.player]))]

    assert find_leak(game, search, seed=1).difference == "world state"


def test_a_search_that_caches_answers_by_public_state_is_detected():
    game = load_game("kuhn_poker")

    def make():
        kept = {}

        def search(infostate, rng):
            return [kept.setdefault(infostate.public_state, float(rng.random()))]

        return search

    leak = find_leak(game, make(), seed=1, num_plays=5, make_search=make)
    assert leak.difference == "searcher"


def test_a_search_that_stores_the_generator_is_detected():
    kept = []

    def search(infostate, rng):
        kept.append(rng)
        return [kept[0].random()]

    leak = find_leak(load_game("kuhn_poker"), search, seed=1)
    assert leak.difference == "time of query"


def test_a_search_that_knows_the_draw_is_detected_at_a_repeated_infostate():
    game = TelltaleRoll(dice_sides=3)
    leak = find_leak(game, peeker(game), seed=1, num_plays=30)
    assert leak.difference == "world state"


def test_a_search_that_compares_object_identity_is_found():
    """Such a searcher might store world states in a table with object identity as its key."""
    met = []

    def search(infostate, rng):
        is_known = any(infostate is other for other in met)
        met.append(infostate)
        return np.array([float(is_known), 1 - is_known])

    leak = find_leak(load_game("kuhn_poker"), search, seed=1)
    assert leak.difference == "time of query"


def test_an_equal_infostate_is_another_object():
    first = {}

    def search(infostate, rng):
        return [float(first.setdefault(infostate, infostate) is infostate)]

    leak = find_leak(load_game("kuhn_poker"), search, seed=1)
    assert leak.difference == "infostate object"


def test_a_search_that_learns_from_earlier_queries_is_detected():
    game = LeducPoker()

    def make():
        known = {}

        def search(infostate, rng):
            return [known.setdefault(infostate, float(len(known)))]

        return search

    assert find_leak(game, make(), seed=1) is None
    leak = find_leak(game, make(), seed=1, make_search=make)
    assert leak.difference == "searcher"


def test_each_query_is_repeated_with_the_same_random_numbers():
    own = np.random.default_rng(0)
    kuhn = load_game("kuhn_poker")
    assert find_leak(kuhn, lambda infostate, rng: [rng.random()], seed=1) is None
    assert find_leak(kuhn, lambda infostate, rng: [rng.random()]) is None
    leak = find_leak(kuhn, lambda infostate, rng: [own.random()], seed=1)
    assert leak.difference == "time of query"


class Constant:
    """A search that is an object of a class."""

    def __call__(self, infostate, rng):
        return np.array([0.5, 0.5])


class OfModel(Constant):
    """A class of searches whose constructor has a parameter."""

    def __init__(self, model):
        self.model = model


class Searcher:
    """A class with a method `search`, as searchers have."""

    def search(self, infostate, rng):
        return np.array([0.5, 0.5])


def test_make_search_may_be_a_class():
    kuhn = load_game("kuhn_poker")
    assert find_leak(kuhn, Constant(), seed=1, num_plays=2, make_search=Constant) is None

    class Other(Constant):
        def __call__(self, infostate, rng):
            return np.array([1.0, 0.0])

    leak = find_leak(kuhn, Constant(), seed=1, num_plays=2, make_search=Other)
    assert leak.difference == "searcher"
    with pytest.raises(ParameterError, match=r"returns Searcher.*lambda: MyClass\(...\).search"):
        find_leak(kuhn, Constant(), seed=1, make_search=Searcher)


@pytest.mark.parametrize("seed", range(2))
def test_rare_infostates_are_visited_on_purpose(seed):
    """The search peeks only at one of the 12 infostates of Kuhn poker, whichever that is."""
    kuhn = load_game("kuhn_poker")
    infostates = set()

    def note(infostate, rng):
        infostates.add(infostate)
        return np.array([0.5, 0.5])

    assert find_leak(kuhn, note, seed=seed) is None
    assert len(infostates) == 12


def test_a_leak_at_a_rare_infostate_is_found_with_every_seed():
    """With the jack, player 0 passes and player 1 bets: a random play gets there 1 in 12 times."""

    class Dealer(KuhnPoker):
        """Kuhn poker whose rules store the world state of the last query."""

        def legal_actions(self, world, player):
            object.__setattr__(self, "last", world)
            return super().legal_actions(world, player)

    def search(infostate, rng):
        is_rare = infostate.player == 0 and str(infostate) == "[J] / pass / bet"
        return np.array([1.0, float(is_rare and "K" in repr(game.last))])

    game = Dealer()
    for seed in range(5):
        leak = find_leak(game, search, seed=seed)
        assert leak.difference == "world state"
        assert str(leak.infostate) == "[J] / pass / bet"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"game": "kuhn_poker"}, "game='kuhn_poker'.*give a game, such as infoset.load"),
        ({"search": 3}, "search=3.*is not callable"),
        ({"seed": -1}, "seed=-1 must be a whole number"),
        ({"num_plays": 0}, "num_plays=0 must be a whole number, at least 1"),
        ({"num_worlds": 0}, "num_worlds=0"),
        ({"make_search": 1}, "make_search=1"),
        ({"make_search": OfModel}, "make_search cannot be called.*'model'.*give a function"),
        ({"search": lambda infostate: [1.0]}, "search cannot be called with 2 arguments"),
        ({"search": lambda infostate, rng: None}, "search returned None at the infostate"),
        ({"search": lambda infostate, rng: "pass"}, "search returned 'pass'.*one number per legal"),
    ],
)
def test_what_cannot_be_tried_is_refused(change, message):
    given = {"game": LiarsDice(), "search": lambda i, rng: [1.0], "seed": 0, **change}
    with pytest.raises(ParameterError, match=message):
        find_leak(given.pop("game"), given.pop("search"), **given)
