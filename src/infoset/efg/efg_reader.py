"""A reader of Gambit's .efg files."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

from infoset.efg.efg_tokens import Tokens, quoted, read_text
from infoset.efg.exact_numbers import exact_chance
from infoset.efg.extensive_form import ExtensiveForm
from infoset.efg.histories import TERMINAL, Outcome
from infoset.efg.nodes import Node, extensive_form_from_nodes
from infoset.errors import GameTooLargeError, ParameterError
from infoset.tree import allowed_memory
from infoset.typing import CHANCE, Player
from infoset.utils.text import format_bytes, one_line

BYTES_PER_CELL = 24
"""Peak memory, in bytes, for the information set of one player at one history."""

Content = TypeVar("Content")


def load_efg(path: str | Path) -> ExtensiveForm:
    """Read an extensive form from a file in Gambit's .efg format.

    Parameters
    ----------
    path
        A text file in UTF-8, which may be compressed by gzip. If its title is empty, the path
        becomes the name of the game.

    Raises
    ------
    GameFileError
        If the file does not exist or violates the format. The message gives the line, the column,
        what was read and what was expected.
    GameTooLargeError
        If the game would not fit in memory.

    Examples
    --------
    >>> from pathlib import Path
    >>> _ = Path("tiny.efg").write_text('EFG 2 R "tiny" { "Ann" } t "" 1 "win" { 5/2 }')
    >>> load_efg("tiny.efg").outcomes
    (Outcome(payoffs=(Fraction(5, 2),), name='win'),)
    """
    return parse_efg(read_text(path), name=str(path))


def parse_efg(text: str, *, name: str = "") -> ExtensiveForm:
    """Read an extensive form from text in Gambit's .efg format.

    Numbers become exact fractions, and labels are unchanged, including empty and repeated ones. An
    `ExtensiveForm` does not store the comment, the numbers and names of chance events, or the
    numbers of information sets and outcomes. Information sets and outcomes are renumbered by
    breadth-first appearance, outcomes with the same name and payoffs are merged, and an outcome
    without a name that pays nothing counts as no outcome.

    Parameters
    ----------
    name
        Name of the text in error messages, and of a game without a title.

    Returns
    -------
    ExtensiveForm
        A classical form, with information sets of the acting players only.

    Raises
    ------
    GameFileError
        If the text violates the format. The message gives the line and the column.
    GameTooLargeError
        If the game would not fit in memory.

    Notes
    -----
    Source: "The extensive game (.efg) file format", documentation of Gambit 16. The reader accepts
    more than the format. Numbers may have an exponent or a plus sign. The name of an information
    set or outcome may be given without its list, and the list without the name. Probabilities may
    sum to one within 10⁻⁹; they are then replaced by nearby ratios such as 1/3.

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
    check_form_fits(name or title, len(entries), len(players))
    return extensive_form_from_nodes(_root(entries), players=players, name=title or name)


def check_form_fits(name: str, num_histories: int, num_players: int) -> None:
    """Raise if the information sets of the players at all histories do not fit in memory.

    Raises
    ------
    GameTooLargeError
        The message gives the size.
    """
    size = BYTES_PER_CELL * num_histories * num_players
    if size > allowed_memory(None):
        raise GameTooLargeError(
            f"{name} has {num_histories:,} histories and {num_players:,} players; their "
            f"information sets need about {format_bytes(size)}, more than the free memory",
            {"histories": num_histories, "players": num_players, "bytes": size},
        )


def _prologue(tokens: Tokens) -> tuple[str, tuple[str, ...]]:
    """Read the prologue; return the title and the names of the players."""
    tokens.take("word", "EFG at the beginning of an .efg file", "EFG")
    tokens.take("number", "2, the version of the format", "2")
    if tokens.current.text not in ("R", "D"):
        raise tokens.error("R or D")
    tokens.take("word", "R or D")
    title = one_line(tokens.label("the title of the game, in quotes"))
    tokens.take("sign", "{ and the names of the players", "{")
    players = [tokens.label("the name of the first player, in quotes")]
    while not tokens.skip("}"):
        players.append(tokens.label("the name of another player, in quotes, or }"))
    if tokens.current.kind == "label":
        tokens.label("a comment")
    return title, tuple(players)


@dataclass(frozen=True, eq=False)
class _Described(Generic[Content]):
    """An information set, chance event or outcome of a file, compared by identity."""

    name: str
    """May be empty, and several may have the same name."""
    content: Content
    """The list in braces: actions, chance actions or payoffs."""

    def __str__(self) -> str:
        return self.name


