"""Reductions: smaller product forms of the same game."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from infoset.teams.product_form._product_form_kernels import payoff_ranges
from infoset.teams.product_form.arrays import ProductArrays
from infoset.teams.product_form.form import ProductForm, Source, check_form
from infoset.typing import BoolArray, FloatArray, IntArray, LongArray
from infoset.utils.ragged import edges_in_order, offsets, spread
from infoset.utils.sorting import number_by_appearance


def merge_outcomes(form: ProductForm) -> ProductForm:
    """Merge outcomes of chance that no agent can ever tell apart; payoffs become their means.

    Two outcomes are merged if agents have the same information and the same private signals under
    both, whatever they do. The values of policies do not change under the original information map
    or under a relaxation that does not distinguish the outcomes. A map that reveals everything
    reveals only which of the remaining outcomes occurred.

    Returns
    -------
    ProductForm
        The form with the same `outcomes`; outcomes that were merged into others have no nodes.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.teams import build_product_form
    >>> form = build_product_form(load_game("tiny_bridge_2p(abstracted=true)"))
    >>> form.num_nodes, merge_outcomes(form).num_nodes
    (53760, 12928)
    """
    check_form(form)
    arrays = form.arrays
    known = (
        form.original
        if form.private_signal is None
        else np.column_stack([form.original, form.private_signal])
    )
    equivalent = equivalent_nodes(form, known)
    chance = np.bincount(equivalent, arrays.chance, form.num_nodes).astype(np.float64)
    node = form.node_of_edge[arrays.payoff_edge]
    action = arrays.payoff_edge - arrays.first_edge[node]
    # The edge of the same action under the outcome that stays.
    edge, of = np.unique(arrays.first_edge[equivalent[node]] + action, return_inverse=True)
    payoff = np.zeros((len(edge), form.num_agents))
    # The mean payoff of merged outcomes, by their probabilities given that one occurs.
    share = arrays.chance[node] / chance[equivalent[node]]
    np.add.at(payoff, of, share[:, None] * arrays.payoff)
    merged = arrays._replace(chance=chance, payoff_edge=edge, payoff=payoff)
    return _keep(form, merged, equivalent == np.arange(form.num_nodes))


def drop_decided(form: ProductForm) -> ProductForm:
    """End play as soon as all possible continuations pay the same.

    The values of policies do not change. Nodes whose choices no longer matter are removed, and with
    them the penalties that a relaxed policy would pay there.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.teams import build_product_form
    >>> form = build_product_form(load_game("trade_comm(num_items=3)"))
    >>> form.num_edges, drop_decided(form).num_edges
    (7398, 1566)
    """
    check_form(form)
    arrays = form.arrays
    low, high = payoff_ranges(arrays)
    is_decided = (low == high).all(axis=1)
    kept = ~is_decided | (arrays.parent_edge < 0)
    is_terminal = (arrays.child < 0) | is_decided[arrays.child]
    ends = np.flatnonzero(kept[form.node_of_edge] & is_terminal)
    child = arrays.child[ends]
    # `child` is -1 at edges that ended play before; their payoffs follow.
    payoff = low[child]
    is_old = child < 0
    payoff[is_old] = _edge_payoffs(arrays, ends[is_old])
    pays = payoff.any(axis=1)
    shorter = arrays.child.copy()
    shorter[ends] = -1
    ended = arrays._replace(child=shorter, payoff_edge=ends[pays], payoff=payoff[pays])
    return _keep(form, ended, kept)


def _edge_payoffs(arrays: ProductArrays, edge: LongArray) -> FloatArray:
    """Return [n, P] the payoffs at edges that end play."""
    place = np.searchsorted(arrays.payoff_edge, edge)
    # Edges without an entry pay 0, the last row.
    padded = np.append(arrays.payoff_edge, -1)
    rows = np.vstack([arrays.payoff, np.zeros(arrays.payoff.shape[1])])
    return rows[np.where(padded[place] == edge, place, -1)]


def equivalent_nodes(form: ProductForm, known: IntArray) -> LongArray:
    """Return [N] the node that corresponds to each node under the first equivalent outcome.

    Parameters
    ----------
    known
        [N] or [N, any] information at each node, as numbers. Two outcomes are equivalent if their
        nodes have the same information and are connected by the same actions.
    """
    nodes = np.argsort(form.outcome, kind="stable")
    _, first, count = np.unique(form.outcome[nodes], return_index=True, return_counts=True)
    _, position = spread(count)
    # The position of each node under its outcome; the last place is for `child` = -1.
    rank = np.empty(form.num_nodes + 1, np.int64)
    rank[nodes], rank[-1] = position, -1
    child_rank = rank[form.arrays.child]
    equivalent = np.empty(form.num_nodes, np.int64)
    alike: dict[tuple[bytes, bytes], LongArray] = {}
    for own in np.split(nodes, first[1:]):
        edge, _ = edges_in_order(form.arrays.first_edge, own)
        # Equal bytes: the same information at each position, and the same tree between positions.
        tables = known[own].tobytes(), child_rank[edge].tobytes()
        equivalent[own] = alike.setdefault(tables, own)
    return equivalent


def _keep(form: ProductForm, arrays: ProductArrays, kept: BoolArray) -> ProductForm:
    """Return the form with only the nodes `kept` [N]; `arrays` has the old node numbers."""
    nodes = np.flatnonzero(kept)
    edge, first_edge = edges_in_order(arrays.first_edge, nodes)
    # Old numbers of nodes and edges to new ones; the last place is for -1.
    number = np.full(form.num_nodes + 1, -1, np.int64)
    number[nodes] = np.arange(len(nodes))
    edge_number = np.full(form.num_edges + 1, -1, np.int64)
    edge_number[edge] = np.arange(len(edge))
    # Stages without nodes disappear.
    _, sizes = np.unique(form.stage[nodes], return_counts=True)
    source = form.source
    return replace(
        form,
        arrays=ProductArrays(
            first_node=offsets(sizes),
            chance=arrays.chance[nodes],
            agent=arrays.agent[nodes],
            first_edge=first_edge,
            child=number[arrays.child[edge]].astype(np.int32),
            parent_edge=edge_number[arrays.parent_edge[nodes]],
            payoff_edge=edge_number[arrays.payoff_edge],
            payoff=arrays.payoff,
        ),
        outcome=form.outcome[nodes],
        action_set=form.action_set[nodes],
        original=number_by_appearance(form.original[nodes]),
        private_signal=None if form.private_signal is None else form.private_signal[nodes],
        source=source and Source(source.tree, source.history[nodes], source.infostate[nodes]),
    )
