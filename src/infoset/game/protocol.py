"""The protocol of a game: its author writes the rules, and the library derives everything else."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence, Set
from dataclasses import MISSING, Field, dataclass, field, fields, is_dataclass
from fractions import Fraction
from functools import cached_property
from numbers import Real
from typing import Any, ClassVar, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from infoset.game.infostate import Infostate, PublicState, Step
from infoset.game.observation import Observation
from infoset.game.outcome_lists import ended
from infoset.game.player_names import own_names
from infoset.game.public_rules import PublicRules
from infoset.typing import NOOP, Action, FloatArray, JointAction, Player, World
from infoset.utils.arguments import SUM_TOLERANCE

SPECIAL = frozenset("()[],;'\"")
"""Characters that have a meaning in the text of a game."""

RULES = ("initial_world", "actors", "legal_actions", "transitions", "observe")

Probability: TypeAlias = float | Fraction
"""A probability; values of type `Fraction` and int remain exact."""


class InitialPot(NamedTuple):
    """The pot with which a game begins."""

    size: float
    """Size of the pot, in the game's units."""
    contributions: tuple[float, ...]
    """[N] each player's contribution. Utilities are net of it: contribution plus utility is the
    player's part of the final pot."""


class Game(ABC):
    """The rules of a game: a factored-observation stochastic game ⟨N, W, p, w_init, A, T, R, O⟩.

    World states are immutable and hashable, and contain everything that the future depends on. The
    library derives histories, infostates and public states from the observations. No world state
    may be reachable from itself. A small game is best written as a frozen dataclass, whose fields
    are its parameters.

    Source: Kovařík, Schmid, Burch, Bowling, Lisý, "Rethinking formal models of partially
    observable multiagent decision making", Artificial Intelligence 303 (2022), Definition 2.1.
    Differs from the paper: players may act in the initial world.

    Examples
    --------
    >>> from infoset.game import Game, Observation
    >>> class Guess(Game):
    ...     '''Player 0 hides a coin, player 1 guesses the side.'''
    ...
    ...     num_players = 2
    ...
    ...     def initial_world(self):
    ...         return ()
    ...
    ...     def actors(self, world):
    ...         return (len(world),) if len(world) < 2 else ()
    ...
    ...     def legal_actions(self, world, player):
    ...         return ("heads", "tails")
    ...
    ...     def transitions(self, world, joint_action):
    ...         return (
    ...             [(world + (joint_action[len(world)],), 1)] if len(world) < 2 else []
    ...         )
    ...
    ...     def rewards(self, world, joint_action, next_world):
    ...         if len(next_world) < 2:
    ...             return (0, 0)
    ...         return (-1, 1) if next_world[0] == next_world[1] else (1, -1)
    ...
    ...     def observe(self, world, joint_action, next_world):
    ...         return Observation(
    ...             public="hidden" if len(next_world) == 1 else next_world
    ...         )
    """

    name: ClassVar[str] = ""
    """Name of the game; if it is empty, the class name is used."""

    public_actions: bool = False
    """Whether all actions are public, as in poker: at each public state, equal public observations
    result from equal joint actions. Computing beliefs is then much faster."""

    num_players: int
    """Number of players, excluding chance."""

    player_names: Sequence[str] = ()
    """[N] names of the players, which replace `player 0` and so on wherever players are shown."""

    @property
    def initial_pot(self) -> InitialPot | None:
        """The pot with which the game begins, if there is one, as in poker endgames.

        Errors are then also given in percent of it, and values also with the player's contribution.
        """
        return None

    @cached_property
    def utility_range(self) -> tuple[float, float] | None:
        """Bounds on the utility of every player, if they are known without visiting the game.

        Confidence intervals of matches by the rules are then within them, and right with few deals.
        A game may set it as an attribute of its class, or define a property.
        """
        return None

    @abstractmethod
    def initial_world(self) -> World:
        """Return the world state in which every play begins."""

    @abstractmethod
    def actors(self, world: Any) -> Sequence[Player]:
        """Return the players who act in `world`: none, one, or several simultaneously."""

    @abstractmethod
    def legal_actions(self, world: Any, player: Player) -> Sequence[Action]:
        """Return the legal actions of an actor: at least one, the same throughout an infoset."""

    @abstractmethod
    def transitions(
        self, world: Any, joint_action: JointAction
    ) -> Iterable[tuple[World, Probability]]:
        """Return pairs of next world and probability; the list is empty only in terminal worlds.

        `joint_action[player]` is the action of an actor and `NOOP` (`None`) for everyone else.
        In a world without actors, the transition is a chance move.
        """

    @abstractmethod
    def rewards(self, world: Any, joint_action: JointAction, next_world: Any) -> Sequence[float]:
        """Return each player's reward for the transition, in the game's units."""

    @abstractmethod
    def observe(self, world: Any, joint_action: JointAction, next_world: Any) -> Observation:
        """Return the observation of the transition, with its public and private parts.

        Players remember their own actions and know the number of transitions, so neither has to be
        part of the observation.
        """

    def sample_transition(
        self, world: Any, joint_action: JointAction, rng: np.random.Generator
    ) -> World:
        """Draw the next world. Override it if `transitions` has too many outcomes to list.

        The default method draws no random number if there is only one next world.
        """
        listed = self.transitions(world, joint_action)
        pairs = list(ended(listed, world, joint_action))
        if type(listed) is not list and isinstance(listed, Mapping | Set):
            raise TypeError(f"transitions returned a {type(listed).__name__}; return a list")
        weights = [float(probability) for _, probability in pairs]
        cumulative = np.cumsum(weights)
        are_real = all(issubclass(kind, Real) for kind in {type(pair[1]) for pair in pairs})
        is_sum = pairs and min(weights) >= 0 and abs(cumulative[-1] - 1) <= SUM_TOLERANCE
        if not (are_real and is_sum):
            raise ValueError("the probabilities of transitions are nonnegative and sum to 1")
        if len(pairs) == 1:
            return pairs[0][0]
        # The sum is 1 only up to rounding; scaled, the number stays below the last entry.
        drawn = rng.random() * cumulative[-1]
        return pairs[int(np.searchsorted(cumulative, drawn, side="right"))][0]

    def sample_observed_transition(
        self,
        world: Any,
        joint_action: JointAction,
        player: Player | None,
        step: Step,
        rng: np.random.Generator,
    ) -> tuple[World, float] | None:
        """Draw the next world given the observation of a player, or the public observation.

        Override it together with `sample_transition` if `transitions` has too many outcomes to
        list, such as a deal of whole hands. Beliefs are then sampled without rejections.

        Parameters
        ----------
        world, joint_action
            As in `sample_transition`.
        player
            The observer; None for the public observation alone.
        step
            Private and public part of the observation. The observation may be impossible.

        Returns
        -------
        tuple[World, float] or None
            A next world drawn from its distribution given the observation, and the probability of
            the observation. None if the game does not define this, or the observation is
            impossible.
        """
        return None

    # The methods below describe what the rules above already determine. They are optional, and are
    # ignored if a subclass overrides a rule but not them.

    def histories_as_seen(
        self, information: Infostate | PublicState, max_histories: int
    ) -> NDArray[np.integer[Any]] | None:
        """List the histories that agree with a public state, or with an infostate.

        Override it to compute beliefs many times faster than by filtering transitions. It is for
        games in which only actions are hidden: no player has private observations, the public
        observation determines the next world of each joint action, and all histories of a public
        state have the same chance reach.

        Parameters
        ----------
        information
            After T transitions, at least one. It may be impossible.

        Returns
        -------
        np.ndarray or None
            [K, T, N] the position of each player's action in its list of legal actions, at each
            transition of each history; -1 for a player who does not act. Histories are different,
            and in any order. None if there are more than `max_histories`, or they are unknown.
        """
        return None

    def sample_histories_as_seen(
        self,
        information: Infostate | PublicState,
        num_histories: int,
        rng: np.random.Generator,
    ) -> tuple[NDArray[np.integer[Any]] | Sequence[Any], FloatArray] | None:
        """Draw histories that agree with a public state, or with an infostate.

        Override it if there may be too many histories to list, and few of the histories that agree
        with the first observations also agree with the later ones. In a game in which only actions
        are hidden, an array of moves is enough, as in `histories_as_seen`. Otherwise return
        `History` objects, for example hidden cards that are drawn so that they agree with all hints
        about them.

        Parameters
        ----------
        information
            As in `histories_as_seen`.
        num_histories
            Number of histories to draw.

        Returns
        -------
        tuple or None
            The drawn histories and their weights, or None if the histories are unknown. Repetitions
            are allowed, and K may be less than `num_histories`. Either [K, T, N] moves, as in
            `histories_as_seen`, and [K] positive weights: for each history that agrees, the sum of
            the weights of its draws has expectation 1. Or a list of K `History` objects, and [K]
            positive weights: for each history that agrees, the sum of the weights of its draws has
            its chance reach as expectation. A history of chance reach p that is drawn with
            probability q in each of M draws has weight p / (M q).
        """
        return None

    def actions_as_seen(self, player: Player, public: Hashable) -> Sequence[Action] | None:
        """Return the actions of a player that agree with a public observation.

        Override it if players observe some actions, but not all (otherwise, see `public_actions`):
        for example, shots at hidden ships. Only these actions are then tried in the computation of
        beliefs.

        Parameters
        ----------
        public
            The public observation of a transition in which the player acts. It may be impossible.

        Returns
        -------
        Sequence[Action] or None
            At least the actions with which the observation is possible. None for all legal actions.
        """
        return None

    def public_rules(self) -> PublicRules | None:
        """Return the rules by public states and hands, if everything after the deal is public.

        Override it if the game has so many histories that listing them takes long: with these
        rules, `build_public_form` needs only the public states. `check_public_rules` compares them
        with the rules above.

        Returns
        -------
        PublicRules or None
            None if something after the deal is not public.
        """
        return None

    def smaller_games(self) -> Iterable[Game]:
        """Return similar, smaller games for error messages when this one is too large. Optional."""
        return ()

    @staticmethod
    def normal_text(text: str) -> str:
        """Return a text about infostates with labels in the game's notation.

        Override it if users may write the same label in several ways, such as the cards of a hand
        in any order. If a text is unknown, its normal form is looked up.

        Parameters
        ----------
        text
            An infostate, a hand, a line of public observations, or a part of one.
        """
        return text

    def board_as_seen(self, infostate: Infostate) -> str | None:
        """Return what a player knows of the board, as text; None if the game has no board.

        Override it if a drawing is easier to read than the list of observations. `infoset play`
        shows it before each decision.

        Parameters
        ----------
        infostate
            All that may be shown.
        """
        return None

    def parameters(self) -> dict[str, Any]:
        """Return the parameters by name: the fields of a dataclass; empty for other games."""
        return {field.name: getattr(self, field.name) for field in self._fields()}

    def __str__(self) -> str:
        """Return the game as `load` reads it, omitting parameters with default values."""
        default = {field.name: field.default for field in self._fields()}
        given = [
            f"{name}={parameter_text(value)}"
            for name, value in self.parameters().items()
            if default[name] is MISSING or default[name] != value
        ]
        name = self.name or type(self).__name__
        return f"{name}({','.join(given)})" if given else name

    def _fields(self) -> list[Field[Any]]:
        this: Any = self
        return [field for field in fields(this) if field.init] if is_dataclass(this) else []


