"""LocalOMD by name, with presets."""

from __future__ import annotations

from math import sqrt

from infoset.learning.local_omd.learner import LocalOMD
from infoset.learning.step_sizes import StepSizes, TreeSize
from infoset.learning.tuned import tuned_step_sizes

__all__ = ["LOCAL_OMD_LEARNERS", "adaptive_step_sizes", "local_omd_step_sizes"]

RATE = 5.6
RATE_BY_ACTION = 10.0
EXPLORATION = 0.8
BASELINE_WINDOW = 200


def local_omd_step_sizes(size: TreeSize, episodes: int) -> StepSizes:
    """Return η = √(2 XA log A / T) for T episodes of one's own.

    The one of least bound H XA log A / η + η H T / 2 for rates η / n(x) and a total loss in [0, 1].
    """
    return StepSizes(sqrt(2 * size.sequences * size.log_actions / episodes), 0.0)


def adaptive_step_sizes(size: TreeSize, episodes: int) -> StepSizes:
    """Return η = √(log A), for rates that fall with the estimates at each infostate."""
    return StepSizes(sqrt(size.log_actions), 0.0)


LOCAL_OMD_LEARNERS: tuple[LocalOMD, ...] = (
    LocalOMD(
        "local-omd",
        "mirror descent on episodes of a fixed sampling policy (Fiegel et al. 2024)",
        step_sizes=local_omd_step_sizes,
        presets={
            "theory": {"step_sizes": local_omd_step_sizes},
            "tuned": {"step_sizes": tuned_step_sizes(0.7, 0.7, 2.0)},
            "anytime": {"anytime": True},
        },
    ),
    LocalOMD(
        "local-omd-adaptive",
        "local-omd, rates adapted to the estimates at each infostate (Fiegel et al. 2024)",
        step_sizes=adaptive_step_sizes,
        adaptive=True,
        presets={
            "theory": {"step_sizes": adaptive_step_sizes},
            "tuned": {"step_sizes": tuned_step_sizes(3.2, 3.2, 10.0, growth=0.0)},
        },
    ),
    LocalOMD(
        "local-omd-baseline",
        "local-omd-adaptive with a running mean taken off costs: less noise (ours)",
        step_sizes=StepSizes(RATE, 0.0),
        adaptive=True,
        center=0.5,
        baseline_window=BASELINE_WINDOW,
        presets={"tuned": {"step_sizes": tuned_step_sizes(3.2, 3.2, 10.0, growth=0.0)}},
    ),
    LocalOMD(
        "local-omd-action-baseline",
        "local-omd-adaptive, a mean taken off the costs of each action, a fifth on policy (ours)",
        step_sizes=StepSizes(RATE_BY_ACTION, 0.0),
        adaptive=True,
        center=0.5,
        baseline_window=BASELINE_WINDOW,
        baseline_per_action=True,
        exploration=EXPLORATION,
        presets={"tuned": {"step_sizes": tuned_step_sizes(5.6, 5.6, 10.0, growth=0.0)}},
    ),
)
