"""What an .efg file says of an information set, event or outcome, and may leave out later."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from infoset.efg.tokens import Tokens, quoted

__all__ = ["Described", "Descriptions"]

Content = TypeVar("Content")


@dataclass(frozen=True, eq=False)
class Described(Generic[Content]):
    """An information set, event or outcome: two are the same when they are one object.

    Attributes
    ----------
    name : str
        May be empty, and another's, too.
    content : Content
        What the list in braces says.
    """

    name: str
    content: Content

    def __str__(self) -> str:
        return self.name


class Descriptions(Generic[Content]):
    """The information sets of a player, the events, or the outcomes of a file, by number.

    A name and a list in braces describe one; later they may be left out, or be said again.

    Parameters
    ----------
    kind : str
        What they are, for messages.
    read_content : Callable[[], Content]
        Reads a list in braces.
    """

    def __init__(self, kind: str, read_content: Callable[[], Content]) -> None:
        self._kind = kind
        self._read_content = read_content
        self._known: dict[int, Described[Content]] = {}

    def read(self, tokens: Tokens, number: int) -> Described[Content]:
        """Read the description of a number, if there is one here; return the one it has.

        Raises
        ------
        GameFileError
            If it has none yet, or had another.
        """
        start = tokens.current
        name = tokens.label("a name") if start.kind == "label" else None
        content = self._read_content() if tokens.current.text == "{" else None
        first = self._known.get(number)
        if first is None:
            if content is None:
                raise tokens.error(
                    f"a list in braces: {self._kind} {number} is met for the first time"
                )
            first = self._known[number] = Described(name or "", content)
        elif name not in (None, first.name) or content not in (None, first.content):
            raise tokens.error_at(
                start.start,
                f"read another description of {self._kind} {number}, expected the one it had "
                f"before, named {quoted(first.name)}, or none",
            )
        return first
