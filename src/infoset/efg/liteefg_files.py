"""The .game files of LiteEFG and other solvers of the sequence form."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Final, NamedTuple

from infoset.efg.conversions import build_extensive_form
from infoset.efg.efg_reader import check_form_fits
from infoset.efg.efg_tokens import NUMBER, read_text
from infoset.efg.efg_writer import plain_labels
from infoset.efg.exact_numbers import SUM_TOLERANCE, exact_chance, read_number
from infoset.efg.extensive_form import ExtensiveForm
from infoset.efg.histories import TERMINAL, Outcome
from infoset.efg.information_sets import check_property, find_action_mismatch
from infoset.efg.nodes import Node, extensive_form_from_nodes
from infoset.efg.transformations import forget_non_acting
from infoset.errors import GameFileError, ParameterError
from infoset.game import Game
from infoset.tree import GameTree
from infoset.typing import CHANCE, Player
from infoset.utils.arguments import check_path
from infoset.utils.files import write_output
from infoset.utils.text import distinct_labels

TITLE: Final = "# Game "
"""The beginning of the line with the name of the game."""

NUM_PLAYERS: Final = re.compile(r"players: *([1-9][0-9]{0,2})\b")
PLAYER: Final = re.compile(r"[1-9][0-9]{0,2}")
MAX_ROUNDING: Final = Fraction(1, 10**6)
"""Maximum distance from 1 of a sum of probabilities with few digits."""

MAX_SHOWN: Final = 60
EXPECTED: Final = (
    "expected a line such as 'node / chance actions red=0.5 black=0.5', 'node /C:red player 1 "
    "actions fold call', 'node /C:red/P1:fold leaf payoffs 1=-1 2=1' or 'infoset NAME nodes PATH'"
)


def format_liteefg(game: ExtensiveForm | Game | GameTree) -> str:
    """Return an extensive form, or that of a game, as text in the .game format of LiteEFG.

    The file names each history by its path, such as `/C:red/P1:raise`. Names are printable ASCII
    without spaces. Payoffs are paid at the terminal histories. Numbers are floating-point numbers
    with all their digits.

    Raises
    ------
    UnsupportedGameError
        If legal actions differ within an information set.

    Notes
    -----
    Source: "FileEnv", documentation of LiteEFG 1.0, which reads the format.

    Examples
    --------
    >>> from infoset.efg import decision, extensive_form_from_nodes, terminal
    >>> root = decision(0, "the door", {"in": terminal(0.5), "out": terminal()})
    >>> form = extensive_form_from_nodes(root, players=1)
    >>> print(format_liteefg(form), end="")
    # Game extensive form
    # Opt {
    #     num_players: 1,
    # }
    node / player 1 actions in out
    node /P1:in leaf payoffs 1=0.5
    node /P1:out leaf payoffs 1=0.0
    infoset 1-1-the_door nodes /
    """
    form = game if isinstance(game, ExtensiveForm) else build_extensive_form(game)
    return "".join(f"{line}\n" for line in _lines(plain_labels(forget_non_acting(form))))


def save_liteefg(game: ExtensiveForm | Game | GameTree, path: str | Path) -> None:
    """Write an extensive form, or that of a game, to a file in the .game format of LiteEFG.

    An existing file is replaced atomically. See `format_liteefg` for the content.

    Raises
    ------
    UnsupportedGameError
        As `format_liteefg`.
    ParameterError
        If the file cannot be written.
    """
    check_path("path", path)
    write_output(path, format_liteefg(game).encode())


def _lines(form: ExtensiveForm) -> Iterator[str]:
    """Yield the lines: the header, all histories, then all information sets."""
    check_property(form, find_action_mismatch, "cannot be written as .game")
    yield f"{TITLE}{form.name}\n# Opt {{\n#     num_players: {form.num_players},\n# }}"
    paths = ["/"]
    members: dict[tuple[int, int], list[str]] = {}
    for history, actor in enumerate(form.actor.tolist()):
        path = paths[history]
        children = range(*form.first_child[history : history + 2].tolist())
        moves = _words([str(action) for action in form.legal_actions(history)])
        paths += _paths_after(path, actor, moves)
        if actor == TERMINAL:
            paid = (f"{p}={float(u)!r}" for p, u in enumerate(form.utility[history], start=1))
            yield f"node {path} leaf payoffs {' '.join(paid)}"
        elif actor == CHANCE:
            chances = (float(form.probabilities[form.chance[child]]) for child in children)
            pairs = (f"{move}={chance!r}" for move, chance in zip(moves, chances, strict=True))
            yield f"node {path} chance actions {' '.join(pairs)}"
        else:
            infoset = actor, int(form.infoset[history, actor])
            members.setdefault(infoset, []).append(path)
            yield f"node {path} player {actor + 1} actions {' '.join(moves)}"
    for (player, number), histories in members.items():
        (name,) = _words([form.infoset_names[player][number]])
        yield f"infoset {player + 1}-{number + 1}-{name} nodes {' '.join(histories)}"


def _paths_after(path: str, actor: Player, moves: Iterable[str]) -> list[str]:
    """Return the paths of the nodes after the moves at a node."""
    mover = "C" if actor == CHANCE else f"P{actor + 1}"
    return [f"{path.rstrip('/')}/{mover}:{move}" for move in moves]


def _words(labels: list[str]) -> list[str]:
    """Return unique labels without spaces, slashes and equals signs, which separate words."""
    words = [label.translate(str.maketrans(" /=", "_|:")) for label in labels]
    # The numbers of repeated labels come after a space, whose replacement can repeat another one.
    while len(set(words)) < len(words):
        words = [str(label).replace(" ", "_") for label in distinct_labels(tuple(words))]
    return words


def load_liteefg(path: str | Path) -> ExtensiveForm:
    """Read an extensive form from a file in the .game format of LiteEFG.

    Parameters
    ----------
    path
        A text file in UTF-8, which may be compressed by gzip.

    Raises
    ------
    GameFileError, GameTooLargeError
        As `parse_liteefg`, or if the file cannot be read.
    """
    return parse_liteefg(read_text(path), name=str(path))


def parse_liteefg(text: str, *, name: str = "") -> ExtensiveForm:
    """Read an extensive form from text in the .game format of LiteEFG.

    Nodes are named by their paths, as `format_liteefg` writes them, and may be in any order.
    Probabilities that sum to one within 10⁻⁶ are scaled, as LiteEFG does. Payoffs that are not
    given are 0.

    Parameters
    ----------
    name
        Name of the text in error messages, and of a game whose first line does not name it.

    Raises
    ------
    GameFileError
        If the text violates the format. The message gives the line.
    GameTooLargeError
        If the game would not fit in memory.

    Examples
    --------
    >>> form = parse_liteefg('''node / chance actions red=0.25 black=0.75
    ... node /C:red leaf payoffs 1=1 2=-1
    ... node /C:black leaf payoffs 1=-1 2=1''')
    >>> form.num_players, form.probabilities
    (2, (Fraction(1, 4), Fraction(3, 4)))
    """
    body = _Body(name)
    for number, line in enumerate(text.splitlines(), start=1):
        body.read(number, line)
    return body.form()


@dataclass(frozen=True)
class _Infoset:
    """An information set, identified by the line that describes it."""

    line: int
    name: str

    def __str__(self) -> str:
        return self.name


class _Described(NamedTuple):
    """A node as its line describes it."""

    line: int
    actor: Player
    labels: tuple[str, ...] = ()
    chances: tuple[Fraction, ...] = ()
    payoffs: tuple[tuple[Player, Fraction], ...] = ()


class _Body:
    """Reads the lines of a file, and assembles the nodes."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.title = name
        self.num_players = 1
        self.nodes: dict[str, _Described] = {}
        self.infosets: dict[str, _Infoset] = {}

    def read(self, number: int, text: str) -> None:
        """Read a line: a comment, a node or an information set."""
        if text.startswith("#"):
            if text.startswith(TITLE):
                self.title = text.removeprefix(TITLE).strip()
            elif found := NUM_PLAYERS.search(text):
                self.num_players = int(found[1])
            return
        match text.split():
            case []:
                return
            case ["infoset", name, "nodes", *paths]:
                self._read_infoset(_Infoset(number, name), paths)
                return
            case ["node", path, "chance", "actions", *words] if words:
                labels, given = zip(*(self._pair(number, word) for word in words), strict=True)
                node = _Described(number, CHANCE, labels, self._chances(number, given))
            case ["node", path, "player", player, "actions", *words] if words:
                node = _Described(number, self._player(number, player), tuple(words))
            case ["node", path, "leaf", "payoffs", *words]:
                pairs = [self._pair(number, word) for word in words]
                paid = tuple((self._player(number, player), value) for player, value in pairs)
                node = _Described(number, TERMINAL, payoffs=paid)
            case words:
                raise self._error(number, f"read {' '.join(words)[:MAX_SHOWN]!r}, {EXPECTED}")
        if len(set(node.labels)) < len(node.labels):
            raise self._error(number, f"two moves at node {path[:MAX_SHOWN]} have the same name")
        if self.nodes.setdefault(path, node) is not node:
            raise self._error(number, f"node {path[:MAX_SHOWN]} is already described")

    def form(self) -> ExtensiveForm:
        """Return the extensive form of the lines."""
        check_form_fits(self.title, len(self.nodes), self.num_players)
        self._check_infosets()
        nodes: dict[str, Node] = {}
        # Children have longer paths than their parents, so in this order they come first.
        for path in sorted(self.nodes, key=len, reverse=True):
            nodes[path] = self._node(path, nodes)
        if "/" not in nodes:
            raise self._error(1, "there is no line that begins with node /, the root")
        root = nodes.pop("/")
        for path in nodes:
            raise self._error(self.nodes[path].line, f"no move leads to node {path[:MAX_SHOWN]}")
        return extensive_form_from_nodes(root, players=self.num_players, name=self.title)

    def _node(self, path: str, nodes: dict[str, Node]) -> Node:
        """Return a node, and take its children from `nodes`."""
        line, actor, labels, chances, payoffs = self.nodes[path]
        if actor == TERMINAL:
            paid = dict(payoffs)
            players = range(self.num_players)
            return Node(actor, outcome=Outcome(tuple(paid.get(p, Fraction()) for p in players)))
        children = _paths_after(path, actor, labels)
        for child in children:
            if child not in nodes:
                raise self._error(line, f"a move leads to {child}, which has no line")
        # LiteEFG allows files to leave out information sets of a single node.
        infoset = self.infosets.get(path, _Infoset(line, path))
        sees = {} if actor == CHANCE else {actor: infoset}
        return Node(actor, labels, tuple(map(nodes.pop, children)), chances, sees=sees)

    def _read_infoset(self, infoset: _Infoset, paths: list[str]) -> None:
        for path in paths:
            if self.infosets.setdefault(path, infoset) is not infoset:
                raise self._error(
                    infoset.line, f"node {path[:MAX_SHOWN]} is in two information sets"
                )

    def _check_infosets(self) -> None:
        """Raise unless a player acts at every node of each information set."""
        player_of: dict[_Infoset, Player] = {}
        for path, infoset in self.infosets.items():
            node = self.nodes.get(path)
            actor = TERMINAL if node is None else node.actor
            if actor in (CHANCE, TERMINAL) or player_of.setdefault(infoset, actor) != actor:
                raise self._error(
                    infoset.line, f"expected nodes of one player, read {path[:MAX_SHOWN]}"
                )

    def _chances(self, number: int, given: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
        total = sum(given, Fraction())
        # Sums that `exact_chance` accepts are not scaled, so that written files are read back.
        is_scaled = SUM_TOLERANCE < abs(total - 1) <= MAX_ROUNDING
        try:
            return exact_chance([chance / total for chance in given] if is_scaled else given)
        except ParameterError as error:
            raise self._error(number, str(error)) from error

    def _player(self, number: int, text: str) -> Player:
        """Return a player; the file counts players from 1."""
        if not PLAYER.fullmatch(text):
            raise self._error(number, f"read {text[:MAX_SHOWN]!r}, expected a player from 1 to 999")
        self.num_players = max(self.num_players, int(text))
        return int(text) - 1

    def _pair(self, number: int, word: str) -> tuple[str, Fraction]:
        """Split a word at its equals sign into a name and a number."""
        key, _, text = word.rpartition("=")
        value = read_number(text) if NUMBER.fullmatch(text) else None
        if not key or value is None:
            raise self._error(number, f"read {word[:MAX_SHOWN]!r}, expected NAME=NUMBER")
        return key, value

    def _error(self, number: int, problem: str) -> GameFileError:
        where = f"{self.name}, line" if self.name else "line"
        return GameFileError(f"{where} {number}: {problem}", line=number)
