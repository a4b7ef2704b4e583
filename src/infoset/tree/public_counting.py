"""The size of a public form, counted from public rules before anything is built."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np

from infoset.errors import CyclicGameError, GameTooLargeError
from infoset.game import PublicRules
from infoset.tree.counting import allowed_memory
from infoset.tree.hand_symmetry import CardSymmetries, Group
from infoset.utils.text import format_bytes, format_count

__all__ = ["PublicCounts", "check_public_form_fits", "count_public_form"]

BYTES_PER_SEQUENCE = 80
"""State, layout and treeplex of a CFR method, and the plans of a measurement."""

BYTES_PER_PUBLIC_NODE = 600
"""Python objects and arrays of a public node or an end, while the form is built."""


@dataclass(frozen=True)
class PublicCounts:
    """The size of a public form.

    Attributes
    ----------
    nodes, ends : int
        Number of public nodes, and of ends of the public tree.
    hands : tuple[int, int]
        Number of hands of each player.
    sequences : tuple[int, int]
        Number of sequences of each player, including the empty one.
    """

    nodes: int
    ends: int
    hands: tuple[int, int]
    sequences: tuple[int, int]

    @property
    def bytes(self) -> int:
        """Forecast of the peak memory of building the form and solving it by CFR, in bytes."""
        public = BYTES_PER_PUBLIC_NODE * (self.nodes + self.ends)
        return public + BYTES_PER_SEQUENCE * sum(self.sequences)


_State: TypeAlias = tuple[Hashable, Group]
"""A public state, and the permutations that map the cards dealt before it to themselves."""


class _Below(NamedTuple):
    """Numbers of nodes, ends, and sequences of each player from a public state on."""

    nodes: int = 0
    ends: int = 0
    first: int = 0
    second: int = 0


def count_public_form(
    rules: PublicRules, memory: int | None = None, merge_symmetric: bool = True
) -> PublicCounts:
    """Count the nodes and sequences of a public form, visiting each public state once.

    Parameters
    ----------
    rules : PublicRules
    memory : int, optional
        Limit in bytes on the form; by default 70% of the free memory.
    merge_symmetric : bool
        Whether the form merges what `PublicRules.symmetries` exchanges.

    Raises
    ------
    CyclicGameError
        If a public state can be reached from itself.
    GameTooLargeError
        If there are so many public states that the form would not fit in memory.

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
    # Depth first without recursion: a state is on the path until all states after it are known.
    path = [root]
    waiting = [_following(rules, symmetries, root)]
    on_path = {root}
    max_states = allowed_memory(memory) // BYTES_PER_PUBLIC_NODE
    while path:
        if len(known) > max_states:
            raise GameTooLargeError(
                f"the game has more than {max_states:,} public states, whose public form needs "
                "more memory than is allowed: use smaller parameters, or raise memory",
                {"public_states": len(known)},
            )
        left = waiting[-1]
        while left and left[-1] in known:
            left.pop()
        if left:
            state = left[-1]
            if state in on_path:
                raise CyclicGameError([before for before, _ in path[path.index(state) :]])
            path.append(state)
            waiting.append(_following(rules, symmetries, state))
            on_path.add(state)
            continue
        state = path.pop()
        waiting.pop()
        on_path.discard(state)
        known[state] = _from(rules, symmetries, state, known)
    total = known[root]
    first, second = (len(rules.hands(player)) for player in range(2))
    return PublicCounts(
        nodes=total.nodes,
        ends=total.ends,
        hands=(first, second),
        sequences=(1 + total.first, 1 + total.second),
    )


def _following(rules: PublicRules, symmetries: CardSymmetries, at: _State) -> list[_State]:
    """Return the public states after a state, with repetitions; empty at an end."""
    state, group = at
    if rules.end(state) is not None:
        return []
    if rules.actor(state) is None:
        merged = symmetries.merged(rules.deals(state), group)
        return [(deal.next_state, after) for deal, _, after in merged]
    return [(rules.next_state(state, action), group) for action in rules.legal_actions(state)]


def _from(
    rules: PublicRules, symmetries: CardSymmetries, at: _State, known: dict[_State, _Below]
) -> _Below:
    """Return the counts from a state on, given those of the states after it."""
    following = _following(rules, symmetries, at)
    if not following:
        return _Below(ends=1)
    columns = zip(*(known[after] for after in following), strict=True)
    nodes, ends, *sequences = [sum(column) for column in columns]
    actor = rules.actor(at[0])
    if actor is not None:
        sequences[actor] += len(following) * symmetries.num_classes(at[1], actor)
    return _Below(nodes + 1, ends, *sequences)


def check_public_form_fits(counts: PublicCounts, name: str, memory: int | None = None) -> None:
    """Raise if a public form would not fit in memory, before anything is built.

    Parameters
    ----------
    counts : PublicCounts
    name : str
        Name of the game for the error message.
    memory : int, optional
        Limit in bytes; by default 70% of the free memory.

    Raises
    ------
    GameTooLargeError
        If the forecast is above the limit, or a player has more sequences than 32 bits can number.
    """
    allowed = allowed_memory(memory)
    if counts.bytes <= allowed and max(counts.sequences) <= np.iinfo(np.int32).max:
        return
    nodes, ends, sequences = map(format_count, (counts.nodes, counts.ends, sum(counts.sequences)))
    raise GameTooLargeError(
        f"{name} has {nodes} public nodes, {ends} ends and {sequences} sequences of public actions "
        f"and hands: its public form needs about {format_bytes(counts.bytes)}, and "
        f"{format_bytes(allowed)} are allowed; use smaller parameters, or raise memory",
        {"public_nodes": counts.nodes, "ends": counts.ends, "bytes": counts.bytes},
    )
