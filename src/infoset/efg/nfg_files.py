"""Gambit's .nfg files: games in strategic form."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from math import prod
from pathlib import Path
from typing import Final

from infoset.efg.efg_tokens import Tokens, quoted, read_text
from infoset.efg.efg_writer import plain_names
from infoset.efg.exact_numbers import number_text
from infoset.efg.extensive_form import ExtensiveForm
from infoset.efg.strategic_games import StrategicGame, strategic_form
from infoset.game import Game
from infoset.tree import GameTree
from infoset.utils.arguments import check_path
from infoset.utils.files import write_output
from infoset.utils.text import distinct_labels, one_line

MAX_STRATEGIES: Final = 100_000
"""Maximum number of unnamed strategies of a player."""


def load_nfg(path: str | Path) -> StrategicGame:
    """Read a game from a file in Gambit's .nfg format.

    Parameters
    ----------
    path
        A text file in UTF-8, which may be compressed by gzip. If its title is empty, the path
        becomes the title.

    Raises
    ------
    GameFileError
        If the file does not exist or violates the format. The message gives the line, the column,
        what was read and what was expected.
    """
    return parse_nfg(read_text(path), name=str(path))


def parse_nfg(text: str, *, name: str = "") -> StrategicGame:
    """Read a game from text in Gambit's .nfg format, payoff version or outcome version.

    Numbers become exact fractions. Strategies without a name are called by their number, from 1,
    and a repeated name gets a number. The comment and the names of outcomes are not stored.

    Parameters
    ----------
    name
        Name of the text in error messages, and of a game without a title.

    Raises
    ------
    GameFileError
        If the text violates the format. The message gives the line and the column.

    Notes
    -----
    Source: "The strategic game (.nfg) file format", documentation of Gambit 16, both versions.

    Examples
    --------
    >>> game = parse_nfg(
    ...     'NFG 1 R "stag hunt" { "Ann" "Bob" } { 2 2 }  2 2  1 0  0 1  1 1'
    ... )
    >>> game.payoff_of["2", "1"]
    (1.0, 0.0)
    """
    tokens = Tokens(text, name)
    title, players = _prologue(tokens)
    strategies = _strategies(tokens, players)
    if tokens.current.kind == "label":
        tokens.label("a comment")
    sizes = [len(names) for names in strategies]
    if tokens.current.text == "{":
        read = _by_outcome(tokens, players, prod(sizes))
    else:
        read = (_payoffs(tokens, players) for _ in range(prod(sizes)))
    rows = dict(zip(_profiles(sizes), read, strict=True))
    tokens.take("end", "the end of the file: the table is complete")
    payoffs = tuple(rows[profile] for profile in product(*map(range, sizes)))
    return StrategicGame(title or name, players, strategies, payoffs)


def _prologue(tokens: Tokens) -> tuple[str, tuple[str, ...]]:
    """Read the title and the names of the players."""
    tokens.take("word", "NFG at the beginning of an .nfg file", "NFG")
    tokens.take("number", "1, the version of the format", "1")
    if tokens.current.text not in ("R", "D"):
        raise tokens.error("R or D")
    tokens.take("word", "R or D")
    title = one_line(tokens.label("the title of the game, in quotes"))
    return title, _labels(tokens, "player")


def _labels(tokens: Tokens, kind: str) -> tuple[str, ...]:
    """Read a list of at least one label in braces."""
    tokens.take("sign", f"{{ and the name of the first {kind}", "{")
    names = [tokens.label(f"the name of the first {kind}, in quotes")]
    while not tokens.skip("}"):
        names.append(tokens.label(f"the name of another {kind}, in quotes, or }}"))
    return tuple(names)


def _strategies(tokens: Tokens, players: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Read the names of each player's strategies, or their numbers."""
    expected = f"{{ and the strategies of {len(players)} players"
    tokens.take("sign", expected, "{")
    found = []
    for player in players:
        if tokens.current.text == "{":
            names = _labels(tokens, "strategy")
        else:
            token = tokens.current
            number = tokens.integer(
                f"the number of strategies of {player!r}, or {{ and their names"
            )
            if not 1 <= number <= MAX_STRATEGIES:
                raise tokens.error(f"from 1 to {MAX_STRATEGIES:,} strategies", token)
            names = ("",) * number
        numbered = [label or str(place) for place, label in enumerate(names, start=1)]
        found.append(tuple(map(str, distinct_labels(numbered))))
    tokens.take("sign", f"}} after the strategies of {len(players)} players", "}")
    return tuple(found)


