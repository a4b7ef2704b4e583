"""Writing Gambit's .efg files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from infoset.efg import (
    TERMINAL,
    ExtensiveForm,
    build_extensive_form,
    find_action_mismatch,
    forget_non_acting,
)
from infoset.efg.labels import plain_labels
from infoset.efg.numbers import exact_chance, number_text
from infoset.efg.tokens import quoted
from infoset.errors import ParameterError, UnsupportedGameError
from infoset.game import Game
from infoset.tree import GameTree
from infoset.typing import CHANCE
from infoset.utils.files import write_bytes

__all__ = ["format_efg", "save_efg"]


def format_efg(game: ExtensiveForm | Game | GameTree) -> str:
    """Return an extensive form, or that of a game, as text in Gambit's .efg format.

    What the format holds is the classical form: what players know off turn, and in common, is
    left out. Labels of an extensive form are written as they are, so that `parse_efg` gives it
    back; those of a game are made plain and different first (`plain_labels`), as Gambit's own
    reader needs them. All numbers are whole or ratios: probabilities sum to exactly one, floating
    point or not, and a payoff in floating point is taken as its shortest decimal.

    Parameters
    ----------
    game : ExtensiveForm, Game or GameTree

    Raises
    ------
    UnsupportedGameError
        If legal actions differ within an information set.
    ParameterError
        If nature's probabilities at a history do not sum to 1.

    Examples
    --------
    >>> from infoset.efg import decision, extensive_form_from_nodes, terminal
    >>> root = decision(0, "door", {"in": terminal(0.5), "out": terminal()})
    >>> form = extensive_form_from_nodes(root, players=1)
    >>> print(format_efg(form), end="")
    EFG 2 R "extensive form" { "player 0" }
    p "" 1 1 "door" { "in" "out" } 0
    t "" 1 "" { 1/2 }
    t "" 0
    """
    if isinstance(game, ExtensiveForm):
        return "".join(f"{line}\n" for line in _lines(forget_non_acting(game)))
    return format_efg(plain_labels(forget_non_acting(build_extensive_form(game))))


def save_efg(game: ExtensiveForm | Game | GameTree, path: str | Path) -> None:
    """Write an extensive form, or that of a game, to a file in Gambit's .efg format.

    A file that exists is replaced in one step. See `format_efg` for what is written.

    Raises
    ------
    UnsupportedGameError, ParameterError
        As `format_efg`; also where a label cannot be encoded as UTF-8.
    """
    path = Path(path)
    try:
        data = format_efg(game).encode()
    except UnicodeEncodeError as error:
        raise ParameterError(
            f"{game} has a label with {error.object[error.start]!r}, which is half of a character; "
            "a file in UTF-8 cannot hold it"
        ) from error
    write_bytes(path, data)


def _lines(form: ExtensiveForm) -> Iterator[str]:
    """Yield the lines of a classical form: the first, and a node on each, depth first."""
    violation = find_action_mismatch(form)
    if violation is not None:
        raise UnsupportedGameError(f"{form.name} cannot be written as .efg: {violation}")
    yield f"EFG 2 R {quoted(form.name)} {_braces(map(quoted, form.player_names))}"
    actor, first_child = form.actor.tolist(), form.first_child.tolist()
    outcomes = _outcome_texts(form)
    waiting = [0]
    while waiting:
        history = waiting.pop()
        waiting.extend(reversed(range(first_child[history], first_child[history + 1])))
        name, outcome = quoted(form.history_names[history]), outcomes[form.outcome[history]]
        if actor[history] == TERMINAL:
            yield f"t {name} {outcome}"
        elif actor[history] == CHANCE:
            yield f"c {name} {_event(form, history)} {outcome}"
        else:
            yield f"p {name} {_infoset(form, history)} {outcome}"


def _braces(texts: Iterable[str]) -> str:
    return f"{{ {' '.join(texts)} }}"


def _outcome_texts(form: ExtensiveForm) -> list[str]:
    """Return each outcome as it is written, and, last, that there is none."""
    texts = []
    for number, outcome in enumerate(form.outcomes, start=1):
        payoffs = ", ".join(map(number_text, outcome.payoffs))
        texts.append(f"{number} {quoted(outcome.name)} {{ {payoffs} }}")
    return [*texts, "0"]


def _event(form: ExtensiveForm, history: int) -> str:
    """Return a number that no other event has, no name, and what nature does."""
    children = slice(*form.first_child[history : history + 2])
    chances = exact_chance([form.probabilities[index] for index in form.chance[children]])
    labels = (quoted(str(action)) for action in form.legal_actions(history))
    pairs = (f"{label} {value}" for label, value in zip(labels, chances, strict=True))
    return f'{history + 1} "" {_braces(pairs)}'


def _infoset(form: ExtensiveForm, history: int) -> str:
    """Return who acts, the number and name of its information set, and the actions."""
    player = int(form.actor[history])
    number = int(form.infoset[history, player])
    labels = _braces(quoted(str(action)) for action in form.legal_actions(history))
    return f"{player + 1} {number + 1} {quoted(form.infoset_names[player][number])} {labels}"
