"""Gadget games: subgames that are solved again without giving the opponent more than before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from infoset.beliefs.decomposition import TreePart
from infoset.beliefs.public_belief_state import PublicBeliefState
from infoset.errors import ParameterError, UnknownNameError, UnsupportedGameError
from infoset.forms import FOLLOW, TERMINATE, InfostateTree, SequenceForm, contract_terminals
from infoset.typing import FloatArray, IntArray, LongArray, Player
from infoset.utils.arguments import check_player

__all__ = ["GADGETS", "Gadget", "entered_form", "gadget_form"]


@dataclass(frozen=True)
class Gadget:
    """What the opponent may do at the root of a subgame.

    Attributes
    ----------
    name : str
    description : str
        One line, with the source.
    base : str
        The gadget whose form it has.
    uses_gifts : bool
        Whether gifts are added to the opponent's values.
    """

    name: str
    description: str
    base: str
    uses_gifts: bool = False

    def with_gifts(self, opponent: FloatArray, gifts: FloatArray | None) -> FloatArray:
        """Return the opponent's values plus gifts, if the gadget uses them.

        Raises
        ------
        ParameterError
            If gifts are missing, not used, negative or not finite, or have another shape.
        """
        if gifts is None:
            if self.uses_gifts:
                raise ParameterError(
                    f"the gadget {self.name!r} needs gifts; give gifts=accumulated_gifts(...), or "
                    f"the gadget {self.base!r}"
                )
            return opponent
        if not self.uses_gifts:
            raise ParameterError(
                f"the gadget {self.name!r} does not use gifts; omit them, or give "
                "'reach-max-margin'"
            )
        found = _checked("gifts", gifts, np.shape(opponent))
        if (found < 0).any():
            raise ParameterError("gifts has a negative entry; give 0 where nothing was given up")
        return opponent + found


GADGETS: Final[Mapping[str, Gadget]] = {
    row.name: row
    for row in (
        Gadget(
            "resolving",
            "the opponent takes its value at its infostate, or plays on (Burch et al. 2014)",
            "resolving",
        ),
        Gadget(
            "max-margin",
            "the opponent chooses the infostate at which it gains most (Moravčík et al. 2016)",
            "max-margin",
        ),
        Gadget(
            "reach-max-margin",
            "max-margin, with gifts added to the opponent's values (Brown and Sandholm 2017)",
            "max-margin",
            uses_gifts=True,
        ),
        Gadget("none", "chance draws the opponent's infostate from its range; unsafe", "none"),
    )
}
"""The gadgets by name."""


def gadget_form(
    part: TreePart,
    player: Player,
    own_range: FloatArray,
    opponent: FloatArray,
    leaf_values: FloatArray | None = None,
    gadget: str = "resolving",
    *,
    gifts: FloatArray | None = None,
    is_zero_sum: bool = False,
) -> SequenceForm:
    """Return a subgame with a gadget at its root as a sequence form, for any solver.

    The searching player's infostates and sequences are those of the part, in the same order. Its
    payoffs do not depend on its own range, so that infostates of range zero get a policy, too; the
    form is then not zero-sum, which methods that minimize regret do not need.

    At each of its infostates at a leaf, the opponent chooses one of the continuations whose values
    are given.

    Parameters
    ----------
    part : TreePart
        A part of a two-player constant-sum game.
    player : Player
        The searching player.
    own_range : FloatArray
        [S_i] its range at the root.
    opponent : FloatArray
        [S_j] the expected utility that the opponent can take instead at each of its infostates at
        the root, see `infoset.resolving.OPPONENT_VALUES`. For `none`, the opponent's range.
    leaf_values : FloatArray, optional
        [L, n] the searching player's expected utility at each of `part.leaf_histories` for each of
        the opponent's n continuations; required if and only if the part has leaves.
    gadget : str
        A name from `GADGETS`.
    gifts : FloatArray, optional
        [S_j] for `reach-max-margin`, what the opponent has given up on the way to each infostate,
        as from `infoset.resolving.accumulated_gifts`. They are added to `opponent`.
    is_zero_sum : bool
        Whether the searching player's payoffs are weighted by its own range, too. The form is then
        constant-sum, as linear programs need, but says nothing about infostates of range zero.

    Raises
    ------
    UnknownNameError
        If there is no such gadget.
    UnsupportedGameError
        If the game is not two-player constant-sum.
    ParameterError
        If an array has the wrong shape or is not finite, no history at the root has positive
        weight, or gifts are missing or not used.
    """
    if gadget not in GADGETS:
        raise UnknownNameError.of("gadget", gadget, GADGETS)
    row = GADGETS[gadget]
    constant = _constant_sum(part)
    check_player(player, 2, part.name)
    other = 1 - player
    root = PublicBeliefState.with_unit_ranges(part.tree, part.root)
    sizes = [len(numbers) for numbers in root.infostates]
    own_range = _checked("own_range", own_range, (sizes[player],))
    opponent = _checked("opponent", opponent, (sizes[other],))
    if (own_range < 0).any() or (gadget == "none" and (opponent < 0).any()):
        raise ParameterError("a range has a negative entry; give the reach of each infostate")
    opponent = row.with_gifts(opponent, gifts)
    values = _leaf_values(part, leaf_values)
    drawn = own_range[root.position[:, player]] * root.chance_reach
    weight = np.bincount(root.position[:, other], drawn, sizes[other]).astype(np.float64)
    # A subnormal weight has no inverse, and no digits to spare: it counts as 0.
    weight[weight < np.finfo(np.float64).tiny] = 0.0
    if not weight.sum() > 0:
        raise ParameterError(
            f"the range of player {player} is zero wherever play can lead to {part.name}; give a "
            "range with a positive entry"
        )
    if not part.root:
        # The opponent has not acted yet, so that there is nothing it could take instead.
        row, opponent = GADGETS["none"], np.ones(1)
    return _gadget_form(
        part, player, own_range, opponent, weight, values, row, constant, is_zero_sum
    )


def entered_form(
    part: TreePart, player: Player = 0, leaf_values: FloatArray | None = None
) -> SequenceForm:
    """Return a part of a tree in which each player first enters by a forced move.

    It is what `infoset.forms.add_gadget` changes to a gadget game. Ranges at the root are 1.

    Parameters
    ----------
    part : TreePart
        A part of a two-player constant-sum game.
    player : Player
        The searching player; the other one chooses among the continuations at leaves.
    leaf_values : FloatArray, optional
        As in `gadget_form`.

    Raises
    ------
    UnsupportedGameError
        If the game is not two-player constant-sum.
    ParameterError
        If `leaf_values` have the wrong shape or are not finite.
    """
    constant = _constant_sum(part)
    check_player(player, 2, part.name)
    values, other = _leaf_values(part, leaf_values), 1 - player
    ends = _Ends.of(part, values, player)
    root = PublicBeliefState.with_unit_ranges(part.tree, part.root)
    trees, columns = [], []
    for own, infostate in enumerate(part.infostate_trees):
        ones = np.ones(len(root.infostates[own]))
        choices = values.shape[1] if own == other else 1
        changed = _OpponentTree.of(part, infostate, own, "entered", choices, ones)
        trees.append(changed.tree)
        columns.append(ends.sequence_of(changed, own, choices))
    utility = np.empty((len(ends.place), 2))
    utility[:, player], utility[:, other] = ends.own_utility, constant - ends.own_utility
    return contract_terminals(
        name=f"entered({part.name})",
        infostate_trees=tuple(trees),
        sequence=np.stack(columns, axis=1).astype(np.int32),
        chance_reach=part.ends.chance_reach[ends.place],
        utility=utility,
        num_steps=len(part.tree.level_offsets),
    )


class _Ends(NamedTuple):
    """The ends of a part, with leaf histories once for each choice of the opponent there.

    part, place [Z] the end of the part, choice [Z] at leaves, own_utility [Z] of the player.
    """

    part: TreePart
    place: LongArray
    choice: LongArray
    own_utility: FloatArray

    @classmethod
    def of(cls, part: TreePart, values: FloatArray, player: Player) -> _Ends:
        """Return the ends, given values [L, n] of a player at leaves."""
        num_ended, num_choices = len(part.terminals), values.shape[1]
        return cls(
            part,
            np.concatenate(
                [np.arange(num_ended), num_ended + np.repeat(np.arange(len(values)), num_choices)]
            ),
            np.tile(np.arange(num_choices), len(values)),
            np.concatenate([part.tree.rewards_so_far[part.terminals, player], values.ravel()]),
        )

    def sequence_of(self, changed: _OpponentTree, player: Player, num_choices: int) -> LongArray:
        """Return [Z] a player's last sequence at each end in a changed infostate tree."""
        num_ended = len(self.part.terminals)
        before = self.part.ends.sequence[self.place, player]
        entered = self.part.ends.entry[self.place, player]
        taken: LongArray = np.where(before > 0, changed.sequence[before], changed.begin[entered])
        if num_choices > 1:
            taken[num_ended:] = (
                changed.leaf_sequence[self.place[num_ended:] - num_ended] + self.choice
            )
        return taken


