"""Making an extensive form of nodes within nodes."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from math import isfinite
from typing import TypeVar

import numpy as np

from infoset.efg.form import TERMINAL, ExtensiveForm
from infoset.efg.nodes import Node
from infoset.errors import ParameterError
from infoset.game import Probability
from infoset.typing import CHANCE, IntArray

__all__ = ["extensive_form_from_nodes"]

NOTHING = -1

Value = TypeVar("Value", bound=Hashable)


def extensive_form_from_nodes(
    root: Node, *, players: int | Sequence[str] = 2, name: str = "extensive form"
) -> ExtensiveForm:
    """Make an extensive form from its root.

    Parameters
    ----------
    root : Node
    players : int or sequence of str
        How many players there are, or their names.
    name : str
        The game's name.

    Returns
    -------
    ExtensiveForm
        Augmented if every node says what every player sees, and its public set.

    Raises
    ------
    ParameterError
        If a node names a player there is not, pays a wrong number of players or an infinite
        amount, or some nodes have a public set and some have none.

    Examples
    --------
    Matching pennies; player 1 does not see what player 0 hid.

    >>> from infoset.efg import chance, decision, extensive_form_from_nodes, terminal
    >>> def guess(hidden):
    ...     win, lose = terminal(-1, 1), terminal(1, -1)
    ...     ends = (win, lose) if hidden == "heads" else (lose, win)
    ...     return decision(1, "guess", dict(zip(("heads", "tails"), ends)))
    >>> pennies = extensive_form_from_nodes(
    ...     decision(0, "hide", {"heads": guess("heads"), "tails": guess("tails")})
    ... )
    >>> pennies.num_histories, pennies.sequence_form.constant_sum
    (7, 0.0)
    """
    names = _player_names(players)
    nodes, parent = _breadth_first(root)
    for node in nodes:
        _check(node, names)
    moves, move = _interned([label for node in nodes for label in node.labels])
    drawn: list[Probability | None] = []
    for node in nodes:
        drawn.extend(node.probabilities or [None] * len(node.labels))
    probabilities: tuple[Probability, ...]
    probabilities, chance_index = _interned(drawn)
    outcomes, outcome = _interned([node.outcome for node in nodes])
    columns = [_interned([node.sees.get(p) for node in nodes]) for p in range(len(names))]
    public_names, public_set = _interned([node.public for node in nodes])
    counts = np.array([0, *(len(node.children) for node in nodes)])
    return ExtensiveForm(
        name=name,
        player_names=names,
        parent=parent,
        first_child=(1 + np.cumsum(counts)).astype(np.int32),
        actor=np.array([node.actor for node in nodes], np.int32),
        move=_after_root(move),
        moves=moves,
        chance=_after_root(chance_index),
        probabilities=probabilities,
        outcome=outcome,
        outcomes=outcomes,
        infoset=np.stack([column for _, column in columns], axis=1),
        infoset_names=tuple(tuple(map(str, labels)) for labels, _ in columns),
        public_set=_all_or_none(public_set),
        public_names=tuple(map(str, public_names)),
        history_names=tuple(node.name for node in nodes),
    )


def _player_names(players: int | Sequence[str]) -> tuple[str, ...]:
    if isinstance(players, int):
        return tuple(f"player {player}" for player in range(players))
    return tuple(players)


def _breadth_first(root: Node) -> tuple[list[Node], IntArray]:
    """Return all nodes, and [H] the position of each one's parent."""
    nodes, parent = [root], [-1]
    for position, node in enumerate(nodes):  # grows while it is walked
        nodes.extend(node.children)
        parent.extend([position] * len(node.children))
    return nodes, np.array(parent, np.int32)


def _check(node: Node, names: Sequence[str]) -> None:
    for player in {node.actor, *node.sees} - {CHANCE, TERMINAL}:
        if not 0 <= player < len(names):
            raise ParameterError(
                f"a node names player {player}, but there are {len(names)} players, from 0 on; "
                "give their number to extensive_form_from_nodes(root, players=...)"
            )
    if node.outcome is None:
        return
    payoffs = node.outcome.payoffs
    if len(payoffs) != len(names) or not all(isfinite(value) for value in payoffs):
        raise ParameterError(
            f"the payoffs {[str(value) for value in payoffs]} are not one finite number for each "
            f"of {len(names)} players"
        )


def _interned(values: Sequence[Value | None]) -> tuple[tuple[Value, ...], IntArray]:
    """Return the different values by first appearance, and the index of each; -1 for None.

    Equal values of different types, such as 1 and True, are different.
    """
    numbers: dict[tuple[type, Value], int] = {}
    index = [
        NOTHING if value is None else numbers.setdefault((type(value), value), len(numbers))
        for value in values
    ]
    return tuple(value for _, value in numbers), np.array(index, np.int32)


def _after_root(index: IntArray) -> IntArray:
    return np.concatenate([[-1], index]).astype(np.int32)


def _all_or_none(public_set: IntArray) -> IntArray | None:
    if (public_set < 0).all():
        return None
    if (public_set < 0).any():
        raise ParameterError(
            "some nodes have a public set and some have none; give `public` to all of them or to "
            "none"
        )
    return public_set
