"""The registry of games by name, with their parameters, for `load`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import Field, dataclass
from functools import cached_property, partial
from inspect import Parameter, getdoc, signature
from typing import TYPE_CHECKING, Any, Final

from infoset.errors import InfosetError, ParameterError, UnsupportedGameError
from infoset.game import Game, GameSource
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
from infoset.games.nolimit_endgame import NoLimitEndgame
from infoset.games.nolimit_preflop import NoLimitPreflop
from infoset.games.parameters import Domain, parse_spec, unknown_parameter
from infoset.games.phantom_ttt import PhantomTicTacToe
from infoset.games.random_game import RandomGame
from infoset.games.tiny_bridge_2p import TinyBridge2p
from infoset.games.trade_comm import TradeComm
from infoset.games.trick_taking import TrickTaking
from infoset.utils.registry import Registry

if TYPE_CHECKING:
    from infoset.forms import Form


@dataclass(frozen=True)
class ParameterEntry:
    """A parameter of a registered game."""

    name: str
    default: Any
    """The default value; None if it is missing, or if None has the meaning that `meaning` explains.
    """
    is_required: bool
    """Whether the parameter must be given."""
    domain: Domain | None
    """The allowed values; None if they are neither a range nor a list of choices."""
    meaning: str
    """Description in one sentence."""
    is_addition: bool
    """Whether OpenSpiel has the game, but not the parameter."""


@dataclass(frozen=True)
class GameEntry:
    """A registered game."""

    name: str
    loader: Callable[..., Game]
    """Function that takes the parameters by name and returns the game, such as its class."""
    summary: str
    """Description in a few words."""
    openspiel_name: str = ""
    """OpenSpiel's name of the same game; empty if it does not have the game."""
    aliases: tuple[str, ...] = ()
    """Alternative names of the game."""

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
        """Load the game with the given parameters.

        Raises
        ------
        UnknownNameError
            If the game does not have a parameter of that name.
        ParameterError
            If a value is invalid, or a parameter without default is missing.
        """
        known = [parameter.name for parameter in self.parameters]
        for name in parameters:
            if name not in known:
                raise unknown_parameter(self.loader, self.name, name, known)
        for parameter in self.parameters:
            if parameter.is_required and parameter.name not in parameters:
                raise ParameterError(
                    f"{self.name} needs {parameter.name} ({parameter.meaning.rstrip('.')}): "
                    f"{self.name}({parameter.name}=...)"
                )
        return self.loader(**parameters)


def documented_parameters(docstring: str) -> dict[str, str]:
    """Return the description of each parameter in a NumPy docstring, with or without types."""
    section = re.search(r"^Parameters\n-+\n(.*?)(?=^\w[^\n]*\n-{3,}$|\Z)", docstring, re.M | re.S)
    entries = re.finditer(
        r"^(\w[\w, ]*?)(?: :[^\n]*)?\n((?:[ \t]+[^\n]*\n?|\n)*)",
        section[1] if section else "",
        re.M,
    )
    return {
        name.strip(): " ".join(entry[2].split())
        for entry in entries
        for name in entry[1].split(",")
    }


def named_matrix_game(name: str) -> Game:
    """Return a matrix game by name."""
    return MATRIX_GAMES[name]


def matrix_entry(name: str, summary: str, *aliases: str) -> GameEntry:
    """Return the entry of a matrix game, which has no parameters."""
    loader = partial(named_matrix_game, name)
    return GameEntry(name, loader, summary, openspiel_name=name, aliases=aliases)


