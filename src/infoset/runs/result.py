"""Results of runs, and the trace of measurements."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, TypeAlias

from infoset.evaluation import Evaluation
from infoset.policy import TabularPolicy
from infoset.utils.short_repr import Facts, ShortRepr, format_numbers

Outcome: TypeAlias = Literal[
    "converged", "optimal", "iterations", "seconds", "stalled", "stopped", "interrupted", "failed"
]
"""Why a run ended: the target was reached; an exact method finished; the limit of iterations or
seconds was reached; the target is out of reach of the method or precision, as nine tenths of the
iterations have not reduced the error; the callback stopped it; Ctrl-C was pressed; or an exact
method failed."""


class JointGaps(NamedTuple):
    """Distances of joint play from two kinds of equilibrium, in the game's units."""

    cce: float | None = None
    """Distance from a coarse correlated equilibrium (CCE); None if not measured."""
    efce: float | None = None
    """Distance from an extensive-form correlated equilibrium (EFCE); None if not measured."""


UNMEASURED = JointGaps()


class WarmStart(NamedTuple):
    """The policy from which a run started."""

    source: str
    """The file or the folder of a run, as given; otherwise the name of the policy's game."""
    digest: str
    """`TabularPolicy.digest` of the policy on the form that was solved."""
    share: float
    """Share of the infostates with a counterpart in the policy's game; 1 for the same game. The
    policy is uniform at the others."""


@dataclass(frozen=True)
class TracePoint:
    """One measurement of a run."""

    iteration: int
    """Iterations done."""
    seconds: float
    """Time since the run began, including the time of measurements."""
    values: tuple[float, ...]
    """Expected utilities of the answer so far."""
    nash_conv: float
    """NashConv of the answer so far."""
    exploitability: float | None
    """Exploitability of the answer so far; None unless the game is two-player constant-sum."""
    cce_gap: float | None = None
    efce_gap: float | None = None
    """Gaps of joint play so far, if the method measures them; see `JointGaps`."""

    @property
    def errors(self) -> dict[str, float]:
        """Distances from equilibrium by name, the one most specific to the method first."""
        named = {
            "EFCE gap": self.efce_gap,
            "CCE gap": self.cce_gap,
            "exploitability": self.exploitability,
            "NashConv": self.nash_conv,
        }
        return {name: error for name, error in named.items() if error is not None}

    @property
    def error(self) -> float:
        """The first of `errors`, to which the target of a budget applies."""
        return next(iter(self.errors.values()))


Callback: TypeAlias = Callable[[TracePoint], object]
"""Called at every measurement; a true return value stops the run."""


@dataclass(frozen=True, repr=False)
class SolveResult(ShortRepr):
    """The result of solving a game, converged or not.

    Attributes
    ----------
    game
        Name of the game; `policy.form.source` records where it came from.
    method : str
    policy
        The answer. Depending on the method, it is the average policy, the last iterate, or the
        solution of the linear program.
    current_policy
        The last iterate, if the method has one.
    measured
        The evaluation of `policy` by exact best responses in float64, independent of the solver.
    outcome
        Why the run ended. A run that does not converge is not an error.
    iterations
        Iterations done.
    seconds
        Time taken, excluding construction and compilation; the time limit applies to this time.
    trace
        The measurements; the last one is of `policy`.
    reason
        Why `auto` chose the method; if a limit ended a linear program, where `policy` comes from;
        or, if schedules were planned by a time limit, for how many iterations. None otherwise.
    gaps
        Further measurements of some methods, in the game's units. `quantal`: the `quantal_gap` of
        the answer of magnetic mirror descent (the function `quantal_distance` bounds the
        distance in probability).
        `excessive`: the upper bound on NashConv that the excessive gap technique certifies.
    build_seconds
        Time that `solve` took to build the game, without compilation.
    compile_seconds
        Time that `solve` took to compile kernels, or to load them from disk.
    seed
        Random seed of the run; None if the method does not use random numbers.
    form_reason
        Why `solve` chose the public form; None if it did not, or was asked for it.
    target
        Distance from equilibrium at which the run was to stop, in the game's units; None without a
        target, or if the method is exact.
    start
        The policy from which the run started; None for uniform play.
    """

    game: str
    method: str
    policy: TabularPolicy
    current_policy: TabularPolicy | None
    measured: Evaluation
    outcome: Outcome
    iterations: int
    seconds: float
    trace: tuple[TracePoint, ...]
    reason: str | None = None
    gaps: Mapping[str, float] = field(default_factory=dict)
    build_seconds: float = 0.0
    compile_seconds: float = 0.0
    seed: int | None = None
    form_reason: str | None = None
    target: float | None = None
    start: WarmStart | None = None

    def _facts(self) -> Facts:
        kind = "NashConv" if self.exploitability is None else "exploitability"
        error = self.nash_conv if self.exploitability is None else self.exploitability
        values = {"outcome": self.outcome, "values": format_numbers(self.values), kind: error}
        return Facts(f"{self.game} by {self.method}", values, "see .policy, .trace, .measured")

    @property
    def values(self) -> tuple[float, ...]:
        """Expected utility of each player under `policy`, in the game's units."""
        return self.measured.values

    @property
    def nash_conv(self) -> float:
        """Sum of the players' gains from best responses to `policy`.

        In games that are not two-player constant-sum it is only a diagnostic, because the average
        policy need not approach an equilibrium.
        """
        return self.measured.nash_conv

    @property
    def exploitability(self) -> float | None:
        """Half of NashConv; None unless the game is two-player constant-sum."""
        return self.measured.exploitability

    @property
    def security_levels(self) -> tuple[float, float] | None:
        """Security level of each player's policy minus the rounding error.

        None unless the game is two-player constant-sum.
        """
        return self.measured.security_levels

    def summary(self) -> dict[str, Any]:
        """Return the result as JSON values, without the policies and the trace."""
        pot = self.policy.form.source.initial_pot
        return {
            "game": self.game,
            "method": self.method,
            "seed": self.seed,
            "reason": self.reason,
            "form": self.policy.form.kind,
            "form_reason": self.form_reason,
            "iterations": self.iterations,
            "seconds": self.seconds,
            "build_seconds": self.build_seconds,
            "compile_seconds": self.compile_seconds,
            "values": list(self.values),
            "nash_conv": self.nash_conv,
            "exploitability": self.exploitability,
            "security_levels": None if self.security_levels is None else list(self.security_levels),
            "rounding": self.measured.rounding,
            "payoff_width": self.policy.form.payoff_width,
            "initial_pot": pot and pot._asdict(),
            "gaps": dict(self.gaps),
            "target": self.target,
            "start": self.start and self.start._asdict(),
            "outcome": self.outcome,
        }
