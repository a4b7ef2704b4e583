"""Locks as text, such as `check / bet 50: fold 20%`: probabilities in proportion to a policy."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NoReturn

import numpy as np

from infoset.errors import InfosetError, ParameterError, UnknownNameError, show
from infoset.evaluation.frequencies import ROUNDING, fit_frequencies, reachable_frequencies
from infoset.forms import (
    Form,
    PublicForm,
    as_public_form,
    chance_reach_of_nodes,
    check_form,
    unblocked_reach,
)
from infoset.game.infostate import START, value_text
from infoset.games import HOLE_CARDS, parse_range
from infoset.policy import TabularPolicy, check_policy
from infoset.policy.csv_files import action_texts
from infoset.typing import BoolArray, FloatArray, LongArray, Player
from infoset.utils.arguments import check_type

EXAMPLE: Final = "write a lock as in 'check / bet 50: fold 20%' or '[AA,KQs] / check: all-in 100%'"
HANDS = re.compile(r"\[(?P<hands>[^\[\]]*)\](?: / (?P<line>.*))?", re.DOTALL)
UNREAD = re.compile(r"\s*(?P<name>.*?)\s*=?\s*(?P<number>[\d.]+\s*%?)?\s*(?:,|$)", re.DOTALL)
SHARE: Final = r"\s*=?\s*(?P<number>-?(?:\d+\.?\d*|\.\d+))\s*(?P<percent>%?)\s*(?:,|$)"
HOLDINGS: Final = frozenset(HOLE_CARDS)


@dataclass(frozen=True, eq=False)
class Lock:
    """How often actions are played at an infostate, or by some hands at a public node."""

    text: str
    place: str
    """The infostate, or the line of the public node."""
    player: Player
    infostates: LongArray
    """[n] the acting infostates: one for each hand, or one."""
    actions: tuple[str, ...]
    """[A] the legal actions as text."""
    groups: tuple[tuple[int, ...], ...]
    """[G] the numbers of actions that share a frequency; unnamed actions are the first group."""
    goal: FloatArray = field(repr=False)
    """[G] the frequencies; they sum to 1."""
    node: int = -1
    """The public node; -1 on other forms."""
    hands: BoolArray | None = None
    """[hands] which hands are locked at a public node."""
    is_whole: bool = False
    """Whether all possible hands of the player at a public node are locked."""

    @property
    def place_text(self) -> str:
        """The place as text; as it was written, if only some hands are locked."""
        written = self.text.rpartition(":")[0] or self.text
        return self.place if self.hands is None or self.is_whole else written.strip()

    @property
    def needs_policy(self) -> bool:
        """Whether the probabilities depend on a policy, because they change it in proportion."""
        played = [own for own, share in zip(self.groups, self.goal, strict=True) if share > 0]
        is_fixed = len(self.infostates) == 1 or len(played) == 1
        return not (is_fixed and all(len(own) == 1 for own in played))

    def fixed(self) -> FloatArray:
        """Return [A] the probabilities at every infostate, if they do not depend on a policy."""
        probabilities = np.zeros(len(self.actions))
        for own, share in zip(self.groups, self.goal, strict=True):
            if share > 0:
                probabilities[own[0]] = share
        return probabilities


def parse_locks(form: Form, locks: Sequence[str]) -> tuple[Lock, ...]:
    """Parse locks given as text; see `locked_behavior`.

    Raises
    ------
    UnknownNameError, ParameterError
        If a line, infostate, hand or action is unknown, frequencies are invalid, or two locks
        apply to the same infostate.
    """
    check_form(form)
    found = tuple(_parsed(form, text) for text in locks)
    owner: dict[tuple[Player, int], str] = {}
    for lock in found:
        for number in dict.fromkeys(lock.infostates.tolist()):
            other = owner.setdefault((lock.player, number), lock.text)
            if other != lock.text:
                raise ParameterError(
                    f"the locks {show(other)} and {show(lock.text)} both apply to {lock.place!r}: "
                    "remove one, or name different hands, as in '[AA,KK] / check: bet 50 100%'"
                )
    return found


def locked_behavior(policy: TabularPolicy, locks: Sequence[str]) -> dict[Any, FloatArray]:
    """Return the probabilities that locks fix, for `infoset.lock`, in proportion to a policy.

    A lock is text with a place and the frequencies of actions there.

        lock   = place [":" action frequency {"," action frequency}]
        place  = infostate | line | "[" hands "]" [" / " line]
        action = name {"+" name}

    On a public form, a line stands for all hands of the player who acts there; hands are a list or
    a range as in `parse_range`. Frequencies, such as `40%` or `0.4`, are over these hands, whose
    policies change in proportion, as in `PublicValues.with_frequencies`. On other forms, a place is
    an infostate, and frequencies are its probabilities. Names joined by a plus share a frequency,
    and so do all actions that begin with a given word, such as `bet 50` and `bet 100` for `bet`.
    Unnamed actions share the rest. Without frequencies, the policy itself is locked.

    Locks apply from the root down: frequencies are those of the policy after earlier locks. If the
    opponent never reaches a line, its hands are weighted by their probabilities in the deal.

    Parameters
    ----------
    policy
        Any policy, such as the solution of the game, or `uniform_policy(form)` for equal
        frequencies of all hands.
    locks
        Several may apply to the same line, for different hands.

    Returns
    -------
    dict
        Arrays [actions] or [actions, hands] by infostate or line.

    Raises
    ------
    UnknownNameError, ParameterError
        As raised by `parse_locks`; or if frequencies cannot be reached, because too few hands ever
        play an action.

    Examples
    --------
    >>> import infoset
    >>> form = infoset.build_public_form("kuhn_poker")
    >>> policy = infoset.uniform_policy(form)
    >>> locked_behavior(policy, ["pass: bet 20%", "[J]: bet 100%"])
    {'[J]': array([0., 1.]), 'pass': array([[0.8, 0.8, 0.8],
           [0.2, 0.2, 0.2]])}
    """
    check_policy(policy)
    form: Any = policy.form
    changed: dict[int, FloatArray] = {}  # [actions, hands] by public node
    found: dict[Any, FloatArray] = {}
    # Children have higher numbers than their parents.
    for lock in sorted(parse_locks(form, locks), key=lambda one: one.node):
        if lock.node < 0 or lock.hands is None:
            found[lock.place, lock.player] = _at_infostate(policy, lock)
            continue
        at_node = changed.setdefault(lock.node, policy.at_node(lock.node).copy())
        hands = np.flatnonzero(lock.hands)
        at_node[:, hands] = _of_hands(policy, changed, lock, hands)
        if lock.is_whole:
            found[lock.place] = at_node
            continue
        for hand, number in zip(hands.tolist(), lock.infostates.tolist(), strict=True):
            found[form.infostate_label(lock.player, number)] = at_node[:, hand]
    return found


def _at_infostate(policy: TabularPolicy, lock: Lock) -> FloatArray:
    """Return [A] the locked probabilities at one infostate."""
    if not lock.needs_policy:
        return lock.fixed()
    plex = policy.form.treeplexes[lock.player]
    first = plex.first_sequence[lock.infostates].astype(np.int64)
    places = first + np.arange(len(lock.actions))[:, None]
    return _fitted(policy.at_sequences(lock.player, places), np.ones(1), lock)[:, 0]


def _of_hands(
    policy: TabularPolicy, changed: dict[int, FloatArray], lock: Lock, hands: LongArray
) -> FloatArray:
    """Return [A, n] the locked probabilities of hands [n], given those locked at earlier nodes."""
    if not lock.needs_policy:
        return np.repeat(lock.fixed()[:, None], len(hands), axis=1)
    form = as_public_form(policy.form)
    own = _own_reach(policy, changed, lock.node, lock.player)
    other = _own_reach(policy, changed, lock.node, 1 - lock.player)
    prior = form.prior
    dealt = 1.0 if prior.joint is not None else prior.weights[lock.player]
    chance_reach_of_nodes(form)  # raises an error if ranges at a node are not products
    weights = own * dealt * unblocked_reach(prior, lock.player, other)
    if not weights[hands].any():
        everything = form.possible_hands(lock.node, 1 - lock.player).astype(float)
        weights = own * dealt * unblocked_reach(prior, lock.player, everything)
    total = weights[hands].sum()
    if not total > 0:
        raise ParameterError(
            f"the frequencies in the lock {show(lock.text)} are undefined, because these hands of "
            f"player {lock.player} never reach the line: give one action 100%, or use the uniform "
            "policy as the base (--base uniform)"
        )
    return _fitted(changed[lock.node][:, hands], weights[hands] / total, lock)


def _own_reach(
    policy: TabularPolicy, changed: dict[int, FloatArray], node: int, player: Player
) -> FloatArray:
    """Return [hands] the product of a player's probabilities before a node."""
    form = as_public_form(policy.form)
    reach: FloatArray = form.possible_hands(node, player).astype(np.float64)
    while node > 0:
        above = int(form.parent[node])
        if form.player[above] == player:
            here = changed[above] if above in changed else policy.at_node(above)
            reach = reach * here[int(form.action[node])]
        node = above
    return reach


