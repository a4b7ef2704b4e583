"""Re-solving on public forms: equal to re-solving on trees, and safe on a river."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import infoset
from infoset.errors import ParameterError, PolicyMismatchError, UnknownNameError
from infoset.evaluation import (
    PublicContinuation,
    PublicValues,
    evaluate_policy,
    transformed_values,
)
from infoset.game import Infostate
from infoset.policy import TRANSFORMATIONS, transfer_policy
from infoset.resolving import GADGETS, ContinualResolving, DepthLimitedSearch, public_subgame
from infoset.search import make_searcher
from infoset.tree import derive_public_form
from tests.support.cached_games import cached_tree

pytestmark = pytest.mark.broad

RIVER = 'nolimit_endgame(board=Ks9d8h4s2c,pot=100,stack=200,ranges="AA,QQ,AKs,98s,JTs")'
TURN = 'nolimit_endgame(board=Ks9d8h4s,pot=100,stack=50,ranges="AA,JTs")'
SMALL_LEDUC = "leduc_poker(num_ranks=2)"
POT = 100


@cache
def leduc():
    """Return the tree of a small Leduc poker, its public form, and a blueprint on each."""
    tree = cached_tree(SMALL_LEDUC)
    form = derive_public_form(tree)
    blueprint = infoset.solve(form, "cfr+", iterations=20).policy
    return tree, form, transfer_policy(blueprint, tree.sequence_form), blueprint


@cache
def river():
    form = infoset.build_public_form(RIVER)
    return form, infoset.solve(form, "cfr+", iterations=20).policy


@pytest.mark.parametrize(("number", "gadget"), [*enumerate(GADGETS)])
def test_each_search_is_that_on_the_tree(number, gadget):
    """At every third public state, which differ between gadgets.

    Before any action, a tree is re-solved twice, at its root and after the deal; a public form has
    one root.
    """
    tree, form, of_tree, of_form = leduc()
    settings = {"opponent": "best_response", "iterations": 30, "tolerance": None}
    searches = [
        DepthLimitedSearch(game, policy, depth=None, gadget=gadget, **settings)
        for game, policy in ((tree, of_tree), (form, of_form))
    ]
    for player in range(2):
        theirs, ours = (search._resolvers[player] for search in searches)
        own, compared = tree.infostate_trees[player], form.decisions[player][number % 3 :: 3]
        for at in own.acting.tolist():
            infostate = own.infostate_at(at)
            is_first = tree.public_tree.parent[own.public_state[at]] == 0
            if not is_first and ours.find(infostate).public_state in compared:
                wanted = theirs.answer(infostate).policy
                assert ours.answer(infostate).policy == pytest.approx(wanted, abs=1e-6)


@pytest.mark.parametrize("opponent", ["previous", "profile", "transformations"])
def test_values_of_the_opponent_are_those_on_the_tree(opponent):
    """At the first decision of player 1, after its own searches or the blueprint."""
    tree, form, of_tree, of_form = leduc()
    settings = {"depth": None, "opponent": opponent, "iterations": 30, "tolerance": None}
    theirs = ContinualResolving(tree, of_tree, **settings)._resolvers[1]
    ours = ContinualResolving(form, of_form, **settings)._resolvers[1]
    node = int(form.decisions[1][0])
    infostate = form.infostate_at(1, 0)
    state = theirs.find(infostate).public_state
    assert ours.find(infostate).public_state == node
    found = [own._opponent(at, own.own_range(at)) for own, at in ((theirs, state), (ours, node))]
    assert found[1] == pytest.approx(found[0], abs=1e-9)
    answers = [own.answer(infostate) for own in (theirs, ours)]
    assert answers[0].actions == answers[1].actions
    assert answers[1].policy == pytest.approx(answers[0].policy, abs=1e-6)
    assert answers[0].is_carried == answers[1].is_carried == (opponent == "previous")


@pytest.mark.parametrize("gadget", [name for name in GADGETS if name != "none"])
def test_searches_on_a_river_are_no_more_exploitable_than_the_blueprint(gadget):
    form, blueprint = river()
    before = evaluate_policy(blueprint)
    search = ContinualResolving(form, blueprint, depth=None, iterations=1000, gadget=gadget)
    after = evaluate_policy(search.search_policy())
    assert before.nash_conv > 0.005 * POT
    assert all(np.array(after.gains) <= np.array(before.gains) + 1e-6 * POT)
    assert after.nash_conv < before.nash_conv / 10


def test_short_searches_play_the_blueprint():
    form, blueprint = river()
    search = ContinualResolving(form, blueprint, depth=None, iterations=10)
    assert search.search_policy().digest == blueprint.digest
    infostate = form.infostate_at(0, 3)
    rng = np.random.default_rng(0)
    assert search.search(infostate, rng).tolist() == list(blueprint[str(infostate), 0].values())
    assert search.last_search.method == "blueprint"
    assert search.num_short == 1


def test_worse_solutions_are_rejected():
    """After a good blueprint, 20 iterations are worse for some hand."""
    form, _ = river()
    blueprint = infoset.solve(form, "cfr+", iterations=3000).policy
    before = evaluate_policy(blueprint)
    found = [
        ContinualResolving(form, blueprint, depth=None, iterations=20, tolerance=tolerance)
        for tolerance in (1e-4, None)
    ]
    checked, unchecked = (evaluate_policy(own.search_policy()) for own in found)
    assert checked.nash_conv <= before.nash_conv + 1e-3 * POT
    assert unchecked.nash_conv > before.nash_conv + 1e-3 * POT


def test_a_depth_limit_with_values_of_the_blueprint():
    """By default, values at the limit are those of the blueprint; a function gives the same."""
    form = derive_public_form(cached_tree("leduc_poker"))
    blueprint = infoset.solve(form, "cfr+", iterations=2000).policy
    calls = []
    exact = PublicContinuation(blueprint)

    def values(node, ranges):
        calls.append(node)
        return exact(node, ranges)

    node = int(form.decisions[1][0])
    infostate = form.infostate_at(1, 0)
    by_default, by_function = (
        ContinualResolving(
            form,
            blueprint,
            own,
            depth=1,
            iterations=30,
            opponent="best_response",
            tolerance=tolerance,
        )
        for own, tolerance in ((None, None), (values, 1e-4))
    )
    rng = np.random.default_rng(0)
    first, second = (own.search(infostate, rng) for own in (by_default, by_function))
    assert first == pytest.approx(second, abs=1e-12)
    part = by_function._resolvers[1].part(node)
    assert set(calls) >= set(part.leaves) > set()
    assert by_function.last_search.num_iterations == 30
    assert part.num_nodes < by_function._resolvers[1].part(node, is_whole=True).num_nodes
    assert by_function.resolving.tolerance is None  # values of a function are not compared


def test_searches_on_a_turn_are_better_than_the_blueprint():
    """Both streets, with the river dealt by chance."""
    form = infoset.build_public_form(TURN)
    blueprint = infoset.solve(form, "cfr+", iterations=20).policy
    search = ContinualResolving(form, blueprint, iterations=100)
    before, after = map(evaluate_policy, (blueprint, search.search_policy()))
    assert all(np.array(after.gains) <= np.array(before.gains) + 1e-6 * POT)
    assert after.nash_conv < before.nash_conv / 10


def test_a_depth_limit_with_values_of_equilibria_after_it():
    """The function solves the subgame at a leaf for its ranges (Moravčík et al. 2017).

    In all equilibria, player 0 bets a jack a third as often as a king, and never bets a queen.
    """
    form = infoset.build_public_form("kuhn_poker")
    blueprint = infoset.solve(form, "cfr+", iterations=2).policy

    def solved(node, ranges):
        if not min(own.sum() for own in ranges) > 0:
            return tuple(map(np.zeros, form.num_hands))
        rest = public_subgame(form, node, ranges).form
        values = PublicValues(infoset.solve(rest, "cfr+", iterations=20).policy)
        return values.values(0, 0), values.values(0, 1)

    rng, bets = np.random.default_rng(0), []
    for values in (solved, None):
        search = ContinualResolving(form, blueprint, values, depth=1, iterations=100)
        bets.append([search.search(form.infostate_at(0, hand), rng)[1] for hand in range(3)])
    jack, queen, king = bets[0]
    assert jack == pytest.approx(king / 3, abs=0.02)
    assert queen < 0.01
    assert bets[1][1] > 0.3  # the blueprint after the limit calls too rarely


def test_good_values_at_a_limit_lead_from_a_bad_blueprint_to_a_good_policy():
    """Searches that begin at the limit offer the opponent the same values, not the blueprint's."""
    form = derive_public_form(cached_tree(SMALL_LEDUC))
    follow = PublicContinuation(infoset.solve(form, "cfr+", iterations=1000).policy)
    search = ContinualResolving(form, values=follow, depth=1, iterations=20)
    assert search.resolving.tolerance is None  # they are not the values of the blueprint
    assert evaluate_policy(search.blueprint).nash_conv > 4.7
    assert evaluate_policy(search.search_policy()).nash_conv < 0.5


