"""Draw the charts of the pages on regret matching and exploitability, beside this file.

python docs/basics/draw_basics.py
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from infoset.plotting import save_figure
from infoset.plotting.figures import COLORS, add_grid, new_figure

HERE = Path(__file__).parent
PAYOFF = np.array([[0, -1, 1], [1, 0, -1], [-1, 1, 0]])
ROUNDS = 3000


def rock_probabilities() -> tuple[list[float], list[float]]:
    """Return the current and average probability of rock of player 0, after each round."""
    regrets, totals = [np.array([1.0, 0.0, 0.0]), np.zeros(3)], np.zeros(3)
    current, average = [], []
    for _ in range(ROUNDS):
        positive = [np.maximum(regret, 0.0) for regret in regrets]
        policies = [
            one / one.sum() if one.any() else np.full(3, 1 / 3) for one in positive
        ]
        utilities = [PAYOFF @ policies[1], -policies[0] @ PAYOFF]
        for player in (0, 1):
            gain = utilities[player] - policies[player] @ utilities[player]
            regrets[player] += gain
        totals += policies[0]
        current.append(float(policies[0][0]))
        average.append(float(totals[0] / totals.sum()))
    return current, average


def draw_regret_matching() -> Figure:
    """Draw how the current policy circles while the average converges."""
    figure = new_figure((6.4, 2.8), layout="constrained")
    axes = figure.add_subplot()
    current, average = rock_probabilities()
    rounds = range(1, ROUNDS + 1)
    axes.plot(
        rounds, current, color=COLORS[1], linewidth=0.9, label="current policy"
    )
    axes.plot(rounds, average, color=COLORS[0], linewidth=2, label="average policy")
    axes.axhline(1 / 3, color="black", linestyle=":", linewidth=1)
    axes.set(xlabel="round", ylabel="probability of rock", ylim=(-0.02, 1.02))
    axes.legend(frameon=False, loc="lower right", bbox_to_anchor=(1, 1), ncol=2)
    add_grid(axes)
    return figure


def draw_exploitability() -> Figure:
    """Draw what player 0 of the ace-king game wins against each answer to its bluffs."""
    figure = new_figure((6.4, 3.4), layout="constrained")
    axes = figure.add_subplot()
    bluff = np.linspace(0, 1, 4)  # the lines meet at 1/3
    fold, call = bluff, 0.5 - bluff / 2
    axes.plot(
        bluff, fold, color=COLORS[0], linestyle="--", label="player 1 always folds"
    )
    axes.plot(
        bluff, call, color=COLORS[1], linestyle="-.", label="player 1 always calls"
    )
    axes.plot(
        bluff,
        np.minimum(fold, call),
        color="black",
        linewidth=2.5,
        label="player 1 plays a best response",
    )
    axes.axhline(1 / 3, color="black", linestyle=":", linewidth=1)
    axes.annotate(
        "",
        (0.8, 1 / 3),
        (0.8, 0.1),
        arrowprops={"arrowstyle": "<->", "shrinkA": 0, "shrinkB": 0},
    )
    axes.text(0.81, 0.25, "loses 7/30", va="center")
    axes.text(0.99, 1 / 3 + 0.015, "value of the game: 1/3", ha="right")
    axes.set(
        xlabel="probability of a bluff with the king",
        ylabel="player 0 wins, on average",
        xlim=(0, 1),
        ylim=(-0.02, 0.75),
    )
    axes.legend(frameon=False, loc="upper left")
    add_grid(axes)
    return figure


def main() -> None:
    """Save both charts."""
    for name, figure in (
        ("regret_matching", draw_regret_matching()),
        ("exploitability", draw_exploitability()),
    ):
        save_figure(figure, HERE / f"{name}.svg")


if __name__ == "__main__":
    main()
