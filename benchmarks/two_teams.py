"""Compare the policies of two opposing learning teams with the value of their game.

    python -m pip install -e '.[test]'
    python benchmarks/two_teams.py            # print
    python benchmarks/two_teams.py --write    # also update docs/teams/two_teams.md

The value is that of teams with a private coin toss before play (team-maxmin with a coordination
device). A double oracle finds it: a linear program computes the optimal mixtures of a few joint
plans per team, and each team adds its best joint plan against the mixture of the other, until no
plan improves.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from report import DOCS, replace_part, table
from scipy.optimize import linprog

from infoset.games import load_game
from infoset.teams import (
    HidingScheme,
    InformationMap,
    PenaltySchedule,
    ProductForm,
    ProgressiveHiding,
    Team,
    build_product_form,
    expected_payoffs,
    geometric_penalty,
    get_relaxation,
    merge_outcomes,
    regret_matching_plus,
    relax,
    team_optimum,
)
from infoset.teams.exact.optimum import optimize
from infoset.teams.exact.team_problem import pose_problem
from infoset.typing import FloatArray

PAGE = DOCS / "teams" / "two_teams.md"
SEEDS = range(10)
ITERATIONS = 2000
TOLERANCE = 1e-9

Sides = tuple[Team, Team]


class Duel(NamedTuple):
    """A game and its two teams."""

    game: str
    sides: Sides


class Row(NamedTuple):
    """Settings of learning: the relaxation of both teams, the weighting, and the penalty."""

    relaxation: str
    weighting: str
    penalty: PenaltySchedule | float
    shown: str


class Value(NamedTuple):
    """Value of the game for the first team, and the numbers of joint plans that prove it."""

    value: float
    num_plans: tuple[int, int]


DUELS = (
    Duel("kuhn_poker(players=3)", ((0, 1), (2,))),
    Duel("kuhn_poker(players=3)", ((0, 2), (1,))),
    Duel("kuhn_poker(players=3)", ((1, 2), (0,))),
    Duel("kuhn_poker(players=4)", ((0, 2), (1, 3))),
    Duel("kuhn_poker(players=4)", ((0, 1), (2, 3))),
)
ROWS = (
    Row("none", "agent", 0.0, "-"),
    Row("none", "counterfactual", 0.0, "-"),
    Row("closure", "counterfactual", 1.0, "1"),
    Row("recall", "counterfactual", 0.1, "0.1"),
    Row("recall", "counterfactual", 1.0, "1"),
    Row("recall", "counterfactual", geometric_penalty(0.1, 10.0, ITERATIONS), "0.1 to 10"),
)


def game_value(information: InformationMap, sides: Sides) -> Value:
    """Return the value for the first of two teams, each with a private coin toss."""
    uniform = np.repeat(1 / information.num_actions, information.num_actions)
    plans: tuple[list[FloatArray], list[FloatArray]] = ([], [])
    plans[0].append(_best_plan(information, sides[0], [uniform], np.ones(1)))
    plans[1].append(_best_plan(information, sides[1], plans[0], np.ones(1)))
    paid = np.array([[_paid(information, sides, plans[0][0], plans[1][0])]])
    while True:
        value, mixtures = _solve(paid)
        first = _best_plan(information, sides[0], plans[1], mixtures[1])
        second = _best_plan(information, sides[1], plans[0], mixtures[0])
        column = np.array([_paid(information, sides, plan, second) for plan in plans[0]])
        row = np.array([_paid(information, sides, first, plan) for plan in plans[1]])
        if row @ mixtures[1] - mixtures[0] @ column < TOLERANCE:
            return Value(value, (len(plans[0]), len(plans[1])))
        corner = _paid(information, sides, first, second)
        paid = np.block([[paid, column[:, None]], [row[None], np.array([[corner]])]])
        plans[0].append(first)
        plans[1].append(second)


def _best_plan(
    information: InformationMap, team: Team, against: Sequence[FloatArray], mixture: FloatArray
) -> FloatArray:
    """Return the best joint plan of a team against a mixture of the other."""
    problems = [pose_problem(information, team, plan, "sum") for plan in against]
    gain = sum(share * problem.tree.gain for share, problem in zip(mixture, problems, strict=True))
    mixed = replace(problems[0], tree=problems[0].tree._replace(gain=np.asarray(gain)))
    return optimize(mixed).probability


def _paid(
    information: InformationMap, sides: Sides, first: FloatArray, second: FloatArray
) -> float:
    """Return the payoff of the first team if each team plays its part of a policy."""
    is_first = np.isin(information.agent, sides[0])
    policy = np.where(np.repeat(is_first, information.num_actions), first, second)
    return float(expected_payoffs(information, policy)[list(sides[0])].sum())


def _solve(paid: FloatArray) -> tuple[float, tuple[FloatArray, FloatArray]]:
    """Return the value of a matrix game, and optimal mixtures of rows and columns."""
    num_rows, num_columns = paid.shape
    found = linprog(
        np.append(np.zeros(num_rows), -1.0),
        A_ub=np.column_stack([-paid.T, np.ones(num_columns)]),
        b_ub=np.zeros(num_columns),
        A_eq=np.append(np.ones(num_rows), 0.0)[None],
        b_eq=np.ones(1),
        bounds=[(0, None)] * num_rows + [(None, None)],
    )
    columns = np.maximum(-found.ineqlin.marginals, 0)
    return -float(found.fun), (found.x[:-1], columns / columns.sum())


def shortfalls(
    information: InformationMap, sides: Sides, value: float, policy: FloatArray
) -> FloatArray:
    """Return [2] the value minus the security level of each team's part of a policy."""
    against = [team_optimum(information, side, others=policy, rule="sum").value for side in sides]
    return np.array([value + against[1], -value + against[0]])


