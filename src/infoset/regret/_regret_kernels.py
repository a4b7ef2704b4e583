"""Kernels of one sweep of regret minimization up a treeplex: values, regrets, the next policy.

They run over the action-major layout of `layout.py`, where the sequences of a group of infostates
(same depth, same number of actions) stand action by action: action a of the group's i-th infostate
is at `base + a * stride + i`. So eight infostates at a time are the lanes of vectors (see
`infoset.utils.simd`).
"""

from __future__ import annotations

from typing import TypeAlias

from infoset.typing import FloatArray, IndexArray
from infoset.utils.compilation import inner_kernel, kernel
from infoset.utils.simd import (
    LANES,
    Lanes,
    add_at,
    filled,
    load,
    maximum,
    square_root,
    store,
    where_positive,
)

REGRET_WEIGHT = 0
POSITIVE_DISCOUNT = 1
NEGATIVE_DISCOUNT = 2
REGRET_FLOOR = 3
PREDICTION_DISCOUNT = 4
PREDICTION_WEIGHT = 5

Step: TypeAlias = tuple[float, float, float, float, float, float]
"""The first six numbers of a row of the schedule."""


@inner_kernel
def value_of_policy(
    first: int, stride: int, actions: int, count: int, policy: FloatArray, gradient: FloatArray
) -> Lanes:
    """Return the value of `count` infostates, the first action of the first one at `first`."""
    value = filled(gradient, 0.0)
    for action in range(actions):
        at = first + action * stride
        value += load(policy, at, count) * load(gradient, at, count)
    return value


@inner_kernel
def adapt_prediction(
    step: Step,
    limit: float,
    first: int,
    stride: int,
    actions: int,
    infostate: int,
    count: int,
    value: Lanes,
    gradient: FloatArray,
    regret: FloatArray,
    previous: FloatArray,
    changes: FloatArray,
) -> Lanes:
    """Return the weight of the prediction at `count` infostates, and keep what it is made of.

    The weight is 1 / (1 + α), α the root of the ratio of two sums over the iterations so far, of
    squared changes of the instantaneous regret and of the cumulative one, at most `limit`, which
    also stands for 0/0 (Meng et al. 2026, eq. 3). previous [Q] has the last instantaneous
    regrets, changes [2, I] the sums. The others are as in
    `value_of_policy` and `update_regrets`.
    """
    of_instant = load(changes[0], infostate, count)
    of_regret = load(changes[1], infostate, count)
    for action in range(actions):
        at = first + action * stride
        instant = step[REGRET_WEIGHT] * (load(gradient, at, count) - value)
        before = load(regret, at, count)
        keep = where_positive(before, step[POSITIVE_DISCOUNT], step[NEGATIVE_DISCOUNT])
        moved = maximum(before * keep + instant, step[REGRET_FLOOR]) - before
        change = instant - load(previous, at, count)
        of_instant += change * change
        of_regret += moved * moved
        store(previous, at, count, instant)
    store(changes[0], infostate, count, of_instant)
    store(changes[1], infostate, count, of_regret)
    ratio = where_positive(of_regret, of_instant / of_regret, limit * limit)
    root = square_root(ratio)
    return 1.0 / (1.0 + where_positive(limit - root, root, limit))


@inner_kernel
def match_regrets(
    step: Step,
    first: int,
    stride: int,
    actions: int,
    count: int,
    value: Lanes,
    prediction: Lanes,
    gradient: FloatArray,
    regret: FloatArray,
    policy: FloatArray,
) -> None:
    """Add to the regrets of `count` infostates, and make their policy of what is positive.

    value and prediction are theirs. The others are as in `value_of_policy` and `update_regrets`.
    """
    total = filled(gradient, 0.0)
    for action in range(actions):
        at = first + action * stride
        instant = step[REGRET_WEIGHT] * (load(gradient, at, count) - value)
        before = load(regret, at, count)
        keep = where_positive(before, step[POSITIVE_DISCOUNT], step[NEGATIVE_DISCOUNT])
        after = maximum(before * keep + instant, step[REGRET_FLOOR])
        predicted = maximum(step[PREDICTION_DISCOUNT] * after + prediction * instant, 0.0)
        store(regret, at, count, after)
        store(policy, at, count, predicted)
        total += predicted
    share = 1.0 / total
    for action in range(actions):
        at = first + action * stride
        sigma = where_positive(total, load(policy, at, count) * share, 1.0 / actions)
        store(policy, at, count, sigma)


@kernel
def update_regrets(
    groups: IndexArray,
    parent: IndexArray,
    row: FloatArray,
    limit: float,
    gradient: FloatArray,
    regret: FloatArray,
    policy: FloatArray,
    previous: FloatArray,
    changes: FloatArray,
) -> None:
    """Sweep one player's treeplex bottom up: values, regrets, and the next policy, in place.

    groups [G, 5]: of a layout, or parts of them (see `Layout`), those above first; parent [I]
    position of the parent sequence; row: one row of the schedule; limit: of the adaptive
    prediction, below zero for none; gradient [Q] becomes the counterfactual value of each
    sequence; regret, policy [Q]; previous, changes: see `adapt_prediction`, empty where there is
    none. Of forced moves the value is passed up, no more.
    """
    # read once: for all that the compiler knows, what is stored below may be in the row
    step = (row[0], row[1], row[2], row[3], row[4], row[5])
    for group in range(len(groups) - 1, -1, -1):
        base, stride, actions, infostate, size = groups[group]
        for begin in range(0, size, LANES):
            first, place, count = base + begin, infostate + begin, min(LANES, size - begin)
            value = value_of_policy(first, stride, actions, count, policy, gradient)
            add_at(gradient, parent, place, count, value)
            if actions == 1:
                continue
            prediction = filled(gradient, step[PREDICTION_WEIGHT])
            if limit >= 0.0:
                prediction = adapt_prediction(
                    step,
                    limit,
                    first,
                    stride,
                    actions,
                    place,
                    count,
                    value,
                    gradient,
                    regret,
                    previous,
                    changes,
                )
            match_regrets(
                step, first, stride, actions, count, value, prediction, gradient, regret, policy
            )
