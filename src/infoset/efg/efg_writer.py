"""A writer of Gambit's .efg files."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np

from infoset.efg.conversions import build_extensive_form
from infoset.efg.efg_tokens import quoted
from infoset.efg.exact_numbers import exact_chance, number_text
from infoset.efg.extensive_form import ExtensiveForm
from infoset.efg.histories import TERMINAL, Outcome
from infoset.efg.information_sets import check_property, find_action_mismatch
from infoset.efg.transformations import forget_non_acting, pay_at_end
from infoset.errors import ParameterError
from infoset.game import Game
from infoset.tree import GameTree
from infoset.typing import CHANCE, IntArray
from infoset.utils.arguments import check_path
from infoset.utils.files import write_output
from infoset.utils.text import distinct_labels

UNNAMED: Final = "_"
"""The label given to an action without a label."""


def format_efg(game: ExtensiveForm | Game | GameTree) -> str:
    """Return an extensive form, or that of a game, as text in Gambit's .efg format.

    The format represents the classical form; the information of players who do not act and public
    sets are left out. An extensive form is written unchanged, so that `parse_efg` restores it. For
    a game, labels are first made plain and unique (`plain_labels`), as Gambit's own reader
    requires, and all rewards are paid at the end (`pay_at_end`), as OpenSpiel's reader requires.
    Every terminal history has payoffs, even if they are all zero. Probabilities sum to exactly one,
    and a floating-point payoff is written as its shortest decimal or the ratio equal to it.

    Raises
    ------
    UnsupportedGameError
        If legal actions differ within an information set.
    ParameterError
        If the chance probabilities at a history do not sum to 1.

    Examples
    --------
    >>> from infoset.efg import decision, extensive_form_from_nodes, terminal
    >>> root = decision(0, "door", {"in": terminal(0.5), "out": terminal()})
    >>> form = extensive_form_from_nodes(root, players=1)
    >>> print(format_efg(form), end="")
    EFG 2 R "extensive form" { "player 0" }
    p "" 1 1 "door" { "in" "out" } 0
    t "" 1 "" { 1/2 }
    t "" 2 "" { 0 }
    """
    if isinstance(game, ExtensiveForm):
        return "".join(f"{line}\n" for line in _lines(forget_non_acting(game)))
    return format_efg(plain_labels(pay_at_end(forget_non_acting(build_extensive_form(game)))))


def save_efg(game: ExtensiveForm | Game | GameTree, path: str | Path) -> None:
    """Write an extensive form, or that of a game, to a file in Gambit's .efg format.

    An existing file is replaced atomically. See `format_efg` for the content.

    Raises
    ------
    UnsupportedGameError, ParameterError
        As `format_efg`; also if a label cannot be encoded as UTF-8, or the file cannot be written.
    """
    check_path("path", path)
    try:
        data = format_efg(game).encode()
    except UnicodeEncodeError as error:
        raise ParameterError(
            f"{game} has a label with {error.object[error.start]!r}, an unpaired surrogate, "
            "which UTF-8 cannot encode"
        ) from error
    write_output(path, data)


def _lines(form: ExtensiveForm) -> Iterator[str]:
    """Yield the lines of a classical form: the prologue, then the nodes depth first."""
    check_property(form, find_action_mismatch, "cannot be written as .efg")
    yield f"EFG 2 R {quoted(form.name)} {_braces(map(quoted, form.player_names))}"
    actor, first_child = form.actor.tolist(), form.first_child.tolist()
    outcomes = _outcome_texts(form)
    # OpenSpiel's reader requires payoffs at all terminals, also if they are zero.
    no_payoffs = f'{len(form.outcomes) + 1} "" {{ {", ".join("0" * form.num_players)} }}'
    waiting = [0]
    while waiting:
        history = waiting.pop()
        # Reversed, since the last one is taken first: moves are written in their order.
        waiting.extend(reversed(range(first_child[history], first_child[history + 1])))
        name, outcome = quoted(form.history_names[history]), outcomes[form.outcome[history]]
        if actor[history] == TERMINAL:
            yield f"t {name} {outcome if form.outcome[history] >= 0 else no_payoffs}"
        elif actor[history] == CHANCE:
            yield f"c {name} {_event(form, history)} {outcome}"
        else:
            yield f"p {name} {_infoset(form, history)} {outcome}"


def _braces(texts: Iterable[str]) -> str:
    return f"{{ {' '.join(texts)} }}"


def _outcome_texts(form: ExtensiveForm) -> list[str]:
    """Return the text of each outcome, followed by the text for no outcome."""
    texts = []
    for number, outcome in enumerate(form.outcomes, start=1):
        payoffs = ", ".join(map(number_text, outcome.payoffs))
        texts.append(f"{number} {quoted(outcome.name)} {{ {payoffs} }}")
    return [*texts, "0"]


def _event(form: ExtensiveForm, history: int) -> str:
    """Return a chance event: a unique number, an empty name, and the actions."""
    children = slice(*form.first_child[history : history + 2])
    chances = exact_chance([form.probabilities[index] for index in form.chance[children]])
    labels = (quoted(str(action)) for action in form.legal_actions(history))
    pairs = (f"{label} {value}" for label, value in zip(labels, chances, strict=True))
    return f'{history + 1} "" {_braces(pairs)}'


def _infoset(form: ExtensiveForm, history: int) -> str:
    """Return the acting player, the number and name of its information set, and the actions."""
    player = int(form.actor[history])
    number = int(form.infoset[history, player])
    labels = _braces(quoted(str(action)) for action in form.legal_actions(history))
    return f"{player + 1} {number + 1} {quoted(form.infoset_names[player][number])} {labels}"


def plain_labels(form: ExtensiveForm) -> ExtensiveForm:
    """Return the form with labels that Gambit's own reader accepts.

    Labels become printable ASCII with single spaces; other characters are written as `&#9824;`,
    and so are backslashes and quotes, which OpenSpiel's reader does not accept in labels.
    The actions at a history become unique and nonempty, as do the names of players and of
    outcomes. Names of information sets and histories become unique or remain empty. A repeated
    label gets a number: `bet #2`.

    Notes
    -----
    Source: `pygambit.read_efg` of Gambit 16.7, which rejects other labels of information sets and
    nodes, and renames actions, players and outcomes.

    Examples
    --------
    >>> from infoset.efg import decision, extensive_form_from_nodes, terminal
    >>> root = decision(0, "♠", [("", terminal(1)), ("", terminal(2))])
    >>> form = extensive_form_from_nodes(root, players=1)
    >>> plain = plain_labels(form)
    >>> plain.moves, plain.infoset_names
    (('_', '_ #2'), (('&#9824;',),))
    """
    moves, move = _plain_moves(form)
    names = plain_names("outcome", [outcome.name for outcome in form.outcomes])
    return replace(
        form,
        name=_plain(form.name),
        player_names=plain_names("player", form.player_names),
        moves=moves,
        move=move,
        outcomes=tuple(
            Outcome(outcome.payoffs, name)
            for outcome, name in zip(form.outcomes, names, strict=True)
        ),
        infoset_names=tuple(_different(names) for names in form.infoset_names),
        history_names=_different(form.history_names),
    )


def _plain_moves(form: ExtensiveForm) -> tuple[tuple[str, ...], IntArray]:
    """Return labels of moves, unique at each history, and [H] the label that leads there."""
    numbers: dict[str, int] = {}
    move = [-1]
    ends = form.first_child.tolist()
    given = form.move.tolist()
    texts = [_plain(str(label)) or UNNAMED for label in form.moves]
    for first, end in itertools.pairwise(ends):
        labels = distinct_labels(tuple(texts[index] for index in given[first:end]))
        move += [numbers.setdefault(str(label), len(numbers)) for label in labels]
    return tuple(numbers), np.array(move, np.int32)


def plain_names(kind: str, names: Iterable[str]) -> tuple[str, ...]:
    """Return plain names that are unique; an empty one becomes `kind` and its number from 1."""
    texts = (_plain(name) or f"{kind} {number}" for number, name in enumerate(names, start=1))
    return _different(texts)


def _different(names: Iterable[str]) -> tuple[str, ...]:
    """Return plain names that are unique or empty."""
    texts = [_plain(name) for name in names]
    numbered = iter(distinct_labels(tuple(text for text in texts if text)))
    return tuple(str(next(numbered)) if text else "" for text in texts)


def _plain(label: str) -> str:
    """Return a label in printable ASCII with single spaces and no backslash or quote."""
    text = label.replace("\\", "&#92;").replace('"', "&#34;")
    words = text.encode("ascii", "xmlcharrefreplace").decode().split()
    return "".join(c if c.isprintable() else f"&#{ord(c)};" for c in " ".join(words))
