"""Locked, cut and gadget games as forms: against contractions, trees, and one another."""

from __future__ import annotations

import re
from functools import partial

import numpy as np
import pytest

import infoset
from infoset.errors import (
    CheckpointMismatchError,
    ParameterError,
    UnknownNameError,
    UnsupportedGameError,
)
from infoset.evaluation import PublicContinuation, evaluate_plans, evaluate_policy
from infoset.forms import (
    GADGET_KINDS,
    add_gadget,
    cut,
    entered_public_form,
    lock,
    lock_infostates,
    pair_gradient,
)
from infoset.policy import (
    TabularPolicy,
    complete_policy,
    load_behavior,
    random_policy,
    restrict_policy,
    transfer_policy,
)
from infoset.regret import SCHEMES, RegretMinimizer
from infoset.regret._cfr_kernels import iterate
from infoset.tree import derive_public_form
from tests.support.cached_games import cached_tree
from tests.support.measured import assert_same_values
from tests.support.small_holdem import small_holdem

MERGED = (
    "nolimit_endgame(board=Ks9s8s4h,pot=100,stack=100,bets='50%,a',max_raises=1,"
    "ranges='AdAc,AhAd,AhAc,QdQc,7d6d,7c6c')"
)
"""A turn with suits that can be exchanged."""

SPECS = ("kuhn_poker", "leduc_poker", "liars_dice(dice_sides=3)")


def random_masks(form, rng, share=0.4):
    return tuple(rng.random(plex.num_infostates) < share for plex in form.treeplexes)


def random_locked(form, seed, share=0.4):
    rng = np.random.default_rng(seed)
    policy = random_policy(form, rng)
    return lock_infostates(form, policy.probabilities, random_masks(form, rng, share))


def locked_pair(tree, seed, share=0.4):
    """Return a locked sequence form, and the public form with the same locks."""
    rng = np.random.default_rng(seed)
    form = derive_public_form(tree)
    policy = random_policy(tree.sequence_form, rng)
    held = random_masks(tree.sequence_form, rng, share)
    keys = [
        (label, player)
        for player in range(2)
        for label, locked in zip(
            tree.sequence_form.infostate_labels(player), held[player].tolist(), strict=True
        )
        if locked
    ]
    of_tree = lock(tree.sequence_form, {key: policy[key] for key in keys})
    masks = []
    for player in range(2):
        number = form.tree_infostates[player]
        acting = tree.infostate_trees[player].acting
        place = np.searchsorted(acting, np.maximum(number, 0))
        masks.append((number >= 0) & held[player][np.minimum(place, len(acting) - 1)])
    public = transfer_policy(policy, form)
    return of_tree, lock_infostates(form, public.probabilities, (masks[0], masks[1]))


@pytest.mark.parametrize(
    "spec", ["kuhn_poker", "kuhn_poker(players=3)", "liars_dice(dice_sides=3)", "matrix_bos"]
)
def test_a_locked_sequence_form_is_its_contraction(spec):
    """Zero-sum and general-sum games of two players, and a game of three."""
    form = cached_tree(spec).sequence_form
    for seed in range(3):
        locked = random_locked(form, seed)
        contracted = locked.to_sequence_form()
        policy = random_policy(locked, np.random.default_rng(seed))
        same = TabularPolicy(contracted, policy.probabilities)
        assert_same_values(evaluate_policy(policy), evaluate_policy(same))
        plans = policy.realization_plans()
        for player in range(form.num_players):
            ours, theirs = locked.gradient(plans, player), contracted.gradient(plans, player)
            assert np.abs(ours - theirs).max() < 1e-12
            reach = locked.counterfactual_reach(plans, player)
            assert reach == pytest.approx(contracted.counterfactual_reach(plans, player))
        whole = evaluate_policy(complete_policy(policy))
        assert whole.values == pytest.approx(evaluate_policy(policy).values, abs=1e-12)


@pytest.mark.parametrize("spec", SPECS[1:])
@pytest.mark.parametrize("scheme", ["cfr+", "dcfr"])
def test_iterates_on_locked_forms_are_those_of_the_contraction(spec, scheme):
    form = cached_tree(spec).sequence_form
    locked = random_locked(form, 3)
    runs = [RegretMinimizer(own, SCHEMES[scheme]) for own in (locked, locked.to_sequence_form())]
    for iterations in (1, 9, 90):
        for run in runs:
            run.run(iterations)
        for ours, theirs in zip(*(run.average_plans() for run in runs), strict=True):
            assert np.abs(ours - theirs).max() < 1e-12


