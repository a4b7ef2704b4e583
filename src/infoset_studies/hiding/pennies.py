"""Cooperative matching pennies: the game in which learners get caught."""

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
from infoset_studies.hiding.hiding_cell import HidingCell, TeamGame, play

__all__ = ["PENNIES"]

SOLVED: Final = 0.95
"""The paper's: a run is a success if its policy earns more."""

EPISODES: Final = 400

Payoffs = tuple[float, float, float]
"""Of a right guess, a wrong one, and a pass."""


def noted_ftrl(rate: float, noise: float) -> LocalLearner:
    """Return FTRL as the notes measured it: π ∝ exp(η (b + Σ v)), the noise b multiplied too.

    Their equation has it outside, exp(b + η Σ v); only this has their numbers.
    """
    return entropic_ftrl(rate, rate * noise)


LEARNERS: Final[Mapping[str, LocalLearner]] = MappingProxyType(
    {
        "FTRL, η 2, σ 0.5": noted_ftrl(2.0, 0.5),
        "FTRL, η 0.5, σ 0.5": noted_ftrl(0.5, 0.5),
        "FTRL, η 0.5, σ 0.1": noted_ftrl(0.5, 0.1),
        "regret matching, σ 0.1": regret_matching(0.1),
        "regret matching, σ 0": regret_matching(0.0),
    }
)

BASELINES: Final = MappingProxyType(
    {"CFR, one player": "chance", "two agents": "agent", "beliefs": "posterior"}
)
"""By their names in the tables, how nodes are weighted where nothing is lent."""

GAMMAS: Final = (0.05, 0.2, 0.5, 1.0)

NOTED: Final[Mapping[tuple[Payoffs, str], tuple[float, ...]]] = MappingProxyType(
    {
        ((1, -1, 0), "FTRL, η 2, σ 0.5"): (0, 1.000, 1.000, 1.000, 1.000, 1.000),
        ((1, -2, 0), "FTRL, η 2, σ 0.5"): (0, 0.999, 1.000, 1.000, 1.000, 1.000),
        ((1, -10, 0), "FTRL, η 2, σ 0.5"): (0, 0.834, 0.973, 1.000, 1.000, 1.000),
        ((1, 0, 0.9), "FTRL, η 2, σ 0.5"): (0, 0.826, 1.000, 1.000, 1.000, 0.997),
        ((1, -1, 0), "FTRL, η 0.5, σ 0.5"): (0, 1.000, 0.804, 1.000, 1.000, 1.000),
        ((1, -2, 0), "FTRL, η 0.5, σ 0.5"): (0, 0.998, 0.762, 1.000, 1.000, 1.000),
        ((1, -10, 0), "FTRL, η 0.5, σ 0.1"): (0, 0.015, 0.087, 1.000, 1.000, 1.000),
        ((1, -1, 0), "regret matching, σ 0.1"): (0, 0.999, 0.687, 0.730, 0.813, 0.917),
        ((1, -2, 0), "regret matching, σ 0.1"): (0, 1.000, 0.637, 0.684, 0.792, 0.888),
        ((1, -10, 0), "regret matching, σ 0.1"): (0, 0.958, 0.586, 0.617, 0.706, 0.830),
        ((1, -2, 0), "regret matching, σ 0"): (0, 0, 0, 0, 0, 0),
    }
)
"""Successes of the prototype: of CFR of one player and of two agents, and of each penalty."""

FULL_SWEEPS: Final = MappingProxyType(
    {
        "current": (1.0, 1.0, 1.0, 1.0),
        "previous": (1.0, 1.0, 1.0, 1.0),
        "uniform": (0.0, 0.0, 0.0, 0.0),
        "two agents": (1.00, 0.98, 0.74, 0.42),
    }
)
"""Successes of the prototype where each iteration visits everything, by what a wrong guess pays."""

MISSES: Final = (-1.0, -2.0, -5.0, -10.0)
SWEEP_GAMMAS: Final = (0.05, 0.5, 2.0)


class Setting(NamedTuple):
    """How many runs, and how many where everything is visited."""

    runs: int
    sweeps: int


def team_game(payoffs: Payoffs, lent: str) -> TeamGame:
    """Return the game with some payoffs."""
    names = "win_reward", "miss_reward", "pass_reward"
    parameters = ",".join(f"{name}={value:g}" for name, value in zip(names, payoffs, strict=True))
    return TeamGame(f"cooperative_matching_pennies({parameters})", lent)


def report(run: RunCells, setting: Setting) -> Report:
    """Run all learners with all payoffs, and put what else is known of the game beside them."""
    return Report((_successes(run, setting), _sweeps(run, setting), _known(setting)))


