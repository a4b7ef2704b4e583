"""What a policy does in a public form: reach and values at public nodes and ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from infoset.beliefs import hand_belief
from infoset.errors import ParameterError, UnsupportedGameError
from infoset.evaluation import (
    Evaluation,
    LeakReport,
    PublicValues,
    equity_at,
    evaluate_policy,
    leak_report,
)
from infoset.forms import PublicForm, unblocked_reach, values_at_terminals
from infoset.game import History, Infostate
from infoset.game.infostate import step_text, value_text
from infoset.policy import TabularPolicy, transfer_policy
from infoset.typing import CHANCE, NOOP, Action, BoolArray, FloatArray, IntArray, LongArray, Player
from infoset.utils.arguments import check_count
from infoset.utils.parents import with_descendants
from infoset.views.labels import EMPTY, number_duplicates, shorten
from infoset.views.places import PlaceHistories

MAX_LABEL = 60


class PublicPlaces:
    """A policy in a public form, with what the views of all its places share.

    A place is a public node or an end. Nodes have their numbers in the form, and end t of V nodes
    has the number V + t. What a player may hold are the hands that are dealt and that chance has
    not removed, with their numbers in the form.

    Parameters
    ----------
    policy
        On any form of the game.

    Raises
    ------
    PolicyMismatchError
        If the policy belongs to another game, or distinguishes hands that the form merges.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.policy import uniform_policy
    >>> from infoset.tree import build_public_form
    >>> form = build_public_form(load_game("leduc_poker"))
    >>> places = PublicPlaces(form, uniform_policy(form))
    >>> [places.at(child).label for child in places.at(1).children]
    ['call', 'raise']
    """

    noun = "hands"
    num_players = 2

    def __init__(self, form: PublicForm, policy: TabularPolicy) -> None:
        self.form, self.policy = form, transfer_policy(policy, form)
        self.of_nodes = PublicValues(self.policy)

    @property
    def game(self) -> PublicForm:
        """The public form."""
        return self.form

    def with_policy(self, policy: TabularPolicy) -> PublicPlaces:
        """Return the places of the form with another policy."""
        return PublicPlaces(self.form, policy)

    @property
    def name(self) -> str:
        """The game."""
        return self.form.name

    @property
    def num_places(self) -> int:
        """Number of nodes and ends."""
        return self.form.num_nodes + len(self.form.terminals)

    @property
    def sizes(self) -> dict[str, int]:
        """Counts of public nodes and hands."""
        return {"public nodes": self.form.num_nodes, "hands": sum(self.form.num_hands)}

    def at(self, number: int) -> PublicPlace:
        """Return a node or an end; see `Places.at`."""
        check_count("state", number)
        if number >= self.num_places:
            raise ParameterError(
                f"state={number}: {self.name} has the nodes and ends 0 to {self.num_places - 1}"
            )
        return PublicPlace(self, number)

    def belief_at(
        self, history: History, player: Player, other: Player, policy: TabularPolicy | None
    ) -> dict[Infostate, float]:
        """Return what a player can know of the other's infostate; see `Places.belief_at`."""
        deal, *line = history.infostates[other].steps
        hands = hand_belief(self.form, history.infostates[player], policy)
        return {
            Infostate(other, (deal._replace(private=hand), *line)): probability
            for hand, probability in hands.items()
        }

    def acting_infostates(self, player: Player) -> tuple[IntArray, IntArray]:
        """Return per infostate [I] its public node and the first hand of its class."""
        return self.form.infostates[player]

    def infostates_from(self, number: int, player: Player) -> BoolArray:
        """Return [I] which infostates are at a public node or below it."""
        places, _ = self.acting_infostates(player)
        parent = self.form.parent
        return with_descendants(parent, np.arange(len(parent)) == number)[places]

    @cached_property
    def evaluation(self) -> Evaluation:
        """Values, NashConv and, where it is defined, exploitability."""
        return evaluate_policy(self.policy)

    @cached_property
    def leaks(self) -> LeakReport:
        """What each decision of the policy contributes to NashConv."""
        return leak_report(self.policy)

    @cached_property
    def plans(self) -> tuple[FloatArray, FloatArray]:
        """Per player, [Q] the realization plan of the policy."""
        first, second = self.policy.realization_plans()
        return first, second

    @cached_property
    def at_ends(self) -> tuple[FloatArray, FloatArray]:
        """Per player, [T, hands] what each hand earns at each end, times the opponent's reach."""
        return (
            values_at_terminals(self.form, 0, self.plans[1]),
            values_at_terminals(self.form, 1, self.plans[0]),
        )

    @cached_property
    def dealt(self) -> tuple[BoolArray, BoolArray]:
        """Per player, [hands] whether a hand may be dealt."""
        prior = self.form.prior
        weights = prior.weights
        if prior.joint is not None:
            weights = prior.joint.sum(axis=1), prior.joint.sum(axis=0)
        return weights[0] > 0, weights[1] > 0

    @cached_property
    def hand_texts(self) -> tuple[list[str], list[str]]:
        """Per player, [hands] distinct texts of the hands."""
        first, second = (
            number_duplicates(shorten(value_text(label), MAX_LABEL) for label in own)
            for own in self.form.hands
        )
        return first, second

    @cached_property
    def children(self) -> list[list[int]]:
        """[V] the places after each node: those of its actions in order."""
        form = self.form
        found: list[list[tuple[int, int]]] = [[] for _ in range(form.num_nodes)]
        # Ends follow nodes in the numbering of places; both are sorted by the action before them.
        for node in range(1, form.num_nodes):
            found[form.parent[node]].append((int(form.action[node]), node))
        for number, (node, action) in enumerate(
            zip(form.terminals.node.tolist(), form.terminals.action.tolist(), strict=True)
        ):
            found[node].append((action, form.num_nodes + number))
        return [[place for _, place in sorted(own)] for own in found]

    @cached_property
    def _labels(self) -> dict[int, str]:
        return {0: EMPTY}

    def label(self, place: int, parent: int) -> str:
        """Return the last public observation before a place, or the action that ends the game."""
        if place not in self._labels:
            siblings = self.children[parent]
            texts = number_duplicates(self._step(sibling, parent) for sibling in siblings)
            self._labels.update(zip(siblings, texts, strict=True))
        return self._labels[place]

    def _step(self, place: int, parent: int) -> str:
        form = self.form
        if place < form.num_nodes:
            seen = form.observations[form.observation[place]]
            text = shorten(step_text(NOOP, None, seen), MAX_LABEL) if seen is not None else EMPTY
            count = self._num_lines(parent, seen)
            return f"{text} ×{count}" if count > 1 else text
        action = int(form.terminals.action[place - form.num_nodes])
        return value_text(form.legal_actions(parent)[action]) if action >= 0 else "end"

    def _num_lines(self, parent: int, seen: object) -> int:
        """Return how many outcomes of chance the node after an observation stands for."""
        if self.form.symmetry is None:
            return 1
        images = self.form.symmetry.images.items()
        # Each image is an outcome that a permutation of cards maps to a kept one.
        return 1 + sum(at == parent and kept == seen for (at, _), (kept, _) in images)


