"""Relaxations: perfect-recall closures are coarsest, and only private parts are revealed."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infoset.efg import build_extensive_form
from infoset.errors import ParameterError, UnknownNameError
from infoset.games import load_game
from infoset.teams import (
    RELAXATIONS,
    InformationMap,
    build_product_form,
    find_recall_violation,
    forget_own_actions,
    get_relaxation,
    perfect_recall_closure,
    product_form_from_functions,
    reveal_everything,
    reveal_private,
)
from infoset.teams.relaxations import DEFAULT_RELAXATION
from tests.support.random_product_forms import random_product_form, random_relaxation, record

TEAM = (0, 1)


def same(first, second):
    return first.refines(second) and second.refines(first)


def has_perfect_recall(form, cell, team):
    """Conditions 2 and 3, for any two nodes of one cell and every stage before."""
    nodes = np.flatnonzero(np.isin(form.arrays.agent, team)).tolist()
    return all(
        record(form, cell, one, team) == record(form, cell, other, team)
        for one, other in itertools.combinations(nodes, 2)
        if cell[one] == cell[other]
    )


def partitions(items):
    """Yield all partitions of a list, as lists of blocks."""
    if not items:
        yield []
        return
    first, *rest = items
    for partition in partitions(rest):
        yield [[first], *partition]
        for index, block in enumerate(partition):
            yield [*partition[:index], [first, *block], *partition[index + 1 :]]


def refinements(information):
    """Yield all maps that refine one."""
    nodes = np.arange(len(information.cell))
    blocks = [nodes[information.cell == value].tolist() for value in range(information.num_cells)]
    for chosen in itertools.product(*(list(partitions(block)) for block in blocks)):
        values = np.zeros(len(nodes), int)
        for number, block in enumerate(itertools.chain(*chosen)):
            values[block] = number
        yield InformationMap.from_values(information.form, values.tolist(), "refinement")


@pytest.mark.parametrize("seed", range(40))
def test_the_closure_is_the_coarsest_refinement_with_perfect_recall(seed):
    form = random_product_form(seed, num_stages=2 + seed % 2, num_outcomes=2, max_actions=2)
    sizes = np.bincount(form.information.cell)
    if np.prod([[1, 1, 2, 5, 15, 52, 203][size] if size < 7 else 10**6 for size in sizes]) > 500:
        return
    team = (0,) if seed % 3 == 0 else TEAM
    closure = perfect_recall_closure(form.information, team)
    assert closure.refines(form.information)
    assert has_perfect_recall(form, closure.cell, team)
    remembering = [
        information
        for information in refinements(form.information)
        if has_perfect_recall(form, information.cell, team)
    ]
    assert remembering
    assert all(information.refines(closure) for information in remembering)


def test_enough_games_allow_listing_all_refinements():
    small = 0
    for seed in range(40):
        form = random_product_form(seed, num_stages=2 + seed % 2, num_outcomes=2, max_actions=2)
        sizes = np.bincount(form.information.cell)
        small += sizes.max() < 7 and find_recall_violation(form.information, TEAM) is not None
    assert small >= 15


def test_not_having_acted_is_remembered():
    form = product_form_from_functions(
        {"Alice": 0.5, "Bob": 0.5},
        agent_names=("Alice", "Bob"),
        num_stages=2,
        agent=lambda first, actions: (int(first == "Bob"), 0, None)[len(actions)],
        legal_actions=lambda first, actions: ("up", "down"),
        information=lambda first, actions: None,
        reward=lambda first, actions: (0, 0),
    )
    assert form.information.cell.tolist() == [0, 1, 2, 2, 2, 2]
    assert perfect_recall_closure(form.information, (0,)).cell.tolist() == [0, 1, 2, 3, 4, 4]
    assert perfect_recall_closure(form.information, TEAM).cell.tolist() == [0, 1, 2, 3, 4, 5]


@settings(max_examples=8)
@given(seed=st.integers(0, 10_000), num_agents=st.integers(2, 3))
def test_recall_violations_agree_with_enumeration(seed, num_agents):
    form = random_product_form(seed, num_agents=num_agents, num_outcomes=4)
    information = random_relaxation(form, np.random.default_rng(seed), size=3)
    for team in ((0,), (1,), TEAM):
        violation = find_recall_violation(information, team)
        assert (violation is None) == has_perfect_recall(form, information.cell, team)
        if violation is not None:
            one, other = violation.nodes
            assert information.cell[one] == information.cell[other]
            records = [record(form, information.cell, node, team) for node in violation.nodes]
            assert records[0] != records[1]
            assert all(form.prefix_text(node) in str(violation) for node in violation.nodes)


@settings(max_examples=8)
@given(seed=st.integers(0, 10_000))
def test_closures_are_monotone_and_closed(seed):
    form = random_product_form(seed, num_agents=3, num_outcomes=4)
    fine = random_relaxation(form, np.random.default_rng(seed))
    closure = perfect_recall_closure(form.information, TEAM)
    assert same(perfect_recall_closure(closure, TEAM), closure)
    assert perfect_recall_closure(fine, TEAM).refines(closure)
    assert perfect_recall_closure(form.information, (0, 1, 2)).refines(closure.meet(closure))
    others = form.arrays.agent == 2
    assert len(set(closure.cell[others])) == len(set(form.original[others]))
    for relax in (row.relax for row in RELAXATIONS.values()):
        assert relax(form.information, TEAM).refines(form.information)
        everything = reveal_everything(form.information, TEAM)
        assert everything.refines(relax(form.information, TEAM))


def test_full_revelation_has_a_cell_for_each_prefix():
    form = random_product_form(3, num_agents=3)
    everything = reveal_everything(form.information, TEAM)
    own = np.isin(form.arrays.agent, TEAM)
    assert len(set(everything.cell[own])) == own.sum()
    assert find_recall_violation(everything, TEAM) is None


def test_trade_comm_has_the_cells_of_the_paper():
    form = build_product_form(load_game("trade_comm(num_items=3)"))
    base = form.with_original(forget_own_actions(form)).information
    counts = {
        name: np.bincount(row.relax(base, TEAM).stage).tolist() for name, row in RELAXATIONS.items()
    }
    assert counts["none"] == [3, 9, 9, 9]
    assert counts["private_revealed"] == [9, 27, 27, 27]
    assert counts["recall"] == [9, 27, 81, 729]
    assert counts["closure"] == [3, 27, 81, 729]
    assert counts["everything"] == [9, 27, 81, 729]


def test_perfect_recall_of_the_papers_maps_of_trade_comm():
    form = build_product_form(load_game("trade_comm(num_items=2)"))
    base = form.with_original(forget_own_actions(form)).information
    found = {
        name: find_recall_violation(row.relax(base, TEAM), TEAM)
        for name, row in RELAXATIONS.items()
    }
    assert [name for name, violation in found.items() if violation is None] == [
        "closure",
        "recall",
        "everything",
    ]
    assert "condition 2" in found["none"].rule
    assert "condition 2" in found["private_revealed"].rule
    words_kept = find_recall_violation(reveal_private(form.information, TEAM), TEAM)
    assert "condition 3" in words_kept.rule
    assert find_recall_violation(form.information, [0]) is None
    assert "player 0: say 1 at 'outcome 0 0'" in str(find_recall_violation(base, [0]))


def test_revealing_shows_hands_and_no_future_board_cards():
    form = build_product_form(load_game("leduc_poker"))

    def open_hands(prefix):
        return prefix.world.cards, prefix.world.board, prefix.actions

    expected = InformationMap.from_function(form, open_hands, "open hands")
    assert same(reveal_private(form.information, TEAM), expected)
    assert np.bincount(expected.stage)[0] == 30
    assert np.bincount(form.information.stage)[0] == 6


def test_revealing_shows_a_teams_own_cards_only():
    form = build_product_form(load_game("kuhn_poker(players=3)"))

    def cards_of_the_team(prefix):
        cards = prefix.world.cards
        return cards[prefix.agent] if prefix.agent == 2 else cards[:2], prefix.actions

    expected = InformationMap.from_function(form, cards_of_the_team, "two hands")
    assert same(reveal_private(form.information, TEAM), expected)


def test_relaxations_by_name():
    assert get_relaxation("recall").name == "recall"
    with pytest.raises(UnknownNameError, match="did you mean recall"):
        get_relaxation("recal")


def test_forms_without_private_observations_are_refused():
    form = build_product_form(build_extensive_form(load_game("kuhn_poker")))
    with pytest.raises(ParameterError, match=r"records no private signals.*relax='closure'"):
        reveal_private(form.information, TEAM)
    assert perfect_recall_closure(form.information, TEAM).num_cells == 21
    assert same(
        DEFAULT_RELAXATION.relax(form.information, TEAM),
        perfect_recall_closure(form.information, TEAM),
    )
    form = build_product_form(load_game("kuhn_poker"))
    recall = get_relaxation("recall")
    first, second = (one.relax(form.information, TEAM) for one in (DEFAULT_RELAXATION, recall))
    assert same(first, second)


@pytest.mark.parametrize("relax", [perfect_recall_closure, reveal_private, reveal_everything])
def test_invalid_teams_and_maps_are_refused(relax):
    form = random_product_form(1)
    with pytest.raises(ParameterError, match="the team is empty"):
        relax(form.information, ())
    with pytest.raises(ParameterError, match="there is no player 2"):
        relax(form.information, (0, 2))
    with pytest.raises(ParameterError, match="give an InformationMap"):
        relax(form, TEAM)
