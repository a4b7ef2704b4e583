"""The registry of learners, and the learner `auto`, which chooses one of them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, cast

from infoset.errors import ParameterError, UnsupportedGameError
from infoset.forms import Form, as_public_form
from infoset.learning.balanced_cfr import BALANCED_CFR_LEARNERS
from infoset.learning.efce_omd import EFCE_LEARNERS
from infoset.learning.learner_spec import Knowledge, LearnerSpec, Presets
from infoset.learning.local_omd import LOCAL_OMD_LEARNERS
from infoset.learning.model_based import MODEL_BASED_LEARNERS
from infoset.learning.online_mirror_descent import MIRROR_DESCENT_LEARNERS
from infoset.learning.outcome_sampling import OUTCOME_SAMPLING_LEARNERS
from infoset.learning.public_chance_sampling import PublicChanceSampling
from infoset.learning.sampled_traversal import SAMPLED_TRAVERSAL_LEARNERS
from infoset.learning.self_play import SelfPlay
from infoset.learning.simulator import Simulator
from infoset.learning.step_sizes import StepSizeRule
from infoset.utils.arguments import check_choice, check_type
from infoset.utils.registry import Registry

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


DEFAULT_LEARNER = "auto"

RECOMMENDED = "vr-mccfr-balanced"
"""Best or close to best on all measured games, among learners from bandit feedback."""

ON_FORMS = "cs-mccfr"


@dataclass(frozen=True)
class AutoLearner:
    """The learner `auto`, which uses the learner that performed best in our measurements."""

    name: str = DEFAULT_LEARNER
    description: str = f"the learner recommended by our measurements: {RECOMMENDED}"
    knowledge: Knowledge = Knowledge.OWN_TREE
    presets: Presets = field(default_factory=dict, repr=False)
    """See `LearnerSpec`."""

    def choose(self, has_tree: bool = True) -> tuple[LearnerSpec, str]:
        """Return the recommended learner, and the reason for choosing it.

        `has_tree` is false on public forms, which do not list histories.
        """
        if not has_tree:
            reason = f"{ON_FORMS}: the better of the learners that need no tree of histories"
            return LEARNERS[ON_FORMS], reason
        reason = f"{RECOMMENDED}: best on our games among learners that need no resets"
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
        *MODEL_BASED_LEARNERS,
        *EFCE_LEARNERS,
    ),
    entry_type=LearnerSpec,
    expected='a name such as "balanced-omd", or an infoset.learning.LearnerSpec',
)
"""All learners by name, with their published parameters."""


def get_learner(
    learner: str | LearnerSpec,
    *,
    preset: str | None = None,
    step_sizes: tuple[float, float] | StepSizeRule | None = None,
) -> LearnerSpec:
    """Return a learner spec, optionally with a preset or other step sizes.

    Parameters
    ----------
    learner
        A name, which may be in upper or lower case, or a custom spec.
    preset
        A named set of parameters, such as "theory", "practical" or "tuned"; by default, the
        published parameters.
    step_sizes : pair or StepSizeRule, optional
        Learning rate and implicit exploration, or a rule that computes them.

    Examples
    --------
    >>> get_learner("ixomd", step_sizes=(0.1, 0.005)).step_sizes
    StepSizes(learning_rate=0.1, implicit_exploration=0.005)
    """
    spec = LEARNERS.resolve(learner)
    if preset is not None:
        check_type("preset", preset, str, f"one of: {', '.join(spec.presets) or 'none'}")
        if not spec.presets:
            raise ParameterError(f"preset={preset!r}: {spec.name} has no presets; leave preset out")
        check_choice(f"preset of {spec.name}", preset.lower(), spec.presets)
        spec = _changed(spec, **spec.presets[preset.lower()])
    if step_sizes is None:
        return spec
    if getattr(spec, "step_sizes", None) is None:
        raise ParameterError(f"{spec.name} has no step sizes; leave step_sizes out")
    return _changed(spec, step_sizes=step_sizes)


def _changed(spec: LearnerSpec, **changes: object) -> LearnerSpec:
    """Return a copy of a spec with some fields changed."""
    return cast(LearnerSpec, replace(cast("DataclassInstance", spec), **changes))


def learns_on_forms(learner: LearnerSpec) -> bool:
    """Return whether a learner can learn on public forms, which do not list histories."""
    return isinstance(learner, AutoLearner) or getattr(learner, "visits_all_own_actions", False)


def start_self_play(
    learner: LearnerSpec, game: Simulator | Form, *, horizon: int, seed: int = 0
) -> SelfPlay | PublicChanceSampling:
    """Return self-play of a learner, on a tree of histories or on a public form.

    Raises
    ------
    UnsupportedGameError
        If the learner needs a tree, and a form is given.
    """
    if isinstance(game, Simulator):
        return learner.self_play(game, horizon=horizon, seed=seed)
    on_form = getattr(learner, "self_play_on_form", None)
    if on_form is None:
        raise UnsupportedGameError(
            f"{learner.name} plays episodes on the tree of histories, which a {game.kind} form of "
            f"{game.name} does not list: choose cs-mccfr or es-mccfr, or give the game itself"
        )
    found: PublicChanceSampling = on_form(as_public_form(game), horizon=horizon, seed=seed)
    return found
