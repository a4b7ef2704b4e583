"""Random plays that show that a game has more world states than may be explored.

Two rules decide, and a game that fits passes both: each bounds the probability of an error by
`MAX_ERROR`. An estimate of the number of world states would not do. Estimates from random plays are
right on average, but rare plays contribute most, so that they may be too large by any factor.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import islice, product
from math import isqrt, log
from typing import Any, Final, NamedTuple

import numpy as np

from infoset.errors import pass_stops
from infoset.game import Game, Probability
from infoset.game.protocol import action_choices
from infoset.typing import World

MIN_LIMIT: Final = 100_000
"""Limit on world states below which exploring takes no longer than random plays."""
EXPLORED_FRACTION: Final = 50
"""Random plays begin when a fiftieth of the world states allowed have been found."""
MAX_ERROR: Final = 1e-12
"""Bound on the probability that one comparison of a rule refuses a game within the limit."""
LOG_ERROR: Final = log(MAX_ERROR)
MAX_STEPS: Final = 50
MAX_OUTCOMES: Final = 100
"""Outcomes that are considered where more may follow, even without end."""

EXTENSION_PLAYS: Final = 1000
THRESHOLDS: Final = tuple(2.0**power for power in range(1, 11))
"""Multiples of the mean at the limit with which the sizes of subtrees are compared."""

PLAYS_PER_ROOT: Final = 10
"""Plays per square root of the limit: with a hundred times as many world states as the limit
allows, equally probable, half of all samples have no repetition."""
PILOTS: Final = (16, 4)
"""Divisors of the number of plays in samples that determine the necessary length of plays, which
then take little time in games that are not too large."""
MAX_PILOT_REPEATS: Final = 2
MIN_CONTINUED: Final = 0.25
"""Minimum fraction of the plays that must not have ended."""
MAX_KEPT: Final = 5_000_000
"""Number of cached outcomes: plays often pass near their beginning, and seldom elsewhere."""


def first_check(limit: int) -> int:
    """Return the number of world states at which random plays begin; `limit` for none."""
    return limit if limit < MIN_LIMIT else limit // EXPLORED_FRACTION


def has_more_worlds(game: Game, found: Sequence[World], limit: int) -> bool:
    """Return whether random plays show that a game has more than `limit` world states.

    The plays begin at world states of `found`, which were found but not explored yet. If they show
    nothing, the game may still be too large.
    """
    rules: tuple[Callable[..., bool], ...] = (has_more_extensions, has_more_meetings)
    try:
        return any(rule(game, found, limit) for rule in rules)
    except MemoryError:
        raise
    except BaseException as error:  # of the rules; exploring finds and explains it
        pass_stops(error)
        return False


def has_more_extensions(game: Game, found: Sequence[World], limit: int) -> bool:
    """Return whether more than `limit` world states are tuples that extend those in `found`.

    A world state that consists of the moves so far extends the one before by an element. Reached
    in this way, it has only one predecessor, so that there are as many paths as world states. Along
    a random path, the product of the numbers of choices is an unbiased estimate of the number of
    paths of that length (Knuth 1975). If the mean of the estimates were at most m, then at most a
    fraction 1 / c of them would reach c m, by Markov's inequality; if far more do, the mean is
    larger than m.
    """
    tuples = [world for world in found if type(world) is tuple]
    if 2 * len(tuples) < len(found):
        return False
    # Extensions of different tuples of one length differ.
    length, _ = Counter(map(len, tuples)).most_common(1)[0]
    roots = [world for world in tuples if len(world) == length]
    rng, mean = np.random.default_rng(0), limit / len(roots)
    sizes = [
        _size_below(game, roots[rng.integers(len(roots))], THRESHOLDS[-1] * mean, rng)
        for _ in range(EXTENSION_PLAYS)
    ]
    counts = [sum(size >= multiple * mean for size in sizes) for multiple in THRESHOLDS]
    return any(
        log_chance_of_count(count, len(sizes), 1 / multiple) < LOG_ERROR
        for count, multiple in zip(counts, THRESHOLDS, strict=True)
    )


def log_chance_of_count(count: int, draws: int, probability: float) -> float:
    """Return the logarithm of a bound on the probability of at least `count` successes.

    It is Chernoff's bound exp(-draws KL), where KL is the divergence of the fraction of successes
    from the probability of each.

    Examples
    --------
    >>> round(log_chance_of_count(160, 1000, probability=1 / 16), 1)
    -58.2
    """
    fraction = count / draws
    if fraction <= probability:
        return 0.0
    divergence = fraction * log(fraction / probability)
    if count < draws:
        divergence += (1 - fraction) * log((1 - fraction) / (1 - probability))
    return -draws * divergence


def _size_below(game: Game, world: World, enough: float, rng: np.random.Generator) -> float:
    """Return an estimate of the number of extensions of a tuple, by one play of limited length."""
    total = share = 1.0
    for _ in range(MAX_STEPS):
        outcomes = islice(_outcomes(game, world), MAX_OUTCOMES)
        worlds = (after for after, probability in outcomes if probability > 0)
        children = [after for after in dict.fromkeys(worlds) if after[:-1] == world]
        if not children or total >= enough:
            break
        share *= len(children)
        total += share
        world = children[rng.integers(len(children))]
    return total


def _outcomes(game: Game, world: World) -> Iterator[tuple[Any, Probability]]:
    """Yield the next world states after all joint actions, with their probabilities."""
    for joint in product(*action_choices(game, world)):
        yield from game.transitions(world, joint)


def has_more_meetings(game: Game, found: Sequence[World], limit: int) -> bool:
    """Return whether plays meet too rarely for a game with at most `limit` world states.

    The plays begin at the initial world state or at those in `found`, whichever needs fewer steps.
    After each step, the world states that they have reached are compared: if few are equal, there
    must be many.
    """
    steps, plays = _RandomSteps(game), PLAYS_PER_ROOT * isqrt(limit)
    starts = [[game.initial_world()], found]
    size = max(1, plays // PILOTS[0])
    pilots = [_pilot(steps, start, size, MAX_STEPS) for start in starts]
    pairs = [(pilot, start) for pilot, start in zip(pilots, starts, strict=True) if pilot]
    if not pairs:
        return False
    first, start = min(pairs, key=lambda pair: pair[0].steps)
    second = _pilot(steps, start, int(plays / PILOTS[1] / first.continued), first.max_steps)
    if second is None:
        return False
    meetings = _meetings(steps, start, int(plays / second.continued), second.max_steps)
    return any(log_chance_of_repeats(one.repeats, one.plays, limit) < LOG_ERROR for one in meetings)


def log_chance_of_repeats(repeats: int, draws: int, limit: int) -> float:
    """Return the logarithm of a bound on the probability of at most `repeats` repetitions.

    A repetition is a draw that equals an earlier one, where at most `limit` values can be drawn.
    Their number tends to be smallest if all values are equally probable: making two of them so can
    only increase the probability that both occur. Then the i-th draw is a repetition with a
    probability of at least (i - 1 - r) / limit, if there were r before it. At most `repeats`
    repetitions are therefore no more probable than as many successes of independent trials with
    these probabilities for r = `repeats`, whose mean number is

        mean = (draws - repeats) (draws - repeats - 1) / (2 limit).

    Chernoff's bound for these is exp(-mean) (e mean / repeats) ** repeats.

    Examples
    --------
    >>> round(log_chance_of_repeats(2, 10_000, limit=1_000_000), 1)
    -41.5
    """
    others = draws - repeats
    mean = others * (others - 1) / (2 * limit)
    if mean <= repeats:
        return 0.0
    return -mean + (repeats * (1 + log(mean / repeats)) if repeats else 0.0)


class Meeting(NamedTuple):
    """Plays after the same number of steps."""

    steps: int
    plays: int
    """Number of plays that have not ended."""
    repeats: int
    """Number of them at a world state that an earlier one has reached, too."""
    continued: float
    """Fraction of the plays that have not ended."""

    @property
    def max_steps(self) -> int:
        """Length of the plays in the next, larger sample."""
        return 2 * self.steps + 2


class _RandomSteps:
    """Random steps of plays. Listed outcomes are cached, as far as there is room.

    Any distribution over reachable outcomes serves the purpose.
    """

    def __init__(self, game: Game) -> None:
        self.game, self.rng = game, np.random.default_rng(0)
        # The outcomes may be too many to list.
        self._is_sampled = type(game).sample_transition is not Game.sample_transition
        self._kept: dict[tuple[World, tuple[Any, ...]], Sequence[tuple[Any, Probability]]] = {}
        self._room = MAX_KEPT

    def next_worlds(self, world: World) -> Sequence[World]:
        """Return one world state after random actions, as a list; empty at the end of a play."""
        choices = action_choices(self.game, world)
        joint = tuple([actions[int(self.rng.integers(len(actions)))] for actions in choices])
        if self._is_sampled:
            is_end = next(iter(self.game.transitions(world, joint)), None) is None
            return () if is_end else [self.game.sample_transition(world, joint, self.rng)]
        listed = self._outcomes(world, joint)
        if not listed:
            return ()
        after, probability = listed[int(self.rng.integers(len(listed)))]
        return [after] if probability > 0 else ()

    def _outcomes(self, world: World, joint: tuple[Any, ...]) -> Sequence[tuple[Any, Probability]]:
        """Return the outcomes; of a generator, which may be endless, the first ones."""
        listed = self._kept.get((world, joint))
        if listed is None:
            outcomes = self.game.transitions(world, joint)
            if isinstance(outcomes, list | tuple):
                listed = outcomes
            else:
                listed = [*islice(outcomes, MAX_OUTCOMES)]
            if len(listed) <= self._room:
                self._room -= len(listed)
                self._kept[world, joint] = listed
        return listed


def _pilot(
    steps: _RandomSteps, start: Sequence[World], plays: int, max_steps: int
) -> Meeting | None:
    """Return the first meeting with few repetitions; None if too many plays end before."""
    for meeting in _meetings(steps, start, plays, max_steps):
        if meeting.continued < MIN_CONTINUED:
            return None
        if meeting.repeats <= MAX_PILOT_REPEATS:
            return meeting
    return None


def _meetings(
    steps: _RandomSteps, start: Sequence[World], plays: int, max_steps: int
) -> Iterator[Meeting]:
    """Yield the meetings of plays from random world states of `start` after 1, 2, … steps."""
    worlds = [start[place] for place in steps.rng.integers(len(start), size=plays).tolist()]
    for step in range(1, max_steps + 1):
        worlds = [after for world in worlds for after in steps.next_worlds(world)]
        yield Meeting(step, len(worlds), len(worlds) - len(set(worlds)), len(worlds) / plays)
