"""Who chooses a continuation at the depth limit of a search, and how."""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

from infoset.experiments.reports import Report, Table
from infoset.experiments.studies import Experiment, RunCells
from infoset.resolving import LEAF_RULES
from infoset_studies.sepot.blueprints import (
    LEDUC,
    NETWORK,
    Blueprint,
    goofspiel,
    known_blueprints,
    usable,
    without_networks,
)
from infoset_studies.sepot.search_cells import Search, searched, title_of

__all__ = ["LEAF_RULE", "LeafRuleSetting"]


class LeafRuleSetting(NamedTuple):
    """The blueprints with the numbers of iterations of searches, and the depths."""

    cases: tuple[tuple[Blueprint, tuple[int, ...]], ...]
    depths: tuple[int, ...]


def leaf_rule_report(run: RunCells, setting: LeafRuleSetting) -> Report:
    """Search by each leaf rule, with exact values of histories."""
    kinds = list(product(setting.depths, LEAF_RULES))
    rows: list[tuple[str | float | None, ...]] = []
    for blueprint, iterations in setting.cases:
        for one, number in product(known_blueprints(run, usable([blueprint])), iterations):
            searches = [
                Search(depth=depth, iterations=number, leaf_rule=rule) for depth, rule in kinds
            ]
            found = searched(run, [one], searches)
            case = title_of(blueprint), blueprint.label, one.nash_conv, number
            rows.append((*case, *(found[blueprint, search] for search in searches)))
    about = (
        "NashConv of searches by leaf rule and depth, with exact values of histories and the "
        f"opponent's values `previous`.{without_networks()}"
    )
    columns = (
        *("game", "blueprint", "without search", "iterations"),
        *(f"{rule} {depth}" for depth, rule in kinds),
    )
    return Report((Table("leaf-rules", about, columns, tuple(rows)),))


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
    quick=LeafRuleSetting(_cases(1000, 600), (1, 2)),
    full=LeafRuleSetting(_cases(4000, 1500), (1, 2)),
    quick_time="a minute",
    full_time="three minutes",
)
