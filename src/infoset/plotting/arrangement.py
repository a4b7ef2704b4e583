"""Where everything of a picture stands: Graphviz lays out the tree, from left to right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from infoset.errors import MissingExtraError
from infoset.plotting.measures import PAD, Lane, Level, join_alike, measure_level, right_end
from infoset.plotting.pen import Box
from infoset.plotting.picture import Alike, Picture, Region
from infoset.plotting.style import SMALL_SIZE, text_width

if TYPE_CHECKING:
    from pygraphviz import AGraph

__all__ = ["HEADER_HEIGHT", "Arrangement", "arrange"]

ROW_HEIGHT, HEADER_HEIGHT = 18.0, 13.0
GAP_BETWEEN_REGIONS, GAP_BETWEEN_NODES = 6.0, 1.0
AFTER_TEXT = 3.0
SHORTEST_CURVE, LONGEST_CURVE, CURVE_SHARE = 30.0, 110.0, 0.12
POINTS_PER_INCH = 72.0


@dataclass(frozen=True)
class Arrangement:
    """A picture with its places, in points; y grows downwards.

    Attributes
    ----------
    picture : Picture
    levels : tuple[Level, ...]
        By depth.
    left, right, y : tuple[float, ...]
        [nodes] where each node begins, where the edges to its children do, and its height.
    boxes : tuple[Box, ...]
        By region.
    lanes : tuple[Lane, ...]
    pairs : tuple[Alike, ...]
        Pairs of nodes of different depths that look alike.
    width, height : float
    """

    picture: Picture
    levels: tuple[Level, ...]
    left: tuple[float, ...]
    right: tuple[float, ...]
    y: tuple[float, ...]
    boxes: tuple[Box, ...]
    lanes: tuple[Lane, ...]
    pairs: tuple[Alike, ...]
    width: float
    height: float

    def level(self, node: int) -> Level:
        """Return how a node is divided."""
        return self.levels[self.picture.depth[node]]

    def marks_left(self, node: int) -> float:
        """Return where the marks of a node begin."""
        return self.left[node] + self.level(node).marks


class _Block(NamedTuple):
    """What Graphviz lays out as one: a region, or a node of a picture without regions."""

    nodes: tuple[int, ...]
    title: str
    depth: int
    parent: int
    rank: int
    header: float
    pad: float

    @property
    def height(self) -> float:
        return self.header + len(self.nodes) * ROW_HEIGHT + 2 * self.pad


def arrange(picture: Picture) -> Arrangement:
    """Lay out a picture.

    Raises
    ------
    MissingExtraError
        If pygraphviz is not installed.
    """
    blocks = _blocks(picture)
    order = [node for block in blocks for node in block.nodes]
    lanes, pairs = join_alike(picture, order)
    levels = _measure_levels(picture, order, lanes)
    places, width, height = _lay_out(picture, blocks, levels)
    left, right, y = [0.0] * len(order), [0.0] * len(order), [0.0] * len(order)
    boxes: dict[tuple[int, ...], Box] = {}
    for block, place in zip(blocks, places, strict=True):
        level = levels[block.depth]
        top = place.top + block.header + block.pad
        for row, node in enumerate(block.nodes):
            left[node], y[node] = place.left, top + (row + 0.5) * ROW_HEIGHT
            right[node] = place.left + right_end(picture, level, node) + AFTER_TEXT
        boxes[block.nodes] = _shaded(picture, block, place, level)
    return Arrangement(
        picture=picture,
        levels=levels,
        left=tuple(left),
        right=tuple(right),
        y=tuple(y),
        boxes=tuple(boxes[region.nodes] for region in picture.regions),
        lanes=lanes,
        pairs=pairs,
        width=width,
        height=height,
    )


def _blocks(picture: Picture) -> list[_Block]:
    """Return the blocks, depth by depth, each depth from the top."""
    singles = [Region("", (node,)) for node in range(len(picture.nodes))]
    blocks = [
        _Block(
            nodes=nodes,
            title=title,
            depth=picture.depth[nodes[0]],
            parent=picture.nodes[nodes[0]].parent,
            rank=min(picture.nodes[node].rank for node in nodes),
            header=HEADER_HEIGHT if len(nodes) > 1 else 0.0,
            pad=PAD if picture.regions else 0.0,
        )
        for title, nodes in picture.regions or singles
    ]
    ordered: list[_Block] = []
    place = {-1: 0}
    for _, level in groupby(sorted(blocks, key=lambda block: block.depth), lambda b: b.depth):
        ordered += sorted(level, key=lambda block: (place[block.parent], block.rank))
        place.update((node, at) for at, block in enumerate(ordered) for node in block.nodes)
    return ordered


def _measure_levels(
    picture: Picture, order: Sequence[int], lanes: Sequence[Lane]
) -> tuple[Level, ...]:
    nodes: list[list[int]] = [[] for _ in range(max(picture.depth) + 1)]
    for node in order:
        nodes[picture.depth[node]].append(node)
    lanes_by_depth: list[list[Lane]] = [[] for _ in nodes]
    for lane in lanes:
        lanes_by_depth[picture.depth[lane.nodes[0]]].append(lane)
    return tuple(
        measure_level(picture, *level) for level in zip(nodes, lanes_by_depth, strict=True)
    )


def _lay_out(
    picture: Picture, blocks: Sequence[_Block], levels: Sequence[Level]
) -> tuple[list[Box], float, float]:
    """Ask Graphviz where the blocks go; return them, and the width and height of it all."""
    graph = _empty_graph(picture, blocks)
    block_of = {node: number for number, block in enumerate(blocks) for node in block.nodes}
    widths = [levels[block.depth].width for block in blocks]
    for number, block in enumerate(blocks):
        graph.add_node(
            number,
            width=widths[number] / POINTS_PER_INCH,
            height=block.height / POINTS_PER_INCH,
        )
    for number, block in enumerate(blocks):
        parents = (picture.nodes[node].parent for node in block.nodes)
        graph.add_edges_from((block_of[parent], number) for parent in parents if parent >= 0)
    graph.layout(prog="dot")
    _, _, right, top = map(float, graph.graph_attr["bb"].split(","))
    boxes = []
    for number, block in enumerate(blocks):
        x, y = map(float, graph.get_node(number).attr["pos"].split(","))
        left = x - widths[number] / 2
        boxes.append(Box(left, top - y - block.height / 2, widths[number], block.height))
    return boxes, right, top


def _empty_graph(picture: Picture, blocks: Sequence[_Block]) -> AGraph:
    try:
        import pygraphviz
    except ImportError as error:
        raise MissingExtraError("draw", "drawing a game") from error

    gap = GAP_BETWEEN_REGIONS if picture.regions else GAP_BETWEEN_NODES
    graph = pygraphviz.AGraph(
        directed=True,
        rankdir="LR",
        ordering="out",
        nodesep=gap / POINTS_PER_INCH,
        ranksep=_curve_width(blocks) / POINTS_PER_INCH,
    )
    graph.node_attr.update(shape="box", fixedsize="true", label="")
    return graph


def _curve_width(blocks: Sequence[_Block]) -> float:
    """Return how much room to leave between depths: more where edges climb higher."""
    heights: dict[int, float] = {}
    for block in blocks:
        heights[block.depth] = heights.get(block.depth, 0.0) + block.height
    return min(max(SHORTEST_CURVE, CURVE_SHARE * max(heights.values())), LONGEST_CURVE)


def _shaded(picture: Picture, block: _Block, place: Box, level: Level) -> Box:
    """Return what to shade of a region: its place, but for what is left and right of it."""
    start = level.marks - PAD
    ends = [right_end(picture, level, node) for node in block.nodes]
    end = max(*ends, level.marks + text_width(block.title, SMALL_SIZE, True))
    return Box(place.left + start, place.top, end + PAD - start, place.height)
