"""The legend: a sample of everything that occurs in some pictures, and what it means."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from infoset.plotting.drawing import (
    CELL_MARK_RADIUS,
    DOT,
    base_line,
    draw_actor,
    draw_cell_mark,
    edge_look,
    link_look,
)
from infoset.plotting.pen import EDGES, Box, Pen
from infoset.plotting.picture import TERMINAL, WATCHING, Picture, PictureStep
from infoset.plotting.style import SMALL_SIZE, mark_of, text_width
from infoset.typing import CHANCE, Player

__all__ = ["ROW_HEIGHT", "Entry", "break_rows", "legend_entries"]

ROW_HEIGHT, GAP_BETWEEN_ENTRIES, GAP_BEFORE_TEXT = 19.0, 16.0, 5.0
LINE_LENGTH = 24.0
REGION_SAMPLE = Box(0.0, -5.5, 16.0, 11.0)
OTHER_ACTORS = {CHANCE: "nature", TERMINAL: "the end", WATCHING: "does not act"}


@dataclass(frozen=True)
class Entry:
    """A sample and what it means.

    Attributes
    ----------
    name : str
    text : str
    sample_width : float
        In points.
    draw_sample : callable
        Draws the sample around y = 0, from x = 0 on; is given a pen and a name.
    """

    name: str
    text: str
    sample_width: float
    draw_sample: Callable[[Pen, str], object]

    @property
    def width(self) -> float:
        """Width of sample and text, in points."""
        return self.sample_width + GAP_BEFORE_TEXT + text_width(self.text, SMALL_SIZE)

    def draw(self, pen: Pen) -> None:
        """Draw the entry around y = 0, from x = 0 on."""
        self.draw_sample(pen, f"legend-{self.name}")
        at = self.sample_width + GAP_BEFORE_TEXT, base_line(0.0, SMALL_SIZE)
        pen.text(f"legend-{self.name}-text", at, self.text, size=SMALL_SIZE)


def break_rows(entries: Sequence[Entry], width: float) -> list[list[tuple[float, Entry]]]:
    """Break entries into rows of at most a width; return each with where it begins."""
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
    """Return an entry for everything that occurs in the pictures."""
    return list(_entries(pictures))


def _entries(pictures: Sequence[Picture]) -> Iterator[Entry]:
    names = pictures[0].player_names
    nodes = [node for picture in pictures for node in picture.nodes]
    actors = {actor for node in nodes for actor in node.actors}
    for actor in sorted(actors, key=lambda actor: (actor < 0, abs(actor))):
        yield _actor_entry(actor, names)
    for player in sorted({player for picture in pictures for player in picture.columns}):
        yield _knower_entry(player, pictures[-1].cell_meaning.format(names[player]))
    for player in sorted({alike.player for picture in pictures for alike in picture.alike}):
        yield _infoset_entry(player, names)
    if any(picture.regions for picture in pictures):
        yield Entry("region", "public state", REGION_SAMPLE.width, _draw_region_sample)
    if any("×" in node.note for node in nodes):
        yield _word_entry("size", "×2", "number of histories, if more than one")
    if any(node.step.share is not None for node in nodes):
        yield Entry("share", "probability 1, 1/2, 0", 3 * LINE_LENGTH, _draw_shares)


def _actor_entry(actor: Player, names: Sequence[str]) -> Entry:
    text = OTHER_ACTORS.get(actor) or f"{names[actor]} acts"
    width = 2 * mark_of(actor).radius
    return Entry(f"actor-{actor}", text, width, partial(_draw_actor_sample, actor=actor))


def _draw_actor_sample(pen: Pen, name: str, actor: Player) -> None:
    draw_actor(pen, name, 0.0, 0.0, actor)


def _knower_entry(player: Player, text: str) -> Entry:
    draw = partial(_draw_knower_sample, player=player)
    return Entry(f"knower-{player}", text, 2 * CELL_MARK_RADIUS, draw)


def _draw_knower_sample(pen: Pen, name: str, player: Player) -> None:
    draw_cell_mark(pen, name, 0.0, 0.0, player)


def _infoset_entry(player: Player, names: Sequence[str]) -> Entry:
    text = f"looks alike to {names[player]}"
    return Entry(f"infoset-{player}", text, LINE_LENGTH, partial(_draw_chain, player=player))


def _draw_chain(pen: Pen, name: str, player: Player) -> None:
    pen.chain(name, [(DOT, 0.0), (LINE_LENGTH - DOT, 0.0)], link_look(player), DOT)


def _draw_region_sample(pen: Pen, name: str) -> None:
    pen.box(name, REGION_SAMPLE)


def _word_entry(name: str, word: str, text: str) -> Entry:
    def draw(pen: Pen, name: str) -> None:
        pen.text(name, (0.0, base_line(0.0, SMALL_SIZE)), word, size=SMALL_SIZE)

    return Entry(name, text, text_width(word, SMALL_SIZE), draw)


def _draw_shares(pen: Pen, name: str) -> None:
    for position, share in enumerate((1.0, 0.5, 0.0)):
        left, right = position * LINE_LENGTH, (position + 0.8) * LINE_LENGTH
        points = [(left, 0.0), (left, 0.0), (right, 0.0), (right, 0.0)]
        pen.curve(f"{name}-{share:g}", points, edge_look(PictureStep(share=share)), EDGES)
