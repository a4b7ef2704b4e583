"""Small random team games, and their best pure policies by enumeration."""

from __future__ import annotations

from itertools import product

import numpy as np

from infoset.teams import product_form_from_functions, team_payoff

MOST_PROFILES = 1 << 13


def random_team_game(rng, num_agents=2, num_stages=3, num_outcomes=4, is_common=True):
    """Return a random product form; agents observe parts of the outcome and of the actions.

    Plays may end early, and agents may have imperfect recall.
    """
    turn = rng.integers(num_agents, size=num_stages)
    num_actions = rng.integers(1, 4, size=num_stages)
    seen_of_outcome = rng.integers(2, size=(num_stages, num_outcomes))
    sees_action = rng.random((num_stages, num_stages)) < 0.5
    ends = {}
    rewards = {}

    def agent(outcome, actions):
        stage = len(actions)
        if stage == num_stages or (
            stage and ends.setdefault((outcome, actions), rng.random() < 0.15)
        ):
            return None
        return int(turn[stage])

    def information(outcome, actions):
        stage = len(actions)
        seen = [a for a, sees in zip(actions, sees_action[stage], strict=False) if sees]
        return int(seen_of_outcome[stage, outcome]), tuple(seen)

    def reward(outcome, actions):
        size = 1 if is_common else num_agents
        values = rewards.setdefault((outcome, actions), rng.integers(-5, 6, size=size).tolist())
        return values * (num_agents // size)

    return product_form_from_functions(
        dict(enumerate(rng.dirichlet(np.ones(num_outcomes)).tolist())),
        agent_names=tuple(f"agent {number}" for number in range(num_agents)),
        num_stages=num_stages,
        agent=agent,
        legal_actions=lambda outcome, actions: tuple(range(num_actions[len(actions)])),
        information=information,
        reward=reward,
    )


def num_profiles(information, team):
    """Return the number of pure policies of a team."""
    return int(
        np.prod(
            [
                float(n)
                for n, a in zip(information.num_actions, information.agent, strict=True)
                if a in team
            ]
        )
    )


def values_of_pure_policies(information, team, others=None, rule="common"):
    """Return the payoff of each pure policy of a team, by one walk for all of them."""
    form, arrays = information.form, information.form.arrays
    options = [
        range(count) if agent in team else (0,)
        for count, agent in zip(
            information.num_actions.tolist(), information.agent.tolist(), strict=True
        )
    ]
    profiles = np.array(list(product(*options)))
    payoff = dict(
        zip(arrays.payoff_edge.tolist(), team_payoff(form, team, rule).tolist(), strict=True)
    )
    reach = {}
    values = np.zeros(len(profiles))
    for node in range(form.num_nodes):
        cell, above = information.cell[node], int(arrays.parent_edge[node])
        before = np.full(len(profiles), arrays.chance[node]) if above < 0 else reach[above]
        first = int(arrays.first_edge[node])
        for edge in range(first, int(arrays.first_edge[node + 1])):
            if arrays.agent[node] in team:
                reach[edge] = before * (profiles[:, cell] == edge - first)
            else:
                reach[edge] = before * others[information.first_entry[cell] + edge - first]
            values += reach[edge] * payoff.get(edge, 0.0)
    return values
