"""Transforms of games: folding a chance player, and forgetting the factorization."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, NamedTuple, TypeAlias

from infoset.errors import GameRuleError, ParameterError
from infoset.game.broken_rules import check_num_players
from infoset.game.checked_rules import CheckedGame
from infoset.game.observation import Observation
from infoset.game.outcome_lists import ended
from infoset.game.protocol import Game, Probability
from infoset.typing import NOOP, Action, JointAction, Player, World

WAIT: Final = "wait"
"""The only action of a player who does not act in the original game."""

OVER: Final = "over"
"""Label added to all observations when the game ends."""

ChancePolicy: TypeAlias = Callable[[Any], Iterable[tuple[Action, Probability]]]
"""Policy of the chance player: a function from world states to pairs of action and probability."""


@dataclass(frozen=True)
class AfterChance:
    """A world state of a folded game that remembers the last chance action.

    It is used only if two chance actions lead to the same world state with different observations
    or rewards. The action has no influence on later transitions.
    """

    world: World
    """The world state of the original game."""
    player: Player
    """The chance player of the original game."""
    action: Action
    """The chance action. If several have the same observation and rewards, the first one."""


def fold_chance_player(game: Game, chance_policy: ChancePolicy) -> Game:
    """Turn the last player of a game, whose policy is known, into chance.

    The chance player may act alone or simultaneously with others. Its rewards and private
    observations are dropped, and it is removed from the groups of shared observations. Chance
    actions with the same next world, observation and rewards become one transition.

    Parameters
    ----------
    game
        A game of n + 1 players, the last of which is chance.
    chance_policy : callable
        Function that takes a world state in which the chance player acts and returns pairs of legal
        action and probability.

    Returns
    -------
    Game
        The game of n players, with chance in its `transitions`.

    Raises
    ------
    ParameterError
        If the game has only one player.
    GameRuleError
        While the folded game is played, if the policy takes an illegal action.

    Notes
    -----
    Source: Kovařík et al. (2022), Remark 2.1.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from infoset.games import load_game
    >>> pennies = load_game("matrix_mp")
    >>> def fair(world):
    ...     return [(side, Fraction(1, 2)) for side in pennies.legal_actions(world, 1)]
    >>> folded = fold_chance_player(pennies, fair)
    >>> folded.num_players
    1
    """
    if check_num_players(game) < 2:
        raise ParameterError(
            f"{game} has only one player, so no player would remain; pass a game of n + 1 players, "
            "the last of which is chance"
        )
    return _FoldedGame(game, chance_policy)


class _Outcome(NamedTuple):
    """Probability, rewards and observation of one transition of the folded game."""

    probability: Probability
    rewards: tuple[float, ...]
    observation: Observation


class _FoldedGame(Game):
    """The game that `fold_chance_player` returns."""

    def __init__(self, game: Game, chance_policy: ChancePolicy) -> None:
        self.game = game
        self.chance_policy = chance_policy
        self.rules = CheckedGame(game)
        self.num_players = self.rules.num_players - 1
        self.player_names = game.player_names[: self.num_players]
        self.utility_range = game.utility_range
        self._outcomes = lru_cache(maxsize=1024)(self._list_outcomes)

    def initial_world(self) -> World:
        return self.rules.initial_world()

    def actors(self, world: World) -> Sequence[Player]:
        return [p for p in self.rules.actors(self._inner(world)) if p != self.num_players]

    def legal_actions(self, world: World, player: Player) -> Sequence[Action]:
        return self.rules.legal_actions(self._inner(world), player)

    def transitions(
        self, world: World, joint_action: JointAction
    ) -> Iterable[tuple[World, Probability]]:
        outcomes = self._outcomes(self._inner(world), joint_action)
        return [(next_world, outcome.probability) for next_world, outcome in outcomes.items()]

    def rewards(
        self, world: World, joint_action: JointAction, next_world: World
    ) -> Sequence[float]:
        return self._outcomes(self._inner(world), joint_action)[next_world].rewards

    def observe(self, world: World, joint_action: JointAction, next_world: World) -> Observation:
        return self._outcomes(self._inner(world), joint_action)[next_world].observation

    def parameters(self) -> dict[str, Any]:
        return self.game.parameters()

    def __str__(self) -> str:
        return str(self.game)

    def _inner(self, world: World) -> World:
        """Return the world state of the original game."""
        if isinstance(world, AfterChance) and world.player == self.num_players:
            return world.world
        return world

    def _list_outcomes(self, world: World, joint_action: JointAction) -> dict[World, _Outcome]:
        """Return the transitions of the folded game, by next world."""
        merged: dict[Hashable, tuple[World, Action, _Outcome]] = {}
        for action, outcome, next_world in self._list_moves(world, joint_action):
            looks = [outcome.observation.seen_by(player) for player in range(self.num_players)]
            key = (next_world, outcome.rewards, outcome.observation.public, tuple(looks))
            if key in merged:
                _, action, before = merged[key]  # keeps the first action of an equal outcome
                outcome = before._replace(probability=before.probability + outcome.probability)
            merged[key] = (next_world, action, outcome)
        # Equal next worlds that look different need distinct world states in the new game.
        ways = Counter(next_world for next_world, _, _ in merged.values())
        return {
            AfterChance(target, self.num_players, action) if ways[target] > 1 else target: outcome
            for target, action, outcome in merged.values()
        }

    def _list_moves(
        self, world: World, joint_action: JointAction
    ) -> Iterator[tuple[Action, _Outcome, World]]:
        """Yield the chance actions with the transitions that they lead to."""
        for action, chance in self._chance_moves(world):
            whole = (*joint_action, action)
            outcomes = self.rules.transitions(world, whole)
            for next_world, probability in ended(outcomes, world, whole):
                if probability:
                    rewards = tuple(self.rules.rewards(world, whole, next_world))
                    seen = self.rules.observe(world, whole, next_world)
                    shown = _without_player(seen, self.num_players)
                    outcome = _Outcome(chance * probability, rewards[: self.num_players], shown)
                    yield action, outcome, next_world

    def _chance_moves(self, world: World) -> Iterator[tuple[Action, Probability]]:
        """Yield the chance actions of positive probability; `NOOP` if the player does not act."""
        if self.num_players not in self.rules.actors(world):
            yield NOOP, 1
            return
        legal = self.rules.legal_actions(world, self.num_players)
        for action, probability in self.chance_policy(world):
            if action not in legal:
                raise GameRuleError(
                    "the policy of the chance player takes legal actions only",
                    found=f"it takes action {action!r}; legal actions are {list(legal)}",
                    world=world,
                    player=self.num_players,
                )
            if probability:
                yield action, probability


def _without_player(seen: Observation, last: Player) -> Observation:
    """Return an observation without the parts of the last player."""
    private = {
        player: part for player in range(last) if (part := seen.private_part(player)) is not None
    }
    shared: dict[tuple[Player, ...], list[Hashable]] = {}
    for group in sorted(seen.shared):
        rest = tuple(player for player in group if player != last)
        # Groups that differ only in the last player become one, which sees both parts.
        shared.setdefault(rest, []).append(seen.shared[group])
    shared.pop((), None)
    groups = {
        group: parts[0] if len(parts) == 1 else tuple(parts) for group, parts in shared.items()
    }
    return Observation(seen.public, private, groups)


def forget_factorization(game: Game) -> Game:
    """Return a game as a partially observable stochastic game (POSG) without public observations.

    All observations become private, including what was public. Every player acts in every world
    state except the initial and the terminal ones; a player who does not act in the original game
    takes the action `WAIT`.

    Every player has the same choices with the same information (Proposition 2.4), but the public
    states are lost: only the number of transitions remains public.

    Notes
    -----
    Source: Kovařík et al. (2022), Section 2.3, Definition 2.3. Differs from the paper: nobody
    acts in terminal world states, which is how this library recognizes them, and everybody
    observes that the game is over; players who act in the initial world state still do.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> posg = forget_factorization(load_game("kuhn_poker"))
    >>> dealt, _ = next(iter(posg.transitions(posg.initial_world(), (None, None))))
    >>> posg.actors(dealt), posg.legal_actions(dealt, 1)
    ((0, 1), ('wait',))
    """
    return _UnfactoredGame(game)


class _UnfactoredGame(Game):
    """The game that `forget_factorization` returns."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.rules = CheckedGame(game)
        self.num_players = self.rules.num_players
        self.player_names = game.player_names
        self.utility_range = game.utility_range

    def initial_world(self) -> World:
        return self.rules.initial_world()

    def actors(self, world: World) -> Sequence[Player]:
        if world == self.initial_world():
            return self.rules.actors(world)
        return () if self.rules.is_over(world) else tuple(range(self.num_players))

    def legal_actions(self, world: World, player: Player) -> Sequence[Action]:
        if player in self.rules.actors(world):
            return self.rules.legal_actions(world, player)
        return (WAIT,)

    def transitions(
        self, world: World, joint_action: JointAction
    ) -> Iterable[tuple[World, Probability]]:
        return self.rules.transitions(world, self._original(world, joint_action))

    def rewards(
        self, world: World, joint_action: JointAction, next_world: World
    ) -> Sequence[float]:
        return self.rules.rewards(world, self._original(world, joint_action), next_world)

    def observe(self, world: World, joint_action: JointAction, next_world: World) -> Observation:
        seen = self.rules.observe(world, self._original(world, joint_action), next_world)
        mark = (OVER,) if self.rules.is_over(next_world) else ()
        return Observation(
            private=tuple((seen.seen_by(p), seen.public, *mark) for p in range(self.num_players))
        )

    def parameters(self) -> dict[str, Any]:
        return self.game.parameters()

    def __str__(self) -> str:
        return str(self.game)

    def _original(self, world: World, joint_action: JointAction) -> JointAction:
        """Return the joint action of the original game."""
        acting = self.rules.actors(world)
        return tuple(
            action if player in acting else NOOP for player, action in enumerate(joint_action)
        )
