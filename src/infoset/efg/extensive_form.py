"""Extensive forms: games given as trees, and their contraction to the sequence form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np

from infoset.efg.histories import HistoryTree
from infoset.efg.information_sets import find_action_mismatch, find_recall_violation
from infoset.errors import UnsupportedGameError
from infoset.forms import (
    TREE_EXAMPLE,
    InfostateTree,
    SequenceForm,
    acting_tree,
    contract_terminals,
)
from infoset.game import GameSource
from infoset.game.player_names import own_names
from infoset.tree.game_tree import GameTree
from infoset.typing import IntArray, Player
from infoset.utils.arguments import check_type
from infoset.utils.text import distinct_labels


@dataclass(frozen=True, eq=False, repr=False)
class ExtensiveForm(HistoryTree):
    """A game given as a tree with information sets, without the rules that generated it.

    An extensive form may lack perfect recall, an exact timing and the other properties that
    `check_form` reports. Functions that need such a property raise an error if the form lacks it.

    Attributes
    ----------
    name, player_names, parent, first_child, actor, move, moves, chance, probabilities, outcome, \
    outcomes, infoset, infoset_names, public_set, public_names, history_names
        As in `HistoryTree`.

    Source: Kovařík et al. (2022), Definitions 3.5 (augmented) and 3.7 (classical). Differs from
    the paper: payoffs may be paid at any history, like the rewards of a FOSG and the outcomes of
    Gambit's files. A utility is the sum of the payoffs on the path.
    """

    initial_pot: ClassVar[None] = None
    """As in `Game`; game files do not define a pot."""

    @cached_property
    def sequence_form(self) -> SequenceForm:
        """The game contracted to acting information sets, for solvers and evaluation.

        Raises
        ------
        UnsupportedGameError
            If the form lacks perfect recall, or legal actions differ within an information set.
        """
        return _contract(self)

    @cached_property
    def sequence(self) -> IntArray:
        """[H, N] each player's last sequence; 0 is the empty sequence.

        Raises
        ------
        UnsupportedGameError
            As `form`.
        """
        return _last_sequences(self, self.sequence_form.infostate_trees)


class _ActingSets(NamedTuple):
    """The information sets at which one player acts, by first appearance."""

    number: IntArray
    """[I] the numbers of these information sets in the form."""
    first_history: IntArray
    """[I] the first history of each information set."""
    rank: IntArray
    """Index in `number` of each information set of the form; -1 if the player does not act there.
    """


def _contract(form: HistoryTree) -> SequenceForm:
    """Contract an extensive form to the information sets of the acting players.

    Raises
    ------
    UnsupportedGameError
        If the form lacks perfect recall, or legal actions differ within an information set.
    """
    violation = find_action_mismatch(form) or find_recall_violation(form)
    if violation is not None:
        measure = "; infoset.evaluation.behavior_values measures policies without perfect recall"
        raise UnsupportedGameError(
            f"{form.name} has no sequence form: {violation}{measure if violation.kind else ''}"
        )
    trees = tuple(
        _acting_tree(form, player, _acting_sets(form, player)) for player in range(form.num_players)
    )
    ends = form.terminals
    return contract_terminals(
        name=form.name,
        infostate_trees=trees,
        sequence=_last_sequences(form, trees)[ends],
        chance_reach=form.chance_reach[ends],
        utility=form.utility[ends],
        num_steps=int(form.depth.max()),
        source=GameSource(player_names=own_names(form)),
    )


def _last_sequences(form: HistoryTree, trees: Sequence[InfostateTree]) -> IntArray:
    """Return [H, N] each player's last sequence, numbered as in its infostate tree."""
    columns = []
    for player, tree in enumerate(trees):
        last = form.last_own_move(player)
        rank = _acting_sets(form, player).rank[form.infoset[form.parent[last], player]]
        begun = tree.first_sequence[1 + rank]  # infostate 0 is the artificial root
        columns.append(np.where(last < 0, 0, begun + form.position[last]))
    return np.stack(columns, axis=1).astype(np.int32)


def _acting_sets(form: HistoryTree, player: Player) -> _ActingSets:
    numbers, first = np.unique(form.acting_infoset[:, player], return_index=True)
    is_set = numbers >= 0
    numbers, first = numbers[is_set], first[is_set]
    # One entry more than needed: index -1 reads -1.
    rank = np.full(int(form.infoset[:, player].max(initial=-1)) + 2, -1, np.int32)
    rank[numbers] = np.arange(len(numbers))
    return _ActingSets(numbers, first.astype(np.int32), rank)


def _acting_tree(form: HistoryTree, player: Player, sets: _ActingSets) -> InfostateTree:
    """Return the tree of the player's acting information sets below an artificial root."""
    last = form.last_own_move(player)[sets.first_history]
    before = sets.rank[form.infoset[form.parent[last], player]]
    labels = [
        distinct_labels(form.legal_actions(history)) for history in sets.first_history.tolist()
    ]
    names = distinct_labels([form.infoset_name(player, number) for number in sets.number.tolist()])
    return acting_tree(
        player,
        previous=np.where(last < 0, -1, before),
        action=np.where(last < 0, -1, form.position[last]),
        names=names,
        labels=labels,
    )


def check_tree(game: object) -> None:
    """Check that `game` is a tree: a `GameTree` or an `ExtensiveForm`.

    Raises
    ------
    ParameterError
        If `game` is something else, such as a name or rules. The message shows how to build a tree.
    """
    check_type(
        "game",
        game,
        (GameTree, ExtensiveForm),
        f"a GameTree or ExtensiveForm, such as {TREE_EXAMPLE}",
    )
