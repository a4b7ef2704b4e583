"""The memory of a tree search: the positions at its root, and the tree over infostates."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from infoset.beliefs import PublicPrivateBelief
from infoset.errors import ParameterError
from infoset.game import Infostate
from infoset.search._ismcts_kernels import (
    NO_NODE,
    NUM_INFOSTATES,
    THIS_SEARCH,
    Bonus,
    Playout,
    Roots,
    Tree,
    add_root_totals,
    copy_steps,
    start_search,
    start_widths,
)
from infoset.search.models import RootPositions, SearchModel, empty_position
from infoset.search.models.model import timed_roots
from infoset.typing import Action, FloatArray, Player


class SearchRoot(NamedTuple):
    """The root of a search: the legal actions at an infostate and the positions of its belief."""

    actions: tuple[Action, ...]
    """[A] the legal actions."""
    kernel_roots: Roots
    """The positions of the belief, for the kernels."""
    model_noise: float = 0.0
    """As in `Belief`."""

    @classmethod
    def at(
        cls,
        model: SearchModel,
        belief: PublicPrivateBelief,
        infostate: Infostate,
        rng: np.random.Generator,
        seconds: float | None = None,
        opponent_public_weight: float | None = None,
    ) -> SearchRoot:
        """Return the root of a search at an infostate, with a time limit or without.

        opponent_public_weight : weight of the public belief in the positions, if it differs from
            that of the belief.

        Raises
        ------
        UnknownNameError
            If no play leads to the infostate.
        ParameterError
            If its player does not act there, or as in `own_weights`.
        """
        actions = model.require_legal_actions(infostate)
        of_tree = belief
        if opponent_public_weight is not None:
            of_tree = replace(belief, public_weight=opponent_public_weight)
        roots = timed_roots(model, infostate, of_tree, rng, seconds)
        # Offset the numbers of each player past those of the earlier players.
        sizes = roots.infostates.max(axis=0) + 1
        infostates = roots.infostates + (np.cumsum(sizes) - sizes)
        own, first = np.unique(infostates[:, infostate.player], return_index=True)
        weights = (belief.public_weight_at(infostate), of_tree.public_weight_at(infostate))
        cumulative = np.cumsum(roots.probability)
        cumulative[-1] = np.inf
        kernel_roots = Roots(  # copies, because Numba compiles anew for read-only arrays
            np.array(roots.states, np.int64, order="C"),
            np.array(roots.rewards_so_far, np.float64, order="C"),
            np.array(infostates, np.int64, order="C"),
            cumulative,
            int(sizes.sum()),
            own,
            own_weights(roots, infostate.player, *weights),
            np.array(model.action_indices(infostate, roots)[first], np.int64, order="C"),
        )
        return cls(actions, kernel_roots, roots.model_noise)


def own_weights(
    roots: RootPositions, player: Player, public_weight: float, opponent_public_weight: float
) -> FloatArray:
    """Return [M] the factors of the visits at the player's M infostates of the roots.

    The positions have the public weight μ of the opponents; the answer has the public weight λ of
    the player. Given the player's infostate x, the private and the public belief are equal (if
    neither needs `model_noise`), because the player's own reach is the same at all histories of x.
    Both mixtures therefore differ only in the probability of x. With P(x) that of the public belief
    and the true infostate s,

        B_λ(h) / B_μ(h) = ((1 - λ) 1[x = s] + λ P(x)) / ((1 - μ) 1[x = s] + μ P(x))

    For two equal weights this is 1. At infostates other than s it is λ / μ.

    Raises
    ------
    ParameterError
        If the true infostate s has no position.
    """
    found, place = np.unique(roots.infostates[:, player], return_inverse=True)
    if public_weight == opponent_public_weight:
        return np.ones(len(found))
    probability = np.bincount(place, weights=roots.probability)
    is_true = found == 0  # see `RootPositions.infostates`
    if not is_true.any():
        raise ParameterError(
            f"with opponent_public_weight={opponent_public_weight:g}, no history of the belief "
            "agrees with the player's own information: the belief has too few samples, or assumed "
            "policies exclude them all; give a weight below 1, such as opponent_public_weight=0.9"
        )
    public = (probability[is_true] - (1 - opponent_public_weight)) / opponent_public_weight
    weights = np.full(len(found), public_weight / opponent_public_weight)
    weights[is_true] = (1 - public_weight + public_weight * public) / probability[is_true]
    return weights


class SearchTree:
    """The memory of a searcher, reused by successive searches.

    Earlier searches do not affect later ones: rows of the hash table carry the number of their
    search, and everything else is written before it is read.

    Parameters
    ----------
    state_size, num_players
        Of the model.
    num_infostates
        Initial capacity, a power of 2.

    Attributes
    ----------
    tree : Tree
    playout : Playout
    """

    def __init__(self, state_size: int, num_players: int, *, num_infostates: int = 1024) -> None:
        self.tree = _empty_tree(num_infostates, 4 * num_infostates, max(1, num_infostates // 16))
        self.playout = Playout(
            empty_position(state_size, num_players),
            empty_position(state_size, num_players),
            np.zeros(num_players, np.int64),
            *np.zeros((3, num_players)),
        )

    def start_search(self, num_infostates: int, bonus: Bonus) -> None:
        """Empty the tree except for the infostates at the roots, and forget the utilities."""
        self.reserve(num_infostates)
        start_search(self.tree, num_infostates)
        start_widths(self.playout, bonus)

    def reserve(self, num_infostates: int) -> None:
        """Grow to a capacity of at least `num_infostates`."""
        while num_infostates > len(self.tree.visits):
            self.grow()

    def grow(self) -> None:
        """Double the capacity, keeping the contents."""
        old = self.tree
        new = _empty_tree(2 * len(old.visits), 2 * len(old.returns), 2 * len(old.path))
        copy_steps(old.steps, new.steps, old.counts[THIS_SEARCH])
        for before, after in zip(old[1:], new[1:], strict=True):
            after[: len(before)] = before
        self.tree = new

    @property
    def num_nodes(self) -> int:
        """Number of nodes in the tree of the last search."""
        number = self.tree.counts[NUM_INFOSTATES]
        return int((self.tree.first_entry[:number] != NO_NODE).sum())

    def root_totals(self, roots: Roots) -> tuple[FloatArray, FloatArray]:
        """Return visits [A] and returns [A] of the actions, summed over the player's root nodes.

        Both are multiplied by `own_weights`. Returns are in `SUM_UNIT`.
        """
        visits, returns = np.zeros((2, roots.action_indices.shape[1]))
        add_root_totals(self.tree, roots, visits, returns)
        return visits, returns


def _empty_tree(num_infostates: int, num_entries: int, length: int) -> Tree:
    """Return an empty tree with the given capacities."""
    return Tree(
        steps=np.zeros((2 * num_infostates, 4), np.int64),
        first_entry=np.full(num_infostates, NO_NODE, np.int64),
        visits=np.zeros(num_infostates, np.int64),
        entry_visits=np.zeros(num_entries, np.int64),
        returns=np.zeros(num_entries),
        path=np.zeros((length, 3), np.int64),
        counts=np.zeros(3, np.int64),
    )
