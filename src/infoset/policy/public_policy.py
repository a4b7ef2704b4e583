"""Policies on a public form: the probabilities of both players by public action and hand."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from infoset.errors import ParameterError, PolicyMismatchError, UnknownNameError
from infoset.forms import (
    InfostateTree,
    PublicForm,
    SequenceForm,
    behavior_to_plan,
    check_public_form,
    normalize_behavior,
)
from infoset.game import Infostate, Step
from infoset.game.infostate import value_text
from infoset.policy.tabular import PolicyRow, TabularPolicy, check_behavior, check_weights
from infoset.typing import CHANCE, NOOP, Action, FloatArray, LongArray, Player
from infoset.utils.arguments import SUM_TOLERANCE, check_player, check_type
from infoset.utils.short_repr import Facts, ShortRepr

__all__ = ["PublicPolicy", "check_public_policy", "uniform_public_policy"]


@dataclass(frozen=True, eq=False, repr=False)
class PublicPolicy(ShortRepr):
    """A behavioral policy of both players of a public form.

    Attributes
    ----------
    public_form : PublicForm
        The game of the policy.
    probabilities : tuple[FloatArray, FloatArray]
        Per player, [Q] the probability of the last action of each sequence of the treeplex; 1 for
        the empty sequence. `by_hand` returns them by public action and hand.

    Raises
    ------
    ParameterError
        If an array has the wrong length, a probability is negative or not finite, or the
        probabilities of a hand at a public node do not sum to 1.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.tree import build_tree, derive_public_form
    >>> form = derive_public_form(build_tree(load_game("kuhn_poker")))
    >>> policy = uniform_public_policy(form)
    >>> policy["K", "pass / bet"]
    {'pass': 0.5, 'bet': 0.5}
    >>> policy.by_hand(0).shape  # two decisions with two actions, and three hands
    (4, 3)
    """

    public_form: PublicForm
    probabilities: tuple[FloatArray, FloatArray]

    def _facts(self) -> Facts:
        form = self.public_form
        values = {"public nodes": form.num_nodes, "hands": form.num_hands}
        return Facts(form.name, values, "see .by_hand(player), policy[hand, line]")

    def __post_init__(self) -> None:
        check_public_form(self.public_form)
        if len(self.probabilities) != 2:
            raise ParameterError(f"got probabilities for {len(self.probabilities)} players, not 2")
        for player, values in enumerate(self.probabilities):
            treeplex = self.public_form.treeplexes[player]
            check_behavior(player, treeplex, values, partial(self._label, player))
            values.flags.writeable = False

    def _label(self, player: Player, infostate: int) -> str:
        form = self.public_form
        node, hand = (int(column[infostate]) for column in form.infostates[player])
        return f"{form.hands[player][hand]}, {form.label(node)}"

    @classmethod
    def from_weights(cls, public_form: PublicForm, weights: Sequence[FloatArray]) -> PublicPolicy:
        """Build a policy from weights of sequences, as `TabularPolicy.from_weights` does.

        Parameters
        ----------
        public_form : PublicForm
        weights : Sequence[FloatArray]
            Per player, [Q] nonnegative weights, such as a realization plan. If all weights of a
            hand at a public node are zero, the policy is uniform there.

        Raises
        ------
        ParameterError
            If a weight is negative or not finite.
        """
        check_public_form(public_form)
        check_weights(weights)
        first, second = (
            normalize_behavior(plex.first_sequence, plex.num_actions, values)
            for plex, values in zip(public_form.treeplexes, weights, strict=True)
        )
        return cls(public_form, (first, second))

    @classmethod
    def from_tabular(cls, public_form: PublicForm, policy: TabularPolicy) -> PublicPolicy:
        """Convert a tabular policy of the same game.

        It is uniform for removed hands, which the tree does not have.

        Raises
        ------
        PolicyMismatchError
            If the policy belongs to another game, or distinguishes hands that the form merges.
        """
        found = []
        for player, plex in enumerate(public_form.treeplexes):
            weights = np.ones(plex.num_sequences)
            own, in_tree = _sequences_in_tree(public_form, policy.form, player)
            chosen = policy.probabilities[player][in_tree]
            weights[own] = chosen
            if np.abs(weights[own] - chosen).max(initial=0.0) > SUM_TOLERANCE:
                raise PolicyMismatchError(
                    f"the policy of player {player} distinguishes hands that this public form "
                    "merges: build it by build_public_form(game, merge_symmetric=False)"
                )
            found.append(weights)
        return cls.from_weights(public_form, found)

    def to_tabular(self, form: SequenceForm) -> TabularPolicy:
        """Convert to a tabular policy, for a game whose sequence form can be built.

        Raises
        ------
        PolicyMismatchError
            If the sequence form belongs to another game.
        """
        found = []
        for player, plex in enumerate(form.treeplexes):
            values = np.ones(plex.num_sequences)
            own, in_tree = _sequences_in_tree(self.public_form, form, player)
            values[in_tree] = self.probabilities[player][own]
            found.append(values)
        return TabularPolicy(form, tuple(found))

    @cached_property
    def digest(self) -> str:
        """SHA-256 digest of the game and the probabilities, to recognize the policy."""
        digest = hashlib.sha256(self.public_form.fingerprint.encode())
        for values in self.probabilities:
            digest.update(np.ascontiguousarray(values).astype("<f8").tobytes())
        return digest.hexdigest()

    def realization_plans(self) -> tuple[FloatArray, FloatArray]:
        """Return per player [Q] the probability of the player's own actions along each sequence."""
        first, second = (
            behavior_to_plan(plex.parent_sequence, plex.first_sequence, plex.num_actions, values)
            for plex, values in zip(self.public_form.treeplexes, self.probabilities, strict=True)
        )
        return first, second

    def by_hand(self, player: Player) -> FloatArray:
        """Return [public actions, hands] the probabilities of a player.

        The rows are the actions at the nodes `public_form.decisions[player]`, in order.
        """
        check_player(player, 2, self.public_form.name)
        return self.public_form.by_hand(player, self.probabilities[player])

    def _rows(self, player: Player, first: int, count: int) -> FloatArray:
        """Return [count, hands] the probabilities of public sequences from `first` on."""
        places = self.public_form.places(player, slice(first, first + count))
        return self.probabilities[player][places]

    def rows(self) -> Iterator[PolicyRow]:
        """Yield one row per public decision and hand, ordered by player, with parents first.

        The infostate is the hand in brackets and the line, as the infostates of a tree are written.
        Hands that chance has removed are left out. Of lines that symmetric suits exchange, the form
        has one.
        """
        form = self.public_form
        for player, plan in enumerate(self.realization_plans()):
            last = form.sequences[player].last
            hands = [value_text(label) for label in form.hands[player]]
            for node in form.decisions[player].tolist():
                probabilities, before = self.at_node(node), last[[node]].astype(np.int64)
                reach = plan[form.places(player, before)[0]].tolist()
                line = f" / {form.labels[node]}" if node else ""
                for hand in np.flatnonzero(form.hand_sets[player][form.hand_set[node]]).tolist():
                    yield PolicyRow(
                        player=player,
                        infostate=f"[{hands[hand]}]{line}",
                        own_reach=reach[hand],
                        actions=form.legal_actions(node),
                        probabilities=probabilities[:, hand],
                    )

    def at_node(self, node: int) -> FloatArray:
        """Return [actions, hands] the probabilities of the player who acts at a public node.

        Raises
        ------
        ParameterError
            If nobody acts there.
        """
        form = self.public_form
        player = int(form.player[node])
        if player < 0:
            raise ParameterError(
                f"chance acts at the public node {node}, {form.label(node)!r}: give one of "
                "public_form.decisions"
            )
        first = int(form.sequences[player].first[node])
        return self._rows(player, first, int(form.num_actions[node]))

    def __getitem__(self, key: tuple[Hashable, str]) -> dict[Action, float]:
        """Return the probabilities by action of a hand at a public node.

        The hand is given by its label or its text, the node by its line: the public observations,
        as `public_form.label` writes them.

        Raises
        ------
        UnknownNameError
            If the hand or the line is unknown, or nobody acts there.
        ParameterError
            If the key is not such a pair.
        """
        if not (isinstance(key, tuple) and len(key) == 2):
            raise ParameterError(
                f"{key!r} is not a hand and a line; give both, as in policy['K', 'pass / bet']"
            )
        hand, line = key
        form = self.public_form
        node, permutation = form.find_line(line)
        player = int(form.player[node])
        labels = form.hands[player]
        names = [*map(str, labels)]
        place = labels.index(hand) if hand in labels else -1
        if place < 0 and str(hand) in names:
            place = names.index(str(hand))
        if place < 0:
            raise UnknownNameError.of("hand", str(hand), names)
        chosen = self.at_node(node)[:, form.hand_at(player, place, permutation)]
        return dict(zip(form.legal_actions(node), chosen.tolist(), strict=True))

    def action_probabilities(
        self, infostate: Infostate, legal_actions: Sequence[Action]
    ) -> FloatArray:
        """Return [A] the probability of each legal action at an infostate.

        The hand is the private observation of the first transition, and the public observations of
        the others are the line.

        Raises
        ------
        UnknownNameError
            If the form has no such hand or line, or an action is not legal there.
        """
        form, player = self.public_form, infostate.player
        node, hand = self._place(infostate)
        known = form.legal_actions(node) if form.player[node] == player else ()
        for action in legal_actions:
            if action not in known:
                raise UnknownNameError.of("action", str(action), map(str, known))
        return self.at_node(node)[[known.index(action) for action in legal_actions], hand]

    def _place(self, infostate: Infostate) -> tuple[int, int]:
        """Return the public node and the hand of an infostate."""
        form, labels = self.public_form, self.public_form.hands[infostate.player]
        deal, *steps = infostate.steps or (Step(NOOP, None, None),)
        if deal.private not in labels:
            raise UnknownNameError.of("hand", str(deal.private), map(str, labels))
        # A form that was derived from a tree has a root above several public deals.
        node = form.children.get((0, deal.public), 0) if form.player[0] == CHANCE else 0
        at = node, 0
        for step in steps:
            at = form.advance(at, step.public)
        node, permutation = at
        return node, form.hand_at(infostate.player, labels.index(deal.private), permutation)


