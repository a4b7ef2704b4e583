"""What a search of worlds found, and what it took."""

from __future__ import annotations

from dataclasses import dataclass

from infoset.typing import Action, FloatArray

__all__ = ["WorldSearchRecord"]


@dataclass(frozen=True, eq=False)
class WorldSearchRecord:
    """What a search of worlds found, and what it took.

    Attributes
    ----------
    actions : tuple[Action, ...]
        [A] the legal ones.
    values : FloatArray
        [A] what each is worth in the mean of the worlds, in the game's units; nan where there was
        no choice, and no search.
    num_worlds : int
        How many were drawn; where all of them were weighed by their probability, how many there
        are.
    is_exact : bool
        Whether all of them were.
    num_nodes : int
        Positions visited; where values are looked up, how many were.
    seconds : float
        Of the search; the first one of a process also compiles.
    allowed : float or None
        Seconds that it was to take at most.
    """

    actions: tuple[Action, ...]
    values: FloatArray
    num_worlds: int
    is_exact: bool
    num_nodes: int
    seconds: float
    allowed: float | None

    @property
    def overrun(self) -> float:
        """By what share of the time allowed it took longer; 0 if it did not."""
        return max(0.0, self.seconds / self.allowed - 1.0) if self.allowed else 0.0
