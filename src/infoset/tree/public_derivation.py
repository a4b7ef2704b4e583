"""Derivation of a game's public form from its tree, if everything after the deal is public."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from infoset.errors import UnsupportedGameError
from infoset.forms import UNIT, PublicForm, PublicTerminals, common_sum
from infoset.game import GameSource
from infoset.tree.game_tree import GameTree
from infoset.tree.terminal_operators import (
    FACTOR_TOLERANCE,
    OperatorFinder,
    factor_prior,
    pair_payoffs,
)
from infoset.typing import CHANCE, BoolArray, FloatArray, IntArray, LongArray, Player
from infoset.utils.arguments import check_type


def derive_public_form(tree: GameTree) -> PublicForm:
    """Derive the public form of a two-player game in which everything after the deal is public.

    The opening consists of the first transitions in which chance alone moves at all histories. The
    hand of a player is its infostate at the end of the opening. After it, a public state has to
    determine the action before it, the player to act, and its legal actions; private observations
    may repeat what hand and public state determine. Terminals are grouped by their last public
    state and action, so what the end reveals, such as the cards at a showdown, does not matter.
    Chance that nobody observes is averaged. Where the probability of later chance is not a product
    over the hands, operators are `Dense`.

    Parameters
    ----------
    tree
        The tree of a two-player game.

    Raises
    ------
    UnsupportedGameError
        If the game does not have two players, both act simultaneously, or the conditions above do
        not hold. The message names the transition.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.tree import build_tree
    >>> form = derive_public_form(build_tree(load_game("kuhn_poker")))
    >>> form.hands[0], form.num_nodes, len(form.terminals)
    (('J', 'Q', 'K'), 4, 5)
    """
    check_type("tree", tree, GameTree, 'a game tree, such as infoset.build_tree("kuhn_poker")')
    return _Derivation(tree).form()


class _Nodes(NamedTuple):
    """The public nodes, which are the public states of nonterminal histories after the opening."""

    state: IntArray
    """[V] the public state of each node."""
    first: LongArray
    """[V] the first history of each node."""
    of_state: LongArray
    """[P] the node of each public state; -1 if it does not exist."""


class _Derivation:
    """The steps of deriving the public form of one tree."""

    def __init__(self, tree: GameTree) -> None:
        self.tree = tree
        if tree.num_players != 2:
            raise self._refusal(f"it has {tree.num_players} players instead of two")
        if tree.num_histories == 1:
            raise self._refusal("it ends before anything happens")
        graph = tree.graph
        acting = graph.action_set[tree.world] >= 0
        both = np.flatnonzero(acting.all(axis=1))
        if len(both):
            world = graph.worlds[tree.world[both[0]]]
            raise self._refusal(f"both players act in the world state {world!r}")
        # [H] who acts; CHANCE if nobody does
        self.player = np.where(acting[:, 0], 0, np.where(acting[:, 1], 1, CHANCE))
        self.is_terminal = np.diff(tree.first_child) == 0
        self.level = self._opening()
        self.begin = int(tree.level_offsets[self.level])
        # [H] index of the action that was taken at the parent; -1 for none
        joint, mover = graph.joint_action[tree.edge], self.player[tree.parent]
        self.action = np.where(mover >= 0, joint[np.arange(len(joint)), mover], -1)
        self.action[0] = -1
        self.infostates, self.hand = self._hands()
        self.nodes = self._nodes()

    def _refusal(self, problem: str) -> UnsupportedGameError:
        return UnsupportedGameError(
            f"{self.tree} has no public form, because {problem}: solve its sequence form"
        )

    def _refusal_at(self, history: int, problem: str) -> UnsupportedGameError:
        """Return the error for a history, naming the transition that leads to it."""
        tree, graph = self.tree, self.tree.graph
        before, after = (tree.world[place] for place in (tree.parent[history], history))
        joint = graph.joint_action_of(before, tree.edge[history])
        return self._refusal(
            f"{problem}, in the transition from {graph.worlds[before]!r} by {joint} to "
            f"{graph.worlds[after]!r}"
        )

    def _opening(self) -> int:
        """Return the number of transitions of the opening."""
        offsets = self.tree.level_offsets[:-1]
        # By level: whether somebody acts, and whether the game ends, at any of its histories.
        acts = np.logical_or.reduceat(self.player >= 0, offsets)
        ends = np.logical_or.reduceat(self.is_terminal, offsets)
        # Every game ends, so there is a level with a terminal history.
        return int(min([*np.flatnonzero(acts)[:1], np.flatnonzero(ends)[0] - 1]))

    def _hands(self) -> tuple[tuple[IntArray, IntArray], IntArray]:
        """Return per player [hands] the infostate that is each hand, and [2, H] the hands.

        In the opening, the hand is 0.
        """
        tree, begin = self.tree, self.begin
        end = int(tree.level_offsets[self.level + 1])
        hand = np.zeros((2, tree.num_histories), np.int32)
        found = []
        for player, own in enumerate(tree.infostate_trees):
            known, dealt = np.unique(tree.infostate[begin:end, player], return_inverse=True)
            # By the observation, so that both players have cards in the same order.
            order = np.argsort(own.private_observation[known], kind="stable")
            hand[player, begin:end] = np.argsort(order)[dealt]  # the inverse permutation
            found.append(known[order])
        # After the opening hands stay the same; parents are in the level before.
        for start, stop in pairwise(tree.level_offsets[self.level + 1 :].tolist()):
            hand[:, start:stop] = hand[:, tree.parent[start:stop]]
        return (found[0], found[1]), hand

    def _nodes(self) -> _Nodes:
        """Find the public nodes, and check that they determine what has to be public.

        Raises
        ------
        UnsupportedGameError
            If they do not.
        """
        tree = self.tree
        # A public state is a node if any history in it continues. The first one stands for all, and
        # the checks compare the others with it.
        inner = self.begin + np.flatnonzero(~self.is_terminal[self.begin :])
        state, first = np.unique(tree.public_state[inner], return_index=True)
        of_state = np.full(tree.public_tree.num_public_states, -1)
        of_state[state] = np.arange(len(state))
        nodes = _Nodes(state, inner[first], of_state)
        node = of_state[tree.public_state[inner]]
        for values, problem in (
            (self.player, "the public observations do not determine who acts next"),
            (self._legal(), "the public observations do not determine the legal actions"),
            (self.action, "the public observation does not determine the action"),
        ):
            self._check(inner, values[inner] == values[nodes.first[node]], problem)
        for player, known in enumerate(self.infostates):
            # Which of several infostates with the same node and hand is found does not matter.
            pair = node * len(known) + self.hand[player, inner]
            found = np.full(len(state) * len(known), -1)
            found[pair] = tree.infostate[inner, player]
            self._check(
                inner,
                found[pair] == tree.infostate[inner, player],
                f"player {player} privately observes something that its hand and the public "
                "observations do not determine",
            )
        return nodes

    def _legal(self) -> IntArray:
        """Return [H] the index of the legal actions of the player to act; -1 if nobody acts."""
        sets: IntArray = self.tree.graph.action_set[self.tree.world].max(axis=1)
        return sets

    def _check(self, history: LongArray, holds: BoolArray, problem: str) -> None:
        """Raise for the first history at which a condition does not hold."""
        broken = history[~holds]
        if len(broken):
            raise self._refusal_at(int(broken[0]), problem)

    def form(self) -> PublicForm:
        """Return the public form."""
        tree, nodes = self.tree, self.nodes
        ends = tree.terminals
        utility = tree.rewards_so_far[ends]
        prior = factor_prior(self._joint())
        finder = OperatorFinder(prior)
        node, action, terminal = self._public_terminals()
        pairs = pair_payoffs(
            terminal, self.hand[:, ends], self._num_hands, tree.chance_reach[ends], utility
        )
        found = [finder.find(payoffs) for payoffs in pairs]
        # Several public states after the opening have a common root, at which chance acts.
        is_top = nodes.first < tree.level_offsets[self.level + 1]
        roots = [CHANCE] * int(np.count_nonzero(is_top) > 1)
        above = nodes.of_state[tree.public_tree.parent[nodes.state]] + len(roots)
        inner = self.begin + np.flatnonzero(~self.is_terminal[self.begin :])
        hand_sets, hand_set = self._hand_sets(
            len(roots), (nodes.of_state[tree.public_state[inner]], inner), (terminal, ends)
        )
        num_nodes = len(roots) + len(nodes.state)
        constant_sum = common_sum(utility)
        return PublicForm(
            name=str(tree),
            hands=(self._hand_labels(0), self._hand_labels(1)),
            prior=prior,
            player=_numbers(roots, self.player[nodes.first]),
            parent=_numbers([-1] * len(roots), np.where(is_top, len(roots) - 1, above)),
            action=_numbers(roots, np.where(is_top, -1, self.action[nodes.first])),
            observation=_numbers(roots, tree.public_tree.observation[nodes.state]),
            observations=tree.public_tree.observations,
            action_set=_numbers(roots, self._legal()[nodes.first]),
            action_sets=tree.graph.action_sets,
            hand_set=hand_set[:num_nodes],
            hand_sets=hand_sets,
            terminals=PublicTerminals(
                node=_numbers([], node + len(roots)),
                action=_numbers([], action),
                chance_reach=np.array([end.chance_reach for end in found]),
                hand_set=hand_set[num_nodes:],
                operator=np.array([end.operator for end in found], np.int32),
                payoff_set=np.arange(len(found), dtype=np.int32),
                first_payoff=np.cumsum([0, *(len(end.payoff) for end in found)]),
                payoff=np.concatenate([end.payoff for end in found]),
            ),
            operators=tuple(finder.operators),
            utility_limits=np.stack([utility.min(axis=0), utility.max(axis=0)], axis=1),
            constant_sum=constant_sum,
            payoff_rounding=self._rounding(utility, constant_sum),
            source=GameSource.of_rules(tree.game),
            tree_infostates=(self._tree_infostates(0, inner), self._tree_infostates(1, inner)),
        )

    @property
    def _num_hands(self) -> tuple[int, int]:
        """Number of hands of each player."""
        return len(self.infostates[0]), len(self.infostates[1])

    def _joint(self) -> FloatArray:
        """Return [hands of player 0, hands of player 1] the probability of each pair."""
        dealt = slice(self.begin, int(self.tree.level_offsets[self.level + 1]))
        joint = np.zeros(self._num_hands)
        np.add.at(joint, tuple(self.hand[:, dealt]), self.tree.chance_reach[dealt])
        return joint

    def _public_terminals(self) -> tuple[LongArray, LongArray, LongArray]:
        """Return the last node and action of each public terminal, and [Z] the public terminals."""
        tree = self.tree
        last = self.nodes.of_state[tree.public_state[tree.parent[tree.terminals]]]
        # Node and action as one number; the action may be -1.
        width = 2 + int(self.action.max())
        kinds, terminal = np.unique(
            last * width + self.action[tree.terminals] + 1, return_inverse=True
        )
        return kinds // width, kinds % width - 1, terminal

    def _hand_sets(
        self, num_full: int, *parts: tuple[LongArray, LongArray | IntArray]
    ) -> tuple[tuple[BoolArray, BoolArray], IntArray]:
        """Return the distinct sets of hands, and the set of each row.

        The first `num_full` rows have all hands. A part has the row of each history, counted from
        the rows of the part before, and the histories.
        """
        sizes = self._num_hands
        rows = [np.ones((num_full, sum(sizes)), bool)]
        for row, history in parts:
            rows.append(np.zeros((1 + int(row.max(initial=-1)), sum(sizes)), bool))
            rows[-1][row, self.hand[0, history]] = True
            rows[-1][row, sizes[0] + self.hand[1, history]] = True
        # Rows of bits, in which equal sets are found quickly.
        packed = np.packbits(np.concatenate(rows), axis=1)
        known, hand_set = np.unique(packed, axis=0, return_inverse=True)
        sets = np.unpackbits(known, axis=1, count=sum(sizes)).astype(bool)
        return (sets[:, : sizes[0]], sets[:, sizes[0] :]), hand_set.reshape(-1).astype(np.int32)

    def _hand_labels(self, player: Player) -> tuple[Hashable, ...]:
        """Return the labels of a player's hands: the private observation, if there is just one."""
        tree = self.tree.infostate_trees[player]
        known = self.infostates[player].tolist()
        if self.level == 1:
            seen = [tree.observations[tree.private_observation[number]] for number in known]
            if len(set(seen)) == len(seen):
                return tuple(seen)
        return tuple(tree.label(number) for number in known)

    def _tree_infostates(self, player: Player, inner: LongArray) -> IntArray:
        """Return [I] the infostate in the player's tree of each infostate of the treeplex."""
        tree, num_hands = self.tree, len(self.infostates[player])
        own = inner[self.player[inner] == player]
        node = self.nodes.of_state[tree.public_state[own]]
        decisions = np.flatnonzero(self.player[self.nodes.first] == player)
        found = np.full((len(self.nodes.state), num_hands), -1, np.int32)
        # Which history writes an entry does not matter: `_nodes` has checked that they agree.
        found[node, self.hand[player, own]] = tree.infostate[own, player]
        return found[decisions].ravel()

    def _rounding(self, utility: FloatArray, constant_sum: float | None) -> float:
        """Return the `payoff_rounding` of the form, as that of a sequence form is bounded."""
        steps = len(self.tree.level_offsets) - 2
        pairs = max(self._num_hands)
        relative = (3 * steps + 1 + pairs) * UNIT + 2 * FACTOR_TOLERANCE
        rounding = relative * float(np.abs(utility).max())
        if constant_sum is not None:
            rounding += float(np.abs(utility.sum(axis=1) - constant_sum).max())
        return rounding


def _numbers(before: Sequence[int], numbers: LongArray | IntArray) -> IntArray:
    """Return numbers, with others before them, as an array."""
    return np.concatenate([np.array(before, np.int32), numbers]).astype(np.int32)
