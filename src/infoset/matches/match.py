"""Matches: policies play each other, the same deals in every seat."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from math import inf
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from infoset.errors import ParameterError
from infoset.evaluation.correlated import CorrelatedPolicy
from infoset.game import Game
from infoset.matches.aivat import aivat_utilities, check_values
from infoset.matches.exact_matches import table_of
from infoset.matches.looks import next_look
from infoset.matches.match_file import MatchFile, described
from infoset.matches.match_result import MatchResult, Tally, match_result
from infoset.matches.path_corrections import ValueFunction
from infoset.matches.rule_matches import EndWorth, RulesMatch
from infoset.matches.searching import SupportsSearch
from infoset.matches.tree_matches import TreeMatch
from infoset.policy import Policy, TabularPolicy, UniformPolicy, uniform_policy
from infoset.tree import GameTree
from infoset.typing import FloatArray
from infoset.utils.arguments import check_count, check_number
from infoset.utils.interrupts import interrupts_held
from infoset.utils.workers import parallel_map

__all__ = ["Contestant", "play_matches"]

Contestant: TypeAlias = Policy | SupportsSearch | CorrelatedPolicy | None
"""Whatever plays in a match; None plays uniformly at random."""

FIRST_LOOK = 1024
"""Deals before the width of an interval is looked at."""


def play_matches(
    game: Game | GameTree,
    first: Contestant,
    second: Contestant,
    *,
    num_deals: int = 10_000,
    seed: int = 0,
    half_width: float | None = None,
    win_rate_half_width: float | None = None,
    values: FloatArray | ValueFunction | None = None,
    workers: int = 1,
    checkpoint: str | Path | None = None,
    callback: Callable[[MatchResult], object] | None = None,
) -> MatchResult:
    """Estimate what `first` earns against `second` by playing deals, each once from every seat.

    In each play of a deal the first policy sits in another seat and the second in all others:
    two plays a deal in a two-player game, N in an N-player game.

    Parameters
    ----------
    game : Game or GameTree
        Rules are played by their own `sample_transition`, without being compiled. A tree is
        played by a compiled loop, where both policies are tables; that is much faster, and
        `exact_match` needs no plays at all.
    first, second : Policy, searcher, CorrelatedPolicy or None
        A `TabularPolicy`, anything with its method `action_probabilities`, or a searcher, which
        has a method `search(infostate, rng)` and searches anew at every decision; None plays
        uniformly at random. Of a correlated policy one is drawn for each deal, for all seats that
        follow it: with the same for both, `position_means` estimates its values; with another
        policy first, what deviating from it earns.
    num_deals : int
        Number of deals, at least 2; with a half width, at most so many.
    seed : int
        Not negative; the same seed gives the same result.
    half_width, win_rate_half_width : float, optional
        Stop as soon as the interval of the utility, in the game's units, or of the win rate, is
        not wider than this to either side; if both are given, as soon as both are.
    values : array or callable, optional
        A guess at how plays will end, by which luck is taken out of utilities (AIVAT); any guess
        leaves the expectation as it is. For a tree an array [H, N] as `history_values` makes it,
        for rules a function of a `History` that returns a number for each player. Win rates are
        left as they are.
    workers : int
        How many processes play at a time (threads, for tables on a tree). The result does not
        depend on it.
    checkpoint : str or Path, optional
        A file to keep the match in, every few seconds and when it ends, also by Ctrl-C. If it is
        there, the match goes on from it; where it has more deals than were asked for, all count.
    callback : callable, optional
        Called with the result so far, whenever some deals were played.

    Returns
    -------
    MatchResult

    Raises
    ------
    ParameterError
        If a policy, values or number is not one, or a policy answers with no distribution.
    PolicyMismatchError
        If a tabular policy is for another game than the tree.
    CheckpointFileError, CheckpointMismatchError
        If the file cannot be read or written, or is of another match.

    Notes
    -----
    The plays of a deal share their random numbers. On a tree, in every play of a deal, nature's
    k-th draw is by the same number, and so is the k-th decision of the player in a given seat,
    whichever policy decides; only transitions with more than one next world count as draws. On
    rules, nature's generator and the generator of each seat start every play of a deal in the
    same state, which comes to the same as long as `sample_transition` uses up as many numbers
    in one play as in the other. Within a play all numbers are independent, so that each play is
    an unbiased sample. Sharing cancels luck: in a zero-sum game a policy meets itself with mean
    and standard error 0, and with two players exchanging the policies negates the mean exactly.

    A searcher draws from numbers of its own seat, which begin anew with every play. What it plays
    is thus drawn from its average policy, that of `average_search`.

    The plays of one deal are correlated and deals are independent, so the interval is Student's
    t for the mean of the averages of the deals. It relies on the central limit theorem: with few
    deals, or gains that are large and rare, it is too narrow.

    With a half width, the interval is looked at after 1024 deals, and then again when there
    should be enough deals by what was seen, at most twice as many. That looks at the spread, not
    at the mean, and in the limit of narrow intervals costs no confidence (Chow and Robbins,
    1965); with few deals and skewed utilities they are a little optimistic. Stopping when a
    result is significant is another thing, and is not offered.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.policy import UniformPolicy
    >>> result = play_matches(load_game("kuhn_poker"), UniformPolicy(), None, num_deals=100)
    >>> result.mean, result.interval
    (0.0, (0.0, 0.0))
    """
    _check_arguments(game, first, second, values)
    check_count("num_deals", num_deals, minimum=2)
    check_count("seed", seed)
    check_count("workers", workers, minimum=1)
    wanted = tuple(_wanted_width(width) for width in (half_width, win_rate_half_width))
    match = _match(game, first, second, seed, values)
    rules = game.game if isinstance(game, GameTree) else game
    tally, look, file = Tally(2 + 2 * rules.num_players), FIRST_LOOK, None
    if checkpoint is not None:
        file = MatchFile(Path(checkpoint), _about(rules, match, first, second, seed, values))
        look = file.read(tally) or look

    def tell() -> None:
        if callback is not None:
            callback(match_result(tally, seed))

    with parallel_map(match, workers, compiled=isinstance(match, TreeMatch)) as played:
        for target in _looks(tally, seed, wanted, look, num_deals):
            portions = _portions(tally.num_rows, target, match.deals_at_once)
            _add_all(tally, played(portions), file, target, tell)
    return match_result(tally, seed)


def _about(
    rules: Game,
    match: TreeMatch | RulesMatch,
    first: Contestant,
    second: Contestant,
    seed: int,
    values: FloatArray | ValueFunction | None,
) -> dict[str, Any]:
    """Return what decides the deals of a match, as JSON has it."""
    return {
        "game": str(rules),
        "road": type(match).__name__,
        "first": described(first),
        "second": described(second),
        "seed": seed,
        "values": "none" if values is None else described(values),
    }


def _add_all(
    tally: Tally,
    played: Iterable[FloatArray],
    file: MatchFile | None,
    target: int,
    tell: Callable[[], None],
) -> None:
    """Add deals as they are played, and keep them in the file, also if they are broken off."""
    try:
        for rows in played:
            with interrupts_held():
                tally.add(rows)
                if file is not None:
                    file.write_now_and_then(tally, target)
            tell()
    finally:
        if file is not None:
            file.write(tally, target)


def _looks(
    tally: Tally, seed: int, wanted: tuple[float, ...], first: int, most: int
) -> Iterator[int]:
    """Yield the numbers of deals at which to stop and look, until intervals are narrow enough."""
    if min(wanted) == inf:
        yield most
        return
    deals = max(min(first, most), tally.num_rows)
    while True:
        yield deals
        result = match_result(tally, seed)
        widths = result.utility.half_width, result.win_rate.half_width
        ratio = max(width / want for width, want in zip(widths, wanted, strict=True))
        if ratio <= 1 or deals >= most:
            return
        deals = min(most, next_look(deals, ratio))


def _portions(start: int, stop: int, size: int) -> Iterator[range]:
    """Yield the deals from `start` to `stop`, some at a time."""
    for first in range(start, stop, size):
        yield range(first, min(first + size, stop))


def _wanted_width(half_width: float | None) -> float:
    """Return a half width; infinite where any will do."""
    if half_width is None:
        return inf
    check_number("half_width", half_width)
    if half_width == 0:
        raise ParameterError(
            "half_width=0 is never reached by play; exact_match(tree, first, second) computes the "
            "expectation itself"
        )
    return float(half_width)


def _check_arguments(game: object, first: object, second: object, values: object) -> None:
    if not isinstance(game, Game | GameTree):
        raise ParameterError(
            f"play_matches takes a Game or a GameTree, got {game!r}; infoset.load makes a game "
            "of a name, infoset.build_tree compiles it"
        )
    for policy in (first, second):
        if policy is None or isinstance(policy, CorrelatedPolicy | SupportsSearch):
            continue
        if not hasattr(policy, "action_probabilities"):
            raise ParameterError(
                f"{policy!r} is no policy: give a TabularPolicy (load_policy reads a file), an "
                "object with a method action_probabilities(infostate, legal_actions), a searcher, "
                "or None"
            )
    if values is None:
        return
    if isinstance(game, GameTree):
        check_values(game, values)
    elif not callable(values):
        raise ParameterError(
            f"values of type {type(values).__name__} cannot be called; by the rules of a game "
            "they are a function of a History that returns a number for each player"
        )


def _match(
    game: Game | GameTree,
    first: Contestant,
    second: Contestant,
    seed: int,
    values: FloatArray | ValueFunction | None,
) -> TreeMatch | RulesMatch:
    """Return the match on the road that is open to it."""
    contestants = tuple(UniformPolicy() if who is None else who for who in (first, second))
    if isinstance(game, Game):
        return RulesMatch(game, contestants, seed, values if callable(values) else None)
    tables = table_of(game, first), table_of(game, second)
    worth = _worth(game, tables, values) if isinstance(values, np.ndarray) else None
    if tables[0] is None or tables[1] is None:
        return RulesMatch(
            game.game, contestants, seed, None if worth is None else EndWorth(game, worth)
        )
    ends = game.rewards_so_far if worth is None else worth
    return TreeMatch(game, tables[0], tables[1], seed, ends)


def _worth(
    tree: GameTree,
    tables: tuple[TabularPolicy | CorrelatedPolicy | None, ...],
    values: FloatArray,
) -> FloatArray:
    """Return [H, N] what the ends of plays are worth to the first policy by the seat it plays."""
    worth = np.empty_like(values)
    for seat in range(tree.num_players):
        policy, unknown = uniform_policy(tree.sequence_form), []
        for player in range(tree.num_players):
            table = tables[0 if player == seat else 1]
            if isinstance(table, TabularPolicy):
                policy = policy.replace_player(player, table)
            else:
                unknown.append(player)
        worth[:, seat] = aivat_utilities(tree, policy, values, unknown=unknown)[:, seat]
    return worth
