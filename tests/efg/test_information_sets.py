"""Checks against their definitions over all pairs of histories, on random forms."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings

from infoset.efg import (
    closure,
    common_knowledge_sets,
    exact_timing,
    find_absent_mindedness,
    find_action_mismatch,
    find_hidden_reward,
    find_public_mismatch,
    find_recall_violation,
    find_recall_violations,
    find_thick_infoset,
    find_thick_public_set,
    find_timing_cycle,
    find_uneven_timing,
    pad_timing,
)
from tests.efg import reference_forms
from tests.efg.reference_forms import ReferenceForm
from tests.support.hypothesis_strategies import random_forms
from tests.support.random_forms import random_form

CHECKS = [
    (find_action_mismatch, reference_forms.action_mismatches),
    (find_recall_violation, reference_forms.recall_violations),
    (find_absent_mindedness, reference_forms.absent_mindedness),
    (find_thick_infoset, reference_forms.thick_infosets),
    (find_thick_public_set, reference_forms.thick_public_sets),
    (find_public_mismatch, reference_forms.public_mismatches),
    (find_hidden_reward, reference_forms.hidden_rewards),
    (find_uneven_timing, reference_forms.uneven_timings),
]


@settings(max_examples=50)
@given(random_forms())
def test_checks_find_a_witness_exactly_where_there_is_one(form):
    slow = ReferenceForm(form)
    for find, by_definition in CHECKS:
        pairs = by_definition(slow)
        found = find(form)
        assert (found is None) == (not pairs), find.__name__
        if found is not None:
            assert (found.player, found.histories) in pairs, find.__name__
            assert all(repr(form.history_label(one)) in found.found for one in found.histories)


@settings(max_examples=50)
@given(random_forms())
def test_kinds_of_imperfect_recall_are_those_of_their_definitions(form):
    slow = ReferenceForm(form)
    kinds = reference_forms.kinds_of_imperfect_recall(slow)
    found = find_recall_violations(form)
    named = {(violation.player, violation.kind) for violation in found}
    assert len(named) == len(found)
    assert named == {(player, kind) for player, kind, _ in kinds}
    for violation in found:
        assert (violation.player, violation.kind, violation.histories) in kinds
        assert violation.found.startswith(f"player {violation.player} {violation.kind}: it cannot")
    first = find_recall_violation(form)
    assert (first is None) == (not kinds)
    if first is not None:
        assert (first.player, first.kind) in named


@settings(max_examples=50)
@given(random_forms())
def test_timings_are_the_earliest_and_cycles_are_cycles(form):
    slow = ReferenceForm(form)
    expected = reference_forms.earliest_timing(slow)
    cycle = find_timing_cycle(form)
    if expected is not None:
        assert cycle is None
        assert exact_timing(form).tolist() == expected
        return
    assert cycle is not None
    steps = list(zip(cycle.histories[::2], cycle.histories[1::2], strict=True))
    together = reference_forms.groups(slow)
    for (before, after), (following, _) in zip(steps, [*steps[1:], steps[0]], strict=True):
        assert slow.parent[after] == before
        assert following in together[after]


@settings(max_examples=40)
@given(random_forms(num_players=3, max_depth=4, memory=9, knows_public=False, knows_time=False))
def test_padding_puts_in_what_the_earliest_timing_skips(form):
    slow = ReferenceForm(form)
    times = reference_forms.earliest_timing(slow)
    if times is None:
        return
    waits = [0, *(times[h] - times[slow.parent[h]] - 1 for h in range(1, slow.size))]
    padded = pad_timing(form)
    assert reference_forms.nested(padded) == reference_forms.nested(form, waits=waits)
    assert padded.num_histories == slow.size + sum(waits) <= slow.size**2
    assert find_uneven_timing(padded) is None
    assert (padded is form) == (not any(waits))


@given(random_forms())
def test_children_are_where_the_arrays_say(form):
    slow = ReferenceForm(form)
    for history, children in enumerate(slow.children):
        first, end = form.first_child[history : history + 2]
        assert list(range(first, end)) == children
        assert list(form.legal_actions(history)) == slow.labels(history)
        assert form.depth[history] == len(slow.path(history)) - 1
        assert form.utility[history].tolist() == [float(value) for value in slow.paid(history)]


@given(random_forms())
def test_common_knowledge_and_closures(form):
    slow = ReferenceForm(form)
    common = common_knowledge_sets(form)
    assert common.tolist() == reference_forms.common_knowledge(slow)
    partitions = [common, *form.infoset.T]
    partitions += [] if form.public_set is None else [form.public_set]
    middle = slow.size // 2
    for sets in partitions:
        inside = closure(form, middle, sets)
        expected = reference_forms.closed_set(slow, middle, sets.tolist())
        assert set(inside.nonzero()[0].tolist()) == expected


@pytest.fixture(scope="module")
def many_forms():
    return [
        random_form(
            seed=seed,
            num_players=2,
            max_depth=4,
            memory=(0, 1, 2, 9)[seed % 4],
            public_memory=(0, 1, 9)[seed % 3],
            knows_public=seed % 5 > 2,
            knows_time=seed % 7 > 3,
            knows_turn=seed % 11 > 2,
            knows_payoffs=seed % 13 > 6,
            is_augmented=seed % 17 > 8,
        )
        for seed in range(160)
    ]


def test_the_random_forms_break_and_keep_everything(many_forms):
    """Otherwise the tests above could pass because the random forms never violate a property."""
    finders = [find for find, _ in CHECKS] + [find_timing_cycle]
    broken = Counter(find for form in many_forms for find in finders if find(form))
    for find in finders:
        assert 3 <= broken[find] <= len(many_forms) - 3, find.__name__
    recalled = [form for form in many_forms if not find_recall_violation(form)]
    assert sum(find_uneven_timing(form) is not None for form in recalled) >= 3
    cycles = [find_timing_cycle(form) for form in many_forms]
    assert sum(len(cycle.histories) > 2 for cycle in cycles if cycle) >= 3
