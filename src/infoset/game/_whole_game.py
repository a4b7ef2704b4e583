"""Properties of a game over all world states: who chooses, and who observes the choices."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from graphlib import TopologicalSorter
from typing import Final, NamedTuple

from infoset.game._state_tables import InfostateNumbers
from infoset.game._world_checks import Edge, WorldFacts
from infoset.game.player_names import player_name
from infoset.game.protocol import Game
from infoset.typing import CHANCE, Action, JointAction, Player, World

ROUNDING: Final = 1e-12
"""Utilities that differ by less, relative to the largest one, are equal."""


class Choice(NamedTuple):
    """All choices of a player among the same legal actions, or all random events of `CHANCE`."""

    player: Player
    actions: tuple[Action, ...] = ()


class Spread(NamedTuple):
    """The smallest and the largest utility of a player."""

    low: float
    high: float

    @property
    def is_constant(self) -> bool:
        """Whether all utilities are equal up to rounding."""
        return self.high - self.low <= ROUNDING * max(abs(self.low), abs(self.high))


@dataclass(frozen=True, eq=False)
class WholeGame:
    """All world states, transitions and infostates of a game that `check_game` has visited."""

    game: Game
    num_players: int
    facts: Mapping[World, WorldFacts]
    """All world states that can be reached."""
    infostates: InfostateNumbers
    """The infostates of all histories."""
    utilities: Sequence[Spread]
    """[N] range of the utilities of each player, over all plays."""

    @property
    def players(self) -> range:
        """All players."""
        return range(self.num_players)

    def name(self, player: Player) -> str:
        """Return the name of a player."""
        return player_name(self.game, player)

    @cached_property
    def acting(self) -> frozenset[Player]:
        """Players who act anywhere."""
        return frozenset(p for fact in self.facts.values() for p in self.players if fact.legal[p])

    @cached_property
    def choosing(self) -> frozenset[Player]:
        """Players who have two or more legal actions anywhere."""
        return frozenset(choice.player for choice in self.places)

    @cached_property
    def effective(self) -> frozenset[Player]:
        """Players who have two actions with different outcomes anywhere."""

        def outcome(edge: Edge) -> Hashable:
            seen = tuple(step[1:] for step in edge.steps)
            return edge.next_world, edge.probability, edge.rewards, seen

        return frozenset(
            choice.player
            for choice, facts in self.places.items()
            if any(_differ(fact, choice.player, outcome) for fact in facts)
        )

    @cached_property
    def backwards(self) -> list[World]:
        """All world states, each after all its successors."""
        # First all world states: their order decides which one comes first where several could.
        sorter = TopologicalSorter(dict.fromkeys(self.facts, ()))
        for world, fact in self.facts.items():
            sorter.add(world, *(edge.next_world for edge in fact.edges))
        return [*sorter.static_order()]

    @cached_property
    def later_choosers(self) -> dict[Choice, set[Player]]:
        """Players who choose after a choice of a player, or after a random event of `CHANCE`."""
        at_or_after: dict[World, set[Player]] = {}
        found: dict[Choice, set[Player]] = {Choice(CHANCE): set()}
        for world in self.backwards:
            fact = self.facts[world]
            after = {p for edge in fact.edges for p in at_or_after[edge.next_world]}
            here = {p for p in self.players if len(fact.legal[p]) > 1}
            for player in here:
                found.setdefault(Choice(player, fact.legal[player]), set()).update(after)
            if len(fact.edges) > fact.num_joint_actions:
                found[Choice(CHANCE)] |= after
            at_or_after[world] = after | here
        return found

    @cached_property
    def places(self) -> dict[Choice, list[WorldFacts]]:
        """The world states at which players have each choice."""
        found: dict[Choice, list[WorldFacts]] = {}
        for fact in self.facts.values():
            for player in self.players:
                if len(fact.legal[player]) > 1:
                    found.setdefault(Choice(player, fact.legal[player]), []).append(fact)
        return found

    def sees_at_once(self, choice: Choice) -> set[Player]:
        """Return the players who can tell two actions of a choice apart immediately."""
        found: set[Player] = set()
        for fact in self.places[choice]:
            for player in set(self.players) - found:
                if _differ(fact, choice.player, partial(_look, player)):
                    found.add(player)
        return found

    def observes(self, observer: Player, choice: Choice) -> bool:
        """Return whether an observer ever observes anything of a choice of a player or of chance.

        It does if, with the same actions of all others, two actions of the choice, or two outcomes
        of chance, make a difference to its observations then or later.
        """
        mover, actions = choice
        # World states at which the observer has the same future have the same number.
        number: dict[World, int] = {}
        futures: dict[Hashable, int] = {}
        for world in self.backwards:
            fact = self.facts[world]
            is_here = mover == CHANCE or fact.legal[mover] == actions
            seen: dict[Hashable, dict[Hashable, dict[Hashable, float]]] = {}
            for edge in fact.edges:
                own, others = split_action(edge.joint_action, mover)
                key = others if is_here else edge.joint_action
                chances = seen.setdefault(key, {}).setdefault(own, {})
                what = (_look(observer, edge), number[edge.next_world])
                chances[what] = chances.get(what, 0.0) + edge.probability
            future = []
            for others_do, by_own in seen.items():
                first, *rest = (frozenset(chances.items()) for chances in by_own.values())
                if any(other != first for other in rest) or (mover == CHANCE and len(first) > 1):
                    return True
                # All outcomes of chance look the same, and their probabilities sum to 1.
                future.append((others_do, next(iter(first))[0] if mover == CHANCE else first))
            number[world] = futures.setdefault(frozenset(future), len(futures))
        return False


def split_action(joint_action: JointAction, player: Player) -> tuple[Hashable, JointAction]:
    """Return the action of a player, and the joint action of all others."""
    if player == CHANCE:
        return None, joint_action
    others = (*joint_action[:player], None, *joint_action[player + 1 :])
    return joint_action[player], others


def _look(observer: Player, edge: Edge) -> Hashable:
    """Return an observer's observations of a transition, without its own action."""
    return edge.steps[observer][1:]


def _differ(fact: WorldFacts, player: Player, look: Callable[[Edge], Hashable]) -> bool:
    """Return whether two actions of a player look different, with the same actions of others."""
    looks: dict[JointAction, dict[Hashable, set[Hashable]]] = {}
    for edge in fact.edges:
        own, others = split_action(edge.joint_action, player)
        looks.setdefault(others, {}).setdefault(own, set()).add(look(edge))
    return any(len(set(map(frozenset, by_own.values()))) > 1 for by_own in looks.values())