def uniform_public_policy(public_form: PublicForm) -> PublicPolicy:
    """Return the uniform policy of both players.

    Raises
    ------
    ParameterError
        If `public_form` is not a `PublicForm`.
    """
    check_public_form(public_form)
    weights = [np.ones(plex.num_sequences) for plex in public_form.treeplexes]
    return PublicPolicy.from_weights(public_form, weights)


def check_public_policy(policy: object) -> None:
    """Raise unless a value is a policy on a public form.

    Raises
    ------
    ParameterError
        If the value is something else. The message shows how to make one.
    """
    check_type(
        "policy",
        policy,
        PublicPolicy,
        'a PublicPolicy, such as infoset.solve("leduc_poker", form="public").policy; '
        "PublicPolicy.from_tabular converts tabular policies",
    )


def _sequences_in_tree(
    public_form: PublicForm, form: SequenceForm, player: Player
) -> tuple[LongArray, LongArray]:
    """Return the sequences of hands that are not removed, in the public form and in the tree.

    Raises
    ------
    PolicyMismatchError
        If the infostates of the forms do not correspond.
    """
    check_type("form", form, SequenceForm, "the sequence form of a game tree")
    tree, plex = form.infostate_trees[player], public_form.treeplexes[player]
    own, infostate = _infostates_of_both(public_form, tree)
    num_actions = plex.num_actions[own]
    if (
        public_form.name != form.name
        or not np.array_equal(np.sort(infostate), tree.acting)
        or not np.array_equal(tree.num_actions[infostate], num_actions)
    ):
        raise PolicyMismatchError(
            f"the public form of {public_form.name} has other infostates than the sequence form of "
            f"{form.name}: give the sequence form of the same game, whose first "
            "transition is the deal"
        )
    step = np.arange(num_actions.sum()) - np.repeat(
        np.cumsum(num_actions) - num_actions, num_actions
    )
    first, in_tree = (
        np.repeat(starts, num_actions) + step
        for starts in (plex.first_sequence[own], tree.first_sequence[infostate])
    )
    return first, in_tree


