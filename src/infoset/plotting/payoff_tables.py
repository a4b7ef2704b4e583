"""Payoff tables of two-player games with few strategies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from infoset.efg import ExtensiveForm, strategic_form
from infoset.errors import UnsupportedGameError
from infoset.game import Game, player_name
from infoset.plotting.figures import TITLE_FONT_SIZE, new_figure, wrap_spec
from infoset.plotting.pen import FONT, INK, QUIET_INK, player_color
from infoset.policy import TabularPolicy
from infoset.tree import GameTree
from infoset.typing import BoolArray, FloatArray, Player
from infoset.views.labels import probability_text, utilities_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


MAX_STRATEGIES: Final = 16
"""Maximum number of rows and of columns."""

CELL_WIDTH, CELL_HEIGHT, CHARACTER, TITLE_LINE = 0.95, 0.52, 0.075, 0.2
"""Sizes in inches: of a cell, of a character of a name, and of a line of the title."""

LEFT, RIGHT, ABOVE, BELOW = 0.65, 0.2, 0.75, 0.4
"""Space around the cells in inches, without the names of the rows and the title."""

FONT_SIZE: Final = 9
EQUILIBRIUM, LINE = "#fdf1c7", "#9aa0a8"
TOLERANCE: Final = 1e-9
"""Difference of payoffs, relative to the largest, below which both are best."""


@dataclass(frozen=True, eq=False)
class PayoffTable:
    """The payoffs of both players for each pair of strategies."""

    title: str
    player_names: tuple[str, str]
    strategies: tuple[tuple[str, ...], tuple[str, ...]]
    """Names of the R rows, of player 0, and of the C columns, of player 1."""
    payoffs: FloatArray
    """[R, C, 2] in the game's units."""
    probabilities: tuple[FloatArray, FloatArray] | None = None
    """Probability of each strategy under a policy."""

    def is_best(self, player: Player) -> BoolArray:
        """Return [R, C] where a player's strategy is a best response to that of the other."""
        own = self.payoffs[..., player]  # axis `player` runs over the player's own strategies
        allowance = TOLERANCE * max(1.0, float(np.abs(own).max()))
        return np.asarray(own >= own.max(axis=player, keepdims=True) - allowance)

    def figure(self) -> Figure:
        """Return a new matplotlib figure; best responses are underlined, equilibria shaded."""
        rows, columns = self.payoffs.shape[:2]
        widths = [CHARACTER * max(map(len, self._names(player))) for player in (0, 1)]
        longest = max(len(utilities_text(pair)) for pair in self.payoffs.reshape(-1, 2).tolist())
        cell = max(CELL_WIDTH, widths[1] + 0.15, 1.25 * CHARACTER * longest)
        title = wrap_spec(self.title)
        above = ABOVE + TITLE_LINE * len(title)
        inches = (
            max(4.0, LEFT + widths[0] + cell * columns + RIGHT),
            above + CELL_HEIGHT * rows + BELOW,
        )
        figure = new_figure(inches)
        left, bottom = (LEFT + widths[0]) / inches[0], BELOW / inches[1]
        size = cell * columns / inches[0], CELL_HEIGHT * rows / inches[1]
        axes = figure.add_axes((left, bottom, *size))
        axes.set(xlim=(0, columns), ylim=(rows, 0))
        axes.axis("off")
        self._draw_cells(axes)
        self._draw_names(axes, cell)
        figure.text(
            0.02, 1 - 0.12 / inches[1], "\n".join(title), fontsize=TITLE_FONT_SIZE,
            weight="bold", va="top", family=FONT, color=INK, parse_math=False,
        )  # fmt: skip
        note = "underlined: best responses"
        if (self.is_best(0) & self.is_best(1)).any():
            note += "; shaded: pure Nash equilibria"
        figure.text(0.02, 0.1 / inches[1], note, fontsize=7, family=FONT, color=QUIET_INK)
        return figure

    def _names(self, player: Player) -> list[str]:
        """Return the names of a player's strategies, with their probabilities if there are any."""
        names = self.strategies[player]
        if self.probabilities is None:
            return list(names)
        shares = self.probabilities[player].tolist()
        return [f"{name}  {probability_text(p)}" for name, p in zip(names, shares, strict=True)]

    def _draw_cells(self, axes: Axes) -> None:
        """Draw a box for each pair of strategies, with the payoff of player 0 on the left."""
        from matplotlib.patches import Rectangle

        best = [self.is_best(player) for player in (0, 1)]
        for (row, column), is_equilibrium in np.ndenumerate(best[0] & best[1]):
            fill = EQUILIBRIUM if is_equilibrium else "white"
            axes.add_patch(Rectangle((column, row), 1, 1, fc=fill, ec=LINE, lw=0.8, clip_on=False))
            for player, (x, y) in enumerate([(0.27, 0.66), (0.73, 0.36)]):
                text = utilities_text([float(self.payoffs[row, column, player])])
                _write(axes, (column + x, row + y), text, player)
                if best[player][row, column]:
                    width = 0.035 * len(text) + 0.03
                    axes.plot(
                        [column + x - width, column + x + width], [row + y + 0.2] * 2,
                        color=player_color(player), lw=1.2,
                    )  # fmt: skip

    def _draw_names(self, axes: Axes, cell: float) -> None:
        """Write the names of the strategies and of the players around the cells."""
        rows, columns = self.payoffs.shape[:2]
        edge, beside = -0.12 / cell, CHARACTER * max(map(len, self._names(0))) / cell
        for row, name in enumerate(self._names(0)):
            _write(axes, (edge, row + 0.5), name, 0, ha="right")
        for column, name in enumerate(self._names(1)):
            _write(axes, (column + 0.5, -0.3), name, 1)
        who = self.player_names
        _write(axes, (edge - beside - 0.2 / cell, rows / 2), who[0], 0, rotation=90, weight="bold")
        _write(axes, (columns / 2, -0.75), who[1], 1, weight="bold")


