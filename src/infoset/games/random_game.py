"""Small random games, for tests and experiments."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

from infoset.game import Game, Observation, Probability
from infoset.games._random_places import Place, draw_places
from infoset.games.parameters import check_parameters, flag, integer, parameter_error
from infoset.typing import JointAction, Player

__all__ = ["RandomGame"]

SHARES = ("simultaneous_share", "chance_share", "end_share")


@dataclass(frozen=True)
class RandomGame(Game):
    """A small random game, the same for the same parameters.

    Players move alone or at once, nature moves in between or together with them, plays have
    different lengths, world states are reached on several ways, rewards come on the way and at
    the end. What is seen is public, private or, with three players and more, shared by some.
    Each player sees its own legal actions, publicly or privately, when it has to act.

    Parameters
    ----------
    seed : int
        What the game is drawn from.
    num_players : int
        Number of players.
    max_depth : int
        Number of transitions of the longest play.
    max_actions : int
        Largest number of legal actions.
    num_observations : int
        Number of different signals, besides the legal actions, that an observation can show.
    worlds_per_level : int
        Largest number of world states after the same number of transitions.
    max_histories : int
        Largest number of histories; world states that would lead past it end the game.
    zero_sum : bool
        Whether the rewards of each transition sum to zero.
    fractional_rewards : bool
        Whether rewards are multiples of a quarter, and not whole numbers.
    exact : bool
        Whether probabilities are fractions, and not floats.
    simultaneous_share : float
        Share of the moves that several players make at once.
    chance_share : float
        Share of the moves that nature makes, and of the players' moves with a random outcome.
    end_share : float
        Share of the world states in which the game ends early.

    Examples
    --------
    >>> from infoset.game import check_game
    >>> print(check_game(RandomGame(seed=3, max_histories=50)))
    random_game(seed=3,max_histories=50): no broken rule found
      checked all 45 histories, through 22 world states
    """

    name: ClassVar[str] = "random_game"

    seed: int = integer(0, low=0, is_addition=True)
    num_players: int = integer(2, low=2, high=4, is_addition=True)
    max_depth: int = integer(5, low=1, high=100, is_addition=True)
    max_actions: int = integer(3, low=1, high=10, is_addition=True)
    num_observations: int = integer(2, low=1, high=10, is_addition=True)
    worlds_per_level: int = integer(6, low=1, high=1000, is_addition=True)
    max_histories: int = integer(1000, low=10, high=1_000_000, is_addition=True)
    zero_sum: bool = flag(True)
    fractional_rewards: bool = flag(False)
    exact: bool = flag(True)
    simultaneous_share: float = field(default=0.3)
    chance_share: float = field(default=0.25)
    end_share: float = field(default=0.15)

    def __post_init__(self) -> None:
        check_parameters(self)
        for name in SHARES:
            share = getattr(self, name)
            if type(share) not in (int, float) or not 0 <= share <= 1:
                raise parameter_error(self, name, "must be a number from 0 to 1", 0.5)

    def initial_world(self) -> int:
        """Return world state 0; the others are numbered as they are found."""
        return 0

    def actors(self, world: int) -> Sequence[Player]:
        """Return the players who have letters to choose from."""
        return [player for player, letters in enumerate(self._places[world].form) if letters]

    def legal_actions(self, world: int, player: Player) -> Sequence[str]:
        """Return single letters."""
        return tuple(self._places[world].form[player])

    def transitions(
        self, world: int, joint_action: JointAction
    ) -> Iterable[tuple[int, Probability]]:
        """Return the outcomes that were drawn for the joint action."""
        arrivals = self._places[world].arrivals.get(joint_action, {})
        return [(next_world, arrival.probability) for next_world, arrival in arrivals.items()]

    def rewards(self, world: int, joint_action: JointAction, next_world: int) -> Sequence[float]:
        """Return the rewards that were drawn for the transition."""
        return self._places[world].arrivals[joint_action][next_world].rewards

    def observe(self, world: int, joint_action: JointAction, next_world: int) -> Observation:
        """Show the letters to choose from next, and the signals that were drawn."""
        return self._places[world].arrivals[joint_action][next_world].observation

    @cached_property
    def _places(self) -> list[Place]:
        return draw_places(self)
