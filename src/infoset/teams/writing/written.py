"""Writing down the nodes of a game, stage by stage."""

from __future__ import annotations

from collections.abc import Hashable
from typing import NamedTuple

import numpy as np

from infoset.errors import GameTooLargeError, ParameterError
from infoset.teams.product_form import ProductArrays
from infoset.teams.product_form.ragged import offsets
from infoset.teams.writing.rules import Actions, Rules
from infoset.typing import FloatArray

__all__ = ["Written"]


class Unwritten(NamedTuple):
    """A node that is not written down yet."""

    outcome: int
    actions: Actions
    agent: int
    parent_edge: int


class Written:
    """The nodes of a game, in order.

    Parameters
    ----------
    rules : Rules
    outcomes : tuple[Hashable, ...]
    max_nodes : int

    Attributes
    ----------
    outcome, agent, action_set, cell, parent_edge : list[int]
        [N]
    child : list[int]
        [E]
    action_sets : dict[Actions, int]
        The different lists of actions, in order.
    """

    def __init__(self, rules: Rules, outcomes: tuple[Hashable, ...], max_nodes: int) -> None:
        self.rules = rules
        self.outcomes = outcomes
        self.outcome: list[int] = []
        self.agent: list[int] = []
        self.action_set: list[int] = []
        self.cell: list[int] = []
        self.parent_edge: list[int] = []
        self.child: list[int] = []
        self.action_sets: dict[Actions, int] = {}
        self._cells: dict[tuple[int, int, Hashable], int] = {}
        self._stage_sizes: list[int] = []
        self._payoff_edge: list[int] = []
        self._payoff: list[tuple[float, ...]] = []
        prefixes = [self._root(number) for number in range(len(outcomes))]
        while prefixes:
            self._check_size(len(prefixes), max_nodes)
            prefixes = self._write_stage(prefixes)

    def arrays(self, chance: FloatArray) -> ProductArrays:
        """Return the arrays; `chance` [W] is that of the outcomes."""
        sizes = np.array([*map(len, self.action_sets)], np.int64)
        return ProductArrays(
            first_node=offsets(np.array(self._stage_sizes)),
            chance=chance[self.outcome],
            agent=np.array(self.agent, np.int32),
            first_edge=offsets(sizes[self.action_set]),
            child=np.array(self.child, np.int32),
            parent_edge=np.array(self.parent_edge, np.int64),
            payoff_edge=np.array(self._payoff_edge, np.int64),
            payoff=np.array(self._payoff, np.float64).reshape(-1, self.rules.num_agents),
        )

    def _root(self, outcome: int) -> Unwritten:
        agent = self.rules.who_acts(self.outcomes[outcome], ())
        if agent is None:
            raise ParameterError(
                f"nobody acts after the outcome {self.outcomes[outcome]!r}; every play has an "
                "action: let agent 0 have one that does nothing"
            )
        return Unwritten(outcome, (), agent, -1)

    def _write_stage(self, prefixes: list[Unwritten]) -> list[Unwritten]:
        """Write down the nodes of one stage, and return those of the next."""
        following: list[Unwritten] = []
        first = len(self.outcome) + len(prefixes)
        for prefix in prefixes:
            legal = self.rules.may_do(self.outcomes[prefix.outcome], prefix.actions)
            self._write_node(prefix, legal)
            for action in legal:
                self._write_edge(prefix, action, following, first)
        return following

    def _write_node(self, prefix: Unwritten, legal: Actions) -> None:
        known = self.rules.knows(self.outcomes[prefix.outcome], prefix.actions)
        key = (len(prefix.actions), prefix.agent, known)
        self.cell.append(self._cells.setdefault(key, len(self._cells)))
        self.outcome.append(prefix.outcome)
        self.agent.append(prefix.agent)
        self.parent_edge.append(prefix.parent_edge)
        self.action_set.append(self.action_sets.setdefault(legal, len(self.action_sets)))

    def _write_edge(
        self, prefix: Unwritten, action: Hashable, following: list[Unwritten], first: int
    ) -> None:
        outcome, actions = self.outcomes[prefix.outcome], (*prefix.actions, action)
        agent = self.rules.who_acts(outcome, actions)
        if agent is not None:
            following.append(Unwritten(prefix.outcome, actions, agent, len(self.child)))
            self.child.append(first + len(following) - 1)
            return
        paid = self.rules.pays(outcome, actions)
        if any(paid):
            self._payoff_edge.append(len(self.child))
            self._payoff.append(tuple(map(float, paid)))
        self.child.append(-1)

    def _check_size(self, num_nodes: int, max_nodes: int) -> None:
        self._stage_sizes.append(num_nodes)
        total = sum(self._stage_sizes)
        if total > max_nodes:
            stage = len(self._stage_sizes)
            raise GameTooLargeError(
                f"there are {total} nodes in the first {stage} stages; at most {max_nodes} are "
                "allowed: give a smaller game, or a larger max_nodes",
                {"nodes": total},
            )
