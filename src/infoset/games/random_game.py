"""Small random games, for tests and experiments."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import product
from random import Random
from string import ascii_lowercase
from typing import ClassVar, NamedTuple, TypeAlias, TypeVar

from infoset.game import Game, Observation, Probability
from infoset.games.parameters import check_parameters, flag, integer, parameter_error
from infoset.typing import NOOP, JointAction, Player

Form: TypeAlias = tuple[str, ...]
"""For each player, the letters of its legal actions; empty for a player who does not act."""

Item = TypeVar("Item")

REWARD_SHARE = 0.3
FORMS_PER_LEVEL = 3
MAX_OUTCOMES = 3
WEIGHTS = (1, 2, 3, 4)
NOTHING_SEEN = Observation()
SHARES = ("simultaneous_share", "chance_share", "end_share")


@dataclass(frozen=True)
class RandomGame(Game):
    """A small random game, determined by its parameters.

    The game has single and simultaneous moves, chance moves, random outcomes of players' moves,
    plays of different lengths, world states with several predecessors, and rewards during the game
    and at the end. Observations are public, private or, with three or more players, shared by a
    group. A player who acts observes its own legal actions, publicly or privately.

    Parameters
    ----------
    seed
        Seed of the random generator that draws the game.
    num_players
        Number of players.
    max_depth
        Number of transitions of the longest play.
    max_actions
        Maximum number of legal actions of a player.
    num_observations
        Number of different signals that an observation can show in addition to the legal actions.
    worlds_per_level
        Maximum number of world states at each depth.
    max_histories
        Maximum number of histories; world states become terminal where it would be exceeded.
    zero_sum
        Whether the rewards of each transition sum to zero.
    fractional_rewards
        Whether rewards are multiples of 1/4; otherwise they are whole numbers.
    exact
        Whether probabilities are fractions; otherwise they are floats.
    simultaneous_share
        Probability that a decision is a simultaneous move.
    chance_share
        Probability of a chance move, and of a random outcome of a player's move.
    end_share
        Probability that a world state is terminal before `max_depth`.

    Examples
    --------
    >>> from infoset.game import check_game
    >>> print(check_game(RandomGame(seed=3, max_histories=50)))
    random_game(seed=3,max_histories=50): no rule violations found
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
        """Return world state 0; the others are numbered in the order of the draw."""
        return 0

    def actors(self, world: int) -> Sequence[Player]:
        """Return the players who have legal actions."""
        return [player for player, letters in enumerate(self._places[world].form) if letters]

    def legal_actions(self, world: int, player: Player) -> Sequence[str]:
        """Return the legal actions, which are single letters."""
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
        """Show the next legal actions, and the signals that were drawn."""
        return self._places[world].arrivals[joint_action][next_world].observation

    @cached_property
    def _places(self) -> list[Place]:
        return draw_places(self)


@dataclass
class Arrival:
    """One outcome of a joint action; its rewards and observation are drawn last."""

    probability: Probability
    rewards: tuple[float, ...] = ()
    observation: Observation = NOTHING_SEEN


@dataclass
class Place:
    """One world state."""

    depth: int
    form: Form
    num_paths: int = 0
    """Number of histories that end here."""
    arrivals: dict[JointAction, dict[int, Arrival]] = field(default_factory=dict)
    """By joint action and next world; empty where the game ends."""


class Signals(NamedTuple):
    """The parts of the observations at one depth."""

    shows_form: bool
    """Whether a player's legal actions are observed publicly; if not, privately."""
    public: bool
    private: bool
    """Whether there is a public signal, and whether each player gets a private one."""
    group: tuple[Player, ...]
    """The group of players with a shared signal; empty for none."""


