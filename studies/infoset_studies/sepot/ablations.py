"""Learned values, noise, iterations, transformations, and networks of several seeds."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Final, NamedTuple

import numpy as np

from infoset.experiments.reports import Chart, Report, Table
from infoset.experiments.studies import Experiment, RunCells
from infoset.plotting import Line
from infoset.resolving import OPPONENT_VALUES
from infoset_studies.beliefs.published import Measured
from infoset_studies.sepot.blueprints import (
    LEDUC,
    NETWORK,
    Blueprint,
    goofspiel,
    has_networks,
    known_blueprints,
    usable,
    without_networks,
)
from infoset_studies.sepot.search_cells import (
    CriticCell,
    Search,
    depth_text,
    searched,
    title_of,
)

__all__ = [
    "CRITIC",
    "ITERATIONS",
    "NOISE",
    "RANDOM_ORDER",
    "TRANSFORMATION_ABLATION",
    "CriticSetting",
    "IterationSetting",
    "NoiseSetting",
    "SeedSetting",
    "TransformationSetting",
]

LEARNED: Final = ("previous", "transformations", "profile")
"""Opponent's values that need values of histories, and not the tree."""

CHOSEN: Final = ("previous", "transformations")
"""Those that depend on which transformations there are."""


class CriticSetting(NamedTuple):
    """The blueprints, the learner steps of their critics, the seeds, and the depths."""

    blueprints: tuple[Blueprint, ...]
    steps: int
    seeds: int
    depths: tuple[int, ...]


def critic_report(run: RunCells, setting: CriticSetting) -> Report:
    """Compare searches with exact values and with those of critics of several seeds."""
    searches = tuple(Search(*pair) for pair in _pairs(setting.depths))
    blueprints = setting.blueprints if has_networks() else ()
    known = known_blueprints(run, blueprints)
    exact = searched(run, known, searches)
    cells = [
        CriticCell(one.blueprint, setting.steps, seed, searches, one)
        for one, seed in product(known, range(setting.seeds))
    ]
    results = dict(zip(cells, run(cells), strict=True))
    rows: list[tuple[str | float | None, ...]] = []
    for one, (place, search) in product(known, enumerate(searches)):
        own = [result for cell, result in results.items() if cell.known is one]
        measured = Measured.of_runs([result["nash_conv"][place] for result in own])
        error = float(np.mean([result["error"] for result in own]))
        case = title_of(one.blueprint), one.blueprint.label, search.opponent, search.depth
        now = exact[one.blueprint, search]
        rows.append((*case, one.nash_conv, now, *measured, error))
    columns = (
        *("game", "blueprint", "opponent values", "depth", "without search"),
        *("exact values", "critic", "±", "error of the critic"),
    )
    about = (
        f"NashConv with exact values and with critics of {setting.seeds} seeds after "
        f"{setting.steps:,} learner steps; 300 iterations of CFR+. The error is the root mean "
        f"square, in units of utility.{without_networks()}"
    )
    return Report((Table("critic", about, columns, tuple(rows)),))


def _pairs(depths: Sequence[int]) -> list[tuple[str, str, int]]:
    """Return the opponent's values, the gadget and the depth of searches."""
    return [(opponent, "resolving", depth) for opponent in LEARNED for depth in depths]


class NoiseSetting(NamedTuple):
    """The blueprint, the standard deviations of noise, the seeds, and the depth."""

    blueprint: Blueprint
    deviations: tuple[float, ...]
    seeds: int
    depth: int


