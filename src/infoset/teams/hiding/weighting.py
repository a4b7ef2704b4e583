"""With what weight the nodes of a cell speak to its learner: a row says whose reach counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from infoset.utils.registry import Registry

__all__ = ["WEIGHTINGS", "LeftOut", "Weighting"]

LeftOut: TypeAlias = Literal["nobody", "agent", "team", "everybody"]
"""Whose own choices do not count in the reach of a node."""


@dataclass(frozen=True)
class Weighting:
    """The weight of a node at its cell: chance's probability, times choices on the way there.

    Attributes
    ----------
    name : str
    description : str
        One line.
    leaves_out : LeftOut
        Whose choices are not in it: of the agent who acts at the node, of its team, or of all.
    conditional : bool
        Whether weights are divided by their sum over the cell, so that they are beliefs.
    """

    name: str
    description: str
    leaves_out: LeftOut
    conditional: bool = False


WEIGHTINGS: Final = Registry(
    "weighting",
    (
        Weighting("posterior", "beliefs given the cell", "nobody", conditional=True),
        Weighting("counterfactual", "reach without the own team's choices", "team"),
        Weighting("agent", "reach without the own agent's choices", "agent"),
        Weighting("full", "reach with all choices", "nobody"),
        Weighting("chance", "chance's probability alone", "everybody"),
    ),
    entry_type=Weighting,
)
"""The weightings that have a name."""
