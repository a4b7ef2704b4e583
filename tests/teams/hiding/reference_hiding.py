"""Reference implementation of progressive hiding in plain Python, node by node.

The weight of a node is the product along its path, values are computed by recursion, and visited
nodes have their importances in a dictionary.
"""

from __future__ import annotations

import numpy as np

from tests.support.reference_mccfr import SeededDraws
from tests.teams.hiding.hiding_games import by_cell


class ReferenceHiding:
    """Runs single iterations from the current state of a `ProgressiveHiding`."""

    def __init__(self, hiding):
        relaxed_form, self.scheme = hiding.relaxed_form, hiding.scheme
        form, state = relaxed_form.form, hiding.state()
        self.form, self.teams = form, relaxed_form.teams
        self.fine, self.coarse = relaxed_form.relaxed, relaxed_form.original
        self.regret = [own.copy() for own in by_cell(self.fine, state["regret"])]
        self.policy = [own.copy() for own in by_cell(self.fine, state["policy"])]
        self.projected = [own.copy() for own in by_cell(self.coarse, state["projected"])]
        self.penalty = state["penalty"].copy()
        self.draws = SeededDraws(state["stream"])
        self.learning = set(hiding._game.teams.tolist())
        self.weights = self.scheme.weights(len(self.learning))
        self.team = [
            next(t for t, team in enumerate(self.teams) if agent in team)
            for agent in form.arrays.agent.tolist()
        ]
        self.paths = [self._path(node) for node in range(form.num_nodes)]
        self.children = [
            list(range(form.arrays.first_edge[n], form.arrays.first_edge[n + 1]))
            for n in range(form.num_nodes)
        ]
        pays = {int(e): z for z, e in enumerate(form.arrays.payoff_edge)}
        self.pay = [
            {e: relaxed_form.payoff[t, z] for e, z in pays.items()} for t in range(len(self.teams))
        ]
        self.iteration = 0

    def _path(self, node):
        """Return the ancestors of a node, each with the index of the action taken."""
        edge = int(self.form.arrays.parent_edge[node])
        if edge < 0:
            return []
        above = int(self.form.node_of_edge[edge])
        return [*self._path(above), (above, edge - int(self.form.arrays.first_edge[above]))]

    def at(self, policy, information, node):
        return policy[information.cell[node]]

    def reach(self, policy, information, node, counts=lambda above: True):
        factors = [self.at(policy, information, n)[a] for n, a in self.paths[node] if counts(n)]
        return self.form.arrays.chance[node] * np.prod(factors)

    def all_reach(self, policy, information):
        return np.array([self.reach(policy, information, n) for n in range(self.form.num_nodes)])

    def payoff(self, team, policy, information):
        total = 0.0
        for edge, pay in self.pay[team].items():
            node = int(self.form.node_of_edge[edge])
            action = edge - int(self.form.arrays.first_edge[node])
            chance = self.reach(policy, information, node)
            total += chance * self.at(policy, information, node)[action] * pay
        return total

    def decide(self):
        learner = self.scheme.learner
        for cell, team in enumerate(np.array(self.team)[self.fine.first_node]):
            if team not in self.learning:
                continue
            regret = self.regret[cell]
            if learner.learning_rate > 0:
                learning_rate = learner.learning_rate * self.iteration**learner.decay_exponent
                wanted = np.exp(learning_rate * (regret - regret.max()))
            else:
                wanted = np.maximum(regret, 0)
            uniform = np.full(len(regret), 1 / len(regret))
            self.policy[cell] = wanted / wanted.sum() if wanted.sum() > 0 else uniform

    def project(self):
        rule = self.scheme.reference
        uniform = [np.full(len(own), 1 / len(own)) for own in self.policy]
        weight = (
            rule.current * self.all_reach(self.policy, self.fine)
            + rule.previous * self.all_reach(self.projected, self.coarse)
            + rule.uniform * self.all_reach(uniform, self.fine)
        )
        projected = []
        for cell in range(self.coarse.num_cells):
            nodes = np.flatnonzero(self.coarse.cell == cell)
            own = weight[nodes] if weight[nodes].sum() > 0 else np.ones(len(nodes))
            rows = np.array([self.at(self.policy, self.fine, n) for n in nodes])
            projected.append(own @ rows / own.sum())
        self.projected = projected

    def distance(self, node):
        off = self.at(self.policy, self.fine, node) - self.at(self.projected, self.coarse, node)
        return off @ off

    def weight(self, node):
        agent, leaves_out = self.form.arrays.agent, self.weights.leaves_out
        counts = {
            "nobody": lambda above: True,
            "agent": lambda above: agent[above] != agent[node],
            "team": lambda above: self.team[above] != self.team[node],
            "everybody": lambda above: False,
        }[leaves_out]
        return self.reach(self.policy, self.fine, node, counts)

    def all_weights(self):
        weight = np.array([self.weight(node) for node in range(self.form.num_nodes)])
        if not self.weights.conditional:
            return weight
        totals = np.bincount(self.fine.cell, weight)[self.fine.cell]
        chance = self.form.arrays.chance
        chance = chance / np.bincount(self.fine.cell, chance)[self.fine.cell]
        return np.where(totals > 0, weight / np.where(totals > 0, totals, 1), chance)

    def visit(self):
        """Return the importances of nodes and of their edges."""
        nodes, edges = range(self.form.num_nodes), range(self.form.num_edges)
        if self.scheme.visits == "everything":
            return dict.fromkeys(nodes, 1.0), dict.fromkeys(edges, 1.0)
        outcomes = np.unique(self.form.outcome)
        first = [int(np.argmax(self.form.outcome == outcome)) for outcome in outcomes]
        chance = self.form.arrays.chance[first]
        drawn = self.draws.choose(chance.tolist())
        if self.scheme.visits == "outcome":
            below = np.flatnonzero(self.form.outcome == outcomes[drawn]).tolist()
            taken = [edge for node in below for edge in self.children[node]]
            return dict.fromkeys(below, 1 / chance[drawn]), dict.fromkeys(taken, 1 / chance[drawn])
        return self.path_from(first[drawn], chance[drawn])

    def path_from(self, node, chance):
        nodes, edges = {}, {}
        share = self.scheme.exploration
        while node >= 0:
            nodes[node] = 1 / chance
            policy = self.at(self.policy, self.fine, node)
            uniform = np.full(len(policy), 1 / len(policy))
            explores = self.draws.coin(share)
            action = self.draws.choose((uniform if explores else policy).tolist())
            chance *= (1 - share) * policy[action] + share / len(policy)
            edge = self.children[node][action]
            edges[edge] = 1 / chance
            node = int(self.form.arrays.child[edge])
        return nodes, edges

    def worths(self, node, team, visited):
        """Return the value of each action at a node for a team, over visited nodes."""
        nodes, edges = visited
        worths = np.zeros(len(self.children[node]))
        for action, edge in enumerate(self.children[node]):
            if edge in edges:
                child = int(self.form.arrays.child[edge])
                got = (
                    self.pay[team].get(edge, 0.0) if child < 0 else self.value(child, team, visited)
                )
                worths[action] = edges[edge] / nodes[node] * got
        return worths

    def value(self, node, team, visited):
        mean = self.at(self.policy, self.fine, node) @ self.worths(node, team, visited)
        if self.team[node] != team or not self.scheme.future_penalties:
            return mean
        return mean - self.penalty[team] * self.distance(node)

    def gradients(self, visited):
        """Return the gradient that each cell's learner observes."""
        weight = self.all_weights()
        observed = [np.zeros(len(own)) for own in self.policy]
        for node, importance in visited[0].items():
            team = self.team[node]
            off = self.at(self.policy, self.fine, node) - self.at(self.projected, self.coarse, node)
            vector = self.worths(node, team, visited) - 2 * self.penalty[team] * off
            observed[self.fine.cell[node]] += importance * weight[node] * vector
        return observed

    def step(self):
        """Run an iteration; return its row of the trace as [T, 4]."""
        self.iteration += 1
        self.decide()
        self.project()
        observed = self.gradients(self.visit())
        for cell, vector in enumerate(observed):
            if self.team[self.fine.first_node[cell]] not in self.learning:
                continue
            mean = self.policy[cell] @ vector
            moved = self.regret[cell] + vector - mean
            self.regret[cell] = np.maximum(moved, self.scheme.learner.min_regret)
        row = np.array([self.measured(team) for team in range(len(self.teams))])
        self.adapt_penalty(row)
        return row

    def measured(self, team):
        reach = self.all_reach(self.policy, self.fine)
        own = [node for node in range(self.form.num_nodes) if self.team[node] == team]
        return (
            self.payoff(team, self.projected, self.coarse),
            self.payoff(team, self.policy, self.fine),
            sum(reach[node] * self.distance(node) for node in own),
            self.penalty[team],
        )

    def adapt_penalty(self, row):
        rule = self.scheme.schedule
        for team, (_, relaxed, _, penalty) in enumerate(row):
            factor = rule.up if relaxed > rule.target else rule.down
            self.penalty[team] = min(max(penalty * factor + rule.step, rule.low), rule.high)
