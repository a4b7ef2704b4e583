"""The game that public rules describe, for everything that needs world states and observations."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import fsum
from typing import NamedTuple, cast

import numpy as np

from infoset.game.infostate import Step
from infoset.game.observation import Observation
from infoset.game.protocol import Game, Probability
from infoset.game.public_rules import PublicHand, PublicRules, scaled_hands
from infoset.typing import Action, FloatArray, JointAction, Player


class Position(NamedTuple):
    """A world state: the places of both players' hands (None before the deal), and the state."""

    hands: tuple[int, int] | None
    state: Hashable


class PublicRulesGame(Game):
    """The game that public rules describe.

    The first transition deals the hands, which are private observations. All later transitions are
    as the public rules say. A game is often easier to write by public rules alone; this class then
    gives everything that works on games: play, matches, beliefs, search, and trees of small sizes.

    Parameters
    ----------
    name
        Name of the game in results.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> game = PublicRulesGame(load_game("leduc_poker").public_rules(), "mine")
    >>> str(game), game.num_players
    ('mine', 2)
    """

    num_players = 2
    public_actions = True
    rules: PublicRules
    _name = ""

    def __init__(self, rules: PublicRules, name: str) -> None:
        self.rules = rules
        self._name = name

    def __str__(self) -> str:
        return self._name or super().__str__()

    def public_rules(self) -> PublicRules:
        """Return the public rules."""
        return self.rules

    def initial_world(self) -> Position:
        """Return the position before the deal."""
        return Position(None, self.rules.initial_state())

    def _actor(self, world: Position) -> Player | None:
        is_over = world.hands is None or self.rules.end(world.state) is not None
        return None if is_over else self.rules.actor(world.state)

    def actors(self, world: Position) -> Sequence[Player]:
        """Return the player who acts after the deal, if one does."""
        actor = self._actor(world)
        return () if actor is None else (actor,)

    def legal_actions(self, world: Position, player: Player) -> Sequence[Action]:
        """Return the legal actions at a decision."""
        return self.rules.legal_actions(world.state)

    def transitions(
        self, world: Position, joint_action: JointAction
    ) -> Iterable[tuple[Position, Probability]]:
        """Return the deals of hands or of public cards, or the position after an action."""
        if world.hands is None:
            return self._deals(world)
        if self.rules.end(world.state) is not None:
            return []
        actor = self._actor(world)
        if actor is not None:
            following = self.rules.next_state(world.state, joint_action[actor])
            return [(Position(world.hands, following), 1)]
        held = {card for own, place in self._dealt(world.hands) for card in own[place].cards}
        return [
            (Position(world.hands, deal.next_state), deal.probability)
            for deal in self.rules.deals(world.state)
            if held.isdisjoint(deal.cards)
        ]

    def _dealt(self, hands: tuple[int, int]) -> Iterable[tuple[Sequence[PublicHand], int]]:
        return zip(self._hands, hands, strict=True)

    def _deals(self, world: Position) -> Iterator[tuple[Position, Probability]]:
        """Yield the pairs of hands that can be dealt, with their probabilities."""
        total = self._total_weight
        given = self._pair_weights
        for (i, own), (j, other) in product(*map(enumerate, self._hands)):
            weight = own.weight * other.weight if given is None else given[i][j]
            if weight and not set(own.cards) & set(other.cards):
                yield Position((i, j), world.state), weight / total

    @cached_property
    def _pair_weights(self) -> Sequence[Sequence[Probability]] | None:
        """The weights of pairs of hands that the rules give."""
        return self.rules.pair_weights()

    @cached_property
    def _cumulative_pairs(self) -> FloatArray:
        """[pairs] the cumulative sums of these weights."""
        rows = self._pair_weights or ()
        return np.array(rows, np.float64).cumsum()

    @cached_property
    def _total_weight(self) -> float | Fraction:
        """The sum of the weights of all pairs that can be dealt; exact if all weights are exact."""
        if self._pair_weights is not None:
            given = [weight for row in self._pair_weights for weight in row]
            is_exact = all(isinstance(weight, (int, Fraction)) for weight in given)
            return sum(given, Fraction(0)) if is_exact else fsum(given)
        first, second = self._hands
        exact = all(isinstance(hand.weight, (int, Fraction)) for hand in (*first, *second))
        of_all: Probability = Fraction(0) if exact else 0.0
        total = of_all
        of_card: dict[Hashable, Probability] = defaultdict(int)
        of_hand: dict[frozenset[Hashable], Probability] = defaultdict(int)
        for hand in second:
            of_all += hand.weight
            for card in hand.cards:
                of_card[card] += hand.weight
            of_hand[frozenset(hand.cards)] += hand.weight
        for hand in first:
            # Inclusion and exclusion: hands with the same two cards were subtracted for each card.
            twins = of_hand[frozenset(hand.cards)] if len(hand.cards) == 2 else 0
            total += hand.weight * (of_all - sum(of_card[card] for card in hand.cards) + twins)
        return total

    def rewards(
        self, world: Position, joint_action: JointAction, next_world: Position
    ) -> Sequence[float]:
        """Return what the players earn at an end."""
        end = self.rules.end(next_world.state)
        if end is None or next_world.hands is None or world.hands is None:
            return (0, 0)
        return end.earned(next_world.hands)

    def observe(
        self, world: Position, joint_action: JointAction, next_world: Position
    ) -> Observation:
        """Show each player its hand, and everybody the actions and the public deals."""
        if world.hands is None and next_world.hands is not None:
            labels = [own[place].label for own, place in self._dealt(next_world.hands)]
            return Observation(private=tuple(labels))
        actor = self._actor(world)
        if actor is not None:
            return Observation(public=self.rules.observation(world.state, joint_action[actor]))
        state = next_world.state  # deals of a state lead to different states
        deals = self.rules.deals(world.state)
        return Observation(public=next(d.observation for d in deals if d.next_state == state))

    def sample_transition(
        self, world: Position, joint_action: JointAction, rng: np.random.Generator
    ) -> Position:
        """Draw the hands one by one, until they share no card; or the next position."""
        if world.hands is not None:
            return cast(Position, super().sample_transition(world, joint_action, rng))
        if self._pair_weights is not None:
            sums = self._cumulative_pairs
            drawn = int(np.searchsorted(sums, sums[-1] * rng.random(), side="right"))
            return Position(divmod(drawn, len(self._hands[1])), world.state)
        # Rejection draws each pair that shares no card in proportion to its weight.
        while True:
            pair = tuple(int(rng.choice(len(own), p=own)) for own in self._hand_weights)
            first, second = (own[place] for own, place in zip(self._hands, pair, strict=True))
            if not set(first.cards) & set(second.cards):
                return Position((pair[0], pair[1]), world.state)

    def sample_observed_transition(
        self,
        world: Position,
        joint_action: JointAction,
        player: Player | None,
        step: Step,
        rng: np.random.Generator,
    ) -> tuple[Position, float] | None:
        """Deal the hand that the player does not observe."""
        if world.hands is not None or step.public is not None:
            return None
        if player is None:
            return self.sample_transition(world, joint_action, rng), 1.0
        if step.private not in self._places[player]:
            return None
        place = self._places[player][step.private]
        cumulative, density = self._others_given(player, place)
        if not density:
            return None
        # The number is below 1, the last entry: hands of weight 0 are never drawn.
        other = int(np.searchsorted(cumulative, rng.random(), side="right"))
        pair = (place, other) if player == 0 else (other, place)
        return Position(pair, world.state), density

    def _others_given(self, player: Player, place: int) -> tuple[FloatArray, float]:
        """Return the distribution of the other hand given a hand, and the probability of the hand.

        The distribution is [hands], cumulative. Beliefs need it many thousands of times.
        """
        if (player, place) not in self._known_others:
            own, others = self._hands[player][place], self._hands[1 - player]
            given = self._pair_weights
            if given is None:
                held = set(own.cards)
                weights = np.array([float(h.weight) * held.isdisjoint(h.cards) for h in others])
                factor = float(own.weight)
            else:
                row = given[place] if player == 0 else [row[place] for row in given]
                weights, factor = np.array(row, np.float64), 1.0
            total = float(weights.sum())
            cumulative = (weights / total).cumsum() if total else weights
            density = factor * total / float(self._total_weight)
            self._known_others[player, place] = cumulative / (cumulative[-1] or 1.0), density
        return self._known_others[player, place]

    @cached_property
    def _known_others(self) -> dict[tuple[Player, int], tuple[FloatArray, float]]:
        """What `_others_given` has returned."""
        return {}

    @cached_property
    def _places(self) -> tuple[dict[Hashable, int], dict[Hashable, int]]:
        """Per player, the place of each hand by its label."""
        first, second = ({hand.label: i for i, hand in enumerate(own)} for own in self._hands)
        return first, second

    @cached_property
    def _hands(self) -> tuple[tuple[PublicHand, ...], tuple[PublicHand, ...]]:
        """Per player, the hands."""
        return scaled_hands(self.rules.hands(0)), scaled_hands(self.rules.hands(1))

    @cached_property
    def _hand_weights(self) -> tuple[FloatArray, ...]:
        """Per player, the weights of the hands, divided by their sum."""
        weights = [np.array([float(hand.weight) for hand in own]) for own in self._hands]
        return tuple(own / own.sum() for own in weights)
