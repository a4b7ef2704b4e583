"""Reference implementations of first-order methods in plain NumPy, each from its own formula."""

from __future__ import annotations

import numpy as np

from tests.support.reference_distances import project, reference_prox
from tests.support.reference_regret import gradient_of, infostates, plan_of, uniform


def scale_of(form):
    """Return the largest absolute entry of the payoff matrix."""
    return np.abs(form.payoff).max(initial=0.0) or 1.0


class ReferenceGame:
    """Two treeplexes with the current plans."""

    def __init__(self, form):
        self.form = form
        self.plexes = form.treeplexes
        self.scale = scale_of(form)
        self.played = [uniform(plex) for plex in self.plexes]
        self.done = 0

    def plans(self, behaviors=None):
        behaviors = self.played if behaviors is None else behaviors
        return [plan_of(plex, own) for plex, own in zip(self.plexes, behaviors, strict=True)]

    def gradients(self, plans):
        return [gradient_of(self.form, player, plans) for player in range(2)]


class ReferenceFirstOrder(ReferenceGame):
    """Common parts of the methods: steps, averages, and the order of players."""

    def __init__(self, form, row):
        super().__init__(form)
        self.row = row
        self.weights = [row.distance.weights(plex) for plex in self.plexes]
        self.base = [own.copy() for own in self.played]
        self.averages = [np.zeros(plex.num_sequences) for plex in self.plexes]

    @property
    def inverse_step(self):
        return self.scale / self.row.step_size * self.done**self.row.step_exponent

    def prox(self, player, gradient, terms):
        kind = self.row.distance.kind
        return reference_prox(self.plexes[player], self.weights[player], kind, gradient, terms)[0]

    def step(self):
        self.done += 1
        for average, plan in zip(self.averages, self.plans(), strict=True):
            average += self.done**self.row.average_exponent * plan
        fixed = self.gradients(self.plans())
        for player in range(2):
            now = self.gradients(self.plans())[player] if self.row.alternating else fixed[player]
            self.update(player, now)


class ReferenceMirrorDescent(ReferenceFirstOrder):
    """x ← prox of g from x."""

    def update(self, player, gradient):
        self.played[player] = self.prox(
            player, gradient, [(self.inverse_step, self.played[player])]
        )


class ReferenceOptimistic(ReferenceFirstOrder):
    """h ← prox of g from h, x ← prox of g from h."""

    def update(self, player, gradient):
        self.base[player] = self.prox(player, gradient, [(self.inverse_step, self.base[player])])
        self.played[player] = self.prox(player, gradient, [(self.inverse_step, self.base[player])])


class ReferenceLeader(ReferenceFirstOrder):
    """x ← prox of Σ g from the start; optimistic variants add the last g once more."""

    def __init__(self, form, row):
        super().__init__(form, row)
        self.sums = [np.zeros(plex.num_sequences) for plex in self.plexes]

    def update(self, player, gradient):
        self.sums[player] = self.sums[player] + gradient
        prediction = gradient if self.row.prediction == "last" else 0
        start = [(self.inverse_step, uniform(self.plexes[player]))]
        self.played[player] = self.prox(player, self.sums[player] + prediction, start)


class ReferenceMirrorProx(ReferenceFirstOrder):
    """z ← prox of g(w) from z, w ← prox of g(z) from z; w is played."""

    def step(self):
        self.done += 1
        for average, plan in zip(self.averages, self.plans(), strict=True):
            average += self.done**self.row.average_exponent * plan
        for moved in (self.base, self.played):
            source = self.played if moved is self.base else self.base
            gradients = self.gradients(self.plans(source))
            base = [own.copy() for own in self.base]
            for player in range(2):
                moved[player] = self.prox(
                    player, gradients[player], [(self.inverse_step, base[player])]
                )


