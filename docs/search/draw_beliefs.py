"""Draw the picture of the page `beliefs.md`, beside this file.

python docs/search/draw_beliefs.py
"""

from __future__ import annotations

from pathlib import Path

from matplotlib import rc_context

import infoset
from infoset.beliefs import Belief, PublicPrivateBelief
from infoset.game import Infostate, Step
from infoset.plotting import plot_beliefs

PICTURE = Path(__file__).with_name("two-sided-dice.svg")


def beliefs() -> dict[str, Belief]:
    """Return what player 0 believes with a one in hand, by the share of the public belief."""
    dice = infoset.load("liars_dice(dice_sides=2)")
    one = Infostate(0, (Step(None, (1,), None),))
    titles = {0.0: "private", 0.5: "half of each", 1.0: "public"}
    return {
        f"share {share:g}: {title}": PublicPrivateBelief(share).at(dice, one)
        for share, title in titles.items()
    }


if __name__ == "__main__":
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": PICTURE.stem}):
        plot_beliefs(beliefs()).savefig(PICTURE, metadata={"Date": None})
