"""The sequence form: treeplexes and payoffs, the ground of solving and measuring."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from infoset.tree._kernels import most_additions, most_multiplications
from infoset.tree.infostate_tree import InfostateTree
from infoset.tree.world_graph import freeze
from infoset.typing import FloatArray, IntArray, LongArray

__all__ = ["SequenceForm", "Treeplex", "common_sum", "sequence_form"]

SUM_TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False)
class Treeplex:
    """The acting infostates of one player and their sequences, parents first.

    Sequence 0 is the empty one; those of acting infostate i are
    `first_sequence[i]:first_sequence[i] + num_actions[i]`, one per action.

    Attributes
    ----------
    parent_sequence : IntArray
        [I] last own sequence before the infostate.
    first_sequence, num_actions : IntArray
        [I] see above.
    num_sequences : int
        Q, the empty one included.
    """

    parent_sequence: IntArray
    first_sequence: IntArray
    num_actions: IntArray
    num_sequences: int

    def __post_init__(self) -> None:
        freeze(self)

    @property
    def num_infostates(self) -> int:
        """Number I of acting infostates."""
        return len(self.num_actions)

    @cached_property
    def infostate_of_sequence(self) -> IntArray:
        """[Q] the acting infostate of each sequence; -1 for the empty one."""
        owners = np.repeat(np.arange(self.num_infostates, dtype=np.int32), self.num_actions)
        return np.concatenate([np.array([-1], np.int32), owners])


@dataclass(frozen=True, eq=False)
class SequenceForm:
    """A game as realization plans and payoffs.

    The expected utility of player p is `Σ_m payoff[m, p] Π_i plan_i[terminal_sequence[m, i]]`.

    Attributes
    ----------
    name : str
        The game, as `load` reads it.
    treeplexes : tuple[Treeplex, ...]
        One per player.
    infostate_trees : tuple[InfostateTree, ...]
        Where infostates and actions have their labels.
    terminal_sequence : IntArray
        [M, N] different tuples of last own sequences at terminal histories, sorted.
    payoff : FloatArray
        [M, N] utilities times nature's reach, summed over the terminal histories of the tuple;
        tuples whose payoffs are all zero are left out.
    payoff_range : tuple[float, float]
        Least and greatest utility of any player at any terminal history.
    constant_sum : float or None
        What the utilities sum to at every terminal history, if that is constant.

    Source: von Stengel (1996); Kovařík et al. (2022), Section 4.4.
    """

    name: str
    treeplexes: tuple[Treeplex, ...]
    infostate_trees: tuple[InfostateTree, ...]
    terminal_sequence: IntArray
    payoff: FloatArray
    payoff_range: tuple[float, float]
    constant_sum: float | None

    def __post_init__(self) -> None:
        freeze(self)

    @property
    def num_players(self) -> int:
        """Number of players."""
        return len(self.treeplexes)

    @property
    def num_payoffs(self) -> int:
        """Number M of tuples of sequences with a payoff."""
        return len(self.payoff)

    @property
    def is_two_player_constant_sum(self) -> bool:
        """Whether exploitability is defined."""
        return self.num_players == 2 and self.constant_sum is not None

    @property
    def is_zero_sum(self) -> bool:
        """Whether the utilities of all players sum to zero."""
        return self.constant_sum == 0.0

    @cached_property
    def rounding(self) -> float:
        """How far float64 may put the value of a best response off, in the game's units.

        A bound, to first order: the most roundings that a payoff meets on its way into the value,
        policies made into plans included, times the unit of float64 and the largest utility.
        """
        plans = [
            most_multiplications(
                plex.parent_sequence, plex.first_sequence, plex.num_actions, plex.num_sequences
            )
            for plex in self.treeplexes
        ]
        sums = [
            most_additions(
                plex.parent_sequence,
                plex.first_sequence,
                plex.num_actions,
                np.bincount(self.terminal_sequence[:, player], minlength=plex.num_sequences),
            )
            for player, plex in enumerate(self.treeplexes)
        ]
        largest = max(map(abs, self.payoff_range))
        return (max(sums) + sum(plans)) * float(np.finfo(np.float64).eps) * largest

    @cached_property
    def fingerprint(self) -> str:
        """A digest of structure, action labels and payoffs: the same game has the same everywhere.

        Observations enter by what they tell apart, not by how they are written.
        """
        digest = hashlib.sha256()
        for tree in self.infostate_trees:
            for array in (tree.parent, tree.action, tree.action_set, tree.public_state):
                digest.update(np.ascontiguousarray(array).astype("<i4").tobytes())
        labels = self.infostate_trees[0].action_sets
        digest.update("\n".join(map(_canonical_text, labels)).encode())
        digest.update(np.ascontiguousarray(self.terminal_sequence).astype("<i4").tobytes())
        digest.update(np.ascontiguousarray(self.payoff).astype("<f8").tobytes())
        return digest.hexdigest()


def _canonical_text(value: object) -> str:
    """Return a label as text that does not depend on the order in which sets are kept."""
    if isinstance(value, (set, frozenset)):
        return "{" + ",".join(sorted(map(_canonical_text, value))) + "}"
    if isinstance(value, tuple):
        return "(" + ",".join(map(_canonical_text, value)) + ")"
    return str(value)


def sequence_form(
    name: str,
    infostate_trees: tuple[InfostateTree, ...],
    sequence: IntArray,
    chance_reach: FloatArray,
    utility: FloatArray,
) -> SequenceForm:
    """Contract terminal histories to the sequence form.

    Parameters
    ----------
    name : str
    infostate_trees : tuple[InfostateTree, ...]
    sequence : IntArray
        [Z, N] last own sequences at the terminal histories.
    chance_reach : FloatArray
        [Z] nature's reach of them.
    utility : FloatArray
        [Z, N] utilities at them.
    """
    sizes = tuple(tree.num_sequences for tree in infostate_trees)
    terminal_sequence, payoff = _merge(sequence, utility * chance_reach[:, None], sizes)
    kept = (payoff != 0).any(axis=1)
    return SequenceForm(
        name=name,
        treeplexes=tuple(_treeplex(tree) for tree in infostate_trees),
        infostate_trees=infostate_trees,
        terminal_sequence=terminal_sequence[kept],
        payoff=payoff[kept],
        payoff_range=(float(utility.min()), float(utility.max())),
        constant_sum=common_sum(utility),
    )


def _treeplex(tree: InfostateTree) -> Treeplex:
    return Treeplex(
        parent_sequence=tree.last_sequence[tree.acting],
        first_sequence=tree.first_sequence[tree.acting],
        num_actions=tree.num_actions[tree.acting],
        num_sequences=tree.num_sequences,
    )


def _merge(
    sequence: IntArray, payoff: FloatArray, sizes: tuple[int, ...]
) -> tuple[IntArray, FloatArray]:
    """Sum the payoffs of equal tuples of sequences, in order of the tuples."""
    key = _mixed_radix(sequence, sizes)
    order = np.argsort(key, kind="stable") if key is not None else np.lexsort(sequence.T[::-1])
    ordered = sequence[order]
    is_new = np.ones(len(ordered), dtype=bool)
    is_new[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    starts = np.flatnonzero(is_new)
    return ordered[starts], np.add.reduceat(payoff[order], starts, axis=0)


def _mixed_radix(sequence: IntArray, sizes: tuple[int, ...]) -> LongArray | None:
    """Return each tuple as one integer, or None where they do not fit in 64 bits."""
    product = 1
    for size in sizes:
        product *= size
    if product >= 2**63:
        return None
    key: NDArray[np.int64] = sequence[:, 0].astype(np.int64)
    for player, size in enumerate(sizes[1:], start=1):
        key = key * size + sequence[:, player]
    return key


def common_sum(utility: FloatArray) -> float | None:
    """Return what the rows of `utility` [Z, N] all sum to, up to rounding; None if they differ."""
    sums = utility.sum(axis=1)
    scale = max(1.0, float(np.abs(utility).max()))
    if np.ptp(sums) > SUM_TOLERANCE * scale:
        return None
    constant = float(sums[0])
    return 0.0 if abs(constant) <= SUM_TOLERANCE * scale else constant
