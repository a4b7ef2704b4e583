"""Layout of a picture: Graphviz places the nodes of the tree, from left to right."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, NamedTuple

from infoset.plotting.pen import SMALL_SIZE, Box, mark_of, text_width
from infoset.plotting.picture import Picture, PictureInfoset, Region
from infoset.typing import Player
from infoset.utils.extras import import_extra

if TYPE_CHECKING:
    from pygraphviz import AGraph


PAD = 4.0
GAP = 8.0
MARK_GAP, CELL_MARK = 2.0, 7.0
LANE_WIDTH, GAP_AFTER_LANES = 5.0, 2.0


class Lane(NamedTuple):
    """A line that joins the nodes of one depth in an infoset."""

    player: Player
    nodes: tuple[int, ...]
    """From the top."""
    track: int
    """Position among the lanes of the player's column, from the left."""


class Level(NamedTuple):
    """Horizontal offsets of the parts of all nodes of one depth, in points from their left ends.

    A node consists of a line with the label of its step, the marks of its actors, lanes and a text
    for each player, a note, and the title of its region if the region has no other node.
    """

    marks: float
    """End of the line and start of the marks."""
    lanes: tuple[float, ...]
    cells: tuple[float, ...]
    """Start of the lanes and of the text of each column."""
    note: float
    lone_note: float
    """Start of the note, at nodes with and without texts in the columns."""
    title: float = 0.0
    width: float = 0.0
    """Start of the title, and end of the node."""


def step_label(picture: Picture, node: int) -> str:
    """Return the label of the line to a node."""
    step = picture.nodes[node].step
    return "  ".join(filter(None, [step.text, step.probability_text]))


def marks_width(actors: Sequence[Player]) -> float:
    """Return the width of the marks of a node."""
    return sum(2 * mark_of(actor).radius for actor in actors) + MARK_GAP * (len(actors) - 1)


def note_start(picture: Picture, level: Level, node: int) -> float:
    """Return the start of the note of a node, as an offset from its left end."""
    return level.note if any(picture.nodes[node].cells) else level.lone_note


def right_end(picture: Picture, level: Level, node: int) -> float:
    """Return the right end of a node, as an offset from its left end."""
    title = picture.lone_titles.get(node)
    if title is not None:
        return level.title + text_width(title, SMALL_SIZE, True)
    return _content_end(picture, level, node)


def _content_end(picture: Picture, level: Level, node: int) -> float:
    here = picture.nodes[node]
    ends = [level.marks + marks_width(here.actors)]
    for start, text in zip(level.cells, here.cells, strict=True):
        if text:
            ends.append(start + CELL_MARK + text_width(text))
    if here.note:
        ends.append(note_start(picture, level, node) + text_width(here.note, SMALL_SIZE))
    return max(ends)


def measure_level(picture: Picture, nodes: Sequence[int], lanes: Sequence[Lane]) -> Level:
    """Return offsets at which the parts of all nodes of one depth fit."""
    level = _measure_columns(picture, nodes, lanes)
    title = max(_content_end(picture, level, node) for node in nodes) + GAP
    level = level._replace(title=title)
    inside = set(nodes)
    above = [region.title for region in picture.regions if region.nodes[0] in inside]
    ends = [right_end(picture, level, node) for node in nodes]
    ends += [level.marks + text_width(text, SMALL_SIZE, True) for text in above]
    return level._replace(width=max(ends) + 2 * PAD)


def _measure_columns(picture: Picture, nodes: Sequence[int], lanes: Sequence[Lane]) -> Level:
    """Return the offsets of all parts up to the notes."""
    step = max(text_width(step_label(picture, node)) for node in nodes)
    marks = step + (3 if picture.regions else 2) * PAD if step else 0.0
    x = marks + max(marks_width(picture.nodes[node].actors) for node in nodes)
    lone_note = x + GAP
    starts, texts = [], []
    for column, player in enumerate(picture.columns):
        tracks = max((1 + lane.track for lane in lanes if lane.player == player), default=0)
        cells = [text for node in nodes if (text := picture.nodes[node].cells[column])]
        starts.append(x + GAP)
        texts.append(starts[-1] + tracks * LANE_WIDTH + (GAP_AFTER_LANES if tracks else 0.0))
        if tracks:
            lone_note = texts[-1] + GAP
        if tracks or cells:
            x = texts[-1] + max((CELL_MARK + text_width(text) for text in cells), default=0.0)
    return Level(marks, tuple(starts), tuple(texts), note=x + GAP, lone_note=lone_note)


def join_infosets(
    picture: Picture, order: Sequence[int]
) -> tuple[tuple[Lane, ...], tuple[PictureInfoset, ...]]:
    """Return the lanes, which join nodes of the same depth, and the pairs to join across depths.

    Overlapping lanes get different tracks. `order` lists the nodes of each depth from the
    top.
    """
    row = {node: position for position, node in enumerate(order)}
    parts = [tuple(_split_by_depth(picture, infoset, row)) for infoset in picture.infosets]
    pairs = [
        PictureInfoset(before.player, (before.nodes[-1], after.nodes[0]))
        for pieces in parts
        for before, after in pairwise(pieces)
    ]
    spans = [piece for pieces in parts for piece in pieces if len(piece.nodes) > 1]
    # From the top, each lane takes the first track whose last lane has ended: interval coloring.
    spans.sort(key=lambda span: row[span.nodes[0]])
    ends: dict[tuple[int, Player], list[int]] = {}
    lanes = []
    for span in spans:
        taken = ends.setdefault((picture.depth[span.nodes[0]], span.player), [])
        first, last = row[span.nodes[0]], row[span.nodes[-1]]
        track = next((track for track, end in enumerate(taken) if end < first), len(taken))
        taken[track : track + 1] = [last]  # replaces the end of the track, or adds a track
        lanes.append(Lane(span.player, span.nodes, track))
    return tuple(lanes), tuple(pairs)


