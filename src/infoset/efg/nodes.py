"""Writing an extensive form by hand: nodes within nodes."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeAlias, TypeVar

from infoset.efg.form import TERMINAL, Outcome
from infoset.errors import ParameterError
from infoset.game import Probability
from infoset.typing import CHANCE, Action, Player
from infoset.utils.arguments import SUM_TOLERANCE

__all__ = ["Node", "chance", "decision", "terminal"]

Target = TypeVar("Target")

Moves: TypeAlias = Mapping[Action, "Node"] | Iterable[tuple[Action, "Node"]]
ChanceMove: TypeAlias = tuple[Probability, "Node"]
ChanceMoves: TypeAlias = Mapping[Action, ChanceMove] | Iterable[tuple[Action, ChanceMove]]


@dataclass(frozen=True, eq=False)
class Node:
    """A history of an extensive form, with all that follows; made by the functions below.

    Attributes
    ----------
    actor : Player
        The player who acts, `CHANCE`, or `TERMINAL`.
    labels : tuple[Action, ...]
        Labels of the moves.
    children : tuple[Node, ...]
        Where they lead.
    probabilities : tuple[Probability, ...]
        Nature's probabilities of them; empty where a player acts.
    outcome : Outcome or None
        What is paid on arrival.
    sees : Mapping[Player, Hashable]
        The information sets of players here, by any name; the actor's own is among them.
    public : Hashable
        The public set; None where public sets are not given.
    name : str
        A name for the history, may be empty.
    """

    actor: Player
    labels: tuple[Action, ...] = ()
    children: tuple[Node, ...] = ()
    probabilities: tuple[Probability, ...] = ()
    outcome: Outcome | None = None
    sees: Mapping[Player, Hashable] = field(default_factory=dict)
    public: Hashable = None
    name: str = ""


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
    player : Player
    infoset : Hashable
        The player's information set: histories with the same one cannot be told apart.
    moves : mapping, or iterable of pairs
        Where each action leads; pairs, where two actions have one label.
    sees : Mapping[Player, Hashable], optional
        Information sets of the other players.
    public : Hashable, optional
        Public set.
    outcome : Outcome, optional
        What is paid on arrival.
    name : str
        A name for the history.

    Raises
    ------
    ParameterError
        If there is no move.

    Examples
    --------
    >>> guess = decision(1, "guess", {"heads": terminal(-1, 1), "tails": terminal(1, -1)})
    >>> guess.labels
    ('heads', 'tails')
    """
    labels, children = _split(moves)
    if not labels:
        raise ParameterError(
            f"player {player} has no move at information set {infoset!r}; a history without moves "
            "is terminal(...)"
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
    """Make a history at which nature moves.

    Parameters
    ----------
    moves : mapping, or iterable of pairs
        Each move's probability and where it leads.
    sees, public, outcome, name
        As in `decision`.

    Raises
    ------
    ParameterError
        If probabilities are negative, or do not sum to one.

    Examples
    --------
    >>> from fractions import Fraction
    >>> half = Fraction(1, 2)
    >>> flip = chance({"heads": (half, terminal(1, -1)), "tails": (half, terminal(-1, 1))})
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
        or not abs(float(total) - 1) <= SUM_TOLERANCE  # so that NaN is refused
    ):
        raise ParameterError(
            f"nature's probabilities {[str(p) for p in probabilities]} sum to {total}; they are "
            "not negative and sum to 1"
        )
    return Node(CHANCE, labels, children, tuple(probabilities), outcome, sees or {}, public, name)


def terminal(
    *payoffs: float,
    sees: Mapping[Player, Hashable] | None = None,
    public: Hashable = None,
    outcome: Outcome | None = None,
    name: str = "",
) -> Node:
    """Make a history that ends the game, with what each player is paid there.

    Parameters
    ----------
    *payoffs : float
        One per player, in the game's units; `Fraction` is kept exact. None for nothing.
    sees, public, name
        As in `decision`.
    outcome : Outcome, optional
        The payoffs with a name, instead.
    """
    paid = Outcome(payoffs) if payoffs else outcome
    return Node(TERMINAL, (), (), (), paid, sees or {}, public, name)


def _split(
    moves: Mapping[Action, Target] | Iterable[tuple[Action, Target]],
) -> tuple[tuple[Action, ...], tuple[Target, ...]]:
    """Return the labels of moves, and where they lead."""
    pairs = list(moves.items() if isinstance(moves, Mapping) else moves)
    labels = tuple("" if label is None else label for label, _ in pairs)
    return labels, tuple(target for _, target in pairs)
