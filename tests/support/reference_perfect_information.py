"""Slow references by recursion over histories: perfect information, and the best play there."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from infoset.efg import ExtensiveForm, Node, chance, decision, extensive_form_from_nodes, terminal
from infoset.policy import TabularPolicy
from infoset.tree import GameTree

TRUST = """EFG 2 R "deposit" { "Buyer" "Seller" }
p "" 1 1 "pays ahead?" { "pay" "walk away" } 0
p "" 2 1 "paid" { "deliver" "keep" } 0
t "" 1 "" { 2, 2 }
t "" 2 "" { -3, 4 }
t "" 3 "" { 0, 0 }
"""
"""The seller keeps what was paid, so the buyer walks away."""

OUTLIER = """NFG 1 R "one huge loss" { "Ann" "Bob" } { 3 3 }
0 0  -2 -2  -2 -2   0 0  -2 -2  -2 -2   0 0  -2 -2  -9000 -9000
"""
"""Both players get 0, -2 or -2 by Ann's strategy, but for one cell: her first one dominates."""


class Histories:
    """The histories of a tree at which exactly one player acts, and what follows them."""

    def __init__(self, tree: GameTree) -> None:
        self.tree = tree
        self.form = tree.sequence_form

    def children(self, history: int) -> range:
        first, last = self.tree.first_child[history : history + 2].tolist()
        return range(first, last)

    @cached_property
    def acting(self) -> list[list[tuple[int, int]]]:
        """[H] the players who act, with the numbers of their acting infostates."""
        trees, found = self.tree.infostate_trees, []
        for row in self.tree.infostate.tolist():
            pairs = [(player, number) for player, number in enumerate(row)]
            found.append([(p, i) for p, i in pairs if len(trees[p].legal_actions(i)) > 1])
        return found

    @cached_property
    def is_perfect(self) -> list[bool]:
        """[H] whether every decision from a history on is known to belong to that history."""
        count: dict[tuple[int, int], int] = {}
        for actors in self.acting:
            for key in actors:
                count[key] = count.get(key, 0) + 1
        found = [True] * self.tree.num_histories
        for history in reversed(range(self.tree.num_histories)):
            actors = self.acting[history]
            known = len(actors) <= 1 and all(count[key] == 1 for key in actors)
            found[history] = known and all(found[child] for child in self.children(history))
        return found

    def action_values(self, policy: TabularPolicy) -> dict[tuple[int, int], dict[int, float]]:
        """Return what a player earns by each action index, at infostates of perfect information."""
        tree = self.tree
        values = np.array(tree.rewards_so_far)
        found: dict[tuple[int, int], dict[int, float]] = {}
        for history in reversed(range(tree.num_histories)):
            children = [*self.children(history)]
            if not children:
                continue
            total = np.zeros(tree.num_players)
            by_action: dict[int, float] = {}
            for child in children:
                weight = chance = float(tree.graph.probability[tree.edge[child]])
                for player, number in self.acting[history]:
                    own = tree.infostate_trees[player]
                    sequence = own.last_sequence[tree.infostate[child, player]]
                    weight *= policy.probabilities[player][sequence]
                    index = int(sequence) - int(own.first_sequence[number])
                    earned = chance * values[child, player]
                    by_action[index] = by_action.get(index, 0.0) + earned
                total += weight * values[child]
            values[history] = total
            if self.is_perfect[history] and self.acting[history]:
                found[self.acting[history][0]] = by_action
        return found


def random_perfect_information(seed: int, num_players: int) -> tuple[ExtensiveForm, list[float]]:
    """Return a random game of perfect information, and its values by backward induction."""
    rng = np.random.default_rng(seed)
    names = iter(range(10_000))

    def grow(depth: int) -> tuple[Node, np.ndarray]:
        if depth == 0 or rng.random() < 0.2:
            paid = rng.normal(size=num_players)
            return terminal(*paid.tolist()), paid
        grown = {label: grow(depth - 1) for label in "abc"[: rng.integers(1, 4)]}
        nodes = {label: node for label, (node, _) in grown.items()}
        values = np.array([value for _, value in grown.values()])
        actor = int(rng.integers(-1, num_players))
        if actor < 0:
            share = 1.0 / len(nodes)
            return chance({label: (share, node) for label, node in nodes.items()}), values.mean(0)
        return decision(actor, f"{next(names)}", nodes), values[values[:, actor].argmax()]

    root, value = grow(4)
    form = extensive_form_from_nodes(root, players=num_players, name=f"random {seed}")
    return form, value.tolist()
