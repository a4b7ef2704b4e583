"""Gadget games: subgames to re-solve without giving the opponent more than before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from infoset.beliefs.decomposition import TreePart
from infoset.beliefs.public_belief_state import infostates_at
from infoset.errors import ParameterError, UnknownNameError, UnsupportedGameError
from infoset.forms import (
    FOLLOW,
    Form,
    InfostateTree,
    LazyObservations,
    SequenceForm,
    add_gadget,
    contract_terminals,
)
from infoset.typing import Action, FloatArray, LongArray, Player
from infoset.utils.arguments import check_player

ARRIVE: Final = "arrive"
"""The forced move of both players at a leaf whose values depend on ranges."""


@dataclass(frozen=True)
class Gadget:
    """A choice of the opponent at the root of a subgame."""

    name: str
    description: str
    """One line, with the source."""
    base: str
    """The kind of gadget that is built; see `infoset.forms.add_gadget`."""
    uses_gifts: bool = False
    """Whether gifts are added to the opponent's values."""

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
) -> Form:
    """Return a subgame with a gadget at its root, as a form for any method.

    The searching player's infostates and sequences are those of the part, in the same order. Its
    payoffs do not depend on its own range, so that infostates of range zero get a policy, too; the
    form is then not zero-sum, which methods that minimize regret do not need.

    At each of its infostates at a leaf, the opponent chooses one of the continuations whose values
    are given. If there are values for pairs of continuations, the searching player chooses, too.

    Parameters
    ----------
    part
        A part of a two-player constant-sum game.
    player
        The searching player.
    own_range
        [S_i] its range at the root.
    opponent
        [S_j] the expected utility that the opponent can take instead at each of its infostates at
        the root, see `infoset.resolving.OPPONENT_VALUES`. For `none`, the opponent's range.
    leaf_values
        [L, n] the searching player's expected utility at each of `part.leaf_histories` for each of
        the opponent's n continuations; required if and only if the part has leaves. Or [L, m, n] if
        the searching player also chooses, among m continuations.
    gadget
        A name from `GADGETS`.
    gifts
        [S_j] for `reach-max-margin`, the value that the opponent has given up on the way to each
        infostate, such as `infoset.resolving.accumulated_gifts`. It is added to `opponent`.
    is_zero_sum
        Whether the searching player's payoffs are weighted by its own range, too. The form is then
        constant-sum, as linear programs need, but leaves infostates of range zero undetermined.

    Raises
    ------
    UnsupportedGameError
        If the game is not two-player constant-sum.
    ParameterError
        If an array has the wrong shape or is not finite, no history at the root has positive
        weight, or gifts are missing or not used.
    """
    entered = entered_form(part, player, leaf_values)
    return with_gadget(
        entered, part.root, player, own_range, opponent, gadget, gifts, is_zero_sum=is_zero_sum
    )


def with_gadget(
    entered: Form,
    root: int,
    player: Player,
    own_range: FloatArray,
    opponent: FloatArray,
    gadget: str,
    gifts: FloatArray | None = None,
    *,
    constant: float | None = None,
    is_zero_sum: bool = False,
) -> Form:
    """Return the form of a part with a gadget at its root, with gifts if the gadget uses them.

    At the root of the game, the opponent has not acted yet and no gadget is needed, so `entered`
    is returned.

    Parameters
    ----------
    entered
        The part with forced moves at its root, see `infoset.forms.add_gadget`; without them at the
        root of the game.
    root
        The public state at its root.
    player, own_range, opponent, gadget, gifts, is_zero_sum
        As in `gadget_form`.
    constant
        The constant sum of utilities; by default that of `entered`.

    Raises
    ------
    UnknownNameError, UnsupportedGameError, ParameterError
        As in `gadget_form`.
    """
    if gadget not in GADGETS:
        raise UnknownNameError.of("gadget", gadget, GADGETS)
    row = GADGETS[gadget]
    if not root:
        return entered
    taken = row.with_gifts(opponent, gifts)
    return add_gadget(
        entered, player, own_range, taken, row.base, constant=constant, is_zero_sum=is_zero_sum
    )


