"""Calls to a game's methods at one world state, with checks of each returned value."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Sized
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import islice, product
from math import fsum, inf, prod
from numbers import Real
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np

from infoset.errors import NO_WORLD, GameRuleError, describe_exception, pass_stops, show
from infoset.game.answer_checks import (
    DETERMINISTIC,
    FORMS,
    SHAPES,
    Transition,
    call_text,
    check_actors,
    check_form,
    check_legal_actions,
    check_observation,
    check_outcomes,
    check_rewards,
    check_world,
    form_error,
    no_transitions_error,
    player_argument,
)
from infoset.game.infostate import Step
from infoset.game.outcome_lists import ended
from infoset.game.protocol import Game, Probability
from infoset.typing import NOOP, Action, JointAction, Player, World
from infoset.utils.arguments import SUM_TOLERANCE

Answer = TypeVar("Answer")

LegalActions: TypeAlias = tuple[tuple[Action, ...], ...]
"""Legal actions by player; empty for those who do not act."""

LONGEST_LIST = 1_000_000
"""Maximum number of items read from a method, in case an iterator never ends."""


CALL_EFFORT = 20
"""Effort of calling a method, in items that it may list in the same time."""


@dataclass
class Effort:
    """The number of calls of a game's methods and of items listed by them, and its limit."""

    limit: float = inf
    """Number of items, where each call counts as twenty."""
    spent: int = 0

    @property
    def is_used_up(self) -> bool:
        """Whether no further calls should be made."""
        return self.spent >= self.limit

    def add(self, answer: Sized) -> None:
        """Add a call and the items of its answer."""
        self.spent += CALL_EFFORT + len(answer)


class Edge(NamedTuple):
    """One transition of positive probability."""

    joint_action: JointAction
    next_world: World
    probability: float
    """Probability of the next world given the joint action."""
    steps: tuple[Step, ...]
    """By player, the step that the transition adds to the infostate."""
    rewards: tuple[float, ...]

    @property
    def seen(self) -> tuple[Hashable, tuple[Hashable, ...]]:
        """The public observation, and the non-public part of each player."""
        return self.steps[0].public, tuple(step.private for step in self.steps)


class WorldFacts(NamedTuple):
    """The legal actions and transitions at one world state."""

    legal: LegalActions
    edges: tuple[Edge, ...]
    """The transitions; empty in a terminal world state."""
    is_cut: bool
    """Whether the list of transitions was cut off because it, or listing it, was too long."""

    @property
    def num_joint_actions(self) -> int:
        """Number of legal joint actions; 1 if nobody acts."""
        return prod(len(actions) or 1 for actions in self.legal)


