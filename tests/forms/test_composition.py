"""Composed transforms: kernels compared with plain sums, probabilities, deviations, ranges."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from infoset.beliefs import part_between
from infoset.evaluation import PublicContinuation
from infoset.forms import (
    GADGET_KINDS,
    add_gadget,
    cut,
    entered_public_form,
    fill_gradient,
    lock_infostates,
)
from infoset.forms._public_payoff_kernels import CONSECUTIVE, LISTED, gather
from infoset.forms.transform import PlanMap, SideEnds, Transform, runs_of
from infoset.games import load_game
from infoset.policy import random_policy
from infoset.resolving import entered_form
from infoset.tree import build_tree
from tests.support.affine_games import AffineGame
from tests.support.cached_games import cached_tree
from tests.support.small_holdem import small_holdem

TRANSFORMS = (
    "cut",
    "fixed cut",
    *(f"{gadget}{where}" for gadget in GADGET_KINDS for where in ("", " of a cut", " of a tree")),
    "resolving of a fixed cut",
    "locked cut",
    "locked resolving",
    "locked max-margin of a tree",
    "locked resolving of a tree",
    "locked locked max-margin",
    "locked resolving of a fixed cut",
)


def random_locked(form, seed):
    rng = np.random.default_rng(seed)
    masks = tuple(rng.random(plex.num_infostates) < 0.3 for plex in form.treeplexes)
    return lock_infostates(form, random_policy(form, rng).probabilities, masks)


@cache
def transformed(name):
    """Return a transform by name: nested, with added terminals, or with values at leaves."""
    if name.startswith("locked "):
        return random_locked(transformed(name.removeprefix("locked ")), 4)
    form, rng = small_holdem(), np.random.default_rng(6)
    part = entered_public_form(form, form.children[0, "k"])
    whole = form if name.endswith("cut") and " of a " not in name else part
    fixed = {node: rng.normal(size=(2, 28)) for node in range(1, whole.num_nodes)}
    values = fixed if "fixed" in name else PublicContinuation(random_policy(whole, rng))
    if whole is form:
        return cut(form, values, depth=2)
    gadget, _, where = name.partition(" of a ")
    if where == "tree":
        part = entered_form(part_between(cached_tree("leduc_poker"), 2))
    elif where:
        part = cut(part, values, depth=4)
    size = 6 if where == "tree" else 28
    own, opponent = rng.random(size), rng.random(size)
    return add_gadget(part, 0, own, opponent, gadget, constant=0.0, is_zero_sum=True)


def by_kernels(form, payoffs, plans, player):
    """Return a gradient [Q] as methods compute it."""
    in_order = tuple(own.to_positions(plan) for own, plan in zip(form.layouts, plans, strict=True))
    gradient = np.empty(len(plans[player]))
    if payoffs.refresh is not None:
        payoffs.refresh(player, in_order)
    fill_gradient(player, payoffs.by_player, in_order, gradient)
    return form.layouts[player].to_sequences(gradient)


@pytest.mark.parametrize("name", TRANSFORMS)
def test_kernels_and_plain_sums_give_the_same_gradients(name):
    """Kernels read one composed transform; `gradient` applies those of a chain one by one."""
    form = transformed(name)
    plans = random_policy(form, np.random.default_rng(7)).realization_plans()
    for player in range(2):
        found = by_kernels(form, form.payoffs(), plans, player)
        assert found == pytest.approx(form.gradient(plans, player), abs=1e-11)
        found = by_kernels(form, form.reach_payoffs(), plans, player)
        assert found == pytest.approx(form.reach_gradient(plans, player), abs=1e-11)


@pytest.mark.parametrize("of_reach", [False, True])
def test_chains_contract_lists_as_one_after_the_other(of_reach):
    """With random weights, scales and added terminals, for three players."""
    rng, sizes = np.random.default_rng(2), (4, 6, 9)

    def any_transform(above, below):
        maps = []
        for size, old in zip(above, below, strict=True):
            last, (weight, scale) = rng.integers(size, size=old), rng.random((2, old))
            last[0], weight[0], scale[0] = 0, 1.0, 1.0  # the empty sequence
            maps.append(PlanMap(last, weight, scale, size))
        player = np.array([0, 1, 2, 1], np.int32)
        sequence = np.array([rng.integers(above[p]) for p in player])
        return Transform(tuple(maps), SideEnds(player, sequence, *rng.random((2, 4, 3))))

    inner, outer = any_transform((3, 4, 5), sizes), any_transform((2, 3, 2), (3, 4, 5))
    rows = np.stack([rng.integers(size, size=20) for size in sizes], axis=1)
    payoff = rng.random((20, 3))
    found = []
    for listed, paid in (
        outer.then(inner).contract(rows, payoff, of_reach),
        outer.contract(*inner.contract(rows, payoff, of_reach), of_reach),
    ):
        found.append(np.zeros((2, 3, 2, 3)))
        np.add.at(found[-1], tuple(listed.T), paid)
    assert found[0] == pytest.approx(found[1], abs=1e-12)


@pytest.mark.parametrize("name", TRANSFORMS)
def test_the_probability_of_all_ends_does_not_depend_on_policies(name):
    form, masses = transformed(name), []
    for seed in range(3):
        plans = random_policy(form, np.random.default_rng(seed)).realization_plans()
        masses += [form.reach_gradient(plans, player) @ plans[player] for player in range(2)]
    assert masses == pytest.approx([masses[0]] * 6, abs=1e-12)
    if "max-margin" in name:  # one terminal for the choice, and one for the play
        assert masses[0] == pytest.approx(2)
    elif "cut" in name and " of a " not in name:
        assert masses[0] == pytest.approx(1)


@pytest.mark.parametrize("gadget", GADGET_KINDS)
def test_deviations_of_returns_are_those_of_all_ends(gadget):
    form = transformed(f"{gadget} of a tree")
    plans = random_policy(form, np.random.default_rng(3)).realization_plans()
    below, ends = form.transform.expand(plans), form.transform.ends
    listed, reach = form.base.terminal_reach
    paid = {
        tuple(row): own
        for row, own in zip(
            form.base.terminal_sequence.tolist(), form.base.payoff.tolist(), strict=True
        )
    }
    for player in range(2):
        chances, returns = [], []
        for row, chance in zip(listed.tolist(), reach.tolist(), strict=True):
            chances.append(chance * below[0][row[0]] * below[1][row[1]])
            returns.append(paid.get(tuple(row), (0.0, 0.0))[player] / chance)
        for end, decider in enumerate(ends.player.tolist()):
            chances.append(ends.reach[end, player] * plans[decider][ends.sequence[end]])
            returns.append(ends.utility[end, player])
        chances, returns = np.array(chances), np.array(returns)
        expected = np.sqrt(chances @ (returns - chances @ returns) ** 2)
        assert form.payoff_deviation(plans, player) == pytest.approx(expected, abs=1e-9)


def test_ranges_of_payoffs_include_added_ends():
    part = entered_public_form(small_holdem(), 1)
    form = add_gadget(part, 0, np.ones(28), np.linspace(-50, 100, 28))
    assert form.payoff_range == (-100, 100)
    assert form.payoff_width == 150


def test_contractions_of_locked_forms_know_their_rounding_and_their_centers():
    form = build_tree(AffineGame(load_game("kuhn_poker"), shift=(7.0, -7.0))).sequence_form
    contracted = random_locked(form, 3).to_sequence_form()
    assert contracted.payoff_rounding > form.payoff_rounding
    assert contracted.centered.payoff_range == form.centered.payoff_range


def random_indices(rng):
    """Return indices of which some runs are equal or consecutive, and others jump."""
    parts = []
    for _ in range(rng.integers(1, 12)):
        first, size = rng.integers(40), rng.integers(1, 30)
        step = rng.integers(3)
        part = rng.integers(80, size=size) if step == 2 else first + step * np.arange(size)
        parts.append(part)
    return np.concatenate(parts).astype(np.uint32)


@pytest.mark.parametrize("seed", range(20))
def test_kernels_read_runs_of_indices_as_if_all_were_listed(seed):
    rng = np.random.default_rng(seed)
    index = random_indices(rng)
    runs = runs_of(index)
    assert runs[0, 0] == 0
    assert runs[-1, 0] == len(index)
    assert (np.diff(runs[:, 0]) > 0).all()
    factor, values = rng.normal(size=len(index)), rng.normal(size=80)
    begin, end = np.sort(rng.integers(len(index) + 1, size=2)).tolist()
    found, expected = np.zeros((2, len(index)))
    gather(runs, index, factor, values, found, begin, end)
    expected[begin:end] = (factor * values[index])[begin:end]
    assert found.tolist() == expected.tolist()


def test_long_runs_are_not_listed():
    index = np.array([5, *[7] * 20, *range(30, 50), 3, 4], np.uint32)
    begins, kinds = [0, 22, 41, 43], [LISTED, CONSECUTIVE, LISTED, LISTED]
    assert runs_of(index).tolist() == [[*run] for run in zip(begins, kinds, strict=True)]
