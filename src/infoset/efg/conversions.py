"""From games to extensive forms, and from one extensive form to another."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from infoset.efg._kernels import inherit
from infoset.efg.form import ExtensiveForm, number_by_appearance
from infoset.efg.information import find_recall_violation, own_move_text
from infoset.efg.knowledge import merge_intersecting
from infoset.efg.timing import find_uneven_timing
from infoset.efg.unrolled import form_of_tree, is_serial
from infoset.errors import UnsupportedGameError
from infoset.game import Game, serialize
from infoset.tree.game_tree import GameTree, build_tree
from infoset.typing import IntArray, LongArray, Player

__all__ = ["augment", "build_extensive_form", "forget_non_acting"]


def build_extensive_form(game: Game | GameTree, *, memory: int | None = None) -> ExtensiveForm:
    """Return the augmented extensive form of a game: its histories, infosets and public sets.

    A game in which players act at once, or act and then nature draws, is serialized first.
    Rewards are paid where they fall.

    Parameters
    ----------
    game : Game or GameTree
    memory : int, optional
        Bytes allowed for its tree; by default a share of what is free.

    Returns
    -------
    ExtensiveForm
        Augmented, with perfect recall and no thick public sets (Theorem 3.6).

    Raises
    ------
    GameTooLargeError, ExplorationLimitError, GameRuleError
        As `build_tree`.

    Notes
    -----
    Source: Kovařík et al. (2022), Definition 3.5 and Theorem 3.6.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> form = build_extensive_form(load_game("kuhn_poker"))
    >>> form.num_histories, form.is_augmented
    (55, True)
    """
    tree = game if isinstance(game, GameTree) else build_tree(game, memory=memory)
    if is_serial(tree.graph):
        return form_of_tree(tree)
    return form_of_tree(build_tree(serialize(tree.game), memory=memory))


def forget_non_acting(form: ExtensiveForm) -> ExtensiveForm:
    """Return the classical extensive form: what players know off turn, and in common, is dropped.

    Notes
    -----
    Source: Kovařík et al. (2022), Definition 3.7. The classical form of a FOSG is 1-timeable and
    has perfect recall (Theorem 3.10).

    Examples
    --------
    >>> from infoset.games import load_game
    >>> form = forget_non_acting(build_extensive_form(load_game("kuhn_poker")))
    >>> form.is_augmented, form.infoset.max(axis=0).tolist()
    (False, [5, 5])
    """
    kept = [_renumbered(form, player) for player in range(form.num_players)]
    return replace(
        form,
        infoset=np.stack([infoset for infoset, _ in kept], axis=1),
        infoset_names=tuple(names for _, names in kept),
        public_set=None,
        public_names=(),
    )


def _renumbered(form: ExtensiveForm, player: Player) -> tuple[IntArray, tuple[str, ...]]:
    """Return [H] the acting information sets numbered anew, and their names."""
    acting = form.acting_infoset[:, player]
    infoset = number_by_appearance(acting)
    numbers, first = np.unique(infoset, return_index=True)
    chosen = acting[first[numbers >= 0]].tolist()
    return infoset, tuple(str(form.infoset_names[player][number]) for number in chosen)


def augment(form: ExtensiveForm) -> ExtensiveForm:
    """Return an augmented form whose classical form is the one given.

    Off turn, a player knows its last information set or own action, and how many moves ago that
    was; the public sets are the finest common coarsening of what players know. One of many
    possible augmentations: a classical form does not say what is known off turn (Section 3.3).

    Raises
    ------
    UnsupportedGameError
        If the form is not 1-timeable (`pad_timing` makes a timeable one so), or lacks perfect
        recall.

    Notes
    -----
    Source: Kovařík et al. (2022), proof of Theorem 3.10.
    """
    violation = find_uneven_timing(form) or find_recall_violation(form)
    if violation is not None:
        raise UnsupportedGameError(
            f"{form.name} cannot be augmented: {violation}; pad_timing(form) makes a timeable "
            "form 1-timeable"
        )
    columns = [number_by_appearance(_known(form, player)) for player in range(form.num_players)]
    public_set = merge_intersecting(np.stack(columns, axis=1))
    return replace(
        form,
        infoset=np.stack(columns, axis=1),
        infoset_names=tuple(
            _names_for(form, player, columns[player]) for player in range(form.num_players)
        ),
        public_set=public_set,
        public_names=("",) * (int(public_set.max()) + 1),
    )


def _known(form: ExtensiveForm, player: Player) -> LongArray:
    """Return [H] a code of what a player knows: φ of the paper's proof.

    It is the player's information set where it acts; its last information set and action right
    after acting; and off turn, that of the nearest history before, with the distance from it.
    """
    acting = form.acting_infoset[:, player].astype(np.int64)
    after = np.where(form.actor[form.parent] == player, form.last_own_sequence(player), -1)
    after[0] = -1
    num_sets = int(acting.max()) + 1
    base = np.where(acting >= 0, acting, np.where(after >= 0, num_sets + after, -1))
    base[0] = max(base[0], -1)
    defined = np.arange(form.num_histories, dtype=np.int32)
    defined[(base < 0) & (defined > 0)] = -1
    nearest = inherit(form.parent, defined)
    distance = (form.depth - form.depth[nearest]).astype(np.int64)
    return 2 + (base[nearest] + 1) * (int(form.depth.max()) + 1) + distance


def _names_for(form: ExtensiveForm, player: Player, infoset: IntArray) -> tuple[str, ...]:
    """Return the names of information sets: as they were, or the last own move and its distance."""
    _, first = np.unique(infoset, return_index=True)
    last = form.last_own_move(player)
    names = []
    for history in first.tolist():
        number = int(form.acting_infoset[history, player])
        if number >= 0:
            names.append(str(form.infoset_names[player][number]))
            continue
        reached = int(last[history])
        known = "start" if reached < 0 else own_move_text(form, player, reached)
        distance = int(form.depth[history] - form.depth[max(reached, 0)])
        names.append(f"{known} +{distance}" if distance else known)
    return tuple(names)
