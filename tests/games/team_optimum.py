"""Optimum of two partners by an integer program over their pure policies."""

from __future__ import annotations

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import coo_array, csr_array, hstack, vstack

from infoset.forms import SequenceForm, Treeplex
from infoset.game import Game
from infoset.tree import build_tree


def team_optimum(game: Game) -> float:
    """Return the maximum common payoff of a two-player game without negative payoffs.

    Some pair of pure policies is optimal. The realization plans are therefore zeros and ones, and a
    third kind of variable counts a pair of sequences only if both are played.
    """
    form = build_tree(game).sequence_form
    assert form.num_players == 2
    assert (form.payoff[:, 0] == form.payoff[:, 1]).all()
    assert (form.payoff >= 0).all()
    sizes = [treeplex.num_sequences for treeplex in form.treeplexes]
    num_plans, num_pairs = sum(sizes), form.num_payoffs
    result = milp(
        c=np.concatenate([np.zeros(num_plans), -form.payoff[:, 0]]),
        constraints=[plans_flow(form, num_pairs), pairs_are_played(form)],
        integrality=np.concatenate([np.ones(num_plans), np.zeros(num_pairs)]),
        bounds=Bounds(0, 1),
    )
    assert result.success
    return -float(result.fun)


def plans_flow(form: SequenceForm, num_pairs: int) -> LinearConstraint:
    """Each plan has weight 1 at the empty sequence, and conserves it at each infostate."""
    first, second = (flow_matrix(treeplex) for treeplex in form.treeplexes)
    rows = hstack(
        [
            vstack([first, csr_array((second.shape[0], first.shape[1]))]),
            vstack([csr_array((first.shape[0], second.shape[1])), second]),
            csr_array((first.shape[0] + second.shape[0], num_pairs)),
        ]
    )
    right = np.zeros(rows.shape[0])
    right[[0, first.shape[0]]] = 1
    return LinearConstraint(rows, right, right)


def flow_matrix(treeplex: Treeplex) -> csr_array:
    rows = [(0, 0, 1.0)]
    for infostate in range(treeplex.num_infostates):
        rows.append((infostate + 1, treeplex.parent_sequence[infostate], -1.0))
        start = treeplex.first_sequence[infostate]
        for sequence in range(start, start + treeplex.num_actions[infostate]):
            rows.append((infostate + 1, sequence, 1.0))
    row, column, value = zip(*rows, strict=True)
    shape = (treeplex.num_infostates + 1, treeplex.num_sequences)
    return csr_array(coo_array((value, (row, column)), shape=shape))


def pairs_are_played(form: SequenceForm) -> LinearConstraint:
    """The weight of a pair is at most that of each of its two sequences."""
    count = form.num_payoffs
    own = np.arange(count)
    offsets = [0, form.treeplexes[0].num_sequences]
    num_plans = sum(treeplex.num_sequences for treeplex in form.treeplexes)
    blocks = []
    for player, offset in enumerate(offsets):
        column = np.concatenate([own + num_plans, form.terminal_sequence[:, player] + offset])
        value = np.concatenate([np.ones(count), -np.ones(count)])
        row = np.concatenate([own, own])
        blocks.append(coo_array((value, (row, column)), shape=(count, num_plans + count)))
    return LinearConstraint(vstack(blocks), -np.inf, 0)
