"""Exact deterministic timings of extensive forms."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from infoset.efg._kernels import latest_times
from infoset.efg.information import Violation
from infoset.errors import UnsupportedGameError
from infoset.typing import IntArray

if TYPE_CHECKING:
    from infoset.efg.form import ExtensiveForm

__all__ = ["exact_timing", "find_timing_cycle", "find_uneven_timing"]


def exact_timing(form: ExtensiveForm) -> IntArray:
    """Return the earliest exact deterministic timing of an extensive form.

    A deterministic timing gives every history a time at least one later than its parent's; it is
    exact when all histories of an information set of whoever acts have one time.

    Returns
    -------
    IntArray
        [H] times, 0 at the root. Of all exact timings with that, the earliest at every history:
        the longest path to it when the histories of each information set are merged.

    Raises
    ------
    UnsupportedGameError
        If there is none: the merged graph has a cycle, which the message gives.

    Notes
    -----
    Source: Kovařík et al. (2022), Definition 3.8; Jakobsen, Sørensen and Conitzer (2016).
    """
    group = _groups(form)
    times, missing = latest_times(form.parent, group, int(group.max()) + 1)
    if missing.any():
        raise UnsupportedGameError(f"{form.name} is not timeable: {find_timing_cycle(form)}")
    return times[group]


def find_timing_cycle(form: ExtensiveForm) -> Violation | None:
    """Find a cycle of information sets each of which must happen before the next.

    The witness lists histories in pairs: the second of a pair extends the first, and the first of
    the next pair is in the information set of the second of the pair before it.
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
        rule="timeable: some time can be given to every information set, later than that of "
        "any history before it",
        histories=tuple(history for step in steps for history in step),
        found="information sets form a cycle in time: "
        + "; ".join(texts)
        + "; and the last of these cannot be told from the first",
    )


def find_uneven_timing(form: ExtensiveForm) -> Violation | None:
    """Find an information set of whoever acts with histories after different numbers of moves.

    Where there is none, the form is 1-timeable: the number of moves is an exact timing.
    """
    group = _groups(form)
    _, first = np.unique(group, return_index=True)
    wrong = np.flatnonzero(form.depth != form.depth[first[group]])
    if not len(wrong):
        return None
    later = int(wrong[0])
    earlier = int(first[group[later]])
    return Violation(
        rule="1-timeable: all histories of an information set come after the same number of moves",
        histories=(earlier, later),
        found=f"player {form.actor[later]} cannot tell {form.history_label(earlier)!r}, at depth "
        f"{form.depth[earlier]}, from {form.history_label(later)!r}, at depth "
        f"{form.depth[later]}",
        player=int(form.actor[later]),
    )


def _groups(form: ExtensiveForm) -> IntArray:
    """Return [H] numbers that are the same exactly within information sets of whoever acts."""
    group = np.arange(form.num_histories, dtype=np.int64)
    for player in range(form.num_players):
        sets = form.acting_infoset[:, player]
        _numbers, first, inverse = np.unique(sets, return_index=True, return_inverse=True)
        group = np.where(sets >= 0, first[inverse], group)
    return np.unique(group, return_inverse=True)[1].astype(np.int32)


def _cycle(form: ExtensiveForm, group: IntArray, missing: IntArray) -> list[tuple[int, int]]:
    """Return moves (from, to) through a cycle of groups, each to the group of the next one's from.

    Every group without a time has a parent group without one: go back until one is met again.
    """
    back: dict[int, tuple[int, int]] = {}
    here = int(group[_untimed_members(group, missing)[0]])
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


def _untimed_members(group: IntArray, missing: IntArray) -> IntArray:
    return np.flatnonzero(missing[group] > 0).astype(np.int32)
