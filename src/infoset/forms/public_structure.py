"""The structure of a public form: a public tree times the hands of two players."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

import numpy as np

from infoset.errors import ParameterError, UnknownNameError
from infoset.forms._treeplex_kernels import last_sequences
from infoset.forms.derived_members import MembersByUtilityLimits
from infoset.forms.hand_symmetry import HandSymmetry
from infoset.forms.public_layout import (
    PublicLayout,
    PublicRuns,
    PublicSequences,
    PublicTreeplex,
    public_runs,
)
from infoset.forms.public_operators import Dense, HandPrior, Operator, Showdown
from infoset.forms.sequence_form import EXTENSIVE_FORM
from infoset.forms.treeplex import Treeplex
from infoset.game import GameSource, Infostate, Step, step_text
from infoset.game.infostate import canonical_text, join_steps, split_steps, value_text
from infoset.typing import CHANCE, NOOP, Action, BoolArray, FloatArray, IntArray, LongArray, Player
from infoset.utils.arguments import check_player
from infoset.utils.frozen_arrays import freeze, freeze_arrays
from infoset.utils.parents import with_descendants
from infoset.utils.short_repr import Facts, ShortRepr, format_numbers

DIVIDED_FROM = 1 << 20
"""Minimum number of sequences for dividing a form; smaller forms fit in the processor's cache."""


@dataclass(frozen=True, eq=False, repr=False)
class PublicTerminals(ShortRepr):
    """The ends of a public form: T public terminals, each reached by an action or by chance."""

    node: IntArray
    """[T] the last public node."""
    action: IntArray
    """[T] index of the action at that node; -1 where chance ends the game."""
    chance_reach: FloatArray
    """[T] product of the public factors of chance."""
    hand_set: IntArray
    """[T] index of the hands that chance has not removed; see `PublicForm.hand_sets`."""
    operator: IntArray
    """[T] index into `PublicForm.operators`."""
    payoff_set: IntArray
    """[T] index of the set of payoffs. Terminals share sets: cards do not change the utilities."""
    first_payoff: LongArray
    """[sets + 1] the payoffs of set s are `payoff[first_payoff[s]:first_payoff[s + 1]]`, with a row
    for each outcome of the operator."""
    payoff: FloatArray
    """[outcomes of all sets, 2] utility of both players, in the game's units."""

    def __post_init__(self) -> None:
        freeze(self)

    def __len__(self) -> int:
        return len(self.node)

    def subset(self, terminals: LongArray, new_node: IntArray) -> PublicTerminals:
        """Return the given terminals; new_node: [V] the number of each node in the result."""
        used, payoff_set = np.unique(self.payoff_set[terminals], return_inverse=True)
        first, payoff = self.payoffs_of(used)
        return PublicTerminals(
            node=new_node[self.node[terminals]],
            action=self.action[terminals],
            chance_reach=self.chance_reach[terminals],
            hand_set=self.hand_set[terminals],
            operator=self.operator[terminals],
            payoff_set=payoff_set.astype(np.int32),
            first_payoff=first,
            payoff=payoff,
        )

    def payoffs_of(self, sets: IntArray) -> tuple[LongArray, FloatArray]:
        """Return `first_payoff` and `payoff` of the given sets of payoffs, which may repeat."""
        sizes = np.diff(self.first_payoff)[sets]
        first = np.append(0, np.cumsum(sizes))
        # The payoffs of a set are consecutive, so all move by as much as its first.
        rows = np.repeat(self.first_payoff[sets] - first[:-1], sizes) + np.arange(first[-1])
        return first, self.payoff[rows]


