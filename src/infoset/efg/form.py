"""A game given as a tree: histories, moves, information sets and payoffs, without rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np

from infoset.efg._kernels import inherit, product_along_paths, sum_along_paths
from infoset.efg.contraction import contract, distinct, last_sequences
from infoset.game import Probability
from infoset.tree.game_tree import GameTree
from infoset.tree.sequence_form import TREE_EXAMPLE, SequenceForm
from infoset.tree.world_graph import freeze
from infoset.typing import Action, FloatArray, IntArray, LongArray, Player
from infoset.utils.arguments import check_type

__all__ = ["TERMINAL", "ExtensiveForm", "Outcome", "check_tree", "number_by_appearance"]

TERMINAL: Final = -2
"""Stands where a player is named, at a history that ends the game."""


class Outcome(NamedTuple):
    """What everybody is paid on arriving at a history.

    Attributes
    ----------
    payoffs : tuple[float or Fraction, ...]
        Per player, in the game's units; `Fraction` and `int` are kept as they are.
    name : str
        May be empty.
    """

    payoffs: tuple[float | Fraction, ...]
    name: str = ""


@dataclass(frozen=True, eq=False)
class ExtensiveForm:
    """A game given as a tree, with information sets; the rules that led to it are not known.

    Histories are numbered breadth first; the children of h are `first_child[h]:first_child[h+1]`,
    one per move, in order. A *classical* form has information sets only for whoever acts; an
    *augmented* one has them for every player at every history, and public sets. Anything may be
    given: recall, timing and the rest are checked by `check_form`, and by what needs them.

    Attributes
    ----------
    name : str
    player_names : tuple[str, ...]
        [N]
    parent : IntArray
        [H] the history one move shorter; -1 at the root.
    first_child : IntArray
        [H + 1] see above.
    actor : IntArray
        [H] the player who acts, `CHANCE`, or `TERMINAL` where there are no moves.
    move : IntArray
        [H] index into `moves` of the move that leads here; -1 at the root.
    moves : tuple[Action, ...]
        The different labels of moves, nature's included.
    chance : IntArray
        [H] index into `probabilities` of nature's probability of the move that leads here; -1
        where a player made it.
    probabilities : tuple[Probability, ...]
        The different probabilities; fractions are kept exact.
    outcome : IntArray
        [H] index into `outcomes` of what is paid on arrival; -1 for nothing.
    outcomes : tuple[Outcome, ...]
    infoset : IntArray
        [H, N] information set of each player, numbered by first appearance; -1 where it has none.
    infoset_names : tuple[Sequence[str], ...]
        Per player, the names of its information sets; empty texts where there are none.
    public_set : IntArray or None
        [H] public set; None where public sets are not given.
    public_names : Sequence[str]
    history_names : Sequence[str]
        [H] names of histories, may be empty texts.

    Source: Kovařík et al. (2022), Definitions 3.5 (augmented) and 3.7 (classical). Differs from
    the paper: payoffs may be paid on the way, as the rewards of a FOSG and the outcomes of
    Gambit's files are; a utility is their sum.
    """

    name: str
    player_names: tuple[str, ...]
    parent: IntArray
    first_child: IntArray
    actor: IntArray
    move: IntArray
    moves: tuple[Action, ...]
    chance: IntArray
    probabilities: tuple[Probability, ...]
    outcome: IntArray
    outcomes: tuple[Outcome, ...]
    infoset: IntArray
    infoset_names: tuple[Sequence[str], ...]
    public_set: IntArray | None
    public_names: Sequence[str]
    history_names: Sequence[str]

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
        """Number of histories, root and terminals included."""
        return len(self.parent)

    @cached_property
    def terminals(self) -> IntArray:
        """[Z] the terminal histories."""
        return np.flatnonzero(self.actor == TERMINAL).astype(np.int32)

    @cached_property
    def is_augmented(self) -> bool:
        """Whether every player has an information set everywhere, and there are public sets."""
        return self.public_set is not None and bool((self.infoset >= 0).all())

    @cached_property
    def acting_infoset(self) -> IntArray:
        """[H, N] information sets of each player where it acts; -1 elsewhere."""
        is_acting = self.actor[:, None] == np.arange(self.num_players)
        return np.where(is_acting, self.infoset, -1).astype(np.int32)

    @cached_property
    def position(self) -> IntArray:
        """[H] position of the move that leads here among its parent's moves; -1 at the root."""
        positions = np.arange(self.num_histories) - self.first_child[self.parent]
        positions[0] = -1
        return positions.astype(np.int32)

    @cached_property
    def num_moves(self) -> IntArray:
        """[H] number of moves."""
        return np.diff(self.first_child)

    @cached_property
    def depth(self) -> IntArray:
        """[H] number of moves before each history."""
        steps = np.ones((self.num_histories, 1))
        steps[0] = 0
        return sum_along_paths(self.parent, steps)[:, 0].astype(np.int32)

    @cached_property
    def chance_probability(self) -> FloatArray:
        """[H] nature's probability of the move that leads here; 1 where a player made it."""
        table = np.array([*map(float, self.probabilities), 1.0])
        return table[self.chance]

    @cached_property
    def chance_reach(self) -> FloatArray:
        """[H] product of nature's probabilities."""
        return self.reach(self.chance_probability)

    def reach(self, move_probability: FloatArray) -> FloatArray:
        """Return [H] the product of `move_probability` [H], of the moves that lead to each."""
        return product_along_paths(self.parent, move_probability)

    @cached_property
    def payoff(self) -> FloatArray:
        """[H, N] what is paid on arrival."""
        rows = [[float(value) for value in outcome.payoffs] for outcome in self.outcomes]
        return np.array([*rows, [0.0] * self.num_players])[self.outcome]

    @cached_property
    def utility(self) -> FloatArray:
        """[H, N] sum of payoffs up to and at each history; at terminals, the utilities."""
        return sum_along_paths(self.parent, self.payoff)

    def legal_actions(self, history: int) -> tuple[Action, ...]:
        """Return the labels of the moves at a history, nature's too."""
        first, end = self.first_child[history], self.first_child[history + 1]
        return tuple(self.moves[move] for move in self.move[first:end])

    def infoset_name(self, player: Player, infoset: int) -> str:
        """Return the name of an information set; its number where it has none."""
        return str(self.infoset_names[player][infoset]) or f"infoset {infoset}"

    def infoset_numbers(self, player: Player) -> dict[str, int]:
        """Return the numbers of the player's acting information sets, by name.

        Where two have one name, the second is `name #2`, as it is in the sequence form.
        """
        acting = np.unique(self.acting_infoset[:, player])
        numbers = acting[acting >= 0].tolist()
        names = distinct([self.infoset_name(player, number) for number in numbers])
        return dict(zip(names, numbers, strict=True))

    def history_label(self, history: int) -> str:
        """Return a history as text: its name, or the moves that lead to it."""
        if self.history_names[history]:
            return str(self.history_names[history])
        texts: list[str] = []
        while history > 0:
            texts.append(str(self.moves[self.move[history]]))
            history = int(self.parent[history])
        return " ".join(reversed(texts)) or "the root"

    def last_own_move(self, player: Player) -> IntArray:
        """Return [H] the history reached by the player's last move before each; -1 for none."""
        own = np.arange(self.num_histories, dtype=np.int32)
        own[self.actor[self.parent] != player] = -1
        own[0] = -1
        return inherit(self.parent, own)

    def last_own_sequence(self, player: Player) -> LongArray:
        """Return [H] a code of the player's last information set and action; -1 for none.

        Codes are `infoset * (largest number of moves) + position`.
        """
        last = self.last_own_move(player)
        widest = int(self.num_moves.max(initial=1))
        codes = self.infoset[self.parent[last], player].astype(np.int64) * widest
        return np.where(last < 0, -1, codes + self.position[last])

    @cached_property
    def sequence_form(self) -> SequenceForm:
        """The game contracted to acting information sets, as solving and measuring need it.

        Raises
        ------
        UnsupportedGameError
            If the form lacks perfect recall, or legal actions differ within an information set.
        """
        return contract(self)

    @cached_property
    def sequence(self) -> IntArray:
        """[H, N] last own sequence of each player; 0 is the empty one.

        Raises
        ------
        UnsupportedGameError
            As `sequence_form`.
        """
        return last_sequences(self, self.sequence_form.infostate_trees)


def number_by_appearance(labels: IntArray | LongArray) -> IntArray:
    """Return the labels renumbered 0, 1, … in the order of first appearance; -1 stays.

    Examples
    --------
    >>> number_by_appearance(np.array([7, -1, 3, 7])).tolist()
    [0, -1, 1, 0]
    """
    numbers = labels.astype(np.int64)
    values, first, inverse = np.unique(numbers, return_index=True, return_inverse=True)
    missing = values < 0
    order = np.argsort(np.where(missing, -1, first), kind="stable")
    rank = np.empty(len(values), np.int32)
    rank[order] = np.arange(len(values)) - int(missing.any())
    return rank[inverse].astype(np.int32)


def check_tree(game: object) -> None:
    """Raise unless a game as a tree is given.

    Raises
    ------
    ParameterError
        If `game` is something else, such as a name or rules; the message shows how to build one.
    """
    check_type(
        "game",
        game,
        (GameTree, ExtensiveForm),
        f"a GameTree or ExtensiveForm, such as {TREE_EXAMPLE}",
    )
