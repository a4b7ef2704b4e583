"""Liar's dice, one round for two players."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations_with_replacement, product
from math import comb, factorial, prod
from typing import ClassVar, NamedTuple, cast

import numpy as np

from infoset.game import (
    Game,
    Observation,
    Probability,
    PublicEnd,
    PublicHand,
    PublicRules,
    Step,
)
from infoset.games.parameters import check_parameters, choice, integer, parameter_error
from infoset.typing import Action, JointAction, Player

LIAR = "liar"
NO_BID = -1
MAX_HANDS = 1_000_000

Hand = tuple[int, ...]


class Table(NamedTuple):
    """The dice by player (empty before the roll), and the state of the bidding.

    `call` is the position of the last call in the order of calls. `player` is the player to move,
    or the winner after `liar`.
    """

    hands: tuple[Hand, ...] = ()
    call: int = NO_BID
    player: Player = 0


@dataclass(frozen=True)
class LiarsDice(Game):
    """Liar's dice: bid on what all dice show together, or call the opponent a liar.

    Both players roll their dice in secret. They alternately bid a quantity and a face, which must
    be higher than the last bid, or call `liar`, which ends the game. A bid is met if at least that
    many of all dice show the face; the highest face is wild and counts as any face. If the last bid
    is met, the bidder wins; otherwise the caller wins.

    Parameters
    ----------
    players
        Number of players.
    numdice
        Number of dice of each player.
    dice_sides
        Number of faces of a die; the highest face is wild.
    bidding_rule
        Which bids are higher. `reset-face`: a larger quantity of any face, or the same quantity of
        a higher face. `reset-quantity`: any quantity of a higher face, or a larger quantity of the
        same face.

    Notes
    -----
    The value of the default game to player 0 is -0.0271317829457.
    Source: M. Lanctot, "Monte Carlo sampling and regret minimization for equilibrium computation
    and decision-making in large extensive form games", PhD thesis, 2013. Same game as
    OpenSpiel's, except that all dice are rolled in one step and hands are sorted.

    Examples
    --------
    >>> from infoset.games import LiarsDice
    >>> LiarsDice(dice_sides=2).calls
    ('1-1', '1-2', '2-1', '2-2', 'liar')
    """

    name: ClassVar[str] = "liars_dice"
    public_actions = True
    num_players = 2

    players: int = integer(2, low=2, high=2)
    numdice: int = integer(1, low=1, high=1000)
    dice_sides: int = integer(6, low=1, high=1000)
    bidding_rule: str = choice("reset-face", "reset-quantity")

    def __post_init__(self) -> None:
        check_parameters(self)
        if comb(self.numdice + self.dice_sides - 1, self.numdice) > MAX_HANDS:
            rule = f"with {self.dice_sides} sides must give at most {MAX_HANDS:,} hands of dice"
            raise parameter_error(self, "numdice", rule, 1)

    @cached_property
    def bids(self) -> tuple[tuple[int, int], ...]:
        """The bids as (quantity, face), in increasing order."""
        quantities = range(1, self.players * self.numdice + 1)
        faces = range(1, self.dice_sides + 1)
        if self.bidding_rule == "reset-face":
            return tuple(product(quantities, faces))
        return tuple((quantity, face) for face, quantity in product(faces, quantities))

    @cached_property
    def calls(self) -> tuple[str, ...]:
        """The actions: the bids as `quantity-face`, in increasing order, and `liar`."""
        return (*(f"{quantity}-{face}" for quantity, face in self.bids), LIAR)

    @cached_property
    def rolls(self) -> tuple[tuple[Hand, Fraction], ...]:
        """The sorted hands of one player, with their probabilities."""
        faces = range(1, self.dice_sides + 1)
        hands = combinations_with_replacement(faces, self.numdice)
        ways = self.dice_sides**self.numdice
        return tuple((hand, Fraction(orders(hand), ways)) for hand in hands)

    @cached_property
    def _chance(self) -> dict[Hashable, float]:
        return {hand: float(chance) for hand, chance in self.rolls}

    @cached_property
    def _position(self) -> dict[object, int]:
        return {call: position for position, call in enumerate(self.calls)}

    def initial_world(self) -> Table:
        """Return the table before the roll."""
        return Table()

    def actors(self, world: Table) -> Sequence[Player]:
        """Return the player whose turn it is."""
        return (world.player,) if world.hands and world.call < len(self.bids) else ()

    def legal_actions(self, world: Table, player: Player) -> Sequence[str]:
        """Return the higher bids, and `liar` once there is a bid."""
        higher = self.calls[world.call + 1 :]
        return higher if world.call > NO_BID else higher[:-1]

    def transitions(
        self, world: Table, joint_action: JointAction
    ) -> Iterable[tuple[Table, Probability]]:
        """Return the rolls, or the table after a call."""
        if not world.hands:
            return (
                (Table((first, second)), chance_first * chance_second)
                for (first, chance_first), (second, chance_second) in product(self.rolls, repeat=2)
            )
        return [(self._after(world, joint_action), 1)] if self.actors(world) else []

    @cached_property
    def utility_range(self) -> tuple[float, float]:
        """Range from -1 for the loser to 1 for the winner."""
        return (-1, 1)

    def rewards(
        self, world: Table, joint_action: JointAction, next_world: Table
    ) -> Sequence[float]:
        """Return 1 for the winner and -1 for the loser at the end."""
        if next_world.call < len(self.bids):
            return (0, 0)
        return (1, -1) if next_world.player == 0 else (-1, 1)

    def observe(self, world: Table, joint_action: JointAction, next_world: Table) -> Observation:
        """Show each player its dice, and everybody the calls and, at the end, the winner."""
        if not world.hands:
            return Observation(private=next_world.hands)
        call = self.calls[next_world.call]
        if call == LIAR:
            return Observation(public=(call, f"player {next_world.player} wins"))
        return Observation(public=call)

    def sample_transition(
        self, world: Table, joint_action: JointAction, rng: np.random.Generator
    ) -> Table:
        """Roll the dice, or make the call."""
        if world.hands:
            return self._after(world, joint_action)
        dice = rng.integers(1, self.dice_sides + 1, size=(self.players, self.numdice))
        return Table(tuple(tuple(sorted(hand)) for hand in dice.tolist()))

    def sample_observed_transition(
        self,
        world: Table,
        joint_action: JointAction,
        player: Player | None,
        step: Step,
        rng: np.random.Generator,
    ) -> tuple[Table, float] | None:
        """Roll the dice that the player does not observe."""
        if world.hands:
            return None
        rolled = self.sample_transition(world, joint_action, rng)
        if player is None:
            return rolled, 1.0
        if step.private not in self._chance:
            return None
        hands: list[Hand] = [*rolled.hands]
        hands[player] = cast("Hand", step.private)
        return Table(tuple(hands)), self._chance[step.private]

    def public_rules(self) -> PublicRules:
        """Return the rules by public states, which are the bids, and hands."""
        return LiarsDicePublicRules(self)

    def _after(self, world: Table, joint_action: JointAction) -> Table:
        call = self._position[joint_action[world.player]]
        if call < len(self.bids):
            return Table(world.hands, call, 1 - world.player)
        quantity, face = self.bids[world.call]
        # The highest face is wild.
        matching = sum(die in (face, self.dice_sides) for hand in world.hands for die in hand)
        winner = 1 - world.player if matching >= quantity else world.player
        return Table(world.hands, call, winner)


class Bidding(NamedTuple):
    """The public part of a table: the position of the last bid, and the player to move.

    `is_challenged` is True after `liar`; `player` is then the bidder.
    """

    call: int = NO_BID
    player: Player = 0
    is_challenged: bool = False


class LiarsDicePublicRules(PublicRules):
    """The rules of liar's dice by public states and hands."""

    def __init__(self, game: LiarsDice) -> None:
        self.game = game

    def hands(self, player: Player) -> Sequence[PublicHand]:
        """Return the sorted hands; dice never block each other."""
        return [PublicHand(hand, chance) for hand, chance in self.game.rolls]

    def initial_state(self) -> Bidding:
        """Return the state before the first bid."""
        return Bidding()

    def actor(self, state: Bidding) -> Player | None:
        """Return the player whose turn it is."""
        return None if state.is_challenged else state.player

    def legal_actions(self, state: Bidding) -> Sequence[str]:
        """Return the higher bids, and `liar` once there is a bid."""
        higher = self.game.calls[state.call + 1 :]
        return higher if state.call > NO_BID else higher[:-1]

    def next_state(self, state: Bidding, action: Action) -> Bidding:
        """Return the state after a call."""
        if action == LIAR:
            return Bidding(state.call, 1 - state.player, True)
        return Bidding(self.game._position[action], 1 - state.player)

    def end(self, state: Bidding) -> PublicEnd | None:
        """Return what the players earn after `liar`."""
        if not state.is_challenged:
            return None
        met, missed = ((1, -1), (-1, 1)) if state.player == 0 else ((-1, 1), (1, -1))
        return PublicEnd((missed, missed, met), self._strengths[state.call])

    @cached_property
    def _strengths(self) -> tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]:
        """For each bid, strengths that make player 0 stronger exactly if the bid is met.

        It is met if player 0 has at least the quantity minus the matching dice of player 1. The
        strengths are doubled, and that number is lowered by one half, so that none are equal.
        """
        hands, wild = [hand for hand, _ in self.game.rolls], self.game.dice_sides
        found = []
        for quantity, face in self.game.bids:
            matching = [sum(die in (face, wild) for die in hand) for hand in hands]
            # Even against odd, so that no two strengths are equal.
            needed = tuple(2 * (quantity - dice) - 1 for dice in matching)
            found.append((tuple(2 * dice for dice in matching), needed))
        return tuple(found)


def orders(hand: Hand) -> int:
    """Return the number of distinct orders of the dice of a hand."""
    return factorial(len(hand)) // prod(factorial(copies) for copies in Counter(hand).values())
