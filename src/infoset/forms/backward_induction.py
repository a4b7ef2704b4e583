"""Backward induction where information is perfect, on the terminals that a form lists."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from infoset.forms.form import Form
from infoset.forms.payoffs import ROUNDING_TOLERANCE
from infoset.forms.sequence_form import SequenceForm, as_sequence_form
from infoset.forms.transform import locked_map
from infoset.forms.treeplex import Treeplex, is_new
from infoset.typing import BoolArray, FloatArray, IntArray, LongArray, Player
from infoset.utils.sorting import lexicographic_order

MAX_COST = 1_000_000
"""Numbers read by a gradient up to which backward induction takes a fraction of a second."""


@dataclass(frozen=True, eq=False)
class RolledBack:
    """A game after play was replaced by its payoffs wherever information is perfect.

    Information is perfect from an infostate on if all decisions there and below are made by players
    who know every decision before. Outcomes of chance may be unknown, as long as nobody could act
    on them before. Infostates with a single action are not decisions, and are left out, too.
    """

    sequence: IntArray
    """[M, N] the remaining distinct tuples of the players' last sequences, sorted."""
    reach: FloatArray
    """[M] chance reach of each tuple, times the probabilities of replaced decisions."""
    payoff: FloatArray
    """[M, N] utility times this reach."""
    is_decided: tuple[BoolArray, ...]
    """Per player, [I] whether information is perfect from an infostate on, or it has a single
    action."""
    is_rational: tuple[BoolArray, ...]
    """Per player, [I] whether information is perfect from an infostate on, and every action that is
    played there and below is best."""
    is_possible: tuple[BoolArray, ...]
    """Per player, [I] whether some play leads to an infostate; chance may rule it out."""
    probabilities: tuple[FloatArray, ...]
    """Per player, [Q] the policy at decided infostates; uniform elsewhere."""


def roll_back(form: Form, policy: tuple[FloatArray, ...] | None = None) -> RolledBack | None:
    """Replace play by its payoffs, bottom up, wherever information is perfect.

    An infostate is replaced if all terminals left at its sequences have the same sequences of the
    other players, with one terminal for each action: these terminals become one, at the sequence
    before the infostate, with the payoffs of the policy. In a game of perfect information, one
    terminal remains in the end.

    Parameters
    ----------
    policy
        Per player, [Q] probabilities. By default, the best action at each infostate that is
        replaced; of equally good ones (up to rounding), the first.

    Returns
    -------
    RolledBack or None
        None if the form does not list its terminals with their reach, as public forms do not.
    """
    listed = as_sequence_form(form) if form.kind == "sequence" else None
    if listed is None or listed.reach_source is None:
        return None
    game = _Rollback(listed, policy)
    while sum(game.replace_all(player) for player in range(form.num_players)):
        pass  # Replacing infostates of one player may free those of others.
    return game.result()


def may_roll_back(form: Form) -> bool:
    """Return whether information may be perfect somewhere, judged by nonzero payoffs.

    Where all payoffs below are zero, nothing needs to be decided. In games whose gradients read
    more than `MAX_COST` numbers, information must be perfect for a tenth of the terminals: there,
    `roll_back` takes as long as hundreds of gradients, and this function as long as a few.
    """
    if form.kind != "sequence":
        return False
    listed = as_sequence_form(form).terminal_sequence
    choices, sequence = [*map(_Choices.of, form.treeplexes)], listed
    if any((plex.num_actions == 1).any() for plex in form.treeplexes):
        sequence, _ = _merged(choices, listed, np.zeros((len(listed), 0)))
    # Large games must be worth the time: where much can be replaced, it is near the ends.
    enough = len(sequence) // 10 if form.gradient_cost > MAX_COST else 1
    for player, own in enumerate(choices):
        # Omitted terminals, which pay nothing, cannot make the sequences of the others agree.
        can = _infostates_of(own.plex, listed[:, player]) & (own.plex.num_actions > 1)
        if len(_rows_to_replace(own, sequence, player, can, min_rows=0)) >= max(1, enough):
            return True
    return False


class _Choices(NamedTuple):
    """The infostates of a player with more than one action."""

    plex: Treeplex
    last: LongArray
    """[Q] the last action that was a choice, on the path of a sequence."""
    owner: IntArray
    """[Q] the infostate of each sequence; -1 for the empty one."""

    @classmethod
    def of(cls, plex: Treeplex) -> _Choices:
        """Return the choices of a player."""
        free, kept = locked_map(plex, np.ones(plex.num_sequences), plex.num_actions == 1)
        return cls(plex, kept[free.last], plex.infostate_of_sequence)

    def before(self, infostates: BoolArray | IntArray) -> LongArray:
        """Return the last choice before some infostates, as a sequence."""
        return self.last[self.plex.parent_sequence[infostates]]


