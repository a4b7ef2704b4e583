"""Public states as plain values: where one is, what each player may hold, what a policy does there.

Every view consists of numbers, texts and tuples, and `dataclasses.asdict` turns it into JSON
values. Unknown numbers are None; no number is invented.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from infoset.errors import ParameterError
from infoset.game.infostate import step_text
from infoset.policy import TabularPolicy
from infoset.tree import GameTree
from infoset.typing import NOOP, FloatArray, IntArray, LongArray, Player
from infoset.utils.arguments import check_count, check_player
from infoset.views.labels import (
    EMPTY,
    hand_class,
    move_texts,
    number_duplicates,
    private_order,
    private_texts,
    shorten,
)
from infoset.views.policy_values import PolicyValues

__all__ = [
    "MAX_BELIEFS",
    "MAX_CHILDREN",
    "MAX_INFOSTATES",
    "ActionView",
    "BeliefView",
    "ChildrenView",
    "HistoriesView",
    "HistoryView",
    "InfostateView",
    "InfostatesView",
    "StateLink",
    "StateView",
    "check_state",
    "infostates_at",
    "view_beliefs",
    "view_children",
    "view_histories",
    "view_infostates",
    "view_probabilities",
    "view_state",
]

MAX_CHILDREN = 200
"""Children and histories in one answer; the next call begins where it ends."""
MAX_INFOSTATES = 500
"""Infostates of one player in one answer."""
MAX_BELIEFS = 60
"""Infostates of a player in one belief matrix; more are merged into groups."""
MAX_LABEL = 60


@dataclass(frozen=True)
class StateLink:
    """A public state, as an entry in a list.

    Attributes
    ----------
    state : int
        Number of the public state.
    label : str
        The last public observation.
    probability : float
        Probability of the state, given its parent; 0 if the policy never reaches the parent.
    num_children : int
    num_infostates : tuple[int, ...]
        [N] number of each player's infostates.
    actors : tuple[Player, ...]
        Players who act in some history.
    is_end : bool
        Whether all its histories are terminal.
    """

    state: int
    label: str
    probability: float
    num_children: int
    num_infostates: tuple[int, ...]
    actors: tuple[Player, ...]
    is_end: bool


@dataclass(frozen=True)
class ChildrenView:
    """Some of the public states that are one public observation longer.

    Attributes
    ----------
    state : int
        The parent.
    start, total : int
        Position of the first child in this answer, and the number of all children.
    children : tuple[StateLink, ...]
    """

    state: int
    start: int
    total: int
    children: tuple[StateLink, ...]


@dataclass(frozen=True)
class StateView:
    """A public state.

    Attributes
    ----------
    state : int
    path : tuple[StateLink, ...]
        The public states from the root to this one.
    probability : float
        Probability of the state under the policy.
    num_histories : int
    num_infostates : tuple[int, ...]
        [N]
    actors : tuple[Player, ...]
        Players who act in some history.
    num_children : int
    values : tuple[float, ...] or None
        [N] expected utilities at the state; None if the policy never reaches it.
    """

    state: int
    path: tuple[StateLink, ...]
    probability: float
    num_histories: int
    num_infostates: tuple[int, ...]
    actors: tuple[Player, ...]
    num_children: int
    values: tuple[float, ...] | None


@dataclass(frozen=True)
class ActionView:
    """An action at an infostate.

    Attributes
    ----------
    label : str
    probability : float
        Probability of the action under the policy.
    value : float or None
        Expected utility of the player after the action, given the infostate; None if chance and the
        others never lead there.
    regret : float or None
        `value` less the value of the infostate, times the counterfactual reach: the regret that
        CFR adds up. None if `value` is None.
    """

    label: str
    probability: float
    value: float | None
    regret: float | None


@dataclass(frozen=True)
class InfostateView:
    """What a player may hold at a public state, and what the policy does with it.

    Attributes
    ----------
    infostate : int
        Number in the player's infostate tree.
    label : str
        The private part: private observations, and own actions that are not public, marked `!`.
    own_reach : float
        Probability that the player's own actions lead here, which is an entry of its range.
    probability : float or None
        Probability of the infostate, given the public state: the belief of an onlooker. None if the
        policy never reaches the public state.
    value : float or None
        Expected utility of the player here; None if chance and the others never lead here.
    actions : tuple[ActionView, ...]
        Empty where the player does not act.
    equity : float or None
        Probability to win plus half of that to tie, if all betting stopped; only in public forms.
    """

    infostate: int
    label: str
    own_reach: float
    probability: float | None
    value: float | None
    actions: tuple[ActionView, ...]
    equity: float | None = None


@dataclass(frozen=True)
class InfostatesView:
    """Some of the infostates of a player at a public state, in the order of the rules.

    Attributes
    ----------
    state : int
    player : Player
    start, total : int
        Position of the first infostate in this answer, and the number of all.
    infostates : tuple[InfostateView, ...]
    are_hands : bool
        Whether these are hands of two cards, such as `AhKd`; `view_hand_grid` draws them.
    """

    state: int
    player: Player
    start: int
    total: int
    infostates: tuple[InfostateView, ...]
    are_hands: bool


@dataclass(frozen=True)
class HistoryView:
    """A history.

    Attributes
    ----------
    history : int
        Number in the game tree.
    moves : tuple[str, ...]
        Actions, or the observations that chance caused, one for each transition.
    infostates : tuple[int, ...]
        [N] infostate of each player.
    probability : float or None
        Probability of the history, given the public state; None if the policy never reaches it.
    values : tuple[float, ...]
        [N] expected utilities if everybody follows the policy from here on.
    is_terminal : bool
    """

    history: int
    moves: tuple[str, ...]
    infostates: tuple[int, ...]
    probability: float | None
    values: tuple[float, ...]
    is_terminal: bool


@dataclass(frozen=True)
class HistoriesView:
    """Some of the histories of a public state.

    Attributes
    ----------
    state : int
    start, total : int
    histories : tuple[HistoryView, ...]
    """

    state: int
    start: int
    total: int
    histories: tuple[HistoryView, ...]


@dataclass(frozen=True)
class BeliefView:
    """Joint probabilities of what two players hold at a public state.

    Attributes
    ----------
    state : int
    players : tuple[Player, Player]
        Players of the rows and of the columns.
    rows, columns : tuple[str, ...]
        Labels of infostates, or of groups.
    probability : tuple[tuple[float, ...], ...] or None
        [rows, columns]; sums to 1. None if the policy never reaches the public state.
    grouped : str
        How infostates were merged if there are more than 60; empty otherwise.
    """

    state: int
    players: tuple[Player, Player]
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    probability: tuple[tuple[float, ...], ...] | None
    grouped: str


def view_children(values: PolicyValues, state: int, start: int = 0) -> ChildrenView:
    """Return up to 200 of the children of a public state.

    Raises
    ------
    ParameterError
        If the public state does not exist, or `start` is not a position among its children.
    """
    tree = values.tree
    check_state(tree, state)
    children = tree.public_tree.children(state)
    shown = _page(children, start, MAX_CHILDREN)
    links = tuple(_link(values, child) for child in shown.tolist())
    return ChildrenView(state, start, len(children), links)


def view_state(values: PolicyValues, state: int) -> StateView:
    """Return a public state with its path from the root.

    Raises
    ------
    ParameterError
        If the public state does not exist.
    """
    tree = values.tree
    check_state(tree, state)
    path, at = [], state
    while at >= 0:
        path.append(_link(values, at))
        at = int(tree.public_tree.parent[at])
    histories = _histories(tree, state)
    weight = values.reach[histories]
    total = float(weight.sum())
    mean = (weight @ values.history_values[histories] / total).tolist() if total > 0 else None
    return StateView(
        state=state,
        path=tuple(reversed(path)),
        probability=float(values.state_reach[state]),
        num_histories=len(histories),
        num_infostates=_num_infostates(tree, state),
        actors=_actors(tree, state),
        num_children=len(tree.public_tree.children(state)),
        values=None if mean is None else tuple(mean),
    )


def view_infostates(
    values: PolicyValues, state: int, player: Player, start: int = 0
) -> InfostatesView:
    """Return up to 500 of a player's infostates at a public state.

    Raises
    ------
    ParameterError
        If the public state or the player does not exist, or `start` is not a position.
    """
    tree = values.tree
    check_state(tree, state)
    check_player(player, tree.num_players, str(tree))
    ordered = infostates_at(tree, state, player)
    shown = _page(ordered, start, MAX_INFOSTATES).tolist()
    labels = private_texts(tree.infostate_trees[player], shown, MAX_LABEL)
    rows = tuple(_infostate(values, player, number, labels[number]) for number in shown)
    are_hands = bool(rows) and all(hand_class(row.label) is not None for row in rows)
    return InfostatesView(state, player, start, len(ordered), rows, are_hands)


def view_histories(values: PolicyValues, state: int, start: int = 0) -> HistoriesView:
    """Return up to 200 of the histories of a public state.

    Raises
    ------
    ParameterError
        If the public state does not exist, or `start` is not a position among its histories.
    """
    tree = values.tree
    check_state(tree, state)
    histories = _histories(tree, state)
    shown = _page(histories, start, MAX_CHILDREN).tolist()
    total = float(values.state_reach[state])
    texts = _MoveTexts(tree)
    rows = []
    for history in shown:
        reach = float(values.reach[history])
        rows.append(
            HistoryView(
                history=history,
                moves=texts.moves(history),
                infostates=tuple(tree.infostate[history].tolist()),
                probability=reach / total if total > 0 else None,
                values=tuple(values.history_values[history].tolist()),
                is_terminal=bool(tree.first_child[history] == tree.first_child[history + 1]),
            )
        )
    return HistoriesView(state, start, len(histories), tuple(rows))


def view_probabilities(
    tree: GameTree, policy: TabularPolicy, state: int
) -> dict[str, tuple[float, ...]]:
    """Return the action probabilities at a public state: up to 60 acting infostates of each player.

    The keys are `player.infostate`, in the order of the rules.

    Raises
    ------
    ParameterError
        If the public state does not exist.
    """
    check_state(tree, state)
    found = {}
    for player, own in enumerate(tree.infostate_trees):
        ordered = infostates_at(tree, state, player)
        for number in ordered[own.num_actions[ordered] > 0][:MAX_BELIEFS].tolist():
            first = int(own.first_sequence[number])
            here = slice(first, first + int(own.num_actions[number]))
            found[f"{player}.{number}"] = tuple(policy.probabilities[player][here].tolist())
    return found


def view_beliefs(
    values: PolicyValues, state: int, players: tuple[Player, Player] = (0, 1)
) -> BeliefView:
    """Return the joint probabilities of what two players hold at a public state.

    If a player has more than 60 infostates, neighbors in the order of the rules are merged into 60
    groups of nearly equal size, named by their first and last infostate.

    Raises
    ------
    ParameterError
        If the public state or a player does not exist, or the players are equal.
    """
    tree = values.tree
    check_state(tree, state)
    for player in players:
        check_player(player, tree.num_players, str(tree))
    if players[0] == players[1]:
        raise ParameterError(f"players={players!r} are the same; give two different players")
    histories = _histories(tree, state)
    weight = values.reach[histories]
    groups = [_groups(tree, state, player) for player in players]
    shape = len(groups[0].labels), len(groups[1].labels)
    positions = [
        group.of[tree.infostate[histories, player]]
        for group, player in zip(groups, players, strict=True)
    ]
    table = np.zeros(shape)
    np.add.at(table, tuple(positions), weight)
    total = float(weight.sum())
    merged = " and ".join(
        f"{group.size:,} infostates of player {player} in {len(group.labels)} groups"
        for group, player in zip(groups, players, strict=True)
        if group.size > len(group.labels)
    )
    return BeliefView(
        state=state,
        players=players,
        rows=groups[0].labels,
        columns=groups[1].labels,
        probability=tuple(map(tuple, (table / total).tolist())) if total > 0 else None,
        grouped=merged,
    )


@dataclass(frozen=True)
class _Groups:
    """Groups of neighboring infostates of a player at a public state.

    `of` [S] has the group of each infostate of the state; `size` is their number.
    """

    labels: tuple[str, ...]
    of: LongArray
    size: int


def _groups(tree: GameTree, state: int, player: Player) -> _Groups:
    own, ordered = tree.infostate_trees[player], infostates_at(tree, state, player)
    count = min(len(ordered), MAX_BELIEFS)
    of = np.zeros(own.num_infostates, np.int64)
    of[ordered] = np.arange(len(ordered)) * count // len(ordered)
    bounds = np.searchsorted(of[ordered], np.arange(count + 1))
    first, last = ordered[bounds[:-1]], ordered[bounds[1:] - 1]
    texts = private_texts(own, {*first.tolist(), *last.tolist()})
    labels = [
        texts[a] if a == b else f"{texts[a]} to {texts[b]}"
        for a, b in zip(first.tolist(), last.tolist(), strict=True)
    ]
    return _Groups(tuple(number_duplicates(labels)), of, len(ordered))


def check_state(tree: GameTree, state: int) -> None:
    """Raise a ParameterError if the public state does not exist."""
    check_count("state", state)
    if state >= tree.public_tree.num_public_states:
        raise ParameterError(
            f"state={state}: {tree} has public states 0 to {tree.public_tree.num_public_states - 1}"
        )


def _page(numbers: IntArray, start: int, size: int) -> IntArray:
    """Return up to `size` of the numbers from a position on."""
    check_count("start", start)
    if start and start >= len(numbers):
        raise ParameterError(f"start={start}: there are {len(numbers)} entries, counted from 0")
    return numbers[start : start + size]


def _histories(tree: GameTree, state: int) -> IntArray:
    order, first = tree.public_state_histories
    return order[first[state] : first[state + 1]]


def infostates_at(tree: GameTree, state: int, player: Player) -> IntArray:
    """Return a player's infostates at a public state, in the order of the rules."""
    public, own = tree.public_tree, tree.infostate_trees[player]
    first = public.first_infostate[player]
    here = public.infostates[player][first[state] : first[state + 1]].tolist()
    return np.array(sorted(here, key=lambda number: private_order(own, number)), np.int32)


