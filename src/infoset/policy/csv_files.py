"""Policy files with comma-separated values, for spreadsheets and other tools."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TextIO

import numpy as np

from infoset.errors import PolicyFileError, nearest_names
from infoset.forms import AnyForm, Form, check_form
from infoset.game.infostate import label_text
from infoset.policy.policy_tables import replace_policy_file
from infoset.policy.tabular import TabularPolicy, check_policy
from infoset.typing import Action, FloatArray, Player
from infoset.utils.arguments import SUM_TOLERANCE, check_path
from infoset.utils.files import open_at_once

COLUMNS = ("player", "infostate", "own_reach", "action", "probability")
NEEDED = tuple(column for column in COLUMNS if column != "own_reach")
SPECIAL = frozenset(',"\r\n')
ALL_LINES = "every action of every infostate has exactly one line"


def save_policy_csv(policy: TabularPolicy, file: str | Path | TextIO) -> None:
    """Write a policy as comma-separated values, one line per infostate and action.

    The first line names the columns: `player`, `infostate`, `own_reach`, `action`, `probability`.
    Labels are quoted where necessary, and numbers have all their digits, so `load_policy_csv`
    returns the same policy bit for bit. Actions of an infostate with the same text are
    distinguished by `#` and their position.

    Parameters
    ----------
    policy
        A policy on a public form is written as that of the tree, whose infostates are the hands and
        the lines.
    file
        A path, or a stream open for writing. An existing file at the path is replaced atomically.

    Raises
    ------
    PolicyFileError
        If the file cannot be written.

    Examples
    --------
    >>> import sys
    >>> from infoset.games import load_game
    >>> from infoset.policy import uniform_policy
    >>> from infoset.tree import build_tree
    >>> pennies = build_tree(load_game("matrix_mp"))
    >>> save_policy_csv(uniform_policy(pennies.sequence_form), sys.stdout)
    player,infostate,own_reach,action,probability
    0,(start),1.0,Heads,0.5
    0,(start),1.0,Tails,0.5
    1,(start),1.0,Heads,0.5
    1,(start),1.0,Tails,0.5
    """
    check_policy(policy)
    if not isinstance(file, str | PathLike):
        if not hasattr(file, "write"):
            check_path("file", file)
        _write(policy, file)
        return
    check_path("file", file)
    path = Path(file)
    with (
        replace_policy_file(path) as temporary,
        temporary.open("w", encoding="utf-8", newline="") as stream,
    ):
        _write(policy, stream)


def _write(policy: TabularPolicy, stream: TextIO) -> None:
    stream.write(",".join(COLUMNS) + "\n")
    for row in policy.rows():
        about = f"{row.player},{_quoted(row.infostate)},{row.own_reach}"
        texts = action_texts(row.actions)
        for action, probability in zip(texts, row.probabilities.tolist(), strict=True):
            stream.write(f"{about},{_quoted(action)},{probability}\n")


def _quoted(text: str) -> str:
    """Return a label as a cell, in quotes if necessary.

    `csv.writer` does not quote a carriage return, which `csv.reader` then reads as a line end.
    """
    return '"' + text.replace('"', '""') + '"' if SPECIAL.intersection(text) else text


def action_texts(actions: Sequence[Action]) -> list[str]:
    """Return the actions of an infostate as text, all different."""
    texts: list[str] = []
    for position, action in enumerate(actions):
        text = label_text(action)
        while text in texts:
            text += f" #{position}"
        texts.append(text)
    return texts


def load_policy_csv(path: str | Path, form: AnyForm) -> TabularPolicy[AnyForm]:
    """Read a policy from comma-separated values, in any order of lines.

    The first line names the columns. `player`, `infostate`, `action` and `probability` are
    required; other columns are ignored. Every action of every infostate has exactly one line, and
    the probabilities at an infostate sum to 1 within 10⁻⁹.

    Raises
    ------
    PolicyFileError
        If the file is missing or breaks a rule; the message names line, column and rule.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.policy import uniform_policy
    >>> from infoset.tree import build_tree
    >>> form = build_tree(load_game("kuhn_poker")).sequence_form
    >>> save_policy_csv(uniform_policy(form), "kuhn.csv")
    >>> load_policy_csv("kuhn.csv", form)["[K]", 0]
    {'pass': 0.5, 'bet': 0.5}
    """
    return TabularPolicy(form, _read(path, form).finished())


def load_behavior_csv(
    path: str | Path, form: Form
) -> dict[tuple[str, Player], dict[Action, float]]:
    """Read the probabilities at some infostates, from lines as of `load_policy_csv`.

    Every action of an infostate has exactly one line, or none has.

    Raises
    ------
    PolicyFileError
        As in `load_policy_csv`.
    """
    return _read(path, form).listed()


def _read(path: str | Path, form: Form) -> _Table:
    """Return the probabilities in a file."""
    check_form(form)
    check_path("path", path)
    table = _Table(Path(path), form)
    for line in _lines(Path(path)):
        table.add(line)
    return table


@dataclass(frozen=True)
class _Line:
    """A line after the first: its number, and its cells by column."""

    path: Path
    number: int
    cells: dict[str, str]

    def error(self, column: str, found: str, rule: str) -> PolicyFileError:
        end = "" if found.endswith("?") else "."
        return PolicyFileError(
            f"{self.path}, line {self.number}, column {column}: {found}{end} The rule: {rule}."
        )


def _lines(path: Path) -> Iterator[_Line]:
    """Yield the nonempty lines after the first."""
    rows = _rows(path)
    _, header = next(rows, (1, []))
    for column in NEEDED:
        count = header.count(column)
        if count != 1:
            found = f"it appears {count} times" if count else "it is missing"
            raise _Line(path, 1, {}).error(
                column,
                f"{found}; the line is {','.join(header)!r}",
                f"the first line names the columns {', '.join(NEEDED)}, separated by commas, each "
                "once; other columns are ignored",
            )
    for number, row in rows:
        if row and len(row) != len(header):
            raise _Line(path, number, {}).error(
                str(min(len(row), len(header)) + 1),
                f"the line has {len(row)} columns, but the first line has {len(header)}",
                "all lines have the same columns; put a label with a comma in double quotes",
            )
        if row:
            yield _Line(path, number, dict(zip(header, row, strict=True)))


def _rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield, for each row, the number of its first line and its cells."""
    begin = 1  # a label in quotes can have line breaks, so a row can take several lines
    try:
        # Spreadsheets put a byte order mark first, which this encoding removes.
        with open(path, encoding="utf-8-sig", newline="", opener=open_at_once) as stream:
            reader = csv.reader(stream, strict=True)
            for row in reader:
                yield begin, row
                begin = reader.line_num + 1
    except FileNotFoundError as error:
        raise PolicyFileError(f"there is no file {path}; check the path of the policy") from error
    except csv.Error as error:
        raise PolicyFileError(
            f"{path}, line {begin}: {error}; enclose a label that contains a comma, a quote or a "
            "line break in double quotes, and double the quotes inside it"
        ) from error
    except (OSError, UnicodeDecodeError) as error:
        raise PolicyFileError(
            f"{path} cannot be read as UTF-8 text ({error}); it is damaged or not a CSV file"
        ) from error


