"""Conversion of what a user passes as a game to the types that the library works on."""

from __future__ import annotations

from typing import Any, TypeAlias

from infoset.efg import ExtensiveForm, as_game
from infoset.errors import GameTooLargeError, ParameterError
from infoset.forms import Form, SequenceForm, as_sequence_form
from infoset.front.python_files import (
    check_has_name,
    is_module_object,
    is_python_file,
    load_from_module,
    load_from_python_file,
)
from infoset.game import Game
from infoset.games import game_of_form, load_game
from infoset.tree import (
    BuildProgress,
    GameTree,
    build_limits,
    build_sequence_form,
    build_tree,
    count_public_form,
    public_rules_of,
)
from infoset.utils.arguments import check_type
from infoset.utils.text import format_count

__all__ = [
    "CompiledGame",
    "FormLike",
    "GameLike",
    "check_world_states",
    "load",
    "resolve_game",
    "to_compiled",
    "to_form",
    "to_game",
]

CompiledGame: TypeAlias = GameTree | ExtensiveForm
"""A game as arrays, either built from its rules or given as a tree."""

GameLike: TypeAlias = str | Game | CompiledGame
"""A game by name, as rules, or as arrays."""

FormLike: TypeAlias = GameLike | Form
"""A game, or one of its forms alone: either can be solved and evaluated."""

OPENSPIEL = "openspiel:"
EFG, NFG = ".efg", ".nfg"
EXPECTED = 'a name such as "kuhn_poker", a Game, a GameTree, an ExtensiveForm or a form'


def load(spec: str, **parameters: Any) -> Game | ExtensiveForm:
    """Load a game by name, with parameters in parentheses or as keywords.

    Parameters
    ----------
    spec : str
        A registered name, as in `leduc_poker` or `goofspiel(num_cards=5,points_order=random)`;
        `openspiel:NAME(...)` for a game of OpenSpiel (optional extra);
        `path/to/file.py:Class(...)` for a game in a Python file, which is executed;
        `package.module:Class(...)` for a game in a module, which workers can import, too;
        `path/to/game.efg` or `path/to/game.nfg` for a Gambit file.
    **parameters
        Parameters of a registered game, or of a class in a Python file, which replace those of the
        text.

    Returns
    -------
    Game or ExtensiveForm
        An extensive form if a file gives the game as a tree.

    Raises
    ------
    UnknownNameError
        If the game or a parameter is unknown; the message suggests the nearest names.
    ParameterError
        If a value has the wrong type or is out of range, a Python file is given without a name in
        it, or a game has no parameters.
    MissingExtraError
        If OpenSpiel is needed and not installed.
    GameFileError
        If a file cannot be read; the message gives line and column.

    Examples
    --------
    >>> load("kuhn_poker", players=3)
    KuhnPoker(players=3, num_cards=-1)
    """
    check_type("game", spec, str, EXPECTED)
    spec = spec.strip()
    check_has_name(spec, (Game,), "game")
    if is_python_file(spec):
        game: Game = load_from_python_file(spec, (Game,), "game", parameters=parameters)
        return game
    if parameters and (spec.startswith(OPENSPIEL) or spec.lower().endswith((EFG, NFG))):
        raise ParameterError(
            f"{spec} takes no keywords, got {', '.join(parameters)}; write parameters of a game of "
            "OpenSpiel in parentheses"
        )
    if spec.startswith(OPENSPIEL):
        from infoset.interop import load_openspiel

        return load_openspiel(spec.removeprefix(OPENSPIEL))
    if spec.lower().endswith(EFG):
        from infoset.efg import load_efg

        return load_efg(spec)
    if spec.lower().endswith(NFG):
        from infoset.efg import load_nfg

        return load_nfg(spec)
    if is_module_object(spec):
        of_module: Game = load_from_module(spec, (Game,), "game", parameters)
        return of_module
    return load_game(spec, **parameters)


def resolve_game(game: FormLike) -> Game | CompiledGame:
    """Return a game that is given by name or as an object; of a form, the rules of its game.

    Raises
    ------
    ParameterError
        If the value is of another type.
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
    """Raise if a game has more world states than the limit, as its public rules tell.

    Without public rules, their number is unknown until they are visited, which takes a minute.

    Raises
    ------
    GameTooLargeError
        If there are more than `build_limits` allows. The message names what can be done.
    """
    rules = public_rules_of(game)
    if rules is None:
        return
    with build_limits() as limits:
        most = limits.max_worlds
    try:
        count_public_form(rules, max_worlds=most)
    except GameTooLargeError as error:
        raise GameTooLargeError(
            f"{game} has more than {format_count(most)} world states, which is the limit on what "
            "is visited: use its public form, on which solve (form='public', --form public), "
            "evaluate, respond, show, match and play work without visiting them; raise max_worlds "
            "(--max-worlds); or use smaller parameters",
            error.counts,
        ) from error
