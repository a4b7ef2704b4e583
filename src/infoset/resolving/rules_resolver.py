"""Re-solving without a tree of the game: each search builds its part from the rules."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from infoset.beliefs import LocalPart, PublicBeliefState, TreePart
from infoset.errors import UnknownNameError
from infoset.game import Game, Infostate
from infoset.game.infostate import infostate_generator
from infoset.policy import Policy, probabilities_at
from infoset.resolving.continuation_values import (
    ContinuationFunction,
    ContinuationValues,
    checked_continuation_values,
)
from infoset.resolving.opponent_values import mean_values
from infoset.resolving.part_limits import PartLimits
from infoset.resolving.resolution import (
    MIN_WEIGHT,
    Resolution,
    ResolvingAnswer,
    ResolvingSettings,
    resolve_part,
    values_after,
)
from infoset.resolving.searched_part import ValuedTreePart
from infoset.typing import NOOP, Action, FloatArray, Player
from infoset.utils.clocks import OutOfTimeError, deadline, working_seconds

MAX_SEARCHES: Final = 64
"""Searches that are kept for those at later public states."""


@dataclass(frozen=True, eq=False)
class LocalResolution:
    """The solution of a part that was built from the rules."""

    local: LocalPart
    resolution: Resolution
    policies: Mapping[Infostate, FloatArray]
    """The searching player's policy at its infostates at the root."""
    actions: Mapping[Infostate, tuple[Action, ...]]
    """The legal actions there."""

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

    def answer_at(self, infostate: Infostate) -> tuple[tuple[Action, ...], FloatArray] | None:
        """Return the legal actions and the searching player's policy inside the part.

        None if the part does not have the infostate, or ends there.
        """
        number = self.local.find(infostate)
        if number < 0:
            return None
        part, player = self.local.part, infostate.player
        tree = part.tree.infostate_trees[player]
        first, size = int(tree.first_sequence[number]), int(tree.num_actions[number])
        place = int(np.searchsorted(part.sequences[player], first))
        inside = part.sequences[player][place : place + size]
        if not size or len(inside) < size or inside[0] != first:
            return None
        return tree.legal_actions(number), self.resolution.policy[place : place + size]


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
    game
        A two-player zero-sum game.
    blueprint
        The policy of both players where nothing is searched.
    values : ContinuationValues, callable or None
        Values of histories; None only if nothing needs them.
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
        self._limits = PartLimits(settings)

    def answer(self, infostate: Infostate) -> ResolvingAnswer:
        """Answer by a search at the public state of an infostate, or by the fallback."""
        found = self.resolve(infostate)
        played = _played(self._searches_before(infostate))
        known = _fallback_at(infostate, played)
        method = "blueprint" if known is None else "earlier"
        actions, policy = ((), None) if known is None else known
        if found is None or infostate not in found.policies:
            return ResolvingAnswer(actions=actions, policy=policy, method=method)
        local = found.local
        if found.resolution.is_played:
            actions, policy = found.actions[infostate], found.policies[infostate]
            method = "complete" if local.roots.is_complete else "sample"
        return ResolvingAnswer(
            actions=actions,
            policy=policy,
            method=method,
            is_rejected=found.resolution.is_rejected,
            is_carried=bool(played),
            weight_share=local.roots.weight_share,
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
        """Search at an infostate, in the five steps of `PublicStateResolver`."""
        before = self._searches_before(infostate)
        player, limits, start = self.player, self._limits, working_seconds()
        rng = infostate_generator(self.seed, infostate)
        # 1. The ranges at the histories of the public state, the player's by its earlier searches.
        policies: list[Policy] = [self.blueprint, self.blueprint]
        policies[player] = CachedPolicy(self.blueprint, self._policies_of(before))
        histories = limits.draw(self.game, infostate, policies, rng, start)
        if histories is None:
            return None
        # 2. The part below them, or below a sample that fits into the limits.
        begin = working_seconds()
        local = limits.build(self.game, infostate, histories, rng, start)
        if local is None or local.roots.number_of(infostate) < 0:
            return None
        part = local.part
        root = PublicBeliefState.with_unit_ranges(part.tree, part.root)
        ranges = [
            histories.range_at(known)[order]
            for known, order in zip(local.roots.infostates, local.root_order, strict=True)
        ]
        own_range = ranges[player]
        weight = own_range[root.position[:, player]] * root.chance_reach
        if not weight.sum() > MIN_WEIGHT:
            return None
        # 3. The values that the opponent may take instead of playing on; at the root of the game
        # it has none, and without a gadget its range takes their place.
        settings, leaf_values = self.settings, self._leaf_values(local, start)
        if leaf_values is None:
            limits.shrink(local.num_ends, begin)
            return None
        if settings.gadget == "none" or not infostate.steps:
            settings, opponent = replace(settings, gadget="none"), ranges[1 - player]
        else:
            opponent = self._opponent(infostate, local, root, own_range, before)
        # 4. and 5. CFR+ on the part with the gadget, and a comparison with the fallback.
        fallback = self._fallback_in(local, before) if self.settings.is_checked else None
        built = working_seconds()
        resolution = resolve_part(
            ValuedTreePart(part, leaf_values),
            player,
            own_range,
            opponent,
            settings,
            start,
            fallback=fallback,
            payoffs=_payoffs(part, player, leaf_values, before),
        )
        limits.measure(local.num_ends, resolution.num_iterations, begin, built)
        return LocalResolution.of(local, resolution, player)

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

    def _policies_of(
        self, searches: Sequence[LocalResolution | None]
    ) -> dict[Infostate, FloatArray]:
        """Return the player's policy at the infostates at which it was searched."""
        known: dict[Infostate, FloatArray] = {}
        played: list[LocalResolution] = []
        for found in searches:
            if found is None:
                continue
            if found.resolution.is_played:
                played.append(found)
                known.update(found.policies)
                continue
            for infostate in found.policies:
                answer = _fallback_at(infostate, played)
                if answer is not None:
                    known[infostate] = answer[1]
        return known

    def _fallback_in(
        self, local: LocalPart, before: Sequence[LocalResolution | None]
    ) -> FloatArray:
        """Return [Q'_i] the player's policy in a part if no search there is played."""
        part, own = local.part, local.part.tree.infostate_trees[self.player]
        acting = own.acting.tolist()
        infostates = [local.infostate_at(self.player, number) for number in acting]
        played = _played(before)
        known = {key: found[1] for key in infostates if (found := _fallback_at(key, played))}
        policies = CachedPolicy(self.blueprint, known)
        actions = [own.legal_actions(number) for number in acting]
        answers = policies.many_action_probabilities(infostates, actions)
        policy = np.ones(own.num_sequences)
        for number, answer in zip(acting, answers, strict=True):
            first = own.first_sequence[number]
            policy[first : first + len(answer)] = answer
        return policy[part.sequences[self.player]]

    def _leaf_values(self, local: LocalPart, start: float) -> FloatArray | None:
        """Return [L, n] the values at the depth limit; None if they take too much time."""
        if not len(local.part.leaf_histories):
            return np.zeros((0, 1))
        assert self.values is not None  # required with a depth limit
        try:
            with deadline(self._limits.end(start)):
                return checked_continuation_values(self.values, local.leaves, self.player)
        except OutOfTimeError:
            return None

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
        if self.settings.opponent == "previous":
            last = reversed(_played(before))
            after = (self._after(one, infostate, local, own_range) for one in last)
            values = next(filter(None, after), {})
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
        """Return the opponent's best-response values to an earlier search, by its infostates."""
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


def _played(searches: Sequence[LocalResolution | None]) -> list[LocalResolution]:
    """Return the searches whose solutions are played."""
    return [one for one in searches if one is not None and one.resolution.is_played]


def _fallback_at(
    infostate: Infostate, played: Sequence[LocalResolution]
) -> tuple[tuple[Action, ...], FloatArray] | None:
    """Return the answer of the last solution that covers an infostate; None if no solution does."""
    answers = (found.answer_at(infostate) for found in reversed(played))
    return next((answer for answer in answers if answer is not None), None)


def _payoffs(
    part: TreePart,
    player: Player,
    leaf_values: FloatArray,
    before: Sequence[LocalResolution | None],
) -> tuple[float, float]:
    """Return the range of a player's payoffs in a part and in those of earlier searches."""
    found = [part.tree.rewards_so_far[part.terminals, player], leaf_values.ravel()]
    earlier = [one.resolution.payoffs for one in before if one is not None]
    payoffs = np.concatenate([*found, *map(np.asarray, earlier)])
    return float(payoffs.min()), float(payoffs.max())
