"""How much room the parts of a picture need."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from infoset.plotting.picture import Alike, Picture
from infoset.plotting.style import SMALL_SIZE, mark_of, text_width
from infoset.typing import Player

__all__ = [
    "CELL_MARK",
    "LANE_WIDTH",
    "MARK_GAP",
    "PAD",
    "Lane",
    "Level",
    "join_alike",
    "marks_width",
    "measure_level",
    "note_start",
    "right_end",
    "step_label",
]

PAD = 4.0
GAP = 8.0
MARK_GAP, CELL_MARK = 2.0, 7.0
LANE_WIDTH, GAP_AFTER_LANES = 5.0, 2.0


class Lane(NamedTuple):
    """A line that joins nodes of one depth that look alike to a player.

    Attributes
    ----------
    player : Player
    nodes : tuple[int, ...]
        From the top.
    track : int
        Which of the lanes of the player's column, from the left.
    """

    player: Player
    nodes: tuple[int, ...]
    track: int


class Level(NamedTuple):
    """How the nodes of one depth are divided, as distances from their left end, in points.

    A node is a line that the step is written on, the marks of the actors, a column of lanes and
    a text per player, a note, and the title of its region if it is alone there.

    Attributes
    ----------
    marks : float
        Where the line ends and the marks begin.
    lanes, cells : tuple[float, ...]
        Where the lanes and the text of each column begin.
    note, lone_note : float
        Where the note begins, and where it does at nodes without texts in the columns.
    title, width : float
        Where the title begins, and where it all ends.
    """

    marks: float
    lanes: tuple[float, ...]
    cells: tuple[float, ...]
    note: float
    lone_note: float
    title: float = 0.0
    width: float = 0.0


def step_label(picture: Picture, node: int) -> str:
    """Return what is written on the line to a node."""
    step = picture.nodes[node].step
    return "  ".join(filter(None, [step.text, step.odds]))


def marks_width(actors: Sequence[Player]) -> float:
    """Return how wide the marks of a node are."""
    return sum(2 * mark_of(actor).radius for actor in actors) + MARK_GAP * (len(actors) - 1)


def note_start(picture: Picture, level: Level, node: int) -> float:
    """Return where the note of a node begins, as a distance from its left end."""
    return level.note if any(picture.nodes[node].cells) else level.lone_note


def right_end(picture: Picture, level: Level, node: int) -> float:
    """Return where the last that is drawn of a node ends, as a distance from its left end."""
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
    """Divide the nodes of one depth so that everything has room."""
    level = _measure_columns(picture, nodes, lanes)
    title = max(_content_end(picture, level, node) for node in nodes) + GAP
    level = level._replace(title=title)
    inside = set(nodes)
    above = [region.title for region in picture.regions if region.nodes[0] in inside]
    ends = [right_end(picture, level, node) for node in nodes]
    ends += [level.marks + text_width(text, SMALL_SIZE, True) for text in above]
    return level._replace(width=max(ends) + 2 * PAD)


def _measure_columns(picture: Picture, nodes: Sequence[int], lanes: Sequence[Lane]) -> Level:
    """Divide the nodes of one depth up to their notes."""
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


def join_alike(
    picture: Picture, order: Sequence[int]
) -> tuple[tuple[Lane, ...], tuple[Alike, ...]]:
    """Return the lanes that join nodes of one depth, and pairs of nodes of different depths.

    Lanes that overlap are on different tracks. `order` lists the nodes of each depth from the
    top.
    """
    row = {node: position for position, node in enumerate(order)}
    parts = [tuple(_split_by_depth(picture, alike, row)) for alike in picture.alike]
    pairs = [
        Alike(before.player, (before.nodes[-1], after.nodes[0]))
        for pieces in parts
        for before, after in pairwise(pieces)
    ]
    spans = [piece for pieces in parts for piece in pieces if len(piece.nodes) > 1]
    spans.sort(key=lambda span: row[span.nodes[0]])
    ends: dict[tuple[int, Player], list[int]] = {}
    lanes = []
    for span in spans:
        taken = ends.setdefault((picture.depth[span.nodes[0]], span.player), [])
        first, last = row[span.nodes[0]], row[span.nodes[-1]]
        track = next((track for track, end in enumerate(taken) if end < first), len(taken))
        taken[track : track + 1] = [last]
        lanes.append(Lane(span.player, span.nodes, track))
    return tuple(lanes), tuple(pairs)


def _split_by_depth(picture: Picture, alike: Alike, row: dict[int, int]) -> Iterator[Alike]:
    for depth in sorted({picture.depth[node] for node in alike.nodes}):
        nodes = [node for node in alike.nodes if picture.depth[node] == depth]
        yield Alike(alike.player, tuple(sorted(nodes, key=row.__getitem__)))
