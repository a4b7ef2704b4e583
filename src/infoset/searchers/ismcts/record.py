"""What is known of a tree search after it."""

from __future__ import annotations

from dataclasses import dataclass

from infoset.typing import Action, FloatArray, LongArray

__all__ = ["TreeSearchRecord"]


@dataclass(frozen=True, eq=False)
class TreeSearchRecord:
    """What a tree search found, and what it took.

    Attributes
    ----------
    actions : tuple[Action, ...]
        [A] the legal ones.
    visits : LongArray
        [A] how many simulations took each action at the root, of all own infostates that are
        thought possible.
    values : FloatArray
        [A] the mean of what they brought, in the game's units; nan where there were none.
    num_simulations : int
    num_nodes : int
        Infostates at which somebody decides, in the tree.
    seconds : float
        Of the search; what is compiled once is not counted.
    allowed : float or None
        Seconds that it was to take at most.
    """

    actions: tuple[Action, ...]
    visits: LongArray
    values: FloatArray
    num_simulations: int
    num_nodes: int
    seconds: float
    allowed: float | None

    @property
    def overrun(self) -> float:
        """By what share of the time allowed it took longer; 0 if it did not."""
        return max(0.0, self.seconds / self.allowed - 1.0) if self.allowed else 0.0
