"""Names of players: the game's own, or `player 0`, `player 1` and so on."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final, Protocol, TypeAlias

from infoset.errors import GameRuleError, UnknownNameError, show
from infoset.typing import Player
from infoset.utils.arguments import check_player
from infoset.utils.text import distinct_labels

NAMES_RULE: Final = (
    "player_names, if there are any, is a tuple with one text per player, such as "
    '("seller", "buyer")'
)

NUMBERED: Final = re.compile(r"(player)?[\s_#]*\d+", re.IGNORECASE)
"""Names that only number the players. Files often count players from 1, the library counts them
from 0."""


class HasPlayerNames(Protocol):
    """Rules, a tree, or the source of a form."""

    @property
    def player_names(self) -> Sequence[str]:
        """[N] names of the players; empty if they have none."""


class HasSource(Protocol):
    """A form, which knows where its game came from."""

    @property
    def source(self) -> HasPlayerNames:
        """Where the game came from."""


class HasPlayers(HasPlayerNames, Protocol):
    """Rules or a tree."""

    @property
    def num_players(self) -> int:
        """Number of players."""


Named: TypeAlias = HasPlayerNames | HasSource
"""A game in any form."""


def player_name(game: Named, player: Player) -> str:
    """Return the name of a player, as all tables, pictures and pages show it.

    Equal names get a number. A player without a name, or whose name only counts players, such as
    `Player 1` in many files, is called `player 0` and so on, counted from 0.

    Parameters
    ----------
    game
        Rules, a tree, or another form of the game.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> kuhn = load_game("kuhn_poker")
    >>> player_name(kuhn, 1)
    'player 1'
    >>> class Market(type(kuhn)):
    ...     player_names = ("seller", "buyer")
    >>> player_name(Market(), 1)
    'buyer'
    """
    names = own_names(game)
    return names[player] if player < len(names) else f"player {player}"


def own_names(game: Named) -> tuple[str, ...]:
    """Return the names of all players as `player_name` does; empty if no player has its own.

    Raises
    ------
    GameRuleError
        If `player_names` is not a sequence with one text per player.
    """
    given: Any = getattr(game, "player_names", None)
    if given is None and hasattr(game, "source"):
        given = game.source.player_names
    is_list = isinstance(given, Sequence) and not isinstance(given, str)
    num_players = getattr(game, "num_players", None)
    is_complete = is_list and (num_players is None or len(given) in (0, num_players))
    if not is_complete or not all(isinstance(name, str) for name in given):
        found = f"player_names of {type(game).__name__} is {show(given)}"
        raise GameRuleError(NAMES_RULE, found=found)
    numbers = [f"player {player}" for player in range(len(given))]
    texts = [" ".join(name.split()) for name in given]
    names = [
        number if not text or NUMBERED.fullmatch(text) else text
        for number, text in zip(numbers, texts, strict=True)
    ]
    return () if names == numbers else distinct_labels(names)


def shown_names(game: HasPlayers) -> tuple[str, ...]:
    """Return the names of all players, as `player_name` does."""
    return own_names(game) or tuple(f"player {player}" for player in range(game.num_players))


def short_name(game: Named, player: Player) -> str:
    """Return a player's own name, or its number alone, for a column of players."""
    names = own_names(game)
    return names[player] if names else str(player)


def name_players(game: Named, players: Sequence[Player]) -> str:
    """Return players as text: `player 0`, `players 0, 2`, or their own names: `seller, buyer`."""
    texts = [short_name(game, player) for player in players]
    noun = "" if own_names(game) else "player " if len(texts) == 1 else "players "
    return f"{noun}{', '.join(texts)}"


def find_player(game: HasPlayers, player: Player | str) -> Player:
    """Return a player who is given by its number, counted from 0, or by its name.

    Raises
    ------
    ParameterError, UnknownNameError
        If the game has no such player.
    """
    if isinstance(player, str) and not player.strip().removeprefix("-").isdecimal():
        names = shown_names(game)
        folded = [name.casefold() for name in names]
        if player.strip().casefold() not in folded:
            known = [*names, *map(str, range(game.num_players))]
            raise UnknownNameError.of(f"player of {game}", player, known)
        return folded.index(player.strip().casefold())
    number = int(player) if isinstance(player, str) else player
    check_player(number, game.num_players, game)
    return number
