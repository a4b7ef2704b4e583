"""Re-solving without a tree of the game: each search builds its part from the rules."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import inf
from typing import Final

import numpy as np

from infoset.beliefs import HistorySet, LocalPart, PublicBeliefState, local_part
from infoset.beliefs.history_sampling import SamplingLimits
from infoset.beliefs.history_sets import PublicHistories, histories_around
from infoset.errors import UnknownNameError, UnsupportedGameError
from infoset.game import Game, Infostate
from infoset.game.infostate import infostate_generator
from infoset.policy import Policy, probabilities_at
from infoset.search.resolving.continuation_values import (
    ContinuationFunction,
    ContinuationValues,
    checked_continuation_values,
)
from infoset.search.resolving.opponent_values import mean_values
from infoset.search.resolving.resolution import (
    Resolution,
    ResolvingAnswer,
    ResolvingSettings,
    resolve_part,
    values_after,
)
from infoset.typing import NOOP, Action, FloatArray, Player
from infoset.utils.clocks import working_seconds

__all__ = ["LocalResolution", "RulesResolver"]

MAX_SEARCHES: Final = 64
"""Searches that are kept for those at later public states."""

MIN_ENDS: Final = 100
"""Ends that a search has in spite of its time limit."""

MIN_SECONDS: Final = 1e-3
"""Smallest limit on the time that the rules may take for a larger part."""

ENDS_PER_SECOND: Final = 10_000.0
"""Ends that are built and evaluated in a second, before it is measured."""

HISTORIES_PER_SECOND: Final = 1_000.0
"""Histories that are drawn or listed in a second, before it is measured."""

MIN_SAMPLES: Final = 10
"""Histories that a sample has in spite of the time limit of its search."""

GROWTH: Final = 10
"""Factor by which a sample grows if none of it agrees with the observations. It is also the number
of histories that are listed in place of one that is sampled."""

NUM_PROBES: Final = 4
"""Histories whose parts are built to see how many fit."""

MAX_ERROR: Final = 2
"""Factor by which that number may be too small."""


@dataclass(frozen=True, eq=False)
class LocalResolution:
    """The solution of a part that was built from the rules.

    Attributes
    ----------
    local : LocalPart
    resolution : Resolution
    policies : Mapping[Infostate, FloatArray]
        The searching player's policy at its infostates at the root.
    actions : Mapping[Infostate, tuple[Action, ...]]
        The legal actions there.
    """

    local: LocalPart
    resolution: Resolution
    policies: Mapping[Infostate, FloatArray]
    actions: Mapping[Infostate, tuple[Action, ...]]

    @classmethod
    def of(cls, local: LocalPart, resolution: Resolution, player: Player) -> LocalResolution:
        """Return a solution with the policy of a player at its infostates at the root."""
        own = local.part.infostate_trees[player]
        policies, actions = {}, {}
        for number, place in enumerate(local.root_order[player].tolist(), start=1):
            first, size = own.first_sequence[number], own.num_actions[number]
            if size:
                key = local.roots.infostates[player][place]
                policies[key] = resolution.policy[first : first + size]
                actions[key] = own.legal_actions(number)
        return cls(local, resolution, policies, actions)


class CachedPolicy:
    """The answers of a policy, and known answers that replace them."""

    def __init__(self, policy: Policy, known: Mapping[Infostate, FloatArray] | None = None) -> None:
        self.policy = policy
        self.known = {} if known is None else dict(known)

    def action_probabilities(
        self, infostate: Infostate, legal_actions: Sequence[Action]
    ) -> FloatArray:
        """Return [A] the probability of each legal action."""
        [found] = self.many_action_probabilities([infostate], [legal_actions])
        return found

    def many_action_probabilities(
        self, infostates: Sequence[Infostate], legal_actions: Sequence[Sequence[Action]]
    ) -> list[FloatArray]:
        """Return [R] the probabilities of the legal actions at each infostate."""
        pairs = zip(infostates, legal_actions, strict=True)
        new = {infostate: legal for infostate, legal in pairs if infostate not in self.known}
        if new:
            answers = probabilities_at(self.policy, [*new], [*new.values()])
            self.known.update(zip(new, answers, strict=True))
        return [self.known[infostate] for infostate in infostates]


class RulesResolver:
    """Searches of one player by the rules of a game, each based on those before it in the play.

    A search covers all histories of a public state, or a sample of them, half of which is from the
    player's infostate. It depends only on that infostate and the seed.

    Parameters
    ----------
    game : Game
        A two-player zero-sum game.
    player : Player
    blueprint : Policy
        The policy of both players where nothing is searched.
    values : ContinuationValues, callable or None
        Values of histories; None only if nothing needs them.
    settings : ResolvingSettings
    seed : int
    """

    def __init__(
        self,
        game: Game,
        player: Player,
        blueprint: Policy,
        values: ContinuationValues | ContinuationFunction | None,
        settings: ResolvingSettings,
        seed: int,
    ) -> None:
        self.game, self.player = game, player
        self.blueprint = CachedPolicy(blueprint)
        self.values, self.settings, self.seed = values, settings, seed
        self._searches: OrderedDict[Hashable, LocalResolution | None] = OrderedDict()
        self._ends_per_second, self._histories_per_second = ENDS_PER_SECOND, HISTORIES_PER_SECOND

    def answer(self, infostate: Infostate) -> ResolvingAnswer | None:
        """Search at the public state of an infostate; None where the blueprint has to answer."""
        found = self.resolve(infostate)
        if found is None or infostate not in found.policies:
            return None
        local = found.local
        return ResolvingAnswer(
            actions=found.actions[infostate],
            policy=found.policies[infostate],
            method="complete" if local.roots.is_complete else "sample",
            num_nodes=len(local.part.histories),
            num_histories=len(local.roots),
            num_ends=local.num_ends,
            num_iterations=found.resolution.num_iterations,
        )

    def resolve(self, infostate: Infostate) -> LocalResolution | None:
        """Search at the public state of an infostate; None if its part would be too large."""
        # A search of all histories answers at every infostate of the public state.
        for key in (infostate.public_state, infostate):
            if key in self._searches:
                self._searches.move_to_end(key)
                return self._searches[key]
        found = self._search(infostate)
        is_complete = found is not None and found.local.roots.is_complete
        self._searches[infostate.public_state if is_complete else infostate] = found
        while len(self._searches) > MAX_SEARCHES:
            self._searches.popitem(last=False)
        return found

    def _search(self, infostate: Infostate) -> LocalResolution | None:
        before = self._searches_before(infostate)
        start = working_seconds()
        rng = infostate_generator(self.seed, infostate)
        histories = self._histories(infostate, before, rng)
        if histories is None:
            return None
        begin = working_seconds()
        local = self._within_limits(infostate, histories, rng, start)
        if local is None:
            # The last measured speed may be that of a busy moment, which must not decide forever.
            self._ends_per_second = max(self._ends_per_second, ENDS_PER_SECOND)
            return None
        if local.roots.number_of(infostate) < 0:
            return None
        ranges = tuple(map(histories.range_at, local.roots.infostates))
        own_range = ranges[self.player][local.root_order[self.player]]
        tree, part = local.part.tree, local.part
        root = PublicBeliefState.with_unit_ranges(tree, part.root)
        if not (own_range[root.position[:, self.player]] * root.chance_reach).sum() > 0:
            return None
        gadget = self.settings.gadget
        if not infostate.steps:
            # The opponent has not acted yet, so that there is nothing it could take instead.
            gadget, opponent = "none", np.ones(1)
        elif gadget == "none":
            opponent = ranges[1 - self.player][local.root_order[1 - self.player]]
        else:
            opponent = self._opponent(infostate, local, root, own_range, before)
        leaf_values = self._leaf_values(local)
        self._ends_per_second = local.num_ends / max(working_seconds() - begin, 1e-6)
        resolution = resolve_part(
            part,
            self.player,
            own_range,
            opponent,
            leaf_values,
            gadget,
            self.settings.budget,
            start,
        )
        return LocalResolution.of(local, resolution, self.player)

    def _searches_before(self, infostate: Infostate) -> list[LocalResolution | None]:
        """Return the searches at earlier decisions of the player, from the first one.

        For `previous`, the root of the game is one of them in any case: a search there gives the
        values for the player's first decision.
        """
        if not self.settings.is_continual:
            return []
        lengths = [length for length, step in enumerate(infostate.steps) if step.action is not NOOP]
        if self.settings.opponent == "previous" and infostate.steps and 0 not in lengths:
            lengths = [0, *lengths]
        return [self.resolve(Infostate(self.player, infostate.steps[:n])) for n in lengths]

    def _histories(
        self,
        infostate: Infostate,
        before: Sequence[LocalResolution | None],
        rng: np.random.Generator,
    ) -> PublicHistories | None:
        """Return the histories of the public state, or a sample; None if none is found."""
        known = {key: p for found in before if found for key, p in found.policies.items()}
        policies: list[Policy] = [self.blueprint, self.blueprint]
        if known:
            policies[self.player] = CachedPolicy(self.blueprint, known)
        for max_histories, num_samples in self._sampling_limits():
            start = working_seconds()
            limits = SamplingLimits(rng, max_histories, num_samples)
            try:
                found = histories_around(self.game, infostate, policies, limits)
            except UnsupportedGameError:  # no sampled history agrees with the observations
                continue
            self._histories_per_second = len(found) / max(working_seconds() - start, 1e-6)
            return found
        return None

    def _sampling_limits(self) -> Iterator[tuple[int, int]]:
        """Yield the numbers of histories that are listed and sampled, until one is found.

        With a time limit, two samples take about a quarter of it.
        """
        seconds, settings = self.settings.budget.seconds, self.settings
        if seconds is not None:
            number = max(MIN_SAMPLES, int(self._histories_per_second * seconds / 8))
            while number < settings.num_samples:
                yield min(GROWTH * number, settings.max_histories), number
                number *= GROWTH
        yield settings.max_histories, settings.num_samples

    def _within_limits(
        self,
        infostate: Infostate,
        histories: PublicHistories,
        rng: np.random.Generator,
        start: float,
    ) -> LocalPart | None:
        """Return the part below the histories, or below a sample of them that is small enough.

        start : `working_seconds()` at the start of the search.
        """
        max_ends = self._max_ends(start)
        build = partial(self._build, max_ends=max_ends, start=start)
        if len(histories) <= NUM_PROBES:
            return build(histories.whole())
        some = histories.sample(NUM_PROBES, histories.chance_reach, infostate, rng)
        probe = build(some)
        if probe is None:
            return None
        # The number of histories that fit, if all have as many ends as these.
        number = max_ends * len(probe.roots) // probe.num_ends
        if len(histories) <= MAX_ERROR * number:
            whole = build(histories.whole())
            if whole is not None:
                return whole
        weight = histories.reach
        if not weight[histories.has(infostate)].any():
            return None
        while number >= NUM_PROBES:
            number = number * 9 // 10  # other histories may have more ends
            found = build(histories.sample(number, weight, infostate, rng))
            if found is not None:
                return found
        return probe

    def _build(self, histories: HistorySet, *, max_ends: int, start: float) -> LocalPart | None:
        """Return the part below some histories; None if it takes half of the time that is left."""
        seconds = inf
        if max_ends > MIN_ENDS:
            seconds = max(MIN_SECONDS, self._seconds_left(start) / 2)
        return local_part(
            self.game,
            histories,
            depth=self.settings.depth,
            max_ends=max_ends,
            max_seconds=seconds,
        )

    def _max_ends(self, start: float) -> int:
        """Return the maximum number of ends, so that half of the time is left to solve the part."""
        left = self._seconds_left(start)
        if left == inf:
            return self.settings.max_ends
        fitting = max(MIN_ENDS, int(self._ends_per_second * left / 2))
        return min(self.settings.max_ends, fitting)

    def _seconds_left(self, start: float) -> float:
        """Return the rest of the time limit; infinity without one."""
        seconds = self.settings.budget.seconds
        return inf if seconds is None else start + seconds - working_seconds()

    def _leaf_values(self, local: LocalPart) -> FloatArray:
        """Return [L, n] the values at the depth limit."""
        if not len(local.part.leaf_histories):
            return np.zeros((0, 1))
        assert self.values is not None  # required with a depth limit
        return checked_continuation_values(self.values, local.leaves, self.player)

    def _opponent(
        self,
        infostate: Infostate,
        local: LocalPart,
        root: PublicBeliefState,
        own_range: FloatArray,
        before: Sequence[LocalResolution | None],
    ) -> FloatArray:
        """Return [S_j] the opponent's values at the root."""
        other = 1 - self.player
        found = np.full(len(root.ranges[other]), np.nan)
        if self.settings.opponent == "previous" and before and before[-1] is not None:
            values = self._after(before[-1], infostate, local, own_range)
            keys = [local.roots.infostates[other][place] for place in local.root_order[other]]
            found = np.array([values.get(key, np.nan) for key in keys])
        missing = np.isnan(found)
        if missing.any():
            assert self.values is not None
            rows = checked_continuation_values(self.values, local.roots, self.player)
            means = mean_values(root, self.player, own_range, -rows[local.root_entries])
            is_profile = self.settings.opponent == "profile"
            best = means[:, 0] if is_profile else means.max(axis=1)
            found[missing] = best[missing]
        return found

    def _after(
        self,
        before: LocalResolution,
        infostate: Infostate,
        local: LocalPart,
        own_range: FloatArray,
    ) -> dict[Infostate, float]:
        """Return what a best response to an earlier search earns at the opponent's infostates."""
        seen = infostate.public_state.observations
        skipped = len(before.local.roots.infostates[0][0].steps)
        try:
            state, infostates = before.local.infostates_below(seen[skipped:])
        except UnknownNameError:  # no sampled history led here
            return {}
        resolution = before.resolution
        if state not in resolution.part.public_states:
            return {}  # it is at the depth limit
        order = local.root_order[self.player]
        reach = dict(
            zip([local.roots.infostates[self.player][n] for n in order], own_range, strict=True)
        )
        there = [
            [before.local.infostate_at(player, number) for number in numbers.tolist()]
            for player, numbers in enumerate(infostates)
        ]
        own_reach = np.array([reach.get(key, 0.0) for key in there[self.player]])
        values = values_after(resolution, self.player, state, own_reach)
        return dict(zip(there[1 - self.player], values.tolist(), strict=True))
