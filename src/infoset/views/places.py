"""What a view may ask of a policy in a game, and of one place of the game."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from infoset.errors import PolicyMismatchError
from infoset.evaluation import Evaluation, LeakReport
from infoset.forms import Form
from infoset.game import History, Infostate
from infoset.policy import TabularPolicy
from infoset.tree import GameTree
from infoset.typing import Action, BoolArray, FloatArray, IntArray, LongArray, Player


@dataclass(frozen=True, eq=False)
class PlaceHistories:
    """The histories of a place."""

    numbers: IntArray
    """[H] numbers in the game tree."""
    infostates: IntArray
    """[H, N]"""
    reach: FloatArray
    """[H] probability under the policy."""
    values: FloatArray
    """[H, N] expected utilities if everybody follows the policy from here on."""
    is_terminal: BoolArray
    """[H]"""
    moves: Callable[[int], tuple[str, ...]]
    """The moves that lead to a history, given its number."""


class Place(Protocol):
    """A public state of a game, or an end, and what a policy does there.

    The K infostates that a player may have here are in the order of the rules; arrays [K] have an
    entry for each.
    """

    @property
    def number(self) -> int:
        """Its number."""

    @property
    def label(self) -> str:
        """The last public observation, distinct from those of its siblings."""

    @property
    def parent(self) -> Place | None:
        """The place before it; None at the root."""

    @property
    def children(self) -> Sequence[int]:
        """Numbers of the places that are one public observation longer."""

    @property
    def num_infostates(self) -> tuple[int, ...]:
        """[N] how many infostates each player may have."""

    @property
    def actors(self) -> tuple[Player, ...]:
        """Players who act in some history."""

    @property
    def is_end(self) -> bool:
        """Whether all of its histories are terminal."""

    @property
    def probability(self) -> float:
        """Probability of the place under the policy."""

    @property
    def values(self) -> tuple[float, ...] | None:
        """[N] expected utilities here; None if the policy never leads here."""

    @property
    def num_histories(self) -> int:
        """Number of its histories; 0 where they are not listed."""

    def histories(self) -> PlaceHistories:
        """Return its histories.

        Raises
        ------
        UnsupportedGameError
            If histories are not listed.
        """

    def infostates(self, player: Player) -> IntArray | LongArray:
        """Return [K] numbers of the infostates that a player may have."""

    def labels(self, player: Player, positions: Sequence[int], length: int) -> list[str]:
        """Return distinct texts of what a player holds at positions in `infostates`."""

    def own_reach(self, player: Player) -> FloatArray:
        """Return [K] the probability that the player's own actions lead here: its range."""

    def reach(self, player: Player) -> FloatArray:
        """Return [K] the probability of each infostate, which sums to that of the place."""

    def counterfactual_reach(self, player: Player) -> FloatArray:
        """Return [K] the probability that chance and the others lead here."""

    def infostate_values(self, player: Player) -> FloatArray:
        """Return [K] expected utilities; NaN where chance and the others never lead."""

    def equity(self, player: Player) -> FloatArray | None:
        """Return [K] the probability to win plus half of that to tie; None where undefined."""

    def legal_actions(self, player: Player, position: int) -> tuple[Action, ...]:
        """Return the [A] actions at an infostate; none where the player does not act."""

    def policy(self, player: Player, position: int) -> FloatArray:
        """Return [A] the probabilities of the actions at an infostate."""

    def action_values(self, player: Player, position: int) -> FloatArray:
        """Return [A] what actions are worth; NaN where chance and the others never lead."""

    def joint(
        self, players: tuple[Player, Player], groups: tuple[LongArray, LongArray]
    ) -> FloatArray:
        """Return the probabilities of pairs of infostates of two players, summed by groups.

        groups : per player of the pair, [K] the group of each infostate.
        """


class Places(Protocol):
    """A policy in a game, with what the views of all places share; places are numbered from 0."""

    @property
    def name(self) -> str:
        """The game."""

    @property
    def num_players(self) -> int:
        """Number N of players."""

    @property
    def policy(self) -> TabularPolicy:
        """The policy of all players."""

    @property
    def game(self) -> GameTree | Form:
        """The tree or form of the places, on which methods run."""

    def with_policy(self, policy: TabularPolicy) -> Places:
        """Return the places of the same game with another policy.

        Raises
        ------
        PolicyMismatchError
            If the policy belongs to another game.
        """

    @property
    def evaluation(self) -> Evaluation:
        """Values, NashConv and, where it is defined, exploitability."""

    @property
    def leaks(self) -> LeakReport:
        """What each decision of the policy contributes to NashConv."""

    @property
    def num_places(self) -> int:
        """Number of places."""

    @property
    def noun(self) -> str:
        """What a player may hold at a place, in the plural, such as `infostates`."""

    @property
    def sizes(self) -> dict[str, int]:
        """Counts that describe the game, by what is counted."""

    def at(self, number: int) -> Place:
        """Return a place."""

    def belief_at(
        self, history: History, player: Player, other: Player, policy: TabularPolicy | None
    ) -> dict[Infostate, float]:
        """Return what a player at a history can know of another's infostate, exactly.

        policy : what the player assumes that all follow; None infers nothing from actions.

        Raises
        ------
        InfosetError
            If the policy never leads there.
        """

    def acting_infostates(
        self, player: Player
    ) -> tuple[IntArray | LongArray, IntArray | LongArray]:
        """Return per acting infostate of the form, [I] its place and its number there."""

    def infostates_from(self, number: int, player: Player) -> BoolArray:
        """Return [I] which acting infostates of the form are at a place or below it."""


def check_same_form(first: TabularPolicy, second: TabularPolicy) -> None:
    """Raise a PolicyMismatchError unless two policies are for the same form."""
    one, other = first.form, second.form
    if one is not other and one.fingerprint != other.fingerprint:
        raise PolicyMismatchError(
            f"the policies are for {one.name} and {other.name}; give two for the same game, in the "
            "same form"
        )
