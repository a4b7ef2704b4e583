"""The rows and columns in which files store a number for each sequence of a form."""

from __future__ import annotations

from typing import NamedTuple

from infoset.typing import Action, LongArray, Player

__all__ = ["FormTable"]


class FormTable(NamedTuple):
    """Where the numbers of a form are in a table with one row per decision and action.

    Attributes
    ----------
    columns : tuple[str, ...]
        Names of the columns of numbers: one, or one per hand.
    place : str
        Name of the column that says where a decision is: "infostate" or "line".
    players : list[Player]
        [R] the player of each row. Players are in order.
    places : list[str]
        [R] the infostate or the line of each row, as text.
    actions : list[Action]
        [R] the action of each row.
    sequences : tuple[LongArray, ...]
        Per player, [its rows, its columns] the sequence of each number. Columns of hands that the
        form merges repeat a sequence.
    about : dict
        JSON values that belong to the columns, such as the labels of hands as text and their prior
        probabilities; empty for a single column.
    other_game : str
        Why a table for a game of the same name may belong to another form, and what to do then.
    """

    columns: tuple[str, ...]
    place: str
    players: list[Player]
    places: list[str]
    actions: list[Action]
    sequences: tuple[LongArray, ...]
    about: dict[str, object]
    other_game: str
