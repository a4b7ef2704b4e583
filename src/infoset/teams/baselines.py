"""Baselines: learners without information relaxation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from infoset.teams.hiding import HidingScheme, LocalLearner, regret_matching
from infoset.utils.registry import Registry


@dataclass(frozen=True)
class Baseline:
    """A learner that uses the original information, with one weighting of the nodes of a cell."""

    name: str
    description: str
    """Description in one line."""
    weighting: str
    """Name of the `Weighting`."""

    def scheme(self, learner: LocalLearner | None = None, **settings: Any) -> HidingScheme:
        """Return the scheme of the baseline; its penalty coefficient is 0.

        Parameters
        ----------
        learner
            By default regret matching, which gives CFR; `entropic_ftrl()` gives FTRL.
        **settings
            Further fields of `HidingScheme`, such as `visits="outcome"`.

        Examples
        --------
        >>> from infoset.games import load_game
        >>> from infoset.teams import ProgressiveHiding, build_product_form, relax
        >>> form = build_product_form(load_game("cooperative_matching_pennies"))
        >>> scheme = BASELINES["two-agents"].scheme()
        >>> trace = ProgressiveHiding(relax(form), scheme, seed=1).run(200)
        >>> round(float(trace.implementable[-1, 0]), 2)
        1.0
        """
        chosen = regret_matching() if learner is None else learner
        return HidingScheme(chosen, penalty=0.0, weighting=self.weighting, **settings)


BASELINES: Final = Registry(
    "baseline",
    (
        Baseline("one-player", "one player; weights are chance probabilities", "chance"),
        Baseline("two-agents", "independent agents; weights omit own choices", "agent"),
        Baseline("full-reach", "weights are the full reach, including own choices", "full"),
        Baseline("posterior", "weights are beliefs: the normalized full reach", "posterior"),
    ),
    entry_type=Baseline,
)
"""Baselines by name. The paper's baseline is `one-player`: CFR with the team as one player."""


def get_baseline(name: str) -> Baseline:
    """Return a baseline by name."""
    return BASELINES.resolve(name)
