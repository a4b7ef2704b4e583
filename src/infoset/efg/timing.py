"""Exact deterministic timings of extensive forms."""

from __future__ import annotations

import numpy as np

from infoset.efg._history_kernels import latest_times
from infoset.efg.histories import HistoryTree
from infoset.efg.information_sets import Violation
from infoset.errors import UnsupportedGameError
from infoset.typing import IntArray


def exact_timing(form: HistoryTree) -> IntArray:
    """Return the earliest exact deterministic timing of an extensive form.

    A deterministic timing gives every history a time at least one later than its parent's. It is
    exact if all histories of an acting player's information set have the same time.

    Returns
    -------
    IntArray
        [H] times, 0 at the root: the length of the longest path to each history in the graph in
        which the histories of each information set are merged. No exact timing is earlier.

    Raises
    ------
    UnsupportedGameError
        If the merged graph has a cycle, so that no exact timing exists. The message gives the
        cycle.

    Notes
    -----
    Source: Kovařík et al. (2022), Definition 3.8; Jakobsen, Sørensen and Conitzer (2016).
    """
    group = _groups(form)
    times, missing = latest_times(form.parent, group, int(group.max()) + 1)
    if missing.any():
        raise UnsupportedGameError(f"{form.name} is not timeable: {find_timing_cycle(form)}")
    return times[group]


def find_timing_cycle(form: HistoryTree) -> Violation | None:
    """Find a cycle of information sets in which each must come before the next.

    The histories of the violation form pairs. In each pair, the second history extends the first,
    and is in the same information set as the first history of the next pair.
    """
    group = _groups(form)
    _, missing = latest_times(form.parent, group, int(group.max()) + 1)
    if not missing.any():
        return None
    steps = _cycle(form, group, missing)
    texts = [
        f"{form.history_label(after)!r} comes after {form.history_label(before)!r}"
        for before, after in steps
    ]
    return Violation(
        rule="timeable: every information set can be given a time later than the times of all "
        "histories before it",
        histories=tuple(history for step in steps for history in step),
        found="information sets form a cycle in time: "
        + "; ".join(texts)
        + "; and the player cannot tell the last of these from the first",
    )


def find_uneven_timing(form: HistoryTree) -> Violation | None:
    """Find an acting player's information set with histories of different lengths.

    If there is none, the form is 1-timeable: the number of moves is an exact timing.
    """
    group = _groups(form)
    _, first = np.unique(group, return_index=True)
    wrong = np.flatnonzero(form.depth != form.depth[first[group]])
    if not len(wrong):
        return None
    later = int(wrong[0])
    earlier = int(first[group[later]])
    return Violation(
        rule="1-timeable: all histories of an information set have the same number of moves",
        histories=(earlier, later),
        found=f"player {form.actor[later]} cannot tell {form.history_label(earlier)!r}, at depth "
        f"{form.depth[earlier]}, from {form.history_label(later)!r}, at depth "
        f"{form.depth[later]}",
        player=int(form.actor[later]),
    )


def _groups(form: HistoryTree) -> IntArray:
    """Return [H] a number for each acting player's information set and each other history."""
    group = np.arange(form.num_histories, dtype=np.int64)
    for player in range(form.num_players):
        sets = form.acting_infoset[:, player]
        _numbers, first, inverse = np.unique(sets, return_index=True, return_inverse=True)
        # A set has the number of its first history, which no other group has.
        group = np.where(sets >= 0, first[inverse], group)
    return np.unique(group, return_inverse=True)[1].astype(np.int32)


def _cycle(form: HistoryTree, group: IntArray, missing: IntArray) -> list[tuple[int, int]]:
    """Return the moves (from, to) along a cycle of groups.

    Every group without a time has a parent group without a time. The search goes backward until a
    group repeats.
    """
    back: dict[int, tuple[int, int]] = {}
    here = int(group[np.flatnonzero(missing[group] > 0)[0]])
    while here not in back:
        members = np.flatnonzero(group == here)
        members = members[members > 0]
        stuck = members[missing[group[form.parent[members]]] > 0]
        back[here] = (int(form.parent[stuck[0]]), int(stuck[0]))
        here = int(group[back[here][0]])
    steps: list[tuple[int, int]] = []
    end = here
    while not steps or here != end:
        steps.append(back[here])
        here = int(group[back[here][0]])
    return steps[::-1]
