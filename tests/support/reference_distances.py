"""Reference implementation of dilated distances and their prox, in plain NumPy."""

from __future__ import annotations

import numpy as np
from scipy.special import logsumexp

from infoset.forms import Treeplex
from tests.support.reference_regret import infostates, plan_of


def random_treeplex(seed, levels=3):
    """Return a treeplex in which sequences lead to no, one or two infostates of the next level."""
    rng = np.random.default_rng(seed)
    parents, firsts, counts, above, total = [], [], [], [0, 0], 1
    for _ in range(levels):
        here = []
        for parent in above:
            actions = int(rng.integers(1, 5))
            parents.append(parent)
            firsts.append(total)
            counts.append(actions)
            here += [*range(total, total + actions)]
            total += actions
        above = [sequence for sequence in here for _ in range(rng.integers(0, 3))]
    return Treeplex(*(np.array(a, np.int32) for a in (parents, firsts, counts)), total)


def random_behavior(plex, rng):
    """Return [Q] a behavior without zeros."""
    behavior = np.ones(plex.num_sequences)
    for _, own in infostates(plex):
        behavior[own] = rng.dirichlet(np.ones(own.stop - own.start)) * 0.99
        behavior[own] += 0.01 / (own.stop - own.start)
    return behavior


def regularizer(plex, weights, kind, plan):
    """Return ψ of a plan [Q] without zeros."""
    value = 0.0
    for weight, (parent, own) in zip(weights, infostates(plex), strict=True):
        behavior = plan[own] / plan[parent]
        local = 0.5 * behavior @ behavior if kind == "euclidean" else behavior @ np.log(behavior)
        value += weight * plan[parent] * local
    return value


def regularizer_slope(plex, weights, kind, plan):
    """Return [Q] the gradient of ψ at a plan [Q] without zeros."""
    slope = np.zeros(plex.num_sequences)
    for weight, (parent, own) in zip(weights, infostates(plex), strict=True):
        behavior = plan[own] / plan[parent]
        if kind == "euclidean":
            slope[own] += weight * behavior
            slope[parent] -= weight * 0.5 * behavior @ behavior
        else:
            slope[own] += weight * (np.log(behavior) + 1)
            slope[parent] -= weight
    return slope


def bregman(plex, weights, kind, plan, center):
    """Return ψ(plan) − ψ(center) − <∇ψ(center), plan − center>; center None stands for ψ alone."""
    value = regularizer(plex, weights, kind, plan)
    if center is None:
        return value
    slope = regularizer_slope(plex, weights, kind, center)
    return value - regularizer(plex, weights, kind, center) - slope @ (plan - center)


def project(point):
    """Return the nearest probabilities, by sorting."""
    falling = np.sort(point)[::-1]
    shifts = (np.cumsum(falling) - 1) / np.arange(1, len(point) + 1)
    return np.maximum(point - shifts[np.flatnonzero(falling > shifts)[-1]], 0)


def reference_prox(plex, weights, kind, gradient, terms):
    """Return the maximizer and the maximum of <gradient, x> − Σ strength · D(x, center).

    terms: pairs (strength, center), a center being a behavior [Q], or None for ψ itself.
    """
    stiffness = sum(strength for strength, _ in terms)
    value, behavior = gradient.copy(), np.ones(plex.num_sequences)
    numbered = [*zip(weights, infostates(plex), strict=True)]
    for weight, (parent, own) in reversed(numbered):
        q = value[own]
        if kind == "euclidean":
            centers = [0 * q if center is None else center[own] for _, center in terms]
            pulled = sum(s * c for (s, _), c in zip(terms, centers, strict=True))
            b = project((q / weight + pulled) / stiffness)
            cost = sum(s * (b - c) @ (b - c) for (s, _), c in zip(terms, centers, strict=True))
            value[parent] += q @ b - 0.5 * weight * cost
        else:
            logs = [0 * q if center is None else np.log(center[own]) for _, center in terms]
            pulled = sum(s * log for (s, _), log in zip(terms, logs, strict=True))
            logits = (q / weight + pulled) / stiffness
            b = np.exp(logits - logsumexp(logits))
            value[parent] += weight * stiffness * logsumexp(logits)
        behavior[own] = b
    return behavior, value[0]


def plan_step(plex, weights, kind, gradient, terms):
    """Return behavior and plan of `reference_prox`."""
    behavior, _ = reference_prox(plex, weights, kind, gradient, terms)
    return behavior, plan_of(plex, behavior)
