"""Product forms defined directly by functions of outcomes and actions."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import NamedTuple, TypeAlias

import numpy as np

from infoset.errors import GameTooLargeError, ParameterError
from infoset.game import Probability
from infoset.teams.product_form.arrays import ProductArrays
from infoset.teams.product_form.cell_checks import check_cells
from infoset.teams.product_form.form import ProductForm
from infoset.typing import Action, FloatArray, IntArray, LongArray
from infoset.utils.arguments import (
    SUM_TOLERANCE,
    check_callable,
    check_count,
    check_number,
    check_type,
)
from infoset.utils.ragged import offsets

Actions: TypeAlias = tuple[Action, ...]
"""The actions so far, one per past stage."""


@dataclass(frozen=True)
class Rules:
    """The functions that define a game; the methods check the values that these return."""

    num_agents: int
    num_stages: int
    agent: Callable[[Hashable, Actions], int | None]
    legal_actions: Callable[[Hashable, Actions], Sequence[Action]]
    information: Callable[[Hashable, Actions], Hashable]
    reward: Callable[[Hashable, Actions], Sequence[float]]
    """As in `product_form_from_functions`."""

    def __post_init__(self) -> None:
        for name in ("agent", "legal_actions", "information", "reward"):
            check_callable(
                name, getattr(self, name), "a function of an outcome and the actions since then"
            )

    def who_acts(self, outcome: Hashable, actions: Actions) -> int | None:
        """Return the acting agent after a prefix; None if play is over."""
        agent = self.agent(outcome, actions)
        if agent is None:
            return None
        if isinstance(agent, bool) or agent not in range(self.num_agents):
            raise ParameterError(
                f"agent({outcome!r}, {actions!r}) is {agent!r}; it must be an agent from 0 to "
                f"{self.num_agents - 1}, or None if play is over"
            )
        if len(actions) == self.num_stages:
            raise ParameterError(
                f"play continues after {self.num_stages} actions: agent({outcome!r}, {actions!r}) "
                f"is {agent!r}; it must be None after the last stage, or num_stages must be larger"
            )
        return int(agent)

    def may_do(self, outcome: Hashable, actions: Actions) -> Actions:
        """Return the legal actions after a prefix."""
        legal = self.legal_actions(outcome, actions)
        is_list = isinstance(legal, Iterable) and not isinstance(legal, str)
        chosen = tuple(legal) if is_list else ()
        if not chosen or len(set(chosen)) < len(chosen):
            raise ParameterError(
                f"legal_actions({outcome!r}, {actions!r}) is {legal!r}; it must be a list or "
                "tuple of one or more distinct actions"
            )
        return chosen

    def knows(self, outcome: Hashable, actions: Actions) -> Hashable:
        """Return the information of the acting agent after a prefix."""
        known = self.information(outcome, actions)
        if not isinstance(known, Hashable):
            raise ParameterError(
                f"information({outcome!r}, {actions!r}) is {known!r}, which is not hashable; "
                "return text, numbers, or tuples of them"
            )
        return known

    def pays(self, outcome: Hashable, actions: Actions) -> Sequence[float]:
        """Return the payoffs of a play."""
        reward = self.reward(outcome, actions)
        if len(reward) != self.num_agents or not all(map(isfinite, reward)):
            raise ParameterError(
                f"reward({outcome!r}, {actions!r}) is {reward!r}; it must be a finite number for "
                f"each of {self.num_agents} agents"
            )
        return reward


class Pending(NamedTuple):
    """A node that has not been added yet."""

    outcome: int
    actions: Actions
    agent: int
    parent_edge: int


class Writer:
    """Lists the nodes of a game, stage by stage.

    Attributes
    ----------
    outcome, agent, action_set, cell, parent_edge : list[int]
        [N]
    child : list[int]
        [E]
    action_sets : dict[Actions, int]
        The distinct lists of legal actions, numbered in order.
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
        """Return the arrays; `chance` [W] has the probabilities of outcomes."""
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

    def _root(self, outcome: int) -> Pending:
        agent = self.rules.who_acts(self.outcomes[outcome], ())
        if agent is None:
            raise ParameterError(
                f"nobody acts after the outcome {self.outcomes[outcome]!r}; every play needs at "
                "least one action: give agent 0 a single action that does nothing"
            )
        return Pending(outcome, (), agent, -1)

    def _write_stage(self, prefixes: list[Pending]) -> list[Pending]:
        """Add the nodes of one stage, and return those of the next."""
        following: list[Pending] = []
        # The nodes of the next stage are numbered from here, before they are written.
        first = len(self.outcome) + len(prefixes)
        for prefix in prefixes:
            legal = self.rules.may_do(self.outcomes[prefix.outcome], prefix.actions)
            known = self.rules.knows(self.outcomes[prefix.outcome], prefix.actions)
            # Agents always know the stage and who they are.
            key = (len(prefix.actions), prefix.agent, known)
            self.cell.append(self._cells.setdefault(key, len(self._cells)))
            self.outcome.append(prefix.outcome)
            self.agent.append(prefix.agent)
            self.parent_edge.append(prefix.parent_edge)
            self.action_set.append(self.action_sets.setdefault(legal, len(self.action_sets)))
            for action in legal:
                self._write_edge(prefix, action, following, first)
        return following

    def _write_edge(
        self, prefix: Pending, action: Hashable, following: list[Pending], first: int
    ) -> None:
        outcome, actions = self.outcomes[prefix.outcome], (*prefix.actions, action)
        agent = self.rules.who_acts(outcome, actions)
        if agent is not None:
            following.append(Pending(prefix.outcome, actions, agent, len(self.child)))
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
                "allowed: use a smaller game, or give a larger max_nodes",
                {"nodes": total},
            )


