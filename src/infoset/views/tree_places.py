"""What a policy does in a game tree: reach, beliefs and values, for all public states at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from infoset.beliefs import private_belief
from infoset.errors import ParameterError
from infoset.evaluation import (
    Evaluation,
    LeakReport,
    evaluate_policy,
    history_values,
    leak_report,
)
from infoset.evaluation.tree_reach import reach_without
from infoset.game import History, Infostate
from infoset.game.infostate import step_text
from infoset.policy import TabularPolicy, transfer_policy
from infoset.tree import GameTree
from infoset.typing import NOOP, Action, BoolArray, FloatArray, IntArray, LongArray, Player
from infoset.utils.arguments import check_count
from infoset.utils.parents import with_descendants
from infoset.views.labels import EMPTY, move_texts, private_order, private_texts, shorten
from infoset.views.places import PlaceHistories

MAX_LABEL = 60


@dataclass(frozen=True, eq=False)
class TreePlaces:
    """A policy in a game tree, with the arrays that the views of all its public states share.

    The places are the public states, with their numbers. Each array is computed on first use, by a
    few passes over the histories.

    Raises
    ------
    PolicyMismatchError
        If the policy belongs to another game.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.policy import uniform_policy
    >>> from infoset.tree import build_tree
    >>> kuhn = build_tree(load_game("kuhn_poker"))
    >>> TreePlaces(kuhn, uniform_policy(kuhn.sequence_form)).state_reach.round(
    ...     3
    ... ).tolist()[:4]
    [1.0, 1.0, 0.5, 0.5]
    """

    tree: GameTree
    policy: TabularPolicy
    """On any form of the game; it is transferred to the sequence form."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "policy", transfer_policy(self.policy, self.tree))

    noun = "infostates"

    @property
    def game(self) -> GameTree:
        """The tree."""
        return self.tree

    def with_policy(self, policy: TabularPolicy) -> TreePlaces:
        """Return the places of the tree with another policy."""
        return TreePlaces(self.tree, policy)

    @property
    def name(self) -> str:
        """The game."""
        return str(self.tree)

    @property
    def num_players(self) -> int:
        """Number N of players."""
        return self.tree.num_players

    @property
    def num_places(self) -> int:
        """Number of public states."""
        return self.tree.public_tree.num_public_states

    @property
    def sizes(self) -> dict[str, int]:
        """Counts of histories, public states and infostates."""
        return {
            "histories": self.tree.num_histories,
            "public states": self.num_places,
            "infostates": sum(own.num_infostates for own in self.tree.infostate_trees),
        }

    def at(self, number: int) -> TreePlace:
        """Return a public state; see `Places.at`."""
        check_count("state", number)
        if number >= self.num_places:
            raise ParameterError(
                f"state={number}: {self.tree} has public states 0 to {self.num_places - 1}"
            )
        return TreePlace(self, number)

    def belief_at(
        self, history: History, player: Player, other: Player, policy: TabularPolicy | None
    ) -> dict[Infostate, float]:
        """Return what a player can know of another's infostate; see `Places.belief_at`."""
        found = private_belief(self.tree, history.infostates[player], policies=policy)
        return found.infostate_probabilities(other)

    def acting_infostates(self, player: Player) -> tuple[IntArray, IntArray]:
        """Return per acting infostate [I] its public state and its number."""
        own = self.tree.infostate_trees[player]
        return own.public_state[own.acting], own.acting

    def infostates_from(self, number: int, player: Player) -> BoolArray:
        """Return [I] which acting infostates are at a public state or below it."""
        places, _ = self.acting_infostates(player)
        parent = self.tree.public_tree.parent
        return with_descendants(parent, np.arange(len(parent)) == number)[places]

    @cached_property
    def move_texts(self) -> MoveTexts:
        """Texts of the moves of histories."""
        return MoveTexts(self.tree)

    @cached_property
    def evaluation(self) -> Evaluation:
        """Values, NashConv and, where it is defined, exploitability."""
        return evaluate_policy(self.policy)

    @cached_property
    def leaks(self) -> LeakReport:
        """What each decision of the policy contributes to NashConv."""
        return leak_report(self.policy)

    @cached_property
    def reach(self) -> FloatArray:
        """[H] probability of each history."""
        return reach_without(self.tree, self.policy)

    @cached_property
    def state_reach(self) -> FloatArray:
        """[P] probability of each public state."""
        tree = self.tree
        size = tree.public_tree.num_public_states
        return np.asarray(np.bincount(tree.public_state, self.reach, size), np.float64)

    @cached_property
    def history_values(self) -> FloatArray:
        """[H, N] expected utilities if everybody follows the policy from a history on."""
        return history_values(self.tree, self.policy)

    @cached_property
    def infostate_reach(self) -> tuple[FloatArray, ...]:
        """Per player [S] probability of each infostate."""
        return tuple(self._by_infostate(player, self.reach) for player in self._players)

    @cached_property
    def own_reach(self) -> tuple[FloatArray, ...]:
        """Per player [S] probability that its own actions lead to each infostate: its ranges."""
        return tuple(
            self.policy.realization_plan(own.player)[own.last_sequence]
            for own in self.tree.infostate_trees
        )

    @cached_property
    def counterfactual_reach(self) -> tuple[FloatArray, ...]:
        """Per player [S] probability that chance and the others lead to each infostate."""
        return tuple(
            self._by_infostate(player, self._reach_of_others(player)) for player in self._players
        )

    @cached_property
    def infostate_values(self) -> tuple[FloatArray, ...]:
        """Per player [S] its expected utility, given that it has reached an infostate.

        NaN where chance and the others never lead.
        """
        found = []
        for player in self._players:
            weighted = self._reach_of_others(player) * self.history_values[:, player]
            total, reach = self._by_infostate(player, weighted), self.counterfactual_reach[player]
            found.append(np.divide(total, reach, np.full(len(reach), np.nan), where=reach > 0))
        return tuple(found)

    @cached_property
    def action_values(self) -> tuple[FloatArray, ...]:
        """Per player [Q] what each action is worth, as `infoset.evaluation.decision_values`.

        Here the values of histories are known, so that one sum over them is enough: of the values
        after the action, weighted by the reach of chance and the others.
        """
        tree, found = self.tree, []
        before = np.maximum(tree.parent, 0)  # the root has parent -1; it is set below
        for player, own in enumerate(tree.infostate_trees):
            acted = own.num_actions[tree.infostate[before, player]] > 0
            acted[0] = True  # entry 0 is the value of the policy
            sequence = tree.sequence[acted, player]
            reach = self._reach_of_others(player)[acted]
            values = self.history_values[acted, player]
            # Q(a) = Σ π₋ᵢ(h) v(h) / Σ π₋ᵢ(h) over the histories h that directly follow the action.
            total = np.bincount(sequence, reach * values, own.num_sequences)
            mass = np.bincount(sequence, reach, own.num_sequences)
            found.append(np.divide(total, mass, np.full(len(mass), np.nan), where=mass > 0))
        return tuple(found)

    @property
    def _players(self) -> range:
        return range(self.tree.num_players)

    def _reach_of_others(self, player: Player) -> FloatArray:
        return reach_without(self.tree, self.policy, [player])

    def _by_infostate(self, player: Player, values: FloatArray) -> FloatArray:
        """Return [S] the sum of values of histories [H] at each infostate of a player."""
        size = self.tree.infostate_trees[player].num_infostates
        return np.asarray(np.bincount(self.tree.infostate[:, player], values, size), np.float64)


