"""Re-solving: what it does to exploitability, and that its answers are those of its policy."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from infoset.beliefs import find_leak
from infoset.errors import (
    ParameterError,
    PolicyMismatchError,
    UnknownNameError,
    UnsupportedGameError,
)
from infoset.evaluation import nash_conv, transformed_values
from infoset.policy import (
    IDENTITY,
    TRANSFORMATIONS,
    TabularPolicy,
    constant_transformations,
    random_policy,
    uniform_policy,
)
from infoset.regret import SCHEMES, RegretMinimizer
from infoset.resolving import ContinualResolving, DepthLimitedSearch
from infoset.solvers.regret_family import average_policy
from tests.support.cached_games import cached_tree

pytestmark = pytest.mark.broad

GOOFSPIEL = "goofspiel(num_cards=4,imp_info=True,points_order=descending)"
CONSTANT = constant_transformations(["fold", "call", "raise"], "call")


@cache
def blueprint_of(name, scheme, iterations):
    minimizer = RegretMinimizer(cached_tree(name).sequence_form, SCHEMES[scheme])
    minimizer.run(iterations)
    return average_policy(minimizer)


@cache
def values_of(name, blueprint, transformations):
    return transformed_values(cached_tree(name), blueprint, transformations)


def searched(name, blueprint, transformations, search=ContinualResolving, **options):
    values = values_of(name, blueprint, transformations)
    return search(cached_tree(name), blueprint, values, **options).search_policy()


@pytest.mark.parametrize(("depth", "expected"), [(1, 0.0705), (2, 0.0317), (3, 0.0347)])
def test_profile_values_on_goofspiel_as_another_implementation(depth, expected):
    """With the values of the blueprint at the root, as in the paper."""
    blueprint = blueprint_of(GOOFSPIEL, "cfr", 20)
    assert nash_conv(blueprint) == pytest.approx(0.182, abs=5e-4)
    options = {"depth": depth, "opponent": "profile", "iterations": 500}
    found = searched(GOOFSPIEL, blueprint, TRANSFORMATIONS, **options)
    assert nash_conv(found) == pytest.approx(expected, abs=5e-5)


@pytest.mark.parametrize("depth", [1, 2, None])
def test_an_equilibrium_stays_one(depth):
    blueprint = blueprint_of("leduc_poker", "cfr+", 2000)
    assert nash_conv(blueprint) < 5e-4
    options = {"depth": depth, "iterations": 1000}
    assert nash_conv(searched("leduc_poker", blueprint, CONSTANT, **options)) < 5e-3


def test_with_all_pure_continuations_an_equilibrium_stays_one_on_kuhn_poker():
    """After a depth of 1 the opponent acts at most once more, so constants are all of them."""
    blueprint = blueprint_of("kuhn_poker", "cfr+", 20_000)
    rows = constant_transformations(["pass", "bet"])
    found = searched("kuhn_poker", blueprint, rows, depth=1, iterations=20_000)
    assert nash_conv(found) < 1e-3


def test_with_one_continuation_an_equilibrium_is_lost():
    blueprint = blueprint_of("leduc_poker", "cfr+", 2000)
    assert nash_conv(searched("leduc_poker", blueprint, (IDENTITY,), depth=1)) > 0.05


@pytest.mark.parametrize("depth", [1, 2, None])
def test_search_improves_a_weak_blueprint(depth):
    blueprint = blueprint_of(GOOFSPIEL, "cfr", 20)
    found = searched(GOOFSPIEL, blueprint, TRANSFORMATIONS, depth=depth)
    assert nash_conv(found) < 0.6 * nash_conv(blueprint)


@pytest.mark.parametrize("gadget", ["resolving", "reach-max-margin"])
def test_to_the_end_of_the_game_the_blueprint_is_not_needed(gadget):
    """The first search solves the whole game, and later ones do not give anything up."""
    tree = cached_tree("leduc_poker")
    search = ContinualResolving(tree, depth=None, gadget=gadget, iterations=1000)
    assert nash_conv(uniform_policy(tree.sequence_form)) > 4
    assert nash_conv(search.search_policy()) < 0.01


@pytest.mark.parametrize("search", [ContinualResolving, DepthLimitedSearch])
@pytest.mark.parametrize("gadget", ["resolving", "reach-max-margin"])
def test_answers_are_the_searched_policy_in_any_order(search, gadget):
    tree = cached_tree("kuhn_poker")
    blueprint = random_policy(tree.sequence_form, np.random.default_rng(2))
    make = lambda: search(tree, blueprint, depth=1, gadget=gadget, iterations=50)  # noqa: E731
    whole, alone = make().search_policy(), make()
    for _player, own in enumerate(tree.infostate_trees):
        for number in own.acting[::-1].tolist():
            infostate, actions = own.infostate_at(number), own.legal_actions(number)
            found = alone.action_probabilities(infostate, actions)
            np.testing.assert_array_equal(found, whole.action_probabilities(infostate, actions))


def test_answers_do_not_leak():
    tree = cached_tree("kuhn_poker")
    assert find_leak(tree.game, ContinualResolving(tree, iterations=20).search, seed=1) is None


def test_where_own_play_never_leads_the_blueprint_answers():
    tree = cached_tree("kuhn_poker")
    form = tree.sequence_form
    weights = [np.ones(plex.num_sequences) for plex in form.treeplexes]
    always_pass = TabularPolicy.from_weights(form, [weights[0], weights[1]])
    probabilities = [values.copy() for values in always_pass.probabilities]
    own = tree.infostate_trees[0]
    for number in own.acting.tolist():
        first = own.first_sequence[number]
        probabilities[0][first : first + 2] = [1, 0]
    blueprint = TabularPolicy(form, tuple(probabilities))
    search = DepthLimitedSearch(tree, blueprint, iterations=20)
    assert all(np.isfinite(p).all() for p in search.search_policy().probabilities)


def test_what_re_solving_refuses():
    tree = cached_tree("kuhn_poker")
    form = tree.sequence_form
    blueprint, other = (random_policy(form, np.random.default_rng(seed)) for seed in (1, 2))
    rows = constant_transformations(["pass", "bet"])
    with pytest.raises(PolicyMismatchError, match="another blueprint"):
        ContinualResolving(tree, blueprint, transformed_values(tree, other, rows))
    with pytest.raises(PolicyMismatchError, match="leduc"):
        ContinualResolving(cached_tree("leduc_poker"), blueprint)
    with pytest.raises(ParameterError, match="identity"):
        transformed_values(tree, blueprint, rows[1:])
    with pytest.raises(ParameterError, match="depth=0"):
        ContinualResolving(tree, depth=0)
    with pytest.raises((ParameterError, UnknownNameError), match="max-margin"):
        ContinualResolving(tree, gadget="maxmargin")
    with pytest.raises((ParameterError, UnknownNameError), match="previous"):
        ContinualResolving(tree, opponent="previuos")
    three = cached_tree("kuhn_poker(players=3)")
    with pytest.raises(UnsupportedGameError, match="two-player"):
        ContinualResolving(three)
