"""Regret minimization by all players of a game in self-play."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, cast

import numpy as np

from infoset.errors import NumericalError, ParameterError
from infoset.forms import (
    Form,
    FormPayoffs,
    Layout,
    PackedRows,
    PlanWeights,
    PublicDivision,
    Treeplex,
    check_form,
    fill_gradient,
    realize_policy,
    row_numbers,
)
from infoset.regret._cfr_kernels import (
    NUM_COLUMNS,
    PREDICTION_WEIGHT,
    REGRET_WEIGHT,
    iterate,
    match_regrets,
    respond,
)
from infoset.regret._part_kernels import DividedState, fill_policy
from infoset.regret.divided_iteration import DividedIteration
from infoset.regret.scheme import RegretScheme
from infoset.regret.threads import PlayerState, ThreadedIteration, partition_player
from infoset.regret.tolerances import TOLERANCES, divided_tolerances, regret_tolerances
from infoset.typing import BoolArray, FloatArray, IndexArray, Player, StateArrays
from infoset.utils.arguments import check_choice, check_count, check_type
from infoset.utils.interrupts import interrupts_held
from infoset.utils.state import IterativeState, name_by_player

PRECISIONS = {"float64": "float64", "float32": "float32", "int16": "float32"}
"""By precision of regrets and averages, that of payoffs, plans, gradients and policies."""

PUBLIC_PRECISIONS = ("int16",)
"""Precisions that need a public form."""

LAST_ROW = "last_row"
"""In saved states, the row of the schedule of the last iteration."""

MANY_SEQUENCES = 1 << 20
"""Minimum number of sequences for computing policies from regrets instead of storing them. Smaller
states fit in the processor's cache, where reading is faster."""

CACHE_LINE = 64
"""Size in bytes of a cache line."""

WARM_ITERATIONS = 4
"""Number of iterations that a warm start counts as in the schedule of discounts and weights."""

WARM_REGRET = 0.3
"""Sum of the regrets of an infostate after a warm start, relative to the largest absolute value
that the player can reach there against uniform play. With a smaller sum, the run moves away from
the start sooner, whether the start is good or poor (benchmarks/warm_starts.py)."""


