"""Writing one game as another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, NamedTuple, TypeAlias

from infoset.errors import GameRuleError, ParameterError
from infoset.game.protocol import Game, Observation, Probability
from infoset.typing import NOOP, Action, JointAction, Player, World

__all__ = [
    "OVER",
    "WAIT",
    "AfterChance",
    "ChancePolicy",
    "fold_chance_player",
    "forget_factorization",
]

WAIT: Final = "wait"
"""The only action of a player who had nothing to do in the game that was rewritten."""

OVER: Final = "over"
"""What everybody sees, besides the rest, when the game ends."""

ChancePolicy: TypeAlias = Callable[[Any], Iterable[tuple[Action, Probability]]]
"""Nature's policy: from a world state to pairs of action and probability."""


@dataclass(frozen=True)
class AfterChance:
    """A world state of a folded game that remembers nature's last action.

    Made only where two actions of nature lead to one world state, but show or pay something
    different. What happens next does not depend on the action.

    Attributes
    ----------
    world : World
        The world state of the game that was folded.
    player : Player
        The player that nature was.
    action : Action
        Its action; of several that look the same, the first.
    """

    world: World
    player: Player
    action: Action


def fold_chance_player(game: Game, chance_policy: ChancePolicy) -> Game:
    """Return a game without its last player, which is nature, and plays a known policy.

    Nature may act alone or together with others. Its rewards and its private observations are
    dropped. A group of a shared observation loses nature. Actions of nature that lead to the
    same world state, show the same and pay the same become one transition.

    Parameters
    ----------
    game : Game
        A game of n + 1 players, nature the last of them.
    chance_policy : callable
        From a world state in which nature acts to pairs of legal action and probability.

    Returns
    -------
    Game
        The game of n players, with nature in its `transitions`.

    Raises
    ------
    ParameterError
        If the game has no player besides nature.
    GameRuleError
        When the folded game is played, if the policy takes an action that is not legal.

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
    if game.num_players < 2:
        raise ParameterError(
            f"{game} has {game.num_players} player, so that none is left without nature; give "
            "a game of n + 1 players, nature the last of them"
        )
    return _FoldedGame(game, chance_policy)


class _Outcome(NamedTuple):
    """What one transition of the folded game shows and pays, and how probable it is."""

    probability: Probability
    rewards: tuple[float, ...]
    observation: Observation


class _FoldedGame(Game):
    """The game that `fold_chance_player` returns."""

    def __init__(self, game: Game, chance_policy: ChancePolicy) -> None:
        self.game = game
        self.chance_policy = chance_policy
        self.num_players = game.num_players - 1
        self._outcomes = lru_cache(maxsize=1024)(self._list_outcomes)

    def initial_world(self) -> World:
        return self.game.initial_world()

    def actors(self, world: World) -> Sequence[Player]:
        return [p for p in self.game.actors(self._inner(world)) if p != self.num_players]

    def legal_actions(self, world: World, player: Player) -> Sequence[Action]:
        return self.game.legal_actions(self._inner(world), player)

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
        """Return the world state of the game that was folded."""
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
                _, action, before = merged[key]
                outcome = before._replace(probability=before.probability + outcome.probability)
            merged[key] = (next_world, action, outcome)
        ways = Counter(next_world for next_world, _, _ in merged.values())
        return {
            AfterChance(target, self.num_players, action) if ways[target] > 1 else target: outcome
            for target, action, outcome in merged.values()
        }

    def _list_moves(
        self, world: World, joint_action: JointAction
    ) -> Iterator[tuple[Action, _Outcome, World]]:
        """Yield nature's actions with each transition that they lead to."""
        for action, chance in self._chance_moves(world):
            whole = (*joint_action, action)
            for next_world, probability in self.game.transitions(world, whole):
                if probability:
                    rewards = tuple(self.game.rewards(world, whole, next_world))
                    seen = self.game.observe(world, whole, next_world)
                    shown = _without_player(seen, self.num_players)
                    outcome = _Outcome(chance * probability, rewards[: self.num_players], shown)
                    yield action, outcome, next_world

    def _chance_moves(self, world: World) -> Iterator[tuple[Action, Probability]]:
        """Yield nature's actions of positive probability; not acting, where it does not act."""
        if self.num_players not in self.game.actors(world):
            yield NOOP, 1
            return
        legal = self.game.legal_actions(world, self.num_players)
        for action, probability in self.chance_policy(world):
            if action not in legal:
                raise GameRuleError(
                    "the policy of nature takes legal actions only",
                    found=f"it takes {action!r}, legal are {list(legal)}",
                    world=world,
                    player=self.num_players,
                )
            if probability:
                yield action, probability


def _without_player(seen: Observation, last: Player) -> Observation:
    """Return an observation without the last player."""
    private = {
        player: part for player in range(last) if (part := seen.private_part(player)) is not None
    }
    shared: dict[tuple[Player, ...], list[Hashable]] = {}
    for group in sorted(seen.shared):
        rest = tuple(player for player in group if player != last)
        shared.setdefault(rest, []).append(seen.shared[group])
    shared.pop((), None)
    groups = {
        group: parts[0] if len(parts) == 1 else tuple(parts) for group, parts in shared.items()
    }
    return Observation(seen.public, private, groups)


def forget_factorization(game: Game) -> Game:
    """Return the game as a POSG: all observations private, and all players acting all the time.

    Each player sees privately what it saw privately and publicly before; nothing is public.
    Everybody acts in every world state but the initial and the terminal ones; who had nothing to
    do takes the action `WAIT`.

    Every player has the same choices with the same information (Proposition 2.4), but public
    states are gone: everybody knows in common only how much time has passed.

    Notes
    -----
    Source: Kovařík et al. (2022), Section 2.3, Definition 2.3. Differs from the paper: nobody
    acts in terminal world states, which is how this library knows them, and everybody sees that
    the game is over, as it would by not being asked any more; players who act in the initial
    world state go on doing so.

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
        self.num_players = game.num_players

    def initial_world(self) -> World:
        return self.game.initial_world()

    def actors(self, world: World) -> Sequence[Player]:
        if world == self.initial_world():
            return self.game.actors(world)
        return () if self._is_over(world) else tuple(range(self.num_players))

    def legal_actions(self, world: World, player: Player) -> Sequence[Action]:
        if player in self.game.actors(world):
            return self.game.legal_actions(world, player)
        return (WAIT,)

    def transitions(
        self, world: World, joint_action: JointAction
    ) -> Iterable[tuple[World, Probability]]:
        return self.game.transitions(world, self._meant(world, joint_action))

    def rewards(
        self, world: World, joint_action: JointAction, next_world: World
    ) -> Sequence[float]:
        return self.game.rewards(world, self._meant(world, joint_action), next_world)

    def observe(self, world: World, joint_action: JointAction, next_world: World) -> Observation:
        seen = self.game.observe(world, self._meant(world, joint_action), next_world)
        mark = (OVER,) if self._is_over(next_world) else ()
        return Observation(
            private=tuple((seen.seen_by(p), seen.public, *mark) for p in range(self.num_players))
        )

    def parameters(self) -> dict[str, Any]:
        return self.game.parameters()

    def __str__(self) -> str:
        return str(self.game)

    def _is_over(self, world: World) -> bool:
        nobody = (NOOP,) * self.num_players
        return not self.game.actors(world) and not any(self.game.transitions(world, nobody))

    def _meant(self, world: World, joint_action: JointAction) -> JointAction:
        """Return the joint action without the waiting of those who do not act."""
        acting = self.game.actors(world)
        return tuple(
            action if player in acting else NOOP for player, action in enumerate(joint_action)
        )
