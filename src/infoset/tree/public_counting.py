"""The size of a public form, counted from public rules before anything is built."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np

from infoset.errors import CyclicGameError, GameTooLargeError
from infoset.forms import MAX_CARDS, Cards, CardSymmetries, Group
from infoset.game import PublicRules, scaled_hands
from infoset.tree.limits import allowed_memory
from infoset.utils.arguments import check_choice
from infoset.utils.text import format_bytes, format_count

BYTES_PER_SEQUENCE = {"float64": 51, "float32": 35}
"""By precision, the state, layout and payoffs of a method of the CFR family, and its measurements.
Methods with an adaptive prediction, such as `apcfr+`, need a third more."""

MAX_STEPS = 200_000
"""Number of actions and outcomes of chance up to which a form that does not fit is counted."""

BYTES_PER_PUBLIC_NODE = 450
"""Python objects and arrays of a public node or an end, while the form is built."""

BYTES_PER_PAIR = 20
"""Matrices of pairs of hands while the form is built, before a method allocates its state."""


@dataclass(frozen=True)
class PublicCounts:
    """The size of a public form."""

    nodes: int
    ends: int
    """Number of public nodes, and of ends of the public tree."""
    hands: tuple[int, int]
    """Number of hands of each player."""
    sequences: tuple[int, int]
    """Number of sequences of each player, including the empty one."""
    world_states: int
    histories: int
    terminals: int
    """Numbers of the game that `PublicRulesGame` describes, in which the first transition deals
    both hands, and nothing is merged. A game that describes its world states in another way may
    have fewer of them."""

    @property
    def bytes(self) -> int:
        """Forecast of the peak memory of building the form and solving it by CFR, in bytes."""
        return self.bytes_in("float64")

    def bytes_in(self, precision: str) -> int:
        """Return `bytes` for solving in a precision, "float64" or "float32"."""
        check_choice("precision", precision, tuple(BYTES_PER_SEQUENCE))
        public = BYTES_PER_PUBLIC_NODE * (self.nodes + self.ends)
        first, second = self.hands
        solving = BYTES_PER_SEQUENCE[precision] * sum(self.sequences)
        return max(public + solving, BYTES_PER_PAIR * first * second)


_State: TypeAlias = tuple[Hashable, Group]
"""A public state, and the permutations that map the cards dealt before it to themselves."""


class _Step(NamedTuple):
    """The state after an action or a deal: how many outcomes it represents, and their cards."""

    after: _State
    num_outcomes: int = 1
    cards: Cards = frozenset()


class _Below(NamedTuple):
    """Numbers of nodes, ends, each player's sequences, histories and terminal histories."""

    nodes: int = 0
    ends: int = 0
    first: int = 0
    second: int = 0
    histories: int = 0
    terminals: int = 0


class _PossiblePairs:
    """The number of pairs of hands that are possible at public states.

    Attributes
    ----------
    hands : tuple[tuple[PublicHand, ...], ...]
        Per player, the hands.
    dealt : dict[_State, Cards]
        The cards that chance has dealt before each state.
    """

    def __init__(self, rules: PublicRules, root: _State) -> None:
        self.hands = tuple(scaled_hands(rules.hands(player)) for player in range(2))
        self.dealt: dict[_State, Cards] = {root: frozenset()}
        self._known: dict[Cards, int] = {}

    def number(self, state: _State) -> int:
        """Return the number of pairs with a positive probability at a state."""
        dealt = self.dealt[state]
        if dealt not in self._known:
            self._known[dealt] = self._count(dealt)
        return self._known[dealt]

    def _count(self, dealt: Cards) -> int:
        """Return the number of pairs that share no card with each other or with those dealt.

        Inclusion and exclusion: hands that share two cards with a hand are subtracted twice.
        """
        first, second = (
            [frozenset(h.cards) for h in own if h.weight and dealt.isdisjoint(h.cards)]
            for own in self.hands
        )
        cards = Counter(card for hand in second for card in hand)
        same = Counter(hand for hand in second if len(hand) == MAX_CARDS)
        blocked = sum(sum(cards[card] for card in hand) - same[hand] for hand in first)
        return len(first) * len(second) - blocked


