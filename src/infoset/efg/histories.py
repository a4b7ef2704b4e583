"""Histories of a game given as a tree, with moves, payoffs and information sets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np

from infoset.efg._history_kernels import inherit, product_along_paths, sum_along_paths
from infoset.game import Probability
from infoset.typing import Action, FloatArray, IntArray, LongArray, Player
from infoset.utils.frozen_arrays import freeze
from infoset.utils.short_repr import ShortRepr
from infoset.utils.text import distinct_labels

TERMINAL: Final = -2
"""The actor of a terminal history."""


class Outcome(NamedTuple):
    """The payoffs on arrival at a history."""

    payoffs: tuple[float | Fraction, ...]
    """One payoff per player, in the game's units. `Fraction` and `int` values remain exact."""
    name: str = ""
    """May be empty."""


@dataclass(frozen=True, eq=False, repr=False)
class HistoryTree(ShortRepr):
    """The arrays of an `ExtensiveForm`, with derived quantities that do not require perfect recall.

    Histories are numbered breadth first. The children of h are `first_child[h]:first_child[h+1]`,
    one per move, in order. A *classical* form has information sets only for the acting player; an
    *augmented* form has them for every player at every history, and public sets.
    """

    name: str
    player_names: tuple[str, ...]
    """[N]"""
    parent: IntArray
    """[H] the history one move shorter; -1 at the root."""
    first_child: IntArray
    """[H + 1] first child of each history, as above."""
    actor: IntArray
    """[H] the acting player, `CHANCE` or `TERMINAL`."""
    move: IntArray
    """[H] index into `moves` of the move that leads to each history; -1 at the root."""
    moves: tuple[Action, ...]
    """The distinct labels of moves, including those of chance."""
    chance: IntArray
    """[H] index into `probabilities` of the probability of the chance move that leads to each
    history; -1 where a player moved."""
    probabilities: tuple[Probability, ...]
    """The distinct probabilities; fractions remain exact."""
    outcome: IntArray
    """[H] index into `outcomes` of the payoffs on arrival; -1 for none."""
    outcomes: tuple[Outcome, ...]
    infoset: IntArray
    """[H, N] information set of each player, numbered by first appearance; -1 for none."""
    infoset_names: tuple[Sequence[str], ...]
    """Per player, the names of its information sets; empty strings for unnamed ones."""
    public_set: IntArray | None
    """[H] public set; None for a classical form."""
    public_names: Sequence[str]
    history_names: Sequence[str]
    """[H] names of histories; empty strings for unnamed ones."""

    def __post_init__(self) -> None:
        freeze(self)

    def __str__(self) -> str:
        return self.name

    @property
    def num_players(self) -> int:
        """Number of players."""
        return len(self.player_names)

    @property
    def num_histories(self) -> int:
        """Number of histories, including the root and the terminal ones."""
        return len(self.parent)

    @cached_property
    def terminals(self) -> IntArray:
        """[Z] the terminal histories."""
        return np.flatnonzero(self.actor == TERMINAL).astype(np.int32)

    @cached_property
    def is_augmented(self) -> bool:
        """Whether there are public sets, and every player has an information set everywhere."""
        return self.public_set is not None and bool((self.infoset >= 0).all())

    @cached_property
    def acting_infoset(self) -> IntArray:
        """[H, N] information set of each player where it acts; -1 elsewhere."""
        is_acting = self.actor[:, None] == np.arange(self.num_players)
        return np.where(is_acting, self.infoset, -1).astype(np.int32)

    @cached_property
    def position(self) -> IntArray:
        """[H] index of the last move among the moves at the parent; -1 at the root."""
        positions = np.arange(self.num_histories) - self.first_child[self.parent]
        positions[0] = -1
        return positions.astype(np.int32)

    @cached_property
    def num_moves(self) -> IntArray:
        """[H] number of moves at each history."""
        return np.diff(self.first_child)

    @cached_property
    def depth(self) -> IntArray:
        """[H] number of moves that lead to each history."""
        steps = np.ones((self.num_histories, 1))
        steps[0] = 0
        return sum_along_paths(self.parent, steps)[:, 0].astype(np.int32)

    @cached_property
    def chance_probability(self) -> FloatArray:
        """[H] probability of the chance move that leads here; 1 where a player moved."""
        # Index -1, where a player moved, reads the last entry.
        table = np.array([*map(float, self.probabilities), 1.0])
        return table[self.chance]

    @cached_property
    def chance_reach(self) -> FloatArray:
        """[H] product of the chance probabilities."""
        return self.reach(self.chance_probability)

    def reach(self, move_probability: FloatArray) -> FloatArray:
        """Return [H] the product of `move_probability` [H] along the path to each history."""
        return product_along_paths(self.parent, move_probability)

    @cached_property
    def payoff(self) -> FloatArray:
        """[H, N] payoffs on arrival at each history."""
        rows = [[float(value) for value in outcome.payoffs] for outcome in self.outcomes]
        return np.array([*rows, [0.0] * self.num_players])[self.outcome]

    @cached_property
    def utility(self) -> FloatArray:
        """[H, N] sum of payoffs up to and including each history; at terminals, the utilities."""
        return sum_along_paths(self.parent, self.payoff)

    def legal_actions(self, history: int) -> tuple[Action, ...]:
        """Return the labels of the moves at a history, including those of chance."""
        first, end = self.first_child[history], self.first_child[history + 1]
        return tuple(self.moves[move] for move in self.move[first:end])

    def infoset_name(self, player: Player, infoset: int) -> str:
        """Return the name of an information set, or its number if it has none."""
        return str(self.infoset_names[player][infoset]) or f"infoset {infoset}"

    def infoset_numbers(self, player: Player) -> dict[str, int]:
        """Return the numbers of the information sets where a player acts, by name.

        If two sets have the same name, the second is called `name #2`, as in the sequence form.
        """
        acting = np.unique(self.acting_infoset[:, player])
        numbers = acting[acting >= 0].tolist()
        names = distinct_labels([self.infoset_name(player, number) for number in numbers])
        return dict(zip(names, numbers, strict=True))

    def history_label(self, history: int) -> str:
        """Return a history as text: its name, or the moves that lead to it if it has none."""
        if self.history_names[history]:
            return str(self.history_names[history])
        texts: list[str] = []
        while history > 0:
            texts.append(str(self.moves[self.move[history]]))
            history = int(self.parent[history])
        return " ".join(reversed(texts)) or "the root"

    def last_own_move(self, player: Player) -> IntArray:
        """Return [H] the history after the player's last move before each history; -1 for none."""
        own = np.arange(self.num_histories, dtype=np.int32)
        own[self.actor[self.parent] != player] = -1
        own[0] = -1
        return inherit(self.parent, own)

    def last_own_sequence(self, player: Player) -> LongArray:
        """Return [H] a code of the player's last own information set and action; -1 for none.

        The code is `infoset * (maximum number of moves) + position`.
        """
        last = self.last_own_move(player)
        widest = int(self.num_moves.max(initial=1))
        codes = self.infoset[self.parent[last], player].astype(np.int64) * widest
        return np.where(last < 0, -1, codes + self.position[last])
