"""Content of a picture of a game, as plain data: the same types serve every view."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

from infoset.typing import Player

OBSERVING: Final = -3
"""Actor of an infostate at which its player observes but does not act."""


@dataclass(frozen=True)
class PictureStep:
    """The action, chance outcome or observation that leads to a node."""

    text: str = ""
    """Label of the action, chance outcome or observation."""
    movers: tuple[Player, ...] = ()
    """Players who moved, or `CHANCE`; empty for an observation."""
    probability_text: str = ""
    """Probability as text; empty if it is not shown."""
    probability: float | None = None
    """Probability under the policy that is drawn; None without a policy, or where it is undefined.
    """


@dataclass(frozen=True)
class PictureNode:
    """A history, an infostate or a public state."""

    parent: int
    """Parent node; -1 at the root."""
    actors: tuple[Player, ...]
    """The acting players, or `CHANCE`, `TERMINAL` or `OBSERVING`."""
    step: PictureStep = PictureStep()
    """The step that leads here."""
    cells: tuple[str, ...] = ()
    """One text for each column of the picture, such as the private information of each player."""
    note: str = ""
    """Text at the right: utilities, sizes, or a sign that the tree continues."""
    rank: int = 0
    """Position among its siblings; ties keep the order of nodes."""


class PictureInfoset(NamedTuple):
    """Nodes that a player cannot distinguish: one of its infosets."""

    player: Player
    nodes: tuple[int, ...]
    """Two or more."""


class Region(NamedTuple):
    """Nodes of one depth in the same public state."""

    title: str
    """The last public observation."""
    nodes: tuple[int, ...]


@dataclass(frozen=True)
class Picture:
    """A tree to draw: its nodes, the infosets of each player, and the public states as regions."""

    kind: str
    """Kind of node: `history`, `infostate` or `public`."""
    title: str
    nodes: tuple[PictureNode, ...]
    """Parents before children; the root is first."""
    player_names: tuple[str, ...]
    """[N] names for the legend."""
    columns: tuple[Player, ...] = ()
    """The player that each cell of a node describes."""
    cell_meaning: str = "private information of {}"
    """Meaning of the cells, for the legend; `{}` stands for the player's name."""
    infosets: tuple[PictureInfoset, ...] = ()
    regions: tuple[Region, ...] = ()
    """Either empty, or a partition of the nodes."""
    remark: str = ""
    """Remark on how much of the tree is omitted; empty if nothing is."""

    @cached_property
    def depth(self) -> tuple[int, ...]:
        """Number of steps from the root to each node."""
        depths: list[int] = []
        for node in self.nodes:
            depths.append(depths[node.parent] + 1 if node.parent >= 0 else 0)
        return tuple(depths)

    @cached_property
    def lone_titles(self) -> dict[int, str]:
        """Titles of single-node regions, by node; they are written next to the node."""
        return {nodes[0]: title for title, nodes in self.regions if len(nodes) == 1}
