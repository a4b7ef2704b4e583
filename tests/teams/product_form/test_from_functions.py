"""Product forms from functions have the same arrays as those from rules."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from infoset.errors import GameTooLargeError, ParameterError
from infoset.games import load_game
from infoset.teams import (
    build_product_form,
    forget_own_actions,
    product_form_from_functions,
    reveal_private,
)

COINS = {"heads": 0.5, "tails": 0.5}
RULES = {
    "agent_names": ("Alice", "Bob"),
    "num_stages": 2,
    "agent": lambda coin, actions: (0, 1, None)[len(actions)],
    "legal_actions": lambda coin, actions: (
        ("heads", "tails", "pass") if actions else ("heads", "tails")
    ),
    "information": lambda coin, actions: actions[0] if actions else coin,
    "reward": lambda coin, actions: (
        (0, 0) if actions[1] == "pass" else (1, 1) if actions[1] == coin else (-2, -2)
    ),
}


def same_form(first, second):
    for one, other in zip(first.arrays, second.arrays, strict=True):
        np.testing.assert_array_equal(one, other)
        assert one.dtype == other.dtype
    np.testing.assert_array_equal(first.original, second.original)
    actions = [
        [form.legal_actions(node) for node in range(form.num_nodes)] for form in (first, second)
    ]
    assert actions[0] == actions[1]


def test_matching_pennies_by_functions_agrees_with_the_rules():
    written = product_form_from_functions(COINS, **RULES, private_signals=lambda coin: (coin, None))
    made = build_product_form(load_game("cooperative_matching_pennies"))
    same_form(written, made)
    cells = [reveal_private(form.information, (0, 1)).cell for form in (written, made)]
    np.testing.assert_array_equal(*cells)
    assert written.prefix_text(5) == "outcome tails, then Alice: tails"


def trade(count, has_early_end=False):
    """Trade comm as in the paper: agents forget their own messages."""
    items = [(first, second) for first in range(count) for second in range(count)]
    offers = [f"{give}:{get}" for give, get in items]
    words = [f"say {word}" for word in range(count)]

    def agent(dealt, actions):
        is_over = len(actions) == 4
        if has_early_end and len(actions) == 3:
            is_over = actions[2] != f"{dealt[0]}:{dealt[1]}"
        return None if is_over else len(actions) % 2

    def reward(dealt, actions):
        first, second = dealt
        return (float(actions[2:] == (f"{first}:{second}", f"{second}:{first}")),) * 2

    return product_form_from_functions(
        dict.fromkeys(items, Fraction(1, count**2)),
        agent_names=("player 0", "player 1"),
        num_stages=4,
        agent=agent,
        legal_actions=lambda dealt, actions: offers if len(actions) > 1 else words,
        information=lambda dealt, actions: (
            dealt[len(actions) % 2],
            actions[:2][1 - len(actions) % 2 :][:1],
        ),
        reward=reward,
        private_signals=lambda dealt: dealt,
    )


def test_trade_comm_by_functions_agrees_with_the_rules():
    made = build_product_form(load_game("trade_comm(num_items=3)"))
    same_form(trade(3), made.with_original(forget_own_actions(made)))
    assert trade(3, has_early_end=True).num_nodes == 9 + 27 + 81 + 81


def test_information_is_distinguished_by_stage_and_agent():
    form = product_form_from_functions(
        {"a": 0.5, "b": 0.5},
        agent_names=("Alice", "Bob"),
        num_stages=2,
        agent=lambda outcome, actions: None if len(actions) == 2 else int(outcome == "b"),
        legal_actions=lambda outcome, actions: (0, 1),
        information=lambda outcome, actions: None,
        reward=lambda outcome, actions: (0, 0),
    )
    assert form.information.cell.tolist() == [0, 1, 2, 2, 3, 3]
    assert form.arrays.payoff.shape == (0, 2)


WRONG = {
    "probabilities of outcomes sum to 1.5; they must sum to 1": {"outcomes": {"a": 1, "b": 0.5}},
    "outcome 'b' has probability 0": {"outcomes": {"a": 1, "b": 0}},
    "probability of outcome 'b'=-1 must be": {"outcomes": {"a": 2, "b": -1}},
    "give probabilities by outcome": {"outcomes": ["a", "b"]},
    "give the names of agents": {"agent_names": 2},
    "the number of agents=0 must": {"agent_names": ()},
    "private_signals=1 is of type int, which is not callable": {"private_signals": 1},
    "num_stages=0 must be a whole number, at least 1": {"num_stages": 0},
    "num_stages must be larger": {"num_stages": 1},
    "agent=3 is of type int, which is not callable": {"agent": 3},
    "is 7; it must be an agent from 0 to 1, or None": {"agent": lambda coin, actions: 7},
    "is 'Bob'; it must be an agent": {"agent": lambda coin, actions: "Bob"},
    "nobody acts after the outcome 'heads'": {"agent": lambda coin, actions: None},
    r"is \(\); it must be a list or tuple": {"legal_actions": lambda coin, actions: ()},
    "'ab'; it must be a list or tuple": {"legal_actions": lambda coin, actions: "ab"},
    "distinct actions": {"legal_actions": lambda coin, actions: (1, 1)},
    "which is not hashable": {"information": lambda coin, actions: [coin]},
    "the set of legal actions differs": {
        "legal_actions": lambda coin, actions: range(1 + (coin == "heads")),
        "reward": lambda coin, actions: (0, 0),
    },
    "it must be a finite number for each of 2 agents": {"reward": lambda coin, actions: (1,)},
    r"\(nan, 0\); it must be a finite": {"reward": lambda coin, actions: (float("nan"), 0)},
    "returns 1 values; return one for each of": {"private_signals": lambda coin: (coin,)},
}


@pytest.mark.parametrize("message", WRONG)
def test_invalid_tuples_are_refused(message):
    arguments = {"outcomes": COINS, **RULES, **WRONG[message]}
    with pytest.raises(ParameterError, match=message):
        product_form_from_functions(arguments.pop("outcomes"), **arguments)


def test_too_many_nodes_are_refused_before_they_are_built():
    with pytest.raises(GameTooLargeError, match="6 nodes in the first 2 stages; at most 5"):
        product_form_from_functions(COINS, **RULES, max_nodes=5)
