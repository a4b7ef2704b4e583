"""Policies of runs, which keep weights: the same numbers as policies that keep probabilities."""

import numpy as np
import pytest

import infoset
from infoset.errors import ParameterError
from infoset.evaluation import evaluate_policy
from infoset.policy import TabularPolicy, save_policy
from infoset.policy.stored_policy import StoredPolicy
from infoset.regret import SCHEMES, RegretMinimizer
from infoset.solvers import average_policy, current_policy
from infoset.solvers.regret_family import RegretSolver

RIVER = "nolimit_endgame(board=Ks9d8h4s2c,ranges=['TT+,AK';'QQ,JTs,54s'])"


@pytest.fixture(scope="module", params=[RIVER, "leduc_poker"])
def form(request):
    return infoset.build_public_form(request.param)


@pytest.fixture(params=["float64", "float32"])
def minimizer(request, form):
    made = RegretMinimizer(form, SCHEMES["dcfr"], request.param)
    made.run(20)
    return made


def both(minimizer):
    """Return the average policy of a minimizer, and a policy that keeps its probabilities."""
    plain = TabularPolicy.from_weights(minimizer.form, minimizer.average_plans())
    return average_policy(minimizer), plain


def test_probabilities_are_those_of_the_plans(minimizer):
    stored, plain = both(minimizer)
    assert isinstance(stored, StoredPolicy)
    assert stored.digest == plain.digest
    assert "probabilities" not in vars(stored)
    for player in range(2):
        np.testing.assert_array_equal(stored.by_hand(player), plain.by_hand(player))
        np.testing.assert_array_equal(
            stored.realization_plan(player), plain.realization_plan(player)
        )
        np.testing.assert_array_equal(stored.probabilities[player], plain.probabilities[player])
        assert not stored.probabilities[player].flags.writeable
    last = TabularPolicy.from_weights(minimizer.form, minimizer.current_probabilities())
    assert current_policy(minimizer).digest == last.digest


def test_numbers_are_computed_without_all_probabilities(minimizer, tmp_path):
    stored, plain = both(minimizer)
    form = minimizer.form
    for node in form.decisions[1].tolist():
        np.testing.assert_array_equal(stored.at_node(node), plain.at_node(node))
    for player, plex in enumerate(form.treeplexes):
        numbers = {0, plex.num_infostates // 2, plex.num_infostates - 1}
        for infostate in (form.infostate_at(player, number) for number in numbers):
            legal = form.actions_at(player, form.find(infostate))[::-1]
            np.testing.assert_array_equal(
                stored.action_probabilities(infostate, legal),
                plain.action_probabilities(infostate, legal),
            )
            key = str(infostate), player
            assert stored[key] == plain[key]
    assert evaluate_policy(stored) == evaluate_policy(plain)
    save_policy(stored, tmp_path / "stored.parquet")
    save_policy(plain, tmp_path / "plain.parquet")
    assert (tmp_path / "stored.parquet").read_bytes() == (tmp_path / "plain.parquet").read_bytes()
    assert "probabilities" not in vars(stored)


def test_later_iterations_do_not_change_a_policy(minimizer):
    stored = average_policy(minimizer)
    before = stored.digest
    minimizer.run(5)
    assert stored.digest == before != average_policy(minimizer).digest


@pytest.mark.parametrize("scheme", ["apcfr+", "cfr", "dcfr+"])
@pytest.mark.parametrize("threads", [1, 2])
def test_measuring_changes_no_iteration(form, scheme, threads):
    """An evaluation uses the memory of the plans, which are computed again."""
    measured, plain = (RegretSolver(form, SCHEMES[scheme], "float32", threads) for _ in range(2))
    plain.run(9)
    for _ in range(3):
        measured.run(3)
        assert measured.evaluate() == evaluate_policy(measured.policy())
    for name, array in plain.state().items():
        np.testing.assert_array_equal(measured.state()[name], array, name)
    policies = plain.policy(), plain.current_policy()
    measured.finish()
    assert measured.policy().digest == policies[0].digest
    assert measured.current_policy().digest == policies[1].digest


def test_weights_that_are_no_policy_are_refused(form):
    sizes = [layout.num_sequences for layout in form.layouts]
    for number in (-1.0, np.nan, np.inf):
        weights = tuple(np.ones(size, np.float32) for size in sizes)
        weights[1][5] = number
        with pytest.raises(ParameterError, match="player 1 has the weight"):
            StoredPolicy(form, weights)


def test_weights_of_zero_are_uniform(form):
    uniform = infoset.uniform_policy(form)
    stored = StoredPolicy.uniform(form)
    assert stored.digest == uniform.digest
    assert evaluate_policy(stored) == evaluate_policy(uniform)