class RegretMinimizer(IterativeState):
    """Self-play by a member of the CFR family: its state on a game, and its iterations.

    Parameters
    ----------
    form
        The game. The iterations on its sequence form and on its public form are the same, except
        for rounding.
    scheme
        The member of the family.
    precision
        Precision of state and payoffs, "float64" or "float32". Single precision needs half the
        memory, but rounding keeps its plans 10⁻⁷ to 10⁻⁵ of the payoff range from equilibrium.
        "int16" halves the memory of large public forms again. Regrets and averages then have 16
        bits, with a scale for each row of hands, and are rounded up or down at random, so that
        their expected values are exact. The rest is in single precision.
    threads
        Number of threads that share an iteration, in two-player games. More than one pays off if
        an iteration takes milliseconds. Results are equal bit for bit for any number.
    responding
        Per player, [I] infostates at which its policy is a best response to the others' current
        plans, as in CFR-BR, in place of regret matching: the first action whose value is the
        largest up to rounding. They must be last decisions of one player. It has no regret there,
        because Σ_t max_a q_t(a) ≥ max_a Σ_t q_t(a), so that averages still approach equilibria, but
        more slowly. None for no such infostates.

    Raises
    ------
    UnknownNameError
        If `precision` is unknown.
    ParameterError
        If single precision cannot represent the payoffs; if the precision is "int16", but the form
        is not a public form, or `responding` is given; if `threads` is not a positive whole number,
        or if it is above 1 in a game that does not have two players; or if `responding` has the
        wrong shape, infostates of several players, or one that is not a last decision.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.regret import SCHEMES
    >>> from infoset.tree import build_tree
    >>> kuhn = build_tree(load_game("kuhn_poker")).sequence_form
    >>> minimizer = RegretMinimizer(kuhn, SCHEMES["cfr+"])
    >>> minimizer.run(1000)
    >>> [len(plan) for plan in minimizer.average_plans()]
    [13, 13]
    """

    is_finished = False
    """Whether the minimizer cannot run more iterations; see `finish`."""

    _warm = 0
    """Number of iterations that schedules count as done before the first; see `warm_start`."""

    # Empty for arrays that are not stored: see `_division` and `_matches`.
    _plans: tuple[FloatArray, ...] = ()
    _gradients: tuple[FloatArray, ...] = ()
    # Arrays, or `PackedRows`.
    _policies: tuple[Any, ...] = ()
    _regrets: tuple[Any, ...]
    _averages: tuple[Any, ...]
    _tolerances: tuple[FloatArray, ...]

    def __init__(
        self,
        form: Form,
        scheme: RegretScheme,
        precision: str = "float64",
        threads: int = 1,
        responding: tuple[BoolArray, ...] | None = None,
    ) -> None:
        super().__init__()
        check_form(form)
        check_type("scheme", scheme, RegretScheme, 'a RegretScheme, such as SCHEMES["cfr+"]')
        check_count("threads", threads, minimum=1)
        if threads > 1 and form.num_players != 2:
            raise ParameterError(
                f"threads={threads} needs a game with two players, but {form.name} has "
                f"{form.num_players}: leave threads out"
            )
        self.form = form
        self.scheme = scheme
        check_choice("precision", precision, PRECISIONS)
        self.precision = precision
        self._number = PRECISIONS[precision]
        self._layouts = form.layouts
        self._groups = tuple(layout.groups for layout in self._layouts)
        self._responding = _last_decisions(form, self._layouts, responding)
        self._matches = (
            # The regrets then determine the policy.
            not scheme.predicts
            and responding is None
            and sum(layout.num_sequences for layout in self._layouts) >= MANY_SEQUENCES
        )
        division = cast("PublicDivision | None", form.division)
        self._is_packed = precision in PUBLIC_PRECISIONS
        if self._is_packed:
            division = _division_of_packed(form, responding)
        self._division = division if responding is None else None
        # Threads share sweeps of layouts by depth, but divided forms have layouts by part.
        self._threads = 1 if division is not None and responding is not None else threads
        self._set_state()
        # Allocated only now, after the temporary arrays of the tolerances are freed.
        self._regrets, self._averages = self._zeros("int16"), self._zeros("uint16")
        self._respond_to_start()
        self._prepare()

    def _zeros(self, kind: str) -> tuple[Any, ...]:
        """Return zeros for all sequences; kind: the type of numbers in 16 bits."""
        if self._is_packed:
            assert self._division is not None
            return self._division.packed(0, kind), self._division.packed(1, kind)
        return tuple(np.zeros(layout.num_sequences, self.precision) for layout in self._layouts)

    def _prepare(self) -> None:
        """Prepare iterations on the arrays of the state."""
        self._threaded: ThreadedIteration | None = None
        self._divided_iteration: DividedIteration | None = None
        if self._division is None:
            self._threaded = self._make_threaded()

    def _divided(self, division: PublicDivision) -> DividedIteration:
        """Return the iteration by parts; a measurement frees its arrays."""
        if self._divided_iteration is None:
            self._divided_iteration = DividedIteration(
                division,
                self.scheme,
                self._limit,
                self._divided_states(),
                self._number,
                self._threads,
            )
        return self._divided_iteration

    def _divided_states(self) -> tuple[DividedState, DividedState]:
        """Return the arrays of the players in a divided form."""
        policies = self._policies or ((np.zeros(0, self._number),) * 2)
        arrays = zip(
            range(2),
            (row_numbers(own, "int16") for own in self._regrets),
            map(row_numbers, self._averages),
            map(row_numbers, policies),
            self._tolerances,
            self._previous,
            self._changes,
            strict=True,
        )
        first, second = (DividedState(*own) for own in arrays)
        return first, second

    def _make_threaded(self) -> ThreadedIteration | None:
        """Return the iteration by threads or in stages; None if it runs in one compiled call."""
        # Payoffs that depend on the plans, as leaf functions do, are refreshed between updates.
        if self._threads == 1 and self._refresh is None:
            return None
        payoffs = FormPayoffs(self._payoffs, self._refresh)
        return self._threaded_iteration(payoffs, self._threads)

    def _threaded_iteration(self, payoffs: FormPayoffs, threads: int) -> ThreadedIteration:
        """Return the iteration by several threads on the arrays of this minimizer."""
        first, second = (
            PlayerState(
                partition_player(layout, public_state[layout.infostate], own, threads),
                layout.parent,
                *arrays,
            )
            for public_state, layout, own, *arrays in zip(
                self.form.public_states,
                self._layouts,
                payoffs.pairs,
                self._gradients,
                self._regrets,
                self._policies,
                self._plans,
                self._averages,
                self._tolerances,
                self._previous,
                self._changes,
                self._responding,
                strict=True,
            )
        )
        return ThreadedIteration(threads, self.scheme, self._limit, (first, second), self._refresh)

    def _allocate(self) -> None:
        """Allocate plans and gradients; evaluations reuse their memory."""
        sizes = [plex.num_sequences for plex in self.form.treeplexes]
        # In alternating iterations, a gradient is used up before the next one is computed.
        own = [max(sizes)] if self.scheme.alternating else sizes
        # Evaluations need two arrays, but no plans or gradients: they share this memory.
        self._workspace, arrays = _in_one_block([*sizes, *own], self.precision, 2 * max(sizes))
        self._plans, gradients = arrays[: len(sizes)], arrays[len(sizes) :]
        if self.scheme.alternating:
            gradients = tuple(gradients[0][:size] for size in sizes)
        self._gradients = gradients

    def _set_state(self) -> None:
        sizes = [plex.num_sequences for plex in self.form.treeplexes]
        number = self._number
        if self._division is None:
            self._set_plans()
        else:
            parts = self._division.parts
            self._tolerances = (
                # The rounding of packed regrets decides ties.
                tuple(np.zeros(len(own.size), number) for own in parts)
                if self._is_packed
                else divided_tolerances(self._division, number)
            )
            if not self._matches:
                self._policies = self._uniform_policies()
        limit = self.scheme.adaptive_limit
        self._limit = -1.0 if limit is None else limit
        # Without an adaptive prediction nothing reads these arrays.
        kept = [0 if limit is None else size for size in sizes]
        self._previous = tuple(np.zeros(size, number) for size in kept)
        self._changes = tuple(np.zeros((2, size), number) for size in kept)
        # With regrets of 0, every row yields the uniform policy.
        self._rows = 0, np.ones((1, NUM_COLUMNS))

    def _uniform_policies(self) -> tuple[Any, ...]:
        """Return the uniform policy of each player."""
        if not self._is_packed:
            return tuple(own.uniform_policy(self._number) for own in self._layouts)
        policies = self._zeros("uint16")  # rows of zeros become uniform
        for own in policies:
            own.scale[0] = 1.0
        return policies

    def _set_plans(self) -> None:
        """Set policies, plans and dependent arrays to uniform play."""
        number, form = self.precision, self.form
        self._parents = tuple(layout.parent for layout in self._layouts)
        payoffs = form.payoffs(number)
        self._payoffs, self._refresh = payoffs
        self._allocate()
        self._has_plans = True
        # During an iteration, the next policy is stored in the array of the gradient.
        self._policies = self._gradients
        if not self._matches:
            self._policies = tuple(np.empty_like(plan) for plan in self._plans)
        for player, layout in enumerate(self._layouts):
            self._policies[player][:] = layout.uniform_policy(number)
            self._realize_player(player)
        self._tolerances = regret_tolerances(form, payoffs, self._plans)

    def _realize_player(self, player: Player) -> None:
        """Fill the current plan of a player."""
        realize_policy(
            self._groups[player],
            self._parents[player],
            self._policies[player],
            self._plans[player],
        )

    def _realize(self) -> None:
        """Fill the current plans."""
        if not self._plans:
            self._allocate()
        for player in range(len(self._plans)):
            if self._matches:
                self._match(player, self._policies[player])
            self._realize_player(player)
        self._has_plans = True

    def _match(self, player: Player, policy: Any) -> Any:
        """Fill the current policy of a player, which matches its regrets, and return it."""
        if self._division is not None:
            state, division = self._divided_states()[player], self._division
            # This policy is packed only once, so the random numbers of iteration 0 serve.
            made = np.append(self._last_row(), 0.0).astype(self._number)
            rows = division.row_workspace(self._number)
            fill_policy(division.parts[player], state, made, row_numbers(policy), rows)
            return policy
        groups, regret = self._groups[player], self._regrets[player]
        tolerance = self._tolerances[player]
        match_regrets(groups, self._last_row(), regret, tolerance, policy)
        return policy

    def _last_row(self) -> FloatArray:
        """Return the row of the schedule of the last iteration.

        It is derived from the number of iterations, so it is also correct after an interruption.
        """
        first, rows = self._rows
        row: FloatArray = rows[self.iteration - first]
        return row

    def _current_plans(self) -> tuple[FloatArray, ...]:
        """Return each player's [Q] current plan, in the order of position."""
        if self._division is not None:
            pairs = zip(self._layouts, self.current_weights(), strict=True)
            return tuple(_realized(layout, np.asarray(own, self._number)) for layout, own in pairs)
        if not self._has_plans:
            self._realize()
        return self._plans

    def workspace(self) -> FloatArray | None:
        """Return memory for an evaluation, twice as long as the longest plan, in double precision.

        It reuses the memory of the current plans, which are recomputed when needed. None if plans
        of the whole game are not stored; the arrays of the iteration are then freed.
        """
        if self._division is not None:
            self._divided_iteration = None
            return None
        self._has_plans = False
        if not self._plans:
            self._allocate()
        return self._workspace

    def _respond_to_start(self) -> None:
        """Respond to the plans before the first iteration, which are not responses yet."""
        if not any(map(len, self._responding)):
            return
        start = tuple(plan.copy() for plan in self._current_plans())
        for player, decisions in enumerate(self._responding):
            if not len(decisions):
                continue
            gradient, policy = self._gradients[player], self._policies[player]
            if self._refresh is not None:
                self._refresh(player, start)
            fill_gradient(player, self._payoffs, start, gradient)
            respond(decisions, gradient, self._tolerances[player], policy)
            groups, parents = self._groups[player], self._parents[player]
            realize_policy(groups, parents, policy, self._plans[player])

    def warm_start(self, policies: Callable[[Player], FloatArray]) -> None:
        """Start from given policies instead of uniform play.

        With σ the policy, the cumulative regrets become

            R(I, a) = w · σ(a|I) · Δ(I),

        so that regret matching plays σ. Δ(I) is the largest absolute value that the player can
        reach at infostate I against uniform play, weighted by counterfactual reach (in divided
        forms, the maximum over the hands of a public decision), and w is `WARM_REGRET` times the
        weight of a regret. The schedule begins as if `WARM_ITERATIONS` iterations had been done,
        because the discounts of the first ones would erase R. The average begins empty, so a poor
        start leaves nothing in it, and the regret bounds hold with an additional constant,
        Σ_a R(I, a).

        Parameters
        ----------
        policies
            Function that returns [Q] the probability of the last action of each sequence of a
            player, such as `TabularPolicy.probabilities_of`.

        Raises
        ------
        ParameterError
            If iterations have been done, or regrets have 16 bits.

        Notes
        -----
        Differs from Brown and Sandholm (2016), "Strategy-based warm starting for regret
        minimization in games", who choose regrets by the values of σ and do not begin by playing σ.
        Near an equilibrium, these values are nearly equal, and the regrets nearly 0.
        """
        if self.iteration:
            raise ParameterError(
                f"this minimizer has done {self.iteration:,} iterations; call warm_start before "
                "the first one"
            )
        check_warm_precision(self.precision)
        self._warm = WARM_ITERATIONS
        self._rows = 0, self._schedule(0, 1)
        weight = WARM_REGRET * self._last_row()[REGRET_WEIGHT] / TOLERANCES[self.precision]
        for player, layout in enumerate(self._layouts):
            regret, tolerance = self._regrets[player], self._tolerances[player]
            if self._division is not None:
                # Divided forms have one for each public decision.
                tolerance = np.repeat(tolerance, self._division.parts[player].size)
            layout.to_positions(policies(player), out=regret)
            if not self._matches:
                self._policies[player][:] = regret
            regret[0] = 0.0
            # `Δ(I)` is the tolerance divided by its fraction of the absolute values.
            for base, stride, actions, first, count in layout.groups.tolist():
                scale = weight * tolerance[first : first + count]
                for at in range(base, base + actions * stride, stride):
                    regret[at : at + count] *= scale
        self._has_plans = False
        self._respond_to_start()

    def _schedule(self, first: int, count: int) -> FloatArray:
        """Return the rows of the schedule for iterations from `first` on."""
        delay = self.scheme.average_delay + self._warm
        scheme = replace(self.scheme, average_delay=delay) if self._warm else self.scheme
        return scheme.checked_schedule(self._warm + first, count)

    def run(self, iterations: int) -> None:
        """Run `iterations` more iterations in one compiled call.

        With several threads, Ctrl-C takes effect when the current iteration has ended.

        Raises
        ------
        NumericalError
            If a number of the scheme is too large for the precision.
        ParameterError
            If the minimizer is finished.
        """
        self._check_unfinished()
        schedule = self._schedule(self.iteration + 1, iterations)
        largest = schedule.max(initial=0.0)
        if self._is_packed:
            # A bound on sums: infinite ones would be packed as numbers that look valid.
            largest *= (self.iteration + iterations) * max(1.0, self.form.payoff_width)
        # The kernel would turn such numbers into infinities of the precision.
        if largest > np.finfo(self._number).max:
            raise NumericalError(
                f"the weights or discounts of {self.scheme.name} at iterations up to "
                f"{self.iteration + iterations} are too large for {self.precision}: use "
                "precision='float64', or smaller exponents"
            )
        if self._division is None:
            self._current_plans()
        if self._matches and schedule[:, PREDICTION_WEIGHT].any():
            # The schedule of a subclass may predict: policies then depend on the last regret.
            self._store_policies(self.current_weights())
        # The previous row, then the rows of the iterations.
        rows = np.concatenate([self._last_row()[None], schedule])
        self._rows = self.iteration, rows
        if self._division is not None:
            self._divided(self._division).run(rows, self._done)
            return
        if self._threaded is None:
            self._run_compiled(schedule, rows[0])
            return
        for before, row in pairwise(rows):
            with interrupts_held():
                self._threaded.run(row, before if self._matches else None)
                self._done += 1

    def _run_compiled(self, schedule: FloatArray, before: FloatArray) -> None:
        iterate(
            schedule,
            self._done,
            self.scheme.alternating,
            self.scheme.averages_next,
            self._limit,
            self._groups,
            self._parents,
            self._payoffs,
            self._gradients,
            self._regrets,
            self._policies,
            self._plans,
            self._averages,
            self._tolerances,
            self._previous,
            self._changes,
            self._responding,
            before if self._matches else None,
        )

    def finish(self) -> None:
        """Free memory needed only by further iterations; policies can still be measured."""
        with interrupts_held():
            if self._matches:
                # Policies take the memory of the regrets.
                memory = map(_same_memory, self._regrets)
                self._policies = tuple(self._match(*own) for own in enumerate(memory))
                self._matches = False
            self.is_finished = True
            # Plans follow from the policies if they are needed again.
            self._has_plans, self._workspace = False, np.zeros(0)
            self._threaded = self._divided_iteration = None
            self._regrets = self._gradients = self._plans = ()
            self._previous = self._changes = self._tolerances = ()

    def _check_unfinished(self) -> None:
        if self.is_finished:
            raise ParameterError(
                "this minimizer is finished, and only its policies are left: create a new one, and "
                "call finish after its last iteration"
            )

    def _state_arrays(self) -> StateArrays:
        self._check_unfinished()
        kinds: dict[str, Sequence[Any]] = {"regrets": self._regrets, "averages": self._averages}
        if not self._matches:
            kinds["policies"] = self._policies
        if self._is_packed:
            scales = {f"scales of {name}": [own.scale for own in kinds[name]] for name in kinds}
            packed = {name: [own.packed for own in kinds[name]] for name in kinds}
            kinds = {**packed, **scales}
        elif self._division is None:
            kinds["plans"] = self._current_plans()
        arrays = name_by_player(previous=self._previous, changes=self._changes, **kinds)
        # Computing policies from the regrets takes this row.
        return {**arrays, LAST_ROW: self._last_row().copy()} if self._matches else arrays

    def set_state(self, state: StateArrays) -> None:
        """Restore the state from arrays with the names and shapes of `state()`."""
        if self._matches and LAST_ROW not in state:
            # The saved run stored its policies, because its schedule predicts regrets.
            self._store_policies(self.current_weights())
        super().set_state(state)
        row = state[LAST_ROW] if self._matches else np.ones(NUM_COLUMNS)
        self._rows = self.iteration, np.array(row)[None]

    def _store_policies(self, policies: tuple[PlanWeights, ...]) -> None:
        """Store the current policies if they will not follow from the regrets."""
        self._policies, self._matches = policies, False
        self._prepare()

    def average_plans(self) -> tuple[FloatArray, ...]:
        """Return each player's [Q] average realization plan; at the start, the current plan."""
        pairs = zip(self._layouts, self.average_weights(), strict=True)
        return tuple(layout.average_plan(own, own) for layout, own in pairs)

    def average_weights(self) -> tuple[PlanWeights, ...]:
        """Return each player's [Q] weighted sum of plans, in the order and precision of the state.

        They are the arrays of the state; the current plan where nothing has been summed.
        """
        if all(total[0] > 0 for total in self._averages):
            return self._averages
        pairs = zip(self._averages, self._current_plans(), strict=True)
        return tuple(total if total[0] > 0 else plan for total, plan in pairs)

    def current_weights(self) -> tuple[PlanWeights, ...]:
        """Return each player's [Q] current policy, in the order and precision of the state.

        These are the arrays of the state, or new ones if policies are not stored.
        """
        if not self._matches:
            return self._policies
        empty = self._zeros("uint16")
        return tuple(self._match(player, policy) for player, policy in enumerate(empty))

    def current_plans(self) -> tuple[FloatArray, ...]:
        """Return each player's [Q] realization plan from which the next iteration starts."""
        return tuple(
            layout.to_sequences(np.asarray(plan, np.float64))
            for layout, plan in zip(self._layouts, self._current_plans(), strict=True)
        )

    def current_probabilities(self) -> tuple[FloatArray, ...]:
        """Return each player's [Q] behavior policy from which the next iteration starts.

        Unlike the plans, it is also defined at infostates that the player's own actions exclude.
        """
        return tuple(
            layout.to_sequences(np.asarray(policy, np.float64))
            for layout, policy in zip(self._layouts, self.current_weights(), strict=True)
        )

    def regrets(self, player: Player) -> FloatArray:
        """Return [Q] the cumulative regret of each sequence, as the scheme accumulates it."""
        self._check_unfinished()
        return self._layouts[player].to_sequences(np.asarray(self._regrets[player], np.float64))


