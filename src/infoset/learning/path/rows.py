"""The learners along the path that have a name, with their presets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from infoset.errors import ParameterError
from infoset.learning.balance import balanced_reach, balanced_transitions, subtree_policy
from infoset.learning.knowledge import Knowledge
from infoset.learning.path.learner import PathLearner
from infoset.learning.simulation import Infostates
from infoset.learning.steps import (
    Steps,
    TreeSize,
    adaptive_steps,
    balanced_steps,
    balanced_total_steps,
    plain_steps,
    plain_total_steps,
    transition_steps,
    visit_steps,
)
from infoset.typing import FloatArray, IntArray

__all__ = ["PATH_LEARNERS", "TunedSteps"]

TUNED_EPISODES = 1_000_000
EXPLORATION_PER_RATE = 0.05


@dataclass(frozen=True)
class TunedSteps:
    """Steps kept by family of games, the best of a grid of constants c: rate c, exploration c/20.

    Attributes
    ----------
    constants : Mapping[str, float]
        c by family of games, for 10⁶ episodes.
    growth : float
        The power of the episodes that c grows with: -1/2 where rates are fixed.
    """

    constants: Mapping[str, float]
    growth: float = -0.5

    def __call__(self, size: TreeSize, episodes: int) -> Steps:
        """Return the steps for the family of a game.

        Raises
        ------
        ParameterError
            If none are kept for it.
        """
        family = size.game.split("(")[0]
        if family not in self.constants:
            raise ParameterError(
                f"no steps have been tuned for {size.game or 'this game'}, only for "
                f'{", ".join(sorted(self.constants))}: choose preset="practical", or give a pair '
                "steps=(rate, exploration)"
            )
        rate = self.constants[family] * (episodes / TUNED_EPISODES) ** self.growth
        return Steps(rate, EXPLORATION_PER_RATE * rate)


def _inverse_transitions(infostates: Infostates, depth: IntArray) -> FloatArray:
    """Return [I] 1 / p*(x)."""
    inverse: FloatArray = 1.0 / balanced_transitions(infostates, depth)
    return inverse


def _tuned(kuhn: float, leduc: float, dice: float, growth: float = -0.5) -> TunedSteps:
    return TunedSteps({"kuhn_poker": kuhn, "leduc_poker": leduc, "liars_dice": dice}, growth)


PATH_LEARNERS: tuple[PathLearner, ...] = (
    PathLearner(
        "ixomd",
        "mirror descent with implicit exploration (Kozuno et al. 2021)",
        Knowledge.NOTHING,
        plain_steps,
        presets={
            "theory": {"steps": plain_steps},
            "practical": {"steps": plain_total_steps},
            "tuned": {"steps": _tuned(0.003, 0.01, 0.01)},
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
            "tuned": {"steps": _tuned(0.01, 0.1, 0.3)},
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
            "tuned": {"steps": _tuned(0.003, 0.001, 0.003)},
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
            "tuned": {"steps": _tuned(316.0, 32.0, 32.0, growth=0.5)},
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
            "tuned": {"steps": _tuned(0.3, 1.0, 1.0, growth=0.0)},
        },
    ),
)
