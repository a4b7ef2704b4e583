"""Drawing an arranged picture: regions, infosets, edges and nodes."""

from __future__ import annotations

from infoset.plotting.arrangement import HEADER_HEIGHT, Arrangement
from infoset.plotting.measures import (
    CELL_MARK,
    LANE_WIDTH,
    MARK_GAP,
    PAD,
    Lane,
    marks_width,
    note_start,
    step_label,
)
from infoset.plotting.pen import EDGES, IDLE_EDGES, LINKS, LineLook, Pen, Point
from infoset.plotting.picture import Alike, PictureStep
from infoset.plotting.style import (
    FAINT_INK,
    INK,
    LABEL_SIZE,
    QUIET_INK,
    SMALL_SIZE,
    TEXT_SIZE,
    dashes_of,
    mark_of,
    player_color,
)
from infoset.typing import Player

__all__ = [
    "base_line",
    "draw_actor",
    "draw_arrangement",
    "draw_cell_mark",
    "edge_look",
    "link_look",
]

PLAIN, THINNEST, THICKEST = 0.8, 0.4, 3.2
NEVER = (1.0, 1.6)
LINK_WIDTH, DOT, CELL_MARK_RADIUS = 1.0, 1.6, 2.6
CAP_HEIGHT = 0.73
"""Of the font, as a share of its size."""

STEP_LIFT, TITLE_LIFT, PAIR_DROP = 2.8, 3.0, 6.0


def draw_arrangement(pen: Pen, arranged: Arrangement) -> None:
    """Draw a picture; names begin with its kind: `history-3-edge`."""
    for number in range(len(arranged.boxes)):
        _draw_region(pen, arranged, number)
    for lane in arranged.lanes:
        _draw_lane(pen, arranged, lane)
    for pair in arranged.pairs:
        _draw_pair(pen, arranged, pair)
    for node in range(len(arranged.picture.nodes)):
        if node:
            _draw_edge(pen, arranged, node)
        _draw_node(pen, arranged, node)


def draw_actor(pen: Pen, name: str, x: float, y: float, actor: Player) -> float:
    """Draw the mark of an actor from x on; return where it ends."""
    mark = mark_of(actor)
    middle = x + mark.radius
    pen.mark(name, (middle, y), mark, mark.radius)
    if mark.label:
        base = y + mark.drop + LABEL_SIZE * CAP_HEIGHT / 2
        pen.text(
            f"{name}-label",
            (middle, base),
            mark.label,
            size=LABEL_SIZE,
            color="white",
            is_bold=True,
            align="center",
        )
    return middle + mark.radius


def draw_cell_mark(pen: Pen, name: str, x: float, y: float, player: Player) -> None:
    """Draw the small mark before what a player knows."""
    pen.mark(name, (x + CELL_MARK_RADIUS, y), mark_of(player), CELL_MARK_RADIUS)


def edge_look(step: PictureStep) -> LineLook:
    """Return how the edge of a step looks: the more probable, the wider; dotted if it never is."""
    color = player_color(step.movers[0]) if len(step.movers) == 1 else QUIET_INK
    if step.share is None:
        return LineLook(color, PLAIN)
    if step.share == 0:
        return LineLook(FAINT_INK, PLAIN, NEVER)
    return LineLook(color, THINNEST + (THICKEST - THINNEST) * step.share)


def link_look(player: Player) -> LineLook:
    """Return how the lines look that join what looks alike to a player."""
    return LineLook(player_color(player), LINK_WIDTH, dashes_of(player))


def _draw_region(pen: Pen, arranged: Arrangement, number: int) -> None:
    region, box = arranged.picture.regions[number], arranged.boxes[number]
    name = f"{arranged.picture.kind}-region-{number}"
    node = region.nodes[0]
    if len(region.nodes) > 1:
        at = box.left + PAD, box.top + HEADER_HEIGHT - TITLE_LIFT
    else:
        at = (
            arranged.left[node] + arranged.level(node).title,
            base_line(arranged.y[node], SMALL_SIZE),
        )
    pen.box(name, box)
    pen.text(f"{name}-title", at, region.title, size=SMALL_SIZE, color=QUIET_INK, is_bold=True)


def _draw_lane(pen: Pen, arranged: Arrangement, lane: Lane) -> None:
    picture, first = arranged.picture, lane.nodes[0]
    start = arranged.level(first).lanes[picture.columns.index(lane.player)]
    x = arranged.left[first] + start + (lane.track + 0.5) * LANE_WIDTH
    points = [(x, arranged.y[node]) for node in lane.nodes]
    name = f"{picture.kind}-{first}-infoset-{lane.player}"
    pen.chain(name, points, link_look(lane.player), DOT)


def _draw_pair(pen: Pen, arranged: Arrangement, pair: Alike) -> None:
    """Join two nodes of different depths, below the texts beside their marks."""
    (first_x, first_y), (last_x, last_y) = (_below_marks(arranged, node) for node in pair.nodes)
    if last_y < first_y:
        first_y -= 2 * PAIR_DROP
    ends = [(first_x, first_y), (last_x, last_y)]
    name = f"{arranged.picture.kind}-{pair.nodes[0]}-infoset-{pair.player}-{pair.nodes[1]}"
    pen.curve(name, [ends[0], *ends, ends[1]], link_look(pair.player), LINKS)


def _below_marks(arranged: Arrangement, node: int) -> Point:
    middle = marks_width(arranged.picture.nodes[node].actors) / 2
    return arranged.marks_left(node) + middle, arranged.y[node] + PAIR_DROP


def _draw_edge(pen: Pen, arranged: Arrangement, node: int) -> None:
    picture = arranged.picture
    here = picture.nodes[node]
    before, y = arranged.y[here.parent], arranged.y[node]
    points = [
        (arranged.right[here.parent], before),
        (arranged.left[here.parent] + arranged.level(here.parent).width, before),
        (arranged.left[node], y),
        (arranged.marks_left(node), y),
    ]
    name = f"{picture.kind}-{node}"
    look = edge_look(here.step)
    pen.curve(f"{name}-edge", points, look, IDLE_EDGES if here.step.share == 0 else EDGES)
    lift = STEP_LIFT + look.width / 2 - PLAIN / 2
    at = arranged.left[node] + PAD, y - lift
    pen.text(f"{name}-step", at, step_label(picture, node))


def _draw_node(pen: Pen, arranged: Arrangement, node: int) -> None:
    picture = arranged.picture
    here, level = picture.nodes[node], arranged.level(node)
    name, left, y = f"{picture.kind}-{node}", arranged.left[node], arranged.y[node]
    x = arranged.marks_left(node)
    for actor in here.actors:
        x = draw_actor(pen, f"{name}-actor-{actor}", x, y, actor) + MARK_GAP
    for player, start, text in zip(picture.columns, level.cells, here.cells, strict=True):
        if text:
            at = left + start + CELL_MARK, base_line(y, TEXT_SIZE)
            draw_cell_mark(pen, f"{name}-knower-{player}", left + start, y, player)
            pen.text(f"{name}-cell-{player}", at, text, color=player_color(player))
    if here.note:
        at = left + note_start(picture, level, node), base_line(y, SMALL_SIZE)
        pen.text(f"{name}-note", at, here.note, size=SMALL_SIZE, color=INK)


def base_line(y: float, size: float) -> float:
    """Return the base line of a text whose capitals have their middle at y."""
    return y + size * CAP_HEIGHT / 2
