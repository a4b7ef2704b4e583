"""Tests of a game's own sampling methods against the distributions that `transitions` lists."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from math import log
from typing import NamedTuple

import numpy as np

from infoset.errors import GameRuleError
from infoset.game._world_checks import WorldFacts, WorldRules
from infoset.game.infostate import Step
from infoset.game.protocol import Game
from infoset.typing import NOOP, JointAction, Player, World

LOG_FALSE_ALARM = log(1e-12)
"""Logarithm of half the probability bound for rejecting a correct game."""

MIN_DRAWS = 200
"""Minimum number of draws for each random transition that is tested."""

ROUNDING = 1e-9
RULE = (
    "sample_observed_transition draws next worlds that agree with the observation in `step`, and "
    "returns the probability of that observation"
)


class Lottery(NamedTuple):
    """A joint action at a world state, with the distribution of its next worlds."""

    world: World
    joint_action: JointAction
    probabilities: dict[World, float]


class Trial(NamedTuple):
    """A lottery with the number of times that each next world was drawn."""

    lottery: Lottery
    counts: Counter[World]

    @property
    def divergence(self) -> float:
        """Number of draws times the relative entropy of frequencies to probabilities."""
        draws = self.counts.total()
        return sum(
            number * log(number / (draws * self.lottery.probabilities[world]))
            for world, number in self.counts.items()
        )

    @property
    def freedom(self) -> int:
        """Degrees of freedom: the number of outcomes minus one."""
        return len(self.lottery.probabilities) - 1

    @property
    def log_chance(self) -> float:
        """Logarithm of a bound on the probability of a divergence this large."""
        return log_alarm_bound(self.divergence, self.freedom)


def overrides_sampling(game: Game) -> bool:
    """Return whether a game defines its own `sample_transition`."""
    return type(game).sample_transition is not Game.sample_transition


def check_sampling(
    rules: WorldRules, facts: Mapping[World, WorldFacts], max_samples: int, seed: int
) -> int:
    """Draw from `sample_transition`, compare with `transitions`, and return the number of draws.

    First, one draw from each lottery checks that the next world is listed; this takes up to half of
    `max_samples`. The remaining draws are divided among the lotteries with more than one outcome,
    with at least `MIN_DRAWS` for each.

    Raises
    ------
    GameRuleError
        If a draw is not listed, or the frequencies contradict the probabilities.
    """
    rng = np.random.default_rng(seed)
    # One draw shows a next world that is not listed; frequencies need many, from fewer lotteries.
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
    """Return evenly spaced lotteries, at most as many as there are draws for."""
    # At least half of `max_samples` remains for them: 2 * MIN_DRAWS * tested <= max_samples.
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
                found=f"it drew {drawn!r} for joint action {lottery.joint_action}, which is not "
                "listed",
                world=lottery.world,
            )
    return counts


def check_frequencies(trials: list[Trial], method: str) -> None:
    """Raise if one trial, or all trials together, diverge too far from `transitions`."""
    together = log_alarm_bound(
        sum(trial.divergence for trial in trials), sum(trial.freedom for trial in trials)
    )
    worst = min(trials, key=lambda trial: trial.log_chance, default=None)
    if worst is None:
        return
    # The bound on the worst of n trials is a union bound, hence log(n).
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
    """Bound the probability that draws from the listed distributions diverge this far.

    Parameters
    ----------
    divergence
        Number of draws times the relative entropy of frequencies to probabilities (half of
        the likelihood-ratio statistic), summed over lotteries.
    freedom
        Number of outcomes of positive probability minus one, summed over lotteries.

    Returns
    -------
    float
        Logarithm of an upper bound, valid for any number of draws and any probabilities.

    Notes
    -----
    Source: Agrawal, "Finite-sample concentration of the multinomial in relative entropy", IEEE
    Transactions on Information Theory 66 (2020), Theorems I.2 and I.3. Their moment generating
    functions multiply, so the divergences of independent lotteries can be added.
    """
    if divergence <= freedom:
        return 0.0
    # The minimum over t in [0, 1) of exp(-t D) (1 - t)^-k, at t = 1 - k/D; above D = k only.
    return freedom - divergence + freedom * log(divergence / freedom)


class ObservedLottery(NamedTuple):
    """The next worlds that are consistent with a player's observation or the public observation."""

    world: World
    joint_action: JointAction
    player: Player | None
    step: Step
    probabilities: dict[World, float]
    """Probability of each next world given the joint action. They sum to the probability of the
    observation."""


def check_observed_sampling(
    rules: WorldRules, facts: Mapping[World, WorldFacts], max_samples: int, seed: int
) -> None:
    """Draw from `sample_observed_transition` and compare with `transitions` and `observe`.

    Raises
    ------
    GameRuleError
        If a draw contradicts the observation, the probability returned is wrong, or the
        frequencies contradict the probabilities.
    """
    rng = np.random.default_rng(seed)
    lotteries = list(_observed_lotteries(facts))
    stride = -(-len(lotteries) * MIN_DRAWS // max(1, max_samples))
    trials = [_try(rules, lottery, rng) for lottery in lotteries[:: max(1, stride)]]
    check_frequencies(
        [trial for trial in trials if trial is not None], "sample_observed_transition"
    )


def _observed_lotteries(facts: Mapping[World, WorldFacts]) -> Iterator[ObservedLottery]:
    """Yield each player's possible observations and the public ones, for every lottery."""
    for world, fact in facts.items():
        if fact.is_cut or len(fact.edges) == fact.num_joint_actions:
            continue
        found: dict[tuple[JointAction, Player | None, Step], dict[World, float]] = {}
        for edge in fact.edges:
            # As given to the method for the public observation: a step without anything private.
            everybody = Step(NOOP, None, edge.steps[0].public)
            for player, step in ((None, everybody), *enumerate(edge.steps)):
                outcomes = found.setdefault((edge.joint_action, player, step), {})
                outcomes[edge.next_world] = edge.probability
        for (joint_action, player, step), outcomes in found.items():
            yield ObservedLottery(world, joint_action, player, step, outcomes)


def _try(rules: WorldRules, lottery: ObservedLottery, rng: np.random.Generator) -> Trial | None:
    """Draw next worlds given an observation; None if the game does not support it."""
    world, joint_action, player, step, probabilities = lottery
    total, counts = sum(probabilities.values()), Counter[World]()
    for _ in range(MIN_DRAWS):
        found = rules.draw_observed(world, joint_action, player, step, rng)
        if found is None:
            return None
        drawn, probability = found
        who = "everybody" if player is None else f"player {player}"
        if drawn not in probabilities:
            problem = f"it drew {drawn!r}, which contradicts {step} of {who}"
            raise GameRuleError(RULE, found=problem, world=world)
        if abs(probability - total) > ROUNDING:
            problem = (
                f"it returned the probability {probability:.6g} for {step} of {who}; the "
                f"correct probability is {total:.6g}"
            )
            raise GameRuleError(RULE, found=problem, world=world)
        counts[drawn] += 1
    # The frequencies are those of the conditional distribution, given the observation.
    given = {following: value / total for following, value in probabilities.items()}
    return Trial(Lottery(world, joint_action, given), counts)
