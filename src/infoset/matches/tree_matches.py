"""Matches of tabular policies on a compiled tree, sampled or exact, and exact ones on forms."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias, cast

import numpy as np

from infoset.errors import ParameterError
from infoset.evaluation import CorrelatedPolicy, expected_values
from infoset.evaluation.tree_reach import reach_without
from infoset.forms import Form, PublicForm, as_public_form
from infoset.matches._tree_match_kernels import play_deals
from infoset.matches.match_statistics import (
    ColumnBounds,
    MatchResult,
    column_bounds,
    exact_result,
    match_columns,
)
from infoset.matches.repeated_search import Contestant, as_contestant
from infoset.matches.seats import Seats, make_seats
from infoset.policy import (
    TabularPolicy,
    UniformPolicy,
    tabulate,
    transfer_policy,
    uniform_policy,
)
from infoset.tree import GameTree
from infoset.typing import FloatArray, IntArray, LongArray, Player
from infoset.utils.arguments import check_type

RANDOM_NUMBERS_PER_CHUNK = 1 << 20


@dataclass(frozen=True, eq=False)
class TreeMatch:
    """A match of tabular policies on a tree. Call it with a range of deals to play them."""

    tree: GameTree
    first: TabularPolicy | CorrelatedPolicy
    second: TabularPolicy | CorrelatedPolicy
    seed: int
    seats: Seats
    utility: FloatArray
    """[H, T] utility of the first policy at each terminal history, by its seat: either AIVAT
    estimates or the actual utilities."""

    @property
    def deals_per_chunk(self) -> int:
        """Number of deals in a chunk."""
        return max(1, RANDOM_NUMBERS_PER_CHUNK // (self._longest * (1 + self.tree.num_players)))

    @property
    def _longest(self) -> int:
        """Upper bound on the random numbers that chance or a player uses in a play."""
        return len(self.tree.level_offsets) - 1

    @cached_property
    def _wins(self) -> FloatArray:
        """[H, T] win fraction of each seat at each history."""
        return self.seats.wins(self.tree.rewards_so_far)

    @property
    def bounds(self) -> ColumnBounds:
        """Bounds of the columns that a call returns."""
        is_same = _is_same(self.first, self.second)
        return tree_bounds(self.tree, self.utility, self.seats, is_same=is_same)

    def __call__(self, deals: range) -> FloatArray:
        """Return [D, 2 + 2T] the columns of `match_columns` for the given deals."""
        chance, choices, mixing = self._random_numbers(deals)
        ends = np.empty((len(deals), len(self.seats)), np.int32)
        for first, second, rows in _drawn_pairs(self.first, self.second, mixing):
            ends[rows] = self._play(first, second, chance[rows], choices[rows])
        positions = np.arange(len(self.seats))
        return match_columns(self.utility[ends, positions], self._wins[ends, positions])

    def _play(
        self, first: TabularPolicy, second: TabularPolicy, chance: FloatArray, choices: FloatArray
    ) -> IntArray:
        """Return [D, T] the terminal history of each play, by the seat of the first policy."""
        tree = self.tree
        ends = np.empty((len(chance), len(self.seats)), np.int32)
        play_deals(
            tree.first_child,
            tree.world,
            tree.infostate,
            tree.graph.first_edge,
            tree.graph.joint_action,
            tree.graph.probability,
            tuple(states.first_sequence for states in tree.infostate_trees),
            tuple(states.num_actions for states in tree.infostate_trees),
            first.probabilities,
            second.probabilities,
            self.seats.seat_of_player,
            chance,
            choices,
            ends,
        )
        return ends

    def _random_numbers(self, deals: range) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return random numbers for chance [D, L], players [D, N, L] and correlated draws [D].

        The numbers of a deal depend only on its index, not on its chunk.
        """
        shapes = (self._longest,), (self.tree.num_players, self._longest), ()
        seeds = np.random.SeedSequence(self.seed).spawn(len(shapes))
        numbers = []
        for seed, shape in zip(seeds, shapes, strict=True):
            bits = np.random.PCG64(seed)
            # A double advances PCG64 by one step, so that this skips the numbers of earlier deals.
            bits.advance(deals.start * int(np.prod(shape)))
            numbers.append(np.random.Generator(bits).random((len(deals), *shape)))
        chance, choices, mixing = numbers
        return chance, choices, mixing