def _fitted(played: FloatArray, weights: FloatArray, lock: Lock) -> FloatArray:
    """Return [A, n] the probabilities of the policy, changed in proportion."""
    found = fit_frequencies(played, weights, lock.groups, lock.goal)
    if found is not None:
        return found
    # Named actions first.
    for members, share in reversed([*zip(lock.groups, lock.goal, strict=True)]):
        low, high = reachable_frequencies(played, weights, members)
        if not low - ROUNDING <= share <= high + ROUNDING:
            named = " + ".join(lock.actions[place] for place in members)
            raise ParameterError(
                f"the lock {show(lock.text)} cannot be reached: in proportion to the policy, "
                f"{named} can be played {100 * low:.4g}% to {100 * high:.4g}% of the time, because "
                "other hands always or never play it; give a frequency in this interval, lock "
                "single hands, or use the uniform policy as the base (--base uniform)"
            )
    raise ParameterError(
        f"the lock {show(lock.text)} cannot be reached: too few hands ever play these actions; "
        "name fewer actions, lock single hands, or use the uniform policy as the base (--base "
        "uniform)"
    )


def _parsed(form: Form, text: str) -> Lock:
    """Parse one lock."""
    check_type("lock", text, str, "such as 'check / bet 50: fold 20%'")
    place, colon, choices = (part.strip() for part in text.rpartition(":"))
    if not colon:
        place, choices = choices, ""
    where: dict[str, Any] = {}
    if form.kind == "public":
        form = as_public_form(form)
        player, node, hands = _named_at_node(form, place, text)
        alive = form.possible_hands(node, player)
        numbers = [form.infostate_of_hand(node, hand) for hand in np.flatnonzero(hands).tolist()]
        place, places = form.label(node), np.array(numbers)
        where = {"node": node, "hands": hands, "is_whole": bool((hands == alive).all())}
    else:
        player, places = form.look_up_all(place)
    actions = tuple(action_texts(form.actions_at(player, int(places[0]))))
    groups, goal = _shares(choices, actions, place, text) if colon else ((), ())
    named = {action for own in groups for action in own}
    rest = tuple(number for number in range(len(actions)) if number not in named)
    shares = np.array([_left(text, actions, rest, goal), *goal])
    return Lock(text, place, player, places, actions, (rest, *groups), shares, **where)


