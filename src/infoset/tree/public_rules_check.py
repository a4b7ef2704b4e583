"""Comparison of a game's public rules with its rules: along plays, and as whole public forms."""

from __future__ import annotations

import sys
from collections.abc import Hashable
from dataclasses import dataclass
from itertools import islice

import numpy as np

from infoset.errors import GameRuleError, UnsupportedGameError
from infoset.forms import PublicForm
from infoset.game import Game, History, PublicRules, initial_history
from infoset.tree.estimates import estimate_histories
from infoset.tree.game_tree import build_tree
from infoset.tree.public_counting import count_public_form
from infoset.tree.public_derivation import derive_public_form
from infoset.tree.public_rules_form import check_counts, form_of_public_rules, public_rules_of
from infoset.typing import CHANCE, NOOP, FloatArray, LongArray, Player
from infoset.utils.arguments import check_count, check_type

CLOSE = 1e-12
"""Largest relative difference between equal numbers."""

MAX_DEALS = 200_000
"""Number of deals up to which the prior is compared for every pair of hands."""

NOBODY = (NOOP, NOOP)
RULE = "the public rules of a game describe the same game as its rules"


@dataclass(frozen=True)
class PublicRulesReport:
    """What `check_public_rules` compared without finding a difference."""

    game: str
    num_lines: int
    """Number of random plays along which both rules were compared."""
    has_all_deals: bool
    """Whether the probability of every pair of hands was compared."""
    is_complete: bool
    """Whether the whole public form was compared with the form that is derived from the tree."""


def check_public_rules(
    game: Game, *, num_lines: int = 100, max_histories: int = 100_000, seed: int = 0
) -> PublicRulesReport:
    """Compare the public rules of a game with its rules.

    Along random plays of the game, the public rules must have the same actors, legal actions,
    public observations, chance probabilities and utilities. If the game is small enough, the whole
    public form is compared with the one derived from the tree: public tree, hands, and gradients at
    a random policy. The first transition has to be the deal.

    If the rules have symmetries, actors and legal actions must be the same along the plays in the
    form that merges what they exchange; in small games, the gradients must be the same, too. The
    size of the form must be the one that `count_public_form` forecasts.

    Parameters
    ----------
    game
        A game whose `public_rules` returns rules.
    num_lines
        Number of random plays.
    max_histories
        Estimated number of histories up to which the forms are compared.

    Raises
    ------
    GameRuleError
        If the rules differ. The message names the first difference.
    UnsupportedGameError
        If the game has no public rules.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> check_public_rules(load_game("leduc_poker(num_ranks=4)")).is_complete
    True
    """
    check_type("game", game, Game, 'a game, such as infoset.load("leduc_poker")')
    check_count("num_lines", num_lines)
    check_count("max_histories", max_histories)
    check_count("seed", seed)
    rules = public_rules_of(game)
    if rules is None:
        raise UnsupportedGameError(
            f"{game} has no public rules to check: override Game.public_rules, in the class that "
            "defines the other rules"
        )
    merged, rng = form_of_public_rules(game, rules), np.random.default_rng(seed)
    check_counts(count_public_form(rules, sys.maxsize), merged)
    form = merged
    is_small = estimate_histories(game, seed=seed).histories <= max_histories
    if merged.symmetry is not None and is_small:
        form = form_of_public_rules(game, rules, merge_symmetric=False)
        _compare_merged(merged, form, rng)
    has_all_deals = _compare_deals(game, form)
    for _ in range(num_lines):
        _Line(game, rules, merged, rng).compare()
    if is_small:
        _compare_forms(form, derive_public_form(build_tree(game)), rng)
    return PublicRulesReport(str(game), num_lines, has_all_deals, is_small)


def _difference(game: object, found: str) -> GameRuleError:
    return GameRuleError(RULE, found=f"the public rules of {game} differ: {found}")


def _places(form: PublicForm) -> tuple[dict[Hashable, int], dict[Hashable, int]]:
    """Return per player the place of each hand by its label."""
    first, second = ({hand: place for place, hand in enumerate(own)} for own in form.hands)
    return first, second


def _compare_deals(game: Game, form: PublicForm) -> bool:
    """Compare the prior with the deals, if these are few enough to list; return whether they are.

    Raises
    ------
    GameRuleError
        If a hand is missing or a probability differs.
    """
    root, places = initial_history(game), _places(form)
    dealt = np.zeros(form.num_hands)
    outcomes = list(islice(game.transitions(root.world, NOBODY), MAX_DEALS + 1))
    if len(outcomes) > MAX_DEALS:
        return False
    for world, probability in outcomes:
        pair = _pair(root.extend(NOBODY, world), places)
        dealt[pair] += float(probability)
    prior = form.prior.matrix()
    wrong = np.argwhere(np.abs(dealt - prior) > CLOSE * np.maximum(dealt, prior))
    if len(wrong):
        first, second = wrong[0]
        raise _difference(
            game,
            f"the hands {form.hands[0][first]!r} and {form.hands[1][second]!r} have probability "
            f"{dealt[first, second]:.9g} by the rules, and {prior[first, second]:.9g} by the "
            "public rules",
        )
    return True


