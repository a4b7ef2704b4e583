"""The learners along the path that have a name, with their presets."""

from __future__ import annotations

from infoset.learning.balance import balanced_reach, balanced_transitions, subtree_policy
from infoset.learning.knowledge import Knowledge
from infoset.learning.path.learner import PathLearner
from infoset.learning.simulation import Infostates
from infoset.learning.steps import (
    Steps,
    adaptive_steps,
    balanced_steps,
    balanced_total_steps,
    plain_steps,
    plain_total_steps,
    transition_steps,
    visit_steps,
)
from infoset.learning.tuned import BoldSteps, tuned_steps
from infoset.typing import FloatArray, IntArray

__all__ = ["PATH_LEARNERS"]


def _inverse_transitions(infostates: Infostates, depth: IntArray) -> FloatArray:
    """Return [I] 1 / p*(x)."""
    inverse: FloatArray = 1.0 / balanced_transitions(infostates, depth)
    return inverse


PATH_LEARNERS: tuple[PathLearner, ...] = (
    PathLearner(
        "ixomd",
        "mirror descent with implicit exploration (Kozuno et al. 2021)",
        Knowledge.NOTHING,
        plain_steps,
        presets={
            "theory": {"steps": plain_steps},
            "practical": {"steps": plain_total_steps},
            "tuned": {"steps": tuned_steps(0.003, 0.01, 0.01)},
            "recommended": {
                "steps": BoldSteps(plain_total_steps, 20.0),
                "centre": 0.5,
                "floor": 0.1,
            },
            "anytime": {"anytime": True},
        },
    ),
    PathLearner(
        "balanced-omd",
        "mirror descent with balanced weights (Bai et al. 2022, Algorithm 1)",
        Knowledge.OWN_TREE,
        balanced_steps,
        weights=balanced_reach,
        presets={
            "theory": {"steps": balanced_steps},
            "practical": {"steps": balanced_total_steps},
            "tuned": {"steps": tuned_steps(0.01, 0.1, 0.3)},
            "recommended": {"steps": BoldSteps(balanced_total_steps, 5.0)},
            "anytime": {"anytime": True},
        },
    ),
    PathLearner(
        "balanced-ftrl",
        "follow the regularised leader with a balanced transition (Fiegel et al. 2023)",
        Knowledge.OWN_TREE,
        transition_steps,
        weights=_inverse_transitions,
        start=subtree_policy,
        presets={
            "theory": {"steps": transition_steps},
            "practical": {"steps": transition_steps},
            "tuned": {"steps": tuned_steps(0.001, 0.0003, 0.0003)},
            "recommended": {
                "steps": BoldSteps(transition_steps, 5.0),
                "centre": 0.5,
                "floor": 0.1,
            },
            "anytime": {"anytime": True},
        },
    ),
    PathLearner(
        "adaptive-ftrl",
        "follow the regularised leader, rates adapted to visits (Fiegel et al. 2023)",
        Knowledge.NOTHING,
        adaptive_steps,
        power=1.0,
        presets={
            "theory": {"steps": adaptive_steps},
            "practical": {"steps": adaptive_steps},
            "tuned": {"steps": tuned_steps(100.0, 32.0, 32.0, growth=0.5)},
            "recommended": {"steps": BoldSteps(adaptive_steps, 0.5)},
            "anytime": {"anytime": True},
        },
    ),
    PathLearner(
        "tweaked-ftrl",
        "adaptive-ftrl with the root of visits (public code of Fiegel et al. 2023)",
        Knowledge.NOTHING,
        visit_steps,
        power=0.5,
        presets={
            "practical": {"steps": visit_steps},
            "tuned": {"steps": tuned_steps(1.0, 1.0, 1.0, growth=0.0)},
            "recommended": {"steps": Steps(0.5, 0.025), "centre": 0.5, "floor": 0.1},
        },
    ),
    PathLearner(
        "perturbed-ftrl",
        "adaptive-ftrl whose pull to uniform falls slowly: the last policy converges (ours)",
        Knowledge.NOTHING,
        Steps(5.0, 0.25),
        power=0.75,
        centre=0.5,
        window=100.0,
        floor=1.0,
        answers_last=True,
    ),
)