def _named_at_node(form: PublicForm, place: str, text: str) -> tuple[Player, int, BoolArray]:
    """Return the player who acts at a line, its public node, and a mask of the named hands."""
    match = HANDS.fullmatch(place)
    try:
        node, permutation = form.find_line(place if match is None else match["line"] or START)
    except UnknownNameError:
        if "[" not in place:
            _refuse_bare_hands(form, place, text)
        raise
    player = int(form.player[node])
    if match is None:
        return player, node, form.possible_hands(node, player)
    chosen = _named_hands(form, player, match["hands"], text)
    moved = [form.hand_at(player, hand, permutation) for hand in chosen]
    return player, node, _checked_hands(form, node, player, np.array(moved), text)


def _refuse_bare_hands(form: PublicForm, place: str, text: str) -> None:
    """Raise an error if an unknown line would be valid with its hands in brackets."""
    hands, slash, line = place.partition(" / ")
    bracketed = f"[{hands}]{slash}{line}"
    try:
        _named_at_node(form, bracketed, text)
    except InfosetError:
        return
    meant = bracketed + text.strip().removeprefix(place)
    raise UnknownNameError(
        f"unknown line {show(place)}: write hands in brackets, as in {show(meant)}"
    )


def _left(
    text: str, actions: tuple[str, ...], rest: tuple[int, ...], goal: tuple[float, ...]
) -> float:
    """Return the frequency of the unnamed actions."""
    left = 1.0 - sum(goal)
    if left < -ROUNDING:
        raise ParameterError(
            f"the frequencies in {show(text)} sum to {sum(goal):.4g}: give at most 100%"
        )
    if not rest and left > ROUNDING:
        raise ParameterError(
            f"the frequencies in {show(text)} sum to {sum(goal):.4g}, and all actions are named: "
            f"omit one, such as {actions[0]}, or give numbers that sum to 100%"
        )
    return left if left > ROUNDING else 0.0


