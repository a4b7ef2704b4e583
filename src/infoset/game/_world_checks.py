"""Calls to a game's methods at one world state, with checks of each returned value."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import islice, product
from math import prod
from numbers import Real
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np

from infoset.errors import GameRuleError
from infoset.game._answer_checks import (
    Transition,
    check_actors,
    check_legal_actions,
    check_observation,
    check_outcomes,
    check_rewards,
    check_world,
)
from infoset.game.infostate import Step
from infoset.game.protocol import Game, Probability
from infoset.typing import NOOP, Action, JointAction, Player, World

__all__ = ["Edge", "LegalActions", "WorldFacts", "WorldRules"]

Answer = TypeVar("Answer")

LegalActions: TypeAlias = tuple[tuple[Action, ...], ...]
"""Legal actions by player; empty for those who do not act."""

SHAPES = {
    "initial_world": "initial_world returns a world state",
    "actors": "actors returns a sequence of players at every world state",
    "legal_actions": "legal_actions returns a sequence of actions for every actor",
    "transitions": "transitions returns pairs of next world and probability for every joint "
    "action of legal actions, and nothing where the game is over",
    "rewards": "rewards returns one number per player for every transition",
    "observe": "observe returns an Observation for every transition",
    "sample_transition": "sample_transition draws a next world for every joint action of legal "
    "actions",
    "sample_observed_transition": "sample_observed_transition returns a next world and a "
    "probability, or None",
}
"""The rule for each method, for the error if it raises."""

LISTED = ("actors", "legal_actions", "transitions", "rewards")
LONGEST_LIST = 1_000_000
"""Maximum number of items read from a method, in case an iterator never ends."""


class Edge(NamedTuple):
    """One transition of positive probability.

    Attributes
    ----------
    joint_action : JointAction
    next_world : World
    probability : float
        Probability of the next world given the joint action.
    steps : tuple[Step, ...]
        By player, the step that the transition adds to the infostate.
    """

    joint_action: JointAction
    next_world: World
    probability: float
    steps: tuple[Step, ...]


class WorldFacts(NamedTuple):
    """The legal actions and transitions at one world state.

    Attributes
    ----------
    legal : LegalActions
    edges : tuple[Edge, ...]
        The transitions; empty in a terminal world state.
    is_cut : bool
        Whether the list of transitions was cut off because it was too long.
    """

    legal: LegalActions
    edges: tuple[Edge, ...]
    is_cut: bool

    @property
    def num_joint_actions(self) -> int:
        """Number of legal joint actions; 1 if nobody acts."""
        return prod(len(actions) or 1 for actions in self.legal)


@dataclass(frozen=True)
class WorldRules:
    """Calls all methods of a game at a world state and raises on the first rule violation.

    Attributes
    ----------
    game : Game
    num_players : int
    limit : int
        Largest number of transitions to list at one world state.
    """

    game: Game
    num_players: int
    limit: int

    def initial_world(self) -> World:
        """Return the initial world state."""
        return self._ask_twice(
            "initial_world", check=lambda world: check_world(world, "initial_world()", repr(world))
        )

    def legal(self, world: World) -> LegalActions:
        """Return the legal actions of every player at `world`.

        Raises
        ------
        GameRuleError
            If the game breaks a rule there.
        """
        check = partial(check_actors, world=world, num_players=self.num_players)
        with _unchanged(world, world):
            actors = self._ask_twice("actors", world, check=check)
            return tuple(
                self._legal_actions(world, player) if player in actors else ()
                for player in range(self.num_players)
            )

    def facts(self, world: World, legal: LegalActions) -> WorldFacts:
        """Return the legal actions and transitions at `world`, given its legal actions.

        Raises
        ------
        GameRuleError
            If the game breaks a rule there.
        """
        with _unchanged(world, world):
            edges = list(islice(self._edges(world, legal), self.limit + 1))
        return WorldFacts(legal, tuple(edges[: self.limit]), is_cut=len(edges) > self.limit)

    def draw(self, world: World, joint_action: JointAction, rng: np.random.Generator) -> World:
        """Return a next world drawn by the game's own `sample_transition`."""
        drawn = self._ask("sample_transition", world, joint_action, rng)
        return check_world(drawn, f"a next world drawn for joint action {joint_action}", world)

    def draw_observed(
        self,
        world: World,
        joint_action: JointAction,
        player: Player | None,
        step: Step,
        rng: np.random.Generator,
    ) -> tuple[World, float] | None:
        """Return a next world drawn given an observation, and that observation's probability."""
        found = self._ask("sample_observed_transition", world, joint_action, player, step, rng)
        if found is None:
            return None
        if not isinstance(found, tuple) or len(found) != 2 or not isinstance(found[1], Real):
            raise GameRuleError(
                SHAPES["sample_observed_transition"], found=f"it returned {found!r}", world=world
            )
        what = f"a next world drawn given an observation for joint action {joint_action}"
        return check_world(found[0], what, world), float(found[1])

    def _legal_actions(self, world: World, player: Player) -> tuple[Action, ...]:
        check = partial(check_legal_actions, world=world, player=player)
        return self._ask_twice("legal_actions", world, player, check=check)

    def _edges(self, world: World, legal: LegalActions) -> Iterator[Edge]:
        for joint_action in product(*(actions or (NOOP,) for actions in legal)):
            outcomes = self._outcomes(world, joint_action)
            if not outcomes and any(legal):
                raise GameRuleError(
                    "every joint action of legal actions has transitions; in a terminal world "
                    "state nobody acts",
                    found=f"joint action {joint_action} has no transitions",
                    world=world,
                )
            for next_world, probability in outcomes.items():
                transition = Transition(world, joint_action, next_world)
                steps = self._steps(transition)
                yield Edge(joint_action, next_world, float(probability), steps)

    def _outcomes(self, world: World, joint_action: JointAction) -> dict[World, Probability]:
        check = partial(check_outcomes, world=world, joint_action=joint_action, limit=self.limit)
        return self._ask_twice("transitions", world, joint_action, check=check)

    def _steps(self, transition: Transition) -> tuple[Step, ...]:
        check_numbers = partial(check_rewards, transition=transition, num_players=self.num_players)
        check_parts = partial(
            check_observation, transition=transition, num_players=self.num_players
        )
        with _unchanged(transition.next_world, transition.world):
            self._ask_twice("rewards", *transition, check=check_numbers)
            seen = self._ask_twice("observe", *transition, check=check_parts)
        return tuple(
            Step(action, private, seen.public)
            for action, private in zip(transition.joint_action, seen.private, strict=True)
        )

    def _ask_twice(self, method: str, *arguments: Any, check: Callable[[Any], Answer]) -> Answer:
        """Call a method twice, check both answers, and raise if they differ."""
        first = check(self._ask(method, *arguments))
        second = check(self._ask(method, *arguments))
        if first != second:
            raise GameRuleError(
                "methods are deterministic: equal arguments give equal answers; chance belongs in "
                "the probabilities of transitions",
                found=f"{_call_text(method, arguments)} was {first!r}, then {second!r}",
                world=arguments[0] if arguments else first,
                player=_player(method, arguments),
            )
        return first

    def _ask(self, method: str, *arguments: Any) -> Any:
        """Call a method; any exception that it raises is a rule violation."""
        try:
            answer = getattr(self.game, method)(*arguments)
            longest = self.limit + 1 if method == "transitions" else LONGEST_LIST
            return tuple(islice(answer, longest)) if method in LISTED else answer
        except Exception as error:
            raise GameRuleError(
                SHAPES[method],
                found=f"{_call_text(method, arguments)} raised {type(error).__name__}: {error}",
                world=arguments[0] if arguments else None,
                player=_player(method, arguments),
            ) from error


def _player(method: str, arguments: Sequence[Any]) -> Player | None:
    return arguments[1] if method == "legal_actions" else None


def _call_text(method: str, arguments: Sequence[Any]) -> str:
    shown = (repr(value) for value in arguments if not isinstance(value, np.random.Generator))
    return f"{method}({', '.join(shown)})"


@contextmanager
def _unchanged(world: World, at: World) -> Iterator[None]:
    """Raise if the block changes `world`."""
    before = _snapshot(world)
    yield
    if (after := _snapshot(world)) != before:
        raise GameRuleError(
            "methods do not change world states: make them immutable",
            found=f"world state {before} became {after} during a call",
            world=at,
        )


def _snapshot(world: World) -> tuple[str, int]:
    says_nothing = type(world).__repr__ is object.__repr__ and hasattr(world, "__dict__")
    return repr(vars(world) if says_nothing else world), hash(world)
