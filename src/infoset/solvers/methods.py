"""The methods that `solve` accepts by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import partial
from inspect import signature
from types import FunctionType
from typing import Any, Protocol, TypeAlias, cast, runtime_checkable

from infoset.errors import ParameterError, UnsupportedGameError
from infoset.forms import Form, check_form
from infoset.policy import TabularPolicy
from infoset.regret import SCHEMES, RegretScheme, check_warm_precision
from infoset.runs import Budget, Outcome, SolveResult, make_result
from infoset.solvers._incumbent import BEST
from infoset.solvers.auto import Auto
from infoset.solvers.cfr_br import CFRBR
from infoset.solvers.excessive_gap import ExcessiveGap
from infoset.solvers.fictitious_play import FictitiousPlay
from infoset.solvers.first_order import FIRST_ORDER
from infoset.solvers.lp import LinearProgram
from infoset.solvers.reg_cfr import RegCFR
from infoset.solvers.regret_family import RegretMethod
from infoset.solvers.rnad import RNaD
from infoset.solvers.rtcfr import RTCFRPlus
from infoset.utils.arguments import check_count
from infoset.utils.registry import Registry

DEFAULT_METHOD = "auto"

Run: TypeAlias = Callable[..., SolveResult | TabularPolicy]
"""Function of a form and a budget, and optionally a `seed`, that solves a game."""


@runtime_checkable
class MethodSpec(Protocol):
    """A method as an object; `solve` accepts it in place of a name."""

    @property
    def name(self) -> str:
        """Name of the method in results."""

    @property
    def description(self) -> str:
        """The method in one line, with its source."""

    @property
    def run(self) -> Run:
        """Function of a form and a budget that returns the result, or only a policy."""


@dataclass(frozen=True)
class CustomMethod:
    """A custom method, defined by a function."""

    name: str
    description: str
    """Description in one line, with the source."""
    run: Run
    """Function of a form and a budget that returns a `SolveResult`, or only a policy; see
    `run_method`. If it has a parameter `seed`, `compare` can call it with several seeds."""
    seed: int | None = None
    """The seed with which `with_seed` calls the function."""

    @classmethod
    def of(cls, function: Callable[..., SolveResult | TabularPolicy]) -> CustomMethod:
        """Return a function as a method, described by the first line of its docstring."""
        name = function.__name__.replace("_", "-")
        description = (function.__doc__ or "").strip().partition("\n")[0]
        return cls(name, description or "your own function", function)


_SPECS: tuple[MethodSpec, ...] = (
    Auto(),
    *map(RegretMethod, SCHEMES.values()),
    FictitiousPlay(),
    CFRBR(),
    RTCFRPlus(),
    RegCFR(),
    RNaD(),
    *FIRST_ORDER.values(),
    ExcessiveGap(),
    LinearProgram(),
    LinearProgram(
        "lp-ipm",
        "sequence-form linear program by an interior point method, accurate to 10⁻⁸",
        algorithm="ipm",
    ),
    LinearProgram(
        "lp-refined",
        "linear program, refined to exploit mistakes (Miltersen and Sørensen 2010)",
        refine=True,
    ),
)

METHODS: Registry[MethodSpec] = Registry(
    "method",
    _SPECS,
    entry_type=MethodSpec,
    expected=(
        'a name such as "cfr+", a RegretScheme, an object with name, description and run, or a '
        "function of a form and a budget"
    ),
)
"""The methods by name."""


def get_method(
    method: str | RegretScheme | MethodSpec | Run, precision: str = "float64", threads: int = 1
) -> MethodSpec:
    """Return the method for a name (upper or lower case), a scheme, a `MethodSpec`, or a function.

    Raises
    ------
    UnknownNameError
        If the name of the method or of the precision is unknown.
    ParameterError
        If `method` is invalid, or does not support `precision` or `threads`; if `threads` is not a
        positive whole number.
    """
    check_count("threads", threads, minimum=1)
    spec: MethodSpec
    if isinstance(method, RegretScheme):
        spec = RegretMethod(method)
    elif isinstance(method, FunctionType):
        spec = CustomMethod.of(method)
    else:
        spec = METHODS.resolve(cast("str | MethodSpec", method))
    asked: dict[str, Any] = {}
    if precision != "float64":
        asked["precision"] = precision
    if threads != 1:
        asked["threads"] = threads
    if not asked:
        return spec
    fits = is_dataclass(spec) and asked.keys() <= {field.name for field in fields(spec)}
    if not fits:
        name, value = next(iter(asked.items()))
        raise ParameterError(
            f"{name}={value!r} is supported by auto and the CFR family only, which does not "
            f"include {spec.name}: leave {name} out, or choose a method such as cfr+"
        )
    return cast(MethodSpec, replace(cast(Any, spec), **asked))


def run_method(spec: MethodSpec, form: Form, budget: Budget) -> SolveResult:
    """Run a method until its budget is used up, and return its result.

    If the method returns only a policy, the policy is measured. The trace of its result are the
    measurements that the method recorded by `budget.record`, and the last must be of the policy.
    On a locked, cut or gadget form, the policies of the result are for the whole form.

    Raises
    ------
    InfosetError
        For the reasons of the method.
    """
    check_form(form)
    if not runs_on(spec, form.kind):
        raise UnsupportedGameError(
            f"{spec.name} needs the matrix of payoffs by pairs of sequences, which the {form.kind} "
            f"form of {form.name} does not list: choose another method, such as {BEST}, or give "
            "the game itself to solve its sequence form"
        )
    answer = spec.run(form, budget)
    if isinstance(answer, SolveResult):
        return in_whole(answer, form)
    if not isinstance(answer, TabularPolicy):
        raise ParameterError(
            f"{spec.name} returned a {type(answer).__name__}; a method returns a TabularPolicy, "
            "such as TabularPolicy.from_weights(form, plans), or a SolveResult"
        )
    result = make_result(
        answer, method=spec.name, trace=tuple(budget.trace), seconds=budget.elapsed
    )
    return in_whole(replace(result, outcome=_outcome_of(result, budget)), form)


def in_whole(result: SolveResult, form: Form) -> SolveResult:
    """Return a result on a transform of a form with policies for the whole form; see `Form.whole`.

    Measurements stay as they are: those of players who play the transform.
    """
    if form.whole is form:
        return result

    def completed(policy: TabularPolicy) -> TabularPolicy:
        return TabularPolicy(form.whole, form.complete(policy.probabilities))

    current = result.current_policy
    return replace(
        result,
        policy=completed(result.policy),
        current_policy=None if current is None else completed(current),
    )


def runs_on(spec: MethodSpec, kind: str) -> bool:
    """Return whether a method runs on forms of a kind: "sequence", "public" or "world".

    All do, except for those that say otherwise by an attribute `kinds`, as linear programs do.
    """
    return kind in getattr(spec, "kinds", (kind,))


def _outcome_of(result: SolveResult, budget: Budget) -> Outcome:
    """Return which limit a method that returned only a policy has reached."""
    if budget.target is not None and result.trace[-1].error <= budget.target:
        return "converged"
    if budget.iterations is not None and result.iterations >= budget.iterations:
        return "iterations"
    return "seconds" if budget.is_over else "stopped"


def has_seed(spec: object) -> bool:
    """Return whether a method draws random numbers by a seed that can be chosen."""
    if isinstance(spec, CustomMethod):
        return "seed" in signature(spec.run).parameters
    return _has_field(spec, "seed")


def _has_field(spec: object, name: str) -> bool:
    """Return whether a method is a dataclass with a field."""
    return is_dataclass(spec) and any(field.name == name for field in fields(spec))


def with_seed(spec: MethodSpec, seed: int) -> MethodSpec:
    """Return a method with another seed; the method is one that `has_seed`."""
    if isinstance(spec, CustomMethod):
        return replace(spec, run=partial(spec.run, seed=seed), seed=seed)
    return cast(MethodSpec, replace(cast(Any, spec), seed=seed))


def check_supports_start(spec: MethodSpec) -> None:
    """Raise unless a method can start from a policy, as the CFR family and `auto` can.

    Raises
    ------
    ParameterError
        If it cannot, or cannot in its precision.
    """
    if not _has_field(spec, "start"):
        raise ParameterError(
            f"{spec.name} does not support warm starts: omit start, or choose auto or a method of "
            "the CFR family, such as dcfr+"
        )
    check_warm_precision(getattr(spec, "precision", "float64"))


def with_start(spec: MethodSpec, start: TabularPolicy) -> MethodSpec:
    """Return a method that starts from a policy on the form, after `check_supports_start`."""
    return cast(MethodSpec, replace(cast(Any, spec), start=start))