def _shares(
    choices: str, actions: tuple[str, ...], place: str, text: str
) -> tuple[tuple[tuple[int, ...], ...], tuple[float, ...]]:
    """Return the groups of named actions, and their frequencies."""
    by_name = _actions_by_name(actions)
    # Longer names first: `bet 50` before `bet`.
    name = "|".join(re.escape(own) for own in sorted(by_name, key=len, reverse=True))
    pattern = re.compile(rf"\s*(?P<names>(?:{name})(?:\s*\+\s*(?:{name}))*){SHARE}", re.DOTALL)
    groups: list[tuple[int, ...]] = []
    goal: list[float] = []
    at = 0
    while at < len(choices) or not groups:
        match = pattern.match(choices, at)
        if match is None:
            _refuse(choices[at:], by_name, place, text)
        at = match.end()
        share = float(match["number"]) / (100 if match["percent"] else 1)
        if not 0 <= share <= 1:
            is_percentage = not match["percent"] and 0 < share <= 100
            hint = f"write {match['number']}%" if is_percentage else "give 0% to 100%"
            named = f"{match['names']} {match['number']}"
            if named in by_name:
                hint = f"the action {named} needs a frequency, as in '{named} 40%'"
            found = "above 100%" if share > 1 else "below 0%"
            raise ParameterError(f"{show(text)} has a frequency {found}; {hint}")
        groups.append(_members(match["names"], by_name, name))
        goal.append(share)
    chosen = [action for own in groups for action in own]
    if len(chosen) > len({*chosen}):
        twice = next(actions[action] for action in chosen if chosen.count(action) > 1)
        raise ParameterError(
            f"{show(text)} has two frequencies for {twice!r}: name each action once"
        )
    return tuple(groups), tuple(goal)


def _members(names: str, by_name: dict[str, tuple[int, ...]], pattern: str) -> tuple[int, ...]:
    """Return the numbers of the actions whose names are joined by a plus."""
    found = re.finditer(rf"({pattern})\s*(?:\+\s*|$)", names, re.DOTALL)
    return tuple(action for own in found for action in by_name[own[1]])


def _actions_by_name(actions: tuple[str, ...]) -> dict[str, tuple[int, ...]]:
    """Return the numbers of actions by name, and by the first word that several names share."""
    first = [own.split(" ")[0] for own in actions]
    words = {
        word: tuple(place for place, own in enumerate(first) if own == word)
        for word in dict.fromkeys(first)
    }
    return {**words, **{own: (place,) for place, own in enumerate(actions)}}


def _refuse(choices: str, by_name: dict[str, tuple[int, ...]], place: str, text: str) -> NoReturn:
    """Raise the error for actions and frequencies that cannot be read."""
    match = UNREAD.match(choices)
    name = choices.strip() if match is None else match["name"]
    if not name or name in by_name:
        example = name or next(iter(by_name))
        raise ParameterError(
            f"{show(text)} has an unreadable frequency{f' of {name!r}' if name else ''}: "
            f"write '{example} 40%', or omit the colon to lock the policy itself; {EXAMPLE}"
        )
    raise UnknownNameError.of(f"action at {show(place)}", name, by_name)


def _named_hands(form: PublicForm, player: Player, given: str, text: str) -> list[int]:
    """Return the hands in a list or a range."""
    labels = form.hands[player]
    items = [own.strip() for own in given.split(",")]
    if given in map(value_text, labels):  # such as "1,2", two dice
        items = [given]
    if not all(isinstance(own, str) and own in HOLDINGS for own in labels):
        return [form.find_hand(player, item) for item in items]
    places = {str(own): place for place, own in enumerate(labels)}
    found: list[int] = []
    for item in items:
        weights = parse_range(item)
        if not {*weights} <= {0.0, 1.0}:
            raise ParameterError(
                f"{show(item)} in {show(text)} has a weight, but a lock applies to whole hands: "
                "omit the weight"
            )
        named = [hand for hand, share in zip(HOLE_CARDS, weights, strict=True) if share]
        known = [places[hand] for hand in named if hand in places]
        if not known:
            raise ParameterError(
                f"{show(item)} in {show(text)} is outside the range of player {player}: "
                f"name hands in that range, such as {labels[0]}"
            )
        found += known
    return [*dict.fromkeys(found)]


def _checked_hands(
    form: PublicForm, node: int, player: Player, hands: LongArray, text: str
) -> BoolArray:
    """Return [hands] which hands are locked at a node, excluding those that chance removed."""
    alive = form.possible_hands(node, player)
    chosen = np.zeros(len(alive), bool)
    chosen[hands] = True
    chosen &= alive
    if not chosen.any():
        raise ParameterError(
            f"the hands in {show(text)} contain cards dealt on that line: name other hands"
        )
    classes = form.hand_classes[player][form.class_map[node]]
    merged = alive & ~chosen & np.isin(classes, classes[chosen])
    if merged.any():
        first = int(np.argmax(chosen & np.isin(classes, classes[merged])))
        second = int(np.argmax(merged & (classes == classes[first])))
        names = [value_text(form.hands[player][hand]) for hand in (first, second)]
        raise ParameterError(
            f"{show(text)} names {names[0]} but not {names[1]}, which {form.name} merges with it: "
            "name both, or build the form with build_public_form(game, merge_symmetric=False)"
        )
    return chosen
