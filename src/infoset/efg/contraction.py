"""From an extensive form to its sequence form."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from infoset.efg.information import find_action_mismatch, find_recall_violation
from infoset.errors import UnsupportedGameError
from infoset.tree.infostate_tree import InfostateTree
from infoset.tree.sequence_form import SequenceForm, contract_terminals
from infoset.typing import IntArray, Player

if TYPE_CHECKING:
    from infoset.efg.form import ExtensiveForm

__all__ = ["contract", "distinct", "last_sequences"]

Label = TypeVar("Label", bound=Hashable)


class ActingSets(NamedTuple):
    """The information sets of one player where it acts, by first appearance.

    Attributes
    ----------
    number : IntArray
        [I] their numbers in the form.
    first_history : IntArray
        [I] the first history of each.
    rank : IntArray
        From a number in the form to the position here; -1 where the player does not act.
    """

    number: IntArray
    first_history: IntArray
    rank: IntArray


def contract(form: ExtensiveForm) -> SequenceForm:
    """Contract an extensive form to the information sets of whoever acts.

    Raises
    ------
    UnsupportedGameError
        If the form lacks perfect recall, or legal actions differ within an information set.
    """
    violation = find_action_mismatch(form) or find_recall_violation(form)
    if violation is not None:
        raise UnsupportedGameError(f"{form.name} has no sequence form: {violation}")
    trees = tuple(
        _acting_tree(form, player, _acting_sets(form, player)) for player in range(form.num_players)
    )
    ends = form.terminals
    return contract_terminals(
        name=form.name,
        infostate_trees=trees,
        sequence=last_sequences(form, trees)[ends],
        chance_reach=form.chance_reach[ends],
        utility=form.utility[ends],
        num_steps=int(form.depth.max()),
    )


def last_sequences(form: ExtensiveForm, trees: Sequence[InfostateTree]) -> IntArray:
    """Return [H, N] the last own sequence of each player, numbered as in its `trees`."""
    columns = []
    for player, tree in enumerate(trees):
        last = form.last_own_move(player)
        rank = _acting_sets(form, player).rank[form.infoset[form.parent[last], player]]
        begun = tree.first_sequence[1 + rank]
        columns.append(np.where(last < 0, 0, begun + form.position[last]))
    return np.stack(columns, axis=1).astype(np.int32)


def _acting_sets(form: ExtensiveForm, player: Player) -> ActingSets:
    numbers, first = np.unique(form.acting_infoset[:, player], return_index=True)
    is_set = numbers >= 0
    numbers, first = numbers[is_set], first[is_set]
    rank = np.full(int(form.infoset[:, player].max(initial=-1)) + 2, -1, np.int32)
    rank[numbers] = np.arange(len(numbers))
    return ActingSets(numbers, first.astype(np.int32), rank)


def _acting_tree(form: ExtensiveForm, player: Player, sets: ActingSets) -> InfostateTree:
    """Return a root and the player's acting information sets, as a tree."""
    last = form.last_own_move(player)[sets.first_history]
    before = sets.rank[form.infoset[form.parent[last], player]]
    labels = [distinct(form.legal_actions(history)) for history in sets.first_history.tolist()]
    set_of = {actions: index for index, actions in enumerate(dict.fromkeys(labels))}
    names = distinct([form.infoset_name(player, number) for number in sets.number.tolist()])
    size = len(names) + 1
    return InfostateTree(
        player=player,
        parent=_with_root(np.where(last < 0, 0, 1 + before)),
        action=_with_root(np.where(last < 0, -1, form.position[last])),
        private_observation=np.arange(-1, size - 1, dtype=np.int32),
        public_observation=_with_root(np.full(size - 1, size - 1)),
        public_state=np.zeros(size, np.int32),
        action_set=_with_root(np.array([set_of[actions] for actions in labels], np.int32)),
        action_sets=tuple(set_of),
        observations=(*names, None),
        names=("(start)", *names),
    )


def distinct(labels: Sequence[Label]) -> tuple[Label | str, ...]:
    """Return labels that are all different; one that was met before gets a number.

    Examples
    --------
    >>> distinct(("up", "down", "up"))
    ('up', 'down', 'up #2')
    """
    result: dict[Label | str, None] = {}
    counts: dict[Label, int] = {}
    for label in labels:
        changed: Label | str = label
        while changed in result:
            counts[label] = counts.get(label, 1) + 1
            changed = f"{label} #{counts[label]}"
        result[changed] = None
    return tuple(result)


def _with_root(values: IntArray) -> IntArray:
    return np.concatenate([[-1], values]).astype(np.int32)