@pytest.mark.parametrize("spec", SPECS)
def test_locked_public_forms_are_locked_sequence_forms(spec):
    for seed in range(2):
        of_tree, public = locked_pair(cached_tree(spec), seed)
        policy = random_policy(of_tree.base, np.random.default_rng(seed + 10))
        ours = restrict_policy(public, transfer_policy(policy, public.base))
        theirs = restrict_policy(of_tree, policy)
        assert_same_values(evaluate_policy(ours), evaluate_policy(theirs))
        assert_same_values(evaluate_plans(public, ours.realization_plans()), evaluate_policy(ours))
        assert public.payoff_scale == pytest.approx(of_tree.payoff_scale, rel=1e-9)


@pytest.mark.parametrize("precision", ["float64", pytest.param("float32", marks=pytest.mark.broad)])
def test_transforms_have_the_same_bits_with_threads(precision):
    form = small_holdem()
    policy = random_policy(form, np.random.default_rng(1))
    values = {node: (np.ones(28), np.arange(28.0)) for node in range(1, form.num_nodes)}
    part = entered_public_form(form, form.children[0, "k"])
    games = [
        random_locked(form, 2),
        random_locked(random_locked(form, 2), 3),
        cut(form, values, depth=2),
        cut(form, PublicContinuation(policy), depth=2),
        *(add_gadget(part, 1, np.ones(28), np.ones(28), kind) for kind in GADGET_KINDS),
        random_locked(cached_tree("leduc_poker").sequence_form, 2),
    ]
    for game in games:
        first, *others = [
            RegretMinimizer(game, SCHEMES["cfr+"], precision, threads) for threads in (1, 2, 3)
        ]
        for run in (first, *others):
            run.run(4)
        for other in others:
            assert all(map(np.array_equal, first.average_plans(), other.average_plans()))


def test_transforms_need_no_further_specialization():
    form = small_holdem()
    part = entered_public_form(form, form.children[0, "k"])
    RegretMinimizer(form, SCHEMES["cfr+"]).run(1)
    before = len(iterate.signatures)
    values = {node: (np.ones(28), np.ones(28)) for node in range(1, form.num_nodes)}
    for game in (
        random_locked(form, 2),
        cut(form, values, depth=2),
        add_gadget(part, 1, np.ones(28), np.ones(28)),
    ):
        RegretMinimizer(game, SCHEMES["cfr+"]).run(1)
    assert len(iterate.signatures) == before


def test_a_lock_of_a_lock_locks_both():
    form = derive_public_form(cached_tree("leduc_poker"))
    rng = np.random.default_rng(0)
    policy, masks = random_policy(form, rng), random_masks(form, rng, 0.5)
    once = lock_infostates(form, policy.probabilities, masks)
    half = tuple(own & (rng.random(len(own)) < 0.5) for own in masks)
    outer = lock_infostates(form, policy.probabilities, half)
    rest = tuple(own[~first] for own, first in zip(masks, half, strict=True))
    twice = lock_infostates(outer, outer.restrict(policy.probabilities), rest)
    own = random_policy(once, rng)
    same = TabularPolicy(twice, own.probabilities)
    assert_same_values(evaluate_policy(same), evaluate_policy(own))
    assert complete_policy(same).probabilities[0] == pytest.approx(
        complete_policy(own).probabilities[0]
    )


@pytest.mark.parametrize("name", SCHEMES)
def test_without_locks_iterates_are_those_of_the_form(name):
    form = small_holdem()
    runs = [RegretMinimizer(own, SCHEMES[name]) for own in (lock(form, {}), form)]
    for run in runs:
        run.run(3)
    for read in (RegretMinimizer.average_plans, RegretMinimizer.current_probabilities):
        for ours, theirs in zip(*map(read, runs), strict=True):
            assert np.abs(ours - theirs).max() < 1e-12


def test_linear_programs_need_the_list_of_payoffs():
    locked = lock(small_holdem(), {"k": {"b": 1.0}})
    with pytest.raises(UnsupportedGameError, match="sequence form"):
        infoset.solve(locked, "lp")
    assert infoset.solve(locked, "auto", iterations=1).method != "lp"


def test_lines_lock_all_hands_and_hands_lock_one():
    form = small_holdem()
    locked = lock(form, {"k": {"b": 1}, ("AhAd", "k"): {"k": 0.25, "b": 0.75}})
    policy = complete_policy(infoset.uniform_policy(locked))
    rows = policy.at_node(form.children[0, "k"])
    aces = form.hands[1].index("AhAd")
    assert rows[:, aces].tolist() == [0.25, 0.75]
    assert (np.delete(rows, aces, axis=1) == [[0.0], [1.0]]).all()
    assert [own.sum() for own in locked.locked] == [0, 28]
    with pytest.raises(UnknownNameError, match="no choice"):
        locked.look_up(("AhAd", "k"))


