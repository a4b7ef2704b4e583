"""A scheme of progressive hiding: everything about it but the game, as one row."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Final, Literal, TypeAlias, TypeVar

from infoset.errors import ParameterError
from infoset.teams.hiding.learner import LocalLearner, entropic_ftrl
from infoset.teams.hiding.projector import PROJECTORS, Projector
from infoset.teams.hiding.rounds import RegretRestarts
from infoset.teams.hiding.schedules import PenaltySchedule, constant_penalty
from infoset.teams.hiding.weighting import WEIGHTINGS, Weighting
from infoset.utils.arguments import check_choice, check_number, check_type

__all__ = ["VISITS", "HidingScheme", "Visits"]

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
