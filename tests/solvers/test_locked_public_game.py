"""Locks on public forms, against locked sequence forms and best responses."""

from __future__ import annotations

import re

import numpy as np
import pytest

import infoset
from infoset.errors import (
    CheckpointMismatchError,
    ParameterError,
    PolicyMismatchError,
    UnknownNameError,
    UnsupportedGameError,
)
from infoset.evaluation import evaluate_policy
from infoset.policy import TabularPolicy, random_policy, transfer_policy, uniform_policy
from infoset.regret import SCHEMES
from infoset.runs import Budget, Checkpointing
from infoset.solvers import LockedPublicGame, lock_policy, lock_public_policy
from infoset.solvers.gradient_regret import GradientSolver
from infoset.solvers.regret_family import RegretSolver
from infoset.tree import derive_public_form
from tests.support.cached_games import cached_tree
from tests.support.small_holdem import small_holdem

SPECS = ("kuhn_poker", "leduc_poker", "liars_dice(dice_sides=3)")


def random_locks(spec, seed, share=0.4):
    """Return a public form and locks at some hands and lines, and the same for the tree."""
    rng = np.random.default_rng(seed)
    tree = cached_tree(spec)
    form, policy = derive_public_form(tree), random_policy(tree.sequence_form, rng)
    public = transfer_policy(policy, form)
    by_hand, in_tree = {}, {}
    for player in range(2):
        own = tree.infostate_trees[player]
        infostates = form.tree_infostates[player].reshape(-1, form.num_hands[player])
        for node, here in zip(form.decisions[player].tolist(), infostates.tolist(), strict=True):
            for place, infostate in enumerate(here):
                if infostate >= 0 and rng.random() < share:
                    hand, line = form.hands[player][place], form.label(node)
                    by_hand[hand, line] = public[hand, line]
                    key = (own.label(infostate), player)
                    in_tree[key] = policy[key]
    return form, public, by_hand, tree.sequence_form, policy, in_tree


@pytest.mark.parametrize(
    "spec", [SPECS[0], pytest.param(SPECS[1], marks=pytest.mark.broad), SPECS[2]]
)
def test_values_and_gains_are_those_of_the_locked_sequence_form(spec):
    for seed in range(2):
        form, _, by_hand, sequence_form, _, in_tree = random_locks(spec, seed)
        ours, theirs = lock_policy(form, by_hand), lock_policy(sequence_form, in_tree)
        assert isinstance(ours, LockedPublicGame)
        other = random_policy(sequence_form, np.random.default_rng(seed + 10))
        expected = evaluate_policy(theirs.restrict(other))
        found = ours.evaluate(transfer_policy(other, form))
        assert found.values == pytest.approx(expected.values, abs=1e-12)
        assert found.gains == pytest.approx(expected.gains, abs=1e-12)


@pytest.mark.broad
@pytest.mark.parametrize("spec", SPECS)
def test_locked_games_are_solved(spec):
    form, public, by_hand, sequence_form, _, in_tree = random_locks(spec, 5)
    exact = lock_policy(sequence_form, in_tree).solve("lp", Budget())
    locked = lock_policy(form, by_hand)
    for name in ("cfr+", "dcfr"):
        result = locked.solve(name, Budget(iterations=300))
        assert result.exploitability < 0.02
        assert result.game == f"locked({form.name})"
        low, high = result.security_levels[0], -result.security_levels[1]
        assert low <= exact.values[0] + 1e-9
        assert exact.values[0] <= high + 1e-9
        for hand, line in by_hand:
            assert result.policy[hand, line] == pytest.approx(public[hand, line])
        measured = locked.evaluate(result.policy)
        assert measured.gains == pytest.approx(result.measured.gains, abs=1e-12)


@pytest.mark.parametrize("name", SCHEMES)
def test_without_locks_the_iterates_are_those_of_every_scheme(name):
    # Kuhn poker has ties, which rounding breaks: random locks in another game avoid them.
    form = small_holdem()
    ours = GradientSolver(lock_public_policy(form, {}), SCHEMES[name])
    theirs = RegretSolver(form, SCHEMES[name])
    ours.run(3)
    theirs.run(3)
    assert ours.iteration == theirs.iteration == 3
    for policies in (
        (ours.policy(), theirs.policy()),
        (ours.current_policy(), theirs.current_policy()),
    ):
        values = [evaluate_policy(policy).values for policy in policies]
        assert values[0] == pytest.approx(values[1], abs=1e-9)