@dataclass(frozen=True)
class WorldRules:
    """Calls all methods of a game at a world state and raises on the first rule violation."""

    game: Game
    num_players: int
    limit: int
    """Maximum number of transitions to list at one world state."""
    effort: Effort = field(default_factory=Effort)
    """Number of calls so far, and its limit, after which transitions are not listed any more."""

    def initial_world(self) -> World:
        """Return the initial world state."""
        return self._ask_twice(
            "initial_world", check=lambda world: check_world(world, "initial_world()", show(world))
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
        edges: list[Edge] = []
        is_cut = False
        with _unchanged(world, world):
            for edge in self._edges(world, legal):  # one by one, to stop within a long list
                is_cut = len(edges) == self.limit or self.effort.is_used_up
                if is_cut:
                    break
                edges.append(edge)
        return WorldFacts(legal, tuple(edges), is_cut)

    def draw(self, world: World, joint_action: JointAction, rng: np.random.Generator) -> World:
        """Return a next world drawn by the game's own `sample_transition`."""
        drawn = self._ask("sample_transition", world, joint_action, rng)
        what = f"a next world drawn for joint action {show(joint_action)}"
        return check_world(drawn, what, world)

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
            rule = SHAPES["sample_observed_transition"]
            raise GameRuleError(rule, found=f"it returned {show(found)}", world=world)
        what = f"a next world drawn given an observation for joint action {joint_action}"
        return check_world(found[0], what, world), float(found[1])

    def _legal_actions(self, world: World, player: Player) -> tuple[Action, ...]:
        check = partial(check_legal_actions, world=world, player=player)
        return self._ask_twice("legal_actions", world, player, check=check)

    def _edges(self, world: World, legal: LegalActions) -> Iterator[Edge]:
        for joint_action in product(*(actions or (NOOP,) for actions in legal)):
            outcomes = self._outcomes(world, joint_action)
            if not outcomes and any(legal):
                raise no_transitions_error(world, joint_action)
            for next_world, probability in outcomes.items():
                transition = Transition(world, joint_action, next_world)
                yield Edge(joint_action, next_world, float(probability), *self._results(transition))

    def _outcomes(self, world: World, joint_action: JointAction) -> dict[World, Probability]:
        check = partial(check_outcomes, world=world, joint_action=joint_action, limit=self.limit)
        return self._ask_twice("transitions", world, joint_action, check=check)

    def _results(self, transition: Transition) -> tuple[tuple[Step, ...], tuple[float, ...]]:
        """Return the steps that a transition adds to the infostates, and the rewards."""
        check_numbers = partial(check_rewards, transition=transition, num_players=self.num_players)
        check_parts = partial(
            check_observation, transition=transition, num_players=self.num_players
        )
        # `facts` watches the world itself; here only the next world could change unnoticed.
        with _unchanged(transition.next_world, transition.world):
            rewards = self._ask_twice("rewards", *transition, check=check_numbers)
            seen = self._ask_twice("observe", *transition, check=check_parts)
        steps = tuple(
            Step(action, private, seen.public)
            for action, private in zip(transition.joint_action, seen.private, strict=True)
        )
        return steps, tuple(map(float, rewards))

    def _ask_twice(self, method: str, *arguments: Any, check: Callable[[Any], Answer]) -> Answer:
        """Call a method twice, check both answers, and raise if they differ."""
        first = check(self._ask(method, *arguments))
        second = check(self._ask(method, *arguments))
        try:
            is_same = bool(first == second)
        except BaseException as error:
            pass_stops(error)
            raise GameRuleError(
                "world states, actions and observations can be compared with ==",
                found=f"comparing two answers of {call_text(method, arguments)} raised "
                f"{describe_exception(error)}",
                world=arguments[0] if arguments else show(first),
                player=player_argument(method, arguments),
            ) from error
        if not is_same:
            raise GameRuleError(
                DETERMINISTIC,
                found=f"{call_text(method, arguments)} was {show(first)}, then {show(second)}",
                world=arguments[0] if arguments else first,
                player=player_argument(method, arguments),
            )
        return first

    def _ask(self, method: str, *arguments: Any) -> Any:
        """Call a method; an exception that it raises, or an answer of the wrong form, is an error.

        A `MemoryError` says nothing about the rules and is not caught, and a `GameRuleError` of a
        derived game is about the game that it is derived from.
        """
        try:
            answer = getattr(self.game, method)(*arguments)
            check_form(method, answer, *arguments)
            if method in FORMS:
                longest = self.limit if method == "transitions" else LONGEST_LIST
                # One more than allowed shows that there are too many, also if there is no end.
                items = iter(answer)
                listed = tuple(islice(items, longest + 1))
                self.effort.add(answer if isinstance(answer, Sized) else listed)
                if method == "transitions" and len(listed) > longest and _is_whole(listed):
                    # Whatever follows has probability 0, perhaps without end.
                    deque(ended(items, *arguments), maxlen=0)
                answer = listed
            else:
                self.effort.add(())
        except (MemoryError, GameRuleError):
            raise
        except BaseException as error:
            pass_stops(error)
            raise GameRuleError(
                SHAPES[method],
                found=f"{call_text(method, arguments)} raised {describe_exception(error)}",
                world=arguments[0] if arguments else NO_WORLD,
                player=player_argument(method, arguments),
            ) from error
        if method in FORMS and method != "transitions" and len(answer) > LONGEST_LIST:
            raise form_error(method, f"a list of more than {LONGEST_LIST:,} items", arguments)
        return answer


def _is_whole(outcomes: Iterable[Any]) -> bool:
    """Return whether the probabilities of outcomes sum to 1, so that no others are possible."""
    try:
        return abs(fsum(probability for _, probability in outcomes) - 1) <= SUM_TOLERANCE
    except (TypeError, ValueError, OverflowError):  # no pairs or numbers, which is checked later
        return False


@contextmanager
def _unchanged(world: World, at: World) -> Iterator[None]:
    """Raise if the block changes `world`."""
    before = _snapshot(world, at)
    yield
    if (after := _snapshot(world, at)) != before:
        raise GameRuleError(
            "methods do not change world states: make them immutable",
            found=f"world state {before[0]} became {after[0]} during a call",
            world=at,
        )


def _snapshot(world: World, at: World) -> tuple[str, int]:
    # The text of a plain object is its address, which stays when its attributes change.
    says_nothing = type(world).__repr__ is object.__repr__ and hasattr(world, "__dict__")
    try:
        return repr(vars(world) if says_nothing else world), hash(world)
    except BaseException as error:
        pass_stops(error)
        raise GameRuleError(
            "world states can be hashed and written as text, by hash and repr",
            found=f"world state {show(world)} raised {describe_exception(error)}",
            world=at,
        ) from error
