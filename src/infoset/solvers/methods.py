"""The methods that `solve` accepts by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import partial
from inspect import signature
from types import FunctionType
from typing import Any, Protocol, TypeAlias, cast, runtime_checkable

from infoset.errors import ParameterError, UnsupportedGameError
from infoset.forms import PublicForm, SequenceForm, check_public_form
from infoset.policy import PublicPolicy, TabularPolicy
from infoset.regret import SCHEMES, RegretScheme
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

__all__ = [
    "DEFAULT_METHOD",
    "METHODS",
    "CustomMethod",
    "MethodSpec",
    "Run",
    "get_method",
    "has_seed",
    "regret_method_on",
    "run_method",
    "run_on_public_form",
    "runs_on_public_forms",
    "with_seed",
]

DEFAULT_METHOD = "auto"

MANY_HANDS = 50
BEST_WITH_MANY_HANDS = "dcfr+"
"""The method that needs the fewest iterations in endgames of poker and in Leduc poker with at least
`MANY_HANDS` hands (docs/solvers/public_form.md)."""

Run: TypeAlias = Callable[..., SolveResult | TabularPolicy]
"""Function of a sequence form and a budget, and optionally a `seed`, that solves a game."""


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
        """Function of a sequence form and a budget that returns the result, or only a policy."""


@dataclass(frozen=True)
class CustomMethod:
    """A custom method, defined by a function.

    Attributes
    ----------
    name : str
    description : str
        Description in one line, with the source.
    run : callable
        Function of a sequence form and a budget that returns a `SolveResult`, or only a policy; see
        `run_method`. If it has a parameter `seed`, `compare` can call it with several seeds.
    seed : int or None
        The seed with which `with_seed` calls the function.
    """

    name: str
    description: str
    run: Run
    seed: int | None = None

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
        "function of a sequence form and a budget"
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
    if not isinstance(spec, RegretMethod):
        name, value = next(iter(asked.items()))
        raise ParameterError(
            f"{name}={value!r} is supported by the CFR family only, which does not include "
            f"{spec.name}: leave {name} out, or choose a method such as cfr+"
        )
    return replace(spec, **asked)


def run_method(spec: MethodSpec, form: SequenceForm, budget: Budget) -> SolveResult:
    """Run a method until its budget is used up, and return its result.

    If the method returns only a policy, the policy is measured. The trace of its result are the
    measurements that the method recorded by `budget.record`, and the last must be of the policy.

    Raises
    ------
    InfosetError
        For the reasons of the method.
    ParameterError
        If the method returns something else, or a policy that is not the last measured one.
    """
    answer = spec.run(form, budget)
    if isinstance(answer, SolveResult):
        return answer
    if not isinstance(answer, TabularPolicy):
        raise ParameterError(
            f"{spec.name} returned a {type(answer).__name__}; a method returns a TabularPolicy, "
            "such as TabularPolicy.from_weights(form, plans), or a SolveResult"
        )
    result = make_result(
        answer, method=spec.name, trace=tuple(budget.trace), seconds=budget.elapsed
    )
    return replace(result, outcome=_outcome_of(result, budget))


def runs_on_public_forms(spec: MethodSpec) -> bool:
    """Return whether a method runs on public forms: `auto` and the CFR family do."""
    return isinstance(spec, Auto | RegretMethod)


def run_on_public_form(
    spec: MethodSpec, public_form: PublicForm, budget: Budget
) -> SolveResult[PublicPolicy]:
    """Run a method on a public form until its budget is used up, and return its result.

    `auto` runs the best iterative method over all benchmark games or, if players have many hands,
    the one that is best in endgames of poker.

    Raises
    ------
    UnsupportedGameError
        If the method is neither a member of the CFR family nor `auto`.
    """
    chosen, reason = regret_method_on(spec, public_form)
    result = chosen.run_on_public_form(public_form, budget)
    return result if reason is None else replace(result, reason=reason)


def regret_method_on(spec: MethodSpec, public_form: PublicForm) -> tuple[RegretMethod, str | None]:
    """Return the member of the CFR family that a method is on a public form, and why "auto" is.

    Raises
    ------
    UnsupportedGameError
        If the method is neither a member of the CFR family nor `auto`.
    """
    check_public_form(public_form)
    if isinstance(spec, Auto):
        name, games = BEST, "over all benchmarks"
        if min(public_form.num_hands) >= MANY_HANDS:
            name, games = BEST_WITH_MANY_HANDS, "with many hands"
        reason = f"public forms need the CFR family; {name} is its best method {games}"
        return RegretMethod(SCHEMES[name]), reason
    if not isinstance(spec, RegretMethod):
        raise UnsupportedGameError(
            f"{spec.name} does not run on public forms such as that of {public_form.name}: choose "
            f"a member of the CFR family, such as {BEST}, or give the game itself to solve its "
            "sequence form"
        )
    return spec, None


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
    return is_dataclass(spec) and any(field.name == "seed" for field in fields(spec))


def with_seed(spec: MethodSpec, seed: int) -> MethodSpec:
    """Return a method with another seed; the method is one that `has_seed`."""
    if isinstance(spec, CustomMethod):
        return replace(spec, run=partial(spec.run, seed=seed), seed=seed)
    return cast(MethodSpec, replace(cast(Any, spec), seed=seed))
