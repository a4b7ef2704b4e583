"""Public nodes as plain values: the views of public states, for games that are public forms."""

from __future__ import annotations

import numpy as np

from infoset.errors import ParameterError, PolicyMismatchError
from infoset.evaluation import plan_value
from infoset.game.infostate import value_text
from infoset.typing import FloatArray, LongArray, Player
from infoset.utils.arguments import check_count, check_player
from infoset.views.hand_grids import HandGridView, grid_of_hands
from infoset.views.labels import hand_class, number_duplicates, shorten
from infoset.views.policy_differences import MAX_DIFFERENCES, DifferencesView, DifferenceView
from infoset.views.policy_matches import MatchView, PositionView
from infoset.views.public_places import PublicPlaces
from infoset.views.state_views import (
    MAX_BELIEFS,
    MAX_CHILDREN,
    MAX_INFOSTATES,
    ActionView,
    BeliefView,
    ChildrenView,
    InfostatesView,
    InfostateView,
    StateLink,
    StateView,
)

__all__ = [
    "view_public_beliefs",
    "view_public_children",
    "view_public_differences",
    "view_public_hand_grid",
    "view_public_infostates",
    "view_public_match",
    "view_public_state",
]

MAX_LABEL = 60


def view_public_state(places: PublicPlaces, state: int) -> StateView:
    """Return a place of a public form with its path from the root, as `view_state` does.

    Histories are not counted: `num_histories` is 0.

    Raises
    ------
    ParameterError
        If the place does not exist.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.policy import uniform_policy
    >>> from infoset.tree import build_public_form
    >>> form = build_public_form(load_game("leduc_poker"))
    >>> view = view_public_state(PublicPlaces(form, uniform_policy(form)), 1)
    >>> [link.label for link in view.path], round(view.probability, 9), view.actors
    (['∅', 'call'], 0.5, (1,))
    """
    _check_place(places, state)
    link = _link(places, state)
    return StateView(
        state=state,
        path=tuple(_link(places, place) for place in places.path(state)),
        probability=places.probability(state),
        num_histories=0,
        num_infostates=link.num_infostates,
        actors=link.actors,
        num_children=link.num_children,
        values=places.expected_values(state),
    )


def view_public_children(places: PublicPlaces, state: int, start: int = 0) -> ChildrenView:
    """Return up to 200 of the places after a place, as `view_children` does.

    Raises
    ------
    ParameterError
        If the place does not exist, or `start` is not a position among its children.
    """
    _check_place(places, state)
    children = [] if places.is_end(state) else places.children[state]
    shown = children[_page(start, len(children), MAX_CHILDREN)]
    links = tuple(_link(places, place) for place in shown)
    return ChildrenView(state, start, len(children), links)


def view_public_infostates(
    places: PublicPlaces, state: int, player: Player, start: int = 0
) -> InfostatesView:
    """Return up to 500 of a player's hands at a place, as `view_infostates` does, with equity.

    Hands that chance has removed or does not deal are left out.

    Raises
    ------
    ParameterError
        If the place or player does not exist, or `start` is not a position.
    """
    _check_place(places, state)
    check_player(player, 2, places.form.name)
    hands = _dealt(places, state, player)
    shown = hands[_page(start, len(hands), MAX_INFOSTATES)]
    labels = _labels(places, player)
    reach, weight = places.own_reach(state, player), places.weight(state, player)
    total, worth = places.probability(state), places.hand_values(state, player)
    equity = places.equity(state)
    actions = _actions(places, state, player, worth)
    rows = tuple(
        InfostateView(
            infostate=hand,
            label=labels[hand],
            own_reach=float(reach[hand]),
            probability=float(weight[hand]) / total if total > 0 else None,
            value=_known(worth[hand]),
            actions=tuple(own[hand] for own in actions),
            equity=None if equity is None else _known(equity[player][hand]),
        )
        for hand in shown.tolist()
    )
    are_hands = bool(rows) and all(hand_class(row.label) is not None for row in rows)
    return InfostatesView(state, player, start, len(hands), rows, are_hands)