@dataclass(frozen=True, eq=False)
class PublicPlace:
    """A node or an end of a public form; see `Place`."""

    places: PublicPlaces
    number: int

    @property
    def _form(self) -> PublicForm:
        return self.places.form

    @property
    def _end(self) -> int | None:
        """Number of the end; None at nodes."""
        end = self.number - self._form.num_nodes
        return end if end >= 0 else None

    @property
    def label(self) -> str:
        """The last public observation, or the action that ends the game."""
        before = self._before
        return EMPTY if before < 0 else self.places.label(self.number, before)

    @property
    def _before(self) -> int:
        """The node before it; -1 at the root."""
        end, form = self._end, self._form
        return int(form.parent[self.number] if end is None else form.terminals.node[end])

    @property
    def parent(self) -> PublicPlace | None:
        """The node before it; None at the root."""
        return PublicPlace(self.places, self._before) if self._before >= 0 else None

    @property
    def children(self) -> list[int]:
        """The nodes and ends after it: those of its actions in order."""
        return [] if self.is_end else self.places.children[self.number]

    @property
    def num_infostates(self) -> tuple[int, ...]:
        """[2] number of hands of each player."""
        first, second = self._hands
        return len(first), len(second)

    @property
    def actors(self) -> tuple[Player, ...]:
        """Who acts; nobody at ends and where chance acts."""
        actor = CHANCE if self.is_end else int(self._form.player[self.number])
        return () if actor == CHANCE else (actor,)

    @property
    def is_end(self) -> bool:
        """Whether it is an end."""
        return self._end is not None

    @cached_property
    def probability(self) -> float:
        """Probability of the place under the policy."""
        return float(self._reach(0).sum())

    @property
    def values(self) -> tuple[float, ...] | None:
        """[2] expected utilities here; None if the policy never leads here."""
        total = self.probability
        if not total > 0:
            return None
        return tuple(
            float(np.nansum(self.reach(player) * self.infostate_values(player))) / total
            for player in range(2)
        )

    num_histories = 0

    def histories(self) -> PlaceHistories:
        """Raise an UnsupportedGameError: a public form does not list histories."""
        raise UnsupportedGameError(
            f"{self.places.name} is shown as a public form, which has public nodes and hands but "
            "does not list histories: build the game as a tree, if it is small enough"
        )

    def infostates(self, player: Player) -> LongArray:
        """Return [K] the hands that a player may have."""
        return self._hands[player]

    @cached_property
    def _hands(self) -> tuple[LongArray, LongArray]:
        first, second = (
            np.flatnonzero(self.places.dealt[player] & self._alive(player)) for player in range(2)
        )
        return first, second

    def _alive(self, player: Player) -> BoolArray:
        """Return [hands] whether chance has not removed each hand."""
        form, end = self._form, self._end
        number = form.hand_set[self.number] if end is None else form.terminals.hand_set[end]
        left: BoolArray = form.hand_sets[player][number]
        return left

    def labels(self, player: Player, positions: Sequence[int], length: int) -> list[str]:
        """Return the texts of hands; see `Place.labels`."""
        texts, hands = self.places.hand_texts[player], self.infostates(player)
        return [shorten(texts[hands[at]], length) for at in positions]

    def own_reach(self, player: Player) -> FloatArray:
        """Return [K] the range of a player."""
        return self._own_reach(player)[self.infostates(player)]

    def _own_reach(self, player: Player) -> FloatArray:
        """Return [hands] the range of a player."""
        end, form = self._end, self._form
        if end is None:
            return self.places.of_nodes.own_reach(self.number, player)
        # The range at an end: the plan at the player's last sequence before it, hand by hand.
        last = form.terminal_sequence[end : end + 1, player].astype(np.int64)
        reach = self.places.plans[player][form.places(player, last)[0]]
        return np.where(self._alive(player), reach, 0.0)

    def counterfactual_reach(self, player: Player) -> FloatArray:
        """Return [K] the reach of chance and the opponent, with the probability of the deal."""
        return self._counterfactual_reach(player)[self.infostates(player)]

    def _counterfactual_reach(self, player: Player) -> FloatArray:
        prior, end = self._form.prior, self._end
        if end is None:
            reach = self.places.of_nodes.counterfactual_reach(self.number, player)
        else:
            met = unblocked_reach(prior, player, self._own_reach(1 - player))
            chance = self._form.terminals.chance_reach[end]
            reach = np.where(self._alive(player), met * chance, 0.0)
        # A joint prior already has the player's own part; independent weights do not.
        return reach if prior.joint is not None else reach * prior.weights[player]

    def reach(self, player: Player) -> FloatArray:
        """Return [K] the probability that a player has each hand and play leads here."""
        return self._reach(player)[self.infostates(player)]

    def _reach(self, player: Player) -> FloatArray:
        return self._own_reach(player) * self._counterfactual_reach(player)

    def infostate_values(self, player: Player) -> FloatArray:
        """Return [K] the expected utility of each hand; NaN if it meets nobody."""
        hands, end, prior = self.infostates(player), self._end, self._form.prior
        if end is None:
            return self.places.of_nodes.values(self.number, player)[hands]
        reach = self._counterfactual_reach(player)[hands]
        dealt = 1.0 if prior.joint is not None else prior.weights[player][hands]
        won = self.places.at_ends[player][end][hands] * dealt
        values: FloatArray = np.divide(won, reach, np.full(len(reach), np.nan), where=reach > 0)
        return values

    def equity(self, player: Player) -> FloatArray | None:
        """Return [K] the equity of each hand; None at ends and where hands are not compared."""
        if self.is_end:
            return None
        try:
            ranges = self._own_reach(0), self._own_reach(1)
            return equity_at(self._form, self.number, ranges)[player][self.infostates(player)]
        except UnsupportedGameError:
            return None

    def legal_actions(self, player: Player, position: int) -> tuple[Action, ...]:
        """Return the actions of a player here, the same for all hands."""
        return self._form.legal_actions(self.number) if player in self.actors else ()

    @cached_property
    def _probabilities(self) -> FloatArray:
        """[A, hands] what the actor does."""
        return self.places.policy.at_node(self.number)

    @cached_property
    def _worth(self) -> FloatArray:
        """[A, hands] what the actions are worth to the actor."""
        return self.places.of_nodes.action_values(self.number)

    def policy(self, player: Player, position: int) -> FloatArray:
        """Return [A] the probabilities of the actions with a hand."""
        if player not in self.actors:
            return np.zeros(0)
        return self._probabilities[:, self.infostates(player)[position]]

    def action_values(self, player: Player, position: int) -> FloatArray:
        """Return [A] what the actions are worth with a hand."""
        if player not in self.actors:
            return np.zeros(0)
        return self._worth[:, self.infostates(player)[position]]

    def joint(
        self, players: tuple[Player, Player], groups: tuple[LongArray, LongArray]
    ) -> FloatArray:
        """Return the probabilities of pairs of hands, summed by groups."""
        reach = [self.own_reach(player) for player in range(2)]
        joint = self._form.prior.matrix()[np.ix_(*self._hands)] * np.multiply.outer(*reach)
        total = joint.sum()
        if total > 0:
            joint *= self.probability / total  # what chance has done is the same for all pairs
        if players == (1, 0):
            joint = joint.T
        table = np.zeros([int(group.max(initial=-1)) + 1 for group in groups])
        np.add.at(table, np.ix_(*groups), joint)
        return table
