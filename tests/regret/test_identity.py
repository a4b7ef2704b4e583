"""Functions known again by what they are made of."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from functools import partial

import numba
import numpy as np
from numpy import exp

from infoset.regret.local.identity import identity_of


def add_one(x):
    return x + 1


def add_two(x):
    return x + 2


STEP = 1


def by_globals(x):
    return add_one(x) + STEP + exp(x)


def itself(x):
    return itself(x - 1) if x else 0


@dataclass(frozen=True)
class Weights:
    decay: float

    def __call__(self, x):
        return x * self.decay


class Plain:
    def __init__(self, decay):
        self.decay = decay


def calling(reached):
    def rule(row, values, policy, state):
        policy[:] = reached

    return rule


def others():
    """Return functions that all differ in what they reach, made anew."""
    reached = [
        *(add_one, add_two, lambda x: x + 1, lambda x: x - 1, by_globals, itself, exp, np),
        *(1, 2, 1.0, "1", None, (1, 2), (2, 1), {"a": 1}, {"a": 2}, {1, 2}, frozenset({3})),
        *(np.ones(2), np.zeros(2), np.ones((2, 1)), np.float64(7), np.ones(2, np.float32)),
        *(Weights(0.5), Weights(0.25), Plain(0.5), Plain(0.25), Weights, Plain),
        *(partial(add_one, 1), partial(add_one, 2), Weights(0.5).__call__, calling(1), calling(2)),
    ]
    return [calling(one) for one in reached]


def test_what_is_reached_tells_functions_apart():
    made = [identity_of(rule) for rule in others()]
    # Two names for one thing: the functions of one body.
    assert made[0] == made[2]
    assert len({*made}) == len(made) - 1
    assert all(name.startswith("calling.<locals>.rule (") for name in made)


def test_another_process_says_the_same():
    program = (
        f"import sys; sys.path[:] = {sys.path!r}\n"
        "from test_identity import *\n"
        "for rule in others(): print(identity_of(rule))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    )
    assert ran.stdout.split("\n")[:-1] == [identity_of(rule) for rule in others()]


def test_a_compiled_function_is_the_one_it_was_made_of():
    assert identity_of(numba.njit(add_one)) == identity_of(add_one)
    assert identity_of(calling(numba.njit(add_one))) == identity_of(calling(add_one))


def test_globals_defaults_and_constants_count(monkeypatch):
    before = identity_of(by_globals)
    monkeypatch.setitem(by_globals.__globals__, "STEP", 2)
    assert identity_of(by_globals) != before
    monkeypatch.undo()
    monkeypatch.setitem(by_globals.__globals__, "add_one", add_two)
    assert identity_of(by_globals) != before
    assert identity_of(lambda x=1: x) != identity_of(lambda x=2: x)
    assert identity_of(lambda *, x=1: x) != identity_of(lambda *, x=2: x)
    assert identity_of(lambda: 1) != identity_of(lambda: 2)


def test_objects_that_are_called_are_known_by_class_and_fields():
    assert identity_of(Weights(0.5)).startswith("Weights (")
    assert identity_of(Weights(0.5)) == identity_of(Weights(0.5)) != identity_of(Weights(0.25))


def test_what_reaches_itself_ends():
    loop = []
    loop.append(loop)
    assert identity_of(calling(loop)) == identity_of(calling(loop))
    assert identity_of(itself) == identity_of(itself)
