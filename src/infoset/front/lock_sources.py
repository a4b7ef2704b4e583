"""Locks given as text or as files of probabilities."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from infoset.errors import ParameterError, show
from infoset.evaluation import Lock, locked_behavior, parse_locks
from infoset.forms import Form, LockedBehavior, PublicForm
from infoset.front.game_sources import GameLike
from infoset.game import Game
from infoset.policy import TabularPolicy, load_behavior, uniform_policy
from infoset.solvers import MethodSpec, runs_on
from infoset.tree import public_rules_of

LOCK_FILES = (".json", ".csv")
"""Suffixes of lock files."""


def is_lock_file(lock: str) -> bool:
    """Return whether a lock is a file; otherwise it is text, as in `locked_behavior`."""
    return lock.lower().endswith(LOCK_FILES)


def form_of_locks(game: GameLike, form: str, locks: Sequence[str], method: MethodSpec) -> str:
    """Return the kind of form on which to solve a game with locks, given the requested kind.

    "auto" becomes "public" if a lock is text and the game has public rules, because text names
    lines and hands of public forms.
    """
    if form != "auto" or all(map(is_lock_file, locks)) or not isinstance(game, Game):
        return form
    return "public" if public_rules_of(game) and runs_on(method, "public") else form


def text_locks(form: PublicForm, locks: Sequence[str]) -> tuple[Lock, ...]:
    """Return the parsed locks of a public form that are given as text."""
    return parse_locks(form, [own for own in locks if not is_lock_file(own)])


def resolve_locks(
    form: Form, locks: Sequence[str], base: Callable[[], TabularPolicy]
) -> LockedBehavior:
    """Return the probabilities that locks fix, for `lock`.

    Parameters
    ----------
    locks
        Text as in `locked_behavior`, and names of files as in `load_behavior`.
    base
        Function that returns the policy that text locks change in proportion. It is called after
        all locks have been checked, and only if probabilities depend on it.

    Raises
    ------
    PolicyFileError, UnknownNameError, ParameterError
        As raised by `load_behavior`, `parse_locks` and `locked_behavior`; or if two locks
        apply to the same infostate.
    """
    texts = [own for own in locks if not is_lock_file(own)]
    parsed = parse_locks(form, texts)
    found: dict[Any, Any] = {}
    taken = [(own.text, own.player, own.infostates) for own in parsed]
    for name in filter(is_lock_file, locks):
        behavior = load_behavior(Path(name), form)
        keys = [form.look_up_all(key) for key in behavior]
        for player in {player for player, _ in keys}:
            places = np.concatenate([own for of, own in keys if of == player])
            for other, of, own in taken:
                if of == player and np.isin(own, places).any():
                    raise ParameterError(
                        f"{name} and {show(other)} lock the same infostates: remove them from one"
                    )
            taken.append((name, player, places))
        found |= behavior
    if texts:
        needs_policy = any(own.needs_policy for own in parsed)
        found |= locked_behavior(base() if needs_policy else uniform_policy(form), texts)
    return found
