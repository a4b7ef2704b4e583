"""Local rules: what is done at each infostate, as a function."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from inspect import signature
from typing import Any, NamedTuple, TypeAlias, cast

import numba
import numpy as np
from numba.core.errors import NumbaError
from numba.extending import is_jitted

from infoset.errors import ParameterError
from infoset.regret.local._kernels import match_regrets, play_and_learn
from infoset.regret.scheme import RegretScheme
from infoset.typing import FloatArray
from infoset.utils.arguments import check_callable

__all__ = ["LocalRule", "Schedule", "SchemeRule", "driver_of", "rule_of_scheme"]

LocalRule: TypeAlias = Callable[[FloatArray, FloatArray, FloatArray, FloatArray], None]
"""A local regret minimizer: `rule(row, values, policy, state)`, for many infostates at once.

`row` [K] are the numbers of this iteration, by default its own, from 1; `values` [A, I] the
counterfactual values of A actions at I infostates, and `policy` [A, I] what the rule chose there;
`state` [S, A, I] are the rule's own arrays, at first zero. It puts into `policy`, in place, what
to choose next, and returns nothing. The first policy is uniform.
"""

Schedule: TypeAlias = Callable[[FloatArray], FloatArray]
"""Returns, for iterations [T], their rows [T, K]; or [T] where a row is one number."""

RULE = "rule(row, values, policy, state)"

RULE_TYPE = numba.void(
    numba.float64[::1], numba.float64[:, ::1], numba.float64[:, ::1], numba.float64[:, :, ::1]
)


class SchemeRule(NamedTuple):
    """A member of the CFR family as a local rule.

    Attributes
    ----------
    rule : LocalRule
    schedule : Schedule
    num_arrays : int
        Number S of arrays that it keeps.
    """

    rule: LocalRule
    schedule: Schedule
    num_arrays: int


def rule_of_scheme(scheme: RegretScheme) -> SchemeRule:
    """Return what a member of the CFR family does at each infostate.

    `RegretMinimizer` does the same faster; as a rule it goes where rules go.
    """
    limit = scheme.adaptive_limit

    def schedule(iterations: FloatArray) -> FloatArray:
        rows = scheme.schedule(int(iterations[0]), len(iterations))
        return np.insert(rows, rows.shape[1], -1.0 if limit is None else limit, axis=1)

    return SchemeRule(match_regrets, schedule, 1 if limit is None else 4)


def driver_of(rule: LocalRule, arguments: tuple[Any, ...]) -> Callable[..., None]:
    """Return `play_and_learn` with a rule, for other arguments of these types.

    A rule compiled by `numba.njit` is called by address, so that what calls it is compiled once
    for all rules, and found on disk after that. What calls any other rule is interpreted.

    Raises
    ------
    ParameterError
        If a rule is no function of four arguments, is to be compiled and does not compile, or
        returns something.
    """
    _check_signature(rule)
    driver = cast(Any, play_and_learn)
    if not is_jitted(rule):
        return partial(driver.py_func, _without_answer(rule))
    try:
        cast(Any, rule).compile(RULE_TYPE)
    except (NumbaError, TypeError) as error:
        raise ParameterError(
            "the rule does not compile as rule(row, values, policy, state), which takes arrays of "
            f"1, 2, 2 and 3 dimensions and returns nothing: {error}"
        ) from error
    type_of = cast(Any, numba).typeof
    driver.disable_compile(False)
    driver.compile(numba.void(numba.types.FunctionType(RULE_TYPE), *map(type_of, arguments)))
    driver.disable_compile()
    return partial(driver, rule)


def _check_signature(rule: LocalRule) -> None:
    """Check that a rule is a function of four arguments, where Python knows what it takes."""
    check_callable("rule", rule, RULE)
    with suppress(ValueError):
        known = signature(getattr(rule, "py_func", rule))
        try:
            known.bind("row", "values", "policy", "state")
        except TypeError as error:
            raise ParameterError(f"the rule takes {known}, and is called as {RULE}") from error


def _without_answer(rule: LocalRule) -> LocalRule:
    """Return the rule, refusing to go on if it returns what it should have put into `policy`."""

    def call(row: FloatArray, values: FloatArray, policy: FloatArray, state: FloatArray) -> None:
        answer: object = cast(Callable[..., object], rule)(row, values, policy, state)
        if answer is not None:
            raise ParameterError(
                "the rule returned something; it puts the next policy into `policy`, in place, "
                "and returns nothing: write `policy[:] = ...`"
            )

    return call
