"""The table of games: the names that `load` knows, and what they stand for."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import Field, dataclass
from functools import cached_property, partial
from inspect import Parameter, getdoc, signature
from typing import Any, Final

from infoset.errors import ParameterError, UnknownNameError
from infoset.game import Game
from infoset.games.bandit_tree import BanditTree
from infoset.games.battleship import Battleship
from infoset.games.cooperative_matching_pennies import CooperativeMatchingPennies
from infoset.games.dark_hex import DarkHex
from infoset.games.goofspiel import Goofspiel
from infoset.games.hanabi import Hanabi
from infoset.games.kuhn_poker import KuhnPoker
from infoset.games.kuhn_poker_long import KuhnPokerLong
from infoset.games.leduc_poker import LeducPoker
from infoset.games.liars_dice import LiarsDice
from infoset.games.matrix import MATRIX_GAMES, matrix_game
from infoset.games.parameters import Domain
from infoset.games.phantom_ttt import PhantomTicTacToe
from infoset.games.random_game import RandomGame
from infoset.games.spec import parse_spec
from infoset.games.tiny_bridge_2p import TinyBridge2p
from infoset.games.trade_comm import TradeComm
from infoset.games.trick_taking import TrickTaking
from infoset.utils.registry import Registry

__all__ = ["GAMES", "GameEntry", "ParameterEntry", "get_game_entry", "load_game"]


@dataclass(frozen=True)
class ParameterEntry:
    """A parameter of a game in the table.

    Attributes
    ----------
    name : str
    default : Any
        Its default; None where it has none, or where the meaning says what None stands for.
    is_required : bool
        Whether it must be given.
    domain : Domain or None
        The values allowed; None where they are more than a range or a choice.
    meaning : str
        What it does, in a sentence.
    is_addition : bool
        Whether OpenSpiel has the game, but not the parameter.
    """

    name: str
    default: Any
    is_required: bool
    domain: Domain | None
    meaning: str
    is_addition: bool


@dataclass(frozen=True)
class GameEntry:
    """A row of the table of games.

    Attributes
    ----------
    name : str
    loader : callable
        Makes the game from the parameters, given by name.
    summary : str
        The game in a few words.
    openspiel_name : str
        OpenSpiel's name of the same game; empty where it has none.
    aliases : tuple[str, ...]
        Other names that load it.
    """

    name: str
    loader: Callable[..., Game]
    summary: str
    openspiel_name: str = ""
    aliases: tuple[str, ...] = ()

    @cached_property
    def parameters(self) -> tuple[ParameterEntry, ...]:
        """The parameters, read from the loader's signature and docstring."""
        meanings = documented_parameters(getdoc(self.loader) or "")
        fields = getattr(self.loader, "__dataclass_fields__", {})
        return tuple(
            self._entry(parameter, fields.get(parameter.name), meanings.get(parameter.name, ""))
            for parameter in signature(self.loader).parameters.values()
        )

    def _entry(
        self, parameter: Parameter, field: Field[Any] | None, meaning: str
    ) -> ParameterEntry:
        is_required = parameter.default is Parameter.empty
        domain = field.metadata.get("domain") if field else None
        return ParameterEntry(
            name=parameter.name,
            default=None if is_required else parameter.default,
            is_required=is_required,
            domain=domain,
            meaning=meaning,
            is_addition=self.openspiel_name != "" and domain is not None and domain.is_addition,
        )

    def load(self, parameters: Mapping[str, Any]) -> Game:
        """Make the game.

        Raises
        ------
        UnknownNameError
            If the game has no parameter of a name given.
        ParameterError
            If a value is not allowed, or a parameter without default is missing.
        """
        known = [parameter.name for parameter in self.parameters]
        for name in parameters:
            if name not in known:
                raise UnknownNameError.of(f"parameter of {self.name}", name, known)
        for parameter in self.parameters:
            if parameter.is_required and parameter.name not in parameters:
                raise ParameterError(
                    f"{self.name} needs {parameter.name} ({parameter.meaning.rstrip('.')}): "
                    f"{self.name}({parameter.name}=...)"
                )
        return self.loader(**parameters)


def documented_parameters(docstring: str) -> dict[str, str]:
    """Return what the Parameters section of a NumPy docstring says, by parameter."""
    section = re.search(r"^Parameters\n-+\n(.*?)(?=^\w[^\n]*\n-{3,}$|\Z)", docstring, re.M | re.S)
    entries = re.finditer(
        r"^(\w[\w, ]*?) :[^\n]*\n((?:[ \t]+[^\n]*\n?|\n)*)", section[1] if section else "", re.M
    )
    return {
        name.strip(): " ".join(entry[2].split())
        for entry in entries
        for name in entry[1].split(",")
    }


