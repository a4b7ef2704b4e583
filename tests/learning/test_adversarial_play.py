"""One learner against adversaries: its regret against explicit sums and bounds."""

from __future__ import annotations

from math import log, sqrt

import numpy as np
import pytest

from infoset.errors import ParameterError, PolicyMismatchError
from infoset.evaluation import CCEEvaluator, best_response
from infoset.learning import (
    AdversarialPlay,
    get_learner,
    make_simulator,
    switch_between,
    tree_size,
)
from infoset.policy import TabularPolicy, uniform_policy
from tests.support.cached_games import cached_tree

RANGE = 4


@pytest.fixture(scope="module")
def kuhn():
    return make_simulator(cached_tree("kuhn_poker"))


def pure(form, rng):
    """Return a random pure policy."""
    weights = []
    for plex in form.treeplexes:
        chosen = np.zeros(plex.num_sequences)
        chosen[plex.first_sequence + rng.integers(0, plex.num_actions)] = 1
        weights.append(chosen)
    return TabularPolicy.from_weights(form, weights)


def pure_policies(simulator, count=4, seed=0):
    rng = np.random.default_rng(seed)
    return [pure(simulator.form, rng) for _ in range(count)]


@pytest.mark.parametrize("player", [0, 1, 2])
def test_regret_is_the_sum_over_episodes(player):
    simulator = make_simulator(cached_tree("kuhn_poker(players=3)"))
    adversary = switch_between(pure_policies(simulator))
    row = get_learner("balanced-omd", step_sizes=(0.3, 0.02))
    settings = {"player": player, "phase": 7, "horizon": 100, "seed": 3}
    play = AdversarialPlay(row, simulator, adversary, **settings)
    one_by_one = CCEEvaluator(simulator.form)
    for episode in range(100):
        mover = adversary(episode // 7, play.current_policy())
        together = mover.replace_player(player, play.current_policy())
        one_by_one.add(together.realization_plans())
        play.run(1)
        if episode in (0, 6, 7, 50, 99):
            expected = one_by_one.evaluate().gains[player] * (episode + 1)
            assert play.regret() == pytest.approx(expected, abs=1e-9)


def test_only_the_learner_changes(kuhn):
    """The other players' policies stay fixed."""
    play = AdversarialPlay(
        "ixomd", kuhn, switch_between([uniform_policy(kuhn.form)]), horizon=50, seed=2
    )
    play.run(50)
    found = play.current_policy()
    uniform = uniform_policy(kuhn.form)
    assert np.array_equal(found.probabilities[1], uniform.probabilities[1])
    assert not np.array_equal(found.probabilities[0], uniform.probabilities[0])


def external_regret(row, simulator, adversary, episodes, seed=0):
    """Return regret in units of losses."""
    play = AdversarialPlay(row, simulator, adversary, horizon=episodes, seed=seed)
    play.run(episodes)
    return play.regret() / RANGE


def bound(name, size, episodes):
    """Return the bound on regret with constant 1."""
    spread = size.sequences * size.confidence * episodes
    return {
        "ixomd": sqrt(size.decisions * size.infostates * spread),
        "balanced-omd": sqrt(size.decisions**3 * spread),
        "balanced-ftrl": sqrt(size.decisions * spread),
    }[name]


def responding(player):
    """Return the adversary that best-responds to the learner's policy at each phase."""
    return lambda phase, policy: best_response(policy, 1 - player).policy


ADVERSARIES = {
    "switching": lambda simulator: switch_between(pure_policies(simulator)),
    "responding": lambda simulator: responding(0),
}


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        pytest.param("ixomd", "switching", marks=pytest.mark.long),
        ("balanced-omd", "responding"),
        ("balanced-ftrl", "switching"),
    ],
)
def test_regret_is_below_its_bound_and_grows_like_the_root(kuhn, name, kind):
    """The slope falls from 1, where learners have not learned yet, to 1/2."""
    row, adversary = get_learner(name, preset="practical"), ADVERSARIES[kind](kuhn)
    horizons = (2_000, 16_000)
    regrets = [external_regret(row, kuhn, adversary, episodes) for episodes in horizons]
    for episodes, regret in zip(horizons, regrets, strict=True):
        assert 0 < regret < bound(name, tree_size(kuhn, 0), episodes)
    assert 0.35 < log(regrets[1] / regrets[0]) / log(8) < 0.75


