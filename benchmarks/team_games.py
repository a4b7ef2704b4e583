"""The default of `solve_team` against each of its parts, on two families of 50 random team games.

    python benchmarks/team_games.py            # writes benchmarks/results/team_games.csv
    python benchmarks/team_games.py --games 5  # the first games of each family only, printed

In signaling games agents see random types, send words and then act; in guessing games each acts
once without seeing what the others do, and payoffs are arbitrary. `exact` runs without the cap of
the default: up to ten million steps. The table has the payoff of each method, whether `exact`
proves its own optimal, and the upper bound that the default reports.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np

from infoset import solve_team
from infoset.teams import ProductForm, product_form_from_functions, team_optimum

RESULTS = Path(__file__).parent / "results" / "team_games.csv"
NUM_GAMES = 50
MAX_STEPS = 10_000_000
ROUNDING = 1e-9
COLUMNS = (
    *("family", "game", "nodes", "cells", "exact", "is_proved", "default", "upper_bound"),
    *("outcome", "hiding", "hedging", "responses", "steps", "seconds"),
)


class Sizes(NamedTuple):
    """Numbers of types of each agent, of words of each speaker, and of final actions."""

    types: tuple[int, ...]
    words: tuple[int, ...]
    actions: int


def random_sizes(rng: np.random.Generator) -> Sizes:
    """Return sizes of a game in which all agents but the last speak, and the last agent acts."""
    num_agents = int(rng.integers(2, 4))
    types = rng.integers(2, 13 if num_agents == 2 else 6, size=num_agents)
    words = rng.integers(2, 7 if num_agents == 2 else 4, size=num_agents - 1)
    return Sizes(tuple(types.tolist()), tuple(words.tolist()), int(rng.integers(2, 9)))


def signaling_game(seed: int) -> ProductForm:
    """Return a random signaling game: agents speak in order, and the last one acts.

    Types are independent; an agent sees its type and all words. The payoff depends on all types and
    on the last action. In every second game words also have costs, and in every third game most
    actions are penalized, so that agents who do not understand each other avoid them.
    """
    rng = np.random.default_rng(seed)
    sizes = random_sizes(rng)
    weights = [rng.dirichlet(np.ones(count)) for count in sizes.types]
    payoff = rng.uniform(0, 1, size=(*sizes.types, sizes.actions))
    if seed % 3 == 0:
        payoff = np.where(payoff < 0.7, -payoff, payoff)
        payoff[..., -1] = 0.0  # the action without risk
    cost = rng.uniform(0, 0.2 * (seed % 2), size=sizes.words)
    choices = (*sizes.words, sizes.actions)

    def reward(types: tuple[int, ...], actions: tuple[int, ...]) -> tuple[float, ...]:
        paid = float(payoff[(*types, actions[-1])] - cost[actions[:-1]])
        return (paid,) * len(sizes.types)

    return product_form_from_functions(
        {
            types: float(np.prod([weights[agent][kind] for agent, kind in enumerate(types)]))
            for types in product(*map(range, sizes.types))
        },
        agent_names=tuple(f"agent {agent}" for agent in range(len(sizes.types))),
        num_stages=len(choices),
        agent=lambda types, actions: len(actions) if len(actions) < len(choices) else None,
        legal_actions=lambda types, actions: tuple(range(choices[len(actions)])),
        information=lambda types, actions: (types[len(actions)], actions),
        reward=reward,
        private_signals=lambda types: types,
        name=f"signaling game {seed}",
    )


def guessing_game(seed: int) -> ProductForm:
    """Return a random game in which agents see their types, and each acts once.

    No agent sees what another one does. Each combination of types and actions has a payoff of its
    own, from −1 to 1.
    """
    rng = np.random.default_rng(seed)
    num_agents = 2 + seed % 2
    num_types, num_actions = (3, 4) if num_agents == 2 else (2, 3)
    weights = rng.dirichlet(np.ones(num_types), size=num_agents)
    payoff = rng.uniform(-1, 1, size=(*[num_types] * num_agents, *[num_actions] * num_agents))
    return product_form_from_functions(
        {
            types: float(np.prod(weights[np.arange(num_agents), types]))
            for types in product(range(num_types), repeat=num_agents)
        },
        agent_names=tuple(f"agent {agent}" for agent in range(num_agents)),
        num_stages=num_agents,
        agent=lambda types, actions: len(actions) if len(actions) < num_agents else None,
        legal_actions=lambda types, actions: tuple(range(num_actions)),
        information=lambda types, actions: types[len(actions)],
        reward=lambda types, actions: (float(payoff[(*types, *actions)]),) * num_agents,
        private_signals=lambda types: types,
        name=f"guessing game {seed}",
    )


FAMILIES = {"signaling": signaling_game, "guessing": guessing_game}


def results(num_games: int) -> Iterator[tuple[object, ...]]:
    """Yield a row of the table for each game."""
    for (family, make), seed in product(FAMILIES.items(), range(num_games)):
        form = make(seed)
        exact = team_optimum(form.information, max_steps=MAX_STEPS)
        default = solve_team(form)
        hiding = solve_team(form, "progressive-hiding")
        hedging = solve_team(form, "progressive-hedging")
        responses = solve_team(form, "iterated-best-response")
        yield (
            *(family, seed, form.num_nodes, form.information.num_cells),
            *(exact.value, exact.outcome == "optimal"),
            *(default.payoff, default.upper_bound, default.outcome),
            *(hiding.payoff, hedging.payoff, responses.payoff),
            *(exact.num_steps, round(default.seconds, 3)),
        )


def summary(rows: list[tuple[object, ...]]) -> str:
    """Return how often each method reaches the optimum, among the games that `exact` proves."""
    named = [dict(zip(COLUMNS, row, strict=True)) for row in rows]
    proved = [row for row in named if row["is_proved"]]
    lines = [f"{len(proved)} of {len(named)} games are proved by exact"]
    for method in ("default", "hiding", "hedging", "responses"):
        short = [row["exact"] - row[method] for row in proved]  # type: ignore[operator]
        worse = [amount for amount in short if amount > ROUNDING]
        lines.append(
            f"{method}: optimal in {len(proved) - len(worse)}, short by at most "
            f"{max(worse, default=0.0):.4f}"
        )
    open_gaps = [row["upper_bound"] - row["default"] for row in named if not row["is_proved"]]  # type: ignore[operator]
    lines.append(f"largest gap of the default elsewhere: {max(open_gaps, default=0.0):.4f}")
    return "\n".join(lines)


def main() -> None:
    """Run the games, and write the table if all of them ran."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=NUM_GAMES)
    num_games = parser.parse_args().games
    rows = []
    for row in results(num_games):
        rows.append(row)
        print(*row, file=sys.stderr, flush=True)
    for family in FAMILIES:
        print(f"{family}: {summary([row for row in rows if row[0] == family])}")
    if num_games == NUM_GAMES:
        with RESULTS.open("w", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([COLUMNS, *rows])


if __name__ == "__main__":
    main()
