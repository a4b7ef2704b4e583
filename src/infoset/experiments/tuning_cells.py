"""Runs of a method with some of its parameters replaced, as cells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, is_dataclass, replace
from functools import cache
from threading import Lock
from typing import Any, TypeAlias, cast

from infoset.errors import NumericalError, ParameterError, UnknownNameError
from infoset.experiments.cells import CellInterrupted, CellResult
from infoset.experiments.folders import run_slug
from infoset.experiments.search_ranges import ParameterValue
from infoset.forms import SequenceForm
from infoset.front.game_sources import load, to_form
from infoset.front.learning_runs import build_learning_tree
from infoset.front.seed_runs import LearnerMethod
from infoset.learning import (
    LEARNERS,
    AutoLearner,
    LearnerSpec,
    Simulator,
    get_learner,
    make_simulator,
)
from infoset.runs import Budget, Interrupt
from infoset.solvers import MethodSpec, get_method, has_seed, run_method, with_seed
from infoset.solvers.regret_family import RegretMethod

Parameters: TypeAlias = tuple[tuple[str, ParameterValue], ...]

RATE, EXPLORATION = "rate", "exploration"
EXPLORATION_PER_RATE = 0.05
"""Implicit exploration of learners divided by their learning rate, if only the rate is searched."""

building = Lock()
"""Held while a game is built: cells run in threads, and `cache` lets two of them build the same."""


@cache
def _simulator(game: str) -> Simulator:
    return make_simulator(build_learning_tree(load(game), None, None))


@cache
def _form(game: str) -> SequenceForm:
    return to_form(load(game))


@dataclass(frozen=True)
class TuningCell:
    """A run of a method with some of its parameters replaced."""

    game: str
    method: str
    length: int
    """Iterations, or episodes of a learner."""
    seed: int
    parameters: Parameters

    @property
    def name(self) -> str:
        """File name prefix."""
        return run_slug(self.game, f"{self.method}-{self.length}-{self.seed}")

    def settings(self) -> Mapping[str, Any]:
        """Return the settings that determine the result."""
        return asdict(self)

    def run(self, interrupt: Interrupt) -> CellResult:
        """Return the distance from equilibrium at the end; None if the numbers overflowed."""
        spec = configured(self.method, dict(self.parameters))
        with building:
            simulator = _simulator(self.game) if isinstance(spec, LearnerSpec) else None
            form = simulator.form if simulator is not None else _form(self.game)
        method: MethodSpec
        if isinstance(spec, LearnerSpec):
            assert simulator is not None
            method = LearnerMethod(spec, simulator, self.seed)
        else:
            method = with_seed(spec, self.seed) if has_seed(spec) else spec
        try:
            result = run_method(method, form, Budget(iterations=self.length, interrupt=interrupt))
        except NumericalError:
            return {"error": None}
        if result.outcome == "interrupted":
            raise CellInterrupted
        return {"error": result.trace[-1].error}


def configured(method: str, parameters: Mapping[str, ParameterValue]) -> MethodSpec | LearnerSpec:
    """Return a method or a learner with some of its parameters replaced.

    Raises
    ------
    ParameterError
        If the method refuses a value.
    """
    rest = dict(parameters)
    spec: Any
    if LEARNERS.knows(method):
        if isinstance(get_learner(method), AutoLearner):
            raise ParameterError("auto has no parameters; give a learner by name, such as ixomd")
        steps = None
        if RATE in rest:
            rate = float(rest.pop(RATE))
            steps = rate, float(rest.pop(EXPLORATION, EXPLORATION_PER_RATE * rate))
        spec = get_learner(method, step_sizes=steps)
    else:
        spec = get_method(method)
    target = spec.scheme if isinstance(spec, RegretMethod) else spec
    known = [field.name for field in fields(target)] if is_dataclass(target) else []
    for name in rest:
        if name not in known:
            extra = [RATE, EXPLORATION] if LEARNERS.knows(method) else []
            hidden = ("name", "description", "presets", "knowledge")
            shown = [*extra, *(one for one in known if one not in hidden)]
            raise UnknownNameError.of(f"parameter of {spec.name}", name, shown)
    changed = replace(cast(Any, target), **rest)
    return replace(spec, scheme=changed) if isinstance(spec, RegretMethod) else changed
