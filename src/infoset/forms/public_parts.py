"""Parts of a public form: what follows a public node, and what precedes some."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from infoset.errors import ParameterError
from infoset.forms.hand_symmetry import HandSymmetry
from infoset.forms.public_form import PublicForm, check_public_form
from infoset.forms.public_operators import HandPrior
from infoset.forms.public_reach import chance_reach_of_nodes, check_node
from infoset.forms.public_structure import PublicTerminals, nodes_below
from infoset.typing import CHANCE, Action, BoolArray, FloatArray, IntArray, LongArray, Player
from infoset.utils.arguments import check_count
from infoset.utils.frozen_arrays import freeze


def form_below(
    form: PublicForm,
    node: int,
    prior: HandPrior,
    *,
    name: str,
    moves: Sequence[tuple[Player, tuple[Action, ...]]] = (),
    chance_reach: float | None = None,
) -> PublicForm:
    """Return the form that begins at a public node, with a given deal.

    Parameters
    ----------
    prior
        The probability of each pair of hands at the node.
    moves
        Decisions before the node, one after the other: who acts, and the legal actions. The first
        action leads on; the others lead nowhere, and so earn nothing.
    chance_reach
        The factor of chance before the node, by default that of `chance_reach_of_nodes`.
    """
    nodes, count = nodes_below(form, node), len(moves)
    place = np.full(form.num_nodes, -1, np.int32)
    place[nodes] = count + np.arange(len(nodes))
    ends = _ends_of(form.terminals, place)
    first = np.array([player for player, _ in moves], np.int32)
    before = np.arange(count, dtype=np.int32) - 1
    # The first of the nodes follows the moves: their first actions lead to it.
    parent = place[form.parent[nodes]]
    parent[0] = count - 1
    action, observation = form.action[nodes], form.observation[nodes]
    action[0], observation[0] = (0, -1) if count else (-1, -1)
    sets = len(form.action_sets) + np.arange(count, dtype=np.int32)
    reach = chance_reach_of_nodes(form)[node] if chance_reach is None else chance_reach
    return replace(
        form,
        name=name,
        prior=prior,
        player=np.append(first, form.player[nodes]),
        parent=np.append(before, parent),
        action=np.append(np.where(before < 0, -1, 0), action).astype(np.int32),
        observation=np.append(np.full(count, -1), observation).astype(np.int32),
        action_set=np.append(sets, form.action_set[nodes]),
        action_sets=(*form.action_sets, *(actions for _, actions in moves)),
        hand_set=np.append(np.full(count, form.hand_set[node]), form.hand_set[nodes]).astype(
            np.int32
        ),
        terminals=replace(ends, chance_reach=ends.chance_reach / (reach if reach > 0 else 1.0)),
        symmetry=symmetry_of_part(
            form, place, np.append(np.full(count, form.class_map[node]), form.class_map[nodes])
        ),
        tree_infostates=None,
    )


def _ends_of(ends: PublicTerminals, place: IntArray) -> PublicTerminals:
    """Return the terminals whose nodes have a place; the places become the numbers of nodes."""
    return ends.subset(np.flatnonzero(place[ends.node] >= 0), place)


def symmetry_of_part(form: PublicForm, place: IntArray, class_map: IntArray) -> HandSymmetry | None:
    """Return the symmetry of a form that has some of the nodes of another.

    Parameters
    ----------
    form
        The other form.
    place
        [V] the number of each of its nodes in the part; -1 if it is not in the part.
    class_map
        [V'] row of `hand_classes` at each node of the part.
    """
    known = form.symmetry
    if known is None:
        return None
    images = {
        (int(place[node]), seen): image
        for (node, seen), image in known.images.items()
        if place[node] >= 0
    }
    return replace(known, class_map=class_map.astype(np.int32), images=images)


@dataclass(frozen=True, eq=False)
class PublicLeaves:
    """Where a public form was cut: L leaves, each reached by an action or by chance."""

    label: tuple[str, ...]
    """[L] the line of each leaf."""
    node: IntArray
    """[L] the node in the form that was cut; -1 for an end that a gadget has added."""
    parent: IntArray
    """[L] the last public node of the trunk."""
    action: IntArray
    """[L] index of the action at that node; -1 where chance acts there."""
    hand_set: IntArray
    """[L] index of the hands that chance has not removed; see `PublicForm.hand_sets`."""
    chance_reach: FloatArray
    """[L] product of the public factors of chance."""

    def __post_init__(self) -> None:
        freeze(self)

    def __len__(self) -> int:
        return len(self.node)


@dataclass(frozen=True, eq=False)
class PublicTrunk:
    """A public form up to its leaves."""

    whole: PublicForm
    form: PublicForm
    """The form that was cut, and the form without what follows the leaves. Ends before the leaves
    are terminals of both."""
    nodes: LongArray
    """[V'] the number in `whole` of each public node of `form`."""
    leaves: PublicLeaves


def cut_public_form(
    form: PublicForm, *, depth: int | None = None, nodes: Collection[int] | None = None
) -> PublicTrunk:
    """Return a public form without what follows some public nodes.

    Parameters
    ----------
    depth
        Number of actions after which the form is cut: at the first public nodes before which the
        players have acted so often.
    nodes
        The public nodes at which the form is cut. Nodes below others have no effect.

    Raises
    ------
    UnsupportedGameError
        If the reach of public nodes is not a product; see `chance_reach_of_nodes`.

    Examples
    --------
    Leduc poker up to the second action; after a call or a raise, the player may fold:

    >>> from infoset.games import load_game
    >>> from infoset.tree import build_public_form
    >>> form = build_public_form(load_game("leduc_poker"))
    >>> trunk = cut_public_form(form, depth=2)
    >>> trunk.form.num_nodes, trunk.leaves.label
    (3, ('call / call', 'call / raise', 'raise / call', 'raise / raise'))
    """
    check_public_form(form)
    is_leaf = _leaf_mask(form, depth, nodes)
    kept, leaves = np.ones(form.num_nodes, bool), list[int]()
    for node, parent in enumerate(form.parent.tolist()):
        kept[node] = (node == 0 or kept[parent]) and not is_leaf[node]
        if is_leaf[node] and kept[parent]:
            leaves.append(node)
    left = np.flatnonzero(kept)
    place = np.full(form.num_nodes, -1, np.int32)
    place[left] = np.arange(len(left))
    cut = np.array(leaves, np.int32)
    found = PublicLeaves(
        label=tuple(map(form.label, leaves)),
        node=cut,
        parent=place[form.parent[cut]],
        action=form.action[cut],
        hand_set=form.hand_set[cut],
        chance_reach=chance_reach_of_nodes(form)[cut],
    )
    return PublicTrunk(form, _trunk_form(form, left, place), left, found)


def _trunk_form(form: PublicForm, left: LongArray, place: IntArray) -> PublicForm:
    """Return the form of the nodes `left` [V'], given the new number of each node [V], or -1."""
    parent = place[form.parent[left]]
    parent[0] = -1  # the root has no parent, and has read the last entry
    return replace(
        form,
        name=f"trunk({form.name})",
        player=form.player[left],
        parent=parent,
        action=form.action[left],
        observation=form.observation[left],
        action_set=form.action_set[left],
        hand_set=form.hand_set[left],
        terminals=_ends_of(form.terminals, place),
        symmetry=symmetry_of_part(form, place, form.class_map[left]),
        tree_infostates=None,
    )


def _leaf_mask(form: PublicForm, depth: int | None, nodes: Collection[int] | None) -> BoolArray:
    """Return [V] whether the form is cut at a node or before it."""
    if (depth is None) == (nodes is None):
        raise ParameterError(
            "give either depth= or nodes=: a number of actions, or the public nodes at which to cut"
        )
    if nodes is not None:
        is_leaf = np.zeros(form.num_nodes, bool)
        for node in nodes:
            check_node(form, node)
            if node == 0:
                raise ParameterError("the root cannot be a leaf: give nodes from 1 on")
            is_leaf[node] = True
        return is_leaf
    check_count("depth", depth, minimum=1)
    assert depth is not None
    deep: BoolArray = count_actions(form) >= depth
    return deep


def count_actions(form: PublicForm) -> LongArray:
    """Return [V] how often the players have acted before each public node."""
    actions = np.zeros(form.num_nodes, np.int64)
    for node, parent in enumerate(form.parent.tolist()[1:], start=1):
        actions[node] = actions[parent] + (form.player[parent] != CHANCE)
    return actions


def sequences_of_nodes(form: PublicForm, player: Player, nodes: LongArray) -> LongArray:
    """Return the sequences of a player at some public nodes, in order, hands and actions together.

    Parameters
    ----------
    nodes
        Public nodes in increasing order; those at which the player does not act are left out.
    """
    own = nodes[form.player[nodes] == player]
    first = form.sequences[player].first[own].astype(np.int64)
    num_classes = form.num_classes[player][form.class_map[own]].astype(np.int64)
    sizes = form.num_actions[own] * num_classes
    begin = form.sequences[player].start[first]
    # The sequences of a node are consecutive: its beginning, less those before it, plus the place.
    ends = np.cumsum(sizes)
    found: LongArray = np.repeat(begin - (ends - sizes), sizes) + np.arange(
        ends[-1] if len(ends) else 0
    )
    return found
