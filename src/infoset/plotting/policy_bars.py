"""Pictures of a policy: bars of probabilities at each infostate, in card games as a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from operator import attrgetter
from typing import TYPE_CHECKING, Final

from infoset.errors import ParameterError
from infoset.forms import Form, as_public_form, as_sequence_form
from infoset.game import player_name
from infoset.plotting.figures import (
    TITLE_FONT_SIZE,
    add_legend_below,
    new_figure,
    wrap_spec,
)
from infoset.plotting.hand_pictures import ROOT, has_two_cards, plot_hands
from infoset.plotting.pen import INK
from infoset.plotting.policy_grids import MAX_SCANNED, PolicyGrid, find_grids, find_public_grids
from infoset.policy import PolicyRow, TabularPolicy, check_policy
from infoset.utils.arguments import check_choice, check_count
from infoset.views.labels import hand_class
from infoset.views.styles import ActionStyle, styles_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


LAYOUTS: Final = ("auto", "bars", "grid")

BAR_WIDTH, CELL_WIDTH, CELLS_WIDTH, ROW_HEIGHT, MARGIN_HEIGHT = 2.8, 0.56, 4.5, 0.24, 1.4
"""Sizes in inches: of a bar, of a cell, of all cells of a player if there are many, of a row, and
of the space above and below the rows."""

FONT_SIZE: Final = 7
CHARACTER: Final = 0.06
"""Approximate width of a character in inches."""

THICKNESS, LENGTH = 0.82, 0.92
"""Height and width of a bar, as fractions of its row and cell."""

FADED: Final = 0.35
"""Opacity of bars at infostates to which the player's own actions do not lead."""

LABEL_LENGTH: Final = 60
"""Maximum number of characters of an infostate or public state; middle steps are left out."""

MAX_LEGEND: Final = 15
"""Maximum number of actions in a legend."""

SEPARATOR: Final = " / "


@dataclass(frozen=True, eq=False)
class _Panel:
    """The bars of one player."""

    title: str
    rows: list[str]
    """Labels on the left."""
    columns: list[str]
    """Labels above the cells; none if each row is one bar."""
    cells: dict[tuple[int, int], PolicyRow]
    """What is drawn, by row and column."""

    @property
    def cell_width(self) -> float:
        """Width of a cell in inches."""
        return min(CELL_WIDTH, CELLS_WIDTH / len(self.columns)) if self.columns else BAR_WIDTH

    @property
    def inches(self) -> float:
        """Width of the panel in inches."""
        labels = 0.5 + CHARACTER * max(map(len, self.rows), default=0)
        return labels + self.cell_width * max(1, len(self.columns))


def plot_policy(
    policy: TabularPolicy,
    *,
    title: str = "",
    max_rows: int = 24,
    layout: str = "auto",
    line: str | None = None,
) -> Figure:
    """Draw the probabilities of all actions as stacked bars, one for each infostate.

    Each player has a panel. In the layout `bars`, its rows are its infostates, those of early
    decisions first. In the layout `grid`, its rows are public states, and its columns what it may
    hold there, as in tables of poker ranges. Equal actions have the same color. Bars are pale where
    the player's own actions do not lead.

    Parameters
    ----------
    title
        Text above the panels; by default the game.
    max_rows
        Maximum number of rows of each player.
    layout
        `bars`, `grid`, or `auto`: a grid if every player holds one of a few hands, as in most card
        games, otherwise bars. Where hands are unknown or too many, `grid` draws bars, too. On a
        public form whose hands are two cards, `auto` and `grid` draw the hands at one line, as
        `plot_hands` does.
    line
        The line of this picture, which other pictures do not have; by default the start.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.policy import uniform_policy
    >>> from infoset.tree import build_tree
    >>> form = build_tree(load_game("kuhn_poker")).sequence_form
    >>> figure = plot_policy(uniform_policy(form))
    >>> [panel.get_title() for panel in figure.axes]
    ['player 0', 'player 1']
    >>> [label.get_text() for label in figure.axes[0].get_xticklabels()]
    ['J', 'Q', 'K']
    """
    check_count("max_rows", max_rows, minimum=1)
    check_choice("layout", layout, LAYOUTS)
    check_policy(policy)
    if policy.form.num_hands is not None:
        return _plot_public(policy, title, max_rows, layout, line)
    _refuse_line(line, policy.form.name)
    panels = []
    has_trees = policy.form.kind == "sequence"
    for grid in find_grids(policy) if has_trees and layout != "bars" else ():
        # A grid is made from the first infostates only, and may lack public states.
        tree = as_sequence_form(policy.form).infostate_trees[grid.player]
        total = len(set(tree.public_state[tree.acting].tolist()))
        panels.append(_grid_panel(policy.form, grid, total, max_rows))
    panels = panels or _bar_panels(policy, policy.sorted_rows(), max_rows)
    return _draw(panels, title or policy.form.name, styles_of(policy.form))