@pytest.mark.parametrize("name", ["ixomd", "balanced-omd", "balanced-ftrl"])
def test_steps_of_the_theorem_satisfy_its_bound(kuhn, name):
    row = get_learner(name, preset="theory")
    for kind in ADVERSARIES.values():
        found = external_regret(row, kuhn, kind(kuhn), 2_000, seed=1)
        assert found < bound(name, tree_size(kuhn, 0), 2_000)


def test_without_learning_regret_is_linear(kuhn):
    idle = get_learner("ixomd", step_sizes=(1e-12, 0.1))
    fixed = switch_between(pure_policies(kuhn, count=1))
    short, long = (external_regret(idle, kuhn, fixed, episodes) for episodes in (100, 3000))
    assert short > 100 / 20
    assert long == pytest.approx(30 * short, rel=1e-6)


def test_resumed_runs_are_bit_identical(kuhn):
    def fresh():
        return AdversarialPlay("adaptive-ftrl", kuhn, responding(0), horizon=60, phase=8, seed=5)

    whole, begun, resumed = fresh(), fresh(), fresh()
    whole.run(60)
    begun.run(29)
    begun.regret()
    resumed.set_state({name: array.copy() for name, array in begun.state().items()})
    resumed.run(31)
    for name, array in whole.state().items():
        assert np.array_equal(array, resumed.state()[name]), name
    assert whole.regret() == resumed.regret()


def test_anytime_steps_count_episodes_from_one(kuhn):
    """Anytime step sizes start with those for one episode."""
    fixed = switch_between([uniform_policy(kuhn.form)])
    anytime, once = get_learner("ixomd", preset="anytime"), get_learner("ixomd")
    first = AdversarialPlay(anytime, kuhn, fixed, horizon=99, seed=3)
    only = AdversarialPlay(once, kuhn, fixed, horizon=1, seed=3)
    first.run(1)
    only.run(1)
    assert np.array_equal(first.state()["policy"], only.state()["policy"])
    assert np.any(first.state()["policy"] != kuhn.uniform())


def test_the_default_phase_is_the_root_of_the_horizon(kuhn):
    phases = []
    uniform = uniform_policy(kuhn.form)

    def adversary(phase, policy):
        phases.append(phase)
        return uniform

    play = AdversarialPlay("ixomd", kuhn, adversary, horizon=90)
    play.run(90)
    assert play.phase == 9
    assert phases == list(range(10))


@pytest.mark.parametrize("name", ["local-omd", "balanced-cfr-hedge", "os-mccfr", "es-mccfr"])
def test_learners_that_explore_are_refused(kuhn, name):
    adversary = switch_between([uniform_policy(kuhn.form)])
    with pytest.raises(ParameterError, match="choose a learner"):
        AdversarialPlay(name, kuhn, adversary, horizon=10)


def test_invalid_arguments(kuhn):
    uniform = uniform_policy(kuhn.form)
    with pytest.raises(ParameterError, match="is not callable"):
        AdversarialPlay("ixomd", kuhn, uniform, horizon=10)
    with pytest.raises(ParameterError, match="player"):
        AdversarialPlay("ixomd", kuhn, switch_between([uniform]), horizon=10, player=2)
    with pytest.raises(ParameterError, match="at least one policy"):
        switch_between([])
    other = uniform_policy(cached_tree("leduc_poker").sequence_form)
    with pytest.raises(PolicyMismatchError, match="policy for leduc_poker"):
        AdversarialPlay("ixomd", kuhn, switch_between([other]), horizon=10).run(1)
    with pytest.raises(ParameterError, match="the adversary's policy"):
        AdversarialPlay("ixomd", kuhn, lambda phase, policy: None, horizon=10).run(1)
