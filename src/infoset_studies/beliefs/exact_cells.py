"""PIMC as it would be with all worlds, measured exactly."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from threading import Event
from typing import Any, Final

from infoset.beliefs import PublicPrivateBelief
from infoset.experiments.cells import CellResult
from infoset.experiments.folders import run_slug
from infoset.games import LiarsDice, load_game
from infoset.policy import TabularPolicy, uniform_policy
from infoset.search import pimc_policy
from infoset_studies.beliefs.leaks import true_state_ratio
from infoset_studies.beliefs.policies import Searched, is_dice, responses, tree_of
from infoset_studies.liars_dice_closed_form import pimc_table

__all__ = ["ExactCell", "exact_pimc"]

MISTAKES: Final = 0.05
"""How often players who are taken for PIMC take an action at random instead."""


@dataclass(frozen=True)
class ExactCell:
    """PIMC with all worlds, for public weights by own move.

    Attributes
    ----------
    game : str
    public_weights : tuple[float, ...]
        The last one stands for all later moves.
    assumes : str
        What the others are thought to play: `nothing`, so that nothing is inferred from moves, or
        `pimc`, that they are PIMC with public weight 0, which makes mistakes. On a tree only.
    """

    game: str
    public_weights: tuple[float, ...]
    assumes: str = "nothing"

    @property
    def name(self) -> str:
        """What its file begins with."""
        public_weights = "-".join(f"{public_weight:g}" for public_weight in self.public_weights)
        return run_slug(self.game, f"exact-pimc-{public_weights}-{self.assumes}")

    def settings(self) -> Mapping[str, Any]:
        """Return what decides its result."""
        return {"exact": True, "mistakes": MISTAKES, **asdict(self)}

    def run(self, interrupt: Event) -> CellResult:
        """Return what best responders get, and the true state sampling ratios, by seat."""
        policy = exact_pimc(self.game, self.public_weights, self.assumes)
        ratios = [true_state_ratio(policy, seat) for seat in (0, 1)]
        return {"responses": responses(policy), "ratios": ratios}


def exact_pimc(game: str, public_weights: tuple[float, ...], assumes: str = "nothing") -> Searched:
    """Return what PIMC plays with all worlds, for public weights by own move."""
    if is_dice(game):
        rules = load_game(game)
        assert isinstance(rules, LiarsDice)
        return pimc_table(rules, public_weights)
    tree = tree_of(game)
    policies = _with_mistakes(pimc_policy(tree)) if assumes == "pimc" else None
    return pimc_policy(tree, PublicPrivateBelief(public_weights, policies=policies))


def _with_mistakes(policy: TabularPolicy) -> TabularPolicy:
    """Return a policy that now and then takes any action, so that whatever is seen is possible."""
    alike = uniform_policy(policy.sequence_form).probabilities
    pairs = zip(policy.probabilities, alike, strict=True)
    mixed = tuple((1 - MISTAKES) * own + MISTAKES * other for own, other in pairs)
    return TabularPolicy(policy.sequence_form, mixed)
