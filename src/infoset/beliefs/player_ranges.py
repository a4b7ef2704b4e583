"""The range of every player at a public state."""

from __future__ import annotations

import numpy as np

from infoset.errors import ParameterError
from infoset.policy import TabularPolicy
from infoset.typing import FloatArray

__all__ = ["normalized_range", "ranges"]


def ranges(
    policy: TabularPolicy, public_state: int, *, normalized: bool = False
) -> tuple[FloatArray, ...]:
    """Return every player's range at a public state: its own reach of each of its infostates.

    Nature is left out: the entry of an infostate is the probability that the player's own
    actions lead there. `PublicBeliefState.marginals` has nature in it.

    Parameters
    ----------
    policy : TabularPolicy
    public_state : int
        Its number in the public tree.
    normalized : bool
        Whether the range of each player is divided by its sum.

    Returns
    -------
    tuple[FloatArray, ...]
        Per player [number of its infostates at the public state], in the order of
        `PublicTree.infostates`.

    Raises
    ------
    ParameterError
        If a range that is to be normalised is zero: the player's policy never goes there.

    Notes
    -----
    Source: Kovařík et al. (2022), Definition 4.2 and footnote 34.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.policy import uniform_policy
    >>> from infoset.tree import build_tree
    >>> kuhn = build_tree(load_game("kuhn_poker"))
    >>> [r.tolist() for r in ranges(uniform_policy(kuhn.sequence_form), 3)]
    [[0.5, 0.5, 0.5], [1.0, 1.0, 1.0]]
    """
    found = []
    for player, tree in enumerate(policy.sequence_form.infostate_trees):
        here = np.flatnonzero(tree.public_state == public_state)
        found.append(policy.realization_plan(player)[tree.last_sequence[here]])
    return tuple(map(normalized_range, found)) if normalized else tuple(found)


def normalized_range(player_range: FloatArray) -> FloatArray:
    """Return a range divided by its sum."""
    total = float(player_range.sum())
    if not total > 0:
        raise ParameterError(
            "a range of zeros cannot be normalised: the player's own actions never lead to this "
            "public state; use the range as it is"
        )
    return player_range / total
