"""Versions of an extensive form: classical, augmented, 1-timeable, with payoffs at the end."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from operator import add

import numpy as np

from infoset.efg._history_kernels import breadth_first_order, inherit
from infoset.efg.common_knowledge import merge_intersecting
from infoset.efg.exact_numbers import to_fraction
from infoset.efg.extensive_form import ExtensiveForm
from infoset.efg.histories import TERMINAL, Outcome
from infoset.efg.information_sets import check_property, find_recall_violation, own_move_text
from infoset.efg.timing import exact_timing, find_uneven_timing
from infoset.errors import UnsupportedGameError
from infoset.game import Probability
from infoset.typing import CHANCE, Action, IntArray, LongArray, Player
from infoset.utils.sorting import number_by_appearance

WAIT = "wait"
"""The only move of an inserted chance history."""


def forget_non_acting(form: ExtensiveForm) -> ExtensiveForm:
    """Return the classical extensive form, with information sets of acting players only.

    Notes
    -----
    Source: Kovařík et al. (2022), Definition 3.7. The classical form of a FOSG is 1-timeable and
    has perfect recall (Theorem 3.10).

    Examples
    --------
    >>> from infoset.efg import build_extensive_form
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
    """Return [H] the renumbered information sets where a player acts, and their names."""
    acting = form.acting_infoset[:, player]
    infoset = number_by_appearance(acting)
    numbers, first = np.unique(infoset, return_index=True)
    chosen = acting[first[numbers >= 0]].tolist()
    return infoset, tuple(str(form.infoset_names[player][number]) for number in chosen)


def pay_at_end(form: ExtensiveForm) -> ExtensiveForm:
    """Return the form with all payoffs at terminal histories, where each path's payoffs are added.

    A form without payoffs at other histories is returned unchanged. Otherwise the new outcomes are
    unnamed and exact: floats are added as the shortest decimals that round to them.

    Examples
    --------
    >>> from infoset.efg import Outcome, decision, extensive_form_from_nodes, terminal
    >>> root = decision(
    ...     0, "toll", {"go": terminal(2), "stay": terminal()}, outcome=Outcome((-1,))
    ... )
    >>> paid = pay_at_end(extensive_form_from_nodes(root, players=1))
    >>> [str(outcome.payoffs[0]) for outcome in paid.outcomes], paid.outcome.tolist()
    (['1', '-1'], [-1, 0, 1])
    """
    is_end = form.actor == TERMINAL
    if (form.outcome[~is_end] < 0).all():
        return form
    totals = _exact_totals(form)
    numbers: dict[tuple[Fraction, ...], int] = {}
    outcome = [
        numbers.setdefault(total, len(numbers)) if ends and any(total) else -1
        for total, ends in zip(totals, is_end.tolist(), strict=True)
    ]
    return replace(
        form,
        outcome=np.array(outcome, np.int32),
        outcomes=tuple(Outcome(payoffs) for payoffs in numbers),
    )


def _exact_totals(form: ExtensiveForm) -> list[tuple[Fraction, ...]]:
    """Return [H] the exact sum of the payoffs on the path to each history."""
    exact = [tuple(map(to_fraction, outcome.payoffs)) for outcome in form.outcomes]
    totals = [(Fraction(),) * form.num_players]
    parents = form.parent.tolist()
    for history, paid in enumerate(form.outcome.tolist()):
        # The first entry is what was paid before the root, in whose place the root comes.
        before = totals[parents[history]] if history else totals.pop()
        totals.append(tuple(map(add, before, exact[paid])) if paid >= 0 else before)
    return totals


def augment(form: ExtensiveForm) -> ExtensiveForm:
    """Return an augmented form whose classical form is the given one.

    A player who does not act knows its last information set or own action and the number of moves
    since then. The public sets are the finest common coarsening of the players' information. This
    is one of many possible augmentations, because a classical form does not determine the
    information of players who do not act (Section 3.3).

    Raises
    ------
    UnsupportedGameError
        If the form lacks perfect recall or is not 1-timeable (`pad_timing` makes a timeable form
        1-timeable).

    Notes
    -----
    Source: Kovařík et al. (2022), proof of Theorem 3.10.
    """
    check_property(form, find_recall_violation, "cannot be augmented")
    violation = find_uneven_timing(form)
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
    """Return [H] a code of a player's information: φ in the proof of Theorem 3.10.

    Where the player acts, the code identifies the information set; right after the player acts, its
    last information set and action; elsewhere, the code of the nearest such ancestor and the
    distance from it.
    """
    # Codes of information sets come first, then those of own sequences; -1 is inherited.
    acting = form.acting_infoset[:, player].astype(np.int64)
    after = np.where(form.actor[form.parent] == player, form.last_own_sequence(player), -1)
    after[0] = -1
    num_sets = int(acting.max()) + 1
    base = np.where(acting >= 0, acting, np.where(after >= 0, num_sets + after, -1))
    defined = np.arange(form.num_histories, dtype=np.int32)
    defined[(base < 0) & (defined > 0)] = -1  # the root is always defined
    nearest = inherit(form.parent, defined)
    distance = (form.depth - form.depth[nearest]).astype(np.int64)
    # No distance exceeds the largest depth: different pairs have different codes.
    return 2 + (base[nearest] + 1) * (int(form.depth.max()) + 1) + distance


