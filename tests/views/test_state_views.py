"""Views of public states against beliefs, regrets and values computed on other roads."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from fractions import Fraction

import numpy as np
import pytest

import infoset
from infoset.beliefs import PublicBeliefState
from infoset.errors import ParameterError, PolicyMismatchError
from infoset.evaluation import decision_values
from infoset.game import Game, InitialPot, Observation
from infoset.policy import uniform_policy
from infoset.regret import SCHEMES, RegretMinimizer
from infoset.views import (
    Explorer,
    PotView,
    PublicPlaces,
    TreePlaces,
    view_beliefs,
    view_children,
    view_histories,
    view_infostates,
    view_player_belief,
    view_state,
)
from infoset.views.state_views import MAX_CHILDREN, MAX_CHOICES
from tests.support.cached_games import cached_tree


@dataclass(frozen=True)
class Deal(Game):
    """Each player gets one of 70 cards, and the higher card wins."""

    num_players = 2

    def initial_world(self):
        return None

    def actors(self, world):
        return ()

    def legal_actions(self, world, player):
        return ()

    def transitions(self, world, joint_action):
        cards = range(70)
        return [] if world else [((a, b), Fraction(1, 4900)) for a in cards for b in cards]

    def rewards(self, world, joint_action, next_world):
        sign = (next_world[0] > next_world[1]) - (next_world[0] < next_world[1])
        return (sign, -sign)

    def observe(self, world, joint_action, next_world):
        return Observation(private=next_world)


@dataclass(frozen=True)
class OneMayRaise(Game):
    """Player 0 gets one of three cards; with the highest one, it may also raise."""

    num_players = 2
    initial_pot = InitialPot(3, (1, 2))

    def initial_world(self):
        return None

    def actors(self, world):
        return (0,) if isinstance(world, int) else ()

    def legal_actions(self, world, player):
        return ("call", "fold", "raise") if world == 2 else ("call", "fold")

    def transitions(self, world, joint_action):
        if world is None:
            return [(card, Fraction(1, 3)) for card in range(3)]
        return [((world, *joint_action), 1)] if isinstance(world, int) else []

    def rewards(self, world, joint_action, next_world):
        return (0, 0)

    def observe(self, world, joint_action, next_world):
        card = next_world if world is None else None
        return Observation(private=(card, None), public=None)


@pytest.fixture(scope="module")
def deal():
    tree = infoset.build_tree(Deal())
    return TreePlaces(tree, uniform_policy(tree.sequence_form))


GAMES = [
    "kuhn_poker",
    "kuhn_poker(players=3)",
    "leduc_poker(num_ranks=2)",
    "goofspiel(num_cards=3)",
]


def random_policy(tree, seed):
    rng = np.random.default_rng(seed)
    weights = tuple(rng.random(own.num_sequences) ** 3 for own in tree.infostate_trees)
    return infoset.policy.TabularPolicy.from_weights(tree.sequence_form, weights)


@pytest.fixture(scope="module", params=GAMES)
def values(request):
    tree = cached_tree(request.param)
    return TreePlaces(tree, random_policy(tree, seed=1))


def states(values):
    return range(values.tree.public_tree.num_public_states)


def rows(values, state, player):
    return view_infostates(values, state, player).infostates


def test_children_split_the_probability_of_their_parent(values):
    seen = [0]
    for state in states(values):
        children = view_children(values, state).children
        seen += [child.state for child in children]
        if children:
            assert sum(child.probability for child in children) == pytest.approx(1)
            assert not view_state(values, state).path[-1].is_end
    assert sorted(seen) == list(states(values))


def test_the_path_leads_from_the_root_to_the_state(values):
    tree = values.tree
    for state in states(values):
        view = view_state(values, state)
        assert [link.state for link in view.path][-1] == state
        assert view.path[0].state == 0
        reach = np.prod([link.probability for link in view.path])
        assert reach == pytest.approx(view.probability)
        assert view.num_histories == (tree.public_state == state).sum()


def test_beliefs_are_those_of_public_belief_states(values):
    tree = values.tree
    for state in states(values):
        known = PublicBeliefState.from_policy(tree, values.policy, state)
        for player in range(tree.num_players):
            found = sorted(rows(values, state, player), key=lambda row: row.infostate)
            probability = [row.probability for row in found]
            np.testing.assert_allclose(probability, known.marginals[player], atol=1e-12)
            np.testing.assert_allclose([row.own_reach for row in found], known.ranges[player])


def test_values_of_a_state_are_means_over_infostates_and_over_histories(values):
    for state in states(values):
        expected = view_state(values, state).values
        for player in range(values.tree.num_players):
            found = sum(row.probability * row.value for row in rows(values, state, player))
            assert found == pytest.approx(expected[player])
        histories = view_histories(values, state).histories
        if len(histories) < MAX_CHILDREN:
            mean = sum(np.multiply(row.probability, row.values) for row in histories)
            np.testing.assert_allclose(mean, expected, atol=1e-12)


def test_an_infostate_is_worth_the_mean_of_its_actions(values):
    for state in states(values):
        view = view_state(values, state)
        for player in range(values.tree.num_players):
            for row in rows(values, state, player):
                assert bool(row.actions) <= (player in view.actors)
                if row.actions:
                    mean = sum(action.probability * action.value for action in row.actions)
                    assert mean == pytest.approx(row.value)


def test_action_values_are_those_of_decision_values(values):
    for player in range(values.tree.num_players):
        expected = decision_values(values.policy, player)
        np.testing.assert_allclose(values.action_values[player], expected, atol=1e-12)


def test_regrets_are_those_of_the_first_iteration_of_cfr(values):
    tree = values.tree
    minimizer = RegretMinimizer(tree.sequence_form, SCHEMES["cfr-simultaneous"])
    minimizer.run(1)
    uniform = TreePlaces(tree, uniform_policy(tree.sequence_form))
    for state in states(values):
        for player in range(tree.num_players):
            own = tree.infostate_trees[player]
            for row in rows(uniform, state, player):
                first = own.first_sequence[row.infostate]
                expected = minimizer.regrets(player)[first : first + len(row.actions)]
                np.testing.assert_allclose(
                    [action.regret for action in row.actions], expected, atol=1e-12
                )


def test_rows_and_columns_of_a_belief_sum_to_what_each_player_holds(values):
    for state in states(values):
        table = np.array(view_beliefs(values, state).probability)
        for player, axis in ((0, 1), (1, 0)):
            expected = [row.probability for row in rows(values, state, player)]
            np.testing.assert_allclose(table.sum(axis=axis), expected, atol=1e-12)


def test_the_belief_of_a_player_is_a_mean_over_its_histories(values):
    """Histories of a public state are listed by another view, with their infostates."""
    num_players = values.tree.num_players
    pairs = [(p, q) for p in range(num_players) for q in range(num_players) if p != q]
    for state in states(values):
        histories = view_histories(values, state).histories
        for player, other in pairs:
            labels = {row.infostate: row.label for row in rows(values, state, other)}
            for row in rows(values, state, player):
                held = [one for one in histories if one.infostates[player] == row.infostate]
                total = sum(one.probability for one in held)
                expected = dict.fromkeys(labels.values(), 0.0)
                for one in held:
                    expected[labels[one.infostates[other]]] += one.probability / total
                found = view_player_belief(values, state, player, row.infostate, other)
                shares = [entry.probability for entry in found.entries]
                assert shares == sorted(shares, reverse=True)
                assert sum(shares) + found.rest == pytest.approx(1)
                for entry in found.entries:
                    assert entry.probability == pytest.approx(expected[entry.label])


def test_a_belief_about_hands_is_by_class_and_excludes_own_cards():
    river = "nolimit_endgame(board=Ks9d8h4s2c,ranges=['AA,KK', 'AK,QQ,JJ'])"
    form = infoset.build_public_form(river)
    places = PublicPlaces(form, uniform_policy(form))
    own = rows(places, 0, 0)
    assert {row.hand for row in own} == {"AA", "KK"}
    aces = next(row for row in own if row.label == "AsAh")
    found = view_player_belief(places, 0, 0, aces.infostate, 1)
    # Two aces and three kings are left, in equal and in different suits.
    expected = {"AKo": 4, "AKs": 2, "QQ": 6, "JJ": 6}
    total = sum(expected.values())
    assert {entry.label: entry.probability for entry in found.entries} == pytest.approx(
        {label: number / total for label, number in expected.items()}
    )
    assert found.rest == 0


def test_all_hands_are_in_one_answer():
    form = infoset.build_public_form("nolimit_endgame(board=Ks9d8h4s2c,max_raises=0)")
    found = view_infostates(PublicPlaces(form, uniform_policy(form)), 0, 0)
    assert len(found.infostates) == found.total == 47 * 46 // 2
    assert found.are_hands
    assert all(row.hand for row in found.infostates)


def test_choices_are_the_likely_children_of_the_states_on_the_path(values):
    for state in states(values):
        view = view_state(values, state)
        following = [link.state for link in view.path[1:]]
        assert [step.state for step in view.choices] == [link.state for link in view.path]
        for step, taken in zip(view.choices, [*following, None], strict=True):
            every = view_children(values, step.state)
            assert step.total == every.total
            assert len(step.children) == min(every.total, MAX_CHOICES)
            assert [link for link in every.children if link in step.children] == [*step.children]
            assert taken is None or taken in [link.state for link in step.children]
            left = [link.probability for link in every.children if link not in step.children]
            others = [link.probability for link in step.children if link.state != taken]
            assert not left or min(others) >= max(left) - 1e-12


def test_frequencies_are_means_of_the_policy_weighted_by_the_belief(values):
    for state in states(values):
        for player in range(values.tree.num_players):
            held = rows(values, state, player)
            labels = {tuple(action.label for action in row.actions) for row in held}
            found = view_infostates(values, state, player).frequencies
            if len(labels) > 1 or labels == {()}:
                assert found is None
                continue
            expected = sum(
                row.probability * np.array([action.probability for action in row.actions])
                for row in held
            )
            np.testing.assert_allclose(found, expected, atol=1e-12)


def test_infostates_with_different_actions_have_no_frequencies():
    tree = infoset.build_tree(OneMayRaise())
    values = TreePlaces(tree, uniform_policy(tree.sequence_form))
    (state,) = (state for state in states(values) if view_state(values, state).actors)
    assert view_infostates(values, state, 0).frequencies is None
    assert Explorer(tree, {"uniform": values.policy}).describe().pot == PotView(3, (1, 2))


def test_frequencies_of_public_actions_are_probabilities_of_public_states():
    tree = cached_tree("kuhn_poker")
    values = TreePlaces(tree, random_policy(tree, 5))
    state, (player,) = 1, view_state(values, 1).actors
    children = {child.label: child.probability for child in view_children(values, state).children}
    labels = [action.label for action in rows(values, state, player)[0].actions]
    frequencies = view_infostates(values, state, player).frequencies
    assert dict(zip(labels, frequencies, strict=True)) == pytest.approx(children)


def test_nothing_is_invented_where_the_policy_never_leads():
    tree = cached_tree("kuhn_poker")
    always = infoset.policy.TabularPolicy.from_weights(
        tree.sequence_form,
        tuple(np.tile([1.0, 0.0], own.num_acting + 1)[1:] for own in tree.infostate_trees),
    )
    values = TreePlaces(tree, always)
    unreached = np.flatnonzero(values.state_reach == 0).tolist()
    assert unreached
    for state in unreached:
        assert view_state(values, state).values is None
        assert view_state(values, state).probability == 0
        assert view_beliefs(values, state).probability is None
        assert all(row.probability is None for row in view_histories(values, state).histories)
        for player in range(2):
            assert all(row.probability is None for row in rows(values, state, player))
            assert view_infostates(values, state, player).frequencies is None
    unknown = [
        row for state in unreached for player in (0, 1) for row in rows(values, state, player)
    ]
    assert any(row.value is None for row in unknown)
    assert any(row.value is not None for row in unknown), "a player may know what it would get"


def test_pages_of_a_long_list_join_without_gaps(deal):
    pages = [view_histories(deal, 1, start).histories for start in range(0, 4900, MAX_CHILDREN)]
    assert [len(page) for page in pages] == [200] * 24 + [100]
    found = [row.history for page in pages for row in page]
    assert found == np.flatnonzero(deal.tree.public_state == 1).tolist()


def test_more_than_sixty_infostates_share_rows_of_a_belief(deal):
    view = view_beliefs(deal, 1)
    table = np.array(view.probability)
    assert table.shape == (60, 60) == (len(view.rows), len(view.columns))
    assert table.sum() == pytest.approx(1)
    # 70 hands in 60 groups: ten groups of two, in the order of the rules.
    assert sorted(np.round(table.sum(axis=1) * 70).tolist()) == [1] * 50 + [2] * 10
    assert view.rows[:2] == ("0 to 1", "2")
    assert view.grouped == (
        "70 infostates of player 0 in 60 groups and 70 infostates of player 1 in 60 groups"
    )
    assert view_beliefs(deal, 0).grouped == ""


def test_views_are_json_values(values):
    for state in states(values):
        views = [
            view_children(values, state),
            view_state(values, state),
            view_infostates(values, state, 0),
            view_histories(values, state),
            view_beliefs(values, state),
            view_player_belief(values, state, 0, rows(values, state, 0)[0].infostate, 1),
        ]
        for view in views:
            assert json.loads(json.dumps(asdict(view), allow_nan=False))["state"] == state


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda values: view_state(values, 10**6), "has public states 0 to"),
        (lambda values: view_state(values, -1), "state=-1"),
        (lambda values: view_state(values, True), "state=True"),
        (lambda values: view_children(values, 0, 99), "start=99: there are 1 entries"),
        (lambda values: view_infostates(values, 0, 7), "7"),
        (lambda values: view_beliefs(values, 0, 1, 1), "give two different players"),
        (lambda values: view_player_belief(values, 1, 0, 1, 0), "give two different players"),
        (lambda values: view_player_belief(values, 1, 0, 999, 1), "never has it at public state 1"),
    ],
)
def test_numbers_that_do_not_exist_are_refused(call, words):
    tree = cached_tree("kuhn_poker")
    with pytest.raises(ParameterError, match=words):
        call(TreePlaces(tree, uniform_policy(tree.sequence_form)))


def test_the_policy_of_another_game_is_refused():
    with pytest.raises(PolicyMismatchError):
        TreePlaces(
            cached_tree("kuhn_poker"), uniform_policy(cached_tree("leduc_poker").sequence_form)
        )
