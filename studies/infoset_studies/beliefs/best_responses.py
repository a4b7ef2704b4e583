"""Best responses to searchers: Tables 1 and 3, distances from equilibrium, settings of IS-MCTS."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any, Final, NamedTuple

from infoset.experiments.reports import Report, Table
from infoset.experiments.studies import Experiment, RunCells
from infoset.front import solve
from infoset_studies.beliefs.average_policies import Effort, PolicyCell, tree_of
from infoset_studies.beliefs.published import (
    ALGORITHMS,
    FITTED,
    GAMES,
    LABELS,
    LIKE_THE_PAPER,
    POSITIONS,
    PUBLIC_WEIGHTS,
    RESPONSES,
    Measured,
    Row,
    Rows,
    compared_sheet,
    weight_chart,
)

__all__ = [
    "DISTANCES",
    "EXPECTED",
    "FIRST_POSITION",
    "SECOND_POSITION",
    "TREE_SETTINGS",
    "Setting",
    "found_responses",
]

EXPECTED: Final[Rows] = dict(RESPONSES) | {
    row._replace(algorithm=FITTED): numbers
    for row, numbers in RESPONSES.items()
    if row.algorithm == "ismcts" and row.game == "LP"
}


class Setting(NamedTuple):
    """The rows of the table, the search effort, and the number of seeds.

    Attributes
    ----------
    position : int
        Position of the searcher.
    games : tuple[str, ...]
        Names of games in the tables.
    effort, fitted_effort : Effort
        Effort for the rows of the paper, and for the settings that fit them, which search longer.
    seeds : int
    algorithms : tuple[str, ...]
    """

    position: int
    games: tuple[str, ...]
    effort: Effort
    fitted_effort: Effort
    seeds: int
    algorithms: tuple[str, ...] = (*ALGORITHMS, FITTED)


def report(run: RunCells, setting: Setting) -> Report:
    """Search, respond, and compare with the paper."""
    found = found_responses(run, setting)
    number, where = (1, "first") if setting.position == 0 else (3, "second")
    table = compared_sheet(
        f"table-{number}",
        f"Table {number}: value of a best response to a searcher in the {where} position, in the "
        "game's units, by the weight of the public belief; smaller is better for the searcher.",
        PUBLIC_WEIGHTS,
        found,
        EXPECTED,
    )
    slugs = [(game, game.lower().replace(" ", "-")) for game in setting.games]
    charts = tuple(
        weight_chart(
            f"table-{number}-{slug}", game, "best response", PUBLIC_WEIGHTS, found, EXPECTED
        )
        for game, slug in slugs
    )
    return Report((table,), charts)


def found_responses(run: RunCells, setting: Setting) -> Mapping[Row, Sequence[Measured]]:
    """Return the best-response values by row and public weight."""
    rows = [
        row
        for row in EXPECTED
        if row.position == setting.position
        and row.game in setting.games
        and row.algorithm in setting.algorithms
    ]
    seeds = range(setting.seeds)
    cells = [
        _cell(row, public_weight, setting, seed)
        for row, public_weight, seed in product(rows, PUBLIC_WEIGHTS, seeds)
    ]
    values = iter([result["responses"][setting.position] for result in run(cells)])
    return {
        row: [Measured.of_runs([next(values) for _ in seeds]) for _ in PUBLIC_WEIGHTS]
        for row in rows
    }


def _cell(row: Row, public_weight: float, setting: Setting, seed: int) -> PolicyCell:
    game = GAMES[row.game].game
    if row.algorithm == FITTED:
        return PolicyCell(
            "ismcts", game, public_weight, setting.fitted_effort, seed, LIKE_THE_PAPER
        )
    return PolicyCell(row.algorithm, game, public_weight, setting.effort, seed)


QUICK: Final = (Effort(0.05, 20), Effort(0.05, 20))
FULL: Final = (Effort(0.01, 200), Effort(0.05, 20))
SETTLED = ("LD 2D", "LP")

FIRST_POSITION = Experiment(
    "best-responses-first",
    "Table 1: best responses to a searcher in the first position",
    report,
    quick=Setting(0, (*SETTLED, "LD 3D"), *QUICK, 2),
    full=Setting(0, (*SETTLED, "LD 3D"), *FULL, 3),
    quick_time="five minutes",
    full_time="two hours",
)

SECOND_POSITION = Experiment(
    "best-responses-second",
    "Table 3: best responses to a searcher in the second position",
    report,
    quick=Setting(1, SETTLED, *QUICK, 2),
    full=Setting(1, SETTLED, *FULL, 3),
    quick_time="as Table 1, whose cells it reuses",
    full_time="as Table 1",
)


class DistanceSetting(NamedTuple):
    """Games with a tree, public weights, and search effort."""

    games: tuple[str, ...]
    public_weights: tuple[float, ...]
    effort: Effort


def distance_report(run: RunCells, setting: DistanceSetting) -> Report:
    """Compare best-response values with the equilibrium value."""
    keys = list(product(setting.games, ALGORITHMS, setting.public_weights))
    cells = [
        PolicyCell(algorithm, game, public_weight, setting.effort, 0)
        for game, algorithm, public_weight in keys
    ]
    found = run(cells)
    value = {game: solve(tree_of(game), "lp").values[0] for game in setting.games}
    rows = []
    for (game, algorithm, public_weight), result in zip(keys, found, strict=True):
        first, second = result["responses"]
        gains = first + value[game], second - value[game]
        rows.append((game, LABELS[algorithm], public_weight, first, second, *gains, sum(gains) / 2))
    about = (
        "Value of a best response to a searcher in either position, its gain over the equilibrium "
        "value, and the mean of both gains, which is the exploitability."
    )
    columns = (
        "game",
        "searcher",
        "public weight",
        "response to first position",
        "response to second position",
        "loss in first position",
        "loss in second position",
        "exploitability",
    )
    return Report((Table("exploitability", about, columns, tuple(rows)),))


DISTANCES = Experiment(
    "exploitability",
    "Exploitability of searchers",
    distance_report,
    quick=DistanceSetting(("leduc_poker",), (0.0, 1.0), Effort(0.05, 20)),
    full=DistanceSetting(
        ("leduc_poker", "liars_dice(dice_sides=4)"), (0.0, 0.4, 1.0), Effort(0.01, 200)
    ),
    quick_time="a minute",
    full_time="five minutes, after Table 1",
)


VARIANTS: Final[tuple[tuple[str, tuple[tuple[str, Any], ...]], ...]] = (
    ("0.7 √(ln N / n), as OpenSpiel", ()),
    ("0.7 √(2 ln N / n)", (("bonus", "2ln"),)),
    ("0.2 √(ln N / n)", (("exploration", 0.2),)),
    ("2 √(ln N / n)", (("exploration", 2.0),)),
    ("5 √(ln N / n)", (("exploration", 5.0),)),
    ("returns divided by 13, the largest win", (("reward_scale", 13.0),)),
    ("20 rollouts per leaf", (("num_rollouts", 20),)),
    ("0.7 √(2 ln N / n), 20 rollouts per leaf", LIKE_THE_PAPER),
)


class TreeSetting(NamedTuple):
    """Games, public weights, and search effort.

    Attributes
    ----------
    games : tuple[str, ...]
        Names of games in the tables.
    public_weights : tuple[float, ...]
    effort : Effort
    """

    games: tuple[str, ...]
    public_weights: tuple[float, ...]
    effort: Effort


def tree_report(run: RunCells, setting: TreeSetting) -> Report:
    """Compare the best responses to each variant with those of the paper."""
    keys = list(product(setting.games, VARIANTS, setting.public_weights))
    cells = [
        PolicyCell("ismcts", GAMES[game].game, public_weight, setting.effort, 0, changes)
        for game, (_, changes), public_weight in keys
    ]
    found = {
        (game, label, public_weight): result["responses"]
        for (game, (label, _), public_weight), result in zip(keys, run(cells), strict=True)
    }
    places = list(product(range(len(POSITIONS)), setting.public_weights))
    rows: list[tuple[str | float | None, ...]] = []
    for game in setting.games:
        for label, _ in VARIANTS:
            rows.append(
                (
                    game,
                    label,
                    *(
                        found[game, label, public_weight][position]
                        for position, public_weight in places
                    ),
                )
            )
        published = [
            RESPONSES[Row("ismcts", game, position)][PUBLIC_WEIGHTS.index(public_weight)].mean
            for position, public_weight in places
        ]
        rows.append((game, "paper", *published))
    about = (
        "Value of a best response to IS-MCTS with 1000 simulations, by its settings, its position "
        "and the weight of the public belief."
    )
    columns = (
        "game",
        "bonus",
        *(f"{POSITIONS[position]}, {public_weight:g}" for position, public_weight in places),
    )
    return Report((Table("tree-search-settings", about, columns, tuple(rows)),))


TREE_SETTINGS = Experiment(
    "tree-search-settings",
    "Settings of IS-MCTS",
    tree_report,
    quick=TreeSetting(("LP",), (0.0, 0.5, 1.0), Effort(0.05, 20)),
    full=TreeSetting(("LP", "LD 2D"), (0.0, 0.5, 1.0), Effort(0.02, 50)),
    quick_time="three minutes",
    full_time="half an hour",
)
