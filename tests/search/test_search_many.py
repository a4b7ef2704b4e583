"""`search_many` agrees with repeated single searches."""

from __future__ import annotations

import numpy as np
import pytest

from infoset.errors import ParameterError
from infoset.game import initial_history
from infoset.games import load_game
from infoset.matches import average_search
from infoset.search import ISMCTS, PIMC, RulesModel, make_searcher, search_model
from infoset.tree import build_tree
from tests.support.cached_games import cached_tree

pytestmark = pytest.mark.broad

MODELS = {
    "tree": lambda: search_model(cached_tree("leduc_poker")),
    "dice": lambda: search_model(load_game("liars_dice(numdice=2,dice_sides=3)")),
    "cards": lambda: search_model(load_game("trick_taking(num_cards=8,tie=draw)")),
    "rules": lambda: RulesModel(load_game("kuhn_poker")),
}

SEARCHERS = (
    "pimc(num_worlds=7,public_weight=0.5)",
    "epimc(num_worlds=5,depth=2)",
    "alpha-mu(num_worlds=5)",
    "ismcts(num_simulations=60,public_weight=0.3)",
    "ismcts(num_simulations=1)",
    "ismcts(num_simulations=20,final_policy=max-visits)",
)


def first_infostate(game, seed=1):
    """Return the infostate at the first decision."""
    history, rng = initial_history(game), np.random.default_rng(seed)
    while not history.actors:
        history = history.sample(history.joint({}), rng)
    return history.infostates[history.actors[0]]


@pytest.fixture(scope="module", params=MODELS)
def model(request):
    return MODELS[request.param]()


def both_ways(searcher, infostate, number):
    """Return the answers of single calls and of one call, and whether they use as many draws."""
    one_by_one, at_once = np.random.default_rng(5), np.random.default_rng(5)
    expected = [searcher.search(infostate, one_by_one) for _ in range(number)]
    found = searcher.search_many(infostate, at_once, number)
    return expected, found, at_once.bit_generator.state == one_by_one.bit_generator.state


@pytest.mark.parametrize("text", SEARCHERS)
def test_search_many_agrees_with_search_bit_for_bit(model, text):
    searcher = make_searcher(text, model)
    expected, found, is_alike = both_ways(searcher, first_infostate(model.game), 9)
    assert is_alike
    np.testing.assert_array_equal(found, expected)


def test_search_many_grows_the_tree():
    searcher = ISMCTS(search_model(load_game("liars_dice(numdice=2)")), num_simulations=3000)
    infostate = first_infostate(searcher.model.game)
    found = searcher.search_many(infostate, np.random.default_rng(5), 4)
    room = len(searcher._tree.tree.visits)
    again = ISMCTS(searcher.model, num_simulations=3000)
    assert room > len(again._tree.tree.visits)
    expected = [again.search(infostate, rng) for rng in [np.random.default_rng(5)] for _ in "four"]
    np.testing.assert_array_equal(found, expected)


@pytest.mark.filterwarnings("ignore::infoset.errors.ShortSearchWarning")
def test_with_a_time_limit_each_search_is_separate(clock):
    searcher = PIMC(MODELS["tree"](), num_worlds=3, milliseconds=1000.0)
    expected, found, is_alike = both_ways(searcher, first_infostate(searcher.model.game), 5)
    assert is_alike
    assert len(found) == len(expected)
    assert searcher.last_search.time_limit == 1.0


@pytest.mark.parametrize("text", ["pimc", "ismcts(num_simulations=40)"])
def test_each_search_samples_its_roots(text, monkeypatch):
    model = MODELS["rules"]()
    listed = model.roots

    def drawn(infostate, belief, rng):
        found = listed(infostate, belief, rng)
        kept = rng.permutation(len(found.probability))[:1]
        return found._replace(
            states=found.states[kept],
            rewards_so_far=found.rewards_so_far[kept],
            infostates=found.infostates[kept],
            probability=np.ones(1),
        )

    monkeypatch.setattr(model, "roots", drawn)
    infostate = next(
        i for i in (first_infostate(model.game, s) for s in range(99)) if "Q" in str(i)
    )
    expected, found, is_alike = both_ways(make_searcher(text, model), infostate, 12)
    assert is_alike
    np.testing.assert_array_equal(found, expected)
    assert len({tuple(answer) for answer in expected}) > 1


def test_a_single_action_has_probability_one():
    tree = build_tree(load_game("liars_dice(numdice=1,dice_sides=2)"))
    own = tree.infostate_trees[0]
    infostate = next(own.infostate_at(n) for n in own.acting if len(own.legal_actions(n)) == 1)
    for text in SEARCHERS:
        expected, found, is_alike = both_ways(make_searcher(text, tree), infostate, 3)
        assert is_alike
        np.testing.assert_array_equal(found, expected)
        assert found.tolist() == [[1.0]] * 3


@pytest.mark.parametrize("number", [0, -1, 1.5])
@pytest.mark.parametrize("text", ["pimc", "ismcts"])
def test_invalid_numbers(text, number):
    searcher = make_searcher(text, MODELS["rules"]())
    with pytest.raises(ParameterError, match="number"):
        searcher.search_many(first_infostate(searcher.model.game), np.random.default_rng(0), number)


class OneByOne:
    """A searcher without `search_many`."""

    def __init__(self, searcher):
        self.search = searcher.search


@pytest.mark.parametrize("text", SEARCHERS)
def test_averages_agree_with_single_searches(text):
    tree = cached_tree("kuhn_poker")
    searcher = make_searcher(text, tree)
    slow = average_search(tree, OneByOne(searcher), tolerance=0.2, seed=3)
    fast = average_search(tree, searcher, tolerance=0.2, seed=3)
    for one, other in zip(slow.policy.probabilities, fast.policy.probabilities, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-12)
    for one, other in zip(slow.repeats, fast.repeats, strict=True):
        np.testing.assert_array_equal(one, other)