def learn(
    form: ProductForm, sides: Sides, row: Row, seed: int, iterations: int
) -> tuple[FloatArray, FloatArray]:
    """Return the last projected policy, and the mean over the second half of the run."""
    maps = [get_relaxation(row.relaxation).relax(form.information, side) for side in sides]
    scheme = HidingScheme(regret_matching_plus(), penalty=row.penalty, weighting=row.weighting)
    hiding = ProgressiveHiding(relax(form, maps, sides, rule="sum"), scheme, seed=seed)
    hiding.run(iterations // 2)
    late = iterations - iterations // 2
    total = np.zeros(form.information.num_entries)
    for _ in range(late):
        hiding.run(1)
        total += hiding.policy()
    return hiding.policy(), total / late


def measure(duel: Duel, rows: Sequence[Row], seeds: Sequence[int], iterations: int) -> FloatArray:
    """Return [rows, seeds, 2, 2] the shortfalls, by last and mean policy and by team."""
    form = merge_outcomes(build_product_form(load_game(duel.game)))
    information = form.information
    value = game_value(information, duel.sides).value
    found = [
        [
            shortfalls(information, duel.sides, value, policy)
            for policy in learn(form, duel.sides, row, seed, iterations)
        ]
        for row in rows
        for seed in seeds
    ]
    return np.array(found).reshape(len(rows), len(seeds), 2, 2)


def values_table() -> str:
    """Return the table of values."""
    lines = []
    for duel in DUELS:
        form = merge_outcomes(build_product_form(load_game(duel.game)))
        found = game_value(form.information, duel.sides)
        plans = " and ".join(map(str, found.num_plans))
        nodes = f"{form.num_nodes:,}"
        lines.append((duel.game, _who(duel.sides), nodes, plans, f"{found.value:.6f}"))
    return table(("game", "sides", "nodes", "plans", "value for the first side"), lines)


def learning_table() -> str:
    """Return the table of the sums of both shortfalls: of the last and of the mean policies."""
    columns = []
    for duel in DUELS:
        sums = measure(duel, ROWS, SEEDS, ITERATIONS).sum(axis=3).mean(axis=1)
        columns.append([f"{last:.3f}, {mean:.3f}" for last, mean in sums])
    header = ("relaxation", "weights", "γ", *(_who(duel.sides) for duel in DUELS))
    lines = [
        (f"`{row.relaxation}`", f"`{row.weighting}`", row.shown, *found)
        for row, *found in zip(ROWS, *columns, strict=True)
    ]
    return table(header, lines)


def _who(sides: Sides) -> str:
    first, second = (", ".join(map(str, side)) for side in sides)
    return f"{first} against {second}"


def main() -> None:
    """Print the tables, and update the page if requested."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--write", action="store_true", help=f"also write {PAGE.name}")
    wants_page = parser.parse_args().write
    parts = {
        "two_teams.py, values": values_table(),
        "two_teams.py, learning": learning_table(),
    }
    for maker, part in parts.items():
        print(part, end="\n\n")
        if wants_page:
            page = PAGE.read_text(encoding="utf-8")
            PAGE.write_text(replace_part(page, maker, part), encoding="utf-8")


if __name__ == "__main__":
    main()
