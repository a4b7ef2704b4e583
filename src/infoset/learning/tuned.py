"""Step sizes that were found by trying, kept by family of games or as multiples of a rule."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from infoset.errors import ParameterError
from infoset.learning.steps import StepRule, Steps, TreeSize

__all__ = ["BoldSteps", "TunedSteps", "tuned_steps"]

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
                f"{', '.join(sorted(self.constants))}: choose another preset or none, or give "
                "a pair steps=(rate, exploration)"
            )
        rate = self.constants[family] * (episodes / TUNED_EPISODES) ** self.growth
        return Steps(rate, EXPLORATION_PER_RATE * rate)


def tuned_steps(kuhn: float, leduc: float, dice: float, growth: float = -0.5) -> TunedSteps:
    """Return steps kept for Kuhn poker, Leduc poker and liar's dice.

    Examples
    --------
    >>> tuned_steps(0.003, 0.01, 0.01)(TreeSize(6, 12, 2, 2, "kuhn_poker"), 4_000_000)
    Steps(rate=0.0015, exploration=7.500000000000001e-05)
    """
    return TunedSteps({"kuhn_poker": kuhn, "leduc_poker": leduc, "liars_dice": dice}, growth)


@dataclass(frozen=True)
class BoldSteps:
    """The rate of a rule times a factor, exploration a twentieth of it: for games never tuned.

    Theory looks to the worst game. The factor is what was best on most of those tried.

    Attributes
    ----------
    rule : StepRule
    factor : float
    """

    rule: StepRule
    factor: float

    def __call__(self, size: TreeSize, episodes: int) -> Steps:
        """Return the steps for a tree and a number of episodes."""
        rate = self.factor * self.rule(size, episodes).rate
        return Steps(rate, EXPLORATION_PER_RATE * rate)
