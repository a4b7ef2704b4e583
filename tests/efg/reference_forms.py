"""Reference checks of extensive forms by their definitions, over all pairs of histories."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, pairwise
from typing import Any

from infoset.efg import ExtensiveForm

Pairs = set[tuple[int | None, tuple[int, int]]]
"""Violations: a player, or None, and the two histories."""


class ReferenceForm:
    """A form as plain lists."""

    def __init__(self, form: ExtensiveForm) -> None:
        self.form = form
        self.parent = form.parent.tolist()
        self.actor = form.actor.tolist()
        self.infoset = form.infoset.tolist()
        self.size = len(self.parent)
        self.players = range(form.num_players)
        self.children: list[list[int]] = [[] for _ in self.parent]
        for history in range(1, self.size):
            self.children[self.parent[history]].append(history)

    def path(self, history: int) -> list[int]:
        """Return the histories from the root to this one."""
        before = self.parent[history]
        return [history] if before < 0 else [*self.path(before), history]

    def labels(self, history: int) -> list[Any]:
        return [self.form.moves[self.form.move[child]] for child in self.children[history]]

    def paid(self, history: int) -> list[Fraction]:
        """Return the exact rewards of each player up to a history."""
        total = [Fraction()] * len(self.players)
        for step in self.path(history):
            if self.form.outcome[step] >= 0:
                payoffs = self.form.outcomes[self.form.outcome[step]].payoffs
                total = [sum(both, Fraction()) for both in zip(total, payoffs, strict=True)]
        return total

    def acts(self, player: int, history: int) -> bool:
        return bool(self.actor[history] == player)

    def record(self, player: int, history: int) -> list[Any]:
        """Return a player's information sets and actions before a history."""
        steps = self.path(history)
        taken = []
        for before, after in pairwise(steps):
            own = self.children[before].index(after) if self.acts(player, before) else None
            if own is not None or self.form.is_augmented:
                taken.append((self.infoset[before][player], own))
        return taken

    def alike(self, player: int, *, acting: bool = False) -> list[tuple[int, int]]:
        """Return the pairs of histories in one information set of a player."""
        return [
            (one, other)
            for one, other in combinations(range(self.size), 2)
            if self.infoset[one][player] == self.infoset[other][player] >= 0
            and (not acting or (self.acts(player, one) and self.acts(player, other)))
        ]

    def alike_in_public(self) -> list[tuple[int, int]]:
        public = self.form.public_set
        return [
            pair
            for pair in combinations(range(self.size), 2)
            if public is not None and public[pair[0]] == public[pair[1]]
        ]

    def extends(self, pair: tuple[int, int]) -> bool:
        return pair[0] in self.path(pair[1])


def action_mismatches(slow: ReferenceForm) -> Pairs:
    def what(player: int, history: int) -> Any:
        return slow.acts(player, history) and slow.labels(history)

    return {
        (player, pair)
        for player in slow.players
        for pair in slow.alike(player)
        if what(player, pair[0]) != what(player, pair[1])
    }


def recall_violations(slow: ReferenceForm) -> Pairs:
    acting = not slow.form.is_augmented
    return {
        (player, pair)
        for player in slow.players
        for pair in slow.alike(player, acting=acting)
        if slow.record(player, pair[0]) != slow.record(player, pair[1])
    }


def kinds_of_imperfect_recall(slow: ReferenceForm) -> set[tuple[int, str, tuple[int, int]]]:
    """Return player, kind and pair; a pair may show two kinds, such as a set visited twice."""
    found = set()
    for player, pair in recall_violations(slow):
        here = slow.infoset[pair[0]][player]
        records = [slow.record(player, history) for history in pair]
        others = [[step for step in r if step[0] != here or step[1] is None] for r in records]
        knew = [[infoset for infoset, _ in record] for record in others]
        if slow.extends(pair) and slow.acts(player, pair[0]):
            found.add((player, "is absent-minded", pair))
        if knew[0] != knew[1]:
            found.add((player, "forgets what it knew", pair))
        elif others[0] != others[1]:
            found.add((player, "forgets its own move", pair))
    return found


