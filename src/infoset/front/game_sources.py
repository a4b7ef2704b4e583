"""Conversion of a user's game to rules, to arrays, and to the form that fits."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final, NamedTuple, TypeAlias

from infoset.efg import (
    READABLE,
    ExtensiveForm,
    as_game,
    is_game_file_name,
    load_game_file,
    split_parameters,
)
from infoset.errors import GameFileError, GameTooLargeError, ParameterError, UnsupportedGameError
from infoset.forms import (
    Form,
    PublicForm,
    SequenceForm,
    WorldForm,
    as_public_form,
    as_sequence_form,
    as_world_form,
)
from infoset.front.python_files import (
    is_module_object,
    is_python_file,
    load_from_module,
    load_from_python_file,
)
from infoset.game import Game
from infoset.games import game_of_form, is_registered, load_game
from infoset.solvers import MethodSpec, runs_on
from infoset.tree import (
    BuildProgress,
    GameTree,
    PublicCounts,
    build_public_form,
    build_sequence_form,
    build_sequence_or_world_form,
    build_tree,
    build_world_form,
    check_public_form_fits,
    count_public_form,
    derive_public_form,
    public_rules_of,
)
from infoset.tree.limits import current_limits
from infoset.tree.world_contraction import MANY_HISTORIES
from infoset.utils.arguments import check_choice, check_type
from infoset.utils.paths import looks_like_path, no_such_path
from infoset.utils.text import format_bytes, format_count

FORMS: Final = ("auto", "sequence", "public", "world")
"""The values of `form=` in `solve`."""

CompiledGame: TypeAlias = GameTree | ExtensiveForm
"""A game as arrays, either built from its rules or given as a tree."""

GameLike: TypeAlias = str | Game | CompiledGame
"""A game by name, as rules, or as arrays."""

FormLike: TypeAlias = GameLike | Form
"""A game, or one of its forms alone: either can be solved and evaluated."""

OPENSPIEL = "openspiel:"
EXPECTED = 'a name such as "kuhn_poker", a Game, a GameTree, an ExtensiveForm or a form'


def load(spec: str, **parameters: Any) -> Game | ExtensiveForm:
    """Load a game by name, with parameters in parentheses or as keywords.

    Parameters
    ----------
    spec
        A registered name, as in `leduc_poker` or `goofspiel(num_cards=5,points_order=random)`;
        `openspiel:NAME(...)` for a game of OpenSpiel (optional extra);
        `path/to/file.py:Class(...)` for a game in a Python file, which is executed;
        `package.module:Class(...)` for a game in a module, which workers can import, too;
        the path of a file of Gambit (`.efg`, `.nfg`, `.gbt`) or LiteEFG (`.game`), which may be
        compressed by gzip;
        the path of a poker spot from TexasSolver or PioSOLVER, in JSON, or of a hand history in
        PHH, also with parameters, as in `hand.phh(street=turn)`; see `infoset.games.parse_spot`.
    **parameters
        Parameters of a registered game, of a class in a Python file, or of a poker spot, which
        replace those of the text.

    Returns
    -------
    Game or ExtensiveForm
        An extensive form if a file gives the game as a tree.

    Raises
    ------
    ParameterError
        If a value has the wrong type or is out of range, a Python file is given without a name in
        it, or a game has no parameters.
    MissingExtraError
        If OpenSpiel or pokerkit is needed and not installed.
    GameFileError
        If a file cannot be read; the message gives line and column.

    Examples
    --------
    >>> load("kuhn_poker", players=3)
    KuhnPoker(players=3, num_cards=-1)
    """
    check_type("game", spec, str, EXPECTED)
    spec = spec.strip()
    if is_registered(spec):
        return load_game(spec, **parameters)
    if is_python_file(spec):
        game: Game = load_from_python_file(spec, (Game,), "game", parameters=parameters)
        return game
    if spec.startswith(OPENSPIEL):
        if parameters:
            raise ParameterError(
                f"{spec} takes no keywords, got {', '.join(parameters)}; write parameters of a "
                "game of OpenSpiel in parentheses"
            )
        from infoset.interop import load_openspiel

        return load_openspiel(spec.removeprefix(OPENSPIEL))
    path, given = split_parameters(spec)
    if is_game_file_name(path) or os.path.exists(path):
        return load_game_file(path, given | parameters)
    if is_module_object(spec):
        of_module: Game = load_from_module(spec, (Game,), "game", parameters)
        return of_module
    if looks_like_path(spec):
        give = f"give the name of a game, or the path of its file ({READABLE})"
        raise GameFileError(no_such_path(spec, give))
    return load_game(spec, **parameters)


def resolve_game(game: FormLike) -> Game | CompiledGame:
    """Return a game that is given by name or as an object; of a form, the rules of its game.

    Raises
    ------
    UnsupportedGameError
        If the game of a form is not known by name.
    """
    check_type("game", game, (str, Game, GameTree, ExtensiveForm, Form), EXPECTED)
    if isinstance(game, Form):
        return game_of_form(game)
    return load(game) if isinstance(game, str) else game


def to_game(game: FormLike) -> Game:
    """Return the rules of a game; `as_game` derives those of an extensive form.

    Raises
    ------
    UnsupportedGameError
        If the extensive form cannot be written as rules.
    """
    game = resolve_game(game)
    if isinstance(game, ExtensiveForm):
        return as_game(game)
    return game.game if isinstance(game, GameTree) else game


def to_compiled(
    game: FormLike, *, memory: int | None = None, progress: BuildProgress | None = None
) -> CompiledGame:
    """Return a game as arrays: rules are built into a tree, and arrays are returned unchanged."""
    game = resolve_game(game)
    if isinstance(game, Game):
        check_world_states(game)
        return build_tree(game, memory=memory, progress=progress)
    return game


def to_form(
    game: FormLike, *, memory: int | None = None, progress: BuildProgress | None = None
) -> SequenceForm:
    """Return the sequence form of a game; a sequence form is returned unchanged.

    For rules it is built without storing the histories, so that larger games fit in memory.
    """
    if isinstance(game, Form):
        return as_sequence_form(game)
    game = resolve_game(game)
    if isinstance(game, Game):
        check_world_states(game)
        return build_sequence_form(game, memory=memory, progress=progress)
    return game.sequence_form


def check_world_states(game: Game) -> None:
    """Raise if a game has more world states than the limit, according to its public rules.

    Without public rules, their number is unknown until they are visited, which takes a minute.

    Raises
    ------
    GameTooLargeError
        If there are more than `build_limits` allows. The message names what can be done.
    """
    rules = public_rules_of(game)
    if rules is None:
        return
    most = current_limits().max_worlds
    try:
        # The form is not built here, so no limit on its memory applies.
        count_public_form(rules, sys.maxsize, max_worlds=most)
    except GameTooLargeError as error:
        raise GameTooLargeError(
            f"{game} has more than {format_count(most)} world states, the limit on "
            "those that are visited: use its public form, on which solve (form='public', "
            "--form public), evaluate, respond, show, match and play work without visiting "
            "them; raise max_worlds (--max-worlds); or use smaller parameters",
            error.counts,
        ) from error


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

    "auto" chooses the sequence form if it fits within the limits, otherwise the public form if the
    game has public rules and that form fits, and otherwise the world form if that fits; also if
    that is much faster.

    Parameters
    ----------
    game : str, Game, GameTree, ExtensiveForm, SequenceForm or PublicForm
        A form is returned unchanged.
    form
        "auto", "sequence", "public" or "world".
    method
        The method to run; if it does not run on a kind of forms, "auto" does not choose it.
    memory, progress
        As in `solve`.
    num_gradients
        Number of gradients for which the time is compared; see `build_sequence_or_world_form`.

    Raises
    ------
    ParameterError
        If a form is given and the other one is requested.
    GameTooLargeError
        If no requested form on which the method runs fits; the message names alternatives.
    UnsupportedGameError
        If the public form is requested, and the game does not have one.
    """
    check_choice("form", form, FORMS)
    precision = getattr(method, "precision", "float64")
    if isinstance(game, Form):
        return ChosenForm(_given(game, form))
    if form != "auto":
        if form == "public":
            return ChosenForm(
                to_public_form(game, memory=memory, progress=progress, precision=precision)
            )
        return ChosenForm(to_kind(game, form, memory=memory, progress=progress))
    found = resolve_game(game)
    counts = _public_counts(found, memory, precision)
    if counts is None:
        return _listed_or_world_form(found, method, memory, progress, num_gradients)
    has_few_worlds = counts.world_states <= current_limits().max_worlds
    # For one gradient, a public form takes longer to build than a world form.
    if num_gradients == 1 and has_few_worlds and counts.histories >= MANY_HISTORIES:
        with suppress(GameTooLargeError):
            return _listed_or_world_form(found, method, memory, progress, num_gradients)
    runs_on_public = method is None or runs_on(method, "public")
    if has_few_worlds or not runs_on_public:
        # `to_form` would count the world states again.
        build: Callable[..., SequenceForm] = build_sequence_form if has_few_worlds else to_form
        try:
            return ChosenForm(build(found, memory=memory, progress=progress))
        except GameTooLargeError as error:
            if method is not None and not runs_on_public:
                raise type(error)(_with_method(str(error), method), error.counts) from error
    size = _public_size(counts, precision)
    reason = (
        f"public form ({size}): the game has {format_count(counts.histories)} "
        "histories, and its sequence form does not fit in the limits"
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
    check_world_states(game)
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
            "other form can be built: give the game by name or as rules, or leave form out"
        )
    return game