def test_an_opponent_locked_everywhere_meets_a_best_response():
    form = small_holdem()
    rng = np.random.default_rng(3)
    fixed = TabularPolicy.from_weights(form, [rng.random(p.num_sequences) for p in form.treeplexes])
    locked = lock_policy(
        form, {form.label(node): fixed.at_node(node) for node in form.decisions[1].tolist()}
    )
    assert locked.treeplexes[1].num_sequences == 1
    result = locked.solve("cfr+", Budget(iterations=300))
    measured = evaluate_policy(fixed)
    best = measured.values[0] + measured.gains[0]
    assert result.values[0] <= best + 1e-12
    assert result.values[0] == pytest.approx(best, abs=1e-3)
    assert result.measured.gains[1] == 0
    assert result.policy.by_hand(1) == pytest.approx(fixed.by_hand(1), abs=1e-15)


def test_lines_lock_all_hands_and_hands_lock_one():
    form = small_holdem()
    locked = lock_public_policy(form, {"k": {"b": 1}, ("AhAd", "k"): {"k": 0.25, "b": 0.75}})
    rows = locked.policy.at_node(form.children[0, "k"])
    aces = form.hands[1].index("AhAd")
    assert rows[:, aces].tolist() == [0.25, 0.75]
    assert (np.delete(rows, aces, axis=1) == [[0.0], [1.0]]).all()
    assert locked.locked[1].sum() == 28
    assert locked.locked[0].sum() == 0


def test_runs_are_resumed_only_with_the_same_locks(tmp_path):
    form = derive_public_form(cached_tree("kuhn_poker"))
    first = lock_public_policy(form, {("J", "(start)"): {"bet": 1.0}})
    second = lock_public_policy(form, {("J", "(start)"): {"pass": 1.0}})
    to = Checkpointing(tmp_path / "run")
    first.solve("cfr+", Budget(iterations=10, checkpoint=to))
    resumed = first.solve("cfr+", Budget(iterations=20, checkpoint=to))
    whole = first.solve("cfr+", Budget(iterations=20))
    for ours, theirs in zip(resumed.policy.probabilities, whole.policy.probabilities, strict=True):
        assert np.array_equal(ours, theirs)
    with pytest.raises(CheckpointMismatchError):
        second.solve("cfr+", Budget(iterations=20, checkpoint=to))


@pytest.mark.parametrize(
    ("behavior", "error", "message"),
    [
        ({"fly": {"k": 1.0}}, UnknownNameError, "line"),
        ({("Zz", "k"): {"k": 1.0}}, UnknownNameError, "player 1 has no hand 'Zz'"),
        ({"k": {"fold": 1.0}}, UnknownNameError, "no action 'fold' at 'k'"),
        ({"k": {"k": 0.5}}, ParameterError, "sum to 1"),
        ({"k": {"k": 2.0, "b": -1.0}}, ParameterError, "not negative"),
        ({"k": np.ones((2, 3))}, ParameterError, "shape (2, 28)"),
        ({"k": {"k": "all"}}, ParameterError, "k="),
        ([], ParameterError, "behavior"),
    ],
)
def test_likely_mistakes(behavior, error, message):
    with pytest.raises(error, match=re.escape(message)):
        lock_policy(small_holdem(), behavior)


def test_methods_and_policies_that_do_not_fit():
    locked = lock_policy(small_holdem(), {})
    with pytest.raises(UnsupportedGameError, match="CFR family"):
        locked.solve("lp", Budget(iterations=1))
    assert "best iterative method" in locked.solve("auto", Budget(iterations=1)).reason
    with pytest.raises(PolicyMismatchError, match="small_holdem"):
        locked.evaluate(uniform_policy(derive_public_form(cached_tree("kuhn_poker"))))
    with pytest.raises(ParameterError, match="float64 on one thread"):
        locked.solve(infoset.solvers.get_method("cfr+", "float32"), Budget(iterations=1))
