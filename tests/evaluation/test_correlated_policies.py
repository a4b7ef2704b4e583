"""Correlated policies: sampling, play, evaluation and files."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infoset.errors import ParameterError, PolicyFileError, PolicyMismatchError
from infoset.evaluation import (
    CorrelatedPolicy,
    evaluate_cce,
    expected_values,
    load_correlated_policy,
    save_correlated_policy,
)
from infoset.game import initial_history, play_out
from infoset.games import matrix_game
from infoset.matches import play_matches
from infoset.matches.game_matches import make_chooser
from infoset.policy import (
    TabularPolicy,
    load_policy,
    random_policy,
    read_metadata,
    save_policy,
    uniform_policy,
)
from infoset.tree import build_tree
from infoset.utils.checksums import with_checksum
from tests.support.cached_games import cached_tree
from tests.support.hypothesis_strategies import random_games


def three_policies(form):
    return tuple(random_policy(form, np.random.default_rng(seed)) for seed in range(3))


@pytest.fixture(scope="module")
def tree():
    return cached_tree("kuhn_poker(players=3)")


@pytest.fixture(scope="module")
def joint(tree):
    return CorrelatedPolicy(three_policies(tree.sequence_form), (1.0, 0.0, 3.0))


def test_it_is_measured_as_joint_play_and_as_plans(joint):
    found = joint.evaluate()
    assert found == evaluate_cce(joint.policies, joint.weights)
    by_hand = np.average(
        [expected_values(policy) for policy in joint.policies], axis=0, weights=joint.weights
    )
    assert found.values == pytest.approx(by_hand, abs=1e-12)
    assert joint.distribution().evaluate().gains == pytest.approx(found.gains, abs=1e-12)


def test_policies_are_drawn_by_their_weights(joint):
    rng = np.random.default_rng(1)
    drawn = [joint.policies.index(joint.draw(rng)) for _ in range(2000)]
    counts = np.bincount(drawn, minlength=3)
    assert counts[1] == 0
    assert abs(counts[2] / 2000 - 0.75) < 4 * (0.75 * 0.25 / 2000) ** 0.5


def test_numbers_draw_whole_stretches_of_the_unit_interval(joint):
    numbers = np.array([0, 0.2499, 0.25, 0.9, np.nextafter(1, 0)])
    assert joint.drawn_indices(numbers).tolist() == [0, 0, 2, 2, 2]


def test_the_last_stretch_is_never_of_weight_zero():
    form = build_tree(matrix_game([[1, -1], [-1, 1]])).sequence_form
    policies = (uniform_policy(form), uniform_policy(form))
    joint = CorrelatedPolicy(policies, (1e-320, 0.0))
    assert joint.drawn_indices(np.array([np.nextafter(1, 0)])).tolist() == [0]


def coordination(right_pays=1):
    """Return a coordination game, and joint play that mixes its two pure equilibria."""
    payoffs = [[1, 0], [0, right_pays]]
    tree = build_tree(matrix_game(payoffs, payoffs))
    form = tree.sequence_form
    left, right = np.array([1.0, 1, 0]), np.array([1.0, 0, 1])
    both = (
        TabularPolicy(form, (left.copy(), left.copy())),
        TabularPolicy(form, (right.copy(), right.copy())),
    )
    return tree, CorrelatedPolicy(both, (1.0, 1.0))


@pytest.mark.parametrize("representation", ["tree", "rules"])
def test_all_players_of_a_deal_follow_the_same_draw(representation):
    """With a common draw players always coordinate; with independent draws half of the time."""
    tree, joint = coordination()
    played = tree if representation == "tree" else tree.game
    assert play_matches(played, joint, joint, num_deals=50).mean == 1
    assert play_matches(played, joint, None, num_deals=400).mean == pytest.approx(0.5, abs=0.1)


@pytest.mark.parametrize("representation", ["tree", "rules"])
def test_each_deal_draws_a_new_policy(representation):
    """Half of the deals use the policy that pays 1, and half the policy that pays 0."""
    tree, joint = coordination(right_pays=0)
    played = tree if representation == "tree" else tree.game
    found = play_matches(played, joint, joint, num_deals=400)
    assert found.mean == pytest.approx(0.5, abs=0.1)
    assert found.standard_error == pytest.approx(0.5 / 400**0.5, rel=0.05)


@pytest.mark.parametrize(("representation", "num_deals"), [("tree", 40_000), ("rules", 150)])
def test_matches_estimate_values_and_what_deviating_earns(tree, joint, representation, num_deals):
    played = tree if representation == "tree" else tree.game
    deviation = random_policy(tree.sequence_form, np.random.default_rng(9))
    tolerance = 4 * 6 / 2 / num_deals**0.5
    kept = play_matches(played, joint, joint, num_deals=num_deals, seed=3)
    assert kept.position_means == pytest.approx(joint.evaluate().values, abs=tolerance)
    left = play_matches(played, deviation, joint, num_deals=num_deals, seed=3)
    exact = [
        np.average(
            [
                expected_values(policy.replace_player(seat, deviation))[seat]
                for policy in joint.policies
            ],
            weights=joint.weights,
        )
        for seat in range(3)
    ]
    assert left.position_means == pytest.approx(exact, abs=tolerance)


def test_a_custom_loop_draws_once_per_episode(tree, joint):
    rng = np.random.default_rng(2)
    utilities = []
    for _ in range(600):
        drawn = joint.draw(rng)
        end = play_out(initial_history(tree.game), [make_chooser(drawn, rng)] * 3, rng)
        utilities.append(end.rewards_so_far)
    assert np.mean(utilities, axis=0) == pytest.approx(joint.evaluate().values, abs=0.25)


def test_invalid_arguments():
    form = cached_tree("kuhn_poker").sequence_form
    other = cached_tree("kuhn_poker(players=3)").sequence_form
    with pytest.raises(ParameterError, match="nonnegative weight"):
        CorrelatedPolicy((uniform_policy(form),), (1.0, 1.0))
    with pytest.raises(ParameterError, match="positive weight"):
        CorrelatedPolicy((uniform_policy(form),), (0.0,))
    with pytest.raises(PolicyMismatchError, match="for the same game"):
        CorrelatedPolicy((uniform_policy(form), uniform_policy(other)), (1.0, 1.0))


@given(game=random_games(), seed=st.integers(0, 2**32))
def test_round_trip_to_the_bit(tmp_path_factory, game, seed):
    form = build_tree(game).sequence_form
    rng = np.random.default_rng(seed)
    policies = tuple(random_policy(form, rng) for _ in range(3))
    before = CorrelatedPolicy(policies, tuple(rng.random(3).tolist()))
    path = tmp_path_factory.mktemp("correlated") / "c.parquet"
    save_correlated_policy(before, path, {"method": "ixomd"})
    after = load_correlated_policy(path, form)
    assert after.weights == before.weights
    for one, other in zip(before.policies, after.policies, strict=True):
        for wrote, read in zip(one.probabilities, other.probabilities, strict=True):
            assert np.array_equal(wrote, read)


def test_other_tools_can_read_the_table(joint, tmp_path):
    path = tmp_path / "joint.parquet"
    save_correlated_policy(joint, path)
    table = pq.read_table(path)
    assert table.column_names == ["player", "infostate", "action", "probabilities"]
    first = table.slice(0, 1).to_pylist()[0]
    expected = [policy.probabilities[0][1] for policy in joint.policies]
    assert first["probabilities"] == expected


def test_errors_for_the_other_kind_of_file_name_the_kind(tree, joint, tmp_path):
    form = tree.sequence_form
    correlated, single = tmp_path / "joint.parquet", tmp_path / "single.parquet"
    save_correlated_policy(joint, correlated)
    save_policy(joint.policies[0], single)
    with pytest.raises(PolicyFileError, match="is a correlated policy: read it with"):
        load_policy(correlated, form)
    assert read_metadata(correlated)["weights"] == list(joint.weights)
    with pytest.raises(PolicyFileError, match="is a single policy: read it with"):
        load_correlated_policy(single, form)
    with pytest.raises(ParameterError, match="save_policy"):
        save_correlated_policy(joint.policies[0], correlated)


def test_files_of_another_game_and_damaged_ones(tree, joint, tmp_path):
    path = tmp_path / "joint.parquet"
    save_correlated_policy(joint, path)
    with pytest.raises(PolicyMismatchError, match=r"holds a policy for kuhn_poker\(players=3\)"):
        load_correlated_policy(path, cached_tree("kuhn_poker").sequence_form)
    save_correlated_policy(CorrelatedPolicy(joint.policies, (1.0, 1.0, 1.0)), path)
    whole = pq.read_table(path)
    about = json.loads(whole.schema.metadata[b"infoset"])
    del about["sha256"]
    for weights, message in (
        ([1.0, 1.0], r"'probabilities' of .* type double\[3\], .* type double\[2\]"),
        ([1.0, 1.0, -1.0], "does not contain a correlated policy"),
    ):
        changed = json.dumps(with_checksum({**about, "weights": weights})).encode()
        pq.write_table(whole.replace_schema_metadata({b"infoset": changed}), path)
        with pytest.raises(PolicyFileError, match=message):
            load_correlated_policy(path, tree.sequence_form)
    rows = [[row[0] / 2, *row[1:]] for row in whole.column("probabilities").to_pylist()]
    kind = whole.column("probabilities").type
    table = whole.set_column(3, "probabilities", pa.array(rows, kind))
    pq.write_table(table.replace_schema_metadata(whole.schema.metadata), path)
    with pytest.raises(PolicyFileError, match="does not match its checksum"):
        load_correlated_policy(path, tree.sequence_form)