def named_matrix_game(name: str) -> Game:
    """Return a matrix game of the table."""
    return MATRIX_GAMES[name]


def matrix_entry(name: str, summary: str, *aliases: str) -> GameEntry:
    """Make the row of a matrix game, which has no parameters."""
    loader = partial(named_matrix_game, name)
    return GameEntry(name, loader, summary, openspiel_name=name, aliases=aliases)


def entries() -> Iterator[GameEntry]:
    """Yield the rows of the table."""
    yield GameEntry("kuhn_poker", KuhnPoker, "one card each, one chip to bet", "kuhn_poker")
    yield GameEntry("kuhn_poker_long", KuhnPokerLong, "Kuhn poker with antes and single deals")
    yield GameEntry(
        "leduc_poker",
        LeducPoker,
        "a private and a public card, two rounds of raises",
        "leduc_poker",
    )
    yield GameEntry("liars_dice", LiarsDice, "bid on all dice, or call a liar", "liars_dice")
    yield GameEntry("goofspiel", Goofspiel, "bid cards for prizes, all at once", "goofspiel")
    yield GameEntry("battleship", Battleship, "hide ships, then shoot in turn", "battleship")
    yield GameEntry("trick_taking", TrickTaking, "follow suit, and the highest card wins")
    yield GameEntry(
        "phantom_ttt",
        PhantomTicTacToe,
        "tic-tac-toe with the other's stones unseen",
        "phantom_ttt",
        ("phantom_tic_tac_toe",),
    )
    yield GameEntry(
        "dark_hex", DarkHex, "Hex with the other's stones unseen", "dark_hex", ("phantom_hex",)
    )
    yield GameEntry(
        "cooperative_matching_pennies",
        CooperativeMatchingPennies,
        "signal a coin to a partner who guesses it or passes",
    )
    yield GameEntry("trade_comm", TradeComm, "say what you have, make fitting offers", "trade_comm")
    yield GameEntry(
        "tiny_bridge_2p", TinyBridge2p, "the auction of a bridge with eight cards", "tiny_bridge_2p"
    )
    yield GameEntry("hanabi", Hanabi, "build fireworks from cards that others see", "hanabi")
    yield GameEntry("bandit_tree", BanditTree, "decisions against nature alone, for learners")
    yield GameEntry("random_game", RandomGame, "small random games, for tests and experiments")
    yield GameEntry("matrix_game", matrix_game, "any one or two matrices")
    yield matrix_entry("matrix_mp", "matching pennies", "matching_pennies")
    yield matrix_entry("matrix_rps", "rock, paper, scissors", "rock_paper_scissors")
    yield matrix_entry(
        "matrix_brps", "rock, paper, scissors with unequal wins", "biased_rock_paper_scissors"
    )
    yield matrix_entry(
        "matrix_rpsw",
        "rock, paper, scissors and water, which never wins or loses",
        "rock_paper_scissors_water",
    )
    yield matrix_entry(
        "matrix_shapleys_game", "rock, paper, scissors without losing", "shapleys_game"
    )
    yield matrix_entry("matrix_pd", "prisoner's dilemma", "prisoners_dilemma")
    yield matrix_entry("matrix_sh", "stag hunt", "stag_hunt")
    yield matrix_entry("matrix_coordination", "coordination", "coordination")
    yield matrix_entry("matrix_cd", "chicken or dare", "chicken_dare")
    yield matrix_entry("matrix_bos", "Bach or Stravinsky", "bach_or_stravinsky")


GAMES: Final[Registry[GameEntry]] = Registry(
    "game",
    entries(),
    entry_type=GameEntry,
    aliases={alias: row.name for row in entries() for alias in row.aliases},
)
"""The games by name."""


def get_game_entry(name: str) -> GameEntry:
    """Return the row of the table for a name or alias.

    Raises
    ------
    UnknownNameError
        If no game is known by it; the message gives the nearest names.
    """
    return GAMES.resolve(name)


def load_game(spec: str) -> Game:
    """Make one of the library's own games from its text.

    Parameters
    ----------
    spec : str
        A name or alias, and parameters as OpenSpiel writes them: `name(parameter=value,...)`.

    Returns
    -------
    Game

    Raises
    ------
    UnknownNameError
        If no game, or no parameter of the game, is known by a name given.
    ParameterError
        If the text cannot be read, or a value is not allowed.

    Examples
    --------
    >>> load_game("kuhn_poker(players=3)")
    KuhnPoker(players=3)
    >>> str(load_game("liars_dice(numdice=1, dice_sides=4)"))
    'liars_dice(dice_sides=4)'
    """
    name, parameters = parse_spec(spec)
    return get_game_entry(name).load(parameters)