def baseline_cell(payoffs: Payoffs, learner: LocalLearner, weighting: str, runs: int) -> HidingCell:
    """Return a learner that is lent nothing, on coins that are drawn."""
    scheme = HidingScheme(learner=learner, visits="outcome", weighting=weighting)
    return HidingCell(team_game(payoffs, "none"), scheme, EPISODES, runs)


def hiding_cell(payoffs: Payoffs, learner: LocalLearner, gamma: float, runs: int) -> HidingCell:
    """Return progressive hiding on coins that are drawn."""
    scheme = HidingScheme(
        learner=learner, penalty=gamma, visits="outcome", weighting="counterfactual", mixing=0.0
    )
    return HidingCell(team_game(payoffs, "recall"), scheme, EPISODES, runs)


def _successes(run: RunCells, setting: Setting) -> Table:
    cells = []
    for payoffs, name in NOTED:
        learner = LEARNERS[name]
        for weighting in BASELINES.values():
            cells.append(baseline_cell(payoffs, learner, weighting, setting.runs))
        for gamma in GAMMAS:
            cells.append(hiding_cell(payoffs, learner, gamma, setting.runs))
    found = iter(play(run, cells, setting.runs))
    columns = (*BASELINES, *(f"γ {gamma:g}" for gamma in GAMMAS))
    rows: list[tuple[str | float | None, ...]] = []
    for (payoffs, name), (alone, two, *hidden) in NOTED.items():
        about = (_payoff_text(payoffs), name)
        rows.append((*about, "ours", *(next(found).solved(SOLVED) for _ in columns)))
        rows.append((*about, "notes", alone, two, None, *hidden))
    return Table(
        "cmp-successes",
        f"Share of {setting.runs:,} runs whose policy earns more than {SOLVED} after {EPISODES} "
        "episodes, each of which draws the coin: with nothing lent, and by progressive hiding.",
        ("right, wrong, pass", "learner", "whose", *columns),
        tuple(rows),
    )


def _payoff_text(payoffs: Payoffs) -> str:
    return ", ".join(f"{payoff:g}" for payoff in payoffs)


def sweep_cell(miss: float, name: str, gamma: float, runs: int) -> HidingCell:
    """Return a learner that visits everything: with a projector, or as two agents."""
    learner = LEARNERS["FTRL, η 0.5, σ 0.5"]
    if name in BASELINES:
        scheme = HidingScheme(learner=learner, weighting=BASELINES[name])
        return HidingCell(team_game((1, miss, 0), "none"), scheme, EPISODES, runs)
    scheme = HidingScheme(learner=learner, projector=name, penalty=gamma)
    return HidingCell(team_game((1, miss, 0), "recall"), scheme, EPISODES, runs)


def _sweeps(run: RunCells, setting: Setting) -> Table:
    keys: list[tuple[str, float | None]] = [
        *product(("current", "previous", "uniform"), SWEEP_GAMMAS),
        ("two agents", None),
        ("beliefs", None),
    ]
    cells = [
        sweep_cell(miss, name, gamma or 0.0, setting.sweeps)
        for name, gamma in keys
        for miss in MISSES
    ]
    found = iter(play(run, cells, setting.sweeps))
    rows: list[tuple[str | float | None, ...]] = []
    for name, gamma in keys:
        rows.append((name, gamma, "ours", *(next(found).solved(SOLVED) for _ in MISSES)))
        if name in FULL_SWEEPS:
            rows.append((name, gamma, "notes", *FULL_SWEEPS[name]))
    return Table(
        "cmp-projectors",
        f"The same, where each of {EPISODES} iterations visits everything (FTRL, η 0.5, σ 0.5, "
        f"{setting.sweeps} runs), by projector, and by what a wrong guess pays.",
        ("projector, or nothing lent", "γ", "whose", *(f"wrong {miss:g}" for miss in MISSES)),
        tuple(rows),
    )


def _known(setting: Setting) -> Table:
    rows = []
    for payoffs in dict.fromkeys(payoffs for payoffs, _ in NOTED):
        information = team_game(payoffs, "none").form.information
        turns = iterated_best_response(information, restarts=setting.runs)
        solved = float((turns.values > SOLVED).mean())
        best, bound = team_optimum(information).value, recall_bound(information)
        rows.append((_payoff_text(payoffs), best, bound, solved))
    return Table(
        "cmp-known",
        f"The most that the team can win, the same if it remembered all, and the share of "
        f"{setting.runs:,} random starts from which agents who respond by turns get there.",
        ("right, wrong, pass", "optimum", "with recall", "by turns"),
        tuple(rows),
    )


PENNIES = Experiment(
    "cmp",
    "Cooperative matching pennies",
    report,
    quick=Setting(runs=100, sweeps=20),
    full=Setting(runs=1_000, sweeps=50),
    quick_time="half a minute",
    full_time="five minutes",
)
