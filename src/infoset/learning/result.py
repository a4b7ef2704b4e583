"""The result of learning a game from play."""

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
from infoset.utils.short_repr import Facts, ShortRepr, format_numbers


class ProductOfAveragesWarning(UserWarning):
    """Warns that the product of the average policies need not approach an equilibrium."""


@dataclass(frozen=True, repr=False)
class LearnResult(ShortRepr):
    """The result of learning a game from play: one run per seed."""

    game: str
    """Name of the game; the `form.source` of a policy records where it came from."""
    method: str
    """Name of the learner."""
    seeds: tuple[int, ...]
    """Random seed of each run."""
    runs: tuple[SolveResult, ...]
    """One per seed. Its `policy` is the average policy, its `current_policy` is the last policy,
    and its `iterations` are episodes."""
    seconds: float
    """Total time of all runs, including earlier sessions, but not the time to build the game."""
    reason: str | None = None
    """The reason for the choice of the method, if `auto` made it; or for how many episodes the step
    sizes of a run were planned, if a time limit decided that."""
    joint_play: tuple[CCEEvaluation, ...] = ()
    """Values and the CCE gap of each run's empirical joint distribution of play, from up to 10,000
    evenly spaced episodes. Empty in two-player constant-sum games, where the average policies are
    the result, except for learners of extensive-form correlated equilibria."""
    recommended_play: tuple[EFCEEvaluation, ...] = ()
    """The EFCE gap of the same distribution, for learners of extensive-form correlated equilibria;
    empty for the others."""
    correlated_policies: tuple[CorrelatedPolicy, ...] = ()
    """A sample of each run's policies, from which joint play can be drawn. Empty if `joint_play` is
    empty."""
    build_seconds: float = 0.0
    """Time that `learn` took to build the game, without compilation."""
    compile_seconds: float = 0.0
    """Time that `learn` took to compile kernels, or to load them from disk."""

    def _facts(self) -> Facts:
        gaps = {
            "EFCE gap": self.efce_gap,
            "CCE gap": self.cce_gap,
            "exploitability": self.exploitability,
        }
        measured = {name: format_numbers(gap) for name, gap in gaps.items() if gap}
        values = {"runs": len(self.runs), "episodes": self.episodes, **measured}
        return Facts(f"{self.game} by {self.method}", values, "see .policies, .runs, .joint_play")

    @property
    def episodes(self) -> int:
        """Number of episodes per run, or of the shortest run if some ended early."""
        return min(run.iterations for run in self.runs)

    @property
    def episodes_per_second(self) -> float:
        """Episodes per second of all runs, including the time of measurements."""
        return sum(run.iterations for run in self.runs) / max(self.seconds, 1e-9)

    @property
    def policies(self) -> tuple[TabularPolicy, ...]:
        """The average policy of each run.

        In games that are not two-player constant-sum, reading it issues a
        `ProductOfAveragesWarning`, because the result of such a game is joint play.
        """
        if learns_joint_play(self.runs[0].policy.form):
            warnings.warn(
                f"in {self.game}, the product of the average policies need not approach an "
                "equilibrium: use correlated_policies, whose distance from equilibrium is cce_gap",
                ProductOfAveragesWarning,
                stacklevel=2,
            )
        return tuple(run.policy for run in self.runs)

    @property
    def cce_gap(self) -> tuple[float, ...] | None:
        """Gap of each run's joint play from a coarse correlated equilibrium.

        In the game's units. None if the average policies are the result.
        """
        return tuple(joint.cce_gap for joint in self.joint_play) or None

    @property
    def efce_gap(self) -> tuple[float, ...] | None:
        """EFCE gap of each run's joint play: its distance from such an equilibrium.

        In the game's units. None if the method does not learn such an equilibrium.
        """
        return tuple(measured.efce_gap for measured in self.recommended_play) or None

    @property
    def values(self) -> tuple[tuple[float, ...], ...]:
        """Expected utilities of each run's result: average policies or joint play."""
        return tuple(found.values for found in self.joint_play or self.runs)

    @property
    def nash_conv(self) -> tuple[float, ...]:
        """NashConv of the average policy of each run.

        In games that are not two-player constant-sum, it is only a diagnostic: the average policies
        need not approach an equilibrium, but joint play does.
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
        """Return the measurements as JSON values, without policies and traces.

        Measurements of runs are lists with one number per seed.
        """
        return {
            "game": self.game,
            "method": self.method,
            "reason": self.reason,
            "episodes": self.episodes,
            "seconds": self.seconds,
            "build_seconds": self.build_seconds,
            "compile_seconds": self.compile_seconds,
            "episodes_per_second": self.episodes_per_second,
            "seeds": list(self.seeds),
            "nash_conv": list(self.nash_conv),
            "exploitability": _list(self.exploitability),
            "cce_gap": _list(self.cce_gap),
            "efce_gap": _list(self.efce_gap),
            "last_nash_conv": list(self.last_nash_conv),
            "values": [list(values) for values in self.values],
            "payoff_width": self.runs[0].policy.form.payoff_width,
            "outcomes": [run.outcome for run in self.runs],
        }


def _list(numbers: tuple[float, ...] | None) -> list[float] | None:
    return None if numbers is None else list(numbers)
