"""Hands of two cards as a square of 13 × 13 classes, with the actions of a policy at one line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from infoset.errors import ParameterError
from infoset.forms import as_public_form
from infoset.game import player_name
from infoset.game.infostate import join_steps, value_text
from infoset.plotting.figures import (
    TITLE_FONT_SIZE,
    add_legend_below,
    new_figure,
    wrap_spec,
)
from infoset.plotting.pen import FAINT_INK, INK, QUIET_INK
from infoset.policy import TabularPolicy, check_policy
from infoset.typing import Player
from infoset.utils.arguments import check_player
from infoset.views import HandCellView, HandGridView, PublicPlaces, view_hand_grid
from infoset.views.labels import hand_class, shorten
from infoset.views.styles import ActionStyle, styles_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch


INCHES: Final = (7.2, 7.9)
ROOT: Final = join_steps(())
LABEL_HEIGHT: Final = 0.36
"""Part of a cell above the bar, where its label is."""
GAP: Final = 0.06
BAR_HEIGHT: Final = 1 - LABEL_HEIGHT - GAP
RANGE_COLOR: Final = "#8a8a8a"
FONT_SIZE: Final = 8
MAX_TITLE: Final = 150


def has_two_cards(policy: TabularPolicy, player: Player) -> bool:
    """Return whether all hands of a player are two cards, such as `AhKd`."""
    labels = as_public_form(policy.form).hands[player]
    return all(hand_class(value_text(label)) is not None for label in labels)


def plot_hands(
    policy: TabularPolicy,
    line: str = ROOT,
    *,
    player: Player | None = None,
    title: str = "",
) -> Figure:
    """Draw what a player holds and does at a line as a square of 13 × 13 classes of hands.

    Pairs are on the diagonal, hands of one suit above it. A bar is as high as the class is
    probable, per hand of the class, and its colors are the probabilities of the actions: means over
    the hands of the class, weighted by their probability at the line. Gray classes do not occur.

    Parameters
    ----------
    policy
        A policy of a game whose hands are two cards, such as `AhKd`.
    line
        The public observations, such as `check / bet 50`, as `PublicForm.label` writes them; by
        default none.
    player
        Whose hands; by default those of the player who acts. Bars of another player have one color.
    title
        Text above the square; by default the game.

    Raises
    ------
    ParameterError
        If the policy is not a `PublicPolicy`, hands are not two cards, or there is no such player.
    UnsupportedGameError
        If the reach of public nodes is not a product; see `infoset.forms.chance_reach_of_nodes`.

    Examples
    --------
    >>> import infoset
    >>> from infoset.policy import uniform_policy
    >>> game = infoset.load("nolimit_endgame(board=Ks9d8h4s2c,ranges=QQ+)")
    >>> policy = uniform_policy(infoset.build_public_form(game))
    >>> figure = plot_hands(policy, "check")
    >>> figure.axes[0].texts[0].get_text(), len(figure.axes[0].patches) > 13
    ('AA', True)
    """
    check_policy(policy)
    form = as_public_form(policy.form)
    node, _ = form.find_line(line)
    who = int(form.player[node]) if player is None else player
    check_player(who, 2, form.name)
    if not has_two_cards(policy, who):
        other = next(text for text in map(value_text, form.hands[who]) if hand_class(text) is None)
        raise ParameterError(
            f"player {who} of {form.name} holds {other!r}, and a square shows hands of two cards, "
            "such as AhKd: draw all lines with plot_policy"
        )
    places = PublicPlaces(form, policy)
    grid = view_hand_grid(places, node, who)
    figure = new_figure(INCHES, layout="constrained")
    axes = figure.add_subplot()
    styles = styles_of(form)
    _draw_cells(axes, grid, styles)
    name = player_name(form, who)
    about = f"{name} {'acts' if grid.action_labels else 'waits'} after {line}"
    if line == ROOT:
        about = f"{name} {'acts' if grid.action_labels else 'waits'} at the start"
    reached = places.at(node).probability
    above = f"{about}, reached in {reached:.1%} of plays"
    axes.set_title(above, fontsize=FONT_SIZE + 1, parse_math=False)
    add_legend_below(figure, _legend_marks(grid, styles), 6, FONT_SIZE)
    game = shorten(title or form.name, MAX_TITLE)
    figure.suptitle("\n".join(wrap_spec(game)), fontsize=TITLE_FONT_SIZE, parse_math=False)
    return figure


def _draw_cells(axes: Axes, grid: HandGridView, styles: Sequence[ActionStyle]) -> None:
    """Draw all classes, pairs on the diagonal."""
    cells = [cell for row in grid.cells for cell in row]
    # Per hand, not per class: an offsuit class has 12 hands, a pair 6, and a suited class 4.
    largest = max(map(_density, cells))
    for row, line in enumerate(grid.cells):
        for column, cell in enumerate(line):
            shares = _shares(grid, cell, styles) if cell.actions else [(RANGE_COLOR, 1.0)]
            _draw_cell(axes, row, column, cell, _density(cell) / largest, shares)
    size = len(grid.cells)
    axes.set(xlim=(0, size), ylim=(size, 0), aspect="equal")
    axes.set_xticks([])
    axes.set_yticks([])
    for place in range(1, size):
        axes.axhline(place, color=FAINT_INK, linewidth=0.5)
        axes.axvline(place, color=FAINT_INK, linewidth=0.5)


def _density(cell: HandCellView) -> float:
    """Return the probability per hand of a class; equal for all if the line is never reached."""
    if not cell.num_hands:
        return 0.0
    return 1.0 if cell.probability is None else cell.probability / cell.num_hands


def _shares(
    grid: HandGridView, cell: HandCellView, styles: Sequence[ActionStyle]
) -> list[tuple[str, float]]:
    """Return the color and the probability of each action of a class, in the order of styles."""
    found = dict(zip(grid.action_labels, cell.actions, strict=True))
    return [(style.color, found[style.label]) for style in styles if style.label in found]


def _draw_cell(
    axes: Axes,
    row: int,
    column: int,
    cell: HandCellView,
    density: float,
    shares: Sequence[tuple[str, float]],
) -> None:
    """Draw the label of a class, and a bar with colors by shares."""
    from matplotlib.patches import Rectangle

    axes.text(
        column + GAP,
        row + LABEL_HEIGHT / 2 + GAP / 2,
        cell.label,
        ha="left",
        va="center",
        fontsize=FONT_SIZE - 1,
        color=INK if density > 0 else QUIET_INK,
    )
    if not density > 0:
        axes.add_patch(Rectangle((column, row), 1, 1, color="#f0f0f0", zorder=0, linewidth=0))
        return
    height = BAR_HEIGHT * density
    left = column + GAP
    for color, share in shares:
        width = share * (1 - 2 * GAP)
        below = row + 1 - GAP
        axes.add_patch(Rectangle((left, below - height), width, height, color=color, linewidth=0))
        left += width


def _legend_marks(grid: HandGridView, styles: Sequence[ActionStyle]) -> list[Patch]:
    """Return the actions with their colors and their probabilities over all hands."""
    from matplotlib.patches import Patch

    cells = [cell for row in grid.cells for cell in row if cell.actions]
    weights = [1.0 if cell.probability is None else cell.probability for cell in cells]
    total = sum(weights) or 1.0
    marks = []
    for style in styles:
        if style.label in grid.action_labels:
            at = grid.action_labels.index(style.label)
            mean = sum(w * cell.actions[at] for w, cell in zip(weights, cells, strict=True)) / total
            marks.append(Patch(color=style.color, label=f"{style.label} {mean:.1%}"))
    return marks or [
        Patch(color=RANGE_COLOR, label="the height of a bar is the probability of the hand")
    ]
