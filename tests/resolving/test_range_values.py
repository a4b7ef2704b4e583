"""Values at the depth limit by range: the best response of the equation, and searches with it."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from infoset.beliefs import part_between
from infoset.errors import ParameterError, PolicyMismatchError, UnsupportedGameError
from infoset.evaluation import nash_conv, transformed_values
from infoset.games import load_game
from infoset.policy import IDENTITY, TRANSFORMATIONS, constant_transformations, random_policy
from infoset.resolving import ContinualResolving, Lookahead, RangeValues, ResponseValues
from infoset.resolving.opponent_values import best_response_values
from infoset.resolving.range_form import RangeForm, part_by_range
from infoset.resolving.range_values import LeafHistories
from infoset.resolving.searched_part import ValuedTreePart
from infoset.tree import build_tree, derive_public_form
from tests.support.affine_games import AffineGame
from tests.support.cached_games import cached_tree
from tests.support.random_hidden_actions import HiddenActionsGame

GOOFSPIEL = "goofspiel(num_cards=3,imp_info=True,points_order=descending)"
LEDUC = "leduc_poker"
CASES = ((GOOFSPIEL, TRANSFORMATIONS), ("kuhn_poker", constant_transformations(["pass", "bet"])))


@cache
def blueprint_of(name):
    return random_policy(cached_tree(name).sequence_form, np.random.default_rng(3))


def values_of(name, rows):
    return transformed_values(cached_tree(name), blueprint_of(name), rows)


def search_of(name, values, **options):
    options = {"iterations": 60, "tolerance": None, "depth": 1} | options
    return ContinualResolving(cached_tree(name), blueprint_of(name), values, **options)


def leaves_of(tree, root=0):
    return np.array(Lookahead.on_tree(tree, 1).leaves(root))


@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize("name", [LEDUC, "hidden_actions"])
def test_the_opponent_responds_to_the_range_as_in_the_equation(name, player):
    """Kubíček, Burch, Lisý (2023), eq. 3, written out history by history.

    Only in the second game do the histories of a leaf have different chance reach.
    """
    if name == LEDUC:
        tree, rows = cached_tree(name), constant_transformations(["fold", "call", "raise"], "call")
    else:
        tree, rows = build_tree(HiddenActionsGame(2)), constant_transformations(["a", "b", "c"])
    blueprint = random_policy(tree.sequence_form, np.random.default_rng(3))
    exact, rng = transformed_values(tree, blueprint, rows), np.random.default_rng(0)
    leaves = leaves_of(tree) if name == LEDUC else np.unique(tree.infostate_trees[0].public_state)
    function = ResponseValues(exact).at_leaves(player, leaves)
    there = LeafHistories.of(tree, leaves)
    ranges = tuple(rng.random(len(own)) * (rng.random(len(own)) < 0.8) for own in there.infostates)
    other, own_values = 1 - player, exact.against(player)
    reach = {}  # the players' own reach, by infostate
    for p in range(2):
        reach |= {(p, n): r for n, r in zip(there.infostates[p].tolist(), ranges[p], strict=True)}
    lines = []
    for h in there.histories.tolist():
        mine, theirs = ((p, int(tree.infostate[h, p])) for p in (player, other))
        lines.append((own_values[h], tree.chance_reach[h], mine, theirs))
    sums, totals = {}, {}
    for row, chance, mine, theirs in lines:
        sums[theirs] = sums.get(theirs, 0.0) + reach[mine] * chance * row
    for row, chance, mine, theirs in lines:
        value = row[np.argmin(sums[theirs])]
        for key, met, sign in ((mine, reach[theirs], 1), (theirs, reach[mine], -1)):
            total = totals.setdefault(key, [0.0, 0.0])
            total[0] += met * chance * value * sign
            total[1] += met * chance
    for p in range(2):
        pairs = [totals[p, n] for n in there.infostates[p].tolist()]
        expected = [value / weight if weight else 0.0 for value, weight in pairs]
        np.testing.assert_allclose(function(ranges, p), expected, atol=1e-12)


@pytest.mark.parametrize(("name", "rows"), CASES)
@pytest.mark.parametrize("gadget", ["resolving", "max-margin", "none"])
def test_searches_are_those_of_the_stateless_rule(name, rows, gadget):
    """Player 1 moves second in an iteration, so that even the first one is the same."""
    exact = values_of(name, rows)
    for depth in (1, 2):
        options = {"depth": depth, "gadget": gadget, "opponent": "transformations"}
        by_range = search_of(name, ResponseValues(exact), **options).search_policy()
        by_rule = search_of(name, exact, leaf_rule="stateless", **options).search_policy()
        second = (policy.probabilities[1] for policy in (by_range, by_rule))
        np.testing.assert_allclose(*second, atol=1e-9)
        assert nash_conv(by_range) == pytest.approx(nash_conv(by_rule), abs=0.05)


@pytest.mark.parametrize("gadget", ["resolving", "max-margin", "none"])
def test_searches_below_the_root_weight_leaves_by_both_ranges(gadget):
    """Of player 1 in Leduc poker, after `call`, `raise`, `raise`, with leaves further below."""
    tree = cached_tree(LEDUC)
    state = [tree.public_tree.label(n) for n in range(20)].index(". / call / raise / raise")
    own = tree.infostate_trees[1]
    exact = values_of(LEDUC, constant_transformations(["fold", "call", "raise"], "call"))
    by_range = search_of(LEDUC, ResponseValues(exact), gadget=gadget)
    by_rule = search_of(LEDUC, exact, gadget=gadget, leaf_rule="stateless")
    here = own.acting[own.public_state[own.acting] == state].tolist()
    assert len(here) == 6
    for number in here:
        at = own.infostate_at(number), own.legal_actions(number)
        found, expected = (one.action_probabilities(*at) for one in (by_range, by_rule))
        np.testing.assert_allclose(found, expected, atol=1e-9)


@pytest.mark.parametrize("gadget", ["resolving", "max-margin"])
def test_constants_in_utilities_do_not_change_searches(gadget):
    found = []
    for scale, shift in ((1.0, (0.0, 0.0)), (2.0, (30.0, -4.0))):
        tree = build_tree(AffineGame(load_game("kuhn_poker"), scale, shift))
        blueprint = random_policy(tree.sequence_form, np.random.default_rng(3))
        values = ResponseValues(transformed_values(tree, blueprint, CASES[1][1]))
        options = {"iterations": 60, "gadget": gadget}
        found.append(ContinualResolving(tree, blueprint, values, **options).search_policy())
    for own, wanted in zip(*(policy.probabilities for policy in found), strict=True):
        np.testing.assert_allclose(own, wanted, atol=1e-9)


def test_without_choices_values_by_range_are_values_of_histories():
    for name in (GOOFSPIEL, "kuhn_poker"):
        exact = values_of(name, (IDENTITY,))
        found = search_of(name, ResponseValues(exact)).search_policy()
        expected = search_of(name, exact).search_policy()
        for own, wanted in zip(found.probabilities, expected.probabilities, strict=True):
            np.testing.assert_allclose(own, wanted, atol=1e-9)


@pytest.mark.parametrize("player", [0, 1])
def test_best_responses_to_a_part_choose_at_its_leaves(player):
    """The opponent's values do not depend on its own range: they are those of its choices."""
    tree, rng = cached_tree(GOOFSPIEL), np.random.default_rng(1)
    exact = values_of(GOOFSPIEL, TRANSFORMATIONS)
    for root in (0, 2):
        leaves = leaves_of(tree, root) if root == 0 else np.zeros(0, int)
        part = part_between(tree, root, leaves)
        own = exact.against(player)[part.leaf_histories]
        by_range = ValuedTreePart(part, own, range_values=ResponseValues(exact))
        plain = ValuedTreePart(part, own)
        policy = random_part_policy(part, player, rng)
        own_range = rng.random((tree.infostate_trees[player].public_state == root).sum())
        [found] = by_range.response_values(player, own_range, [policy])
        [expected] = plain.response_values(player, own_range, [policy])
        np.testing.assert_allclose(found, expected, atol=1e-9)
        given = own if len(own) else None
        direct = best_response_values(part, player, own_range, policy, given)
        np.testing.assert_allclose(found, direct, atol=1e-9)


