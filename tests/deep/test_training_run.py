"""Training runs: convergence, resuming, units of payoffs, and errors."""

import importlib
import sys
from functools import cache

import numpy as np
import pytest

from infoset.deep import EntropySchedule, NetworkPolicy, NetworkRNaD, train
from infoset.errors import (
    CheckpointMismatchError,
    MissingExtraError,
    NumericalError,
    UnknownNameError,
    UnsupportedGameError,
)
from infoset.evaluation import nash_conv
from infoset.game import Infostate
from infoset.games import load_game
from infoset.policy import Policy, tabulate
from infoset.runs import read_checkpoint
from infoset.tree import build_tree
from tests.support.affine_games import AffineGame

pytestmark = pytest.mark.networks

SMALL = NetworkRNaD(
    name="small", batch_size=32, hidden=(8,), schedule=EntropySchedule((20, 30), (2, 1))
)


@cache
def kuhn_result():
    return train("kuhn_poker", steps=2000, seed=1)


def assert_same_policy(first, second):
    for one, other in zip(first.probabilities, second.probabilities, strict=True):
        np.testing.assert_array_equal(one, other)


def test_kuhn_poker_approaches_equilibrium_with_the_default_preset():
    run = kuhn_result().run
    assert run.nash_conv < 0.1
    assert run.nash_conv == nash_conv(run.policy)
    assert run.trace[0].nash_conv > 0.5
    assert (run.outcome, run.iterations, run.method) == ("iterations", 2000, "rnad")
    assert run.values[0] == pytest.approx(-1 / 18, abs=0.05)


def test_the_network_policy_plays_as_its_table():
    result = kuhn_result()
    form = result.run.policy.form
    assert isinstance(result.policy, Policy)
    table = result.policy.tabulate(form)
    for one, other in zip(table.probabilities, result.run.policy.probabilities, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-6)
    slow = tabulate(form, [result.policy, result.policy])
    for one, other in zip(table.probabilities, slow.probabilities, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-6)
    tree = form.infostate_trees[1]
    infostate = tree.infostate_at(int(tree.acting[0]))
    forwards = result.policy.action_probabilities(infostate, ["pass", "bet"])
    backwards = result.policy.action_probabilities(infostate, ["bet", "pass"])
    np.testing.assert_allclose(forwards, backwards[::-1], atol=1e-7)


def test_fine_tuned_policies_are_multiples_of_a_unit():
    result = kuhn_result()
    tuned = NetworkPolicy(result.policy.network, result.policy.inputs, is_fine_tuned=True)
    table = tuned.tabulate(result.run.policy.form)
    for values in table.probabilities:
        np.testing.assert_array_equal(values * 32, np.round(values * 32))
    assert nash_conv(table) < 0.25


def test_network_policies_refuse_actions_and_infostates_of_other_games():
    policy = kuhn_result().policy
    tree = kuhn_result().run.policy.form.infostate_trees[0]
    with pytest.raises(UnknownNameError, match="raise"):
        policy.action_probabilities(tree.infostate_at(int(tree.acting[0])), ["raise"])
    leduc = build_tree(load_game("leduc_poker(players=2)")).sequence_form.infostate_trees[0]
    with pytest.raises(UnknownNameError, match="the encoder has no"):
        policy.action_probabilities(leduc.infostate_at(int(leduc.acting[0])), ["pass"])
    assert isinstance(leduc.infostate_at(0), Infostate)


