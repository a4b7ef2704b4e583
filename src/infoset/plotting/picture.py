"""What a picture of a game shows, as data: the same for all views and all forms of a game."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

from infoset.efg import TERMINAL
from infoset.typing import Player

__all__ = ["TERMINAL", "WATCHING", "Alike", "Picture", "PictureNode", "PictureStep", "Region"]

WATCHING: Final = -3
"""Stands for the player whose infostate it is, where it does not act."""


@dataclass(frozen=True)
class PictureStep:
    """What leads to a node.

    Attributes
    ----------
    text : str
        An action, an outcome of nature's, an observation.
    movers : tuple[Player, ...]
        Who made it; nobody where it is something seen.
    odds : str
        Its probability as text, empty where it is not shown.
    share : float or None
        Its probability, from 0 to 1, where a policy is drawn and tells.
    """

    text: str = ""
    movers: tuple[Player, ...] = ()
    odds: str = ""
    share: float | None = None


@dataclass(frozen=True)
class PictureNode:
    """A history, an infostate or a public state.

    Attributes
    ----------
    parent : int
        The node one step before; -1 at the root.
    actors : tuple[Player, ...]
        Who acts: players, `CHANCE`, `TERMINAL` where the game is over, `WATCHING`.
    step : Step
        What leads here.
    cells : tuple[str, ...]
        A text for each column of the picture, such as what each player knows.
    note : str
        What stands behind: utilities, sizes, or a sign that the tree goes on.
    rank : int
        Where it stands among what follows its parent; equals stay in the order of nodes.
    """

    parent: int
    actors: tuple[Player, ...]
    step: PictureStep = PictureStep()
    cells: tuple[str, ...] = ()
    note: str = ""
    rank: int = 0


class Alike(NamedTuple):
    """Nodes that a player cannot tell apart: one of its infosets.

    Attributes
    ----------
    player : Player
    nodes : tuple[int, ...]
        Two or more.
    """

    player: Player
    nodes: tuple[int, ...]


class Region(NamedTuple):
    """Nodes of one depth that share a public state.

    Attributes
    ----------
    title : str
        What everybody saw last.
    nodes : tuple[int, ...]
    """

    title: str
    nodes: tuple[int, ...]


@dataclass(frozen=True)
class Picture:
    """A tree to draw: nodes, what looks alike to whom, and regions.

    Attributes
    ----------
    kind : str
        `history`, `infostate` or `public`: what the nodes are.
    title : str
    nodes : tuple[PictureNode, ...]
        Parents before children; the root is first.
    columns : tuple[Player, ...]
        Whom each cell of a node is about.
    cell_meaning : str
        What the cells say, for the legend; `{}` stands for the player's name.
    alike : tuple[Alike, ...]
    regions : tuple[Region, ...]
        They hold each node once, or there are none.
    player_names : tuple[str, ...]
        [N] for the legend.
    remark : str
        What was left out; empty where nothing was.
    """

    kind: str
    title: str
    nodes: tuple[PictureNode, ...]
    player_names: tuple[str, ...]
    columns: tuple[Player, ...] = ()
    cell_meaning: str = "known to {}, not to all"
    alike: tuple[Alike, ...] = ()
    regions: tuple[Region, ...] = ()
    remark: str = ""

    @cached_property
    def depth(self) -> tuple[int, ...]:
        """Number of steps before each node."""
        depths: list[int] = []
        for node in self.nodes:
            depths.append(depths[node.parent] + 1 if node.parent >= 0 else 0)
        return tuple(depths)

    @cached_property
    def lone_titles(self) -> dict[int, str]:
        """Titles of the regions of one node, by node; they stand beside it, others above."""
        return {nodes[0]: title for title, nodes in self.regions if len(nodes) == 1}
