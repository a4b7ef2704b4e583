"""All episodes of a small device game, and exact values in the regularized game."""

from typing import NamedTuple

import numpy as np

from infoset.deep.episodes import Episodes
from infoset.tree.decision_nodes import CHANCE_NODE, TERMINAL_NODE


class Arrays(NamedTuple):
    """The fields of a `TreeGame` that enumeration reads, as NumPy arrays."""

    kind: np.ndarray
    first: np.ndarray
    num_children: np.ndarray
    keep: np.ndarray
    other: np.ndarray
    reward: np.ndarray
    player: np.ndarray
    legal: np.ndarray
    rank: np.ndarray


def arrays_of(game):
    found = {**vars(game.nodes), **vars(game)}
    return Arrays(*(np.asarray(found[name]) for name in Arrays._fields))


def chance_probabilities(a, node):
    """Return the probability of each child of a chance node, from its alias table."""
    first, count = a.first[node], a.num_children[node]
    probability = np.zeros(count)
    for place in range(count):
        probability[place] += a.keep[first + place] / count
        probability[a.other[first + place]] += (1 - a.keep[first + place]) / count
    return probability


def all_episodes(game, policy):
    """Return all episodes, one per column, and [B] their probabilities under a policy [I, A]."""
    a, policy = arrays_of(game), np.asarray(policy, np.float64)
    found = []

    def follow(node, steps, probability):
        kind = a.kind[node]
        if kind == TERMINAL_NODE:
            found.append((steps, a.reward[node], probability))
        elif kind == CHANCE_NODE:
            for place, chance in enumerate(chance_probabilities(a, node)):
                follow(a.first[node] + place, steps, probability * chance)
        else:
            for action in np.flatnonzero(a.legal[kind]):
                child = a.first[node] + a.rank[kind, action]
                follow(child, [*steps, (kind, action)], probability * policy[kind, action])

    follow(0, [], 1.0)
    shape = (game.horizon, len(found))
    infostate, action = np.zeros((2, *shape), np.int32)
    valid, reward = np.zeros(shape, bool), np.zeros(shape, np.float32)
    for column, (steps, final, _) in enumerate(found):
        for t, (where, taken) in enumerate(steps):
            infostate[t, column], action[t, column], valid[t, column] = where, taken, True
        reward[len(steps) - 1, column] = final
    return Episodes(infostate, action, valid, reward, infostate, reward), np.array(
        [p for _, _, p in found]
    )


class ExactSums(NamedTuple):
    """Advantages [I, A] and values [I] of the actor times reach, and reach [I], over histories."""

    advantage: np.ndarray
    value: np.ndarray
    visits: np.ndarray


def exact_sums(game, policy, behavior, log_ratio, eta):
    """Return sums in the regularized game of `policy`, weighted by the reach of `behavior`.

    log_ratio : [I, A] L = log π − log π_reg.
    """
    a = arrays_of(game)
    policy, behavior, log_ratio = (np.asarray(x, np.float64) for x in (policy, behavior, log_ratio))
    sums = ExactSums(np.zeros(policy.shape), np.zeros(len(policy)), np.zeros(len(policy)))

    def utility(node, reach):
        """Return the utility of player 0 below a node, and add to the sums."""
        kind = a.kind[node]
        if kind == TERMINAL_NODE:
            return float(a.reward[node])
        if kind == CHANCE_NODE:
            chances = chance_probabilities(a, node)
            below = [utility(a.first[node] + k, reach * p) for k, p in enumerate(chances)]
            return float(chances @ below)
        sign = 1 if a.player[kind] == 0 else -1
        q = np.zeros(policy.shape[1])
        for action in np.flatnonzero(a.legal[kind]):
            child = a.first[node] + a.rank[kind, action]
            below = utility(child, reach * behavior[kind, action])
            q[action] = sign * below - eta * log_ratio[kind, action]
        value = policy[kind] @ q
        sums.advantage[kind] += reach * np.where(a.legal[kind], q - value, 0)
        sums.value[kind] += reach * value
        sums.visits[kind] += reach
        return sign * value

    utility(0, 1.0)
    return sums
