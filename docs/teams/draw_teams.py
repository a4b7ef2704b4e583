"""Draw the pictures of the page `index.md`, beside this file.

python docs/teams/draw_teams.py
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import infoset
from infoset.plotting.figures import COLORS, add_grid, new_figure
from infoset.teams import (
    BASELINES,
    HidingScheme,
    ProgressiveHiding,
    RelaxedForm,
    build_product_form,
    entropic_ftrl,
    get_relaxation,
    relax,
)
from infoset.typing import FloatArray

HERE = Path(__file__).parent
PENNIES = infoset.load("cooperative_matching_pennies")
WIN, MISS = 1.0, -2.0
LEARNER = entropic_ftrl(learning_rate=0.5)
SEEDS, ITERATIONS = range(20), 200
SEED_SHOWN, ITERATIONS_SHOWN = 3, 40


def relaxed_game(name: str) -> RelaxedForm:
    """Return the game with an information relaxation."""
    form = build_product_form(PENNIES)
    return relax(form, get_relaxation(name).relax(form.information, (0, 1)))


def draw_arrows(axes: Axes, title: str, *, hears: bool) -> None:
    """Draw the direction of regrets for a team whose words are symmetric in the sides of the coin.

    Player 0 tells the truth with probability `true`; player 1 believes it with probability
    `believes` and passes otherwise. As one player, the team weighs both sides equally at any word.
    """
    true, believes = np.meshgrid(
        np.linspace(0.05, 0.95, 10), np.linspace(0.05, 0.95, 10)
    )
    prob_true = true if hears else np.full_like(true, 0.5)
    to_believe = prob_true * WIN + (1 - prob_true) * MISS
    to_be_true = believes * (WIN - MISS)
    axes.quiver(
        true, believes, to_be_true, to_believe, color=COLORS[0], width=0.005
    )
    axes.plot([0.5], [0.33], "o", color=COLORS[1])
    axes.set(
        xlim=(0, 1),
        ylim=(0, 1),
        xlabel="probability that the word is true",
        ylabel="probability of believing it",
    )
    axes.set_title(title, fontsize=10)


def draw_runs(axes: Axes) -> None:
    """Draw the payoffs of runs of three learners with the same initial policies."""
    ways = {
        "one player, imperfect recall": (
            relaxed_game("none"),
            BASELINES["one-player"].scheme(LEARNER),
        ),
        "two agents": (
            relaxed_game("none"),
            BASELINES["two-agents"].scheme(LEARNER),
        ),
        "progressive hiding": (
            relaxed_game("recall"),
            HidingScheme(LEARNER, penalty=0.5),
        ),
    }
    for color, (name, (form, scheme)) in zip(
        COLORS[1:], ways.items(), strict=False
    ):
        for seed in SEEDS:
            earned = (
                ProgressiveHiding(form, scheme, seed=seed)
                .run(ITERATIONS)
                .implementable[:, 0]
            )
            label = name if seed == SEEDS[0] else None
            axes.plot(
                range(1, ITERATIONS + 1),
                earned,
                color=color,
                linewidth=0.9,
                label=label,
            )
    axes.set(xscale="log", xlabel="iterations", ylabel="payoff", ylim=(-1.2, 1.1))
    axes.set_title("20 runs of each", fontsize=10)
    axes.legend(frameon=False, fontsize=8, loc="lower center")
    add_grid(axes)


def trap() -> Figure:
    """Return the figure of the regrets and runs of learners without perfect recall."""
    figure = new_figure((10.0, 3.4), layout="constrained")
    left, middle, right = figure.subplots(1, 3)
    draw_arrows(left, "taken for one player", hears=False)
    draw_arrows(middle, "two agents who hear", hears=True)
    draw_runs(right)
    return figure


def guesses() -> FloatArray:
    """Return [iterations, 4] the play and the belief of player 1 at the word heads.

    Probability of guessing heads if the coin is heads, if it is tails, and under the projected
    policy, which cannot see it; and the probability that the coin is tails.
    """
    form = relaxed_game("recall")
    scheme = HidingScheme(LEARNER, penalty=0.5)
    hiding = ProgressiveHiding(form, scheme, seed=SEED_SHOWN)
    heard = [
        node
        for node in range(form.form.num_nodes)
        if form.form.prefix_text(node).endswith("player 0: heads")
    ]
    open_entries = form.relaxed.first_entry[form.relaxed.cell[heard]]
    entry = form.original.first_entry[form.original.cell[heard[0]]]
    guess = form.form.legal_actions(heard[0]).index("heads")
    rows = []
    for _ in range(ITERATIONS_SHOWN):
        hiding.run(1)
        relaxed, projected = hiding.relaxed_policy(), hiding.policy()
        reach = form.reach(relaxed)[heard]
        tails = reach[1] / reach.sum()
        rows.append(
            [*relaxed[open_entries + guess], projected[entry + guess], tails]
        )
    return np.array(rows)


def cards() -> Figure:
    """Return the figure of relaxed and projected policies, which agree through the penalty."""
    figure = new_figure((10.0, 3.4), layout="constrained")
    left, right = figure.subplots(1, 2)
    steps = np.arange(1, ITERATIONS_SHOWN + 1)
    on_heads, on_tails, projected, tails = guesses().T
    left.plot(
        steps,
        on_heads,
        color=COLORS[0],
        linestyle="--",
        label="relaxed: the coin is heads",
    )
    left.plot(
        steps,
        on_tails,
        color=COLORS[2],
        linestyle="--",
        label="relaxed: the coin is tails",
    )
    left.plot(
        steps, projected, color="black", label="projected: the coin is hidden"
    )
    left.plot(
        steps, tails, color=COLORS[1], linestyle=":", label="probability of tails"
    )
    left.set(
        xlabel="iterations",
        ylabel="probability of guessing heads",
        ylim=(-0.02, 1.02),
    )
    left.set_title("player 1 hears 'heads'", fontsize=10)
    scheme = HidingScheme(LEARNER, penalty=0.5)
    trace = ProgressiveHiding(relaxed_game("recall"), scheme, seed=SEED_SHOWN).run(
        ITERATIONS_SHOWN
    )
    right.plot(
        steps,
        trace.relaxed[:, 0],
        color=COLORS[0],
        linestyle="--",
        label="payoff, relaxed",
    )
    right.plot(
        steps, trace.implementable[:, 0], color="black", label="payoff, projected"
    )
    right.plot(
        steps,
        trace.squared_distance[:, 0],
        color=COLORS[1],
        label="squared distance",
    )
    right.set(xlabel="iterations")
    right.set_title("the team", fontsize=10)
    for axes in (left, right):
        axes.legend(frameon=False, fontsize=8)
        add_grid(axes)
    return figure


def draw(name: str, figure: Figure) -> None:
    """Save a picture."""
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": name}):
        figure.savefig(HERE / f"{name}.svg", metadata={"Date": None})


if __name__ == "__main__":
    draw("trap", trap())
    draw("cards", cards())
