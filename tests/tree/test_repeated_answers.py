"""Rules that answer otherwise at each call, and lists of outcomes without end, are refused."""

from __future__ import annotations

from itertools import count, cycle

import numpy as np
import pytest

from infoset.errors import GameRuleError
from infoset.game import Observation, check_game, initial_history, outcome_lists
from infoset.tree import build_world_graph, explorer
from infoset.tree.repeated_answers import check_repeated_answers
from tests.support.function_game import FunctionGame


def drawn(function):
    """Return a function that answers otherwise at each call, as one that draws random numbers."""
    calls = count()
    return lambda *arguments: function(next(calls), *arguments)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (
            {"transitions": drawn(lambda n, world, _: [(str(n), 1)] if world == "start" else [])},
            r"transitions\('start', .*\) was {'\d+': 1}, then {'\d+': 1}",
        ),
        (
            {"observe": drawn(lambda n, *_: Observation(n))},
            r"observe\(.*\) was ObservationParts\(public=\d+",
        ),
        ({"rewards": drawn(lambda n, *_: (n / 7,))}, r"rewards\(.*\) was \("),
        (
            {
                "actors": lambda world: (0,) if world == "start" else (),
                "legal_actions": drawn(lambda n, *_: (n, -1)),
                "transitions": lambda world, _: [("end", 1)] if world == "start" else [],
            },
            r"legal_actions\(.*\) was \(",
        ),
    ],
    ids=lambda one: [*one][-1] if isinstance(one, dict) else "",
)
def test_rules_that_draw_random_numbers_are_refused(wrong, message):
    """The graph would be that of one draw, and its solution would look optimal."""
    with pytest.raises(GameRuleError, match=message + r".* The rule: methods are deterministic"):
        build_world_graph(FunctionGame(**wrong))


@pytest.mark.parametrize("kind", ["transitions", "legal actions", "observations"])
def test_rules_that_have_changed_since_are_refused(kind):
    """Two new answers agree with each other, but not with those of the graph."""
    is_late = False
    game = FunctionGame(
        actors=lambda world: (0,) if world == "start" else (),
        legal_actions=lambda *_: ("x", "y") if is_late and kind == "legal actions" else ("x",),
        transitions=lambda world, _: (
            [("late" if is_late and kind == "transitions" else "end", 1)]
            if world == "start"
            else []
        ),
        observe=lambda *_: Observation(is_late and kind == "observations"),
    )
    graph = build_world_graph(game)
    check_repeated_answers(graph)
    is_late = True
    with pytest.raises(GameRuleError, match=f"the {kind} are other ones when asked again"):
        check_repeated_answers(graph)


def test_rules_are_asked_again_at_few_world_states():
    asked = []
    game = FunctionGame(
        initial_world=lambda: "",
        actors=lambda world: asked.append(world) or ((0,) if len(world) < 12 else ()),
        legal_actions=lambda *_: ("x", "y"),
        transitions=lambda world, joint: [(world + joint[0], 1)] if len(world) < 12 else [],
        observe=lambda world, joint, after: Observation(after),
    )
    graph = build_world_graph(game)
    assert graph.num_worlds == 2**13 - 1
    assert graph.num_worlds < len(asked) < graph.num_worlds + 100


def test_a_list_of_outcomes_in_another_order_is_the_same():
    orders = cycle([1, -1])
    pairs = [("a", 0.25), ("b", 0.75)]
    build_world_graph(
        FunctionGame(
            transitions=lambda world, _: pairs[:: next(orders)] if world == "start" else []
        )
    )


ENDLESS = {
    "zeros": (
        lambda: (("a", 2.0**-n) for n in count(1)),
        "lists 2,000 outcomes of probability 0 in a row, the last of which is",
    ),
    "little": (
        lambda: (("ab"[n % 2], 0.5 if n < 2 else 1e-30) for n in count()),
        "lists more than 20,000 outcomes",
    ),
}


@pytest.mark.parametrize("what", ENDLESS)
def test_transitions_without_end_are_refused(what, monkeypatch):
    """A limit on world states does not stop them, because there are no new ones."""
    monkeypatch.setattr(outcome_lists, "MAX_IMPOSSIBLE", 2000)
    monkeypatch.setattr(outcome_lists.ended, "__defaults__", (20_000,))
    monkeypatch.setattr(explorer, "MAX_OUTCOMES", 0)
    endless, message = ENDLESS[what]
    game = FunctionGame(transitions=lambda world, _: endless() if world == "start" else [])
    rule = r".* The rule: transitions lists each next world of positive probability, and then ends"
    rng = np.random.default_rng(0)
    for call in (
        lambda: build_world_graph(game, max_worlds=100),
        lambda: check_game(game, max_histories=100),
        lambda: initial_history(game).chance_outcomes,
        lambda: initial_history(game).sample((None,), rng),
    ):
        with pytest.raises(GameRuleError, match=message + rule):
            call()
