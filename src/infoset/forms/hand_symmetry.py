"""Cards that can be exchanged, such as suits that a board treats alike, and what they merge."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, TypeAlias

import numpy as np

from infoset.errors import GameRuleError
from infoset.game import PublicDeal, PublicHand, PublicRules
from infoset.typing import IntArray, Player
from infoset.utils.frozen_arrays import freeze
from infoset.utils.short_repr import Facts, ShortRepr

MAX_PERMUTATIONS = 1000
"""Number of permutations that `PublicRules.symmetries` may generate; four suits generate 24."""

RULE = "the game remains the same under each permutation that PublicRules.symmetries returns"

Cards: TypeAlias = frozenset[Hashable]
Moves: TypeAlias = dict[Hashable, Hashable]
"""A permutation of cards: the card that takes the place of each card that it moves."""
Group: TypeAlias = tuple[int, ...]
"""Numbers of permutations that form a group; the first is 0, the identity."""


@dataclass(frozen=True, eq=False, repr=False)
class HandSymmetry(ShortRepr):
    """Which hands are equivalent at the nodes of a public form, and which lines it omits.

    A permutation of the cards under which the game remains the same maps lines to lines and hands
    to hands. A form with symmetry has one line of each set of lines that permutations exchange; its
    chance reach is multiplied by their number. The hands that permutations exchange without
    changing the line are one class, with one policy.

    In poker, these are the suits that neither board nor ranges distinguish.
    """

    permutations: tuple[IntArray, IntArray]
    """Per player, [P, hands] the hand that takes the place of each hand. Row 0 is the identity."""
    products: IntArray
    """[P, P] the permutation that applies the second, and then the first."""
    classes: tuple[IntArray, IntArray]
    """Per player, [C, hands] the class of each hand. Classes are numbered from 0 in order of their
    first hands."""
    class_map: IntArray
    """[V] row of `classes` at each public node."""
    images: Mapping[tuple[int, Hashable], tuple[Hashable, int]]
    """By chance node and observation, for lines that are omitted: the observation that continues
    the line that represents it, and the permutation that maps one line to the other."""
    moved: Mapping[tuple[int, Hashable], Hashable]
    """By permutation and observation of chance: the observation that takes its place."""

    def __post_init__(self) -> None:
        freeze(self)
        for array in (*self.permutations, *self.classes):
            array.flags.writeable = False

    def _facts(self) -> Facts:
        values = {"permutations": len(self.products), "omitted lines": len(self.images)}
        return Facts("hand symmetry", values, "see .classes, .permutations")

    @cached_property
    def representatives(self) -> tuple[list[IntArray], list[IntArray]]:
        """Per player and row of `classes`, the first hand of each class."""
        first, second = (
            [np.unique(row, return_index=True)[1].astype(np.int32) for row in own]
            for own in self.classes
        )
        return first, second

    @cached_property
    def observations(self) -> tuple[Hashable, ...]:
        """All observations of chance, also those in omitted lines."""
        return tuple(dict.fromkeys(seen for _, seen in self.moved))

    def represented(self, node: int, permutation: int, seen: Hashable) -> tuple[Hashable, int]:
        """Return the chance outcome in the form that represents an outcome after an original line.

        Parameters
        ----------
        node
            The chance node of the line in the form that represents the original line.
        permutation
            Maps the original line up to this node to the one that represents it.
        seen
            The observation in the original line.

        Returns
        -------
        tuple[Hashable, int]
            The observation in the form, and the permutation after it.
        """
        seen = self.moved.get((permutation, seen), seen)
        # What takes its place in the line that represents this one, and then what represents that.
        seen, after = self.images.get((node, seen), (seen, 0))
        return seen, int(self.products[after, permutation])


class MergedDeal(NamedTuple):
    """An outcome of chance that represents several."""

    deal: PublicDeal
    num_outcomes: int
    """Number of outcomes that permutations map to this one."""
    group: Group
    """The permutations that also map its cards to themselves."""


class CardSymmetries:
    """The permutations of cards under which a game with public rules remains the same.

    Parameters
    ----------
    name
        Name of the game in messages.
    used
        If False, only the identity is used.

    Raises
    ------
    GameRuleError
        If a permutation does not map hands to hands of the same weight.
    """

    def __init__(self, rules: PublicRules, name: str, used: bool = True) -> None:
        self._name = name
        self._hands = tuple(tuple(rules.hands(player)) for player in range(2))
        self.elements = self._closed([*map(dict, rules.symmetries())] if used else [])
        self.images: dict[tuple[int, Hashable], tuple[Hashable, int]] = {}
        self._labels: dict[Cards, Hashable] = {}
        self._sizes: dict[tuple[Group, Player], int] = {}
        self.whole: Group = tuple(range(len(self.elements)))
        self.permutations = self._hand_permutations(0), self._hand_permutations(1)

    def _error(self, found: str) -> GameRuleError:
        return GameRuleError(RULE, found=f"the public rules of {self._name}: {found}")

    def _closed(self, generators: list[Moves]) -> list[Moves]:
        """Return the group that permutations generate, the identity first."""
        for one in generators:
            if {*one} != {*one.values()}:
                raise self._error(f"{one!r} is not a permutation of cards")
        found: list[Moves] = [{}]
        # The list grows. Products with generators suffice, because the group is finite.
        for element in found:
            for one in generators:
                both = _product(one, element)
                if both not in found:
                    found.append(both)
            if len(found) > MAX_PERMUTATIONS:
                raise self._error(f"they generate more than {MAX_PERMUTATIONS} permutations")
        return found

    def _image(self, number: int, cards: Cards) -> Cards:
        """Return the cards that take the places of cards."""
        element = self.elements[number]
        return frozenset(element.get(card, card) for card in cards)

    def _hand_permutations(self, player: Player) -> IntArray:
        """Return [P, hands] the hand that takes the place of each hand."""
        own: Sequence[PublicHand] = self._hands[player]
        known = {frozenset(hand.cards): place for place, hand in enumerate(own)}
        rows = np.tile(np.arange(len(own), dtype=np.int32), (len(self.elements), 1))
        for number in self.whole[1:]:
            for place, hand in enumerate(own):
                image = known.get(self._image(number, frozenset(hand.cards)), -1)
                if image < 0:
                    raise self._error(
                        f"the cards that take the place of {hand.label!r} are not a hand of "
                        f"player {player}"
                    )
                if not hand.cards:  # all such hands have the same cards, none
                    image = place
                if own[image].weight != hand.weight:
                    raise self._error(
                        f"player {player} has the hand {hand.label!r} with weight {hand.weight}, "
                        f"but {own[image].label!r}, which takes its place, with {own[image].weight}"
                    )
                rows[number, place] = image
        return rows

    def _products(self) -> IntArray:
        """Return [P, P] the permutation that applies the second, and then the first."""
        numbers = {frozenset(one.items()): number for number, one in enumerate(self.elements)}
        rows = np.zeros((len(self.elements), len(self.elements)), np.int32)
        for a, outer in enumerate(self.elements):
            for b, inner in enumerate(self.elements):
                rows[a, b] = numbers[frozenset(_product(outer, inner).items())]
        return rows

    def num_classes(self, group: Group, player: Player) -> int:
        """Return the number of classes of hands under a group of permutations."""
        if (group, player) not in self._sizes:
            self._sizes[group, player] = int(self._class_of(group, player).max()) + 1
        return self._sizes[group, player]

    def _class_of(self, group: Group, player: Player) -> IntArray:
        """Return [hands] the class of each hand."""
        # The first of the hands that the group exchanges identifies their class.
        least = self.permutations[player][list(group)].min(axis=0)
        classes: IntArray = np.unique(least, return_inverse=True)[1].astype(np.int32)
        return classes

    def merged(self, deals: Sequence[PublicDeal], group: Group) -> Iterator[MergedDeal]:
        """Yield one outcome of chance for each set of outcomes that a group exchanges.

        Raises
        ------
        GameRuleError
            If a permutation maps an outcome to one that is missing or has another probability.
        """
        known = {frozenset(deal.cards): deal for deal in deals}
        done: set[Cards] = set()
        for deal in deals:
            cards = frozenset(deal.cards)
            images = {self._image(number, cards) for number in group}
            if not done.isdisjoint(images):
                continue
            for image in images if len(images) > 1 else ():
                if image not in known or known[image].probability != deal.probability:
                    raise self._error(
                        f"chance may deal {deal.observation!r}, but the cards that take its place "
                        "have a different probability"
                    )
                done.add(image)
            # What follows is the same only under permutations that keep the cards dealt so far.
            fixed = tuple(number for number in group if self._image(number, cards) == cards)
            yield MergedDeal(deal, len(images), fixed)

    def note_lines(self, node: int, deals: Sequence[PublicDeal], group: Group) -> None:
        """Remember, for lookups, which outcome of a chance move represents each other one.

        Raises
        ------
        GameRuleError
            If outcomes with the same cards differ in their observations.
        """
        if len(self.elements) == 1:
            return
        kept = {frozenset(one.deal.cards): one.deal for one in self.merged(deals, group)}
        for deal in deals:
            cards = frozenset(deal.cards)
            if cards and self._labels.setdefault(cards, deal.observation) != deal.observation:
                raise self._error(
                    f"the same cards are observed as {self._labels[cards]!r} and as "
                    f"{deal.observation!r}; with symmetries, observations depend on the cards alone"
                )
            # 0, the identity, comes first: outcomes that are kept represent themselves.
            number = next(g for g in group if self._image(g, cards) in kept)
            if number:
                seen = kept[self._image(number, cards)].observation
                self.images[node, deal.observation] = seen, number

    def symmetry(
        self, class_map: IntArray, groups: Sequence[Group], numbers: IntArray
    ) -> HandSymmetry | None:
        """Return what the lookup in a form needs; None if there is only the identity.

        Parameters
        ----------
        class_map
            [V] for each public node of the form, the place of its group in `groups`.
        groups
            The groups of permutations.
        numbers
            [V] the form's number of each node, by the number that `note_lines` was given.
        """
        if len(self.elements) == 1:
            return None
        moved = {}
        for number in self.whole[1:]:
            for cards, label in self._labels.items():
                image = self._labels.get(self._image(number, cards), label)
                moved[number, label] = image
        first, second = (
            np.stack([self._class_of(group, player) for group in groups]) for player in range(2)
        )
        return HandSymmetry(
            permutations=self.permutations,
            products=self._products(),
            classes=(first, second),
            class_map=class_map,
            images={(int(numbers[at]), seen): own for (at, seen), own in self.images.items()},
            moved=moved,
        )

    def check_strengths(
        self, strengths: tuple[Sequence[int], ...], dealt: Cards, group: Group
    ) -> None:
        """Raise unless hands that a group exchanges have the same strength.

        Raises
        ------
        GameRuleError
            If they differ.
        """
        for player, own in enumerate(strengths):
            strength = np.asarray(own)
            for number in group:
                image = strength[self.permutations[player][number]]
                for place in np.flatnonzero(image != strength).tolist():
                    hand = self._hands[player][place]
                    if dealt.isdisjoint(hand.cards):
                        raise self._error(
                            f"the hand {hand.label!r} of player {player} and the one that takes "
                            "its place have different strengths"
                        )


def _product(outer: Moves, inner: Moves) -> Moves:
    """Return the permutation that applies `inner`, and then `outer`."""
    images = {card: inner.get(card, card) for card in {*outer, *inner}}
    both = {card: outer.get(image, image) for card, image in images.items()}
    return {card: image for card, image in both.items() if card != image}
