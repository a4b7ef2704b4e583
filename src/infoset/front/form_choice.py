"""The choice of the form on which a game is solved or measured."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Final, NamedTuple

from infoset.errors import GameTooLargeError, ParameterError, UnsupportedGameError
from infoset.forms import Form, SequenceForm
from infoset.front.game_sources import (
    CompiledGame,
    FormLike,
    check_world_states,
    forecast_public_form,
    resolve_game,
    to_form,
    to_kind,
    to_public_form,
)
from infoset.game import Game
from infoset.regret import PUBLIC_PRECISIONS
from infoset.solvers import MethodSpec, runs_on
from infoset.tree import (
    BuildProgress,
    PublicCounts,
    build_sequence_form,
    build_sequence_or_world_form,
)
from infoset.tree.limits import current_limits
from infoset.tree.world_contraction import MANY_HISTORIES
from infoset.utils.arguments import check_choice
from infoset.utils.text import format_bytes, format_count

FORMS: Final = ("auto", "sequence", "public", "world")
"""The values of `form=` in `solve`."""


class ChosenForm(NamedTuple):
    """The form on which a game is solved or measured."""

    form: Form
    reason: str | None = None
    """Why "auto" chose the public form or the world form; None if it did not."""


def choose_form(
    game: FormLike,
    form: str = "auto",
    method: MethodSpec | None = None,
    *,
    memory: int | None = None,
    progress: BuildProgress | None = None,
    num_gradients: int = 100,
) -> ChosenForm:
    """Build the form on which a game is solved.

    "auto" chooses the sequence form if it fits within the limits and no other form is much faster;
    otherwise the public form if the game has public rules and that form fits, or else the world
    form if that fits. Times are forecast from counts, so the choice does not depend on a clock.

    Parameters
    ----------
    game : str, Game, GameTree, ExtensiveForm, SequenceForm or PublicForm
        A form is returned unchanged.
    form
        "auto", "sequence", "public" or "world".
    method
        The method to run; "auto" chooses only forms on which it runs.
    memory, progress
        As in `solve`.
    num_gradients
        Number of gradients for which the time is compared; see `build_sequence_or_world_form`
        and `PublicCounts.is_much_faster`.

    Raises
    ------
    ParameterError
        If a form is given and another kind is requested.
    GameTooLargeError
        If no requested form on which the method runs fits; the message names alternatives.
    UnsupportedGameError
        If the public form is requested, and the game does not have one.
    """
    check_choice("form", form, FORMS)
    precision = getattr(method, "precision", "float64")
    if isinstance(game, Form):
        return ChosenForm(_given(game, form))
    if form == "auto" and precision in PUBLIC_PRECISIONS:
        try:
            return choose_form(game, "public", method, memory=memory, progress=progress)
        except UnsupportedGameError as error:
            raise UnsupportedGameError(
                f"precision={precision!r} needs a public form, so use precision='float32': {error}"
            ) from error
    if form != "auto":
        if form == "public":
            return ChosenForm(
                to_public_form(game, memory=memory, progress=progress, precision=precision)
            )
        return ChosenForm(to_kind(game, form, memory=memory, progress=progress))
    found = resolve_game(game)
    forecast = forecast_public_form(found, memory) if isinstance(found, Game) else None
    if forecast is None or forecast.counts is None or not forecast.fits_in(precision):
        return _listed_or_world_form(found, method, memory, progress, num_gradients)
    counts = forecast.counts
    has_few_worlds = counts.world_states <= current_limits().max_worlds
    # For one gradient, a public form takes longer to build than a world form.
    if num_gradients == 1 and has_few_worlds and counts.histories >= MANY_HISTORIES:
        with suppress(GameTooLargeError):
            return _listed_or_world_form(found, method, memory, progress, num_gradients)
    runs_on_public = method is None or runs_on(method, "public")
    is_much_faster = counts.is_much_faster(num_gradients) and runs_on_public
    why = "would take much longer" if has_few_worlds else "does not fit in the limits"
    if not is_much_faster and (has_few_worlds or not runs_on_public):
        # `to_form` would count the world states again.
        build: Callable[..., SequenceForm] = build_sequence_form if has_few_worlds else to_form
        try:
            return ChosenForm(build(found, memory=memory, progress=progress))
        except GameTooLargeError as error:
            if method is not None and not runs_on_public:
                raise type(error)(_with_method(str(error), method), error.counts) from error
        why = "does not fit in the limits"
    size = _public_size(counts, precision)
    reason = (
        f"public form ({size}): the game has {format_count(counts.histories)} "
        f"histories, and its sequence form {why}"
    )
    built = to_public_form(found, memory=memory, progress=progress, precision=precision)
    return ChosenForm(built, reason)


def _listed_or_world_form(
    game: Game | CompiledGame,
    method: MethodSpec | None,
    memory: int | None,
    progress: BuildProgress | None,
    num_gradients: int,
) -> ChosenForm:
    """Return the sequence form of a game, or its world form if the former is too large."""
    if not isinstance(game, Game) or (method is not None and not runs_on(method, "world")):
        return ChosenForm(to_form(game, memory=memory, progress=progress))
    check_world_states(game, memory)
    return ChosenForm(
        *build_sequence_or_world_form(
            game, memory=memory, progress=progress, num_gradients=num_gradients
        )
    )


def _given(game: Form, form: str) -> Form:
    """Return a given form; raise if another kind of form is requested."""
    if form not in ("auto", game.kind):
        raise ParameterError(
            f"form={form!r}, but a {game.kind} form of {game.name} was given, from which no "
            "other form can be built: give the game by name or as rules, or omit form"
        )
    return game


def _with_method(message: str, method: MethodSpec) -> str:
    """Return the message about a game that is too large for a method."""
    return (
        f"{message.rstrip('.')}. {method.name} does not run on public forms: choose another "
        "method, such as 'sapdcfr+' (--method sapdcfr+)"
    )


def _public_size(counts: PublicCounts, precision: str) -> str:
    first, second = map(format_count, counts.hands)
    memory = format_bytes(counts.bytes_in(precision))
    return f"{format_count(counts.nodes)} public nodes, {first} × {second} hands, {memory}"
