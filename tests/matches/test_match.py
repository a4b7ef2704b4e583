"""Matches, against exact expected values and identities of single plays."""

from __future__ import annotations

import numpy as np
import pytest

from infoset.errors import (
    GameRuleError,
    ParameterError,
    PolicyMismatchError,
    UnknownNameError,
    UnsupportedGameError,
)
from infoset.evaluation import expected_values
from infoset.game import Observation
from infoset.games import KuhnPoker, MatrixGame, load_game, matrix_game
from infoset.matches import play_matches
from infoset.matches._tree_match_kernels import drawn_index, edges_of_joint_action
from infoset.matches.match_statistics import interval_within
from infoset.policy import TabularPolicy, transfer_policy, uniform_policy
from infoset.search import make_searcher
from infoset.tree import build_public_form, build_tree
from tests.support.cached_games import cached_random_policies, cached_tree
from tests.support.function_game import FunctionGame
from tests.support.small_holdem import small_holdem

GAMES = [
    "kuhn_poker",
    "kuhn_poker(players=3)",
    "leduc_poker",
    "matrix_bos",
    "matrix_rps",
    "goofspiel(num_cards=3,imp_info=True,points_order=random,returns_type=total_points)",
]


def two_policies(spec):
    return cached_random_policies(spec, 2, seed=7)


def exact_seat_values(first, second):
    """Return the expected value of `first` in each position, with `second` in all others."""
    seats = range(first.form.num_players)
    return np.array([expected_values(second.replace_player(seat, first))[seat] for seat in seats])


class RecordingPolicy:
    """A policy that records its queries."""

    def __init__(self, policy, probabilities=None):
        self.policy = policy
        self.probabilities = probabilities
        self.asked = []

    def action_probabilities(self, infostate, legal_actions):
        self.asked.append(infostate)
        if self.probabilities is not None:
            return self.probabilities
        return self.policy.action_probabilities(infostate, legal_actions)


class Undeclared(KuhnPoker):
    utility_range = None


class UndeclaredMatrix(MatrixGame):
    utility_range = None


class Pure:
    """A policy that always takes the action with one index."""

    def __init__(self, position):
        self.position = position

    def action_probabilities(self, infostate, legal_actions):
        return np.eye(len(legal_actions))[min(self.position, len(legal_actions) - 1)]


def always(tree, position):
    """Return the tabular policy that takes the action with one index everywhere."""
    weights = []
    for plex in tree.sequence_form.treeplexes:
        chosen = np.zeros(plex.num_sequences)
        chosen[plex.first_sequence + np.minimum(position, plex.num_actions - 1)] = 1
        weights.append(chosen)
    return TabularPolicy.from_weights(tree.sequence_form, weights)


def coin_after_a_walk(**rules):
    """Player 0 walks one step or three, then chance flips a fair coin for 1."""

    def transitions(world, joint_action):
        if world == "start":
            return [("walk 1" if joint_action[0] == "long" else "flip", 1)]
        following = {"walk 1": "walk 2", "walk 2": "flip"}.get(world)
        if world == "flip":
            return [("heads", 0.5), ("tails", 0.5)]
        return [(following, 1)] if following else []

    def rewards(world, joint_action, next_world):
        gain = {"heads": 1, "tails": -1}.get(next_world, 0)
        return (gain, -gain)

    def legal(world, player):
        return ("short", "long") if world == "start" else ("on",)

    return FunctionGame(
        2,
        actors=lambda world: (0,) if world in ("start", "walk 1", "walk 2") else (),
        legal_actions=legal,
        transitions=transitions,
        rewards=rewards,
        observe=lambda world, joint_action, next_world: Observation(next_world),
        **rules,
    )


