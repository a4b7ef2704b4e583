"""Breadth-first exploration of the world states of a game, the only stage that calls its rules."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from math import isfinite
from typing import TypeAlias

import numpy as np

from infoset.errors import ExplorationLimitError, GameRuleError
from infoset.game import Game, Probability
from infoset.tree.world_graph import WorldGraph, freeze
from infoset.typing import NOOP, Action, IntArray, JointAction, Player, World
from infoset.utils.arguments import SUM_TOLERANCE, check_callable, check_type

__all__ = ["ExplorationProgress", "build_world_graph"]

ExplorationProgress: TypeAlias = Callable[[int, float], None]
"""A callback for the number of world states found so far and the elapsed seconds."""

WORLDS_PER_CHECK = 256
TRANSITIONS_PER_CHECK = 4096


def build_world_graph(
    game: Game,
    *,
    max_worlds: int = 1_000_000,
    max_seconds: float = 30.0,
    partial: bool = False,
    progress: ExplorationProgress | None = None,
) -> WorldGraph:
    """Visit every world state that is reachable from the initial one, breadth first.

    Parameters
    ----------
    game : Game
    max_worlds : int
        Limit on the number of world states.
    max_seconds : float
        Limit on the elapsed time, in seconds.
    partial : bool
        Return a partial graph when a limit is exceeded, instead of raising.
    progress : callable, optional
        Called every few hundred world states with their number so far and the elapsed seconds.

    Returns
    -------
    WorldGraph

    Raises
    ------
    GameRuleError
        If the game breaks a rule of the model: probabilities that do not sum to one, rewards
        that are not finite, world states that cannot be hashed, actors without legal actions.
        `infoset.check_game` checks more rules.
    ExplorationLimitError
        If a limit is exceeded and `partial` is False.
    ParameterError
        If `game` is not a `Game` (a name, for example).

    Examples
    --------
    >>> from infoset.games import load_game
    >>> build_world_graph(load_game("kuhn_poker")).num_worlds
    55
    """
    check_type("game", game, Game, 'a Game, such as infoset.load("kuhn_poker")')
    if progress is not None:
        check_callable(
            "progress", progress, "a function of the number of world states and the seconds"
        )
    explorer = _Explorer(game, _Limits(max_worlds, max_seconds, progress))
    try:
        while explorer.num_expanded < len(explorer.worlds):
            explorer.expand()
    except _LimitReached:
        if not partial:
            raise _limit_error(game, explorer) from None
    return explorer.graph()


class _LimitReached(Exception):
    """A limit of the exploration is exceeded."""


@dataclass
class _Limits:
    """The limits of an exploration and its progress callback."""

    max_worlds: int
    max_seconds: float
    progress: ExplorationProgress | None
    started: float = field(default_factory=time.monotonic)

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.started

    def check(self, num_worlds: int) -> None:
        """Report progress; raise `_LimitReached` when a limit is exceeded."""
        seconds = self.seconds
        if self.progress is not None:
            self.progress(num_worlds, seconds)
        if num_worlds > self.max_worlds or seconds > self.max_seconds:
            raise _LimitReached


def _limit_error(game: Game, explorer: _Explorer) -> ExplorationLimitError:
    found, seconds = len(explorer.worlds), explorer.limits.seconds
    return ExplorationLimitError(
        f"{game} has at least {found:,} world states; exploration stopped after "
        f"{seconds:.0f} s: use smaller parameters, or raise max_worlds and max_seconds",
        {"world_states": found},
    )


@dataclass
class _Explorer:
    """The growing graph: Python lists, and dictionaries that number worlds and labels."""

    game: Game
    limits: _Limits
    worlds: list[World] = field(default_factory=list)
    num_expanded: int = 0
    index: dict[World, int] = field(default_factory=dict)
    action_set: list[list[int]] = field(default_factory=list)
    action_sets: dict[tuple[Action, ...], int] = field(default_factory=dict)
    observations: dict[Hashable, int] = field(default_factory=dict)
    first_edge: list[int] = field(default_factory=lambda: [0])
    joint_action: list[tuple[int, ...]] = field(default_factory=list)
    probability: list[float] = field(default_factory=list)
    exact_probability: list[Probability] = field(default_factory=list)
    next_world: list[int] = field(default_factory=list)
    rewards: list[tuple[float, ...]] = field(default_factory=list)
    public: list[int] = field(default_factory=list)
    private: list[list[int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.players = range(self.game.num_players)
        self.world_index(self.game.initial_world())

    def world_index(self, world: World) -> int:
        try:
            known = self.index.setdefault(world, len(self.worlds))
        except TypeError as error:
            raise GameRuleError(
                "world states are immutable and hashable: tuples, frozensets, frozen dataclasses",
                found=f"a {type(world).__name__} cannot be hashed: {error}",
                world=world if isinstance(world, Hashable) else repr(world),
            ) from error
        if known == len(self.worlds):
            self.worlds.append(world)
        return known

    def observation_index(self, seen: Hashable) -> int:
        return self.observations.setdefault(seen, len(self.observations))

    def expand(self) -> None:
        """Append the edges of the next unexpanded world; raise `_LimitReached` beyond a limit."""
        if self.num_expanded % WORLDS_PER_CHECK == 0:
            self.limits.check(len(self.worlds))
        world = self.worlds[self.num_expanded]
        actors = self.game.actors(world)
        legal: list[Sequence[Action]] = [(NOOP,)] * len(self.players)
        sets = [-1] * len(self.players)
        for player in actors:
            if player not in self.players:
                raise GameRuleError(
                    f"players are numbered from 0 to {len(self.players) - 1}",
                    found=f"actors are {actors}",
                    world=world,
                )
            legal[player], sets[player] = self.legal_actions(world, player)
        self.action_set.append(sets)
        indices = [range(len(legal[p])) if sets[p] >= 0 else (-1,) for p in self.players]
        for joint, joint_index in zip(product(*legal), product(*indices), strict=True):
            self.add_edges(world, joint, joint_index, bool(actors))
        self.first_edge.append(len(self.next_world))
        self.num_expanded += 1

    def legal_actions(self, world: World, player: Player) -> tuple[tuple[Action, ...], int]:
        actions = tuple(self.game.legal_actions(world, player))
        if not actions or len(set(actions)) != len(actions):
            raise GameRuleError(
                "an actor has at least one legal action, each listed once",
                found=f"legal actions are {list(actions)}",
                world=world,
                player=player,
            )
        return actions, self.action_sets.setdefault(actions, len(self.action_sets))

    def add_edges(
        self, world: World, joint: JointAction, joint_index: tuple[int, ...], must_move: bool
    ) -> None:
        """Append the edges of one joint action, with equal next worlds merged."""
        merged: dict[int, Probability] = {}
        count = 0
        for count, (next_world, probability) in enumerate(self.game.transitions(world, joint), 1):
            if count % TRANSITIONS_PER_CHECK == 0:
                self.limits.check(len(self.worlds))
            if probability == 0:
                continue
            target = self.world_index(next_world)
            merged[target] = merged[target] + probability if target in merged else probability
        weights = [float(probability) for probability in merged.values()]
        if count or must_move:
            _check_distribution(weights, world, joint)
        self.exact_probability += merged.values()
        self.probability += weights
        for target in merged:
            self.add_edge(world, joint, joint_index, target)

    def add_edge(
        self,
        world: World,
        joint: JointAction,
        joint_index: tuple[int, ...],
        target: int,
    ) -> None:
        next_world = self.worlds[target]
        rewards = tuple(self.game.rewards(world, joint, next_world))
        if len(rewards) != len(self.players) or not all(map(isfinite, rewards)):
            raise GameRuleError(
                f"a transition has {len(self.players)} finite rewards, one per player",
                found=f"rewards of {joint} to {next_world!r} are {rewards}",
                world=world,
            )
        seen = self.game.observe(world, joint, next_world)
        self.joint_action.append(joint_index)
        self.next_world.append(target)
        self.rewards.append(rewards)
        self.public.append(self.observation_index(seen.public))
        self.private.append([self.observation_index(seen.seen_by(p)) for p in self.players])

    def graph(self) -> WorldGraph:
        """Return the read-only arrays, without the edges of a partly expanded world."""
        size = len(self.players)
        expanded = self.num_expanded
        edges = self.first_edge[-1]
        padding = len(self.worlds) - expanded
        probabilities = self.exact_probability[:edges]
        exact = all(isinstance(p, (Fraction, int)) for p in probabilities)
        graph = WorldGraph(
            game=self.game,
            worlds=tuple(self.worlds),
            num_expanded=expanded,
            action_set=_table(self.action_set[:expanded] + [[-1] * size] * padding, size),
            action_sets=tuple(self.action_sets),
            first_edge=np.array(self.first_edge + self.first_edge[-1:] * padding, dtype=np.int32),
            joint_action=_table(self.joint_action[:edges], size),
            probability=np.array(self.probability[:edges]),
            exact_probability=tuple(map(_fraction, probabilities)) if exact else None,
            next_world=np.array(self.next_world[:edges], dtype=np.int32),
            rewards=np.array(self.rewards[:edges], dtype=np.float64).reshape(-1, size),
            public_observation=np.array(self.public[:edges], dtype=np.int32),
            private_observation=_table(self.private[:edges], size),
            observations=tuple(self.observations),
        )
        freeze(graph)
        return graph


def _table(rows: Sequence[Sequence[int]], width: int) -> IntArray:
    return np.array(rows, dtype=np.int32).reshape(-1, width)


def _fraction(probability: Probability) -> Fraction:
    return probability if isinstance(probability, Fraction) else Fraction(probability)


def _check_distribution(weights: list[float], world: World, joint_action: JointAction) -> None:
    total = sum(weights)
    smallest = min(weights, default=0.0)
    if smallest < 0 or not abs(total - 1) <= SUM_TOLERANCE:
        what = f"sum to {total}" if smallest >= 0 else f"include {smallest}"
        raise GameRuleError(
            "the transition probabilities of a joint action are nonnegative and sum to 1",
            found=f"the probabilities of {joint_action} {what}",
            world=world,
        )