@dataclass(frozen=True, eq=False)
class TreePlace:
    """A public state of a game tree; see `Place`."""

    places: TreePlaces
    number: int

    @property
    def _tree(self) -> GameTree:
        return self.places.tree

    @property
    def label(self) -> str:
        """The last public observation."""
        public = self._tree.public_tree
        if self.number == 0:
            return EMPTY
        seen = public.observations[public.observation[self.number]]
        return EMPTY if seen is None else shorten(step_text(NOOP, None, seen), MAX_LABEL)

    @property
    def parent(self) -> TreePlace | None:
        """The public state before it."""
        before = int(self._tree.public_tree.parent[self.number])
        return TreePlace(self.places, before) if before >= 0 else None

    @property
    def children(self) -> list[int]:
        """The public states that are one public observation longer."""
        return [*map(int, self._tree.public_tree.children(self.number))]

    @property
    def num_infostates(self) -> tuple[int, ...]:
        """[N] number of infostates of each player."""
        return tuple(len(self._here(player)) for player in range(self.places.num_players))

    @property
    def actors(self) -> tuple[Player, ...]:
        """Players who act in some history."""
        trees = self._tree.infostate_trees
        return tuple(
            player for player, own in enumerate(trees) if own.num_actions[self._here(player)].any()
        )

    @property
    def is_end(self) -> bool:
        """Whether all histories are terminal."""
        return bool(self._is_terminal.all())

    @property
    def probability(self) -> float:
        """Probability of the public state under the policy."""
        return float(self.places.state_reach[self.number])

    @property
    def values(self) -> tuple[float, ...] | None:
        """[N] expected utilities here; None if the policy never leads here."""
        weight = self.places.reach[self._histories]
        total = float(weight.sum())
        if not total > 0:
            return None
        return tuple((weight @ self.places.history_values[self._histories] / total).tolist())

    @property
    def num_histories(self) -> int:
        """Number of its histories."""
        return len(self._histories)

    def histories(self) -> PlaceHistories:
        """Return its histories."""
        here = self._histories
        return PlaceHistories(
            numbers=here,
            infostates=self._tree.infostate[here],
            reach=self.places.reach[here],
            values=self.places.history_values[here],
            is_terminal=self._is_terminal,
            moves=self.places.move_texts.moves,
        )

    @cached_property
    def _histories(self) -> IntArray:
        # Histories sorted by public state, and where those of each state begin.
        order, first = self._tree.public_state_histories
        return order[first[self.number] : first[self.number + 1]]

    @property
    def _is_terminal(self) -> BoolArray:
        first = self._tree.first_child
        ends: BoolArray = first[self._histories] == first[self._histories + 1]
        return ends

    def _here(self, player: Player) -> IntArray:
        """Return [K] the infostates of a player, in the order of their numbers."""
        public = self._tree.public_tree
        begin, end = public.first_infostate[player][self.number : self.number + 2]
        return public.infostates[player][begin:end]

    @cached_property
    def _ordered(self) -> dict[Player, IntArray]:
        """By player, what `infostates` has returned."""
        return {}

    def infostates(self, player: Player) -> IntArray:
        """Return [K] the infostates of a player, in the order of the rules."""
        if player not in self._ordered:
            own, here = self._tree.infostate_trees[player], self._here(player).tolist()
            here.sort(key=lambda number: private_order(own, number))
            self._ordered[player] = np.array(here, np.int32)
        return self._ordered[player]

    def labels(self, player: Player, positions: Sequence[int], length: int) -> list[str]:
        """Return the private parts of infostates; see `Place.labels`."""
        numbers = self.infostates(player)[np.asarray(positions, np.int64)].tolist()
        texts = private_texts(self._tree.infostate_trees[player], dict.fromkeys(numbers), length)
        return [texts[number] for number in numbers]

    def own_reach(self, player: Player) -> FloatArray:
        """Return [K] the probability that the player's own actions lead here."""
        return self.places.own_reach[player][self.infostates(player)]

    def reach(self, player: Player) -> FloatArray:
        """Return [K] the probability of each infostate."""
        return self.places.infostate_reach[player][self.infostates(player)]

    def counterfactual_reach(self, player: Player) -> FloatArray:
        """Return [K] the probability that chance and the others lead here."""
        return self.places.counterfactual_reach[player][self.infostates(player)]

    def infostate_values(self, player: Player) -> FloatArray:
        """Return [K] expected utilities."""
        return self.places.infostate_values[player][self.infostates(player)]

    def equity(self, player: Player) -> None:
        """Return None: a tree does not compare hands."""

    def legal_actions(self, player: Player, position: int) -> tuple[Action, ...]:
        """Return the actions at an infostate."""
        number = int(self.infostates(player)[position])
        return self._tree.infostate_trees[player].legal_actions(number)

    def policy(self, player: Player, position: int) -> FloatArray:
        """Return [A] the probabilities of the actions at an infostate."""
        return self.places.policy.probabilities[player][self._sequences(player, position)]

    def action_values(self, player: Player, position: int) -> FloatArray:
        """Return [A] what the actions at an infostate are worth."""
        return self.places.action_values[player][self._sequences(player, position)]

    def _sequences(self, player: Player, position: int) -> slice:
        """Return the sequences of the actions at an infostate."""
        own, number = self._tree.infostate_trees[player], int(self.infostates(player)[position])
        first = int(own.first_sequence[number])
        return slice(first, first + int(own.num_actions[number]))

    def joint(
        self, players: tuple[Player, Player], groups: tuple[LongArray, LongArray]
    ) -> FloatArray:
        """Return the probabilities of pairs of infostates, summed by groups."""
        place, rows = [], self._tree.infostate[self._histories]
        for player, group in zip(players, groups, strict=True):
            # `of` maps infostates of the whole tree to groups, by which histories are summed.
            of = np.zeros(self._tree.infostate_trees[player].num_infostates, np.int64)
            of[self.infostates(player)] = group
            place.append(of[rows[:, player]])
        table = np.zeros([int(group.max(initial=-1)) + 1 for group in groups])
        np.add.at(table, tuple(place), self.places.reach[self._histories])
        return table


class MoveTexts:
    """Texts of moves; those of a world state are made once for all histories that pass it."""

    def __init__(self, tree: GameTree) -> None:
        self._tree = tree
        self._texts: dict[int, list[str]] = {}

    def moves(self, history: int) -> tuple[str, ...]:
        """Return the moves that lead to a history."""
        moves = []
        while history > 0:
            parent = int(self._tree.parent[history])
            moves.append(self._move(parent, history))
            history = parent
        return tuple(reversed(moves))

    def _move(self, parent: int, child: int) -> str:
        graph, world = self._tree.graph, int(self._tree.world[parent])
        if world not in self._texts:
            self._texts[world] = move_texts(graph, world)
        return self._texts[world][int(self._tree.edge[child] - graph.first_edge[world])]
