"""Transformations of policies, such as one that plays high cards more often.

An opponent who may choose among transformations of its policy wherever look-ahead search stops
makes the search robust: it no longer relies on a single continuation of play.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final, TypeAlias

import numpy as np

from infoset.errors import ParameterError, UnknownNameError
from infoset.forms import Form
from infoset.policy.tabular import TabularPolicy
from infoset.typing import Action, IntArray, Player
from infoset.utils.arguments import check_player, check_type

Array: TypeAlias = Any
"""An array of NumPy or of another library with the same functions, such as JAX."""

RARE_BONUS: Final = 1e-3
"""Added to the transformation that prefers rare actions, so that none gets probability zero."""

FLOOR: Final = 1e-8
"""Least weight of a legal action in transformations that keep all actions: ratios stay finite."""

NO_ACTION: Final = -1


@dataclass(frozen=True, eq=False)
class ActionTable:
    """The legal actions at infostates, one row per infostate.

    Actions that are legal together somewhere, directly or through others, belong to one phase of
    the game: the shots in Battleship, for example, but not the placements of ships. The actions of
    a phase are numbered from 1 in the order in which the game lists them, which is the order of the
    cards in Goofspiel and of the cells in Battleship.

    The arrays may be those of NumPy, or of another library with the same functions, such as JAX.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.tree import build_tree
    >>> form = build_tree(load_game("leduc_poker")).sequence_form
    >>> table = ActionTable.of(form, 0)
    >>> table.actions, table.column[1].tolist()
    (('call', 'raise', 'fold'), [0, 1, -1])
    """

    actions: tuple[Action, ...]
    """The different actions."""
    column: Array
    """[I, A] index in `actions` of each legal action; -1 beyond the last one. A is the largest
    number of legal actions, or 1 if the player never acts."""
    number: Array
    """[I, A] number of each legal action within its phase, from 1; 0 beyond the last one."""
    phase_size: Array
    """[I] number of actions of the infostate's phase."""

    @property
    def legal(self) -> Array:
        """[I, A] whether there is an action."""
        return self.column >= 0

    @classmethod
    def of_lists(cls, lists: Sequence[Sequence[Action]]) -> ActionTable:
        """Return the table of infostates with these legal actions, each a separate phase."""
        actions = tuple(dict.fromkeys(action for legal in lists for action in legal))
        index = {action: column for column, action in enumerate(actions)}
        sizes = [len(legal) for legal in lists]
        width = max(sizes, default=1)
        return cls(
            actions,
            _padded([[index[action] for action in legal] for legal in lists], width, NO_ACTION),
            _padded([[*range(1, size + 1)] for size in sizes], width, 0),
            np.array(sizes, np.int32),
        )

    @classmethod
    def of(cls, form: Form, player: Player) -> ActionTable:
        """Return the table of all acting infostates of a player."""
        count = form.treeplexes[player].num_infostates
        rows = [form.actions_at(player, infostate) for infostate in range(count)]
        sets = dict.fromkeys(rows)
        actions = tuple(dict.fromkeys(action for legal in sets for action in legal))
        numbers, sizes = _number_actions(sets)
        width = max(map(len, sets), default=1)
        index = {action: column for column, action in enumerate(actions)}
        # A row is computed once for each list of legal actions; most games have few such lists.
        place = {legal: number for number, legal in enumerate(sets)}
        chosen = np.array([place[legal] for legal in rows], np.int64)
        return cls(
            actions,
            _padded([[index[a] for a in legal] for legal in sets], width, NO_ACTION)[chosen],
            _padded([[numbers[a] for a in legal] for legal in sets], width, 0)[chosen],
            np.array([sizes[legal[0]] for legal in sets], np.int32)[chosen],
        )


def _padded(rows: Sequence[Sequence[int]], width: int, filler: int) -> IntArray:
    """Return [number of rows, width] rows as an array, filled up at the end."""
    return np.array(
        [[*row, *[filler] * (width - len(row))] for row in rows], dtype=np.int32
    ).reshape(len(rows), width)


