"""The size of a public form, counted from public rules before anything is built."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

import numpy as np

from infoset.errors import CyclicGameError, GameRuleError, GameTooLargeError
from infoset.forms import DIVIDED_FROM, MAX_CARDS, Cards, CardSymmetries, Group
from infoset.game import PublicRules, scaled_hands
from infoset.game.protocol import has_hook
from infoset.game.public_rules import STATE_RULES
from infoset.tree.limits import allowed_memory
from infoset.utils.arguments import check_choice
from infoset.utils.text import format_bytes, format_count

BYTES_PER_SEQUENCE = {"float64": 50, "float32": 33, "int16": 31}
"""By precision, for the state, layout, payoffs and measurements of a method of the CFR family.
Methods with an adaptive prediction, such as `apcfr+`, need a third more."""

BYTES_PER_DIVIDED_SEQUENCE = {"float64": 18, "float32": 9, "int16": 5}
BYTES_PER_HAND_OF_BOARD = {"float64": 130, "float32": 120, "int16": 160}
"""The same for a form divided into parts. Methods that predict regrets need half as much more."""

MAX_STEPS = 200_000
"""Number of actions and chance outcomes after which counting stops if the form does not fit."""

BYTES_PER_PUBLIC_NODE = 330
"""For the arrays of a public node or end, and for temporary arrays while the form is built."""

BYTES_PER_PAIR = 20
"""For matrices of pairs of hands while the form is built, before a method allocates its state."""


SECONDS_PER_PUBLIC_NODE = 1e-5
SECONDS_PER_WORLD, SECONDS_PER_HISTORY = 1e-5, 2e-7
"""For building the public form and the sequence form, measured by benchmarks/public_form.py."""
SECONDS_PER_SEQUENCE = {"public": 3e-9, "sequence": 1.4e-9}
SECONDS_PER_TERMINAL = 1.6e-10
"""For an iteration: by sequences on both forms, and by terminals only on the sequence form."""
TIMES_AS_LONG, MIN_SECONDS_SAVED = 3, 0.5
"""Limits of `PublicCounts.is_much_faster`."""

WITHOUT_CARDS = (
    "if PublicRules.without_cards is overridden, the public tree is the same on all boards"
)


@dataclass(frozen=True)
class PublicCounts:
    """The size of a public form."""

    nodes: int
    ends: int
    """Numbers of public nodes, and of ends of the public tree."""
    hands: tuple[int, int]
    """Number of hands of each player."""
    sequences: tuple[int, int]
    """Number of sequences of each player, including the empty one."""
    world_states: int
    histories: int
    terminals: int
    """Numbers for `PublicRulesGame`, in which the first transition deals both hands, and nothing is
    merged. A game with a different definition of world states may have fewer of them."""
    num_boards: int = field(default=1, compare=False)
    """Number of sets of cards that chance may have dealt, including the empty set."""

    @property
    def bytes(self) -> int:
        """Forecast of the peak memory of building the form and solving it by CFR, in bytes."""
        return self.bytes_in("float64")

    def bytes_in(self, precision: str) -> int:
        """Return `bytes` for solving in a precision of a method of the CFR family."""
        check_choice("precision", precision, tuple(BYTES_PER_SEQUENCE))
        public = BYTES_PER_PUBLIC_NODE * (self.nodes + self.ends)
        first, second = self.hands
        solving = BYTES_PER_SEQUENCE[precision] * sum(self.sequences)
        if self.num_boards > 1 and sum(self.sequences) >= DIVIDED_FROM:
            solving = BYTES_PER_DIVIDED_SEQUENCE[precision] * sum(self.sequences)
            solving += BYTES_PER_HAND_OF_BOARD[precision] * self.num_boards * (first + second)
        return max(public + solving, BYTES_PER_PAIR * first * second)

    def fits(self, allowed: int, precision: str = "float64") -> bool:
        """Return whether the form fits in `allowed` bytes and its sequences in 32-bit numbers."""
        few = max(self.sequences) <= np.iinfo(np.int32).max
        return few and self.bytes_in(precision) <= allowed

    def is_much_faster(self, num_gradients: int = 0) -> bool:
        """Return whether the form takes less than a third of the sequence form's time.

        Time is for building and for `num_gradients` gradients of each player. The form must also
        save more than half a second.
        """
        public, listed = (self.seconds(kind, num_gradients) for kind in ("public", "sequence"))
        return listed - public > MIN_SECONDS_SAVED and listed > TIMES_AS_LONG * public

    def seconds(self, kind: str, num_gradients: int) -> float:
        """Return the forecast of processor time on the "public" or the "sequence" form."""
        sequences = SECONDS_PER_SEQUENCE[kind] * sum(self.sequences)
        if kind == "public":
            building = SECONDS_PER_PUBLIC_NODE * (self.nodes + self.ends)
            return building + num_gradients * sequences
        building = SECONDS_PER_WORLD * self.world_states + SECONDS_PER_HISTORY * self.histories
        return building + num_gradients * (sequences + SECONDS_PER_TERMINAL * self.terminals)


def count_public_form(
    rules: PublicRules,
    memory: int | None = None,
    merge_symmetric: bool = True,
    max_worlds: int | None = None,
) -> PublicCounts:
    """Count the nodes and sequences of a public form before it is built.

    Each public state is visited once; states that differ only in the cards dealt are visited
    together if the rules define `PublicRules.without_cards`.

    Parameters
    ----------
    memory
        Limit in bytes on the form; by default that of `build_limits`, 70% of the free memory.
    merge_symmetric
        Whether the form merges lines and hands that `PublicRules.symmetries` exchange.
    max_worlds
        Limit on the number of world states.

    Raises
    ------
    CyclicGameError
        If a public state can be reached from itself.
    GameRuleError
        If `PublicRules.without_cards` is not valid for the game.
    GameTooLargeError
        If there are so many public states that the form would not fit in memory, or more world
        states than `max_worlds`.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> game = load_game("liars_dice(dice_sides=10)")
    >>> count_public_form(game.public_rules()).nodes
    1048576
    """
    return _Counter(rules, merge_symmetric, memory, max_worlds).counts()


class _Board(NamedTuple):
    """A public state with its dealt cards, and the permutations that map them to themselves."""

    state: Hashable
    group: Group
    dealt: Cards


class _Boards(NamedTuple):
    """The boards of public states that differ only in their boards."""

    number: int
    num_boards: int
    """Number of boards in the form, each of which represents all boards symmetric to it."""
    classes: tuple[int, int]
    """Per player, the sum over these boards of the number of classes of hands."""
    num_pairs: int
    """Sum over all boards of the number of possible pairs of hands."""


_Place: TypeAlias = tuple[Hashable, _Boards]
"""Public states that are counted together: their common state without cards, and their boards."""


class _Below(NamedTuple):
    """Numbers of nodes, ends, each player's sequences, histories and terminal histories."""

    nodes: int = 0
    ends: int = 0
    first: int = 0
    second: int = 0
    histories: int = 0
    terminals: int = 0