@pytest.mark.parametrize("spec", GAMES)
def test_the_compiled_representation_agrees_with_exact_values(spec):
    tree = cached_tree(spec)
    first, second = two_policies(spec)
    result = play_matches(tree, first, second, num_deals=60_000, seed=1)
    exact = exact_seat_values(first, second)
    assert abs(result.mean - exact.mean()) < 4 * result.standard_error
    low, high = tree.sequence_form.payoff_range
    assert (
        np.abs(np.array(result.position_means) - exact).max() < 4 * (high - low) / 2 / 60_000**0.5
    )
    assert result.mean == pytest.approx(np.mean(result.position_means), abs=1e-12)


@pytest.mark.broad
@pytest.mark.parametrize("spec", GAMES)
def test_the_representation_of_the_rules_agrees_with_exact_values(spec):
    first, second = two_policies(spec)
    result = play_matches(load_game(spec), first, second, num_deals=600, seed=2)
    exact = exact_seat_values(first, second)
    assert abs(result.mean - exact.mean()) < 4 * result.standard_error


@pytest.mark.broad
def test_both_representations_have_the_same_spread():
    tree = cached_tree("leduc_poker")
    first, second = two_policies("leduc_poker")
    by_tree = play_matches(tree, first, second, num_deals=800)
    by_rules = play_matches(tree.game, first, second, num_deals=800)
    assert by_rules.standard_error == pytest.approx(by_tree.standard_error, rel=0.15)
    gap = 4 * np.hypot(by_tree.standard_error, by_rules.standard_error)
    assert abs(by_tree.mean - by_rules.mean) < gap


def coverage(tree, first, second, num_deals, num_seeds):
    """Return the fraction of seeds whose interval contains the value, and the mean z-score."""
    exact = exact_seat_values(first, second).mean()
    results = [
        play_matches(tree, first, second, num_deals=num_deals, seed=seed)
        for seed in range(num_seeds)
    ]
    hits = [result.interval[0] <= exact <= result.interval[1] for result in results]
    scores = [(result.mean - exact) / result.standard_error for result in results]
    return np.mean(hits), np.mean(scores)


@pytest.mark.broad
def test_the_interval_covers_the_expected_value_as_often_as_it_says():
    share, bias = coverage(cached_tree("kuhn_poker"), *two_policies("kuhn_poker"), 200, 600)
    assert 0.925 < share < 0.975  # 0.95, and three standard deviations of 600 draws
    assert abs(bias) < 3.5 / 600**0.5


@pytest.mark.broad
def test_the_interval_counts_the_plays_of_a_deal_as_one_sample():
    """With common payoffs, a policy that plays itself has the same utility in both positions."""
    tree = build_tree(matrix_game([[1, 0], [0, 1]], [[1, 0], [0, 1]]))
    both = uniform_policy(tree.sequence_form)
    share, _ = coverage(tree, both, both, 200, 600)
    assert 0.925 < share < 0.975  # as if all plays were independent: 0.83


@pytest.mark.parametrize("representation", ["tree", "rules"])
@pytest.mark.parametrize("spec", ["kuhn_poker", "kuhn_poker(players=3)", "matrix_rps"])
def test_a_policy_meets_itself_with_mean_zero_exactly(spec, representation):
    tree = cached_tree(spec)
    policy, _ = two_policies(spec)
    played = tree if representation == "tree" else tree.game
    result = play_matches(played, policy, policy, num_deals=50)
    assert result.mean == pytest.approx(0, abs=1e-15)
    assert result.standard_error == pytest.approx(0, abs=1e-15)
    assert any(result.position_means)


@pytest.mark.parametrize("representation", ["tree", "rules"])
@pytest.mark.parametrize("spec", ["kuhn_poker", "leduc_poker", "matrix_rps"])
def test_exchanging_the_policies_negates_the_mean_exactly(spec, representation):
    tree = cached_tree(spec)
    played = tree if representation == "tree" else tree.game
    first, second = two_policies(spec)
    one = play_matches(played, first, second, num_deals=100, seed=5)
    other = play_matches(played, second, first, num_deals=100, seed=5)
    assert other.mean == -one.mean != 0
    assert other.standard_error == one.standard_error
    assert other.position_means == tuple(-mean for mean in reversed(one.position_means))


