"""Reading Gambit's .efg files."""

from __future__ import annotations

from collections.abc import Hashable
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

from infoset.efg import TERMINAL, ExtensiveForm, Node, Outcome, extensive_form_from_nodes
from infoset.efg.descriptions import Descriptions
from infoset.efg.numbers import exact_chance
from infoset.efg.tokens import Tokens
from infoset.errors import GameFileError, GameTooLargeError, ParameterError
from infoset.tree import allowed_memory
from infoset.typing import CHANCE, Player
from infoset.utils.text import format_bytes

__all__ = ["load_efg", "parse_efg"]

BYTES_PER_CELL = 24
"""Memory to gather the information sets of one player at one history, at peak."""


def load_efg(path: str | Path) -> ExtensiveForm:
    """Read an extensive form from a file in Gambit's .efg format.

    Parameters
    ----------
    path : str or Path
        A text file in UTF-8. If its title is empty, the game is named by the path.

    Raises
    ------
    GameFileError
        If there is no such file, or it is not in the format; the message gives line, column, what
        was read and what was expected.
    GameTooLargeError
        If it would not fit in memory.

    Examples
    --------
    >>> from pathlib import Path
    >>> _ = Path("tiny.efg").write_text('EFG 2 R "tiny" { "Ann" } t "" 1 "win" { 5/2 }')
    >>> load_efg("tiny.efg").outcomes
    (Outcome(payoffs=(Fraction(5, 2),), name='win'),)
    """
    try:
        data = Path(path).read_bytes()
    except FileNotFoundError as error:
        raise GameFileError(f"there is no file {path}") from error
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        line, column = before.count(b"\n") + 1, error.start - before.rfind(b"\n")
        raise GameFileError(
            f"{path}, line {line}, byte {column}: read the byte {data[error.start]:#04x}, expected "
            "text in UTF-8; convert the file",
            line=line,
            column=column,
        ) from error
    return parse_efg(text, name=str(path))


def parse_efg(text: str, *, name: str = "") -> ExtensiveForm:
    """Read an extensive form from text in Gambit's .efg format.

    Numbers are kept as exact fractions, and labels as they are, empty and repeated ones too. Not
    kept, because an `ExtensiveForm` has no place for them, are the comment, the numbers and names
    of nature's events, and the numbers of information sets and outcomes: those are numbered by
    appearance, breadth first, and outcomes that have the same name and payoffs are one.

    Parameters
    ----------
    text : str
    name : str
        What to call the text in errors, and a game without a title.

    Returns
    -------
    ExtensiveForm
        Classical: information sets of whoever acts.

    Raises
    ------
    GameFileError
        If the text is not in the format; it has the line and the column.
    GameTooLargeError
        If it would not fit in memory.

    Notes
    -----
    Source: "The extensive game (.efg) file format", documentation of Gambit 16. More is read than
    it allows: numbers with an exponent or a plus sign, names and lists of an information set or
    outcome one without the other, and probabilities that sum to one within 10⁻⁹: these are
    replaced by `1/3` and the like.

    Examples
    --------
    >>> form = parse_efg('''EFG 2 R "coin" { "Ann" "Bob" }
    ... c "" 1 "flip" { "heads" 1/3 "tails" 2/3 } 0
    ...   t "" 1 "Ann wins" { 1, -1 }
    ...   t "" 2 "Bob wins" { -1, 1 }''')
    >>> form.probabilities
    (Fraction(1, 3), Fraction(2, 3))
    """
    tokens = Tokens(text, name)
    title, players = _prologue(tokens)
    entries = _Body(tokens, len(players)).entries()
    size = BYTES_PER_CELL * len(entries) * len(players)
    if size > allowed_memory(None):
        raise GameTooLargeError(
            f"{name or title} has {len(entries):,} histories and {len(players):,} players, whose "
            f"information sets need about {format_bytes(size)}; that does not fit",
            {"histories": len(entries), "players": len(players), "bytes": size},
        )
    return extensive_form_from_nodes(_root(entries), players=players, name=title or name)


def _prologue(tokens: Tokens) -> tuple[str, tuple[str, ...]]:
    """Read the first part; return the title and the names of the players."""
    tokens.take("word", "EFG, which an .efg file begins with", "EFG")
    tokens.take("number", "2, the version of the format", "2")
    if tokens.current.text not in ("R", "D"):
        raise tokens.error("R or D")
    tokens.take("word", "R or D")
    title = tokens.label("the title of the game, in quotes")
    tokens.take("sign", "{ and the names of the players", "{")
    players = [tokens.label("the name of the first player, in quotes")]
    while not tokens.skip("}"):
        players.append(tokens.label("the name of another player, in quotes, or }"))
    if tokens.current.kind == "label":
        tokens.label("a comment")
    return title, tuple(players)


