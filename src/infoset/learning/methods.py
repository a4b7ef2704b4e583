"""The table of learners that are known by name."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

from infoset.errors import ParameterError
from infoset.learning.auto import AutoLearner
from infoset.learning.balanced_cfr.rows import BALANCED_CFR_LEARNERS
from infoset.learning.efce.rows import EFCE_LEARNERS
from infoset.learning.local_omd.rows import LOCAL_OMD_LEARNERS
from infoset.learning.mccfr import MCCFR_LEARNERS
from infoset.learning.path.rows import MIRROR_DESCENT_LEARNERS
from infoset.learning.row import LearnerSpec
from infoset.learning.step_sizes import StepSizeRule
from infoset.utils.arguments import check_choice, check_type
from infoset.utils.registry import Registry

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

__all__ = ["DEFAULT_LEARNER", "LEARNERS", "get_learner"]

DEFAULT_LEARNER = "auto"

_ROWS: tuple[LearnerSpec, ...] = (
    AutoLearner(),
    *MIRROR_DESCENT_LEARNERS,
    *BALANCED_CFR_LEARNERS,
    *LOCAL_OMD_LEARNERS,
    *MCCFR_LEARNERS,
    *EFCE_LEARNERS,
)

LEARNERS: Registry[LearnerSpec] = Registry(
    "learner",
    _ROWS,
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
    """Return the learner of a name, in any case of letters, or of a row of your own.

    Parameters
    ----------
    learner : str or LearnerSpec
    preset : str, optional
        Its settings by name, such as "theory", "practical" or "tuned"; by default, as published.
    step_sizes : pair or StepSizeRule, optional
        Learning rate and implicit exploration, or the rule for them.

    Raises
    ------
    UnknownNameError
        If there is no learner, or no preset of it, of that name.
    ParameterError
        If it is no learner, the steps are no steps, or it has none.

    Examples
    --------
    >>> get_learner("ixomd", step_sizes=(0.1, 0.005)).step_sizes
    StepSizes(learning_rate=0.1, implicit_exploration=0.005)
    """
    row = LEARNERS.resolve(learner)
    if preset is not None:
        check_type("preset", preset, str, f"one of: {', '.join(row.presets) or 'none'}")
        if not row.presets:
            raise ParameterError(f"preset={preset!r}: {row.name} has none; leave preset out")
        check_choice(f"preset of {row.name}", preset.lower(), row.presets)
        row = _changed(row, **row.presets[preset.lower()])
    if step_sizes is None:
        return row
    if getattr(row, "step_sizes", None) is None:
        raise ParameterError(f"{row.name} has no step size: leave steps out")
    return _changed(row, step_sizes=step_sizes)


def _changed(row: LearnerSpec, **changes: object) -> LearnerSpec:
    """Return a row with some of its fields set otherwise."""
    return cast(LearnerSpec, replace(cast("DataclassInstance", row), **changes))