@pytest.mark.parametrize("representation", ["tree", "rules"])
def test_chance_draws_the_same_after_plays_of_different_length(representation):
    tree = build_tree(coin_after_a_walk())
    played, first, second = tree, always(tree, 0), always(tree, 1)
    if representation == "rules":
        played, first, second = coin_after_a_walk(), Pure(0), Pure(1)
    result = play_matches(played, first, second, num_deals=100)
    assert any(result.position_means)
    assert result.standard_error == 0  # player 0 wins exactly what player 1 loses, deal by deal


def test_each_position_has_the_same_cards_in_every_play_of_a_deal():
    game = load_game("kuhn_poker(players=3)")
    first, second = RecordingPolicy(uniform_policy()), RecordingPolicy(Pure(0))
    play_matches(game, first, second, num_deals=40)

    def first_turns(asked):
        return [(seen.player, seen.steps[0].private) for seen in asked if len(seen.steps) < 4]

    cards = {}
    for deal, (seat, card) in enumerate(first_turns(first.asked)):
        cards.setdefault(deal // 3, {})[seat] = card
    assert all(len(set(hands.values())) == 3 for hands in cards.values())
    assert len({tuple(sorted(hands.items())) for hands in cards.values()}) > 10


def test_sharing_numbers_makes_near_policies_easier_to_tell_apart():
    tree = cached_tree("leduc_poker")
    first, other = two_policies("leduc_poker")
    near = TabularPolicy(
        tree.sequence_form,
        tuple(
            0.95 * a + 0.05 * b
            for a, b in zip(first.probabilities, other.probabilities, strict=True)
        ),
    )
    shared = play_matches(tree, first, near, num_deals=4000)
    far = play_matches(tree, first, other, num_deals=4000)
    assert shared.standard_error < far.standard_error / 2


@pytest.mark.parametrize("representation", ["tree", "rules"])
def test_same_seed_same_result(representation):
    tree = cached_tree("leduc_poker")
    played = tree if representation == "tree" else tree.game
    first, second = two_policies("leduc_poker")
    one = play_matches(played, first, second, num_deals=50, seed=3)
    assert play_matches(played, first, second, num_deals=50, seed=3) == one
    assert play_matches(played, first, second, num_deals=50, seed=4).mean != one.mean
    assert (one.num_deals, one.seed) == (50, 3)


def test_the_numbers_of_a_deal_do_not_depend_on_batches(monkeypatch):
    tree = cached_tree("kuhn_poker")
    first, second = two_policies("kuhn_poker")
    at_once = play_matches(tree, first, second, num_deals=100)
    monkeypatch.setattr("infoset.matches.tree_matches.RANDOM_NUMBERS_PER_CHUNK", 100)
    assert play_matches(tree, first, second, num_deals=100) == at_once


def test_global_random_state_is_left_alone():
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    play_matches(cached_tree("kuhn_poker"), None, None, num_deals=10)
    play_matches(load_game("kuhn_poker"), None, None, num_deals=10)
    assert (np.random.get_state()[1] == before).all()  # noqa: NPY002


def test_a_match_by_hand():
    """Row 1 always plays against column 2; in the other position, column 1 plays against row 2."""
    tree = build_tree(matrix_game([[5, 1], [2, 7]], [[0, 10], [30, 40]]))
    result = play_matches(tree, always(tree, 0), always(tree, 1), num_deals=4, seed=9)
    assert result.position_means == (1, 30)
    assert result.mean == 15.5
    # Four equal results are no certainty: utilities are between 1 and 7, and between 0 and 40.
    assert result.interval == interval_within(15.5, 0.0, 4, 0.5, 23.5)
    assert result.position_utilities[1].interval == interval_within(30.0, 0.0, 4, 0.0, 40.0)
    assert str(result) == (
        "15.5 per play, 95% confidence interval 6.46453 to 21.3954; wins 50% "
        "(4 deals, each in 2 positions)"
    )


def test_without_a_tree_the_interval_is_students_t():
    result = play_matches(Undeclared(), *two_policies("kuhn_poker"), num_deals=5)
    low, high = result.interval
    assert (high - low) / 2 / result.standard_error == pytest.approx(2.776445)  # 4 degrees
    assert (high + low) / 2 == pytest.approx(result.mean)


def test_none_and_uniform_policy_and_the_uniform_table_are_the_same():
    tree = cached_tree("leduc_poker")
    policy, _ = two_policies("leduc_poker")
    uniform = uniform_policy(tree.sequence_form)
    results = {
        play_matches(tree, policy, given, num_deals=50)
        for given in (None, uniform_policy(), uniform)
    }
    assert len(results) == 1
    assert play_matches(tree.game, policy, None, num_deals=20) == play_matches(
        tree.game, policy, uniform, num_deals=20
    )


def test_a_tree_is_played_by_its_rules_where_a_policy_is_no_table():
    tree = cached_tree("kuhn_poker")
    policy, _ = two_policies("kuhn_poker")
    given = play_matches(tree, policy, Pure(1), num_deals=20)
    rules = play_matches(tree.game, policy, Pure(1), num_deals=20)
    assert given.position_means == rules.position_means
    assert given.standard_error == rules.standard_error
    assert given.win_rate == rules.win_rate
    # The tree knows the bounds of the utilities, and the game declares them.
    low, high = given.interval
    assert -2 <= low < high <= 2
    assert rules.interval == pytest.approx(given.interval)


def test_a_searcher_that_has_explored_the_game_knows_its_utilities():
    game = Undeclared()
    searcher = make_searcher("pimc(num_worlds=5)", game)
    first, second = (
        play_matches(own, searcher, None, num_deals=5) for own in (game, load_game("kuhn_poker"))
    )
    assert first.position_utilities == second.position_utilities
    far = play_matches(game, Pure(1), None, num_deals=5).position_utilities[0].interval
    assert max(map(abs, far)) > 2


def test_equal_deals_are_no_certainty_unless_the_range_says_so():
    """A policy wins every deal by 1; without a range, nothing bounds the deals not played."""
    known = matrix_game([[1, 1], [1, -9]])
    fields = (known.row_payoffs, known.column_payoffs, known.row_actions, known.column_actions)
    game = UndeclaredMatrix(*fields)
    first, other = Pure(0), Pure(0)
    result = play_matches(game, first, first, num_deals=10)
    assert result.position_utilities[0].mean == 1
    assert result.position_utilities[0].interval == (-np.inf, np.inf)
    assert "interval 0 to 0; wins 50%" in str(result), "the sum of both positions is certain"
    assert "interval unknown" in str(play_matches(game, first, other, num_deals=10))
    for bounded in (build_tree(game), known):
        result = play_matches(bounded, first, other, num_deals=10)
        low, high = result.position_utilities[0].interval
        assert -9 <= low < 1 <= high <= 9


@pytest.mark.parametrize("declared", [(-2, 1), (3, 2), (0, np.inf)])
def test_a_declared_range_is_checked(declared):
    class Wrong(KuhnPoker):
        utility_range = declared

    with pytest.raises((GameRuleError, ParameterError), match="utility_range"):
        play_matches(Wrong(), None, None, num_deals=50)


def test_estimates_of_aivat_stay_inside_the_range_of_utilities():
    """Estimates are beyond 1, the largest utility; their interval is not."""
    kuhn, rng = cached_tree("kuhn_poker"), np.random.default_rng(0)
    noisy = rng.normal(0, 30, (kuhn.num_histories, 2))
    estimates = {kuhn: noisy, kuhn.game: lambda history: rng.normal(0, 30, 2)}
    for game, values in estimates.items():
        result = play_matches(game, Pure(0), None, num_deals=4, values=values)
        assert max(map(abs, result.position_means)) > 2
        for utility in result.position_utilities:
            assert -2 <= utility.interval[0] < utility.interval[1] <= 2


def test_against_itself_a_policy_earns_its_share_for_certain():
    tree = cached_tree("leduc_poker")
    policy, other = two_policies("leduc_poker")
    again = TabularPolicy(tree.sequence_form, policy.probabilities)
    found = play_matches(tree, policy, again, num_deals=3)
    assert found.interval == (0.0, 0.0)
    assert found.win_rate.interval == (0.5, 0.5)
    assert play_matches(tree, policy, other, num_deals=3).utility.half_width > 1


@pytest.mark.parametrize(
    ("probabilities", "number", "index"),
    [
        ([0.25, 0.5, 0.25], 0.0, 0),
        ([0.25, 0.5, 0.25], 0.2499, 0),
        ([0.25, 0.5, 0.25], 0.25, 1),
        ([0.25, 0.5, 0.25], 0.75, 2),
        ([0.0, 1.0, 0.0], 0.0, 1),
        ([0.5, 0.4999999, 0.0], 0.99999999, 1),
        ([1.0], 0.5, 0),
    ],
)
def test_drawn_index(probabilities, number, index):
    assert drawn_index(np.array(probabilities), number) == index


def test_edges_of_joint_action():
    joint_action = np.array(
        [[-1, -1], [0, 0], [0, 1], [0, 1], [1, 0], [1, 0], [1, 1], [0, 0]], np.int32
    )
    bounds = {
        chosen: edges_of_joint_action(joint_action, np.array(chosen, np.int32), 1, 7)
        for chosen in [(0, 0), (0, 1), (1, 0), (1, 1)]
    }
    assert bounds == {(0, 0): (1, 2), (0, 1): (2, 4), (1, 0): (4, 6), (1, 1): (6, 7)}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (dict(game="kuhn_poker"), "such as infoset.load"),
        (dict(first="policy.parquet"), "load_policy reads a file"),
        (dict(second=3), "3 is not a policy"),
        (dict(num_deals=1), "num_deals=1 must be a whole number, at least 2"),
        (dict(seed=-1), "seed=-1 must be a whole number, at least 0"),
    ],
)
def test_bad_arguments(arguments, message):
    given = {"game": load_game("kuhn_poker"), "first": None, "second": None, **arguments}
    with pytest.raises(ParameterError, match=message):
        play_matches(**given)