def _gadget_form(
    part: TreePart,
    player: Player,
    own_range: FloatArray,
    opponent: FloatArray,
    weight: FloatArray,
    values: FloatArray,
    row: Gadget,
    constant: float,
    is_zero_sum: bool,
) -> SequenceForm:
    """Return the form; `weight` [S_j] is chance reach times own range at opponent infostates."""
    gadget, other, num_choices = row.base, 1 - player, values.shape[1]
    tree, infostate = part.tree, part.infostate_trees[other]
    ends = _Ends.of(part, values, player)
    place, own_utility = ends.place, ends.own_utility
    entered = part.ends.entry[place]
    sequence = part.ends.sequence[place]
    changed = _OpponentTree.of(part, infostate, other, gadget, num_choices, weight)
    sequence[:, other] = ends.sequence_of(changed, other, num_choices)

    reach = part.ends.chance_reach[place]
    of_opponent = np.ones_like(reach)  # weight of its infostate at the root
    if gadget == "none":
        of_opponent = opponent[entered[:, other]]
    elif gadget == "max-margin":
        own_utility = own_utility - (constant - opponent[entered[:, other]])
        constant = 0.0
        inverse = np.divide(1.0, weight, out=np.zeros_like(weight), where=weight > 0)
        of_opponent = inverse[entered[:, other]]
    utility = np.empty((len(place), 2))
    utility[:, player], utility[:, other] = own_utility, constant - own_utility
    own_weight = own_range[entered[:, player]]
    if is_zero_sum:
        reach = reach * own_weight * of_opponent
    else:
        # Each player's payoffs are weighted by chance and the other player only. The opponent's
        # infostates keep their weights in both, because they are chosen before anything else.
        utility[:, other] *= own_weight
        if gadget == "max-margin":
            utility *= of_opponent[:, None]
        else:
            utility[:, player] *= of_opponent
    if gadget == "resolving":
        ended = np.zeros((len(weight), 2), np.int32)
        ended[:, other] = changed.begin + 1
        worth = np.empty((len(weight), 2))
        worth[:, other], worth[:, player] = opponent, constant - opponent
        sequence = np.concatenate([sequence, ended])
        reach, utility = np.concatenate([reach, weight]), np.concatenate([utility, worth])
    trees = list(part.infostate_trees)
    trees[other] = changed.tree
    return contract_terminals(
        name=f"{row.name}({part.name},player={player})",
        infostate_trees=tuple(trees),
        sequence=sequence.astype(np.int32),
        chance_reach=reach,
        utility=utility,
        num_steps=len(tree.level_offsets),
    )


