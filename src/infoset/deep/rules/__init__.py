"""Games as device games: their rules in JAX, or the arrays of their trees."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from infoset.deep.device_games import DeviceGame, device_fingerprint
from infoset.deep.rules.battleship import BattleshipRules
from infoset.deep.rules.goofspiel import GoofspielRules
from infoset.deep.rules.kuhn_poker import KuhnPokerRules
from infoset.deep.rules.leduc_poker import LeducPokerRules
from infoset.deep.rules.liars_dice import LiarsDiceRules
from infoset.deep.rules.phantom import PhantomRules
from infoset.deep.tree_rules import TreeRules
from infoset.errors import UnsupportedGameError
from infoset.game import Game
from infoset.games import (
    Battleship,
    DarkHex,
    Goofspiel,
    KuhnPoker,
    LeducPoker,
    LiarsDice,
    PhantomTicTacToe,
    load_game,
)
from infoset.tree import GameTree, build_tree

__all__ = [
    "DEVICE_GAMES",
    "BattleshipRules",
    "GoofspielRules",
    "KuhnPokerRules",
    "LeducPokerRules",
    "LiarsDiceRules",
    "PhantomRules",
    "device_game",
    "has_rules",
    "is_same_game",
]

RULES: dict[type[Game], Callable[[Any], DeviceGame | None]] = {
    Battleship: BattleshipRules.of,
    DarkHex: PhantomRules.of,
    Goofspiel: GoofspielRules.of,
    KuhnPoker: KuhnPokerRules.of,
    LeducPoker: LeducPokerRules.of,
    LiarsDice: LiarsDiceRules.of,
    PhantomTicTacToe: PhantomRules.of,
}
"""By class of the rules in Python, the function that returns the rules in JAX, or None if there are
none for these parameters."""

DEVICE_GAMES: tuple[type[DeviceGame], ...] = (
    BattleshipRules,
    GoofspielRules,
    KuhnPokerRules,
    LeducPokerRules,
    LiarsDiceRules,
    PhantomRules,
)
"""All rules in JAX."""


def device_game(source: str | Game | GameTree) -> DeviceGame:
    """Return a game as a device game.

    Parameters
    ----------
    source
        A game for which there are rules in JAX (two-player Kuhn and Leduc poker, liar's dice,
        goofspiel, battleship, Dark Hex and phantom tic-tac-toe) becomes these rules. Any other game
        is built, and a tree is used as it is.

    Raises
    ------
    UnknownNameError
        If `source` is not the name of a game.
    GameTooLargeError, UnsupportedGameError
        If a game without rules in JAX is too large to be built, or a game is too large for them.

    Examples
    --------
    >>> device_game("goofspiel(num_cards=13,imp_info=True)").horizon
    24
    >>> type(device_game("tiny_bridge_2p")).__name__
    'TreeRules'
    """
    if isinstance(source, GameTree):
        return TreeRules.of(source)
    game = load_game(source) if isinstance(source, str) else source
    rules = _rules(game)
    return TreeRules.of(build_tree(game)) if rules is None else rules


def has_rules(game: Game) -> bool:
    """Return whether there are rules in JAX for a game."""
    try:
        return _rules(game) is not None
    except UnsupportedGameError:
        return False


def _rules(game: Game) -> DeviceGame | None:
    return RULES[type(game)](game) if type(game) in RULES else None


def is_same_game(first: Game, second: Game) -> bool:
    """Return whether two games have the same parameters, or the same rules in JAX."""
    if str(first) == str(second):
        return True
    found = [_rules(game) if has_rules(game) else None for game in (first, second)]
    prints = [None if rules is None else device_fingerprint(rules) for rules in found]
    return prints[0] is not None and prints[0] == prints[1]
