"""Information maps: refinement order, joins and meets, and invalid maps."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infoset.errors import ParameterError
from infoset.games import load_game
from infoset.teams import InformationMap, build_product_form, forget_own_actions
from tests.support.random_product_forms import random_product_form, random_relaxation


@pytest.fixture(scope="module")
def trade():
    return build_product_form(load_game("trade_comm(num_items=2)"))


def maps(seed, count):
    form = random_product_form(seed, num_outcomes=4)
    rng = np.random.default_rng(seed)
    return [random_relaxation(form, rng, size=2 + number % 2) for number in range(count)]


def same(first, second):
    return first.refines(second) and second.refines(first)


def merged_slowly(first, second):
    """Return the blocks connected by cells of either map."""
    blocks = [{node} for node in range(len(first.cell))]
    for cell in (first.cell, second.cell):
        for value in set(cell.tolist()):
            members = [block for block in blocks if any(cell[node] == value for node in block)]
            blocks = [block for block in blocks if block not in members]
            blocks.append(set().union(*members))
    return sorted(map(sorted, blocks))


def blocks_of(information):
    nodes = range(len(information.cell))
    return sorted(
        sorted(node for node in nodes if information.cell[node] == value)
        for value in range(information.num_cells)
    )


@settings(max_examples=8)
@given(seed=st.integers(0, 10_000))
def test_join_and_meet_are_a_lattice(seed):
    a, b, c = maps(seed, 3)
    assert same(a.join(b), b.join(a))
    assert same(a.meet(b), b.meet(a))
    assert same(a.join(b).join(c), a.join(b.join(c)))
    assert same(a.meet(b).meet(c), a.meet(b.meet(c)))
    assert same(a.join(a.meet(b)), a)
    assert same(a.meet(a.join(b)), a)
    assert a.join(b).refines(a)
    assert a.refines(a.meet(b))
    assert a.refines(b) == same(a.join(b), a) == same(a.meet(b), b)


@settings(max_examples=8)
@given(seed=st.integers(0, 10_000))
def test_join_and_meet_agree_with_set_partitions(seed):
    a, b = maps(seed, 2)
    pairs = {(x, y) for x, y in zip(a.cell.tolist(), b.cell.tolist(), strict=True)}
    assert a.join(b).num_cells == len(pairs)
    assert blocks_of(a.meet(b)) == merged_slowly(a, b)
    assert a.refines(a.form.information)
    coarse = a.coarsened_to(a.form.information)
    assert (coarse[a.cell] == a.form.information.cell).all()


def test_cells_are_numbered_in_order_of_nodes_and_stages():
    for information in maps(5, 3):
        assert (np.diff(information.first_node) > 0).all()
        assert (np.diff(information.stage) >= 0).all()
        assert information.num_entries == information.num_actions.sum()
        for cell in range(information.num_cells):
            nodes = np.flatnonzero(information.cell == cell)
            for of_node, of_cell in (
                (information.form.stage, information.stage),
                (information.form.arrays.agent, information.agent),
                (information.form.num_actions, information.num_actions),
            ):
                assert set(of_node[nodes].tolist()) == {of_cell[cell]}


def test_the_function_of_a_map_receives_prefixes(trade):
    asked = []
    told = InformationMap.from_function(trade, lambda p: asked.append(p) or p.actions, "told")
    assert len(asked) == trade.num_nodes
    last = asked[-1]
    assert (last.outcome, last.agent, last.actions) == ("1 1", 1, ("say 1", "say 1", "1:1"))
    assert last.world.items == (1, 1)
    assert np.bincount(told.stage).tolist() == [1, 2, 4, 16]


def test_a_map_for_one_team_does_not_change_other_agents(trade):
    told = InformationMap.from_function(trade, lambda prefix: prefix.world, "told", team=(1,))
    first = trade.arrays.agent == 0
    for one, other in itertools.product(np.flatnonzero(first)[:20], repeat=2):
        known = trade.information.cell
        assert (told.cell[one] == told.cell[other]) == (known[one] == known[other])
    assert not told.refines(trade.information)


def test_the_papers_map_of_trade_comm_forgets_own_messages(trade):
    def heard(prefix):
        words = prefix.actions[:2]
        return prefix.world.items[prefix.agent], words[1 - prefix.agent :][:1]

    base = forget_own_actions(trade)
    assert same(base, InformationMap.from_function(trade, heard, "paper"))
    assert np.bincount(base.stage).tolist() == [2, 4, 4, 4]
    assert trade.information.refines(base)


def test_a_different_original_map_gives_a_different_game(trade):
    base = forget_own_actions(trade)
    harder = trade.with_original(base)
    assert harder.arrays is trade.arrays
    assert same(harder.information, base)
    assert trade.information.refines(harder.information)


def test_observations_between_own_turns_are_remembered():
    form = build_product_form(load_game("goofspiel(num_cards=3)"))
    assert same(forget_own_actions(form), form.information)


def test_forgetting_must_keep_legal_actions_known():
    form = build_product_form(load_game("goofspiel(num_cards=3,imp_info=true)"))
    with pytest.raises(ParameterError, match="the set of legal actions differs"):
        forget_own_actions(form)


def test_the_error_for_a_map_that_does_not_refine_shows_two_prefixes(trade):
    base = forget_own_actions(trade)
    with pytest.raises(ParameterError) as caught:
        base.coarsened_to(trade.information)
    message = str(caught.value)
    assert "'own actions forgotten' does not refine 'original'" in message
    assert "'outcome 0 0, then player 0: say 0, player 1: say 0'" in message
    assert "'outcome 0 0, then player 0: say 1, player 1: say 0'" in message
    assert "join" in message
    assert base.join(trade.information).refines(trade.information)


def test_a_map_may_not_depend_on_the_future(trade):
    message = r"'peek' depends on the future: .*stage 1.*'outcome 0 0'"
    with pytest.raises(ParameterError, match=message):
        InformationMap.from_function(trade, lambda prefix: prefix.actions[1], "peek")


def test_values_must_be_comparable(trade):
    with pytest.raises(ParameterError, match=r"'list' gives no hashable value"):
        InformationMap.from_function(trade, lambda prefix: [prefix.agent], "list")


def test_exceptions_in_user_functions_propagate(trade):
    with pytest.raises(TypeError, match="unsupported operand"):
        InformationMap.from_function(trade, lambda prefix: prefix.agent + prefix.outcome, "mistake")
    with pytest.raises(ParameterError, match=r"function=3 .* is not callable; give a function of"):
        InformationMap.from_function(trade, 3, "number")
    with pytest.raises(ParameterError, match="the team is empty"):
        InformationMap.from_function(trade, lambda prefix: 0, "nobody", team=())


WRONG_CELLS = {
    "cell 2 has no node": lambda cell: np.where(cell > 1, cell + 1, cell),
    "in another order": lambda cell: cell.max() - cell,
    "integers": lambda cell: cell.astype(float),
    "one for each node": lambda cell: cell[:-1],
    "the stage differs": lambda cell: np.zeros_like(cell),
}


@pytest.mark.parametrize("message", WRONG_CELLS)
def test_invalid_cells_are_refused(trade, message):
    with pytest.raises(ParameterError, match=message):
        InformationMap(trade, WRONG_CELLS[message](trade.original), "wrong")


def test_cells_with_different_legal_actions_are_refused():
    form = build_product_form(load_game("leduc_poker"))
    with pytest.raises(ParameterError, match="the set of legal actions differs"):
        InformationMap.from_values(form, [0] * form.num_nodes, "blind")


def test_other_invalid_arguments(trade):
    other = build_product_form(load_game("trade_comm(num_items=2)")).information
    with pytest.raises(ParameterError, match="another product form"):
        trade.information.join(other)
    with pytest.raises(ParameterError, match="give an InformationMap"):
        trade.information.refines(trade)
    with pytest.raises(ParameterError, match=r"2 values, .* has 92 nodes"):
        InformationMap.from_values(trade, [0, 1], "short")
    with pytest.raises(ParameterError, match="give a ProductForm"):
        forget_own_actions("trade_comm")
    with pytest.raises(ParameterError, match="give a ProductForm"):
        InformationMap.from_values("trade_comm", [0], "name")
    with pytest.raises(ParameterError, match="give a ProductForm"):
        InformationMap.from_function("trade_comm", lambda prefix: 0, "name")
    with pytest.raises(ParameterError, match="not built from the rules"):
        forget_own_actions(random_product_form(0))
    with pytest.raises(ValueError, match="read-only"):
        trade.information.cell[0] = 3