def entries() -> Iterator[GameEntry]:
    """Yield the games of the library."""
    yield GameEntry("kuhn_poker", KuhnPoker, "one card each, one chip to bet", "kuhn_poker")
    yield GameEntry("kuhn_poker_long", KuhnPokerLong, "Kuhn poker with antes and single deals")
    yield GameEntry(
        "leduc_poker",
        LeducPoker,
        "a private and a public card, two rounds of raises",
        "leduc_poker",
    )
    yield GameEntry(
        "nolimit_endgame",
        NoLimitEndgame,
        "Texas hold'em with any bet sizes, from a board on",
    )
    yield GameEntry(
        "nolimit_preflop",
        NoLimitPreflop,
        "Texas hold'em before the flop: fold, raise or all-in",
    )
    yield GameEntry("liars_dice", LiarsDice, "bid on all dice, or call a liar", "liars_dice")
    yield GameEntry("goofspiel", Goofspiel, "bid cards for prizes simultaneously", "goofspiel")
    yield GameEntry("battleship", Battleship, "hide ships, then take turns shooting", "battleship")
    yield GameEntry("trick_taking", TrickTaking, "follow suit; the highest card wins the trick")
    yield GameEntry(
        "phantom_ttt",
        PhantomTicTacToe,
        "tic-tac-toe without seeing the opponent's stones",
        "phantom_ttt",
        ("phantom_tic_tac_toe",),
    )
    yield GameEntry(
        "dark_hex",
        DarkHex,
        "Hex without seeing the opponent's stones",
        "dark_hex",
        ("phantom_hex",),
    )
    yield GameEntry(
        "cooperative_matching_pennies",
        CooperativeMatchingPennies,
        "signal a coin to a partner who guesses it or passes",
    )
    yield GameEntry(
        "trade_comm", TradeComm, "messages about private items, then matching offers", "trade_comm"
    )
    yield GameEntry(
        "tiny_bridge_2p", TinyBridge2p, "the bidding of bridge with eight cards", "tiny_bridge_2p"
    )
    yield GameEntry("hanabi", Hanabi, "build fireworks from cards that only others see", "hanabi")
    yield GameEntry("bandit_tree", BanditTree, "a decision tree with chance moves, for learners")
    yield GameEntry("random_game", RandomGame, "small random games, for tests and experiments")
    yield GameEntry("matrix_game", matrix_game, "a game of one or two matrices")
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
        "matrix_shapleys_game", "rock, paper, scissors where a loss costs nothing", "shapleys_game"
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
    """Return the registered game with a name or alias, ignoring case."""
    return GAMES.resolve(name)


def is_registered(spec: str) -> bool:
    """Return whether a game is registered under the name that begins a text."""
    return GAMES.knows(spec.partition("(")[0].strip())


def load_game(spec: str, **parameters: Any) -> Game:
    """Load a registered game by its name and parameters.

    Parameters
    ----------
    spec
        A name or alias, with parameters in OpenSpiel's notation: `name(parameter=value,...)`.
    **parameters
        More parameters, which replace those of the text.

    Returns
    -------
    Game

    Raises
    ------
    ParameterError
        If the text cannot be parsed, or a value is invalid.

    Examples
    --------
    >>> load_game("kuhn_poker(players=3)")
    KuhnPoker(players=3, num_cards=-1)
    >>> str(load_game("liars_dice(numdice=1, dice_sides=4)"))
    'liars_dice(dice_sides=4)'
    """
    name, given = parse_spec(spec)
    return get_game_entry(name).load({**given, **parameters})


def game_of_form(form: Form) -> Game:
    """Return the rules of the game of a form, which must be known by name.

    Raises
    ------
    UnsupportedGameError
        If the form is not that of a registered game: it was built from other rules or from a file,
        or it is a transform, such as a locked game.

    Examples
    --------
    >>> from infoset.tree import build_tree
    >>> game_of_form(build_tree(load_game("kuhn_poker")).sequence_form)
    KuhnPoker(players=2, num_cards=-1)
    """
    with suppress(InfosetError):
        game = load_game(form.name)
        if GameSource.of_rules(game) == form.source:
            return game
    raise UnsupportedGameError(
        f"this {form.kind} form of {form.name} does not have the rules of its game, which is not "
        "known by name: give the game as rules, or register it by infoset.register_game"
    )


def register_game(
    name: str, loader: Callable[..., Game], summary: str = "", aliases: tuple[str, ...] = ()
) -> GameEntry:
    """Register your own game, so that `load` and the command line know it by name.

    Parameters
    ----------
    name
        The name, which becomes `name` in `name(parameter=value,...)`.
    loader : callable
        Function that takes the parameters by name and returns the game, such as its class.
    summary
        Description in a few words; by default the first line of the loader's docstring.
    aliases
        Alternative names of the game.

    Examples
    --------
    >>> _ = register_game("cuckoo", Cuckoo, "one card each")  # doctest: +SKIP
    >>> load_game("cuckoo(ranks=6)")  # doctest: +SKIP
    Cuckoo(ranks=6)
    """
    if not callable(loader):
        raise ParameterError(f"loader={loader!r} is not callable; give the class of the game")
    for given in (name, *aliases):
        if parse_spec(given) != (given, {}):
            raise ParameterError(f"{given!r} is not a name; leave out parameters and spaces")
    description = summary or (getdoc(loader) or "").partition("\n")[0]
    entry = GameEntry(name, loader, description, aliases=aliases)
    GAMES.register(entry, *aliases)
    return entry
