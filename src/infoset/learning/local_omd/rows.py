"""LocalOMD by name, with presets."""

from __future__ import annotations

from math import sqrt

from infoset.learning.local_omd.learner import LocalOmd
from infoset.learning.steps import Steps, TreeSize
from infoset.learning.tuned import tuned_steps

__all__ = ["LOCAL_OMD_LEARNERS", "confident_steps", "fixed_steps"]

RATE = 5.6
RATE_BY_ACTION = 10.0
SHARE = 0.8
WINDOW = 200


def fixed_steps(size: TreeSize, episodes: int) -> Steps:
    """Return η = √(2 XA log A / T) for T episodes of one's own.

    The one of least bound H XA log A / η + η H T / 2 for rates η / n(x) and a total loss in [0, 1].
    """
    return Steps(sqrt(2 * size.sequences * size.log_actions / episodes), 0.0)


def confident_steps(size: TreeSize, episodes: int) -> Steps:
    """Return η = √(log A), for rates that fall with the estimates at each infostate."""
    return Steps(sqrt(size.log_actions), 0.0)


LOCAL_OMD_LEARNERS: tuple[LocalOmd, ...] = (
    LocalOmd(
        "local-omd",
        "mirror descent on episodes of a fixed sampling policy (Fiegel et al. 2024)",
        steps=fixed_steps,
        presets={
            "theory": {"steps": fixed_steps},
            "tuned": {"steps": tuned_steps(0.7, 0.7, 2.0)},
            "anytime": {"anytime": True},
        },
    ),
    LocalOmd(
        "local-omd-adaptive",
        "local-omd, rates adapted to the estimates at each infostate (Fiegel et al. 2024)",
        steps=confident_steps,
        adaptive=True,
        presets={
            "theory": {"steps": confident_steps},
            "tuned": {"steps": tuned_steps(3.2, 3.2, 10.0, growth=0.0)},
        },
    ),
    LocalOmd(
        "local-omd-baseline",
        "local-omd-adaptive with a running mean taken off costs: less noise (ours)",
        steps=Steps(RATE, 0.0),
        adaptive=True,
        centre=0.5,
        window=WINDOW,
        presets={"tuned": {"steps": tuned_steps(3.2, 3.2, 10.0, growth=0.0)}},
    ),
    LocalOmd(
        "local-omd-action-baseline",
        "local-omd-adaptive, a mean taken off the costs of each action, a fifth on policy (ours)",
        steps=Steps(RATE_BY_ACTION, 0.0),
        adaptive=True,
        centre=0.5,
        window=WINDOW,
        by_action=True,
        share=SHARE,
        presets={"tuned": {"steps": tuned_steps(5.6, 5.6, 10.0, growth=0.0)}},
    ),
)