def count_public_form(
    rules: PublicRules,
    memory: int | None = None,
    merge_symmetric: bool = True,
    max_worlds: int | None = None,
) -> PublicCounts:
    """Count the nodes and sequences of a public form, visiting each public state once.

    Parameters
    ----------
    memory
        Limit in bytes on the form; by default that of `build_limits`, 70% of the free memory.
    merge_symmetric
        Whether the form merges what `PublicRules.symmetries` exchanges.
    max_worlds
        Limit on the number of world states.

    Raises
    ------
    CyclicGameError
        If a public state can be reached from itself.
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
    symmetries = CardSymmetries(rules, "the game", merge_symmetric)
    root: _State = (rules.initial_state(), symmetries.whole)
    known: dict[_State, _Below] = {}
    pairs = _PossiblePairs(rules, root)
    world_states = 1

    allowed = allowed_memory(memory)
    needed = num_steps = 0

    def visit(state: _State) -> list[_Step]:
        nonlocal world_states, needed, num_steps
        # As many states as permutations are represented by one, unless they map it to itself.
        world_states += len(symmetries.whole) // len(state[1]) * pairs.number(state)
        if max_worlds is not None and world_states > max_worlds:
            raise GameTooLargeError(
                f"the game has more than {max_worlds:,} world states; use smaller parameters, or "
                "raise max_worlds",
                {"world_states": world_states},
            )
        steps = _steps(rules, symmetries, state)
        # The form has each state at least once.
        needed += BYTES_PER_PUBLIC_NODE + len(steps) * _bytes_per_step(rules, symmetries, state)
        num_steps += len(steps)
        if needed > allowed and num_steps > MAX_STEPS:
            raise GameTooLargeError(
                f"the game has more than {len(known):,} public states, whose public form needs "
                f"more than the {format_bytes(allowed)} that are allowed: use smaller parameters, "
                "or raise memory",
                {"public_states": len(known)},
            )
        dealt = pairs.dealt[state]
        pairs.dealt.update((step.after, dealt.union(step.cards)) for step in steps)
        return steps

    # Depth first without recursion: a state is on the path until all states after it are known.
    path, steps_on_path = [root], [visit(root)]
    waiting = [[step.after for step in steps_on_path[0]]]
    on_path = {root}
    while path:
        left = waiting[-1]
        while left and left[-1] in known:
            left.pop()
        if left:
            state = left[-1]
            if state in on_path:
                raise CyclicGameError([before for before, _ in path[path.index(state) :]])
            path.append(state)
            steps_on_path.append(visit(state))
            waiting.append([step.after for step in steps_on_path[-1]])
            on_path.add(state)
            continue
        state = path.pop()
        waiting.pop()
        on_path.discard(state)
        steps = steps_on_path.pop()
        known[state] = _from(rules, symmetries, state, steps, known, pairs.number(state))
    total = known[root]
    first, second = map(len, pairs.hands)
    return PublicCounts(
        nodes=total.nodes,
        ends=total.ends,
        hands=(first, second),
        sequences=(1 + total.first, 1 + total.second),
        world_states=world_states,
        histories=1 + total.histories,
        terminals=total.terminals,
    )


def _bytes_per_step(rules: PublicRules, symmetries: CardSymmetries, at: _State) -> int:
    """Return the memory of the sequences of one action of all hands; 0 where chance acts."""
    state, group = at
    actor = None if rules.end(state) is not None else rules.actor(state)
    if actor is None:
        return 0
    # In single precision, in which more forms fit.
    return BYTES_PER_SEQUENCE["float32"] * symmetries.num_classes(group, actor)


def _steps(rules: PublicRules, symmetries: CardSymmetries, at: _State) -> list[_Step]:
    """Return the steps from a public state, which may lead to the same state; none at an end."""
    state, group = at
    if rules.end(state) is not None:
        return []
    if rules.actor(state) is None:
        merged = symmetries.merged(rules.deals(state), group)
        return [
            _Step((deal.next_state, after), number, frozenset(deal.cards))
            for deal, number, after in merged
        ]
    legal = rules.legal_actions(state)
    return [_Step((rules.next_state(state, action), group)) for action in legal]


def _from(
    rules: PublicRules,
    symmetries: CardSymmetries,
    at: _State,
    steps: list[_Step],
    known: dict[_State, _Below],
    num_pairs: int,
) -> _Below:
    """Return the counts from a state on, given those of the states after it."""
    if not steps:
        return _Below(ends=1, histories=num_pairs, terminals=num_pairs)
    columns = zip(*(known[step.after] for step in steps), strict=True)
    nodes, ends, *sequences, _, _ = [sum(column) for column in columns]
    actor = rules.actor(at[0])
    if actor is not None:
        sequences[actor] += len(steps) * symmetries.num_classes(at[1], actor)
    # Nodes and sequences are those of the form; histories are those of all outcomes it merges.
    below = [(step.num_outcomes, known[step.after]) for step in steps]
    histories = num_pairs + sum(number * after.histories for number, after in below)
    terminals = sum(number * after.terminals for number, after in below)
    return _Below(nodes + 1, ends, sequences[0], sequences[1], histories, terminals)


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
    if needed <= allowed and max(counts.sequences) <= np.iinfo(np.int32).max:
        return
    nodes, ends, sequences = map(format_count, (counts.nodes, counts.ends, sum(counts.sequences)))
    raise GameTooLargeError(
        f"{name} has {nodes} public nodes, {ends} ends and {sequences} sequences of public actions "
        f"and hands: its public form needs about {format_bytes(needed)}, and "
        f"{format_bytes(allowed)} are allowed; use smaller parameters, or raise memory",
        {"public_nodes": counts.nodes, "ends": counts.ends, "bytes": needed},
    )