def _number_actions(
    sets: Iterable[tuple[Action, ...]],
) -> tuple[dict[Action, int], dict[Action, int]]:
    """Return by action its number within its phase, from 1, and the size of the phase."""
    phases: list[dict[Action, None]] = []
    # The longest lists come first, because they have the actions in their order.
    for legal in sorted(sets, key=len, reverse=True):
        merged = dict.fromkeys(legal)
        # One list can join several phases; what it adds comes after their actions.
        others = []
        for phase in phases:
            if phase.keys().isdisjoint(legal):
                others.append(phase)
            else:
                merged = phase | merged
        phases = [*others, merged]
    numbers = {action: n for phase in phases for n, action in enumerate(phase, start=1)}
    sizes = {action: len(phase) for phase in phases for action in phase}
    return numbers, sizes


@dataclass(frozen=True)
class Transformation:
    """A map of the policy at one infostate to another policy there.

    It is applied at every infostate of a player, so that it maps policies to policies.

    Examples
    --------
    >>> import numpy as np
    >>> table = ActionTable(
    ...     ("1", "2", "3"), np.array([[0, 1, 2]]), np.array([[1, 2, 3]]), [3]
    ... )
    >>> high = Transformation("high", "high", power=1)
    >>> high.apply(np.array([[0.25, 0.5, 0.25]]), table).round(6)
    array([[0.125, 0.5  , 0.375]])
    """

    name: str
    kind: str
    """What it does, a key of `KINDS`."""
    power: float = 1.0
    """Exponent of the factor by which probabilities are multiplied, for kinds that have one."""
    action: Action | None = None
    fallback: Action | None = None
    """For the kind `constant`: the action that is always played, and the one played where it is not
    legal. Where neither is legal, the policy is not changed."""

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise UnknownNameError.of("kind of transformation", self.kind, KINDS)

    def apply(self, probabilities: Array, table: ActionTable) -> Array:
        """Return the transformed policy.

        Parameters
        ----------
        probabilities : array
            [I, A] of NumPy, or of another library with the same functions, such as JAX. Entries
            that are not legal actions are zero.

        Returns
        -------
        array
            [I, A] of the same library; zero for entries that are not legal actions.
        """
        xp = probabilities.__array_namespace__()
        legal = xp.asarray(table.legal)
        # Without any weight left, all actions that are kept are equally likely.
        weights, kept = KINDS[self.kind](self, probabilities, table, xp)
        weights = xp.where(kept, weights, 0.0)
        total = xp.sum(weights, axis=1, keepdims=True)
        count = xp.sum(xp.where(kept, 1.0, 0.0), axis=1, keepdims=True)
        uniform = xp.where(kept, 1.0 / xp.maximum(count, xp.ones_like(count)), 0.0)
        share = weights / xp.where(total > 0, total, xp.ones_like(total))
        return xp.where(legal, xp.where(total > 0, share, uniform), 0.0)


Weights: TypeAlias = tuple[Array, Array]
"""[I, A] the weights of actions before they are normalized, and which actions are kept."""

Kind: TypeAlias = Callable[[Transformation, Array, ActionTable, Any], Weights]


def _factor(number: Callable[[Array, Array, Any], Array]) -> Kind:
    """Return the kind that multiplies probabilities by a power of a function of the numbers.

    The function gets the number of each action from the first and from the last one of its phase.
    """

    def kind(row: Transformation, policy: Array, table: ActionTable, xp: Any) -> Weights:
        legal = xp.asarray(table.legal)
        first = xp.asarray(xp.where(legal, table.number, 1), dtype=policy.dtype)
        sizes = xp.asarray(table.phase_size, dtype=policy.dtype)[:, None]
        last = xp.where(legal, sizes + 1 - first, 1)
        return policy * number(first, last, xp) ** row.power + FLOOR, legal

    return kind


def _drop_largest(_: Transformation, policy: Array, table: ActionTable, xp: Any) -> Weights:
    legal = xp.asarray(table.legal)
    several = xp.sum(xp.where(legal, 1.0, 0.0), axis=1, keepdims=True) > 1
    return policy, legal & ~(several & _first_largest(policy, table, xp))


