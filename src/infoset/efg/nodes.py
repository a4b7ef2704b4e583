"""Extensive forms that are written by hand as nested nodes."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import isfinite
from typing import TypeAlias, TypeVar

import numpy as np

from infoset.efg.extensive_form import ExtensiveForm
from infoset.efg.histories import TERMINAL, Outcome
from infoset.errors import ParameterError
from infoset.game import Probability
from infoset.typing import CHANCE, Action, IntArray, Player
from infoset.utils.arguments import SUM_TOLERANCE

Target = TypeVar("Target")
Value = TypeVar("Value", bound=Hashable)

Moves: TypeAlias = Mapping[Action, "Node"] | Iterable[tuple[Action, "Node"]]
ChanceMove: TypeAlias = tuple[Probability, "Node"]
ChanceMoves: TypeAlias = Mapping[Action, ChanceMove] | Iterable[tuple[Action, ChanceMove]]


@dataclass(frozen=True, eq=False)
class Node:
    """A history of an extensive form and its descendants; see `decision`, `chance`, `terminal`."""

    actor: Player
    """The acting player, `CHANCE` or `TERMINAL`."""
    labels: tuple[Action, ...] = ()
    """Labels of the moves."""
    children: tuple[Node, ...] = ()
    """The node after each move."""
    probabilities: tuple[Probability, ...] = ()
    """Probabilities of the moves of chance; empty where a player acts."""
    outcome: Outcome | None = None
    """Payoffs on arrival."""
    sees: Mapping[Player, Hashable] = field(default_factory=dict)
    """Name of each player's information set, including that of the actor."""
    public: Hashable = None
    """Name of the public set; None if there are no public sets."""
    name: str = ""
    """Name of the history; may be empty."""


def decision(
    player: Player,
    infoset: Hashable,
    moves: Moves,
    *,
    sees: Mapping[Player, Hashable] | None = None,
    public: Hashable = None,
    outcome: Outcome | None = None,
    name: str = "",
) -> Node:
    """Make a history at which a player acts.

    Parameters
    ----------
    infoset
        Name of the player's information set. The player cannot tell histories with the same
        name apart.
    moves : mapping, or iterable of pairs
        The node after each action; pairs allow two actions with the same label.
    sees
        Information sets of the other players.
    public
        Public set.
    outcome
        Payoffs on arrival.
    name
        Name of the history.

    Raises
    ------
    ParameterError
        If `moves` is empty.

    Examples
    --------
    >>> guess = decision(
    ...     1, "guess", {"heads": terminal(-1, 1), "tails": terminal(1, -1)}
    ... )
    >>> guess.labels
    ('heads', 'tails')
    """
    labels, children = _split(moves)
    if not labels:
        raise ParameterError(
            f"player {player} has no move at information set {infoset!r}; write a history without "
            "moves as terminal(...)"
        )
    own = {**(sees or {}), player: infoset}
    return Node(player, labels, children, (), outcome, own, public, name)


def chance(
    moves: ChanceMoves,
    *,
    sees: Mapping[Player, Hashable] | None = None,
    public: Hashable = None,
    outcome: Outcome | None = None,
    name: str = "",
) -> Node:
    """Make a history at which chance moves.

    Parameters
    ----------
    moves : mapping, or iterable of pairs
        The probability of each move and the node after it.
    sees, public, outcome, name
        As in `decision`.

    Examples
    --------
    >>> from fractions import Fraction
    >>> half = Fraction(1, 2)
    >>> flip = chance(
    ...     {"heads": (half, terminal(1, -1)), "tails": (half, terminal(-1, 1))}
    ... )
    >>> flip.probabilities
    (Fraction(1, 2), Fraction(1, 2))
    """
    pairs: tuple[ChanceMove, ...]
    labels, pairs = _split(moves)
    probabilities = [probability for probability, _ in pairs]
    children = tuple(child for _, child in pairs)
    total = sum(probabilities, start=Fraction())
    if (
        any(float(probability) < 0 for probability in probabilities)
        or not abs(float(total) - 1) <= SUM_TOLERANCE  # `not <=` also rejects NaN
    ):
        raise ParameterError(
            f"the chance probabilities {[str(p) for p in probabilities]} sum to {total}; they must "
            "be nonnegative and sum to 1"
        )
    return Node(CHANCE, labels, children, tuple(probabilities), outcome, sees or {}, public, name)


