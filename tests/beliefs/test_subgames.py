"""Subgames: the four definitions of Proposition A.1, and value-solving subgames as games."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infoset.beliefs import (
    PublicBeliefState,
    SubgameWorld,
    cut_tree,
    find_public_state,
    is_closed_under_infosets,
    subgame_by_closure,
    subgame_by_histories,
    subgame_by_infosets,
    subgame_by_public_sets,
    value_subgame,
)
from infoset.errors import UnsupportedGameError
from infoset.front import solve
from infoset.game import Infostate, PublicState, check_game, fold_chance_player, initial_history
from infoset.games import load_game, matrix_game
from infoset.policy import TabularPolicy, random_policy
from infoset.tree import build_tree
from tests.beliefs.reference_values import ReferenceValues
from tests.support.cached_games import cached_tree
from tests.support.hypothesis_strategies import random_games
from tests.support.reference_histories import enumerate_histories


def slow_members(visits, root):
    """Return, for every history, whether its public state begins with that of `root`."""
    start = visits[root].history.public_state.observations
    return [v.history.public_state.observations[: len(start)] == start for v in visits]


@given(random_games(max_histories=60))
def test_the_four_definitions_agree_on_random_games(game):
    tree = build_tree(game)
    visits = enumerate_histories(game)
    for history in range(tree.num_histories):
        members = subgame_by_closure(tree, history)
        assert members.tolist() == slow_members(visits, history)
        assert np.array_equal(subgame_by_histories(tree, history), members)
        assert np.array_equal(subgame_by_public_sets(tree, history), members)
        for player in range(tree.num_players):
            assert np.array_equal(subgame_by_infosets(tree, history, player), members)
        assert is_closed_under_infosets(tree, members)


@pytest.mark.parametrize("spec", ["kuhn_poker", "leduc_poker", "liars_dice(dice_sides=2)"])
def test_a_cut_takes_the_same_histories(spec):
    tree = build_tree(load_game(spec))
    for history in np.random.default_rng(0).integers(0, tree.num_histories, 12).tolist():
        public_state = int(tree.public_state[history])
        part = cut_tree(tree, public_states=[public_state])[public_state]
        members = np.flatnonzero(subgame_by_closure(tree, history))
        assert np.array_equal(part.histories, members)
        assert np.array_equal(np.flatnonzero(subgame_by_infosets(tree, history, 1)), members)


def test_descendants_alone_are_not_closed_under_infosets():
    tree = cached_tree("kuhn_poker")
    below = np.zeros(tree.num_histories, dtype=bool)
    below[1] = True  # one of the six deals
    assert not is_closed_under_infosets(tree, below)


def whole_infostate(known: Infostate) -> Infostate:
    """Return the whole-game infostate, the first observation in the subgame's infostate."""
    root = known.steps[0].private
    return Infostate(known.player, root.steps + known.steps[1:])


class Carried:
    """Adapter that plays a policy of the whole game in the subgame."""

    def __init__(self, policy: TabularPolicy) -> None:
        self.policy = policy

    def action_probabilities(self, infostate, legal_actions):
        return self.policy.action_probabilities(whole_infostate(infostate), legal_actions)


def root_values(belief, policy, player):
    """Return v_cf at the root by Remark A.2, and naively with the draw as a chance move.

    In the naive version, the reach of the draw is its probability. By the remark, the players'
    factors are the entries of the ranges, and the factor of chance is the rest of the probability.
    """
    slow = ReferenceValues.of(value_subgame(belief), Carried(policy))
    after = [h for h, visit in enumerate(slow.visits) if visit.history.depth == 1]
    entries = [slow.visits[h].history.world.entered for h in after]
    remarked, naive = {}, {}
    for position, entered in zip(after, entries, strict=True):
        places = belief.position[entered]
        shares = [own[place] for own, place in zip(belief.ranges, places, strict=True)]
        drawn = slow.reach[position, -1]
        nature = drawn * belief.probability / np.prod(shares)
        reach = nature * np.prod(np.delete(shares, player))
        value = slow.future[position, player]
        known = slow.visits[position].history.infostates[player].steps[0].private
        remarked[known] = remarked.get(known, 0.0) + reach * value
        naive[known] = naive.get(known, 0.0) + drawn * value
    return remarked, naive


@settings(max_examples=8)
@given(random_games(max_histories=60), st.integers(0, 2**32), st.booleans())
def test_counterfactual_values_inside_equal_those_of_the_whole_game(game, seed, normalized):
    tree = build_tree(game)
    policy = random_policy(tree.sequence_form, np.random.default_rng(seed))
    slow = ReferenceValues.of(game, policy)
    for public_state in range(tree.public_tree.num_public_states):
        belief = PublicBeliefState.from_policy(tree, policy, public_state)
        sums = [own.sum() if normalized else 1.0 for own in belief.ranges]
        belief = belief.normalize() if normalized else belief
        positions = np.flatnonzero(tree.public_state == public_state)
        for player in range(tree.num_players):
            wanted = slow.counterfactual_values(positions, player)
            remarked, naive = root_values(belief, policy, player)
            scale = np.prod(np.delete(sums, player))  # normalized ranges divide by their sums
            assert np.allclose(np.array([*remarked.values()]) * scale, wanted, atol=1e-12)
            factor = belief.ranges[player] / belief.probability
            assert np.allclose([*naive.values()], factor * [*remarked.values()], atol=1e-12)


