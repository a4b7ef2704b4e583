from fractions import Fraction
from math import sqrt

import numpy as np
import pytest

from infoset.errors import ParameterError
from infoset.evaluation import best_response, nash_conv
from infoset.front import learn
from infoset.game import initial_history
from infoset.games import BanditTree, load_game
from infoset.policy import uniform_policy
from infoset.tree import build_tree
from infoset.typing import NOOP
from tests.games.game_walker import num_worlds, path_counts, play, walk


def form_of(**parameters):
    return build_tree(BanditTree(**parameters)).sequence_form


def branch(number):
    return lambda world: world.branch == number and world.reward == 0


def ends_with(reward):
    return lambda world: world.reward == reward


@pytest.mark.parametrize(
    ("branching", "can_stop", "size"),
    # X of the trees on which the balanced learners are compared.
    [
        (4, False, 73), (8, False, 273), (16, False, 1057),
        (4, True, 21), (16, True, 273), (64, True, 4161),
    ],
)  # fmt: skip
def test_published_sizes(branching, can_stop, size):
    form = form_of(branching=branching, can_stop=can_stop)
    assert form.treeplexes[0].num_infostates == size


def test_transcript():
    game = BanditTree(branching=2)
    first = (1,), branch(1)
    end = play(game, branch(0), first, ((0,), branch(0)), ((1,), ends_with(-1)))
    assert end.is_terminal
    assert end.rewards_so_far == (-1,)
    assert [str(infostate) for infostate in end.infostates] == [
        "branch 0 / !1 branch 1 / !0 branch 0 / !1 loss"
    ]


def test_stopping_ends_the_game_before_the_last_decision_only():
    game = BanditTree(branching=2, can_stop=True)
    stopped = play(game, branch(0), ((0,), ends_with(1)))
    assert stopped.is_terminal
    assert stopped.rewards_so_far == (1,)
    late = play(game, branch(0), ((1,), branch(1)), ((0,), ends_with(-1)))
    assert late.is_terminal
    last = play(game, branch(0), ((1,), branch(1)), ((1,), branch(0)))
    assert last.legal_actions(0) == (0, 1)


@pytest.mark.parametrize(("number", "best"), [(0, 0), (1, 1), (2, 2), (3, 0)])
def test_chances_of_winning(number, best):
    game = BanditTree(depth=1, deals=4, num_actions=3, best_chance=0.9, other_chance=0.2)
    place = play(game, branch(number))
    for action in range(3):
        chances = {world.reward: share for world, share in game.transitions(place.world, (action,))}
        win = Fraction(9, 10) if action == best else Fraction(1, 5)
        assert chances == {1: win, -1: 1 - win}


def test_deals_and_branches_have_equal_probabilities():
    game = BanditTree(deals=3, branching=5)
    root = initial_history(game)
    assert [share for _, share in root.chance_outcomes] == [Fraction(1, 3)] * 3
    place = play(game, branch(2))
    shares = [share for _, share in game.transitions(place.world, (1,))]
    assert shares == [Fraction(1, 5)] * 5


def test_outcomes_of_probability_zero_are_left_out():
    game = BanditTree(depth=1, best_chance=1)
    (place,) = (world for world, _ in game.transitions(game.initial_world(), (None,)))
    assert [world.reward for world, _ in game.transitions(place, (0,))] == [1]


def test_counts_by_walking():
    game = BanditTree(branching=3, can_stop=True)
    tree = build_tree(game)
    assert path_counts(game) == (tree.num_histories, len(tree.terminals))
    assert num_worlds(game) == 14
    assert walk(game).num_acting == [13]


@pytest.mark.parametrize(
    ("can_stop", "gap"),
    # Losses 0.3 at best; uniformly 0.4, and 0.4375 = 3/4 · 0.45 + 1/4 · 0.4 with stopping.
    [(False, 0.1), (True, 0.1375)],
)
def test_values_and_the_gap_of_uniform_play(can_stop, gap):
    policy = uniform_policy(form_of(branching=4, can_stop=can_stop))
    assert best_response(policy, 0).value == pytest.approx(1 - 2 * 0.3, abs=1e-12)
    assert nash_conv(policy) == pytest.approx(2 * gap, abs=1e-12)