def _drop_smallest(_: Transformation, policy: Array, table: ActionTable, xp: Any) -> Weights:
    played = policy > 0
    several = xp.sum(xp.where(played, 1.0, 0.0), axis=1, keepdims=True) > 1
    # An action of probability 0 is dropped already, so it is not the least probable one.
    smallest = _first_largest(xp.where(played, 1.0 - policy, 0.0), table, xp)
    return policy, xp.asarray(table.legal) & ~(several & smallest)


def _keep_rare(_: Transformation, policy: Array, table: ActionTable, xp: Any) -> Weights:
    legal = xp.asarray(table.legal)
    rare = legal & (policy > 0) & (policy < _mean(policy, table, xp))
    return policy, xp.where(xp.any(rare, axis=1, keepdims=True), rare, legal)


def _constant(row: Transformation, policy: Array, table: ActionTable, xp: Any) -> Weights:
    legal = chosen = xp.asarray(table.legal)
    for action in (row.fallback, row.action):
        if action in table.actions:
            found = xp.asarray(table.column == table.actions.index(action))
            chosen = xp.where(xp.any(found, axis=1, keepdims=True), found, chosen)
    changed = xp.any(chosen != legal, axis=1, keepdims=True)
    return xp.where(changed, xp.ones_like(policy), policy), chosen


def _first_largest(values: Array, table: ActionTable, xp: Any) -> Array:
    """Return [I, A] whether an action is the first of those with the largest value."""
    ranked = xp.where(xp.asarray(table.legal), values, -1.0)
    columns = xp.arange(values.shape[1])
    return columns[None, :] == xp.argmax(ranked, axis=1)[:, None]


def _mean(policy: Array, table: ActionTable, xp: Any) -> Array:
    """Return [I, 1] the mean probability of the legal actions, less rounding errors."""
    counts = xp.maximum(xp.sum(xp.asarray(table.legal), axis=1, keepdims=True), 1)
    return xp.asarray((1 - 1e-6) / counts, dtype=policy.dtype)


def _medians(table: ActionTable, xp: Any) -> Array:
    """Return [I, 1] the median number of the legal actions."""
    numbers = xp.where(xp.asarray(table.legal), table.number, xp.nan)
    return xp.nanmedian(numbers, axis=1, keepdims=True)


KINDS: Final[Mapping[str, Kind]] = {
    "identity": lambda row, policy, table, xp: (policy, xp.asarray(table.legal)),
    "uniform": lambda row, policy, table, xp: (xp.ones_like(policy), xp.asarray(table.legal)),
    "rare": lambda row, policy, table, xp: (
        xp.max(policy, axis=1, keepdims=True) - policy + RARE_BONUS,
        xp.asarray(table.legal),
    ),
    "high": _factor(lambda first, last, xp: first),
    "low": _factor(lambda first, last, xp: last),
    "middle": _factor(lambda first, last, xp: first * last),
    "extreme": _factor(lambda first, last, xp: xp.maximum(first, last)),
    "drop most probable": _drop_largest,
    "drop least probable": _drop_smallest,
    "keep most probable": lambda row, policy, table, xp: (
        policy,
        _first_largest(policy, table, xp),
    ),
    "keep frequent": lambda row, policy, table, xp: (
        policy,
        xp.asarray(table.legal) & (policy >= _mean(policy, table, xp)),
    ),
    "keep rare": _keep_rare,
    "keep low": lambda row, policy, table, xp: (
        policy,
        xp.asarray(table.legal & (table.number <= _medians(table, xp))),
    ),
    "keep high": lambda row, policy, table, xp: (
        policy,
        xp.asarray(table.legal & (table.number >= _medians(table, xp))),
    ),
    "constant": _constant,
}
"""What transformations do. `high` multiplies the probability of an action by a power of its number
n from 1 to M, `low` by one of M + 1 - n, `middle` by one of the product of both, and `extreme` by
one of the larger of both. Frequent actions are those with at least the mean probability, and low
ones those with at most the median number."""