def _plot_public(
    policy: TabularPolicy, title: str, max_rows: int, layout: str, line: str | None
) -> Figure:
    """Draw a policy on a public form: one line of hands of two cards, a grid, or bars."""
    form = as_public_form(policy.form)
    if layout != "bars" and any(has_two_cards(policy, player) for player in range(2)):
        return plot_hands(policy, ROOT if line is None else line, title=title)
    _refuse_line(line, form.name)
    grids = () if layout == "bars" else find_public_grids(policy)
    panels = [_grid_panel(form, grid, len(grid.public_states), max_rows) for grid in grids]
    panels = panels or _bar_panels(policy, policy.rows(), max_rows, MAX_SCANNED)
    return _draw(panels, title or form.name, styles_of(form))


def _with_hands_in_order(rows: list[PolicyRow]) -> list[PolicyRow]:
    """Return rows as they are or, if all hands are two cards, line by line from aces to twos."""
    parts = [row.infostate.removeprefix("[").partition("]") for row in rows]
    classes = [hand_class(hand) for hand, *_ in parts]
    if None in classes:
        return rows
    # Early decisions first, then line by line in the order of first appearance.
    lines = {line: at for at, line in enumerate(dict.fromkeys(line for *_, line in parts))}
    keys = [
        (row.own_depth, lines[line], sorted(place or ()), place)
        for row, (*_, line), place in zip(rows, parts, classes, strict=True)
    ]
    return [rows[at] for at in sorted(range(len(rows)), key=lambda at: keys[at])]


def _refuse_line(line: str | None, game: str) -> None:
    """Raise if a line is given for a picture of all lines."""
    if line is not None:
        raise ParameterError(
            f"line={line!r} is for hands of two cards on a public form, such as those of "
            f"nolimit_endgame; the picture of {game} has all lines: leave line out (--line)"
        )


def _bar_panels(
    policy: TabularPolicy, rows: Iterable[PolicyRow], max_rows: int, max_scanned: int | None = None
) -> list[_Panel]:
    panels = []
    for player, group in groupby(rows, key=attrgetter("player")):
        shown = _with_hands_in_order([*islice(group, max_scanned)])[:max_rows]
        total = policy.form.treeplexes[player].num_infostates
        title = _panel_title(player_name(policy.form, player), len(shown), total, "")
        cells = {(place, 0): row for place, row in enumerate(shown)}
        panels.append(_Panel(title, [_shortened(row.infostate) for row in shown], [], cells))
    return panels


def _grid_panel(form: Form, grid: PolicyGrid, total: int, max_rows: int) -> _Panel:
    """Return the first rows of a table, of a player with `total` public states."""
    shown = [*map(_shortened, grid.public_states[:max_rows])]
    cells = {place: row for place, row in grid.cells.items() if place[0] < max_rows}
    name = player_name(form, grid.player)
    title = _panel_title(name, len(shown), total, " public states")
    return _Panel(title, shown, [*grid.hands], cells)


def _panel_title(player: str, num_shown: int, total: int, noun: str) -> str:
    count = "" if num_shown >= total else f" ({num_shown} of {total:,}{noun})"
    return f"{player}{count}"