def _public_counts(game: object, memory: int | None, precision: str) -> PublicCounts | None:
    """Return the size of a public form; None without public rules, or if it does not fit."""
    rules = public_rules_of(game) if isinstance(game, Game) else None
    if rules is None:
        return None
    try:
        counts = count_public_form(rules, memory)
        check_public_form_fits(counts, str(game), memory, precision)
    except GameTooLargeError:
        return None
    return counts


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


def to_kind(
    game: FormLike, kind: str, *, memory: int | None = None, progress: BuildProgress | None = None
) -> Form:
    """Return the form of a game of a kind in `FORMS`; such a form is returned unchanged."""
    builders: dict[str, Callable[..., Form]] = {
        "sequence": to_form,
        "public": to_public_form,
        "world": to_world_form,
    }
    return builders[kind](game, memory=memory, progress=progress)


def to_world_form(
    game: FormLike,
    *,
    memory: int | None = None,
    progress: BuildProgress | None = None,
) -> WorldForm:
    """Return the world form of a game; a world form is returned unchanged.

    Raises
    ------
    UnsupportedGameError
        If a form of another kind is given.
    """
    if isinstance(game, Form):
        return as_world_form(game)
    return build_world_form(to_game(game), memory=memory, progress=progress)


def to_public_form(
    game: FormLike,
    *,
    memory: int | None = None,
    progress: BuildProgress | None = None,
    precision: str = "float64",
) -> PublicForm:
    """Return the public form of a game; a public form is returned unchanged.

    Raises
    ------
    UnsupportedGameError, GameTooLargeError
        As raised by `build_public_form`, or if `game` is another form of a game that is not
        registered by name.
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
    return build_public_form(to_game(found), memory=memory, progress=progress, precision=precision)
