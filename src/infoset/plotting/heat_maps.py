"""Heat maps: a table of numbers over two parameters, and beliefs over pairs of infostates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from infoset.beliefs import Belief
from infoset.errors import ParameterError
from infoset.game import Infostate, player_name
from infoset.game.infostate import value_text
from infoset.plotting.figures import new_figure, set_title
from infoset.plotting.pen import INK, QUIET_INK, SMALL_SIZE, TEXT_SIZE, TITLE_SIZE
from infoset.typing import FloatArray, Player
from infoset.utils.arguments import check_player, check_type

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


INCHES = (7.2, 6.0)
COLORS = "viridis"
LIGHT, DARK = "#ffffff", "#1a1a1a"
NUMBERS_UP_TO = 15
"""Maximum number of cells in a row or column for which each cell shows its number."""


def plot_heat_map(
    values: Sequence[Sequence[float]],
    x: Sequence[float],
    y: Sequence[float],
    *,
    title: str,
    x_label: str,
    y_label: str,
) -> Figure:
    """Draw a table of numbers over two parameters, the first row at the bottom.

    Parameters
    ----------
    values
        [y, x] numbers; cells of NaN are blank.
    x, y
        The parameters.

    Raises
    ------
    ParameterError
        If the shape of `values` is not (len(y), len(x)), or `values` is empty.

    Examples
    --------
    >>> figure = plot_heat_map(
    ...     [[1, 2], [3, 4]], [0, 1], [0, 1], title="", x_label="", y_label=""
    ... )
    >>> [text.get_text() for text in figure.axes[0].texts]
    ['1.00', '2.00', '3.00', '4.00']
    """
    shown = np.asarray(values, np.float64)
    if shown.shape != (len(y), len(x)) or not shown.size:
        raise ParameterError(
            f"`values` has shape {shown.shape}, but `y` and `x` have {len(y)} and {len(x)} "
            "entries; give one row for each y, with one number for each x; neither may be empty"
        )
    figure = new_figure(INCHES, layout="constrained")
    axes = figure.add_subplot()
    image = axes.imshow(shown, origin="lower", cmap=COLORS)
    axes.set_xticks(range(len(x)), [f"{value:g}" for value in x])
    axes.set_yticks(range(len(y)), [f"{value:g}" for value in y])
    axes.set_xlabel(x_label)
    axes.set_ylabel(y_label)
    set_title(axes, title)
    if max(shown.shape) <= NUMBERS_UP_TO:
        middle = (np.nanmin(shown) + np.nanmax(shown)) / 2
        for row, column in np.argwhere(~np.isnan(shown)).tolist():
            value = shown[row, column]
            ink = LIGHT if value < middle else DARK
            text = f"{value:.2f}"
            axes.text(column, row, text, ha="center", va="center", fontsize=7, color=ink)
    figure.colorbar(image, ax=axes, shrink=0.8)
    return figure


BELIEF_COLORS = "Blues"
DARK_FROM = 0.6
"""Fraction of the largest probability above which numbers are white."""

NAMED_UP_TO = 12
"""Maximum number of infostates of a player for which names and numbers are written."""

PANEL_INCHES, MARGIN_INCHES = 2.3, 0.9


def plot_beliefs(
    beliefs: Mapping[str, Belief], *, players: tuple[Player, Player] = (0, 1)
) -> Figure:
    """Draw beliefs side by side: the probability of each pair of infostates of two players.

    Rows are infostates of the first player, columns those of the second; each label has
    the marginal probability of the infostate. Other players are summed over.

    Parameters
    ----------
    beliefs
        Beliefs by panel title.

    Raises
    ------
    ParameterError
        If `beliefs` is empty, or `players` are not two different players of the game.

    Examples
    --------
    >>> from infoset.beliefs import PublicPrivateBelief
    >>> from infoset.game import Infostate, Step
    >>> from infoset.games import load_game
    >>> one = Infostate(0, (Step(None, (1,), None),))
    >>> belief = PublicPrivateBelief(0.5).at(load_game("liars_dice(dice_sides=2)"), one)
    >>> figure = plot_beliefs({"λ = 0.5": belief})
    >>> [text.get_text() for text in figure.axes[0].texts]
    ['0.375', '0.375', '0.125', '0.125']
    """
    _check(beliefs, players)
    names = tuple(_names(beliefs.values(), player) for player in players)
    tables = [_table(belief, players, names) for belief in beliefs.values()]
    width = MARGIN_INCHES + PANEL_INCHES * len(tables)
    figure = new_figure((width, MARGIN_INCHES + PANEL_INCHES), layout="constrained")
    largest = max(float(table.max()) for table in tables)
    game = next(iter(beliefs.values())).source
    for axes, title, table in zip(
        figure.subplots(1, len(tables), squeeze=False)[0], beliefs, tables, strict=True
    ):
        _draw(axes, table, largest, [list(known.values()) for known in names])
        axes.set_title(title, fontsize=TITLE_SIZE, color=INK, parse_math=False)
        axes.set_xlabel(player_name(game, players[1]), fontsize=TEXT_SIZE, parse_math=False)
    first = player_name(game, players[0])
    figure.axes[0].set_ylabel(first, fontsize=TEXT_SIZE, parse_math=False)
    return figure


def _check(beliefs: Mapping[str, Belief], players: Sequence[Player]) -> None:
    check_type(
        "beliefs", beliefs, Mapping, 'a dictionary of beliefs by title, such as {"prior": belief}'
    )
    if not beliefs:
        raise ParameterError('beliefs is empty; give at least one, such as {"prior": belief}')
    for belief in beliefs.values():
        check_type("a belief", belief, Belief, "a result of private_belief or public_belief")
        for player in players:
            check_player(player, belief.source.num_players, str(belief.source))
    if len(set(players)) != 2:
        raise ParameterError(f"players={players!r} must be two different players, such as (0, 1)")


def _names(beliefs: Iterable[Belief], player: Player) -> dict[Infostate, str]:
    """Return the infostates of a player in the beliefs, sorted, with their names.

    The name is the private part if the private parts are distinct, else the whole infostate.
    """
    known = {infostate for belief in beliefs for infostate in belief.infostates(player)}
    ordered = sorted(known, key=str)
    private = [
        " ".join(value_text(step.private) for step in known.steps if step.private is not None)
        for known in ordered
    ]
    is_enough = all(private) and len(set(private)) == len(private)
    return dict(zip(ordered, private if is_enough else map(str, ordered), strict=True))


def _table(
    belief: Belief, players: Sequence[Player], names: Sequence[Mapping[Infostate, str]]
) -> FloatArray:
    """Return the probability of each pair of infostates."""
    table = np.zeros((len(names[0]), len(names[1])))
    places = []
    for player, known in zip(players, names, strict=True):
        position = {infostate: place for place, infostate in enumerate(known)}
        places.append([position[infostate] for infostate in belief.infostates(player)])
    # Several worlds may share a pair of infostates; `table[places] += ...` would count one of them.
    np.add.at(table, tuple(places), belief.probability)
    return table


def _draw(axes: Axes, table: FloatArray, largest: float, names: Sequence[Sequence[str]]) -> None:
    """Draw one table: a cell for each pair, and the sums of rows and columns in the labels."""
    axes.imshow(table, cmap=BELIEF_COLORS, vmin=0, vmax=largest)
    axes.spines[:].set_color(QUIET_INK)
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    if max(table.shape) > NAMED_UP_TO:
        axes.set_xticks([])
        axes.set_yticks([])
        return
    axes.set_yticks(range(len(rows)), _labels(names[0], rows), fontsize=SMALL_SIZE)
    axes.set_xticks(range(len(columns)), _labels(names[1], columns), fontsize=SMALL_SIZE)
    # Minor ticks are between the cells, so that the grid separates them.
    for axis, size in ((axes.yaxis, len(rows)), (axes.xaxis, len(columns))):
        axis.set_ticks(np.arange(size + 1) - 0.5, minor=True)
    axes.grid(which="minor", color="white", linewidth=2)
    axes.tick_params(which="minor", length=0)
    for (row, column), value in np.ndenumerate(table):
        ink = "white" if value > DARK_FROM * largest else INK
        number = f"{value:.3g}"
        axes.text(column, row, number, ha="center", va="center", fontsize=SMALL_SIZE, color=ink)


def _labels(names: Sequence[str], probability: FloatArray) -> list[str]:
    return [f"{name}\n({value:.3g})" for name, value in zip(names, probability, strict=True)]