def noise_report(run: RunCells, setting: NoiseSetting) -> Report:
    """Add noise to all values of histories."""
    known = known_blueprints(run, usable([setting.blueprint]))
    searches = [
        Search(opponent, depth=setting.depth, noise=sd, noise_seed=seed)
        for opponent, sd, seed in product(LEARNED, setting.deviations, range(setting.seeds))
    ]
    found = searched(run, known, searches)
    rows, lines = [], []
    for one, opponent in product(known, LEARNED):
        means = []
        for sd in setting.deviations:
            alike = [s for s in searches if (s.opponent, s.noise) == (opponent, sd)]
            means.append(Measured.of_runs([found[one.blueprint, search] for search in alike]))
        rows += [
            (opponent, sd, *measured)
            for sd, measured in zip(setting.deviations, means, strict=True)
        ]
        lines.append(Line(opponent, setting.deviations, tuple(m.value for m in means)))
    for one in known:
        guide = (one.nash_conv,) * len(setting.deviations)
        lines.append(Line("no search", setting.deviations, guide, is_guide=True))
    title = f"{title_of(setting.blueprint)}, blueprint {setting.blueprint.label}"
    about = (
        f"{title}: NashConv of searches of depth {setting.depth} if independent normal noise is "
        f"added to the value of each history and profile; {setting.seeds} seeds of the noise."
        f"{without_networks()}"
    )
    table = Table("noise", about, ("opponent values", "sd of the noise", "mean", "±"), tuple(rows))
    label = "standard deviation of the noise"
    charts = [Chart("noise", title, label, "NashConv", tuple(lines), False)] if lines else []
    return Report((table,), tuple(charts))


class IterationSetting(NamedTuple):
    """The blueprint, the numbers of iterations, and the depth."""

    blueprint: Blueprint
    iterations: tuple[int, ...]
    depth: int


def iteration_report(run: RunCells, setting: IterationSetting) -> Report:
    """Search with different numbers of iterations."""
    known = known_blueprints(run, usable([setting.blueprint]))
    points = list(product(OPPONENT_VALUES, setting.iterations))
    searches = {
        (opponent, number): Search(opponent, depth=setting.depth, iterations=number)
        for opponent, number in points
    }
    found = searched(run, known, searches.values())
    by_opponent = {
        opponent: tuple(found[one.blueprint, searches[opponent, n]] for n in setting.iterations)
        for one, opponent in product(known, OPPONENT_VALUES)
    }
    rows: list[tuple[str | float, ...]] = [(o, *values) for o, values in by_opponent.items()]
    across = tuple(map(float, setting.iterations))
    lines = tuple(Line(opponent, across, values) for opponent, values in by_opponent.items())
    title = f"{title_of(setting.blueprint)}, blueprint {setting.blueprint.label}"
    about = (
        f"{title}: NashConv of searches of depth {setting.depth} by iterations of CFR+."
        f"{without_networks()}"
    )
    columns = ("opponent values", *(f"{number:,}" for number in setting.iterations))
    table = Table("iterations", about, columns, tuple(rows))
    charts = [Chart("iterations", title, "iterations of CFR+", "NashConv", lines)] if lines else []
    return Report((table,), tuple(charts))


class TransformationSetting(NamedTuple):
    """The blueprints with the names of sets of transformations, and the depths."""

    cases: tuple[tuple[Blueprint, tuple[str, ...]], ...]
    depths: tuple[int, ...]


def transformation_report(run: RunCells, setting: TransformationSetting) -> Report:
    """Search with different sets of transformations at the depth limit."""
    rows: list[tuple[str | float | None, ...]] = []
    for blueprint, names in setting.cases:
        for one in known_blueprints(run, usable([blueprint])):
            searches = [
                Search(opponent, depth=depth, transformations=name)
                for name, opponent, depth in product(names, CHOSEN, setting.depths)
            ]
            found = searched(run, [one], searches)
            case = title_of(blueprint), blueprint.label, one.nash_conv
            for kind in product(names, CHOSEN):
                own = [s for s in searches if (s.transformations, s.opponent) == kind]
                rows.append((*case, *kind, *(found[blueprint, search] for search in own)))
    columns = (
        *("game", "blueprint", "without search", "transformations", "opponent values"),
        *(f"depth {depth}" for depth in setting.depths),
    )
    about = (
        "NashConv of searches by the transformations that the opponent may choose at the depth "
        f"limit; exact values, 300 iterations of CFR+.{without_networks()}"
    )
    return Report((Table("transformations", about, columns, tuple(rows)),))


class SeedSetting(NamedTuple):
    """The games, the learner steps of their networks, the seeds, and the depths of each game."""

    games: tuple[tuple[str, int, tuple[int | None, ...]], ...]
    seeds: int
    opponents: tuple[str, ...] = LEARNED


