"""Names of players: the game's own, or `player 0`, `player 1` and so on."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, Final, Protocol

from infoset.errors import GameRuleError, UnknownNameError, show
from infoset.typing import Player
from infoset.utils.arguments import check_player
from infoset.utils.text import distinct_labels

NAMES_RULE: Final = (
    "player_names, if there are any, is a tuple with one text per player, such as "
    '("seller", "buyer")'
)

NUMBERED: Final = re.compile(r"(player)?[\s_#]*\d+", re.IGNORECASE)
"""Names that only count. Files often count players from 1, the library counts them from 0."""


class HasPlayerNames(Protocol):
    """Rules, a tree, or the source of a form."""

    @property
    def player_names(self) -> Sequence[str]:
        """[N] names of the players; empty if they have none."""


class HasPlayers(HasPlayerNames, Protocol):
    """Rules or a tree."""

    @property
    def num_players(self) -> int:
        """Number of players."""


def player_name(game: HasPlayerNames, player: Player) -> str:
    """Return the name of a player, as all tables, pictures and pages show it.

    Equal names get a number. A player without a name, or whose name only counts players, such as
    `Player 1` in many files, is called `player 0` and so on, counted from 0.

    Parameters
    ----------
    game
        Rules, a tree, or `form.source` of a form.

    Examples
    --------
    >>> from infoset.game import GameSource
    >>> market = GameSource(player_names=("seller", "buyer"))
    >>> player_name(market, 1), player_name(GameSource(), 1)
    ('buyer', 'player 1')
    """
    names = own_names(game)
    return names[player] if player < len(names) else f"player {player}"


def own_names(game: HasPlayerNames) -> tuple[str, ...]:
    """Return the names of all players as `player_name` does; empty if no player has its own.

    Raises
    ------
    GameRuleError
        If `player_names` is not a sequence of texts.
    """
    given: Any = game.player_names
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise _broken(game)
    if not all(isinstance(name, str) for name in given):
        raise _broken(game)
    numbers = [f"player {player}" for player in range(len(given))]
    texts = [" ".join(name.split()) for name in given]
    names = [
        number if not text or NUMBERED.fullmatch(text) else text
        for number, text in zip(numbers, texts, strict=True)
    ]
    return () if names == numbers else distinct_labels(names)


def check_player_names(game: HasPlayers) -> None:
    """Check that a game has no names of players, or one for each.

    Raises
    ------
    GameRuleError
        If this is not the case.
    """
    own_names(game)
    if len(game.player_names) not in (0, game.num_players):
        raise _broken(game)


def _broken(game: HasPlayerNames) -> GameRuleError:
    return GameRuleError(
        NAMES_RULE, found=f"player_names of {type(game).__name__} is {show(game.player_names)}"
    )


def name_players(game: HasPlayerNames, players: Iterable[Player]) -> str:
    """Return several players as text: `players 0, 2`, or their own names: `seller, buyer`."""
    chosen = sorted(players)
    if own_names(game) or len(chosen) == 1:
        return ", ".join(player_name(game, player) for player in chosen)
    return f"players {', '.join(map(str, chosen))}"


def find_player(game: HasPlayers, player: Player | str) -> Player:
    """Return a player who is given by its number, counted from 0, or by its name.

    Raises
    ------
    ParameterError, UnknownNameError
        If the game has no such player.
    """
    if isinstance(player, str) and not player.strip().removeprefix("-").isdecimal():
        names = [player_name(game, one) for one in range(game.num_players)]
        folded = [name.casefold() for name in names]
        if player.strip().casefold() not in folded:
            known = [*names, *map(str, range(game.num_players))]
            raise UnknownNameError.of(f"player of {game}", player, known)
        return folded.index(player.strip().casefold())
    number = int(player)
    check_player(number, game.num_players, game)
    return number