def test_an_opponent_locked_everywhere_meets_a_best_response():
    form = small_holdem()
    fixed = random_policy(form, np.random.default_rng(3))
    locked = lock(form, {form.label(v): fixed.at_node(v) for v in form.decisions[1].tolist()})
    assert locked.treeplexes[1].num_sequences == 1
    result = infoset.solve(locked, "cfr+", iterations=300)
    measured = evaluate_policy(fixed)
    assert result.values[0] == pytest.approx(measured.values[0] + measured.gains[0], abs=1e-3)
    assert result.policy.by_hand(1) == pytest.approx(fixed.by_hand(1), abs=1e-15)
    assert result.policy.form is form
    assert result.game == "locked(small_holdem)"


@pytest.mark.long
@pytest.mark.parametrize(
    "method", ["cfr", "dcfr+", "xfp", "rtcfr+", "reg-cfr", "egt", "mmd", "rnad", "cfr-br"]
)
def test_methods_run_on_locked_public_forms(method):
    of_tree, public = locked_pair(cached_tree("kuhn_poker"), 4, share=0.3)
    exact = infoset.solve(of_tree, "lp")
    result = infoset.solve(public, method, iterations=300)
    low, high = result.security_levels[0], -result.security_levels[1]
    assert low - 1e-9 <= exact.values[0] <= high + 1e-9
    assert result.exploitability < 0.05


def test_runs_are_resumed_only_with_the_same_locks(tmp_path):
    form = derive_public_form(cached_tree("kuhn_poker"))
    first = lock(form, {("J", "(start)"): {"bet": 1.0}})
    second = lock(form, {("J", "(start)"): {"pass": 1.0}})
    to = tmp_path / "run"
    infoset.solve(first, "cfr+", iterations=10, checkpoint=to)
    resumed = infoset.solve(first, "cfr+", iterations=20, checkpoint=to)
    whole = infoset.solve(first, "cfr+", iterations=20)
    assert all(map(np.array_equal, resumed.policy.probabilities, whole.policy.probabilities))
    with pytest.raises(CheckpointMismatchError):
        infoset.solve(second, "cfr+", iterations=20, checkpoint=to)


@pytest.mark.parametrize(
    ("behavior", "error", "message"),
    [
        ({"fly": {"k": 1.0}}, UnknownNameError, "line"),
        ({("Zz", "k"): {"k": 1.0}}, UnknownNameError, "hand 'Zz'"),
        ({"k": {"fold": 1.0}}, UnknownNameError, "'fold'"),
        ({"k": {"k": 0.5}}, ParameterError, "sum to 1"),
        ({"k": {"k": 2.0, "b": -1.0}}, ParameterError, "not negative"),
        ({"k": np.ones((2, 3))}, ParameterError, "shape (2, 28)"),
        ({"k": {"k": "all"}}, ParameterError, "k="),
        ([], ParameterError, "behavior"),
    ],
)
def test_likely_mistakes_in_locks(behavior, error, message):
    with pytest.raises(error, match=re.escape(message)):
        lock(small_holdem(), behavior)


def test_lines_are_named_only_on_public_forms():
    form = cached_tree("leduc_poker").sequence_form
    with pytest.raises(UnknownNameError, match=r"unknown infostate 'raise'.*--form public"):
        lock(form, {"raise": {"call": 1.0}})


def test_behavior_is_read_from_files(tmp_path):
    form = cached_tree("kuhn_poker").sequence_form
    (tmp_path / "a.json").write_text('{"[J]": {"bet": 1}, "1": {"[K] / bet": {"bet": 1}}}')
    (tmp_path / "b.csv").write_text(
        "player,infostate,action,probability\n0,[J],bet,1\n0,[J],pass,0\n"
    )
    found = load_behavior(tmp_path / "a.json", form)
    assert found == {"[J]": {"bet": 1}, ("[K] / bet", 1): {"bet": 1}}
    assert load_behavior(tmp_path / "b.csv", form) == {("[J]", 0): {"pass": 0.0, "bet": 1.0}}


