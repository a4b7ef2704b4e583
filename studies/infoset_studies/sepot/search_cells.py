"""Searches at all public states of a game: what they play is a policy, whose NashConv is exact."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final, NamedTuple

import numpy as np

from infoset.evaluation import TransformedValues, nash_conv, transformed_values
from infoset.experiments.cells import CellInterrupted, CellResult
from infoset.experiments.folders import run_slug
from infoset.experiments.studies import RunCells
from infoset.policy import IDENTITY, TRANSFORMATIONS, Transformation, constant_transformations
from infoset.resolving import LEAF_RULES, ContinualResolving, RangeValues
from infoset.runs import Interrupt
from infoset_studies.beliefs.average_policies import tree_of
from infoset_studies.sepot.blueprints import LEDUC, Blueprint, Known, alone

__all__ = [
    "TO_THE_END",
    "TRANSFORMATION_SETS",
    "CriticCell",
    "Search",
    "SearchCell",
    "depth_text",
    "searched",
    "title_of",
]

TO_THE_END: Final = "to the end"

TRANSFORMATION_SETS: Final[Mapping[str, tuple[Transformation, ...]]] = {
    "identity": (IDENTITY,),
    "identity and uniform": TRANSFORMATIONS[:2],
    "1 to 15": TRANSFORMATIONS[:15],
    "all 22": TRANSFORMATIONS,
    "constants": constant_transformations(["fold", "call", "raise"], "call"),
}
"""Transformations by name; the constants, which are the paper's for Leduc poker, are actions."""


class Search(NamedTuple):
    """The settings of a search.

    Attributes
    ----------
    opponent, gadget : str
    depth : int or None
    iterations : int
    transformations : str or None
        A name from `TRANSFORMATION_SETS`; by default that of the paper for the game.
    noise : float
        Standard deviation of normal noise on the values of histories that are not terminal.
    noise_seed : int
    leaf_rule : str
    """

    opponent: str = "previous"
    gadget: str = "resolving"
    depth: int | None = 1
    iterations: int = 300
    transformations: str | None = None
    noise: float = 0.0
    noise_seed: int = 0
    leaf_rule: str = "choice"

    def rows(self, game: str) -> tuple[Transformation, ...]:
        """Return the transformations of the opponent."""
        standard = "constants" if game == LEDUC else "all 22"
        return TRANSFORMATION_SETS[self.transformations or standard]

    def nash_conv(self, known: Known, values: TransformedValues | RangeValues) -> float:
        """Search at all public states, and return NashConv of what the search plays there."""
        tree = tree_of(known.blueprint.game)
        search = ContinualResolving(tree, known.policy, values, **self.options())
        return nash_conv(search.search_policy())

    def options(self) -> dict[str, Any]:
        """Return the settings by the names of `ContinualResolving`."""
        return {
            "depth": self.depth,
            "gadget": self.gadget,
            "opponent": self.opponent,
            "leaf_rule": self.leaf_rule,
            "iterations": self.iterations,
            "tolerance": None,  # the study is about solutions, not about which of them are played
        }


def title_of(blueprint: Blueprint) -> str:
    """Return a game's name for tables."""
    if blueprint.game == LEDUC:
        return "Leduc poker"
    return f"goofspiel {blueprint.game.partition('num_cards=')[2][0]}"


def depth_text(depth: int | None) -> str:
    """Return a depth limit for tables."""
    return TO_THE_END if depth is None else str(depth)


@dataclass(frozen=True)
class SearchCell:
    """NashConv of a search with exact values of histories, or with noise added to them.

    Attributes
    ----------
    blueprint : Blueprint
    search : Search
    known : Known
        The blueprint's policy.
    """

    blueprint: Blueprint
    search: Search
    known: Known = field(compare=False, repr=False)

    @property
    def name(self) -> str:
        """File name prefix."""
        made, search = self.blueprint, self.search
        kind = f"{made.method}-{made.length}-{search.opponent}-{search.depth}-{made.seed}"
        return run_slug(made.game, kind)

    def settings(self) -> Mapping[str, Any]:
        """Return the settings that determine the result."""
        return {"blueprint": asdict(self.blueprint), "search": self.search._asdict()}

    def run(self, interrupt: Interrupt) -> CellResult:
        """Return NashConv."""
        if interrupt.is_set():
            raise CellInterrupted
        rows = self.search.rows(self.blueprint.game)
        pairs = LEAF_RULES[self.search.leaf_rule].both_choose
        tree = tree_of(self.blueprint.game)
        exact = transformed_values(tree, self.known.policy, rows, pairs=pairs)
        noise = self.search.noise
        values = with_noise(exact, noise, self.search.noise_seed) if noise else exact
        return {"nash_conv": self.search.nash_conv(self.known, values)}


def with_noise(values: TransformedValues, sd: float, seed: int) -> TransformedValues:
    """Return values with independent normal noise for each history and profile."""
    noise = np.random.default_rng(seed).normal(0.0, sd, values.values.shape)
    return replace(values, values=values.values + noise)


@dataclass(frozen=True)
class CriticCell:
    """Trains a critic, and returns NashConv of searches with its values.

    Attributes
    ----------
    blueprint : Blueprint
    steps, seed : int
        Learner steps and seed of the critic.
    searches : tuple[Search, ...]
    known : Known
        The blueprint's policy.
    """

    blueprint: Blueprint
    steps: int
    seed: int
    searches: tuple[Search, ...]
    known: Known = field(compare=False, repr=False)

    @property
    def name(self) -> str:
        """File name prefix."""
        made = self.blueprint
        return run_slug(made.game, f"critic-{made.method}-{made.length}-{self.steps}-{self.seed}")

    def settings(self) -> Mapping[str, Any]:
        """Return the settings that determine the result."""
        searches = [search._asdict() for search in self.searches]
        about = {"steps": self.steps, "seed": self.seed, "searches": searches}
        return {"blueprint": asdict(self.blueprint), **about}

    def run(self, interrupt: Interrupt) -> CellResult:
        """Return NashConv by search, and the mean error of the critic over its profiles."""
        tree, policy = tree_of(self.blueprint.game), self.known.policy
        rows = self.searches[0].rows(self.blueprint.game)
        with alone(interrupt):
            from infoset.deep import train_critic

            critic = train_critic(tree, policy, rows, steps=self.steps, seed=self.seed)
            values = critic.tabulate(tree)
        errors = values.errors(transformed_values(tree, policy, rows), policy)
        found = [search.nash_conv(self.known, values) for search in self.searches]
        return {"nash_conv": found, "error": float(errors.mean())}


def searched(
    run: RunCells, known: Sequence[Known], searches: Iterable[Search]
) -> dict[tuple[Blueprint, Search], float]:
    """Return NashConv of each search with each blueprint, with exact values or with noise."""
    wanted = list(searches)
    cells = [SearchCell(one.blueprint, search, one) for one in known for search in wanted]
    return {
        (cell.blueprint, cell.search): float(result["nash_conv"])
        for cell, result in zip(cells, run(cells), strict=True)
    }