def test_values_of_the_blueprint_at_a_limit_may_be_worse_than_the_blueprint():
    """They bind the opponent to one continuation, so by default searches have no depth limit."""
    form, blueprint = river()
    default = ContinualResolving(form, blueprint, iterations=300)
    assert default.settings()["depth"] is None
    assert DepthLimitedSearch(form, blueprint).settings()["depth"] is None
    follow = PublicContinuation(blueprint)
    given = ContinualResolving(form, blueprint, follow).settings()
    assert given["depth"] == 1
    assert given["tolerance"] == default.settings()["tolerance"]
    assert ContinualResolving(cached_tree("kuhn_poker")).settings()["depth"] == 1
    limited = ContinualResolving(form, blueprint, depth=1, iterations=300)
    before, at_limit, to_the_end = (
        evaluate_policy(policy)
        for policy in (blueprint, limited.search_policy(), default.search_policy())
    )
    assert max(at_limit.gains) > 1.2 * max(before.gains)
    assert to_the_end.nash_conv < before.nash_conv / 10


def test_large_liars_dice_is_played_in_matches():
    """Two dice with three sides: 4,096 public nodes, and about 100,000 histories in the tree."""
    form = infoset.build_public_form("liars_dice(numdice=2,dice_sides=3)")
    blueprint = infoset.solve(form, "cfr+", iterations=10).policy
    calls = []
    exact = PublicContinuation(blueprint)

    def values(node, ranges):
        calls.append(node)
        return exact(node, ranges)

    to_the_end = ContinualResolving(form, blueprint, iterations=100)
    limited = ContinualResolving(form, blueprint, values, iterations=20)
    game = infoset.load("liars_dice(numdice=2,dice_sides=3)")
    assert infoset.play_matches(game, to_the_end, limited, num_deals=2, seed=1).num_deals == 2
    assert set(to_the_end.methods) | set(limited.methods) <= {"complete", "earlier", "blueprint"}
    assert to_the_end.methods["complete"] > 0
    assert limited.methods["complete"] > 0
    assert calls