class _Lottery(NamedTuple):
    """What nature does at an event."""

    labels: tuple[str, ...]
    probabilities: tuple[Fraction, ...]


class _Entry(NamedTuple):
    """A node as it stands in the file: its children follow it, each with all that is below it."""

    actor: Player
    name: str
    labels: tuple[str, ...]
    probabilities: tuple[Fraction, ...]
    sees: dict[Player, Hashable]
    outcome: Outcome | None


class _Body:
    """Reads the nodes of a file, which are in depth-first order."""

    def __init__(self, tokens: Tokens, num_players: int) -> None:
        self.tokens = tokens
        self.num_players = num_players
        self.infosets = [
            Descriptions(f"player {player}'s information set", self._actions)
            for player in range(1, num_players + 1)
        ]
        self.events = Descriptions("event", self._lottery)
        self.outcomes = Descriptions("outcome", self._payoffs)

    def entries(self) -> list[_Entry]:
        """Read all nodes, up to the end of the text."""
        found: list[_Entry] = []
        missing = 1
        while missing:
            found.append(self._entry(missing))
            missing += len(found[-1].labels) - 1
        self.tokens.take("end", "the end of the file: the tree is complete")
        return found

    def _entry(self, missing: int) -> _Entry:
        readers = {"c": self._chance, "p": self._decision, "t": self._terminal}
        expected = f"a node, c, p or t; the tree still lacks {missing:,} or more"
        if self.tokens.current.text not in readers:
            raise self.tokens.error(expected)
        kind = self.tokens.take("word", expected).text
        name = self.tokens.label("the name of the node, in quotes, may be empty")
        return readers[kind](name)

    def _chance(self, name: str) -> _Entry:
        number = self.tokens.integer("the number of an event of nature")
        labels, probabilities = self.events.read(self.tokens, number).content
        return _Entry(CHANCE, name, labels, probabilities, {}, self._outcome())

    def _decision(self, name: str) -> _Entry:
        expected = f"the number of a player, from 1 to {self.num_players}"
        token = self.tokens.current
        player = self.tokens.integer(expected) - 1
        if not 0 <= player < self.num_players:
            raise self.tokens.error(expected, token)
        number = self.tokens.integer("the number of an information set")
        infoset = self.infosets[player].read(self.tokens, number)
        return _Entry(player, name, infoset.content, (), {player: infoset}, self._outcome())

    def _terminal(self, name: str) -> _Entry:
        return _Entry(TERMINAL, name, (), (), {}, self._outcome())

    def _outcome(self) -> Outcome | None:
        number = self.tokens.integer("the number of an outcome, 0 for none")
        if number:
            known = self.outcomes.read(self.tokens, number)
            return Outcome(known.content, known.name)
        if self.tokens.current.kind == "label" or self.tokens.current.text == "{":
            raise self.tokens.error("the next node: outcome 0 stands for none")
        return None

    def _actions(self) -> tuple[str, ...]:
        self.tokens.take("sign", "{ and the actions", "{")
        actions = [self.tokens.label("the label of an action, in quotes")]
        while not self.tokens.skip("}"):
            actions.append(self.tokens.label("the label of an action, in quotes, or }"))
        return tuple(actions)

    def _lottery(self) -> _Lottery:
        start = self.tokens.take("sign", "{ and the actions of nature", "{").start
        labels: list[str] = []
        given: list[Fraction] = []
        while not (labels and self.tokens.skip("}")):
            labels.append(self.tokens.label("the label of an action of nature, in quotes"))
            given.append(self.tokens.number("the probability of an action of nature"))
        try:
            return _Lottery(tuple(labels), exact_chance(given))
        except ParameterError as error:
            raise self.tokens.error_at(start, str(error)) from error

    def _payoffs(self) -> tuple[Fraction, ...]:
        self.tokens.take("sign", "{ and the payoffs", "{")
        payoffs: list[Fraction] = []
        for player in range(1, self.num_players + 1):
            payoffs.append(self.tokens.number(f"the payoff of player {player}"))
            self.tokens.skip(",")
        self.tokens.take("sign", f"}} after the payoffs of {self.num_players} players", "}")
        return tuple(payoffs)


def _root(entries: list[_Entry]) -> Node:
    """Put nodes in depth-first order together, from the last to the first."""
    trees: list[Node] = []
    for actor, name, labels, probabilities, sees, outcome in reversed(entries):
        children = tuple(trees.pop() for _ in labels)
        trees.append(Node(actor, labels, children, probabilities, outcome, sees=sees, name=name))
    return trees[0]