def seed_report(run: RunCells, setting: SeedSetting) -> Report:
    """Search with networks of several seeds."""
    rows: list[tuple[str | float | int | None, ...]] = []
    for game, steps, depths in setting.games:
        blueprints = [Blueprint(game, NETWORK, steps, seed) for seed in range(setting.seeds)]
        known = known_blueprints(run, usable(blueprints))
        searches = [Search(o, depth=d) for o, d in product(setting.opponents, depths)]
        found = searched(run, known, searches)
        if not known:
            continue
        without = [one.nash_conv for one in known]
        about = (title_of(blueprints[0]), steps)
        rows.append((*about, "no search", None, *Measured.of_runs(without), None))
        for search in searches:
            values = [found[one.blueprint, search] for one in known]
            lower = sum(v < w for v, w in zip(values, without, strict=True))
            kind = search.opponent, depth_text(search.depth)
            rows.append((*about, *kind, *Measured.of_runs(values), lower))
    title = (
        f"Goofspiel with prizes in random order, networks of {setting.seeds} seeds: mean NashConv, "
        "half of the 95% confidence interval, and the number of seeds for which search lowers "
        f"NashConv.{without_networks()}"
    )
    columns = ("game", "learner steps", "opponent values", "depth", "mean", "±", "seeds improved")
    return Report((Table("random-order", title, columns, tuple(rows)),))


def _network(game: str, steps: int) -> Blueprint:
    return Blueprint(game, NETWORK, steps)


CRITIC = Experiment(
    "critic",
    "Values of a learned critic",
    critic_report,
    quick=CriticSetting((_network(LEDUC, 4000),), 1000, 2, (1, 2)),
    full=CriticSetting(
        (_network(LEDUC, 20_000), _network(goofspiel(5), 20_000)), 10_000, 3, (1, 2)
    ),
    quick_time="a minute",
    full_time="twenty minutes",
)

NOISE = Experiment(
    "noise",
    "Noise on the values of histories",
    noise_report,
    quick=NoiseSetting(Blueprint(goofspiel(4), "cfr", 40), (0.0, 0.05, 0.1, 0.2, 0.5), 5, 2),
    full=NoiseSetting(Blueprint(goofspiel(5), "cfr", 40), (0.0, 0.05, 0.1, 0.2, 0.5), 10, 2),
    quick_time="a few seconds",
    full_time="two minutes",
)

ITERATIONS = Experiment(
    "iterations",
    "Iterations of each search",
    iteration_report,
    quick=IterationSetting(Blueprint(LEDUC, "cfr", 200), (20, 100, 1000), 2),
    full=IterationSetting(_network(LEDUC, 20_000), (20, 30, 100, 300, 1000, 3000), 2),
    quick_time="a few seconds",
    full_time="a minute",
)

LEDUC_SETS: Final = ("identity", "constants", "all 22")
GOOFSPIEL_SETS: Final = ("identity", "identity and uniform", "1 to 15", "all 22")


def _cases(steps_leduc: int, steps_goofspiel: int) -> tuple[tuple[Blueprint, tuple[str, ...]], ...]:
    return (
        (_network(LEDUC, steps_leduc), LEDUC_SETS),
        (Blueprint(LEDUC, "cfr+", 2000), LEDUC_SETS),
        (_network(goofspiel(5), steps_goofspiel), GOOFSPIEL_SETS),
        (Blueprint(goofspiel(5), "cfr", 40), GOOFSPIEL_SETS),
    )


TRANSFORMATION_ABLATION = Experiment(
    "transformations",
    "Transformations at the depth limit",
    transformation_report,
    quick=TransformationSetting(_cases(4000, 4000), (1, 2)),
    full=TransformationSetting(_cases(20_000, 20_000), (1, 2)),
    quick_time="a minute",
    full_time="two minutes",
)

RANDOM_ORDER = Experiment(
    "random-order",
    "Goofspiel with prizes in random order, networks of several seeds",
    seed_report,
    quick=SeedSetting(((goofspiel(4, "random"), 1000, (1, 2)),), 5),
    full=SeedSetting(
        (
            (goofspiel(4, "random"), 10_000, (1, 2, None)),
            (goofspiel(5, "random"), 20_000, (1, 2)),
        ),
        5,
    ),
    quick_time="a minute",
    full_time="an hour; most of it for five cards",
)
