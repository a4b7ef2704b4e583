"""Games: one file each, and the table of the names they load by."""

from infoset.games.goofspiel import Goofspiel
from infoset.games.kuhn_poker import KuhnPoker
from infoset.games.leduc_poker import LeducPoker
from infoset.games.liars_dice import LiarsDice
from infoset.games.matrix import MATRIX_GAMES, MatrixGame, matrix_game
from infoset.games.parameters import Domain
from infoset.games.random_game import RandomGame
from infoset.games.registry import GAMES, GameEntry, ParameterEntry, game_entry, load_game
from infoset.games.spec import parse_spec

__all__ = [
    "GAMES",
    "MATRIX_GAMES",
    "Domain",
    "GameEntry",
    "Goofspiel",
    "KuhnPoker",
    "LeducPoker",
    "LiarsDice",
    "MatrixGame",
    "ParameterEntry",
    "RandomGame",
    "game_entry",
    "load_game",
    "matrix_game",
    "parse_spec",
]