@pytest.mark.broad
def test_a_resumed_run_continues_to_the_same_bits_in_mid_schedule(tmp_path):
    path = tmp_path / "run.npz"
    whole = train("kuhn_poker", SMALL, steps=100, seed=3)
    again = train("kuhn_poker", SMALL, steps=100, seed=3)
    assert_same_policy(whole.run.policy, again.run.policy)
    # Step 47 is in the third iteration, in which the two regularizers are mixed.
    train("kuhn_poker", SMALL, steps=47, seed=3, checkpoint=path)
    saved = read_checkpoint(path)
    assert saved.iteration == 47
    assert (saved.state["regularizer"] != saved.state["previous"]).any()
    resumed = train("kuhn_poker", SMALL, steps=100, seed=3, checkpoint=path)
    assert resumed.run.iterations == 100
    assert_same_policy(resumed.run.policy, whole.run.policy)
    assert_same_policy(resumed.run.current_policy, whole.run.current_policy)
    other = train("kuhn_poker", SMALL, steps=100, seed=4)
    assert (other.run.policy.probabilities[0] != whole.run.policy.probabilities[0]).any()

    for wrong in (
        dict(game="matrix_mp", preset=SMALL, seed=3),
        dict(game="kuhn_poker", preset=NetworkRNaD(name="small", hidden=(8,)), seed=3),
        dict(game="kuhn_poker", preset=SMALL, seed=5),
    ):
        with pytest.raises(CheckpointMismatchError, match="another run"):
            train(steps=100, checkpoint=path, **wrong)


def test_training_depends_neither_on_the_unit_of_payoffs_nor_on_constants():
    rules = load_game("kuhn_poker")
    plain = train(rules, SMALL, steps=60, seed=2).run.policy
    changed = train(AffineGame(rules, 4.0, (100.0, -100.0)), SMALL, steps=60, seed=2).run.policy
    for one, other in zip(plain.probabilities, changed.probabilities, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-4)
    assert np.abs(plain.probabilities[0] - 0.5).max() > 0.05


@pytest.mark.long
def test_a_loss_that_is_not_finite_names_the_step_and_saves_the_state_before(tmp_path):
    path = tmp_path / "run.npz"
    wild = NetworkRNaD(
        name="wild", batch_size=32, hidden=(8,), learning_rate=1e30, update_clip=1e38
    )
    with pytest.raises(NumericalError, match=r"learner step 1: .* The state after step 0 remains"):
        train("kuhn_poker", wild, steps=100, checkpoint=path)
    saved = read_checkpoint(path)
    assert saved.iteration == 0
    assert all(np.isfinite(array).all() for array in saved.state.values())


def test_games_that_are_not_two_player_constant_sum_are_refused():
    with pytest.raises(UnsupportedGameError, match="two-player constant-sum"):
        train("kuhn_poker(players=3)", SMALL, steps=1)


def test_the_callback_stops_a_run():
    seen = []

    def stop(point):
        seen.append(point.iteration)
        return len(seen) == 3

    run = train("kuhn_poker", SMALL, steps=100, callback=stop).run
    assert (run.outcome, seen) == ("stopped", [1, 2, 3])


def test_without_jax_the_message_has_the_command_that_installs_it(monkeypatch):
    monkeypatch.delitem(sys.modules, "infoset.deep")
    monkeypatch.setitem(sys.modules, "jax", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'infoset\[deep\]'"):
        importlib.import_module("infoset.deep")


@pytest.mark.long
@pytest.mark.parametrize(
    ("game", "steps", "goal"),
    [
        ("goofspiel(num_cards=4,imp_info=True,points_order=descending)", 20_000, 0.15),
        ("leduc_poker", 30_000, 0.6),
    ],
)
def test_larger_games_approach_equilibrium(game, steps, goal):
    assert train(game, steps=steps).run.nash_conv < goal


@pytest.mark.parametrize("build", [True, False])
def test_without_time_no_step_is_done_and_the_result_says_so(build):
    result = train("kuhn_poker", SMALL, seconds=0, build=build)
    assert (result.outcome, result.steps, result.episodes) == ("seconds", 0, 0)
    assert [point.iteration for point in result.trace] == [0]
    first = train("kuhn_poker", SMALL, steps=1)
    initial = result.policy.tabulate(first.run.policy.form)
    assert not np.array_equal(initial.probabilities[0], first.run.policy.probabilities[0])