def _pair(history: History, places: tuple[dict[Hashable, int], ...]) -> tuple[int, int]:
    """Return the hands after the deal.

    Raises
    ------
    GameRuleError
        If a player observes something that is not the label of a hand.
    """
    found = []
    for player, known in enumerate(places):
        seen = history.infostates[player].steps[0].private
        if seen not in known:
            raise _difference(
                history.game, f"player {player} has no hand {seen!r}, which it observes at the deal"
            )
        found.append(known[seen])
    return found[0], found[1]


class _Line:
    """One random play by the rules, and the public rules along it."""

    def __init__(
        self, game: Game, rules: PublicRules, form: PublicForm, rng: np.random.Generator
    ) -> None:
        self.game, self.rules, self.form, self.rng = game, rules, form, rng
        self.history = initial_history(game).sample(NOBODY, rng)
        self.pair = _pair(self.history, _places(form))
        self.state = rules.initial_state()
        self.at = 0, 0

    def _equal(self, what: str, by_rules: object, by_public_rules: object) -> None:
        if by_rules != by_public_rules:
            raise _difference(
                self.game,
                f"after {self.history.public_state}, {what} by the rules: {by_rules!r}; by the "
                f"public rules: {by_public_rules!r}",
            )

    def compare(self) -> None:
        """Follow the line to its end.

        Raises
        ------
        GameRuleError
            At the first difference.
        """
        while (end := self.rules.end(self.state)) is None:
            self._equal("the game is over", self.history.is_terminal, False)
            actor = self.rules.actor(self.state)
            acting = () if actor is None else (actor,)
            self._equal("who acts", tuple(self.history.actors), acting)
            self._compare_merged(actor)
            if actor is None:
                self._deal()
            else:
                self._act(actor)
        self._equal("the game is over", self.history.is_terminal, True)
        earned = tuple(map(float, self.history.rewards_so_far))
        self._equal("the utilities", earned, tuple(map(float, end.earned(self.pair))))

    def _compare_merged(self, actor: Player | None) -> None:
        """Compare the line with the one that represents it."""
        node = self.at[0]
        legal = () if actor is None else tuple(self.rules.legal_actions(self.state))
        player = CHANCE if actor is None else actor
        if (self.form.player[node], self.form.legal_actions(node)) != (player, legal):
            raise _difference(
                self.game,
                f"who acts, or what is legal, after {self.history.public_state} and after "
                f"{self.form.label(node)!r}, which symmetries exchange",
            )

    def _advance(self, seen: Hashable) -> None:
        """Continue the line that represents this one; it may end here."""
        if self.rules.end(self.state) is None:
            self.at = self.form.advance(self.at, seen)

    def _act(self, actor: Player) -> None:
        legal = tuple(self.rules.legal_actions(self.state))
        self._equal("the legal actions", self.history.legal_actions(actor), legal)
        action = legal[int(self.rng.integers(len(legal)))]
        expected = self.rules.observation(self.state, action)
        self.history = self.history.sample(self.history.joint({actor: action}), self.rng)
        self.state = self.rules.next_state(self.state, action)
        self._advance(expected)
        if not self.history.is_terminal:
            self._equal("the public observation", self.history.observation.public, expected)

    def _deal(self) -> None:
        hands = zip(self.pair, map(self.rules.hands, range(2)), strict=True)
        held = {card for place, own in hands for card in own[place].cards}
        deals = [deal for deal in self.rules.deals(self.state) if held.isdisjoint(deal.cards)]
        listed: dict[Hashable, float] = {}
        for world, probability in self.history.chance_outcomes:
            seen = self.history.extend(NOBODY, world).observation.public
            listed[seen] = listed.get(seen, 0.0) + float(probability)
        self._equal("what chance may show", {*listed}, {deal.observation for deal in deals})
        for deal in deals:
            if abs(listed[deal.observation] - float(deal.probability)) > CLOSE:
                self._equal(
                    f"the probability of {deal.observation!r}",
                    listed[deal.observation],
                    float(deal.probability),
                )
        self.history = self.history.sample(NOBODY, self.rng)
        seen = self.history.observation.public
        self.state = next(deal.next_state for deal in deals if deal.observation == seen)
        self._advance(seen)


def _compare_merged(merged: PublicForm, form: PublicForm, rng: np.random.Generator) -> None:
    """Compare a form with the one in which symmetries have merged lines and hands.

    Raises
    ------
    GameRuleError
        At the first difference.
    """
    lines = [_represented(merged, _line(form, node)) for node in range(form.num_nodes)]
    for node, (other, _) in enumerate(lines):
        if (form.player[node], form.legal_actions(node)) != (
            merged.player[other],
            merged.legal_actions(other),
        ):
            raise _difference(
                form.name,
                f"who acts, or what is legal, after {form.label(node)!r} and after "
                f"{merged.label(other)!r}, which symmetries exchange",
            )
    plans, places = [], []
    for player in range(2):
        plan = rng.random(merged.treeplexes[player].num_sequences)
        plan[0] = 1.0
        plans.append(plan)
        places.append(_merged_places(merged, form, player, lines))
    for player in range(2):
        other = 1 - player
        ours = merged.gradient(tuple(plans), player)
        whole = form.gradient((plans[other][places[other]],) * 2, player)
        # A merged sequence earns what all those earn that it stands for.
        theirs = np.bincount(places[player], whole, len(ours))
        if np.abs(ours - theirs).max() > CLOSE * max(1.0, form.payoff_width):
            raise _difference(
                form.name,
                f"what player {player} earns at a random policy, with and without the lines and "
                "hands that symmetries exchange",
            )


