"""Pictures drawn on one sheet, each under its title, with a legend of their elements."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from infoset.efg import TERMINAL
from infoset.plotting.figures import new_figure
from infoset.plotting.layout import (
    CELL_MARK,
    HEADER_HEIGHT,
    LANE_WIDTH,
    MARK_GAP,
    PAD,
    Lane,
    Layout,
    lay_out,
    marks_width,
    note_start,
    step_label,
)
from infoset.plotting.pen import (
    EDGES,
    FAINT_INK,
    IDLE_EDGES,
    INK,
    LABEL_SIZE,
    LINKS,
    QUIET_INK,
    SMALL_SIZE,
    TEXT_SIZE,
    TITLE_SIZE,
    Box,
    LineStyle,
    Pen,
    Point,
    dashes_of,
    mark_of,
    player_color,
    text_width,
)
from infoset.plotting.picture import OBSERVING, Picture, PictureInfoset, PictureNode, PictureStep
from infoset.typing import CHANCE, Player

if TYPE_CHECKING:
    from matplotlib.figure import Figure


MARGIN, MIN_WIDTH = 12.0, 360.0
TITLE_HEIGHT, REMARK_HEIGHT, PICTURE_GAP = 24.0, 18.0, 20.0
POINTS_PER_INCH = 72


def draw_sheet(pictures: Sequence[Picture]) -> Figure:
    """Draw pictures, one below the other.

    Raises
    ------
    MissingExtraError
        If pygraphviz is not installed.
    """
    layout = [lay_out(picture) for picture in pictures]
    width = max(MIN_WIDTH, *map(_width, layout))
    legend = break_rows(legend_entries(pictures), width)
    heights = [
        TITLE_HEIGHT + one.height + REMARK_HEIGHT * bool(one.picture.remark) + PICTURE_GAP
        for one in layout
    ]
    wide = width + 2 * MARGIN
    high = sum(heights) + LEGEND_ROW_HEIGHT * len(legend) + 2 * MARGIN
    figure = new_figure((wide / POINTS_PER_INCH, high / POINTS_PER_INCH))
    # The unit of the axes is a point, and y grows downwards.
    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, wide), ylim=(high, 0))
    axes.set_axis_off()
    pen = Pen(axes, MARGIN, MARGIN)
    for one, height in zip(layout, heights, strict=True):
        _draw_titled(pen, one)
        pen = pen.moved(0.0, height)
    for row, entries in enumerate(legend):
        for left, entry in entries:
            entry.draw(pen.moved(left, (row + 0.5) * LEGEND_ROW_HEIGHT))
    return figure


def _width(layout: Layout) -> float:
    picture = layout.picture
    title = text_width(picture.title, TITLE_SIZE, True)
    return max(title, text_width(picture.remark), layout.width)


def _draw_titled(pen: Pen, layout: Layout) -> None:
    picture = layout.picture
    pen.text(
        f"{picture.kind}-title", (0.0, TITLE_SIZE), picture.title, size=TITLE_SIZE, is_bold=True
    )
    _draw_layout(pen.moved(0.0, TITLE_HEIGHT), layout)
    if picture.remark:
        base = TITLE_HEIGHT + layout.height + REMARK_HEIGHT - TEXT_SIZE / 2
        pen.text(f"{picture.kind}-remark", (0.0, base), picture.remark, color=QUIET_INK)


PLAIN, THINNEST, THICKEST = 0.8, 0.4, 3.2
NEVER = (1.0, 1.6)
LINK_WIDTH, DOT, CELL_MARK_RADIUS = 1.0, 1.6, 2.6
CAP_HEIGHT = 0.73
"""Height of capitals as a fraction of the font size."""

STEP_LIFT, TITLE_LIFT, PAIR_DROP = 2.8, 3.0, 6.0


def _draw_layout(pen: Pen, layout: Layout) -> None:
    """Draw a picture; names begin with its kind: `history-3-edge`."""
    for number in range(len(layout.boxes)):
        _draw_region(pen, layout, number)
    for lane in layout.lanes:
        _draw_lane(pen, layout, lane)
    for pair in layout.pairs:
        _draw_pair(pen, layout, pair)
    for node in range(len(layout.picture.nodes)):
        if node:
            _draw_edge(pen, layout, node)
        _draw_node(pen, layout, node)


def draw_actor(pen: Pen, name: str, x: float, y: float, actor: Player) -> float:
    """Draw the mark of an actor with its left end at x; return its right end."""
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
    """Draw the small mark before a player's private information."""
    pen.mark(name, (x + CELL_MARK_RADIUS, y), mark_of(player), CELL_MARK_RADIUS)


