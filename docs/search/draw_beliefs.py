"""Draw the pictures of the page `tutorial.md`, beside this file.

python docs/search/draw_beliefs.py
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from matplotlib import rc_context

import infoset
from infoset.beliefs import Belief, PublicPrivateBelief, public_belief
from infoset.game import Infostate, Step
from infoset.plotting import plot_beliefs
from infoset.search import GraphModel, pimc_policy

HERE = Path(__file__).parent
DICE = "liars_dice(dice_sides=2)"


def mixtures() -> dict[str, Belief]:
    """Return what player 0 believes with a one in hand, by the weight of the public belief."""
    dice = infoset.load(DICE)
    one = Infostate(0, (Step(None, (1,), None),))
    titles = {0.0: "private", 0.5: "half of each", 1.0: "public"}
    return {
        f"public weight {public_weight:g}: {title}": PublicPrivateBelief(
            public_weight
        ).at(dice, one)
        for public_weight, title in titles.items()
    }


def read_from_a_bid() -> dict[str, Belief]:
    """Return what an observer believes after two ones were bid, by the public weight of who bid."""
    tree = infoset.build_tree(infoset.load(DICE))
    after_bid = infoset.game.PublicState((None, "2-1"))
    return {
        f"2-1, bid with public weight {public_weight:g}": public_belief(
            tree, after_bid, policies=pimc_policy(GraphModel(tree), public_weight)
        )
        for public_weight in (0.0, 0.5)
    }


def draw(name: str, beliefs: Mapping[str, Belief]) -> None:
    """Save a picture."""
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": name}):
        plot_beliefs(beliefs).savefig(HERE / f"{name}.svg", metadata={"Date": None})


if __name__ == "__main__":
    draw("two-sided-dice", mixtures())
    draw("two-sided-dice-read", read_from_a_bid())