def _represented(form: PublicForm, line: tuple[Hashable, ...]) -> tuple[int, int]:
    """Return the node that represents a line, and the permutation that maps the line to it."""
    at = 0, 0
    for seen in line:
        at = form.advance(at, seen)
    return at


def _merged_places(
    merged: PublicForm, form: PublicForm, player: Player, lines: list[tuple[int, int]]
) -> LongArray:
    """Return [Q] the sequence of the merged form for each sequence of a player."""
    places = np.zeros(form.treeplexes[player].num_sequences, np.int64)
    hands = range(form.num_hands[player])
    for node in form.decisions[player].tolist():
        at, permutation = lines[node]
        image = [merged.hand_at(player, hand, permutation) for hand in hands]
        first, other = form.sequences[player].first[node], merged.sequences[player].first[at]
        for action in range(int(form.num_actions[node])):
            own = form.places(player, np.array([first + action]))[0]
            places[own] = merged.places(player, np.array([other + action]))[0, image]
    return places


def _compare_forms(form: PublicForm, derived: PublicForm, rng: np.random.Generator) -> None:
    """Compare the form of the public rules with the one derived from the tree.

    Raises
    ------
    GameRuleError
        At the first difference.
    """
    nodes = _same_nodes(form, derived)
    plans: list[FloatArray] = [rng.random(plex.num_sequences) for plex in form.treeplexes]
    places = [_sequence_places(form, derived, player, nodes) for player in range(2)]
    for plan in plans:
        plan[0] = 1.0
    for player in range(2):
        other = np.zeros_like(plans[1 - player])
        other[places[1 - player]] = plans[1 - player]
        ours = form.gradient(tuple(plans), player)
        theirs = derived.gradient((other, other), player)[places[player]]
        wrong = np.flatnonzero(np.abs(ours - theirs) > CLOSE * max(1.0, form.payoff_width))
        if len(wrong):
            infostate = int(form.treeplexes[player].infostate_of_sequence[wrong[0]])
            node, hand = (int(column[infostate]) for column in form.infostates[player])
            where = form.label(node) if infostate >= 0 else ""
            raise _difference(
                form.name,
                f"what player {player} earns with the hand {form.hands[player][hand]!r} after "
                f"{where!r}: {theirs[wrong[0]]:.9g} by the rules, and {ours[wrong[0]]:.9g} by the "
                "public rules, at a random policy",
            )


def _same_nodes(form: PublicForm, derived: PublicForm) -> LongArray:
    """Return [V] the node of the derived form that corresponds to each node.

    Raises
    ------
    GameRuleError
        If a line, a player or a legal action differs.
    """
    known = {_line(derived, node): node for node in range(derived.num_nodes)}
    lines = [_line(form, node) for node in range(form.num_nodes)]
    if {*known} != {*lines}:
        example = next(iter({*known} ^ {*lines}))
        raise _difference(form.name, f"the public line {example!r} is in only one of them")
    for node, line in enumerate(lines):
        other = known[line]
        if (form.player[node], form.legal_actions(node)) != (
            derived.player[other],
            derived.legal_actions(other),
        ):
            raise _difference(form.name, f"who acts, or the legal actions, after {line!r}")
    return np.array([known[line] for line in lines])


def _line(form: PublicForm, node: int) -> tuple[Hashable, ...]:
    """Return the public observations that lead to a node."""
    line: list[Hashable] = []
    while form.parent[node] >= 0:
        line.append(form.observations[form.observation[node]])
        node = int(form.parent[node])
    return tuple(reversed(line))


def _sequence_places(
    form: PublicForm, derived: PublicForm, player: Player, nodes: LongArray
) -> LongArray:
    """Return [Q] the sequence of the derived form for each sequence of a player."""
    known = _places(derived)[player]
    if {*known} != {*form.hands[player]}:
        example = next(iter({*known} ^ {*form.hands[player]}))
        raise _difference(form.name, f"the hand {example!r} of player {player} is in only one")
    hand = np.array([known[label] for label in form.hands[player]])
    own, other = form.treeplexes[player], derived.treeplexes[player]
    decision = np.full(derived.num_nodes, CHANCE)
    decision[derived.decisions[player]] = np.arange(len(derived.decisions[player]))
    place = decision[nodes[form.decisions[player]]]
    # Without symmetry, infostates are numbered by decision and then by hand.
    infostate = (place[:, None] * len(hand) + hand).ravel()
    step = np.arange(own.num_sequences - 1) - np.repeat(own.first_sequence - 1, own.num_actions)
    first = np.repeat(other.first_sequence[infostate], own.num_actions)
    return np.append(0, first + step).astype(np.int64)