def edge_style(step: PictureStep) -> LineStyle:
    """Return the style of an edge: its width grows with probability; probability 0 is dotted."""
    color = player_color(step.movers[0]) if len(step.movers) == 1 else QUIET_INK
    if step.probability is None:
        return LineStyle(color, PLAIN)
    if step.probability == 0:
        return LineStyle(FAINT_INK, PLAIN, NEVER)
    return LineStyle(color, THINNEST + (THICKEST - THINNEST) * step.probability)


def link_style(player: Player) -> LineStyle:
    """Return the style of the lines that join an infoset of a player."""
    return LineStyle(player_color(player), LINK_WIDTH, dashes_of(player))


def _draw_region(pen: Pen, layout: Layout, number: int) -> None:
    region, box = layout.picture.regions[number], layout.boxes[number]
    name = f"{layout.picture.kind}-region-{number}"
    node = region.nodes[0]
    if len(region.nodes) > 1:
        at = box.left + PAD, box.top + HEADER_HEIGHT - TITLE_LIFT
    else:
        at = (
            layout.left[node] + layout.level(node).title,
            base_line(layout.y[node], SMALL_SIZE),
        )
    pen.box(name, box)
    pen.text(f"{name}-title", at, region.title, size=SMALL_SIZE, color=QUIET_INK, is_bold=True)


def _draw_lane(pen: Pen, layout: Layout, lane: Lane) -> None:
    picture, first = layout.picture, lane.nodes[0]
    start = layout.level(first).lanes[picture.columns.index(lane.player)]
    x = layout.left[first] + start + (lane.track + 0.5) * LANE_WIDTH
    points = [(x, layout.y[node]) for node in lane.nodes]
    name = f"{picture.kind}-{first}-infoset-{lane.player}"
    pen.chain(name, points, link_style(lane.player), DOT)


def _draw_pair(pen: Pen, layout: Layout, pair: PictureInfoset) -> None:
    """Join two nodes of different depths by a curve below their marks."""
    (first_x, first_y), (last_x, last_y) = (_below_marks(layout, node) for node in pair.nodes)
    if last_y < first_y:
        first_y -= 2 * PAIR_DROP
    ends = [(first_x, first_y), (last_x, last_y)]
    name = f"{layout.picture.kind}-{pair.nodes[0]}-infoset-{pair.player}-{pair.nodes[1]}"
    pen.curve(name, [ends[0], *ends, ends[1]], link_style(pair.player), LINKS)


def _below_marks(layout: Layout, node: int) -> Point:
    middle = marks_width(layout.picture.nodes[node].actors) / 2
    return layout.marks_left(node) + middle, layout.y[node] + PAIR_DROP


def _draw_edge(pen: Pen, layout: Layout, node: int) -> None:
    picture = layout.picture
    here = picture.nodes[node]
    before, y = layout.y[here.parent], layout.y[node]
    points = [
        (layout.right[here.parent], before),
        (layout.left[here.parent] + layout.level(here.parent).width, before),
        (layout.left[node], y),
        (layout.marks_left(node), y),
    ]
    name = f"{picture.kind}-{node}"
    look = edge_style(here.step)
    pen.curve(f"{name}-edge", points, look, IDLE_EDGES if here.step.probability == 0 else EDGES)
    lift = STEP_LIFT + look.width / 2 - PLAIN / 2
    at = layout.left[node] + PAD, y - lift
    pen.text(f"{name}-step", at, step_label(picture, node))


def _draw_node(pen: Pen, layout: Layout, node: int) -> None:
    picture = layout.picture
    here, level = picture.nodes[node], layout.level(node)
    name, left, y = f"{picture.kind}-{node}", layout.left[node], layout.y[node]
    x = layout.marks_left(node)
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
    """Return the baseline of a text whose capitals are centered at y."""
    return y + size * CAP_HEIGHT / 2


LEGEND_ROW_HEIGHT, GAP_BETWEEN_ENTRIES, GAP_BEFORE_TEXT = 19.0, 16.0, 5.0
LINE_LENGTH = 24.0
REGION_SAMPLE = Box(0.0, -5.5, 16.0, 11.0)
OTHER_ACTORS = {CHANCE: "chance", TERMINAL: "terminal", OBSERVING: "does not act"}


