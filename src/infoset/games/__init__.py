"""The games of the library and the registry that finds them by name."""

from infoset.games.bandit_tree import BanditTree
from infoset.games.battleship import Battleship
from infoset.games.cooperative_matching_pennies import CooperativeMatchingPennies
from infoset.games.dark_hex import DarkHex
from infoset.games.goofspiel import Goofspiel
from infoset.games.hanabi import Hanabi
from infoset.games.holdem_hands import HOLE_CARDS
from infoset.games.holdem_ranges import parse_range, range_text
from infoset.games.kuhn_poker import KuhnPoker
from infoset.games.kuhn_poker_long import KuhnPokerLong
from infoset.games.leduc_poker import LeducPoker
from infoset.games.liars_dice import LiarsDice
from infoset.games.matrix import MATRIX_GAMES, MatrixGame, matrix_game
from infoset.games.nolimit_endgame import NoLimitEndgame
from infoset.games.nolimit_preflop import NoLimitPreflop
from infoset.games.packs import PACK_SIZES, PackEntry, get_pack_entry, load_pack
from infoset.games.parameters import Domain, parse_spec
from infoset.games.phantom import PhantomGame
from infoset.games.phantom_ttt import PhantomTicTacToe
from infoset.games.poker_boards import BOARDS_OVER, WeightedBoard, boards_over, with_board
from infoset.games.random_game import RandomGame
from infoset.games.registry import (
    GAMES,
    GameEntry,
    ParameterEntry,
    game_of_form,
    get_game_entry,
    is_registered,
    load_game,
    register_game,
)
from infoset.games.spot_files import parse_spot
from infoset.games.tiny_bridge_2p import TinyBridge2p
from infoset.games.trade_comm import TradeComm
from infoset.games.trick_taking import TrickTaking

__all__ = [
    "BOARDS_OVER",
    "GAMES",
    "HOLE_CARDS",
    "MATRIX_GAMES",
    "PACK_SIZES",
    "BanditTree",
    "Battleship",
    "CooperativeMatchingPennies",
    "DarkHex",
    "Domain",
    "GameEntry",
    "Goofspiel",
    "Hanabi",
    "KuhnPoker",
    "KuhnPokerLong",
    "LeducPoker",
    "LiarsDice",
    "MatrixGame",
    "NoLimitEndgame",
    "NoLimitPreflop",
    "PackEntry",
    "ParameterEntry",
    "PhantomGame",
    "PhantomTicTacToe",
    "RandomGame",
    "TinyBridge2p",
    "TradeComm",
    "TrickTaking",
    "WeightedBoard",
    "boards_over",
    "game_of_form",
    "get_game_entry",
    "get_pack_entry",
    "is_registered",
    "load_game",
    "load_pack",
    "matrix_game",
    "parse_range",
    "parse_spec",
    "parse_spot",
    "range_text",
    "register_game",
    "with_board",
]