def _actions(
    places: PublicPlaces, state: int, player: Player, worth: FloatArray
) -> list[list[ActionView]]:
    """Return [actions, hands] the views of a player's actions; empty where it does not act."""
    if places.actor(state) != player:
        return []
    legal = places.form.legal_actions(state)
    chosen, values = places.policy.at_node(state), places.action_values(state)
    regrets = places.counterfactual_reach(state, player) * (values - worth)
    return [
        [
            ActionView(str(action), float(share), _known(value), _known(regret))
            for share, value, regret in zip(*rows, strict=True)
        ]
        for action, *rows in zip(legal, chosen, values, regrets, strict=True)
    ]


def view_public_hand_grid(places: PublicPlaces, state: int, player: Player) -> HandGridView:
    """Return what a player holds at a place as a grid of hands, as `view_hand_grid` does.

    Raises
    ------
    ParameterError
        If the place or player does not exist, or the player holds anything other than two cards of
        a deck with 13 ranks and 4 suits.
    """
    _check_place(places, state)
    check_player(player, 2, places.form.name)
    hands, acts = _dealt(places, state, player), places.actor(state) == player
    labels = _labels(places, player)
    return grid_of_hands(
        state,
        player,
        labels=[labels[hand] for hand in hands.tolist()],
        own_reach=places.own_reach(state, player)[hands],
        reach=places.weight(state, player)[hands],
        state_reach=places.probability(state),
        actions=tuple(map(str, places.form.legal_actions(state))) if acts else (),
        policy=places.policy.at_node(state)[:, hands].T if acts else np.zeros((len(hands), 0)),
    )


def view_public_beliefs(
    places: PublicPlaces, state: int, players: tuple[Player, Player] = (0, 1)
) -> BeliefView:
    """Return the joint probabilities of the hands of both players at a place.

    As in `view_beliefs`, more than 60 hands of a player are merged into 60 groups.

    Raises
    ------
    ParameterError
        If the place or player does not exist, or the players are equal.
    """
    _check_place(places, state)
    for player in players:
        check_player(player, 2, places.form.name)
    if players[0] == players[1]:
        raise ParameterError(f"players={players!r} are the same; give two different players")
    hands = [_dealt(places, state, player) for player in range(2)]
    joint = places.form.prior.matrix()[np.ix_(*hands)]
    reach = [places.own_reach(state, player)[own] for player, own in enumerate(hands)]
    joint = joint * np.multiply.outer(*reach)
    groups = [_groups(places, player, own) for player, own in enumerate(hands)]
    table = np.zeros((len(groups[0][0]), len(groups[1][0])))
    np.add.at(table, np.ix_(groups[0][1], groups[1][1]), joint)
    total = float(table.sum())
    merged = " and ".join(
        f"{len(hands[player]):,} hands of player {player} in {len(groups[player][0])} groups"
        for player in players
        if len(hands[player]) > len(groups[player][0])
    )
    shown = table if players[0] == 0 else table.T
    return BeliefView(
        state=state,
        players=players,
        rows=groups[players[0]][0],
        columns=groups[players[1]][0],
        probability=tuple(map(tuple, (shown / total).tolist())) if total > 0 else None,
        grouped=merged,
    )


def _groups(
    places: PublicPlaces, player: Player, hands: LongArray
) -> tuple[tuple[str, ...], LongArray]:
    """Return the labels of groups of neighboring hands, and [hands] the group of each."""
    count, labels = min(len(hands), MAX_BELIEFS), _labels(places, player)
    of = np.arange(len(hands)) * count // max(len(hands), 1)
    bounds = np.searchsorted(of, np.arange(count + 1))
    names = []
    for begin, end in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        first, last = labels[hands[begin]], labels[hands[end - 1]]
        names.append(first if first == last else f"{first} to {last}")
    return tuple(number_duplicates(names)), of