class Drawing:
    """Draws the world states of a random game level by level, then its rewards and observations.

    Only `Random.random` is used, because it returns the same numbers in every version of Python.
    """

    def __init__(self, game: RandomGame) -> None:
        self.game = game
        self.random = Random(game.seed).random
        self.places = [Place(depth=0, form=("",) * game.num_players, num_paths=1)]
        self.num_histories = 1

    def draw_places(self) -> None:
        """Draw the world states and their transitions, level by level."""
        level = [self.places[0]]
        for depth in range(self.game.max_depth):
            forms = [self.form() for _ in range(FORMS_PER_LEVEL)]
            slots: dict[int, int] = {}
            for place in level:
                if depth == 0:
                    self.settle(place, [*forms, self.small_form()], slots)
                elif not self.coin(self.game.end_share):
                    self.settle(place, self.shuffled(forms), slots)
            level = [self.places[number] for number in slots.values()]

    def settle(self, place: Place, forms: list[Form], slots: dict[int, int]) -> None:
        """Give a world state the first drawn form that respects the limit on histories."""
        for form in forms:
            outcomes = {joint: self.outcomes(form) for joint in joint_actions(form)}
            added = place.num_paths * sum(map(len, outcomes.values()))
            if self.num_histories + added <= self.game.max_histories:
                self.num_histories += added
                place.form = form
                for joint, arrivals in outcomes.items():
                    place.arrivals[joint] = {
                        self.reach(place, slot, slots): Arrival(probability)
                        for slot, probability in arrivals
                    }
                return

    def reach(self, place: Place, slot: int, slots: dict[int, int]) -> int:
        """Return the world state in a slot of the next level; create it on first use."""
        if slot not in slots:
            slots[slot] = len(self.places)
            self.places.append(Place(place.depth + 1, ("",) * self.game.num_players))
        self.places[slots[slot]].num_paths += place.num_paths
        return slots[slot]

    def form(self) -> Form:
        """Draw the actors and their legal actions."""
        if self.coin(self.game.chance_share):
            return ("",) * self.game.num_players
        num_actors = 1
        if self.coin(self.game.simultaneous_share):
            num_actors = self.pick(range(2, self.game.num_players + 1))
        actors = self.shuffled(range(self.game.num_players))[:num_actors]
        return tuple(
            self.letters() if player in actors else "" for player in range(self.game.num_players)
        )

    def small_form(self) -> Form:
        """Return the form in which player 0 chooses between two letters."""
        return ("ab"[: self.game.max_actions], *[""] * (self.game.num_players - 1))

    def letters(self) -> str:
        """Draw the legal actions of one player; a single action is rare."""
        largest = self.game.max_actions
        number = self.pick(range(1 if self.coin(0.1) else min(2, largest), largest + 1))
        first = self.pick(range(2))
        return ascii_lowercase[first : first + number]

    def outcomes(self, form: Form) -> list[tuple[int, Probability]]:
        """Draw the slots of the next level that a joint action leads to."""
        slots = range(self.game.worlds_per_level)
        if not any(form):
            number = self.pick(range(2, MAX_OUTCOMES + 1))
        else:
            number = 2 if self.coin(self.game.chance_share) else 1
        chosen = self.shuffled(slots)[:number]
        weights = [self.pick(WEIGHTS) for _ in chosen]
        shares = [Fraction(weight, sum(weights)) for weight in weights]
        probabilities = shares if self.game.exact else [float(share) for share in shares]
        return list(zip(chosen, probabilities, strict=True))

    def draw_rewards_and_observations(self) -> None:
        """Draw the rewards and observations of all transitions."""
        signals = [self.signals() for _ in range(self.game.max_depth)]
        for place in self.places:
            for arrivals in place.arrivals.values():
                for next_world, arrival in arrivals.items():
                    reached = self.places[next_world]
                    arrival.rewards = self.rewards(is_last=not reached.arrivals)
                    arrival.observation = self.observation(signals[place.depth], reached.form)

    def rewards(self, is_last: bool) -> tuple[float, ...]:
        """Draw rewards; there are always rewards at the end, and sometimes before it."""
        units = [0] * self.game.num_players
        if is_last or self.coin(REWARD_SHARE):
            units = [self.pick(range(-4, 5)) for _ in units]
        if self.game.zero_sum:
            units[-1] = -sum(units[:-1])
        return tuple(unit / 4 if self.game.fractional_rewards else unit for unit in units)

    def signals(self) -> Signals:
        """Draw the parts of the observations at one depth."""
        players = range(self.game.num_players)
        is_shared = self.game.num_players > 2 and self.coin(0.3)
        size = self.pick(range(2, self.game.num_players)) if is_shared else 0
        group = tuple(sorted(self.shuffled(players)[:size]))
        return Signals(self.coin(0.5), self.coin(0.5), self.coin(0.5), group)

    def observation(self, signals: Signals, form: Form) -> Observation:
        """Draw the observation of a transition to a world state of the given form."""
        public = [",".join(letters or "-" for letters in form)] if signals.shows_form else []
        public += [self.signal()] if signals.public else []
        private: dict[Player, str] = {}
        for player, letters in enumerate(form):
            seen = "" if signals.shows_form else letters
            seen += self.signal() if signals.private else ""
            if seen:
                private[player] = seen
        shared = {signals.group: self.signal()} if signals.group else {}
        return Observation(" ".join(public) or None, private, shared)

    def signal(self) -> str:
        """Draw a signal."""
        return str(self.pick(range(self.game.num_observations)))

    def coin(self, share: float) -> bool:
        """Draw True with the given probability."""
        return self.random() < share

    def pick(self, items: Sequence[Item]) -> Item:
        """Draw one of the items."""
        # Not `Random.choice`: only `random()` is the same in all versions of Python.
        return items[int(self.random() * len(items))]

    def shuffled(self, items: Iterable[Item]) -> list[Item]:
        """Draw an order of the items."""
        return [item for _, item in sorted((self.random(), item) for item in items)]


def draw_places(game: RandomGame) -> list[Place]:
    """Return the world states of a random game, the initial one first."""
    drawing = Drawing(game)
    drawing.draw_places()
    drawing.draw_rewards_and_observations()
    return drawing.places


def joint_actions(form: Form) -> Iterator[JointAction]:
    """Yield the joint actions of a form."""
    return product(*(letters or (NOOP,) for letters in form))
