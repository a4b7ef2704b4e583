"""Subjects of every shape, and subjects that misbehave."""

import os
import sys
import time
from dataclasses import dataclass, replace

import numpy as np

import infoset
from infoset.learning import LEARNERS
from infoset.regret import SCHEMES
from infoset.search import PIMC, Searcher

milder = replace(SCHEMES["dcfr"], name="milder", negative_discount=0.5)
renamed = replace(SCHEMES["dcfr"], negative_discount=0.5)
learner = replace(LEARNERS["es-mccfr"], name="my-mccfr")
number = 7


def hedge(row, values, policy, state):
    """Multiplicative weights."""
    state[0] += values
    weights = np.exp(state[0] - state[0].max(axis=0))
    policy[:] = weights / weights.sum(axis=0)


def by_cfr(form, budget):
    """A solver that draws no curve itself."""
    return infoset.solve(form, "cfr", iterations=budget.iterations).policy


@dataclass
class ByExponent:
    """A class with the method `solve`, a parameter and a seed."""

    exponent: float = 1.0
    seed: int = 0

    def solve(self, form, budget):
        rng = np.random.default_rng(self.seed)
        return infoset.policy.random_policy(form, rng)


class Flat:
    """A class of a search model with only the method `search`."""

    def __init__(self, model):
        self.model = model

    def search(self, infostate, rng):
        number = len(self.model.legal_actions(infostate))
        return np.full(number, 1 / number)


class Small(PIMC):
    """A searcher of the library with other settings."""

    def __init__(self, model):
        super().__init__(model, num_worlds=2)


class Leaky(Searcher):
    """A searcher whose answers depend on earlier searches."""

    drawn = 0

    def search(self, infostate, rng):
        number = len(self.model.legal_actions(infostate))
        self.drawn += 1
        weights = np.arange(1.0, number + 1) ** self.drawn
        return weights / weights.sum()


class Sleepy(Flat):
    """A searcher that hangs."""

    def search(self, infostate, rng):
        time.sleep(1000)


class WithoutSum(Flat):
    """A searcher that returns no distribution."""

    def search(self, infostate, rng):
        return 2 * super().search(infostate, rng)


def other_game(form, budget):
    """A policy of another game."""
    return infoset.uniform_policy(infoset.build_sequence_form("matrix_mp"))


def no_policy(form, budget):
    """A value that is not a policy."""
    return [0.5, 0.5]


def raises(form, budget):
    """A subject with a mistake."""
    raise ValueError("a mistake")


def dies(form, budget):
    """A subject that ends the process."""
    print("last words", file=sys.stderr)
    os._exit(3)


def sleeps(form, budget):
    """A subject that hangs after its first call."""
    if budget.iterations is None or budget.iterations > 1:
        time.sleep(1000)
    return infoset.uniform_policy(form)


def varies(form, budget):
    """A subject with unseeded random numbers."""
    return infoset.policy.random_policy(form, np.random.default_rng())


def hands_over(form, budget):
    """A solver that hands its policies over."""
    iterations, policy = 1, infoset.uniform_policy(form)
    while not budget.record(iterations, policy):
        iterations *= 2
        policy = infoset.solve(form, "cfr", iterations=iterations).policy
    return policy


class Fake:
    """Records a false number first, then true ones of a policy that does not get better."""

    def solve(self, form, budget):
        from infoset.evaluation import evaluate_policy

        policy = infoset.uniform_policy(form)
        measured = evaluate_policy(policy)
        budget.record(1, replace(measured, exploitability=0.0, nash_conv=0.0))
        iteration = 2
        while not budget.record(iteration, measured):
            iteration += 1
        return policy


class Direct:
    """Writes messages in the place of the library, also about other runs."""

    def solve(self, form, budget):
        import gc

        from infoset.benchmark.child_messages import Messenger

        for messenger in gc.get_objects():
            if isinstance(messenger, Messenger):
                messenger.send("point", run=0, point=[1, 1e-6, 0.0])
                for run in range(4):
                    messenger.send("done", run=run, outcome="optimal", message="")
                messenger.send("finished")
        return infoset.uniform_policy(form)


def spoils(form, budget):
    """Changes the code that measures, in its own process."""
    from infoset.evaluation import best_responses

    vars(best_responses)["evaluate_policy"] = None
    return infoset.uniform_policy(form)


def boasts(form, budget):
    """A subject that states a wrong exploitability."""
    from infoset.evaluation import evaluate_policy

    policy = infoset.uniform_policy(form)
    measured = replace(evaluate_policy(policy), exploitability=0.0)
    budget.record(1, measured)
    return policy
