"""The learners that are known by name, and the one that chooses among them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, cast

from infoset.errors import ParameterError
from infoset.learning.balanced_cfr import BALANCED_CFR_LEARNERS
from infoset.learning.efce_omd import EFCE_LEARNERS
from infoset.learning.learner_spec import Knowledge, LearnerSpec, Presets
from infoset.learning.local_omd import LOCAL_OMD_LEARNERS
from infoset.learning.online_mirror_descent import MIRROR_DESCENT_LEARNERS
from infoset.learning.outcome_sampling import OUTCOME_SAMPLING_LEARNERS
from infoset.learning.sampled_traversal import SAMPLED_TRAVERSAL_LEARNERS
from infoset.learning.self_play import SelfPlay
from infoset.learning.simulator import Simulator
from infoset.learning.step_sizes import StepSizeRule
from infoset.utils.arguments import check_choice, check_type
from infoset.utils.registry import Registry

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

__all__ = ["DEFAULT_LEARNER", "LEARNERS", "AutoLearner", "get_learner"]

DEFAULT_LEARNER = "auto"

RECOMMENDED = "vr-mccfr-balanced"
"""Among learners from bandit feedback, first or nearly so on all games measured."""


@dataclass(frozen=True)
class AutoLearner:
    """The learner that did best in our measurements, whatever the game.

    Attributes
    ----------
    name, description, knowledge, presets
        As for any learner.
    """

    name: str = DEFAULT_LEARNER
    description: str = f"the learner recommended by our measurements: {RECOMMENDED}"
    knowledge: Knowledge = Knowledge.OWN_TREE
    presets: Presets = field(default_factory=dict, repr=False)

    def choose(self) -> tuple[LearnerSpec, str]:
        """Return the recommended learner, and the reason."""
        reason = f"{RECOMMENDED}: best on our games among learners from bandit feedback"
        return LEARNERS[RECOMMENDED], reason

    def self_play(self, simulator: Simulator, *, horizon: int, seed: int = 0) -> SelfPlay:
        """Return self-play of the recommended learner, planned for `horizon` episodes."""
        return self.choose()[0].self_play(simulator, horizon=horizon, seed=seed)


LEARNERS: Registry[LearnerSpec] = Registry(
    "learner",
    (
        AutoLearner(),
        *MIRROR_DESCENT_LEARNERS,
        *BALANCED_CFR_LEARNERS,
        *LOCAL_OMD_LEARNERS,
        *OUTCOME_SAMPLING_LEARNERS,
        *SAMPLED_TRAVERSAL_LEARNERS,
        *EFCE_LEARNERS,
    ),
    entry_type=LearnerSpec,
    expected='a name such as "balanced-omd", or an infoset.learning.LearnerSpec',
)
"""The learners by name, each as published."""


def get_learner(
    learner: str | LearnerSpec,
    *,
    preset: str | None = None,
    step_sizes: tuple[float, float] | StepSizeRule | None = None,
) -> LearnerSpec:
    """Return a learner by its name, in any case, or a custom one, with a preset or step sizes.

    Parameters
    ----------
    learner : str or LearnerSpec
    preset : str, optional
        A named set of parameters, such as "theory", "practical" or "tuned"; by default, the
        learner is as published.
    step_sizes : pair or StepSizeRule, optional
        Learning rate and implicit exploration, or the rule for them.

    Raises
    ------
    UnknownNameError
        If there is no such learner, or it has no such preset.
    ParameterError
        If the step sizes are invalid, or the learner has none.

    Examples
    --------
    >>> get_learner("ixomd", step_sizes=(0.1, 0.005)).step_sizes
    StepSizes(learning_rate=0.1, implicit_exploration=0.005)
    """
    spec = LEARNERS.resolve(learner)
    if preset is not None:
        check_type("preset", preset, str, f"one of: {', '.join(spec.presets) or 'none'}")
        if not spec.presets:
            raise ParameterError(f"preset={preset!r}: {spec.name} has no presets; leave it out")
        check_choice(f"preset of {spec.name}", preset.lower(), spec.presets)
        spec = _changed(spec, **spec.presets[preset.lower()])
    if step_sizes is None:
        return spec
    if getattr(spec, "step_sizes", None) is None:
        raise ParameterError(f"{spec.name} has no step sizes: leave step_sizes out")
    return _changed(spec, step_sizes=step_sizes)


def _changed(spec: LearnerSpec, **changes: object) -> LearnerSpec:
    """Return a copy of a spec with some fields changed."""
    return cast(LearnerSpec, replace(cast("DataclassInstance", spec), **changes))