class ReferenceMagnetic(ReferenceFirstOrder):
    """x ← argmax <g, x'> − α D(x', magnet) − (1 / η) D(x', x), with a magnet that may move."""

    def __init__(self, form, row):
        super().__init__(form, row)
        self.magnets = [None, None]

    def update(self, player, gradient):
        strength = self.scale * self.row.temperature * self.done**-self.row.temperature_exponent
        terms = [(strength, self.magnets[player]), (self.inverse_step, self.played[player])]
        self.played[player] = self.prox(player, gradient, terms)

    def step(self):
        super().step()
        if self.row.magnet_period is not None and self.done % self.row.magnet_period == 0:
            self.magnets = [own.copy() for own in self.played]


class ReferenceExcessiveGap(ReferenceGame):
    """The excessive gap technique with the step sizes of the library's solver."""

    def __init__(self, form, distance, strength):
        super().__init__(form)
        self.kind = distance.kind
        self.weights = [distance.weights(plex) for plex in self.plexes]
        self.strengths = [strength, strength]
        centers = [self.smoothed(p, np.zeros(self.plexes[p].num_sequences), 1) for p in range(2)]
        first, _ = self.plans(centers)
        answer = self.smoothed(1, gradient_of(form, 1, [first, None]), strength)
        second = plan_of(self.plexes[1], answer)
        gradient = gradient_of(form, 0, [None, second])
        own, _ = reference_prox(
            self.plexes[0], self.weights[0], self.kind, gradient, [(strength, centers[0])]
        )
        self.position = [plan_of(self.plexes[0], own), second]

    def smoothed(self, player, gradient, strength):
        plex, weights = self.plexes[player], self.weights[player]
        return reference_prox(plex, weights, self.kind, gradient, [(strength, None)])[0]

    def step(self, player, share):
        other, own_plex = 1 - player, self.plexes[player]
        strength = self.strengths[player]
        own, against = self.position[player], self.position[other]

        def at(plan):
            return [plan, plan]

        smoothed = self.smoothed(player, gradient_of(self.form, player, at(against)), strength)
        between = (1 - share) * own + share * plan_of(own_plex, smoothed)
        answer = plan_of(
            self.plexes[other],
            self.smoothed(other, gradient_of(self.form, other, at(between)), self.strengths[other]),
        )
        moved, _ = reference_prox(
            own_plex,
            self.weights[player],
            self.kind,
            gradient_of(self.form, player, at(answer)),
            [((1 - share) * strength / share, smoothed)],
        )
        self.position[player] = (1 - share) * own + share * plan_of(own_plex, moved)
        self.position[other] = (1 - share) * against + share * answer
        self.strengths[player] = (1 - share) * strength


class ReferenceRegCFR(ReferenceGame):
    """Regularized CFR, infostate by infostate."""

    def __init__(self, form, row):
        super().__init__(form)
        self.row = row
        self.base = [own.copy() for own in self.played]
        self.last = [np.zeros(plex.num_sequences) for plex in self.plexes]
        self.changes = [np.zeros(plex.num_infostates) for plex in self.plexes]

    def step(self):
        halved = 0.5 ** (self.done // self.row.period)
        temperature = self.scale * self.row.temperature * halved
        least = self.row.min_probability * halved
        for player, plex in enumerate(self.plexes):
            value = gradient_of(self.form, player, self.plans())
            for number, (parent, own) in reversed([*enumerate(infostates(plex))]):
                policy = self.played[player][own]
                value[parent] += policy @ value[own] - 0.5 * temperature * policy @ policy
                slope = value[own] - temperature * policy
                self.changes[player][number] += np.sum((slope - self.last[player][own]) ** 2)
                self.last[player][own] = slope
                step_size_offset = self.row.step_size_offset * self.scale**2
                step_size = 1 / np.sqrt(step_size_offset + 2 * self.changes[player][number])
                base = self.above(self.base[player][own] + step_size * slope, least)
                self.base[player][own] = base
                self.played[player][own] = self.above(base + step_size * slope, least)
        self.done += 1

    def above(self, point, least):
        share = 1 - len(point) * least
        return least + share * project((point - least) / share)