class _PossiblePairs:
    """The number of pairs of hands that are possible once chance has dealt cards."""

    def __init__(self, rules: PublicRules) -> None:
        self.hands = tuple(scaled_hands(rules.hands(player)) for player in range(2))
        self._given = rules.pair_weights()
        self._places: dict[Hashable, int] = {}
        self._known: dict[Cards, int] = {}
        own: list[list[frozenset[int]]] = [
            [self._numbers(hand.cards) for hand in hands if hand.weight] for hands in self.hands
        ]
        # [hands, cards] whether each hand contains each card.
        self._first, self._second = (
            np.array(
                [card in hand for hand in hands for card in self._places.values()], bool
            ).reshape(len(hands), len(self._places))
            for hands in own
        )
        same = Counter(hand for hand in own[1] if len(hand) == MAX_CARDS)
        self._same = np.array([same[hand] for hand in own[0]], np.int64)

    def _numbers(self, cards: Iterable[Hashable]) -> frozenset[int]:
        return frozenset(self._places.setdefault(card, len(self._places)) for card in cards)

    def number(self, dealt: Cards) -> int:
        """Return the number of disjoint pairs of hands without any of the dealt cards."""
        if dealt not in self._known:
            self._known[dealt] = self._count(dealt)
        return self._known[dealt]

    def _count(self, dealt: Cards) -> int:
        """Count pairs by inclusion and exclusion.

        The hand with the same two cards as another hand would be subtracted twice.
        """
        if self._given is not None:
            return sum(weight > 0 for row in self._given for weight in row)
        columns = [self._places[card] for card in dealt if card in self._places]
        first, second = (
            np.flatnonzero(~own[:, columns].any(axis=1)) for own in (self._first, self._second)
        )
        held = self._second[second].sum(axis=0)
        blocked = self._first[first] @ held - self._same[first]
        return len(first) * len(second) - int(blocked.sum())


