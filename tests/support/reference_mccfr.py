"""Reference implementation of Monte Carlo CFR by recursion, with enumerable draws."""

from __future__ import annotations

import numpy as np

from infoset.tree.decision_nodes import CHANCE_NODE, TERMINAL_NODE

MASK = 2**64 - 1


class SeededDraws:
    """Random draws from a stream of the library."""

    def __init__(self, stream):
        self.state = int(stream[0])

    def uniform(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return ((z ^ (z >> 31)) >> 11) * 2.0**-53

    def outcome(self, nodes, node):
        place = self.uniform() * nodes.num_children[node]
        child = nodes.first[node] + int(place)
        kept = place - int(place) < nodes.keep[child]
        return int(place) if kept else int(nodes.other[child])

    def choose(self, probabilities):
        left = self.uniform()
        for index, probability in enumerate(probabilities[:-1]):
            left -= probability
            if left < 0.0:
                return index
        return len(probabilities) - 1

    def coin(self, probability):
        return self.uniform() < probability


class ListedDraws:
    """Draws that begin with a given list and continue with the first possible outcome."""

    def __init__(self, given):
        self.given = given
        self.taken = []
        self.probability = 1.0
        self.untold = []

    def choose(self, probabilities):
        possible = [i for i, p in enumerate(probabilities) if p > 0.0]
        place = len(self.taken)
        if place < len(self.given):
            index = self.given[place]
        else:
            index = possible[0]
            self.untold += [[*self.taken, other] for other in possible[1:]]
        self.taken.append(index)
        self.probability *= float(probabilities[index])
        return index

    def outcome(self, nodes, node):
        return self.choose(outcome_probabilities(nodes, node))

    def coin(self, probability):
        return self.choose([probability, 1.0 - probability]) == 0


def all_draws(run):
    """Yield the probability of each sequence of draws, and the result of `run` for it."""
    waiting = [[]]
    while waiting:
        draws = ListedDraws(waiting.pop())
        answer = run(draws)
        waiting += draws.untold
        yield draws.probability, answer


def outcome_probabilities(nodes, node):
    """Return the probabilities of the outcomes of a chance node by the alias tables."""
    count, first = nodes.num_children[node], nodes.first[node]
    keep, other = nodes.keep[first : first + count], nodes.other[first : first + count]
    probabilities = keep.copy()
    np.add.at(probabilities, other, 1.0 - keep)
    return probabilities / count


class ReferenceMCCFR:
    """Regrets, regret-matching policies, and the explicit sum of realization plans."""

    def __init__(self, simulator, row):
        self.simulator, self.row = simulator, row
        self.nodes, self.infostates = simulator.nodes, simulator.infostates
        self.regret = np.zeros(simulator.num_sequences)
        self.cumulative_plan = np.zeros(simulator.num_sequences)
        self.episodes = 0
        self.ends = 0

    def sequences(self, here):
        first = self.infostates.first_sequence[here]
        return slice(first, first + self.infostates.num_actions[here])

    def policy(self):
        policy = np.ones(self.simulator.num_sequences)
        for here in range(len(self.infostates.first_sequence)):
            positive = np.maximum(self.regret[self.sequences(here)], 0.0)
            total = positive.sum()
            uniform = np.full(len(positive), 1.0 / len(positive))
            policy[self.sequences(here)] = positive / total if total > 0 else uniform
        return policy

    def plan(self, policy):
        plan = policy.copy()
        for here in range(len(self.infostates.first_sequence)):
            plan[self.sequences(here)] *= plan[self.infostates.parent_sequence[here]]
        return plan

    def episode(self, draws):
        player = self.episodes % self.simulator.num_players
        self.episodes += 1
        policy = self.policy()
        self.cumulative_plan += self.plan(policy)
        self.learn(player, policy, draws)
        if getattr(self.row, "clip_regrets", False):
            self.regret = np.maximum(self.regret, 0.0)


class ReferenceOutcomeSampling(ReferenceMCCFR):
    """Outcome sampling with estimates as in the papers, from tail probabilities and reaches."""

    def __init__(self, simulator, row):
        super().__init__(simulator, row)
        explore = row.exploration_policy or (lambda *_: simulator.uniform())
        self.exploration = explore(simulator.infostates, simulator.depth)
        self.baseline = np.zeros(simulator.num_sequences)
        self.visits = np.zeros(simulator.num_sequences, int)

    def learn(self, player, policy, draws):
        return self.visit(0, player, policy, 1.0, 1.0, draws)

    def visit(self, node, player, policy, others, sampled, draws):
        """Return the estimated value of a node, given the reaches of the others and of sampling."""
        here, first = self.nodes.kind[node], self.nodes.first[node]
        if here == TERMINAL_NODE:
            return self.simulator.centered_utility()[first, player]
        if here == CHANCE_NODE:
            child = draws.outcome(self.nodes, node)
            chance = outcome_probabilities(self.nodes, node)[child]
            rest = (player, policy, others * chance, sampled * chance, draws)
            return self.visit(first + child, *rest)
        own = policy[self.sequences(here)]
        if self.infostates.player[here] != player:
            action = draws.choose(own)
            rest = (player, policy, others * own[action], sampled * own[action], draws)
            return self.visit(first + action, *rest)
        mixed = (
            self.row.exploration * self.exploration[self.sequences(here)]
            + (1 - self.row.exploration) * own
        )
        action = draws.choose(mixed)
        rest = (player, policy, others, sampled * mixed[action], draws)
        found = self.visit(first + action, *rest)
        baseline = self.baseline[self.sequences(here)]
        values = baseline.copy()
        values[action] += (found - baseline[action]) / mixed[action]
        value = own @ values
        self.regret[self.sequences(here)] += others / sampled * (values - value)
        if self.row.baseline_window:
            sequence = self.infostates.first_sequence[here] + action
            self.visits[sequence] += 1
            step = 1.0 / min(self.visits[sequence] + 1, self.row.baseline_window)
            self.baseline[sequence] = (1 - step) * self.baseline[sequence] + step * found
        return value


class ReferenceOnlineOutcomeSampling(ReferenceMCCFR):
    """A policy per episode, and regrets with the weight u / q of the whole path, in two cases."""

    def learn(self, player, policy, draws):
        own_episode = (self.episodes - 1) // self.simulator.num_players + 1
        exploration, uniform = own_episode**-self.row.exponent, self.simulator.uniform()
        followed = uniform if draws.coin(exploration) else policy
        path, utility = self.play(0, player, policy, followed, draws)
        taken = [begin + action for begin, _, action in path]
        sampled = exploration * uniform[taken].prod() + (1 - exploration) * policy[taken].prod()
        for step, (begin, count, action) in enumerate(path):
            after = utility / sampled * policy[taken[step + 1 :]].prod()
            gained = np.full(count, -after * policy[begin + action])
            gained[action] += after
            self.regret[begin : begin + count] += gained

    def play(self, node, player, policy, followed, draws):
        """Return first sequence, count and action of each own decision, and the utility."""
        path, nodes = [], self.nodes
        while (here := nodes.kind[node]) != TERMINAL_NODE:
            if here == CHANCE_NODE:
                node = nodes.first[node] + draws.outcome(nodes, node)
                continue
            is_own = self.infostates.player[here] == player
            action = draws.choose((followed if is_own else policy)[self.sequences(here)])
            if is_own:
                path.append(
                    (self.infostates.first_sequence[here], nodes.num_children[node], action)
                )
            node = nodes.first[node] + action
        return path, self.simulator.centered_utility()[nodes.first[node], player]


class ReferenceSampledTraversal(ReferenceMCCFR):
    """Traversals by recursion; policies change only at the end."""

    def learn(self, player, policy, draws):
        return self.visit(0, player, policy, 1.0, draws)

    def inclusion(self, here):
        """Return the inclusion probabilities of actions."""
        cumulative_plan = self.cumulative_plan[self.sequences(here)]
        likely = (self.row.bonus + self.row.threshold * cumulative_plan) / (
            self.row.bonus + cumulative_plan.sum()
        )
        return np.minimum(1.0, np.maximum(self.row.min_probability, likely))

    def visit(self, node, player, policy, weight, draws):
        """Return the estimated value of a node; `weight` is its reach without the player."""
        here, first = self.nodes.kind[node], self.nodes.first[node]
        if here == TERMINAL_NODE:
            self.ends += 1
            return self.simulator.centered_utility()[first, player]
        if here == CHANCE_NODE:
            child = first + draws.outcome(self.nodes, node)
            return self.visit(child, player, policy, weight, draws)
        own = policy[self.sequences(here)]
        if self.infostates.player[here] == player:
            return self.decide(here, first, player, policy, weight, draws)
        if not self.row.all_opponents:
            child = first + draws.choose(own)
            return self.visit(child, player, policy, weight, draws)
        return sum(
            share * self.visit(first + action, player, policy, weight * share, draws)
            for action, share in enumerate(own)
            if share > 0
        )

    def decide(self, here, first, player, policy, weight, draws):
        own = policy[self.sequences(here)]
        values = np.zeros(len(own))
        inclusion = np.ones(len(own)) if self.row.min_probability == 1 else self.inclusion(here)
        for action, share in enumerate(inclusion):
            if share == 1.0 or draws.coin(share):
                below = self.visit(first + action, player, policy, weight / share, draws)
                values[action] = below / share
        value = own @ values
        self.regret[self.sequences(here)] += weight * (values - value)
        return value


def exact_regrets(simulator, policy, player):
    """Return [S] the instantaneous counterfactual regrets of a player, by the whole tree."""
    nodes, infostates = simulator.nodes, simulator.infostates
    regret = np.zeros(simulator.num_sequences)

    def visit(node, weight):
        here, first, count = nodes.kind[node], nodes.first[node], nodes.num_children[node]
        if here == TERMINAL_NODE:
            return simulator.centered_utility()[first, player]
        if here == CHANCE_NODE:
            chances = outcome_probabilities(nodes, node)
        else:
            begin = infostates.first_sequence[here]
            chances = policy[begin : begin + count]
        is_own = here >= 0 and infostates.player[here] == player
        values = np.array(
            [visit(first + i, weight if is_own else weight * chances[i]) for i in range(count)]
        )
        if is_own:
            regret[begin : begin + count] += weight * (values - chances @ values)
        return chances @ values

    visit(0, 1.0)
    return regret
