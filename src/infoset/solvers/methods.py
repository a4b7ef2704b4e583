"""The methods that `solve` accepts by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeAlias, runtime_checkable

from infoset.errors import ParameterError
from infoset.regret import SCHEMES, RegretScheme
from infoset.runs import Budget, SolveResult
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
from infoset.tree import SequenceForm
from infoset.utils.arguments import check_count
from infoset.utils.registry import Registry

__all__ = ["DEFAULT_METHOD", "METHODS", "CustomMethod", "MethodSpec", "get_method"]

DEFAULT_METHOD = "auto"

Run: TypeAlias = Callable[[SequenceForm, Budget], SolveResult]


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
        """Function of a sequence form and a budget that returns the result."""


@dataclass(frozen=True)
class CustomMethod:
    """A custom method, defined by a function.

    Attributes
    ----------
    name : str
    description : str
        Description in one line, with the source.
    run : callable
        Function of a sequence form and a budget that returns a `SolveResult`.
    """

    name: str
    description: str
    run: Run


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
    expected='a name such as "cfr+", a RegretScheme, or an object with name, description and run',
)
"""The methods by name."""


def get_method(
    method: str | RegretScheme | MethodSpec, precision: str = "float64", threads: int = 1
) -> MethodSpec:
    """Return the method for a name (upper or lower case), a `RegretScheme`, or a `MethodSpec`.

    Raises
    ------
    UnknownNameError
        If the name of the method or of the precision is unknown.
    ParameterError
        If `method` is invalid, or does not support `precision` or `threads`; if `threads` is not a
        positive whole number.
    """
    check_count("threads", threads, minimum=1)
    spec = RegretMethod(method) if isinstance(method, RegretScheme) else METHODS.resolve(method)
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