class _Counter:
    """Counts of a public form, from the ends up."""

    def __init__(
        self, rules: PublicRules, merge_symmetric: bool, memory: int | None, max_worlds: int | None
    ) -> None:
        self.rules = rules
        self.symmetries = CardSymmetries(rules, "the game", merge_symmetric)
        self.pairs = _PossiblePairs(rules)
        self.merges_boards = has_hook(rules, "without_cards", STATE_RULES, PublicRules)
        self.allowed, self.max_worlds = allowed_memory(memory), max_worlds
        self.world_states = 1
        self.needed = self.num_steps = 0
        self.known: dict[_Place, _Below] = {}
        self.boards: dict[tuple[tuple[Group, Cards], ...], _Boards] = {}
        self.next_boards: dict[_Boards, _Boards] = {}
        self.start = _Board(rules.initial_state(), self.symmetries.whole, frozenset())
        self.root = self._place(self.start.state, self._boards([self.start]))
        # One state for each place.
        self.examples: dict[_Place, _Board] = {self.root: self.start}
        # The places on the current path, and the children of each that are not yet counted.
        self.path: list[_Place] = []
        self.waiting: list[list[_Place]] = []

    def counts(self) -> PublicCounts:
        """Return the size of the form."""
        self._visit_all()
        total = self.known[self.root]
        first, second = map(len, self.pairs.hands)
        return PublicCounts(
            nodes=total.nodes,
            ends=total.ends,
            hands=(first, second),
            sequences=(1 + total.first, 1 + total.second),
            world_states=self.world_states,
            histories=1 + total.histories,
            terminals=total.terminals,
            num_boards=len({dealt for boards in self.boards for _, dealt in boards}),
        )

    def _place(self, state: Hashable, boards: _Boards) -> _Place:
        return (self.rules.without_cards(state) if self.merges_boards else state), boards

    def _boards(self, found: Sequence[_Board]) -> _Boards:
        """Return the sums over boards."""
        key = tuple((one.group, one.dealt) for one in found)
        if key not in self.boards:
            whole, classes = len(self.symmetries.whole), self.symmetries.num_classes
            self.boards[key] = _Boards(
                len(self.boards),
                len(found),
                (sum(classes(g, 0) for g, _ in key), sum(classes(g, 1) for g, _ in key)),
                # A board represents one board per permutation, divided by the number of
                # permutations that map it to itself.
                sum(whole // len(group) * self.pairs.number(dealt) for group, dealt in key),
            )
        return self.boards[key]

    def _visit_all(self) -> None:
        # Depth first without recursion: a place stays on the path until its children are counted.
        on_path: set[_Place] = set()
        steps_on_path: list[list[_Place]] = []
        to_visit: _Place | None = self.root
        while to_visit or self.path:
            if to_visit:
                self.path.append(to_visit)
                on_path.add(to_visit)
                steps_on_path.append(self._visit(to_visit))
                self.waiting.append([*steps_on_path[-1]])
            left = self.waiting[-1]
            while left and left[-1] in self.known:
                left.pop()
            to_visit = left[-1] if left else None
            if to_visit in on_path:
                cycle = self.path[self.path.index(to_visit) :]
                raise CyclicGameError([self.examples[place].state for place in cycle])
            if not left:
                place = self.path.pop()
                self.waiting.pop()
                on_path.discard(place)
                self.known[place] = self._total(place, steps_on_path.pop())

    def _visit(self, place: _Place) -> list[_Place]:
        """Return the children of a place, which may repeat; an end does not have any."""
        boards, example = place[1], self.examples[place]
        self.world_states += boards.num_pairs
        if self.max_worlds is not None and self.world_states > self.max_worlds:
            raise GameTooLargeError(
                f"the game has more than {self.max_worlds:,} world states; use smaller "
                "parameters, or raise max_worlds",
                {"world_states": self.world_states},
            )
        rules, state = self.rules, example.state
        steps: list[_Place] = []
        if rules.end(state) is not None:
            self._add_needed(boards.num_boards)
        elif (actor := rules.actor(state)) is None:
            self._add_needed(boards.num_boards)
            steps = self._deal(place)
        else:
            for action in rules.legal_actions(state):
                after = example._replace(state=rules.next_state(state, action))
                steps.append(self._place(after.state, boards))
                self.examples.setdefault(steps[-1], after)
            self._add_needed(boards.num_boards, len(steps), boards.classes[actor])
        return steps

    def _add_needed(self, num_states: int, num_steps: int = 0, num_classes: int = 0) -> None:
        """Add public states to the lower bound on the form's memory.

        Raises
        ------
        GameTooLargeError
            If the bound exceeds the limit, and counting all states would take long.
        """
        # The bound is for the precision in which most forms fit.
        step = min(BYTES_PER_DIVIDED_SEQUENCE.values()) * num_classes
        self.needed += BYTES_PER_PUBLIC_NODE * num_states + num_steps * step
        self.num_steps += 1 + num_steps
        if self.needed > self.allowed and self.num_steps > MAX_STEPS:
            raise GameTooLargeError(
                f"the game has more than {self.num_steps:,} public states, and its public form "
                f"exceeds the memory limit of {format_bytes(self.allowed)}: use smaller "
                "parameters, or raise memory",
                {"public_states": self.num_steps},
            )

    def _deal(self, place: _Place) -> list[_Place]:
        """Return the children of a chance move."""
        after = self._after_deals(self.examples[place])
        if not after:
            return []
        if not self.merges_boards:
            steps = [self._place(one.state, self._boards([one])) for one in after]
            self.examples.update(zip(steps, after, strict=True))
            return steps
        boards = place[1]
        if boards not in self.next_boards:
            found = [one for board in self._on_all_boards() for one in self._after_deals(board)]
            self._check_equal(found)
            self.next_boards[boards] = self._boards(found)
        self._check_equal(after)
        step = self._place(after[0].state, self.next_boards[boards])
        self.examples.setdefault(step, after[0])
        return [step]

    def _after_deals(self, board: _Board) -> list[_Board]:
        """Return the boards after a chance move, one for each class of symmetric boards."""
        merged = self.symmetries.merged(self.rules.deals(board.state), board.group)
        found = [
            _Board(deal.next_state, group, board.dealt.union(deal.cards))
            for deal, _, group in merged
        ]
        self._add_needed(0, len(found))
        return found

    def _on_all_boards(self) -> list[_Board]:
        """Return the state on each board after the actions on the current path."""
        found = [self.start]
        for place, left in zip(self.path[:-1], self.waiting, strict=True):
            if self.rules.actor(self.examples[place].state) is None:
                found = [one for board in found for one in self._after_deals(board)]
            else:
                found = [self._after_action(board, len(left) - 1) for board in found]
        self._check_equal([self.examples[self.path[-1]], *found])
        return found

    def _after_action(self, board: _Board, index: int) -> _Board:
        action = self.rules.legal_actions(board.state)[index]
        return board._replace(state=self.rules.next_state(board.state, action))

    def _check_equal(self, boards: Sequence[_Board]) -> None:
        """Raise an error unless states differ only in the cards dealt."""
        seen = {self.rules.without_cards(board.state): board.state for board in boards}
        if len(seen) > 1:
            first, second, *_ = seen.values()
            raise GameRuleError(
                WITHOUT_CARDS,
                found=f"the public rules: without_cards({first!r}) and without_cards({second!r}) "
                "differ after the same actions",
            )

    def _total(self, place: _Place, steps: list[_Place]) -> _Below:
        """Return the counts of the subtree of a place, given those of its children."""
        boards = place[1]
        if not steps:
            return _Below(
                ends=boards.num_boards, histories=boards.num_pairs, terminals=boards.num_pairs
            )
        columns = zip(*(self.known[step] for step in steps), strict=True)
        nodes, ends, *sequences, histories, terminals = [sum(column) for column in columns]
        actor = self.rules.actor(self.examples[place].state)
        if actor is not None:
            sequences[actor] += len(steps) * boards.classes[actor]
        return _Below(
            nodes + boards.num_boards,
            ends,
            sequences[0],
            sequences[1],
            histories + boards.num_pairs,
            terminals,
        )


def check_public_form_fits(
    counts: PublicCounts, name: str, memory: int | None = None, precision: str = "float64"
) -> None:
    """Raise if a public form would not fit in memory, before anything is built.

    Parameters
    ----------
    name
        Name of the game for the error message.
    memory
        Limit in bytes; by default that of `build_limits`, 70% of the free memory.
    precision
        Precision in which the form is to be solved.

    Raises
    ------
    GameTooLargeError
        If the forecast is above the limit, or a player has more sequences than 32 bits can number.
    """
    allowed, needed = allowed_memory(memory), counts.bytes_in(precision)
    if counts.fits(allowed, precision):
        return
    nodes, ends, sequences = map(format_count, (counts.nodes, counts.ends, sum(counts.sequences)))
    raise GameTooLargeError(
        f"{name} has {nodes} public nodes, {ends} ends and {sequences} sequences of public actions "
        f"and hands: its public form needs about {format_bytes(needed)}, and "
        f"{format_bytes(allowed)} are allowed; use smaller parameters, or raise memory",
        {"public_nodes": counts.nodes, "ends": counts.ends, "bytes": needed},
    )
