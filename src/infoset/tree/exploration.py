"""Breadth-first exploration of a game's world states, the only stage that calls its rules."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable, Iterable
from fractions import Fraction
from itertools import islice, product
from math import fsum, prod
from numbers import Rational, Real
from typing import Any

import numpy as np

from infoset.errors import NO_WORLD, GameRuleError, show
from infoset.game import Game, Observation, Probability
from infoset.game.answer_checks import (
    Transition,
    check_form,
    check_legal_actions,
    check_observation,
    check_rewards,
)
from infoset.game.broken_rules import check_num_players, to_rule_error
from infoset.game.kinds import find_mixed_kinds, is_text_only, mixed_kinds_error
from infoset.tree.build_progress import BuildProgress
from infoset.tree.limits import BuildWatch
from infoset.tree.saved_graphs import find_cache_entry
from infoset.tree.world_graph import WorldGraph, freeze
from infoset.typing import NOOP, Action, JointAction, Player, World
from infoset.utils.arguments import SUM_TOLERANCE, check_type
from infoset.utils.watchdog import LimitReached

__all__ = ["build_world_graph", "explore_game"]

WORLDS_PER_REPORT = 256
TRANSITIONS_PER_REPORT = 4096
MAX_KEPT_JOINT_ACTIONS = 256
MAX_COMPARISONS = 1024
COMPARISON_STRIDE = 16
LISTS = (tuple, list, range)
"""The usual types of answers with several entries; others are looked at more closely."""


def build_world_graph(
    game: Game,
    *,
    memory: int | None = None,
    max_worlds: int | None = None,
    max_seconds: float | None = None,
    partial: bool = False,
    progress: BuildProgress | None = None,
) -> WorldGraph:
    """Visit every world state that is reachable from the initial one, breadth first.

    Parameters
    ----------
    game : Game
    memory : int, optional
        Limit in bytes; by default 70% of the free memory.
    max_worlds : int, optional
        Limit on the number of world states; by default that of `build_limits`, one million. The
        limit on transitions is ten times this number, but at least a million.
    max_seconds : float, optional
        Limit on the elapsed time, in seconds; by default that of `build_limits`, which is None: no
        limit.
    partial : bool
        Return a partial graph at a limit or after Ctrl-C, instead of raising.
    progress : callable, optional
        Called with a `BuildPoint` every few hundred world states.

    Returns
    -------
    WorldGraph

    Raises
    ------
    GameRuleError
        If a method of the game raises an exception, or the game breaks a rule of the model:
        probabilities that do not sum to one, rewards that are not finite, world states that cannot
        be hashed, actors without legal actions. The error is that of `infoset.check_game`, which
        checks more rules.
    ExplorationLimitError
        If a limit is exceeded and `partial` is False.
    ParameterError
        If `game` is not a `Game` (a name, for example), or a limit is out of range.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> build_world_graph(load_game("kuhn_poker")).num_worlds
    55
    """
    return explore_game(game, BuildWatch(max_worlds, max_seconds, memory, progress), partial)


def explore_game(game: Game, watch: BuildWatch, partial: bool = False) -> WorldGraph:
    """Return the world graph of a game, as `build_world_graph` does within the limits of `watch`.

    Raises
    ------
    GameRuleError, ExplorationLimitError, ParameterError
        As `build_world_graph`.
    """
    check_type("game", game, Game, 'a Game, such as infoset.load("kuhn_poker")')
    check_num_players(game)
    entry = find_cache_entry(game)
    saved = None if entry is None else entry.load()
    if saved is not None and watch.allows(saved.num_worlds, saved.num_edges):
        return saved
    explorer = _Explorer(game, watch)
    watch.stop = _explore(explorer, watch, partial)
    if watch.stop is not None and not (partial and explorer.worlds):
        raise watch.error(game, len(explorer.worlds), len(explorer.next_world))
    graph = explorer.graph(watch.stop)
    if entry is not None and saved is None and graph.is_complete:
        entry.save(graph)
    return graph


def _explore(explorer: _Explorer, watch: BuildWatch, partial: bool) -> str | None:
    """Expand all world states; return what stopped it, or None if it is complete."""
    try:
        broken = watch.run(explorer.explore)
    except LimitReached:
        stop = watch.stop or watch.reached
        if stop is None:  # the limit of a watchdog around this one: the graph is not complete
            raise
        return stop
    except MemoryError:
        explorer.index.clear()
        return "memory"
    except KeyboardInterrupt:
        if not partial:
            raise
        return "interrupted"
    if broken is not None:
        raise broken from broken.__cause__
    return None


class _Explorer:
    """The graph during exploration: flat lists, and dictionaries that number worlds and labels.

    This is the only Python loop over a whole game, so it is written for speed. Results that many
    world states share (the joint actions of equal legal actions, the checks of equal rewards) are
    cached. Only what would otherwise go unnoticed is checked here; any other wrong answer raises
    some exception, and `build_world_graph` then finds the broken rule.
    """

    def __init__(self, game: Game, watch: BuildWatch) -> None:
        self.game = game
        self.watch = watch
        self.max_worlds = watch.limits.max_worlds
        self.max_transitions = watch.limits.max_transitions
        self.num_players = game.num_players
        self.worlds: list[World] = []
        self.num_expanded = 0
        self.index: dict[World, int] = {}
        self.action_sets: dict[tuple[Action, ...], int] = {}
        self.action_labels: list[tuple[Action, ...]] = []
        self.observations: dict[Hashable, int] = {}
        # Numbers of the observations of players who see only the public one, once it is known.
        self.unseen: tuple[int, ...] = ()
        # The first of equal lists of actions and of equal observations, to compare their types.
        # Those that consist of text only are left out.
        self.typed_action_sets: dict[int, tuple[Action, ...]] = {}
        self.num_comparisons = 0
        self.typed_labels: dict[int, Hashable] = {}
        self.joint_actions: dict[tuple[int, ...], list[tuple[JointAction, tuple[int, ...]]]] = {}
        self.valid_rewards: set[tuple[float, ...]] = set()
        # The last valid probability, and the nearest float; first an object that is not one.
        self.last_probability: tuple[object, float] = (self, 0.0)
        # `action_set` and `first_edge` [W + 1] are per world, the others per edge. Two-dimensional
        # arrays are flat lists with N numbers per row.
        self.action_set: list[tuple[int, ...]] = []
        self.first_edge: list[int] = [0]
        self.joint_action: list[int] = []
        self.probability: list[float] = []
        self.exact_probability: list[Probability] = []
        self.next_world: list[int] = []
        self.rewards: list[float] = []
        self.public: list[int] = []
        self.private: list[int] = []

    def explore(self) -> Exception | None:
        """Expand all world states; raise `LimitReached` beyond a limit.

        An exception of the rules, or of this code because of a wrong answer, is not raised but
        explained by the slow checks of `check_game`, at this world state and within the limits.
        """
        try:
            self.world_index(self.game.initial_world())
            while self.num_expanded < len(self.worlds):
                self.expand()
            self.check_probability_types()
        except MemoryError:
            raise
        except Exception as error:
            return to_rule_error(error, self.game, self.world)
        return None

    @property
    def world(self) -> World:
        """The world state that is being expanded; `NO_WORLD` if there is none."""
        place = self.num_expanded
        return self.worlds[place] if place < len(self.worlds) else NO_WORLD

    def world_index(self, world: World) -> int:
        """Return the number of a world state; a new one gets the next number."""
        known = self.index.setdefault(world, len(self.worlds))
        if known == len(self.worlds):
            self.worlds.append(world)
            if known >= self.max_worlds:
                self.watch.stop_at("worlds")
        elif self.worlds[known] is not world:
            self.check_kinds("the next world", self.worlds[known], world)
        return known

    def check_kinds(self, what: str, first: Hashable, second: Hashable) -> None:
        """Raise if two equal values have different types, such as 1 and True.

        A mixture repeats, so that in a large game some of the comparisons are enough to find it.
        """
        self.num_comparisons += 1
        if self.num_comparisons > MAX_COMPARISONS and self.num_comparisons % COMPARISON_STRIDE:
            return
        mixed = find_mixed_kinds(first, second)
        if mixed is not None:
            raise mixed_kinds_error(what, second, mixed, self.world)

    def expand(self) -> None:
        """Append the edges of the next unexpanded world; raise `LimitReached` beyond a limit."""
        if self.num_expanded % WORLDS_PER_REPORT == 0:
            self.watch.report("world graph", len(self.worlds))
            if len(self.next_world) > self.max_transitions:
                self.watch.stop_at("transitions")
        world = self.worlds[self.num_expanded]
        sets, joint_actions = self.legal_joint_actions(world)
        self.action_set.append(sets)
        transitions = self.game.transitions
        for joint, joint_index in joint_actions:
            outcomes: Any = transitions(world, joint)
            kind = type(outcomes)
            if (kind is list or kind is tuple) and len(outcomes) == 1 and outcomes[0][1] == 1:
                # Most transitions are moves of players, which have one outcome.
                next_world, probability = outcomes[0]
                self.exact_probability.append(probability)
                self.probability.append(1.0)
                self.add_edge(world, joint, joint_index, self.world_index(next_world))
            elif outcomes or max(sets) >= 0 or kind not in LISTS:
                for target in self.merged_outcomes(world, joint, outcomes, max(sets) >= 0):
                    self.add_edge(world, joint, joint_index, target)
        self.first_edge.append(len(self.next_world))
        self.num_expanded += 1

    def legal_joint_actions(
        self, world: World
    ) -> tuple[tuple[int, ...], Iterable[tuple[JointAction, tuple[int, ...]]]]:
        """Return the number of each player's legal actions, and the joint actions with indices."""
        actors = self.game.actors(world)
        if type(actors) not in LISTS:
            check_form("actors", actors, world)
        sets = [-1] * self.num_players
        for player in actors:
            # `True` would count as player 1, and a player listed twice as one listed once.
            if type(player) is bool or not 0 <= player < self.num_players or sets[player] >= 0:
                raise GameRuleError(
                    f"actors are distinct players, from 0 to {self.num_players - 1}",
                    found=f"actors are {actors}",
                    world=world,
                )
            sets[player] = self.legal_actions(world, player)
        key = tuple(sets)
        known = self.joint_actions.get(key)
        if known is not None:
            return key, known
        labels = self.action_labels
        legal = [labels[chosen] if chosen >= 0 else (NOOP,) for chosen in sets]
        indices = [range(len(labels[chosen])) if chosen >= 0 else (-1,) for chosen in sets]
        joint_actions = zip(product(*legal), product(*indices), strict=True)
        number = prod(map(len, legal))
        if number > MAX_KEPT_JOINT_ACTIONS:
            if len(self.next_world) + number > self.max_transitions:
                self.watch.stop_at("transitions")
            return key, joint_actions
        return key, self.joint_actions.setdefault(key, list(joint_actions))

    def legal_actions(self, world: World, player: Player) -> int:
        """Return the number of a player's legal actions."""
        answer = self.game.legal_actions(world, player)
        if type(answer) not in LISTS:
            check_form("legal_actions", answer, world, player)
        if len(answer) > self.max_transitions:
            self.watch.stop_at("transitions")
        actions = tuple(answer)
        known = self.action_sets.get(actions)
        if known is not None:
            first = self.typed_action_sets.get(known, actions)
            if first is not actions:
                self.check_kinds("the tuple of legal actions", first, actions)
            return known
        check_legal_actions(actions, world, player)
        known = self.action_sets[actions] = len(self.action_sets)
        self.action_labels.append(actions)
        if not is_text_only(actions):
            self.typed_action_sets[known] = actions
        return known

    def merged_outcomes(
        self,
        world: World,
        joint: JointAction,
        outcomes: Iterable[tuple[World, Probability]],
        must_move: bool,
    ) -> Iterable[int]:
        """Append the probabilities of the outcomes of a joint action; return its next worlds."""
        if type(outcomes) not in LISTS:
            check_form("transitions", outcomes, world, joint)
        merged: dict[int, Probability] = {}
        rounded: dict[int, float] = {}
        valid, weight = self.last_probability
        count = 0
        for count, (next_world, probability) in enumerate(outcomes, 1):
            if count % TRANSITIONS_PER_REPORT == 0:
                self.watch.report("world graph", len(self.worlds))
            # Comparing and rounding fractions is slow, and many outcomes often share one object.
            if probability is not valid:
                if not probability > 0:
                    if probability != 0:
                        raise GameRuleError(
                            "a probability is a finite, nonnegative number",
                            found=f"a probability of {joint} is {probability!r}",
                            world=world,
                        )
                    continue
                valid, weight = probability, float(probability)
            target = self.world_index(next_world)
            if target in merged:
                merged[target] = merged[target] + probability
                rounded[target] = float(merged[target])
            else:
                merged[target], rounded[target] = probability, weight
        self.last_probability = valid, weight
        weights = rounded.values()
        # Adding fractions is slow: they are added only if their rounded sum is not 1.
        if (count or must_move) and fsum(weights) != 1:
            _check_sum(sum(merged.values()), world, joint)
        if len(self.next_world) + len(merged) > self.max_transitions:
            self.watch.stop_at("transitions")
        self.exact_probability += merged.values()
        self.probability += weights
        return merged

    def add_edge(
        self, world: World, joint: JointAction, joint_index: tuple[int, ...], target: int
    ) -> None:
        """Append a transition to a known world, with its rewards and observations."""
        game, next_world = self.game, self.worlds[target]
        self.joint_action += joint_index
        self.next_world.append(target)
        rewards = game.rewards(world, joint, next_world)
        if type(rewards) is not tuple:
            if type(rewards) is not list:
                check_form("rewards", rewards, world, joint, next_world)
            rewards = tuple(rewards)
        if rewards not in self.valid_rewards:
            transition = Transition(world, joint, next_world)
            self.valid_rewards.add(check_rewards(rewards, transition, self.num_players))
        self.rewards += rewards
        seen = game.observe(world, joint, next_world)
        numbers, typed = self.observations, self.typed_labels
        if not seen.private and not seen.shared and seen.public in numbers and self.unseen:
            # Most observations are public ones that have occurred before.
            found = numbers[seen.public]
            self.public.append(found)
            self.private += self.unseen
            if found in typed:
                self.check_kinds("the observation", typed[found], seen.public)
            return
        known = len(numbers)
        found = numbers.setdefault(seen.public, known)
        self.public.append(found)
        if found in typed:
            self.check_kinds("the observation", typed[found], seen.public)
        for label in seen.seen_by_each(self.num_players):
            found = numbers.setdefault(label, len(numbers))
            self.private.append(found)
            if found in typed:
                self.check_kinds("the observation", typed[found], label)
        if not self.unseen and None in numbers:
            self.unseen = (numbers[None],) * self.num_players
        if len(numbers) > known:
            self.check_new_labels(seen, Transition(world, joint, next_world), known)

    def check_new_labels(self, seen: Observation, transition: Transition, known: int) -> None:
        """Check an observation that has parts which are new, with numbers from `known` on."""
        parts = check_observation(seen, transition, self.num_players)
        new = len(self.observations) - known
        for label, number in islice(reversed(self.observations.items()), new):
            if not is_text_only(label):
                self.typed_labels[number] = label
        for label in (parts.public, *parts.private):
            first = self.typed_labels.get(self.observations[label], label)
            self.check_kinds("the observation", first, label)

    def check_probability_types(self) -> None:
        """Raise if a probability is not a real number, such as an array or a `Decimal` equal to 1.

        Each type is looked at once, after the exploration, since almost all are the same.
        """
        kinds = {*map(type, self.exact_probability)}
        wrong = {kind for kind in kinds if not issubclass(kind, Real)}
        if wrong:
            edge = next(i for i, value in enumerate(self.exact_probability) if type(value) in wrong)
            # This world state is looked at again, by the slow checks, to explain the error.
            self.num_expanded = bisect_right(self.first_edge, edge) - 1
            raise GameRuleError(
                "a probability is a finite, nonnegative number",
                found=f"a probability is {show(self.exact_probability[edge])}",
                world=self.world,
            )

    def graph(self, stop: str | None) -> WorldGraph:
        """Return the read-only arrays, without the edges of a partly expanded world."""
        size = self.num_players
        # An interrupt may have come between any two instructions, also those of `expand`.
        expanded = self.num_expanded
        first_edge = self.first_edge[: expanded + 1]
        edges = first_edge[-1]
        padding = len(self.worlds) - expanded
        probabilities = self.exact_probability[:edges]
        graph = WorldGraph(
            game=self.game,
            worlds=tuple(self.worlds),
            num_expanded=expanded,
            action_set=np.array(
                [*self.action_set[:expanded], *[(-1,) * size] * padding], dtype=np.int32
            ),
            action_sets=tuple(self.action_sets),
            first_edge=np.array(first_edge + [edges] * padding, dtype=np.int32),
            joint_action=np.array(self.joint_action[: edges * size], np.int32).reshape(-1, size),
            probability=np.array(self.probability[:edges]),
            exact_probability=_fractions(probabilities),
            next_world=np.array(self.next_world[:edges], dtype=np.int32),
            rewards=np.array(self.rewards[: edges * size], np.float64).reshape(-1, size),
            public_observation=np.array(self.public[:edges], dtype=np.int32),
            private_observation=np.array(self.private[: edges * size], np.int32).reshape(-1, size),
            observations=tuple(self.observations),
            stop=stop,
        )
        freeze(graph)
        return graph


def _fractions(probabilities: list[Probability]) -> tuple[Fraction, ...] | None:
    """Return probabilities as fractions if all of them are exact, otherwise None."""
    if not all(issubclass(kind, Fraction | int) for kind in set(map(type, probabilities))):
        return None
    # Fractions are slow to make and to hash, and most probabilities are few objects.
    objects = dict(zip(map(id, probabilities), probabilities, strict=True))
    equal: dict[Fraction, Fraction] = {}
    exact = {}
    for number, probability in objects.items():
        fraction = Fraction(probability)
        exact[number] = equal.setdefault(fraction, fraction)
    return tuple([exact[number] for number in map(id, probabilities)])


def _check_sum(total: Any, world: World, joint_action: JointAction) -> None:
    """Raise unless a sum of probabilities is 1; fractions are not rounded."""
    tolerance: float = 0 if isinstance(total, Rational) else SUM_TOLERANCE
    if not abs(total - 1) <= tolerance:
        raise GameRuleError(
            "the transition probabilities of a joint action are nonnegative and sum to 1",
            found=f"the probabilities of {joint_action} sum to {total}",
            world=world,
        )
