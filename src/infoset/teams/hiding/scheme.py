"""Schemes of progressive hiding: projector, weighting, sampling and restarts."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Final, Literal, TypeAlias, TypeVar

from infoset.errors import ParameterError
from infoset.teams.hiding.local_learners import LocalLearner, entropic_ftrl
from infoset.teams.hiding.schedules import PenaltySchedule, constant_penalty
from infoset.utils.arguments import check_choice, check_count, check_number, check_type
from infoset.utils.registry import Registry

__all__ = [
    "PROJECTORS",
    "VISITS",
    "WEIGHTINGS",
    "HidingScheme",
    "LeftOut",
    "Projector",
    "RegretRestarts",
    "Visits",
    "Weighting",
]


@dataclass(frozen=True)
class Projector:
    """The reference profile of a projector, as shares of three reaches that sum to 1.

    The weight of a node is

        ρ(n) = current · ρ^π(n) + previous · ρ^π̂(n) + uniform · ρ^u(n)

    with π the relaxed policy of this iteration, π̂ the projection of the previous iteration, and u
    uniform play.

    Attributes
    ----------
    name : str
    description : str
        One line.
    current, previous, uniform : float

    Raises
    ------
    ParameterError
        If a share is negative, or they do not sum to 1.
    """

    name: str
    description: str
    current: float = 0.0
    previous: float = 0.0
    uniform: float = 0.0

    def __post_init__(self) -> None:
        shares = self.current, self.previous, self.uniform
        for name, share in zip(("current", "previous", "uniform"), shares, strict=True):
            check_number(name, share)
        if abs(sum(shares) - 1.0) > 1e-12:
            raise ParameterError(
                f"the shares {shares} of a projector sum to {sum(shares)}; they must sum to 1"
            )

    def mixed(self, share: float) -> Projector:
        """Return the projector with `share` of its weights taken from uniform play.

        For learners that leave out actions, so that whatever can happen has some weight.

        Raises
        ------
        ParameterError
            If the share is not between 0 and 1.
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
        Projector("current", "by the reach under the relaxed policy", current=1.0),
        Projector("previous", "by the reach under the last implementable policy", previous=1.0),
        Projector(
            "uniform", "by the reach under uniform play; fails, kept to show it", uniform=1.0
        ),
    ),
    entry_type=Projector,
)
"""The projectors that have a name."""
LeftOut: TypeAlias = Literal["nobody", "agent", "team", "everybody"]
"""Whose own choices do not count in the reach of a node."""


@dataclass(frozen=True)
class Weighting:
    """The weight of a node at its cell: chance's probability, times choices on the way there.

    Attributes
    ----------
    name : str
    description : str
        One line.
    leaves_out : LeftOut
        Whose choices are not in it: of the agent who acts at the node, of its team, or of all.
    conditional : bool
        Whether weights are divided by their sum over the cell, so that they are beliefs.
    """

    name: str
    description: str
    leaves_out: LeftOut
    conditional: bool = False


WEIGHTINGS: Final = Registry(
    "weighting",
    (
        Weighting("posterior", "beliefs given the cell", "nobody", conditional=True),
        Weighting("counterfactual", "reach without the own team's choices", "team"),
        Weighting("agent", "reach without the own agent's choices", "agent"),
        Weighting("full", "reach with all choices", "nobody"),
        Weighting("chance", "chance's probability alone", "everybody"),
    ),
    entry_type=Weighting,
)
"""The weightings that have a name."""


@dataclass(frozen=True)
class RegretRestarts:
    """When learners forget, and what is left then of their regrets.

    After each round

        regret ← retain · regret + noise

    and the penalty schedule begins again. At `retain` 0 that is a restart. A little that is retain
    settles again, as it was, what was clear, while the noise settles anew what was not: a word that
    two items share, and another that none has.

    Attributes
    ----------
    iterations : int
        Of a round.
    retain : float
        The share of regrets that is retain.
    noise : float
        σ of what is added, as in the learner: in the exponent, or in units of utility where regrets
        are matched.

    Raises
    ------
    ParameterError
        If a number is none, or the share is more than 1.
    """

    iterations: int
    retain: float = 0.001
    noise: float = 0.5

    def __post_init__(self) -> None:
        check_count("iterations", self.iterations, minimum=1)
        check_number("retain", self.retain)
        check_number("noise", self.noise)
        if self.retain > 1:
            raise ParameterError(f"retain={self.retain!r} is a share: it must be between 0 and 1")


Visits: TypeAlias = Literal["everything", "outcome", "path"]
"""What an iteration learns at: all nodes, those below an outcome of chance drawn, or one play."""
VISITS: Final[tuple[Visits, ...]] = ("everything", "outcome", "path")
MIXING: Final = 0.01
Row = TypeVar("Row", Projector, Weighting)


@dataclass(frozen=True)
class HidingScheme:
    """How a relaxed policy is learned, and pulled to what agents can do with what they know.

    Attributes
    ----------
    learner : LocalLearner
    penalty : PenaltySchedule or float
        γ of each iteration, in units of utility; a number for one that stays.
    projector : Projector or str
    weighting : Weighting or str, optional
        By default `posterior` where one team learns, and `counterfactual` where more do.
    visits : Visits
        Everything in each iteration, or what is below an outcome of chance that is drawn, or one
        play that is drawn. The projection is exact always.
    exploration : float
        Share of uniform play in the plays that are drawn.
    mixing : float, optional
        Share of uniform play in the weights of the projector, so that whatever can happen has
        some; by default 0.01 where the learner leaves out actions, and else 0.
    future_penalties : bool
        Whether values have the penalties of later stages in them. They tell those who move first
        to be informative: without them nothing does. Kept to show that.
    regret_restarts : RegretRestarts, optional
        When learners forget and begin again; by default never.

    Raises
    ------
    ParameterError, UnknownNameError
        If something is no row, number or name of its kind.

    Examples
    --------
    >>> HidingScheme(penalty=0.3).reference.current
    1.0
    """

    learner: LocalLearner = field(default_factory=entropic_ftrl)
    penalty: PenaltySchedule | float = 0.3
    projector: Projector | str = "current"
    weighting: Weighting | str | None = None
    visits: Visits = "everything"
    exploration: float = 0.5
    mixing: float | None = None
    future_penalties: bool = True
    regret_restarts: RegretRestarts | None = None

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
                "a learner that leaves out actions never learns what they are worth from plays "
                "without exploration; give exploration above 0, such as 0.5"
            )
        _ = self.schedule, self.reference, self.weights(1)

    @property
    def schedule(self) -> PenaltySchedule:
        """The penalty of each iteration."""
        if isinstance(self.penalty, PenaltySchedule):
            return self.penalty
        return constant_penalty(self.penalty)

    @property
    def reference(self) -> Projector:
        """The reference profile of the projector, uniform play mixed in."""
        share = self.mixing
        if share is None:
            share = 0.0 if self.learner.learning_rate > 0.0 else MIXING
        return PROJECTORS.resolve(self.projector).mixed(share)

    def weights(self, num_learning: int) -> Weighting:
        """Return how nodes are weighed where so many teams learn."""
        default = "posterior" if num_learning == 1 else "counterfactual"
        given = default if self.weighting is None else self.weighting
        return WEIGHTINGS.resolve(given)

    def settings(self) -> dict[str, Any]:
        """Return the numbers that, with game, maps and seed, decide every iteration, by name."""
        return {
            **asdict(self),
            "penalty": asdict(self.schedule),
            "projector": asdict(self.reference),
        }
