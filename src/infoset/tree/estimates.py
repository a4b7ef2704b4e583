"""Estimates of the size of a game that is too large to explore."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, product
from math import inf, isfinite, nan
from typing import Final, NamedTuple

import numpy as np

from infoset.errors import LimitReached
from infoset.game import Game
from infoset.game.answer_checks import check_form
from infoset.game.broken_rules import rules_at
from infoset.game.checked_rules import CheckedGame, checked_initial_world
from infoset.game.history import MAX_STEPS
from infoset.game.protocol import action_choices
from infoset.tree.counting import GameCounts
from infoset.tree.limits import MIN_WATCHED_MEMORY, allowed_memory, current_limits
from infoset.typing import FloatArray, World
from infoset.utils.arguments import check_count, check_type
from infoset.utils.text import format_bytes
from infoset.utils.watchdog import Watchdog

MAX_TRANSITIONS: Final = 100_000
"""Transitions after which no further play begins: about a second of rules in Python."""


class HistoryEstimate(NamedTuple):
    """Estimated numbers of histories and terminals."""

    histories: float
    terminals: float
    """Unbiased estimates, unless a limit on time or memory ended the sampling, which favors short
    plays. Infinite if a play is too long, a number exceeds the range of floats, one world state
    alone has more transitions than may be listed, or no play ended within the limits."""
    error: float
    """Standard error of `histories`; nan after a single play, or if it is not finite."""
    plays: int
    """Number of random plays; 0 if none ended within the limits."""
    bytes: int | None
    """Forecast of the peak memory of the game tree and the sequence form, as in `GameCounts`; None
    if the estimates are infinite."""

    def __str__(self) -> str:
        if not self.plays:
            return "an unknown number of histories, because no random play ended within the limits"
        if self.bytes is None:
            return "too many histories to estimate their number"
        how = f"estimated from {self.plays:,} random plays"
        return f"about {self.histories:.2g} histories, {format_bytes(self.bytes)} as a tree, {how}"


def estimate_histories(
    game: Game,
    *,
    plays: int = 1000,
    max_transitions: int = MAX_TRANSITIONS,
    seed: int = 0,
) -> HistoryEstimate:
    """Estimate the number of histories from random plays, without exploring the game.

    A play chooses uniformly among all transitions. The product of the numbers of transitions so far
    is an unbiased estimate of the number of histories of the same length.

    Parameters
    ----------
    plays
        Maximum number of random plays.
    max_transitions
        No further play begins after this many transitions were listed.

    Raises
    ------
    GameRuleError
        If the rules break a contract of `Game`.

    Notes
    -----
    The limits on time and memory of `build_limits` apply. At a limit, the estimate uses the plays
    that ended before.

    Source: D. E. Knuth, "Estimating the efficiency of backtrack programs", Mathematics of
    Computation 29 (1975).

    Examples
    --------
    >>> from infoset.games import load_game
    >>> found = estimate_histories(load_game("goofspiel(num_cards=4)"))
    >>> round(found.histories), round(found.terminals), found.error
    (17477, 13824, 0.0)
    """
    check_type("game", game, Game, 'a game, such as infoset.load("leduc_poker")')
    check_count("plays", plays, minimum=1)
    check_count("max_transitions", max_transitions, minimum=1)
    check_count("seed", seed)
    listing, rng = _Listing(game, max_transitions), np.random.default_rng(seed)
    found: list[tuple[float, float]] = []

    def sample_plays() -> None:
        while len(found) < plays and (not found or listing.size < max_transitions):
            found.append(_play(listing, rng))
            if found[-1][0] == inf:
                break

    watch = Watchdog(current_limits().max_seconds, max(MIN_WATCHED_MEMORY, allowed_memory(None)))
    try:
        watch.run(sample_plays)
    except LimitReached:
        if watch.reached is None:  # the limit of a caller
            raise
    sample = np.array(found or [(inf, inf)])
    histories, terminals = sample.mean(axis=0).tolist()
    if not isfinite(histories):
        return HistoryEstimate(inf, inf, nan, len(found), None)
    counts = GameCounts(game.num_players, 0, round(histories), round(terminals), is_exact=False)
    return HistoryEstimate(histories, terminals, _error(sample[:, 0]), len(found), counts.bytes)


class _Listing:
    """The transitions of the world states visited so far.

    Attributes
    ----------
    size : int
        Number of transitions listed so far.
    """

    def __init__(self, game: Game, max_transitions: int) -> None:
        self.game, self.size = game, 0
        self._most = max_transitions
        self._known: dict[World, tuple[World, ...]] = {}

    def after(self, world: World) -> tuple[World, ...] | None:
        """Return the world after each transition, with repetitions; None if they are too many."""
        following = self._known.get(world)
        if following is None:
            # The deal of a large game alone may have billions of outcomes: do not list all.
            following = tuple(islice(self._transitions(world), self._most + 1))
            self.size += len(following)
            self._known[world] = following
        return following if len(following) <= self._most else None

    def _transitions(self, world: World) -> Iterator[World]:
        game = self.game
        for joint in product(*action_choices(CheckedGame(game), world)):
            with rules_at(game, world):
                outcomes = game.transitions(world, joint)
                check_form("transitions", outcomes, world, joint)
                for next_world, _ in outcomes:
                    yield next_world


def _play(listing: _Listing, rng: np.random.Generator) -> tuple[float, float]:
    """Return the estimates of one play: the numbers of histories and terminals."""
    world, share, histories = checked_initial_world(listing.game), 1.0, 1.0
    for _ in range(MAX_STEPS):
        following = listing.after(world)
        if following is None:
            break
        if not following:
            return histories, share
        # The inverse of the probability of the play so far: an estimate of histories this long.
        share *= len(following)
        histories += share
        world = following[rng.integers(len(following))]
    return inf, inf


def _error(sample: FloatArray) -> float:
    """Return the standard error of a mean; nan if it is not finite."""
    if len(sample) < 2:
        return nan
    largest = sample.max()  # squares of large estimates would overflow
    return float((sample / largest).std(ddof=1) * largest / len(sample) ** 0.5)
