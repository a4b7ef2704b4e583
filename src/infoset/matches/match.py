"""Matches between policies and searchers, with every deal played in every position."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from math import inf
from pathlib import Path
from typing import Any

import numpy as np

from infoset.errors import ParameterError
from infoset.evaluation import CorrelatedPolicy
from infoset.forms import Form
from infoset.game import Game
from infoset.game.broken_rules import check_num_players
from infoset.games import game_of_form
from infoset.matches.aivat import ValueFunction, aivat_utilities, check_values
from infoset.matches.game_matches import RulesMatch, TerminalEstimates
from infoset.matches.match_file import MatchFile, described
from infoset.matches.match_statistics import (
    ColumnBounds,
    MatchResult,
    Tally,
    column_bounds,
    summarize_tally,
)
from infoset.matches.repeated_search import (
    Contestant,
    Participant,
    as_contestant,
    next_sample_size,
)
from infoset.matches.seats import Seats, make_seats
from infoset.matches.tree_matches import TreeMatch, find_table, tree_bounds
from infoset.matches.utility_ranges import known_range
from infoset.policy import TabularPolicy, UniformPolicy, uniform_policy
from infoset.runs import check_workers, parallel_map
from infoset.tree import GameTree
from infoset.typing import FloatArray, Player
from infoset.utils.arguments import check_count, check_number, check_path
from infoset.utils.interrupts import interrupts_held

FIRST_CHECK = 1024
"""Number of deals before the width of an interval is checked."""


def play_matches(
    game: Game | GameTree | Form,
    first: Contestant,
    second: Contestant,
    *,
    num_deals: int = 10_000,
    seed: int = 0,
    half_width: float | None = None,
    win_rate_half_width: float | None = None,
    values: FloatArray | ValueFunction | None = None,
    teams: Sequence[Sequence[Player]] | None = None,
    workers: int | None = None,
    executor: Executor | None = None,
    checkpoint: str | Path | None = None,
    callback: Callable[[MatchResult], object] | None = None,
) -> MatchResult:
    """Estimate the utility of `first` against `second`, playing each deal in every position.

    A position is a player of the game. A deal is played once for each position of the first policy,
    with the second policy at all other positions. An N-player game thus has N plays per deal.

    Parameters
    ----------
    game
        A game is not compiled; its `sample_transition` draws the transitions. On a tree, a compiled
        loop plays tabular policies, which is much faster; `exact_match` computes their expectation
        without playing. A form stands for the rules of its game.
    first, second : Policy, function, searcher, CorrelatedPolicy, SolveResult or None
        A `TabularPolicy` on any form of the game, or a result with one; any object with its method
        `action_probabilities`, or a function of the same arguments; a searcher, which has a method
        `search(infostate, rng)` and runs a new search at every decision; or None or the word
        "uniform" for the uniform policy. A correlated policy is sampled
        once per deal, for all positions that follow it. If both are the same correlated policy,
        `position_means` estimates its values. If only the second is, `position_means` estimates the
        utility of deviating to `first`.
    num_deals
        Number of deals, at least 2. This is the maximum number if a half width is given.
    seed
        A nonnegative integer. The same seed gives the same result.
    half_width, win_rate_half_width
        Stop when half the width of the confidence interval of the utility (in the game's units), or
        of the win rate, is at most this number. If both are given, both conditions must hold.
    values : array or callable, optional
        Estimates of the final utilities, with which AIVAT reduces the variance; the result is
        unbiased for any estimates. For a tree give an array [H, N], such as `history_values`
        returns. For a game give a function of a `History` that returns a number for each player.
        Win rates are not corrected.
    teams : sequence of sequences of players, optional
        A partition of the players, such as `[(0, 2), (1, 3)]`. The positions are then the teams: a
        policy plays for all players of a team. Its utility is the mean of theirs, and a team wins
        if no other team has a higher sum of utilities.
    workers
        Number of processes (threads for tabular policies on a tree); by default 1. The result does
        not depend on it.
    executor
        Where to run instead: any `concurrent.futures.Executor`, also of other machines, such as
        `Client(address).get_executor()` of Dask. It cannot be combined with `workers`; the result
        is the same.
    checkpoint
        A file to which the match is saved every few seconds, at the end, and after Ctrl-C. If the
        file exists, the match resumes from it. If the file has more deals than requested, all of
        them count.
    callback : callable, optional
        A function that is called with the result so far after each chunk of deals.

    Returns
    -------
    MatchResult

    Raises
    ------
    LostWorkersError
        If workers end unexpectedly, again and again.
    PolicyMismatchError
        If a tabular policy is for a different game from that of the tree.
    UnsupportedGameError
        If the game of a form is not known by name.
    CheckpointFileError
        If the checkpoint cannot be read or written.
    CheckpointMismatchError
        If the checkpoint belongs to another match.

    Notes
    -----
    The plays of a deal share random numbers. On a tree, the k-th draw of chance uses the same
    number in every play of a deal. So does the k-th decision at a given position, whichever policy
    makes it. Only transitions with several possible next worlds count as draws. Without a tree, the
    generators of chance and of each position start every play of a deal in the same state. This is
    equivalent if `sample_transition` consumes the same amount of random numbers in every play.
    Within a play all numbers are independent, so each play is an unbiased sample. Common random
    numbers reduce the variance: in a zero-sum game, a policy against itself has mean and standard
    error 0, and with two players, exchanging the policies negates the mean exactly.

    A searcher draws from a random stream of its position that restarts with every play. Its actions
    therefore follow its average policy, which `average_search` computes.

    The plays of one deal are correlated, but deals are independent. The intervals are therefore
    over the deals, each of which counts by the average of its plays. Those of win rates are between
    0 and 1, and those of utilities between their bounds, if these are known: on a tree, from
    `Game.utility_range`, or from the world graph of a searcher. They are the intervals of Clopper
    and Pearson for the observed variance, see `MatchResult`. Without bounds, utilities have
    Student's t interval, which relies on the central limit theorem: with few deals, or large and
    rare gains, it is too narrow. If all deals are equal, it is infinite.

    With a half width, the interval is checked after 1024 deals, and then whenever the observed
    variance suggests that there are enough deals. The number of deals at most doubles between
    checks. The rule depends on the variance and not on the mean. In the limit of narrow intervals
    the confidence level is exact (Chow and Robbins, 1965); with few deals and skewed utilities the
    intervals are slightly too narrow. Stopping when a result becomes significant would be biased,
    so there is no such option.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.policy import uniform_policy
    >>> result = play_matches(
    ...     load_game("kuhn_poker"), uniform_policy(), None, num_deals=100
    ... )
    >>> result.mean, result.interval
    (0.0, (0.0, 0.0))
    """
    if isinstance(game, Form):
        game = game_of_form(game)
    pair = as_contestant(first), as_contestant(second)
    _check_arguments(game, values)
    check_count("num_deals", num_deals, minimum=2)
    check_count("seed", seed)
    check_workers(workers, executor)
    wanted = (
        _checked_half_width("half_width", half_width),
        _checked_half_width("win_rate_half_width", win_rate_half_width),
    )
    rules = game.game if isinstance(game, GameTree) else game
    seats = make_seats(rules.num_players, teams, str(rules))
    match = _make_match(game, *pair, seed, values, seats)
    tally, next_check, file = Tally(2 + 2 * len(seats)), FIRST_CHECK, None
    if checkpoint is not None:
        check_path("checkpoint", checkpoint)
        file = MatchFile(Path(checkpoint), _identity(rules, match, *pair, seed, values))
        next_check = file.read(tally) or next_check

    def report() -> None:
        if callback is not None:
            callback(summarize_tally(tally, seed, match.bounds))

    compiled = isinstance(match, TreeMatch)
    with parallel_map(match, workers or 1, executor=executor, compiled=compiled) as played:
        for target in _checks(tally, match.bounds, wanted, next_check, num_deals):
            chunks = _chunks(tally.num_rows, target, match.deals_per_chunk)
            _add_all(tally, played(chunks), file, target, report)
    return summarize_tally(tally, seed, match.bounds)


def _identity(
    rules: Game,
    match: TreeMatch | RulesMatch,
    first: Participant,
    second: Participant,
    seed: int,
    values: FloatArray | ValueFunction | None,
) -> dict[str, Any]:
    """Return what determines the deals of a match, as JSON values."""
    return {
        "game": str(rules),
        "representation": "tree" if isinstance(match, TreeMatch) else "rules",
        "first": described(first),
        "second": described(second),
        "seed": seed,
        "values": "none" if values is None else described(values),
        "seats": [list(players) for players in match.seats.players],
    }


def _add_all(
    tally: Tally,
    played: Iterable[FloatArray],
    file: MatchFile | None,
    target: int,
    report: Callable[[], None],
) -> None:
    """Add deals to the tally as they are played, and save them, even if interrupted."""
    try:
        for rows in played:
            with interrupts_held():
                tally.add(rows)
                if file is not None:
                    file.write_occasionally(tally, target)
            report()
    finally:
        if file is not None:
            file.write(tally, target)


def _checks(
    tally: Tally, bounds: ColumnBounds, wanted: tuple[float, ...], first: int, maximum: int
) -> Iterator[int]:
    """Yield numbers of deals at which to check the intervals, until they are narrow enough."""
    if min(wanted) == inf:
        yield maximum
        return
    # An interrupted match may have been stopped anywhere between two checks.
    deals = max(min(first, maximum), tally.num_rows)
    while True:
        yield deals
        result = summarize_tally(tally, 0, bounds)
        widths = result.utility.half_width, result.win_rate.half_width
        ratio = max(width / want for width, want in zip(widths, wanted, strict=True))
        if ratio <= 1 or deals >= maximum:
            return
        deals = min(maximum, next_sample_size(deals, ratio))


def _chunks(start: int, stop: int, size: int) -> Iterator[range]:
    """Yield the deals from `start` to `stop` in ranges of at most `size`."""
    for first in range(start, stop, size):
        yield range(first, min(first + size, stop))


def _checked_half_width(name: str, half_width: float | None) -> float:
    """Return a half width; infinite if none is given."""
    if half_width is None:
        return inf
    check_number(name, half_width)
    if half_width == 0:
        raise ParameterError(
            f"{name}=0 cannot be reached by sampling; give a positive number, or compute the "
            f"expectation with exact_match(tree, first, second)"
        )
    return float(half_width)


def _check_arguments(game: object, values: object) -> None:
    if not isinstance(game, Game | GameTree):
        raise ParameterError(
            f"play_matches takes a Game, a GameTree or a form, got {game!r}; give a game, such as "
            f"infoset.load('kuhn_poker'), or a tree, such as infoset.build_tree(game)"
        )
    if isinstance(game, Game):
        check_num_players(game)
    if values is None:
        return
    if isinstance(game, GameTree):
        check_values(game, values)
    elif not callable(values):
        raise ParameterError(
            f"`values` must be callable, and a value of type {type(values).__name__} is not; for a "
            "Game, give a function of a History that returns a number for each player"
        )


def _make_match(
    game: Game | GameTree,
    first: Participant,
    second: Participant,
    seed: int,
    values: FloatArray | ValueFunction | None,
    seats: Seats,
) -> TreeMatch | RulesMatch:
    """Return a match on the tree if both policies are tabular, and by the rules otherwise."""
    contestants = tuple(uniform_policy() if who is None else who for who in (first, second))
    if isinstance(game, Game):
        function = values if callable(values) else None
        bounds = _rules_bounds(game, contestants, len(seats), is_corrected=function is not None)
        return RulesMatch(game, contestants, seed, seats, function, bounds)
    tables = find_table(game, first), find_table(game, second)
    source, utility = None, seats.utilities(game.rewards_so_far)
    if isinstance(values, np.ndarray):
        utility = _aivat_by_seat(game, tables, values, seats)
        source = TerminalEstimates(game, utility)
    if tables[0] is None or tables[1] is None:
        bounds = tree_bounds(game, utility, seats)
        return RulesMatch(game.game, contestants, seed, seats, source, bounds)
    return TreeMatch(game, tables[0], tables[1], seed, seats, utility)


def _rules_bounds(
    game: Game, contestants: tuple[object, ...], num_seats: int, *, is_corrected: bool
) -> ColumnBounds:
    """Return the bounds on the columns of a match by the rules, known before it is played."""
    known = known_range(game, contestants) or (np.nan, np.nan)
    of_means = column_bounds(np.tile(known, (num_seats, 1)))
    # Estimates of AIVAT may exceed the range of utilities, but their mean does not.
    of_deals = column_bounds(np.full((num_seats, 2), np.nan)) if is_corrected else of_means
    first, second = contestants
    is_same = first is second or all(isinstance(one, UniformPolicy) for one in contestants)
    return ColumnBounds(of_deals, of_means, is_same)


def _aivat_by_seat(
    tree: GameTree,
    tables: tuple[TabularPolicy | CorrelatedPolicy | None, ...],
    values: FloatArray,
    seats: Seats,
) -> FloatArray:
    """Return [H, T] the AIVAT estimates for the first policy, by its seat."""
    estimates = np.empty((len(values), len(seats)))
    for seat, own in enumerate(seats.players):
        policy, unknown = uniform_policy(tree.sequence_form), []
        for player in range(tree.num_players):
            table = tables[0 if player in own else 1]
            if isinstance(table, TabularPolicy):
                policy = policy.replace_player(player, table)
            else:
                unknown.append(player)
        corrected = aivat_utilities(tree, policy, values, unknown=unknown)
        estimates[:, seat] = seats.utilities(corrected)[:, seat]
    return estimates
