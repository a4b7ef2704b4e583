"""Whether a game's own `sample_transition` draws what its `transitions` list."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from math import log
from typing import NamedTuple

import numpy as np

from infoset.errors import GameRuleError
from infoset.game._world_rules import WorldFacts, WorldRules
from infoset.game.protocol import Game
from infoset.typing import JointAction, World

__all__ = [
    "MIN_DRAWS",
    "Lottery",
    "Trial",
    "check_frequencies",
    "check_sampling",
    "log_alarm_bound",
    "overrides_sampling",
]

LOG_FALSE_ALARM = log(1e-12)
"""A game that samples correctly is refused with at most twice this chance (its logarithm)."""

MIN_DRAWS = 200
"""Draws to make where a next world is random, before the next such place is tested."""


class Lottery(NamedTuple):
    """The next worlds of a joint action, and their probabilities."""

    world: World
    joint_action: JointAction
    probabilities: dict[World, float]


class Trial(NamedTuple):
    """How often each next world of a lottery was drawn."""

    lottery: Lottery
    counts: Counter[World]

    @property
    def divergence(self) -> float:
        """Number of draws times the relative entropy from probabilities to frequencies."""
        draws = self.counts.total()
        return sum(
            number * log(number / (draws * self.lottery.probabilities[world]))
            for world, number in self.counts.items()
        )

    @property
    def freedom(self) -> int:
        """Number of outcomes less one."""
        return len(self.lottery.probabilities) - 1

    @property
    def log_chance(self) -> float:
        """Logarithm of a bound on the chance to see draws as far off."""
        return log_alarm_bound(self.divergence, self.freedom)


def overrides_sampling(game: Game) -> bool:
    """Return whether a game has a `sample_transition` of its own."""
    return type(game).sample_transition is not Game.sample_transition


def check_sampling(
    rules: WorldRules, facts: Mapping[World, WorldFacts], max_samples: int, seed: int
) -> int:
    """Draw from `sample_transition`, compare with `transitions`, and return the number of draws.

    Every lottery is drawn from once, to see that the next world is a listed one, up to half of
    `max_samples` draws. The rest is shared between random ones, at least `MIN_DRAWS` for each.

    Raises
    ------
    GameRuleError
        If a draw is not listed, or the frequencies cannot be those of the probabilities.
    """
    rng = np.random.default_rng(seed)
    lotteries = list(_lotteries(facts))[: max(1, max_samples // 2)]
    for lottery in lotteries:
        _draw(rules, lottery, 1, rng)
    tested = _spread([lot for lot in lotteries if len(lot.probabilities) > 1], max_samples)
    draws = (max_samples - len(lotteries)) // max(1, len(tested))
    trials = [Trial(lottery, _draw(rules, lottery, draws, rng)) for lottery in tested]
    check_frequencies(trials, "sample_transition")
    return len(lotteries) + draws * len(tested)


def _lotteries(facts: Mapping[World, WorldFacts]) -> Iterator[Lottery]:
    for world, fact in facts.items():
        if fact.is_cut:
            continue
        by_joint_action: dict[JointAction, dict[World, float]] = {}
        for edge in fact.edges:
            outcomes = by_joint_action.setdefault(edge.joint_action, {})
            outcomes[edge.next_world] = edge.probability
        for joint_action, outcomes in by_joint_action.items():
            yield Lottery(world, joint_action, outcomes)


def _spread(lotteries: list[Lottery], max_samples: int) -> list[Lottery]:
    """Return the lotteries that there are draws for, evenly spread, the first one included."""
    stride = -(-len(lotteries) * 2 * MIN_DRAWS // max(1, max_samples))
    return lotteries[:: max(1, stride)]


def _draw(
    rules: WorldRules, lottery: Lottery, number: int, rng: np.random.Generator
) -> Counter[World]:
    counts = Counter(rules.draw(lottery.world, lottery.joint_action, rng) for _ in range(number))
    for drawn in counts:
        if drawn not in lottery.probabilities:
            raise GameRuleError(
                "sample_transition draws only next worlds that transitions lists",
                found=f"it drew {drawn!r} for joint action {lottery.joint_action}, which has "
                "no probability",
                world=lottery.world,
            )
    return counts


def check_frequencies(trials: list[Trial], method: str) -> None:
    """Raise for the worst trial, if it or all of them together are too far off."""
    together = log_alarm_bound(
        sum(trial.divergence for trial in trials), sum(trial.freedom for trial in trials)
    )
    worst = min(trials, key=lambda trial: trial.log_chance, default=None)
    if worst is None:
        return
    if min(together, worst.log_chance + log(len(trials))) >= LOG_FALSE_ALARM:
        return
    probabilities = worst.lottery.probabilities
    draws = worst.counts.total()
    odd = max(
        probabilities, key=lambda world: abs(worst.counts[world] - draws * probabilities[world])
    )
    raise GameRuleError(
        f"{method} draws next worlds with the probabilities that transitions lists",
        found=f"of {draws} draws for joint action {worst.lottery.joint_action}, "
        f"{worst.counts[odd]} were {odd!r}, which has probability {probabilities[odd]:.6g}",
        world=worst.lottery.world,
    )


def log_alarm_bound(divergence: float, freedom: int) -> float:
    """Bound the chance that draws from the right lotteries are as far off as `divergence`.

    Parameters
    ----------
    divergence : float
        Number of draws times the relative entropy from probabilities to frequencies (half of
        the likelihood-ratio statistic), summed over lotteries.
    freedom : int
        Number of outcomes of positive probability less one, summed over lotteries.

    Returns
    -------
    float
        Logarithm of an upper bound, valid for any number of draws and any probabilities.

    Notes
    -----
    Source: Agrawal, "Finite-sample concentration of the multinomial in relative entropy", IEEE
    Transactions on Information Theory 66 (2020), Theorems I.2 and I.3; the moment generating
    functions behind them multiply, so that lotteries add up.
    """
    if divergence <= freedom:
        return 0.0
    return freedom - divergence + freedom * log(divergence / freedom)