@dataclass(frozen=True)
class Entry:
    """A sample and its meaning."""

    name: str
    text: str
    sample_width: float
    """In points."""
    draw_sample: Callable[[Pen, str], object]
    """Draws the sample with a pen and a name, centered at y = 0, starting at x = 0."""

    @property
    def width(self) -> float:
        """Width of sample and text, in points."""
        return self.sample_width + GAP_BEFORE_TEXT + text_width(self.text, SMALL_SIZE)

    def draw(self, pen: Pen) -> None:
        """Draw the entry centered at y = 0, starting at x = 0."""
        self.draw_sample(pen, f"legend-{self.name}")
        at = self.sample_width + GAP_BEFORE_TEXT, base_line(0.0, SMALL_SIZE)
        pen.text(f"legend-{self.name}-text", at, self.text, size=SMALL_SIZE)


def break_rows(entries: Sequence[Entry], width: float) -> list[list[tuple[float, Entry]]]:
    """Break entries into rows no wider than `width`; return each entry with its left end."""
    rows: list[list[tuple[float, Entry]]] = [[]]
    x = 0.0
    for entry in entries:
        if rows[-1] and x + entry.width > width:
            rows.append([])
            x = 0.0
        rows[-1].append((x, entry))
        x += entry.width + GAP_BETWEEN_ENTRIES
    return rows


def legend_entries(pictures: Sequence[Picture]) -> list[Entry]:
    """Return an entry for every kind of element in the pictures."""
    return list(_entries(pictures))


def _entries(pictures: Sequence[Picture]) -> Iterator[Entry]:
    names = pictures[0].player_names
    nodes = [node for picture in pictures for node in picture.nodes]
    actors = {actor for node in nodes for actor in node.actors}
    # Players first; chance, terminals and observers have negative numbers.
    for actor in sorted(actors, key=lambda actor: (actor < 0, abs(actor))):
        text = OTHER_ACTORS.get(actor) or f"{names[actor]} acts"
        sample = partial(draw_actor, x=0.0, y=0.0, actor=actor)
        yield Entry(f"actor-{actor}", text, 2 * mark_of(actor).radius, sample)
    for player in sorted({player for picture in pictures for player in picture.columns}):
        text = pictures[-1].cell_meaning.format(names[player])
        mark = partial(draw_cell_mark, x=0.0, y=0.0, player=player)
        yield Entry(f"knower-{player}", text, 2 * CELL_MARK_RADIUS, mark)
    ends = [(DOT, 0.0), (LINE_LENGTH - DOT, 0.0)]
    for player in sorted({infoset.player for picture in pictures for infoset in picture.infosets}):
        text = f"indistinguishable to {names[player]}"
        chain = partial(Pen.chain, points=ends, look=link_style(player), dot=DOT)
        yield Entry(f"infoset-{player}", text, LINE_LENGTH, chain)
    if any(picture.regions for picture in pictures):
        box = partial(Pen.box, box=REGION_SAMPLE)
        yield Entry("region", "public state", REGION_SAMPLE.width, box)
    if any(_has_own_action(node) for node in nodes):
        yield _word_entry("own-action", "!a", "own action a")
    if any("×" in node.note for node in nodes):
        yield _word_entry("size", "×2", "number of histories, if more than one")
    if any(node.step.probability is not None for node in nodes):
        yield Entry("probability", "probability 1, 1/2, 0", 3 * LINE_LENGTH, _draw_probabilities)


def _has_own_action(node: PictureNode) -> bool:
    """Return whether a text of a node marks an own action, as `step_text` does."""
    words = " ".join((node.step.text, *node.cells)).split()
    return any(word.startswith("!") and len(word) > 1 for word in words)


def _word_entry(name: str, word: str, text: str) -> Entry:
    at = 0.0, base_line(0.0, SMALL_SIZE)
    sample = partial(Pen.text, at=at, text=word, size=SMALL_SIZE)
    return Entry(name, text, text_width(word, SMALL_SIZE), sample)


def _draw_probabilities(pen: Pen, name: str) -> None:
    for position, probability in enumerate((1.0, 0.5, 0.0)):
        left, right = position * LINE_LENGTH, (position + 0.8) * LINE_LENGTH
        points = [(left, 0.0), (left, 0.0), (right, 0.0), (right, 0.0)]
        pen.curve(
            f"{name}-{probability:g}",
            points,
            edge_style(PictureStep(probability=probability)),
            EDGES,
        )