def looks_of(history, of=lambda known: known):
    """Return a key of a history: world state, rewards and the infostates of the players."""
    inner = history.world
    world = inner.world if isinstance(inner, SubgameWorld) else inner
    return world, tuple(map(float, history.rewards_so_far)), tuple(map(of, history.infostates))


@settings(max_examples=4)
@given(random_games(max_histories=60), st.integers(0, 2**32))
def test_the_subgame_keeps_the_rules_and_plays_like_the_game(game, seed):
    tree = build_tree(game)
    rng = np.random.default_rng(seed)
    policy = random_policy(tree.sequence_form, rng)
    whole = {looks_of(visit.history): visit.history for visit in enumerate_histories(game)}
    public_state = int(rng.integers(tree.public_tree.num_public_states))
    belief = PublicBeliefState.from_policy(tree, policy, public_state)
    subgame = value_subgame(belief)
    assert check_game(subgame).is_complete
    for visit in enumerate_histories(subgame)[1:]:
        history = visit.history
        same = whole[looks_of(history, whole_infostate)]
        assert history.is_terminal == same.is_terminal
        assert history.actors == same.actors
        assert history.legal_actions(0) == same.legal_actions(0)
        first = history.path()[1].observation
        assert first.public == belief
    assert len(enumerate_histories(subgame)) - 1 == sum(
        subgame_by_histories(tree, int(belief.histories[0]))
    )


def kuhn_after_bet(ranges=([1 / 16, 3 / 16, 1], [1, 1, 1])):
    tree = cached_tree("kuhn_poker")
    return PublicBeliefState(tree, find_public_state(tree, PublicState((None, "bet"))), ranges)


def test_solving_kuhn_poker_after_a_bet():
    # With a queen, calling wins 2 with probability 1/17 (5 to 80) and loses 2 otherwise; folding
    # loses 1.
    result = solve(value_subgame(kuhn_after_bet()), "lp")
    labels = result.policy.form.infostate_trees[1].acting_labels
    assert labels == ("⟨. / bet⟩ [[Q] / bet]", "⟨. / bet⟩ [[K] / bet]", "⟨. / bet⟩ [[J] / bet]")
    assert [result.policy[label, 1]["bet"] for label in labels] == pytest.approx([0, 1, 0])
    # Deals, by 40ths: K meets Q or J 16 + 16, Q meets K 3 and J 3, J meets K 1 and Q 1.
    assert result.values[0] == pytest.approx((16 + 16 + 3 - 3 * 2 + 1 - 1 * 2) / 40)


def test_infostates_of_range_zero_are_left_out():
    subgame = value_subgame(kuhn_after_bet(([0, 0, 1], [1, 1, 1])))
    deals = initial_history(subgame).chance_outcomes
    assert [probability for _, probability in deals] == [0.5, 0.5]
    with pytest.raises(UnsupportedGameError, match=r"no history at '\. / bet' is reached"):
        value_subgame(kuhn_after_bet(([0, 0, 0], [1, 1, 1])))


def test_the_whole_game_is_its_subgame_at_the_root():
    tree = cached_tree("kuhn_poker")
    subgame = value_subgame(PublicBeliefState.with_unit_ranges(tree))
    assert str(subgame) == "subgame(kuhn_poker,public_state=0)"
    assert solve(subgame, "lp").values[0] == pytest.approx(-1 / 18)


def test_subgames_of_subgames_at_their_roots_keep_their_worlds_apart():
    tree = cached_tree("kuhn_poker")
    for depth in range(1, 3):
        tree = build_tree(value_subgame(PublicBeliefState.with_unit_ranges(tree)))
        assert tree.num_histories == 55 + depth
        worlds = [world for world in tree.graph.worlds if isinstance(world, SubgameWorld)]
        assert len(set(worlds)) == depth + 1
    assert check_game(tree.game).is_complete


def test_a_subgame_of_a_folded_game():
    names = build_tree(load_game("matrix_mp")).infostate_trees[1].legal_actions(0)
    pennies = fold_chance_player(load_game("matrix_mp"), lambda w: [(n, 0.5) for n in names])
    tree = build_tree(pennies)
    assert check_game(value_subgame(PublicBeliefState.with_unit_ranges(tree, 1))).is_complete


def test_simultaneous_moves_and_samples():
    game = load_game("goofspiel(num_cards=3,imp_info=True,points_order=random)")
    tree = build_tree(game)
    deep = int(tree.public_state[tree.level_offsets[2]])
    belief = PublicBeliefState.from_policy(
        tree, random_policy(tree.sequence_form, np.random.default_rng(1)), deep
    )
    report = check_game(value_subgame(belief))
    assert report.is_complete


def test_a_game_without_chance_begins_with_a_draw_of_joint_actions():
    tree = build_tree(matrix_game([[3, 1], [1, 3]]))
    end = tree.public_tree.num_public_states - 1
    belief = PublicBeliefState.with_unit_ranges(tree, end)
    assert len(initial_history(value_subgame(belief)).chance_outcomes) == len(belief.histories)
