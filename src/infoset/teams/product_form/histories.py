"""Histories of a game, with the joint actions of agents separated from the moves of chance."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from infoset.efg import ExtensiveForm, find_action_mismatch
from infoset.efg.information_sets import check_property
from infoset.forms import InfostateTree
from infoset.teams.product_form._product_form_kernels import choose, cumulate
from infoset.tree import GameTree
from infoset.typing import CHANCE, Action, BoolArray, FloatArray, IntArray, LongArray
from infoset.utils.text import distinct_labels


class Histories(NamedTuple):
    """H histories of P agents; after each history agents choose actions, and then chance draws.

    A group is the set of children after one joint action of the agents; a history where nobody acts
    has a single group. If a group has several children, chance draws one of them. Groups and
    children are numbered in the order of histories.
    """

    first_group: LongArray
    """[H + 1] the first group of each history."""
    first_child: LongArray
    """[G + 1] the first child of each group."""
    probability: FloatArray
    cumulative: FloatArray
    """[H] probability of a history given its group, and the sum of these up to and including the
    history."""
    action_set: IntArray
    """[H, P] index into `action_sets`; -1 where the agent does not act."""
    action_sets: tuple[tuple[Action, ...], ...]
    known: IntArray
    """[H, P] infostate, or information set, of each agent."""
    utility: FloatArray
    """[H, P] sum of each agent's rewards so far."""

    @property
    def num_agents(self) -> int:
        """Number P of agents."""
        return int(self.known.shape[1])

    @property
    def num_groups(self) -> LongArray:
        """[H] number of groups of each history; 0 where play ends."""
        return np.diff(self.first_group)

    @property
    def is_drawn(self) -> BoolArray:
        """[G] whether chance draws one of several children."""
        return np.diff(self.first_child) > 1

    def choose(self, group: LongArray, draw: FloatArray) -> LongArray:
        """Return [n] the child that each `draw` [n] in [0, 1) selects in each `group` [n]."""
        return choose(self.first_child, self.cumulative, group, draw)


def histories_of_tree(tree: GameTree) -> Histories:
    """Return the histories of a game tree, whose players may act simultaneously."""
    graph = tree.graph
    world_of_edge = np.repeat(np.arange(graph.num_worlds), np.diff(graph.first_edge))
    rows = np.column_stack([world_of_edge, graph.joint_action])
    begins = np.ones(graph.num_edges + 1, dtype=bool)
    # Consecutive edges of one world and joint action are the moves of chance after it.
    begins[1:-1] = (rows[1:] != rows[:-1]).any(axis=1)
    return _make_histories(
        first_child=tree.first_child,
        begins_group=begins[tree.edge],
        probability=graph.probability[tree.edge],
        action_set=graph.action_set[tree.world],
        action_sets=graph.action_sets,
        known=tree.infostate,
        utility=tree.rewards_so_far,
    )


def histories_of_form(form: ExtensiveForm) -> Histories:
    """Return the histories of an extensive form.

    Raises
    ------
    UnsupportedGameError
        If legal actions differ within an information set.
    """
    check_property(form, find_action_mismatch, "has no product form")
    action_set, action_sets = _actions(form)
    return _make_histories(
        first_child=form.first_child,
        begins_group=(form.actor[form.parent] != CHANCE) | (form.position == 0),
        probability=form.chance_probability,
        action_set=action_set,
        action_sets=action_sets,
        known=form.infoset,
        utility=form.utility,
    )


def _actions(form: ExtensiveForm) -> tuple[IntArray, tuple[tuple[Action, ...], ...]]:
    """Return [H, P] the index of each acting player's action list (-1 elsewhere), and the lists."""
    action_set = np.full_like(form.infoset, -1)
    numbers: dict[tuple[Action, ...], int] = {}
    for player in range(form.num_players):
        sets = form.acting_infoset[:, player]
        infosets, first = np.unique(sets, return_index=True)
        lists = [distinct_labels(form.legal_actions(history)) for history in first.tolist()]
        chosen = [numbers.setdefault(actions, len(numbers)) for actions in lists]
        of_infoset = np.where(infosets < 0, -1, chosen)
        # `infosets` is sorted, so the search inverts `np.unique`.
        action_set[:, player] = of_infoset[np.searchsorted(infosets, sets)]
    return action_set, tuple(numbers)


def _make_histories(
    *,
    first_child: IntArray,
    begins_group: BoolArray,
    probability: FloatArray,
    action_set: IntArray,
    action_sets: tuple[tuple[Action, ...], ...],
    known: IntArray,
    utility: FloatArray,
) -> Histories:
    """Return histories with numbered groups; `begins_group` [H] marks the first child of each."""
    num_histories = len(begins_group)
    first = np.flatnonzero(begins_group[1:]) + 1
    # Number of groups begun up to each history; the root belongs to none.
    begun = np.cumsum(begins_group, dtype=np.int64) - begins_group[0]
    group_starts = np.append(first, num_histories).astype(np.int64)
    return Histories(
        # Groups are in order of children: count those that began before the first child.
        first_group=begun[first_child - 1],
        first_child=group_starts,
        probability=probability,
        cumulative=cumulate(group_starts, probability),
        action_set=action_set,
        action_sets=action_sets,
        known=known,
        utility=utility,
    )


def private_signals(tree: GameTree) -> IntArray:
    """Return [H, P] a number that identifies each player's private observations and their times."""
    columns = [_private_record(own)[tree.infostate[:, own.player]] for own in tree.infostate_trees]
    return np.stack(columns, axis=1)


def _private_record(own: InfostateTree) -> IntArray:
    """Return [S] a number that identifies the private observations on the path to an infostate."""
    numbers: dict[tuple[int, int], int] = {}
    record = [0]
    # Parents come first: a record is that of the parent and one more observation.
    steps = zip(own.parent[1:].tolist(), own.private_observation[1:].tolist(), strict=True)
    for parent, seen in steps:
        record.append(numbers.setdefault((record[parent], seen), len(numbers) + 1))
    return np.array(record, np.int32)
