"""The transitions out of a batch that agree with what was seen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice, product
from sys import maxsize
from typing import Protocol, TypeAlias

import numpy as np

from infoset.beliefs.layers import HistoryBatch, Sight, Successor
from infoset.game import Game
from infoset.typing import NOOP, Action, JointAction, World

__all__ = ["Drawing", "Listing", "TooManyWorlds", "knows_what_is_seen", "successors"]


class TooManyWorlds(Exception):
    """There are more world states than are to be listed."""


class Outcomes(Protocol):
    """Gives the next worlds of a joint action, each once, with probabilities."""

    def __call__(
        self, game: Game, world: World, joint_action: JointAction
    ) -> Iterable[tuple[World, float]]:
        """Return pairs of next world and probability."""
        ...


@dataclass(frozen=True)
class Listing:
    """Lists what nature can do.

    Attributes
    ----------
    most : int
        How many next worlds are listed at most.
    """

    most: int

    def __call__(
        self, game: Game, world: World, joint_action: JointAction
    ) -> Iterable[tuple[World, float]]:
        """Return the next worlds of positive probability.

        Raises
        ------
        TooManyWorlds
            If there are more than are to be listed.
        """
        pairs = list(islice(game.transitions(world, joint_action), min(self.most + 1, maxsize)))
        if len(pairs) == 1:
            return pairs  # type: ignore[return-value]
        if len(pairs) > self.most:
            raise TooManyWorlds
        merged: dict[World, float] = {}
        for next_world, probability in pairs:
            if probability:
                merged[next_world] = merged.get(next_world, 0.0) + float(probability)
        return merged.items()


class Drawing:
    """Lists what nature can do, and draws from what is too long to list.

    Only a game with its own `sample_transition` is drawn from; any other is listed. What agrees
    with what was seen is drawn alone, if the game knows how.

    Parameters
    ----------
    most : int
        How many next worlds are listed at most.
    num_draws : int
        How often it draws where there are more.
    sight : Sight
        What was seen.
    rng : np.random.Generator
    """

    def __init__(self, most: int, num_draws: int, sight: Sight, rng: np.random.Generator) -> None:
        self.most = most
        self.num_draws = num_draws
        self._sight = sight
        self._rng = rng
        self._drawn: Counter[tuple[World, JointAction]] = Counter()

    def __call__(
        self, game: Game, world: World, joint_action: JointAction
    ) -> Iterable[tuple[World, float]]:
        """Return the next worlds with probabilities, or those drawn with their weights."""
        if type(game).sample_transition is Game.sample_transition:
            return Listing(maxsize)(game, world, joint_action)
        with suppress(TooManyWorlds):
            return Listing(self.most)(game, world, joint_action)
        drawn: dict[World, float] = {}
        for _ in range(self.num_draws):
            next_world, weight = self._draw(game, world, joint_action)
            drawn[next_world] = drawn.get(next_world, 0.0) + weight / self.num_draws
        self._drawn[world, joint_action] += len(drawn)
        return drawn.items()

    def _draw(self, game: Game, world: World, joint_action: JointAction) -> tuple[World, float]:
        """Return a next world, and the weight of the draw: how probable what was seen is."""
        found = game.sample_observed_transition(world, joint_action, *self._sight, self._rng)
        return found or (game.sample_transition(world, joint_action, self._rng), 1.0)

    @property
    def num_outcomes(self) -> int:
        """Number of different next worlds that were drawn."""
        return self._drawn.total()

    def count(self, batch: HistoryBatch, found: Iterable[Successor]) -> int:
        """Return how many of the successors of a batch were drawn, and not listed."""
        return sum((batch.worlds[one.origin], one.joint_action) in self._drawn for one in found)


def knows_what_is_seen(game: Game) -> bool:
    """Return whether a game has a `sample_observed_transition` of its own."""
    return type(game).sample_observed_transition is not Game.sample_observed_transition


def successors(batch: HistoryBatch, sight: Sight | None, outcomes: Outcomes) -> Iterator[Successor]:
    """Yield the transitions out of a batch that agree with what was seen; all, if None.

    Where everybody sees what players do, the first that agrees tells what they did.
    """
    game, shown = batch.game, None
    for origin, choices in _choices(batch, sight):
        world = batch.worlds[origin]
        for joint_action in product(*choices) if shown is None else _if_legal(shown, choices):
            for next_world, probability in outcomes(game, world, joint_action):
                seen = game.observe(world, joint_action, next_world)
                if sight is None or sight.agrees(seen):
                    shown = joint_action if sight is not None and game.public_actions else None
                    yield Successor(origin, joint_action, next_world, float(probability), seen)


Choices: TypeAlias = Sequence[Sequence[Action]]
"""By player, its legal actions; `NOOP` alone where it does not act."""


def _if_legal(joint_action: JointAction, choices: Choices) -> Sequence[JointAction]:
    is_legal = all(action in legal for action, legal in zip(joint_action, choices, strict=True))
    return (joint_action,) if is_legal else ()


def _choices(batch: HistoryBatch, sight: Sight | None) -> Iterator[tuple[int, Choices]]:
    """Yield the positions of a batch with what each player can have done there."""
    viewer = None if sight is None else sight.player
    own = NOOP if sight is None else sight.step.action
    numbers = batch.infostate.tolist()
    for origin, world in enumerate(batch.worlds):
        choices = [
            infostate_index.choices(number, batch.game, world)
            for infostate_index, number in zip(
                batch.infostate_indexes, numbers[origin], strict=True
            )
        ]
        if viewer is not None:
            choices[viewer] = (own,) if own in choices[viewer] else ()
        yield origin, choices