IDENTITY: Final = Transformation("identity", "identity")

TRANSFORMATIONS: Final[tuple[Transformation, ...]] = (
    IDENTITY,
    Transformation("uniform", "uniform"),
    Transformation("rare", "rare"),
    *(
        Transformation(f"{kind}^{power}", kind, power)
        for kind in ("high", "low", "middle", "extreme")
        for power in (1, 2, 4)
    ),
    *(
        Transformation(kind, kind)
        for kind in (
            "drop most probable",
            "drop least probable",
            "keep most probable",
            "keep frequent",
            "keep rare",
            "keep low",
            "keep high",
        )
    ),
)
"""The 22 transformations used for Goofspiel and Battleship.

Their purposes and order are those of Kubíček, Burch, Lisý, "Look-ahead search on top of policy
networks in imperfect information games", arXiv 2312.15220 (2023). The formulas are derived from the
purposes: they are ours, and may differ from those of the paper.
"""


def constant_transformations(
    actions: Sequence[Action], fallback: Action | None = None
) -> tuple[Transformation, ...]:
    """Return the identity and, for each action, the transformation that always plays it.

    Parameters
    ----------
    fallback
        Action to play where another one is not legal, such as `call` in poker, where a fold is not
        legal if there is nothing to call.

    Examples
    --------
    >>> [
    ...     row.name
    ...     for row in constant_transformations(["fold", "call", "raise"], "call")
    ... ]
    ['identity', 'always fold', 'always call', 'always raise']
    """
    return (
        IDENTITY,
        *(
            Transformation(f"always {action}", "constant", action=action, fallback=fallback)
            for action in actions
        ),
    )


def check_transformations(transformations: Sequence[Transformation]) -> None:
    """Raise unless the arguments are different transformations, the first of them the identity."""
    for row in transformations:
        check_type("transformations", row, Transformation, "transformations, such as IDENTITY")
    if not transformations or transformations[0].kind != "identity":
        raise ParameterError(
            "the first transformation must be the identity, which gives the values of the policy "
            "itself; put infoset.policy.IDENTITY first"
        )
    names = [row.name for row in transformations]
    if len({replace(row, name="") for row in transformations}) < len(names):
        raise ParameterError(f"the transformations must differ from each other; got {names}")


def hash_transformations(transformations: Sequence[Transformation]) -> str:
    """Return a hash of transformations, to recognize what a critic was trained for.

    Examples
    --------
    >>> hash_transformations([IDENTITY]) == hash_transformations(TRANSFORMATIONS[:1])
    True
    """
    rows = [{**asdict(row), "action": str(row.action)} for row in transformations]
    text = json.dumps([{**row, "fallback": str(row["fallback"])} for row in rows], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def transform_policy(
    policy: TabularPolicy, player: Player, transformation: Transformation
) -> TabularPolicy:
    """Return the policy in which one player's policy is transformed at every infostate.

    Raises
    ------
    ParameterError
        If an argument has the wrong type, or there is no such player.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.policy import uniform_policy
    >>> from infoset.tree import build_tree
    >>> policy = uniform_policy(build_tree(load_game("kuhn_poker")).sequence_form)
    >>> always_bet = constant_transformations(["bet"])[1]
    >>> transform_policy(policy, 0, always_bet)["[K]", 0]
    {'pass': 0.0, 'bet': 1.0}
    """
    check_type("policy", policy, TabularPolicy, "a TabularPolicy")
    check_type("transformation", transformation, Transformation, "a Transformation")
    form = policy.form
    check_player(player, form.num_players, form.name)
    table = ActionTable.of(form, player)
    legal = table.legal
    values = policy.probabilities[player].copy()
    # Sequences are numbered by infostate and action, after the empty one.
    rows = np.zeros(legal.shape)
    rows[legal] = values[1:]
    values[1:] = transformation.apply(rows, table)[legal]
    chosen = [*policy.probabilities]
    chosen[player] = values
    return TabularPolicy(form, tuple(chosen))