def _names_for(form: ExtensiveForm, player: Player, infoset: IntArray) -> tuple[str, ...]:
    """Return the names of information sets: the given name, or the last own move and distance."""
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


def pad_timing(form: ExtensiveForm) -> ExtensiveForm:
    """Return a 1-timeable form: all histories of an information set have the same length.

    Where the earliest exact timing skips times between a history and its child, one chance history
    with a single move is inserted for each skipped time. The result is strategically equivalent and
    at most quadratically larger (Corollary D.3).

    Returns
    -------
    ExtensiveForm
        The form itself if it is 1-timeable. Otherwise a classical form, without public sets and the
        information sets of players who do not act, because these do not cover the inserted
        histories.

    Raises
    ------
    UnsupportedGameError
        If the form is not timeable. The message gives the cycle.

    Notes
    -----
    Source: Kovařík et al. (2022), Lemmas 3.9 and D.2.
    """
    if find_uneven_timing(form) is None:
        return form
    return insert_waits(forget_non_acting(form), _skipped(form))


def padded_histories(form: ExtensiveForm) -> IntArray:
    """Return [H] the number of each history of a form in `pad_timing(form)`."""
    if find_uneven_timing(form) is None:
        return np.arange(form.num_histories, dtype=np.int32)
    order, _ = breadth_first_order(*_lengthened(form, _skipped(form)))
    return _places(order)[: form.num_histories]


def _skipped(form: ExtensiveForm) -> IntArray:
    """Return [H] the number of time steps that the earliest timing skips before each history."""
    times = exact_timing(form)
    skipped = times - times[form.parent] - 1
    skipped[0] = 0
    return skipped


def insert_waits(form: ExtensiveForm, skipped: IntArray) -> ExtensiveForm:
    """Insert `skipped` [H] chance histories with one move between each history and its parent."""
    parent, position = _lengthened(form, skipped)
    order, first_child = breadth_first_order(parent, position)
    new_parent = _places(order)[parent[order]]
    new_parent[0] = -1
    move, moves = _moves(form, skipped)
    chance, probabilities = _probabilities(form, skipped)
    num_waits = int(skipped.sum())
    waits = np.full((num_waits, form.num_players), -1, np.int32)
    nothing = np.full(num_waits, -1, np.int32)
    names = [*form.history_names, *[""] * num_waits]
    return replace(
        form,
        parent=new_parent,
        first_child=first_child,
        actor=np.concatenate([form.actor, np.full(num_waits, CHANCE, np.int32)])[order],
        move=move[order],
        moves=moves,
        chance=chance[order],
        probabilities=probabilities,
        outcome=np.concatenate([form.outcome, nothing])[order],
        infoset=np.concatenate([form.infoset, waits])[order],
        history_names=tuple(names[node] for node in order.tolist()),
    )


def _places(order: IntArray) -> IntArray:
    """Return the inverse of a permutation `order` [H]."""
    place = np.empty(len(order), np.int32)
    place[order] = np.arange(len(order))
    return place


def _owners(skipped: IntArray) -> tuple[IntArray, IntArray]:
    """Return the history that each inserted history precedes, and its place in the chain."""
    owner = np.repeat(np.arange(len(skipped)), skipped)
    start = np.cumsum(skipped) - skipped
    return owner.astype(np.int32), (np.arange(len(owner)) - start[owner]).astype(np.int32)


def _lengthened(form: ExtensiveForm, skipped: IntArray) -> tuple[IntArray, IntArray]:
    """Return the parents and positions of the given histories, then of the inserted ones."""
    # A chain has consecutive numbers. Its first history takes the place of the owner below the
    # parent, each further one follows the one before, and the owner follows the last one.
    owner, place = _owners(skipped)
    waits = form.num_histories + np.arange(len(owner))
    last_wait = form.num_histories + np.cumsum(skipped) - 1
    parents = [
        np.where(skipped > 0, last_wait, form.parent),
        np.where(place == 0, form.parent[owner], waits - 1),
    ]
    positions = [
        np.where(skipped > 0, 0, form.position),
        np.where(place == 0, form.position[owner], 0),
    ]
    return np.concatenate(parents).astype(np.int32), np.concatenate(positions).astype(np.int32)


def _moves(form: ExtensiveForm, skipped: IntArray) -> tuple[IntArray, tuple[Action, ...]]:
    """Return moves in the same order; the first history of a chain gets the original move."""
    return _first_of_chain(form.move, skipped, len(form.moves)), (*form.moves, WAIT)


def _probabilities(
    form: ExtensiveForm, skipped: IntArray
) -> tuple[IntArray, tuple[Probability, ...]]:
    sure = len(form.probabilities)
    return _first_of_chain(form.chance, skipped, sure), (*form.probabilities, Fraction(1))


def _first_of_chain(index: IntArray, skipped: IntArray, rest: int) -> IntArray:
    owner, place = _owners(skipped)
    kept = np.where(skipped > 0, rest, index)
    return np.concatenate([kept, np.where(place == 0, index[owner], rest)]).astype(np.int32)