def _num_infostates(tree: GameTree, state: int) -> tuple[int, ...]:
    first = tree.public_tree.first_infostate
    return tuple(int(of_player[state + 1] - of_player[state]) for of_player in first)


def _actors(tree: GameTree, state: int) -> tuple[Player, ...]:
    public = tree.public_tree
    return tuple(
        player
        for player, (own, first) in enumerate(
            zip(tree.infostate_trees, public.first_infostate, strict=True)
        )
        if own.num_actions[public.infostates[player][first[state] : first[state + 1]]].any()
    )


def _link(values: PolicyValues, state: int) -> StateLink:
    tree = values.tree
    public, histories = tree.public_tree, _histories(tree, state)
    parent = int(public.parent[state])
    before = float(values.state_reach[parent]) if parent >= 0 else 1.0
    label = EMPTY
    if parent >= 0:
        seen = public.observations[public.observation[state]]
        label = EMPTY if seen is None else shorten(step_text(NOOP, None, seen), MAX_LABEL)
    ends = tree.first_child[histories] == tree.first_child[histories + 1]
    return StateLink(
        state=state,
        label=label,
        probability=min(1.0, float(values.state_reach[state]) / before) if before > 0 else 0.0,
        num_children=len(public.children(state)),
        num_infostates=_num_infostates(tree, state),
        actors=_actors(tree, state),
        is_end=bool(ends.all()),
    )