@dataclass(frozen=True, eq=False)
class _OpponentTree:
    """The opponent's infostates with its choices at the root and at the leaves.

    Attributes
    ----------
    tree : InfostateTree
    sequence : LongArray
        [Q] the new number of each sequence of the part; the empty one is not used.
    begin : LongArray
        [S_j] the last sequence before play at each infostate of the root.
    leaf_sequence : LongArray
        [L] the first sequence at the opponent's infostate at each leaf history, if it chooses.
    """

    tree: InfostateTree
    sequence: LongArray
    begin: LongArray
    leaf_sequence: LongArray

    @classmethod
    def of(
        cls,
        part: TreePart,
        old: InfostateTree,
        other: Player,
        gadget: str,
        num_choices: int,
        weight: FloatArray,
    ) -> _OpponentTree:
        """Return the tree of player `other` for a gadget and a number of choices at leaves."""
        num_roots = len(weight)
        action_set = old.action_set.copy()
        sets = list(old.action_sets)
        leaves = part.leaf_infostates(other)
        if num_choices > 1:
            action_set[leaves] = len(sets)
            sets.append(tuple(range(num_choices)))
        parent, action = old.parent.copy(), old.action.copy()
        columns = [old.private_observation, old.public_observation, old.public_state]
        roots = slice(1, 1 + num_roots)
        inserted = 0
        if gadget in ("resolving", "entered"):
            inserted = num_roots
            nodes = np.arange(1, 1 + num_roots, dtype=np.int32)
            parent = np.where(parent > 0, parent + inserted, parent)
            parent[roots], action[roots] = nodes, 0
            parent = np.insert(parent, 1, np.zeros(inserted, np.int32))
            action = np.insert(action, 1, np.full(inserted, -1, np.int32))
            columns = [np.insert(column, 1, column[roots]) for column in columns]
            action_set = np.insert(action_set, 1, np.full(inserted, len(sets), np.int32))
            sets.append((FOLLOW, TERMINATE) if gadget == "resolving" else (FOLLOW,))
        elif gadget == "max-margin":
            chosen = np.flatnonzero(weight > 0)
            action[1 + chosen] = np.arange(len(chosen))
            action_set[0] = len(sets)
            sets.append(tuple(chosen.tolist()))
        tree = InfostateTree(
            player=other,
            parent=parent.astype(np.int32),
            action=action.astype(np.int32),
            private_observation=columns[0],
            public_observation=columns[1],
            public_state=columns[2],
            action_set=action_set,
            action_sets=tuple(sets),
            observations=old.observations,
        )
        shift = np.repeat(
            tree.first_sequence[_moved(old.acting, inserted)] - old.first_sequence[old.acting],
            old.num_actions[old.acting],
        )
        begin = np.zeros(num_roots, np.int64)
        if inserted:
            begin = tree.first_sequence[1 : 1 + num_roots].astype(np.int64)
        elif gadget == "max-margin":
            begin[chosen] = tree.first_sequence[0] + np.arange(len(chosen))
        return cls(
            tree=tree,
            sequence=np.concatenate([[0], np.arange(1, old.num_sequences) + shift]),
            begin=begin,
            leaf_sequence=tree.first_sequence[_moved(leaves, inserted)].astype(np.int64),
        )