def _infostates_of_both(
    public_form: PublicForm, tree: InfostateTree
) -> tuple[LongArray, LongArray]:
    """Return pairs of infostates of a player's treeplex and of a tree that are the same.

    In a form with symmetry, several infostates of the tree are one of the treeplex.
    """
    if public_form.tree_infostates is not None:
        known = public_form.tree_infostates[tree.player]
        own = np.flatnonzero(known >= 0)
        return own, known[own].astype(np.int64)
    pairs = [*_same_labels(public_form, tree)]
    found = np.array(pairs, np.int64).reshape(len(pairs), 2)
    return found[:, 0], found[:, 1]


def _same_labels(public_form: PublicForm, tree: InfostateTree) -> Iterator[tuple[int, int]]:
    """Yield pairs of infostates whose labels agree.

    The private observation of the first transition is the hand, and the public observations of
    those that follow are the line.
    """
    player, observed = tree.player, tree.observations
    classes, class_map = public_form.hand_classes[player], public_form.class_map
    hands = {label: place for place, label in enumerate(public_form.hands[player])}
    nodes, first = np.unique(public_form.infostates[player][0], return_index=True)
    first_at = dict(zip(nodes.tolist(), first.tolist(), strict=True))
    # [S] the node with its permutation, and the hand; None where the form has none, as at the end
    at: list[tuple[int, int] | None] = [None]
    hand: list[int | None] = [None]
    for infostate, parent in enumerate(tree.parent.tolist()[1:], start=1):
        if parent == 0:
            at.append((0, 0))
            hand.append(hands.get(observed[tree.private_observation[infostate]]))
        else:
            at.append(_advanced(public_form, at[parent], observed, tree, infostate))
            hand.append(hand[parent])
        place, held = at[-1], hand[-1]
        if tree.num_actions[infostate] and place and held is not None and place[0] in first_at:
            held = public_form.hand_at(player, held, place[1])
            yield first_at[place[0]] + int(classes[class_map[place[0]], held]), infostate


def _advanced(
    public_form: PublicForm,
    at: tuple[int, int] | None,
    observed: Sequence[Hashable],
    tree: InfostateTree,
    infostate: int,
) -> tuple[int, int] | None:
    """Return where the line of an infostate is in the form; None if the form does not have it."""
    try:
        return at and public_form.advance(at, observed[tree.public_observation[infostate]])
    except UnknownNameError:
        return None
