"""Where the simulations of a search begin."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from infoset.beliefs import PublicPrivateBelief
from infoset.game import Infostate
from infoset.search.ismcts._kernels import RootNodes, Start
from infoset.search.models import SearchModel
from infoset.typing import Action, FloatArray

__all__ = ["Beginning", "begin_at"]


class Beginning(NamedTuple):
    """What a search needs of an infostate before it draws anything.

    Attributes
    ----------
    actions : tuple[Action, ...]
        [A] the legal ones.
    start : Start
    roots : RootNodes
    """

    actions: tuple[Action, ...]
    start: Start
    roots: RootNodes


def begin_at(
    model: SearchModel,
    belief: PublicPrivateBelief,
    infostate: Infostate,
    rng: np.random.Generator,
) -> Beginning:
    """Return where a search at an infostate begins.

    Raises
    ------
    UnknownNameError
        If no play leads to the infostate.
    ParameterError
        If its player does not act there.
    """
    actions = model.acting_actions(infostate)
    roots = model.roots(infostate, belief, rng)
    sizes = roots.infostates.max(axis=0) + 1
    known = roots.infostates + (np.cumsum(sizes) - sizes)
    start = Start(  # copies: what may be written to is of another type than what may not
        np.array(roots.states, np.int64, order="C"),
        np.array(roots.rewards_so_far, np.float64, order="C"),
        np.array(known, np.int64, order="C"),
        _sums(roots.probability),
    )
    own, first = np.unique(known[:, infostate.player], return_index=True)
    numbers = model.action_indices(infostate, roots)[first]
    return Beginning(actions, start, RootNodes(int(sizes.sum()), own, numbers))


def _sums(probability: FloatArray) -> FloatArray:
    """Return [K] the sum of the probabilities up to each; infinite for the last."""
    below = np.cumsum(probability)
    below[-1] = np.inf
    return below
