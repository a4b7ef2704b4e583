"""Learners that estimate the game: equal to slow references, sound certificates, convergence."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from infoset.errors import ParameterError, UnsupportedGameError
from infoset.evaluation import nash_conv
from infoset.learning import LEARNERS, CertifiedCFR, Knowledge, PosteriorSampling, make_learner
from infoset.learning._model_based_kernels import next_gamma
from infoset.tree.decision_nodes import infostate_sequences
from infoset.utils.splitmix import make_stream
from tests.learning.playing import UNEVEN, assert_same_bits, learner_of, simulator_of
from tests.learning.playing import nash_conv as learned_gap
from tests.support.reference_mccfr import SeededDraws
from tests.support.reference_models import ReferenceCertified, ReferencePosterior

pytestmark = pytest.mark.broad

NAMES = ("cfr-psrl", "cert-cfr")
PSRL, CERTIFIED = (LEARNERS[name] for name in NAMES)
EAGER = replace(CERTIFIED, bonus=0.05)
THREE = "kuhn_poker(players=3)"


def assert_same(learning, reference, policy):
    """Assert that regrets, counts and the average agree."""
    state = learning.state()
    np.testing.assert_allclose(state["regret"], reference.regret, rtol=0, atol=1e-10)
    np.testing.assert_array_equal(state["visits"], reference.visits)
    np.testing.assert_allclose(state["policy"], policy, rtol=0, atol=1e-8)


def assert_same_average(learning, reference):
    wanted = learning.simulator.policy(reference.cumulative_plan)
    for found, own in zip(learning.policy().probabilities, wanted.probabilities, strict=True):
        np.testing.assert_allclose(found, own, atol=1e-8)


@pytest.mark.parametrize("row", [CERTIFIED, EAGER], ids=["sound", "eager"])
@pytest.mark.parametrize("game", ["kuhn_poker", THREE, UNEVEN], ids=str)
def test_certified_cfr_agrees_with_the_reference(game, row):
    learning, reference = learner_of(row, game, seed=3), ReferenceCertified(simulator_of(game), row)
    draws = SeededDraws(learning.state()["stream"])
    for _ in range(30):
        learning.run(1)
        reference.episode(draws)
        assert_same(learning, reference, reference.policy())
    assert_same_average(learning, reference)


@pytest.mark.parametrize("game", ["kuhn_poker", THREE, UNEVEN], ids=str)
def test_posterior_sampling_agrees_with_the_reference(game):
    """Exploring policies are compared by their values, because there can be ties."""
    simulator, learning = simulator_of(game), learner_of(PSRL, game, seed=3)
    reference = ReferencePosterior(simulator, PSRL)
    draws, players = SeededDraws(learning.state()["stream"]), range(simulator.num_players)
    rng = np.random.default_rng(1)
    for _ in range(6):
        policy, other = reference.begin_round(draws)
        for player in players:
            learning.run(1)
            explored = learning.state()["response"].copy()
            policies = [explored if one == player else policy for one in players]
            reference.cumulative_plan += reference.plan(policy)
            reference.play(policies, draws)
            found = reference.difference(player, explored, other)
            for rival in random_pure_policies(simulator, 8, rng):
                assert reference.difference(player, rival, other) < found + 1e-9
        reference.end_round()
        assert_same(learning, reference, reference.policy())
    assert_same_average(learning, reference)


def random_pure_policies(simulator, count, rng):
    infostates = simulator.infostates
    for _ in range(count):
        policy = np.zeros(simulator.num_sequences)
        policy[infostates.root_sequence] = 1.0
        policy[infostates.first_sequence + rng.integers(infostates.num_actions)] = 1.0
        yield policy


def test_exploring_policies_are_the_best_of_all_pure_ones():
    """Player 1 of Kuhn poker has 64 pure policies."""
    simulator, learning = simulator_of("kuhn_poker"), learner_of(PSRL, seed=8)
    reference = ReferencePosterior(simulator, PSRL)
    draws, infostates = SeededDraws(learning.state()["stream"]), simulator.infostates
    for _ in range(5):
        policy, other = reference.begin_round(draws)
        learning.run(2)
        explored = learning.state()["response"]
        reference.play([explored, policy], draws)
        reference.play([policy, explored], draws)
        best = -np.inf
        (own,) = np.nonzero(infostates.player == 1)
        for taken in product(range(2), repeat=6):
            rival = explored.copy()
            rival[infostate_sequences(infostates, own)] = 0.0
            rival[infostates.first_sequence[own] + np.array(taken)] = 1.0
            best = max(best, reference.difference(1, rival, other))
        assert reference.difference(1, explored, other) == pytest.approx(best, abs=1e-9)
        reference.end_round()


@pytest.mark.parametrize("shape", [1.0, 2.0, 7.0, 300.0])
def test_gamma_variables_have_their_mean_and_variance(shape):
    stream = make_stream(5)
    drawn = np.array([next_gamma(shape, stream) for _ in range(40_000)])
    assert drawn.min() > 0
    assert drawn.mean() == pytest.approx(shape, abs=4 * (shape / len(drawn)) ** 0.5)
    assert drawn.var() == pytest.approx(shape, rel=0.1)


@pytest.mark.parametrize("name", NAMES)
def test_payoffs_are_unknown_until_they_are_seen(name):
    learning, blind = (learner_of(LEARNERS[name], "leduc_poker", seed=2) for _ in range(2))
    learning.run(300)
    unseen = learning.state()["visits"][learning._model.terminal] == 0
    assert 0.5 < unseen.mean() < 1
    blind._play_state.feedback[unseen] = np.nan
    blind.run(300)
    assert_same_bits(learning, blind)


@pytest.mark.parametrize(("name", "most"), [("cfr-psrl", 0.02), ("cert-cfr", 0.015)])
def test_kuhn_poker_is_learned(name, most):
    assert np.mean([learned_gap(LEARNERS[name], 20_000, seed) for seed in range(3)]) < most


@pytest.mark.parametrize("name", NAMES)
def test_they_need_fewer_episodes_than_learners_from_bandit_feedback(name):
    gaps = {row: learned_gap(LEARNERS[row], 2_000, 1) for row in (name, "os-mccfr", "balanced-omd")}
    assert gaps[name] < 0.5 * min(gaps["os-mccfr"], gaps["balanced-omd"])


@pytest.mark.parametrize("game", ["kuhn_poker", "liars_dice(dice_sides=2)"])
def test_certificates_are_sound_and_fall(game):
    for seed in range(4):
        learning, found = learner_of(CERTIFIED, game, seed=seed), []
        for episodes in (10, 90, 900, 9_000):
            learning.run(episodes)
            found.append(learning.certified_nash_conv())
            assert nash_conv(learning.policy()) <= found[-1]
        assert found == sorted(found, reverse=True)
        assert found[-1] < 0.25 * learning.form.payoff_width


@pytest.mark.parametrize("game", ["goofspiel(num_cards=3)", "leduc_poker"])
def test_certificates_never_exceed_the_range_of_payoffs(game):
    """Early bonuses add up to several times the range, but rewards are at most 0 in all plays."""
    learning = learner_of(CERTIFIED, game)
    for episodes in (0, 1, 1, 50):
        learning.run(episodes)
        assert learning.certified_nash_conv() == learning.form.payoff_width


def test_without_chance_a_certificate_is_exact_once_everything_is_seen():
    learning = learner_of(CERTIFIED, "goofspiel(num_cards=2,points_order=descending)")
    learning.run(30)
    assert (learning.state()["visits"] > 0).all()
    gap = nash_conv(learning.policy())
    assert gap > 0.1
    assert learning.certified_nash_conv() == pytest.approx(gap, abs=1e-12)


def test_frequencies_without_a_bonus_certify_nothing():
    """The bonus is needed: the estimated gap of the average falls below the true one."""
    trusting = replace(CERTIFIED, bonus=0.0)
    wrong = 0
    for seed in range(6):
        learning = learner_of(trusting, seed=seed)
        learning.run(2_000)
        wrong += learning.certified_nash_conv() < nash_conv(learning.policy())
    assert wrong > 1


def test_a_certificate_needs_a_constant_sum():
    learning = learner_of(CERTIFIED, THREE)
    learning.run(3)
    with pytest.raises(UnsupportedGameError, match=r"not two-player constant-sum.*nash_conv"):
        learning.certified_nash_conv()


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"failure_probability": 0.0}, "failure_probability=0.0 must be above 0 and below 1"),
        ({"failure_probability": 1}, "failure_probability=1 must be above 0 and below 1"),
        ({"bonus": -1.0}, "bonus=-1.0 must be"),
        ({"bonus": "much"}, "bonus='much' must be"),
    ],
)
def test_numbers_out_of_range_are_refused(changes, complaint):
    with pytest.raises(ParameterError, match=complaint):
        CertifiedCFR("x", "", **changes)


def test_they_see_histories_so_they_learn_in_self_play_only():
    assert PSRL.knowledge is PosteriorSampling("x", "").knowledge is Knowledge.TREE
    assert CERTIFIED.knowledge is Knowledge.HISTORIES
    for row in (PSRL, CERTIFIED):
        with pytest.raises(ParameterError, match=f"{row.name} learns in self-play only"):
            make_learner(row, player=0, utility_range=(-2, 2), horizon=10)