@pytest.mark.parametrize("precision", ["float64", pytest.param("float32", marks=pytest.mark.broad)])
@pytest.mark.parametrize("make", [small_holdem, partial(infoset.build_public_form, MERGED)])
def test_locks_of_all_hands_need_no_copies_of_plans(make, precision):
    """Kernels read and write the numbers of the transform, and multiply hands by locked ones."""
    form, rng = make(), np.random.default_rng(1)
    policy = random_policy(form, rng)
    nodes = [*form.decisions[0][[0, -1]], *form.decisions[1][[0, 1, -1]]]
    behavior = {form.label(node): policy.at_node(node) for node in nodes}
    first = behavior[form.label(nodes[0])]
    first[:] = 0.0
    first[1] = 1.0  # the game after the other actions is not reached
    one = behavior[form.label(nodes[3])]
    alike = (one == one[:, :1]).all(axis=0)
    one[:, alike] = np.eye(len(one))[:, :1]  # one hand, and those merged with it, play one action
    locked = lock(form, behavior)
    maps, layouts = locked.transform.maps, locked.layouts
    found = form.mapped_payoffs(maps, layouts, precision)
    copied = form.composed_payoffs(locked.transform, layouts, precision)
    assert not any(len(own.composition.source) for own in found.pairs)
    assert len(found.pairs[0].base.own_start) < len(copied.pairs[0].base.own_start)
    for player in range(2):
        plans = random_policy(locked, rng).realization_plans()
        placed = tuple(
            layout.to_positions(plan).astype(precision)
            for layout, plan in zip(locked.layouts, plans, strict=True)
        )
        gradients = []
        for payoffs in (found, copied):
            gradients.append(np.full(len(placed[player]), np.nan, precision))
            pair_gradient(payoffs.pairs[player], placed[1 - player], gradients[-1])
        tolerance = {"float64": 1e-13, "float32": 1e-5}[precision]
        assert gradients[0] == pytest.approx(gradients[1], rel=tolerance, abs=tolerance)
        assert gradients[0].any()
    assert form.mapped_payoffs(maps, layouts, precision, max_batches=0.1) is None
    hand = lock(form, {(form.hands[0][0], "(start)"): first[:, 0]})
    assert form.mapped_payoffs(hand.transform.maps, hand.layouts) is None


def test_large_games_with_locks_run_in_place(monkeypatch):
    """Iterations, measurements and threads agree with those of copied plans."""
    form = small_holdem()
    policy = random_policy(form, np.random.default_rng(2))
    behavior = {line: policy.at_node(form.find_line(line)[0]) for line in ("k", "k / b")}
    copied = infoset.solve(lock(form, behavior), "dcfr", iterations=30)
    monkeypatch.setattr(infoset.forms.locked, "MANY_SEQUENCES", 0)
    monkeypatch.setattr(infoset.forms.locked, "MAX_BATCHES", np.inf)
    locked = lock(form, behavior)
    assert not any(len(own.composition.source) for own in locked.payoffs().pairs)
    for threads in (1, 2):
        found = infoset.solve(locked, "dcfr", iterations=30, threads=threads)
        assert found.values == pytest.approx(copied.values, abs=1e-9)
        assert found.nash_conv == pytest.approx(copied.nash_conv, abs=1e-9)
        assert found.policy.at_node(form.find_line("k")[0]) == pytest.approx(behavior["k"])


@pytest.mark.parametrize("precision", ["float64", pytest.param("float32", marks=pytest.mark.broad)])
def test_players_without_locks_need_no_copies_of_plans(precision):
    form = derive_public_form(cached_tree("leduc_poker"))
    line = form.label(int(form.decisions[1][0]))
    locked = lock(
        form,
        {("Ks", line): dict.fromkeys(form.legal_actions(form.find_line(line)[0])[:1], 1)},
    )
    payoffs, rng = locked.payoffs(precision), np.random.default_rng(0)
    # The transform changes plans and gradients of player 1, but not of player 0.
    assert [len(own.composition.gradient) > 0 for own in payoffs.pairs] == [False, True]
    assert [len(own.composition.plan) > 0 for own in payoffs.pairs] == [True, False]
    for player, pair in enumerate(payoffs.pairs):
        composition = pair.composition
        copied = pair._replace(
            composition=composition._replace(
                plan=np.zeros_like(composition.weight),
                gradient=np.zeros(form.treeplexes[player].num_sequences, precision),
            )
        )
        plan = rng.random(locked.treeplexes[1 - player].num_sequences).astype(precision)
        found = []
        for own in (pair, copied):
            found.append(np.zeros(locked.treeplexes[player].num_sequences, precision))
            pair_gradient(own, plan, found[-1])
        assert found[0].tobytes() == found[1].tobytes()
        assert found[0].any()
