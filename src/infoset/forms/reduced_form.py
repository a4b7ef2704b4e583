"""The game that remains after backward induction and the removal of dominated actions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import cycle
from math import prod

import numpy as np

from infoset.forms.backward_induction import RolledBack, may_roll_back, roll_back
from infoset.forms.form import Form
from infoset.forms.infostate_tree import InfostateTree, acting_tree
from infoset.forms.payoffs import ROUNDING_TOLERANCE
from infoset.forms.sequence_form import SequenceForm, as_sequence_form
from infoset.forms.terminal_contraction import contract_terminals
from infoset.forms.transform import PlanMap, locked_map
from infoset.typing import BoolArray, FloatArray, LongArray, Player

MAX_COMPARISONS = 200_000_000
"""Number of comparisons of payoffs after which no more dominated actions are removed: less than a
second."""

WIDTH = 16
"""Number of payoffs that are compared before the actions that do not dominate are dropped."""


@dataclass(frozen=True, eq=False)
class ReducedForm:
    """The choices that remain in a game when others are decided; see `reduce_form`."""

    base: Form
    form: SequenceForm
    """The remaining choices, with the payoffs that follow from the decided ones."""
    sequences: tuple[LongArray, ...]
    """Per player, [Q of `form`] the number of each sequence in the base."""
    probabilities: tuple[FloatArray, ...]
    """Per player, [Q of the base] the decided probabilities; the others are not used."""
    num_decided: int
    """Number of infostates with a choice that backward induction has made."""
    num_dominated: int
    """Number of actions that were removed because they are dominated."""

    @property
    def leaves_choices(self) -> bool:
        """Whether a player has more than one action anywhere in `form`."""
        return any((plex.num_actions > 1).any() for plex in self.form.treeplexes)

    def complete(self, probabilities: tuple[FloatArray, ...]) -> tuple[FloatArray, ...]:
        """Return per player [Q] the probabilities in the base, given those on `form`."""
        found = tuple(own.copy() for own in self.probabilities)
        for whole, places, own in zip(found, self.sequences, probabilities, strict=True):
            whole[places] = own
        return found


def reduce_form(form: Form) -> ReducedForm | None:
    """Make the decisions that need no solver, for any number of players and any payoffs.

    Where information is perfect, `roll_back` chooses. If one simultaneous choice remains, actions
    that another action of the player strictly dominates are removed iteratively. Domination by
    mixtures of actions is not considered.

    A policy for the remaining form has the same gains as the completed policy: no best response
    uses a dominated action, and none is better than backward induction where that decides. Every
    equilibrium of this form is therefore one of the whole game.

    Returns
    -------
    ReducedForm or None
        None if there is nothing to decide, or the form does not list its terminals.
    """
    is_table = all((plex.num_actions > 1).sum() <= 1 for plex in form.treeplexes)
    game = roll_back(form) if is_table or may_roll_back(form) else None
    if game is None:
        return None
    plexes, given = form.treeplexes, game.probabilities
    chosen = zip(game.is_decided, plexes, strict=True)
    num_decided = sum(int((known & (plex.num_actions > 1)).sum()) for known, plex in chosen)
    fixed = [known | ~can for known, can in zip(game.is_decided, game.is_possible, strict=True)]
    maps = [
        locked_map(plex, own, held) for plex, own, held in zip(plexes, given, fixed, strict=True)
    ]
    sequences = [left for _, left in maps]
    kept = _undominated(game, sequences) if all((~own).sum() <= 1 for own in fixed) else sequences
    num_dominated = sum(map(len, sequences)) - sum(map(len, kept))
    if not num_decided + num_dominated:
        return None
    for own, left in zip(given, sequences, strict=True):
        own[left[1:]] = 0.0  # `complete` fills these in
    players = range(form.num_players)
    base = as_sequence_form(form)
    trees = [_tree_of(base, p, np.flatnonzero(~fixed[p]), maps[p][0], kept[p]) for p in players]
    reduced = _form_of(base, game, tuple(trees), kept)
    return ReducedForm(form, reduced, tuple(kept), given, num_decided, num_dominated)


def _undominated(game: RolledBack, sequences: list[LongArray]) -> list[LongArray]:
    """Return the sequences of one simultaneous choice that survive iterated strict domination.

    All survive if the players do not choose simultaneously.
    """
    shape = [max(1, len(own) - 1) for own in sequences]
    acts = [player for player, own in enumerate(sequences) if len(own) > 1]
    if len(game.sequence) != prod(shape) or not game.sequence[:, acts].all():
        return sequences
    # Tuples are sorted, so the last player's action changes first.
    table = game.payoff.reshape(*shape, len(shape))
    kept = [np.arange(size) for size in shape]
    compared, unchanged = 0, 0
    for player in cycle(range(len(shape))):
        own = np.moveaxis(table[np.ix_(*kept)][..., player], player, 0)
        compared += WIDTH * len(own) ** 2
        if unchanged == len(shape) or compared > MAX_COMPARISONS:
            break
        is_dominated = dominated_rows(own.reshape(len(own), -1))
        unchanged = 0 if is_dominated.any() else unchanged + 1
        kept[player] = kept[player][~is_dominated]
    return [
        np.append(0, own[1:][left]) if len(own) > 1 else own
        for own, left in zip(sequences, kept, strict=True)
    ]


def dominated_rows(table: FloatArray) -> BoolArray:
    """Return [R] whether another row is larger in every column, by more than rounding.

    table [R, C].
    """
    found = np.zeros(len(table), bool)
    for row, own in enumerate(table):
        # Domination is transitive, so dominated rows need not be rivals.
        rivals = np.flatnonzero(~found)
        for start in range(0, table.shape[1], WIDTH):
            theirs, ours = table[rivals, start : start + WIDTH], own[start : start + WIDTH]
            rounding = ROUNDING_TOLERANCE * np.abs(theirs) + ROUNDING_TOLERANCE * np.abs(ours)
            rivals = rivals[(theirs > ours + rounding).all(axis=1)]
            if not len(rivals):
                break
        found[row] = len(rivals) > 0
    return found


def _form_of(
    base: SequenceForm, game: RolledBack, trees: tuple[InfostateTree, ...], kept: list[LongArray]
) -> SequenceForm:
    """Return the sequence form of the terminals whose sequences [Q'] remain, renumbered."""
    columns = []
    for own, plex, sequence in zip(kept, base.treeplexes, game.sequence.T, strict=True):
        place = np.full(plex.num_sequences, -1)
        place[own] = np.arange(len(own))
        columns.append(place[sequence])
    sequence = np.stack(columns, axis=1).astype(np.int32)
    rows = (sequence >= 0).all(axis=1)
    reach = game.reach[rows]
    form = contract_terminals(
        name=base.name,
        infostate_trees=trees,
        sequence=sequence[rows],
        chance_reach=reach,
        utility=game.payoff[rows] / reach[:, None],
        num_steps=sum(plex.plan_roundings for plex in base.treeplexes),
        source=base.source,
    )
    # The kind of game stays, because targets and errors depend on it.
    return replace(
        form,
        constant_sum=base.constant_sum,
        payoff_rounding=form.payoff_rounding + base.payoff_rounding,
    )


def _tree_of(
    base: SequenceForm, player: Player, infostates: LongArray, left: PlanMap, kept: LongArray
) -> InfostateTree:
    """Return the tree of a player's remaining infostates.

    Parameters
    ----------
    left
        The map of plans before dominated actions are removed.
    kept
        [Q'] the remaining sequences.
    """
    plex = base.treeplexes[player]
    sizes = plex.num_actions[infostates]
    # [sequences of `left`] the number of each infostate, and the index of each action
    owner = np.append(-1, np.repeat(np.arange(len(infostates)), sizes))
    first = np.append(0, 1 + np.cumsum(sizes) - sizes)
    before = left.last[plex.parent_sequence[infostates]]
    # The texts of all infostates take long in large games.
    labels = base.infostate_labels(player) if len(infostates) else ()
    begins = plex.first_sequence[infostates]
    # Both ends of the run of remaining sequences of each infostate.
    runs = np.searchsorted(kept, np.stack([begins, begins + sizes], axis=1)).tolist()
    actions = []
    for infostate, begin, (start, stop) in zip(
        infostates.tolist(), begins.tolist(), runs, strict=True
    ):
        legal = base.actions_at(player, infostate)
        actions.append(tuple(legal[own - begin] for own in kept[start:stop].tolist()))
    return acting_tree(
        player,
        previous=owner[before],
        action=np.where(before > 0, before - first[1 + owner[before]], -1),
        names=[labels[infostate] for infostate in infostates.tolist()],
        labels=actions,
    )
