"""Whether a game's own `sample_as_seen` draws what its `transitions` list and `observe` shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from infoset.errors import GameRuleError
from infoset.game._sampling_rules import MIN_DRAWS, Lottery, Trial, check_frequencies
from infoset.game._world_rules import WorldFacts, WorldRules
from infoset.game.infostate import Step
from infoset.typing import NOOP, JointAction, Player, World

__all__ = ["check_seeing"]

ROUNDING = 1e-9
RULE = (
    "sample_as_seen draws next worlds in which the player sees what the step says, and tells how "
    "probable that is"
)


class Sighting(NamedTuple):
    """The next worlds that look the same to a player, or to everybody.

    Attributes
    ----------
    world : World
    joint_action : JointAction
    player : Player or None
    step : Step
    odds : dict[World, float]
        Of the next worlds, given the joint action.
    """

    world: World
    joint_action: JointAction
    player: Player | None
    step: Step
    odds: dict[World, float]


def check_seeing(
    rules: WorldRules, facts: Mapping[World, WorldFacts], max_samples: int, seed: int
) -> None:
    """Draw from `sample_as_seen`, if a game has its own, and compare with its list.

    Raises
    ------
    GameRuleError
        If a draw looks otherwise, what is told of its probability is wrong, or the frequencies
        cannot be those of the probabilities.
    """
    rng = np.random.default_rng(seed)
    sightings = list(_sightings(facts))
    stride = -(-len(sightings) * MIN_DRAWS // max(1, max_samples))
    trials = [_try(rules, sighting, rng) for sighting in sightings[:: max(1, stride)]]
    check_frequencies([trial for trial in trials if trial is not None], "sample_as_seen")


def _sightings(facts: Mapping[World, WorldFacts]) -> Iterator[Sighting]:
    """Yield what may be seen of every lottery that is listed, by each player and by everybody."""
    for world, fact in facts.items():
        if fact.is_cut or len(fact.edges) == fact.num_joint_actions:
            continue
        found: dict[tuple[JointAction, Player | None, Step], dict[World, float]] = {}
        for edge in fact.edges:
            everybody = Step(NOOP, None, edge.steps[0].public)
            for player, step in ((None, everybody), *enumerate(edge.steps)):
                odds = found.setdefault((edge.joint_action, player, step), {})
                odds[edge.next_world] = edge.probability
        for (joint_action, player, step), odds in found.items():
            yield Sighting(world, joint_action, player, step, odds)


def _try(rules: WorldRules, sighting: Sighting, rng: np.random.Generator) -> Trial | None:
    """Return how often each next world is drawn; None where the game does not draw so."""
    world, joint_action, player, step, odds = sighting
    total, counts = sum(odds.values()), Counter[World]()
    for _ in range(MIN_DRAWS):
        found = rules.draw_as_seen(world, joint_action, player, step, rng)
        if found is None:
            return None
        drawn, chance = found
        if drawn not in odds or abs(chance - total) > ROUNDING:
            who = "everybody" if player is None else f"player {player}"
            told = f"it drew {drawn!r} with the probability {chance:.6g}"
            right = "which does not look so" if drawn not in odds else f"and that is {total:.6g}"
            raise GameRuleError(RULE, found=f"{told} for {step} of {who}, {right}", world=world)
        counts[drawn] += 1
    shares = {following: chance / total for following, chance in odds.items()}
    return Trial(Lottery(world, joint_action, shares), counts)
