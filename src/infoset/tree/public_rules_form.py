"""Construction of public forms: from public rules without histories, or from a tree."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import NamedTuple, TypeVar

import numpy as np

from infoset.errors import ExplorationLimitError, GameRuleError
from infoset.forms import (
    UNIT,
    CardSymmetries,
    Equities,
    Fold,
    Group,
    HandPrior,
    Operator,
    PublicForm,
    PublicTerminals,
    Showdown,
    common_sum,
)
from infoset.game import Game, GameSource, PublicEnd, PublicHand, PublicRules, scaled_hands
from infoset.game.protocol import RULES, has_hook
from infoset.tree.build_watch import BuildPoint, BuildProgress
from infoset.tree.game_tree import build_tree
from infoset.tree.limits import current_limits
from infoset.tree.public_counting import (
    WITHOUT_CARDS,
    PublicCounts,
    check_public_form_fits,
    count_public_form,
)
from infoset.tree.public_derivation import derive_public_form
from infoset.typing import CHANCE, Action, BoolArray, FloatArray, IntArray, LongArray
from infoset.utils.arguments import check_callable, check_type
from infoset.utils.clocks import working_seconds

ValueT = TypeVar("ValueT")

VISITS_PER_REPORT = 1 << 11
"""Number of public states visited between reports: about 20 ms."""
PAIR_BYTES = 16
"""Size of a pair of utilities."""


def public_rules_of(game: Game) -> PublicRules | None:
    """Return the rules of a game by public states and hands; None if it has none.

    Rules that are inherited from a class with other rewards, actions or observations are ignored.
    """
    return game.public_rules() if has_hook(game, "public_rules", (*RULES, "rewards")) else None


def build_public_form(
    game: Game,
    *,
    merge_symmetric: bool = True,
    memory: int | None = None,
    max_worlds: int | None = None,
    max_seconds: float | None = None,
    progress: BuildProgress | None = None,
    precision: str = "float64",
) -> PublicForm:
    """Build the public form of a two-player game in which everything after the deal is public.

    If the game has public rules (see `PublicRules`), as Leduc poker and liar's dice have, only its
    public states are visited. Otherwise the form is derived from the tree of the game.

    Parameters
    ----------
    merge_symmetric
        Whether to merge lines and hands that differ only by cards which the public rules declare to
        be exchangeable, such as suits. Policies answer for all lines and hands in either case.
    memory
        Limit in bytes on building the form and solving it; by default that of `build_limits`, 70%
        of the free memory.
    max_worlds, max_seconds, progress : optional
        Limits and progress, as in `build_tree`; without public rules, `max_worlds` is that of the
        tree.
    precision
        Precision in which the form is to be solved, as in `RegretMinimizer`: the limit on memory
        includes solving. The form itself does not depend on it.

    Raises
    ------
    UnsupportedGameError
        If something after the deal is not public, as in `derive_public_form`.
    GameTooLargeError
        If the form or the tree would not fit in memory. This is checked before they are built.
    ExplorationLimitError, GameRuleError
        As in `build_tree`, or if the public rules break a rule of `PublicRules`.

    Examples
    --------
    A deck of 100 cards, whose tree has 73 million histories:

    >>> from infoset.games import load_game
    >>> form = build_public_form(load_game("leduc_poker(num_ranks=50)"))
    >>> form.num_hands, form.num_nodes
    ((100, 100), 3011)
    """
    check_type("game", game, Game, 'a game, such as infoset.load("leduc_poker")')
    rules = public_rules_of(game)
    if rules is not None:
        counts = count_public_form(rules, memory, merge_symmetric)
        check_public_form_fits(counts, str(game), memory, precision)
        report = _reporter(str(game), counts.nodes + counts.ends, max_seconds, progress)
        form = form_of_public_rules(game, rules, merge_symmetric, report)
        check_counts(counts, form)
        return form
    tree = build_tree(
        game, memory=memory, max_worlds=max_worlds, max_seconds=max_seconds, progress=progress
    )
    return derive_public_form(tree)


def _reporter(
    name: str, total: int, max_seconds: float | None, progress: BuildProgress | None
) -> Callable[[int], None]:
    """Return a function that reports progress, and raises an error beyond the time limit."""
    if progress is not None:
        check_callable("progress", progress, "a function of a BuildPoint")
    limit = current_limits().updated(max_seconds=max_seconds).max_seconds
    began = working_seconds()

    def report(done: int) -> None:
        elapsed = working_seconds() - began
        if progress is not None:
            progress(BuildPoint("public tree", done, total, elapsed))
        if limit is not None and elapsed > limit:
            raise ExplorationLimitError(
                f"{name} has {total:,} public states; building its public form stopped at the time "
                f"limit of {limit} s. Use smaller parameters, or raise max_seconds "
                "(--build-seconds)",
                {"public_states": total},
            )

    return report


def form_of_public_rules(
    game: Game,
    rules: PublicRules,
    merge_symmetric: bool = True,
    report: Callable[[int], None] | None = None,
) -> PublicForm:
    """Return the public form of a game from its public rules.

    Parameters
    ----------
    rules
        The public rules of the game.
    merge_symmetric
        Whether to merge what `PublicRules.symmetries` exchanges.
    report
        Function that is called with the number of public states visited, now and then.

    Raises
    ------
    GameRuleError
        If the public rules break a rule of `PublicRules`.
    """
    symmetries = CardSymmetries(rules, str(game), merge_symmetric)
    return _PublicTree(game, rules, symmetries, report or (lambda done: None)).form()


def check_counts(counts: PublicCounts, form: PublicForm) -> None:
    """Check that the size of a form equals the forecast.

    Raises
    ------
    GameRuleError
        If it does not, which means that `PublicRules.without_cards` is not valid for the game.
    """
    first, second = (plex.num_sequences for plex in form.treeplexes)
    built = form.num_nodes, len(form.terminals), (first, second)
    forecast = counts.nodes, counts.ends, counts.sequences
    for what, own, other in zip(("nodes", "ends", "sequences"), forecast, built, strict=True):
        if own != other:
            raise GameRuleError(
                WITHOUT_CARDS,
                found=f"the public rules of {form.name}: with without_cards, {own} {what} are "
                f"counted, but the form has {other}",
            )


class _Place(NamedTuple):
    """A public state to be visited: how it was reached, and what chance has dealt before it.

    The permutations of `group` map the cards dealt so far to themselves.
    """

    state: Hashable
    parent: int
    action: int
    observation: Hashable
    reach: float
    cards: frozenset[Hashable]
    group: Group


class _Compared(NamedTuple):
    """Strengths or equities of an end, as in `PublicEnd`; both are None after a fold."""

    strengths: tuple[tuple[int, ...], tuple[int, ...]] | None
    equities: tuple[tuple[float, ...], ...] | None


class _Ends:
    """The ends, as in `PublicTerminals`, with the utilities of each set.

    Arrays are used because lists of objects would take more memory than a large form itself.
    """

    def __init__(self) -> None:
        self.node, self.action = array("i"), array("i")
        self.reach, self.operator = array("d"), array("i")
        self.payoff_set = array("i")
        # As bytes: fingerprints distinguish 0.0 from -0.0, and numbers do not.
        self.utilities: dict[bytes, int] = {}


class _PublicTree:
    """The public tree, visited depth first; the arrays grow with it.

    `form` renumbers nodes, ends and values in breadth-first order. The tree is not visited in that
    order, because the public states waiting for their visit would take more memory than the form.
    """

    def __init__(
        self,
        game: Game,
        rules: PublicRules,
        symmetries: CardSymmetries,
        report: Callable[[int], None],
    ) -> None:
        self.game, self.rules, self.symmetries = game, rules, symmetries
        self.report = report
        self.hands = tuple(scaled_hands(rules.hands(player)) for player in range(2))
        self.pairs = rules.pair_weights()
        self.players = array("i")
        self.parents = array("i")
        self.actions = array("i")
        self.seen = array("i")
        self.observations: dict[Hashable, int] = {}
        self.legal = array("i")
        self.action_sets: dict[tuple[Action, ...], int] = {}
        self.class_map = array("i")
        self.groups: dict[Group, int] = {}
        # for nodes and ends
        self.depth, self.is_end, self.hand_set = array("i"), array("b"), array("i")
        self.dealt: dict[frozenset[Hashable], int] = {}
        self.operators: dict[_Compared, int] = {}
        self.checked: set[tuple[int, Group]] = set()
        self.ends = _Ends()
        self._visit_all()

    def _error(self, found: str, rule: str) -> GameRuleError:
        return GameRuleError(rule, found=f"the public rules of {self.game}: {found}")

    def _visit_all(self) -> None:
        root, group = self.rules.initial_state(), self.symmetries.whole
        # The children of each node of a line, created when they are visited.
        line = [iter([_Place(root, -1, -1, None, 1.0, frozenset(), group)])]
        while line:
            place = next(line[-1], None)
            if place is None:
                line.pop()
                continue
            if len(self.depth) % VISITS_PER_REPORT == 0:
                self.report(len(self.depth))
            end = self.rules.end(place.state)
            self.depth.append(len(line) - 1)
            self.is_end.append(end is not None)
            self.hand_set.append(self.dealt.setdefault(place.cards, len(self.dealt)))
            if end is not None:
                self._add_end(place, end)
            else:
                line.append(self._add_node(place))
        self.report(len(self.depth))

    def _add_node(self, place: _Place) -> Iterator[_Place]:
        """Add a public node; yield its children."""
        number, rules = len(self.players), self.rules
        actor = rules.actor(place.state)
        self.players.append(CHANCE if actor is None else actor)
        self.parents.append(place.parent)
        self.actions.append(place.action)
        self.class_map.append(self.groups.setdefault(place.group, len(self.groups)))
        root = place.parent < 0
        self.seen.append(
            -1 if root else self.observations.setdefault(place.observation, len(self.observations))
        )
        if actor is None:
            self.legal.append(-1)
            return self._after_deals(place, number)
        legal = tuple(rules.legal_actions(place.state))
        if not legal or len(set(legal)) < len(legal):
            raise self._error(
                f"legal_actions({place.state!r}) is {legal!r}",
                "a decision has at least one legal action, and they differ",
            )
        self.legal.append(self.action_sets.setdefault(legal, len(self.action_sets)))
        return (
            _Place(
                rules.next_state(place.state, action),
                number,
                taken,
                rules.observation(place.state, action),
                place.reach,
                place.cards,
                place.group,
            )
            for taken, action in enumerate(legal)
        )

    def _after_deals(self, place: _Place, number: int) -> Iterator[_Place]:
        """Yield the children of a chance move."""
        deals = tuple(self.rules.deals(place.state))
        if not deals:
            raise self._error(
                f"at {place.state!r} nobody acts, there are no deals, and it is not an end",
                "every public state is a decision, a chance move or an end",
            )
        self.symmetries.note_lines(number, deals, place.group)
        return (
            _Place(
                deal.next_state,
                number,
                -1,
                deal.observation,
                # the reach of all outcomes that the deal represents
                place.reach * float(deal.probability) * count,
                place.cards.union(deal.cards),
                group,
            )
            for deal, count, group in self.symmetries.merged(deals, place.group)
        )

    def _add_end(self, place: _Place, end: PublicEnd) -> None:
        num_pairs = 2 if end.equities is not None else 1 if end.strengths is None else 3
        if len(end.utilities) != num_pairs:
            raise self._error(
                f"the end {place.state!r} has {len(end.utilities)} pairs of utilities",
                "an end has one pair of utilities, three if it has strengths, or two if it has "
                "equities",
            )
        if place.parent < 0:
            raise self._error("the initial state is an end", "the game has a decision")
        compared = _Compared(end.strengths, end.equities)
        operator = self.operators.setdefault(compared, len(self.operators))
        if end.strengths is not None and (operator, place.group) not in self.checked:
            self.symmetries.check_strengths(end.strengths, place.cards, place.group)
            self.checked.add((operator, place.group))
        ends = self.ends
        ends.node.append(place.parent)
        ends.action.append(place.action)
        ends.reach.append(place.reach)
        ends.operator.append(operator)
        paid = array("d", (float(one) for pair in end.utilities for one in pair)).tobytes()
        ends.payoff_set.append(ends.utilities.setdefault(paid, len(ends.utilities)))

    def form(self) -> PublicForm:
        """Return the public form."""
        prior, ends = self._prior(), self.ends
        order = _Order(np.array(self.depth), np.array(self.is_end, bool))
        seen, observations = _renumbered(self.seen, order.nodes, self.observations)
        legal, action_sets = _renumbered(self.legal, order.nodes, self.action_sets)
        class_map, groups = _renumbered(self.class_map, order.nodes, self.groups)
        hand_set, dealt = _renumbered(self.hand_set, order.visits, self.dealt)
        hand_sets, is_end = self._hand_sets(dealt), _numbers(self.is_end)[order.visits] > 0
        operator, compared = _renumbered(ends.operator, order.ends, self.operators)
        operators = tuple(map(_operator, compared))
        terminals = PublicTerminals(
            node=order.number[_numbers(ends.node)[order.ends]],
            action=_numbers(ends.action)[order.ends],
            chance_reach=np.array(ends.reach)[order.ends],
            hand_set=hand_set[is_end],
            operator=operator,
            payoff_set=_numbers(ends.payoff_set)[order.ends],
            first_payoff=np.cumsum([0, *(len(own) // PAIR_BYTES for own in ends.utilities)]),
            payoff=np.array(np.frombuffer(b"".join(ends.utilities))).reshape(-1, 2),
        )
        earned = _outcomes_that_occur(prior, operators, hand_sets, terminals)
        limits = np.stack([earned.min(axis=0), earned.max(axis=0)], axis=1)
        constant_sum = common_sum(earned)
        sums = 0.0 if constant_sum is None else np.abs(earned.sum(axis=1) - constant_sum).max()
        # Roundings of the prior, of one chance factor per node of a line, and of their products.
        relative = (4 + 2 * max(self.depth)) * UNIT
        return PublicForm(
            name=str(self.game),
            hands=(_labels(self.hands[0]), _labels(self.hands[1])),
            prior=prior,
            player=_numbers(self.players)[order.nodes],
            parent=order.number[_numbers(self.parents)[order.nodes]],
            action=_numbers(self.actions)[order.nodes],
            observation=seen,
            observations=tuple(observations),
            action_set=legal,
            action_sets=tuple(action_sets),
            hand_set=hand_set[~is_end],
            hand_sets=hand_sets,
            terminals=terminals,
            operators=operators,
            utility_limits=limits,
            constant_sum=constant_sum,
            payoff_rounding=relative * float(np.abs(limits).max()) + float(sums),
            source=GameSource.of_rules(self.game),
            symmetry=self.symmetries.symmetry(class_map, groups, order.number),
        )

    def _prior(self) -> HandPrior:
        """Return the prior of the hands, with probabilities that sum to 1."""
        if self.pairs is None:
            return _prior(self.hands)
        pairs = np.array(self.pairs, np.float64)
        sizes = tuple(map(len, self.hands))
        if pairs.shape != sizes or any(hand.cards for own in self.hands for hand in own):
            raise self._error(
                f"pair_weights() has the shape {pairs.shape} for {sizes} hands",
                "it has one weight for each pair of hands, and hands do not have cards",
            )
        first, second = (np.ones(size) for size in sizes)
        no_cards = (np.zeros((sizes[0], 0), np.int32), np.zeros((sizes[1], 0), np.int32))
        return HandPrior((first, second), no_cards, pairs / pairs.sum())

    def _hand_sets(self, dealt: Sequence[frozenset[Hashable]]) -> tuple[BoolArray, BoolArray]:
        """Return per player [sets, hands] the hands that have none of the cards dealt so far."""
        first, second = (
            np.array([[cards.isdisjoint(hand.cards) for hand in own] for cards in dealt])
            for own in self.hands
        )
        return first, second


def _prior(hands: tuple[tuple[PublicHand, ...], ...]) -> HandPrior:
    """Return the prior of the hands, with probabilities that sum to 1."""
    number: dict[Hashable, int] = {}
    most = max(len(hand.cards) for own in hands for hand in own)
    rows = []
    for own in hands:
        cards = np.full((len(own), most), -1, np.int32)
        for place, hand in enumerate(own):
            cards[place, : len(hand.cards)] = [
                number.setdefault(card, len(number)) for card in hand.cards
            ]
        rows.append(cards)
    first, second = (np.array([float(hand.weight) for hand in own]) for own in hands)
    total = HandPrior((first, second), (rows[0], rows[1])).matrix().sum()
    return HandPrior((first, second / total), (rows[0], rows[1]))


def _operator(compared: _Compared) -> Operator:
    if compared.equities is not None:
        equities = np.array(compared.equities)
        return Equities(np.stack([1 - equities, equities]))
    if compared.strengths is None:
        return Fold()
    first, second = (np.array(own, np.int32) for own in compared.strengths)
    return Showdown((first, second))


def _outcomes_that_occur(
    prior: HandPrior,
    operators: Sequence[Operator],
    hand_sets: tuple[BoolArray, BoolArray],
    terminals: PublicTerminals,
) -> FloatArray:
    """Return [outcomes, 2] the utilities of the outcomes that occur for some pair of hands.

    With equities, they are the utilities of the pairs with the smallest and largest equity.
    """
    meets = prior.matrix() > 0
    first = terminals.first_payoff[terminals.payoff_set]
    pairs = np.stack([terminals.operator, terminals.hand_set], axis=1)
    kinds, kind = np.unique(pairs, axis=0, return_inverse=True)
    # [kinds, outcomes] whether an outcome occurs
    occurs = np.zeros((len(kinds), 3), bool)
    expected: list[FloatArray] = []
    for number, (place, cards) in enumerate(kinds.tolist()):
        reached = meets & np.logical_and.outer(*(own[cards] for own in hand_sets))
        operator = operators[place]
        if isinstance(operator, Equities):
            rows = first[kind == number][:, None] + np.arange(2)
            # Rounded as in `PublicEnd.earned`.
            weighted = operator.extremes(reached)[:, :, None] * terminals.payoff[rows][:, None]
            expected.append(weighted.sum(axis=2).reshape(-1, 2))
        else:
            occurs[number, : operator.num_outcomes] = operator.occurring(reached)
    certain = np.unique((first[:, None] + np.arange(3))[occurs[kind]])
    return np.concatenate([terminals.payoff[certain], *expected])


def _labels(hands: tuple[PublicHand, ...]) -> tuple[Hashable, ...]:
    return tuple(hand.label for hand in hands)


class _Order:
    """The order of breadth-first visits, given the depths of depth-first visits.

    Both visit states of the same depth in the same order.
    """

    def __init__(self, depth: IntArray, is_end: BoolArray) -> None:
        # [V], [N], [T] numbers by depth-first visits, in the order of breadth-first visits
        self.visits = np.argsort(depth, kind="stable")
        self.nodes = np.argsort(depth[~is_end], kind="stable")
        self.ends = np.argsort(depth[is_end], kind="stable")
        # [N + 1] for each node by depth-first visits, its number by breadth-first visits; the last
        # one is -1, the number of the root's parent
        self.number = np.full(len(self.nodes) + 1, -1, np.int32)
        self.number[self.nodes] = np.arange(len(self.nodes))


def _renumbered(
    numbers: Sequence[int], order: LongArray, values: Iterable[ValueT]
) -> tuple[IntArray, list[ValueT]]:
    """Return numbers in an order, renumbered by first use, and the values that they stand for.

    The number -1, which stands for no value, remains.
    """
    found, every = _numbers(numbers)[order], list(values)
    used, first = np.unique(found, return_index=True)
    used = used[np.argsort(first)]
    used = used[used >= 0]
    number = np.full(len(every) + 1, -1, np.int32)
    number[used] = np.arange(len(used))
    return number[found], [every[own] for own in used.tolist()]


def _numbers(numbers: Sequence[int]) -> IntArray:
    return np.array(numbers, np.int32)