def test_what_follows_in_a_part_has_the_same_values_by_range():
    """As for the opponent's values `previous`; the values here are not those of histories."""
    tree, rng = cached_tree(LEDUC), np.random.default_rng(1)
    exact = values_of(LEDUC, (IDENTITY,))
    values = ResponseValues(replace(exact, values=2 * exact.values))
    part = part_between(tree, 0, leaves_of(tree))
    own = exact.against(0)[part.leaf_histories]
    # After a raise of player 0.
    below = ValuedTreePart(part, own, range_values=values).below(3)
    expected = ValuedTreePart(part, 2 * own).below(3)
    assert below.num_ends > len(below.part.terminals) > 0
    policy, own_range = random_part_policy(below.part, 0, rng), rng.random(6)
    found, wanted = (one.response_values(0, own_range, [policy])[0] for one in (below, expected))
    np.testing.assert_allclose(found, wanted, atol=1e-9)


def random_part_policy(part, player, rng):
    own = part.infostate_trees[player]
    policy = np.ones(len(part.sequences[player]))
    for number in own.acting.tolist():
        first, size = own.first_sequence[number], own.num_actions[number]
        policy[first : first + size] = rng.dirichlet(np.ones(size))
    return policy


def test_gradients_are_those_of_the_kernels():
    tree = cached_tree(GOOFSPIEL)
    part = part_between(tree, 0, leaves_of(tree))
    form = part_by_range(part, 1, ResponseValues(values_of(GOOFSPIEL, TRANSFORMATIONS)))
    assert isinstance(form, RangeForm)
    assert form.centered is form
    plans, payoffs = (
        random_policy(form, np.random.default_rng(2)).realization_plans(),
        form.payoffs(),
    )
    for player in range(2):
        ordered = []
        for plan, layout in zip(plans, form.layouts, strict=True):
            ordered.append(np.zeros(len(plan)))
            ordered[-1][layout.position] = plan
        payoffs.refresh(player, tuple(ordered))
        pair = payoffs.pairs[player]
        found = np.zeros(len(plans[player]) + 8)
        for block in range(len(pair.start) - 1):
            for entry in range(pair.first[block], pair.first[block + 1]):
                row = pair.payoff[pair.where[entry] : pair.where[entry] + 8]
                place = pair.start[block] + np.arange(8)
                found[place] += row * ordered[1 - player][pair.row[entry]]
        expected = form.gradient(plans, player)
        assert np.abs(expected).max() > 0.1
        np.testing.assert_allclose(found[form.layouts[player].position], expected, atol=1e-12)


