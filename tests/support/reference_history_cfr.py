"""Reference CFR on histories: with future rewards on a game, with utilities on an extensive form.

The two sides of Theorem 4.1, independent of the library's kernels.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable
from dataclasses import dataclass, field
from itertools import product

import numpy as np

from infoset.efg import ExtensiveForm
from infoset.game import Game, History, initial_history

ROUNDING = 1e-11
"""Regrets below it are taken for zero: at zero, regret matching jumps, and rounding decides."""


@dataclass
class Table:
    """Regrets, counterfactual values and reaches by information set."""

    regret: dict[Hashable, np.ndarray] = field(default_factory=dict)
    policy: dict[Hashable, np.ndarray] = field(default_factory=dict)
    counterfactual: dict[Hashable, np.ndarray] = field(default_factory=dict)
    value: dict[Hashable, float] = field(default_factory=lambda: defaultdict(float))
    reward_term: dict[Hashable, float] = field(default_factory=lambda: defaultdict(float))
    reach: dict[Hashable, float] = field(default_factory=lambda: defaultdict(float))

    def act(self, key: Hashable, num_actions: int) -> np.ndarray:
        return self.policy.setdefault(key, np.full(num_actions, 1 / num_actions))

    def add(self, key: Hashable, reach: float, values: np.ndarray, value: float, paid: float):
        self.counterfactual[key] = self.counterfactual.get(key, 0) + reach * values
        self.value[key] += reach * value
        self.reach[key] += reach
        self.reward_term[key] += reach * paid

    def forget(self) -> None:
        self.counterfactual = {}
        for sums in (self.value, self.reward_term, self.reach):
            sums.clear()

    def match_regrets(self) -> None:
        for key, values in self.counterfactual.items():
            regret = self.regret.get(key, 0) + values - self.value[key]
            positive = np.where(regret > ROUNDING, regret, 0)
            uniform = np.full(len(regret), 1 / len(regret))
            self.regret[key] = regret
            self.policy[key] = positive / positive.sum() if positive.any() else uniform


def iterate_game(game: Game, table: Table) -> None:
    """Run one iteration of CFR on a game, by expected future rewards (Section 4.2)."""
    table.forget()
    _walk_game(initial_history(game), table, np.ones(game.num_players), 1.0)
    table.match_regrets()


def _walk_game(history: History, table: Table, reach: np.ndarray, chance: float) -> np.ndarray:
    """Return [N] the expected future rewards at a history."""
    num_players = len(reach)
    if history.is_terminal:
        return np.zeros(num_players)
    legal = [history.legal_actions(p) or (None,) for p in range(num_players)]
    shares = [
        table.act(history.infostates[p], len(legal[p])) if p in history.actors else np.ones(1)
        for p in range(num_players)
    ]
    value = np.zeros(num_players)
    action_value = [np.zeros(len(options)) for options in legal]
    for choice in product(*(range(len(options)) for options in legal)):
        joint = tuple(options[k] for options, k in zip(legal, choice, strict=True))
        probabilities = np.array([share[k] for share, k in zip(shares, choice, strict=True)])
        after = np.zeros(num_players)
        for world, probability in history.game.transitions(history.world, joint):
            if probability == 0:
                continue
            below = history.extend(joint, world)
            paid = np.array(below.rewards_so_far, float) - np.array(history.rewards_so_far, float)
            future = _walk_game(below, table, reach * probabilities, chance * float(probability))
            after += float(probability) * (paid + future)
        value += probabilities.prod() * after
        for p in range(num_players):
            others = np.delete(probabilities, p).prod()
            action_value[p][choice[p]] += others * after[p]
    for p in history.actors:
        others = chance * np.delete(reach, p).prod()
        paid = float(history.rewards_so_far[p])
        table.add(history.infostates[p], others, action_value[p], value[p], paid)
    return value


def iterate_form(form: ExtensiveForm, table: Table) -> None:
    """Run one iteration of CFR on an extensive form, by utilities at terminal histories."""
    table.forget()
    _walk_form(form, 0, table, np.ones(form.num_players), 1.0)
    table.match_regrets()


def _walk_form(
    form: ExtensiveForm, history: int, table: Table, reach: np.ndarray, chance: float
) -> np.ndarray:
    """Return [N] the expected utilities given a history."""
    children = range(form.first_child[history], form.first_child[history + 1])
    if not children:
        return form.utility[history]
    actor = int(form.actor[history])
    if actor < 0:
        probabilities = form.chance_probability[children.start : children.stop]
        return sum(
            p * _walk_form(form, child, table, reach, chance * p)
            for p, child in zip(probabilities, children, strict=True)
        )
    key = (actor, int(form.infoset[history, actor]))
    share = table.act(key, len(children))
    values = []
    for p, child in zip(share, children, strict=True):
        below = reach.copy()
        below[actor] *= p
        values.append(_walk_form(form, child, table, below, chance))
    value = share @ np.array(values)
    others = chance * np.delete(reach, actor).prod()
    table.add(key, others, np.array(values)[:, actor], value[actor], 0.0)
    return value
