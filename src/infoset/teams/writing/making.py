"""Writing a game in product form down: the paper's tuple, as functions on prefixes."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence

import numpy as np

from infoset.errors import ParameterError
from infoset.game import Probability
from infoset.teams.information.checks import check_cells
from infoset.teams.product_form import ProductForm
from infoset.teams.writing.rules import Actions, Rules
from infoset.teams.writing.written import Written
from infoset.typing import Action, FloatArray, IntArray
from infoset.utils.arguments import (
    SUM_TOLERANCE,
    check_callable,
    check_count,
    check_number,
    check_type,
)

__all__ = ["make_product_form"]

MAX_NODES = 2_000_000


def make_product_form(
    outcomes: Mapping[Hashable, Probability],
    *,
    agent_names: Sequence[str],
    num_stages: int,
    agent: Callable[[Hashable, Actions], int | None],
    legal_actions: Callable[[Hashable, Actions], Sequence[Action]],
    information: Callable[[Hashable, Actions], Hashable],
    reward: Callable[[Hashable, Actions], Sequence[float]],
    shown: Callable[[Hashable], Sequence[Hashable]] | None = None,
    name: str = "product form",
    max_nodes: int = MAX_NODES,
) -> ProductForm:
    """Return a game that is written down in product form.

    The functions are asked of prefixes: an outcome of chance, and the actions so far, one for each
    stage that is over.

    Parameters
    ----------
    outcomes : Mapping[Hashable, Probability]
        The outcomes of chance, and their probabilities.
    agent_names : Sequence[str]
        One name for each agent.
    num_stages : int
        The most actions that there are in a play.
    agent : callable
        Who acts after a prefix, by number; None where play is over.
    legal_actions : callable
        What it may do.
    information : callable
        What it knows, besides the stage and who it is: any hashable value.
    reward : callable
        What each agent gets for a play, in the order of their names.
    shown : callable, optional
        Of an outcome, what each agent is shown alone; `reveal_private` needs it.
    name : str
    max_nodes : int
        Largest number of nodes allowed.

    Raises
    ------
    ParameterError
        If an answer is of the wrong kind, probabilities do not sum to one, play goes on after the
        last stage, or agents cannot know from `information` what they may do.
    GameTooLargeError
        If there are more nodes.

    Notes
    -----
    Source: Heymann and Lanctot (2025), Section 2. The paper's functions are on whole plays and
    must not depend on what comes after the prefix; here they are not told.

    Examples
    --------
    Player 0 sees a coin and says one of two words, player 1 hears it and guesses.

    >>> form = make_product_form(
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
    check_type("agent_names", agent_names, (tuple, list), 'a name for each: ("Alice", "Bob")')
    check_count("the number of agents", len(agent_names), minimum=1)
    check_count("num_stages", num_stages, minimum=1)
    check_count("max_nodes", max_nodes, minimum=1)
    chance = _checked_chance(outcomes)
    names = tuple(map(str, agent_names))
    rules = Rules(len(names), num_stages, agent, legal_actions, information, reward)
    written = Written(rules, tuple(outcomes), max_nodes)
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
        shown=None if shown is None else _shown_alone(shown, outcomes, len(names))[outcome],
    )
    check_cells(form, form.original, "original")
    return form


def _checked_chance(outcomes: Mapping[Hashable, Probability]) -> FloatArray:
    """Return [W] the probabilities of the outcomes."""
    check_type("outcomes", outcomes, Mapping, 'probabilities by outcome: {"heads": 0.5, ...}')
    for outcome, probability in outcomes.items():
        check_number(f"the probability of outcome {outcome!r}", probability)
        if not probability:
            raise ParameterError(f"outcome {outcome!r} has probability 0; leave it out")
    total = sum(map(float, outcomes.values()))
    if abs(total - 1) > SUM_TOLERANCE:
        raise ParameterError(f"probabilities of outcomes sum to {total:g}; they must sum to 1")
    return np.array([*map(float, outcomes.values())])


def _shown_alone(
    shown: Callable[[Hashable], Sequence[Hashable]],
    outcomes: Iterable[Hashable],
    num_agents: int,
) -> IntArray:
    """Return [W, P] a number for what each agent is shown alone of each outcome."""
    check_callable("shown", shown, "a function of an outcome")
    numbers: dict[Hashable, int] = {}
    rows = []
    for outcome in outcomes:
        values = tuple(shown(outcome))
        if len(values) != num_agents:
            raise ParameterError(
                f"shown({outcome!r}) has {len(values)} values; give one for each of "
                f"{num_agents} agents, None for nothing"
            )
        rows.append([numbers.setdefault(value, len(numbers)) for value in values])
    return np.array(rows, np.int32)