MAX_NODES = 2_000_000


def product_form_from_functions(
    outcomes: Mapping[Hashable, Probability],
    *,
    agent_names: Sequence[str],
    num_stages: int,
    agent: Callable[[Hashable, Actions], int | None],
    legal_actions: Callable[[Hashable, Actions], Sequence[Action]],
    information: Callable[[Hashable, Actions], Hashable],
    reward: Callable[[Hashable, Actions], Sequence[float]],
    private_signals: Callable[[Hashable], Sequence[Hashable]] | None = None,
    name: str = "product form",
    max_nodes: int = MAX_NODES,
) -> ProductForm:
    """Return a game in product form that is defined by functions.

    The functions receive prefixes: an outcome of chance, and the actions so far, one per past
    stage.

    Parameters
    ----------
    outcomes
        Outcomes of chance and their probabilities.
    num_stages
        Maximum number of actions in a play.
    agent : callable
        Returns the number of the agent who acts after a prefix; None if play is over.
    legal_actions : callable
        Returns the legal actions of that agent.
    information : callable
        Returns the information of that agent, besides the stage and the agent's number: any
        hashable value.
    reward : callable
        Returns the payoffs of a complete play, one per agent.
    private_signals : callable, optional
        Function of an outcome that returns the private information of each agent; `reveal_private`
        needs it.
    max_nodes
        Maximum number of nodes.

    Raises
    ------
    ParameterError
        If a function returns an invalid value, probabilities do not sum to one, play continues
        after the last stage, or agents would not know their legal actions.
    GameTooLargeError
        If there are more than `max_nodes` nodes.

    Notes
    -----
    Source: Heymann and Lanctot (2025), Section 2. Differs from the paper: its functions take whole
    plays and must not depend on actions after the prefix; here they receive only the prefix.

    Examples
    --------
    Player 0 sees a coin and says one of two words; player 1 hears it and guesses.

    >>> form = product_form_from_functions(
    ...     {"heads": 0.5, "tails": 0.5},
    ...     agent_names=("Alice", "Bob"),
    ...     num_stages=2,
    ...     agent=lambda coin, actions: (0, 1, None)[len(actions)],
    ...     legal_actions=lambda coin, actions: ("heads", "tails"),
    ...     information=lambda coin, actions: actions[0] if actions else coin,
    ...     reward=lambda coin, actions: (1, 1) if actions[1] == coin else (0, 0),
    ... )
    >>> form.information.cell.tolist(), form.prefix_text(3)
    ([0, 1, 2, 3, 2, 3], 'outcome heads, then Alice: tails')
    """
    check_type("agent_names", agent_names, (tuple, list), 'the names of agents: ("Alice", "Bob")')
    check_count("the number of agents", len(agent_names), minimum=1)
    check_count("num_stages", num_stages, minimum=1)
    check_count("max_nodes", max_nodes, minimum=1)
    chance = _checked_chance(outcomes)
    names = tuple(map(str, agent_names))
    rules = Rules(len(names), num_stages, agent, legal_actions, information, reward)
    written = Writer(rules, tuple(outcomes), max_nodes)
    outcome = np.array(written.outcome, np.int64)
    form = ProductForm(
        name=name,
        agent_names=names,
        arrays=written.arrays(chance),
        outcomes=written.outcomes,
        outcome=outcome,
        action_sets=tuple(written.action_sets),
        action_set=np.array(written.action_set, np.int32),
        original=np.array(written.cell, np.int32),
        private_signal=_numbered_signals(private_signals, outcomes, outcome, len(names)),
    )
    check_cells(form.original, "original", form.arrays, form.action_set, form.prefix_text)
    return form


def _checked_chance(outcomes: Mapping[Hashable, Probability]) -> FloatArray:
    """Return [W] the probabilities of the outcomes."""
    check_type("outcomes", outcomes, Mapping, 'probabilities by outcome: {"heads": 0.5, ...}')
    for outcome, probability in outcomes.items():
        check_number(f"the probability of outcome {outcome!r}", probability)
        if not probability:
            raise ParameterError(f"outcome {outcome!r} has probability 0; leave it out of outcomes")
    total = sum(map(float, outcomes.values()))
    if abs(total - 1) > SUM_TOLERANCE:
        raise ParameterError(f"probabilities of outcomes sum to {total:g}; they must sum to 1")
    return np.array([*map(float, outcomes.values())])


def _numbered_signals(
    private_signals: Callable[[Hashable], Sequence[Hashable]] | None,
    outcomes: Iterable[Hashable],
    outcome: LongArray,
    num_agents: int,
) -> IntArray | None:
    """Return [N, P] the number of each agent's private signal; None without signals.

    outcome : [N] index of each node's outcome.
    """
    if private_signals is None:
        return None
    check_callable("private_signals", private_signals, "a function of an outcome")
    numbers: dict[Hashable, int] = {}
    table = []
    for each in outcomes:
        values = tuple(private_signals(each))
        if len(values) != num_agents:
            raise ParameterError(
                f"private_signals({each!r}) returns {len(values)} values; return one for each of "
                f"the {num_agents} agents, None if the agent has no signal"
            )
        table.append([numbers.setdefault(value, len(numbers)) for value in values])
    return np.array(table, np.int32)[outcome]