def terminal(
    *payoffs: float,
    sees: Mapping[Player, Hashable] | None = None,
    public: Hashable = None,
    outcome: Outcome | None = None,
    name: str = "",
) -> Node:
    """Make a terminal history with the payoff of each player.

    Parameters
    ----------
    *payoffs
        One per player, in the game's units; `Fraction` values remain exact. Without numbers there
        are no payoffs.
    sees, public, name
        As in `decision`.
    outcome
        Payoffs with a name, instead of `payoffs`.
    """
    paid = Outcome(payoffs) if payoffs else outcome
    return Node(TERMINAL, (), (), (), paid, sees or {}, public, name)


def _split(
    moves: Mapping[Action, Target] | Iterable[tuple[Action, Target]],
) -> tuple[tuple[Action, ...], tuple[Target, ...]]:
    """Return the labels of moves and their targets."""
    pairs = list(moves.items() if isinstance(moves, Mapping) else moves)
    labels = tuple("" if label is None else label for label, _ in pairs)
    return labels, tuple(target for _, target in pairs)


def extensive_form_from_nodes(
    root: Node, *, players: int | Sequence[str] = 2, name: str = "extensive form"
) -> ExtensiveForm:
    """Build an extensive form from the root of nested nodes.

    Payoffs of zero without a name count as no payoffs.

    Parameters
    ----------
    players : int or sequence of str
        Number of players, or their names.
    name
        The game's name.

    Returns
    -------
    ExtensiveForm
        Augmented if every node gives an information set for every player and a public set;
        classical otherwise.

    Raises
    ------
    ParameterError
        If a node names a player that does not exist, if its payoffs are not one finite number
        per player, or if only some nodes have a public set.

    Examples
    --------
    Matching pennies: player 1 does not see which side player 0 hid.

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
    if isinstance(players, int):
        players = [f"player {player}" for player in range(players)]
    names = tuple(players)
    nodes, parent = _breadth_first(root)
    for node in nodes:
        _check(node, names)
    moves, move = _interned([label for node in nodes for label in node.labels])
    drawn: list[Probability | None] = []
    for node in nodes:
        drawn.extend(node.probabilities or [None] * len(node.labels))
    probabilities: tuple[Probability, ...]
    probabilities, chance_index = _interned(drawn)
    outcomes, outcome = _interned([_paid(node) for node in nodes])
    columns = [_interned([node.sees.get(p) for node in nodes]) for p in range(len(names))]
    public_names, public_set = _interned([node.public for node in nodes])
    # Breadth first, children are consecutive: all those of earlier histories come before.
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


def _breadth_first(root: Node) -> tuple[list[Node], IntArray]:
    """Return all nodes breadth first, and [H] the position of the parent of each."""
    nodes, parent = [root], [-1]
    for position, node in enumerate(nodes):  # grows during the loop
        nodes.extend(node.children)
        parent.extend([position] * len(node.children))
    return nodes, np.array(parent, np.int32)


def _check(node: Node, names: Sequence[str]) -> None:
    for player in {node.actor, *node.sees} - {CHANCE, TERMINAL}:
        if not 0 <= player < len(names):
            raise ParameterError(
                f"a node names player {player}, but there are {len(names)} players, numbered "
                "from 0; pass their number to extensive_form_from_nodes(root, players=...)"
            )
    if node.outcome is None:
        return
    payoffs = node.outcome.payoffs
    if len(payoffs) != len(names) or not all(isfinite(value) for value in payoffs):
        raise ParameterError(
            f"the payoffs {[str(value) for value in payoffs]} are not one finite number for each "
            f"of the {len(names)} players"
        )


def _paid(node: Node) -> Outcome | None:
    """Return the outcome of a node; None if it has no name and pays nothing."""
    outcome = node.outcome
    return outcome if outcome is not None and (outcome.name or any(outcome.payoffs)) else None


def _interned(values: Sequence[Value | None]) -> tuple[tuple[Value, ...], IntArray]:
    """Return the distinct values in order of appearance, and the index of each; -1 for None.

    Equal values of different types, such as 1 and True, count as different.
    """
    numbers: dict[tuple[type, Value], int] = {}
    index = [
        -1 if value is None else numbers.setdefault((type(value), value), len(numbers))
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
            "only some nodes have a public set; pass `public` to all nodes or to no node"
        )
    return public_set