def _moved(infostate: IntArray | LongArray, inserted: int) -> LongArray:
    """Return infostates after a number of new ones have been inserted behind the root."""
    return np.where(infostate > 0, infostate + inserted, 0).astype(np.int64)


def _constant_sum(part: TreePart) -> float:
    form = part.tree.sequence_form
    if form.num_players != 2 or form.constant_sum is None:
        raise UnsupportedGameError(
            f"gadgets need a two-player constant-sum game, which {form.name} is not"
        )
    return form.constant_sum


def _leaf_values(part: TreePart, leaf_values: FloatArray | None) -> FloatArray:
    """Return [L, n] the values at the leaves, checked."""
    size = len(part.leaf_histories)
    if leaf_values is None:
        if size:
            raise ParameterError(
                f"{part.name} has {size} leaf histories; give leaf_values of shape [{size}, n]"
            )
        return np.zeros((0, 1))
    found = np.asarray(leaf_values, np.float64)
    if found.ndim != 2 or found.shape[0] != size or not found.shape[1]:
        raise ParameterError(
            f"leaf_values have shape {found.shape}, but {part.name} has {size} leaf histories; "
            f"give an array of shape [{size}, n], with n at least 1"
        )
    return _checked("leaf_values", found, found.shape)


def _checked(name: str, values: FloatArray, shape: tuple[int, ...]) -> FloatArray:
    found = np.asarray(values, np.float64)
    if found.shape != shape:
        raise ParameterError(f"{name} has shape {found.shape}; give an array of shape {shape}")
    if not np.isfinite(found).all():
        raise ParameterError(f"{name} has an entry that is NaN or infinite; give finite numbers")
    return found
