"""What a policy does in a public form: reach and values at public nodes and ends."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from infoset.errors import PolicyMismatchError, UnsupportedGameError
from infoset.evaluation import Evaluation, PublicValues, equity_at, evaluate_policy
from infoset.forms import PublicForm, unblocked_reach, values_at_terminals
from infoset.game.infostate import step_text, value_text
from infoset.policy import TabularPolicy
from infoset.typing import CHANCE, NOOP, BoolArray, FloatArray, Player
from infoset.views.labels import EMPTY, number_duplicates, shorten

__all__ = ["PublicPlaces"]

MAX_LABEL = 60


class PublicPlaces:
    """A policy in a public form, with what the views of all its places share.

    A place is a public node or an end. Nodes have their numbers in the form, and end t of V nodes
    has the number V + t.

    Parameters
    ----------
    form : PublicForm
    policy : TabularPolicy

    Raises
    ------
    PolicyMismatchError
        If the policy belongs to another form.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.policy import uniform_policy
    >>> from infoset.tree import build_public_form
    >>> form = build_public_form(load_game("leduc_poker"))
    >>> places = PublicPlaces(form, uniform_policy(form))
    >>> [places.label(place) for place in places.children[1]]
    ['call', 'raise']
    """

    def __init__(self, form: PublicForm, policy: TabularPolicy) -> None:
        other = policy.form
        if other is not form and other.fingerprint != form.fingerprint:
            raise PolicyMismatchError(
                f"the policy is for {other.name}, not for {form.name}; give a policy for this form"
            )
        self.form, self.policy = form, policy
        self.values = PublicValues(policy)

    @property
    def num_places(self) -> int:
        """Number of nodes and ends."""
        return self.form.num_nodes + len(self.form.terminals)

    def is_end(self, place: int) -> bool:
        """Return whether a place is an end."""
        return place >= self.form.num_nodes

    def actor(self, place: int) -> Player | None:
        """Return who acts at a place; None at ends and where chance acts."""
        actor = CHANCE if self.is_end(place) else int(self.form.player[place])
        return None if actor == CHANCE else actor

    def parent(self, place: int) -> int:
        """Return the node before a place; -1 at the root."""
        if self.is_end(place):
            return int(self.form.terminals.node[place - self.form.num_nodes])
        return int(self.form.parent[place])

    def path(self, place: int) -> list[int]:
        """Return the places from the root to a place."""
        found = []
        while place >= 0:
            found.append(place)
            place = self.parent(place)
        return found[::-1]

    @cached_property
    def children(self) -> list[list[int]]:
        """[V] the places after each node: those of its actions in order."""
        form = self.form
        found: list[list[tuple[int, int]]] = [[] for _ in range(form.num_nodes)]
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

    def label(self, place: int) -> str:
        """Return the last public observation before a place, or the action that ends the game."""
        if place not in self._labels:
            siblings = self.children[self.parent(place)]
            texts = number_duplicates(map(self._step, siblings))
            self._labels.update(zip(siblings, texts, strict=True))
        return self._labels[place]

    def _step(self, place: int) -> str:
        form = self.form
        if not self.is_end(place):
            seen = form.observations[form.observation[place]]
            text = shorten(step_text(NOOP, None, seen), MAX_LABEL) if seen is not None else EMPTY
            count = self._num_lines(place, seen)
            return f"{text} ×{count}" if count > 1 else text
        parent = self.parent(place)
        action = int(form.terminals.action[place - form.num_nodes])
        return value_text(form.legal_actions(parent)[action]) if action >= 0 else "end"

    def _num_lines(self, node: int, seen: object) -> int:
        """Return how many outcomes of chance a node stands for."""
        if self.form.symmetry is None:
            return 1
        parent = self.parent(node)
        images = self.form.symmetry.images.items()
        return 1 + sum(at == parent and kept == seen for (at, _), (kept, _) in images)

    def alive(self, place: int, player: Player) -> BoolArray:
        """Return [hands] whether chance has not removed each hand."""
        form, end = self.form, place - self.form.num_nodes
        number = form.terminals.hand_set[end] if self.is_end(place) else form.hand_set[place]
        left: BoolArray = form.hand_sets[player][number]
        return left

    def own_reach(self, place: int, player: Player) -> FloatArray:
        """Return [hands] the range of a player at a place."""
        if not self.is_end(place):
            return self.values.own_reach(place, player)
        end = place - self.form.num_nodes
        last = self.form.terminal_sequence[end : end + 1, player].astype(np.int64)
        reach = self._plans[player][self.form.places(player, last)[0]]
        return np.where(self.alive(place, player), reach, 0.0)

    def counterfactual_reach(self, place: int, player: Player) -> FloatArray:
        """Return [hands] the reach of chance and the opponent, with the probability of the deal."""
        prior = self.form.prior
        if self.is_end(place):
            met = unblocked_reach(prior, player, self.own_reach(place, 1 - player))
            chance = self.form.terminals.chance_reach[place - self.form.num_nodes]
            reach = np.where(self.alive(place, player), met * chance, 0.0)
        else:
            reach = self.values.counterfactual_reach(place, player)
        return reach if prior.joint is not None else reach * prior.weights[player]

    def weight(self, place: int, player: Player) -> FloatArray:
        """Return [hands] the probability that a player has a hand and play reaches a place."""
        return self.own_reach(place, player) * self.counterfactual_reach(place, player)

    def probability(self, place: int) -> float:
        """Return the probability of a place."""
        return float(self.weight(place, 0).sum())

    def hand_values(self, place: int, player: Player) -> FloatArray:
        """Return [hands] the expected utility of each hand at a place; NaN if it meets nobody."""
        if not self.is_end(place):
            return self.values.values(place, player)
        prior, end = self.form.prior, place - self.form.num_nodes
        reach = self.counterfactual_reach(place, player)
        dealt = 1.0 if prior.joint is not None else prior.weights[player]
        won = self._at_ends[player][end] * dealt
        values: FloatArray = np.divide(won, reach, np.full(len(reach), np.nan), where=reach > 0)
        return values

    def expected_values(self, place: int) -> tuple[float, float] | None:
        """Return the expected utilities at a place; None if the policy never reaches it."""
        total = self.probability(place)
        if not total > 0:
            return None
        first, second = (
            float(np.nansum(self.weight(place, player) * self.hand_values(place, player))) / total
            for player in range(2)
        )
        return first, second

    def equity(self, place: int) -> tuple[FloatArray, FloatArray] | None:
        """Return per player [hands] the equity at a node; None where it is undefined."""
        if self.is_end(place):
            return None
        try:
            ranges = self.own_reach(place, 0), self.own_reach(place, 1)
            return equity_at(self.form, place, ranges)
        except UnsupportedGameError:
            return None

    def action_values(self, place: int) -> FloatArray:
        """Return [actions, hands] the values of the actions at a decision."""
        return self.values.action_values(place)

    @cached_property
    def evaluation(self) -> Evaluation:
        """Values, NashConv and, where it is defined, exploitability."""
        return evaluate_policy(self.policy)

    @cached_property
    def _plans(self) -> tuple[FloatArray, FloatArray]:
        first, second = self.policy.realization_plans()
        return first, second

    @cached_property
    def _at_ends(self) -> tuple[FloatArray, FloatArray]:
        """Per player, [T, hands] what each hand earns at each end, times the opponent's reach."""
        return (
            values_at_terminals(self.form, 0, self._plans[1]),
            values_at_terminals(self.form, 1, self._plans[0]),
        )