def view_public_differences(
    first: PublicPlaces, second: PublicPlaces, start: int = 0, size: int = MAX_DIFFERENCES
) -> DifferencesView:
    """Return up to 50 hands at nodes where two policies differ, largest reach × distance first.

    Raises
    ------
    PolicyMismatchError
        If the policies are for different forms.
    ParameterError
        If `start` or `size` is not a whole number in its range.
    """
    _check_same(first, second)
    check_count("start", start)
    check_count("size", size, minimum=1)
    form, found = first.form, list[tuple[float, int, int, float, float]]()
    for player in range(2):
        for node in form.decisions[player].tolist():
            change = np.abs(first.policy.at_node(node) - second.policy.at_node(node))
            distance = change.sum(axis=0) / 2
            if not distance.any():
                continue
            reach = (first.weight(node, player) + second.weight(node, player)) / 2
            for hand in np.flatnonzero(reach * distance > 0).tolist():
                both = float(reach[hand]), float(distance[hand])
                found.append((-both[0] * both[1], node, hand, *both))
    shown = sorted(found)[start : start + min(size, MAX_DIFFERENCES)]
    views = tuple(_difference(first, second, *entry[1:]) for entry in shown)
    return DifferencesView(start, len(found), views)


def _difference(
    first: PublicPlaces, second: PublicPlaces, node: int, hand: int, reach: float, distance: float
) -> DifferenceView:
    form = first.form
    player = int(form.player[node])
    return DifferenceView(
        player=player,
        infostate=hand,
        state=node,
        label=f"{_labels(first, player)[hand]}: {form.label(node)}",
        reach=reach,
        distance=distance,
        actions=tuple(map(str, form.legal_actions(node))),
        probabilities=(
            tuple(first.policy.at_node(node)[:, hand].tolist()),
            tuple(second.policy.at_node(node)[:, hand].tolist()),
        ),
    )


def view_public_match(first: PublicPlaces, second: PublicPlaces) -> MatchView:
    """Return what a policy earns in each position against another one, without sampling.

    Raises
    ------
    PolicyMismatchError
        If the policies are for different forms.
    """
    _check_same(first, second)
    form = first.form
    own, other = first.policy.realization_plans(), second.policy.realization_plans()
    positions = []
    for player in range(2):
        plans = (own[0], other[1]) if player == 0 else (other[0], own[1])
        values = tuple(plan_value(form.gradient(plans, p), plans[p]) for p in range(2))
        positions.append(PositionView(player, values))
    mean = sum(place.values[place.player] for place in positions) / 2
    return MatchView(tuple(positions), mean)


def _check_same(first: PublicPlaces, second: PublicPlaces) -> None:
    if first.form is not second.form:
        raise PolicyMismatchError(
            f"the policies are for {first.form.name} and {second.form.name}; give two for the same "
            "form"
        )


def _check_place(places: PublicPlaces, state: int) -> None:
    """Raise a ParameterError if there is no such place."""
    check_count("state", state)
    if state >= places.num_places:
        raise ParameterError(
            f"state={state}: {places.form.name} has the nodes and ends 0 to {places.num_places - 1}"
        )


def _page(start: int, total: int, size: int) -> slice:
    """Return which entries are in an answer."""
    check_count("start", start)
    if start and start >= total:
        raise ParameterError(f"start={start}: there are {total} entries, counted from 0")
    return slice(start, start + size)


def _link(places: PublicPlaces, place: int) -> StateLink:
    parent = places.parent(place)
    before = places.probability(parent) if parent >= 0 else 1.0
    reached = places.probability(place)
    actor = places.actor(place)
    return StateLink(
        state=place,
        label=places.label(place),
        probability=min(1.0, reached / before) if before > 0 else 0.0,
        num_children=0 if places.is_end(place) else len(places.children[place]),
        num_infostates=(len(_dealt(places, place, 0)), len(_dealt(places, place, 1))),
        actors=() if actor is None else (actor,),
        is_end=places.is_end(place),
    )


def _dealt(places: PublicPlaces, place: int, player: Player) -> LongArray:
    """Return the hands that a player may have at a place."""
    prior = places.form.prior
    dealt = (
        prior.weights[player] > 0 if prior.joint is None else (prior.joint > 0).any(axis=1 - player)
    )
    return np.flatnonzero(dealt & places.alive(place, player))


def _labels(places: PublicPlaces, player: Player) -> list[str]:
    """Return [hands] texts of a player's hands."""
    texts = [shorten(value_text(label), MAX_LABEL) for label in places.form.hands[player]]
    return number_duplicates(texts)


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
