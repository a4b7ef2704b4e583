"""What learning a game from play returns."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from infoset.evaluation import (
    CCEEvaluation,
    CorrelatedPolicy,
    EFCEEvaluation,
    evaluate_policy,
)
from infoset.learning.regret_tracker import learns_joint_play
from infoset.policy import TabularPolicy
from infoset.runs import SolveResult

__all__ = ["LearnResult", "ProductOfAveragesWarning"]


class ProductOfAveragesWarning(UserWarning):
    """Average policies are asked for where playing each alone is no equilibrium of any kind."""


@dataclass(frozen=True)
class LearnResult:
    """What learning a game from play returns: one run per seed.

    Attributes
    ----------
    game : str
        The game, as `load` reads it.
    method : str
    seeds : tuple[int, ...]
    runs : tuple[SolveResult, ...]
        One per seed: `policy` is the average policy, `current_policy` the last one, an iteration
        is an episode.
    seconds : float
        Time taken by all runs together, the building of the game not counted; earlier sittings are.
    reason : str or None
        Why this method, where `auto` chose it.
    joint_play : tuple[CCEEvaluation, ...]
        Of each run, what joint play of its episodes earns, and how far it is from a coarse
        correlated equilibrium. Of up to 10,000 episodes, evenly spread. Empty with two players and
        constant sums, where average policies are what is learned, but by learners of
        extensive-form correlated equilibria.
    recommended_play : tuple[EFCEEvaluation, ...]
        Of each run of these learners, the same where players are told step by step what they did,
        and how far it is from such an equilibrium. Empty with others.
    correlated_policies : tuple[CorrelatedPolicy, ...]
        Of each run, policies out of those episodes: joint play to draw from. Empty likewise.
    """

    game: str
    method: str
    seeds: tuple[int, ...]
    runs: tuple[SolveResult, ...]
    seconds: float
    reason: str | None = None
    joint_play: tuple[CCEEvaluation, ...] = ()
    recommended_play: tuple[EFCEEvaluation, ...] = ()
    correlated_policies: tuple[CorrelatedPolicy, ...] = ()

    @property
    def episodes(self) -> int:
        """Episodes of a run; of the shortest, where some were ended early."""
        return min(run.iterations for run in self.runs)

    @property
    def episodes_per_second(self) -> float:
        """Episodes of all runs by the time they took, measuring included."""
        return sum(run.iterations for run in self.runs) / max(self.seconds, 1e-9)

    @property
    def policies(self) -> tuple[TabularPolicy, ...]:
        """The average policy of each run.

        With more than two players, or two whose payoffs are not constant-sum, it comes with a
        `ProductOfAveragesWarning`: there, what was learned is joint play.
        """
        if learns_joint_play(self.runs[0].policy.sequence_form):
            warnings.warn(
                f"in {self.game}, players who draw from their averages alone need not come close "
                "to any equilibrium; what they have learned is joint play: see "
                "correlated_policies, and cce_gap for how far it is from one",
                ProductOfAveragesWarning,
                stacklevel=2,
            )
        return tuple(run.policy for run in self.runs)

    @property
    def cce_gap(self) -> tuple[float, ...] | None:
        """How far joint play of each run is from a coarse correlated equilibrium.

        In the game's units; None where average policies are what is learned.
        """
        return tuple(joint.cce_gap for joint in self.joint_play) or None

    @property
    def efce_gap(self) -> tuple[float, ...] | None:
        """How far recommended play of each run is from an extensive-form correlated equilibrium.

        In the game's units; None where the method does not learn one.
        """
        return tuple(told.efce_gap for told in self.recommended_play) or None

    @property
    def values(self) -> tuple[tuple[float, ...], ...]:
        """What players expect of what each run has learned: average policies, or joint play."""
        return tuple(found.values for found in self.joint_play or self.runs)

    @property
    def nash_conv(self) -> tuple[float, ...]:
        """NashConv of the average policy of each run.

        With more than two players, or payoffs that are not constant-sum, a diagnostic: there, it
        is the joint play of the policies, and not their average, that approaches an equilibrium.
        """
        return tuple(run.nash_conv for run in self.runs)

    @property
    def exploitability(self) -> tuple[float, ...] | None:
        """Half of NashConv, per run; None unless the game is two-player constant-sum."""
        found = [run.exploitability for run in self.runs]
        return tuple(value for value in found if value is not None) or None

    @cached_property
    def last_nash_conv(self) -> tuple[float, ...]:
        """NashConv of the last policy of each run."""
        last = [run.current_policy for run in self.runs]
        return tuple(evaluate_policy(policy).nash_conv for policy in last if policy is not None)

    def summary(self) -> dict[str, Any]:
        """Return the numbers as JSON values, those of runs by seed; no policies, no traces."""
        return {
            "game": self.game,
            "method": self.method,
            "reason": self.reason,
            "episodes": self.episodes,
            "seconds": self.seconds,
            "episodes_per_second": self.episodes_per_second,
            "seeds": list(self.seeds),
            "nash_conv": list(self.nash_conv),
            "exploitability": _list(self.exploitability),
            "cce_gap": _list(self.cce_gap),
            "efce_gap": _list(self.efce_gap),
            "last_nash_conv": list(self.last_nash_conv),
            "values": [list(values) for values in self.values],
            "outcomes": [run.outcome for run in self.runs],
        }


def _list(numbers: tuple[float, ...] | None) -> list[float] | None:
    return None if numbers is None else list(numbers)