def tree_bounds(
    tree: GameTree, utility: FloatArray, seats: Seats, *, is_same: bool = False
) -> ColumnBounds:
    """Return bounds of the columns of a match on a tree.

    utility : [H, T] utility of the first policy at each terminal history, by its position, or
    estimates of it with the same mean.
    is_same : whether a policy plays itself. Then all plays of a deal are the same, so that the mean
    win is known, and in constant-sum games the mean utility.
    """
    of_means = _bounds(tree, seats.utilities(tree.rewards_so_far), is_same)
    return ColumnBounds(_bounds(tree, utility, is_same), of_means)


def _bounds(tree: GameTree, utility: FloatArray, is_same: bool) -> FloatArray:
    """Return [2 + 2T, 2] the smallest and largest entry of each column at the ends of a tree."""
    ends = utility[tree.terminals]
    bounds = column_bounds(np.stack([ends.min(axis=0), ends.max(axis=0)], axis=1))
    means = ends.mean(axis=1)
    if is_same:
        bounds[0], bounds[1] = (means.min(), means.max()), 1 / utility.shape[1]
    return bounds


def _is_same(
    first: TabularPolicy | CorrelatedPolicy, second: TabularPolicy | CorrelatedPolicy
) -> bool:
    """Return whether two policies have equal probabilities."""
    if isinstance(first, TabularPolicy) and isinstance(second, TabularPolicy):
        return all(map(np.array_equal, first.probabilities, second.probabilities))
    return first is second


def _drawn_pairs(
    first: TabularPolicy | CorrelatedPolicy,
    second: TabularPolicy | CorrelatedPolicy,
    mixing: FloatArray,
) -> Iterator[tuple[TabularPolicy, TabularPolicy, LongArray]]:
    """Yield each pair of policies that random numbers [D] select, and its deals."""
    of_first, first_drawn = _drawn_policies(first, mixing)
    of_second, second_drawn = _drawn_policies(second, mixing)
    drawn = np.stack([first_drawn, second_drawn], axis=1)
    pairs, which = np.unique(drawn, axis=0, return_inverse=True)
    for number, (one, other) in enumerate(pairs):
        # NumPy 2.0 gives the inverse more than one dimension.
        yield of_first[one], of_second[other], np.flatnonzero(which.ravel() == number)


def _drawn_policies(
    policy: TabularPolicy | CorrelatedPolicy, mixing: FloatArray
) -> tuple[tuple[TabularPolicy, ...], LongArray]:
    """Return the policies of a mixture, and [D] the index that each random number selects."""
    if isinstance(policy, CorrelatedPolicy):
        return policy.policies, policy.drawn_indices(mixing)
    return (policy,), np.zeros(len(mixing), np.int64)


def exact_match(
    game: GameTree | Form,
    first: Contestant,
    second: Contestant,
    *,
    teams: Sequence[Sequence[Player]] | None = None,
) -> MatchResult:
    """Return the expected utility of `first` against `second` in every position, exactly.

    Parameters
    ----------
    game : GameTree or PublicForm
        Win rates need the ends of the game, which sequence forms merge.
    first, second
        As in `play_matches`. A policy that is not tabular is queried once at each infostate.
        Instead of a randomized searcher, give `average_search(tree, searcher).policy`.
    teams : sequence of sequences of players, optional
        As in `play_matches`.

    Returns
    -------
    MatchResult
        Intervals have width zero, and `num_deals` is 0.

    Raises
    ------
    ParameterError
        If `game` is neither a tree nor a form, `first` or `second` is not a policy, or the teams
        are not a partition of the players.
    PolicyMismatchError
        If a tabular policy is for another game.
    UnsupportedGameError
        If `game` is a form that has no public ends.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.policy import uniform_policy
    >>> from infoset.tree import build_tree
    >>> kuhn = build_tree(load_game("kuhn_poker"))
    >>> result = exact_match(kuhn, uniform_policy(kuhn.sequence_form), None)
    >>> print(result)
    0 per play, exactly; wins 50%
    >>> [round(mean, 12) for mean in result.position_means]
    [0.125, -0.125]
    """
    give = "a GameTree or a PublicForm, such as infoset.build_tree(game)"
    check_type("game", game, (GameTree, Form), give)
    form = _form_of(game)
    seats = make_seats(form.num_players, teams, form.name)
    if isinstance(game, GameTree):
        measure = _measure_on_tree(game, seats)
    else:
        measure = _measure_on_form(as_public_form(game), seats)
    tables = [_tabulated(game, policy) for policy in (first, second)]
    middles, lengths = _mixture_cells(*tables)
    means = np.zeros((2, len(seats)))
    for one, other, drawn in _drawn_pairs(tables[0], tables[1], middles):
        probability = float(lengths[drawn].sum())
        for position, players in enumerate(seats.players):
            seated = other
            for player in players:
                seated = seated.replace_player(player, one)
            means[:, position] += probability * measure(seated, position)
    return exact_result(means[0], means[1])


