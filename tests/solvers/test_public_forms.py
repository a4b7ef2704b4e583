"""The CFR family on public forms: the iterates of the sequence form, budgets and checkpoints."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

import infoset
from infoset.errors import CheckpointMismatchError, ParameterError
from infoset.evaluation import evaluate_plans, evaluate_policy
from infoset.forms import public_gradient, public_payoffs, split_public_payoffs
from infoset.policy import TabularPolicy, transfer_policy
from infoset.regret import SCHEMES, RegretMinimizer
from infoset.runs import Budget
from infoset.solvers.regret_family import RegretMethod
from infoset.tree import build_tree, derive_public_form
from tests.support.cached_games import cached_tree
from tests.support.random_public_games import RandomPublicGame

pytestmark = pytest.mark.broad

PAIRS = [
    *product(("random",), SCHEMES),
    *product(("leduc_poker",), ("cfr", "apcfr+")),
]


def forms(spec):
    tree = build_tree(RandomPublicGame(7)) if spec == "random" else cached_tree(spec)
    return derive_public_form(tree), tree.sequence_form


def without_ties(form, sequence_form, seed):
    """Return both forms with generic payoffs: random utilities for every outcome or terminal.

    At a tie, rounding decides which regrets are positive, and it differs between the forms.
    """
    rng = np.random.default_rng(seed)
    ends = form.terminals
    payoff = rng.normal(size=ends.payoff.shape)
    public = replace(form, terminals=replace(ends, payoff=payoff))
    matrices = [
        public.payoff_matrix(terminal, player)
        for player in range(2)
        for terminal in range(len(ends))
    ]
    in_tree = [sequence_in_tree(form, sequence_form, player) for player in range(2)]
    rows, values = [], []
    for terminal, sequences in enumerate(form.terminal_sequence.tolist()):
        for first in range(form.num_hands[0]):
            for second in range(form.num_hands[1]):
                row = [
                    in_tree[p].get(
                        form.sequences[p].start[sequences[p]]
                        + form.sequences[p].stride[sequences[p]] * hand,
                        -1,
                    )
                    for p, hand in enumerate((first, second))
                ]
                value = [matrices[p * len(ends) + terminal][first, second] for p in range(2)]
                if any(value):
                    rows.append(row)
                    values.append(value)
    assert min(map(min, rows)) >= 0
    expected = replace(
        sequence_form,
        terminal_sequence=np.array(rows, np.int32),
        payoff=np.array(values),
        constant_sum=None,
        centered_payoffs=None,
    )
    return public, expected


def sequence_in_tree(form, sequence_form, player):
    tree, plex = sequence_form.infostate_trees[player], form.treeplexes[player]
    found = {0: 0}
    for place, infostate in enumerate(form.tree_infostates[player].tolist()):
        for step in range(plex.num_actions[place] if infostate >= 0 else 0):
            found[int(plex.first_sequence[place]) + step] = (
                int(tree.first_sequence[infostate]) + step
            )
    return found


@pytest.mark.parametrize(("spec", "name"), PAIRS)
def test_iterates_equal_those_on_the_sequence_form(spec, name):
    public, expected = without_ties(*forms(spec), 1)
    ours, theirs = RegretMinimizer(public, SCHEMES[name]), RegretMinimizer(expected, SCHEMES[name])
    for _ in range(3):
        ours.run(1)
        theirs.run(1)
        for found, wanted in (
            (ours.current_probabilities(), theirs.current_probabilities()),
            (ours.average_plans(), theirs.average_plans()),
        ):
            mine = transfer_policy(TabularPolicy.from_weights(public, found), expected)
            other = TabularPolicy.from_weights(expected, wanted)
            for a, b in zip(mine.probabilities, other.probabilities, strict=True):
                assert np.abs(a - b).max() < 1e-9


@pytest.mark.parametrize(
    ("spec", "method", "at_100", "at_1000"),
    [
        ("kuhn_poker", "cfr+", 1.19e-3, 8.74e-5),
        ("leduc_poker", "cfr", 9.572e-2, 1.18e-2),
        ("leduc_poker", "cfr+", 1.3416e-2, 2.53e-4),
        ("leduc_poker", "cfr+-simultaneous", 0.044, 0.0069),
        ("liars_dice(dice_sides=6)", "cfr+", 4.91e-3, 1.27e-4),
    ],
)
def test_reference_curves(spec, method, at_100, at_1000):
    """The exploitability of an independent implementation on the sequence form."""
    form = derive_public_form(cached_tree(spec))
    result = infoset.solve(form, method, iterations=100)
    assert result.exploitability == pytest.approx(at_100, rel=0.02)
    result = infoset.solve(form, method, iterations=1000)
    assert result.exploitability == pytest.approx(at_1000, rel=0.1)


def test_the_result_is_measured_on_both_forms():
    form, sequence_form = forms("leduc_poker")
    result = infoset.solve(form, "dcfr", target="0.1%")
    assert result.outcome == "converged"
    in_tree = evaluate_policy(transfer_policy(result.policy, sequence_form))
    assert result.measured.nash_conv == pytest.approx(in_tree.nash_conv, abs=1e-12)
    assert result.security_levels == pytest.approx(in_tree.security_levels, abs=1e-11)
    low, high = result.security_levels[0], -result.security_levels[1]
    assert low <= -0.0856064240780 <= high
    assert infoset.evaluate(result) == infoset.evaluate(result.policy) == result.measured
    assert result.summary()["payoff_width"] == 26
    assert [point.iteration for point in result.trace[:3]] == [1, 2, 3]


@pytest.mark.parametrize("precision", ["float64", "float32"])
def test_measurements_need_no_policy_and_have_the_same_bits(precision):
    form = forms("leduc_poker")[0]
    method, seen = RegretMethod(SCHEMES["pcfr+"], precision), []
    with_policies = method.run(
        form, Budget(iterations=20, policy_callback=lambda policy: seen.append(policy))
    )
    without = method.run(form, Budget(iterations=20))
    assert len(seen) == len(without.trace)
    errors = [point.exploitability for point in without.trace]
    assert errors == [point.exploitability for point in with_policies.trace]
    assert errors == [evaluate_policy(policy).exploitability for policy in seen]
    plans = without.policy.realization_plans()
    by_sequence = evaluate_plans(form, plans)
    assert without.measured.gains == pytest.approx(by_sequence.gains, abs=1e-13)
    assert without.measured.values == pytest.approx(by_sequence.values, abs=1e-13)


def test_auto_runs_the_cfr_family_and_says_so():
    result = infoset.solve(forms("liars_dice(dice_sides=3)")[0], iterations=20)
    assert result.method == "sapdcfr+"
    assert "lp needs the matrix of payoffs, which public forms do not list" in result.reason
    many = infoset.solve("kuhn_poker(num_cards=60)", iterations=5, form="public")
    assert many.method == "dcfr+"
    assert "with many hands" in many.reason


@pytest.mark.parametrize("threads", [2, 3, 8])
@pytest.mark.parametrize("name", ["cfr+", "cfr+-simultaneous", "apcfr+"])
@pytest.mark.parametrize("spec", ["leduc_poker", "liars_dice(dice_sides=4)", "random"])
def test_threads_give_the_same_bits(spec, name, threads):
    form = forms(spec)[0]
    alone, shared = (RegretMinimizer(form, SCHEMES[name], threads=n) for n in (1, threads))
    alone.run(7)
    shared.run(7)
    for key, array in alone.state().items():
        assert np.array_equal(shared.state()[key], array), key


def test_parts_of_payoffs_fill_their_ranges():
    form = forms("leduc_poker")[0]
    whole = public_payoffs(form, 0, form.layouts)
    parts = split_public_payoffs(whole, 3)
    sizes = [len(part.own_start) for part in parts]
    assert sum(sizes) == len(whole.own_start)
    assert max(sizes) < 0.5 * sum(sizes)
    plan, expected = np.random.default_rng(1).random(whole.filled[1]), np.zeros(whole.filled[1])
    public_gradient(whole, plan, expected)
    for order in (parts, parts[::-1]):
        together = np.full_like(expected, np.nan)
        for part in order:
            public_gradient(part, plan, together)
        assert np.array_equal(together, expected)


def test_single_precision():
    form = forms("leduc_poker")[0]
    result = infoset.solve(form, "dcfr", precision="float32", iterations=300)
    assert result.method == "dcfr (float32)"
    reference = infoset.solve(form, "dcfr", iterations=300)
    assert result.exploitability == pytest.approx(reference.exploitability, rel=0.3)
    huge = replace(form, terminals=replace(form.terminals, payoff=form.terminals.payoff * 1e60))
    with pytest.raises(ParameterError, match="float32 represents numbers"):
        RegretMinimizer(huge, SCHEMES["dcfr"], "float32")


@pytest.mark.parametrize("name", ["cfr+", "apcfr+", "hs-dcfr"])
def test_resumed_runs_have_the_same_bits(tmp_path, name):
    form = forms("leduc_poker")[0]
    file = tmp_path / "run"
    whole = infoset.solve(form, replace(SCHEMES[name], name="mine", horizon=40), iterations=40)
    stops = iter([False] * 12 + [True])
    scheme = replace(SCHEMES[name], name="mine", horizon=40)
    cut = infoset.solve(
        form, scheme, iterations=40, checkpoint=file, callback=lambda point: next(stops)
    )
    assert cut.outcome == "stopped"
    resumed = infoset.solve(form, scheme, iterations=40, checkpoint=file)
    assert resumed.policy.digest == whole.policy.digest
    assert [p.nash_conv for p in resumed.trace] == [p.nash_conv for p in whole.trace]
    with pytest.raises(CheckpointMismatchError):
        infoset.solve(
            derive_public_form(cached_tree("kuhn_poker")), scheme, iterations=40, checkpoint=file
        )