def _infostate(values: PolicyValues, player: Player, number: int, label: str) -> InfostateView:
    own = values.tree.infostate_trees[player]
    state_reach = float(values.state_reach[own.public_state[number]])
    reach = float(values.infostate_reach[player][number])
    return InfostateView(
        infostate=number,
        label=label,
        own_reach=float(values.own_reach[player][number]),
        probability=reach / state_reach if state_reach > 0 else None,
        value=_known(values.infostate_values[player][number]),
        actions=_actions(values, player, number),
    )


def _actions(values: PolicyValues, player: Player, number: int) -> tuple[ActionView, ...]:
    own = values.tree.infostate_trees[player]
    first, count = int(own.first_sequence[number]), int(own.num_actions[number])
    here = slice(first, first + count)
    probability = values.policy.probabilities[player][here]
    worth: FloatArray = values.action_values[player][here]
    gains = worth - values.infostate_values[player][number]
    regrets = values.counterfactual_reach[player][number] * gains
    return tuple(
        ActionView(str(action), float(share), _known(value), _known(regret))
        for action, share, value, regret in zip(
            own.legal_actions(number), probability, worth, regrets, strict=True
        )
    )


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


class _MoveTexts:
    """Texts of moves; those of a world state are made once for all histories that pass it."""

    def __init__(self, tree: GameTree) -> None:
        self._tree = tree
        self._texts: dict[int, list[str]] = {}

    def moves(self, history: int) -> tuple[str, ...]:
        """Return the moves that lead to a history."""
        moves = []
        while history > 0:
            parent = int(self._tree.parent[history])
            moves.append(self._move(parent, history))
            history = parent
        return tuple(reversed(moves))

    def _move(self, parent: int, child: int) -> str:
        graph, world = self._tree.graph, int(self._tree.world[parent])
        if world not in self._texts:
            self._texts[world] = move_texts(graph, world)
        return self._texts[world][int(self._tree.edge[child] - graph.first_edge[world])]