def _profiles(sizes: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield all tuples of strategies in the order of the file: the first player's changes first."""
    for reverse in product(*map(range, reversed(sizes))):
        yield reverse[::-1]


def _payoffs(tokens: Tokens, players: Sequence[str]) -> tuple[Fraction, ...]:
    payoffs = []
    for player in players:
        payoffs.append(tokens.number(f"the payoff of {player!r}"))
        tokens.skip(",")
    return tuple(payoffs)


def _by_outcome(
    tokens: Tokens, players: Sequence[str], count: int
) -> Iterator[tuple[Fraction, ...]]:
    """Read the outcomes, and then the number of an outcome for each tuple of strategies."""
    outcomes = [(Fraction(),) * len(players)]
    tokens.take("sign", "{ and the outcomes", "{")
    while not tokens.skip("}"):
        tokens.take("sign", "{ and an outcome, or }", "{")
        tokens.label("the name of an outcome, in quotes, which may be empty")
        outcomes.append(_payoffs(tokens, players))
        tokens.take("sign", f"}} after the payoffs of {len(players)} players", "}")
    for _ in range(count):
        token = tokens.current
        expected = f"the number of an outcome, from 0 (none) to {len(outcomes) - 1}"
        number = tokens.integer(expected)
        if number >= len(outcomes):
            raise tokens.error(expected, token)
        yield outcomes[number]


def format_nfg(game: Game | GameTree | ExtensiveForm, *, names: bool = True) -> str:
    """Return the strategic form of a game as text in Gambit's .nfg format, payoff version.

    Names become plain and unique, as in `format_efg`. Numbers are integers, ratios or decimals; a
    floating-point payoff is written as its shortest decimal or the ratio equal to it.

    Parameters
    ----------
    game
        A game with several decisions of a player is written as its `strategic_form`.
    names
        Whether the file has the names of strategies. OpenSpiel reads only files without them.

    Raises
    ------
    GameTooLargeError
        If the strategic form would have more than a million payoffs.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> print(format_nfg(load_game("matrix_sh")), end="")
    NFG 1 R "matrix_sh" { "player 0" "player 1" }
    { { "Stag" "Hare" }
      { "Stag" "Hare" } }
    <BLANKLINE>
    2 2
    1 0
    0 1
    1 1
    """
    form = strategic_form(game)
    players = _braces(plain_names("player", form.player_names))
    lines = [f"NFG 1 R {quoted(plain_names('game', [form.title])[0])} {players}"]
    if names:
        lists = [_braces(plain_names("strategy", of_player)) for of_player in form.strategies]
        lines += ["{ " + "\n  ".join(lists) + " }"]
    else:
        lines += [f"{{ {' '.join(str(len(of_player)) for of_player in form.strategies)} }}"]
    sizes = [range(len(of_player)) for of_player in form.strategies]
    rows = dict(zip(product(*sizes), form.payoffs, strict=True))
    table = (rows[profile] for profile in _profiles([len(size) for size in sizes]))
    lines += ["", *(" ".join(map(number_text, row)) for row in table)]
    return "\n".join(lines) + "\n"


def _braces(labels: Sequence[str]) -> str:
    return f"{{ {' '.join(map(quoted, labels))} }}"


def save_nfg(
    game: Game | GameTree | ExtensiveForm, path: str | Path, *, names: bool = True
) -> None:
    """Write the strategic form of a game to a file in Gambit's .nfg format.

    An existing file is replaced atomically. See `format_nfg` for the content.

    Raises
    ------
    GameTooLargeError
        As `format_nfg`.
    ParameterError
        If the file cannot be written.
    """
    check_path("path", path)
    write_output(path, format_nfg(game, names=names).encode())
