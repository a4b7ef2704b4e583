"""Random team games in product form with imperfect recall."""

from __future__ import annotations

from fractions import Fraction
from typing import Any
from zlib import crc32

import numpy as np

from infoset.teams import InformationMap, ProductForm, product_form_from_functions


def random_product_form(
    seed: int,
    *,
    num_agents: int = 2,
    num_stages: int = 3,
    num_outcomes: int = 3,
    max_actions: int = 2,
    num_signals: int = 2,
    is_common: bool = True,
) -> ProductForm:
    """Return a game with random signals of the agents at every prefix.

    The acting agent and its actions depend on the stage and the signal. Plays may end early.
    """

    def draw(*key: Any) -> np.random.Generator:
        return np.random.default_rng([seed, crc32(repr(key).encode())])

    def signal(outcome: int, actions: tuple[Any, ...]) -> int:
        return int(draw("signal", outcome, actions).integers(num_signals))

    def agent(outcome: int, actions: tuple[Any, ...]) -> int | None:
        is_over = len(actions) == num_stages
        if is_over or (actions and draw("end", outcome, actions).random() < 0.15):
            return None
        return int(draw("agent", len(actions), signal(outcome, actions)).integers(num_agents))

    def legal_actions(outcome: int, actions: tuple[Any, ...]) -> list[str]:
        known = len(actions), signal(outcome, actions)
        return list("abcd"[: int(draw("size", *known).integers(1, max_actions + 1))])

    def reward(outcome: int, actions: tuple[Any, ...]) -> list[float]:
        values = draw("reward", outcome, actions).integers(-2, 3, num_agents).tolist()
        return values[:1] * num_agents if is_common else values

    weights = draw("chance").integers(1, 4, num_outcomes).tolist()
    return product_form_from_functions(
        {number: Fraction(weight, sum(weights)) for number, weight in enumerate(weights)},
        agent_names=[f"agent {number}" for number in range(num_agents)],
        num_stages=num_stages,
        agent=agent,
        legal_actions=legal_actions,
        information=signal,
        reward=reward,
        private_signals=lambda outcome: [outcome % (number + 2) for number in range(num_agents)],
        name=f"random team game {seed}",
    )


def random_relaxation(form: ProductForm, rng: np.random.Generator, size: int = 2) -> InformationMap:
    """Return a map that divides each cell of the original into up to `size` parts."""
    parts = rng.integers(size, size=form.num_nodes)
    values = np.column_stack([form.original, parts]).tolist()
    return InformationMap.from_values(form, list(map(tuple, values)), "random")


def record(form: ProductForm, cell: Any, node: int, team: tuple[int, ...]) -> list[Any]:
    """Return a team's stages, cells and actions on the path to a node."""
    steps = []
    edge = int(form.arrays.parent_edge[node])
    while edge >= 0:
        above = int(form.node_of_edge[edge])
        if form.arrays.agent[above] in team:
            action = edge - int(form.arrays.first_edge[above])
            steps.append((int(form.stage[above]), int(cell[above]), action))
        edge = int(form.arrays.parent_edge[above])
    return steps[::-1]
