"""Making a timeable extensive form 1-timeable."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np

from infoset.efg._kernels import breadth_first_order
from infoset.efg.conversions import forget_non_acting
from infoset.efg.form import ExtensiveForm
from infoset.efg.timing import exact_timing, find_uneven_timing
from infoset.game import Probability
from infoset.typing import CHANCE, Action, IntArray

__all__ = ["insert_waits", "pad_timing", "world_of_history"]

WAIT = "wait"
"""The only move of a chance history that is put in."""


def pad_timing(form: ExtensiveForm) -> ExtensiveForm:
    """Return a form in which the histories of an information set come after as many moves.

    Where the earliest exact timing skips times between a history and its child, chance histories
    with a single move are put in: as many as there are times skipped. The result is strategically
    equivalent, and at most quadratically larger (Corollary D.3).

    Returns
    -------
    ExtensiveForm
        The form itself if it is 1-timeable already; otherwise a classical one: information sets
        off turn and public sets say nothing of the histories put in, and are dropped.

    Raises
    ------
    UnsupportedGameError
        If the form is not timeable; the message gives the cycle.

    Notes
    -----
    Source: Kovařík et al. (2022), Lemmas 3.9 and D.2.
    """
    if find_uneven_timing(form) is None:
        return form
    return insert_waits(forget_non_acting(form), _skipped(form))


def world_of_history(form: ExtensiveForm) -> IntArray:
    """Return [H] the numbers that the histories of a form have in `pad_timing(form)`."""
    if find_uneven_timing(form) is None:
        return np.arange(form.num_histories, dtype=np.int32)
    order, _ = breadth_first_order(*_lengthened(form, _skipped(form)))
    return _places(order)[: form.num_histories]


def _skipped(form: ExtensiveForm) -> IntArray:
    """Return [H] how many times the earliest timing skips in front of each history."""
    times = exact_timing(form)
    skipped = times - times[form.parent] - 1
    skipped[0] = 0
    return skipped


def insert_waits(form: ExtensiveForm, skipped: IntArray) -> ExtensiveForm:
    """Put `skipped` [H] chance histories of one move between each history and its parent."""
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
    """Return [H] at which place of an order [H] each history stands."""
    place = np.empty(len(order), np.int32)
    place[order] = np.arange(len(order))
    return place


def _owners(skipped: IntArray) -> tuple[IntArray, IntArray]:
    """Return, for each history put in, the one it comes before, and its place in that chain."""
    owner = np.repeat(np.arange(len(skipped)), skipped)
    start = np.cumsum(skipped) - skipped
    return owner.astype(np.int32), (np.arange(len(owner)) - start[owner]).astype(np.int32)


def _lengthened(form: ExtensiveForm, skipped: IntArray) -> tuple[IntArray, IntArray]:
    """Return parents and positions of the histories as they were, then of those put in."""
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
    """Return moves, in that order: the first of a chain has the move of the history it is for."""
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