def test_the_root_needs_no_values_of_the_opponent():
    """On a turn, computing values of all transformed blueprints takes longer than the search."""
    form, blueprint = river()
    resolver = ContinualResolving(form, blueprint, iterations=20)._resolvers[0]
    resolver.resolve(0)
    assert "_continuations" not in vars(resolver)


def test_liars_dice_without_a_tree():
    form = infoset.build_public_form("liars_dice(dice_sides=4)")
    blueprint = infoset.solve(form, "cfr+", iterations=10).policy
    search = ContinualResolving(form, blueprint, depth=None, iterations=300)
    before, after = map(evaluate_policy, (blueprint, search.search_policy()))
    assert all(np.array(after.gains) <= np.array(before.gains) + 1e-3)
    assert after.nash_conv < before.nash_conv / 4


def test_the_blueprint_chooses_the_form_and_names_make_searchers():
    form, blueprint = river()
    game = infoset.load(RIVER)
    by_name = make_searcher(
        "continual_resolving(depth=None,iterations=30)", game, blueprint=blueprint
    )
    on_form = make_searcher(
        "continual_resolving(depth=None,iterations=30)", form, blueprint=blueprint
    )
    infostate = form.infostate_at(1, 5)
    actions = form.actions_at(1, 5)
    found = [own.action_probabilities(infostate, actions) for own in (by_name, on_form)]
    assert found[0].tolist() == found[1].tolist()
    assert by_name.methods == on_form.methods
    assert not by_name.methods["sample"]


def test_likely_mistakes():
    form, blueprint = river()
    tree = cached_tree("kuhn_poker")
    uniform = infoset.uniform_policy(tree.sequence_form)
    values = transformed_values(tree, uniform, TRANSFORMATIONS)
    with pytest.raises(ParameterError, match="values of histories"):
        ContinualResolving(form, blueprint, values)
    with pytest.raises(PolicyMismatchError, match="and the sequence form of kuhn_poker have"):
        ContinualResolving(form, uniform)
    search = ContinualResolving(form, blueprint)
    with pytest.raises(UnknownNameError):
        search.search(Infostate(0, ()), np.random.default_rng(0))
