"""A transform that hides how many transitions a turn takes."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from infoset.errors import GameRuleError
from infoset.game.checked_rules import CheckedGame
from infoset.game.infostate import value_text
from infoset.game.observation import Observation
from infoset.game.protocol import Game, Probability
from infoset.typing import Action, JointAction, Player, World
from infoset.utils.arguments import check_count, check_type

ENDED: Final = "ended"
"""Public observation of the end of a game that does not announce it."""


def hide_clock(game: Game, limit: int) -> Game:
    """Give all turns the same number of transitions, so that nobody learns how many one took.

    Players know the number of transitions, including those that they do not observe. If another
    player silently tries again, they know the number of tries. In the game that is returned, a turn
    that is shorter than `limit` ends with waiting transitions, in which nobody acts. During a turn
    only the players who act in it observe something; the others observe everything at its end.

    A turn lasts until others act, and includes the chance moves up to then. Players who act
    simultaneously have a turn together; one of all players does not wait, nor do chance moves
    before the first turn, nor the end of the game. Everybody knows the number of turns.

    Parameters
    ----------
    game
        The game. `check_game` may refuse it because a player's infostate does not determine whether
        the player acts, if the length of turns is the reason.
    limit
        Maximum number of transitions of a turn.

    Returns
    -------
    Game
        A game with the same actions, probabilities and rewards, in which players know less. If all
        turns take equally many transitions, they know the same, and all values are equal.

    Raises
    ------
    GameRuleError
        While the game is played, if a turn takes more transitions.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> hidden = hide_clock(load_game("kuhn_poker"), limit=2)
    >>> dealt, _ = next(iter(hidden.transitions(hidden.initial_world(), (None, None))))
    >>> [(waiting, _)] = hidden.transitions(dealt, ("bet", None))
    >>> hidden.actors(dealt), hidden.actors(waiting)
    ((0,), ())
    """
    check_type("game", game, Game, 'a Game, such as infoset.load("kuhn_poker")')
    check_count("limit", limit, minimum=1)
    return _HiddenClock(game, limit)


@dataclass(frozen=True)
class Several:
    """Observations that a player receives together, in the order of the transitions."""

    parts: tuple[Hashable, ...]

    def __str__(self) -> str:
        return ", ".join(map(value_text, self.parts))


@dataclass(frozen=True)
class Seen:
    """The observation of a transition by a player, before its public part is public."""

    private: Hashable
    public: Hashable

    def __str__(self) -> str:
        parts = (self.public, self.private)
        return ", ".join(value_text(part) for part in parts if part is not None)


class _Event(NamedTuple):
    """The observation of a transition that players have not seen yet."""

    public: Hashable
    private: tuple[Hashable, ...]
    """The private part of each player; None for those who have seen it."""


class _Turn(NamedTuple):
    """A world state of the game with hidden clock."""

    world: World
    """The world state of the original game; the one after the turn in waiting transitions."""
    players: tuple[Player, ...]
    """Those who act in this turn; nobody before the first turn."""
    step: int = 0
    """Number of transitions of the turn so far."""
    events: tuple[_Event, ...] = ()
    """The events of the turn so far that not everybody has seen."""
    is_done: bool = False
    """Whether only waiting transitions remain in this turn."""


class _HiddenClock(Game):
    """The game that `hide_clock` returns."""

    name = "hide_clock"

    def __init__(self, game: Game, limit: int) -> None:
        self.game = game
        self.limit = limit
        self.rules = CheckedGame(game)
        self.num_players = self.rules.num_players
        self.utility_range = game.utility_range

    def initial_world(self) -> _Turn:
        world = self.rules.initial_world()
        return _Turn(world, self.rules.actors(world))

    def actors(self, world: _Turn) -> Sequence[Player]:
        return () if world.is_done else self.rules.actors(world.world)

    def legal_actions(self, world: _Turn, player: Player) -> Sequence[Action]:
        return self.rules.legal_actions(world.world, player)

    def transitions(
        self, world: _Turn, joint_action: JointAction
    ) -> Iterable[tuple[World, Probability]]:
        if world.is_done:
            return [(self._after(world, world.world, Observation()), 1)]
        here = world.world
        return [
            (self._after(world, after, self.rules.observe(here, joint_action, after)), probability)
            for after, probability in self.rules.transitions(here, joint_action)
        ]

    def rewards(
        self, world: _Turn, joint_action: JointAction, next_world: _Turn
    ) -> Sequence[float]:
        if world.is_done:
            return (0.0,) * self.num_players
        return self.rules.rewards(world.world, joint_action, next_world.world)

    def observe(self, world: _Turn, joint_action: JointAction, next_world: _Turn) -> Observation:
        now = Observation()
        if not world.is_done:
            now = self.rules.observe(world.world, joint_action, next_world.world)
        if next_world.step:
            return Observation(private={p: _seen_early(now, p) for p in world.players})
        seen = now
        if world.events:
            events = self._with_event(world, now)
            seen = Observation(
                _together([event.public for event in events]),
                [
                    now.seen_by(player) if player in world.players else _seen_late(events, player)
                    for player in range(self.num_players)
                ],
            )
        if seen.public is None and self.rules.is_over(next_world.world):
            return seen._replace(public=ENDED)
        return seen

    def parameters(self) -> dict[str, Any]:
        return {"game": str(self.game), "limit": self.limit}

    def __str__(self) -> str:
        return f"{self.name}({self.game},limit={self.limit})"

    def _after(self, world: _Turn, next_world: World, now: Observation) -> _Turn:
        """Return the world state after a transition to a world state of the original game."""
        acting, step = self.rules.actors(next_world), world.step + 1
        # If all players act in a turn, its length need not be hidden from anybody.
        if len(world.players) in (0, self.num_players) or self.rules.is_over(next_world):
            return _Turn(next_world, acting)
        events = self._with_event(world, now)
        if not world.is_done and acting in ((), world.players):
            if step == self.limit:
                raise self._too_long(world)
            return _Turn(next_world, world.players, step, events)
        if step < self.limit:
            return _Turn(next_world, world.players, step, events, is_done=True)
        return _Turn(next_world, acting)

    def _with_event(self, world: _Turn, now: Observation) -> tuple[_Event, ...]:
        """Return the events of the turn that somebody has not seen, after one more observation."""
        seen = now.seen_by_each(self.num_players)
        private = tuple(None if p in world.players else part for p, part in enumerate(seen))
        is_empty = now.public is None and not any(part is not None for part in private)
        return world.events if is_empty else (*world.events, _Event(now.public, private))

    def _too_long(self, world: _Turn) -> GameRuleError:
        who = " and ".join(map(str, world.players))
        return GameRuleError(
            f"in {self}, a turn takes at most limit={self.limit} transitions, including chance "
            f"moves after the player's last one; raise the limit",
            found=f"the turn of player {who} takes more than {self.limit} transitions",
            world=world.world,
        )


def _seen_early(now: Observation, player: Player) -> Hashable:
    """Return a player's private observation in its turn, with parts that become public later."""
    own = now.seen_by(player)
    return own if now.public is None else Seen(own, now.public)


def _seen_late(events: Sequence[_Event], player: Player) -> Hashable:
    """Return a player's private observation at the end of the turn of others."""
    looks = [
        Seen(event.private[player], event.public)
        for event in events
        if event.public is not None or event.private[player] is not None
    ]
    # Without private parts, the public ones contain everything, in order.
    if all(look.private is None for look in looks):
        return None
    return looks[0].private if len(looks) == 1 else Several(tuple(looks))


def _together(parts: Sequence[Hashable]) -> Hashable:
    """Return the parts that are not None: nothing, one, or several in order."""
    found = tuple(part for part in parts if part is not None)
    return Several(found) if len(found) > 1 else next(iter(found), None)