def _split_by_depth(
    picture: Picture, infoset: PictureInfoset, row: dict[int, int]
) -> Iterator[PictureInfoset]:
    for depth in sorted({picture.depth[node] for node in infoset.nodes}):
        nodes = [node for node in infoset.nodes if picture.depth[node] == depth]
        yield PictureInfoset(infoset.player, tuple(sorted(nodes, key=row.__getitem__)))


ROW_HEIGHT, HEADER_HEIGHT = 18.0, 13.0
GAP_BETWEEN_REGIONS, GAP_BETWEEN_NODES = 6.0, 1.0
AFTER_TEXT = 3.0
MIN_CURVE_WIDTH, MAX_CURVE_WIDTH, CURVE_WIDTH_PER_HEIGHT = 30.0, 110.0, 0.12
POINTS_PER_INCH = 72.0


@dataclass(frozen=True)
class Layout:
    """A picture with the positions of its parts, in points; y grows downwards."""

    picture: Picture
    levels: tuple[Level, ...]
    """By depth."""
    left: tuple[float, ...]
    right: tuple[float, ...]
    y: tuple[float, ...]
    """[nodes] left end of each node, start of the edges to its children, and vertical position."""
    boxes: tuple[Box, ...]
    """By region."""
    lanes: tuple[Lane, ...]
    pairs: tuple[PictureInfoset, ...]
    """Pairs of nodes of one infoset at different depths."""
    width: float
    height: float

    def level(self, node: int) -> Level:
        """Return the offsets of the parts of a node."""
        return self.levels[self.picture.depth[node]]

    def marks_left(self, node: int) -> float:
        """Return the x coordinate at which the marks of a node start."""
        return self.left[node] + self.level(node).marks


class _Block(NamedTuple):
    """A box that Graphviz places: a region, or a node of a picture without regions."""

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


def lay_out(picture: Picture) -> Layout:
    """Lay out a picture.

    Raises
    ------
    MissingExtraError
        If pygraphviz is not installed.
    """
    blocks = _blocks(picture)
    order = [node for block in blocks for node in block.nodes]
    lanes, pairs = join_infosets(picture, order)
    levels = _measure_levels(picture, order, lanes)
    places, width, height = _place_blocks(picture, blocks, levels)
    left, right, y = [0.0] * len(order), [0.0] * len(order), [0.0] * len(order)
    boxes: dict[tuple[int, ...], Box] = {}
    for block, place in zip(blocks, places, strict=True):
        level = levels[block.depth]
        top = place.top + block.header + block.pad
        for row, node in enumerate(block.nodes):
            left[node], y[node] = place.left, top + (row + 0.5) * ROW_HEIGHT
            right[node] = place.left + right_end(picture, level, node) + AFTER_TEXT
        boxes[block.nodes] = _shaded(picture, block, place, level)
    return Layout(
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
    """Return the blocks by depth, and from top to bottom within a depth."""
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
        # Blocks follow the order of their parents, so that edges do not cross.
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


def _place_blocks(
    picture: Picture, blocks: Sequence[_Block], levels: Sequence[Level]
) -> tuple[list[Box], float, float]:
    """Place the blocks with Graphviz; return them with the total width and height."""
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
    # Graphviz gives centers, with y upwards; boxes have their top left corner, with y downwards.
    _, _, right, top = map(float, graph.graph_attr["bb"].split(","))
    boxes = []
    for number, block in enumerate(blocks):
        x, y = map(float, graph.get_node(number).attr["pos"].split(","))
        left = x - widths[number] / 2
        boxes.append(Box(left, top - y - block.height / 2, widths[number], block.height))
    return boxes, right, top


def _empty_graph(picture: Picture, blocks: Sequence[_Block]) -> AGraph:
    pygraphviz = import_extra("draw", "drawing a game")
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
    """Return the gap between depths: wider for taller pictures, whose edges are steeper."""
    heights: dict[int, float] = {}
    for block in blocks:
        heights[block.depth] = heights.get(block.depth, 0.0) + block.height
    return min(
        max(MIN_CURVE_WIDTH, CURVE_WIDTH_PER_HEIGHT * max(heights.values())), MAX_CURVE_WIDTH
    )


def _shaded(picture: Picture, block: _Block, place: Box, level: Level) -> Box:
    """Return the shaded box of a region: its block without the parts left and right of it."""
    start = level.marks - PAD
    ends = [right_end(picture, level, node) for node in block.nodes]
    end = max(*ends, level.marks + text_width(block.title, SMALL_SIZE, True))
    return Box(place.left + start, place.top, end + PAD - start, place.height)
