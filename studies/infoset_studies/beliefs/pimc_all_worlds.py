"""PIMC with all worlds, evaluated exactly, with and without inference from actions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from itertools import product
from math import isfinite
from typing import Any, Final, NamedTuple

from infoset.beliefs import PublicPrivateBelief
from infoset.experiments.cells import CellResult
from infoset.experiments.folders import run_slug
from infoset.experiments.reports import Chart, Report, Table
from infoset.experiments.studies import Experiment, RunCells
from infoset.games import LiarsDice, load_game
from infoset.plotting import Line
from infoset.policy import TabularPolicy, uniform_policy
from infoset.runs import Interrupt
from infoset.search import pimc_policy
from infoset_studies.beliefs.average_policies import Searched, is_dice, responses, tree_of
from infoset_studies.beliefs.leakage import true_state_ratio
from infoset_studies.beliefs.published import POSITIONS, PUBLIC_WEIGHTS, weight_columns
from infoset_studies.liars_dice_policies import pimc_table

__all__ = ["INFERRING", "ExactCell", "exact_pimc"]

MISTAKES: Final = 0.05
"""Probability of a uniformly random action in the assumed policy of PIMC."""


@dataclass(frozen=True)
class ExactCell:
    """PIMC with all worlds, with a public weight for each own action.

    Attributes
    ----------
    game : str
    public_weights : tuple[float, ...]
        The last weight is used for all later actions.
    assumes : str
        Assumed policy of the opponents: `nothing`, which infers nothing from actions, or `pimc`,
        PIMC with public weight 0 and occasional random actions (games with a tree only).
    """

    game: str
    public_weights: tuple[float, ...]
    assumes: str = "nothing"

    @property
    def name(self) -> str:
        """File name prefix."""
        public_weights = "-".join(f"{public_weight:g}" for public_weight in self.public_weights)
        return run_slug(self.game, f"exact-pimc-{public_weights}-{self.assumes}")

    def settings(self) -> Mapping[str, Any]:
        """Return the settings that determine the result."""
        return {"exact": True, "mistakes": MISTAKES, **asdict(self)}

    def run(self, interrupt: Interrupt) -> CellResult:
        """Return best-response values and true-state sampling ratios by position.

        A ratio is None if every action that the player takes ends the game.
        """
        policy = exact_pimc(self.game, self.public_weights, self.assumes)
        ratios = [true_state_ratio(policy, position) for position in (0, 1)]
        found = [ratio if isfinite(ratio) else None for ratio in ratios]
        return {"responses": responses(policy), "ratios": found}


def exact_pimc(game: str, public_weights: tuple[float, ...], assumes: str = "nothing") -> Searched:
    """Return the policy of PIMC with all worlds, with a public weight for each own action."""
    if is_dice(game):
        rules = load_game(game)
        assert isinstance(rules, LiarsDice)
        return pimc_table(rules, public_weights)
    tree = tree_of(game)
    policies = _with_mistakes(pimc_policy(tree)) if assumes == "pimc" else None
    return pimc_policy(tree, PublicPrivateBelief(public_weights, policies=policies))


def _with_mistakes(policy: TabularPolicy) -> TabularPolicy:
    """Mix a policy with the uniform policy, so that every observation has positive probability."""
    alike = uniform_policy(policy.form).probabilities
    pairs = zip(policy.probabilities, alike, strict=True)
    mixed = tuple((1 - MISTAKES) * own + MISTAKES * other for own, other in pairs)
    return TabularPolicy(policy.form, mixed)


BELIEF_LABELS: Final = {"nothing": "nothing inferred", "pimc": "opponents assumed to be PIMC"}


class Setting(NamedTuple):
    """Games with a tree, and public weights."""

    games: tuple[str, ...]
    public_weights: tuple[float, ...]


def report(run: RunCells, setting: Setting) -> Report:
    """Compare best-response values and information leakage."""
    tables, charts = [], []
    for game in setting.games:
        keys = list(product(BELIEF_LABELS, setting.public_weights))
        found = dict(
            zip(
                keys,
                run(
                    [ExactCell(game, (public_weight,), assumes) for assumes, public_weight in keys]
                ),
                strict=True,
            )
        )
        rows = [
            (
                BELIEF_LABELS[assumes],
                where,
                what,
                *(found[assumes, s][key][position] for s in setting.public_weights),
            )
            for assumes in BELIEF_LABELS
            for position, where in enumerate(POSITIONS)
            for what, key in (("best response", "responses"), ("leakage", "ratios"))
        ]
        columns = ("belief", "position", "quantity", *weight_columns(setting.public_weights))
        slug = f"inference-{game.partition('(')[0].replace('_', '-')}"
        about = f"PIMC with all worlds in {game}, by the weight of the public belief."
        tables.append(Table(slug, about, columns, tuple(rows)))
        lines = tuple(
            Line(
                f"{BELIEF_LABELS[assumes]}, {where} position",
                setting.public_weights,
                tuple(
                    found[assumes, public_weight]["responses"][position]
                    for public_weight in setting.public_weights
                ),
            )
            for assumes in BELIEF_LABELS
            for position, where in enumerate(POSITIONS)
        )
        x_label = "weight of the public belief (λ)"
        charts.append(Chart(slug, f"PIMC in {game}", x_label, "best response", lines, False))
    return Report(tuple(tables), tuple(charts))


INFERRING = Experiment(
    "inference",
    "Beliefs with inference from actions",
    report,
    quick=Setting(("leduc_poker",), PUBLIC_WEIGHTS[::5]),
    full=Setting(("leduc_poker", "liars_dice"), PUBLIC_WEIGHTS),
    quick_time="a minute",
    full_time="ten minutes",
)
