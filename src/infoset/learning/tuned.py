"""Step sizes that were found by trying, kept by family of games or as multiples of a rule."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from infoset.errors import ParameterError
from infoset.learning.step_sizes import StepSizeRule, StepSizes, TreeSize

__all__ = ["ScaledStepSizes", "TunedStepSizes", "tuned_step_sizes"]

TUNED_EPISODES = 1_000_000
EXPLORATION_PER_RATE = 0.05


@dataclass(frozen=True)
class TunedStepSizes:
    """Step sizes kept by family of games, the best constant c of a grid: rate c, exploration c/20.

    Attributes
    ----------
    constants : Mapping[str, float]
        c by family of games, for 10⁶ episodes.
    growth : float
        The power of the episodes that c grows with: -1/2 where rates are fixed.
    """

    constants: Mapping[str, float]
    growth: float = -0.5

    def __call__(self, size: TreeSize, episodes: int) -> StepSizes:
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
                f"{', '.join(sorted(self.constants))}: choose another preset or none, or give "
                "a pair step_sizes=(learning_rate, implicit_exploration)"
            )
        rate = self.constants[family] * (episodes / TUNED_EPISODES) ** self.growth
        return StepSizes(rate, EXPLORATION_PER_RATE * rate)


def tuned_step_sizes(
    kuhn: float, leduc: float, dice: float, growth: float = -0.5
) -> TunedStepSizes:
    """Return steps kept for Kuhn poker, Leduc poker and liar's dice.

    Examples
    --------
    >>> tuned_step_sizes(0.003, 0.01, 0.01)(TreeSize(6, 12, 2, 2, "kuhn_poker"), 4_000_000)
    StepSizes(learning_rate=0.0015, implicit_exploration=7.500000000000001e-05)
    """
    return TunedStepSizes({"kuhn_poker": kuhn, "leduc_poker": leduc, "liars_dice": dice}, growth)


@dataclass(frozen=True)
class ScaledStepSizes:
    """The rate of a rule times a factor, exploration a twentieth of it: for games never tuned.

    Theory looks to the worst game. The factor is what was best on most of those tried.

    Attributes
    ----------
    rule : StepSizeRule
    factor : float
    """

    rule: StepSizeRule
    factor: float

    def __call__(self, size: TreeSize, episodes: int) -> StepSizes:
        """Return the steps for a tree and a number of episodes."""
        rate = self.factor * self.rule(size, episodes).learning_rate
        return StepSizes(rate, EXPLORATION_PER_RATE * rate)
