"""Labels as Gambit's own reader takes them."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

import numpy as np

from infoset.efg import ExtensiveForm, Outcome
from infoset.efg.contraction import distinct
from infoset.typing import IntArray

__all__ = ["plain_labels"]

NAMELESS: Final = "_"


def plain_labels(form: ExtensiveForm) -> ExtensiveForm:
    """Return the same form with labels that Gambit's own reader takes.

    They are text of printable ASCII, other characters written as `&#9824;`, with single spaces.
    Actions at a history are all different and none is empty, and so are the names of players and
    those of outcomes; names of information sets and of histories differ or are empty. A label met
    before gets a number: `bet #2`.

    Notes
    -----
    Source: `pygambit.read_efg` of Gambit 16.7 refuses other labels of information sets and nodes,
    and renames actions, players and outcomes.

    Examples
    --------
    >>> from infoset.efg import decision, extensive_form_from_nodes, terminal
    >>> root = decision(0, "♠", [("", terminal(1)), ("", terminal(2))])
    >>> form = extensive_form_from_nodes(root, players=1)
    >>> plain = plain_labels(form)
    >>> plain.moves, plain.infoset_names
    (('_', '_ #2'), (('&#9824;',),))
    """
    moves, move = _moves(form)
    players = _numbered("player", form.player_names)
    names = _numbered("outcome", [outcome.name for outcome in form.outcomes])
    return replace(
        form,
        name=_plain(form.name),
        player_names=_different(players),
        moves=moves,
        move=move,
        outcomes=tuple(
            Outcome(outcome.payoffs, name)
            for outcome, name in zip(form.outcomes, _different(names), strict=True)
        ),
        infoset_names=tuple(_different(names) for names in form.infoset_names),
        history_names=_different(form.history_names),
    )


def _moves(form: ExtensiveForm) -> tuple[tuple[str, ...], IntArray]:
    """Return the labels of moves, different at each history, and [H] the one leading there."""
    numbers: dict[str, int] = {}
    move = [-1]
    ends = form.first_child.tolist()
    given = form.move.tolist()
    texts = [_plain(str(label)) or NAMELESS for label in form.moves]
    for first, end in itertools.pairwise(ends):
        labels = distinct(tuple(texts[index] for index in given[first:end]))
        move += [numbers.setdefault(str(label), len(numbers)) for label in labels]
    return tuple(numbers), np.array(move, np.int32)


def _numbered(kind: str, names: Iterable[str]) -> list[str]:
    """Return names, where empty ones become a kind and a number from 1."""
    return [_plain(name) or f"{kind} {number}" for number, name in enumerate(names, start=1)]


def _different(names: Iterable[str]) -> tuple[str, ...]:
    """Return plain names that differ, or are empty."""
    texts = [_plain(name) for name in names]
    numbered = iter(distinct(tuple(text for text in texts if text)))
    return tuple(str(next(numbered)) if text else "" for text in texts)


def _plain(label: str) -> str:
    """Return a label in printable ASCII with single spaces and no backslash."""
    words = label.replace("\\", "&#92;").encode("ascii", "xmlcharrefreplace").decode().split()
    return "".join(c if c.isprintable() else f"&#{ord(c)};" for c in " ".join(words))
