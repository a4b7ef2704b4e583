"""Schemes of progressive hiding: projector, weighting, sampling and restarts."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Final, Literal, TypeAlias, TypeVar

from infoset.errors import ParameterError
from infoset.teams.hiding.local_learners import LocalLearner, entropic_ftrl
from infoset.teams.hiding.schedules import PenaltySchedule, constant_penalty
from infoset.utils.arguments import check_choice, check_count, check_number, check_type
from infoset.utils.registry import Registry


@dataclass(frozen=True)
class Projector:
    """The reference profile of the projector P_ρ: a mixture of three reach probabilities.

    The weight of a node is

        ρ(n) = current · ρ^π(n) + previous · ρ^π̂(n) + uniform · ρ^u(n)

    where π is the relaxed policy of this iteration, π̂ the projected policy of the previous
    iteration, and u uniform play.
    """

    name: str
    description: str
    """Description in one line."""
    current: float = 0.0
    previous: float = 0.0
    uniform: float = 0.0
    """Mixture weights; they sum to 1."""

    def __post_init__(self) -> None:
        shares = self.current, self.previous, self.uniform
        for name, share in zip(("current", "previous", "uniform"), shares, strict=True):
            check_number(name, share)
        if abs(sum(shares) - 1.0) > 1e-12:
            raise ParameterError(
                f"the weights {shares} of a projector sum to {sum(shares)}; they must sum to 1"
            )

    def mixed(self, share: float) -> Projector:
        """Return the projector with a fraction `share` of uniform play mixed in.

        This gives every node some weight, even if the learner gives some actions probability 0.

        Raises
        ------
        ParameterError
            If the fraction is not between 0 and 1.
        """
        check_number("share", share, maximum=1)
        kept = 1.0 - share
        uniform = kept * self.uniform + share
        return Projector(
            self.name, self.description, kept * self.current, kept * self.previous, uniform
        )


PROJECTORS: Final = Registry(
    "projector",
    (
        Projector("current", "weights: reach under the relaxed policy", current=1.0),
        Projector("previous", "weights: reach under the previous projected policy", previous=1.0),
        Projector(
            "uniform", "weights: reach under uniform play; fails, for comparison only", uniform=1.0
        ),
    ),
    entry_type=Projector,
)
"""Projectors by name."""

LeftOut: TypeAlias = Literal["nobody", "agent", "team", "everybody"]
"""The agents whose choices are left out of the reach of a node."""


@dataclass(frozen=True)
class Weighting:
    """The weight of a node in the mean action values of its cell: a reach without some choices."""

    name: str
    description: str
    """Description in one line."""
    leaves_out: LeftOut
    """The agents whose choices are left out of the reach: nobody, the acting agent, its team, or
    everybody."""
    conditional: bool = False
    """Whether the weights are normalized to sum to 1 in each cell, which makes them beliefs."""


WEIGHTINGS: Final = Registry(
    "weighting",
    (
        Weighting("posterior", "beliefs given the cell", "nobody", conditional=True),
        Weighting("counterfactual", "reach without the choices of the acting team", "team"),
        Weighting("agent", "reach without the choices of the acting agent", "agent"),
        Weighting("full", "reach with all choices", "nobody"),
        Weighting("chance", "probability of chance alone", "everybody"),
    ),
    entry_type=Weighting,
)
"""Weightings by name."""


@dataclass(frozen=True)
class RegretRestarts:
    """Periodic restarts with retained regret.

    After every `iterations` iterations

        regret ← retain · regret + noise

    and the penalty schedule starts again. If `retain` is 0, this is an ordinary restart. A small
    positive value restores clear decisions and randomizes close ones, such as which items share a
    message while another message is unused.
    """

    iterations: int
    """Iterations between restarts."""
    retain: float = 0.001
    """Fraction of the regrets that each restart retains."""
    noise: float = 0.5
    """Standard deviation of the added noise, defined as in `LocalLearner.noise`."""

    def __post_init__(self) -> None:
        check_count("iterations", self.iterations, minimum=1)
        check_number("retain", self.retain)
        check_number("noise", self.noise)
        if self.retain > 1:
            raise ParameterError(f"retain={self.retain!r} must be a fraction between 0 and 1")


Visits: TypeAlias = Literal["everything", "outcome", "path"]
"""The nodes that an iteration visits: all, those below a sampled outcome, or a sampled path."""
VISITS: Final[tuple[Visits, ...]] = ("everything", "outcome", "path")
MIXING: Final = 0.01
Row = TypeVar("Row", Projector, Weighting)


@dataclass(frozen=True)
class HidingScheme:
    """Everything that defines a run of progressive hiding apart from the game and the seed.

    Examples
    --------
    >>> HidingScheme(penalty=0.3).reference.current
    1.0
    """

    learner: LocalLearner = field(default_factory=entropic_ftrl)
    penalty: PenaltySchedule | float = 0.3
    """γ of each iteration, in utility units; a number stands for a constant penalty."""
    projector: Projector | str = "current"
    weighting: Weighting | str | None = None
    """By default `posterior` if one team learns, and `counterfactual` if several do."""
    visits: Visits = "everything"
    """Whether an iteration updates every cell, the cells below one sampled outcome of chance, or
    the cells on one sampled path. The projection is always exact."""
    exploration: float = 0.5
    """Probability of uniform play at each node of a sampled path."""
    mixing: float | None = None
    """Fraction of uniform play in the weights of the projector. The default is 0.01 for regret
    matching, which gives some actions probability 0, and otherwise 0."""
    future_penalties: bool = True
    """Whether values include the penalties of later stages, which reward an early agent for
    informative actions. Without them the method fails; False exists for experiments."""
    regret_restarts: RegretRestarts | None = None
    """By default there are no restarts."""
    is_planned: bool = False
    """Whether the rounds between restarts are fitted to the limit of a run, so that each ends with
    the end of the penalty schedule; see `ProgressiveHiding.plan`. If not, the numbers are used as
    they are given."""

    def __post_init__(self) -> None:
        check_type("learner", self.learner, LocalLearner, "a learner, such as entropic_ftrl()")
        check_number("exploration", self.exploration, maximum=1)
        if self.regret_restarts is not None:
            check_type(
                "regret_restarts",
                self.regret_restarts,
                RegretRestarts,
                "RegretRestarts(iterations=100)",
            )
        check_choice("visits", self.visits, VISITS)
        if self.visits == "path" and self.exploration == 0 and self.learner.learning_rate == 0:
            raise ParameterError(
                "exploration=0 with visits='path': regret matching gives some actions probability "
                "0 and would never learn their values; give exploration above 0, such as 0.5"
            )
        _ = self.schedule, self.reference, self.weights(1)

    @property
    def schedule(self) -> PenaltySchedule:
        """The penalty schedule."""
        if isinstance(self.penalty, PenaltySchedule):
            return self.penalty
        return constant_penalty(self.penalty)

    @property
    def reference(self) -> Projector:
        """The reference profile of the projector, with uniform play mixed in."""
        share = self.mixing
        if share is None:
            share = 0.0 if self.learner.learning_rate > 0.0 else MIXING
        return PROJECTORS.resolve(self.projector).mixed(share)

    def weights(self, num_learning: int) -> Weighting:
        """Return the weighting if `num_learning` teams learn."""
        default = "posterior" if num_learning == 1 else "counterfactual"
        given = default if self.weighting is None else self.weighting
        return WEIGHTINGS.resolve(given)

    def settings(self) -> dict[str, Any]:
        """Return the settings that, with game, maps and seed, determine every iteration."""
        return {
            **asdict(self),
            "penalty": asdict(self.schedule),
            "projector": asdict(self.reference),
        }
