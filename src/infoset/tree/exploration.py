"""Breadth-first exploration of a game's world states, the only stage that calls its rules."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from math import isfinite, prod
from typing import TypeAlias

import numpy as np

from infoset.errors import ExplorationLimitError, GameRuleError
from infoset.game import Game, Probability
from infoset.tree.world_graph import WorldGraph, freeze
from infoset.typing import NOOP, Action, JointAction, Player, World
from infoset.utils.arguments import SUM_TOLERANCE, check_callable, check_type

__all__ = ["ExplorationProgress", "build_world_graph"]

ExplorationProgress: TypeAlias = Callable[[int, float], None]
"""A callback that receives the number of world states found so far and the elapsed seconds."""

WORLDS_PER_CHECK = 256
TRANSITIONS_PER_CHECK = 4096
MAX_KEPT_JOINT_ACTIONS = 256


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
        Called every few hundred world states with the number found so far and the elapsed seconds.

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
            "progress",
            progress,
            "a function of the number of world states and the seconds",
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
    """Raised when a limit of the exploration is exceeded."""


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
        f"{seconds:.0f} s: use smaller parameters or, in Python, raise max_worlds and max_seconds",
        {"world_states": found},
    )


class _Explorer:
    """The graph during exploration: flat lists, and dictionaries that number worlds and labels.

    This is the only Python loop over a whole game, so it is written for speed. Results that many
    world states share (the joint actions of equal legal actions, the checks of equal rewards) are
    cached.
    """

    def __init__(self, game: Game, limits: _Limits) -> None:
        self.game = game
        self.limits = limits
        self.num_players = game.num_players
        self.worlds: list[World] = []
        self.num_expanded = 0
        self.index: dict[World, int] = {}
        self.action_sets: dict[tuple[Action, ...], int] = {}
        self.observations: dict[Hashable, int] = {}
        self.joint_actions: dict[tuple[int, ...], list[tuple[JointAction, tuple[int, ...]]]] = {}
        self.valid_rewards: set[tuple[float, ...]] = set()
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
        self.world_index(game.initial_world())

    def world_index(self, world: World) -> int:
        """Return the number of a world state; a new one gets the next number."""
        try:
            known = self.index.setdefault(world, len(self.worlds))
        except TypeError as error:
            raise GameRuleError(
                "world states are immutable and hashable: use tuples, frozensets or "
                "frozen dataclasses",
                found=f"a {type(world).__name__} cannot be hashed: {error}",
                world=world if isinstance(world, Hashable) else repr(world),
            ) from error
        if known == len(self.worlds):
            self.worlds.append(world)
        return known

    def expand(self) -> None:
        """Append the edges of the next unexpanded world; raise `_LimitReached` beyond a limit."""
        if self.num_expanded % WORLDS_PER_CHECK == 0:
            self.limits.check(len(self.worlds))
        world = self.worlds[self.num_expanded]
        sets, joint_actions = self.legal_joint_actions(world)
        self.action_set.append(sets)
        transitions = self.game.transitions
        for joint, joint_index in joint_actions:
            outcomes = transitions(world, joint)
            if type(outcomes) is list and len(outcomes) == 1 and outcomes[0][1] == 1:
                # Most transitions are moves of players, which have one outcome.
                next_world, probability = outcomes[0]
                self.exact_probability.append(probability)
                self.probability.append(1.0)
                self.add_edge(world, joint, joint_index, self.world_index(next_world))
            elif outcomes or max(sets) >= 0:
                for target in self.merged_outcomes(world, joint, outcomes, max(sets) >= 0):
                    self.add_edge(world, joint, joint_index, target)
        self.first_edge.append(len(self.next_world))
        self.num_expanded += 1

    def legal_joint_actions(
        self, world: World
    ) -> tuple[tuple[int, ...], Iterable[tuple[JointAction, tuple[int, ...]]]]:
        """Return the number of each player's legal actions, and the joint actions with indices."""
        actors = self.game.actors(world)
        sets = [-1] * self.num_players
        for player in actors:
            if player not in range(self.num_players):
                raise GameRuleError(
                    f"players are numbered from 0 to {self.num_players - 1}",
                    found=f"actors are {actors}",
                    world=world,
                )
            sets[player] = self.legal_actions(world, player)
        key = tuple(sets)
        known = self.joint_actions.get(key)
        if known is not None:
            return key, known
        labels = list(self.action_sets)
        legal = [labels[chosen] if chosen >= 0 else (NOOP,) for chosen in sets]
        indices = [range(len(labels[chosen])) if chosen >= 0 else (-1,) for chosen in sets]
        joint_actions = zip(product(*legal), product(*indices), strict=True)
        if prod(map(len, legal)) > MAX_KEPT_JOINT_ACTIONS:
            return key, joint_actions
        return key, self.joint_actions.setdefault(key, list(joint_actions))

    def legal_actions(self, world: World, player: Player) -> int:
        """Return the number of a player's legal actions."""
        actions = tuple(self.game.legal_actions(world, player))
        known = self.action_sets.get(actions)
        if known is not None:
            return known
        if not actions or len(set(actions)) != len(actions):
            raise GameRuleError(
                "an actor has at least one legal action, each listed once",
                found=f"legal actions are {list(actions)}",
                world=world,
                player=player,
            )
        return self.action_sets.setdefault(actions, len(self.action_sets))

    def merged_outcomes(
        self,
        world: World,
        joint: JointAction,
        outcomes: Iterable[tuple[World, Probability]],
        must_move: bool,
    ) -> Iterable[int]:
        """Append the probabilities of the outcomes of a joint action; return its next worlds."""
        merged: dict[int, Probability] = {}
        count = 0
        for count, (next_world, probability) in enumerate(outcomes, 1):
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
        return merged

    def add_edge(
        self, world: World, joint: JointAction, joint_index: tuple[int, ...], target: int
    ) -> None:
        """Append a transition to a known world, with its rewards and observations."""
        game, next_world = self.game, self.worlds[target]
        self.joint_action += joint_index
        self.next_world.append(target)
        rewards = tuple(game.rewards(world, joint, next_world))
        if rewards not in self.valid_rewards:
            self.check_rewards(world, joint, next_world, rewards)
        self.rewards += rewards
        seen = game.observe(world, joint, next_world)
        number = self.observations.setdefault
        self.public.append(number(seen.public, len(self.observations)))
        for private in seen.seen_by_each(self.num_players):
            self.private.append(number(private, len(self.observations)))

    def check_rewards(
        self, world: World, joint: JointAction, next_world: World, rewards: tuple[float, ...]
    ) -> None:
        if len(rewards) != self.num_players or not all(map(isfinite, rewards)):
            raise GameRuleError(
                f"a transition has {self.num_players} finite rewards, one per player",
                found=f"rewards of {joint} to {next_world!r} are {rewards}",
                world=world,
            )
        self.valid_rewards.add(rewards)

    def graph(self) -> WorldGraph:
        """Return the read-only arrays, without the edges of a partly expanded world."""
        size = self.num_players
        expanded = self.num_expanded
        edges = self.first_edge[-1]
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
            first_edge=np.array(self.first_edge + self.first_edge[-1:] * padding, dtype=np.int32),
            joint_action=np.array(self.joint_action[: edges * size], np.int32).reshape(-1, size),
            probability=np.array(self.probability[:edges]),
            exact_probability=_fractions(probabilities),
            next_world=np.array(self.next_world[:edges], dtype=np.int32),
            rewards=np.array(self.rewards[: edges * size], np.float64).reshape(-1, size),
            public_observation=np.array(self.public[:edges], dtype=np.int32),
            private_observation=np.array(self.private[: edges * size], np.int32).reshape(-1, size),
            observations=tuple(self.observations),
        )
        freeze(graph)
        return graph


def _fractions(probabilities: list[Probability]) -> tuple[Fraction, ...] | None:
    """Return probabilities as fractions if all of them are exact, otherwise None."""
    if not all(issubclass(kind, Fraction | int) for kind in set(map(type, probabilities))):
        return None
    # Most of them are the integer 1: fractions are slow to make.
    known: dict[Probability, Fraction] = {}
    for probability in probabilities:
        if probability not in known:
            known[probability] = Fraction(probability)
    return tuple([known[probability] for probability in probabilities])


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