@pytest.mark.parametrize(
    "answer", [[0.5], [0.5, 0.6], [1.5, -0.5], [float("nan"), 1.0], [[0.5, 0.5]]]
)
def test_a_policy_that_answers_no_distribution(answer):
    wrong = RecordingPolicy(None, np.array(answer))
    with pytest.raises(ParameterError, match=r"at the infostate \[[JQK]\] of player 0, where"):
        play_matches(load_game("kuhn_poker"), wrong, None, num_deals=2)


def test_a_policy_for_another_game():
    policy, _ = two_policies("kuhn_poker")
    with pytest.raises(PolicyMismatchError, match="is for kuhn_poker, not for leduc_poker"):
        play_matches(cached_tree("leduc_poker"), None, policy)
    with pytest.raises(UnknownNameError, match="no history of this game leads to"):
        play_matches(load_game("leduc_poker"), None, policy)


def test_a_form_stands_for_its_rules():
    (policy,) = cached_random_policies("leduc_poker")
    form = build_public_form(load_game("leduc_poker"))
    by_hand = transfer_policy(policy, form)
    found = [
        play_matches(game, one, None, num_deals=20)
        for game in (form, policy.form, load_game("leduc_poker"))
        for one in (policy, by_hand)
    ]
    assert all(result == found[0] for result in found)
    with pytest.raises(UnsupportedGameError, match="give the game as rules"):
        play_matches(small_holdem(), None, None)