class _Table:
    """Probabilities per player [Q] while lines are read; NaN until their line is read."""

    def __init__(self, path: Path, form: Form) -> None:
        self.path, self.form = path, form
        self.last_line: dict[tuple[Player, str], _Line] = {}
        self.seen: set[tuple[Player, str, int]] = set()
        self.values = [np.full(plex.num_sequences, np.nan) for plex in form.treeplexes]
        self.numbers = [dict(form.labeled_infostates(p)) for p in range(form.num_players)]

    def add(self, line: _Line) -> None:
        """Store the probability of one line."""
        player = self._player(line)
        infostate = self._infostate(line, player)
        sequence = self._sequence(line, player, infostate)
        text, probability = line.cells["infostate"], _probability(line)
        action = f"{line.cells['action']!r} of player {player} at {text!r}"
        if (player, text, sequence) in self.seen:
            raise line.error("action", f"{action} occurs for the second time", ALL_LINES)
        # On a form that merges hands, several texts are one infostate.
        known = self.values[player][sequence]
        if not np.isnan(known) and known != probability:
            rule = f"hands that {self.form.name} merges have the same probabilities"
            raise line.error("probability", f"{action} has a probability other than {known}", rule)
        self.values[player][sequence] = probability
        self.seen.add((player, text, sequence))
        self.last_line[player, text] = line

    def _player(self, line: _Line) -> Player:
        known = {str(player): player for player in range(self.form.num_players)}
        text = line.cells["player"].strip()
        if text not in known:
            rule = f"players of {self.form.name} are 0 to {len(known) - 1}"
            raise line.error("player", f"{text!r} is not a player", rule)
        return known[text]

    def _infostate(self, line: _Line, player: Player) -> int:
        text, known = line.cells["infostate"], self.numbers[player]
        if text not in known and self.form.source.normal_text(text) in known:
            text = line.cells["infostate"] = self.form.source.normal_text(text)
        if text not in known:
            raise line.error(
                "infostate",
                f"player {player} has no acting infostate {text!r}; {nearest_names(text, known)}",
                f"infostates are those of {self.form.name}, written as infoset show writes them",
            )
        return known[text]

    def _sequence(self, line: _Line, player: Player, infostate: int) -> int:
        known = action_texts(self.form.actions_at(player, infostate))
        text = line.cells["action"]
        if text not in known:
            raise line.error(
                "action",
                f"{text!r} is not legal at {line.cells['infostate']!r}",
                f"legal actions are {', '.join(map(repr, known))}",
            )
        return int(self.form.treeplexes[player].first_sequence[infostate]) + known.index(text)

    def finished(self) -> tuple[FloatArray, ...]:
        """Return the probabilities, checked to be complete and to sum to 1."""
        for player, values in enumerate(self.values):
            values[0] = 1.0
            for label, infostate in self.numbers[player].items():
                self._check(player, label, infostate)
            # Hands that chance has removed have no lines: the policy is uniform there.
            uniform = self.form.treeplexes[player].uniform_policy()
            values[:] = np.where(np.isnan(values), uniform, values)
        return tuple(self.values)

    def listed(self) -> dict[tuple[str, Player], dict[Action, float]]:
        """Return the probabilities at the infostates that have lines, checked to sum to 1."""
        found = {}
        for player, label in self.last_line:
            infostate = self.numbers[player][label]
            self._check(player, label, infostate)
            actions = self.form.actions_at(player, infostate)
            first = int(self.form.treeplexes[player].first_sequence[infostate])
            values = self.values[player][first : first + len(actions)].tolist()
            found[label, player] = dict(zip(actions, values, strict=True))
        return found

    def _check(self, player: Player, label: str, infostate: int) -> None:
        texts = action_texts(self.form.actions_at(player, infostate))
        first = int(self.form.treeplexes[player].first_sequence[infostate])
        places = range(first, first + len(texts))
        values = self.values[player][first : first + len(texts)]
        missing = [
            text
            for text, place in zip(texts, places, strict=True)
            if (player, label, place) not in self.seen
        ]
        if not missing and abs(values.sum() - 1) <= SUM_TOLERANCE:
            return
        line = self.last_line.get((player, label))
        if line is None:
            raise PolicyFileError(
                f"{self.path} ends without a line for player {player} at {label!r}. The rule: "
                f"{ALL_LINES}."
            )
        if missing:
            found = f"no line of player {player} at {label!r} has {missing[0]!r}; this is the last"
            raise line.error("action", found, ALL_LINES)
        raise line.error(
            "probability",
            f"with this line, the probabilities of player {player} at {label!r} sum to "
            f"{values.sum()}",
            "the probabilities at an infostate sum to 1",
        )


def _probability(line: _Line) -> float:
    text = line.cells["probability"]
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1 + SUM_TOLERANCE:
        raise line.error(
            "probability", f"got {text!r}", "a probability is a decimal number from 0 to 1"
        )
    return value
