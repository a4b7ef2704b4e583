"""Regret minimization by a local rule at every infostate, including in perturbed games."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import partial
from hashlib import sha256
from inspect import signature
from typing import Any, NamedTuple, TypeAlias, cast

import numba
import numpy as np
from numba.core.errors import NumbaError
from numba.extending import is_jitted

from infoset.errors import ParameterError, UnsupportedGameError
from infoset.forms import Form, FormPayoffs, Layout, realize_policy
from infoset.regret._local_kernels import apply_min_probabilities, apply_scheme, play_and_learn
from infoset.regret.scheme import RegretScheme
from infoset.regret.tolerances import regret_tolerances
from infoset.typing import FloatArray, StateArrays
from infoset.utils.arguments import SUM_TOLERANCE, check_callable, check_count
from infoset.utils.state import IterativeState, name_by_player

LocalRule: TypeAlias = Callable[[FloatArray, FloatArray, FloatArray, FloatArray], None]
"""A local regret minimizer, called as `rule(row, values, policy, state)` for I infostates together.

`row` [K]: the parameters of this iteration, by default only its number, counted from 1; `values`
[A, I]: the counterfactual values of A actions at I infostates; `policy` [A, I]: the current policy
there; `state` [S, A, I]: arrays of the rule, initially zero. The rule writes the next policy into
`policy`, in place, and returns nothing. The initial policy is uniform.
"""

Schedule: TypeAlias = Callable[[FloatArray], FloatArray]
"""A function of iteration numbers [T], which returns their rows [T, K], or [T] if K is 1."""

RULE = "rule(row, values, policy, state)"

RULE_TYPE = numba.void(
    numba.float64[::1], numba.float64[:, ::1], numba.float64[:, ::1], numba.float64[:, :, ::1]
)


@dataclass(frozen=True)
class SchemeSchedule:
    """The schedule of a member of the CFR family, in the form that `apply_scheme` reads."""

    scheme: RegretScheme
    """The member of the family."""

    @property
    def name(self) -> str:
        """The name by which checkpoints recognize this schedule."""
        return f"schedule of {type(self.scheme).__qualname__}"

    def __call__(self, iterations: FloatArray) -> FloatArray:
        """Return [T, 10] the rows of the scheme, each followed by its limit or −1."""
        rows = self.scheme.checked_schedule(int(iterations[0]), len(iterations))
        limit = self.scheme.adaptive_limit
        # The limit becomes the tenth number of each row, where `apply_scheme` reads it.
        return np.insert(rows, rows.shape[1], -1.0 if limit is None else limit, axis=1)


class SchemeRule(NamedTuple):
    """A member of the CFR family as a local rule."""

    rule: LocalRule
    """The rule."""
    schedule: Schedule
    """Its rows."""
    num_arrays: int
    """Number S of arrays that the rule stores."""


def rule_of_scheme(scheme: RegretScheme) -> SchemeRule:
    """Return a member of the CFR family as a local rule.

    `RegretMinimizer` runs the same algorithm faster, but without minimum action probabilities.
    """
    num_arrays = 2 if scheme.adaptive_limit is None else 5
    return SchemeRule(apply_scheme, SchemeSchedule(scheme), num_arrays)


class LocalMinimizer(IterativeState):
    """Self-play by a local rule: its state on a game, and its iterations.

    Actions may have minimum probabilities ε. With σ the policy of the rule, a player then plays

        σ̂(I, a) = (1 − Σ_b ε(I, b)) σ(I, a) + ε(I, a)

    and the rule receives the counterfactual values under σ̂. The regret of σ for these values
    equals, up to the factor in front of σ, the regret of σ̂ among all policies with these minimum
    probabilities. This is exact, not an approximation.

    Parameters
    ----------
    form
        The game, with any number of players and any payoffs.
    rule
        A function compiled by `numba.njit`, or a plain function on arrays, which is slow.
    averaging
        Determines how plans are averaged, and whether players alternate.
    num_arrays
        Number S of arrays that the rule stores.
    schedule
        The rows that the rule receives; by default the iteration numbers.
    min_probabilities
        Per player [Q] the minimum probability of the last action of each sequence.

    Raises
    ------
    ParameterError
        If the rule is not a function of four arguments, if it is decorated with `numba.njit` but
        does not compile, or if the schedule is not a function.
    """

    def __init__(
        self,
        form: Form,
        rule: LocalRule,
        averaging: RegretScheme,
        *,
        num_arrays: int = 1,
        schedule: Schedule = np.asarray,
        min_probabilities: tuple[FloatArray, ...] | None = None,
    ) -> None:
        check_callable("schedule", schedule, "a function of iterations [T]")
        check_count("num_arrays", num_arrays)
        super().__init__()
        self.form = form
        self.averaging = averaging
        self._rule = rule
        self._schedule = schedule
        self._num_arrays = num_arrays
        self._layouts = form.layouts
        self._is_perturbed = min_probabilities is not None
        minimums = self._zeros() if min_probabilities is None else min_probabilities
        pairs = zip(self._layouts, minimums, strict=True)
        self._minimums = tuple(layout.to_positions(own) for layout, own in pairs)
        self._set_state()
        # Arrays of the right types, so that compilation happens here and not in the first run.
        self._driver = driver_of(rule, self._arguments(np.ones((1, 1)), np.ones((1, 9))))

    def _zeros(self, times: int = 1) -> tuple[FloatArray, ...]:
        return tuple(np.zeros(times * len(layout.position)) for layout in self._layouts)

    def _set_state(self) -> None:
        self._gradients, self._plans, self._averages = (self._zeros() for _ in range(3))
        self._states = self._zeros(self._num_arrays)
        self._policies = tuple(layout.uniform_policy() for layout in self._layouts)
        # The same arrays without minimums: what the rule writes is what is played.
        self._played = self._policies
        if self._is_perturbed:
            self._played = tuple(policy.copy() for policy in self._policies)
        everything = zip(
            self._layouts, self._policies, self._minimums, self._played, self._plans, strict=True
        )
        for layout, policy, minimum, played, plan in everything:
            if self._is_perturbed:
                apply_min_probabilities(layout.groups, policy, minimum, played)
            realize_policy(layout.groups, layout.parent, played, plan)
        payoffs = self.form.payoffs()
        self._payoffs, refresh = payoffs
        if refresh is not None:
            raise UnsupportedGameError(
                f"local regret minimizers run in compiled chunks, and {self.form.name} calls a "
                "function at the ranges of each iteration: use a member of the CFR family"
            )
        if self._rule is apply_scheme:
            self._fill_tolerances(payoffs)

    def _fill_tolerances(self, payoffs: FormPayoffs) -> None:
        """Fill the first row of the last array of each group, which `apply_scheme` reads."""
        tolerances = regret_tolerances(self.form, payoffs, self._plans)
        for layout, state, own in zip(self._layouts, self._states, tolerances, strict=True):
            for base, count, actions, first, _ in layout.groups.tolist():
                begin, end = (self._num_arrays * place for place in (base, base + actions * count))
                arrays = state[begin:end].reshape(self._num_arrays, actions, count)
                arrays[-1, 0] = own[first : first + count]

    def _arguments(self, rows: FloatArray, averaging: FloatArray) -> tuple[Any, ...]:
        return (
            rows,
            averaging,
            self.averaging.alternating,
            self.averaging.averages_next,
            self._is_perturbed,
            self._num_arrays,
            self._done,
            tuple(layout.groups for layout in self._layouts),
            tuple(layout.parent for layout in self._layouts),
            self._payoffs,
            self._minimums,
            self._gradients,
            self._policies,
            self._played,
            self._plans,
            self._averages,
            self._states,
        )

    def run(self, iterations: int) -> None:
        """Run `iterations` more iterations in one call.

        Raises
        ------
        ParameterError
            If the policy that the rule has written is not a probability distribution.
        """
        first = self.iteration + 1
        numbers = np.arange(first, first + iterations, dtype=np.float64)
        rows = np.ascontiguousarray(self._schedule(numbers), np.float64).reshape(iterations, -1)
        averaging = self.averaging.schedule(first, iterations)
        self._driver(*self._arguments(rows, averaging))
        for layout, policy in zip(self._layouts, self._policies, strict=True):
            _check_probabilities(layout, policy)

    def settings(self) -> dict[str, Any]:
        """Return the settings that determine the iterations.

        The schedule is described by its rows for iterations 1 to 4, and ε by a digest.
        """
        averaging = asdict(self.averaging)
        digest = sha256(np.concatenate(self._minimums).tobytes()).hexdigest()
        fixed = {name: averaging[name] for name in averaging if name not in ("name", "description")}
        return {
            **fixed,
            "rule": self._rule,
            "schedule": self._schedule,
            # A checkpoint knows functions only by name; the first rows tell two of one name apart.
            "rows": np.asarray(self._schedule(np.arange(1.0, 5.0))).tolist(),
            "minimum probabilities": digest[:12],
        }

    def _state_arrays(self) -> StateArrays:
        return name_by_player(
            policies=self._policies,
            played=self._played,
            plans=self._plans,
            averages=self._averages,
            states=self._states,
        )

    def average_plans(self) -> tuple[FloatArray, ...]:
        """Return each player's [Q] average realization plan; at the start, the current plan."""
        pairs = zip(self._layouts, self._averages, self._plans, strict=True)
        return tuple(layout.average_plan(total, plan) for layout, total, plan in pairs)

    def current_probabilities(self) -> tuple[FloatArray, ...]:
        """Return each player's [Q] behavior policy from which the next iteration starts."""
        played = zip(self._layouts, self._played, strict=True)
        return tuple(layout.to_sequences(own) for layout, own in played)


