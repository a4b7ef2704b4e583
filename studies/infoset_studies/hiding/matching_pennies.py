"""Cooperative matching pennies, the game in which single-agent learners are trapped."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from types import MappingProxyType
from typing import Final, NamedTuple

from infoset.experiments.reports import Report, Table
from infoset.experiments.studies import Experiment, RunCells
from infoset.teams import (
    HidingScheme,
    LocalLearner,
    entropic_ftrl,
    iterated_best_response,
    recall_bound,
    regret_matching,
    team_optimum,
)
from infoset_studies.hiding.team_cells import HidingCell, TeamGame, play
from infoset_studies.published_numbers import number, read_rows

__all__ = ["MATCHING_PENNIES"]

SOLVED: Final = 0.95
"""A run is successful if its policy earns more than this, as in the paper."""

EPISODES: Final = 400

Payoffs = tuple[float, float, float]
"""Payoffs of a right guess, a wrong guess, and a pass."""


def prototype_ftrl(rate: float, noise: float) -> LocalLearner:
    """Return the FTRL of the reference prototype: π ∝ exp(η (b + Σ v)), with η on the noise b too.

    `entropic_ftrl` adds the noise outside, exp(b + η Σ v).
    """
    return entropic_ftrl(rate, rate * noise)


LEARNERS: Final[Mapping[str, LocalLearner]] = MappingProxyType(
    {
        "FTRL, η 2, σ 0.5": prototype_ftrl(2.0, 0.5),
        "FTRL, η 0.5, σ 0.5": prototype_ftrl(0.5, 0.5),
        "FTRL, η 0.5, σ 0.1": prototype_ftrl(0.5, 0.1),
        "regret matching, σ 0.1": regret_matching(0.1),
        "regret matching, σ 0": regret_matching(0.0),
    }
)

BASELINES: Final = MappingProxyType(
    {"CFR, one player": "chance", "two agents": "agent", "beliefs": "posterior"}
)
"""Weighting of nodes without a relaxation, by the name of the baseline in the tables."""

PENALTIES: Final = (0.05, 0.2, 0.5, 1.0)

EXPECTED: Final[Mapping[tuple[Payoffs, str], tuple[float, ...]]] = MappingProxyType(
    {
        (
            (number(row["right"]), number(row["wrong"]), number(row["pass"])),
            row["learner"],
        ): tuple(map(number, list(row.values())[4:]))
        for row in read_rows("matching_pennies")
    }
)
"""Success rates of the prototype: CFR of one player, two agents, and each penalty."""

EXPECTED_SWEEPS: Final[Mapping[str, tuple[float, ...]]] = MappingProxyType(
    {
        row.pop("projector"): tuple(map(number, row.values()))
        for row in read_rows("matching_pennies_projectors")
    }
)
"""Success rates of the prototype with full sweeps, by the payoff of a wrong guess."""

MISSES: Final = (-1.0, -2.0, -5.0, -10.0)
SWEEP_PENALTIES: Final = (0.05, 0.5, 2.0)


class Setting(NamedTuple):
    """The number of runs with sampled visits, and with full sweeps."""

    runs: int
    sweeps: int


def team_game(payoffs: Payoffs, relaxation: str) -> TeamGame:
    """Return the game with the given payoffs."""
    names = "win_reward", "miss_reward", "pass_reward"
    parameters = ",".join(f"{name}={value:g}" for name, value in zip(names, payoffs, strict=True))
    return TeamGame(f"cooperative_matching_pennies({parameters})", relaxation)


def report(run: RunCells, setting: Setting) -> Report:
    """Run all learners with all payoffs, and compare with the known numbers of the game."""
    return Report((_successes(run, setting), _sweeps(run, setting), _known(setting)))


def baseline_cell(payoffs: Payoffs, learner: LocalLearner, weighting: str, runs: int) -> HidingCell:
    """Return the cell of a learner without a relaxation, with sampled coins."""
    scheme = HidingScheme(learner=learner, visits="outcome", weighting=weighting)
    return HidingCell(team_game(payoffs, "none"), scheme, EPISODES, runs)


def hiding_cell(payoffs: Payoffs, learner: LocalLearner, penalty: float, runs: int) -> HidingCell:
    """Return the cell of progressive hiding, with sampled coins."""
    scheme = HidingScheme(
        learner=learner, penalty=penalty, visits="outcome", weighting="counterfactual", mixing=0.0
    )
    return HidingCell(team_game(payoffs, "recall"), scheme, EPISODES, runs)


def _successes(run: RunCells, setting: Setting) -> Table:
    cells = []
    for payoffs, name in EXPECTED:
        learner = LEARNERS[name]
        for weighting in BASELINES.values():
            cells.append(baseline_cell(payoffs, learner, weighting, setting.runs))
        for penalty in PENALTIES:
            cells.append(hiding_cell(payoffs, learner, penalty, setting.runs))
    found = iter(play(run, cells, setting.runs))
    columns = (*BASELINES, *(f"γ {penalty:g}" for penalty in PENALTIES))
    rows: list[tuple[str | float | None, ...]] = []
    for (payoffs, name), (alone, two, *hidden) in EXPECTED.items():
        about = (_payoff_text(payoffs), name)
        rows.append((*about, "measured", *(next(found).solved(SOLVED) for _ in columns)))
        rows.append((*about, "prototype", alone, two, None, *hidden))
    return Table(
        "pennies-successes",
        f"Fraction of {setting.runs:,} runs whose policy earns more than {SOLVED} after {EPISODES} "
        "episodes, each with a sampled coin: without a relaxation, and with progressive hiding.",
        ("right, wrong, pass", "learner", "source", *columns),
        tuple(rows),
    )


def _payoff_text(payoffs: Payoffs) -> str:
    return ", ".join(f"{payoff:g}" for payoff in payoffs)


def sweep_cell(miss: float, name: str, penalty: float, runs: int) -> HidingCell:
    """Return the cell of a learner with full sweeps; `name` is a projector or a baseline."""
    learner = LEARNERS["FTRL, η 0.5, σ 0.5"]
    if name in BASELINES:
        scheme = HidingScheme(learner=learner, weighting=BASELINES[name])
        return HidingCell(team_game((1, miss, 0), "none"), scheme, EPISODES, runs)
    scheme = HidingScheme(learner=learner, projector=name, penalty=penalty)
    return HidingCell(team_game((1, miss, 0), "recall"), scheme, EPISODES, runs)


def _sweeps(run: RunCells, setting: Setting) -> Table:
    keys: list[tuple[str, float | None]] = [
        *product(("current", "previous", "uniform"), SWEEP_PENALTIES),
        ("two agents", None),
        ("beliefs", None),
    ]
    cells = [
        sweep_cell(miss, name, penalty or 0.0, setting.sweeps)
        for name, penalty in keys
        for miss in MISSES
    ]
    found = iter(play(run, cells, setting.sweeps))
    rows: list[tuple[str | float | None, ...]] = []
    for name, penalty in keys:
        rows.append((name, penalty, "measured", *(next(found).solved(SOLVED) for _ in MISSES)))
        if name in EXPECTED_SWEEPS:
            rows.append((name, penalty, "prototype", *EXPECTED_SWEEPS[name]))
    return Table(
        "pennies-projectors",
        f"The same, where each of {EPISODES} iterations is a full sweep (FTRL, η 0.5, σ 0.5, "
        f"{setting.sweeps} runs), by projector and by the payoff of a wrong guess.",
        ("projector or baseline", "γ", "source", *(f"wrong {miss:g}" for miss in MISSES)),
        tuple(rows),
    )


def _known(setting: Setting) -> Table:
    rows = []
    for payoffs in dict.fromkeys(payoffs for payoffs, _ in EXPECTED):
        information = team_game(payoffs, "none").form.information
        iterated = iterated_best_response(information, restarts=setting.runs)
        solved = float((iterated.values > SOLVED).mean())
        best, bound = team_optimum(information).value, recall_bound(information)
        rows.append((_payoff_text(payoffs), best, bound, solved))
    return Table(
        "pennies-known",
        f"The optimum of the team, its bound with perfect recall, and the fraction of "
        f"{setting.runs:,} random starts from which iterated best response reaches the optimum.",
        ("right, wrong, pass", "optimum", "with recall", "iterated best response"),
        tuple(rows),
    )


MATCHING_PENNIES = Experiment(
    "matching-pennies",
    "Cooperative matching pennies",
    report,
    quick=Setting(runs=100, sweeps=20),
    full=Setting(runs=1_000, sweeps=50),
    quick_time="half a minute",
    full_time="five minutes",
)