class Wrong:
    """Values by range with a wrong shape or a number that is not finite."""

    def __init__(self, exact, answer):
        self.exact, self.answer = exact, answer

    def tabulate(self, tree):
        return self.exact

    def at_leaves(self, player, leaves):
        return lambda ranges, owner: self.answer(ranges[owner])


def test_wrong_values_are_refused():
    exact = values_of("kuhn_poker", (IDENTITY,))
    for answer in (lambda own: np.full(len(own), np.nan), lambda own: np.zeros(len(own) + 1)):
        wrong = Wrong(exact, answer)
        assert isinstance(wrong, RangeValues)
        with pytest.raises(ParameterError, match="finite number for each of the"):
            search_of("kuhn_poker", wrong).search_policy()


def test_what_searches_by_range_refuse():
    values = ResponseValues(values_of("kuhn_poker", (IDENTITY,)))
    with pytest.raises(UnsupportedGameError, match="omit leaf_rule"):
        search_of("kuhn_poker", values, leaf_rule="matrix")
    for refused in (lambda: search_of(GOOFSPIEL, values), lambda: values.tabulate(None)):
        with pytest.raises(PolicyMismatchError, match="another tree"):
            refused()
    with pytest.raises(ParameterError, match="on a public form"):
        ContinualResolving(derive_public_form(cached_tree("kuhn_poker")), values=values)
    from infoset.search import RulesModel, search_model

    large = load_game("goofspiel(num_cards=8,imp_info=True,points_order=descending)")
    for model in (RulesModel(large), search_model(load_game("kuhn_poker"))):
        with pytest.raises(UnsupportedGameError, match="need the tree of the game; give the tree"):
            ContinualResolving(model, values=values)
    tree = cached_tree("kuhn_poker")
    on_tree = ContinualResolving(search_model(tree), blueprint_of("kuhn_poker"), values)
    assert on_tree.tree is tree
    for wrong in (values, tree, 3):
        with pytest.raises(ParameterError, match=r"give transformed_values\(\.\.\.\)"):
            ResponseValues(wrong)