def _check_probabilities(layout: Layout, policy: FloatArray) -> None:
    """Raise unless the policy that a rule has written is a probability distribution."""
    for base, count, actions, *_ in layout.groups.tolist():
        # A group is stored action by action: [A, count], one column per infostate.
        chosen = policy[base : base + count * actions].reshape(actions, count)
        is_right = (np.abs(chosen.sum(axis=0) - 1) <= SUM_TOLERANCE) & (chosen >= 0).all(axis=0)
        if not is_right.all():
            raise ParameterError(
                f"the rule left {chosen[:, np.argmin(is_right)].tolist()} as the policy of an "
                "infostate, which is not a probability distribution: the rule must write into "
                "policy [A, I], in place, nonnegative numbers that sum to 1 over the first axis"
            )


def driver_of(rule: LocalRule, arguments: tuple[Any, ...]) -> Callable[..., None]:
    """Return `play_and_learn` bound to a rule, compiled for the types of the given arguments.

    A rule compiled by `numba.njit` is called by its address, so `play_and_learn` is compiled once
    for all rules, and cached on disk. With any other rule, `play_and_learn` is interpreted.

    Raises
    ------
    ParameterError
        If the rule is not a function of four arguments, or if it is decorated with `numba.njit` but
        does not compile, or returns a value.
    """
    _check_signature(rule)
    driver = cast(Any, play_and_learn)
    if not is_jitted(rule):
        return partial(getattr(driver, "py_func", driver), _without_result(rule))
    try:
        cast(Any, rule).compile(RULE_TYPE)
    except (NumbaError, TypeError) as error:
        raise ParameterError(
            "the rule does not compile as rule(row, values, policy, state) with float64 arrays of "
            f"1, 2, 2 and 3 dimensions and no return value: {error}"
        ) from error
    type_of = cast(Any, numba).typeof
    # Only for these types: any other call should fail rather than compile once more.
    driver.disable_compile(False)
    driver.compile(numba.void(numba.types.FunctionType(RULE_TYPE), *map(type_of, arguments)))
    driver.disable_compile()
    return partial(driver, rule)


def _check_signature(rule: LocalRule) -> None:
    """Raise if the signature of a rule is known and does not accept four arguments."""
    check_callable("rule", rule, RULE)
    with suppress(ValueError):
        known = signature(getattr(rule, "py_func", rule))
        try:
            known.bind("row", "values", "policy", "state")
        except TypeError as error:
            raise ParameterError(
                f"the rule takes {known}, but is called as {RULE}: give it four parameters"
            ) from error


def _without_result(rule: LocalRule) -> LocalRule:
    """Return a rule that raises if the given one returns a value instead of writing in place."""

    def call(row: FloatArray, values: FloatArray, policy: FloatArray, state: FloatArray) -> None:
        answer: object = cast(Callable[..., object], rule)(row, values, policy, state)
        if answer is not None:
            raise ParameterError(
                "the rule returned a value, but it must write the next policy into `policy`, in "
                "place, and return None: use `policy[:] = ...`"
            )

    return call
