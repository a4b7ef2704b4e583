"""Who chooses a continuation at the depth limit of a search, and how."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from itertools import product
from typing import Any, Final, NamedTuple

from infoset.evaluation import transformed_values
from infoset.experiments.cells import CellResult
from infoset.experiments.folders import run_slug
from infoset.experiments.reports import Report, Table
from infoset.experiments.studies import Experiment, RunCells
from infoset.resolving import LEAF_RULES
from infoset.runs import Interrupt
from infoset_studies.beliefs.average_policies import tree_of
from infoset_studies.sepot.blueprints import (
    LEDUC,
    NETWORK,
    Blueprint,
    Known,
    alone,
    goofspiel,
    has_networks,
    known_blueprints,
    usable,
    without_networks,
)
from infoset_studies.sepot.search_cells import Search, searched, title_of

__all__ = ["LEAF_RULE", "LeafRuleSetting", "ValueNetworkCell"]

NETWORK_COLUMN: Final = "network"
"""Begins the columns of searches with value networks."""


class LeafRuleSetting(NamedTuple):
    """Blueprints with numbers of iterations, depths, and learner steps of value networks."""

    cases: tuple[tuple[Blueprint, tuple[int, ...]], ...]
    depths: tuple[int, ...]
    network_steps: int


@dataclass(frozen=True)
class ValueNetworkCell:
    """A value network distilled from exact values of histories, and searches with it.

    Attributes
    ----------
    blueprint : Blueprint
    steps : int
        Learner steps of the network.
    searches : tuple[Search, ...]
    known : Known
        The blueprint's policy.
    """

    blueprint: Blueprint
    steps: int
    searches: tuple[Search, ...]
    known: Known = field(compare=False, repr=False)

    @property
    def name(self) -> str:
        """File name prefix."""
        made = self.blueprint
        return run_slug(made.game, f"value-network-{made.method}-{made.length}-{self.steps}")

    def settings(self) -> Mapping[str, Any]:
        """Return the settings that determine the result."""
        searches = [search._asdict() for search in self.searches]
        return {"blueprint": asdict(self.blueprint), "steps": self.steps, "searches": searches}

    def run(self, interrupt: Interrupt) -> CellResult:
        """Return NashConv of each search, and the root of the last loss in the game's units."""
        tree, rows = tree_of(self.blueprint.game), self.searches[0].rows(self.blueprint.game)
        exact = transformed_values(tree, self.known.policy, rows)
        with alone(interrupt):
            from infoset.deep import train_value_network

            network = train_value_network(exact, steps=self.steps)
        found = [search.nash_conv(self.known, network) for search in self.searches]
        return {"nash_conv": found, "error": network.unit * network.loss**0.5}


def leaf_rule_report(run: RunCells, setting: LeafRuleSetting) -> Report:
    """Search by each leaf rule, and with a value network, from exact values of histories."""
    kinds = (*LEAF_RULES, NETWORK_COLUMN)
    rows: list[tuple[str | float | None, ...]] = []
    for blueprint, iterations in setting.cases:
        for one, number in product(known_blueprints(run, usable([blueprint])), iterations):
            found = _searched_by_rule(run, setting, one, number)
            error, by_network = _with_network(run, setting, one, number)
            found |= by_network
            case = title_of(blueprint), blueprint.label, one.nash_conv, number
            numbers = (found.get((depth, kind)) for depth, kind in product(setting.depths, kinds))
            rows.append((*case, *numbers, error))
    about = (
        "NashConv of searches by leaf rule and depth, with exact values of histories and the "
        "opponent's values `previous`; and with a value network distilled from them. The last "
        f"column is its root mean squared error in training.{without_networks()}"
    )
    columns = (
        *("game", "blueprint", "without search", "iterations"),
        *(f"{kind} {depth}" for depth, kind in product(setting.depths, kinds)),
        "error of the network",
    )
    return Report((Table("leaf-rules", about, columns, tuple(rows)),))


def _searched_by_rule(
    run: RunCells, setting: LeafRuleSetting, one: Known, iterations: int
) -> dict[tuple[int, str], float]:
    """Return NashConv by depth and leaf rule."""
    kinds = [*product(setting.depths, LEAF_RULES)]
    searches = [Search(depth=depth, iterations=iterations, leaf_rule=rule) for depth, rule in kinds]
    found = searched(run, [one], searches)
    return {
        kind: found[one.blueprint, search] for kind, search in zip(kinds, searches, strict=True)
    }


def _with_network(
    run: RunCells, setting: LeafRuleSetting, one: Known, iterations: int
) -> tuple[float | None, dict[tuple[int, str], float]]:
    """Return the error of a value network, and NashConv with it by depth; nothing without JAX."""
    if not has_networks():
        return None, {}
    searches = tuple(Search(depth=depth, iterations=iterations) for depth in setting.depths)
    [result] = run([ValueNetworkCell(one.blueprint, setting.network_steps, searches, one)])
    by_depth = zip(setting.depths, result["nash_conv"], strict=True)
    return result["error"], {(depth, NETWORK_COLUMN): value for depth, value in by_depth}


def _cases(steps: int, many: int) -> tuple[tuple[Blueprint, tuple[int, ...]], ...]:
    return (
        (Blueprint(LEDUC, "cfr", 40), (300,)),
        (Blueprint(LEDUC, "cfr+", 2000), (300, many)),
        (Blueprint(goofspiel(5), "cfr", 40), (300,)),
        (Blueprint(goofspiel(5), NETWORK, steps), (300,)),
    )


LEAF_RULE = Experiment(
    "leaf-rules",
    "Choices at the depth limit",
    leaf_rule_report,
    quick=LeafRuleSetting(_cases(1000, 600), (1, 2), 500),
    full=LeafRuleSetting(_cases(4000, 1500), (1, 2), 10_000),
    quick_time="two minutes",
    full_time="twenty minutes",
)
