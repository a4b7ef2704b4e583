"""Certificates: bounds on the value of a game, and the two policies that guarantee them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from infoset._version import __version__

Distribution: TypeAlias = Mapping[str, Fraction]
"""Maps each legal action, as text, to its exact probability."""

ExactPolicy: TypeAlias = Mapping[str, Distribution]
"""Maps each infostate at which a player acts, as text, to a distribution."""


@dataclass(frozen=True)
class Certificate:
    """Bounds on the value of a two-player constant-sum game, which anyone can check."""

    game: str
    """Name of a registered game, with its parameters."""
    lower: Fraction
    upper: Fraction
    """What the policy of player 0 guarantees, and what the policy of player 1 concedes at most:
    bounds on the value of the game for player 0, in the game's units."""
    policies: tuple[ExactPolicy, ExactPolicy]
    """The policies of both players."""
    num_histories: int
    """Number of histories of the game, including the initial one."""
    infoset_version: str = __version__
    """Version of the library that wrote the certificate."""

    @property
    def value(self) -> Fraction | None:
        """The value of the game if the bounds are equal, otherwise None."""
        return self.lower if self.lower == self.upper else None

    @property
    def num_infostates(self) -> tuple[int, ...]:
        """Number of infostates at which each player acts."""
        return tuple(len(policy) for policy in self.policies)