@dataclass(frozen=True, eq=False, repr=False)
class PublicStructure(MembersByUtilityLimits, ShortRepr):
    """The public tree and the hands of a `PublicForm`, without its gradients.

    After an opening by chance, each player has a hand. All later actions and chance outcomes are
    public, so an infostate is a public node together with a hand, and histories are never listed.
    With hands h0 and h1, outcome o of terminal t has the probability

        prior(h0, h1) · chance_reach[t] · weight_o(h0, h1),

    times the players' own probabilities, if chance has not removed one of the hands; otherwise 0.
    The weight is that of the terminal's operator.

    Notes
    -----
    The infostates of a treeplex are ordered by public decision and then by hand or, if there is
    `symmetry`, by class of hands. Infostates of removed hands are in the treeplex, too; all their
    payoffs are zero.

    Source: the factoring of utilities by hands is that of Johanson, Waugh, Bowling and Zinkevich
    (2011), "Accelerating best response calculation in large extensive games".
    """

    name: str
    """The game."""
    hands: tuple[tuple[Hashable, ...], tuple[Hashable, ...]]
    """Per player, the labels of the hands."""
    prior: HandPrior
    """The probability of each pair of hands."""
    player: IntArray
    """[V] who acts at each public node, parents first; `CHANCE` for chance. Node 0 is the root."""
    parent: IntArray
    """[V] the parent of each node; -1 at the root."""
    action: IntArray
    """[V] index of the action taken at the parent; -1 at the root, and where chance acts at the
    parent. If chance moves in the same transition, an action leads to several nodes."""
    observation: IntArray
    """[V] index into `observations` of the public observation in the transition from the parent; -1
    at the root."""
    observations: tuple[Hashable, ...]
    action_set: IntArray
    """[V] index into `action_sets` of the legal actions; -1 for chance."""
    action_sets: tuple[tuple[Action, ...], ...]
    hand_set: IntArray
    """[V] index of the hands that chance has not removed before each node."""
    hand_sets: tuple[BoolArray, BoolArray]
    """Per player, [sets of hands, hands] whether a hand is in a set."""
    terminals: PublicTerminals
    operators: tuple[Operator, ...]
    """The distinct operators of the terminals."""
    utility_limits: FloatArray
    """[2, 2] minimum and maximum utility of each player."""
    constant_sum: float | None
    """Sum of the players' utilities, if it is the same at every end."""
    payoff_rounding: float
    """Bound on the error that rounding in prior, weights and payoffs causes in a value, in the
    game's units."""
    source: GameSource = EXTENSIVE_FORM
    """Where the game came from."""
    symmetry: HandSymmetry | None = None
    """What is merged because cards can be exchanged; None if nothing is."""
    tree_infostates: tuple[IntArray, IntArray] | None = None
    """If the form was derived from a game tree: per player, [I] the infostate in its infostate tree
    of each infostate of the treeplex; -1 if the hand is removed there."""

    def _facts(self) -> Facts:
        values = {
            "public nodes": self.num_nodes,
            "hands": self.num_hands,
            "sequences": tuple(treeplex.num_sequences for treeplex in self.treeplexes),
            "range": format_numbers(self.payoff_range),
        }
        return Facts(self.name, values, "see .treeplexes, .terminals, .label(node)")

    def __post_init__(self) -> None:
        freeze(self)
        freeze_arrays(*self.hand_sets, *(self.tree_infostates or ()))

    @property
    def num_players(self) -> int:
        """Number of players, 2."""
        return 2

    @property
    def num_nodes(self) -> int:
        """Number V of public nodes, without the terminals."""
        return len(self.player)

    @cached_property
    def num_lines(self) -> LongArray:
        """[V] the number of lines that each public node represents; see `symmetry`."""
        outcomes = np.ones(self.num_nodes, np.int64)
        if self.symmetry is not None:
            # A line is omitted for each image: it is one more outcome of what represents it.
            for (node, _), (seen, _) in self.symmetry.images.items():
                if (node, seen) in self.children:  # a trunk may end before it
                    outcomes[self.children[node, seen]] += 1
        lines = outcomes.copy()
        for node, parent in enumerate(self.parent.tolist()[1:], start=1):
            lines[node] *= lines[parent]  # parents come first
        return lines

    @property
    def num_hands(self) -> tuple[int, int]:
        """Number of hands of each player."""
        return len(self.hands[0]), len(self.hands[1])

    @property
    def has_shared_payoffs(self) -> bool:
        """Whether both players always get the same payoff."""
        first, second = self.terminals.payoff.T
        return bool((first == second).all())

    @cached_property
    def num_actions(self) -> IntArray:
        """[V] number of legal actions; 0 where chance acts."""
        sizes = np.array([*map(len, self.action_sets), 0], dtype=np.int32)
        return sizes[self.action_set]

    @cached_property
    def sequences(self) -> tuple[PublicSequences, PublicSequences]:
        """The public sequences of each player."""
        return self._sequences(0), self._sequences(1)

    def _sequences(self, player: Player) -> PublicSequences:
        own = self.player == player
        sizes = np.where(own, self.num_actions, 0)
        # Exclusive cumulative sums, after the empty sequence.
        first = np.where(own, 1 + np.cumsum(sizes) - sizes, 0).astype(np.int32)
        # The root's parent, -1, reads the last entry, which the second condition drops.
        chosen = np.where(own[self.parent] & (self.parent >= 0), self.action, -1).astype(np.int32)
        node = np.repeat(np.flatnonzero(own), sizes[own])
        # All sequences of a node are together: class by class, and its actions in order. So an
        # action begins at its index, and the next class is as many places on as there are actions.
        at_node = sizes.astype(np.int64) * self.num_classes[player][self.class_map]
        before = (np.cumsum(at_node) - at_node)[node]
        rank = np.arange(len(node)) - (first[node].astype(np.int64) - 1)
        return PublicSequences(
            last=last_sequences(self.parent, chosen, first),
            first=first,
            start=np.append(0, 1 + before + rank),
            stride=np.append(0, self.num_actions[node]).astype(np.int64),
            class_map=np.append(0, self.class_map[node]).astype(np.int32),
        )

    @cached_property
    def class_map(self) -> IntArray:
        """[V] row of `hand_classes` at each public node."""
        if self.symmetry is None:
            return np.zeros(self.num_nodes, np.int32)
        return self.symmetry.class_map

    @cached_property
    def hand_classes(self) -> tuple[IntArray, IntArray]:
        """Per player, [C, hands] the class of each hand: the hand itself without `symmetry`."""
        if self.symmetry is not None:
            return self.symmetry.classes
        first, second = (np.arange(size, dtype=np.int32)[None] for size in self.num_hands)
        return first, second

    @property
    def num_classes(self) -> tuple[IntArray, IntArray]:
        """Per player, [C] the number of classes in each row of `hand_classes`."""
        first, second = (own.max(axis=1) + 1 for own in self.hand_classes)
        return first, second

    def places(
        self, player: Player, sequences: LongArray | slice, hands: slice = slice(None)
    ) -> LongArray:
        """Return [..., hands] the sequence of the treeplex of each public sequence with each hand.

        Parameters
        ----------
        sequences
            [...] public sequences.
        """
        _, _, start, stride, class_map = self.sequences[player]
        of_hand = self.hand_classes[player][:, hands][class_map[sequences]]
        places: LongArray = start[sequences][..., None] + stride[sequences][..., None] * of_hand
        return places

    @cached_property
    def decisions(self) -> tuple[IntArray, IntArray]:
        """Per player, the public nodes at which the player acts."""
        first, second = (np.flatnonzero(self.player == p).astype(np.int32) for p in range(2))
        return first, second

    @cached_property
    def runs(self) -> tuple[PublicRuns, PublicRuns]:
        """Per player, the public decisions, and where the sequences of their hands are."""
        return self._runs(self.parts)

    def _runs(self, parts: LongArray) -> tuple[PublicRuns, PublicRuns]:
        first, second = (
            public_runs(nodes, self.num_actions, self.class_map, sequences, classes, parts)
            for nodes, sequences, classes in zip(
                self.decisions, self.sequences, self.hand_classes, strict=True
            )
        )
        return first, second

    @cached_property
    def parts(self) -> LongArray:
        """[V] the part of each public node in the order of the layouts; 0 for the top.

        In large forms, public nodes after the last removal of hands by chance are divided into one
        part for each set of hands: in poker, one part per board. All earlier nodes are the top.
        """
        part = np.zeros(self.num_nodes, np.int64)
        if self.num_infostate_actions < DIVIDED_FROM:
            return part
        changes = self.hand_set != self.hand_set[self.parent]
        changes[0] = False
        # Whether hands are removed below each node. Children come after their parents.
        removes = np.zeros(self.num_nodes, bool)
        parents = self.parent.tolist()
        for node in range(self.num_nodes - 1, 0, -1):
            if changes[node] or removes[node]:
                removes[parents[node]] = True
        is_below = np.zeros(self.num_nodes, bool)
        for node in range(1, self.num_nodes):
            is_below[node] = is_below[parents[node]] or (changes[node] and not removes[node])
        part[is_below] = 1 + np.unique(self.hand_set[is_below], return_inverse=True)[1]
        return part

    @property
    def num_infostate_actions(self) -> int:
        """Total number of actions over all infostates of both players."""
        return sum(
            int((self.num_actions[nodes] * own[self.class_map[nodes]].astype(np.int64)).sum())
            for nodes, own in zip(self.decisions, self.num_classes, strict=True)
        )

    @cached_property
    def treeplexes(self) -> tuple[Treeplex, Treeplex]:
        """Per player, the treeplex whose infostates are public decisions times hands."""
        first, second = map(PublicTreeplex, self.runs)
        return first, second

    @cached_property
    def layouts(self) -> tuple[PublicLayout, PublicLayout]:
        """Per player, the order in which kernels store sequences."""
        first, second = map(PublicLayout, self.runs)
        return first, second

    @cached_property
    def layouts_by_depth(self) -> tuple[PublicLayout, PublicLayout]:
        """The layouts without division, for threads that share a sweep."""
        if not self.parts.any():
            return self.layouts
        first, second = map(PublicLayout, self._runs(np.zeros_like(self.parts)))
        return first, second

    @cached_property
    def infostates(self) -> tuple[tuple[IntArray, IntArray], tuple[IntArray, IntArray]]:
        """Per player, [I] the public node of each infostate, and the first hand of its class."""
        first, second = (self._infostates(player) for player in range(2))
        return first, second

    def _infostates(self, player: Player) -> tuple[IntArray, IntArray]:
        nodes = self.decisions[player]
        if self.symmetry is None:
            hand = np.arange(self.num_hands[player], dtype=np.int32)
            return np.repeat(nodes, len(hand)), np.tile(hand, len(nodes))
        hands = self.symmetry.representatives[player]  # as many as the node has classes
        rows = [hands[row] for row in self.class_map[nodes].tolist()]
        none = np.zeros(0, np.int32)
        return np.repeat(nodes, [*map(len, rows)]), np.concatenate([none, *rows])

    @cached_property
    def terminal_sequence(self) -> IntArray:
        """[T, 2] the last public sequence of each player at each terminal."""
        node, action = self.terminals.node, self.terminals.action
        # Who acts at the last node ends the game by its action there; of the other, the sequence
        # before the node counts.
        columns = [
            np.where(self.player[node] == player, first[node] + action, last[node])
            for player, (last, first, *_) in enumerate(self.sequences)
        ]
        return np.stack(columns, axis=1).astype(np.int32)

    def by_hand(self, player: Player, values: FloatArray) -> FloatArray:
        """Return [public actions, hands] the values of sequences [Q], without the empty one."""
        return values[self.places(player, slice(1, None))]

    def of_hands(self, player: Player, rows: FloatArray) -> FloatArray:
        """Return [Q] the values of sequences from `rows` [public actions, hands]; 1 for the empty.

        It is the inverse of `by_hand`: hands of one class have equal values.
        """
        values = np.ones(self.treeplexes[player].num_sequences)
        values[self.places(player, slice(1, None))] = rows
        return values

    def payoff_matrix(self, terminal: int, player: Player) -> FloatArray:
        """Return [hands of player 0, hands of player 1] the payoffs of a player at a terminal.

        A payoff is utility times prior and chance reach, as in `SequenceForm.payoff`. Methods use
        the operators instead, which need no matrix.
        """
        ends = self.terminals
        operator = self.operators[ends.operator[terminal]]
        payoff_set = ends.payoff_set[terminal]
        begin, end = ends.first_payoff[payoff_set : payoff_set + 2]
        utility: FloatArray = np.tensordot(
            ends.payoff[begin:end, player], operator.outcomes(self.prior), axes=1
        )
        reached = self.reached(int(ends.hand_set[terminal])) * float(ends.chance_reach[terminal])
        return utility * reached

    def reached(self, hand_set: int) -> FloatArray:
        """Return [hands of player 0, hands of player 1] the prior, 0 for removed hands."""
        first, second = (sets[hand_set] for sets in self.hand_sets)
        reached: FloatArray = self.prior.matrix() * np.logical_and.outer(first, second)
        return reached

    @property
    def public_states(self) -> tuple[IntArray, IntArray]:
        """Per player, [I] the public node of each infostate; computed anew at each access."""
        first, second = (np.repeat(runs.node, runs.count) for runs in self.runs)
        return first, second

    def infostate_labels(self, player: Player) -> tuple[str, ...]:
        """Return [I] a text for each infostate: the first hand of its class, and the line."""
        texts = [value_text(label) for label in self.hands[player]]
        pairs = zip(*(column.tolist() for column in self.infostates[player]), strict=True)
        return tuple(self._infostate_text(texts[hand], node) for node, hand in pairs)

    def infostate_label(self, player: Player, number: int) -> str:
        """Return the label of one infostate, without listing `infostate_labels`."""
        runs = self.runs[player]
        run = int(np.searchsorted(runs.infostate, number, side="right")) - 1
        node = int(runs.node[run])
        classes = self.hand_classes[player][self.class_map[node]]
        hand = int(np.argmax(classes == number - runs.infostate[run]))
        return self._infostate_text(value_text(self.hands[player][hand]), node)

    def _infostate_text(self, hand: str, node: int) -> str:
        return f"[{hand}] / {self.labels[node]}" if node else f"[{hand}]"

    def labeled_infostates(
        self, player: Player, max_depth: int | None = None
    ) -> Iterator[tuple[str, int]]:
        """Yield texts and infostates: by public decision, and by hands that chance left there.

        With `max_depth`, only those with fewer decisions of the player before. Of lines that
        symmetric suits exchange, the form has one.
        """
        texts = [value_text(label) for label in self.hands[player]]
        nodes, first = self.early_decisions(player, max_depth)
        for node, begin in zip(nodes.tolist(), first.tolist(), strict=True):
            classes = self.hand_classes[player][self.class_map[node]]
            for hand in np.flatnonzero(self.possible_hands(node, player)).tolist():
                yield self._infostate_text(texts[hand], node), begin + int(classes[hand])

    def early_decisions(
        self, player: Player, max_depth: int | None = None
    ) -> tuple[IntArray, LongArray]:
        """Return the public decisions after fewer than `max_depth` decisions of the player.

        The second array has the first infostate of each decision.
        """
        runs = self.runs[player]
        if max_depth is None:
            return runs.node, runs.infostate
        is_early = runs.depth < max_depth
        return runs.node[is_early], runs.infostate[is_early]

    def reading_order(self, player: Player) -> LongArray:
        """Return positions in `labeled_infostates` in an order for readers: as they are."""
        nodes = self.decisions[player]
        count = int(self.hand_sets[player].sum(axis=1)[self.hand_set[nodes]].sum())
        return np.arange(count)

    def actions_at(self, player: Player, infostate: int) -> tuple[Action, ...]:
        """Return the legal actions at an infostate."""
        runs = self.runs[player]
        run = np.searchsorted(runs.infostate, infostate, side="right") - 1
        return self.legal_actions(int(runs.node[run]))

    def infostate_at(self, player: Player, number: int) -> Infostate:
        """Return an infostate with the first hand of its class; `find` is the inverse."""
        node, hand = (int(column[number]) for column in self.infostates[player])
        steps = []
        while node:
            parent, taken = int(self.parent[node]), int(self.action[node])
            acts = self.player[parent] == player and taken >= 0
            action = self.action_sets[self.action_set[parent]][taken] if acts else NOOP
            steps.append(Step(action, None, self.observations[self.observation[node]]))
            node = parent
        # A form that was derived from a tree has a root above several public deals.
        has_deals = self.player[0] == CHANCE and steps
        deal = steps.pop().public if has_deals else None
        return Infostate(player, (Step(NOOP, self.hands[player][hand], deal), *reversed(steps)))

    def places_of_node(self, node: int) -> tuple[Player, LongArray]:
        """Return who acts at a public node, and [actions, hands] its sequences there.

        Raises
        ------
        ParameterError
            If nobody acts there.
        """
        player = int(self.player[node])
        if player < 0:
            raise ParameterError(
                f"chance acts at the public node {node}, {self.label(node)!r}: give one of "
                "form.decisions"
            )
        first = int(self.sequences[player].first[node])
        return player, self.places(player, slice(first, first + int(self.num_actions[node])))

    def find(self, infostate: Infostate) -> int:
        """Return the number of an infostate.

        The hand is the private observation of the first transition, and the public observations of
        the others are the line.

        Raises
        ------
        UnknownNameError
            If the form has no such hand or line, or the player does not act there.
        """
        node, permutation, hand = self.locate(infostate)
        if self.player[node] != infostate.player:
            raise UnknownNameError(f"player {infostate.player} does not act at {infostate}")
        return self.infostate_of_hand(node, self.hand_at(infostate.player, hand, permutation))

    def locate(self, infostate: Infostate) -> tuple[int, int, int]:
        """Return where an infostate is: node, permutation of `symmetry`, and hand.

        The permutation maps the line of the infostate to that of the node, as in `advance`; the
        hand is that of the infostate, before it.
        """
        deal, *steps = infostate.steps or (Step(NOOP, None, None),)
        hand = self.find_hand(infostate.player, deal.private)
        # A form that was derived from a tree has a root above several public deals.
        node = self.children.get((0, deal.public), 0) if self.player[0] == CHANCE else 0
        at = node, 0
        for step in steps:
            at = self.advance(at, step.public)
        return *at, hand

    def possible_hands(self, node: int, player: Player) -> BoolArray:
        """Return [hands] which hands of a player chance has not removed before a public node."""
        hands: BoolArray = self.hand_sets[player][self.hand_set[node]]
        return hands

    def infostate_of_hand(self, node: int, hand: int) -> int:
        """Return the infostate of the player who acts at a public node, with a hand."""
        player = int(self.player[node])
        runs = self.runs[player]
        run = np.searchsorted(runs.node, node)
        return int(runs.infostate[run] + self.hand_classes[player][self.class_map[node], hand])

    def look_up(self, key: Hashable) -> tuple[Player, int]:
        """Return the player and the number of the infostate that a hand and a line name.

        Parameters
        ----------
        key : tuple or str
            A hand, by its label or its text, and the line: the public observations, as `label`
            writes them. Or an infostate as text, such as "[K] / pass / bet", alone or with its
            player.
        """
        players: tuple[Player, ...] = (0, 1)
        if isinstance(key, tuple) and len(key) == 2 and type(key[1]) is int:
            key, player = key
            check_player(player, 2, self.name)
            players = (player,)
        if isinstance(key, str):
            hand, line = _hand_and_line(key)
        elif isinstance(key, tuple) and len(key) == 2 and isinstance(key[1], str):
            hand, line = key
        else:
            raise ParameterError(
                f"{key!r} is not a hand and a line; give both, as in policy['K', 'pass / bet']"
            )
        node, permutation = self.find_line(line)
        player = int(self.player[node])
        if player not in players:
            raise UnknownNameError(f"player {players[0]} does not act at {line!r}")
        place = self.find_hand(player, hand)
        return player, self.infostate_of_hand(node, self.hand_at(player, place, permutation))

    def look_up_all(self, key: Hashable) -> tuple[Player, LongArray]:
        """Return the player and the infostates that a key names; see `Form.look_up_all`.

        A text that begins with a hand in brackets is an infostate, and every other text is a line.
        """
        if not isinstance(key, str) or key.startswith("["):
            player, number = self.look_up(key)
            return player, np.array([number])
        node, permutation = self.find_line(key)
        player = int(self.player[node])
        hands = range(self.num_hands[player])
        found = [self.infostate_of_hand(node, self.hand_at(player, h, permutation)) for h in hands]
        return player, np.array(found)

    def find_hand(self, player: Player, hand: Hashable) -> int:
        """Return the place of a hand, given by its label or its text; see `Game.normal_text`.

        Raises
        ------
        UnknownNameError
            If the player has no such hand.
        """
        labels = self.hands[player]
        if hand in labels:
            return labels.index(hand)
        names = [*map(value_text, labels)]
        for text in (str(hand), self.source.normal_text(str(hand))):
            for texts in (names, [*map(str, labels)]):
                if text in texts:
                    return texts.index(text)
        raise UnknownNameError.of("hand", str(hand), names)

    def label(self, node: int) -> str:
        """Return a public node as text: its public observations in order."""
        texts = []
        while node > 0:
            texts.append(step_text(NOOP, None, self.observations[self.observation[node]]))
            node = int(self.parent[node])
        return join_steps(reversed(texts))

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """[V] the public nodes as text, as `label` writes them."""
        texts = [join_steps(())]
        steps = [step_text(NOOP, None, observation) for observation in self.observations]
        pairs = zip(self.parent.tolist(), self.observation.tolist(), strict=True)
        for parent, seen in islice(pairs, 1, None):
            before = (texts[parent],) if parent else ()
            texts.append(join_steps((*before, steps[seen])))
        return tuple(texts)

    @cached_property
    def children(self) -> dict[tuple[int, Hashable], int]:
        """The node that follows each node after each public observation."""
        steps = enumerate(zip(self.parent.tolist(), self.observation.tolist(), strict=True))
        return {
            (parent, self.observations[seen]): node for node, (parent, seen) in steps if parent >= 0
        }

    def advance(self, at: tuple[int, int], seen: Hashable) -> tuple[int, int]:
        """Return where a line continues after a public observation.

        Parameters
        ----------
        at
            A public node, and the permutation of `symmetry` that maps the line so far to that of
            the node; 0 if they are the same line.
        seen
            The public observation.

        Raises
        ------
        UnknownNameError
            If no line continues so.
        """
        node, permutation = at
        continued = seen
        if self.symmetry is not None and self.player[node] == CHANCE:
            continued, permutation = self.symmetry.represented(node, permutation, seen)
        if (node, continued) not in self.children:
            raise UnknownNameError(
                f"no line of {self.name} continues {self.label(node)!r} by {seen!r}"
            )
        return self.children[node, continued], permutation

    def find_line(self, line: str) -> tuple[int, int]:
        """Return the node of a line as text, and the permutation that maps the line to it."""
        at = 0, 0
        # A line is followed from the root, because one that symmetry omits has no node.
        for text in split_steps(line):
            steps = self._steps[at[0]]
            known = text if text in steps else self.source.normal_text(text)
            if known not in steps:
                break
            at = self.advance(at, steps[known])
        else:
            if self.player[at[0]] != CHANCE:
                return at
        own = np.flatnonzero(self.player != CHANCE).tolist()
        raise UnknownNameError.of("line", line, map(self.label, own))

    @cached_property
    def _steps(self) -> list[dict[str, Hashable]]:
        """[V] by text, the public observations that continue the line of each node."""
        omitted = () if self.symmetry is None else self.symmetry.observations
        of_chance = {step_text(NOOP, None, seen): seen for seen in omitted}
        steps = [dict(of_chance) if p == CHANCE else {} for p in self.player.tolist()]
        for node, seen in self.children:
            steps[node][step_text(NOOP, None, seen)] = seen
        return steps

    def hand_at(self, player: Player, hand: int, permutation: int) -> int:
        """Return the hand that takes the place of a hand under a permutation of `symmetry`."""
        if self.symmetry is None:
            return hand
        return int(self.symmetry.permutations[player][permutation, hand])

    def legal_actions(self, node: int) -> tuple[Action, ...]:
        """Return the legal actions at a public node; empty where chance acts."""
        return () if self.player[node] == CHANCE else self.action_sets[self.action_set[node]]

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 digest of public tree, hands, prior and payoffs; the same for equal forms."""
        digest = hashlib.sha256()
        labels = (self.hands, self.action_sets, self.observations)
        digest.update(canonical_text(labels).encode())
        ends = self.terminals
        first_payoff, payoff = ends.payoffs_of(ends.payoff_set)
        for whole in (
            *(self.player, self.parent, self.action, self.observation, self.action_set),
            *(self.hand_set, *self.hand_sets, *self.prior.cards),
            *(ends.node, ends.action, ends.hand_set, ends.operator, first_payoff),
            *(array for operator in self.operators for array in _strengths(operator)),
        ):
            digest.update(np.ascontiguousarray(whole).astype("<i8").tobytes())
        if self.symmetry is not None:
            for rows in (self.symmetry.class_map, *self.symmetry.classes):
                digest.update(rows.astype("<i8").tobytes())
        weights = [operator.weights for operator in self.operators if isinstance(operator, Dense)]
        for numbers in (self.prior.matrix(), ends.chance_reach, payoff, *weights):
            digest.update(np.ascontiguousarray(numbers).astype("<f8").tobytes())
        return digest.hexdigest()


def _hand_and_line(text: str) -> tuple[str, str]:
    """Return the hand and the line of an infostate as text, such as "[K] / pass / bet"."""
    hand, _, line = text.partition(" / ")
    if not (hand.startswith("[") and hand.endswith("]")):
        raise ParameterError(
            f"{text!r} is not an infostate, whose text begins with the hand in brackets; give a "
            "hand and a line, as in policy['K', 'pass / bet']"
        )
    return hand[1:-1], line or join_steps(())


def _strengths(operator: Operator) -> tuple[IntArray, ...]:
    return operator.strengths if isinstance(operator, Showdown) else ()


def nodes_below(form: PublicStructure, node: int) -> LongArray:
    """Return the public nodes at and after a node, in order."""
    return np.flatnonzero(with_descendants(form.parent, np.arange(form.num_nodes) == node))
