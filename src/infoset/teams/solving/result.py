"""The result of solving a team game."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias

from infoset.policy import TabularPolicy
from infoset.teams.exact import SecurityLevel
from infoset.teams.policies import to_tabular
from infoset.teams.product_form.form import InformationMap, Team
from infoset.typing import FloatArray
from infoset.utils.short_repr import Facts, ShortRepr, format_numbers

TeamOutcome: TypeAlias = Literal[
    "optimal", "local", "iterations", "seconds", "states", "steps", "stopped", "interrupted"
]
"""Why the method ended: its answer is proved optimal; no agent can gain alone (`local`); a limit of
iterations, seconds, search states or search steps was reached; the callback stopped it; or Ctrl-C
was pressed."""


@dataclass(frozen=True)
class TeamPoint:
    """A measurement of a run."""

    run: int
    """Number of the run, from 0."""
    iteration: int
    """Iterations of this run so far."""
    seconds: float
    """Time since the first run began."""
    payoffs: tuple[float, ...]
    """Payoff of each team under the projected policy, in the game's units."""
    relaxed_payoffs: tuple[float, ...]
    """Payoff of each team under the relaxed policy; equal to `payoffs` without relaxation."""
    squared_distances: tuple[float, ...]
    """Squared distance between the two policies: E ‖π - π̂‖², summed over the stages of a play."""
    penalty_coefficients: tuple[float, ...]
    """γ, in utility units."""


TeamCallback: TypeAlias = Callable[[TeamPoint], object]
"""Called at every measurement; a true return value stops the method."""


@dataclass(frozen=True, eq=False)
class TeamCandidate:
    """A policy that was considered as the answer, and its measurements."""

    name: str
    """`cfr+` (all agents learn for themselves, without relaxation), `uniform`, the name of a
    method, or, if several teams learn, the `last` policy or the `mean` over the iterations."""

    probability: FloatArray
    """[entries] the policy, for the original information map."""

    payoffs: tuple[float, ...]
    """[T] payoff of each team if all agents play this policy, in the game's units."""

    security_levels: tuple[SecurityLevel, ...] | None
    """[T] the security level of each team with its part of this policy; None for a single team, and
    if there was no time to compute it."""

    iterations: int
    """Number of iterations after which the policy was taken; 0 for `uniform`."""

    seconds: float
    """Time taken to find the policy, without its measurement."""

    def summary(self) -> dict[str, Any]:
        """Return the candidate as JSON values, without the policy."""
        return {
            "name": self.name,
            "payoffs": list(self.payoffs),
            "security_levels": self.security_levels,
            "iterations": self.iterations,
            "seconds": self.seconds,
        }


@dataclass(frozen=True, eq=False, repr=False)
class TeamResult(ShortRepr):
    """The result of `solve_team`."""

    game: str
    """Name of the game; `policy.form.source` records where the game came from."""
    method: str
    teams: tuple[Team, ...]
    """T teams, a partition of the agents."""
    relaxed: InformationMap
    """The relaxed map during learning; the original map without relaxation."""
    information: InformationMap
    """The original map."""
    probability: FloatArray
    """[entries] the answer, as a policy for `information`: the best of the measured `candidates`.
    For a single team, that is the one with the highest payoff, after an improvement by iterated
    best response; the trace has the payoffs before the improvement. For several teams, each team's
    part comes from the candidate with the greatest lower bound in its security level."""
    last_probability: FloatArray
    """[entries] the last policy of the run that gave the answer."""
    payoffs: tuple[float, ...]
    """[T] payoff of each team under the answer, in the game's units."""
    upper_bound: float | None
    """Upper bound on the payoff of every policy, from the exact search or from the optimum under
    perfect recall. None for several teams."""
    outcome: TeamOutcome
    """Why the method ended."""
    run: int
    """Number of the run that gave the answer, or of the best run of learning if CFR+ did."""
    seed: int
    """Seed of the first run; each later run uses the next integer."""
    seconds: float
    """Time taken, excluding construction and compilation; the time limit applies to this time."""
    trace: tuple[TeamPoint, ...]
    """Measurements of all runs."""
    build_seconds: float = 0.0
    """Time taken to build the product form and its relaxation, without compilation."""
    compile_seconds: float = 0.0
    """Time taken to compile kernels, or to load them from disk."""
    security_levels: tuple[SecurityLevel, ...] | None = None
    """[T] bounds on the security level of each team under the answer, if all other agents respond
    together; see `security_level`. None for a single team, and if there was no time to compute
    them."""
    candidates: tuple[TeamCandidate, ...] = ()
    """The policies that were compared, with their measurements."""
    chosen: tuple[str, ...] = ()
    """[T] name of the candidate from which each team's part of the answer comes."""
    depends_on_clock: bool = False
    """Whether a time limit ended the run, or changed its plan or its measurements. Another run with
    the same seed may then give another answer."""

    def _facts(self) -> Facts:
        values = {
            "outcome": self.outcome,
            "payoffs": format_numbers(self.payoffs),
            "upper bound": self.upper_bound,
        }
        if self.security_levels is not None:
            values["sure of at least"] = format_numbers(
                [each.lower for each in self.security_levels]
            )
        return Facts(f"{self.game} by {self.method}", values, "see .policy, .trace, .gap")

    @cached_property
    def policy(self) -> TabularPolicy:
        """The answer as a policy of the game.

        Raises
        ------
        ParameterError
            If the product form was not built from a game.
        """
        return to_tabular(self.information, self.probability)

    @cached_property
    def last_policy(self) -> TabularPolicy:
        """The last policy as a policy of the game; raises the same error as `policy`."""
        return to_tabular(self.information, self.last_probability)

    @property
    def payoff(self) -> float:
        """Payoff of the first team under the answer."""
        return self.payoffs[0]

    @property
    def gap(self) -> float | None:
        """The upper bound minus the payoff, at least 0; None without a bound."""
        return None if self.upper_bound is None else max(0.0, self.upper_bound - self.payoff)

    @property
    def last(self) -> TeamPoint:
        """The last measurement of the run that gave the answer."""
        return self.trace_of(self.run)[-1]

    @property
    def num_runs(self) -> int:
        """Number of runs that were started."""
        return self.trace[-1].run + 1

    def trace_of(self, run: int) -> tuple[TeamPoint, ...]:
        """Return the measurements of a run."""
        return tuple(point for point in self.trace if point.run == run)

    def summary(self) -> dict[str, Any]:
        """Return the result as JSON values, without the policies and the trace."""
        return {
            "game": self.game,
            "method": self.method,
            "teams": [list(team) for team in self.teams],
            "relaxed": self.relaxed.name,
            "payoffs": list(self.payoffs),
            "last_payoffs": list(self.last.payoffs),
            "relaxed_payoffs": list(self.last.relaxed_payoffs),
            "squared_distances": list(self.last.squared_distances),
            "penalty_coefficients": list(self.last.penalty_coefficients),
            "security_levels": self.security_levels,
            "upper_bound": self.upper_bound,
            "gap": self.gap,
            "chosen": list(self.chosen),
            "candidates": [candidate.summary() for candidate in self.candidates],
            "outcome": self.outcome,
            "depends_on_clock": self.depends_on_clock,
            "runs": self.num_runs,
            "run": self.run,
            "iterations": self.last.iteration,
            "seconds": self.seconds,
            "build_seconds": self.build_seconds,
            "compile_seconds": self.compile_seconds,
        }