def _write(
    axes: Axes, at: tuple[float, float], text: str, player: Player, ha: str = "center", **style: Any
) -> None:
    """Write a text in the color of a player."""
    axes.text(
        *at, text, ha=ha, va="center", fontsize=FONT_SIZE, family=FONT, parse_math=False,
        color=player_color(player), **style,
    )  # fmt: skip


def payoff_table(
    game: Game | GameTree | ExtensiveForm, policy: TabularPolicy | None = None
) -> PayoffTable:
    """Return the payoff table of a two-player game with few strategies.

    The strategies are those of the reduced strategic form; chance is replaced by expected payoffs.

    Parameters
    ----------
    policy
        Its probabilities are shown if each player decides once.

    Raises
    ------
    UnsupportedGameError
        If the game does not have two players with at most 16 strategies each, or a policy is given
        for players who decide more than once.
    GameTooLargeError
        As raised by `strategic_form`.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> table = payoff_table(load_game("matrix_pd"))
    >>> table.strategies[0], table.payoffs[0, 1].tolist()
    (('Cooperate', 'Defect'), [0.0, 10.0])
    """
    if game.num_players != 2:
        raise UnsupportedGameError(
            f"{game} has {game.num_players} players; a payoff table has two: draw another view"
        )
    form = strategic_form(game)
    counts = tuple(map(len, form.strategies))
    if max(counts) > MAX_STRATEGIES:
        raise UnsupportedGameError(
            f"{game} has {counts[0]:,} times {counts[1]:,} pairs of strategies; a payoff table has "
            f"at most {MAX_STRATEGIES} rows and columns: draw another view"
        )
    payoffs = np.array([[float(number) for number in row] for row in form.payoffs])
    names = (player_name(form, 0), player_name(form, 1))
    rows, columns = form.strategies
    shares = None if policy is None else _probabilities(policy, counts)
    table = payoffs.reshape(*counts, 2)
    return PayoffTable(form.title, names, (rows, columns), table, shares)


def _probabilities(policy: TabularPolicy, counts: tuple[int, ...]) -> tuple[FloatArray, FloatArray]:
    """Return the probability of each strategy of players who decide once."""
    first, second = policy.probabilities
    if (len(first) - 1, len(second) - 1) != counts:
        raise UnsupportedGameError(
            f"the players of {policy.form.name} decide more than once, so a table cannot "
            "show the policy; draw it without a policy, or another view"
        )
    # Sequence 0 is the empty one; of a player who decides once, the others are its strategies.
    return first[1:], second[1:]
