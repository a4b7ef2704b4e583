"""The rows and columns in which files store a number for each sequence of a form."""

from __future__ import annotations

from typing import NamedTuple

from infoset.typing import Action, LongArray, Player

__all__ = ["FormTable"]


class FormTable(NamedTuple):
    """Where the numbers of a form are in a table with one row per decision and action.

    Attributes
    ----------
    kind : str
        "sequence", with one column of numbers, or "public", with one column per hand.
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
        JSON values that belong to the columns: on a public form, the labels of the hands as text,
        and their prior probabilities.
    """

    kind: str
    place: str
    players: list[Player]
    places: list[str]
    actions: list[Action]
    sequences: tuple[LongArray, ...]
    about: dict[str, object]