def check_warm_precision(precision: str) -> None:
    """Raise unless a run in a precision can start from a policy.

    Raises
    ------
    ParameterError
        If it cannot.
    """
    if precision in PUBLIC_PRECISIONS:
        raise ParameterError(
            f"precision={precision!r} does not support warm starts: omit start, or use "
            "precision='float32'"
        )


def _realized(layout: Layout, policy: FloatArray) -> FloatArray:
    """Return [Q] the plan of a policy; both are in order of position."""
    plan = np.empty_like(policy)
    realize_policy(layout.groups, layout.parent, policy, plan)
    return plan


def _same_memory(regret: PlanWeights) -> PlanWeights:
    """Return an array for a policy, in the memory of regrets that are no longer needed."""
    if not isinstance(regret, PackedRows):
        return regret
    # Policies are computed from the scales of the regrets.
    return replace(regret, packed=regret.packed.view(np.uint16), scale=regret.scale.copy())


def _division_of_packed(form: Form, responding: object) -> PublicDivision:
    """Return the division of a form whose rows of hands can be packed.

    Raises
    ------
    ParameterError
        If it has no such rows.
    """
    if responding is not None or form.all_parts is None:
        changes = " with responding infostates" if responding is not None else ""
        if form.whole is not form:
            changes = " with locks or another transform"
        raise ParameterError(
            f"precision='int16' needs a{'n unchanged' if changes else ''} public form, but "
            f"{form.name} is given as a {form.kind} form{changes}: use its "
            f"public form{' without changes' if changes else ''}, or precision='float32'"
        )
    return cast(PublicDivision, form.all_parts)


