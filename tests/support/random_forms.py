"""Random extensive forms that may violate any property, such as perfect recall or timing."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from infoset.efg import (
    ExtensiveForm,
    Node,
    Outcome,
    chance,
    decision,
    extensive_form_from_nodes,
    terminal,
)


@dataclass(frozen=True)
class Recipe:
    """Parameters of a random form.

    At every history each player observes a private symbol, and all observe a public one. A player's
    information set consists of its last `memory` symbols and own actions.
    """

    seed: int
    num_players: int
    max_depth: int
    memory: int
    public_memory: int
    knows_public: bool
    knows_time: bool
    knows_turn: bool
    knows_payoffs: bool
    is_augmented: bool


@dataclass(frozen=True)
class Past:
    """The past of a history: the memories and rewards of the players."""

    records: tuple[tuple[Any, ...], ...]
    public: tuple[Any, ...]
    paid: tuple[Fraction, ...]
    depth: int


def random_form(**recipe: Any) -> ExtensiveForm:
    grower = Grower(Recipe(**recipe))
    return extensive_form_from_nodes(
        grower.start(), players=grower.recipe.num_players, name="random form"
    )


class Grower:
    def __init__(self, recipe: Recipe) -> None:
        self.recipe = recipe
        self.rng = np.random.default_rng(recipe.seed)

    def start(self) -> Node:
        count = self.recipe.num_players
        return self.grow(Past(((),) * count, (), (Fraction(),) * count, 0))

    def grow(self, past: Past) -> Node:
        outcome, past = self.pay(past)
        size = self.num_moves(past.depth)
        actor = int(self.rng.choice([-1, *range(self.recipe.num_players)]))
        labels = list("abc"[:size])
        if not self.recipe.knows_turn and self.rng.random() < 0.1:
            labels.reverse()
        pairs = [(label, self.grow(self.after(past, actor, label))) for label in labels]
        known = self.known(past, actor, tuple(labels))
        shown: dict[str, Any] = {"outcome": outcome, "name": ""}
        if self.recipe.is_augmented:
            shown |= {"public": str(past.public), "sees": known}
        if not pairs:
            return terminal(**shown)
        if actor < 0:
            weights = self.rng.integers(0, 4, size)
            weights[0] += 1
            probabilities = [Fraction(int(weight), int(weights.sum())) for weight in weights]
            moves = {
                label: (p, node) for (label, node), p in zip(pairs, probabilities, strict=True)
            }
            return chance(moves, **shown)
        return decision(actor, known[actor], pairs, **shown)

    def num_moves(self, depth: int) -> int:
        if depth == self.recipe.max_depth or (depth and self.rng.random() < 0.2):
            return 0
        return int(self.rng.integers(1, 4))

    def pay(self, past: Past) -> tuple[Outcome | None, Past]:
        if self.rng.random() < 0.6:
            return None, past
        paid = tuple(Fraction(int(value), 2) for value in self.rng.integers(-2, 3, len(past.paid)))
        total = tuple(before + now for before, now in zip(past.paid, paid, strict=True))
        return Outcome(paid), Past(past.records, past.public, total, past.depth)

    def after(self, past: Past, actor: int, label: str) -> Past:
        shown = int(self.rng.integers(2))
        records = tuple(
            self.remember(record, label if player == actor else None, shown)
            for player, record in enumerate(past.records)
        )
        public = last((*past.public, shown), self.recipe.public_memory)
        return Past(records, public, past.paid, past.depth + 1)

    def remember(self, record: tuple[Any, ...], own: str | None, shown: int) -> tuple[Any, ...]:
        seen = (int(self.rng.random() < 0.3), shown if self.recipe.knows_public else 0)
        if own is None and not any(seen) and not self.recipe.knows_time:
            return record
        return last((*record, (own, *seen)), self.recipe.memory)

    def known(self, past: Past, actor: int, labels: tuple[str, ...]) -> dict[int, str]:
        return {
            player: str(
                (
                    record,
                    labels if self.recipe.knows_turn and player == actor else None,
                    str(past.paid[player]) if self.recipe.knows_payoffs else None,
                )
            )
            for player, record in enumerate(past.records)
        }


def last(items: tuple[Any, ...], count: int) -> tuple[Any, ...]:
    return items[max(0, len(items) - count) :]