def has_hook(game: object, name: str, rules: Sequence[str] = RULES, base: type = Game) -> bool:
    """Return whether a game, or its rules of class `base`, define an optional method.

    A method that is inherited from a class with other `rules` does not count.
    """
    classes = type(game).__mro__
    defined = {
        method: next(at for at, kind in enumerate(classes) if method in vars(kind))
        for method in (name, *rules)
    }
    return classes[defined[name]] is not base and defined[name] == min(defined.values())


@dataclass(frozen=True)
class GameSource:
    """The origin of a game: rules in Python, or a tree such as that of a Gambit file.

    Results keep this record, because the name of a game says nothing about its origin: the title
    of a file is arbitrary text, which is never loaded as a game.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> GameSource.of_rules(load_game("kuhn_poker(players=3)")).parameters
    {'players': 3, 'num_cards': -1}
    """

    kind: Literal["rules", "extensive form"] = "extensive form"
    """`rules` or `extensive form`."""
    rules: str = ""
    """Module and class of the rules; empty for an extensive form."""
    parameters: Mapping[str, Any] | None = None
    """Parameters of the rules; None for an extensive form."""
    player_names: tuple[str, ...] = ()
    """[N] names of the players, if they have their own; see `player_name`."""
    initial_pot: InitialPot | None = None
    """See `Game.initial_pot`."""
    normal_text: Callable[[str], str] = field(default=str, compare=False, repr=False)
    """`Game.normal_text` of the rules; by default, texts remain the same."""

    @classmethod
    def of_rules(cls, game: Game) -> GameSource:
        """Return the source of a game that was built from its rules."""
        kind = type(game)
        rules = f"{kind.__module__}.{kind.__qualname__}"
        given = own_names(game), game.initial_pot, game.normal_text
        return cls("rules", rules, game.parameters(), *given)


def action_choices(game: Game, world: World) -> list[Sequence[Action]]:
    """Return the legal actions of each player at a world state; only `NOOP` if it does not act."""
    actors = game.actors(world)
    players = range(game.num_players)
    return [game.legal_actions(world, p) if p in actors else (NOOP,) for p in players]


def parameter_text(value: object) -> str:
    """Format a parameter for `load` and OpenSpiel: a tuple becomes a list with semicolons.

    Text with brackets, separators or quotes is put in quotes.

    Examples
    --------
    >>> parameter_text((2, 3, 3)), parameter_text(True)
    ('[2;3;3]', 'True')
    >>> parameter_text(("AA,KQs", "TT+"))
    "['AA,KQs';TT+]"
    """
    if isinstance(value, tuple):
        return f"[{';'.join(map(parameter_text, value))}]"
    text = str(value)
    if isinstance(value, str) and not SPECIAL.isdisjoint(text):
        quote = '"' if "'" in text else "'"
        return f"{quote}{text}{quote}"
    return text