def absent_mindedness(slow: ReferenceForm) -> Pairs:
    return {
        (player, pair)
        for player in slow.players
        for pair in slow.alike(player, acting=True)
        if slow.extends(pair)
    }


def thick_infosets(slow: ReferenceForm) -> Pairs:
    return {
        (player, pair)
        for player in slow.players
        for pair in slow.alike(player)
        if slow.extends(pair)
    }


def thick_public_sets(slow: ReferenceForm) -> Pairs:
    return {(None, pair) for pair in slow.alike_in_public() if slow.extends(pair)}


def public_mismatches(slow: ReferenceForm) -> Pairs:
    if slow.form.public_set is None:
        return set()
    public = set(slow.alike_in_public())
    return {
        (player, pair)
        for player in slow.players
        for pair in slow.alike(player)
        if pair not in public
    }


def hidden_rewards(slow: ReferenceForm) -> Pairs:
    paid = [slow.paid(history) for history in range(slow.size)]
    return {
        (player, pair)
        for player in slow.players
        for pair in slow.alike(player)
        if paid[pair[0]][player] != paid[pair[1]][player]
    }


def uneven_timings(slow: ReferenceForm) -> Pairs:
    return {
        (player, pair)
        for player in slow.players
        for pair in slow.alike(player, acting=True)
        if len(slow.path(pair[0])) != len(slow.path(pair[1]))
    }


def groups(slow: ReferenceForm) -> list[set[int]]:
    """Return for each history the histories that must happen at the same time."""
    together = [{history} for history in range(slow.size)]
    for player in slow.players:
        for one, other in slow.alike(player, acting=True):
            together[one].add(other)
            together[other].add(one)
    return together


def earliest_timing(slow: ReferenceForm) -> list[int] | None:
    """Return the earliest exact timing, or None, by raising times until nothing changes."""
    together = groups(slow)
    times = [0] * slow.size
    while max(times) < slow.size:
        pushed = [
            max([0, *(times[slow.parent[one]] + 1 for one in together[history] if one)])
            for history in range(slow.size)
        ]
        if pushed == times:
            return times
        times = pushed
    return None


def common_knowledge(slow: ReferenceForm) -> list[int]:
    """Return the classes of histories connected by the players' information sets, in order."""
    number = list(range(slow.size))
    for player in slow.players:
        for one, other in slow.alike(player):
            old, new = number[other], number[one]
            number = [new if value == old else value for value in number]
    order = list(dict.fromkeys(number))
    return [order.index(value) for value in number]


def closed_set(slow: ReferenceForm, history: int, sets: list[int]) -> set[int]:
    """Return the closure of a history under descendants and sets."""
    inside = {history}
    while True:
        more = {
            other
            for other in range(slow.size)
            if slow.parent[other] in inside
            or any(sets[other] == sets[one] >= 0 for one in inside)
            or other in inside
        }
        if more == inside:
            return inside
        inside = more


def nested(form: ExtensiveForm, history: int = 0, waits: list[int] | None = None) -> Any:
    """Return the subtree of a history as nested tuples, with `waits` [H] inserted."""
    slow = ReferenceForm(form)

    def content(at: int) -> Any:
        actor = slow.actor[at]
        name = form.infoset_name(actor, slow.infoset[at][actor]) if actor >= 0 else None
        outcome = form.outcomes[form.outcome[at]] if form.outcome[at] >= 0 else None
        return actor, name, outcome, [edge(child) for child in slow.children[at]]

    def edge(child: int) -> Any:
        number = form.chance[child]
        probabilities = form.probabilities[number] if number >= 0 else None
        following = content(child)
        for _ in range(waits[child] if waits else 0):
            following = (-1, None, None, [("wait", 1, following)])
        return form.moves[form.move[child]], probabilities, following

    return content(history)