class _Rollback:
    """The remaining terminals, and the decisions so far."""

    def __init__(self, form: SequenceForm, policy: tuple[FloatArray, ...] | None) -> None:
        self._choices, self._policy = [*map(_Choices.of, form.treeplexes)], policy
        sequence, reach = form.terminal_reach
        payoff = form.payoffs_at(sequence)
        # [M, 2 N + 2] payoffs, the sums of their absolute values, which bound rounding errors,
        # the number of mistakes below, and the reach. Terminals of equal sequences are added.
        columns = (payoff, np.abs(payoff), np.zeros_like(reach)[:, None], reach[:, None])
        numbers = np.concatenate(columns, axis=1)
        self._sequence, self._numbers = _merged(self._choices, sequence, numbers)
        pairs = zip(form.treeplexes, sequence.T, strict=True)
        self._possible = [_infostates_of(*pair) for pair in pairs]
        self._decided = [plex.num_actions == 1 for plex in form.treeplexes]
        self._rational = [np.zeros(plex.num_infostates, bool) for plex in form.treeplexes]
        self._chosen = [plex.uniform_policy() for plex in form.treeplexes]

    def replace_all(self, player: Player) -> bool:
        """Replace the infostates of a player that can be replaced; return whether there are any."""
        choices = self._choices[player]
        left = self._possible[player] & ~self._decided[player]
        rows = _rows_to_replace(choices, self._sequence, player, left)
        if not len(rows):
            return False
        own = self._sequence[rows, player]
        begins = np.flatnonzero(is_new(choices.owner[own]))
        infostates = choices.owner[own[begins]]
        is_best = self._are_best(rows, begins, choices.plex.num_actions[infostates], player)
        if self._policy is None:
            # The rows of each infostate are in the order of its actions.
            first = np.minimum.reduceat(np.where(is_best, np.arange(len(rows)), len(rows)), begins)
            weights = np.zeros(len(rows))
            weights[first] = 1.0
        else:
            weights = self._policy[player][own]
        numbers = np.add.reduceat(self._numbers[rows] * weights[:, None], begins, axis=0)
        below = np.add.reduceat(self._numbers[rows, -2], begins)
        # Also the mistakes below actions that are not played: a threat must be credible.
        numbers[:, -2] = below + np.add.reduceat((weights > 0) & ~is_best, begins)
        self._chosen[player][own] = weights
        self._decided[player][infostates] = True
        self._rational[player][infostates] = numbers[:, -2] == 0
        sequence = self._sequence[rows[begins]]
        sequence[:, player] = choices.before(infostates)
        kept = np.delete(np.arange(len(self._sequence)), rows)
        self._sequence, self._numbers = _merged(
            self._choices,
            np.concatenate([self._sequence[kept], sequence]),
            np.concatenate([self._numbers[kept], numbers]),
        )
        return True

    def _are_best(
        self, rows: LongArray, begins: LongArray, sizes: IntArray, player: Player
    ) -> BoolArray:
        """Return [rows] whether an action is best at its infostate, up to rounding."""
        num_players = len(self._choices)
        value = self._numbers[rows, player]
        rounding = ROUNDING_TOLERANCE * self._numbers[rows, num_players + player]
        certain = np.maximum.reduceat(value - rounding, begins)
        is_best: BoolArray = value + rounding >= np.repeat(certain, sizes)
        return is_best

    def result(self) -> RolledBack:
        """Return the remaining terminals, and all decisions."""
        return RolledBack(
            self._sequence,
            reach=self._numbers[:, -1],
            payoff=self._numbers[:, : len(self._choices)],
            is_decided=tuple(self._decided),
            is_rational=tuple(self._rational),
            is_possible=tuple(self._possible),
            probabilities=tuple(self._chosen),
        )


def _merged(
    choices: Sequence[_Choices], sequence: IntArray, numbers: FloatArray
) -> tuple[IntArray, FloatArray]:
    """Return the distinct tuples of the players' last choices, and the sums of their numbers."""
    pairs = zip(choices, sequence.T, strict=True)
    columns = np.stack([own.last[column] for own, column in pairs]).astype(np.uint32)
    order = lexicographic_order(tuple(columns), [len(own.last) for own in choices])
    columns = columns[:, order]
    begins = np.flatnonzero(is_new(*columns))
    merged = columns[:, begins].T.astype(np.int32)
    if not numbers.size:
        return merged, numbers
    return merged, np.add.reduceat(numbers[order], begins, axis=0)


def _rows_to_replace(
    choices: _Choices, sequence: IntArray, player: Player, left: BoolArray, min_rows: int = 1
) -> LongArray:
    """Return the terminals of the infostates that can be replaced, sorted by own sequence.

    Parameters
    ----------
    sequence
        [M, N] the distinct tuples of the players' last choices.
    left
        [I] the infostates that are not replaced, and that terminals follow.
    min_rows
        Minimum number of terminals of each action; the maximum is 1.
    """
    if not left.any():
        return np.zeros(0, np.int64)
    own, owner = sequence[:, player], choices.owner
    counts = np.bincount(own, minlength=len(owner))[1:]
    fits = (counts <= 1) & (counts >= min_rows)
    can = left & np.logical_and.reduceat(fits, choices.plex.first_sequence - 1)
    above = owner[choices.before(left)]
    can[above[above >= 0]] = False
    # Index -1, the owner of the empty sequence, reads the last entry.
    rows = np.flatnonzero(np.append(can, False)[owner[own]])
    rows = rows[np.argsort(own[rows], kind="stable")]
    begins = is_new(owner[own[rows]])
    heads = rows[np.flatnonzero(begins)[np.cumsum(begins) - 1]]
    others = [other for other in range(sequence.shape[1]) if other != player]
    differs = (sequence[rows][:, others] != sequence[heads][:, others]).any(axis=1)
    can[owner[own[rows[differs]]]] = False
    return rows[can[owner[own[rows]]]]


def _infostates_of(plex: Treeplex, sequences: IntArray) -> BoolArray:
    """Return [I] the infostates on the paths to some sequences."""
    owner = plex.infostate_of_sequence
    last = np.zeros(plex.num_infostates + 1, bool)
    last[owner[sequences]] = True  # index -1, the owner of the empty sequence, is the last entry
    on_path, here = np.zeros(plex.num_infostates, bool), np.flatnonzero(last[:-1])
    # All paths to the root are followed together; those that meet continue as one.
    while len(here := here[here >= 0]):
        on_path[here] = True
        before = np.unique(owner[plex.parent_sequence[here]])
        here = before[~np.append(on_path, True)[before]]
    return on_path
