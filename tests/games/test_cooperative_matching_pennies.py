from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from infoset.errors import ParameterError
from infoset.evaluation import expected_values
from infoset.game import initial_history
from infoset.games import CooperativeMatchingPennies, load_game
from infoset.policy import TabularPolicy
from infoset.tree import build_tree
from tests.games.game_walker import num_worlds, path_counts, play, walk
from tests.games.team_optimum import team_optimum

SIDES = ("heads", "tails")
GUESSES = (*SIDES, "pass")


def coin(side):
    return lambda world: world.coin == side


def payoffs_of_pure_policies(game):
    """Return the expected payoff of each pair of pure policies, from the table of the rules."""
    values = {}
    for signals, guesses in product(product(SIDES, repeat=2), product(GUESSES, repeat=2)):
        payoffs = [
            play(game, coin(side), (signal, None), (None, guesses[SIDES.index(signal)]))
            for side, signal in zip(SIDES, signals, strict=True)
        ]
        values[signals, guesses] = sum(end.rewards_so_far[0] for end in payoffs) / 2
    return values


@pytest.mark.parametrize(
    ("side", "guess", "reward"),
    # The table of rewards does not depend on the signal.
    [
        ("heads", "heads", 1), ("heads", "tails", -2), ("heads", "pass", 0),
        ("tails", "heads", -2), ("tails", "tails", 1), ("tails", "pass", 0),
    ],
)  # fmt: skip
@pytest.mark.parametrize("signal", SIDES)
def test_rewards(side, signal, guess, reward):
    end = play(CooperativeMatchingPennies(), coin(side), (signal, None), (None, guess))
    assert end.is_terminal
    assert end.rewards_so_far == (reward, reward)


def test_what_is_seen():
    end = play(CooperativeMatchingPennies(), coin("tails"), ("heads", None), (None, "pass"))
    assert [str(infostate) for infostate in end.infostates] == [
        "[tails] / heads / pass,coin tails",
        ". / heads / !pass pass,coin tails",
    ]


def test_player_1_does_not_see_the_coin():
    game = CooperativeMatchingPennies()
    heads, tails = (play(game, coin(side), ("heads", None)) for side in SIDES)
    assert heads.infostates[1] == tails.infostates[1]
    assert heads.infostates[0] != tails.infostates[0]
    assert heads.legal_actions(1) == GUESSES
    assert heads.legal_actions(0) == ()


def test_the_coin_is_fair():
    outcomes = initial_history(CooperativeMatchingPennies()).chance_outcomes
    assert [chance for _, chance in outcomes] == [Fraction(1, 2)] * 2


def test_counts():
    game = CooperativeMatchingPennies()
    assert path_counts(game) == (19, 12)
    assert num_worlds(game) == 19
    assert walk(game).num_acting == [2, 2]
    assert walk(game).values == pytest.approx([-1 / 3] * 2, abs=1e-12)


@pytest.mark.parametrize(
    "rewards",
    # The values with which learners were compared.
    [(1, -2, 0), (1, -1, 0), (1, -10, 0), (1, 0, 0.9)],
)
def test_two_signaling_policies_are_optimal(rewards):
    values = payoffs_of_pure_policies(CooperativeMatchingPennies(*rewards))
    best = {policies for policies, value in values.items() if value == max(values.values())}
    assert max(values.values()) == 1
    assert best == {(SIDES, SIDES), (SIDES[::-1], SIDES[::-1])}


def test_the_integer_program_finds_the_optimum():
    game = CooperativeMatchingPennies(win_reward=1.5, miss_reward=0, pass_reward=0.2)
    assert team_optimum(game) == pytest.approx(1.5, abs=1e-9)


def test_passing_is_best_while_the_signal_is_noise():
    form = build_tree(CooperativeMatchingPennies()).sequence_form
    values = {}
    for guesses in product(range(3), repeat=2):
        weights = np.zeros(7)
        weights[[0, 1 + guesses[0], 4 + guesses[1]]] = 1
        policy = TabularPolicy.from_weights(form, [np.ones(5), weights])
        values[guesses] = expected_values(policy)[0]
    assert values.pop((2, 2)) == 0
    assert max(values.values()) == pytest.approx(-1 / 4, abs=1e-12)


def test_a_number_is_a_number():
    assert load_game("cooperative_matching_pennies(miss_reward=-10)") == CooperativeMatchingPennies(
        miss_reward=-10.0
    )


@pytest.mark.parametrize("reward", ["one", None, True, float("inf"), float("nan")])
def test_bad_rewards(reward):
    with pytest.raises(ParameterError, match="win_reward must be a number"):
        CooperativeMatchingPennies(win_reward=reward)