class _Descriptions(Generic[Content]):
    """The information sets of a player, the chance events or the outcomes of a file, by number.

    A name and a list in braces describe the first occurrence. Later occurrences may repeat or omit
    them.

    Parameters
    ----------
    kind
        Noun for error messages.
    read_content
        Reads a list in braces.
    """

    def __init__(self, kind: str, read_content: Callable[[], Content]) -> None:
        self._kind = kind
        self._read_content = read_content
        self._known: dict[int, _Described[Content]] = {}

    def read(self, tokens: Tokens, number: int) -> _Described[Content]:
        """Read an optional description after a number; return the description of the number.

        Raises
        ------
        GameFileError
            If the number has no description yet, or a different one.
        """
        start = tokens.current
        name = tokens.label("a name") if start.kind == "label" else None
        content = self._read_content() if tokens.current.text == "{" else None
        first = self._known.get(number)
        if first is None:
            if content is None:
                raise tokens.error(
                    f"a list in braces, because {self._kind} {number} occurs here for the first "
                    "time"
                )
            first = self._known[number] = _Described(name or "", content)
        elif name not in (None, first.name) or content not in (None, first.content):
            raise tokens.error_at(
                start.start,
                f"read a different description of {self._kind} {number}, expected the first one, "
                f"named {quoted(first.name)}, or no description",
            )
        return first


class _Lottery(NamedTuple):
    """The actions of a chance event with their probabilities."""

    labels: tuple[str, ...]
    probabilities: tuple[Fraction, ...]


class _Entry(NamedTuple):
    """A node in the depth-first order of the file."""

    actor: Player
    name: str
    labels: tuple[str, ...]
    probabilities: tuple[Fraction, ...]
    sees: dict[Player, Hashable]
    outcome: Outcome | None


class _Body:
    """Reads the nodes of a file in their depth-first order."""

    def __init__(self, tokens: Tokens, num_players: int) -> None:
        self.tokens = tokens
        self.num_players = num_players
        self.infosets = [
            _Descriptions(f"player {player}'s information set", self._actions)
            for player in range(1, num_players + 1)
        ]
        self.events = _Descriptions("event", self._lottery)
        self.outcomes = _Descriptions("outcome", self._payoffs)

    def entries(self) -> list[_Entry]:
        """Read all nodes up to the end of the text."""
        found: list[_Entry] = []
        missing = 1
        while missing:
            found.append(self._entry(missing))
            missing += len(found[-1].labels) - 1  # the node itself, and then its children
        self.tokens.take("end", "the end of the file: the tree is complete")
        return found

    def _entry(self, missing: int) -> _Entry:
        readers = {"c": self._chance, "p": self._decision, "t": self._terminal}
        expected = f"a node, c, p or t; at least {missing:,} more nodes are missing"
        if self.tokens.current.text not in readers:
            raise self.tokens.error(expected)
        kind = self.tokens.take("word", expected).text
        name = self.tokens.label("the name of the node, in quotes, which may be empty")
        return readers[kind](name)

    def _chance(self, name: str) -> _Entry:
        number = self.tokens.integer("the number of a chance event")
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
            raise self.tokens.error("the next node, because outcome 0 stands for no outcome")
        return None

    def _actions(self) -> tuple[str, ...]:
        self.tokens.take("sign", "{ and the actions", "{")
        actions = [self.tokens.label("the label of an action, in quotes")]
        while not self.tokens.skip("}"):
            actions.append(self.tokens.label("the label of an action, in quotes, or }"))
        return tuple(actions)

    def _lottery(self) -> _Lottery:
        start = self.tokens.take("sign", "{ and the chance actions", "{").start
        labels: list[str] = []
        given: list[Fraction] = []
        while not (labels and self.tokens.skip("}")):
            labels.append(self.tokens.label("the label of a chance action, in quotes"))
            given.append(self.tokens.number("the probability of a chance action"))
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
    """Assemble nodes in depth-first order into a tree, from the last to the first."""
    # Backwards, the children of a node are on top of the stack, the first one above the others.
    trees: list[Node] = []
    for actor, name, labels, probabilities, sees, outcome in reversed(entries):
        children = tuple(trees.pop() for _ in labels)
        trees.append(Node(actor, labels, children, probabilities, outcome, sees=sees, name=name))
    return trees[0]
