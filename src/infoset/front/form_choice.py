"""The choice between the sequence form and the public form of a game."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Final, NamedTuple

from infoset.errors import GameTooLargeError, ParameterError, UnsupportedGameError
from infoset.forms import Form, PublicForm, as_public_form
from infoset.front.game_sources import FormLike, resolve_game, to_form, to_game
from infoset.game import Game
from infoset.solvers import MethodSpec, runs_on
from infoset.tree import (
    BuildProgress,
    GameTree,
    PublicCounts,
    build_public_form,
    check_public_form_fits,
    count_public_form,
    derive_public_form,
    public_rules_of,
)
from infoset.utils.arguments import check_choice
from infoset.utils.text import format_bytes, format_count

__all__ = ["FORMS", "ChosenForm", "choose_form", "to_kind", "to_public_form"]

FORMS: Final = ("auto", "sequence", "public")
"""What `solve` accepts as the form of a game."""


class ChosenForm(NamedTuple):
    """The form on which a game is solved or measured.

    Attributes
    ----------
    form : Form
    reason : str or None
        Why "auto" chose the public form; None if it did not.
    """

    form: Form
    reason: str | None = None


def choose_form(
    game: FormLike,
    form: str = "auto",
    method: MethodSpec | None = None,
    *,
    memory: int | None = None,
    progress: BuildProgress | None = None,
) -> ChosenForm:
    """Build the form on which a game is solved.

    "auto" is the sequence form if it fits in the limits, and otherwise the public form if the game
    has public rules and that form fits.

    Parameters
    ----------
    game : str, Game, GameTree, ExtensiveForm, SequenceForm or PublicForm
        A form is returned unchanged.
    form : str
        "auto", "sequence" or "public".
    method : MethodSpec, optional
        The method that is to run; if it does not run on public forms, "auto" does not choose one.
    memory, progress
        As in `solve`.

    Raises
    ------
    UnknownNameError
        If the form is unknown.
    ParameterError
        If a form is given and the other is asked for.
    GameTooLargeError
        If no form fits that is asked for and on which the method runs; the message names what does.
    UnsupportedGameError
        If the public form is asked for, and the game has none.
    """
    check_choice("form", form, FORMS)
    if isinstance(game, Form):
        return ChosenForm(_given(game, form))
    if form == "public":
        return ChosenForm(to_public_form(game, memory=memory, progress=progress))
    found = resolve_game(game)
    try:
        return ChosenForm(to_form(found, memory=memory, progress=progress))
    except GameTooLargeError as error:
        counts = _counts(found, memory)
        if counts is None or form == "sequence":
            raise
        if method is not None and not runs_on(method, "public"):
            raise type(error)(_with_method(str(error), method), error.counts) from error
        reason = (
            f"public form ({_public_size(counts)}): the game has {format_count(counts.histories)} "
            "histories, and its sequence form does not fit in the limits"
        )
        return ChosenForm(to_public_form(found, memory=memory, progress=progress), reason)


def _given(game: Form, form: str) -> Form:
    """Return a form that was given, unless the other was asked for."""
    if form not in ("auto", game.kind):
        raise ParameterError(
            f"form={form!r}, but a {game.kind} form of {game.name} was given, from which no "
            "other form can be built: give the game by name or as rules, or leave form out"
        )
    return game


def _counts(game: object, memory: int | None) -> PublicCounts | None:
    """Return the size of a public form; None without public rules, or if it does not fit."""
    rules = public_rules_of(game) if isinstance(game, Game) else None
    if rules is None:
        return None
    try:
        counts = count_public_form(rules, memory)
        check_public_form_fits(counts, str(game), memory)
    except GameTooLargeError:
        return None
    return counts


def _with_method(message: str, method: MethodSpec) -> str:
    """Return the message about a game that is too large for a method."""
    return (
        f"{message.rstrip('.')}. {method.name} does not run on public forms: choose another "
        "method, such as 'sapdcfr+' (--method sapdcfr+)"
    )


def _public_size(counts: PublicCounts) -> str:
    first, second = map(format_count, counts.hands)
    memory = format_bytes(counts.bytes)
    return f"{format_count(counts.nodes)} public nodes, {first} × {second} hands, {memory}"


def to_kind(
    game: FormLike, kind: str, *, memory: int | None = None, progress: BuildProgress | None = None
) -> Form:
    """Return the form of a game of a kind, "sequence" or "public"; such a form is unchanged."""
    builders: dict[str, Callable[..., Form]] = {"sequence": to_form, "public": to_public_form}
    return builders[kind](game, memory=memory, progress=progress)


def to_public_form(
    game: FormLike,
    *,
    memory: int | None = None,
    progress: BuildProgress | None = None,
) -> PublicForm:
    """Return the public form of a game; a public form is returned unchanged.

    Raises
    ------
    UnsupportedGameError, GameTooLargeError
        As raised by `build_public_form`, or if another form is given, whose game is not known by
        name.
    """
    if isinstance(game, Form):
        with suppress(UnsupportedGameError):
            return as_public_form(game)
    found = resolve_game(game)
    if found.num_players != 2:
        raise UnsupportedGameError(
            f"{found} has {found.num_players} players, and public forms have two: leave the form "
            "out, or choose form='sequence' (--form sequence)"
        )
    if isinstance(found, GameTree) and public_rules_of(found.game) is None:
        return derive_public_form(found)
    return build_public_form(to_game(found), memory=memory, progress=progress)
