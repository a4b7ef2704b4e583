"""Regret minimization by all players of a game, by one local rule at every infostate."""

from __future__ import annotations

from dataclasses import asdict
from hashlib import sha256
from typing import Any

import numpy as np

from infoset.errors import ParameterError
from infoset.regret._plan_kernels import realize_policy
from infoset.regret.layout import Layout, game_layouts
from infoset.regret.local._kernels import apply_min_probabilities
from infoset.regret.local.identity import identity_of
from infoset.regret.local.rule import LocalRule, Schedule, driver_of
from infoset.regret.payoffs import payoffs_by_player
from infoset.regret.scheme import RegretScheme
from infoset.tree import SequenceForm
from infoset.typing import FloatArray, StateArrays
from infoset.utils.arguments import SUM_TOLERANCE, check_callable, check_count
from infoset.utils.state import IterativeState, name_by_player

__all__ = ["LocalMinimizer"]


class LocalMinimizer(IterativeState):
    """The state of self-play by a local rule, and the iterations that move it.

    Actions may have least probabilities ε: with σ what the rule chooses, a player then plays

        σ̂(I, a) = (1 − Σ_b ε(I, b)) σ(I, a) + ε(I, a)

    and values are those of σ̂. The regret of σ against its values is, up to the factor before σ,
    that of σ̂ among all policies with these least probabilities: nothing is approximated.

    Parameters
    ----------
    sequence_form : SequenceForm
        The game, with any number of players and any payoffs.
    rule : LocalRule
        Compiled by `numba.njit`, or a plain function on arrays, which is slow.
    averaging : RegretScheme
        How plans are averaged, and whether players alternate.
    num_arrays : int
        Number S of arrays that the rule keeps.
    schedule : Schedule
        The rows that the rule is given; by default iterations themselves.
    min_probabilities : tuple[FloatArray, ...], optional
        Per player [Q] least probability of the action each sequence ends in.

    Raises
    ------
    ParameterError
        If the rule is no function of four arguments, or is to be compiled and does not compile; if
        the schedule is no function.
    """

    def __init__(
        self,
        sequence_form: SequenceForm,
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
        self.sequence_form = sequence_form
        self.averaging = averaging
        self._made_of = {"rule": identity_of(rule), "schedule": identity_of(schedule)}
        self._schedule = schedule
        self._num_arrays = num_arrays
        self._layouts = game_layouts(sequence_form)
        self._set_least(min_probabilities)
        self._set_state()
        self._driver = driver_of(rule, self._arguments(np.ones((1, 1)), np.ones((1, 8))))

    def _set_least(self, least: tuple[FloatArray, ...] | None) -> None:
        self._trembles = least is not None
        given = self._zeros() if least is None else least
        by_sequence = zip(self._layouts, given, strict=True)
        self._least = tuple(layout.to_positions(own) for layout, own in by_sequence)

    def _zeros(self, times: int = 1) -> tuple[FloatArray, ...]:
        return tuple(np.zeros(times * len(layout.position)) for layout in self._layouts)

    def _set_state(self) -> None:
        self._gradients, self._plans, self._averages = (self._zeros() for _ in range(3))
        self._states = self._zeros(self._num_arrays)
        self._policies = tuple(layout.uniform_policy() for layout in self._layouts)
        self._played = self._policies
        if self._trembles:
            self._played = tuple(policy.copy() for policy in self._policies)
        everything = zip(
            self._layouts, self._policies, self._least, self._played, self._plans, strict=True
        )
        for layout, policy, least, played, plan in everything:
            if self._trembles:
                apply_min_probabilities(layout.groups, policy, least, played)
            realize_policy(layout.groups, layout.parent, played, plan)
        self._payoffs = payoffs_by_player(self.sequence_form, self._layouts)

    def _arguments(self, rows: FloatArray, averaging: FloatArray) -> tuple[Any, ...]:
        return (
            rows,
            averaging,
            self.averaging.alternating,
            self.averaging.averages_next,
            self._trembles,
            self._num_arrays,
            self._done,
            tuple(layout.groups for layout in self._layouts),
            tuple(layout.parent for layout in self._layouts),
            *self._payoffs,
            self._least,
            self._gradients,
            self._policies,
            self._played,
            self._plans,
            self._averages,
            self._states,
        )

    def run(self, iterations: int) -> None:
        """Do `iterations` more iterations, inside one call.

        Raises
        ------
        ParameterError
            If the rule leaves something else than probabilities.
        """
        first = self.iteration + 1
        numbers = np.arange(first, first + iterations, dtype=np.float64)
        rows = np.ascontiguousarray(self._schedule(numbers), np.float64).reshape(iterations, -1)
        averaging = self.averaging.schedule(first, iterations)
        self._driver(*self._arguments(rows, averaging))
        for layout, policy in zip(self._layouts, self._policies, strict=True):
            _check(layout, policy)

    def settings(self) -> dict[str, Any]:
        """Return what decides iterations, as values to compare: rule, schedule, averaging, ε."""
        averaging = asdict(self.averaging)
        fixed = {name: averaging[name] for name in averaging if name not in ("name", "description")}
        return {
            **fixed,
            **self._made_of,
            "rows": np.asarray(self._schedule(np.arange(1.0, 5.0))).tolist(),
            "least probabilities": sha256(np.concatenate(self._least).tobytes()).hexdigest()[:12],
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
        """Return per player [Q] the average realization plan; before there is one, the current."""
        pairs = zip(self._layouts, self._averages, self._plans, strict=True)
        return tuple(layout.average_plan(total, plan) for layout, total, plan in pairs)

    def current_probabilities(self) -> tuple[FloatArray, ...]:
        """Return per player [Q] the behavior that the next iteration begins with."""
        played = zip(self._layouts, self._played, strict=True)
        return tuple(layout.to_sequences(own) for layout, own in played)


def _check(layout: Layout, policy: FloatArray) -> None:
    """Check that a rule left probabilities."""
    for base, count, actions, *_ in layout.groups.tolist():
        chosen = policy[base : base + count * actions].reshape(actions, count)
        is_right = (np.abs(chosen.sum(axis=0) - 1) <= SUM_TOLERANCE) & (chosen >= 0).all(axis=0)
        if not is_right.all():
            raise ParameterError(
                f"the rule plays {chosen[:, np.argmin(is_right)].tolist()} somewhere; put into "
                "policy [A, I], in place, numbers that are not negative and sum to 1 over the "
                "first axis"
            )
