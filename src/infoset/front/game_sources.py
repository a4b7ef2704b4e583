"""Conversion of a user's game to rules, to arrays, and to a form."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple, TypeAlias

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
from infoset.runs import Target, parse_target
from infoset.tree import (
    BuildProgress,
    GameTree,
    PublicCounts,
    build_public_form,
    build_sequence_form,
    build_tree,
    build_world_form,
    count_public_form,
    derive_public_form,
    public_rules_of,
)
from infoset.tree.limits import allowed_memory, current_limits
from infoset.tree.public_counting import BYTES_PER_SEQUENCE
from infoset.utils.arguments import check_type
from infoset.utils.paths import looks_like_path, no_such_path
from infoset.utils.text import format_bytes, format_count

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
        the path of a poker spot (TexasSolver, PioSOLVER or JSON) or of a hand history (PHH),
        optionally with parameters, as in `hand.phh(street=turn)`; see `infoset.games.parse_spot`.
    **parameters
        Parameters of a registered game, of a class in a Python file, or of a poker spot; they
        replace those in the text.

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
        If OpenSpiel or pokerkit is needed but not installed.
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


def check_target(game: object, target: Target | None) -> None:
    """Check the target of rules or an extensive form, before a form is built.

    Raises
    ------
    ParameterError
        As raised by `parse_target`.
    """
    if target is not None and isinstance(game, Game | ExtensiveForm):
        name = str(game) if isinstance(game, Game) else game.name
        parse_target(target, name, game.initial_pot)


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
        check_world_states(game, memory)
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
        check_world_states(game, memory)
        return build_sequence_form(game, memory=memory, progress=progress)
    return game.sequence_form


def check_world_states(game: Game, memory: int | None = None) -> None:
    """Raise if a game has more world states than the limit, according to its public rules.

    Without public rules, their number is unknown until they are visited, which takes a minute.

    Raises
    ------
    GameTooLargeError
        If there are more than `build_limits` allows. The message proposes what to do instead with
        `memory` bytes.
    """
    rules = public_rules_of(game)
    if rules is None:
        return
    largest = current_limits().max_worlds
    try:
        # The form is not built here, so no limit on its memory applies.
        count_public_form(rules, sys.maxsize, max_worlds=largest)
    except GameTooLargeError as error:
        raise GameTooLargeError(
            f"{game} has more world states than the limit of "
            f"{format_count(largest)}{_instead_of_visits(game, memory)}",
            error.counts,
        ) from error


def _instead_of_visits(game: Game, memory: int | None) -> str:
    """Return the end of a message about too many world states, which proposes alternatives."""
    forecast = forecast_public_form(game, memory)
    if forecast.fits_in("float64"):
        return (
            ": use its public form, on which solve (form='public', --form public), evaluate, "
            "respond, show, match and play work without visiting them; raise max_worlds "
            "(--max-worlds); or use smaller parameters"
        )
    return f"; {forecast.advice}; or use smaller parameters"


class PublicForecast(NamedTuple):
    """The size of the public form of a game, and the memory limit."""

    game: Game
    allowed: int
    """Memory in bytes."""
    counts: PublicCounts | None
    """None if the game has no public rules, or its public states are too many to count."""

    def fits_in(self, precision: str) -> bool:
        """Return whether the form fits when solved in a precision."""
        return self.counts is not None and self.counts.fits(self.allowed, precision)

    @property
    def advice(self) -> str:
        """Advice for a form that does not fit, with a command that works."""
        allowed = format_bytes(self.allowed)
        if self.counts is None:
            return f"its public form does not fit in the memory limit of {allowed}, either"
        sizes = ", or ".join(
            f"{format_bytes(self.counts.bytes_in(one))} in {one}" for one in BYTES_PER_SEQUENCE
        )
        sizes = f"its public form needs {sizes}, and the limit is {allowed}"
        for precision in BYTES_PER_SEQUENCE:
            if self.fits_in(precision):
                return f"{sizes}: solve it with precision={precision!r} (--precision {precision})"
        for smaller in self.game.smaller_games():
            if forecast_public_form(smaller, self.allowed).fits_in("float64"):
                return f'{sizes}: a smaller game fits, infoset solve "{smaller}"'
        return f"{sizes}: raise memory (--memory)"


def forecast_public_form(game: Game, memory: int | None) -> PublicForecast:
    """Return the size of the public form of a game before it is built."""
    rules, counts = public_rules_of(game), None
    if rules is not None:
        with suppress(GameTooLargeError):
            counts = count_public_form(rules, memory)
    return PublicForecast(game, allowed_memory(memory), counts)


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