def _in_one_block(
    sizes: Sequence[int], precision: str, num_doubles: int
) -> tuple[FloatArray, tuple[FloatArray, ...]]:
    """Return zeros in double precision, and arrays of the given sizes in the same memory."""
    number = np.dtype(precision)
    # Each array begins at a cache line, counted from the beginning of the block.
    lines = [-(-size * number.itemsize // CACHE_LINE) for size in sizes]
    doubles = CACHE_LINE // 8
    block = np.zeros(max(num_doubles, doubles * sum(lines)))
    begins = (CACHE_LINE // number.itemsize * (np.cumsum(lines) - lines)).tolist()
    arrays = block.view(number)
    pairs = zip(begins, sizes, strict=True)
    return block[:num_doubles], tuple(arrays[begin : begin + size] for begin, size in pairs)


def _last_decisions(
    form: Form, layouts: tuple[Layout, ...], chosen: tuple[BoolArray, ...] | None
) -> tuple[IndexArray, ...]:
    """Return per player [K, 4] the decisions that `respond` reads, given those that were chosen."""
    plexes = form.treeplexes
    if chosen is None:
        return tuple(np.zeros((0, 4), np.uint32) for _ in plexes)
    sizes = [plex.num_infostates for plex in plexes]
    shapes = [np.shape(own) for own in chosen]
    if shapes != [(size,) for size in sizes]:
        raise ParameterError(
            f"responding has shapes {shapes}, but the players of {form.name} have {sizes} "
            "infostates; give an array with one entry for each infostate of each player"
        )
    players = [player for player, own in enumerate(chosen) if np.any(own)]
    if len(players) > 1:
        raise ParameterError(
            f"responding has infostates of players {' and '.join(map(str, players))}, who would "
            "respond to each other in circles; choose those of one player"
        )
    return tuple(
        _decisions_of(plex, layout, np.asarray(own, bool), form.name)
        for plex, layout, own in zip(plexes, layouts, chosen, strict=True)
    )


def _decisions_of(plex: Treeplex, layout: Layout, chosen: BoolArray, name: str) -> IndexArray:
    """Return the decisions of one player; see `_last_decisions`."""
    above = plex.infostate_of_sequence[plex.parent_sequence]
    if chosen[above[above >= 0]].any():
        raise ParameterError(
            f"responding has an infostate of {name} after which the player acts again; choose last "
            "decisions, whose values do not depend on regrets"
        )
    base, count, actions, first, _ = layout.groups.astype(np.int64).T
    group = np.repeat(np.arange(len(count)), count)
    place = np.arange(len(layout.infostate))
    rows = np.stack([base[group] + place - first[group], count[group], actions[group], place])
    return rows.T[chosen[layout.infostate]].astype(np.uint32)
