"""Packs: named games with their sizes, values and best known policies, as data."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from importlib.resources import files
from typing import Final

from infoset.errors import UnknownNameError
from infoset.utils.arguments import check_type

PACK_SIZES: Final = ("small", "medium", "large")
"""The packs, by the time that it takes to solve their games: seconds, minutes, longer."""


@dataclass(frozen=True)
class PackEntry:
    """A game of a pack, with what is known about it."""

    name: str
    """Name in the pack and in the zoo."""
    game: str
    """Name of the game with its parameters, for `load`."""
    pack: str
    """One of `PACK_SIZES`."""
    infostates: tuple[int, int]
    sequences: tuple[int, int]
    """Number of infostates at which each player acts, and of its sequences."""
    payoffs: int
    """Number of pairs of sequences with a payoff."""
    fingerprint: str
    """Fingerprint of the sequence form."""
    lower: Fraction
    upper: Fraction
    """Bounds on the value for player 0, in the game's units; equal if the value is known. Bounds
    that differ are rounded outward to ten decimal places."""
    proof: str
    """`certificate` if both are proved in exact arithmetic, `best responses` if they are the
    security levels of a policy in double precision."""
    exploitability: float
    """Exploitability of the best known policy, which is in the zoo, in the game's units."""
    recipe: str
    """How the policy is made: `exact`, or a method and its number of iterations."""
    digest: str
    """The `TabularPolicy.digest` of the policy."""
    in_wheel: bool
    """Whether the policy is installed with the library."""
    source: str
    """Source of the game or of its value."""

    @property
    def value(self) -> Fraction | None:
        """The value of the game for player 0; None if only bounds are known."""
        return self.lower if self.lower == self.upper else None


@cache
def _entries() -> dict[str, PackEntry]:
    """Return all entries by name, in the order of the file."""
    text = files("infoset.games").joinpath("packs.csv").read_text("utf-8")
    return {row["name"]: _entry(row) for row in csv.DictReader(text.splitlines())}


def _entry(row: dict[str, str]) -> PackEntry:
    """Return the entry in a row of the table."""
    first, second = map(int, row["infostates"].split())
    own, other = map(int, row["sequences"].split())
    return PackEntry(
        name=row["name"],
        game=row["game"],
        pack=row["pack"],
        infostates=(first, second),
        sequences=(own, other),
        payoffs=int(row["payoffs"]),
        fingerprint=row["fingerprint"],
        lower=Fraction(row["lower"]),
        upper=Fraction(row["upper"]),
        proof=row["proof"],
        exploitability=float(row["exploitability"]),
        recipe=row["recipe"],
        digest=row["digest"],
        in_wheel=row["in_wheel"] == "yes",
        source=row["source"],
    )


def load_pack(pack: str) -> tuple[PackEntry, ...]:
    """Return the games of a pack.

    Parameters
    ----------
    pack
        `small`, `medium` or `large`. The packs have no games in common.

    Examples
    --------
    >>> [entry.game for entry in load_pack("small")][:2]
    ['matrix_mp', 'matrix_rps']
    """
    check_type("pack", pack, str, f"one of: {', '.join(PACK_SIZES)}")
    if pack not in PACK_SIZES:
        raise UnknownNameError.of("pack", pack, PACK_SIZES)
    return tuple(entry for entry in _entries().values() if entry.pack == pack)


def get_pack_entry(name: str) -> PackEntry:
    """Return the entry of a game in the packs.

    Raises
    ------
    UnknownNameError
        If no pack has a game of that name; the message suggests similar names.

    Examples
    --------
    >>> get_pack_entry("kuhn_poker").value
    Fraction(-1, 18)
    """
    check_type("name", name, str, "the name of a game of a pack, such as leduc_poker")
    known = _entries()
    if name not in known:
        raise UnknownNameError.of("game of the zoo", name, known)
    return known[name]
