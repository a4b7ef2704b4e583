"""One player's infostates among histories of one length."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TypeAlias

from infoset.game import Game, Infostate, Step
from infoset.policy import Policy
from infoset.policy.protocol import checked_probabilities
from infoset.typing import NOOP, Action, Player, World

__all__ = ["InfostateIndex"]

Addition: TypeAlias = tuple[int, Action, Hashable, Hashable]
"""The number of the infostate before, and the step that was added to it."""


class InfostateIndex:
    """One player's infostates in a batch, numbered as they are met.

    Attributes
    ----------
    player : Player
    above : InfostateIndex or None
        Those of the batch before; None at the root, which has one.
    """

    def __init__(self, player: Player, above: InfostateIndex | None = None) -> None:
        self.player = player
        self.above = above
        self._numbers: dict[Addition, int] = {}
        self._additions: list[Addition] = []
        self._choices: dict[int, tuple[Action, ...]] = {}
        self._values: dict[int, Infostate] = {}

    def __len__(self) -> int:
        return len(self._additions)

    def number(self, addition: Addition) -> int:
        """Return the number of an infostate, which is new if it was not met before."""
        found = self._numbers.setdefault(addition, len(self._additions))
        if found == len(self._additions):
            self._additions.append(addition)
        return found

    def public(self, number: int) -> Hashable:
        """Return what everybody saw last on the way to an infostate."""
        return self._additions[number][3]

    def value(self, number: int) -> Infostate:
        """Return an infostate as the value met in play."""
        if self.above is None:
            return Infostate(self.player)
        if number not in self._values:
            before, *step = self._additions[number]
            self._values[number] = self.above.value(before).extend(Step(*step))
        return self._values[number]

    def find(self, steps: Sequence[Step]) -> int:
        """Return the number of an infostate, given its steps; -1 where it was not met."""
        if self.above is None:
            return 0
        return self._numbers.get((self.above.find(steps[:-1]), *steps[-1]), -1)

    def choices(self, number: int, game: Game, world: World) -> tuple[Action, ...]:
        """Return the legal actions at an infostate, `NOOP` alone where the player does not act.

        They follow from the infostate, so that one world state of it is asked.
        """
        found = self._choices.get(number)
        if found is None:
            acts = self.player in game.actors(world)
            found = tuple(game.legal_actions(world, self.player)) if acts else (NOOP,)
            self._choices[number] = found
        return found

    def own_reach(self, policy: Policy, number: int) -> float:
        """Return the probability that a policy of the player leads to an infostate."""
        reach, infostate_index = 1.0, self
        while infostate_index.above is not None and reach:
            number, action, *_ = infostate_index._additions[number]
            infostate_index = infostate_index.above
            if action is not NOOP:
                legal = infostate_index._choices[number]
                answer = checked_probabilities(policy, infostate_index.value(number), legal)
                reach *= float(answer[legal.index(action)])
        return reach