def entered_form(
    part: TreePart, player: Player = 0, leaf_values: FloatArray | None = None
) -> SequenceForm:
    """Return the sequence form of a part of a tree, in which each player first has a forced move.

    `infoset.forms.add_gadget` turns it into a gadget game. Ranges at the root are 1. At the root of
    the game, there are no forced moves.

    Parameters
    ----------
    part
        A part of a two-player constant-sum game.
    player
        The searching player.
    leaf_values
        As in `gadget_form`.

    Raises
    ------
    UnsupportedGameError
        If the game is not two-player constant-sum.
    """
    _check_game(part)
    check_player(player, 2, part.name)
    values = _leaf_values(part, leaf_values)
    # Each leaf history becomes one terminal for each pair of choices there.
    leaf, *choices = np.unravel_index(np.arange(values.size), values.shape)
    pairs = (choices[0], choices[1]) if player == 0 else (choices[1], choices[0])
    sizes = values.shape[1:] if player == 0 else values.shape[:0:-1]
    moves = [tuple(range(size)) if size > 1 else () for size in sizes]
    entered = [_EnteredInfostates.of(part, p, moves[p]) for p in range(2)]
    return _ended_form(part, entered, leaf, pairs, _utilities(part, player, values.ravel()))


def has_equal_forms(part: TreePart) -> bool:
    """Return whether a part without leaves has the same entered form for both players."""
    # They differ if a utility is rounded when it is subtracted from the constant sum.
    first, second = (_utilities(part, player, np.zeros(0)) for player in range(2))
    return first.tobytes() == second.tobytes()  # as bits, so that 0.0 and -0.0 differ


def arriving_form(part: TreePart) -> tuple[SequenceForm, tuple[LongArray, LongArray]]:
    """Return a part with forced moves at its root, and at its leaves, which pay 1 to each player.

    Values of infostates at the leaves may depend on ranges, see `infoset.resolving.range_values`.

    Returns
    -------
    form : SequenceForm
        The sequence form; see `entered_form`.
    sequences : tuple[LongArray, LongArray]
        Per player, [L] the sequence with which it arrives at each of `part.leaf_histories`.

    Raises
    ------
    UnsupportedGameError
        If the game is not two-player constant-sum.
    """
    _check_game(part)
    entered = [_EnteredInfostates.of(part, p, (ARRIVE,)) for p in range(2)]
    leaf = np.arange(len(part.leaf_histories))
    utility = _utilities(part, 0, np.ones(len(leaf)))
    utility[len(part.terminals) :] = 1.0
    form = _ended_form(part, entered, leaf, (np.zeros_like(leaf), np.zeros_like(leaf)), utility)
    return form, (entered[0].leaf_sequence, entered[1].leaf_sequence)


def _check_game(part: TreePart) -> None:
    """Raise unless a part belongs to a two-player constant-sum game."""
    form = part.tree.sequence_form
    if form.num_players != 2 or form.constant_sum is None:
        raise UnsupportedGameError(
            f"gadgets need a two-player constant-sum game, which {form.name} is not"
        )


def _utilities(part: TreePart, player: Player, leaf_values: FloatArray) -> FloatArray:
    """Return [Z, 2] the utilities at terminals and leaves, given one player's at leaves."""
    own = np.concatenate([part.tree.rewards_so_far[part.terminals, player], leaf_values])
    constant = part.tree.sequence_form.constant_sum
    assert constant is not None
    return np.stack([own, constant - own] if player == 0 else [constant - own, own], axis=1)


def _ended_form(
    part: TreePart,
    entered: Sequence[_EnteredInfostates],
    leaf: LongArray,
    moves: tuple[LongArray, LongArray],
    utility: FloatArray,
) -> SequenceForm:
    """Return the sequence form of a part.

    Parameters
    ----------
    leaf, moves
        [E] the leaf history of each end after the terminals, and the number of each player's move
        there; unused for a player without moves.
    utility
        [Z, 2] at the terminals and at these ends.
    """
    num_ended = len(part.terminals)
    place = np.concatenate([np.arange(num_ended), num_ended + leaf])
    sequence = np.empty((2, len(place)), np.int32)
    for player, own in enumerate(entered):
        sequence[player] = own.last(part, player)[place]
        if own.moves_at_leaves:
            sequence[player, num_ended:] = own.leaf_sequence[leaf] + moves[player]
    return contract_terminals(
        name=part.name,
        infostate_trees=tuple(own.tree for own in entered),
        sequence=sequence.T,
        chance_reach=part.ends.chance_reach[place],
        utility=utility,
        num_steps=len(part.tree.level_offsets),
    )


