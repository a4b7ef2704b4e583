"""What turns one form into another: how plans continue, and ends that one player decides."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from infoset.forms._public_payoff_kernels import CONSECUTIVE, LISTED, Composition
from infoset.forms.treeplex import Layout, Treeplex, is_new
from infoset.typing import BoolArray, FloatArray, IndexArray, IntArray, LongArray, Player

MIN_RUN = 8
"""Minimum number of consecutive indices that kernels do not read one by one."""


class PlanMap(NamedTuple):
    """How a plan [Q'] of a transform becomes a plan [Q] of its base: `weight * plan[last]`."""

    last: IntArray | LongArray
    """[Q] the sequence of the transform that each sequence of the base continues."""
    weight: FloatArray
    """[Q] what its entry of the plan is multiplied by."""
    scale: FloatArray
    """[Q] what the gradient of the base is multiplied by before the entries with the same `last`
    are added. It is `weight`, unless the player's payoffs differ from those that the other players'
    plans meet, as in a gadget game."""
    num_sequences: int
    """Number Q' of sequences of the transform."""

    @classmethod
    def identity(cls, num_sequences: int) -> PlanMap:
        """Return the map of plans onto themselves."""
        ones = np.broadcast_to(np.ones(1), num_sequences)
        return cls(np.arange(num_sequences), ones, ones, num_sequences)

    def expand(self, plan: FloatArray) -> FloatArray:
        """Return [Q] the plan of the base, given that of the transform."""
        expanded: FloatArray = plan[self.last] * self.weight
        return expanded

    def collect(self, gradient: FloatArray) -> FloatArray:
        """Return [Q'] the gradient of the transform, given that of the base."""
        # By the chain rule, with the transposed map: entries with the same `last` are added.
        return np.bincount(self.last, self.scale * gradient, self.num_sequences).astype(np.float64)

    def then(self, inner: PlanMap) -> PlanMap:
        """Return the map onto the base of the base, given the map `inner` of the base onto it."""
        return PlanMap(
            self.last[inner.last],
            self.weight[inner.last] * inner.weight,
            self.scale[inner.last] * inner.scale,
            self.num_sequences,
        )


class SideEnds(NamedTuple):
    """Ends [E] of a game that one player decides alone: the others have not acted before them."""

    player: IntArray
    """[E] who decides."""
    sequence: LongArray
    """[E] the sequence of that player, in the transform."""
    reach: FloatArray
    """[E, N] reach of chance in the payoffs of each player."""
    utility: FloatArray
    """[E, N] utility of each player."""

    @classmethod
    def none(cls, num_players: int) -> SideEnds:
        """Return no ends."""
        empty = np.zeros((0, num_players))
        return cls(np.zeros(0, np.int32), np.zeros(0, np.int64), empty, empty)

    def paid(self, of_reach: bool) -> FloatArray:
        """Return [E, N] utility times reach, or the reach alone."""
        return self.reach if of_reach else self.reach * self.utility


class Transform(NamedTuple):
    """Per player, the map of plans onto the base, and the ends that are added to those of the base.

    It is linear in each player's plan. So it can be applied to lists of payoffs, as sequence forms
    do, or to plans and gradients inside the kernels, as public forms do.
    """

    maps: tuple[PlanMap, ...]
    ends: SideEnds

    def then(self, inner: Transform) -> Transform:
        """Return the transform of the base of the base, given the transform `inner` of the base."""
        maps = tuple(own.then(below) for own, below in zip(self.maps, inner.maps, strict=True))
        ends, sequence, reach = inner.ends, inner.ends.sequence.copy(), inner.ends.reach.copy()
        for player, own in enumerate(self.maps):
            decided = np.flatnonzero(ends.player == player)
            here = ends.sequence[decided]
            # The decider's plan is weighted for the others, and its gradient is scaled for itself.
            sequence[decided] = own.last[here]
            weights = np.repeat(own.weight[here][:, None], len(self.maps), axis=1)
            weights[:, player] = own.scale[here]
            reach[decided] *= weights
        joined = SideEnds(
            np.concatenate([ends.player, self.ends.player]),
            np.concatenate([sequence, self.ends.sequence]),
            np.concatenate([reach, self.ends.reach]),
            np.concatenate([ends.utility, self.ends.utility]),
        )
        return Transform(maps, joined)

    def with_utility(self, utility: FloatArray) -> Transform:
        """Return the transform with another utility [E, N] at the added ends."""
        return self._replace(ends=self.ends._replace(utility=utility))

    def expand(self, plans: tuple[FloatArray, ...]) -> tuple[FloatArray, ...]:
        """Return per player [Q] the plans of the base, given those of the transform."""
        return tuple(own.expand(plan) for own, plan in zip(self.maps, plans, strict=True))

    def collect(
        self,
        gradient: FloatArray,
        plans: tuple[FloatArray, ...],
        player: Player,
        of_reach: bool = False,
    ) -> FloatArray:
        """Return [Q'] a player's gradient, given that of the base and all plans [Q']."""
        found = self.maps[player].collect(gradient)
        for other in range(len(self.maps)):
            sequence, paid = self._ends_of(other, player, of_reach)
            if other == player:
                np.add.at(found, sequence, paid)
            # What others decide does not depend on the own plan: it belongs to the empty sequence.
            elif len(paid):
                found[0] += float(paid @ plans[other][sequence])
        return found

    def _ends_of(
        self, decider: Player, player: Player, of_reach: bool
    ) -> tuple[LongArray, FloatArray]:
        """Return the sequences of the ends that a player decides, and what they pay a player."""
        chosen = self.ends.player == decider
        return self.ends.sequence[chosen], self.ends.paid(of_reach)[chosen, player]

    def contract(
        self, terminal_sequence: IntArray, payoff: FloatArray, of_reach: bool = False
    ) -> tuple[LongArray, FloatArray]:
        """Return tuples of sequences and payoffs [M', N], given those [M, N] of the base."""
        players, listed = range(len(self.maps)), np.ascontiguousarray(terminal_sequence.T)
        columns = [self.maps[p].last[listed[p]] for p in players]
        weights = [self.maps[p].weight[listed[p]] for p in players]
        # A payoff is multiplied by the own scale and by the weights of the others' plans.
        paid = np.empty_like(payoff)
        for player in players:
            factor = self.maps[player].scale[listed[player]]
            for other in players:
                factor = factor * weights[other] if other != player else factor
            paid[:, player] = payoff[:, player] * factor
        # At an added end, players who do not decide it have played nothing: the empty sequence.
        added = np.zeros((len(self.ends.player), len(self.maps)), np.int64)
        added[np.arange(len(added)), self.ends.player] = self.ends.sequence
        return (
            np.concatenate([np.stack(columns, axis=1), added]),
            np.concatenate([paid, self.ends.paid(of_reach)]),
        )

    def composition(
        self,
        player: Player,
        own: tuple[Layout, ...],
        base: tuple[Layout, ...],
        precision: str,
        of_reach: bool = False,
    ) -> Composition:
        """Return what kernels read for a player's gradient in a game of two players.

        Parameters
        ----------
        own, base : tuple[Layout, Layout]
            The layouts of the transform and of its base.
        of_reach
            Whether all utilities are 1.
        """
        other = 1 - player
        met, mine = self.maps[other], self.maps[player]
        # Maps are in the order of sequences, and kernels read positions, on both sides.
        source = np.empty(len(met.last), np.uint32)
        source[base[other].position] = own[other].position[met.last]
        offset_at, offset = _summed(own[player], *self._ends_of(player, player, of_reach))
        transfer_at, transfer = _summed(own[other], *self._ends_of(other, player, of_reach))
        weight = base[other].to_positions(met.weight).astype(precision)
        members = _members(mine, own[player], base[player], precision)
        # Kernels leave out the step of which the workspace is empty, because it changes nothing.
        is_met = _is_identity(source, weight, met.num_sequences)
        is_earned = _is_identity(members["member"], members["scale"], len(mine.last))
        is_earned = is_earned and not len(members["owner"]) + len(offset) + len(transfer)
        return Composition(
            source=source,
            weight=weight,
            source_runs=runs_of(source),
            **members,
            offset_at=offset_at,
            offset=offset.astype(precision),
            transfer_at=transfer_at,
            transfer=transfer.astype(precision),
            plan=np.zeros(0 if is_met else len(met.last), precision),
            gradient=np.zeros(0 if is_earned else len(mine.last), precision),
        )


def _is_identity(indices: IndexArray, weights: FloatArray, size: int) -> bool:
    """Return whether `weights * entries[indices]` are the `size` entries themselves."""
    is_same = len(indices) == size and bool((indices == np.arange(size)).all())
    return is_same and bool((weights == 1.0).all())


def _summed(layout: Layout, sequence: LongArray, paid: FloatArray) -> tuple[IndexArray, FloatArray]:
    """Return sorted places of sequences in a layout, and the sums of what is paid at each."""
    places, sums = np.zeros(0, np.uint32), np.zeros(0)
    if len(paid):
        places, inverse = np.unique(layout.position[sequence], return_inverse=True)
        np.add.at(sums := np.zeros(len(places)), inverse, paid)
    return places.astype(np.uint32), sums


def runs_of(index: IndexArray) -> LongArray:
    """Return [R + 1, 2] the beginnings and kinds of runs of indices, and their end.

    Fewer than `MIN_RUN` consecutive indices are listed, because each run costs time, too.
    """
    places = index.astype(np.int64)
    step = places[1:] - places[:-1]
    begins = np.flatnonzero(is_new(step))
    lengths = np.diff(np.append(begins, len(step)))
    is_run = (step[begins] == 1) & (lengths >= MIN_RUN)
    # A step leads to an entry, so the entry before the first step of a run is listed.
    kind = np.full(len(index), LISTED)
    kind[1:] = np.repeat(np.where(is_run, CONSECUTIVE, LISTED), lengths)
    first = np.flatnonzero(is_new(kind))
    return np.append(np.stack([first, kind[first]], axis=1), [[len(index), LISTED]], axis=0)


def _members(own_map: PlanMap, own: Layout, base: Layout, precision: str) -> dict[str, Any]:
    """Return the members of all sequences as fields of a `Composition`."""
    last = np.empty(len(own_map.last), np.int64)
    last[base.position] = own.position[own_map.last]
    scale = base.to_positions(own_map.scale).astype(precision)
    # Stable: members are added in the order of their positions, whatever the sequences are.
    order = np.argsort(last, kind="stable")
    is_first = is_new(last[order])
    first, later = order[is_first], order[~is_first]
    # A sequence that the base lacks has a member of scale zero.
    member = np.zeros(own_map.num_sequences, np.uint32)
    scales = np.zeros(own_map.num_sequences, precision)
    member[last[first]], scales[last[first]] = first, scale[first]
    return {
        "member": np.concatenate([member, later.astype(np.uint32)]),
        "scale": np.concatenate([scales, scale[later]]),
        "member_runs": runs_of(member),
        "owner": last[later].astype(np.uint32),
    }


def locked_map(
    plex: Treeplex, probabilities: FloatArray, locked: BoolArray
) -> tuple[PlanMap, LongArray]:
    """Return the map if probabilities [Q] are locked at infostates [I], and the sequences left.

    A sequence continues the last one on its path that is not locked. Its weight is the product of
    all locked probabilities on the path, because plans of the transform contain only the others.
    """
    above = np.zeros(plex.num_sequences, np.int32)
    above[1:] = np.repeat(plex.parent_sequence, plex.num_actions)
    held = np.zeros(plex.num_sequences, bool)
    held[1:] = np.repeat(locked, plex.num_actions)
    last = np.where(held, above, np.arange(plex.num_sequences, dtype=np.int32))
    # Pointer doubling: each pass halves the number of locked sequences left on a path.
    while held[last].any():
        last = last[last]
    weight = np.where(held, probabilities, 1.0)
    # The same for products: after k passes, an entry has the factors of 2^k steps.
    while above.any():
        weight *= weight[above]
        above = above[above]
    kept = np.flatnonzero(~held)
    number = np.cumsum(~held, dtype=np.int32) - 1
    return PlanMap(number[last], weight, weight, len(kept)), kept