@pytest.mark.long
@pytest.mark.parametrize("can_stop", [False, True])
def test_balanced_learners_gain_more_on_larger_trees(can_stop):
    ratios = []
    for branching in (4, 8):
        game = BanditTree(branching=branching, can_stop=can_stop)
        plain, balanced = (
            np.mean(learn(game, method, preset="practical", episodes=400_000, seeds=2).nash_conv)
            for method in ("ixomd", "balanced-omd")
        )
        ratios.append(plain / balanced)
    assert 0.95 < ratios[0] < ratios[1] - 0.1


def test_two_players_have_a_tree_each():
    game = BanditTree(1, deals=2, players=2)
    assert [share for _, share in initial_history(game).chance_outcomes] == [Fraction(1, 4)] * 4
    second = play(game, lambda world: (world.player, world.branch) == (1, 0))
    assert second.actors == (1,)
    end = play(
        game, lambda world: (world.player, world.branch) == (1, 0), ((NOOP, 0), ends_with(1))
    )
    assert end.rewards_so_far == (-1, 1)
    assert [str(infostate) for infostate in end.infostates] == [
        "player 1, branch 0 / win",
        "player 1, branch 0 / !0 win",
    ]
    tree = build_tree(game)
    assert path_counts(game) == (tree.num_histories, len(tree.terminals))
    assert walk(game).num_acting == [2, 2]
    assert nash_conv(uniform_policy(tree.sequence_form)) == pytest.approx(0.2)


def test_the_player_who_is_drawn_makes_all_decisions():
    game = BanditTree(2, branching=2, players=2)
    first = (NOOP, 1), branch(1)
    end = play(game, lambda world: world.player == 1, first, ((NOOP, 1), ends_with(-1)))
    assert end.rewards_so_far == (1, -1)
    assert [str(infostate) for infostate in end.infostates] == [
        "player 1, branch 0 / branch 1 / loss",
        "player 1, branch 0 / !1 branch 1 / !1 loss",
    ]


@pytest.mark.parametrize(
    ("method", "players"),
    [
        ("ixomd", 1), ("balanced-omd", 1), ("balanced-omd", 2), ("os-mccfr", 1), ("local-omd", 1),
        ("online-os-mccfr", 2),
        pytest.param("cert-cfr", 2, marks=pytest.mark.broad),
        pytest.param("cfr-psrl", 1, marks=pytest.mark.broad),
    ],
)  # fmt: skip
def test_no_learner_beats_the_lower_bound(method, players):
    """With uniform infostates and nearly equal arms, regret is of order √(XAT) for any X."""
    shares = []
    for deals in (8, 64):
        sequences = 2 * deals * players  # XA, or XA + YB
        episodes = 64 * sequences
        half = sqrt(sequences / episodes) / 2
        chances = {"best_chance": 0.5 + half, "other_chance": 0.5 - half}
        game = BanditTree(1, deals=deals, players=players, **chances)
        found = learn(game, method, episodes=episodes, seeds=4)
        regret = episodes * np.mean(found.nash_conv) / 2
        shares.append(regret / sqrt(sequences * episodes))
    assert min(shares) > 0.1
    assert shares[1] > 0.7 * shares[0]


@pytest.mark.parametrize(
    ("name", "value", "rule"),
    [
        ("depth", 0, "from 1 to 10"),
        ("num_actions", 1, "from 2 to 100"),
        ("best_chance", 1.5, "from 0 to 1"),
        ("stop_chance", -0.5, "of at least 0"),
        ("can_stop", 1, "True or False"),
        ("players", 3, "from 1 to 2"),
    ],
)
def test_bad_parameters(name, value, rule):
    with pytest.raises(ParameterError, match=f"{name} must be .*{rule}"):
        BanditTree(**{name: value})


def test_text():
    assert str(load_game("bandit_tree(branching=8,can_stop=True)")) == (
        "bandit_tree(branching=8,can_stop=True)"
    )