@dataclass(frozen=True, eq=False)
class _EnteredInfostates:
    """A player's infostates, with forced moves added at the root and choices at the leaves."""

    tree: InfostateTree
    sequence: LongArray
    """[Q] the new number of each sequence of the part; the empty one is not used."""
    leaf_sequence: LongArray
    """[L] the first sequence at the infostate at each leaf history, if the player moves there."""
    moves_at_leaves: bool

    @classmethod
    def of(cls, part: TreePart, player: Player, moves: tuple[Action, ...]) -> _EnteredInfostates:
        """Return the infostates, given the moves at each leaf; none if the player does not move."""
        old = part.infostate_trees[player]
        num_roots = len(infostates_at(part.tree, part.root)[player]) if part.root else 0
        leaves, sets = part.leaf_infostates(player), list(old.action_sets)
        # A forced move is inserted before each root, with the observations of the root.
        origin = np.concatenate([np.arange(1 + num_roots), np.arange(1, old.num_infostates)])
        forced, roots = slice(1, 1 + num_roots), slice(1 + num_roots, 1 + 2 * num_roots)
        parent, action, action_set = old.parent[origin], old.action[origin], old.action_set[origin]
        parent[parent > 0] += num_roots
        parent[forced], parent[roots] = 0, np.arange(1, 1 + num_roots)
        action[forced], action[roots] = -1, 0
        if moves:
            action_set[leaves + num_roots] = len(sets)
            sets.append(moves)
        action_set[forced] = len(sets)
        private, public = old.private_observation[origin], old.public_observation[origin]
        private[roots] = public[roots] = len(old.observations)
        tree = InfostateTree(
            player=player,
            parent=parent,
            action=action,
            private_observation=private,
            public_observation=public,
            public_state=old.public_state[origin],
            action_set=action_set,
            action_sets=(*sets, (FOLLOW,)),
            observations=LazyObservations.joined(old.observations, (None,)),
        )
        moved = np.where(old.acting > 0, old.acting + num_roots, 0)
        shift = np.repeat(
            tree.first_sequence[moved] - old.first_sequence[old.acting],
            old.num_actions[old.acting],
        )
        return cls(
            tree=tree,
            sequence=np.append(0, np.arange(1, old.num_sequences) + shift),
            leaf_sequence=tree.first_sequence[leaves + num_roots].astype(np.int64),
            moves_at_leaves=bool(moves),
        )

    def last(self, part: TreePart, player: Player) -> LongArray:
        """Return [Z] the player's last sequence at the ends of the part, at least a forced move."""
        before = part.ends.sequence[:, player]
        entered = 1 + part.ends.entry[:, player] if part.root else 0
        return np.where(before > 0, self.sequence[before], entered)


def _leaf_values(part: TreePart, leaf_values: FloatArray | None) -> FloatArray:
    """Return [L, m, n] the values at the leaves, checked."""
    size = len(part.leaf_histories)
    if leaf_values is None:
        if size:
            raise ParameterError(
                f"{part.name} has {size} leaf histories; give leaf_values of shape [{size}, n]"
            )
        return np.zeros((0, 1, 1))
    found = np.asarray(leaf_values, np.float64)
    if found.ndim not in (2, 3) or found.shape[0] != size or not all(found.shape[1:]):
        raise ParameterError(
            f"leaf_values have shape {found.shape}, but {part.name} has {size} leaf histories; "
            f"give an array of shape [{size}, n], or [{size}, m, n] if both players choose, with m "
            "and n at least 1"
        )
    checked = _checked("leaf_values", found, found.shape)
    return checked if checked.ndim == 3 else checked[:, None]


def _checked(name: str, values: FloatArray, shape: tuple[int, ...]) -> FloatArray:
    found = np.asarray(values, np.float64)
    if found.shape != shape:
        raise ParameterError(f"{name} has shape {found.shape}; give an array of shape {shape}")
    if not np.isfinite(found).all():
        raise ParameterError(f"{name} has an entry that is NaN or infinite; give finite numbers")
    return found