def _draw(panels: list[_Panel], title: str, styles: Sequence[ActionStyle]) -> Figure:
    highest = max((len(panel.rows) for panel in panels), default=1)
    widths = [panel.inches for panel in panels] or [BAR_WIDTH]
    figure = new_figure((sum(widths), MARGIN_HEIGHT + ROW_HEIGHT * highest), layout="constrained")
    rows = [row for panel in panels for row in panel.cells.values()]
    drawn = {str(action) for row in rows for action in row.actions}
    shown = {style.label: style for style in styles if style.label in drawn}
    all_axes = figure.subplots(1, len(widths), squeeze=False, width_ratios=widths)[0]
    for axes, panel in zip(all_axes, panels, strict=False):
        _draw_panel(axes, panel, shown, highest)
    _add_legend(figure, shown, is_faded=any(row.own_reach <= 0 for row in rows))
    figure.suptitle("\n".join(wrap_spec(title)), fontsize=TITLE_FONT_SIZE, parse_math=False)
    return figure


def _draw_panel(axes: Axes, panel: _Panel, styles: Mapping[str, ActionStyle], highest: int) -> None:
    """Draw the bars of one player, from top to bottom."""
    for (place, column), row in panel.cells.items():
        _draw_bar(axes, panel, place, column, row, styles)
    axes.set_title(panel.title, fontsize=FONT_SIZE + 2, parse_math=False)
    axes.set_yticks(range(len(panel.rows)), panel.rows, fontsize=FONT_SIZE)
    axes.set(xlim=(0, max(1, len(panel.columns))), ylim=(highest - 0.4, -0.6))
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(axis="x", labelsize=FONT_SIZE)
    if panel.columns:
        places = [column + 0.5 for column in range(len(panel.columns))]
        longest = CHARACTER * max(map(len, panel.columns))
        axes.set_xticks(places, panel.columns, rotation=0 if longest < panel.cell_width else 90)
        axes.tick_params(length=0, labeltop=True, labelbottom=False)
        axes.spines[["left", "bottom"]].set_visible(False)
    else:
        axes.set_xlabel("probability", fontsize=FONT_SIZE)
    for label in (*axes.get_yticklabels(), *axes.get_xticklabels()):
        label.set_parse_math(False)


def _draw_bar(
    axes: Axes,
    panel: _Panel,
    place: int,
    column: int,
    row: PolicyRow,
    styles: Mapping[str, ActionStyle],
) -> None:
    """Draw the actions of an infostate; those whose bars are long enough have their names."""
    length = LENGTH if panel.columns else 1.0
    left = column + (1 - length) / 2
    is_faded = row.own_reach <= 0
    shares = dict(zip(map(str, row.actions), row.probabilities.tolist(), strict=True))
    for name, style in styles.items():
        if name not in shares:
            continue
        width, alpha = length * shares[name], FADED if is_faded else 1.0
        axes.barh(place, width, THICKNESS, left, color=style.color, alpha=alpha)
        if CHARACTER * (len(name) + 1) <= width * panel.cell_width:
            axes.text(
                left + width / 2,
                place,
                name,
                ha="center",
                va="center",
                color=INK if is_faded else style.ink,
                fontsize=FONT_SIZE,
                parse_math=False,
            )
        left += width


def _add_legend(figure: Figure, styles: Mapping[str, ActionStyle], *, is_faded: bool) -> None:
    """Name the colors, unless there are many, and say what pale bars are."""
    from matplotlib.patches import Patch

    marks = []
    if len(styles) <= MAX_LEGEND:
        marks = [Patch(color=style.color, label=name) for name, style in styles.items()]
    if is_faded:
        marks.append(Patch(color=INK, alpha=FADED, label="pale: not reached by own actions"))
    if marks:
        add_legend_below(figure, marks, 5, FONT_SIZE)


def _shortened(text: str) -> str:
    """Leave out steps after the first if a label is too long, and cut steps that are too long."""
    if len(text) <= LABEL_LENGTH:
        return text
    first, *others = text.split(SEPARATOR)
    kept: list[str] = []
    while others and len(SEPARATOR.join([first, "…", others[-1], *kept])) <= LABEL_LENGTH:
        kept.insert(0, others.pop())
    found = SEPARATOR.join([first, "…", *kept])
    return found if kept else f"{text[: LABEL_LENGTH // 2]}…{text[1 - LABEL_LENGTH // 2 :]}"
