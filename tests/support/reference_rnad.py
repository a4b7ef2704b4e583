"""Reference implementation of exact R-NaD in plain NumPy, from the terminal histories of a tree."""

from __future__ import annotations

import numpy as np

from tests.support.reference_regret import infostates, plan_of, uniform


class RegularizedGame:
    """A two-player game in which players pay for log ratios, and receive what the other pays.

    `utility` and `reach` are dense matrices over the pairs of last sequences; utilities are divided
    by `unit`.
    """

    def __init__(self, tree, unit=1.0):
        self.plexes = tree.sequence_form.treeplexes
        sizes = tuple(plex.num_sequences for plex in self.plexes)
        self.utility, self.reach = np.zeros(sizes), np.zeros(sizes)
        for history in tree.terminals:
            pair, chance = tuple(tree.sequence[history]), tree.chance_reach[history]
            self.reach[pair] += chance
            self.utility[pair] += chance * tree.rewards_so_far[history, 0] / unit

    def deviation(self):
        """Return the standard deviation of returns under uniform play, in units of utility."""
        plans = [plan_of(plex, uniform(plex)) for plex in self.plexes]
        probability = self.reach * np.outer(*plans)
        returns = np.divide(self.utility, self.reach, where=self.reach > 0, out=0 * self.reach)
        mean = np.sum(probability * returns)
        return np.sqrt(np.sum(probability * (returns - mean) ** 2))

    def path_sums(self, player, ratios):
        """Return [Q] the sum of the ratios [Q] of a player on the path to each sequence."""
        sums = np.zeros(len(ratios))
        for parent, own in infostates(self.plexes[player]):
            sums[own] = sums[parent] + ratios[own]
        return sums

    def action_values(self, player, policies, ratios, eta):
        """Return [Q] the values Q(s, a) of a player, given that s is reached, and the reach [I]."""
        plans = [plan_of(plex, own) for plex, own in zip(self.plexes, policies, strict=True)]
        other = 1 - player
        sign, axes = (1, (0, 1)) if player == 0 else (-1, (1, 0))
        utility, reach = sign * self.utility.transpose(axes), self.reach.transpose(axes)
        paid = eta * self.path_sums(other, ratios[other])
        values = utility @ plans[other] + reach @ (plans[other] * paid)
        ends = reach @ plans[other]
        counterfactual = np.zeros(self.plexes[player].num_infostates)
        for number, (parent, own) in reversed([*enumerate(infostates(self.plexes[player]))]):
            probabilities = policies[player][own]
            # The probability of reaching the infostate is that of all ends below it.
            counterfactual[number] = probabilities @ ends[own]
            ends[parent] += counterfactual[number]
            values[own] = values[own] / counterfactual[number] - eta * ratios[player][own]
            values[parent] += counterfactual[number] * (probabilities @ values[own])
        return values, counterfactual

    def gains(self, policies, regularizers, eta):
        """Return each player's gain of a best response in the regularized game."""
        ratios = [np.log(own) - np.log(to) for own, to in zip(policies, regularizers, strict=True)]
        found = []
        for player in range(2):
            earned = self.action_values(player, policies, ratios, eta)[0][0]
            best = self.soft_best_response(player, policies, regularizers, eta)
            better = [*policies]
            better[player] = best
            changed = [*ratios]
            changed[player] = np.log(best) - np.log(regularizers[player])
            found.append(self.action_values(player, better, changed, eta)[0][0] - earned)
        return found

    def soft_best_response(self, player, policies, regularizers, eta):
        """Return [Q] the best response, which is proportional to π_reg exp(Q / η)."""
        response = [own.copy() for own in policies]
        ratios = [np.log(own) - np.log(to) for own, to in zip(policies, regularizers, strict=True)]
        # One pass for each depth, from the deepest infostates up, sets the policies for good.
        for _ in range(int(self.plexes[player].own_depth.max(initial=0)) + 1):
            ratios[player] = np.log(response[player]) - np.log(regularizers[player])
            values, _ = self.action_values(player, response, ratios, eta)
            values += eta * ratios[player]
            for _, own in infostates(self.plexes[player]):
                weights = regularizers[player][own] * np.exp(
                    (values[own] - values[own].max()) / eta
                )
                response[player][own] = weights / weights.sum()
        return response[player]


class ReferenceRNaD:
    """The iterations of exact R-NaD, infostate by infostate."""

    def __init__(self, tree, spec):
        unit = RegularizedGame(tree).deviation() if spec.is_relative else 1.0
        self.game = RegularizedGame(tree, unit or 1.0)
        self.spec = spec
        self.policies = [uniform(plex) for plex in self.game.plexes]
        self.regularizers = [np.log(own) for own in self.policies]
        self.previous = [np.log(own) for own in self.policies]
        self.done = 0

    def step(self):
        spec = self.spec
        share = min(1.0, 2 * (self.done % spec.period) / spec.period)
        fixed = [own.copy() for own in self.policies]
        for player in range(2):
            self.update(player, [*self.policies] if spec.alternating else fixed, share)
        self.done += 1
        if self.done % spec.period == 0:
            self.move(spec.uniform_weight / (self.done // spec.period))

    def update(self, player, policies, share):
        ratios = [
            np.log(own) - share * now - (1 - share) * before
            for own, now, before in zip(policies, self.regularizers, self.previous, strict=True)
        ]
        values, _ = self.game.action_values(player, policies, ratios, self.spec.eta)
        played = policies[player].copy()
        for _, own in infostates(self.game.plexes[player]):
            force = values[own] - policies[player][own] @ values[own]
            logits = np.log(policies[player][own])
            logits -= logits.mean()
            if self.spec.gate is not None:
                force[(logits >= self.spec.gate) & (force > 0)] = 0
                force[(logits <= -self.spec.gate) & (force < 0)] = 0
            weights = np.exp(logits + self.spec.step_size * force)
            played[own] = weights / weights.sum()
        self.policies[player] = played

    def move(self, weight):
        self.previous = self.regularizers
        mixed = [
            (1 - weight) * own + weight * uniform(plex)
            for own, plex in zip(self.policies, self.game.plexes, strict=True)
        ]
        self.regularizers = [np.log(own) for own in mixed]