Measure: TypeAlias = Callable[[TabularPolicy, int], FloatArray]
"""A function of the policy of all players, and a seat, that returns utility and win rate of it."""


def _measure_on_tree(tree: GameTree, seats: Seats) -> Measure:
    ends = tree.terminals
    rewards = tree.rewards_so_far[ends]
    columns = np.stack([seats.utilities(rewards), seats.wins(rewards)])

    def measure(policy: TabularPolicy, seat: int) -> FloatArray:
        found: FloatArray = (columns[..., seat] * reach_without(tree, policy)[ends]).sum(axis=-1)
        return found

    return measure


def _measure_on_form(form: PublicForm, seats: Seats) -> Measure:
    """As on a tree: two forms have utilities and win fractions of seats as their payoffs."""
    ends = form.terminals
    columns = [of_seats(ends.payoff) for of_seats in (seats.utilities, seats.wins)]
    # A team of both players has one column, and payoffs of a form have two.
    forms = [
        replace(form, terminals=replace(ends, payoff=np.repeat(own, 2 // len(seats), axis=1)))
        for own in columns
    ]

    def measure(policy: TabularPolicy, seat: int) -> FloatArray:
        same = [TabularPolicy(own, policy.probabilities) for own in forms]
        return np.array([expected_values(own)[seat] for own in same])

    return measure


def find_table(game: GameTree | Form, policy: object) -> TabularPolicy | CorrelatedPolicy | None:
    """Return a policy as one or several tables for a game, or None if it is not tabular."""
    if policy is None or isinstance(policy, UniformPolicy):
        return uniform_policy(_form_of(game))
    if isinstance(policy, TabularPolicy):
        return transfer_policy(policy, game)
    if isinstance(policy, CorrelatedPolicy):
        moved = tuple(transfer_policy(own, game) for own in policy.policies)
        same = moved == policy.policies
        return policy if same else CorrelatedPolicy(cast(Any, moved), policy.weights)
    return None


def _form_of(game: GameTree | Form) -> Form:
    return game.sequence_form if isinstance(game, GameTree) else game


def _tabulated(game: GameTree | Form, given: object) -> TabularPolicy | CorrelatedPolicy:
    """Return a policy as one or several tables; a policy that is not tabular is queried."""
    policy = as_contestant(given)
    table = find_table(game, policy)
    if table is not None:
        return table
    queried: Any = policy
    if not hasattr(queried, "action_probabilities"):
        raise ParameterError(
            f"{policy!r} is not a policy: give a TabularPolicy, an object with a method "
            "action_probabilities(infostate, legal_actions), or None; for a searcher, "
            "average_search(tree, searcher).policy"
        )
    return tabulate(_form_of(game), queried)


def _mixture_cells(*policies: TabularPolicy | CorrelatedPolicy) -> tuple[FloatArray, FloatArray]:
    """Return [D] a point in each interval of [0, 1) that selects one pair, and [D] the lengths."""
    cuts = [np.array([0.0, 1.0])]
    for policy in policies:
        if isinstance(policy, CorrelatedPolicy):
            bounds = np.cumsum(policy.weights)
            cuts.append(bounds / bounds[-1])
    edges = np.unique(np.concatenate(cuts))
    # All numbers between two edges select the same policies as the middle.
    return (edges[1:] + edges[:-1]) / 2, np.diff(edges)
