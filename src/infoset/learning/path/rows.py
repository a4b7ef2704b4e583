"""The learners along the path that have a name, with their presets."""

from __future__ import annotations

from infoset.learning.balance import balanced_reach, balanced_transitions, subtree_policy
from infoset.learning.knowledge import Knowledge
from infoset.learning.path.learner import OnlineMirrorDescent
from infoset.learning.simulation import Infostates
from infoset.learning.step_sizes import (
    StepSizes,
    adaptive_ftrl_step_sizes,
    balanced_ftrl_step_sizes,
    balanced_omd_step_sizes,
    balanced_omd_total_loss_step_sizes,
    ixomd_step_sizes,
    ixomd_total_loss_step_sizes,
    tweaked_ftrl_step_sizes,
)
from infoset.learning.tuned import ScaledStepSizes, tuned_step_sizes
from infoset.typing import FloatArray, IntArray

__all__ = ["MIRROR_DESCENT_LEARNERS"]


def _inverse_transitions(infostates: Infostates, depth: IntArray) -> FloatArray:
    """Return [I] 1 / p*(x)."""
    inverse: FloatArray = 1.0 / balanced_transitions(infostates, depth)
    return inverse


MIRROR_DESCENT_LEARNERS: tuple[OnlineMirrorDescent, ...] = (
    OnlineMirrorDescent(
        "ixomd",
        "mirror descent with implicit exploration (Kozuno et al. 2021)",
        Knowledge.NOTHING,
        ixomd_step_sizes,
        presets={
            "theory": {"step_sizes": ixomd_step_sizes},
            "practical": {"step_sizes": ixomd_total_loss_step_sizes},
            "tuned": {"step_sizes": tuned_step_sizes(0.003, 0.01, 0.01)},
            "recommended": {
                "step_sizes": ScaledStepSizes(ixomd_total_loss_step_sizes, 20.0),
                "center": 0.5,
                "min_probability": 0.1,
            },
            "anytime": {"anytime": True},
        },
    ),
    OnlineMirrorDescent(
        "balanced-omd",
        "mirror descent with balanced weights (Bai et al. 2022, Algorithm 1)",
        Knowledge.OWN_TREE,
        balanced_omd_step_sizes,
        weights=balanced_reach,
        presets={
            "theory": {"step_sizes": balanced_omd_step_sizes},
            "practical": {"step_sizes": balanced_omd_total_loss_step_sizes},
            "tuned": {"step_sizes": tuned_step_sizes(0.01, 0.1, 0.3)},
            "recommended": {"step_sizes": ScaledStepSizes(balanced_omd_total_loss_step_sizes, 5.0)},
            "anytime": {"anytime": True},
        },
    ),
    OnlineMirrorDescent(
        "balanced-ftrl",
        "follow the regularised leader with a balanced transition (Fiegel et al. 2023)",
        Knowledge.OWN_TREE,
        balanced_ftrl_step_sizes,
        weights=_inverse_transitions,
        initial_policy=subtree_policy,
        presets={
            "theory": {"step_sizes": balanced_ftrl_step_sizes},
            "practical": {"step_sizes": balanced_ftrl_step_sizes},
            "tuned": {"step_sizes": tuned_step_sizes(0.001, 0.0003, 0.0003)},
            "recommended": {
                "step_sizes": ScaledStepSizes(balanced_ftrl_step_sizes, 5.0),
                "center": 0.5,
                "min_probability": 0.1,
            },
            "anytime": {"anytime": True},
        },
    ),
    OnlineMirrorDescent(
        "adaptive-ftrl",
        "follow the regularised leader, rates adapted to visits (Fiegel et al. 2023)",
        Knowledge.NOTHING,
        adaptive_ftrl_step_sizes,
        adaptivity_exponent=1.0,
        presets={
            "theory": {"step_sizes": adaptive_ftrl_step_sizes},
            "practical": {"step_sizes": adaptive_ftrl_step_sizes},
            "tuned": {"step_sizes": tuned_step_sizes(100.0, 32.0, 32.0, growth=0.5)},
            "recommended": {"step_sizes": ScaledStepSizes(adaptive_ftrl_step_sizes, 0.5)},
            "anytime": {"anytime": True},
        },
    ),
    OnlineMirrorDescent(
        "tweaked-ftrl",
        "adaptive-ftrl with the root of visits (public code of Fiegel et al. 2023)",
        Knowledge.NOTHING,
        tweaked_ftrl_step_sizes,
        adaptivity_exponent=0.5,
        presets={
            "practical": {"step_sizes": tweaked_ftrl_step_sizes},
            "tuned": {"step_sizes": tuned_step_sizes(1.0, 1.0, 1.0, growth=0.0)},
            "recommended": {
                "step_sizes": StepSizes(0.5, 0.025),
                "center": 0.5,
                "min_probability": 0.1,
            },
        },
    ),
    OnlineMirrorDescent(
        "perturbed-ftrl",
        "adaptive-ftrl whose pull to uniform falls slowly: the last policy converges (ours)",
        Knowledge.NOTHING,
        StepSizes(5.0, 0.25),
        adaptivity_exponent=0.75,
        center=0.5,
        baseline_window=100.0,
        min_probability=1.0,
        use_last_policy=True,
    ),
)
